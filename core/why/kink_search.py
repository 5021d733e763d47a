"""Finds the kinks of a pass of which nothing is derived. Most passes have none, and then no node is made."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.report.kink import SLOPE_KINK
from autodiff.core.why.kink_table import KINK_RULES, TIE_OPS, at_zero

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.records import ReportedPass


def kinks_by_input(subject: ReportedPass, source: Source) -> dict[str, tuple[Kink, ...]]:
    """Return the kinks between the output and each input, by the input's name; empty if there are none."""
    ops = list(recorded_ops(subject))
    if any(hasattr(x, "shape") for _, _, operands, _ in ops for x in operands):
        with np.errstate(all="ignore"):
            may_be_at_kink = any(is_marked(*one) for one in ops)
    else:  # plain numbers need no numpy
        may_be_at_kink = any(is_marked(*one) for one in ops)
    if not may_be_at_kink:
        return {}
    from autodiff.core.graph.topological_order import nodes_leading_to
    from autodiff.core.why.kinks import kinks_of

    def names() -> NodeNames:
        from autodiff.core.paths.node_names import NodeNames

        first = subject.numbers_first
        return NodeNames(subject.order, source, numbers_first=first, constants=lambda: subject.constants)

    found = {
        spelled: kinks_of(nodes_leading_to(subject.order, [node]), subject.cotangents, names)
        for spelled, node in subject.wrt
    }
    return {spelled: kinks for spelled, kinks in found.items() if kinks}


def recorded_ops(subject: ReportedPass) -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    """Yield name, result, operands and parameters of the ops that the tables have, from tapes as they are."""
    if subject.has_nodes:
        for node in subject.order:
            if isinstance(node, OpNode) and (node.op.name in KINK_RULES or node.op.name in TIE_OPS):
                yield node.op.name, node.out, tuple(node.operands), node.params
        return
    for tape in subject.tapes:
        for op, _, _, *operands, out, _ in tape[1:]:
            if op is not None and (op.name in KINK_RULES or op.name in TIE_OPS):
                given = tuple(x for x in operands if x is not None)
                yield op.name, out, given, getattr(op, "params", {})


def is_marked(name: str, out: Any, operands: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether an op may lie on a kink: a row of the table marks an entry, or a value is no longer there."""
    if name in TIE_OPS or not operands:
        return True
    for row in KINK_RULES[name]:
        if row.kind == SLOPE_KINK:
            continue
        if out is None and row.find_points is not at_zero:
            return True
        marked = row.find_points(out, *operands, **params)
        if marked is not False and (marked is True or marked.any()):
            return True
    return False

"""Why some entries of a gradient are zero and others are not: the ops that pass them no gradient.

To test an op, nonzero numbers take the place of the zeros that it passes on, and are propagated down to the
input. It is a cause if the entries get a gradient then. Nothing is reported for entries where another op has
a slope of 0 because of their value.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import edge_contribution, vjp_of_ones
from autodiff.core.report.cause import Cause
from autodiff.core.why.dead_units import RECTIFIERS, dead_units
from autodiff.core.why.op_table import INDEXING_OPS, STOPPING_WORDS, is_product_with_itself
from autodiff.core.why.sentences import function_of, shorten_middle, spoken_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.records import ReportedPass

#: At most so many edges are tried, and at most so many entries are listed.
MOST_TRIED, MOST_NAMED = 10, 3
#: Products of a matrix, with a vector or a matrix.
PRODUCTS = ("mv", "mm", "matmul")


class StoppingOp:
    """An op that lets nothing through to some entries: all its nodes at one place in the script.

    ``index`` is the operand of ``node``, the first of them, that the entries lie behind.
    """

    def __init__(self, node: OpNode, index: int) -> None:
        self.node = node
        self.index = index
        self.entries: Any = False


def zero_entry_causes(
    subject: ReportedPass, names: NodeNames, leading: Sequence[Node], target: Node, g: Any
) -> list[Cause]:
    """A cause for each place in the script that keeps entries of the gradient ``g`` at zero."""
    if g.__class__ is float:  # numpy need not be imported for it
        return []
    zero = np.asarray(g) == 0
    if not zero.ndim or not zero.any():
        return []
    below = {*leading, target}
    stops: dict[Any, StoppingOp] = {}
    tried = 0
    with numpy_warnings_off(list(subject.order)):
        for node in leading:
            if not isinstance(node, OpNode) or not (
                node.op.name in STOPPING_WORDS or node.op.name in INDEXING_OPS
            ):
                continue
            for index, operand in enumerate(node.inputs):
                stopped = (
                    None if operand not in below else _stopped_entries((node, index), subject.cotangents)
                )
                if stopped is None or tried == MOST_TRIED:
                    continue
                tried += 1
                assert operand is not None
                reached = _propagate_down(operand, stopped, leading, target)
                stop = stops.setdefault((node.site, node.op.name), StoppingOp(node, index))
                stop.entries = stop.entries | (zero & (reached != 0))
        if stops:
            zero = zero & (_reach_of_zero_slopes(subject.cotangents, leading, target) == 0)
    # If two ops stop an entry, an elementwise op explains more than an op that takes some entries.
    found = _causes(sorted(stops.values(), key=lambda stop: stop.node.op.name in INDEXING_OPS), names, zero)
    return found or list(_dead_factor_causes(names, leading, target, zero))


def _dead_factor_causes(
    names: NodeNames, leading: Sequence[Node], target: Node, zero: Any
) -> Iterator[Cause]:
    """Yield a cause for entries that a product multiplies by what dead units give: by 0 in every sample.

    ``target`` stands right of a factor with a row a sample, or left of one with a column a sample.
    """
    for node in leading if zero.ndim <= 2 else ():
        if not isinstance(node, OpNode) or node.op.name not in PRODUCTS or target not in node.inputs:
            continue
        side = 1 - node.inputs.index(target)
        factor = node.inputs[side]
        if not isinstance(factor, OpNode) or factor.op.name not in RECTIFIERS or len(factor.shape) != 2:
            continue
        is_dead = (np.asarray(factor.out) == 0).all(axis=side)
        here = zero & (is_dead.reshape(-1, *(1,) * (zero.ndim - 1)) if side == 0 else is_dead)
        index = next(at for at, one in enumerate(factor.inputs) if one is not None)
        below = factor.inputs[index]
        dead = "" if below is None else dead_units(factor, index, spoken_name(below, names))
        if dead and here.any():
            they = "it is" if here.sum() == 1 else "they are"
            made = f"{spoken_name(factor, names)}, which {function_of(factor, names)} makes 0 there"
            words = f"{they} multiplied by {made}"
            text = f"{_entries_in_words(here)}: {words}{dead}"
            yield Cause("closed", text, names[factor], factor.op.name, None, names.line(factor), factor.site)


def _reach_of_zero_slopes(cotangents: dict[Node, Any], leading: Sequence[Node], target: Node) -> Any:
    """What would reach the target if the slopes of 0 were not 0, except in ops that take or stop entries."""
    carried: dict[Node, Any] = {}
    wanted = {*leading, target}
    for node in leading:
        if node is target or not isinstance(node, OpNode):
            continue
        is_explained = (
            node.op.name in STOPPING_WORDS and not is_product_with_itself(node)
        ) or node.op.name in INDEXING_OPS
        for index, below in enumerate(node.inputs):
            if below not in wanted:
                continue
            assert below is not None
            found = [] if is_explained else [_generic_cotangent(*_zero_slope_mask((node, index), cotangents))]
            found += [edge_contribution((node, index), carried[node])] if node in carried else []
            for c in found:
                carried[below] = carried[below] + c if below in carried else c
    return np.asarray(carried.get(target, 0.0))


def _zero_slope_mask(edge: Edge, cotangents: dict[Node, Any]) -> tuple[Any, Any]:
    """What an edge passes on for a gradient of ones, and where that is 0 although a gradient arrives."""
    arrived = np.asarray(cotangents.get(edge[0], 0.0))
    passed = np.asarray(vjp_of_ones(edge))
    there = arrived != 0 if arrived.shape == passed.shape else np.any(arrived)
    return passed, (passed == 0) & there


def _generic_cotangent(passed: Any, which: Any) -> Any:
    """In the entries of ``which``, numbers that no sum cancels by chance; 0 in the others."""
    numbers = 1 + np.arange(1, passed.size + 1).reshape(passed.shape) * 0.6180339887498949 % 1
    return np.where(which, numbers, 0.0).astype(passed.dtype)


def _stopped_entries(edge: Edge, cotangents: dict[Node, Any]) -> Any:
    """A nonzero number in each entry that an edge stops, 0 in the others; None if it stops nothing."""
    node, index = edge
    assert isinstance(node, OpNode)
    operand = node.operands[index]
    arrived = cotangents.get(node)
    if arrived is None or not np.any(arrived) or not np.ndim(operand):
        return None
    passed = np.asarray(vjp_of_ones(edge))
    is_stopped = passed == 0
    if node.op.name in STOPPING_WORDS:
        if node.shape != np.shape(operand) or is_product_with_itself(node):
            return None
        is_stopped &= np.asarray(arrived) != 0
    if not is_stopped.any():
        return None
    return _generic_cotangent(passed, is_stopped)


def _propagate_down(start: Node, g: Any, leading: Sequence[Node], target: Node) -> Any:
    """What reaches the target if ``start`` has the gradient ``g``."""
    carried = {start: g}
    wanted = {*leading, target}
    for node in leading:
        arrived = carried.get(node)
        if arrived is None or node is target:
            continue
        for index, below in enumerate(node.inputs):
            if below in wanted:
                assert below is not None
                c = edge_contribution((node, index), arrived)
                carried[below] = carried[below] + c if below in carried else c
    return np.asarray(carried.get(target, 0.0))


def _causes(stops: list[StoppingOp], names: NodeNames, zero: Any) -> list[Cause]:
    found = []
    left = zero
    for at, stop in enumerate(stops):
        here = left & stop.entries
        if not here.any():
            continue
        left = left & ~here
        node = stop.node
        them = "it" if here.sum() == 1 else "them"
        words = f"{function_of(node, names)} {STOPPING_WORDS.get(node.op.name, '').format(them)}"
        if node.op.name in INDEXING_OPS:
            alike = [other for other in stops[at:] if other.node.op.name in INDEXING_OPS]
            takers = [_indexing_text(s.node, names) for s in alike if not (here & ~s.entries).any()]
            words = _indexing_words(takers, them)
        below = node.inputs[stop.index]
        if below is not None:
            words += dead_units(node, stop.index, spoken_name(below, names))
        text = f"{_entries_in_words(here)}: {words}"
        found.append(Cause("closed", text, names[node], node.op.name, None, names.line(node), node.site))
    return found


def _indexing_text(node: OpNode, names: NodeNames) -> str:
    if node.site is None:
        return names.without_suffix(node)
    return shorten_middle(names.source_line(node))


def _indexing_words(takers: list[str], them: str) -> str:
    takers = list(dict.fromkeys(takers))
    if len(takers) == 1:
        return f"{takers[0]} takes other entries"
    if len(takers) == 2:
        return f"neither {takers[0]} nor {takers[1]} takes {them}"
    return f"none of {', '.join(takers[:3])}{' and others' * (len(takers) > 3)} takes {them}"


def _entries_in_words(which: Any) -> str:
    places = [f"[{', '.join(map(str, place))}]" for place in np.argwhere(which)[:MOST_NAMED].tolist()]
    count = int(which.sum())
    dots = ", ..." if count > MOST_NAMED else ""
    verb = "is" if count == 1 else "are"
    return f"{count:,} of the {which.size:,} entries of the gradient {verb} 0 ({', '.join(places)}{dots})"

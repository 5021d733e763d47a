"""Finds the values of a variable by the names that reports give them: ``h_20`` is ``h`` after 20 turns."""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.session.assignment_plan import matches_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.run import Execution

VERSION = re.compile(r"([^\W\d]\w*?)_v*\d+(?:\[\d+\])*")


def version_of(spelled: str, known: Collection[str]) -> str | None:
    """Return the variable of which ``spelled`` would name a value; None for one of the ``known`` names."""
    found = None if spelled in known else VERSION.fullmatch(spelled)
    return None if found is None or found[1] not in known else found[1]


def version_node(
    spelled: str, execution: Execution, orders: Iterable[Sequence[Node]], option: str
) -> Node | None:
    """Return the node that a report on one of the graphs ``orders`` calls ``spelled``; None for other names.

    Raises UsageError if the variable has several values, but not this one.
    """
    variable = version_of(spelled, execution.scopes.module.slots)
    if variable is None:
        return None
    from autodiff.core.paths.node_names import NodeNames

    others: list[str] = []
    for order in orders:
        if spelled in (f"{variable}_0", f"{variable}_v0"):
            first = first_leaf(variable, execution, order)
            if first is not None:
                return first  # reports call it by the name of the variable
        named = NodeNames(order, execution.source, numbers_first=execution.first_numbers).versions(variable)
        if spelled in named:
            return named[spelled]
        others = others or list(named)
    if not others:
        return None
    raise UsageError(
        f"{option} {spelled}: there is no variable `{spelled}`, and no value of `{variable}` has this name",
        code="E0601",
        help=(f"the values that the output is made of are {others[0]} to {others[-1]}",),
    )


def matching_versions(
    pattern: str, execution: Execution, order: Sequence[Node]
) -> Iterable[tuple[str, Node]]:
    """Yield the values of variables whose names in reports match a pattern such as ``h_*``, oldest first."""
    from autodiff.core.paths.node_names import NodeNames

    names = NodeNames(order, execution.source, numbers_first=execution.first_numbers)
    for variable in execution.scopes.module.slots:
        versions = names.versions(variable)
        first = first_leaf(variable, execution, order) if versions else None
        if first is not None:
            versions = {f"{variable}_0": first, **versions}
        for spelled, node in versions.items():
            if matches_pattern(spelled, pattern):
                yield spelled, node


def first_leaf(variable: str, execution: Execution, order: Sequence[Node]) -> Node | None:
    """Return the first value of a variable if it is a leaf; None if an op made it."""
    known = execution.first_leaves.get(variable)
    return known or next((node for node in order if node.__class__ is Leaf and node.name == variable), None)


def orders_below(roots: Iterable[Node]) -> Iterable[Sequence[Node]]:
    return (newest_first([root]) for root in roots)

"""Sums that cancel on the way of a gradient: exactly, or up to what rounding left of them."""

from __future__ import annotations

from autodiff.core.node import OpNode
from autodiff.core.paths import contribution_of
from autodiff.core.sweep import np_errors_ignored
from autodiff.core.uses import size_of
from autodiff.core.why_scale import rounding
from autodiff.core.why_tables import DIFFERENCES
from autodiff.core.why_words import shown, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.cause import Cause
    from autodiff.core.node import Node
    from autodiff.core.paths import Edge
    from autodiff.core.report import Use
    from autodiff.core.why import Search


def rounded_off(search: Search, g: Any, uses: tuple[Use, ...]) -> Cause:
    called = {search.names[node]: spoken(node, search.names) for node in search.leading}
    parts = [f"{shown(use.contribution)} through {called[use.name]}" for use in uses[:4]]
    more = f" and {len(uses) - 4} more" if len(uses) > 4 else ""
    words = (
        f"what reaches {search.spelled} cancels: {', '.join(parts)}{more}; {shown(g)} is what rounding left"
    )
    return search.cause("cancelled", words, search.target)


def rounding_of_differences(search: Search, g: Any) -> list[Cause]:
    """The op that passed on nothing but rounding, where the input has one such use."""
    users = [user for user in search.leading if search.target in user.inputs]
    if len(users) != 1 or not isinstance(users[0], OpNode) or users[0].op.name not in DIFFERENCES:
        return []
    [user] = users
    arrived = search.subject.cotangents.get(user)
    if arrived is None or size_of(g) > rounding(g) * size_of(arrived):
        return []
    words = (
        f"{spoken(user, search.names)} passes on how much what arrives differs from entry to entry,"
        f" and all of it is the same: what is left ({shown(g)}) is rounding"
    )
    return [search.cause("cancelled", words, user)]


def rounded_off_above(search: Search, g: Any) -> list[Cause]:
    """The node on the way of which rounding left no more than this, where the input has one such use."""
    cotangents = search.subject.cotangents
    sizes = {node: size_of(cotangents[node]) for node in search.leading if node in cotangents}
    if size_of(g) > rounding(g) * max(sizes.values(), default=0.0):
        return []
    arrived: dict[Node, list[tuple[Edge, Any]]] = {}
    with np_errors_ignored(search.subject.order):
        for node in search.leading:
            given = arrived.get(node, [])
            if len(given) > 1 and sizes[node] <= rounding(g) * max(size_of(c) for _, c in given):
                left = f"; {shown(cotangents[node])} is what rounding left"
                return [cancelled(search, node, given, left)]
            for edge in search.edges(node) if node in sizes else ():
                below = node.inputs[edge[1]]
                assert below is not None
                arrived.setdefault(below, []).append((edge, contribution_of(edge, cotangents[node])))
    return []


def cancelled(search: Search, node: Node, given: list[tuple[Edge, Any]], left: str = " add up to 0") -> Cause:
    name = spoken(node, search.names)
    parts = [f"{shown(c)} through {spoken(user, search.names)}" for (user, _), c in given[:4]]
    more = f" and {len(given) - 4} more" if len(given) > 4 else ""
    return search.cause("cancelled", f"what reaches {name} cancels: {', '.join(parts)}{more}{left}", node)

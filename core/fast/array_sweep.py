"""The fast backward sweep through nodes of small arrays: nodes are found while cotangents flow.

Without this module (``AUTODIFF_FAST=0``) the engine finds the nodes first and then applies the rules of their
ops, with the same gradients.
"""

from __future__ import annotations

from operator import attrgetter

from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.graph.node import Leaf, Node, ScalarNode
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import no_grad
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.vjp import edge_pullback_or_none, node_contributions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

array_vjp = LazyModule("autodiff.core.fast.array_vjp")
_number = attrgetter("number")

#: If a node would be inserted further than this from the end of the queue, the graph is wide. All nodes below
#: are then searched at once.
MAX_INSERT_DISTANCE = 16


def sweep_in_order(
    order: list[Node], seeds: dict[Node, Any], inner: bool
) -> tuple[dict[Node, Any], dict[Node, Any]]:
    """As ``sweep`` through the nodes in ``order``; also the pending cotangents where it stopped early."""
    known: dict[Node, Any] = {}
    left = _sweep(seeds, without_leaves(reversed(order)), [], known, inner, is_complete=True)
    return {node: known[node] for node in order if node in known}, left


def find_and_sweep(
    seeds: dict[Node, Any], sweep: Callable[..., dict[Node, Any]] | None
) -> tuple[list[Node], dict[Node, Any]] | None:
    """Every tracked node below the seeds, newest first, and the cotangents of leaves and of marked nodes.

    ``sweep`` continues where rules of a script have to run; without it the answer is None there.
    """
    order: list[Node] = []
    known: dict[Node, Any] = {}
    pending = _sweep(seeds, without_leaves(sorted(seeds, key=_number)), order, known, inner=False)
    if pending:
        if sweep is None:
            return None
        below = newest_first(pending)
        order += without_leaves(below)
        known.update(sweep(below, pending, keep_inner=False))
    leaves = sorted([node for node in known if node.__class__ is Leaf], key=_number, reverse=True)
    is_sorted = not order or not leaves or leaves[0].number < order[-1].number
    order += leaves
    if not is_sorted:
        order.sort(key=_number, reverse=True)
    return order, known


def without_leaves(nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.__class__ is not Leaf]


def _sweep(
    seeds: dict[Node, Any],
    waiting: list[Any],
    order: list[Node],
    known: dict[Node, Any],
    inner: bool,
    is_complete: bool = False,
) -> dict[Node, Any]:
    """Pass the seeds down to the leaves; return the pending cotangents where a script's rule stops the sweep.

    ``waiting`` are the nodes to visit, oldest first; unless it ``is_complete`` their inputs are added to it.
    Visited nodes are appended to ``order``. ``known`` receives the cotangents of leaves and marked nodes, and
    with ``inner`` of all others. During the sweep cotangents are stored on the nodes.
    """
    reached: list[Node] = list(seeds)  # what is not waiting and has a cotangent nevertheless
    is_wide = False
    arrays: Any = None
    pull_back_arrays: Any = None
    try:
        for node, seed in seeds.items():
            node.scratch = seed
        while True:  # Python 3.11 specializes the loop on its first run only in this form
            if not waiting:
                break
            if is_wide:
                waiting, is_wide, is_complete = op_nodes_below(waiting), False, True
            node = waiting.pop()
            g = node.scratch
            if g is None:
                continue
            node.scratch = None
            order.append(node)
            if inner or node.status is not None:
                known[node] = g
            if node.__class__ is ScalarNode:  # rare: most programs of numbers are on tapes
                pulled = node_contributions(node, g)
            else:
                if not has_builtin_rule(node):
                    order.pop()
                    known.pop(node, None)
                    pending = {
                        other: other.scratch for other in (*waiting, *reached) if other.scratch is not None
                    }
                    return {node: g, **pending}
                if arrays is None:
                    arrays, pull_back_arrays = QuietNoGrad(), array_vjp.pull_back_arrays
                pulled = pull_back_arrays(node, g, edge_pullback_or_none)
                if pulled is None:
                    pulled = node_contributions(node, g)
            for below, contribution in pulled:
                before = below.scratch
                if before is not None:
                    below.scratch = before + contribution
                    continue
                below.scratch = contribution
                if is_complete or below.__class__ is Leaf:
                    reached.append(below)
                elif not waiting or below.number > waiting[-1].number:
                    waiting.append(below)
                elif insert_by_number(waiting, below):
                    is_wide = True
        known.update((node, node.scratch) for node in reached if node.__class__ is Leaf)
        return {}
    finally:
        for node in reached:
            node.scratch = None
        for node in waiting:
            node.scratch = None
        if arrays is not None:
            arrays.close()


def has_builtin_rule(node: Node) -> bool:
    """Whether the node's rule is built in. A script's may start a pass, which uses ``Node.scratch`` too."""
    return node.op.__class__ is Op


class QuietNoGrad:
    """Turns recording and numpy's warnings off until it is closed."""

    __slots__ = ("managers",)

    def __init__(self) -> None:
        self.managers = no_grad(), np.errstate(all="ignore")
        for manager in self.managers:
            manager.__enter__()

    def close(self) -> None:
        for manager in self.managers:
            manager.__exit__(None, None, None)


def insert_by_number(waiting: list[Node], node: Node) -> bool:
    """Insert a node into ``waiting`` by its number; whether its place was too far from the end to look for.

    It is then appended, out of order.
    """
    number = node.number
    at = len(waiting) - 1
    last = at - MAX_INSERT_DISTANCE
    while at and waiting[at - 1].number > number:
        at -= 1
        if at == last:
            waiting.append(node)
            return True
    waiting.insert(at, node)
    return False


def op_nodes_below(waiting: list[Node]) -> list[Any]:
    """The nodes that can be reached from these, oldest first."""
    cotangents = [node.scratch for node in waiting]
    for node in waiting:
        node.scratch = None
    found = newest_first(waiting)
    for node, g in zip(waiting, cotangents, strict=True):
        node.scratch = g
    return without_leaves(reversed(found))

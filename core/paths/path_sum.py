"""Paths through the graph: their number, the paths themselves, and the contribution of each to a gradient.

Counting is exact and linear in the size of the graph. Enumerating paths is not, so it is done by generators.
The engine never needs paths: they explain a gradient, as the sum of their contributions.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import Node, OpNode, ScalarNode
from autodiff.core.graph.state import mode, no_grad
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.vjp import edge_pullback, edge_pullback_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

#: One use of an input: the node that reads it and the index of the operand.
Edge = tuple[Node, int]
#: A path from the output down to an input: each edge starts at the node where the one before ends.
Path = tuple[Edge, ...]


def count_paths(root: Node, wanted: Iterable[Node], order: Sequence[Node] | None = None) -> dict[Node, int]:
    """How many paths lead from ``root`` to each wanted node; parallel edges count separately.

    Counts grow to thousands of digits, so those of other nodes are dropped once passed on.

    >>> from autodiff.core.engine.tensor import tensor
    >>> x = y = tensor(1.0, requires_grad=True)
    >>> for _ in range(100):
    ...     y = y + y
    >>> count_paths(y.node, [x.node])[x.node] == 2**100
    True
    """
    kept = set(wanted)
    counts = {root: 1}
    known = counts.get
    for node in newest_first([root]) if order is None else order:
        count = known(node)
        if count is None:
            continue
        if node.__class__ is ScalarNode:  # inlined: graphs of a hundred thousand nodes consist of these
            below = node.a
            if below is not None and below.tracked:
                before = known(below)
                counts[below] = count if before is None else before + count
            below = node.b
            if below is not None and below.tracked:
                before = known(below)
                counts[below] = count if before is None else before + count
        else:
            for below in node.inputs:
                if below is not None and below.tracked:
                    counts[below] = counts.get(below, 0) + count
        if node not in kept:
            del counts[node]
    return {node: counts.get(node, 0) for node in kept}


class PathCounts:
    """The counts of ``count_paths``, computed when the first one is read."""

    __slots__ = ("_counts", "_order", "_root", "_wanted")

    def __init__(self, root: Node, wanted: Iterable[Node], order: Sequence[Node]) -> None:
        self._root = root
        self._wanted = tuple(wanted)
        self._order = order
        self._counts: dict[Node, int] | None = None

    def __getitem__(self, node: Node) -> int:
        if self._counts is None:
            self._counts = count_paths(self._root, self._wanted, self._order)
        return self._counts[node]


def paths_between(root: Node, target: Node, order: Sequence[Node] | None = None) -> Iterator[Path]:
    """Every path from ``root`` to ``target``, operands from left to right.

    >>> from autodiff.core.engine.tensor import tensor
    >>> x = tensor(3.0, requires_grad=True)
    >>> [[index for _, index in path] for path in paths_between((x * x).node, x.node)]
    [[0], [1]]
    """
    for path, _ in paths_with_contributions(root, target, None, order):
        yield path


def paths_with_contributions(
    root: Node, target: Node, seed: Any, order: Sequence[Node] | None = None
) -> Iterator[tuple[Path, Any]]:
    """Every path with its contribution: ``seed`` pulled back along its edges, None if there is no seed.

    The part that paths share at their start is computed once.
    """
    if root is target:
        yield (), seed
        return
    order = newest_first([root]) if order is None else order
    useful = set(nodes_leading_to(list(order), [target]))
    edges: list[Edge] = []
    carried = [seed]
    stack = [_edges_into(root, useful)]
    while stack:
        edge = next(stack[-1], None)
        if edge is None:
            stack.pop()
            carried.pop()
            if edges:
                edges.pop()
            continue
        node, index = edge
        below = node.inputs[index]
        assert below is not None
        g = None if carried[-1] is None else edge_contribution(edge, carried[-1])
        edges.append(edge)
        if below is target:
            yield tuple(edges), g
            edges.pop()
            continue
        carried.append(g)
        stack.append(_edges_into(below, useful))


def edge_contribution(edge: Edge, g: Any) -> Any:
    """The cotangent that one edge passes to its input when its node has cotangent ``g``."""
    return _pulled(edge_pullback, edge, g)


def vjp_of_ones(edge: Edge) -> Any:
    """The cotangent that one edge passes on for a cotangent of ones: an elementwise op's local derivative."""
    out = edge[0].out
    return edge_contribution(edge, 1.0 if out.__class__ is float else np.ones_like(out))


def has_no_gradient(edge: Edge, g: Any) -> bool:
    """Whether a custom ``backward`` returns None for this operand."""
    return _pulled(edge_pullback_or_none, edge, g) is None


def _pulled(pull: Callable[..., Any], edge: Edge, g: Any) -> Any:
    node, index = edge
    assert isinstance(node, OpNode)
    site = mode.site
    try:
        with no_grad(), numpy_warnings_off([node]):
            return pull(node, index, g)
    finally:
        mode.site = site  # a custom backward runs statements, which set it


def _edges_into(node: Node, useful: set[Node]) -> Iterator[Edge]:
    return iter([(node, index) for index, below in enumerate(node.inputs) if below in useful])

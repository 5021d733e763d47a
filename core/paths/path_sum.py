"""Paths through the graph: how many there are, which they are, and what each contributes to a gradient.

Counting is exact and linear in the graph; following paths one by one is neither, so it is lazy. The engine
never needs paths: they are how a gradient is explained, as the sum of what each of them carries.
"""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.engine.sweep import np_errors_ignored
from autodiff.core.graph.node import Node, OpNode, ScalarNode
from autodiff.core.graph.state import mode, no_grad
from autodiff.core.graph.topological_order import leading_to, newest_first
from autodiff.core.graph.vjp import pull_edge, pull_edge_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

#: One use of an input: the node that reads it and the number of the operand.
Edge = tuple[Node, int]
#: A way from the output down: each edge starts at the node which the one before leads to.
Path = tuple[Edge, ...]


def count_paths(root: Node, wanted: Iterable[Node], order: Sequence[Node] | None = None) -> dict[Node, int]:
    """How many paths lead from ``root`` to each wanted node; parallel edges count apart.

    Counts grow to thousands of digits, so those of other nodes are let go of as soon as they are passed on.

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
        if node.__class__ is ScalarNode:  # spelled out: graphs of a hundred thousand nodes consist of these
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
    """``count_paths``, done when the first count is asked for."""

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
    for path, _ in follow(root, target, None, order):
        yield path


def follow(
    root: Node, target: Node, seed: Any, order: Sequence[Node] | None = None
) -> Iterator[tuple[Path, Any]]:
    """Every path with its contribution: ``seed`` pulled back along its edges. None when there is no seed.

    What paths have in common at their start is computed once.
    """
    if root is target:
        yield (), seed
        return
    order = newest_first([root]) if order is None else order
    useful = set(leading_to(list(order), [target]))
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
        g = None if carried[-1] is None else contribution_of(edge, carried[-1])
        edges.append(edge)
        if below is target:
            yield tuple(edges), g
            edges.pop()
            continue
        carried.append(g)
        stack.append(_edges_into(below, useful))


def contribution_of(edge: Edge, g: Any) -> Any:
    """What comes out of one edge when ``g`` goes in."""
    return _pulled(pull_edge, edge, g)


def vjp_of_ones(edge: Edge) -> Any:
    """What comes out where ones go in: the slope of an op that works entry by entry."""
    out = edge[0].out
    return contribution_of(edge, 1.0 if out.__class__ is float else np.ones_like(out))


def answers_none(edge: Edge, g: Any) -> bool:
    """Whether a custom ``backward`` says that there is no gradient."""
    return _pulled(pull_edge_or_none, edge, g) is None


def _pulled(pull: Callable[..., Any], edge: Edge, g: Any) -> Any:
    node, index = edge
    assert isinstance(node, OpNode)
    site = mode.site
    try:
        with no_grad(), np_errors_ignored([node]):
            return pull(node, index, g)
    finally:
        mode.site = site  # a script's own backward has run statements of its own


def _edges_into(node: Node, useful: set[Node]) -> Iterator[Edge]:
    return iter([(node, index) for index, below in enumerate(node.inputs) if below in useful])

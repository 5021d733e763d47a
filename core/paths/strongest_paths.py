"""The paths with the largest contributions in a graph of numbers, found without enumeration.

The size of a contribution is a product over the edges of its path, so the strongest path is the shortest one
if an edge has length ``-log|derivative|``. All others are that path with detours, kept in persistent heaps:
Eppstein, "Finding the k shortest paths", SIAM Journal on Computing 28 (1998), for a graph without cycles. It
takes one pass over the graph, and then a few steps for each path.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, log, prod

from autodiff.core.base.errors import GradientError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import Node, OpNode, ScalarNode
from autodiff.core.graph.state import mode, no_grad
from autodiff.core.graph.vjp import edge_pullback, scalar_edge_pullback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.paths.path_sum import Edge, Path

    #: The index of an operand, the place of its node in the order, the derivative, and ``-log|derivative|``.
    PlacedEdge = tuple[int, int, float, float]
    #: A leftist heap of detours, immutable: the added length of the detour, the place where it leaves the
    #: shortest path, the edge it takes, the left and right heaps with longer detours, and the length of the
    #: rightmost path of the heap.
    Heap = tuple[float, int, PlacedEdge, "Heap | None", "Heap | None", int]
    #: Consecutive edges, their derivatives, and the place where they end.
    Stretch = tuple[list[Edge], list[float], int]
    #: The detours of one path as a linked list, last one first: place, edge, earlier detours.
    Detours = tuple[int, PlacedEdge, "Detours | None"]


#: The placeholder for the first edge at places from which no path leads to the target.
NO_EDGE = (0, 0, 0.0, inf)


class ScalarEdges:
    """The derivatives of all edges between numbers in the graph of the nodes ``newest_first``.

    ``are_finite`` is true if no derivative is infinite or nan; only then can paths be compared. Nodes are
    identified by their place in ``newest_first``: indexing lists takes a fraction of the time of a dict.
    """

    __slots__ = ("_edges", "_places", "are_finite", "newest_first")

    def __init__(self, newest_first: Sequence[Node]) -> None:
        self.newest_first = newest_first
        self._places = places = {node: place for place, node in enumerate(newest_first)}
        self._edges: list[tuple[PlacedEdge, ...]] = []
        add = self._edges.append
        site = mode.site
        try:
            with no_grad(), numpy_warnings_off(list(newest_first)):
                for node in newest_first:
                    if node.__class__ is ScalarNode:  # inlined: large graphs consist of these
                        a, b = node.a, node.b
                        x = node.constant if a is None else a.out
                        y = node.constant if b is None else b.out
                        if b is None or not b.tracked:
                            add(
                                (_scalar_edge(node, 0, x, y, places[a]),)
                                if a is not None and a.tracked
                                else ()
                            )
                        elif a is None or not a.tracked:
                            add((_scalar_edge(node, 1, x, y, places[b]),))
                        else:
                            add(
                                (
                                    _scalar_edge(node, 0, x, y, places[a]),
                                    _scalar_edge(node, 1, x, y, places[b]),
                                )
                            )
                    elif isinstance(node, OpNode) and has_one_entry(node):
                        add(_one_entry_edges(node, places))
                    else:
                        add(())
        finally:
            mode.site = site  # a custom backward runs statements, which set it
        self.are_finite = all(edge[3] > -inf for edges in self._edges for edge in edges)  # false for nan

    def edges_from(self, node: Node) -> list[tuple[int, Node, float]]:
        """``(operand index, input, derivative)`` for each edge from ``node`` to a number."""
        nodes = self.newest_first
        return [(index, nodes[below], d) for index, below, d, _ in self._edges[self._places[node]]]

    def magnitude(self, target: Node, seed: float) -> float:
        """The sum of the absolute contributions of all paths to ``target``, without enumerating them."""
        last = self._places.get(target)
        if last is None:
            return 0.0
        sizes = [0.0] * len(self._edges)
        sizes[0] = abs(seed)
        for place in range(last):  # inputs are older than the nodes that use them
            size = sizes[place]
            if size:
                for _, below, derivative, _ in self._edges[place]:
                    sizes[below] += size * abs(derivative)
        return sizes[last]

    def strongest(self, target: Node, seed: float, limit: int) -> list[tuple[Path, float]]:
        """At most ``limit`` paths from the root to ``target``, largest contributions first.

        Paths that contribute nothing are left out. The derivatives must be finite.
        """
        last = self._places.get(target)
        if last is None or limit < 1:
            return []
        shortest_paths = _ShortestPaths(self.newest_first, self._edges, last)
        if not shortest_paths.is_reachable_from(0):
            return []
        found = [shortest_paths.walk(seed, None)]
        # An item is a path, given by its detours before the last, and the heap with its last detour on top.
        waiting: list[tuple[float, int, Heap, Detours | None]] = []
        number = 0
        if (heap := shortest_paths.detours(0)) is not None:
            waiting.append((heap[0], number, heap, None))
        while waiting and len(found) < limit:
            longer, _, heap, before = heappop(waiting)
            extra, turn, edge, left, right, _ = heap
            taken = (turn, edge, before)
            found.append(shortest_paths.walk(seed, taken))
            for following, so_far, path in (
                (left, longer - extra, before),
                (right, longer - extra, before),
                (shortest_paths.detours(edge[1]), longer, taken),
            ):
                if following is not None:
                    number += 1
                    heappush(waiting, (so_far + following[0], number, following, path))
        # Lengths are rounded sums of logarithms: for paths of almost equal length the products decide.
        found.sort(key=lambda path: -abs(path[1]))
        return found


class _ShortestPaths:
    """The shortest path to a target from every place above it, and the detours from each of these paths.

    ``_first`` has the first edge of each shortest path. Path segments that were walked are stored as
    stretches, each up to a place of an earlier one, so that the many paths that share them can copy them.
    """

    __slots__ = (
        "_before",
        "_edges",
        "_first",
        "_has_heap",
        "_heaps",
        "_last",
        "_length",
        "_nodes",
        "_stretches",
    )

    def __init__(self, nodes: Sequence[Node], edges: Sequence[tuple[PlacedEdge, ...]], last: int) -> None:
        self._nodes = nodes
        self._edges = edges
        self._last = last
        self._length = length = [inf] * len(edges)
        length[last] = 0.0
        self._first = first = [NO_EDGE] * (last + 1)
        for place in range(last - 1, -1, -1):
            shortest = inf
            for edge in edges[place]:
                way = length[edge[1]] + edge[3]
                if way < shortest:
                    shortest = way
                    best = edge
            if shortest < inf:
                length[place] = shortest
                first[place] = best
        #: By place: the heap of detours from there on, where it was made (see ``_has_heap``).
        self._heaps: list[Heap | None] = [None] * (last + 1)
        self._has_heap = bytearray(last) + b"\1"
        #: By place: its stretch, and how many edges of the stretch come before it.
        self._stretches: list[Stretch | None] = [None] * (last + 1)
        self._before = [0] * (last + 1)

    def is_reachable_from(self, place: int) -> bool:
        """Whether the target can be reached from a place."""
        return self._length[place] < inf

    def detours(self, place: int) -> Heap | None:
        """The heap of detours from the shortest path from a place, which must have one; None if empty."""
        above = []
        first, known = self._first, self._has_heap
        while not known[place]:
            above.append(place)
            place = first[place][1]
        heap = self._heaps[place]
        for place in reversed(above):
            edges = self._edges[place]
            if len(edges) > 1:
                for edge in edges:
                    if edge is not first[place]:
                        longer = self._length[edge[1]] + edge[3] - self._length[place]
                        if longer < inf:
                            heap = _heap_with(heap, longer, place, edge)
            self._heaps[place] = heap
            known[place] = True
        return heap

    def walk(self, seed: float, detours: Detours | None) -> tuple[Path, float]:
        """The path from the root with these detours, and its contribution."""
        turns = []
        while detours is not None:
            place, edge, detours = detours
            turns.append((place, edge))
        path: list[Edge] = []
        carried = seed
        place = 0
        while turns:
            turn, (index, below, derivative, _) = turns.pop()
            carried = self._append_segment(place, turn, path, carried) * derivative
            path.append((self._nodes[turn], index))
            place = below
        carried = self._append_segment(place, self._last, path, carried)
        return tuple(path), carried

    def _append_segment(self, place: int, to: int, path: list[Edge], carried: float) -> float:
        """Append the shortest path between two of its places to ``path``; return the contribution so far."""
        while place != to:
            stretch = self._stretches[place] or self._store_stretch(place)
            edges, derivatives, end = stretch
            start = self._before[place]
            if self._stretches[to] is stretch:
                stop, place = self._before[to], to
            else:
                stop, place = len(edges), end
            path += edges[start:stop]
            carried = prod(derivatives[start:stop], start=carried)
        return carried

    def _store_stretch(self, place: int) -> Stretch:
        """Store the stretch from a place to the target, or to the next stored stretch."""
        edges: list[Edge] = []
        derivatives: list[float] = []
        passed = []
        stretches, first, nodes = self._stretches, self._first, self._nodes
        while place != self._last and stretches[place] is None:
            passed.append(place)
            index, below, derivative, _ = first[place]
            edges.append((nodes[place], index))
            derivatives.append(derivative)
            place = below
        stretch = (edges, derivatives, place)
        for at, above in enumerate(passed):
            stretches[above] = stretch
            self._before[above] = at
        return stretch


def _scalar_edge(node: ScalarNode, index: int, x: Any, y: Any, below: int) -> PlacedEdge:
    """The edge to operand ``index`` of a node of numbers; ``y`` is None if there is one operand."""
    partials = node.op.partials
    partial = partials[index] if partials else None
    if isinstance(partial, int):
        return index, below, float(partial), 0.0 if partial else inf
    d: Any = None
    if partial is not None:
        try:  # noqa: SIM105 - contextlib.suppress would take as long as all the rest
            d = partial(node.out, x) if y is None else partial(node.out, x, y)
        except (ArithmeticError, ValueError):
            pass
    if d.__class__ is not float:
        d = scalar_edge_pullback(node, index, 1.0)
    return index, below, d, -log(abs(d)) if d else inf


def _one_entry_edges(node: OpNode, places: dict[Node, int]) -> tuple[PlacedEdge, ...]:
    """The edges from a node with one entry to inputs with one entry.

    An edge without a rule is left out: backward has passed by it, so nobody has asked for it.
    """
    edges = []
    for index, below in enumerate(node.inputs):
        if below is None or not below.tracked or not has_one_entry(below):
            continue
        try:
            pulled = edge_pullback(
                node, index, 1.0 if node.out.__class__ is float else np.ones_like(node.out)
            )
        except GradientError as error:
            if error.code != "E0414":
                raise
            continue
        d = float(pulled if pulled.__class__ is float else pulled.item())
        edges.append((index, places[below], d, -log(abs(d)) if d else inf))
    return tuple(edges)


def has_one_entry(node: Node) -> bool:
    """Whether the value of a node has one entry."""
    return node.out.__class__ is float or node.out.size == 1


def _heap_with(heap: Heap | None, longer: float, place: int, edge: PlacedEdge) -> Heap:
    """A new heap with one more detour; the old heap is not changed."""
    passed = []
    while heap is not None and heap[0] < longer:
        passed.append(heap)
        heap = heap[4]
    made: Heap = (longer, place, edge, heap, None, 1)
    while passed:
        above = passed.pop()
        left = above[3]
        depth = 0 if left is None else left[5]
        if depth >= made[5]:
            made = (above[0], above[1], above[2], left, made, made[5] + 1)
        else:
            made = (above[0], above[1], above[2], made, left, depth + 1)
    return made

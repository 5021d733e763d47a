"""The strongest paths of a graph of numbers: those with the largest contributions, found without enumeration.

The size of a contribution is a product over the edges of its path, so the strongest path is the shortest
one where an edge is as long as ``-log|derivative|``. All others are that path with detours, and the best
detours are kept in heaps which share what they have in common: Eppstein, "Finding the k shortest paths",
SIAM Journal on Computing 28 (1998), for a graph without cycles. One pass over the graph, then a few steps
for every path asked for.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, isfinite, log

from autodiff.core.backward import np_errors_ignored, pull_edge, pull_scalar_edge
from autodiff.core.lazy import np
from autodiff.core.mode import mode, no_grad
from autodiff.core.node import Node, OpNode, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.paths import Edge, Path

    #: An operand's number, where its node stands in the order, and the derivative.
    PlacedEdge = tuple[int, int, float]
    #: A heap of detours: how much longer the way becomes, where it leaves (a place in the order), by which
    #: operand, two heaps with longer detours, and the length of the way down its right side (leftist, and
    #: never changed once made).
    Heap = tuple[float, int, int, "Heap | None", "Heap | None", int]
    #: An edge of a path, the place it leads to and the derivative.
    Step = tuple[Edge, int, float]
    #: The detours of one path, last one first.
    Detours = tuple[int, int, "Detours | None"]


class ScalarEdges:
    """The derivative of every edge below a root that leads from one single number to another.

    ``are_finite`` tells whether no derivative is infinite or nan, without which paths cannot be compared.
    Nodes are known by their places in ``newest_first`` here: looking into lists takes a fraction of the time.
    """

    __slots__ = ("_edges", "_places", "are_finite", "newest_first")

    def __init__(self, newest_first: Sequence[Node]) -> None:
        self.newest_first = newest_first
        self._places = places = {node: place for place, node in enumerate(newest_first)}
        self._edges: list[list[PlacedEdge]] = []
        site = mode.site
        try:
            with no_grad(), np_errors_ignored(list(newest_first)):
                for node in newest_first:
                    if node.__class__ is ScalarNode:
                        self._edges.append(_edges_of_scalar(node, places))
                    elif isinstance(node, OpNode) and is_number(node):
                        self._edges.append(_edges_of(node, places))
                    else:
                        self._edges.append([])
        finally:
            mode.site = site  # a script's own backward has run statements of its own
        self.are_finite = all(isfinite(derivative) for edges in self._edges for _, _, derivative in edges)

    def of(self, node: Node) -> list[tuple[int, Node, float]]:
        """``(operand number, input, derivative)`` for each edge that leads from ``node`` to a number."""
        nodes = self.newest_first
        return [(index, nodes[below], d) for index, below, d in self._edges[self._places[node]]]

    def magnitude(self, target: Node, seed: float) -> float:
        """The sum of the sizes of all contributions to ``target``, however many paths there are."""
        last = self._places.get(target)
        if last is None:
            return 0.0
        sizes = [0.0] * len(self._edges)
        sizes[0] = abs(seed)
        for place in range(last):  # inputs are older than what is made of them
            size = sizes[place]
            if size:
                for _, below, derivative in self._edges[place]:
                    sizes[below] += size * abs(derivative)
        return sizes[last]

    def strongest(self, target: Node, seed: float, most: int) -> list[tuple[Path, float]]:
        """At most so many paths from the root to ``target``, largest contributions first.

        Paths that contribute nothing are left out. The derivatives must be finite.
        """
        last = self._places.get(target)
        if last is None or most < 1:
            return []
        steps, detours = self._shortest_ways(last)
        if last and steps[0] is None:
            return []
        found: list[tuple[Path, float]] = [self._walk(last, seed, steps, None)]
        # Each entry is a path, named by its detours, together with the heap its last detour came from.
        waiting: list[tuple[float, int, Heap, Detours | None]] = []
        number = 0
        if (heap := detours[0]) is not None:
            waiting.append((heap[0], number, heap, None))
        while waiting and len(found) < most:
            longer, _, heap, before = heappop(waiting)
            taken = (heap[1], heap[2], before)
            found.append(self._walk(last, seed, steps, taken))
            landed = detours[self._edge(heap[1], heap[2])[1]]
            for following, so_far, path in (
                (heap[3], longer - heap[0], before),
                (heap[4], longer - heap[0], before),
                (landed, longer, taken),
            ):
                if following is not None:
                    number += 1
                    heappush(waiting, (so_far + following[0], number, following, path))
        # Lengths are sums of logarithms; among paths of almost one length the products decide.
        found.sort(key=lambda path: -abs(path[1]))
        return found

    def _edge(self, place: int, index: int) -> PlacedEdge:
        """The edge by which operand ``index`` is reached."""
        return next(edge for edge in self._edges[place] if edge[0] == index)

    def _shortest_ways(self, last: int) -> tuple[list[Step | None], list[Heap | None]]:
        """For every place above the target: the first step of its shortest way, and the detours on it."""
        length = [inf] * len(self._edges)
        length[last] = 0.0
        steps: list[Step | None] = [None] * (last + 1)
        detours: list[Heap | None] = [None] * (last + 1)
        for place in range(last - 1, -1, -1):
            best = None
            shortest = inf
            others: list[tuple[float, int]] | None = None  # of the few nodes that have other ways
            for edge in self._edges[place]:
                index, below, derivative = edge
                rest = length[below]
                if rest == inf or not derivative:
                    continue
                way = rest - log(abs(derivative))
                if best is None:
                    best, shortest = edge, way
                    continue
                if others is None:
                    others = []
                if way < shortest:
                    others.append((shortest, best[0]))
                    best, shortest = edge, way
                else:
                    others.append((way, index))
            if best is not None:
                index, below, derivative = best
                length[place] = shortest
                steps[place] = ((self.newest_first[place], index), below, derivative)
                heap = detours[below]
                for way, index in others or ():
                    heap = _with(heap, way - shortest, place, index)
                detours[place] = heap
        return steps, detours

    def _walk(
        self, last: int, seed: float, steps: list[Step | None], detours: Detours | None
    ) -> tuple[Path, float]:
        """The path with these detours, and what it carries."""
        way = steps
        if detours is not None:
            way = steps.copy()
        while detours is not None:
            place, index, detours = detours
            _, below, derivative = self._edge(place, index)
            way[place] = ((self.newest_first[place], index), below, derivative)
        edges: list[Edge] = []
        carried = seed
        place = 0
        while place != last:
            edge, place, derivative = way[place]  # type: ignore[misc]  # there is a way from here
            edges.append(edge)
            carried *= derivative
        return tuple(edges), carried


def _edges_of_scalar(node: ScalarNode, places: dict[Node, int]) -> list[PlacedEdge]:
    """As ``_edges_of``, where all values are numbers: graphs of a hundred thousand nodes consist of these."""
    a, b = node.a, node.b
    edges = []
    if a is not None and a.tracked:
        edges.append((0, places[a], pull_scalar_edge(node, 0, 1.0)))
    if b is not None and b.tracked:
        edges.append((1, places[b], pull_scalar_edge(node, 1, 1.0)))
    return edges


def _edges_of(node: OpNode, places: dict[Node, int]) -> list[PlacedEdge]:
    """The edges from a node of one entry to inputs of one entry."""
    edges = []
    for index, below in enumerate(node.inputs):
        if below is None or not below.tracked or not is_number(below):
            continue
        pulled = pull_edge(node, index, 1.0 if node.out.__class__ is float else np.ones_like(node.out))
        derivative = float(pulled if pulled.__class__ is float else pulled.item())
        edges.append((index, places[below], derivative))
    return edges


def is_number(node: Node) -> bool:
    """Whether a node's value has one entry."""
    return node.out.__class__ is float or node.out.size == 1


def _with(heap: Heap | None, longer: float, place: int, index: int) -> Heap:
    """A heap with one more detour; the old one stays as it is."""
    passed = []
    while heap is not None and heap[0] < longer:
        passed.append(heap)
        heap = heap[4]
    made: Heap = (longer, place, index, heap, None, 1)
    while passed:
        above = passed.pop()
        left = above[3]
        depth = 0 if left is None else left[5]
        if depth >= made[5]:
            made = (above[0], above[1], above[2], left, made, made[5] + 1)
        else:
            made = (above[0], above[1], above[2], made, left, depth + 1)
    return made

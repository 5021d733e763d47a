"""The strongest paths of a graph of numbers: those with the largest contributions, found without enumeration.

The size of a contribution is a product over the edges of its path, so the strongest path is the shortest
one where an edge is as long as ``-log|derivative|``. All others are that path with detours, and the best
detours are kept in heaps which share what they have in common: Eppstein, "Finding the k shortest paths",
SIAM Journal on Computing 28 (1998), for a graph without cycles. One pass over the graph, then a few steps
for every path asked for.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import isfinite, log

from autodiff.core.backward import np_errors_ignored, pull_edge, pull_scalar_edge
from autodiff.core.lazy import np
from autodiff.core.mode import mode, no_grad
from autodiff.core.node import Node, OpNode, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.paths import Edge, Path

    #: A heap of detours: how much longer the way becomes, where it leaves, by which operand, two heaps with
    #: longer detours, and the length of the way down its right side (leftist, and never changed once made).
    Heap = tuple[float, Node, int, "Heap | None", "Heap | None", int]
    #: The detours of one path, last one first.
    Detours = tuple[Node, int, "Detours | None"]


class ScalarEdges:
    """The derivative of every edge below a root that leads from one single number to another.

    ``of`` maps a node to ``(operand number, input, derivative)`` for each such edge. ``are_finite`` tells
    whether no derivative is infinite or nan, without which paths cannot be compared.
    """

    __slots__ = ("are_finite", "newest_first", "of")

    def __init__(self, newest_first: Sequence[Node]) -> None:
        self.newest_first = newest_first
        self.of: dict[Node, list[tuple[int, Node, float]]] = {}
        self.are_finite = True
        site = mode.site
        try:
            with no_grad(), np_errors_ignored(list(newest_first)):
                for node in newest_first:
                    if isinstance(node, OpNode) and is_number(node):
                        self.of[node] = self._edges_of(node)
        finally:
            mode.site = site  # a script's own backward has run statements of its own

    def _edges_of(self, node: OpNode) -> list[tuple[int, Node, float]]:
        edges = []
        for index, below in enumerate(node.inputs):
            if below is None or not below.tracked or not is_number(below):
                continue
            if node.__class__ is ScalarNode:
                assert isinstance(node, ScalarNode)
                derivative = pull_scalar_edge(node, index, 1.0)
            else:
                pulled = pull_edge(
                    node, index, 1.0 if node.out.__class__ is float else np.ones_like(node.out)
                )
                derivative = float(pulled if pulled.__class__ is float else pulled.item())
            if not isfinite(derivative):
                self.are_finite = False
            edges.append((index, below, derivative))
        return edges

    def magnitude(self, target: Node, seed: float) -> float:
        """The sum of the sizes of all contributions to ``target``, however many paths there are."""
        sizes = {self.newest_first[0]: abs(seed)}
        for node in self.newest_first:
            size = sizes.get(node)
            if size and node is not target:
                for _, below, derivative in self.of.get(node, ()):
                    sizes[below] = sizes.get(below, 0.0) + size * abs(derivative)
        return sizes.get(target, 0.0)

    def strongest(self, target: Node, seed: float, most: int) -> list[tuple[Path, float]]:
        """At most so many paths from the root to ``target``, largest contributions first.

        Paths that contribute nothing are left out. The derivatives must be finite.
        """
        root = self.newest_first[0]
        length, step, detours = self._shortest_ways(target)
        if root not in length or most < 1:
            return []
        found: list[tuple[Path, float]] = [self._walk(target, seed, step, None)]
        # Each entry is a path, named by its detours, together with the heap its last detour came from.
        waiting: list[tuple[float, int, Heap, Detours | None]] = []
        number = 0
        if (heap := detours[root]) is not None:
            waiting.append((heap[0], number, heap, None))
        while waiting and len(found) < most:
            longer, _, heap, before = heappop(waiting)
            taken = (heap[1], heap[2], before)
            found.append(self._walk(target, seed, step, taken))
            landed = detours[heap[1].inputs[heap[2]]]  # type: ignore[index]
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

    def _shortest_ways(
        self, target: Node
    ) -> tuple[dict[Node, float], dict[Node, int], dict[Node, Heap | None]]:
        """For every node above the target: how far it is, by which operand, and the detours on the way."""
        length: dict[Node, float] = {target: 0.0}
        step: dict[Node, int] = {}
        detours: dict[Node, Heap | None] = {target: None}
        of, known = self.of, length.get
        for node in reversed(self.newest_first):
            if node is target or node not in of:
                continue
            best = None
            others = []
            for index, below, derivative in of[node]:
                rest = known(below)
                if rest is None or not derivative:
                    continue
                way = (rest - log(abs(derivative)), index, below)
                if best is None:
                    best = way
                elif way[0] < best[0]:
                    others.append(best)
                    best = way
                else:
                    others.append(way)
            if best is not None:
                length[node], step[node], below = best
                heap = detours[below]
                for way in others:
                    heap = _with(heap, way[0] - best[0], node, way[1])
                detours[node] = heap
        return length, step, detours

    def _walk(
        self, target: Node, seed: float, step: dict[Node, int], detours: Detours | None
    ) -> tuple[Path, float]:
        """The path with these detours, and what it carries."""
        leaves: dict[Node, int] = {}
        while detours is not None:
            leaves[detours[0]] = detours[1]
            detours = detours[2]
        edges: list[Edge] = []
        carried = seed
        node = self.newest_first[0]
        while node is not target:
            index = leaves.get(node, step[node])
            edges.append((node, index))
            for at, below, derivative in self.of[node]:
                if at == index:
                    carried *= derivative
                    node = below
                    break
        return tuple(edges), carried


def is_number(node: Node) -> bool:
    """Whether a node's value has one entry."""
    return node.out.__class__ is float or node.out.size == 1


def _with(heap: Heap | None, longer: float, node: Node, index: int) -> Heap:
    """A heap with one more detour; the old one stays as it is."""
    passed = []
    while heap is not None and heap[0] < longer:
        passed.append(heap)
        heap = heap[4]
    made: Heap = (longer, node, index, heap, None, 1)
    while passed:
        above = passed.pop()
        left = above[3]
        depth = 0 if left is None else left[5]
        if depth >= made[5]:
            made = (above[0], above[1], above[2], left, made, made[5] + 1)
        else:
            made = (above[0], above[1], above[2], made, left, depth + 1)
    return made

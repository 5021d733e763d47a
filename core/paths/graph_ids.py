"""The ids that nodes and edges have in the record of a graph, so that paths and events can refer to them."""

from __future__ import annotations

from functools import cached_property

from autodiff.core.graph.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from autodiff.core.paths.path_sum import Edge


class GraphIds:
    """The ids in the graph of the nodes ``order`` (newest first), computed on first use.

    A node's id is its rank in order of creation, so every input comes before the nodes that use it. The edges
    are numbered by the node that uses the input, then by operand. The graph stops at the nodes ``ends``.
    """

    def __init__(self, order: Sequence[Node], ends: Collection[Node] = ()) -> None:
        self._order = order
        self._ends = ends

    @cached_property
    def nodes(self) -> dict[Node, int]:
        """The id of each node."""
        return {node: rank for rank, node in enumerate(reversed(self._order))}

    @cached_property
    def _first_edges(self) -> list[int]:
        """By id of a node: the number of edges of the nodes before it."""
        firsts, count = [], 0
        for node in reversed(self._order):
            firsts.append(count)
            count += sum(1 for _ in self.operands(node))
        return firsts

    def operands(self, node: Node) -> Iterator[tuple[int, Node]]:
        """Yield the operands of a node that are nodes of the graph, with their numbers."""
        ids = self.nodes
        if node in self._ends:
            return
        for index, below in enumerate(node.inputs):
            if below is not None and below in ids:
                yield index, below

    def edge(self, edge: Edge) -> int:
        """The id of an edge: the use of operand number ``index`` by ``node``."""
        node, index = edge
        return self._first_edges[self.nodes[node]] + sum(1 for at, _ in self.operands(node) if at < index)

"""The part of the graph that a formula is about: from the output or the derivatives in it to the input.

``dL/dz == dL/dh*(1 - h**2)`` says nothing of the way from ``L`` to ``h``, so its mistakes are not there.
"""

from __future__ import annotations

from autodiff.core.paths.path_sum import count_paths, paths_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.path_sum import Path
    from autodiff.core.report.records import ReportedPass


class LocalPaths:
    """The paths to ``target`` from the nearest of the ``upstream`` nodes above it, or from the output.

    ``nodes`` are the nodes on these paths, newest first, and ``starts`` those where one begins.
    """

    __slots__ = ("nodes", "starts", "target")

    def __init__(self, subject: ReportedPass, target: Node, upstream: Collection[Node]) -> None:
        self.target = target
        ends = set(upstream) - {target}
        reached = {target}
        self.nodes: list[Node] = []
        for node in reversed(subject.order):
            if node is target or any(below in reached and below not in ends for below in node.inputs):
                reached.add(node)
                self.nodes.append(node)
        self.nodes.reverse()
        self.starts = [node for node in self.nodes if node in ends or node is subject.root]

    def order_from(self, start: Node) -> list[Node]:
        return [node for node in self.nodes if node is start or node not in self.starts]

    def count(self) -> int:
        return sum(
            count_paths(start, [self.target], self.order_from(start))[self.target] for start in self.starts
        )

    def __iter__(self) -> Iterator[Path]:
        for start in self.starts:
            yield from paths_between(start, self.target, self.order_from(start))

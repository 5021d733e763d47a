"""Makes the list of events from the record of a graph, which has what the engine computed along each edge."""

from __future__ import annotations

from contextlib import nullcontext

from autodiff.core.base.lazy_imports import np
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.report.array_summary import summarized
from autodiff.core.report.events import Events, Flow, Make, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.report.graph_records import Graph, GraphEdge
    from autodiff.core.report.records import Derivation


def make_events(graph: Graph, derivations: Sequence[Derivation]) -> Events:
    """The events of a graph whose edges know what they gave, and of the paths in the derivations."""
    are_numbers = all(node.value.__class__ is float for node in graph.nodes)  # then numpy is not imported
    with nullcontext() if are_numbers else np.errstate(all="ignore"):
        return Events(
            forward=tuple(Make(node.id, node.line, node.visit) for node in graph.nodes),
            backward=tuple(_backward_events(graph)),
            paths=tuple(event for derivation in derivations for event in _path_events(graph, derivation)),
        )


def _backward_events(graph: Graph) -> Iterator[Seed | Flow]:
    """The pass in the engine's order: the newest node first, its operands from left to right.

    Only nodes from ``whole_from`` on have all their uses in the record.
    """
    nodes = graph.nodes
    edges_of: dict[int, list[tuple[int, GraphEdge]]] = {}
    last_uses: dict[int, int] = {}
    for id, edge in enumerate(graph.edges):
        edges_of.setdefault(edge.output, []).append((id, edge))
    for node in reversed(nodes):
        last_uses.update((edge.input, id) for id, edge in edges_of.get(node.id, ()) if edge.give is not None)
    root = nodes[graph.root]
    sums: dict[int, Any] = {graph.root: root.grad}
    if root.grad is not None:
        yield Seed(root.id, root.line, summarized(root.grad))
    for node in reversed(nodes[graph.whole_from :]):
        for id, edge in edges_of.get(node.id, ()):
            if edge.give is None:
                continue
            before = sums.get(edge.input)
            total = edge.give if before is None else before + edge.give
            sums[edge.input] = total
            yield Flow(
                edge=id,
                node=edge.input,
                line=node.line,
                arriving=summarized(node.grad),
                local=summarized(edge.local),
                give=summarized(edge.give),
                before=summarized(before),
                sum=summarized(total),
                last=last_uses[edge.input] == id and edge.input >= graph.whole_from,
            )


def _path_events(graph: Graph, derivation: Derivation) -> Iterator[PathProduct]:
    """The paths of one derivation, the strongest first."""
    so_far: Any = None
    strongest_first = sorted(enumerate(derivation.paths), key=lambda one: -max_abs(one[1].contribution))
    for index, path in strongest_first:
        product = path.contribution
        so_far = product if so_far is None else so_far + product
        yield PathProduct(
            wrt=path.node_ids[-1],
            index=index,
            nodes=path.node_ids,
            edges=path.edge_ids,
            symbol=path.symbol,
            locals=tuple(summarized(graph.edges[id].local) for id in path.edge_ids),
            product=summarized(product),
            so_far=summarized(so_far),
        )

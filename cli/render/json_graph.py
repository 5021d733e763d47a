"""The graph of a report and the events of its run as JSON. docs/json.md describes the records."""

from __future__ import annotations

from autodiff.cli.render.json_values import brief, tree
from autodiff.cli.render.name_keys import meanings_in
from autodiff.core.report.events import Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from autodiff.core.base.source import Source, Span
    from autodiff.core.report.events import Events, Flow
    from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
    from autodiff.core.report.name_key import NameKey


def graph_entry(graph: Graph, source: Source) -> dict[str, Any]:
    edges = (*graph.edges, *graph.constant_uses)
    return {
        "root": graph.root,
        "output": graph.output,
        "left_out": graph.left_out,
        "nodes": [node_entry(node, source) for node in (*graph.nodes, *graph.constants)],
        "edges": [edge_entry(id, edge) for id, edge in enumerate(edges)],
        "names": names_entry(
            graph.key, [*(node.name for node in graph.nodes), *(edge.symbol for edge in edges)]
        ),
    }


def names_entry(key: NameKey | None, texts: Iterable[str], most: int | None = None) -> list[dict[str, Any]]:
    """What the made-up names in the texts stand for: a formula, or a value of a variable.

    Where there are ``most``, those of further names in these meanings are left out.
    """
    return [
        {
            "name": one.name,
            "formula": one.text or None,
            "expression": tree(one.expr),
            "variable": one.variable or None,
            "number": one.number if one.variable else None,
            "place": one.place,
        }
        for one in meanings_in(key, texts, most=most)
    ]


def node_entry(node: GraphNode, source: Source) -> dict[str, Any]:
    return {
        "id": node.id,
        "name": node.name,
        "op": node.op,
        "grad_fn": node.grad_fn,
        "line": node.line,
        **place(node.span, source),
        "visit": node.visit,
        "shape": list(node.shape),
        "dtype": node.dtype,
        "value": brief(node.value),
        "grad": brief(node.grad),
        "inputs": list(node.inputs),
    }


def edge_entry(id: int, edge: GraphEdge) -> dict[str, Any]:
    return {
        "id": id,
        "from": edge.input,
        "to": edge.output,
        "operand": edge.operand,
        "local": brief(edge.local),
        "symbol": edge.symbol or None,
        "expression": tree(edge.expr),
        "give": brief(edge.give),
    }


def place(span: Span | None, source: Source) -> dict[str, Any]:
    """The keys ``location`` and ``end_location``: line and column, from 1; the end is exclusive."""
    return {
        "location": None if span is None else location(source, span.start),
        "end_location": None if span is None else location(source, span.end),
    }


def location(source: Source, offset: int) -> dict[str, int]:
    line, column = source.position(offset)
    return {"line": line, "column": column}


def event_entries(events: Events) -> list[dict[str, Any]]:
    """All events in order: forward, backward, paths."""
    return [
        *(
            {"event": "make", "node": made.node, "line": made.line, "iteration": made.visit}
            for made in events.forward
        ),
        *map(backward_entry, events.backward),
        *(
            {
                "event": "path",
                "wrt": path.wrt,
                "index": path.index,
                "nodes": list(path.nodes),
                "edges": list(path.edges),
                "symbol": path.symbol,
                "locals": [brief(local) for local in path.locals],
                "product": brief(path.product),
                "so_far": brief(path.so_far),
            }
            for path in events.paths
        ),
    ]


def backward_entry(event: Seed | Flow) -> dict[str, Any]:
    if isinstance(event, Seed):
        return {"event": "seed", "node": event.node, "line": event.line, "sum": brief(event.sum)}
    return {
        "event": "flow",
        "edge": event.edge,
        "node": event.node,
        "line": event.line,
        "arriving": brief(event.arriving),
        "local": brief(event.local),
        "give": brief(event.give),
        "before": brief(event.before),
        "sum": brief(event.sum),
        "last": event.last,
    }

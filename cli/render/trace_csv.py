"""The events of a run as CSV or TSV: one line each, forward, backward and paths."""

from __future__ import annotations

from io import StringIO

from autodiff.cli.process.streams import visible
from autodiff.cli.render.json_values import brief
from autodiff.cli.render.numbers import exact, is_array
from autodiff.core.report.array_summary import ArraySummary
from autodiff.core.report.events import Flow, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph

HEADER = (
    *("event", "node", "name", "line", "iteration", "op", "value", "edge", "from", "arriving", "local"),
    *("symbol", "give", "before", "sum", "last"),
)


def render_csv(graph: Graph, events: Events, separator: str) -> str:
    """The table, with ``separator`` between fields. Fields without a meaning for an event are empty.

    A tensor is JSON, as in the document. A path has its input as ``node``, its edges as ``edge``, its product
    as ``give`` and the sum so far.
    """
    import csv

    text = StringIO()
    writer = csv.DictWriter(text, HEADER, delimiter=separator, lineterminator="\n")
    writer.writeheader()
    names = [visible(node.name) for node in graph.nodes]
    for made in events.forward:
        node = graph.nodes[made.node]
        row = {"event": "make", "node": made.node, "name": names[made.node], "line": made.line}
        writer.writerow(
            {**row, "iteration": made.visit, "op": visible(node.op), "value": spelled(node.value)}
        )
    for event in events.backward:
        row = {"node": event.node, "name": names[event.node], "line": event.line, "sum": spelled(event.sum)}
        if isinstance(event, Seed):
            writer.writerow({"event": "seed", **row})
        else:
            writer.writerow({**row, **flow_cells(graph, event, names)})
    for path in events.paths:
        row = {"event": "path", "node": path.wrt, "name": names[path.wrt], "symbol": visible(path.symbol)}
        row |= {"edge": " ".join(map(str, path.edges)), "local": " ".join(map(spelled, path.locals))}
        writer.writerow({**row, "give": spelled(path.product), "sum": spelled(path.so_far)})
    return text.getvalue()


def flow_cells(graph: Graph, flow: Flow, names: list[str]) -> dict[str, Any]:
    edge = graph.edges[flow.edge]
    return {
        "event": "flow",
        "edge": flow.edge,
        "from": names[edge.output],
        "symbol": visible(edge.symbol),
        "last": "true" if flow.last else "false",
        **{key: spelled(getattr(flow, key)) for key in ("arriving", "local", "give", "before")},
    }


def spelled(value: Any) -> str:
    """A number exactly, a tensor as JSON, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, ArraySummary) or is_array(value):
        from json import dumps

        return dumps(brief(value))
    return exact(value if isinstance(value, float) else value.item())

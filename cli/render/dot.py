"""The graph in DOT for Graphviz: leaves grey, results of ops orange, local derivatives on the edges."""

from __future__ import annotations

from autodiff.cli.render.name_keys import meaning_of
from autodiff.cli.render.numbers import inline, spell_shape
from autodiff.cli.render.page import Page, fit
from autodiff.cli.render.tree import spell_local
from autodiff.core.paths.node_names import bracketed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.core.report.graph_records import Graph, GraphNode


def dot_lines(graph: Graph, page: Page) -> Iterator[str]:
    """Yield the lines of a digraph; arrows point from inputs to outputs."""
    yield "digraph autodiff {"
    yield "  rankdir=BT;"
    yield '  node [shape=box, style="rounded,filled", fontname="monospace"];'
    yield '  edge [fontname="monospace"];'
    for node in graph.nodes:
        lines = node_texts(node, graph, page)
        fill = "lightgrey" if node.op == "leaf" else "orange"
        yield f"  n{node.id} [label={quote(lines)}, fillcolor={fill}];"
    for edge in graph.edges:
        yield f"  n{edge.input} -> n{edge.output} [label={quote([spell_local(edge, page)])}];"
    yield "}"


def node_texts(node: GraphNode, graph: Graph, page: Page) -> list[str]:
    """The lines of a node: its name and what that stands for, op, shape, value and gradient."""
    lines = [fit(node.name, 40)]
    if meaning := meaning_of(graph.key, node.name):
        lines.append(fit(meaning, 40))
    if node.op != "leaf":
        lines.append(fit(node.op, 40))
    if node.shape:
        lines.append(spell_shape(node.shape))
    lines.append(inline(node.value, page.digits))
    if node.grad is not None:
        lines.append(f"d{bracketed(fit(graph.output, 24))}: {inline(node.grad, page.digits)}")
    return lines


def quote(lines: list[str]) -> str:
    """A DOT string of several lines. Labels have escapes with a backslash, and XML's references."""
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    return '"' + "\\n".join(escaped) + '"'

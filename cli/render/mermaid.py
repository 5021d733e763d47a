"""The graph as a flowchart of Mermaid, which GitHub draws: leaves grey, results of ops orange."""

from __future__ import annotations

from autodiff.cli.render.dot import node_texts
from autodiff.cli.render.tree import spell_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from autodiff.cli.render.page import Page
    from autodiff.core.report.graph_records import Graph

#: The characters that mean nothing to Mermaid between quotes; others are written by their code point.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:=+-()/")


def mermaid_lines(graph: Graph, page: Page) -> Iterator[str]:
    """Yield the lines of a flowchart; arrows point from inputs to outputs, the output is on top."""
    yield "flowchart BT"
    for node in graph.nodes:
        kind = "leaf" if node.op == "leaf" else "function"
        yield f"  n{node.id}[{quote(node_texts(node, graph, page))}]:::{kind}"
    for edge in graph.edges:
        label = spell_local(edge, page)
        arrow = f"-->|{quote([label])}|" if label else "-->"
        yield f"  n{edge.input} {arrow} n{edge.output}"
    yield "  classDef leaf fill:#e9ebee,stroke:#8b949f,color:#1d2127"
    yield "  classDef function fill:#ffe2bd,stroke:#d9822b,color:#1d2127"
    yield f"  style n{graph.root} stroke-width:4px"


def quote(lines: Iterable[str]) -> str:
    """A Mermaid string of several lines. A character without width keeps ``\\n`` from ending a line."""
    spelled = ("".join(map(spell, line)).replace("#92;n", "#92;#8203;n") for line in lines)
    return '"' + "<br>".join(spelled) + '"'


def spell(character: str) -> str:
    return character if character in PLAIN else f"#{ord(character)};"

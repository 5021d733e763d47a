"""``autodiff graph``: shows the graph as a tree, as JSON, DOT or Mermaid, or as a picture."""

from __future__ import annotations

from autodiff.cli.command_line.options import PICTURES
from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Show the graph."""
    report = session.report(
        graph=True, events=session.format in ("json", "gif", "html"), derivations=session.format == "html"
    )
    assert report.graph is not None
    if session.format == "json":
        session.show_json(report)
    elif session.format == "dot":
        from autodiff.cli.render.dot import dot_lines

        session.show_text("".join(line + "\n" for line in dot_lines(report.graph, session.page())))
    elif session.format == "mermaid":
        from autodiff.cli.render.mermaid import mermaid_lines

        session.show_text("".join(line + "\n" for line in mermaid_lines(report.graph, session.page())))
    elif session.format == "html" or session.format in PICTURES:
        from autodiff.cli.pictures.formats import draw

        assert session.script is not None
        session.show_made(draw(report, session.format, session.page(), session.script.source))
    else:
        from autodiff.cli.render.reports import graph_lines

        session.show(graph_lines(report, session.page()))

"""``autodiff graph``: shows the graph as a tree, as JSON, DOT or Mermaid, or as a picture."""

from __future__ import annotations

from autodiff.cli.command_line.options import DRAWN, FOLD
from autodiff.cli.process.streams import WIDEST
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from autodiff.cli.render.page import Block, Line, Page
    from autodiff.core.report.graph_records import Graph
    from autodiff.core.report.records import GradientReport

#: The lines of a screen below a tree: an empty line, the hint and the prompt.
BELOW = 3


def command(session: Session) -> None:
    """Show the graph."""
    is_drawn = session.format in DRAWN
    check_options(session, is_drawn)
    order = session.request.number("order")
    report = session.report(
        graph=True,
        events=is_drawn or order > 1 or session.format == "json",
        derivations=is_drawn or order > 1,
        order=order,
    )
    if report.graph is None:
        raise UsageError(
            f"--order {order}: each input has a graph of its own, and one is shown",
            code="E0610",
            help=(f"name one input: --wrt {report.derivations[0].wrt}",) if report.derivations else (),
        )
    if session.format == "json":
        session.show_json(report)
    elif session.format == "dot":
        from autodiff.cli.render.dot import dot_lines

        session.show_text("".join(line + "\n" for line in dot_lines(report.graph, session.page())))
    elif session.format == "mermaid":
        from autodiff.cli.render.mermaid import mermaid_lines

        session.show_text("".join(line + "\n" for line in mermaid_lines(report.graph, session.page())))
    elif is_drawn:
        from autodiff.cli.pictures.formats import Request, draw
        from autodiff.cli.requests.constructs import find_constructs

        assert session.script is not None
        text, request, source = session.request.text, session.request, session.script.source
        asked = Request(
            form=session.format,
            view=text("view") or "",
            around=text("around") or "",
            depth=request.number("depth"),
            fold=request.number("fold"),
            of_inputs=bool(request.texts("wrt")),
        )
        made, note = draw(report, asked, session.page(), source, find_constructs(source))
        if note:
            session.note(note)
        session.show_made(made)
        if request.values.get("open"):
            session.finish()
            open_file(text("output") or "")
    else:
        show_tree(session, report)


def show_tree(session: Session, report: GradientReport) -> None:
    """Show the tree, and on a terminal the command for the part of it that fits the screen."""
    assert report.graph is not None
    page = session.page()
    if not session.out.is_width_given:
        page.width = WIDEST  # each node on a line of its own, for other programs
    depth = session.request.number("depth")
    part = Part(report.graph, of_inputs=bool(session.request.texts("wrt")))
    if depth or not session.for_people or session.request.values.get("all"):
        session.show(part.lines(report, page, depth))
        return
    lines = list(part.lines(report, page, 0))
    session.show(lines)
    room = session.out.height - BELOW - session.err.lines_waiting
    if height_of(lines) > room:
        from autodiff.cli.requests.hints import command_line

        deepest = 1
        while height_of(part.lines(report, page, deepest + 1)) <= room:
            deepest += 1
        order = session.request.number("order")
        others = ["--order", str(order)] if order > 1 else []
        others += [word for text in session.request.texts("wrt") for word in ("--wrt", text)]
        command = command_line("graph", session.request, report, *others, "--depth", str(deepest))
        session.hint("The upper part of the tree:", command)


class Part:
    """The part of a graph that is shown; if ``of_inputs``, only what leads to the inputs."""

    def __init__(self, graph: Graph, of_inputs: bool) -> None:
        self.graph = graph
        self.of_inputs = of_inputs

    def lines(self, report: GradientReport, page: Page, depth: int) -> Iterator[Line | Block]:
        """The lines of the tree down to this depth, 0 for any."""
        from autodiff.cli.pictures.fold import part_of
        from autodiff.cli.render.reports import graph_lines

        if not depth and not self.of_inputs:
            return graph_lines(report, page)
        options = ", ".join(["--wrt"] * self.of_inputs + ["--depth"] * bool(depth))
        return graph_lines(report, page, {*part_of(self.graph, "", depth, self.of_inputs)}, options)


def height_of(lines: Iterable[Line | Block]) -> int:
    """How many lines of a screen they take."""
    from autodiff.cli.render.page import flat

    return sum(1 for _ in flat(lines))


def check_options(session: Session, is_drawn: bool) -> None:
    """Raise UsageError for an option of pictures where none is drawn, and for --open without a file."""
    values = session.request.values
    plain = {"view": None, "around": None, "fold": FOLD.default, "open": False}
    if session.format not in ("auto", "tree"):
        plain |= {"depth": 0, "order": 1}
    given = next((name for name, default in plain.items() if values.get(name, default) != default), None)
    if given is not None and not is_drawn:
        raise UsageError(
            f"--{given} is for {'trees and ' * (given in ('depth', 'order'))}pictures",
            code="E0610",
            help=("name a file: -o graph.html", "or a format: --format svg"),
        )
    if values.get("open") and not values.get("output"):
        raise UsageError("--open needs a file", code="E0610", help=("name one: -o graph.html",))


def open_file(path: str) -> None:
    """Open a file with the browser of the system. Raises UsageError if there is none."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).resolve().as_uri()):
        raise UsageError(
            "--open found no browser", code="E0610", help=("set BROWSER, or open the file yourself",)
        )

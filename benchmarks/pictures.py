"""P15: pictures of graphs beside Graphviz's dot: a whole graph as SVG, and pages of folded runs.

dot draws the graph that we draw, from our DOT; of 200 nodes it needs minutes.
"""

from __future__ import annotations

import subprocess
from typing import Any

from benchmarks.cases import Case, Side, sized, worker
from benchmarks.worker import Run, answer

#: Four nodes a pass, and passes that are not the same for long, so that several of them are one box.
SCRIPT = """\
w = 0.4
x = 1
for i in range({steps}):
    if i*i % 7 < 3:
        x = x*w
    else:
        x = sin(x)
    x = tanh(w*x + 0.1)
"""
FOLD = 300


def cases(scale: float) -> list[Case]:
    whole = sized(100, scale, least=8)
    made = [case(f"SVG of a graph of {whole:,} nodes, drawn whole", 0.2, "svg", whole)]
    for size, target in ((2_000, 0.5), (100_000, 2.5)):
        nodes = sized(size, scale, least=40)
        made.append(case(f"page of a run of {nodes:,} nodes, folded", target, "html", nodes))
    return made


def case(work: str, target: float, form: str, nodes: int) -> Case:
    beside = Side(("-m", "benchmarks.pictures", "dot", form, str(nodes)), answers=False)
    return Case(
        "P15", work, target, worker("pictures", "ours", form, nodes, answers=False), beside, anchor_name="dot"
    )


def run_of(nodes: int) -> tuple[Any, Any]:
    """The source of a script of about so many nodes, and the report of its run."""
    from autodiff.core.base.source import Source
    from autodiff.core.derivation.describe import describe
    from autodiff.grammar.execution import execute
    from autodiff.grammar.session.run import Settings, differentiate

    source = Source(SCRIPT.format(steps=max(1, nodes // 4)))
    settings = Settings()
    subject = differentiate(execute(source, settings), settings)
    return source, describe(subject, source, events=True, max_paths=100)


def ours(form: str, nodes: int) -> Run:
    """From the report to the text of the file."""
    from autodiff.cli.pictures.formats import Request, draw
    from autodiff.cli.render.page import Page
    from autodiff.cli.requests.constructs import find_constructs

    source, report = run_of(nodes)
    asked = Request(form, "", "", 0, 0 if form == "svg" else FOLD)
    constructs = find_constructs(source)
    return lambda: [len(draw(report, asked, Page(), source, constructs)[0])]


def dot(form: str, nodes: int) -> Run:
    """The graph that we draw as SVG by dot: whole, or folded as in the page."""
    from autodiff.cli.pictures.fold import view_of
    from autodiff.cli.render.dot import dot_lines
    from autodiff.cli.render.page import Page
    from autodiff.cli.requests.constructs import find_constructs

    source, report = run_of(nodes)
    graph = report.graph
    if form == "html":
        kept = range(len(graph.nodes))
        graph = view_of(graph, report.events, find_constructs(source), kept, FOLD).graph
    text = "\n".join(dot_lines(graph, Page()))

    def run() -> list[Any]:
        done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
        return [len(done.stdout)]

    return run


SIDES = {"ours": ours, "dot": dot}

if __name__ == "__main__":
    answer(SIDES)

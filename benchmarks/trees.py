"""P14: the graph of 5,000 nodes as a plain tree, and a tree of the same lines by rich."""

from __future__ import annotations

from io import StringIO
from typing import Any

from benchmarks.cases import Case, sized, worker
from benchmarks.worker import Run, answer

WIDTH = 80  # what a pipe gets
WIDE = 200
DEEPEST = 12
SCRIPT = """\
x, a, b = 0.5, 0.7, 0.3
p, q = x, b
for _ in range({steps}):
    t = sin(p)
    p, q = t * a + q, t
L = p + q
"""


def cases(scale: float) -> list[Case]:
    n = sized(5_000, scale, least=6)
    return [
        Case(
            "P14",
            f"plain graph tree of {n:,} nodes",
            0.03,
            worker("trees", "ours", n, answers=False),
            worker("trees", "rich", n, answers=False),
            anchor_name="rich.Tree",
        )
    ]


def graph(nodes: int) -> Any:
    """A graph of so many nodes, as ``autodiff graph`` describes it."""
    from autodiff.core.base.source import Source
    from autodiff.core.derivation.describe import describe
    from autodiff.grammar.execution import execute
    from autodiff.grammar.session.run import Settings, differentiate

    source = Source(SCRIPT.format(steps=(nodes - 4) // 3))
    settings = Settings()
    subject = differentiate(execute(source, settings), settings)
    made = describe(subject, source, graph=True, derivations=False, max_paths=1_000).graph
    assert made is not None
    return made


def plain(made: Any, width: int = WIDTH) -> str:
    from autodiff.cli.render.page import Page
    from autodiff.cli.render.text import plain_text
    from autodiff.cli.render.tree import tree_lines

    return "".join(map(plain_text, tree_lines(made, Page(width))))


def ours(nodes: int) -> Run:
    made = graph(nodes)

    def run() -> list[Any]:
        return [len(plain(made))]

    return run


def richs(nodes: int) -> Run:
    """One node of rich's for each row of ours, its columns joined to a label.

    They hang below each other a dozen levels deep, as ours do: rich recurses, and cannot follow a chain.
    """
    from rich.console import Console
    from rich.tree import Tree

    rows = [line.split() for line in plain(graph(nodes), WIDE).splitlines()[1:]]
    labels = ["  ".join(row) for row in rows if row]

    def run() -> list[Any]:
        root = at = Tree("L")
        for number, label in enumerate(labels):
            at = root if number % DEEPEST == 0 else at
            at = at.add(label)
        text = StringIO()
        Console(file=text, width=WIDE, color_system=None).print(root)
        return [len(text.getvalue())]

    return run


SIDES = {"ours": ours, "rich": richs}

if __name__ == "__main__":
    answer(SIDES)

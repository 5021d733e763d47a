"""What ``run`` shows: all if it fits the screen, else what fits, what is left out, and the gradients last.

The report says what there is; this module alone decides what a screen holds. Without a screen, as in a pipe,
all that the report has is shown, the gradients first.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.page import EMPTY, MUTED, PLAIN, flat
from autodiff.cli.render.reports import derivations_lines, run_lines
from autodiff.cli.render.tree import tree_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.page import Block, Line, Page
    from autodiff.core.report.records import GradientReport

#: The lines that the hint below the report and the prompt take.
BELOW = 4
LABEL = "not shown: "
#: So many rows of a matrix are shown, fewer where the table is higher than the screen.
HEIGHTS = (8, 5, 3, 1)


def screen_lines(report: GradientReport, page: Page, tree: str, explain: str) -> Iterator[Line | Block]:
    """The report on a screen or in a pipe; ``tree`` and ``explain`` are the commands that show the parts."""
    missing = []
    if report.graph is None:
        missing.append(("the tree", tree))
    left = len(report.gradients) - len(report.derivations)
    if left:
        of_all = f" of {len(report.gradients):,}" if report.derivations else ""
        missing.append((derivations(left) + of_all, explain))
    if not page.height:
        yield from run_lines(report, page, ("gradients", "graph", "paths"))
        if missing:
            yield EMPTY
            yield from left_out_lines(missing, page)
        return
    room = page.height - BELOW
    drawn, derived = tree_of(report, page, room), derivations_of(report, page, room)
    table = list(gradient_lines(report, page))
    if not missing and drawn and len(table) + len(drawn) + len(derived) + 2 <= room:
        yield from (*table, EMPTY, *drawn, EMPTY, *derived)
        return
    missing = [(derivations(len(report.gradients)), explain)] if report.gradients else []
    if drawn and len(table) + len(drawn) + 4 <= room:
        yield from drawn
        yield EMPTY
        room -= len(drawn) + 1
    else:
        nodes = "" if report.graph is None else f" of {len(report.graph.nodes):,} nodes"
        missing.insert(0, (f"the tree{nodes}", tree))
    told = list(left_out_lines(missing, page))
    yield from told
    yield EMPTY
    yield from table_within(report, page, room - len(told) - 1)


def derivations(count: int) -> str:
    return "1 derivation" if count == 1 else f"{count:,} derivations"


def tree_of(report: GradientReport, page: Page, room: int) -> list[Line]:
    """The lines of the tree; none if there are more than ``room``."""
    if report.graph is None or len(report.graph.nodes) > room:
        return []
    lines = list(flat(tree_lines(report.graph, page, report.gradients, report.weight)))
    return lines if len(lines) <= room else []


def derivations_of(report: GradientReport, page: Page, room: int) -> list[Line]:
    """The lines of the derivations, a few more than ``room`` if there are more."""
    lines: list[Line] = []
    for line in derivations_lines(report, page):
        lines.append(line)
        if len(lines) > room:
            break
    return lines


def left_out_lines(missing: list[tuple[str, str]], page: Page) -> Iterator[Line]:
    """What is not shown, with the commands that show it, ready to be pasted."""
    missing = [(what, visible(command)) for what, command in missing]
    widest = max((cells(what) for what, _ in missing), default=0)
    for at, (what, command) in enumerate(missing):
        label = " " * len(LABEL) if at else LABEL
        if len(LABEL) + widest + 3 + cells(command) <= page.width:
            yield ((MUTED, label + what.ljust(widest + 3)), (PLAIN, command))
        else:  # a command is never folded: it would not run
            yield ((MUTED, label + what),)
            yield ((PLAIN, "  " + command),)


def table_within(report: GradientReport, page: Page, room: int) -> list[Line]:
    """The value and the gradients in ``room`` lines: matrices as ranges first, then fewer inputs."""
    rows = page.cut(min(len(report.gradients), max(room, 1)))
    for tallest in HEIGHTS:
        lines = list(gradient_lines(report, page.with_rows(rows, tallest)))
        if len(lines) <= room:
            return lines
    while len(lines) > room and rows > 1:
        rows = max(rows - max((len(lines) - room) // 3, 1), 1)
        lines = list(gradient_lines(report, page.with_rows(rows, HEIGHTS[-1])))
    return lines

"""What ``run`` shows: the tree and the derivations if they fit, what is left out, and the gradients last.

This module alone decides what a screen holds: ``parts_that_fit`` before anything is drawn or derived, from
the numbers of nodes and inputs, and ``screen_lines`` when the lines are there. A pipe is a screen that is
higher, and cuts no table.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.page import EMPTY, MUTED, PLAIN, flat
from autodiff.cli.render.reports import derivations_lines
from autodiff.cli.render.tree import tree_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.page import Block, Line, Page
    from autodiff.core.report.records import GradientReport

#: The fewest lines below the report: an empty line, the hint and the prompt. There may be notes, too.
LEAST_BELOW = 3
#: In a pipe, the tree and the derivations are shown if the report then has at most so many lines.
MOST_IN_PIPE = 200
#: The fewest lines of a table without inputs, and of a derivation: title, five steps, check, empty lines.
LEAST_OF_TABLE, LEAST_OF_DERIVATION = 3, 9
#: Derivations are made, and formulas shown, for so many inputs that their number times the nodes is at most
#: this: then ``run`` takes little longer than ``grad``.
MOST_DERIVED, MOST_WORK = 100, 3_000
LABEL = "not shown: "
LEAST_TOLD = 2  # the lines that say what is not shown
#: So many rows of a matrix are shown, fewer where the table is higher than the screen.
HEIGHTS = (8, 5, 3, 1)


def parts_that_fit(page: Page, nodes: int, inputs: int) -> tuple[bool, bool, int]:
    """Whether the tree and the derivations can fit, and for how many inputs formulas are shown.

    What is False here has more lines than there is room for, whatever is in them.

    >>> from autodiff.cli.render.page import Page
    >>> parts_that_fit(Page(height=24), 11, 5), parts_that_fit(Page(height=24), 2, 1)
    ((False, False, 5), (True, True, 1))
    """
    room = room_of(page, LEAST_BELOW)
    left = room - LEAST_OF_TABLE - inputs
    left -= printed_beside(page, left)
    tree, steps = nodes + 2, inputs * (LEAST_OF_DERIVATION + 1)
    is_few = inputs > 0 and inputs * nodes <= MOST_DERIVED
    is_derived = is_few and (tree + steps <= left or tree + LEAST_TOLD > left >= steps)
    is_drawn = tree + (steps if is_derived else LEAST_TOLD) <= left
    rows = page.shown_rows(min(inputs, room) if page.height else inputs)
    return is_drawn, is_derived, rows if rows * nodes <= MOST_WORK else 0


def room_of(page: Page, below: int) -> int:
    """The number of lines for the whole report, with so many ``below`` it on a screen."""
    return page.height - below if page.height else MOST_IN_PIPE


def printed_beside(page: Page, left: int) -> int:
    """How many of the lines ``left`` the script's prints take; none if they leave the screen in any case."""
    return page.printed if page.printed <= left else 0


def screen_lines(
    report: GradientReport, page: Page, tree: str, explain: str, below: int = LEAST_BELOW
) -> Iterator[Line | Block]:
    """The report on a screen or in a pipe; ``tree`` and ``explain`` are the commands that show the parts.

    ``below`` is the number of lines of a screen that notes, the hint and the prompt take.
    """
    whole = room_of(page, below)
    table = list(gradient_lines(report, page))
    room = whole - printed_beside(page, whole - len(table))
    drawn = tree_of(report, page, room - len(table) - 1)
    used = len(table) + (len(drawn) + 1 if drawn else 0)
    derived = derivations_of(report, page, room - used - 1)
    used += len(derived) + 1 if derived else 0
    notes = list(left_out_lines(missing_parts(report, drawn, derived, tree, explain), page))
    while notes and page.height and used + len(notes) + 1 > room and (drawn or derived):
        drawn, derived = (drawn, []) if derived else ([], [])  # the table goes first
        used = len(table) + sum(len(part) + 1 for part in (drawn, derived) if part)
        notes = list(left_out_lines(missing_parts(report, drawn, derived, tree, explain), page))
    for part in (drawn, derived, notes):
        if part:
            yield from part
            yield EMPTY
    if notes and page.height:
        table = table_within(report, page, whole - used + len(table) - len(notes) - 1)
    yield from table


def missing_parts(
    report: GradientReport, drawn: list[Line], derived: list[Line], tree: str, explain: str
) -> list[tuple[str, str]]:
    """The parts that are not shown, each with the command that shows it."""
    missing = []
    if not drawn:
        # Of a tape whose nodes nobody has looked at, only an upper bound is known.
        is_counted = report.graph is not None or report.formulas
        nodes = f" of {report.size:,} nodes" if is_counted else ""
        missing.append((f"the tree{nodes}", tree))
    if not derived and report.gradients:
        missing.append((derivations(len(report.gradients)), explain))
    return missing


def derivations(count: int) -> str:
    return "1 derivation" if count == 1 else f"{count:,} derivations"


def tree_of(report: GradientReport, page: Page, room: int) -> list[Line]:
    """The lines of the tree; none if there are more than ``room``."""
    if report.graph is None or len(report.graph.nodes) > room:
        return []
    lines = list(flat(tree_lines(report.graph, page, report.gradients, report.weight)))
    return lines if len(lines) <= room else []


def derivations_of(report: GradientReport, page: Page, room: int) -> list[Line]:
    """The lines of all derivations; none if there are more than ``room``, or not all are made."""
    lines: list[Line] = []
    if len(report.derivations) < len(report.gradients):
        return lines
    for line in derivations_lines(report, page, len(report.derivations)):
        lines.append(line)
        if len(lines) > room:
            return []
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
    """The value and the gradients in ``room`` lines.

    What goes first are formulas below the table, then rows of matrices, then inputs.
    """
    rows = page.shown_rows(min(len(report.gradients), max(room, 1)))
    for tallest in HEIGHTS:
        for formulas_below in (True, False):
            lines = list(gradient_lines(report, page.with_rows(rows, tallest), formulas_below))
            if len(lines) <= room:
                return lines
    while len(lines) > room and rows > 1:
        rows = max(rows - max((len(lines) - room) // 3, 1), 1)
        lines = list(gradient_lines(report, page.with_rows(rows, HEIGHTS[-1]), False))
    return lines

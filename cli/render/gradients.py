"""The table of values and gradients of ``run`` and of ``grad`` on a terminal.

If the table does not fit, names and numbers are shortened first; then every input gets its own lines.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.numbers import block, fitted, is_array, spell_count, spell_shape
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    TITLE,
    Page,
    Table,
    fit,
    muted,
    prose,
    quotient,
    with_remark,
)
from autodiff.core.paths.node_names import bracketed
from autodiff.core.report.records import GradientReport, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

WIDEST_NAME, NARROW_NAME = 60, 24
NARROWEST_PLACE = 16  # paths are not shortened below this
LABEL_WIDTH = 14


def gradient_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """The output's value, then the inputs with their values and gradients."""
    yield from output_lines(report, page)
    if report.gradients:
        yield EMPTY
        yield from table_lines(report, page)


def output_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """``L = -7`` with its source position at the right margin, or below if there is no room."""
    output = report.output
    name = fit(output.name, min(WIDEST_NAME, max(page.width - 12, 20)))
    indent = len(name) + len(" = ")
    lines = fitted(output.value, page.width - indent, page.digits, with_shape=False)
    line_number = f", line {output.line}" if output.line is not None else ""
    shape = f"{spell_shape(output.shape)}, " if output.shape else ""
    room = page.width - len(shape) - len(line_number)
    beside = room - indent - len(lines[0]) - len("  ")
    path = fit_path(report.script, min(WIDEST_NAME, beside if beside >= NARROWEST_PLACE else room))
    place = f"{shape}{path}{line_number}"
    above: Line = ((TITLE, f"{name} = "), (NUMBER, lines[0]))
    if len(lines) == 1 or indent + len(lines[0]) + 2 + len(place) <= page.width:
        yield from with_remark(above, place, page.width)
        place = ""
    else:
        yield above
    for line in lines[1:]:
        yield ((PLAIN, " " * indent), (NUMBER, line))
    if place:
        yield from with_remark((), place, page.width)


def table_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """The inputs as a table if it fits, else one below the other."""
    count = len(report.gradients)
    shown = report.gradients[: page.cut(count)]
    make = tensor_table if any(is_array(variable.value) for variable in report.gradients) else scalar_table
    title = gradient_title(report)
    table = make(shown, title, page.digits, WIDEST_NAME)
    is_explained = True
    if table.width > page.width:
        short_title = (
            quotient(fit(report.output.name, 24), "leaf", 16) if report.weight is None else "dS/d leaf"
        )
        is_explained = report.weight is None
        for digits, widest in ((page.digits, NARROW_NAME), (min(page.digits, 3), NARROW_NAME)):
            table = make(shown, short_title, digits, widest)
            if table.width <= page.width:
                break
    if table.width <= page.width:
        yield from table.lines()
    else:
        is_explained = False
        for variable in shown:
            yield from entry_lines(variable, page)
    if len(shown) < count:
        yield muted(f"  ... {count - len(shown):,} more inputs (--all)")
    if not is_explained and report.weight is not None:
        yield from prose(f"S = {weighted_sum(report)}, G = {fit(report.weight)}", page.width, 2)
    if report.since:
        yield from prose(report.since, page.width, 2)


def scalar_table(shown: Sequence[Variable], title: str, digits: int, widest: int) -> Table:
    header = ["leaf         ", "     value", title.rjust(13), "  paths"]
    rows = [
        [
            [fit(variable.name, widest)],
            block(variable.value, digits),
            block(variable.grad, digits),
            [spell_count(variable.paths)],
        ]
        for variable in shown
    ]
    return Table(header, rows, (NAME, NUMBER, GRADIENT, MUTED), (False, True, True, True))


def tensor_table(shown: Sequence[Variable], title: str, digits: int, widest: int) -> Table:
    rows = [
        [
            [fit(variable.name, widest)],
            [spell_shape(variable.shape)],
            block(variable.value, digits, with_shape=False),
            block(variable.grad, digits, with_shape=False),
            [spell_count(variable.paths)],
        ]
        for variable in shown
    ]
    styles = (NAME, MUTED, NUMBER, GRADIENT, MUTED)
    header = ["leaf", "shape", "value", title, "paths"]
    return Table(header, rows, styles, (False, False, False, False, True))


def entry_lines(variable: Variable, page: Page) -> Iterator[Line]:
    """One input over the full width: its name, then its value and gradient below."""
    paths = f"{spell_count(variable.paths)} path{'' if variable.paths == 1 else 's'}"
    about = f"{spell_shape(variable.shape)}, {paths}"
    name = fit(variable.name, max(page.width - 4 - len(about), NARROW_NAME))
    yield from with_remark(((PLAIN, "  "), (NAME, name)), about, page.width)
    for label, value, style in (("value", variable.value, NUMBER), ("gradient", variable.grad, GRADIENT)):
        for at, line in enumerate(fitted(value, page.width - LABEL_WIDTH, page.digits, with_shape=False)):
            yield ((MUTED, ("" if at else "    " + label).ljust(LABEL_WIDTH)), (style, line))


def gradient_title(report: GradientReport) -> str:
    """The heading of the gradient column; for a tensor output it is a weighted sum's gradient."""
    if report.weight is None:
        return quotient(fit(report.output.name, 24), "leaf", WIDEST_NAME)
    return f"gradient of {weighted_sum(report)}, G = {fit(report.weight, 24)}"


def weighted_sum(report: GradientReport) -> str:
    return f"sum(G*{bracketed(fit(report.output.name, 24))})"


def fit_path(path: str, width: int) -> str:
    """The sanitized path; a long one is cut at the front, because the file name is at the end."""
    path = visible(path)
    return path if cells(path) <= width else "..." + path[3 - width :]

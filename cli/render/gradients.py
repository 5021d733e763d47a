"""The table of values and gradients of ``run`` and of ``grad`` on a terminal.

If the table does not fit, names and numbers are shortened first; then every input gets its own lines.
"""

from __future__ import annotations

from math import isfinite

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.numbers import block, fitted, is_array, spell_count, spell_shape, spell_size
from autodiff.cli.render.page import (
    EMPTY,
    GAP,
    GRADIENT,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    TITLE,
    Page,
    Table,
    fit,
    left_out,
    prose,
    quotient,
    with_remark,
)
from autodiff.cli.render.steps import broken
from autodiff.core.base.incoming import incoming
from autodiff.core.paths.node_names import bracketed
from autodiff.core.report.records import GradientReport, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

WIDEST_NAME, NARROW_NAME = 60, 24
#: Formulas that do not fit beside the table stand below it on so many lines each, if there are so few rows.
LINES_OF_FORMULA, MOST_BELOW = 2, 8
#: The paths of larger graphs are not counted for a table: their numbers have thousands of digits.
MOST_COUNTED = 10_000
NARROWEST_PLACE = 16  # paths are not shortened below this
LABEL_WIDTH = 14
FORMULA = "formula"
LONGER = "..."  # in place of a formula that is not shown


def gradient_lines(report: GradientReport, page: Page, formulas_below: bool = True) -> Iterator[Line]:
    """The output's value, then the inputs with their values and gradients.

    ``formulas_below`` says whether formulas may stand below the table if there is no room beside it.
    """
    yield from output_lines(report, page)
    if report.gradients:
        yield EMPTY
        yield from table_lines(report, page, formulas_below)


def output_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """``L = -7`` with its source position at the right margin, or below if there is no room."""
    output = report.output
    name = fit(output.name, min(WIDEST_NAME, max(page.width - 12, 20)))
    indent = cells(name) + len(" = ")
    lines = fitted(output.value, page.width - indent, page.digits, False, page.tallest, False)
    line_number = f", line {output.line}" if output.line is not None else ""
    shape = f"{spell_size(output.shape)}, " if output.shape else ""
    room = page.width - len(shape) - cells(line_number)
    beside = room - indent - len(lines[0]) - len("  ")
    path = fit_path(report.script, min(WIDEST_NAME, beside if beside >= NARROWEST_PLACE else room))
    place = f"{shape}{path}{line_number}"
    above: Line = ((TITLE, f"{name} = "), (NUMBER, lines[0]))
    if len(lines) == 1 or indent + len(lines[0]) + 2 + cells(place) <= page.width:
        yield from with_remark(above, place, page.width)
        place = ""
    else:
        yield above
    for line in lines[1:]:
        yield ((PLAIN, " " * indent), (NUMBER, line))
    if place:
        yield from with_remark((), place, page.width)


def table_lines(report: GradientReport, page: Page, formulas_below: bool = False) -> Iterator[Line]:
    """The inputs as a table if it fits, else one below the other."""
    count = len(report.gradients)
    shown = report.gradients[: page.shown_rows(count)]
    make = tensor_table if any(is_array(variable.value) for variable in report.gradients) else scalar_table
    counts = report.size <= MOST_COUNTED
    title = gradient_title(report)
    table = make(shown, title, page, WIDEST_NAME, counts)
    is_explained = True
    if table.width > page.width:
        short_title = (
            quotient(fit(report.output.name, 24), "leaf", 16) if report.weight is None else "dS/d leaf"
        )
        is_explained = report.weight is None
        for digits in (page.digits, min(page.digits, 3)):
            table = make(shown, short_title, page, NARROW_NAME, counts, digits)
            if table.width <= page.width:
                break
    if table.width <= page.width:
        below = add_formulas(table, report, page)
        yield from table.lines()
        if below and formulas_below:
            yield EMPTY
            yield from below
            is_explained = is_explained and report.weight is None
    else:
        is_explained = False
        missing, formulas = [], formulas_of(report, len(shown))
        for variable, formula in zip(shown, formulas, strict=True):
            yield from entry_lines(variable, page, counts)
            lines = list(formula_lines("    formula".ljust(LABEL_WIDTH), formula, page))
            yield from lines
            missing += [variable] * (not lines)
        yield from without_formula(missing, page) if any(formulas) else ()
    if len(shown) < count:
        yield left_out(count - len(shown), "input")
    if not is_explained and report.weight is not None:
        yield from prose(
            f"S = {weighted_sum(report)}, {incoming.letter} = {fit(report.weight)}", page.width, 2
        )
    if report.since:
        yield from prose(report.since, page.width, 2)


def scalar_table(
    shown: Sequence[Variable], title: str, page: Page, widest: int, counts: bool, digits: int = 0
) -> Table:
    """A table of numbers; ``counts`` says whether it has the numbers of paths."""
    digits = digits or page.digits
    header = ["leaf         ", "     value", title.rjust(13), "  paths"]
    rows = [
        [
            [fit(variable.name, widest)],
            block(variable.value, digits),
            block(variable.grad, digits),
            *([[spell_count(variable.paths)]] if counts else []),
        ]
        for variable in shown
    ]
    columns = 3 + counts
    styles, right = (NAME, NUMBER, GRADIENT, MUTED), (False, True, True, True)
    return Table(header[:columns], rows, styles[:columns], right[:columns])


def tensor_table(
    shown: Sequence[Variable], title: str, page: Page, widest: int, counts: bool, digits: int = 0
) -> Table:
    """A table with arrays; ``counts`` says whether it has the numbers of paths."""
    digits = digits or page.digits
    rows = [
        [
            [fit(variable.name, widest)],
            [spell_shape(variable.shape)],
            block(variable.value, digits, False, page.tallest, False),
            block(variable.grad, digits, False, page.tallest),
            *([[spell_count(variable.paths)]] if counts else []),
        ]
        for variable in shown
    ]
    columns = 4 + counts
    styles, right = (NAME, MUTED, NUMBER, GRADIENT, MUTED), (False, False, False, False, True)
    header = ["leaf", "shape", "value", title, "paths"]
    return Table(header[:columns], rows, styles[:columns], right[:columns])


def add_formulas(table: Table, report: GradientReport, page: Page) -> list[Line]:
    """Add a column with the simplified derivatives if most fit beside the table, and return nothing.

    Else return them as lines for below, if they are few; of long ones only the inputs are named.
    """
    count, room = len(table.rows), page.width - table.width - len(GAP)
    formulas = formulas_of(report, count)
    beside = sum(bool(formula) and cells(formula) <= room for formula in formulas)
    if beside == count or (count > MOST_BELOW and 2 * beside > count):
        texts = [formula if formula and cells(formula) <= room else LONGER for formula in formulas]
        table.add(FORMULA, texts, PLAIN)
        return []
    output = fit(report.output.name, NARROW_NAME) if report.weight is None else "S"
    below: list[Line] = []
    missing = []
    for variable, formula in zip(report.gradients, formulas if count <= MOST_BELOW else (), strict=False):
        label = f"  d{bracketed(output)}/d{bracketed(fit(variable.name, NARROW_NAME))} = "
        lines = list(formula_lines(label, formula, page))
        below += lines
        missing += [variable] * (not lines)
    return [*below, *without_formula(missing, page)] if below else []


def without_formula(missing: Sequence[Variable], page: Page) -> Iterator[Line]:
    """A line that names the inputs whose formulas are not shown, because they are long.

    One whose gradient is not finite, or that no path leads to, has none.
    """
    missing = [one for one in missing if one.paths]
    missing = [one for one in missing if one.grad.__class__ is not float or isfinite(one.grad)]
    if missing:
        names = ", ".join(fit(variable.name, NARROW_NAME) for variable in missing[:MOST_BELOW])
        more = f" and {len(missing) - MOST_BELOW:,} more" * (len(missing) > MOST_BELOW)
        yield from prose(f"no short formula for {names}{more} (autodiff explain)", page.width, 2)


def formulas_of(report: GradientReport, count: int) -> list[str]:
    """The simplified derivatives for the first ``count`` inputs, empty where none is shown."""
    formulas = list(map(visible, report.formulas[:count]))
    return formulas + [""] * (count - len(formulas))


def formula_lines(label: str, formula: str, page: Page) -> Iterator[Line]:
    """A formula beside its label on one line or two; nothing if it is longer, or empty."""
    lines = broken(formula, page.width - cells(label)) if cells(label) <= page.width // 2 else []
    if formula and len(lines) <= LINES_OF_FORMULA:
        for at, line in enumerate(lines):
            yield ((MUTED, label if not at else " " * cells(label)), (PLAIN, line))


def entry_lines(variable: Variable, page: Page, counts: bool) -> Iterator[Line]:
    """One input over the full width: its name, then its value and gradient below."""
    paths = f", {spell_count(variable.paths)} path{'' if variable.paths == 1 else 's'}" if counts else ""
    about = f"{spell_size(variable.shape)}{paths}"
    name = fit(variable.name, max(page.width - 4 - len(about), NARROW_NAME))
    yield from with_remark(((PLAIN, "  "), (NAME, name)), about, page.width)
    for label, value, style in (("value", variable.value, NUMBER), ("gradient", variable.grad, GRADIENT)):
        room, is_gradient = page.width - LABEL_WIDTH, label == "gradient"
        lines = fitted(value, room, page.digits, False, page.tallest, is_gradient)
        for at, line in enumerate(lines):
            yield ((MUTED, ("" if at else "    " + label).ljust(LABEL_WIDTH)), (style, line))


def gradient_title(report: GradientReport) -> str:
    """The heading of the gradient column; for a tensor output it is a weighted sum's gradient."""
    if report.weight is None:
        return quotient(fit(report.output.name, 24), "leaf", WIDEST_NAME)
    return f"gradient of {weighted_sum(report)}, {incoming.letter} = {fit(report.weight, 24)}"


def weighted_sum(report: GradientReport) -> str:
    return f"sum({incoming.letter}*{bracketed(fit(report.output.name, 24))})"


def fit_path(path: str, width: int) -> str:
    """The sanitized path; a long one is cut at the front, because the file name is at the end."""
    path = visible(path)
    return path if cells(path) <= width else "..." + path[3 - width :]

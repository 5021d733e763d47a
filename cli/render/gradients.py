"""The table of values and gradients that ``run`` begins with and ``grad`` shows on a terminal."""

from __future__ import annotations

from autodiff.cli.render.numbers import block, is_array, spell_count, spell_range, spell_shape
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    TITLE,
    Page,
    fit,
    muted,
    spread,
    table,
)
from autodiff.core.report import GradientReport, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.page import Line


def gradient_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """The output's value, then every input with its value and gradient."""
    yield from output_lines(report, page)
    if report.gradients:
        yield EMPTY
        yield from table_lines(report, page)


def output_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """``L = -7`` with the place that made it at the right margin."""
    output = report.output
    name = fit(output.name)
    lines = block(output.value, page.digits)
    place = fit(report.script) + (f", line {output.line}" if output.line is not None else "")
    if output.shape:
        place = f"{spell_shape(output.shape)}, {place}"
    yield spread(((TITLE, f"{name} = "), (NUMBER, lines[0])), place, page.width)
    for line in lines[1:]:
        yield ((PLAIN, " " * (len(name) + 3)), (NUMBER, line))


def table_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    count = len(report.gradients)
    shown = report.gradients[: page.cut(count)]
    if any(is_array(variable.value) for variable in report.gradients):
        yield from tensor_table(report, shown, page)
    else:
        yield from scalar_table(report, shown, page)
    if len(shown) < count:
        yield muted(f"  ... {count - len(shown):,} more inputs (--all)")


def scalar_table(report: GradientReport, shown: tuple[Variable, ...], page: Page) -> Iterator[Line]:
    # The gradient of a tensor output is that of a weighted sum; for one number that needs no saying.
    header = ["leaf         ", "     value", gradient_title(report).rjust(13), "  paths"]
    rows = [
        [
            [fit(variable.name)],
            block(variable.value, page.digits),
            block(variable.grad, page.digits),
            [spell_count(variable.paths)],
        ]
        for variable in shown
    ]
    yield from table(header, rows, (NAME, NUMBER, GRADIENT, MUTED), (False, True, True, True))


def tensor_table(report: GradientReport, shown: tuple[Variable, ...], page: Page) -> Iterator[Line]:
    header = ["leaf", "shape", "value", gradient_title(report), "paths"]
    rows = [
        [
            [fit(variable.name)],
            [spell_shape(variable.shape)],
            fitted(variable.value, page),
            fitted(variable.grad, page),
            [spell_count(variable.paths)],
        ]
        for variable in shown
    ]
    styles = (NAME, MUTED, NUMBER, GRADIENT, MUTED)
    yield from table(header, rows, styles, (False, False, False, False, True))


def fitted(value: object, page: Page) -> list[str]:
    """A matrix in the room one column has: with fewer digits, or as its range, where it is too wide."""
    room = (page.width - 26) // 2
    for digits in (page.digits, min(page.digits, 3)):
        lines = block(value, digits)
        if len(lines[0]) <= room or not lines[0].startswith("|"):
            return lines
    return [spell_range(value)]


def gradient_title(report: GradientReport) -> str:
    name = fit(report.output.name, 24)
    if report.weight is None:
        return f"d{name}/d leaf"
    return f"gradient of sum(G*{name}), G = {fit(report.weight, 24)}"

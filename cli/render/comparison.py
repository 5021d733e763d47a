"""Two scripts side by side: what differs for a pipe, all values and gradients for people."""

from __future__ import annotations

from autodiff.cli.process.streams import harmless, visible
from autodiff.cli.render.json_values import plain
from autodiff.cli.render.numbers import block, exact_entries, fitted, inline, short
from autodiff.cli.render.page import (
    EMPTY,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    TITLE,
    Page,
    Table,
    fit,
    left_out,
    with_remark,
)
from autodiff.cli.render.records import Records, entries
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line
    from autodiff.cli.requests.compare import Comparison, Difference

WIDEST_NAME = 24
LABEL_WIDTH = 10
ABSENT = "-"


def bare_comparison(found: Comparison) -> str:
    """A line for each value that differs: its name, the old numbers, the new numbers, with tabs between."""
    lines = []
    for value in found.values:
        if value.differs:
            cells = [
                " ".join(exact_entries(one)) if one is not None else ABSENT for one in (value.old, value.new)
            ]
            lines.append("\t".join([harmless(value.title), *cells]) + "\n")
    return "".join(lines)


def comparison_lines(found: Comparison, page: Page) -> Iterator[Line]:
    """A title, a table of everything, and how many values differ."""
    yield ((TITLE, f"{visible(found.old.script)} and {visible(found.new.script)}"),)
    yield EMPTY
    shown = found.values[: page.shown_rows(len(found.values))]
    yield from value_lines(shown, page)
    if len(shown) < len(found.values):
        yield left_out(len(found.values) - len(shown), "value")
    yield EMPTY
    count = sum(value.differs for value in found.values)
    yield ((TITLE, f"{count:,} of {len(found.values):,} differ" if count else "no difference"),)


def value_lines(shown: Sequence[Difference], page: Page) -> Iterator[Line]:
    """A table with a line for each value, else with their rows and fewer digits, else one below the other."""
    makes: list[Callable[[Any], list[str]]] = [
        lambda value: [inline(value, page.digits)],
        lambda value: block(value, page.digits),
        lambda value: block(value, min(page.digits, 3)),
    ]
    for make in makes:
        rows = [
            [
                [fit(visible(value.title), WIDEST_NAME)],
                *([ABSENT] if one is None else make(one) for one in (value.old, value.new)),
                [difference_text(value)],
            ]
            for value in shown
        ]
        right = [False, True, True, False]
        table = Table(["", "old", "new", "difference"], rows, [NAME, NUMBER, NUMBER, MUTED], right)
        if table.width <= page.width:
            yield from table.lines()
            return
    for value in shown:
        name = fit(visible(value.title), WIDEST_NAME)
        yield from with_remark(((PLAIN, "  "), (NAME, name)), difference_text(value), page.width)
        for label, one in (("old", value.old), ("new", value.new)):
            lines = [ABSENT] if one is None else fitted(one, page.width - LABEL_WIDTH, page.digits)
            for at, line in enumerate(lines):
                yield ((MUTED, ("" if at else f"    {label}").ljust(LABEL_WIDTH)), (NUMBER, line))


def difference_sentences(found: Comparison, digits: int) -> Iterator[tuple[str, int | None]]:
    """What differs, in sentences for diagnostics, each with the line in the new script."""
    for value in found.values:
        if value.differs:
            old, new = (ABSENT if one is None else inline(one, digits) for one in (value.old, value.new))
            yield (
                visible(f"{value.title} differs ({difference_text(value)}): {old} before, {new} now"),
                value.line,
            )


def difference_text(value: Difference) -> str:
    """The difference in words."""
    if value.old is None or value.new is None:
        return "only in the new script" if value.old is None else "only in the old script"
    if np.shape(value.old) != np.shape(value.new):
        return "other shape"
    if not value.differs:
        return "same" if value.distance == 0 else "within --rtol"
    return "not finite in one" if value.distance == float("inf") else f"{short(100 * value.distance, 3)} %"


def comparison_records(found: Comparison) -> Records:
    """A row for each entry of each value; a script without it has none.

    In a value that differs, those entries differ that are not the same.
    """
    rows = (
        (value.title, index, old, new, value.is_other(old, new))
        for value in found.values
        for index, old, new in both(value)
    )
    return Records(("name", "index", "old", "new", "differs"), rows, {})


def both(value: Difference) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """The entries of a value in both scripts by index."""
    old = {} if value.old is None else dict(entries(value.old))
    new = {} if value.new is None else dict(entries(value.new))
    for index in dict.fromkeys([*old, *new]):
        yield index, old.get(index), new.get(index)


def comparison_numbers(found: Comparison) -> list[dict[str, Any]]:
    """The values under the keys that they have in JSON."""
    return [
        {
            "name": value.title,
            "old": plain(value.old),
            "new": plain(value.new),
            "distance": plain(value.distance),
            "differs": value.differs,
        }
        for value in found.values
    ]

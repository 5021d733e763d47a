"""A curve as characters, by the library plotille, which sets dots of Braille. No other module calls it.

Where a terminal has no such characters, and in a pipe, stars stand for them.
"""

from __future__ import annotations

from itertools import pairwise

from autodiff.cli.pictures.axes import (
    Axis,
    axes_up,
    band,
    check_drawn,
    heading,
    kinks_of,
    pieces,
    tangent_points,
)
from autodiff.cli.pictures.layout import missing_library
from autodiff.cli.process.streams import cells
from autodiff.cli.render.curve import slope_name
from autodiff.cli.render.numbers import short
from autodiff.cli.render.page import EMPTY, GUIDE, MUTED, NUMBER, PLAIN, TITLE, fit, pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line, Page
    from autodiff.core.report.curve import Curve

#: Dots of a character.
ACROSS, UP = 2, 4
WIDEST, LOWEST, HIGHEST = 100, 8, 20
#: The other lines of a screen: heading, empty line, axis, marks, tangent and prompt.
AROUND = 6
#: The lines of the slope, with an empty line, its name and its axis.
SLOPE_HEIGHT, WITH_SLOPE = 6, 9
#: Characters between the marks below.
MARK_GAP = 12
#: The dots of a line that is not the curve: one of so many is set.
DOTTED = 4
WIDEST_NAME = 40
BLANK = "\u2800"


def chart_lines(curve: Curve, page: Page, height: int) -> Iterator[Line]:
    """The chart of a curve, and below it that of its slope; ``height`` is that of the screen, 0 for none.

    Raises UsageError if the library is missing.
    """
    check_drawn(curve)
    rows = max(LOWEST, min(HIGHEST, height - AROUND - (WITH_SLOPE if curve.slopes else 0)))
    names = (("", rows), (fit(slope_name(curve), WIDEST_NAME), SLOPE_HEIGHT))
    panels = [(name, up, count) for (name, count), up in zip(names, axes_up(curve, rows // 2), strict=False)]
    margin = max(cells(short(tick)) for _, axis, _ in panels for tick in axis.ticks) + 1
    width = min(page.width, WIDEST) - margin - 2
    across = Axis(curve.xs, max(2, width // MARK_GAP), 0.0, curve.is_log)
    boards = [Board(width, count, across, axis) for _, axis, count in panels]
    draw_curve(boards[0], curve)
    for board in boards[1:]:
        board.draw(curve.xs, curve.slopes, curve.slope_jumps)
    yield ((TITLE, fit(heading(curve), page.width)),)
    for (name, _, _), board in zip(panels, boards, strict=True):
        yield EMPTY
        if name:
            yield ((MUTED, name),)
        yield from panel_lines(board, margin, page.box)
    yield marks_below(across, margin, width)
    if curve.kinks:
        yield ((PLAIN, kinks_of(curve)),)
    if curve.tangent is not None:
        at = curve.tangent
        x, y, slope = (short(value, page.digits) for value in (at.x, at.y, at.slope))
        yield ((PLAIN, f"tangent at {fit(curve.input, WIDEST_NAME)} = {x}: value {y}, slope {slope}"),)


def draw_curve(board: Board, curve: Curve) -> None:
    """The curve, its band and its tangent."""
    board.draw(curve.xs, curve.ys, curve.jumps)
    if curve.sigmas:
        for side in band(curve):
            board.draw(curve.xs, side, curve.jumps, DOTTED)
    if curve.tangent is not None:
        ends = tangent_points(curve, board.across, board.up)
        board.draw([x for x, _ in ends], [y for _, y in ends], (), DOTTED)


class Board:
    """The characters of one panel, ``width`` by ``height`` of them, and its two axes."""

    __slots__ = ("across", "canvas", "height", "up", "width")

    def __init__(self, width: int, height: int, across: Axis, up: Axis) -> None:
        self.width = width
        self.height = height
        self.across = across
        self.up = up
        # Its coordinates are those of the dots.
        self.canvas: Any = import_library().Canvas(width, height, 0, 0, ACROSS * width, UP * height)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The dot of a point."""
        return self.across.part(x) * (ACROSS * self.width - 1), self.up.part(y) * (UP * self.height - 1)

    def row(self, y: float) -> int:
        """The line of a value, from the top."""
        return self.height - 1 - round(self.place(self.across.low, y)[1]) // UP

    def draw(
        self, xs: Sequence[float], ys: Sequence[float], jumps: Sequence[int] = (), every: int = 1
    ) -> None:
        """Set one of ``every`` dots of a line, with a gap at ``jumps`` and where it is not finite."""
        for part in pieces(xs, ys, jumps, self.up):
            dots = [self.place(x, y) for x, y in part]
            if len(dots) == 1:
                self.canvas.point(*dots[0])
            for (a, b), (c, d) in pairwise(dots):
                if every == 1:
                    self.canvas.line(a, b, c, d)
                    continue
                for at in range(-(-int(a) // every) * every, int(c) + 1, every):
                    self.canvas.point(at, b + (d - b) * (at - a) / ((c - a) or 1))

    def texts(self, has_braille: bool) -> list[str]:
        """The lines, from the top."""
        lines: list[str] = self.canvas.plot("\n").split("\n")
        if has_braille:
            return [line.replace(BLANK, " ").rstrip() for line in lines]
        return ["".join(" " if sign == BLANK else "*" for sign in line).rstrip() for line in lines]


def panel_lines(board: Board, margin: int, has_box: bool) -> Iterator[Line]:
    """The lines of a panel with the marks of its axis at the left."""
    marks = {board.row(tick): short(tick) for tick in board.up.ticks}
    for at, text in enumerate(board.texts(has_box)):
        mark = marks.get(at, "")
        bar = ("┤" if mark else "│") if has_box else ("+" if mark else "|")
        yield ((NUMBER, pad(mark, margin - 1, right=True) + " "), (GUIDE, bar), (PLAIN, text))
    yield ((PLAIN, " " * margin), (GUIDE, ("└" + "─" * board.width) if has_box else "+" + "-" * board.width))


def marks_below(across: Axis, margin: int, width: int) -> Line:
    """The line of marks below the panels."""
    text = ""
    for tick in across.ticks:
        mark = short(tick)
        start = margin + 1 + round(across.part(tick) * (width - 1)) - (len(mark) - 1) // 2
        start = min(max(start, 0), margin + 1 + width - len(mark))
        if not text or start > len(text):
            text = text.ljust(start) + mark
    return ((NUMBER, text),)


def import_library() -> Any:
    try:
        import plotille
    except ImportError:
        raise missing_library(
            "plotille", "-o FILE.svg and the formats plain, csv, tsv, json and jsonl need no library"
        ) from None
    return plotille

"""An error as text for people: message, position, source excerpt and help.

The first line is understandable alone. User text is sanitized and cut to the width before layout. On a
terminal prose is folded; in a pipe every message stays on one line, where grep and build logs expect it.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.prose import WIDEST_PROSE, fold
from autodiff.cli.render.roles import ERROR, FAULT, FRAME, LABEL, MESSAGE, NOTE, WARNING, paint
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.roles import Styles

TAB = "    "
MOST_FRAMES = 5
SHORTEST_WINDOW = 24
LONGEST_MESSAGE = 2000
LONGEST_WORD = 200
HANGING = 4  # indentation of the continuation lines of a folded message
UNBOUNDED = 1 << 30  # the width of a line that is not folded


class Mark:
    """An underline below a source line, with its text."""

    __slots__ = ("character", "end", "role", "start", "text")

    def __init__(self, start: int, end: int, character: str, role: str, text: str) -> None:
        self.start = start
        self.end = end
        self.character = character
        self.role = role
        self.text = text


def diagnostic_lines(
    error: AutodiffError,
    source: Source | None,
    width: int = 80,
    styles: Styles | None = None,
    kind: str = "error",
    folded: bool = False,
) -> Iterator[str]:
    """The lines of a diagnostic, in colour if there are ``styles``.

    ``source`` is None where the error is not located in a script. Source lines are cut to ``width``; prose is
    folded at it if ``folded``.
    """
    styles = styles or {}
    edge = min(width, WIDEST_PROSE) if folded else UNBOUNDED
    headline, *more = error.message.split("\n")
    code = f"[{error.code}]" if error.code else ""
    first, *rest = fold(clip(headline), edge, HANGING, len(kind + code) + 2)
    label = paint(styles, ERROR if kind == "error" else WARNING, f"{kind}{code}")
    yield label + paint(styles, MESSAGE, ": " + first)
    for text in rest:
        yield paint(styles, MESSAGE, text)
    for text in more:
        yield from fold("  " + clip(text), edge, 2 + HANGING)
    gutter = 1
    if source is not None and error.span is not None:
        marks = collect_marks(error, source)
        gutter = len(str(max(marks)))
        line, column = source.position(within(error.span.start, source))
        yield f" {paint(styles, FRAME, '-->')} {visible(source.name)}:{line}:{column}"
        yield from excerpt_lines(marks, line, error, source, gutter, width, styles, folded)
    bar = paint(styles, FRAME, " " * gutter + " |")
    remarks = [*frame_remarks(error, source), *(("help", text) for text in error.advice)]
    if remarks and source is not None and error.span is not None:
        yield bar
    for title, text in remarks:
        lead = " " * gutter + " = "
        says, *code_lines = text.split("\n")
        indent = len(lead) + len(title) + 2
        first, *rest = fold(clip(says), edge, indent, indent)
        yield paint(styles, FRAME, lead) + paint(styles, NOTE, f"{title}: ") + first
        yield from rest
        for line_text in code_lines:
            yield " " * indent + clip(line_text)


def clip(text: str) -> str:
    """The sanitized message, with extremely long words and messages shortened."""
    if len(text) > LONGEST_WORD:
        text = " ".join(
            word if len(word) <= LONGEST_WORD else word[:40] + "..." + word[-20:] for word in text.split(" ")
        )
    return visible(text) if len(text) <= LONGEST_MESSAGE else visible(text[:LONGEST_MESSAGE]) + " ..."


def within(offset: int, source: Source) -> int:
    return min(max(offset, 0), len(source.text))


def collect_marks(error: AutodiffError, source: Source) -> dict[int, list[Mark]]:
    """The marks by line: first the caret, then the labels from right to left."""
    assert error.span is not None
    marks: dict[int, list[Mark]] = {}
    place_mark(marks, error.span, source, "^", FAULT, error.caret)
    for label in sorted(error.labels, key=lambda label: -label.span.start):
        place_mark(marks, label.span, source, "-", LABEL, label.text)
    return marks


def place_mark(
    marks: dict[int, list[Mark]], span: Span, source: Source, character: str, role: str, text: str
) -> None:
    line, column = source.position(within(span.start, source))
    length = len(source.line(line))
    # Of a span over several lines only the first is underlined.
    end = min(column - 1 + max(span.end - span.start, 1), max(length, column))
    marks.setdefault(line, []).append(Mark(column - 1, end, character, role, text))


def excerpt_lines(
    marks: dict[int, list[Mark]],
    line: int,
    error: AutodiffError,
    source: Source,
    gutter: int,
    width: int,
    styles: Styles,
    folded: bool,
) -> Iterator[str]:
    """The marked source lines, with ``...`` where lines are left out."""
    empty = paint(styles, FRAME, " " * gutter + " |")
    yield empty
    numbers = set(marks)
    if error.code.startswith("E01") and line > 1 and source.line(line - 1).strip():
        numbers.add(line - 1)  # syntax errors often begin on the line before
    last = 0
    for number in sorted(numbers):
        if last and number > last + 1:
            yield paint(styles, FRAME, "...")
        last = number
        placed = marks.get(number, [])
        room = max(width - gutter - 3, SHORTEST_WINDOW)
        window = find_window(source.line(number), placed, room)
        yield paint(styles, FRAME, f"{number:>{gutter}} |") + (" " + window.text if window.text else "")
        for mark in placed:
            start = window.column(mark.start)
            under = mark.character * max(window.column(mark.end) - start, 1)
            says = clip(mark.text).strip()
            is_long = cells(says) > room
            if start + len(under) + 1 + cells(says) <= room or (is_long and not folded):
                yield f"{empty} {' ' * start}{paint(styles, mark.role, f'{under} {says}'.rstrip())}"
                continue
            yield f"{empty} {' ' * start}{paint(styles, mark.role, under)}"
            indent = min(start, room // 4 if is_long else room - cells(says))
            for text in fold(says, min(room - indent, WIDEST_PROSE)):
                yield f"{empty} {' ' * indent}{paint(styles, mark.role, text)}"


class Window:
    """The visible part of a source line, sanitized, with the screen column of each of its characters."""

    __slots__ = ("begin", "columns", "text")

    def __init__(self, line: str, begin: int, last: int) -> None:
        pieces = ["..."] if begin else []
        at = len("...") if begin else 0
        self.begin = begin
        self.columns: list[int] = []
        for character in line[begin:last]:
            self.columns.append(at)
            piece = TAB if character == "\t" else visible(character)
            pieces.append(piece)
            at += cells(piece)
        self.columns.append(at)
        if last < len(line):
            pieces.append("...")
        self.text = "".join(pieces)

    def column(self, index: int) -> int:
        """The screen column of a character of the line; for one outside the window, the nearest column."""
        inside = index - self.begin
        beyond = max(0, inside - len(self.columns) + 1) if self.text[-3:] != "..." else 0
        return self.columns[min(max(inside, 0), len(self.columns) - 1)] + beyond


def find_window(line: str, marks: list[Mark], room: int) -> Window:
    """The window on a line: all of it, or as much as fits around its first mark, with ``...`` at the cuts."""
    first = marks[0].start if marks else 0
    begin, last = 0, len(line)
    if last > room:
        begin = max(0, min(first - room // 3, last - room))
        last = begin + room
    while True:
        window = Window(line, begin, last)
        excess = cells(window.text) - room
        if excess <= 0 or last - begin <= 8:
            return window
        # Escapes, wide characters and the dots take more than one column each: drop text to the right of the
        # mark first, then to its left.
        if last > first + 8:
            last = max(first + 8, last - max(1, excess // 4))
        else:
            begin += 1


def frame_remarks(error: AutodiffError, source: Source | None) -> Iterator[tuple[str, str]]:
    """Notes on the loop iterations and the calls that led to the error, innermost first."""
    if source is None:
        return
    for turn in error.turns:
        if turn.number == 1:  # an error in the first iteration does not depend on the loop
            continue
        line, _ = source.position(within(turn.span.start, source))
        number = "" if turn.number is None else f"iteration {turn.number:,} of "
        where = f", where {visible(turn.where)}" if turn.where else ""
        if number or where:
            yield "note", f"in {number}the loop at line {line}{where}"
    for name, span in error.frames[:MOST_FRAMES]:
        line, column = source.position(within(span.start, source))
        yield "note", f"in `{visible(name)}`, called at {visible(source.name)}:{line}:{column}"
    left = error.calls - MOST_FRAMES
    if left > 0:
        yield "note", f"and {left:,} more call{'s' * (left > 1)}"

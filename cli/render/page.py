"""The elements of layouts: lines of styled pieces, blocks of lines, tables, and the page.

A line is a tuple of (role, text) pairs whose texts are sanitized and contain no line breaks. text.py joins
the texts, terminal.py colours them, so the plain and the coloured report have the same content. Many lines of
the same structure form a Block, which text.py joins by columns.
"""

from __future__ import annotations

from operator import itemgetter

from autodiff.cli.process.streams import cells, fitting, visible
from autodiff.cli.render.numbers import LARGEST_BLOCK, several
from autodiff.cli.render.prose import WIDEST_PROSE, fold
from autodiff.cli.render.roles import GRADIENT as GRADIENT
from autodiff.cli.render.roles import GUIDE as GUIDE
from autodiff.cli.render.roles import MUTED as MUTED
from autodiff.cli.render.roles import NAME as NAME
from autodiff.cli.render.roles import NUMBER as NUMBER
from autodiff.cli.render.roles import PLAIN as PLAIN
from autodiff.cli.render.roles import TITLE as TITLE
from autodiff.core.paths.node_names import bracketed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Piece = tuple[str, str]
    Line = tuple[Piece, ...]

LAST_CHARACTER = itemgetter(-1)
EMPTY: Line = ()
GAP = "   "
INDENT = 2  # of the rows of a table
WIDEST_CELL = 60
LONGEST_FORMULA = 2_000  # characters; the brackets of a longer one are not looked for


class Page:
    """The layout settings: width, digits for people, box characters or ASCII, rows before ``... more``.

    ``step`` is the number of lines that a step of a derivation may take. 0 rows or lines mean no limit.
    ``height`` is the number of lines of the screen that the whole report should fit, 0 if there is none, and
    ``printed`` the number of those that what the script printed takes, with the command above it.
    ``tallest`` is the largest number of rows of a matrix in the table of gradients.
    """

    __slots__ = ("box", "digits", "height", "printed", "rows", "step", "tallest", "width")

    def __init__(
        self,
        width: int = 80,
        digits: int = 6,
        box: bool = False,
        rows: int = 0,
        step: int = 0,
        height: int = 0,
        tallest: int = LARGEST_BLOCK,
        printed: int = 0,
    ) -> None:
        self.printed = printed
        self.width = width
        self.digits = digits
        self.box = box
        self.rows = rows
        self.step = step
        self.height = height
        self.tallest = tallest

    def with_rows(self, rows: int, tallest: int) -> Page:
        """The same page, with at most ``rows`` rows in a table and ``tallest`` in a matrix."""
        return Page(self.width, self.digits, self.box, rows, self.step, self.height, tallest, self.printed)

    def shown_rows(self, count: int) -> int:
        """How many of ``count`` rows are shown."""
        return min(count, self.rows) if self.rows else count


class Block:
    """Many lines with the same styles. ``columns`` hold the texts of each column, one entry per row.

    A row may span several lines: a column whose style is None holds the line break between them.
    """

    __slots__ = ("columns", "styles")

    def __init__(self, styles: Sequence[str | None], columns: Sequence[Sequence[str]]) -> None:
        self.styles = styles
        self.columns = columns

    def lines(self) -> Iterator[Line]:
        """Yield the lines one by one."""
        for texts in zip(*self.columns, strict=True):
            line: list[Piece] = []
            for style, text in zip(self.styles, texts, strict=True):
                if style is None:
                    yield tuple(line)
                    line = []
                else:
                    line.append((style, text))
            yield tuple(line)

    def text(self) -> str:
        """The lines as plain text, without trailing blanks."""
        text = "\n".join(map("".join, zip(*self.columns, strict=True))) + "\n"
        nexts = [*self.styles[1:], None]
        last = [texts for texts, style in zip(self.columns, nexts, strict=True) if style is None]
        # Searching the whole text takes longer.
        if any("" in texts or " " in {*map(LAST_CHARACTER, texts)} for texts in last):
            text = "\n".join(map(str.rstrip, text.split("\n")))
        return text


def flat(lines: Iterable[Line | Block]) -> Iterator[Line]:
    """The lines, with each Block replaced by its lines."""
    for line in lines:
        if isinstance(line, Block):
            yield from line.lines()
        else:
            yield line


def muted(text: str) -> Line:
    return ((MUTED, text),)


def left_out(count: int, what: str, way: str = "--all", indent: int = INDENT) -> Line:
    """How many parts of a report are left out, and what shows them.

    >>> left_out(2, "row"), left_out(1, "row", "--all", 0)
    ((('muted', '  ... 2 more rows (--all)'),), (('muted', '... 1 more row (--all)'),))
    """
    return muted(f"{' ' * indent}... {several(count, f'more {what}')} ({way})")


def prose(text: str, width: int, indent: int = 0, role: str = MUTED) -> Iterator[Line]:
    """The lines of a folded remark."""
    for line in fold(text, min(width - indent, WIDEST_PROSE)):
        yield ((role, " " * indent + line),)


def quotient(above: str, below: str, room: int) -> str:
    """The heading ``dL/d leaf``; an expression is in parentheses, or ``...`` if it does not fit.

    >>> quotient("L", "leaf", 30), quotient("(x * y).sum()", "leaf", 30), quotient("x * y", "leaf", 9)
    ('dL/d leaf', 'd((x * y).sum())/d leaf', 'd(...)/d leaf')
    """
    heading = f"d{bracketed(above)}/d {below}"
    return heading if cells(heading) <= room else f"d(...)/d {below}"


def length(line: Line) -> int:
    return sum(cells(text) for _, text in line)


def with_remark(left: Line, right: str, width: int) -> Iterator[Line]:
    """A line with a remark at the right margin; if both do not fit, the remark gets its own line."""
    if length(left) + 2 + cells(right) <= width:
        yield spread(left, right, width)
    else:
        yield left
        yield spread((), right, width)


def spread(left: Line, right: str, width: int) -> Line:
    """A line with a remark at the right margin, or directly after it if both do not fit."""
    gap = width - length(left) - cells(right)
    return (*left, (PLAIN, " " * max(gap, 2 if left else 0)), (MUTED, right))


def fit(text: str, width: int = WIDEST_CELL) -> str:
    """A user's text, sanitized, in at most ``width`` columns.

    In a formula brackets and terms are shortened. Where that is not enough, the middle is cut out.
    """
    if len(text) <= width and text.isascii() and text.isprintable():
        return text
    if len(text) > max(
        4 * width, LONGEST_FORMULA
    ):  # ten megabytes need not be sanitized to show sixty characters
        text = text[: 2 * width] + text[-2 * width :]
    text = visible(text)
    if cells(text) <= width:
        return text
    from autodiff.cli.render.shortening import shortened_formula  # here: most texts are short

    half = (width - 3) // 2
    middle = text[: fitting(text, half)] + "..." + text[len(text) - fitting(text[::-1], half) :]
    return shortened_formula(text, width) or middle


def pad(text: str, width: int, right: bool = False) -> str:
    space = " " * (width - cells(text))
    return space + text if right else text + space


def widest(texts: Sequence[str]) -> int:
    """The width in columns of the longest text."""
    return max(map(len if "".join(texts).isascii() else cells, texts))


class Table:
    """A table under a muted header; each cell has one or several lines.

    ``styles`` and ``right`` (whether to align right) have one entry per column. A column of verdicts has the
    role of each verdict in place of a style.
    """

    __slots__ = ("header", "right", "rows", "styles", "widths")

    def __init__(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[Sequence[str]]],
        styles: Sequence[str | Mapping[str, str]],
        right: Sequence[bool],
    ) -> None:
        self.header = header
        self.rows = rows
        self.styles = styles
        self.right = right
        self.widths = [
            max([cells(title)] + [cells(text) for row in rows for text in row[at]])
            for at, title in enumerate(header)
        ]

    def add(self, title: str, texts: Sequence[str], style: str) -> None:
        """Add a column on the right, aligned to the left, with a text for each row."""
        self.header = [*self.header, title]
        self.rows = [[*row, [text]] for row, text in zip(self.rows, texts, strict=True)]
        self.styles = [*self.styles, style]
        self.right = [*self.right, False]
        self.widths.append(max(map(cells, (title, *texts))))

    @property
    def width(self) -> int:
        """The width of the table in columns of the page."""
        return INDENT + sum(self.widths) + len(GAP) * (len(self.widths) - 1)

    def lines(self) -> Iterator[Line]:
        """The header and the rows."""
        widths, right = self.widths, self.right
        yield tuple_line(
            (MUTED, pad(title, width, side))
            for title, width, side in zip(self.header, widths, right, strict=True)
        )
        for row in self.rows:
            for number in range(max(map(len, row))):
                texts = [cell[number] if number < len(cell) else "" for cell in row]
                yield tuple_line(
                    (style if isinstance(style, str) else style.get(text, PLAIN), pad(text, width, side))
                    for style, text, width, side in zip(self.styles, texts, widths, right, strict=True)
                )


def tuple_line(row: Iterable[Piece]) -> Line:
    """A line of cells side by side, indented by two. Only text has a style: some styles colour blanks."""
    line: list[Piece] = []
    blanks = " " * INDENT
    for style, cell in row:
        text = cell.strip(" ")
        before, _, after = cell.partition(text) if text else (cell, "", "")
        line += [(PLAIN, blanks + before), (style, text)]
        blanks = after + GAP
    return (*line, (PLAIN, blanks[: -len(GAP)]))


def columns(*blocks: Sequence[str]) -> list[str]:
    """Blocks of lines side by side."""
    height = max(map(len, blocks))
    widths = [max(map(cells, lines)) for lines in blocks]
    return [
        "".join(
            pad(lines[at] if at < len(lines) else "", width)
            for lines, width in zip(blocks, widths, strict=True)
        ).rstrip()
        for at in range(height)
    ]

"""Folds prose at spaces, but never inside code, so that code can be copied.

Code is text between backticks, and text after a gap of several spaces (as in ``add them up:  L.sum()``) if it
fits on one line. Text must be sanitized already.
"""

from __future__ import annotations

from itertools import pairwise

from autodiff.cli.process.streams import cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NARROWEST = 12  # the minimum width of a line
OPERATORS = frozenset("= + - * / @ < > <= >= == !=".split())
WIDEST_PROSE = 100  # the longest line that is easy to read


def fold(text: str, width: int, hanging: int = 0, used: int = 0) -> list[str]:
    """The text as lines of at most ``width`` columns; lines after the first begin with ``hanging`` spaces.

    ``used`` columns of the first line are already taken. A piece longer than a line is not broken.

    >>> fold("write `a = b + c` instead", 16, 2)
    ['write', '  `a = b + c`', '  instead']
    """
    if used + cells(text) <= width:
        return [text]
    room = max(width - hanging, NARROWEST)
    lines: list[str] = []
    line, taken = "", used
    for gap, piece in pieces(text, room):
        size = cells(piece)
        if not line and not lines:
            line, taken = piece, taken + size
        elif taken + len(gap) + size <= (width if not lines else room):
            line, taken = line + gap + piece, taken + len(gap) + size
        else:
            lines.append(line)
            line, taken = piece, size
    lines.append(line)
    return [lines[0], *(" " * hanging + line for line in lines[1:])]


def pieces(text: str, room: int) -> Iterator[tuple[str, str]]:
    """The unbreakable pieces of a text, each with the spaces before it."""
    gap = ""
    stripped = text.strip(" ")
    for column in split_columns(stripped):
        if cells(column) <= room and len(gap) > 1:
            yield gap, column
            gap = "  "
            continue
        for word in whole_words(column):
            yield gap, word
            gap = " "
        gap = "  "


def split_columns(text: str) -> list[str]:
    """The parts of a text that are separated by more than one space, outside of backticks."""
    parts = [""]
    at = 0
    while at < len(text):
        if text[at : at + 2] == "  " and parts[-1].count("`") % 2 == 0:
            while at < len(text) and text[at] == " ":
                at += 1
            parts.append("")
        else:
            parts[-1] += text[at]
            at += 1
    return parts


def whole_words(text: str) -> Iterator[str]:
    """The words of a text; those between backticks are one. An unpaired backtick is an ordinary character."""
    words = text.split(" ")
    at = 0
    while at < len(words):
        end = at + 1
        if words[at].count("`") % 2:
            closing = (k for k in range(at + 1, len(words)) if words[k].count("`") % 2)
            end = next(closing, at) + 1
        yield " ".join(words[at:end])
        at = end


def phrases(text: str, room: int) -> Iterator[str]:
    """The parts of a text between which a line may be broken: not in a call, and not beside an operator.

    Parts longer than ``room`` are broken all the same.

    >>> list(phrases("entry [0] of x = 0: use log(where(x > 0, x, 1))", 40))
    ['entry', '[0]', 'of', 'x = 0:', 'use', 'log(where(x > 0, x, 1))']
    """
    phrase = ""
    opened: list[bool] = []  # for each open bracket, whether it is that of a call or an index
    before = ""
    for word in whole_words(" ".join(text.split())):
        is_joined = any(opened) or word in OPERATORS or before in OPERATORS
        if phrase and not (is_joined and cells(phrase) + 1 + cells(word) <= room):
            yield phrase
            phrase = ""
        phrase = f"{phrase} {word}" if phrase else word
        for left, character in pairwise(" " + word):
            if character in "([":
                opened.append(left.isalnum() or left in "_)]")
            elif character in ")]" and opened:
                opened.pop()
        before = word
    if phrase:
        yield phrase


def in_words(words: Sequence[str]) -> str:
    """The words as a list in prose.

    >>> in_words(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))

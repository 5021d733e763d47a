"""Breaks formulas and blocks of numbers into lines beside labels."""

from __future__ import annotations

import re

from autodiff.cli.process.streams import cells, fitting
from autodiff.cli.render.page import MUTED, PLAIN, fit
from autodiff.cli.render.prose import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

LABEL_WIDTH = 14
LONGEST_TERM = 4000
#: Where a formula may be broken: before an operator, after a comma, a colon or an opening bracket.
BREAKS = re.compile(r" (?=[-+*@.=<>] )|(?<=[,:]) |(?<=\()|(?<=[\w)\]])(?=[*/](?!\*))(?<!\*)| (?=for \w)")
#: Where code without spaces is broken if it is too long for a line: after a bracket, before a dot.
SEAMS = re.compile(r"(?<=[(\[])|(?<=[\w)\]])(?=\.[^\W\d])")
SIGNS = "@*+-/"
#: What a break costs: per open bracket, at a product, inside brackets that fit a line, after few characters,
#: between a short name and the ``=`` of its definition, and after signs and brackets alone.
DEEPER, TIGHTER, SPLIT, SHORT, AWAY, BARE = 3, 2, 5, 8, 8, 100


def shorten(text: str) -> str:
    """The sanitized term; one of thousands of characters is shortened in the middle."""
    lines = text.split("\n")
    return "\n".join(fit(line, LONGEST_TERM) for line in lines)


def step(label: str, lines: Sequence[str], style: str = PLAIN) -> Iterator[Line]:
    """Lines beside a label."""
    for at, line in enumerate(line for text in lines for line in text.split("\n")):
        yield ((MUTED, ("" if at else label).ljust(LABEL_WIDTH)), (style, line))


def broken(formula: str, room: int, indent: int = 0) -> list[str]:
    """A formula on as few lines as possible, broken outside of brackets where possible.

    Lines that begin inside of brackets, or with a further factor, have an ``indent``.

    >>> broken("a*b + c*(d + e) - f", 12)
    ['a*b', '+ c*(d + e)', '- f']
    >>> broken("a*(b + c + d)", 8)
    ['a*(b', '+ c + d)']
    >>> broken("3*(1 - h**2)*w*(1 - g**2)", 20)
    ['3*(1 - h**2)*w', '*(1 - g**2)']
    >>> broken("a*(b + c + d)*f + e", 8, 2)
    ['a*(b', '  + c', '  + d)', '  *f + e']
    """
    lines = []
    depths, sizes = nesting(formula) if cells(formula) > room else ([], [])
    start, before = 0, ""
    while cells(rest := formula[start:]) > room - len(before):
        fits = fitting(rest, room - len(before))
        best: tuple[float, int] | None = None
        for match in BREAKS.finditer(rest, 1, min(fits + 2, len(rest))):
            at = match.start()
            if at > fits:
                break
            sign, inside = rest[at : at + 2].strip()[:1], start + at
            cost = DEEPER * depths[inside] + TIGHTER * (sign in "*/@") + 2 * (1 - at / fits)
            least = 0 if sign in "+-" else fits // 2 if rest[at - 1] == "(" else max(fits // 8, 4)
            cost += SPLIT * (0 < sizes[inside] <= room) + SHORT * (at < least)
            cost += AWAY * (sign == "=" and at < fits // 4) + BARE * (not rest[:at].strip(SIGNS + "( "))
            best = (cost, -at) if best is None else min(best, (cost, -at))
        at = fits if best is None else -best[1]
        lines.append(before + rest[:at].rstrip())
        start += at + len(rest[at:]) - len(rest[at:].lstrip())
        before = " " * indent * bool(depths[start] or formula[start] in "*/@")
    return [*lines, before + rest]


def nesting(formula: str) -> tuple[list[int], list[int]]:
    """By character: how many brackets are open before it, and the length of the innermost; 0 outside."""
    depths, sizes = [], [0] * len(formula)
    opened: list[int] = []
    for at, character in enumerate(formula):
        if character in ")]" and opened:
            start = opened.pop()
            for inside in range(start + 1, at + 1):
                sizes[inside] = sizes[inside] or at + 1 - start
        depths.append(len(opened))
        if character in "([":
            opened.append(at)
    return depths, sizes


def filled(pieces: Sequence[str], room: int) -> list[str]:
    """The pieces on as few lines as possible; those longer than a line are broken."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and cells(lines[-1]) + cells(piece) > room:
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return [part for line in lines for part in broken(line, room)]


def folded_around_code(text: str, room: int) -> list[str]:
    """Prose on lines of ``room`` columns, broken inside of code only if that is longer than a line."""
    lines: list[str] = []
    for phrase in phrases(text, room):
        if lines and cells(lines[-1]) + 1 + cells(phrase) <= room:
            lines[-1] += " " + phrase
        else:
            lines += filled(SEAMS.split(phrase), room)
    return lines


def folded_block(lines: Sequence[str], room: int) -> list[str]:
    """A block of aligned lines, cut between columns if it is too wide.

    >>> print(*folded_block(["| 1  2 |   | 5 |", "| 3  4 | @ | 6 |"], 12), sep="\\n")
    | 1  2 |
    | 3  4 |
      | 5 |
    @ | 6 |
    >>> print(*folded_block(["| 1 |    | 3 |", "| 2 |*f(-| 4 |)"], 12), sep="\\n")
    | 1 |
    | 2 |*f(
     | 3 |
    -| 4 |)
    """
    if len(lines) == 1:
        return broken(lines[0], room)
    made: list[str] = []
    rest = list(lines)
    while max(map(len, rest)) > room:
        width = max(map(len, rest))
        rest = [line.ljust(width) for line in rest]
        gaps = [at for at in range(1, room + 1) if all(is_gap(line, at) for line in rest)]
        before_sign = [at for at in gaps if any(line[at + 1 : at + 2] in tuple(SIGNS) for line in rest)]
        outside = [at for at in range(1, room + 1) if all(is_seam(line, at) for line in rest)]
        inside = [at for at in range(1, room + 1) if all(line[at] == " " for line in rest)]
        at = max(before_sign or gaps or outside or inside or [room])
        made += [line[:at].rstrip() for line in rest if line[:at].strip()]
        rest = [line[at:] for line in rest if line[at:].strip()]
        indent = min(len(line) - len(line.lstrip()) for line in rest)
        rest = [line[indent:].rstrip() for line in rest]
    return [*made, *rest]


def is_gap(line: str, at: int) -> bool:
    """Whether a line has a space at a position that is not inside a matrix."""
    return line[at] == " " and not line.count("|", 0, at) % 2


def is_seam(line: str, at: int) -> bool:
    """Whether a line may be cut at a position: outside matrices, before an operator or after ``(``."""
    if line.count("|", 0, at) % 2:
        return False
    before, after = line[at - 1], line[at]
    if after == "|":
        return before not in "+-"
    return after == " " or before == "(" or (after in "*/@" and before != "*")

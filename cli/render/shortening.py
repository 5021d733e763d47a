"""Long formulas in a few columns: first what is in brackets becomes ``...``, then terms in the middle.

A formula that is cut inside a word or a pair of brackets cannot be read. Here names of functions and both
brackets stay.
"""

from __future__ import annotations

import re

from autodiff.cli.process.streams import cells

DOTS = "..."
OPENING, CLOSING = "([{", ")]}"
#: Where terms, factors and arguments begin, outside of brackets.
SEAMS = re.compile(r" (?=[-+*@/] )|(?<=,) |(?<=[\w)\]])(?=[*/](?!\*))(?<!\*)")
FEWEST_PIECES = 3
METHOD = re.compile(r"\.\w+(\(\.\.\.\))?$")


def shortened_formula(text: str, width: int) -> str | None:
    """The formula in at most ``width`` columns; None if it has no brackets or terms to shorten.

    >>> shortened_formula("zeros(4, 5).index_add(0, tensor([0, 4, 2]), G)", 40)
    'zeros(4, 5).index_add(0, tensor(...), G)'
    >>> shortened_formula("zeros(4, 5).index_add(0, tensor([0, 4, 2]), G)", 32)
    'zeros(4, 5).index_add(0, ...)'
    >>> shortened_formula("zeros(4, 5).index_add(0, tensor([0, 4, 2]), G)", 24)
    '(...).index_add(...)'
    >>> shortened_formula("x*w1 + x**2*w2 + x**3*w3 + x**4*w4 + b", 24)
    'x*w1 + x**2*w2 + ... + b'
    """
    pairs = brackets(text)
    if pairs is None:
        return None
    excess = cells(text) - width
    sizes = [(cells(text[start:end]), start, end) for start, end, _ in pairs]
    enough = [one for one in sizes if one[0] - len(DOTS) >= excess]
    if enough:
        size, start, end = min(enough)
        return text[:start] + first_items(text[start:end], size - excess) + text[end:]
    for start, end, depth in reversed(pairs):
        if not depth and end - start > len(DOTS):
            text = text[:start] + DOTS + text[end:]
    return text if cells(text) <= width else without_middle(text, width)


def brackets(text: str) -> list[tuple[int, int, int]] | None:
    """Where what stands in brackets starts and ends, and in how many others; None if some have no partner.

    >>> brackets("f(x[1])")
    [(4, 5, 1), (2, 6, 0)]
    """
    pairs, opened = [], []
    for at, character in enumerate(text):
        if character in OPENING:
            opened.append(at)
        elif character in CLOSING:
            if not opened or OPENING.index(text[opened[-1]]) != CLOSING.index(character):
                return None
            pairs.append((opened.pop() + 1, at, len(opened)))
    return None if opened else pairs


def pieces_of(text: str) -> list[str]:
    """The terms, factors or arguments of a formula, each with the sign before it.

    >>> pieces_of("a*(b + c) - d, e")
    ['a', '*(b + c)', ' - d,', ' e']
    """
    bare = list(text)
    for start, end, depth in brackets(text) or []:
        if not depth:
            bare[start:end] = "_" * (end - start)
    seams = [match.start() for match in SEAMS.finditer("".join(bare)) if match.start()]
    return [text[start:end] for start, end in zip([0, *seams], [*seams, len(text)], strict=True)]


def sign_of(piece: str) -> str:
    """The sign that stands before a piece, with its blanks."""
    found = re.match(r" [-+*@/] |[*/]+| ", piece)
    return found[0] if found else ""


def first_items(text: str, width: int) -> str:
    """The first pieces that fit, then dots for the others; nothing but dots if none fits."""
    pieces = pieces_of(text)
    taken, kept = 0, 0
    for at, piece in enumerate(pieces[:-1]):
        taken += cells(piece)
        if taken + len(sign_of(pieces[at + 1])) + len(DOTS) <= width:
            kept = at + 1
    return "".join(pieces[:kept]) + sign_of(pieces[kept]) + DOTS if kept else DOTS


def without_middle(text: str, width: int) -> str | None:
    """The first pieces and the last one, or the last method, with dots for the rest; None if nothing fits."""
    pieces = pieces_of(text)
    if len(pieces) >= FEWEST_PIECES:
        head = first_items("".join(pieces[:-1]), width - cells(pieces[-1]))
        if head != DOTS and cells(head + pieces[-1]) <= width:
            return head + pieces[-1]
    method = METHOD.search(text)
    said = f"({DOTS}){method[0]}" if method else ""
    return said if said and cells(said) <= width else None

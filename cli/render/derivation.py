"""A gradient derived in five steps: chain rule, local derivatives, simplified, in numbers, the value."""

from __future__ import annotations

import re

from autodiff.cli.console import visible
from autodiff.cli.render.numbers import block, is_array, number, short, spell_count
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    NAME,
    PLAIN,
    TITLE,
    Page,
    columns,
    fit,
    muted,
    spread,
)
from autodiff.core.report import Derivation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

LABEL_WIDTH = 14
MOST_TERMS = 40
#: A path of more edges shows its two ends.
LONGEST_PATH = 12
ENDS = 5
LONGEST_TERM = 4000
FAR_APART = "   "
PRODUCTS = re.compile(r"(?= [*.] )")


def derivation_lines(derivation: Derivation, page: Page, weight: str | None = None) -> Iterator[Line]:
    """The derivation of one gradient, with its check against backward."""
    yield from title_lines(derivation, page, weight)
    yield EMPTY
    if weight is not None:
        name = fit(derivation.output, 24)
        yield muted(f"G = {fit(weight)} = dS/d{name}, S = sum(G*{name})")
    chain, local = chain_and_local(derivation)
    together = all(fits_one_line(terms, page) for terms in (chain, local)) and len(chain) < 3
    yield from product_lines("1 chain", chain, together, page.width)
    yield from product_lines("2 local", local, together, page.width)
    yield from formula_lines("3 simplified", derivation.simplified, page)
    if derivation.factored:
        yield from formula_lines("  factored", derivation.factored, page)
    for name, text in derivation.where:
        yield ((PLAIN, " " * LABEL_WIDTH), (MUTED, f"where {fit(name)} = {shorten(text)}"))
    yield from number_lines(cut(derivation.numbers), page)
    yield from step("5 value", value_lines(derivation, page), GRADIENT)
    yield from left_out_lines(derivation, page)
    yield EMPTY
    if derivation.entry:
        yield plain_pair("one entry:    ", shorten(derivation.entry))
    yield check_line(derivation, page)


def chain_and_local(derivation: Derivation) -> tuple[list[str], list[str]]:
    """The first two steps, one term per path. A long path shows its ends; JSON has every edge."""
    chain, local = list(derivation.chain), list(derivation.local)
    for at, path in enumerate(derivation.paths):
        if len(path.chain) > LONGEST_PATH:
            sign = " * " if derivation.is_scalar else " . "
            chain[at] = sign.join(ends(path.chain))
            factors = ends(path.factors) if derivation.is_scalar else ends(local[at].split(FAR_APART))
            local[at] = FAR_APART.join(factors) if not derivation.is_scalar else in_brackets(factors)
    return list(map(shorten, chain)), list(map(shorten, local))


def ends(parts: Sequence[str]) -> list[str]:
    return [*parts[:ENDS], "...", *parts[-ENDS:]] if len(parts) > LONGEST_PATH else list(parts)


def in_brackets(factors: Sequence[str]) -> str:
    return " * ".join(factor if factor == "..." else f"({factor})" for factor in factors)


def title_lines(derivation: Derivation, page: Page, weight: str | None) -> Iterator[Line]:
    wrt, output = fit(derivation.wrt, 40), fit(derivation.output, 40)
    lines = value_lines(derivation, page)
    as_quotient = weight is None and is_number(derivation)
    left = f"d{output}/d{wrt} = " if as_quotient else f"{wrt} gets "
    paths = "1 path" if derivation.count == 1 else f"{spell_count(derivation.count)} paths"
    right = f"{paths} from {place(output, derivation.output_line)} to {place(wrt, derivation.wrt_line)}"
    yield spread(((TITLE, left), (GRADIENT, lines[0])), right, page.width)
    for line in lines[1:]:
        yield ((PLAIN, " " * len(left)), (GRADIENT, line))


def is_number(derivation: Derivation) -> bool:
    """Whether the gradient is one number; tensors of one entry all the way count as numbers."""
    value = derivation.value
    return not is_array(value) or (derivation.is_scalar and value.size == 1)


def value_lines(derivation: Derivation, page: Page) -> list[str]:
    if is_number(derivation) and derivation.value is not None:
        return [short(number(derivation.value), page.digits)]
    return block(derivation.value, page.digits)


def place(name: str, line: int | None) -> str:
    return name if line is None else f"{name} (line {line})"


def cut(terms: Sequence[str]) -> list[str]:
    """The terms of the simplified sum, which need not be one per path; of very many the first."""
    kept = [shorten(term) for term in terms[:MOST_TERMS]]
    return kept if len(terms) <= MOST_TERMS else [*kept, f"... {len(terms) - MOST_TERMS} more"]


def shorten(text: str) -> str:
    """A term made safe; one of thousands of characters helps nobody and loses its middle."""
    lines = text.split("\n")
    return "\n".join(fit(line, LONGEST_TERM) for line in lines)


def fits_one_line(terms: Sequence[str], page: Page) -> bool:
    return LABEL_WIDTH + sum(map(len, terms)) + 5 * (len(terms) - 1) <= min(page.width, 80)


def step(label: str, lines: Sequence[str], style: str = PLAIN) -> Iterator[Line]:
    """A label with one or several lines beside it."""
    for at, line in enumerate(line for text in lines for line in text.split("\n")):
        yield ((MUTED, ("" if at else label).ljust(LABEL_WIDTH)), (style, line))


def product_lines(label: str, terms: Sequence[str], together: bool, width: int) -> Iterator[Line]:
    """Products to be added: side by side where there is room, else one below the other."""
    if together:
        yield from step(label, ["  +  ".join(terms)])
        return
    for at, term in enumerate(terms):
        # Maps of tensors stand three spaces apart; where they do not fit on a line, each gets its own.
        lines = term.split("\n")
        if len(lines) == 1 and len(term) + LABEL_WIDTH > width:
            lines = term.split(FAR_APART)
            lines = lines if len(lines) > 1 else filled(PRODUCTS.split(term), width - LABEL_WIDTH)
        for row, line in enumerate(lines):
            left = "" if row else "+ " if at else label
            # The plus stands in the gap before the terms, which stay in one column.
            yield (
                (MUTED, left.rjust(LABEL_WIDTH) if at and not row else left.ljust(LABEL_WIDTH)),
                (PLAIN, line),
            )


def formula_lines(label: str, formula: str, page: Page) -> Iterator[Line]:
    """A formula on as many lines as it needs, broken before its signs."""
    yield from step(label, filled(terms_of(shorten(formula)), page.width - LABEL_WIDTH))


def terms_of(formula: str) -> list[str]:
    """A formula cut before the signs of its sum, those within brackets left alone."""
    terms = [""]
    depth = 0
    for at, character in enumerate(formula):
        depth += (character in "([") - (character in ")]")
        if not depth and formula[at : at + 3] in (" + ", " - "):
            terms.append("")
        terms[-1] += character
    return terms


def filled(pieces: Sequence[str], room: int) -> list[str]:
    """Pieces put on as few lines as hold them."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece) > room:
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return lines


def number_lines(terms: Sequence[str], page: Page) -> Iterator[Line]:
    if any("\n" in term for term in terms):
        blocks: list[list[str]] = []
        for at, term in enumerate(terms):
            blocks += [[" + "]] * bool(at) + [term.split("\n")]
        side_by_side = columns(*blocks)
        if max(map(len, side_by_side)) + LABEL_WIDTH <= page.width:
            yield from step("4 numbers", side_by_side)
        else:
            yield from product_lines("4 numbers", terms, False, page.width)
        return
    line = ""
    lines: list[str] = []
    for at, term in enumerate(terms):
        signed = term if not at else f"- {term[1:].lstrip()}" if term.startswith("-") else f"+ {term}"
        if line and LABEL_WIDTH + len(line) + 1 + len(signed) > page.width:
            lines.append(line)
            line = signed
        else:
            line = f"{line} {signed}" if line else signed
    yield from step("4 numbers", [*lines, line])


def left_out_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """How many paths are not on show, and what they come to."""
    left = derivation.count - len(derivation.paths)
    if left <= 0:
        return
    says = f"... {spell_count(left)} more path{'s' if left > 1 else ''}"
    if is_number(derivation) and derivation.backward is not None:
        rest = number(derivation.backward) - sum(number(path.contribution) for path in derivation.paths)
        says += f", together {short(rest, page.digits)}"
    yield EMPTY
    yield muted(says)


def check_line(derivation: Derivation, page: Page) -> Line:
    if derivation.difference is None:
        followed, count = spell_count(derivation.followed), spell_count(derivation.count)
        if derivation.are_strongest:
            return muted(f"check: the strongest {followed} of {count} paths; the value is backward()'s")
        return muted(f"check: {followed} of {count} paths (--max-paths); the value is backward()'s")
    difference = short(derivation.difference, 3)
    if derivation.backward is None or not is_number(derivation):
        kind = "matrix" if is_array(derivation.value) and derivation.value.ndim == 2 else "values"
        these = "this" if kind == "matrix" else "these"
        same = f"the same {kind}" if derivation.difference == 0 else f"{these} {kind}"
        return muted(f"check: backward() gives {same}, largest difference {difference}")
    backward = short(number(derivation.backward), page.digits)
    return muted(f"check: backward() gives {backward}, difference {difference}")


def plain_pair(label: str, text: str) -> Line:
    return ((MUTED, label), (NAME, visible(text)))

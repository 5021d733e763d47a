"""The five steps of a derivation: chain rule, local derivatives, simplified, in numbers, value."""

from __future__ import annotations

import re
from itertools import groupby

from autodiff.cli.process.streams import cells
from autodiff.cli.render.name_keys import brief_meanings, meaning_texts, repeat_text
from autodiff.cli.render.numbers import fitted, is_array, number, several, short, spell_count
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    PLAIN,
    TITLE,
    Page,
    columns,
    fit,
    muted,
    prose,
    with_remark,
)
from autodiff.cli.render.paths import formula_value, has_many_equal_paths
from autodiff.cli.render.prose import fold
from autodiff.cli.render.steps import LABEL_WIDTH, broken, filled, folded_block, shorten, step
from autodiff.core.base.incoming import incoming, words_in
from autodiff.core.base.limits import limits
from autodiff.core.paths.node_names import bracketed
from autodiff.core.report.records import Derivation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autodiff.cli.render.page import Line

MOST_TERMS = 40
#: A path of more edges shows only its two ends.
LONGEST_PATH = 12
MOST_EQUAL = 3
FEW_ALIKE = 2
ENDS = 5
FAR_APART = "   "
SOME_TERMS = " + ..."
PLAIN_OR_CALL = re.compile(r"[^\W\d][\w.]*(\(.*\)|\[.*\])?")
BLOCKS = re.compile(r"\|[^|]*\|")
PRODUCTS = re.compile(r"(?= [*.] )")


def derivation_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The derivation of one gradient, with its check against backward."""
    yield from title_lines(derivation, page)
    yield EMPTY
    if derivation.weight is not None:
        yield from prose(weight_text(derivation), page.width)
    chain, local = chain_and_local(derivation)
    together = all(fits_one_line(terms, page) for terms in (chain, local)) and len(chain) < 3
    yield from capped(key_lines(derivation, (*chain, *local), page), page)
    yield from capped(product_lines("1 chain", chain, together, page.width), page)
    yield from capped(product_lines("2 local", local, together, page.width), page)
    yield from left_out_lines(derivation, page)
    yield from capped(formula_lines("3 simplified", derivation.simplified, page), page)
    if derivation.factored:
        yield from capped(formula_lines("  factored", derivation.factored, page), page)
    yield from capped(meaning_lines(derivation, page), page)
    yield from dots_lines(derivation, page)
    yield from number_step(derivation, page)
    yield from step("5 value", value_lines(derivation, page, page.width - LABEL_WIDTH), GRADIENT)
    yield EMPTY
    yield from prose(check_text(derivation, page), page.width)
    if derivation.entry is not None:
        from autodiff.cli.render.entries import entry_check, entry_lines

        yield EMPTY
        yield from entry_lines(derivation.entry, page)
        yield from prose(entry_check(derivation.entry, page), page.width)


def capped(lines: Iterable[Line], page: Page) -> Iterator[Line]:
    """The lines of a step, cut where the page limits them: after whole terms, else between lines."""
    every = list(lines)
    if not page.step or len(every) <= page.step + 1:
        yield from every
        return
    starts = [at for at, line in enumerate(every) if line[0][1].strip() in ("+", "-")]
    whole = [at for at in starts if at <= page.step]
    at = whole[-1] if whole else page.step
    left, what = (len(starts) - len(whole) + 1, "term") if whole else (len(every) - at, "line")
    yield from every[:at]
    yield from left_of_step(left, what, page)


def left_of_step(left: int, what: str, page: Page) -> Iterator[Line]:
    """How much of a step is left out."""
    note = f"... {left:,} more {what}{'s' * (left > 1)} of this step (--all)"
    for line in fold(note, page.width - LABEL_WIDTH):
        yield muted(" " * LABEL_WIDTH + line)


def dots_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """What step 3 leaves out, if it has dots that nothing below defines."""
    missing = ["factors of long paths (`...`)"] * has_gaps(derivation)
    if is_part_of_sum(derivation):
        missing.append(several(derivation.count - len(derivation.paths), "more path"))
    if missing:
        yield from prose(f"not written: {' and '.join(missing)}", page.width, LABEL_WIDTH)


def is_part_of_sum(derivation: Derivation) -> bool:
    """Whether step 3 has only some terms of the sum, and ends in dots."""
    return derivation.simplified.endswith(SOME_TERMS)


def has_gaps(derivation: Derivation) -> bool:
    """Whether factors of step 3 are dots that nothing below defines."""
    return (
        any("..." in path.chain for path in derivation.paths)
        and "..." in derivation.simplified.removesuffix(SOME_TERMS).replace("(...)", "")
        and all(name != "..." for name, _ in derivation.where)
    )


def number_step(derivation: Derivation, page: Page) -> Iterator[Line]:
    """Step 4, or why it has no numbers."""
    parts, room = (*derivation.named, *derivation.numbers), page.width - LABEL_WIDTH
    if has_gaps(derivation):
        yield from step("4 numbers", fold("what is left out of step 3 has no numbers", room))
    elif is_as_before(derivation) or cuts_array(parts, room):
        yield from step(
            "4 numbers", fold("as in step 3: the arrays are too large to be written into it", room)
        )
    else:
        yield from number_lines(derivation, page)


def is_as_before(derivation: Derivation) -> bool:
    """Whether no array value could be inserted into the formula, so that step 4 would repeat step 3."""
    if derivation.is_scalar or derivation.expressions is None or not derivation.numbers:
        return False
    total = "+".join(derivation.numbers).replace("+-", "-")
    return total.replace(" ", "") == derivation.simplified.replace(" ", "") and any(
        re.search(rf"(?<![\w']){re.escape(name)}(?![\w'])", total) for name in derivation.expressions.values
    )


def cuts_array(terms: Sequence[str], room: int) -> bool:
    """Whether a matrix in the terms is wider than the line."""
    blocks = [term.split("\n") for term in terms]
    wide = [block for block in blocks if len(block) > 1 and max(map(cells, block)) > room]
    return any(line.count("|") % 2 for block in wide for line in folded_block(block, room))


def meaning_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The definitions of the names that were introduced for a formula."""
    for name, text in derivation.where:
        yield from where_lines(f"where {fit(name)} = {shorten(text)}", page)


def key_lines(derivation: Derivation, products: Sequence[str], page: Page) -> Iterator[Line]:
    """What the made-up names stand for, except those that are defined below step 3."""
    defined = [name for name, _ in derivation.where]
    where = (text for _, text in derivation.where)
    texts = (*products, *derivation.texts) if not page.step else (*products, derivation.simplified, *where)
    formulas, values = brief_meanings(derivation.key, texts, defined)
    left = 0
    if page.step and len(values) + len(formulas) > page.step:  # of many, only those in the steps
        used = words_in("\n".join(texts))
        used |= {word[1:] for word in used if word.startswith("d")}
        left, formulas = len(formulas), [one for one in formulas if one.name in used]
        left -= len(formulas)
    room = page.width - LABEL_WIDTH
    found = meaning_texts(formulas, values) + repeat_text(products)
    yield from step("names", [line for text in found for line in hanging(shorten(text), room)])
    if left:
        yield muted(" " * LABEL_WIDTH + f"... {left:,} more name{'s' * (left > 1)} in these (--all)")


def hanging(text: str, room: int) -> list[str]:
    """A definition on lines, those below the first indented; the place in brackets at its end is whole."""
    definition, bracket, place = text.rpartition(" (")
    if cells(text) > room >= cells(definition) and bracket and place.endswith(")"):
        return [definition, f"  ({place}"]
    first, *others = broken(text, room)
    return [first, *(f"  {line}" for line in broken(" ".join(others), room - 2) if others)]


def output_of(derivation: Derivation) -> str:
    """What is differentiated: the output, or the weighted sum ``S`` of its entries."""
    return derivation.output if derivation.weight is None else "S"


def weight_text(derivation: Derivation) -> str:
    """The definition of ``G`` and ``S``."""
    name = fit(derivation.output, 24)
    factor = name if PLAIN_OR_CALL.fullmatch(name) else f"({name})"
    g, weight = incoming.letter, fit(derivation.weight or "")
    return f"{g} = {weight} = dS/d{bracketed(name)}, S = sum({g}*{factor})"


def where_lines(text: str, page: Page) -> Iterator[Line]:
    """The definition of a name, folded with a hanging indent."""
    for at, line in enumerate(broken(text, page.width - LABEL_WIDTH - len("where "), 2)):
        yield ((PLAIN, " " * (LABEL_WIDTH + (len("where ") if at else 0))), (MUTED, line))


def chain_and_local(derivation: Derivation) -> tuple[list[str], list[str]]:
    """The first two steps, one term per path. A long path shows only its ends; JSON has every edge."""
    if not derivation.chain:
        return ["no path"], ["no path"]
    shown = terms_shown(derivation)
    chain, local = list(derivation.chain[:shown]), list(derivation.local[:shown])
    if not derivation.is_scalar:  # each map once, at the first path that has it
        maps = (ends(text.split(FAR_APART)) for text in local)
        local = [FAR_APART.join(dict.fromkeys(one for path in maps for one in path))]
    for at, path in enumerate(derivation.paths[:shown]):
        if len(path.chain) > LONGEST_PATH:
            sign = " * " if derivation.is_scalar else " . "
            chain[at] = sign.join(ends(path.chain))
            if derivation.is_scalar:
                local[at] = in_brackets(ends(path.factors))
    return list(map(shorten, chain)), list(map(shorten, local))


def terms_shown(derivation: Derivation) -> int:
    """The number of paths in the first two steps: only a few of many that contribute the same."""
    return FEW_ALIKE if has_many_equal_paths(derivation) else len(derivation.paths)


def ends(parts: Sequence[str]) -> list[str]:
    return [*parts[:ENDS], "...", *parts[-ENDS:]] if len(parts) > LONGEST_PATH else list(parts)


def in_brackets(factors: Sequence[str]) -> str:
    """The factors as a product; more than three equal ones in a row as a power.

    >>> in_brackets(["w", "w", "w", "w", "w", "...", "w", "L_2"])
    '(w)**5 * ... * (w) * (L_2)'
    """
    said = []
    for factor, run in groupby(factors):
        count = len([*run])
        one = factor if factor == "..." else f"({factor})"
        said += [f"{one}**{count}"] if count > MOST_EQUAL else [one] * count
    return " * ".join(said)


def title_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    for room in (40, page.width // 2 - 8):  # names are shortened if the page is too narrow
        left = before_value(derivation, min(room, 40))
        lines = value_lines(derivation, page, max(page.width - cells(left), 20))
        if cells(left) + max(map(cells, lines)) <= page.width:
            break
    paths = "1 path" if derivation.count == 1 else f"{spell_count(derivation.count)} paths"
    output, wrt = fit(derivation.output, 40), fit(derivation.wrt, 40)
    from_to = (
        (name_and_line(output, derivation.output_line), name_and_line(wrt, derivation.wrt_line)),
        (output, wrt),
    )
    rights = [f"{paths} from {start} to {end}" for start, end in from_to]
    room = page.width - len(f"{paths} from  to ")
    room = max(room // 2, room - min(cells(output), cells(wrt)), 8)
    rights.append(f"{paths} from {fit(output, room)} to {fit(wrt, room)}")
    right = next((one for one in rights if cells(one) <= page.width), rights[-1])
    first, *below = with_remark(((TITLE, left), (GRADIENT, lines[0])), right, page.width)
    yield first
    for line in lines[1:]:  # a remark that does not fit beside the first row goes below the last
        yield ((PLAIN, " " * cells(left)), (GRADIENT, line))
    yield from below


def before_value(derivation: Derivation, room: int) -> str:
    """The left side of the title, with each name in at most ``room`` columns."""
    wrt, output = fit(derivation.wrt, room), fit(derivation.output, room)
    if derivation.given:
        return f"{fit(derivation.given, 2 * room)} = "
    as_quotient = derivation.weight is None and is_number(derivation)
    return f"d{bracketed(output)}/d{bracketed(wrt)} = " if as_quotient else f"{wrt} gets "


def is_number(derivation: Derivation) -> bool:
    """Whether the gradient is one number; if all tensors on the way have one entry, they count as numbers."""
    value = derivation.value
    return not is_array(value) or (derivation.is_scalar and value.size == 1)


def value_lines(derivation: Derivation, page: Page, room: int) -> list[str]:
    if is_number(derivation) and derivation.value is not None:
        return [short(number(derivation.value), page.digits)]
    return fitted(derivation.value, room, page.digits)


def name_and_line(name: str, line: int | None) -> str:
    return name if line is None else f"{name} (line {line})"


def cut(terms: Sequence[str]) -> list[str]:
    """The terms of the simplified sum, shortened, and only the first of very many."""
    kept = [shorten(term) for term in terms[:MOST_TERMS]]
    return kept if len(terms) <= MOST_TERMS else [*kept, f"... {len(terms) - MOST_TERMS} more"]


def fits_one_line(terms: Sequence[str], page: Page) -> bool:
    return LABEL_WIDTH + sum(map(cells, terms)) + 5 * (len(terms) - 1) <= min(page.width, 80)


def product_lines(label: str, terms: Sequence[str], together: bool, width: int) -> Iterator[Line]:
    """The lines of a sum of products: on one line if ``together``, else one product below the other."""
    if together:
        yield from step(label, ["  +  ".join(terms)])
        return
    room = width - LABEL_WIDTH
    for at, term in enumerate(terms):
        # The maps along a path of tensors are separated by three spaces; if they do not fit on a line, each
        # gets its own, and what goes on below it is indented.
        lines = [term]
        if cells(term) > room:
            maps = [PRODUCTS.split(line) for line in term.split(FAR_APART)]
            lines = filled(maps[0], room) if len(maps) == 1 else [*map_lines(maps, room)]
        # The plus is in the label column, so that the terms are aligned.
        yield from step("+ ".rjust(LABEL_WIDTH) if at else label, lines)


def map_lines(maps: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    """The maps one below the other; the lines of one below its first are indented.

    >>> print(*map_lines([["dy/dx: add,", " passes it through"], ["dz/dy: 2*(incoming)"]], 20), sep="\\n")
    dy/dx: add,
      passes it through
    dz/dy: 2*(incoming)
    """
    for pieces in maps:
        first, *others = filled(pieces, room)
        yield first
        yield from (f"  {line}" for line in filled([" ".join(others)], room - 2) if others)


def formula_lines(label: str, formula: str, page: Page) -> Iterator[Line]:
    """A formula with its label, broken into lines."""
    yield from step(label, broken(shorten(formula), page.width - LABEL_WIDTH, 2))


def number_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The sum in numbers, below the parts that have names in it; cut between blocks of numbers."""
    label, shown = "4 numbers", 0
    blocks = list(number_blocks(derivation, page))
    most = page.step * (1 + bool(derivation.named))
    for at, block in enumerate(blocks):
        shown += len(block)
        if most and 0 < at < len(blocks) - 1 and shown > most:  # the last alone is not left out
            yield from left_of_step(len(blocks) - at, "line", page)
            return
        for sign, line in block:
            yield ((MUTED, (sign or label).ljust(LABEL_WIDTH)), (PLAIN, line))
            label = ""
    if is_part_of_sum(derivation):
        yield ((MUTED, "+ ".rjust(LABEL_WIDTH)), (PLAIN, "..."))


def number_blocks(derivation: Derivation, page: Page) -> Iterator[list[tuple[str, str]]]:
    """Lines that belong together, each with the sign beside it."""
    room = page.width - LABEL_WIDTH
    for part in derivation.named:
        yield [("", line) for line in folded_block(part.split("\n"), room)]
    terms = cut(derivation.numbers)
    if not derivation.named and not any("\n" in term for term in terms):
        pieces = []
        for at, term in enumerate(terms):
            sign = " " * bool(at) + ("- " if term.startswith("-") else "+ ") * bool(at)
            pieces.append(sign + (term[1:].lstrip() if at and term.startswith("-") else term))
        yield from ([("", line)] for line in filled(pieces, room))
        return
    blocks = [term.split("\n") for term in terms]
    together = beside(blocks)
    if max(map(cells, together)) <= room:
        yield [("", line) for line in together]
        return
    for at, lines in enumerate(blocks):
        sign = "+ "
        if at and lines[len(lines) // 2].startswith("-"):
            lines, sign = [line[1:] for line in lines], "- "
        lines = folded_block(lines, room)
        middle = next((row for row, line in enumerate(lines) if BLOCKS.sub("", line).strip()), 0)
        signs = [sign.rjust(LABEL_WIDTH) if at and row == middle else "" for row in range(len(lines))]
        yield [*zip(signs, lines, strict=True)]


def beside(terms: Sequence[list[str]]) -> list[str]:
    """Multi-line terms joined to a sum: the signs are on the middle line of all blocks.

    >>> print(*beside([["| 1 |", "| 2 |"], [" | 3 |", "-| 4 |"], ["5"]]), sep="\\n")
    | 1 |   | 3 |
    | 2 | - | 4 | + 5
    """
    blocks: list[list[str]] = []
    for at, term in enumerate(terms):
        is_signed = term[len(term) // 2].startswith("-")
        if at:
            blocks.append([" - " if is_signed else " + "])
        blocks.append([line[1:] for line in term] if at and is_signed else term)
    middle = max(len(block) // 2 for block in blocks)
    return columns(*([""] * (middle - len(block) // 2) + block for block in blocks))


def left_out_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """How many paths are not shown, and the sum of their contributions."""
    says = left_out_text(derivation, terms_shown(derivation), page)
    if not says:
        return
    if (
        derivation.count - terms_shown(derivation) != derivation.zero_paths
        and derivation.expressions is not None
        and derivation.expressions.simplified is not None
    ):
        says += f"; steps 3 to 5 sum all {spell_count(derivation.count)}"
    yield from prose(says, page.width, LABEL_WIDTH)


def left_out_text(derivation: Derivation, shown: int, page: Page) -> str:
    """How many paths follow the first ``shown``, and the sum of their contributions; empty if none do."""
    left = derivation.count - shown
    if left <= 0:
        return ""
    says = f"... {spell_count(left)} more path{'s' if left > 1 else ''}"
    if left == derivation.zero_paths:
        return says + f", {'each ' if left > 1 else ''}through a slope that is 0 everywhere"
    if is_number(derivation) and derivation.backward is not None:
        rest = number(derivation.backward) - sum(
            number(path.contribution) for path in derivation.paths[:shown]
        )
        says += f", together {short(rest, page.digits)}"
    return says


def formula_deviation(derivation: Derivation) -> float | None:
    """How far the value of the formula is from the gradient; None if it has none, or is no number."""
    value = formula_value(derivation)
    if value is None or not is_number(derivation) or derivation.backward is None:
        return None
    return abs(float(value) - number(derivation.backward))


def check_text(derivation: Derivation, page: Page) -> str:
    """The comparison of the sum over the paths with backward()."""
    apart = None if derivation.difference is not None else formula_deviation(derivation)
    if apart is not None:
        backward = short(number(derivation.backward), page.digits)
        return f"check: backward() gives {backward}, the formula of step 3 differs by {short(apart, 3)}"
    if derivation.difference is None:
        followed, count = spell_count(derivation.followed), spell_count(derivation.count)
        if derivation.are_strongest:
            return f"check: the strongest {followed} of {count} paths; the value is backward()'s"
        is_limit = derivation.followed == limits.paths
        why = "--max-paths" if is_limit else "no more, because they are long"
        return f"check: {followed} of {count} paths ({why}); the value is backward()'s"
    difference = short(derivation.difference, 3)
    if derivation.backward is None or not is_number(derivation):
        kind = "matrix" if is_array(derivation.value) and derivation.value.ndim == 2 else "values"
        these = "this" if kind == "matrix" else "these"
        same = f"the same {kind}" if derivation.difference == 0 else f"{these} {kind}"
        return f"check: backward() gives {same}, largest difference {difference}"
    backward = short(number(derivation.backward), page.digits)
    return f"check: backward() gives {backward}, difference {difference}"

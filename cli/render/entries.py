"""One entry of a tensor gradient: its formula in index sums, in numbers, and its chain rule."""

from __future__ import annotations

import re

from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import short
from autodiff.cli.render.page import GRADIENT, MUTED, PLAIN, fit, prose
from autodiff.cli.render.steps import LABEL_WIDTH, broken, filled, shorten, step
from autodiff.core.symbolic.sum_text import fold_runs, join_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line, Page
    from autodiff.core.report.entry_records import EntryDerivation

SINGLE_NUMBER = re.compile(r"-?[\w.]+(?:e[-+]\w+)?")
#: The most numbers of a sum, steps of the chain rule, and definitions of names that are shown.
MOST_NUMBERS = 8
MOST_STEPS = 8
MOST_MEANINGS = 12


def entry_lines(entry: EntryDerivation, page: Page) -> Iterator[Line]:
    """The entry on one line if it fits, else one line per step."""
    value = short(entry.value, page.digits)
    if not entry.formula:
        yield from step("one entry:", broken(f"{entry.given} = {value}", page.width - LABEL_WIDTH), GRADIENT)
        yield from prose("its formula is too long to write out", page.width, LABEL_WIDTH)
        return
    numbers = numbers_of(entry.numbers)
    sides = [side for side in (entry.formula, numbers) if side != value]
    if entry.only_formula_is_nan:
        sides, value = [entry.formula], f"{numbers}, which is no number"
    line = " = ".join([entry.given, *sides, value])
    if LABEL_WIDTH + cells(line) <= page.width:
        yield from step("one entry:", [line])
    else:
        sides += contributions_of(entry, page)
        yield from equation_lines(entry.given, [*map(shorten, sides), value], page)
    yield from meaning_lines(entry, page)
    yield from chain_lines(entry, page)
    yield from unspelled_lines(entry, page)


def numbers_of(terms: Sequence[str]) -> str:
    """The sum in numbers; only the first terms of a long one."""
    if len(terms) <= MOST_NUMBERS:
        return join_terms(terms)
    return f"{join_terms(terms[:MOST_NUMBERS])} + ... {len(terms) - MOST_NUMBERS} more"


def contributions_of(entry: EntryDerivation, page: Page) -> list[str]:
    """The numbers that add up to the entry, as a further side; none if its terms are numbers already."""
    numbers = [short(contribution, page.digits) for contribution in entry.contributions]
    is_known = len(numbers) == 1 or all(map(SINGLE_NUMBER.fullmatch, entry.numbers))
    return [] if is_known or entry.only_formula_is_nan else [numbers_of(numbers)]


def equation_lines(given: str, sides: Sequence[str], page: Page) -> Iterator[Line]:
    """``given = side``, with the other sides below it."""
    label = "one entry:".ljust(LABEL_WIDTH)
    lead = f"{given} = "
    if cells(lead) > page.width // 2 - LABEL_WIDTH:
        for row, line in enumerate(broken(given, page.width - LABEL_WIDTH)):
            yield ((MUTED, " " * LABEL_WIDTH if row else label), (PLAIN, line))
        label, lead = " " * LABEL_WIDTH, "  = "
    room = page.width - LABEL_WIDTH - cells(lead)
    for at, side in enumerate(sides):
        for row, piece in enumerate(broken(side, room)):
            before = lead if not at and not row else "= ".rjust(cells(lead)) if not row else " " * cells(lead)
            yield ((MUTED, label if not at and not row else " " * LABEL_WIDTH), (PLAIN, before + piece))


def meaning_lines(entry: EntryDerivation, page: Page) -> Iterator[Line]:
    """The definitions of the introduced names; runs of similar ones are joined."""
    meanings = fold_runs([f"{name} = {meaning}" for name, meaning in entry.where])
    for text, rest in meanings[:MOST_MEANINGS]:
        said = f"where {text}" + (f"  {rest}" if rest else "")
        yield from hanging(said, page, len("where "))
    if len(meanings) > MOST_MEANINGS:
        yield ((MUTED, " " * LABEL_WIDTH + f"... {len(meanings) - MOST_MEANINGS} more names"),)


def hanging(text: str, page: Page, indent: int) -> Iterator[Line]:
    """A definition beside the labels, broken with a hanging indent."""
    pieces = broken(shorten(text), page.width - LABEL_WIDTH - indent)
    for row, piece in enumerate(pieces):
        yield ((PLAIN, " " * (LABEL_WIDTH + (indent if row else 0))), (MUTED, piece))


def chain_lines(entry: EntryDerivation, page: Page) -> Iterator[Line]:
    """The chain rule: the entries that depend on this one, their gradients, and their local derivatives."""
    if not entry.steps:
        return
    below = entry.below
    products = [f"d{entry.above}/d{s.name} * d{s.name}/d{below}" for s in entry.steps]
    spelled = [f"sum({term} {rest})" if rest else term for term, rest in fold_runs(products)]
    shown = spelled[:MOST_STEPS] + ["..."] * (len(spelled) > MOST_STEPS)
    pieces = [f" + {term}" if at else term for at, term in enumerate(shown)]
    for row, line in enumerate(filled(pieces, page.width - LABEL_WIDTH)):
        yield ((MUTED, ("" if row else "  chain").ljust(LABEL_WIDTH)), (PLAIN, line))
    locals_ = fold_runs([f"d{s.name}/d{below} = {s.local}" for s in entry.steps])
    values = fold_runs([f"{s.name} = {s.expansion}" for s in entry.steps if s.expansion])
    for label, texts in (("  local", locals_), ("  of", values)):
        for row, (text, rest) in enumerate(texts[:MOST_STEPS]):
            said = text + (f"  {rest}" if rest else "")
            for line_at, line in enumerate(broken(shorten(said), page.width - LABEL_WIDTH - 2)):
                left = "" if row or line_at else label
                yield ((MUTED, left.ljust(LABEL_WIDTH)), (PLAIN, "  " * bool(line_at) + line))
        if len(texts) > MOST_STEPS:
            yield ((MUTED, " " * LABEL_WIDTH + f"... {len(texts) - MOST_STEPS} more"),)


def unspelled_lines(entry: EntryDerivation, page: Page) -> Iterator[Line]:
    for said in entry_remarks(entry, page):
        yield from prose(said, page.width, LABEL_WIDTH)


def entry_remarks(entry: EntryDerivation, page: Page) -> list[str]:
    """Remarks on ops without a formula per entry, whose gradients appear as values."""
    remarks = []
    names: dict[str, list[str]] = {}
    for name, op in entry.unspelled:
        names.setdefault(op, []).append(name)
    for op, stand in names.items():
        first = f"{fit(stand[0])} = {short(entry.values[stand[0]], page.digits)}"
        more = f" and {len(stand) - 1} more" if len(stand) > 1 else ""
        remarks.append(f"{op} cannot be written entry by entry: {first}{more} is taken from backward()")
    return remarks


def entry_check(entry: EntryDerivation, page: Page) -> str:
    """The comparison of the formula with backward()."""
    place = f"[{','.join(map(str, entry.place))}]"
    backward = short(entry.backward, page.digits)
    if entry.difference is None:
        return f"check: the entry {place} is backward()'s, {backward}"
    if entry.only_formula_is_nan:
        return f"check: backward() gives {backward} at {place}, where this formula has a gap"
    return f"check: backward() gives {backward} at {place}, difference {short(entry.difference, 3)}"

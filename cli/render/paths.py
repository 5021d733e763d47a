"""The report on a gradient's paths: contributions, uses, cancellation, causes and kinks."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import isfinite

from autodiff.cli.process.streams import visible
from autodiff.cli.render.numbers import inline, is_array, number, short, spell_count
from autodiff.cli.render.page import EMPTY, GRADIENT, MUTED, NAME, PLAIN, Page, fit, muted, prose
from autodiff.cli.render.prose import WIDEST_PROSE
from autodiff.cli.render.steps import filled, folded_around_code
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.base.limits import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line
    from autodiff.core.base.errors import Fix
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.records import Derivation, InputUse, Path

evaluation = LazyModule("autodiff.core.symbolic.evaluate")
LABEL_WIDTH = 14
NARROWEST = 20
#: Where a row of a table may be folded.
FOLDS = re.compile(r"(?= <- )|(?<=, )")
#: A path of more nodes shows its ends, or else at most ``MOST_APART`` nodes that distinguish it from similar
#: paths.
LONGEST_WAY = 8
MOST_APART = 4
GAP = "..."
MOST_USES = 10
MOST_KINKS = 5
MOST_ZEROS = 3
#: So many paths with the same contribution, up to rounding, are not listed one by one.
MANY_ALIKE, ALIKE = 6, 1e-9
#: Contributions cancel if their sum is smaller than this, relative to their size.
CANCELS = 1e-12


def path_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The contributions of the paths and of the uses, what cancels, and the strongest path in words."""
    if derivation.count > 1 and derivation.paths:
        yield EMPTY
        rows = path_rows(derivation, page)
        yield from table("paths", rows, page)
        if any(share and text.startswith("up to") for text, share, _ in rows):
            said = "`up to` is the largest entry that a path gives, % its share of all entries without signs"
            yield from prose(said, page.width, LABEL_WIDTH)
        yield from cancelling_lines(derivation, page)
    if 1 < derivation.use_count < derivation.count or (derivation.use_count > 1 and not derivation.paths):
        yield EMPTY
        yield from use_lines(derivation, page)
    if derivation.words:
        yield EMPTY
        yield from labelled("in words", derivation.words, page)


def path_rows(derivation: Derivation, page: Page) -> list[tuple[str, str, str]]:
    """The table rows of the shown paths, strongest first."""
    if are_all_zero([path.contribution for path in derivation.paths]):
        shown, count = len(derivation.paths), spell_count(derivation.count)
        return [
            ("0", "", "by each path" if shown == derivation.count else f"by each of {shown} of {count} paths")
        ]
    if has_many_equal_paths(derivation):
        shown, count = len(derivation.paths), spell_count(derivation.count)
        by = "by each path" if shown == derivation.count else f"by each of {shown} of {count} paths"
        return [(*amount(derivation.paths[0].contribution, derivation, page), by)]
    return [
        (*amount(path.contribution, derivation, page), nodes)
        for path, nodes in zip(ranked(derivation.paths), spelled_paths(derivation), strict=True)
    ]


def use_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The contribution of each use of the input, largest first."""
    if are_all_zero([use.contribution for use in derivation.uses]):
        yield from table("uses", [("0", "", f"in each of {derivation.use_count:,} uses")], page)
        return
    uses = sorted(derivation.uses, key=weight_of_use, reverse=True)[:MOST_USES]
    yield from table("uses", [use_row(use, derivation, page) for use in uses], page)
    left = derivation.use_count - len(uses)
    if left:
        yield muted(" " * LABEL_WIDTH + f"... {left:,} more use{'s' if left > 1 else ''}")


def has_many_equal_paths(derivation: Derivation) -> bool:
    """Whether there are many paths, and all that are written out contribute the same number."""
    values = [path.contribution for path in derivation.paths]
    if len(values) < MANY_ALIKE or not derivation.is_scalar:
        return False
    first = number(values[0])
    return all(abs(number(value) - first) <= ALIKE * abs(first) for value in values)


def are_all_zero(contributions: Sequence[Any]) -> bool:
    """Whether there are more than ``MOST_ZEROS`` contributions and all are zero."""
    return len(contributions) > MOST_ZEROS and not any(map(weight, contributions))


def cause_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """Why the gradient is zero or not finite, and repairs for it."""
    for texts in cause_texts(derivation):
        yield EMPTY
        for label, text in texts:
            yield from labelled("  try" if label == "try" else label, text, page)


def kink_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """The points where the gradient is a convention, such as kinks."""
    for kink in derivation.kinks[:MOST_KINKS]:
        yield EMPTY
        for label, text in kink_texts(kink):
            yield from labelled(label, text, page)
    left = len(derivation.kinks) - MOST_KINKS
    if left > 0:
        yield muted(" " * LABEL_WIDTH + f"{more_kinks(left)} (--format json)")


def cause_texts(derivation: Derivation) -> Iterator[list[tuple[str, str]]]:
    """Yield the texts of each cause and its tried repairs, each with a label."""
    for cause in derivation.causes:
        texts = [("why", at_line(cause.line, cause.text))]
        if cause is derivation.causes[0] and (simplified := simplified_away(derivation)):
            texts.append(("", f"step 3 leaves that out: {simplified}"))
        texts += [("try", repair_words(repair, cause)) for repair in cause.repairs]
        yield texts


def kink_texts(kink: Kink) -> Iterator[tuple[str, str]]:
    """The labelled texts about a point where the gradient is a convention."""
    yield kink.kind, at_line(kink.line, kink.text)
    if kink.formula:
        yield "", f"step 3 leaves that out: there its formula comes to {kink.formula}"


def simplified_away(derivation: Derivation) -> str:
    """Return what the formula comes to if that is finite although the gradient is not; else an empty text.

    A value that is not finite was multiplied by 0 or subtracted from itself, which simplification replaces by
    0.
    """
    written = derivation.expressions
    expr = None if written is None else written.simplified
    if not derivation.causes or expr is None or isfinite(weight(derivation.value)):
        return ""
    if expr.head == "number":
        return f"simplified, it is {derivation.simplified} everywhere" * isfinite(expr.value)
    value = formula_value(derivation)
    if value is None or not isfinite(weight(value)):
        return ""
    shown = inline(value if value.ndim else float(value), limits.digits)
    return f"simplified, it is {derivation.simplified}, which is {shown} here"


def formula_value(derivation: Derivation) -> Any:
    """The value of the simplified formula; None if there is none, or a name in it has no value."""
    written = derivation.expressions
    if written is None or written.simplified is None:
        return None
    try:
        return evaluation.value_of(written.simplified, written.values)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return None  # an invented name, a long form


def repair_words(repair: Fix, cause: Cause) -> str:
    """The text of a repair, with the lines it changes where these are not just the line of the cause."""
    if repair.lines in ((), (cause.line,)):
        return repair.text
    numbers = [str(line) for line in repair.lines]
    listed = " and ".join([", ".join(numbers[:-1])] * (len(numbers) > 1) + numbers[-1:])
    return f"line{'s' * (len(numbers) > 1)} {listed}: {repair.text}"


def at_line(line: int | None, text: str) -> str:
    return text if line is None else f"line {line}: {text}"


def more_kinks(count: int) -> str:
    return f"... {count:,} more point{'s' if count > 1 else ''} like these"


def labelled_causes(derivation: Derivation) -> Iterator[tuple[str, str]]:
    """The causes and the kinks of a derivation as labels and texts, for documents."""
    for texts in cause_texts(derivation):
        yield from texts
    yield from all_kink_texts(derivation)


def all_kink_texts(derivation: Derivation) -> Iterator[tuple[str, str]]:
    """The kinks of a derivation as labels and texts; of many the first and how many more there are."""
    for kink in derivation.kinks[:MOST_KINKS]:
        yield from kink_texts(kink)
    if len(derivation.kinks) > MOST_KINKS:
        yield "", more_kinks(len(derivation.kinks) - MOST_KINKS)


def labelled(label: str, text: str, page: Page) -> Iterator[Line]:
    """Prose beside a label, folded to the page's width, but not inside of code that fits a line."""
    room = max(min(page.width, WIDEST_PROSE) - LABEL_WIDTH, NARROWEST)
    for at, line in enumerate(folded_around_code(visible(text), room)):
        yield ((MUTED, ("" if at else label).ljust(LABEL_WIDTH)), (PLAIN, line))


def ranked(paths: tuple[Path, ...]) -> list[Path]:
    """The paths by size of contribution, largest first; equal ones keep the order of the derivation."""
    return sorted(paths, key=lambda path: -total_size(path.contribution))


def weight(contribution: Any) -> float:
    if is_array(contribution):
        size = float(abs(contribution).max()) if contribution.size else 0.0
    else:
        size = abs(number(contribution))
    return size if size == size else float("inf")


def weight_of_use(use: InputUse) -> float:
    return weight(use.contribution)


def spelled_paths(derivation: Derivation) -> list[str]:
    """The nodes of every path, strongest first; long paths are shortened to distinguishing nodes."""
    ways = [path.nodes for path in ranked(derivation.paths)]
    counts = Counter(map(ends_of, dict.fromkeys(ways)))
    through = passing([way for way in ways if counts[ends_of(way)] > 1])
    shown = [ends_of(way) if counts[ends_of(way)] == 1 else apart(way, through) for way in ways]
    return [" <- ".join([fit(name, 24) for name in names]) for names in shown]


def ends_of(way: tuple[str, ...]) -> tuple[str, ...]:
    return way if len(way) <= LONGEST_WAY else (*way[:4], GAP, *way[-3:])


def passing(ways: Sequence[tuple[str, ...]]) -> dict[str, set[int]]:
    """For each node, the indices of the paths that contain it."""
    through: dict[str, set[int]] = {}
    for at, way in enumerate(ways):
        for node in way:
            through.setdefault(node, set()).add(at)
    return through


def apart(way: tuple[str, ...], through: Mapping[str, set[int]]) -> tuple[str, ...]:
    """The two ends of a path and intermediate nodes that no other path contains all of.

    >>> ways = [("L", "c", "b", "a", "x"), ("L", "c", "d", "a", "x")]
    >>> apart(ways[0], passing(ways))
    ('L', '...', 'b', '...', 'x')
    """
    alike = through[way[0]]  # all paths begin at the output
    kept: list[int] = []
    while len(kept) < MOST_APART:
        left = [through[node] & alike if kept else through[node] for node in way[1:-1]]
        at = min(range(len(left)), key=lambda at: len(left[at]), default=0)
        if not left or len(left[at]) == len(alike):
            break
        kept.append(at + 1)
        alike = left[at]
    shown = [way[0]]
    for before, at in pairwise([0, *sorted(kept), len(way) - 1]):
        shown += [way[at]] if at == before + 1 else [GAP, way[at]]
    return tuple(shown)


def use_row(use: InputUse, derivation: Derivation, page: Page) -> tuple[str, str, str]:
    paths = "1 path" if use.paths == 1 else f"{spell_count(use.paths)} paths"
    place = "" if use.line is None or f" (line {use.line}" in use.name else f", line {use.line}"
    return (*amount(use.contribution, derivation, page), f"in {fit(use.name, 40)}{place}, {paths}")


def amount(contribution: Any, derivation: Derivation, page: Page) -> tuple[str, str]:
    """A contribution, and its share of the sum of all absolute contributions."""
    if is_array(contribution) and not derivation.is_scalar:
        if np.isnan(np.asarray(contribution)).any():
            return "nan", ""
        shown, size, total = (
            f"up to {short(weight(contribution), page.digits)}",
            total_size(contribution),
            0.0,
        )
        if len(derivation.paths) == derivation.count:
            total = sum(total_size(path.contribution) for path in derivation.paths)
    else:
        value = number(contribution)
        shown, size, total = short(value, page.digits), abs(value), derivation.magnitude or 0.0
    return shown, f"{100 * size / total:.3g} %" if 0 < total < float("inf") else ""


def total_size(contribution: Any) -> float:
    """The sum of the entries without their signs; infinite where one is nan."""
    if not is_array(contribution):
        return weight(contribution)
    size = float(abs(contribution).sum())
    return size if size == size else float("inf")


def table(label: str, rows: list[tuple[str, str, str]], page: Page) -> Iterator[Line]:
    """Table rows: right-aligned amounts and shares, then a text folded at arrows and commas."""
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    for at, (amount, share, text) in enumerate(rows):
        left = ("" if at else label).ljust(LABEL_WIDTH)
        shares = "  " + share.rjust(widths[1]) if widths[1] else ""
        room = page.width - LABEL_WIDTH - widths[0] - len(shares) - 2
        if room < NARROWEST:
            shares, room = "", max(room + len(shares), NARROWEST)
        first, *others = filled(FOLDS.split(text), room)
        before = (left, amount.rjust(widths[0]), shares + "  ")
        yield (*zip((MUTED, GRADIENT, MUTED), before, strict=True), (NAME, fit(first, room)))
        for line in others:
            yield ((PLAIN, " " * sum(map(len, before))), (NAME, fit(line, room)))


def cancel(a: Any, b: Any) -> bool:
    """Whether two nonzero contributions cancel."""
    size = weight(a)
    if not 0 < size < float("inf") or a.__class__ is not b.__class__:
        return False
    return weight(a + b) <= CANCELS * size


def parting(a: Path, b: Path) -> tuple[str, str]:
    """What tells each of two paths from the other: ``by`` its node nearest to the input that the other lacks.

    ``not by`` that of the other if it has none; the nearest nodes if neither has one.
    """
    own, other = (
        next((node for node in reversed(one.nodes[:-1]) if node not in two.nodes), "")
        for one, two in ((a, b), (b, a))
    )
    if not own and not other:
        own, other = a.nodes[-2:][0], b.nodes[-2:][0]
    named = [fit(name, 24) for name in (own or other, other or own)]
    return f"{'' if own else 'not '}by {named[0]}", f"{'' if other else 'not '}by {named[1]}"


def cancelling_lines(derivation: Derivation, page: Page) -> Iterator[Line]:
    """Pairs of paths that cancel, and the sum of all absolute contributions if it exceeds the gradient."""
    left: list[Path] = []
    for path in ranked(derivation.paths):
        partner = next((x for x in left if cancel(x.contribution, path.contribution)), None)
        if partner is None:
            left.append(path)
            continue
        left.remove(partner)
        by = parting(partner, path)
        values = [amount(p.contribution, derivation, page)[0] for p in (partner, path)]
        said = f"{values[0]} ({by[0]}) and {values[1]} ({by[1]}) cancel"
        yield from prose(said, page.width, LABEL_WIDTH)
    if derivation.magnitude is None:
        return
    value = abs(number(derivation.value))
    if derivation.magnitude < float("inf") and value < derivation.magnitude * (1 - 1e-9):
        total = short(derivation.magnitude, page.digits)
        yield from prose(f"without their signs all paths add up to {total}", page.width, LABEL_WIDTH)

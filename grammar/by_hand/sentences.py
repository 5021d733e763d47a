"""Sentences about a wrong hand formula: where it is off, by how much, and for which entries."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.grammar.by_hand.left_side import LeftSide
from autodiff.grammar.by_hand.points import TERM_TOLERANCE, SamplePoints, is_plain_number, values_equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula

MAX_INPUTS = 6
#: How many entries a sentence spells out.
MAX_SHOWN = 9
#: A plain number that is nearer to the gradient, relative to it, is rounded.
NUMBER_TOLERANCE = 1e-2
FRACTIONS = {2: "half", 3: "a third", 4: "a quarter"}


def accident_remarks(points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return remarks on a formula that is right at the script's values and wrong at others."""
    sentence = "it is right at the script's values by accident, and wrong at others"
    return [sentence, *counterexample(points, computed)]


def far_away_remarks(points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return remarks on a formula that is right near the script's values and wrong further away."""
    sentence = "further away it is wrong: a kink, or another choice of the script, lies between"
    return [sentence, *counterexample(points, computed)]


def other_points_remarks(gradient: Any, points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return remarks on a formula that is wrong at other points, where the script's own proves nothing."""
    here = "no digit of the difference is known" if np.isfinite(gradient).any() else "nothing is finite"
    return [f"{here} at the script's values; at others it is wrong", *counterexample(points, computed)]


def undefined_remarks(value: Any, g: Any) -> list[str]:
    """Return the remark on a formula that differs from the gradient only where the gradient is no number."""
    is_undefined = np.isnan(g)
    if not is_undefined.any() or not values_equal(np.where(is_undefined, g, value), g):
        return []
    of = "" if is_undefined.all() else "an entry of "
    return [f"it is right around the script's values; at them {of}the gradient is nan, which proves nothing"]


def rounded_remarks(formula: Formula, points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return the remark on a formula that is off by less than terms and factors are told apart by.

    A plain number is compared at the script's values only.
    """
    compared, room = points.gradients, TERM_TOLERANCE
    if is_plain_number(formula, points):
        compared, room = compared[:1], NUMBER_TOLERANCE
    apart = [relative_distance(value, g) for value, g in zip(computed, compared, strict=False)]
    if not 0 < apart[0] <= room or max(apart) > room:
        return []
    causes = "a number in it is rounded, or a small term is wrong"
    remark = f"it is off by {apart[0]:.1g} of the gradient's size: {causes}"
    exact = "numbers in a formula are exact: one that is rounded stands alone on the right"
    return [remark, *both_numbers(computed[0], compared[0]), *[exact] * (len(compared) > 1)]


def both_numbers(value: Any, gradient: Any) -> list[str]:
    """Return a remark that has both numbers with many digits."""
    if np.ndim(gradient):
        return []
    return [f"it gives {float(value):.12g}, and the gradient is {float(gradient):.12g}"]


def relative_distance(value: Any, g: Any) -> float:
    """Return the largest distance of two entries, relative to the largest entry; inf if that is no number."""
    size = float(np.max(np.abs(g), initial=0.0))
    distance = float(np.max(np.abs(value - g), initial=0.0))
    return distance / size if 0 < size < np.inf and np.isfinite(distance) else np.inf


def counterexample(points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return the first point where the formula is wrong, if the inputs are a few numbers."""
    at = next(at for at, g in enumerate(points.gradients) if not values_equal(computed[at], g))
    numbers = [leaf for leaf in points.leaves if leaf.name is not None and not leaf.shape]
    numbers.sort(key=lambda leaf: leaf.number)
    if len(numbers) == len(points.leaves) <= MAX_INPUTS and not np.ndim(points.gradients[at]):
        where = ", ".join(f"{leaf.name} = {format_number(points.leaf_value(leaf, at))}" for leaf in numbers)
        value, right = format_number(computed[at]), format_number(points.gradients[at])
        return [f"at {where} the formula gives {value}, and the gradient is {right}"]
    return []


def transposed_remarks(points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return the remark on a formula that is the transpose of the Jacobian."""
    if not points.is_jacobian or not computed or np.ndim(points.gradients[0]) != 2:
        return []
    if not all(map(values_equal_in_shape, (np.transpose(value) for value in computed), points.gradients)):
        return []
    return [f"it is the transpose: a row belongs to an entry of {points.subject.name}"]


def other_row_remarks(formula: Formula, points: SamplePoints, computed: list[Any]) -> list[str]:
    """Return the remark on a formula for a row of the Jacobian that is right for another row, if it is."""
    left = formula.left
    if left is None or left.row is None or len(computed) < 2:
        return []
    for row in np.ndindex(points.subject.root.shape):
        index = (*row, *(left.place or ()))
        if row != left.row and all(
            values_equal_in_shape(value, whole[index])
            for value, whole in zip(computed, points.whole, strict=True)
        ):
            other = LeftSide(left.output, left.by, row)
            return [f"it is {other.spelled(points.subject.name)}"]
    return []


def values_equal_in_shape(a: Any, b: Any) -> bool:
    return np.shape(a) == np.shape(b) and values_equal(a, b)


def other_entry_remarks(entry: tuple[int, ...], whole: list[Any], computed: list[Any]) -> list[str]:
    """Return the remark that a formula for one entry is right for another entry of the gradient, if it is."""
    for place in np.ndindex(whole[0].shape):
        if place != entry and all(
            values_equal(value, g[place]) for value, g in zip(computed, whole, strict=True)
        ):
            return [f"it is the entry {list(place)} of the gradient"]
    return []


def ratio_remark(ratio: float, sign: str) -> str:
    """Return the remark on a value ``ratio`` times the right one: ``sign`` if only the sign is wrong."""
    size = abs(ratio)
    if abs(size - 1) <= 1e-6:
        return sign
    turned = " and has the wrong sign" if ratio < 0 else ""
    factor = max(size, 1 / size)
    if abs(factor - round(factor)) > 1e-6 * factor:
        return f"it is {format_number(size)} times what it should be{turned}"
    whole = round(factor)
    if size > 1:
        times = "twice" if whole == 2 else f"{whole} times"
        return f"it is {times} what it should be{turned}: a factor {whole} is superfluous"
    part = FRACTIONS.get(whole, f"1/{whole}")
    return f"it is {part} of what it should be{turned}: a factor {whole} is missing"


def constant_ratio(values: list[Any], right: list[Any]) -> float | None:
    """Return the ratio of the values to the right ones if it is the same everywhere, else None.

    Where the right one is 0, the value has to be 0 too.
    """
    ratios: list[float] = []
    for value, g in zip(values, right, strict=True):
        value, g = np.broadcast_to(np.asarray(value, dtype=float), np.shape(g)), np.asarray(g, dtype=float)
        if not np.any(g) or np.any(value[g == 0]) or not np.isfinite(value).all():
            return None
        ratios += (value[g != 0] / g[g != 0]).tolist()
    first = ratios[0]
    return first if first and all(abs(r - first) <= 1e-6 * abs(first) for r in ratios) else None


def format_number(value: Any) -> str:
    return f"{float(value) + 0.0:.{limits.digits}g}"  # without the sign of -0


def wrong_entries_remarks(computed: list[Any], right: list[Any]) -> list[str]:
    """Return the remark on the wrong entries, or on a difference that is the same at every point."""
    values = [np.broadcast_to(value, np.shape(g)) for value, g in zip(computed, right, strict=True)]
    if not right[0].ndim:
        return []
    with np.errstate(invalid="ignore"):
        missing = right[0] - values[0]
    missing = np.where(np.abs(missing) <= 1e-12 * np.abs(missing).max(), 0.0, missing)
    is_constant = all(
        values_equal(g - value, missing) for g, value in zip(right[1:], values[1:], strict=True)
    )
    if len(right) > 1 and is_constant and missing.size <= MAX_SHOWN and np.isfinite(missing).all():
        return [f"it is off by the same at every point: {format_array(missing)} must be added to it"]
    apart = np.where(values[0] == right[0], 0.0, np.nan_to_num(np.abs(missing), nan=np.inf))
    size = max(float(np.abs(right[0]).max()), float(np.abs(values[0]).max()))
    wrong = [tuple(map(int, place)) for place in np.argwhere(~(apart <= TERM_TOLERANCE * size))]
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
    value, expected = format_number(values[0][worst]), format_number(right[0][worst])
    remark = f"entry {list(worst)} is {value} and should be {expected}"
    if len(wrong) == apart.size or apart.size < 3:
        return [remark]
    if line := line_of_entries(wrong, apart.shape):
        return [f"{remark}; only {line} is wrong"]
    return [f"{remark}; {apart.size - len(wrong)} of {apart.size} entries are right"]


def line_of_entries(places: list[tuple[int, ...]], shape: tuple[int, ...]) -> str:
    """Return the row or the column of a matrix with several that these entries are most of; else ""."""
    for axis, called in enumerate(("row", "column") if len(shape) == 2 else ()):
        numbers = {place[axis] for place in places}
        if len(numbers) == 1 < shape[axis] and 2 <= len(places) > shape[1 - axis] / 2:
            return f"{called} {numbers.pop()}"
    return ""


def format_array(value: Any) -> str:
    """Return a few numbers on one line, with the rows of a matrix separated by semicolons."""
    value = np.asarray(value)
    if not value.ndim:
        return format_number(value)
    if value.size > MAX_SHOWN or value.ndim > 2:
        return f"up to {format_number(value.ravel()[np.argmax(np.abs(value))])}"
    rows = value if value.ndim == 2 else value[None]
    return "[" + "; ".join(" ".join(map(format_number, row)) for row in rows) + "]"

"""Points where a right formula has no value: 0/0 or 0 times infinity, with the gradient as its limit."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.formula import evaluate_formula
from autodiff.grammar.by_hand.points import values_equal
from autodiff.grammar.by_hand.sentences import format_number
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints

#: How far constants are moved away from a gap, and how near the formula must come to the gradient.
CONSTANT_MOVE, LIMIT_TOLERANCE = 1e-6, 1e-3


def gap_remarks(formula: Formula, points: SamplePoints, computed: list[Any], near: SamplePoints) -> list[str]:
    """Return remarks on a formula that is right but where it is no number; none if it is wrong elsewhere.

    ``near`` are points near the script's. Constants of the script do not differ there, so they are moved.
    """
    gap = is_gap(computed[0], points.gradients[0])
    if not gap.any() or not all(map(equal_outside_gaps, computed, points.gradients)):
        return []
    moved = [near_values(formula, near, at, sign) for at in range(1, len(near.names)) for sign in (1, -1)]
    gradients = [g for g in near.gradients[1:] for _ in (1, -1)]
    reached = np.zeros(gap.shape, bool)
    for value, g in zip(moved, gradients, strict=True):
        if value is None:
            continue
        value = np.broadcast_to(value, np.shape(g))
        apart = np.abs(np.where(np.isfinite(value), value, g) - g)
        if np.any(apart > LIMIT_TOLERANCE * (1 + np.abs(g).max())):
            return []
        reached |= np.isfinite(value)
    if not reached[gap].all():
        return []
    entry = tuple(int(at[0]) for at in np.nonzero(gap)) if gap.ndim else ()
    at = f"entry {list(entry)} of it" if entry else "it"
    where = described(formula, points, entry)
    limit = format_number(points.gradients[0][entry])
    return [f"it is right around the script's values; at them {at} is no number{where}: its limit is {limit}"]


def is_gap(value: Any, g: Any) -> Any:
    return ~np.isfinite(np.broadcast_to(value, np.shape(g))) & np.isfinite(g)


def equal_outside_gaps(value: Any, g: Any) -> bool:
    return values_equal(np.where(is_gap(value, g), g, value), g)


def near_values(formula: Formula, near: SamplePoints, at: int, sign: int) -> Any:
    """Return the formula's value at a near point, with its constants moved; None if it cannot be computed."""
    names = dict(near.names[at])
    for name in formula.names_read.intersection(near.variables):
        value, before = (np.asarray(near.number(name, place)) for place in (at, 0))
        if value.dtype.kind == "f" and np.array_equal(value, before):
            names[name] = Tensor.of(as_stored(value + sign * CONSTANT_MOVE * np.maximum(1.0, np.abs(value))))
    try:
        return np.asarray(evaluate_formula(formula.source.text, names, formula.is_expression), dtype=float)
    except UsageError:
        return None


def described(formula: Formula, points: SamplePoints, entry: tuple[int, ...]) -> str:
    """Return in words which part of a formula is no number at an entry, as ``, since sin(x)/x is 0/0``."""
    shape = np.shape(points.gradients[0])

    def value_of(part: Any) -> float | None:
        try:
            value = np.asarray(evaluate_formula(formula.text(part), points.names[0]), dtype=float)
            return float(np.broadcast_to(value, shape)[entry])
        except (UsageError, TypeError, ValueError):
            return None

    parts = [part for part in walk(formula.node) if isinstance(part, tree.Expression)]
    values = [(part, value) for part in parts if (value := value_of(part)) is not None]
    wrong = [part for part, value in values if np.isnan(value)] or [p for p, v in values if np.isinf(v)]
    if not wrong:
        return ""
    part = min(wrong, key=lambda part: part.span.end - part.span.start)
    text = formula.text(part)
    if isinstance(part, tree.Binary) and part.op in "*/":
        left, right = value_of(part.left), value_of(part.right)
        if left is not None and right is not None:
            by = "/" if part.op == "/" else " times "
            return f", since {text} is {format_number(left)}{by}{format_number(right)}"
    return f", since {text} is {format_number(value_of(part))}"

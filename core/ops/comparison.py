"""Comparisons, logic and the choices rules make: nothing here has a slope of its own but ``where``.

``except_where`` is for conventions at singular points: it computes like ``where``, and a printed derivation
shows the regular formula alone.
"""

from __future__ import annotations

from autodiff.core.lazy import np
from autodiff.core.op import elementwise, selective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def no_gradient(g: Any, out: Any, *operands: Any) -> Any:
    """The rule of an operand that is a choice, not a quantity."""
    raise AssertionError("a condition is never tracked")


lt = elementwise("lt", lambda x, y: np.less(x, y), 0, 0, infix="<")
le = elementwise("le", lambda x, y: np.less_equal(x, y), 0, 0, infix="<=")
gt = elementwise("gt", lambda x, y: np.greater(x, y), 0, 0, infix=">")
ge = elementwise("ge", lambda x, y: np.greater_equal(x, y), 0, 0, infix=">=")
eq = elementwise("eq", lambda x, y: np.equal(x, y), 0, 0, infix="==")
ne = elementwise("ne", lambda x, y: np.not_equal(x, y), 0, 0, infix="!=")
logical_and = elementwise("logical_and", lambda x, y: np.logical_and(x, y), 0, 0, infix="&")
logical_or = elementwise("logical_or", lambda x, y: np.logical_or(x, y), 0, 0, infix="|")
logical_not = elementwise("logical_not", lambda x: np.logical_not(x), 0, infix="~")

where = selective(
    "where",
    lambda condition, x, y: np.where(condition, x, y),
    no_gradient,
    lambda g, out, condition, x, y: where(condition, g, 0.0),
    lambda g, out, condition, x, y: where(condition, 0.0, g),
    scalar=lambda condition, x, y: float(x if condition else y),
)
except_where = selective(
    "except_where",
    lambda condition, value, formula: np.where(condition, value, formula),
    no_gradient,
    lambda g, out, condition, value, formula: where(condition, g, 0.0),
    lambda g, out, condition, value, formula: where(condition, 0.0, g),
    scalar=lambda condition, value, formula: float(value if condition else formula),
)

"""A path as a sentence: how much the output changes per unit of the input."""

from __future__ import annotations

from autodiff.core.base.limits import limits
from autodiff.core.symbolic.expr import expr_text, number_expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Of a longer path, only the first and the last steps are told.
MOST_STEPS = 8


def path_as_sentence(names: Sequence[str], rates: Sequence[float], total: float | None = None) -> str:
    """The sentence for ``names``, from input to output, and the derivative of each step between them.

    ``total`` is the derivative over all paths if there are several. The sentence tells rates, not the effect
    of a whole unit, since a curve may turn within that unit.

    >>> path_as_sentence(["a", "c", "e"], [1.0, 2.0])
    'per unit of a, c grows by 1, so e grows by 2'
    >>> path_as_sentence(["x", "3*x", "y"], [3.0, -1.0], -2.0)
    'along one path alone, per unit of x, 3*x grows by 3, so y falls by 3; over all paths y falls by 2'
    """
    said = []
    rate = 1.0
    for name, step in zip(names[1:], rates, strict=True):
        rate *= step
        said.append(f"{name} {_change(rate)}")
    if len(said) > MOST_STEPS:
        half = MOST_STEPS // 2
        said = [*said[:half], "and so on until " + said[-half], *said[1 - half :]]
    first, *others = said
    along = ", so ".join([f"per unit of {names[0]}, {first}", *others]).replace("so and so", "and so")
    if total is None:
        return along
    return f"along one path alone, {along}; over all paths {names[-1]} {_change(total)}"


def _change(rate: float) -> str:
    if rate == 0:
        return "stays as it is"
    verb = "falls" if rate < 0 else "grows"
    return f"{verb} by {expr_text(number_expr(abs(rate)), digits=limits.digits)}"

"""The derivative of an analytic function by a step along the imaginary axis, without taking a difference.

(Squire and Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40, 1998.)
"""

from __future__ import annotations

from math import frexp, isfinite, ldexp

from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The first step, relative to the entry, as a power of 2: its square vanishes beside 1.
FIRST_EXPONENT = -40
#: Smaller steps are tried if the function changes within one: each by this power of 2, at most so many.
#: Dividing by a power of 2 does not round.
EXPONENT_STEP, MOST_STEPS = -20, 8
#: Two consecutive steps agree if their derivatives differ by at most this part.
AGREEMENT = 1e-9
#: Steps and results below this power of 2 may underflow.
MIN_EXPONENT = -900


def complex_step_derivative(value: Callable[[complex], Any], at: float) -> tuple[float, float] | None:
    """The derivative and the step that gave it; None if no two steps agree or no derivative is finite.

    ``value`` is the function of the step away from the point ``at``.
    """
    exponent = FIRST_EXPONENT + (frexp(at)[1] if at else 0)
    before: float | None = None
    for power in range(exponent, max(exponent + MOST_STEPS * EXPONENT_STEP, MIN_EXPONENT), EXPONENT_STEP):
        step = ldexp(1.0, power)
        try:
            change = float(np.imag(value(step * 1j)))
        except TypeError:  # a function without a complex form
            return None
        if not isfinite(change) or 0 < abs(change) < ldexp(1.0, MIN_EXPONENT):
            before = None
            continue
        slope = change / step
        if before is not None and abs(slope - before) <= AGREEMENT * max(abs(slope), abs(before)):
            return slope, step
        before = slope
    return None

"""The slope of an analytic function by a step along the imaginary axis, which no difference is taken of.

(Squire and Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40, 1998.)
"""

from __future__ import annotations

from math import frexp, isfinite, ldexp

from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The step beside the entry is this power of 2, whose square vanishes beside 1.
FIRST = -40
#: Where the function changes within such a step, smaller ones are tried: powers of 2, which scale what comes
#: of them without rounding,
SMALLER, MOST_STEPS = -20, 8
#: until two of them give the same up to this.
SAME = 1e-9
#: Powers of 2 below this may be lost in what comes of them.
LEAST = -900


def complex_slope(value: Callable[[complex], Any], at: float) -> tuple[float, float] | None:
    """The slope and the step it was found with; None where no two steps agree, or there is no finite slope.

    ``value`` takes the step away from the point ``at``.
    """
    exponent = FIRST + (frexp(at)[1] if at else 0)
    before: float | None = None
    for power in range(exponent, max(exponent + MOST_STEPS * SMALLER, LEAST), SMALLER):
        step = ldexp(1.0, power)
        try:
            change = float(np.imag(value(step * 1j)))
        except TypeError:  # a function of the op that has no complex form
            return None
        if not isfinite(change) or 0 < abs(change) < ldexp(1.0, LEAST):
            before = None
            continue
        slope = change / step
        if before is not None and abs(slope - before) <= SAME * max(abs(slope), abs(before)):
            return slope, step
        before = slope
    return None

"""Derivatives by values of the function alone: difference quotients, a complex step, Taylor's remainder."""

from __future__ import annotations

from itertools import pairwise
from math import factorial, frexp, isfinite, ldexp, log2, sqrt

from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Steps relative to the size of the entry, each a tenth of the one before.
STEPS = tuple(10.0**-k for k in range(2, 9))
#: Further steps for functions that change so fast that the quotients have not settled.
SMALLER_STEPS = tuple(10.0**-k for k in range(9, 16))
SETTLED = 1e-5
#: Entries smaller than this are also stepped in proportion to themselves, so as not to leave the domain.
SMALL_ENTRY = 1e-2
#: Quotients are wrong if those of a smaller step are further away than this many errors.
CONTRADICTION_FACTOR = 20.0
#: At a kink the slope of a side changes by less than this part of the gap between the sides.
MAX_SIDE_DRIFT = 0.2
#: The least relative rounding error of a value.
MIN_ROUNDING = 1e-15
#: Steps that show whether quotients go to infinity, and the least factor by which they then grow per step.
ENDLESS_STEPS, ENDLESS_GROWTH = tuple(10.0**-k for k in range(6, 12)), 1.01
#: The distance of the points at which rounding is sampled, relative to the entries, and their number.
SAMPLE_DISTANCE, SAMPLE_COUNT = 1e-5, 9


class Slope:
    """Difference quotients at one step: to the ``left``, to the ``right``, and central (``middle``).

    ``rounding`` is the rounding error of the values, and ``before`` has the quotients of the previous step.
    ``error`` is the change of the central quotient since then, and at least the effect of rounding. It is
    larger if that change was much larger at the previous step, or if the sides move further apart.
    ``is_split`` is true if the sides differ and stay apart, as at a kink.
    """

    __slots__ = ("change", "error", "grows", "is_split", "left", "middle", "noise", "right", "step")

    def __init__(
        self, below: float, middle: float, above: float, step: float, rounding: float, before: Slope | None
    ) -> None:
        self.left = (middle - below) / step
        self.right = (above - middle) / step
        self.middle = (above - below) / (2 * step)
        self.step = step
        self.noise = max(rounding, MIN_ROUNDING * max(abs(below), abs(middle), abs(above))) / step
        self.change = float("inf") if before is None else abs(self.middle - before.middle)
        self.grows = before is not None and abs(self.middle) > 2 * abs(before.middle)
        self.error = max(self.change, self.noise)
        self.is_split = False
        if before is not None:
            gap, gap_before = abs(self.right - self.left), abs(before.right - before.left)
            if before.change < float("inf"):
                self.error = max(self.error, before.change / 10)
            if gap > 2 * gap_before:
                self.error = max(self.error, gap)
            moved = max(abs(self.left - before.left), abs(self.right - before.right))
            self.is_split = gap > 0.5 * gap_before and gap > 100 * self.noise and moved < MAX_SIDE_DRIFT * gap

    @property
    def is_flat(self) -> bool:
        """Whether the function does not change on either side."""
        return self.left == 0.0 == self.right

    def is_kink(self, size: float) -> bool:
        """Whether the sides differ and do not approach each other, as they would for a smooth function."""
        if self.is_split and abs(self.right - self.left) > 1e-3 * size:
            return True
        # At a jump the quotients themselves grow without bound.
        is_jump = self.grows and self.error > 0.5 * abs(self.middle) > 0.5e-3 * size
        return is_jump and self.error > 100 * self.noise


def entry_scales(x: Any) -> Any:
    """The scale of each entry: its absolute value; for 0 that of the largest entry, or 1 if all are 0."""
    return np.where(x == 0, float(np.abs(x).max(initial=0.0)) or 1.0, np.abs(x))


def slope_of(value: Callable[[float], float], at: float, middle: float, rounding: float) -> Slope | None:
    """The difference quotients with the smallest error over all steps; None if none are finite.

    ``value`` is the function of the step away from the point ``at``, where its value is ``middle``.
    """
    near = None
    if 0 < abs(at) < SMALL_ENTRY:
        near = best_slope_at_scale(value, at, middle, abs(at), rounding)
        if near is not None and near.error <= 1e-6 * abs(near.middle):
            return near
    far = best_slope_at_scale(value, at, middle, max(abs(at), 1.0), rounding)
    if near is None or far is None:
        return far or near
    return min(far, near, key=lambda slope: slope.error)


def slope_along(
    value: Callable[[Any], Any], x: Any, direction: Any, middle: float, rounding: float
) -> Slope | None:
    """``slope_of`` for a function of an array that is moved along ``direction``, relative to its entries."""
    size = float(np.abs(np.where(direction == 0, 0.0, x)).max())
    return slope_of(lambda by: float(value(x + by * direction)), size, middle, rounding)


def best_slope_at_scale(
    value: Callable[[float], float], at: float, middle: float, size: float, rounding: float
) -> Slope | None:
    """The quotients with the smallest error among those not contradicted by smaller steps.

    Steps are relative to ``size``.
    """
    found: list[Slope] = []
    before: Slope | None = None
    for relative in (*STEPS, *SMALLER_STEPS):
        if relative < STEPS[-1] and any(slope.error <= SETTLED * abs(slope.middle) for slope in found):
            break
        step = (at + relative * size) - at  # the exact distance between the two floats
        if not step:
            break
        above, below = value(step), value(-step)
        if not isfinite(above - below):
            before = None
            continue
        slope = Slope(below, middle, above, step, rounding, before)
        found = [
            one
            for one in found
            if abs(one.middle - slope.middle) <= CONTRADICTION_FACTOR * (one.error + slope.noise)
        ]
        found.append(slope)
        before = slope
    return min(found, key=lambda slope: slope.error, default=None)


def is_endless(value: Callable[[float], float], at: float, middle: float, given: float) -> bool:
    """Whether the quotients on one side go to the infinity ``given``; other arguments as in ``slope_of``."""
    for side in (1.0, -1.0):
        quotients: list[float] = []
        for relative in ENDLESS_STEPS:
            step = (at + side * relative * max(abs(at), 1.0)) - at
            quotients.append((value(step) - middle) / step * (1.0 if given > 0 else -1.0))
        if all(here > ENDLESS_GROWTH * before > 0 for before, here in pairwise(quotients)):
            return True
    return False


def estimate_rounding(value: Callable[[Any], float], x: Any, direction: Any) -> tuple[float, float]:
    """The rounding error of a smooth function, estimated from values close together, and their largest size.

    Differences of high order consist of rounding only (Moré and Wild, "Estimating computational noise", SIAM
    Journal on Scientific Computing 33, 2011). The estimate is 0 if values are not finite.
    """
    apart = SAMPLE_DISTANCE * np.where(x == 0, max(float(np.abs(x).max(initial=0.0)), 1e-300), np.abs(x))
    found: list[float] = []
    size = 0.0
    for sign in (1, -1):  # there may be a kink at the point or on one side
        values = np.array([value(x + sign * k * apart * direction) for k in range(1, SAMPLE_COUNT + 1)])
        if not np.isfinite(values).all():
            continue
        size = max(size, float(np.abs(values).max()))
        for order in range(1, SAMPLE_COUNT - 1):
            values = np.diff(values)
            if order >= 4:
                weight = factorial(order) / sqrt(factorial(2 * order))
                largest = float(np.abs(values).max()) or 1.0
                found.append(weight * largest * sqrt(float(np.mean((values / largest) ** 2))))
    return min(found, default=0.0), size


# -- a complex step ---------------------------------------------------------------------------------------

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

    A step along the imaginary axis takes no difference (Squire and Trapp, "Using complex variables to
    estimate derivatives of real functions", SIAM Review 40, 1998). ``value`` is the function of the step away
    from the point ``at``.
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


# -- Taylor's remainder -----------------------------------------------------------------------------------

#: The steps are the length halved this many times. The further ones are used while there is a remainder, for
#: functions that change fast.
HALVINGS, FURTHER_HALVINGS = range(3, 27), range(27, 50)
#: A linear function must change by more than this many times its noise at the largest step.
CLEAR_CHANGE = 1e3
#: A remainder that falls into the noise by more than this power of 2 at one halving does not count.
SUDDEN_DROP = 4
#: An order is measured between consecutive steps. At least MIN_ORDERS are needed; the result is the median of
#: the last ones.
MIN_ORDERS, LAST_ORDERS = 3, 5


class TaylorRemainder:
    """The measured order of Taylor's remainder along a line: it shrinks with the square of the step.

    ``order`` is about 2 if the rate is the derivative, 1 if it is not, and None if it cannot be measured.
    In this case ``is_linear`` is true if there is no remainder: the function changes exactly by the rate, or
    it is constant and the rate is 0. Otherwise rounding hides the change.
    ``left`` is the remainder at the last step, divided by the step: the error of the rate that it suggests.
    """

    __slots__ = ("is_linear", "left", "order")

    def __init__(
        self,
        value: Callable[[float], float],
        middle: float,
        rate: float,
        length: float,
        noise: float,
        rate_noise: float,
    ) -> None:
        """Measure how fast ``|f(h) - f(0) - h*rate|`` shrinks with h, from an eighth of ``length`` down.

        ``value`` is f and ``middle`` is ``f(0)``. Values have an error of ``noise`` and the rate of
        ``rate_noise``.
        """
        noise = max(1e-12 * max(abs(middle), abs(rate) * length, 1e-300), noise)
        points: list[tuple[int, float]] = []
        is_whole, last = True, HALVINGS[0]
        for k in (*HALVINGS, *FURTHER_HALVINGS):
            if k in FURTHER_HALVINGS and not (points and points[-1][0] == k - 1):
                break
            h = length * 2.0**-k
            remainder = abs(value(h) - middle - h * rate)
            is_whole &= isfinite(remainder)
            if isfinite(remainder) and remainder > noise + h * rate_noise:
                points.append((k, log2(remainder)))
                last = k
        if (
            points
            and isfinite(noise)
            and points[-1][1] > log2(noise + length * 2.0**-last * rate_noise) + SUDDEN_DROP
        ):
            points, last = [], last + 1  # a kink or the like lay within the larger steps only
        slopes = [(before[1] - after[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
        # The smallest steps with a remainder above rounding are the nearest to the limit.
        self.order = float(np.median(slopes[-LAST_ORDERS:])) if len(slopes) >= MIN_ORDERS else None
        self.left = 2.0 ** points[-1][1] / (length * 2.0**-last) if points else 0.0
        reach = length * 2.0**-last
        is_plain = abs(rate) * reach > CLEAR_CHANGE * (noise + reach * rate_noise)
        self.is_linear = is_whole and not points and (is_plain or value(reach) == middle)

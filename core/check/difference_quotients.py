"""Difference quotients of a function of numbers, and how far they can be trusted."""

from __future__ import annotations

from itertools import pairwise
from math import factorial, isfinite, sqrt

from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Steps of the differences, relative to the size of the entry: each a tenth of the one before.
STEPS = tuple(10.0**-k for k in range(2, 9))
#: Steps for functions that change so fast that those did not settle.
SMALLER_STEPS = tuple(10.0**-k for k in range(9, 16))
SETTLED = 1e-5
#: An entry below this is also stepped in proportion to itself, lest the steps leave the domain.
SMALL = 1e-2
#: Quotients are off where those of a smaller step are further away than so many errors.
DOUBT = 20.0
#: At a kink the slope of a side changes by less than this part of the gap between them.
CALM = 0.2
#: How much of a value is rounding at least.
ROUNDING = 1e-15
#: Steps that show whether quotients go to infinity, and how much they then grow at each, at least.
ENDLESS_STEPS, ENDLESS_GROWTH = tuple(10.0**-k for k in range(6, 12)), 1.01
#: How far apart, relative to the entries, the points are at which the rounding is sampled, and how many.
SAMPLES_APART, SAMPLES = 1e-5, 9


class Slope:
    """Difference quotients at one step, to the left and to the right.

    ``rounding`` is how far off the values may be. ``error`` is how far the quotients are from those of the
    step ``before``, and no less than rounding makes them; they have not settled where it was much larger at
    that step, nor where the sides go on moving apart. ``is_split`` where the sides stay apart instead.
    """

    __slots__ = ("change", "error", "grows", "is_split", "left", "middle", "noise", "right", "step")

    def __init__(
        self, below: float, middle: float, above: float, step: float, rounding: float, before: Slope | None
    ) -> None:
        self.left = (middle - below) / step
        self.right = (above - middle) / step
        self.middle = (above - below) / (2 * step)
        self.step = step
        self.noise = max(rounding, ROUNDING * max(abs(below), abs(middle), abs(above))) / step
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
            self.is_split = gap > 0.5 * gap_before and gap > 100 * self.noise and moved < CALM * gap

    @property
    def is_flat(self) -> bool:
        """Whether the function does not change at all."""
        return self.left == 0.0 == self.right

    def is_kink(self, size: float) -> bool:
        """Whether the sides differ and do not come closer with the step, as those of a smooth function do."""
        if self.is_split and abs(self.right - self.left) > 1e-3 * size:
            return True
        # At a jump the quotients themselves grow without end.
        is_jump = self.grows and self.error > 0.5 * abs(self.middle) > 0.5e-3 * size
        return is_jump and self.error > 100 * self.noise


def magnitudes(x: Any) -> Any:
    """What a move of every entry is small or large beside: its size, for 0 that of the largest, or 1."""
    return np.where(x == 0, float(np.abs(x).max(initial=0.0)) or 1.0, np.abs(x))


def slope_of(value: Callable[[float], float], at: float, middle: float, rounding: float) -> Slope | None:
    """The difference quotients that change least from one step to the next; None where no step is finite.

    ``value`` takes the step away from the point ``at``, where the function is ``middle``.
    """
    near = None
    if 0 < abs(at) < SMALL:
        near = best_slope(value, at, middle, abs(at), rounding)
        if near is not None and near.error <= 1e-6 * abs(near.middle):
            return near
    far = best_slope(value, at, middle, max(abs(at), 1.0), rounding)
    if near is None or far is None:
        return far or near
    return min(far, near, key=lambda slope: slope.error)


def slope_along(
    value: Callable[[Any], Any], x: Any, way: Any, middle: float, rounding: float
) -> Slope | None:
    """The same for a function of an array that is moved along ``way``, in steps of its entries' size."""
    size = float(np.abs(np.where(way == 0, 0.0, x)).max())
    return slope_of(lambda by: float(value(x + by * way)), size, middle, rounding)


def best_slope(
    value: Callable[[float], float], at: float, middle: float, size: float, rounding: float
) -> Slope | None:
    """The quotients with the smallest error among those that no smaller step has shown to be off."""
    found: list[Slope] = []
    before: Slope | None = None
    for relative in (*STEPS, *SMALLER_STEPS):
        if relative < STEPS[-1] and any(slope.error <= SETTLED * abs(slope.middle) for slope in found):
            break
        step = (at + relative * size) - at  # as far as the input really moves
        if not step:
            break
        above, below = value(step), value(-step)
        if not isfinite(above - below):
            before = None
            continue
        slope = Slope(below, middle, above, step, rounding, before)
        found = [one for one in found if abs(one.middle - slope.middle) <= DOUBT * (one.error + slope.noise)]
        found.append(slope)
        before = slope
    return min(found, key=lambda slope: slope.error, default=None)


def is_endless(value: Callable[[float], float], at: float, middle: float, given: float) -> bool:
    """Whether the quotients to one side go to the infinity ``given``; other arguments as of ``slope_of``."""
    for side in (1.0, -1.0):
        quotients: list[float] = []
        for relative in ENDLESS_STEPS:
            step = (at + side * relative * max(abs(at), 1.0)) - at
            quotients.append((value(step) - middle) / step * (1.0 if given > 0 else -1.0))
        if all(here > ENDLESS_GROWTH * before > 0 for before, here in pairwise(quotients)):
            return True
    return False


def sampled_rounding(value: Callable[[Any], float], x: Any, direction: Any) -> tuple[float, float]:
    """How far off values of a smooth function are, from the differences of a few that lie close together.

    The largest of these values as well.

    The differences of high order are nothing but rounding (Moré and Wild, "Estimating computational noise",
    SIAM Journal on Scientific Computing 33, 2011). 0 where values are not finite.
    """
    apart = SAMPLES_APART * np.where(x == 0, max(float(np.abs(x).max(initial=0.0)), 1e-300), np.abs(x))
    found: list[float] = []
    size = 0.0
    for sign in (1, -1):  # one side may have a kink on it, the point itself may be one
        values = np.array([value(x + sign * k * apart * direction) for k in range(1, SAMPLES + 1)])
        if not np.isfinite(values).all():
            continue
        size = max(size, float(np.abs(values).max()))
        for order in range(1, SAMPLES - 1):
            values = np.diff(values)
            if order >= 4:
                weight = factorial(order) / sqrt(factorial(2 * order))
                largest = float(np.abs(values).max()) or 1.0
                found.append(weight * largest * sqrt(float(np.mean((values / largest) ** 2))))
    return min(found, default=0.0), size

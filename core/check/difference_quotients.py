"""Difference quotients of a function of numbers, with estimates of their errors."""

from __future__ import annotations

from itertools import pairwise
from math import factorial, isfinite, sqrt

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
    """The same for a function of an array moved along ``direction``; steps are relative to its entries."""
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

"""Checks entries of a gradient that are small beside others, for one call of a custom Function.

The rounding of a sum over all outputs hides the slopes of small entries. Here the outputs are subtracted
before they are added up, so that those which do not change contribute no rounding. An entry is wrong if it is
clearly off by its own size; otherwise nothing is said.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.check.checked_functions import OutputFunction
from autodiff.core.check.numerical_derivatives import estimate_rounding, slope_of
from autodiff.core.report.verdict import WRONG, GradientCheck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass

#: Entries smaller than this part of the largest one are small.
SMALL_PART = 0.1
#: The most small entries that are checked, and the most entries of all values that this may compute.
MOST_CHECKED, MOST_WORK = 50, 2e6
#: Runs of the forward pass for one entry: the samples of its rounding, and the steps on both sides.
RUNS_PER_ENTRY = 60
#: A wrong entry is off by more than this part of its size, and by more errors of the quotients than this.
TOLERANCE, ERROR_FACTOR = 1e-3, 50.0
#: How far an entry is moved to see which outputs change, relative to its size.
FAR = 0.1
#: How many units in the last place of the largest entry may be left where a rule takes differences.
RULE_ROUNDING = 1e3 * 2.0**-52


def wrong_small_entry(subject: ReportedPass, spelled: str, target: Node) -> GradientCheck | None:
    """Return the check of the small entry that is furthest off; None if none is clearly wrong."""
    function = OutputFunction(subject, spelled, target)
    g = function.g if function.precision == "float64" else function.gradient_in_double
    if g is None or not np.isfinite(g).all():
        return None
    scale = float(np.abs(g).max(initial=0.0))
    small = np.argwhere(np.abs(g) < SMALL_PART * scale)
    work = RUNS_PER_ENTRY * (sum(np.size(node.out) for node in function.recording.steps) + function.x.size)
    differences = Differences(function)
    if not len(small) or not differences.is_repeatable:
        return None
    order = np.argsort(np.abs(g[tuple(small.T)]), kind="stable")[: min(MOST_CHECKED, int(MOST_WORK / work))]
    worst: GradientCheck | None = None
    with np.errstate(all="ignore"):
        for at in order:
            place = tuple(int(i) for i in small[at])
            given, slope = float(g[place]), differences.slope_at(place)
            if slope is None:
                continue
            apart, size = abs(slope.middle - given), max(abs(slope.middle), abs(given))
            room = max(TOLERANCE * size, ERROR_FACTOR * slope.error, RULE_ROUNDING * scale)
            if (
                apart <= room
                or slope.is_kink(size)
                or (worst is not None and apart / size <= worst.difference)
            ):
                continue
            worst = GradientCheck(spelled, function.x.size, 1, len(order), WRONG, place, apart / size)
            worst.expected, worst.given, worst.step = slope.middle, given, slope.step
    return worst


class Differences:
    """Differences of the outputs of a function from those at its input, weighted with the seed and added."""

    def __init__(self, function: OutputFunction) -> None:
        self.function = function
        self.seed = np.asarray(function.subject.seed, dtype=float)
        self.middle = self.outputs(function.x)

    def outputs(self, x: Any) -> Any:
        """Return all outputs at ``x``; nan if they cannot be computed."""
        function = self.function
        given = float(x) if function.is_number else x
        try:
            return np.asarray(function.recording.values({function.target: given})[function.subject.root])
        except (ArithmeticError, ValueError, AutodiffError):
            return np.full(np.shape(self.seed), np.nan)

    @property
    def is_repeatable(self) -> bool:
        """Whether the outputs are finite and the same again."""
        again = self.outputs(self.function.x)
        return bool(np.isfinite(self.middle).all()) and np.array_equal(again, self.middle)

    def slope_at(self, place: tuple[int, ...]) -> Any:
        """Return the slope by one entry; None if there is none."""
        along = self.along(place)
        at = float(self.function.x[place])
        sampled, _ = estimate_rounding(lambda x: along(float(x) - at), np.asarray(at), 1.0)
        return slope_of(along, at, 0.0, max(sampled, self.rounding_beside(place)))

    def rounding_beside(self, place: tuple[int, ...]) -> float:
        """Return the rounding of the outputs that change with an entry. Samples close by may all be equal."""
        moved = self.function.x.copy()
        moved[place] += FAR * max(abs(moved[place]), 1.0)
        changes = self.outputs(moved) != self.middle
        return float(np.abs(self.seed * self.middle)[changes].sum()) * 2.0**-52

    def along(self, place: tuple[int, ...]) -> Callable[[float], float]:
        def value(by: float) -> float:
            moved = self.function.x.copy()
            moved[place] += by
            return float(((self.outputs(moved) - self.middle) * self.seed).sum())

        return value

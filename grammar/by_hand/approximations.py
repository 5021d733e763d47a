"""Formulas that are right near the script's values only.

One is a Taylor polynomial of high degree. Its error is a power of the distance: rounding hides it nearby, and
further away it grows smoothly. So does no rounding error. At a kink an error begins at once instead: such a
formula is right on its side.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.boundaries import LEAST_GROWTH, bracket
from autodiff.grammar.by_hand.points import SamplePoints, broadcasts_to, deviation, formula_values
from autodiff.grammar.by_hand.runs import FACTORS, MOST_SPREAD, SCALE, SPREAD
from autodiff.grammar.by_hand.sentences import counterexample, far_away_remarks, relative_distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns

#: The relative distances of further points, and how many are tried at each.
FAR_SPREADS, FAR_DRAWS = (1.0, 4.0, 16.0, MOST_SPREAD), 3
#: Those at which the leaves are about 1e3, 1e6 and 1e9 times larger or smaller.
SCALED_SPREADS = (4.0, 16.0, MOST_SPREAD)
#: In larger graphs further points are not tried: running the script so often would take long.
MOST_NODES = 300
#: An error counts if it is so many times what rounding allows.
LEAST_ERROR = 1000.0
#: The error is looked at in steps of this factor of the distance, around where it exceeds what is allowed.
STEP, STEPS = 1.03, range(-4, 3)
#: A relative error of this size right behind the distance where it begins is a leap and no rounding.
LEAST_LEAP = 1e-3
#: An exponential begins in smaller steps, between which its exponents, as those of a power, hardly change.
FINE_STEP, FINE_CHANGE = 1.0005, 1.05
#: It is a power of the distance if its exponents are at least this, and hardly change.
LEAST_EXPONENT = 3.5


def far_remarks(
    formula: Formula,
    runs: ScriptRuns,
    runs_at: Callable[..., list[ScriptRun]],
    run_at: Callable[[int, float], ScriptRun | None],
    spreads: tuple[float, ...] = FAR_SPREADS,
    draws: int = FAR_DRAWS,
    least_distance: float = 0.0,
) -> tuple[bool, list[str]]:
    """Return whether a formula is an approximation, and remarks if it is right near the script's values only.

    ``runs_at`` returns the first ``count`` runs at a distance, ``run_at`` the one of a draw. So many
    ``draws`` are tried at each of the distances ``spreads``. An error counts if it is more than
    ``least_distance`` of the gradient.
    """
    beyond_kink: list[str] = []
    if len(runs.first.subject.order) > MOST_NODES:
        return False, []
    for spread in spreads:
        for run in runs_at(spread, count=draws):
            line = Line(formula, runs, partial(run_at, run.draw))
            if not LEAST_ERROR < line.error_in(run) < np.inf:
                continue
            _, begin, inside, outside = bracket(line.error, SPREAD / 10, spread)
            points, computed = line.compared([run])
            if relative_distance(computed[0], points.gradients[0]) < least_distance:
                continue
            clear = line.clear_begin(spread)
            if line.has_power(begin) or line.has_power(clear) or line.is_exponential(spread):
                remark = "it is right near the script's values only, as a Taylor polynomial is"
                return True, [remark, *counterexample(points, computed)]
            if not beyond_kink and outside > LEAST_GROWTH * inside and line.has_leap(begin):
                beyond_kink = far_away_remarks(points, computed)
    return False, beyond_kink


def remarks_at_other_scales(formula: Formula, runs: ScriptRuns) -> list[str]:
    """Return remarks if a formula is an approximation where the leaves are of another order; else none.

    There terms weigh that were small: the last digits of a factor in them are no approximation.
    """
    scales: list[tuple[str, tuple[float, ...], int]] = [(kept, SCALED_SPREADS, 1) for kept in FACTORS]
    if not runs.are_of_order_one:
        scales.insert(0, (SCALE, FAR_SPREADS, FAR_DRAWS))
    for kept, spreads, draws in scales:
        runs_at, run_at = partial(runs.moved, kept=kept), partial(runs.moved_once, kept=kept)
        least = 0.0 if kept == SCALE else LEAST_LEAP
        is_approximation, remarks = far_remarks(formula, runs, runs_at, run_at, spreads, draws, least)
        if is_approximation:
            return remarks
    return []


class Line:
    """The points in one direction from the script's own; ``run_at`` returns the run at a distance, if any."""

    def __init__(
        self, formula: Formula, runs: ScriptRuns, run_at: Callable[[float], ScriptRun | None]
    ) -> None:
        self.formula, self.runs, self.run_at = formula, runs, run_at

    def compared(self, runs: list[ScriptRun]) -> tuple[SamplePoints, list[Any]]:
        """Return the points of runs with the formula's values; none where the last cannot be compared."""
        points = SamplePoints(self.runs, self.formula, runs)
        try:
            computed = formula_values(points, self.formula)
        except UsageError:
            return points, []
        is_fit = len(computed) == len(runs) and broadcasts_to(
            computed[-1].shape, np.shape(points.gradients[-1])
        )
        return points, computed if is_fit else []

    def error_in(self, run: ScriptRun) -> float:
        """Return how far the formula is off, relative to what rounding allows; inf if that is not known."""
        points, computed = self.compared([run])
        if not computed:
            return np.inf
        simple = deviation(computed[0], points.gradients[0])
        return simple if simple <= 1 else points.error(computed, 0)  # the rounding takes long to estimate

    def error(self, spread: float) -> float:
        run = self.run_at(spread)
        return np.inf if run is None else self.error_in(run)

    def clear_begin(self, spread: float) -> float:
        """Return the distance from which the error is far above what rounding adds to it."""
        return bracket(lambda one: self.error(one) / LEAST_ERROR, SPREAD / 10, spread)[1]

    def distance(self, spread: float) -> float:
        """Return the largest distance of the formula's entries from the gradient's.

        It does not depend on the gradient's size, which may be 0 somewhere.
        """
        run = self.run_at(spread)
        if run is None:
            return np.inf
        points, computed = self.compared([run])
        return float(np.max(np.abs(computed[0] - points.gradients[0]))) if computed else np.inf

    def has_power(self, begin: float) -> bool:
        """Whether the error grows as a power of the distance where it exceeds what rounding allows."""
        exponents = self.exponents(begin, STEP)
        if not exponents.size:
            return False
        return bool(exponents.min() >= LEAST_EXPONENT and exponents.max() <= 1.5 * exponents.min() + 1)

    def is_exponential(self, spread: float) -> bool:
        """Whether the error grows by the same factor in small steps, as that of 1 for ``tanh(x)`` at 300."""
        begin = bracket(lambda one: self.error(one) / LEAST_ERROR, SPREAD / 10, spread, FINE_STEP)[1]
        exponents = self.exponents(begin, FINE_STEP)
        return bool(
            exponents.size
            and exponents.min() >= LEAST_EXPONENT
            and exponents.max() <= FINE_CHANGE * exponents.min()
        )

    def exponents(self, begin: float, step: float) -> Any:
        """Return the exponents of the error as a power of the distance, between steps around one; or none."""
        distances = np.array([self.distance(begin * step**at) for at in STEPS])
        if not np.isfinite(distances).all() or not distances.all():
            return np.zeros(0)
        return np.diff(np.log(distances)) / np.log(step)

    def has_leap(self, begin: float) -> bool:
        """Whether the error is large at once where it exceeds what rounding allows."""
        run = self.run_at(begin)
        if run is None or has_extreme_values(run):
            return False
        points, computed = self.compared([run])
        return any(
            LEAST_LEAP < relative_distance(value, g) < np.inf
            for value, g in zip(computed, points.gradients, strict=False)
        )


def has_extreme_values(run: ScriptRun) -> bool:
    """Whether squares of values of a run overflow or become 0, which makes its own gradient wrong."""
    for node in run.subject.order:
        out = np.asarray(node.out)
        if out.dtype.kind == "f":
            largest = float(np.sqrt(np.finfo(out.dtype).max))
            sizes = np.abs(out[out != 0])
            if not np.all((sizes > 1 / largest) & (sizes < largest)):
                return True
    return False

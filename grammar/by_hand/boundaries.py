"""Whether a kink, or another choice of the script, lies between points where a formula is right and wrong.

On the way to another point the formula turns wrong. At a kink its error begins at once, with nothing but
rounding before it. The error of a Taylor polynomial grows as a power of the distance instead: such a formula
is wrong.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.points import NEAR_SPREAD, SamplePoints, formula_values
from autodiff.grammar.by_hand.runs import SPREAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns

#: The boundary is found up to this factor of its distance. A power of degree n grows by 1.05**n between.
BRACKET = 1.05
#: An error that grows by more than this at the boundary begins there: a power would be of degree 95.
LEAST_GROWTH = 100.0


def is_beyond_boundaries(
    formula: Formula,
    runs: ScriptRuns,
    draws: list[int],
    run_at: Callable[[int, float], ScriptRun | None],
) -> bool:
    """Whether a boundary lies on the way to each of the ``draws``, where the formula is wrong.

    It is right near the script's values. ``run_at`` returns the run of a draw at a distance.
    """
    return all(has_boundary(formula, runs, partial(run_at, draw)) for draw in draws)


def has_boundary(formula: Formula, runs: ScriptRuns, run_at: Callable[[float], ScriptRun | None]) -> bool:
    def error(spread: float) -> float:
        run = run_at(spread)
        if run is None:
            return np.inf  # the script has made another choice
        points = SamplePoints(runs, formula, [runs.first, run])
        computed = formula_values(points, formula)
        return points.error(computed, 1) if len(computed) > 1 else np.inf

    near = NEAR_SPREAD[np.asarray(runs.first.subject.root.out).dtype.name]
    _, _, inside, outside = bracket(error, near, SPREAD)
    return outside > LEAST_GROWTH * inside


def bracket(
    error: Callable[[float], float], near: float, far: float, factor: float = BRACKET
) -> tuple[float, float, float, float]:
    """Return two distances between which an error exceeds what is allowed, and the errors at them."""
    inside, outside = error(near), error(far)
    while far > factor * near:
        middle = float(np.sqrt(near * far))
        found = error(middle)
        if found > 1:
            far, outside = middle, found
        else:
            near, inside = middle, found
    return near, far, inside, outside

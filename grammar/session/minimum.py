"""Searches for the inputs at which a script's output is least, by scipy.optimize with the engine's slopes.

Inputs are divided by their first values, and an objective by its own, so that units do not matter.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.derivation.least_squares import (
    FLAT_SLOPE,
    covariance_of_fit,
    covariance_of_likelihood,
    flat_directions,
    flat_directions_of_fit,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.objective import Objective
    from autodiff.grammar.session.run import Settings

#: A search ends where the objective falls by less than this part, or no input moves by more.
TOLERANCE = 1e-12
#: The slope, in units of the objective and the inputs at the start, that counts as none.
SLOPE = 1e-9
#: A decrease that is this part of the objective is rounding.
ROUNDING = 1e-13
#: A negative curvature that is this part of the largest is rounding.
CURVATURE = 1e-8
#: The part of a sum of squares that a step would still take off, at a place that is no minimum.
STEP_LEFT = 1e-4
#: How much higher than the start places without a finite value count, in units of the start.
WALL = 10.0
#: How often a search goes on that ended before the minimum.
MOST_STARTS = 20
STEPS_FOR_AN_INPUT = 200
#: Newton's steps at the end of a search: two are enough for all digits of a fit.
MOST_POLISHING = 4
#: Standard errors of so many entries are computed; they take a matrix of second derivatives.
MOST_ERRORS = 1000

METHODS = ("bfgs", "lm", "newton")
SLOPE_IS_ZERO = "the slope is zero"
FALLS_AND_BENDS_DOWN = "the output falls further and bends down there, so it may have no minimum"
NO_STEP_DOWN = "no step leads further down"
AT_THE_EDGE = (
    "it stopped at the edge of where the output is finite, and the way down leads beyond: start elsewhere"
    " with --set"
)
#: What the statuses of scipy's least_squares mean.
REASONS_OF_LM = {
    1: SLOPE_IS_ZERO,
    2: "the sum of squares no longer falls",
    3: "the inputs no longer move",
    4: "the sum of squares no longer falls and the inputs no longer move",
}


class Search:
    """How a search went: ``place`` is where it ended; ``steps`` are the places where slopes were computed.

    ``broken`` is the run at which it stopped, as its value or slopes are not finite; else None.
    """

    __slots__ = ("broken", "has_converged", "method", "place", "reason", "steps")

    def __init__(self, method: str, place: Any, steps: int, has_converged: bool, reason: str) -> None:
        self.method = method
        self.place = place
        self.steps = steps
        self.has_converged = has_converged
        self.reason = reason
        self.broken: ReportedPass | None = None


def default_method(objective: Objective) -> str:
    """``lm`` for a sum of more squares than inputs and for as many residuals, ``bfgs`` for others."""
    return "lm" if objective.size + objective.is_list > len(objective.start) else "bfgs"


def search_minimum(objective: Objective, method: str) -> Search:
    """Search from the inputs of the first run. Raises UsageError for data that are not finite."""
    if not np.isfinite(objective.value(objective.start)):
        flaw = flawed_data(objective.settings)
        if flaw:
            raise UsageError(
                f"the output is not finite at the start, where {flaw}",
                code="E0605",
                help=("leave such residuals out, as in `r[isfinite(r)]`, or nansum(...) in place of a sum",),
            )
        return stopped(objective, method, 0, "the output is not finite")
    found = search_squares(objective) if method == "lm" else search_by_slopes(objective, method)
    if found.has_converged:
        found.place = polished(objective, found.place)
        if bends_down(objective, found.place):
            found.has_converged = False
            found.reason = "this is a maximum or a saddle point: start elsewhere with --set"
    return found


def flawed_data(settings: Settings) -> str:
    """Say which number that the caller gives is nan or infinite; "" if none is."""
    for name, value in settings.sets.items():
        try:
            given = np.asarray(value, "float64")
        except (TypeError, ValueError):
            continue
        bad = np.argwhere(~np.isfinite(given))
        if len(bad):
            first = [*map(int, bad[0])]
            is_column = name in settings.data and len(first) == 1
            place = f"row {first[0] + 1} of column `{name}`" if is_column else f"`{name}{first or ''}`"
            more = len(bad) - 1
            others = f", and {more:,} more {'is' if more == 1 else 'are'} not finite" if more else ""
            return f"{place} is {float(given[tuple(first)])}{others}"
    return ""


def search_squares(objective: Objective) -> Search:
    """Levenberg's and Marquardt's method, on residuals and their Jacobian."""
    if objective.parts is None or objective.size < len(objective.start):
        what = (
            "the output is no sum of squares"
            if objective.parts is None
            else f"{objective.size:,} residuals do not determine {len(objective.start):,} inputs"
        )
        raise UsageError(
            f"--method lm: {what}",
            code="E0605",
            help=(
                "end the script in a sum of squares or in a vector of residuals, one for each input at least",
                "or leave the choice of the method to the program",
            ),
        )
    place, steps = objective.start, 0
    for _ in range(MOST_STARTS):
        found = search_squares_from(objective, place)
        found.steps += steps
        step = step_left(objective, found.place) if found.has_converged else None
        if step is None:
            break
        tried = [found.place + part * step for part in (1.0, 0.1, 1e-2, 1e-3)]
        values = np.array([objective.value(one) for one in tried])
        if values.min() >= (1 - STEP_LEFT) * objective.value(found.place):
            if not np.isfinite(values).all():
                found.has_converged, found.reason = False, AT_THE_EDGE
            break
        place, steps = tried[int(values.argmin())], found.steps
    return found


def step_left(objective: Objective, place: Any) -> Any:
    """The step of a linear fit at a place where a search ended, if it would take off a part that counts."""
    jacobian, residuals = objective.jacobian(place), objective.residuals(place)
    if not np.isfinite(jacobian).all():
        return None
    lengths = np.sqrt((jacobian**2).sum(axis=0))
    scale = np.where(lengths > 0, lengths, 1.0)
    step = np.linalg.lstsq(jacobian / scale, -residuals, rcond=FLAT_SLOPE)[0] / scale
    left = residuals + jacobian @ step
    squares = residuals @ residuals
    return step if squares - left @ left > STEP_LEFT * squares else None


def search_squares_from(objective: Objective, start: Any) -> Search:
    """One search by scipy; beside places without finite residuals it may end before the minimum."""
    from scipy.optimize import least_squares

    steps = 0

    def slopes(place: Any) -> Any:
        nonlocal steps
        made = finite(objective.jacobian(place))
        steps += 1
        return made

    try:
        made = least_squares(
            objective.residuals,
            start,
            slopes,
            method="lm",
            x_scale="jac",
            ftol=TOLERANCE,
            xtol=TOLERANCE,
            gtol=TOLERANCE,
            max_nfev=STEPS_FOR_AN_INPUT * (len(start) + 1),
        )
    except NoSlopes:
        return stopped(objective, "lm", steps)
    reason = REASONS_OF_LM.get(made.status, f"{made.nfev:,} runs of the script were not enough")
    place = without_flat_moves(objective, made.x) if made.status > 0 else made.x
    return Search("lm", place, int(made.njev), made.status > 0, reason)


def without_flat_moves(objective: Objective, place: Any) -> Any:
    """The place without moves from the start that change no residual; the method may make large ones."""
    jacobian = objective.jacobian(place)
    if len(place) > MOST_ERRORS or not np.isfinite(jacobian).all():
        return place
    flat = flat_directions_of_fit(jacobian)
    units = np.where(objective.start == 0, 1.0, np.abs(objective.start))
    moves = flat / units
    nearer = place - np.linalg.pinv(moves) @ (moves @ ((place - objective.start) / units)) * units
    return nearer if len(flat) and objective.value(nearer) <= objective.value(place) else place


def search_by_slopes(objective: Objective, method: str) -> Search:
    """``bfgs``, which estimates second derivatives, or ``newton``, which computes them: a trust region."""
    from scipy.optimize import minimize

    start = objective.start
    units = np.where(start == 0, 1.0, np.abs(start))
    unit = abs(objective.value(start)) or 1.0
    most = STEPS_FOR_AN_INPUT * (len(start) + 1)
    check_allocation((len(start), len(start)))
    steps = 0

    wall = objective.value(start) / unit + WALL

    def value(x: Any) -> float:
        found = objective.value(x * units) / unit
        return found if np.isfinite(found) else wall

    def slopes(x: Any) -> Any:
        nonlocal steps
        if not np.isfinite(objective.value(x * units)):
            return np.zeros(len(x))  # they are asked for before the value decides against the place
        made = finite(objective.gradient(x * units) * units / unit)
        steps += 1
        return made

    def curvature(x: Any) -> Any:
        if not np.isfinite(objective.value(x * units)):
            return np.zeros((len(x), len(x)))
        return finite(objective.hessian(x * units) * np.outer(units, units) / unit)

    try:
        made = minimize(
            value,
            start / units,
            jac=slopes,
            method="trust-exact" if method == "newton" else "BFGS",
            hess=curvature if method == "newton" else None,
            options={"gtol": SLOPE, "maxiter": most},
        )
    except NoSlopes:
        return stopped(objective, method, steps)
    place = made.x * units
    if made.success:
        return Search(method, place, steps, True, SLOPE_IS_ZERO)
    if decrease_left(objective, place) <= ROUNDING * abs(objective.value(place)):
        return Search(method, place, steps, True, "the output no longer falls")
    if made.nit >= most:
        reason = f"{made.nit:,} steps were not enough"
    elif bends_down(objective, place):
        reason = FALLS_AND_BENDS_DOWN
    else:
        reason = NO_STEP_DOWN
    return Search(method, place, steps, False, reason)


class NoSlopes(Exception):
    """A derivative is not finite."""


def stopped(
    objective: Objective, method: str, steps: int, reason: str = "a derivative is not finite on the way down"
) -> Search:
    """A search that stopped at the last run of the script, whose value or slopes are not finite."""
    found = Search(method, objective.lowest, steps, False, reason)
    found.broken = objective.subject
    return found


def finite(slopes: Any) -> Any:
    """The slopes, or raise NoSlopes."""
    if not np.isfinite(slopes).all():
        raise NoSlopes
    return slopes


def polished(objective: Objective, place: Any) -> Any:
    """A place near a minimum after Newton's steps, which double its digits: searches end with half of them.

    A step is kept if the decrease that is left is less than half of that before.
    """
    if len(place) > MOST_ERRORS:
        return place
    slopes = objective.gradient(place)
    for _ in range(MOST_POLISHING):
        covariance = covariance_of_likelihood(objective.hessian(place))
        if covariance is None:
            return place
        following = place - covariance @ slopes
        if not np.isfinite(objective.value(following)):
            return place
        before, slopes = slopes @ covariance @ slopes, objective.gradient(following)
        if not slopes @ covariance @ slopes < before / 2:
            return place
        place = following
    return place


def bends_down(objective: Objective, place: Any) -> bool:
    """Whether the objective has a direction of negative curvature at a place, which no minimum has."""
    if len(place) > MOST_ERRORS:
        return False
    units = np.where(objective.start == 0, 1.0, np.abs(objective.start))
    hessian = objective.hessian(place) * np.outer(units, units)
    if not np.isfinite(hessian).all():
        return False
    curvatures = np.linalg.eigvalsh((hessian + hessian.T) / 2)
    return bool(curvatures[0] < -CURVATURE * np.abs(curvatures).max())


def decrease_left(objective: Objective, place: Any) -> float:
    """How much lower the parabola at a place reaches; inf where it is not bowl-shaped."""
    if len(place) > MOST_ERRORS:
        return float("inf")
    covariance = covariance_of_likelihood(objective.hessian(place))
    slopes = objective.gradient(place)
    return float("inf") if covariance is None else float(slopes @ covariance @ slopes) / 2


def covariance_at(objective: Objective, place: Any, *, absolute_sigma: bool) -> tuple[Any, str, Any]:
    """The covariance of the inputs, or None and the reason why there is none; the moves that change nothing.

    These moves, a row each, are empty where there is a covariance. With ``absolute_sigma`` the deviation of
    the residuals is 1, else it is estimated.
    """
    none = np.zeros((0, len(place)))
    if len(place) > MOST_ERRORS:
        return None, f"standard errors are computed for {MOST_ERRORS:,} entries at most", none
    if objective.parts is None:
        hessian = objective.hessian(place)
        if not np.isfinite(hessian).all():
            return None, "the second derivatives there are not finite", none
        found, flat = covariance_of_likelihood(hessian), flat_directions(hessian)
        why = "the output is flat" if len(flat) else "the second derivatives there are not those of a minimum"
        return found, why * (found is None), flat
    jacobian = objective.jacobian(place)
    if not np.isfinite(jacobian).all():
        return None, "the slopes of the residuals there are not finite", none
    flat = flat_directions_of_fit(jacobian)
    if len(flat):
        return None, "the residuals do not determine all inputs", flat
    if absolute_sigma:
        return covariance_of_fit(jacobian, 1.0), "", none
    if objective.size <= len(place):
        return None, "there are no more residuals than inputs", none
    residuals = objective.residuals(place)
    variance = float(residuals @ residuals) / (objective.size - len(place))
    return covariance_of_fit(jacobian, variance), "", none

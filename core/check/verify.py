"""Checks whether a gradient is right, by methods that do not use the derivative rules.

The recorded graph is replayed at other inputs. Difference quotients are compared with the gradient entry by
entry, taking the most stable of many steps. Taylor's remainder must shrink with the square of the step. If
all ops are analytic, a complex step gives the derivative without any difference. All steps are relative to
the size of what is moved.
"""

from __future__ import annotations

from functools import partial
from math import inf, isinf, isnan

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.check.checked_functions import GradientFunction, OutputFunction
from autodiff.core.check.numerical_derivatives import (
    TaylorRemainder,
    complex_step_derivative,
    entry_scales,
    estimate_rounding,
    is_endless,
    slope_along,
    slope_of,
)
from autodiff.core.report.verdict import (
    BLURRED,
    CHANGES,
    DISAGREE,
    GROWS_WITHOUT_BOUND,
    INFINITE,
    IS_INPUT,
    KINK,
    LEAVES_DOMAIN,
    LOST,
    NOT_FINITE,
    OK,
    SEVERITY,
    UNDECIDED,
    WRONG,
    GradientCheck,
)
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.check.neighbourhood import Neighbours
    from autodiff.core.check.numerical_derivatives import Slope
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass

#: Of larger tensors MOST_ENTRIES are stepped one by one. The others are stepped in GROUPS, and one by one if
#: their group disagrees.
MOST_ENTRIES, GROUPS = 200, 100
#: Where computing the function again passes many entries, fewer are stepped: so many that the entries of all
#: nodes times the slopes are about WORK, but not fewer than FEWEST. A second derivative costs about
#: SECOND_COST times as much.
WORK, FEWEST, SECOND_COST = 5e6, 5, 10
#: A gradient is wrong if it differs from the difference quotients by more than this part of it, and by more
#: than ERROR_FACTOR times their error. By precision of the gradient.
TOLERANCE = {"float64": 1e-6, "float32": 1e-3}
#: The same for rules of single precision that were run again in double precision, with constants unchanged.
DOUBLE_TOLERANCE = 1e-5
ERROR_FACTOR = 20.0
#: Quotients with errors that could hide a mistake of this relative size decide nothing.
MAX_UNCERTAINTY = 1e-2
#: If rounding grows to this part of the largest value, nothing can be decided.
MAX_ROUNDING = 1e-3
#: If samples differ by this many times the possible rounding, the function changes too fast to sample it.
MAX_SAMPLE_SPREAD = 1e9
#: A gradient smaller than this part of what its paths contribute may be their rounding error,
CANCELLATION_NOISE = {"float64": 1e-13, "float32": 1e-4}
#: and the error of its quotients may be this part of the largest cotangent on the way.
CANCELLED_SCALE = {"float64": 1e-7, "float32": 0.1}
#: The least order of Taylor's remainder for a right gradient; a wrong one has order 1.
MIN_RIGHT_ORDER = 1.8
#: A smaller order than this means a wrong gradient, or steps that are too large.
MAX_WRONG_ORDER = 1.2


def verify(
    subject: ReportedPass,
    spelled: str,
    target: Node,
    order: int,
    seed: int,
    neighbours: Neighbours | None = None,
) -> GradientCheck:
    """Compare the gradient of one input with differences, Taylor's remainder and a complex step.

    With ``order`` 2 the gradient of the gradient is checked: that of its sum with random weights. If the
    gradient itself is wrong, its check is returned. ``seed`` determines these weights, the direction of the
    Taylor test and the entries of large tensors. ``neighbours`` runs the script at inputs close by, which
    shows kinks that a replay does not.
    """
    random = np_random.default_rng(seed)
    if order == 1:
        function = OutputFunction(subject, spelled, target)
        if target is subject.root and spelled == subject.name:
            found = GradientCheck(spelled, function.x.size, 1, function.x.size)
            found.verdict, found.reason = UNDECIDED, IS_INPUT
            if neighbours is not None:  # the script may have chosen it among equal values
                _Verifier(function, random, order).check_neighbours(found, neighbours)
            return found
    else:
        first = verify(subject, spelled, target, 1, seed)
        if first.verdict == WRONG:
            return first
        weights = random.standard_normal(target.shape) if target.shape else np.asarray(1.0)
        function = GradientFunction(subject, spelled, target, weights)
    with np.errstate(all="ignore"):
        found = _Verifier(function, random, order).check(neighbours)
        if order == 2 and found.verdict == WRONG:
            find_wrong_term(found, function)
        return found


def find_wrong_term(found: GradientCheck, function: OutputFunction) -> None:
    """Replace a wrong sum of second derivatives by the one of its terms that is furthest off."""
    weights = np.zeros(function.x.shape)
    weights[found.worst] = 1.0
    row = GradientFunction(function.subject, function.spelled, function.target, weights)
    expected = slopes_by_differences(row)
    apart = np.nan_to_num(np.abs(expected - row.g))
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
    if apart[place] > TOLERANCE[function.precision] * max(abs(expected[place]), abs(row.g[place])):
        found.second, found.given, found.expected = place, float(row.g[place]), float(expected[place])


def slopes_by_differences(function: OutputFunction) -> Any:
    """The gradient of a function by difference quotients, entry by entry; nan where it has none."""
    slopes = np.full(function.x.shape, np.nan)
    middle = float(function.evaluate(function.x))
    for place in np.ndindex(function.x.shape):

        def along(by: float, place: tuple[int, ...] = place) -> float:
            moved = function.x.copy()
            moved[place] += by
            return float(function.evaluate(moved))

        slope = slope_of(along, float(function.x[place]), middle, function.rounding)
        if slope is not None:
            slopes[place] = slope.middle
    return slopes


class _Verifier:
    def __init__(self, function: OutputFunction, random: Any, order: int) -> None:
        self.order = order
        self.function = function
        self.value = function.evaluate
        self.x = function.x
        self.g = function.g
        self.random = random
        self.tolerance = TOLERANCE[function.precision]
        self.scale = float(np.abs(self.g[np.isfinite(self.g)]).max(initial=0.0))

    def check(self, neighbours: Neighbours | None) -> GradientCheck:
        found = GradientCheck(self.function.spelled, self.x.size, self.order, self.x.size)
        middle = float(self.value(self.x))
        if np.isnan(self.g).any() or isnan(middle):
            found.verdict = NOT_FINITE
            return found
        if isinf(middle):
            found.verdict, found.reason = UNDECIDED, INFINITE
            return found
        if not self.x.size:
            return found
        found.is_unconnected = not self.function.is_connected
        if not self.is_replayed(middle):
            found.verdict, found.reason = UNDECIDED, CHANGES
            return found
        self.direction = np.asarray(1.0)
        if self.x.ndim:  # away from 0 everywhere, so that every entry counts
            signs = self.random.choice([-1.0, 1.0], self.x.shape)
            self.direction = signs * self.random.uniform(0.5, 1.5, self.x.shape)
        sampled, size = estimate_rounding(lambda x: float(self.value(x)), self.x, self.direction)
        self.is_blurred = sampled > MAX_SAMPLE_SPREAD * max(self.function.rounding, 2.0**-53 * size)
        self.rounding = self.function.rounding if self.is_blurred else max(self.function.rounding, sampled)
        if self.function.rounding > MAX_ROUNDING * self.function.largest_value:
            found.verdict, found.reason = UNDECIDED, BLURRED
            return found
        self.step_entries(found, middle)
        if not found.entries:
            found.verdict, found.reason = UNDECIDED, LEAVES_DOMAIN
        self.measure_remainder(found, middle)
        if neighbours is not None and found.verdict in (OK, UNDECIDED, KINK):
            self.check_neighbours(found, neighbours)
        return found

    def measure_remainder(self, found: GradientCheck, middle: float) -> None:
        """Set the order of Taylor's remainder, along a line that moves every entry by about its own size.

        If that gives no order and all entries are smaller than 1, they are moved as an entry of 1 would be.
        """
        for way in (self.direction * entry_scales(self.x), self.direction):
            rate, noise = float((self.g * way).sum()), 100 * self.rounding
            size = float(np.abs(self.g * way).sum())
            value = partial(self.value_along, way)
            remainder = TaylorRemainder(value, middle, rate, 1.0, noise, 10 * self.rounding_unit * size)
            found.slope, found.is_linear = remainder.order, remainder.is_linear
            if found.slope is not None or float(np.abs(self.x).max()) >= 1.0:
                break
        if found.verdict != OK or found.slope is None or found.slope >= MIN_RIGHT_ORDER:
            return
        if found.entries < found.size:
            found.verdict = WRONG  # in an entry that was not stepped alone
        elif found.slope < MAX_WRONG_ORDER:
            if remainder.left <= 10 * self.tolerance * size:
                found.verdict, found.reason = UNDECIDED, DISAGREE
            else:  # the quotients would show such an error: the function changes too fast for these steps
                found.slope = None

    def value_along(self, way: Any, h: float) -> float:
        return float(self.value(self.x + h * way))

    @property
    def rounding_unit(self) -> float:
        """The relative rounding unit of the script's precision."""
        return 2.0**-52 if self.function.precision == "float64" else 2.0**-23

    def is_replayed(self, middle: float) -> bool:
        """Whether the replay gives the script's output up to rounding; with custom functions it may not."""
        if not any(is_custom(node.op) for node in self.function.recording.steps):
            return True
        room = 1e4 * self.rounding_unit * max(self.function.weight, abs(self.function.f))
        return abs(middle - self.function.f) <= room

    def check_neighbours(self, found: GradientCheck, neighbours: Neighbours) -> None:
        """Check whether the gradient leaps when the script itself is run at inputs close by."""
        leap = neighbours.find_leap(self.function, self.function.target)
        if leap is None:
            return
        if not neighbours.is_repeatable(self.function):
            found.verdict, found.reason = UNDECIDED, CHANGES
            return
        if found.verdict == KINK and not leap.has_two_sides:
            return  # the two sides that the replay found are more exact
        found.worst, found.given, found.step = leap.place, float(self.g[leap.place]), leap.move
        found.expected, found.is_shown_by_reruns = leap.above, True
        found.difference = abs(leap.above - found.given) / self.measure(found.given, leap.above)
        if leap.has_two_sides:
            found.verdict, found.sides, found.reason = KINK, (leap.below, leap.above), ""
            found.outputs = leap.outputs if leap.is_jump else None
        else:
            found.verdict, found.reason = WRONG, ""

    @property
    def cancellation_noise(self) -> float:
        """The size of the rounding error that may remain when gradients cancel."""
        return CANCELLATION_NOISE[self.function.precision] * self.function.path_size

    def measure(self, given: float, slope: float) -> float:
        """The size relative to which a difference of the gradient is judged."""
        size = max(self.scale, abs(slope), self.cancellation_noise, 1e-300)
        return (
            size
            if abs(given) > self.cancellation_noise
            else max(size, CANCELLED_SCALE[self.function.precision] * self.function.largest_cotangent)
        )

    # -- entry by entry ---------------------------------------------------------------------------------

    def step_entries(self, found: GradientCheck, middle: float) -> None:
        """Step the entries and report the worst: first by verdict, in ``SEVERITY``, then by difference."""
        places = self.chosen_entries(middle)
        found.entries, found.grouped = len(places), self.x.size - len(places)
        worst: tuple[int, float] = (-1, -1.0)
        for place in places:
            given = float(self.g[place])
            if isinf(given):
                is_found = is_endless(self.along_entry(place), float(self.x[place]), middle, given)
                rank = (SEVERITY.index(UNDECIDED if is_found else NOT_FINITE), inf)
                if rank > worst:
                    worst = rank
                    found.verdict, found.reason = SEVERITY[rank[0]], GROWS_WITHOUT_BOUND if is_found else ""
                    found.worst, found.given, found.sides = place, given, None
                continue
            plane, plane_step = self.complex_slope(place) or (None, 0.0)
            slope = slope_of(self.along_entry(place), float(self.x[place]), middle, self.rounding)
            if slope is None and plane is None:
                found.entries -= 1
                continue
            expected = plane if slope is None else slope.middle
            assert expected is not None
            size = self.measure(given, expected)
            apart = abs(expected - given)
            verdict = self.judge(float(self.x[place]), given, slope, plane, size)
            is_dust = self.function.precision != "float64" and apart > DOUBLE_TOLERANCE * abs(expected)
            if is_dust and slope is not None and verdict in (OK, WRONG):
                doubled = self.judge_in_double(place, slope)
                # What is wrong in single precision and right in double is a rounding error.
                verdict = doubled if verdict == OK else UNDECIDED if doubled == OK else WRONG
            found.is_decided_by_complex_step |= (
                verdict == OK and plane is not None and apart > MAX_UNCERTAINTY * size
            )
            if verdict == WRONG:
                size = max(self.scale, abs(expected), 1e-300)
            rank = (SEVERITY.index(verdict), apart / size)
            if rank > worst:
                worst = rank
                found.verdict, found.worst, found.difference = verdict, place, apart / size
                found.expected, found.given = expected, given
                is_plane = slope is None or (
                    verdict == WRONG and ERROR_FACTOR * slope.error > self.tolerance * size
                )
                found.is_complex_step = plane is not None and is_plane
                if plane is not None and is_plane:
                    found.expected, found.step = plane, plane_step
                elif slope is not None:
                    found.step = slope.step
                found.reason = BLURRED if verdict == UNDECIDED else ""
                if verdict == UNDECIDED and plane is not None:
                    found.reason = DISAGREE
                elif verdict == UNDECIDED and slope is not None and (is_dust or self.is_lost(slope, given)):
                    found.reason = LOST
                found.sides = (slope.left, slope.right) if slope is not None and verdict == KINK else None
                found.complex_difference = None if plane is None else abs(plane - given) / size

    def chosen_entries(self, middle: float) -> list[tuple[int, ...]]:
        """The places of the entries to step: all, or if these are many, random ones and the suspects."""
        places = list(np.ndindex(self.x.shape))
        most = self.most_slopes(MOST_ENTRIES)
        if len(places) <= most:
            return places
        order = self.random.permutation(len(places))
        chosen = {*order[:most], *self.suspects(order[most:], middle)[:most]}
        return [places[at] for at in sorted(chosen)]

    def most_slopes(self, most: int) -> int:
        """The number of slopes to take, at most ``most``."""
        size = sum(np.size(node.out) for node in self.function.recording.steps) + self.x.size
        return int(min(most, max(FEWEST, WORK / size / (SECOND_COST if self.order == 2 else 1))))

    def suspects(self, rest: Any, middle: float) -> list[int]:
        """The flat indices of entries in groups whose difference quotient disagrees with the gradient."""
        g, relative, dust = self.g, self.tolerance, self.cancellation_noise
        if self.function.precision != "float64" and self.function.gradient_in_double is not None:
            g, relative, dust = (
                self.function.gradient_in_double,
                DOUBLE_TOLERANCE,
                CANCELLATION_NOISE["float64"] * self.function.path_size,
            )
        found: list[int] = []
        for group in np.array_split(rest, min(self.most_slopes(GROUPS), len(rest))):
            way = np.zeros(self.x.shape)
            way.flat[group] = self.direction.flat[group]
            slope = slope_along(self.value, self.x, way, middle, self.rounding)
            if slope is None:
                continue
            room = max(relative * float(np.abs(g * way).sum()) + dust, ERROR_FACTOR * slope.error)
            if not abs(slope.middle - float((g * way).sum())) <= room:
                found += map(int, group)
        return found

    def judge(self, at: float, given: float, slope: Slope | None, plane: float | None, size: float) -> str:
        """The verdict of the quotients and the complex step, if any, on the entry with value ``at``.

        The complex step is free of rounding, so it decides where the quotients leave doubt. Functions that it
        can be taken through have no kinks.
        """
        middle = plane if slope is None else slope.middle
        assert middle is not None
        largest = max(abs(given), abs(middle))
        close = self.tolerance * largest + self.cancellation_noise
        is_off_plane = plane is not None and abs(plane - given) > close
        if slope is None:
            return WRONG if is_off_plane else OK
        apart, room = abs(slope.middle - given), ERROR_FACTOR * slope.error
        is_kink = slope.is_kink(size)
        is_explained = apart <= close and not self.is_lost(slope, given)
        if is_explained and room <= MAX_UNCERTAINTY * size and not is_kink:
            if plane is None or not is_off_plane:
                return OK
            return UNDECIDED if abs(plane - slope.middle) > max(close, room) else WRONG
        if plane is not None:
            return WRONG if is_off_plane else OK
        if self.is_blurred:
            return UNDECIDED
        if is_kink:  # it must lie within a step no larger than the entry
            is_near = at == 0 or slope.step <= abs(at)
            gap = abs(slope.right - slope.left)
            return KINK if is_near and apart <= 10 * gap else UNDECIDED
        if apart > max(close, room):
            return WRONG
        if self.is_lost(slope, given):
            return UNDECIDED
        is_constant = given == 0.0 and slope.is_flat
        return OK if is_constant or room <= MAX_UNCERTAINTY * size else UNDECIDED

    def judge_in_double(self, place: tuple[int, ...], slope: Slope) -> str:
        """The verdict on a gradient in single precision whose error may be rounding.

        It is judged by the same rules in double precision, which do not have that rounding.
        """
        if self.function.gradient_in_double is None or self.is_blurred:
            return UNDECIDED
        given, room = float(self.function.gradient_in_double[place]), ERROR_FACTOR * slope.error
        apart, largest = abs(given - slope.middle), max(abs(given), abs(slope.middle))
        dust = CANCELLATION_NOISE["float64"] * self.function.path_size
        if apart > max(DOUBLE_TOLERANCE * largest, room) + dust:
            return WRONG
        cancelled = (
            CANCELLED_SCALE["float32"] * self.function.largest_cotangent if abs(given) <= dust else 0.0
        )
        return OK if room <= MAX_UNCERTAINTY * max(largest, self.scale, cancelled) else UNDECIDED

    def is_lost(self, slope: Slope, given: float) -> bool:
        """Whether the quotients disagree with a gradient so small that it may be rounding error.

        Always false for single precision, since the quotients are computed in double.
        """
        apart, room = abs(slope.middle - given), ERROR_FACTOR * slope.error
        is_seen = self.function.precision == "float64" and room <= MAX_UNCERTAINTY * abs(slope.middle)
        largest = max(abs(given), abs(slope.middle))
        return (
            is_seen
            and max(room, self.tolerance * largest)
            < apart
            <= self.tolerance * largest + self.cancellation_noise
        )

    def along_entry(self, place: tuple[int, ...]) -> Callable[[float], float]:
        return lambda by: float(self.value(self.moved(place, by)))

    def moved(self, place: tuple[int, ...], by: Any) -> Any:
        x = self.x.astype(np.result_type(self.x, type(by)))
        x[place] += by
        return x

    def complex_slope(self, place: tuple[int, ...]) -> tuple[float, float] | None:
        """The derivative by a complex step, and the step; None if there is none."""
        if not self.function.is_analytic:
            return None
        return complex_step_derivative(lambda by: self.value(self.moved(place, by)), float(self.x[place]))

"""Checks that a repair changes only the gradient: values around the script's inputs, and the slope there.

A repaired script must have the value that the original one has nearby, wherever that is finite, whether one
input is moved or all are. Where the original has no value, that of the repaired script must be the limit of
those nearby. Its slope must agree with differences of these values; at a kink a slope between those of both
sides agrees. A formula that is written in another form is also compared further off, where the original does
not overflow.
"""

from __future__ import annotations

from itertools import islice

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.graph.values import as_stored
from autodiff.grammar.session.rerun import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from autodiff.core.graph.node import Leaf
    from autodiff.grammar.repair.gradient_remedies import Trial

    #: Runs a script, given its text, under a probe; None if that fails.
    Run = Callable[[str, Probe], Trial | None]

#: Moves, as parts of the largest entry, and how far values may differ by rounding, by the number type.
MOVES = {"float64": 1e-4, "float32": 1e-2}
TOLERANCES = {"float64": 1e-9, "float32": 1e-5}
#: How far two values may differ, as a part of what a move has changed.
CHANGE_TOLERANCE = 0.03
#: A second, smaller move: differences of both agree where there is a slope.
SMALLER = 0.1
#: Directions of the input alone, and of all inputs together.
OWN_DIRECTIONS, COMMON_DIRECTIONS = 2, 2
#: How much nearer to a limit values have to be after a move that is ten times smaller: a root is 0.32 as far.
NEARER = 0.5
#: How little the spread of values around a point changes then if they are bounded and have no limit.
SAME_SPREAD, LEAST_SPREAD = 0.1, 0.01
#: How far a slope may be from differences, whose error is of the order of the move, and two of these apart.
SLOPE_TOLERANCE, DIFFERENCE_TOLERANCE = 0.02, 0.2
#: Factors of all inputs for values far from an overflow, how many of these must be finite, and how far they
#: may differ: the original may lose digits before it overflows, so the smallest inputs count. The last
#: factors are for squares and products that overflow.
FACTORS, LEAST_FINITE = (0.003, 0.01, 0.05, 0.2, 0.5, 1e-100, 1e-130, 1e-160), 3
#: Larger moves, as multiples of the usual ones, for values away from a point where the original loses digits.
FAR_MOVES = (10.0, 100.0, 1000.0)
#: How far rounding may move values of a quotient that loses digits, as a part of them.
LIMIT_ROUNDING = 1e-6
#: How far means of values after large and small moves may be apart if there is a limit, as a part of them.
STEADY = 1e-4
FAR_TOLERANCES = {"float64": 1e-6, "float32": 1e-3}


class ScaledInputs(Probe):
    """Multiplies every tracked leaf by a factor."""

    __slots__ = ("factor",)

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        x = np.asarray(super().leaf_made(leaf, value))
        return as_stored(x * x.dtype.type(self.factor))


class MovedInputs(Probe):
    """Moves every tracked leaf along the drawn direction number ``draw``, by ``move`` times its length."""

    __slots__ = ("draw", "move")

    def __init__(self, draw: int, move: float) -> None:
        super().__init__()
        self.draw = draw
        self.move = move

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        x = np.asarray(super().leaf_made(leaf, value))
        # The number of the leaf is part of the seed: equal inputs move in different directions.
        direction = drawn_direction(x, [1 + self.draw, self.numbers[leaf.number]], mixed_signs=True)
        return as_stored((x + self.move * direction).astype(x.dtype))


class NearbyValues:
    """The values of a script around its inputs, with which repaired scripts are compared.

    ``run`` runs any script with the same options and returns its output and its gradient by the input.
    ``has_lost_value``: the original computes a value on the way that is not finite, so that its output, even
    if it is finite, need not be the one nearby. ``is_rounding``: the values around the inputs are rounded so
    much that only those further off tell what the function is.
    """

    __slots__ = ("_here", "has_lost_value", "is_rounding", "original", "run")

    def __init__(self, original: str, run: Run, *, has_lost_value: bool, is_rounding: bool) -> None:
        self.original = original
        self.run = run
        self.has_lost_value = has_lost_value
        self.is_rounding = is_rounding
        self._here: At | None = None

    def admits(self, repaired: str, is_same_function: bool) -> bool:
        """Whether a repaired script has the original's values nearby and the slope of these values.

        ``is_same_function``: its formula is known to be the same function, so that values further off do.
        """
        here = self._here = self._here or At(self, self.original)
        there = At(self, repaired)
        if here.number is None or there.trial is None or there.number is None:
            return False
        is_near = not self.is_rounding and self.agrees_near(here, there)
        return is_near or (is_same_function and self.agrees_far(here, there))

    def agrees_near(self, here: At, there: At) -> bool:
        """Whether values and slope agree around the inputs, where the original has some finite value."""
        found = 0
        for draw in there.own_directions:
            sides = []
            for sign in (1.0, -1.0):
                pairs = [
                    (here.value_at(sign * size, draw), there.value_at(sign * size, draw))
                    for size in (1.0, SMALLER)
                ]
                if not self.values_agree(pairs, here, there):
                    return False
                found += sum(is_known(before) for before, _ in pairs)
                if all(is_known(before) for before, _ in pairs):
                    slopes = [
                        there.difference(sign * size, now)
                        for size, (_, now) in zip((1.0, SMALLER), pairs, strict=True)
                    ]
                    if is_slope(*slopes):
                        sides.append(slopes[1])
            if not there.has_slope_between(sides, draw):
                return False
        return found > 0 and all(
            self.values_agree(
                [
                    (here.value_after_all(draw, sign * size), there.value_after_all(draw, sign * size))
                    for size in (1.0, SMALLER)
                ],
                here,
                there,
            )
            for draw in here.common_directions
            for sign in (1.0, -1.0)
        )

    def values_without_limit(self) -> tuple[float, float] | None:
        """Return two different values of the original however close to its inputs, or None.

        Then no change of the script has a value that is the limit of those nearby.
        """
        here = self._here = self._here or At(self, self.original)
        if here.number is None or here.value.size != 1:
            return None
        ranges = []
        for size in (1.0, SMALLER):
            found = [here.value_at(sign * size, draw) for sign in (1.0, -1.0) for draw in here.own_directions]
            found += [
                here.value_after_all(draw, sign * size)
                for sign in (1.0, -1.0)
                for draw in here.common_directions
            ]
            known = [float(value.item()) for value in found if is_known(value)]
            if len(known) < 2:
                return None
            ranges.append((min(known), max(known)))
        (low_far, high_far), (low, high) = ranges
        is_apart = high - low > LEAST_SPREAD * max(abs(low), abs(high))
        # A logarithm goes to infinity with such a spread, but its values move on.
        room = SAME_SPREAD * (high_far - low_far)
        is_same = abs(low - low_far) <= room and abs(high - high_far) <= room
        return (low, high) if is_apart and is_same else None

    def limit(self) -> float | None:
        """Return what the values around the inputs tend to, if the output is one number without a value."""
        here = self._here = self._here or At(self, self.original)
        if here.number is None or here.value.size != 1 or np.isfinite(here.value).all():
            return None
        means, spreads = [], []
        for size in (FAR_MOVES[0], 1.0):
            found = [here.value_at(sign * size, draw) for draw in here.own_directions for sign in (1.0, -1.0)]
            found += [
                here.value_after_all(draw, sign * size)
                for draw in here.common_directions
                for sign in (1.0, -1.0)
            ]
            if not all(map(is_known, found)):
                return None
            values = [float(value.item()) for value in found]
            means.append(sum(values) / len(values))
            spreads.append(max(values) - min(values))
        rounding = LIMIT_ROUNDING * max(map(abs, means))
        is_limit = spreads[1] <= 2 * SMALLER * spreads[0] + rounding
        is_limit &= abs(means[1] - means[0]) <= spreads[0] + STEADY * max(map(abs, means))
        return None if not is_limit else means[1] if abs(means[1]) > spreads[1] else 0.0

    def values_agree(self, pairs: list[tuple[Any, Any]], here: At, there: At) -> bool:
        """Whether values of both scripts after a large and a small move agree, where the original has any.

        Where the original has lost its value unmoved, they must come nearer to that of the repaired script.
        """
        known = [(before, now) for before, now in pairs if is_known(before)]
        if not all(
            now is not None and is_close(now, before, there.value, there.dtype) for before, now in known
        ):
            return False
        if len(known) < len(pairs):
            return True
        far, near = (np.abs(before - there.value) for before, _ in known)
        rounding = TOLERANCES.get(there.dtype, TOLERANCES["float64"]) * np.abs(there.value)
        keeps_value = np.isfinite(here.value) & (not self.has_lost_value)
        return bool((keeps_value | (near <= NEARER * far + rounding)).all())

    def agrees_far(self, here: At, there: At) -> bool:
        """Whether values agree where all inputs are smaller, and the slope is that of the repaired script."""
        is_same = not self.is_rounding and self.agrees_scaled(here, there)
        if not is_same and not self.agrees_moved_far(here, there):
            return False
        sides = []
        for sign in (1.0, -1.0):
            values = [(sign * size, there.value_at(sign * size)) for size in (1.0, SMALLER)]
            slopes = [there.difference(move, now) for move, now in values if now is not None]
            if len(slopes) == 2 and is_slope(*slopes):
                sides.append(slopes[1])
        return there.has_slope_between(sides)

    def agrees_scaled(self, here: At, there: At) -> bool:
        """Whether values agree where all inputs are smaller, so that nothing overflows."""
        pairs = ((here.value_scaled(factor), there.value_scaled(factor)) for factor in FACTORS)
        return agree_where_known(pairs, there.dtype)

    def agrees_moved_far(self, here: At, there: At) -> bool:
        """Whether values agree after moves so large that the original has not lost its digits."""
        pairs = (
            (here.value_at(sign * move, draw), there.value_at(sign * move, draw))
            for draw in there.own_directions
            for move in FAR_MOVES
            for sign in (1.0, -1.0)
        )
        return agree_where_known(pairs, there.dtype)


class At:
    """One script, at its inputs and around them, along directions of the input in question or of all."""

    __slots__ = (
        "directions",
        "dtype",
        "known",
        "leaf_count",
        "nearby",
        "number",
        "seed",
        "text",
        "trial",
        "value",
    )

    def __init__(self, nearby: NearbyValues, text: str) -> None:
        self.nearby = nearby
        self.text = text
        self.number: int | None = None
        self.known: dict[tuple[str, float, int], Any] = {}
        probe = Probe()
        self.trial = nearby.run(text, probe)
        if self.trial is None:
            return
        self.number = probe.numbers.get(self.trial.node.number)
        x = np.asarray(self.trial.node.out)
        self.leaf_count = len(probe.numbers)
        self.dtype = x.dtype.name
        self.value = np.asarray(self.trial.subject.root.out)
        self.seed = np.asarray(self.trial.subject.seed)
        self.directions = [
            drawn_direction(x, [0, draw], mixed_signs=draw > 0) for draw in range(OWN_DIRECTIONS)
        ]

    @property
    def own_directions(self) -> range:
        """The directions of the input that are worth a run: a single number has one."""
        return range(OWN_DIRECTIONS if self.directions[0].size > 1 else 1)

    @property
    def common_directions(self) -> range:
        """The directions of all inputs that are worth a run: none if there is only one input."""
        return range(COMMON_DIRECTIONS if self.leaf_count > 1 else 0)

    def value_at(self, move: float, draw: int = 0) -> Any:
        """Return the output where the input is moved by ``move`` times a direction; None if that fails."""
        assert self.number is not None
        return self.output(("moved", move, draw), Probe({self.number: self.directions[draw] * move}))

    def value_after_all(self, draw: int, move: float) -> Any:
        """Return the output where all inputs are moved; None if that fails."""
        return self.output(("all moved", move, draw), MovedInputs(draw, move))

    def value_scaled(self, factor: float) -> Any:
        return self.output(("scaled", factor, 0), ScaledInputs(factor))

    def output(self, key: tuple[str, float, int], probe: Probe) -> Any:
        """Return the output under a probe, or None; a run is made only once for each ``key``."""
        if key not in self.known:
            made = self.nearby.run(self.text, probe)
            value = None if made is None else np.asarray(made.subject.root.out)
            self.known[key] = value if value is not None and value.shape == self.value.shape else None
        return self.known[key]

    def difference(self, move: float, value: Any) -> float:
        """Return the slope along the direction that the value after a move shows."""
        return float((self.seed * (value - self.value)).sum() / move)

    def has_slope_between(self, sides: list[float], draw: int = 0) -> bool:
        """Whether the gradient is the slope of a side, or lies between those of the two sides."""
        assert self.trial is not None
        direction = self.directions[draw]
        gradient = np.zeros(direction.shape) if self.trial.gradient is None else self.trial.gradient
        slope = float((np.asarray(gradient) * direction).sum())
        scale = max([abs(one) for one in sides], default=0.0)
        error = SLOPE_TOLERANCE * max(scale, float(np.abs(direction).max(initial=0.0)))
        return bool(sides) and min(sides) - error <= slope <= max(sides) + error


def drawn_direction(x: Any, seed: list[int], *, mixed_signs: bool) -> Any:
    """Return a direction of the shape of ``x``, as long as moves of its entries may be."""
    size = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    random = np_random.default_rng(seed)
    drawn = random.uniform(0.5, 1.0, x.shape)
    if mixed_signs:
        drawn = drawn * random.choice([-1.0, 1.0], x.shape)
    return drawn * size * MOVES.get(x.dtype.name, MOVES["float64"])


def is_known(value: Any) -> bool:
    """Whether a run gave a value and all of its entries are finite."""
    return value is not None and bool(np.isfinite(value).all())


def agree_where_known(pairs: Iterator[tuple[Any, Any]], dtype: str) -> bool:
    """Whether values of both scripts agree at the first places where the original has one."""
    known = islice(((before, now) for before, now in pairs if is_known(before)), LEAST_FINITE)
    error = FAR_TOLERANCES.get(dtype, FAR_TOLERANCES["float64"])
    agree = [now is not None and np.allclose(now, before, rtol=error, atol=error) for before, now in known]
    return len(agree) == LEAST_FINITE and all(agree)


def is_close(now: Any, before: Any, at_input: Any, dtype: str) -> bool:
    """Whether two values agree up to rounding, and up to a small part of what the move has changed.

    The second allows for what a repair adds to stay away from an edge. ``at_input`` is the value unmoved.
    """
    changed = np.abs(before - at_input)
    rounding = TOLERANCES.get(dtype, TOLERANCES["float64"]) * np.abs(before)
    return bool((np.abs(now - before) <= np.maximum(rounding, CHANGE_TOLERANCE * changed)).all())


def is_slope(large: float, small: float) -> bool:
    """Whether differences after two moves are finite and tend to one slope.

    Those of a function that begins as a square does tend to 0.
    """
    if not np.isfinite([large, small]).all():
        return False
    if abs(small) <= 2 * SMALLER * abs(large):
        return True
    return abs(large - small) <= DIFFERENCE_TOLERANCE * max(abs(large), abs(small)) + 1e-9

"""Checks that a repair changes only the gradient: values around the script's inputs, and the slope there.

A repaired script must have the value that the original one has nearby, wherever that is finite, and its slope
must agree with differences of these values. At a kink a slope between those of the two sides agrees. A
formula that is written in another form is also compared further off, where the original does not overflow.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.graph.values import as_stored
from autodiff.grammar.session.rerun import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Leaf
    from autodiff.grammar.repair.gradient_remedies import Trial

    #: Runs a script, given its text, under a probe; None if that fails.
    Run = Callable[[str, Probe], Trial | None]

#: Moves, as parts of the largest entry, and how far values may differ by rounding, by the number type.
MOVES = {"float64": 1e-4, "float32": 1e-2}
TOLERANCES = {"float64": 1e-9, "float32": 1e-5}
#: How far two values may differ, as a part of what a move has changed.
CHANGE_TOLERANCE = 0.01
#: A second, smaller move: differences of both agree where there is a slope.
SMALLER = 0.1
#: How far a slope may be from differences, whose error is of the order of the move, and two of these apart.
SLOPE_TOLERANCE, DIFFERENCE_TOLERANCE = 0.02, 0.2
#: Factors of all inputs for values far from an overflow, how many of these must be finite, and how far they
#: may differ: the original may lose digits before it overflows, so the smallest inputs count.
FACTORS, LEAST_FINITE = (0.003, 0.01, 0.05, 0.2, 0.5), 3
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


class NearbyValues:
    """The values of a script around its inputs, with which repaired scripts are compared.

    ``run`` runs any script with the same options and returns its output and its gradient by the input.
    """

    __slots__ = ("_here", "original", "run")

    def __init__(self, original: str, run: Run) -> None:
        self.original = original
        self.run = run
        self._here: At | None = None

    def admits(self, repaired: str, is_same_function: bool) -> bool:
        """Whether a repaired script has the original's values nearby and the slope of these values.

        ``is_same_function``: its formula is known to be the same function, so that values further off do.
        """
        here = self._here = self._here or At(self, self.original)
        there = At(self, repaired)
        if here.number is None or there.trial is None or there.number is None:
            return False
        return self.agrees_near(here, there) or (is_same_function and self.agrees_far(here, there))

    def agrees_near(self, here: At, there: At) -> bool:
        """Whether values and slope agree around the input, where the original has some finite value."""
        found = 0
        sides = []
        for sign in (1.0, -1.0):
            slopes = []
            for size in (1.0, SMALLER):
                move = sign * size
                before, now = here.value_at(move), there.value_at(move)
                if before is None or not np.isfinite(before).all():
                    continue
                if now is None or not is_close(now, before, there.value, there.dtype):
                    return False
                found += 1
                slopes.append(there.difference(move, now))
            if len(slopes) == 2 and is_slope(*slopes):
                sides.append(slopes[1])
        return found > 0 and there.has_slope_between(sides)

    def agrees_far(self, here: At, there: At) -> bool:
        """Whether values agree where all inputs are smaller, and the slope is that of the repaired script."""
        finite = 0
        error = FAR_TOLERANCES.get(there.dtype, FAR_TOLERANCES["float64"])
        for factor in FACTORS:
            before, now = here.value_scaled(factor), there.value_scaled(factor)
            if before is None or not np.isfinite(before).all():
                continue
            if now is None or not np.allclose(now, before, rtol=error, atol=error):
                return False
            finite += 1
            if finite == LEAST_FINITE:
                break
        sides = []
        for sign in (1.0, -1.0):
            values = [(sign * size, there.value_at(sign * size)) for size in (1.0, SMALLER)]
            slopes = [there.difference(move, now) for move, now in values if now is not None]
            if len(slopes) == 2 and is_slope(*slopes):
                sides.append(slopes[1])
        return finite >= LEAST_FINITE and there.has_slope_between(sides)


class At:
    """One script, at its inputs and around them, along one direction of the input in question."""

    __slots__ = ("direction", "dtype", "known", "nearby", "number", "seed", "text", "trial", "value")

    def __init__(self, nearby: NearbyValues, text: str) -> None:
        self.nearby = nearby
        self.text = text
        self.number: int | None = None
        self.known: dict[tuple[str, float], Any] = {}
        probe = Probe()
        self.trial = nearby.run(text, probe)
        if self.trial is None:
            return
        self.number = probe.numbers.get(self.trial.node.number)
        x = np.asarray(self.trial.node.out)
        self.dtype = x.dtype.name
        self.value = np.asarray(self.trial.subject.root.out)
        self.seed = np.asarray(self.trial.subject.seed)
        size = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
        drawn = np_random.default_rng(0).uniform(0.5, 1.0, x.shape)
        self.direction = drawn * size * MOVES.get(self.dtype, MOVES["float64"])

    def value_at(self, move: float) -> Any:
        """Return the output where the input is moved by ``move`` times the direction; None if that fails."""
        assert self.number is not None
        return self.output(("moved", move), Probe({self.number: self.direction * move}))

    def value_scaled(self, factor: float) -> Any:
        return self.output(("scaled", factor), ScaledInputs(factor))

    def output(self, key: tuple[str, float], probe: Probe) -> Any:
        """Return the output under a probe, or None; a run is made only once for each ``key``."""
        if key not in self.known:
            made = self.nearby.run(self.text, probe)
            value = None if made is None else np.asarray(made.subject.root.out)
            self.known[key] = value if value is not None and value.shape == self.value.shape else None
        return self.known[key]

    def difference(self, move: float, value: Any) -> float:
        """Return the slope along the direction that the value after a move shows."""
        return float((self.seed * (value - self.value)).sum() / move)

    def has_slope_between(self, sides: list[float]) -> bool:
        """Whether the gradient is the slope of a side, or lies between those of the two sides."""
        assert self.trial is not None
        gradient = np.zeros(self.direction.shape) if self.trial.gradient is None else self.trial.gradient
        slope = float((np.asarray(gradient) * self.direction).sum())
        scale = max([abs(one) for one in sides], default=0.0)
        error = SLOPE_TOLERANCE * max(scale, float(np.abs(self.direction).max(initial=0.0)))
        return bool(sides) and min(sides) - error <= slope <= max(sides) + error


def is_close(now: Any, before: Any, at_input: Any, dtype: str) -> bool:
    """Whether two values agree up to rounding, and up to a small part of what the move has changed.

    The second allows for what a repair adds to stay away from an edge. ``at_input`` is the value unmoved.
    """
    changed = np.abs(before - at_input)
    rounding = TOLERANCES.get(dtype, TOLERANCES["float64"]) * np.abs(before)
    return bool((np.abs(now - before) <= np.maximum(rounding, CHANGE_TOLERANCE * changed)).all())


def is_slope(large: float, small: float) -> bool:
    """Whether differences after two moves are finite and tend to one slope."""
    if not np.isfinite([large, small]).all():
        return False
    return abs(large - small) <= DIFFERENCE_TOLERANCE * max(abs(large), abs(small)) + 1e-9

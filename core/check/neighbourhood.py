"""Kinks and jumps of a script, found by running it again with its inputs moved a little.

A replay keeps every choice of the script: branches taken, masks from comparisons, the position of a maximum.
A run of the script chooses again. If its gradient or output changes by a leap however small the move is, the
inputs are at a kink or a jump.
"""

from __future__ import annotations

from math import isfinite

from autodiff.core.base.lazy_imports import np
from autodiff.core.check.numerical_derivatives import entry_scales

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from autodiff.core.check.checked_functions import OutputFunction
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass

    #: Runs the script with these arrays added to its leaves; None if the script fails there.
    Again = Callable[[dict[Node, Any]], ReportedPass | None]


#: The two moves of the inputs, relative to their entries; the second shows whether a difference persists.
MOVES = {"float64": (1e-6, 1e-9), "float32": (1e-4, 1e-6)}
#: The least size of a leap, relative to the largest entry.
MIN_LEAP = {"float64": 1e-5, "float32": 1e-2}
#: Differences that shrink below this part are no leaps: the second move is at least a hundred times smaller.
PERSISTENCE = 0.5
#: On one side of a kink slopes change by at most this part of the leap.
MAX_SIDE_CHANGE = 0.1
#: Slopes that go to infinity grow by at least this factor between the two moves.
DIVERGENCE_FACTOR = 5.0


class Leap:
    """A leap of a gradient: the ``place`` of the entry, its slopes and the outputs on both sides.

    ``move`` is the relative size of the move. ``is_jump`` if the output itself leaps.
    """

    __slots__ = ("above", "below", "is_jump", "move", "outputs", "place")

    def __init__(
        self,
        place: tuple[int, ...],
        sides: tuple[float, float],
        outputs: tuple[float, float],
        is_jump: bool,
        move: float,
    ) -> None:
        self.place = place
        size = max(map(abs, sides))  # a slope of 0 is as small as the move there
        self.below, self.above = (0.0 if abs(slope) <= 10 * move * size else slope for slope in sides)
        largest = max(map(abs, outputs))
        before, after = (0.0 if abs(f) <= 1e-6 * largest else f for f in outputs)
        self.outputs = before, after
        self.is_jump = is_jump
        self.move = move

    @property
    def has_two_sides(self) -> bool:
        """Whether the slopes below and above differ from each other, not only from that at the point."""
        size = max(abs(self.above), abs(self.below))
        return self.is_jump or not abs(self.above - self.below) <= 1e-3 * size


class Neighbours:
    """Runs of the script on both sides of the current inputs.

    ``leaves`` are those of its graph. First all are moved at once, which serves every input; then an input
    whose gradient leaps is moved alone.
    """

    def __init__(self, leaves: Sequence[Node], again: Again, random: Any) -> None:
        self.leaves = leaves
        self.again = again
        self.directions = {leaf: random_move(np.asarray(leaf.out), random) for leaf in leaves}
        self._joint_runs: dict[float, tuple[ReportedPass | None, ReportedPass | None]] = {}

    def find_leap(self, function: OutputFunction, target: Node) -> Leap | None:
        """The leap of the gradient of one input, or of the output when that input is moved; None if none.

        Its slopes are those along the entry alone, where the gradient leaps there too.
        """
        seen = self._compare(function, target, alone=False)
        if seen is None or target not in self.directions:
            return seen
        alone = len(self.leaves) > 1
        if alone:
            seen = self._compare(function, target, alone)
        if seen is None or self._is_one_function(function, target, alone):
            return None
        return (self._compare(function, target, True, seen.place) if seen.place else None) or seen

    def has_other_choice(self, function: OutputFunction, target: Node) -> bool:
        """Whether the script goes another way beside the point, on which the gradient is another.

        The recorded graph follows the kinks of its ops there, but not the choices of the script.
        """
        scale = MOVES[function.precision][1]
        for run in self._sides(target, scale, target in self.directions and len(self.leaves) > 1):
            other = None if run is None else function.in_run(run)
            replayed = None if other is None else function.replayed_gradient(other.x)
            if other is not None and replayed is not None:
                size = max(float(np.abs(x).max(initial=0.0)) for x in (other.g, replayed, function.g))
                if float(np.abs(other.g - replayed).max(initial=0.0)) > MIN_LEAP[function.precision] * size:
                    return True
        return False

    def _is_one_function(self, function: OutputFunction, target: Node, alone: bool) -> bool:
        """Whether the script computes one analytic function on both sides, so that there is no leap."""
        if not function.is_analytic:
            return False
        for scale in MOVES[function.precision]:
            for run in self._sides(target, scale, alone):
                other = None if run is None else function.in_run(run)
                if other is None:
                    return False
                if not abs(float(function.evaluate(other.x)) - other.f) <= 1e-9 * abs(other.f):
                    return False
        return True

    def is_repeatable(self, function: OutputFunction) -> bool:
        """Whether the script gives the same output and gradient again when nothing is moved."""
        run = self.again({})
        other = None if run is None else function.in_run(run)
        return other is not None and other.f == function.f and np.array_equal(other.g, function.g)

    def _sides(
        self, target: Node, scale: float, alone: bool, place: tuple[int, ...] = ()
    ) -> tuple[ReportedPass | None, ReportedPass | None]:
        """The runs on both sides, if ``alone`` with only the target moved, or its entry at ``place``."""
        if not alone and scale in self._joint_runs:
            return self._joint_runs[scale]
        moved = {leaf: self.directions[leaf] for leaf in ([target] if alone else self.leaves)}
        if place:
            moved[target] = np.zeros_like(moved[target])
            moved[target][place] = self.directions[target][place]
        below, above = (
            self.again({leaf: sign * scale * way for leaf, way in moved.items()}) for sign in (-1, 1)
        )
        if not alone:
            self._joint_runs[scale] = below, above
        return below, above

    def _compare(
        self, function: OutputFunction, target: Node, alone: bool, entry: tuple[int, ...] = ()
    ) -> Leap | None:
        first, second = MOVES[function.precision]
        wide = self._gaps(function, target, first, alone, entry)
        if wide is None or not wide.is_large:
            return None
        narrow = self._gaps(function, target, second, alone, entry)
        if narrow is None:
            return None
        gaps = np.where(narrow.slopes >= PERSISTENCE * wide.slopes, narrow.slopes, 0.0)
        is_jump = narrow.jump > 0 and narrow.jump >= PERSISTENCE * wide.jump
        # On both sides of a kink slopes hardly change, or on one side go to infinity. Otherwise the moves
        # are too large to tell.
        pairs = ((wide.below, narrow.below), (wide.above, narrow.above))
        calm = [np.abs(there.g - here.g) <= MAX_SIDE_CHANGE * gaps for there, here in pairs]
        steep = [
            (here.g * there.g > 0) & (np.abs(here.g) > DIVERGENCE_FACTOR * np.abs(there.g))
            for there, here in pairs
        ]
        gaps = np.where((calm[0] & (calm[1] | steep[1])) | (calm[1] & steep[0]), gaps, 0.0)
        is_jump = is_jump and all(
            abs(there.f - here.f) <= MAX_SIDE_CHANGE * narrow.jump for there, here in pairs
        )
        if not is_jump and not gaps.any():
            return None
        below, above = narrow.below, narrow.above
        apart = np.where(gaps > 0, np.abs(above.g - below.g), -1.0)  # entries with two sides first
        place = entry or tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), gaps.shape))
        if not is_jump and not gaps[place] > 0:
            return None
        sides, outputs = (float(below.g[place]), float(above.g[place])), (below.f, above.f)
        if target in self.directions and self.directions[target][place] < 0:
            sides, outputs = (sides[1], sides[0]), (outputs[1], outputs[0])
        return Leap(place, sides, outputs, is_jump, second)

    def _gaps(
        self, function: OutputFunction, target: Node, scale: float, alone: bool, entry: tuple[int, ...]
    ) -> _Gaps | None:
        runs = self._sides(target, scale, alone, entry)
        below, above = (None if run is None else function.in_run(run) for run in runs)
        if below is None or above is None or not isfinite(below.f + above.f):
            return None
        return _Gaps(function, below, above)


class _Gaps:
    """Differences between three points: of gradients (``slopes``) and outputs (``jump``), 0 where small."""

    def __init__(self, own: OutputFunction, below: OutputFunction, above: OutputFunction) -> None:
        self.below = below
        self.above = above
        leap = MIN_LEAP[own.precision]
        size = max(float(np.abs(own.g).max(initial=0.0)), 1e-7 * own.largest_cotangent, 1e-300)
        gaps = np.abs(np.stack([below.g - own.g, above.g - own.g, above.g - below.g])).max(0)
        gaps = np.where(np.isfinite(gaps), gaps, np.inf)
        self.slopes = np.where(gaps > leap * np.maximum(size, np.abs(above.g)), gaps, 0.0)
        jump = max(abs(below.f - own.f), abs(above.f - own.f))
        largest = max(abs(own.f), abs(below.f), abs(above.f))
        self.jump = 0.0 if jump <= max(leap * largest, 1000 * own.rounding) else jump

    @property
    def is_large(self) -> bool:
        return self.jump > 0 or bool(self.slopes.any())


def random_move(x: Any, random: Any) -> Any:
    """A random move of every entry by about its own size; of zeros by that of the largest entry, or 1."""
    signs = random.choice([-1.0, 1.0], x.shape) * random.uniform(0.5, 1.0, x.shape)
    return entry_scales(x) * signs

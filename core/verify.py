"""Whether a gradient is right, by ways that do not use the rules it was made with.

The recorded graph is run again at other inputs. Differences of its values are compared with the gradient
entry by entry, over a sweep of steps of which the most stable is believed; the remainder of Taylor's formula
must shrink with the square of the step, whatever the step; and where every op on the way is analytic, a
complex step gives the derivative without any difference at all (Squire and Trapp, "Using complex variables
to estimate derivatives of real functions", SIAM Review 40, 1998).
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite, log2

from autodiff.core.backward import grad
from autodiff.core.lazy import np
from autodiff.core.replay import Recording
from autodiff.core.tensors import Tensor, settle, tensor
from autodiff.core.uses import size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.kinks import Kink
    from autodiff.core.node import Node
    from autodiff.core.report import Subject

#: Steps of the differences, relative to the size of the entry: each a tenth of the one before.
STEPS = tuple(10.0**-k for k in range(2, 9))
#: The imaginary step: so small that its square vanishes beside 1.
COMPLEX_STEP = 1e-30
#: Of larger tensors so many entries are stepped one by one; the direction of the Taylor test covers the rest.
MOST_ENTRIES = 200
#: An entry below this is also stepped in proportion to itself, lest the steps leave the domain.
SMALL = 1e-2
#: A gradient is wrong where it is further from the differences than this, relative to the largest entry, and
#: further than the differences are from each other. By the precision of the gradient.
RELATIVE = {"float64": 1e-6, "float32": 1e-3}
TRUST = 20.0
#: How much of a value may be rounding: what the steps on the way add to the last digit.
ROUNDING = 1e-14
#: A gradient this much smaller than those it was made of is measured against those.
CANCELLED = {"float64": 1e-7, "float32": 0.1}
#: The remainder shrinks at least so fast where the gradient is right; a wrong one gives 1.
SLOPE = 1.8
#: The ops whose numpy functions continue into the complex plane.
ANALYTIC = frozenset(
    """
    add sub mul div neg pow exp log sin cos tan tanh sinh cosh sqrt square reciprocal rsqrt expm1
    asin acos atan asinh acosh atanh matmul mm mv dot vm bmm outer sum mean sum_to expand reshape permute
    transpose t squeeze unsqueeze select slice index stack cat alias clone contiguous diagonal embed trace
    """.split()
)

OK, WRONG, KINK, NOT_FINITE, UNDECIDED = "ok", "wrong", "kink", "not finite", "undecided"


class Check:
    """What was found about one gradient.

    ``verdict`` is OK, WRONG, KINK (the slopes from the two sides differ, no gradient is right), NOT_FINITE
    or UNDECIDED (every step leaves the domain). ``worst`` is the entry furthest from the differences, ()
    for a number; ``difference`` how far it is, relative to the largest entry; ``expected`` and ``given`` are
    its two values, ``step`` the step believed. ``complex_difference`` is the same for the complex step, None
    where an op on the way is not analytic.
    ``slope`` is the order of Taylor's remainder, None where there is none to measure (a linear function).
    ``sides`` are the slopes from below and above at a kink; ``kinks``, which a caller who knows the script's
    names fills in, are the ops on the way that sit on one, whatever the verdict. ``entries`` of ``size`` were
    stepped one by one.
    """

    __slots__ = (
        *("complex_difference", "difference", "entries", "expected", "given", "kinks", "name", "sides"),
        *("size", "slope", "step", "verdict", "worst"),
    )

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.verdict = OK
        self.worst: tuple[int, ...] = ()
        self.difference = 0.0
        self.expected = 0.0
        self.given = 0.0
        self.step = 0.0
        self.complex_difference: float | None = None
        self.slope: float | None = None
        self.sides: tuple[float, float] | None = None
        self.kinks: tuple[Kink, ...] = ()
        self.entries = size


def verify(subject: Subject, spelled: str, target: Node, order: int, seed: int) -> Check:
    """Compare the gradient of one input with differences, Taylor's remainder and a complex step.

    With ``order`` 2 it is the gradient of the gradient that is compared: of its sum, with weights drawn at
    random. ``seed`` chooses these, the direction of the Taylor test and the entries of large tensors.
    """
    random = np.random.default_rng(seed)
    function = (Scalar if order == 1 else Gradient)(subject, target, random)
    return _Verifier(function, random).check(spelled)


class Scalar:
    """What a gradient is the gradient of, as a function of one input: ``x`` is where, ``g`` the gradient.

    Computed in double precision whatever the script uses, so that small steps can be told apart.
    """

    def __init__(self, subject: Subject, target: Node, random: Any) -> None:
        self.subject = subject
        self.target = target
        self.recording = Recording(subject.root, (target,))
        self.is_number = target.out.__class__ is float
        self.precision = "float64" if self.is_number else target.out.dtype.name
        self.x = np.asarray(target.out, dtype=float)
        self.g = self.gradient()
        sizes = [size_of(g) for g in subject.cotangents.values()]
        #: The largest gradient on the way: what cancels further on leaves rounding of this size.
        self.largest = max([size for size in sizes if isfinite(size)], default=0.0)

    def gradient(self) -> Any:
        g = self.subject.cotangents.get(self.target)
        return np.zeros_like(self.x) if g is None else np.asarray(g, dtype=float)

    def at(self, x: Any) -> Any:
        """The output at ``x``, times the gradient that backward started from."""
        given = float(x) if self.is_number and x.dtype.kind != "c" else x
        out = np.asarray(self.recording.values({self.target: given})[self.subject.root])
        return (out * np.asarray(self.subject.seed)).sum()

    @property
    def is_analytic(self) -> bool:
        """Whether it can be continued into the complex plane."""
        return self.precision == "float64" and all(node.op.name in ANALYTIC for node in self.recording.steps)


class Gradient(Scalar):
    """The gradient, weighed and added up, as a function of the input; ``g`` is its gradient in turn."""

    def __init__(self, subject: Subject, target: Node, random: Any) -> None:
        self.weights = random.standard_normal(target.shape) if target.shape else np.asarray(1.0)
        super().__init__(subject, target, random)

    def gradient(self) -> Any:
        slope, x = self.slope_at(self.x, create_graph=True)
        if not slope.requires_grad:
            return np.zeros_like(self.x)
        (g,) = grad(slope, x, Tensor(settle(self.weights)), allow_unused=True)
        return np.zeros_like(self.x) if g is None else np.asarray(g.data, dtype=float)

    def slope_at(self, point: Any, create_graph: bool) -> tuple[Tensor, Tensor]:
        x = tensor(np.asarray(point, dtype=float), requires_grad=True)
        root = self.recording.recorded({self.target: x})[self.subject.root]
        if not root.requires_grad:
            return Tensor(settle(np.zeros(x.shape))), x
        seed = Tensor(settle(np.asarray(self.subject.seed, dtype=float)))
        (g,) = grad(root, x, seed, create_graph=create_graph, allow_unused=True)
        return Tensor(settle(np.zeros(x.shape))) if g is None else g, x

    def at(self, x: Any) -> Any:
        slope, _ = self.slope_at(x, create_graph=False)
        return (np.asarray(slope.data) * self.weights).sum()

    @property
    def is_analytic(self) -> bool:
        return False  # the rules are not all made for complex numbers


class _Verifier:
    def __init__(self, function: Scalar, random: Any) -> None:
        self.function = function
        self.value = function.at
        self.x = function.x
        self.g = function.g
        self.random = random
        self.relative = RELATIVE[function.precision]
        self.scale = float(np.abs(self.g).max()) if self.g.size else 0.0

    def check(self, spelled: str) -> Check:
        found = Check(spelled, self.x.size)
        if not np.isfinite(self.g).all() or not isfinite(float(self.value(self.x))):
            found.verdict = NOT_FINITE
            return found
        if not self.x.size:
            return found
        self.step_entries(found)
        if not found.entries:
            found.verdict = UNDECIDED
            return found
        if self.function.is_analytic:
            self.step_into_the_plane(found)
        found.slope = self.taylor_slope()
        if (
            found.verdict == OK
            and found.entries < found.size
            and found.slope is not None
            and found.slope < SLOPE
        ):
            found.verdict = WRONG  # in an entry that was not stepped
        return found

    def measure(self, slope: float) -> float:
        """What a difference is small or large beside."""
        return max(self.scale, abs(slope), CANCELLED[self.function.precision] * self.function.largest, 1e-300)

    # -- differences ------------------------------------------------------------------------------------

    def step_entries(self, found: Check) -> None:
        """Fill in what the worst entry has: a wrong one before a kink before one that is right."""
        places = list(np.ndindex(self.x.shape))
        if len(places) > MOST_ENTRIES:
            chosen = self.random.choice(len(places), MOST_ENTRIES, replace=False)
            places = [places[at] for at in sorted(chosen)]
        found.entries = len(places)
        middle = float(self.value(self.x))
        worst: tuple[int, float] = (-1, -1.0)
        for place in places:
            given = float(self.g[place])
            slope = self.slope_at(place, middle)
            if slope is None:  # every step leaves the domain
                found.entries -= 1
                continue
            size = self.measure(slope.middle)
            apart = abs(slope.middle - given)
            verdict = OK
            if slope.is_kink(size):
                verdict = KINK
            elif apart > max(self.relative * size, TRUST * slope.error):
                verdict = WRONG
            rank = ((OK, KINK, WRONG).index(verdict), apart / size)
            if rank > worst:
                worst = rank
                found.verdict, found.worst, found.difference = verdict, place, apart / size
                found.expected, found.given, found.step = slope.middle, given, slope.step
                found.sides = (slope.left, slope.right) if verdict == KINK else None

    def slope_at(self, place: tuple[int, ...], middle: float) -> Slope | None:
        """The difference quotients that change least from one step to the next."""
        at = abs(float(self.x[place]))
        if 0 < at < SMALL:
            near = self.best_slope(place, middle, at)
            if near is not None and near.error <= 1e-6 * abs(near.middle):
                return near
        return self.best_slope(place, middle, max(at, 1.0))

    def best_slope(self, place: tuple[int, ...], middle: float, size: float) -> Slope | None:
        best: Slope | None = None
        before: Slope | None = None
        for relative in STEPS:
            step = relative * size
            above, below = (float(self.value(self.moved(place, sign * step))) for sign in (1.0, -1.0))
            if not isfinite(above - below):
                before = None
                continue
            slope = Slope(below, middle, above, step, before)
            if best is None or slope.error < best.error:
                best = slope
            before = slope
        return best

    def moved(self, place: tuple[int, ...], by: Any) -> Any:
        x = self.x.astype(np.result_type(self.x, type(by)))
        x[place] += by
        return x

    # -- a complex step -----------------------------------------------------------------------------------

    def step_into_the_plane(self, found: Check) -> None:
        try:
            expected = float(np.imag(self.value(self.moved(found.worst, COMPLEX_STEP * 1j)))) / COMPLEX_STEP
        except TypeError:  # a function of the op that has no complex form
            return
        size = self.measure(expected)
        found.complex_difference = abs(expected - float(self.g[found.worst])) / size

    # -- Taylor's remainder ---------------------------------------------------------------------------------

    def taylor_slope(self) -> float | None:
        """How fast ``|f(x + h*v) - f(x) - h*(g . v)|`` shrinks with h: 2 where g is the gradient.

        None where the remainder is nothing but rounding.
        """
        direction = self.random.standard_normal(self.x.shape)
        if not self.x.ndim:
            direction = np.asarray(1.0)
        largest = float(np.abs(self.x).max())
        length = largest if 0 < largest < SMALL else max(largest, 1.0)
        middle = float(self.value(self.x))
        rate = float((self.g * direction).sum())
        noise = 1e-12 * max(abs(middle), abs(rate), 1e-300)
        points = []
        for k in range(3, 18):
            h = length * 2.0**-k
            value = float(self.value(self.x + h * direction))
            remainder = abs(value - middle - h * rate)
            if isfinite(remainder) and remainder > noise:
                points.append((k, log2(remainder)))
        slopes = [(before[1] - after[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
        if len(slopes) < 3:
            return None
        # The smallest steps that are still above rounding are the nearest to the limit.
        return float(np.median(slopes[-5:]))


class Slope:
    """Difference quotients at one step, to the left and to the right.

    ``error`` is how far they are from those of the step ``before``, and no less than rounding makes them.
    """

    __slots__ = ("error", "gap_before", "grows", "left", "middle", "noise", "right", "step")

    def __init__(self, below: float, middle: float, above: float, step: float, before: Slope | None) -> None:
        self.left = (middle - below) / step
        self.right = (above - middle) / step
        self.middle = (above - below) / (2 * step)
        self.step = step
        self.noise = ROUNDING * max(abs(below), abs(middle), abs(above)) / step
        change = float("inf") if before is None else abs(self.middle - before.middle)
        self.error = max(change, self.noise)
        self.grows = before is not None and abs(self.middle) > 2 * abs(before.middle)
        self.gap_before = 0.0 if before is None else abs(before.right - before.left)

    def is_kink(self, size: float) -> bool:
        """Whether the sides differ and do not come closer with the step, as those of a smooth function do."""
        gap = abs(self.right - self.left)
        is_split = gap > 1e-3 * size and gap > 0.5 * self.gap_before
        # At a jump the quotients themselves grow without end.
        is_jump = self.grows and self.error > 0.5 * abs(self.middle) > 0.5e-3 * size
        return (is_split and gap > 100 * self.noise) or (is_jump and self.error > 100 * self.noise)

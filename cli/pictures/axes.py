"""The axes of a curve: the range of each, its ticks at round numbers, and where a value stands on it."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from sys import float_info

from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autodiff.core.report.curve import Curve

#: How much of its range an axis has beyond the curve, on either side.
BEYOND = 0.06
#: A tick stands at a multiple of one of these times a power of ten.
ROUND_STEPS = (1.0, 2.0, 5.0, 10.0)
LARGEST = float_info.max
#: A curve of more points is drawn by the least and the greatest of each of so many parts.
MOST_PARTS = 1_000


class Axis:
    """The values from ``low`` to ``high``, and the ``ticks`` among them; at most ``most`` and one more."""

    __slots__ = ("high", "low", "ticks")

    def __init__(self, values: Iterable[float], most: int, beyond: float = BEYOND) -> None:
        finite = [value for value in values if isfinite(value)]
        low, high = min(finite), max(finite)
        margin = beyond * high - beyond * low or (0.0 if low < high else abs(low) / 2 or 1.0)
        self.low, self.high = max(low - margin, -LARGEST), min(high + margin, LARGEST)
        self.ticks = round_numbers(self.low, self.high, most)

    def part(self, value: float) -> float:
        """Where a value stands between the ends, from 0 to 1."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)  # the difference may be infinite


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """The multiples of 1, 2 or 5 times a power of ten in a range, about ``most`` of them.

    >>> round_numbers(-2.1, 2.1, 5), round_numbers(0.0, 0.031, 4)
    ([-2.0, -1.0, 0.0, 1.0, 2.0], [0.0, 0.01, 0.02, 0.03])
    """
    least = high / most - low / most
    power = floor(log10(least))
    step = next(one for one in ROUND_STEPS if one * 10.0**power >= least * (1 - 1e-9))
    first, last = (low / 10.0**power / step, high / 10.0**power / step)
    # The multiple is rounded to the digits that the step has: 3*0.1 is 0.3.
    return [round(at * step * 10.0**power, max(0, 1 - power)) for at in range(ceil(first), floor(last) + 1)]


def pieces(xs: Sequence[float], ys: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    """The parts of a curve between its gaps, as points."""
    part: list[tuple[float, float]] = []
    for x, y in thinned(xs, ys):
        if isfinite(y):
            part.append((x, y))
        elif part:
            yield part
            part = []
    if part:
        yield part


def thinned(xs: Sequence[float], ys: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The points; of very many the least and the greatest of each part, and where it has a gap."""
    if len(xs) <= 2 * MOST_PARTS:
        yield from zip(xs, ys, strict=True)
        return
    size = -(-len(xs) // MOST_PARTS)
    for start in range(0, len(xs), size):
        part = range(start, min(start + size, len(xs)))
        finite = [at for at in part if isfinite(ys[at])]
        kept = {min(finite, key=ys.__getitem__), max(finite, key=ys.__getitem__)} if finite else set()
        kept |= {at for at in part if not isfinite(ys[at])} if len(finite) < len(part) else set()
        yield from ((xs[at], ys[at]) for at in sorted(kept))


def check_drawn(curve: Curve) -> None:
    """Raise UsageError if no point of a curve is finite."""
    if not any(map(isfinite, curve.ys)):
        raise UsageError(
            f"{curve.output} is not finite at any of the {len(curve.ys):,} points: there is nothing to draw",
            code="E0610",
            help=("name other values", "`autodiff explain` says where a value was lost"),
        )


def heading(curve: Curve) -> str:
    """What a curve shows, in a line."""
    if not curve.slopes:
        return f"{curve.output}, the values of {len(curve.ys):,} steps"
    return f"{curve.output} over {curve.input}"


def band(curve: Curve) -> tuple[list[float], list[float]]:
    """The curve less and more one standard deviation."""
    pairs = list(zip(curve.ys, curve.sigmas, strict=True))
    return [y - sigma for y, sigma in pairs], [y + sigma for y, sigma in pairs]


def tangent_ends(curve: Curve, across: Axis, up: Axis) -> list[tuple[float, float]]:
    """The two ends of the tangent, where it leaves the picture."""
    at = curve.tangent
    assert at is not None
    xs = [across.low, across.high]
    if at.slope:
        for y in (up.low, up.high):
            x = at.x + (y - at.y) / at.slope
            xs = [max(xs[0], x), xs[1]] if (x < at.x) else [xs[0], min(xs[1], x)]
    return [(x, at.y + at.slope * (x - at.x)) for x in xs]

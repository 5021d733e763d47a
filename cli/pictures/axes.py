"""The axes of a curve: the range of each, its ticks at round numbers, and where a value stands on it."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor, isfinite, log10
from sys import float_info

from autodiff.cli.render.numbers import short
from autodiff.cli.render.page import fit
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
#: Multiples of a power of ten that have ticks on an axis of a few powers of ten.
MULTIPLES = (1, 2, 5)
#: A curve with poles is drawn so far beyond the middle eight tenths of its values, as part of their range.
REACH = 1.5
#: The parts of a tangent that is bent by a logarithmic axis.
BENT = 60
SLOPE_TICKS = 4
MOST_NAMED, WIDEST_NAME = 4, 16
#: A curve of more points is drawn by the least and the greatest of each of so many parts.
MOST_PARTS = 1_000


class Axis:
    """The values from ``low`` to ``high``, and the ``ticks`` among them; at most ``most`` and one more.

    If it ``is_log``, equal factors have equal lengths, and all values are above 0.
    """

    __slots__ = ("high", "is_log", "low", "ticks")

    def __init__(
        self, values: Iterable[float], most: int, beyond: float = BEYOND, is_log: bool = False
    ) -> None:
        finite = [value for value in values if isfinite(value)]
        low, high = min(finite), max(finite)
        self.is_log = is_log and low < high
        if self.is_log:
            factor: float = 10.0 ** (beyond * (log10(high) - log10(low)))
            self.low, self.high = low / factor, min(high * factor, LARGEST)
            self.ticks = round_factors(self.low, self.high, most)
            return
        margin = beyond * high - beyond * low or (0.0 if low < high else abs(low) / 2 or 1.0)
        self.low, self.high = max(low - margin, -LARGEST), min(high + margin, LARGEST)
        self.ticks = round_numbers(self.low, self.high, most)

    def part(self, value: float) -> float:
        """Where a value stands between the ends, from 0 to 1."""
        if self.is_log:
            return log10(value / self.low) / log10(self.high / self.low)
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


def round_factors(low: float, high: float, most: int) -> list[float]:
    """Powers of ten in a range, about ``most`` of them; between few of them their multiples by 2 and 5.

    >>> round_factors(0.5, 2e3, 7), round_factors(0.9, 30.0, 7), round_factors(1.0, 1e9, 4)
    ([1.0, 10.0, 100.0, 1000.0], [1.0, 2.0, 5.0, 10.0, 20.0], [1.0, 1000.0, 1000000.0, 1000000000.0])
    """
    powers = range(floor(log10(low)), floor(log10(high)) + 1)
    multiples = MULTIPLES if len(MULTIPLES) * log10(high / low) <= most else (1,)
    step = max(1, ceil(log10(high / low) / most))
    ticks = [float(f"{one}e{power}") for power in powers if power % step == 0 for one in multiples]
    inside = [tick for tick in ticks if low <= tick <= high]
    return inside if len(inside) > 1 else [tick for tick in round_numbers(low, high, most) if tick > 0]


def pieces(
    xs: Sequence[float], ys: Sequence[float], jumps: Sequence[int] = (), up: Axis | None = None
) -> Iterator[list[tuple[float, float]]]:
    """The parts of a curve between gaps and ``jumps``, as points; with an axis, only what is within it."""
    if jumps:
        after = set(jumps)
        pairs = [
            pair for at, x in enumerate(xs) for pair in ((x, ys[at]), *[(x, float("nan"))] * (at in after))
        ]
        xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    part: list[tuple[float, float]] = []
    for x, y in (*thinned(xs, ys), (0.0, float("nan"))):
        if isfinite(y):
            part.append((x, y))
        elif part:
            yield from [part] if up is None else within(part, up)
            part = []


def within(part: list[tuple[float, float]], up: Axis) -> Iterator[list[tuple[float, float]]]:
    """What of a line through points is between the ends of an axis."""
    if all(up.low <= y <= up.high for _, y in part):
        yield part
        return
    line: list[tuple[float, float]] = []
    for (a, b), (c, d) in pairwise(part):
        ends = [0.0, 1.0] if up.low <= b <= up.high else [1.0, 0.0]
        if b != d:  # of halves, because a difference may be infinite
            ends = sorted((end / 2 - b / 2) / (d / 2 - b / 2) for end in (up.low, up.high))
        first, last = max(ends[0], 0.0), min(ends[1], 1.0)
        if first > last:
            continue
        line = line or [(a + (c - a) * first, b + (d - b) * first)]
        line.append((a + (c - a) * last, b + (d - b) * last))
        if last < 1:
            yield line
            line = []
    if line:
        yield line


def values_shown(xs: Sequence[float], ys: Sequence[float], jumps: Sequence[int]) -> list[float]:
    """The values for which an axis is made: near a pole those far from the others are left out.

    A curve in one part has none left out.
    """
    finite = sorted(filter(isfinite, ys))
    tenth = len(finite) // 10
    if len(list(pieces(xs, ys, jumps))) < 2:
        return finite
    low, high = finite[tenth], finite[-1 - tenth]
    reach = REACH * (high - low)
    return [y for y in finite if low - reach <= y <= high + reach] if 0 < reach < LARGEST else finite


def note_of_range(curve: Curve) -> Iterator[str]:
    """A note if values of the curve are left out of its picture."""
    finite, shown = list(filter(isfinite, curve.ys)), values_shown(curve.xs, curve.ys, curve.jumps)
    if finite and len(shown) < len(finite):
        low, high, least, most = (short(one, 3) for one in (min(shown), max(shown), min(finite), max(finite)))
        yield (f"{curve.output} is drawn from {low} to {high}; its values reach from {least} to {most}")


def kinks_of(curve: Curve) -> str:
    """Where the curve has kinks, in words; empty if it has none."""
    if not curve.kinks:
        return ""
    named = [short(x) for x, _ in curve.kinks[:MOST_NAMED]]
    if len(curve.kinks) > MOST_NAMED:
        named.append(f"{len(curve.kinks) - MOST_NAMED:,} more")
    return f"kink{'s' * (len(curve.kinks) > 1)} at {fit(curve.input, WIDEST_NAME)} = {', '.join(named)}"


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
        return f"the {len(curve.ys):,} values of {curve.output}"
    return f"{curve.output} over {curve.input}"


def band(curve: Curve) -> tuple[list[float], list[float]]:
    """The curve less and more one standard deviation."""
    pairs = list(zip(curve.ys, curve.sigmas, strict=True))
    return [y - sigma for y, sigma in pairs], [y + sigma for y, sigma in pairs]


def tangent_points(curve: Curve, across: Axis, up: Axis) -> list[tuple[float, float]]:
    """The two ends of the tangent, where it leaves the picture; on a logarithmic axis with points between."""
    at = curve.tangent
    assert at is not None
    xs = [across.low, across.high]
    if at.slope:
        for y in (up.low, up.high):
            x = at.x + (y - at.y) / at.slope
            xs = [max(xs[0], x), xs[1]] if (x < at.x) else [xs[0], min(xs[1], x)]
    if across.is_log:
        factor = (xs[1] / xs[0]) ** (1 / BENT)
        xs = [xs[0] * factor**part for part in range(BENT + 1)]
    return [(x, at.y + at.slope * (x - at.x)) for x in xs]


def axes_up(curve: Curve, most: int) -> list[Axis]:
    """The axis of the output, with about ``most`` ticks, and that of the slope if some slope is finite."""
    low, high = band(curve) if curve.sigmas else (curve.ys, curve.ys)
    shown = [y for side in (low, high) for y in values_shown(curve.xs, side, curve.jumps)]
    if curve.tangent is not None:
        shown.append(curve.tangent.y)
    slopes = values_shown(curve.xs, curve.slopes, curve.slope_jumps) if curve.slopes else []
    return [Axis(shown, most), *([Axis(slopes, SLOPE_TICKS)] if slopes else [])]

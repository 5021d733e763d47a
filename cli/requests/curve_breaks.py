"""Where a curve jumps and where it has a kink.

Between two points whose change does not fit their slopes more points are computed, and again where most of
the change is. A smooth curve changes less and less there; a jump, a pole or a kink keeps its change.
"""

from __future__ import annotations

from itertools import pairwise
from math import floor, inf, isfinite, log10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodiff.core.report.curve import Curve

    #: The input, the output and the slope.
    Point = tuple[float, float, float]
    #: Computes the points at values of the input.
    Compute = Callable[[Sequence[float]], Sequence[Point]]

#: Into so many parts an interval is divided, so often: ten times reach a part in 10^9 of it.
PARTS, ROUNDS = 8, 10
#: A change that falls below this part of the first one is smooth.
KEPT = 0.5
#: A value whose change grows to so many times the first one goes to infinity.
GROWN = 4
#: The change between two points fits their slopes up to this part of it.
FITS = 0.1
#: A slope that changes so many times as much as beside may have a jump.
STEEPER = 3
#: Changes below this part of the whole range are rounding.
ROUNDING = 1e-6
#: Of more intervals those with the greatest changes are looked at.
MOST_INTERVALS = 200
#: If after so many rounds more than so many intervals keep their change, those with the greatest go on.
FIRST_ROUNDS, MOST_DEEP = 3, 25
VALUE, SLOPE = 1, 2


def add_breaks(curve: Curve, compute: Compute) -> None:
    """Add to a curve with slopes where it jumps, where its slope does, and its kinks."""
    points = list(zip(curve.xs, curve.ys, curve.slopes, strict=True))
    jumps = kept_changes(points, VALUE, compute)
    bends = kept_changes(points, SLOPE, compute)
    curve.jumps = sorted(jumps)
    curve.slope_jumps = sorted({*jumps, *bends})
    kinks = {}
    for at, part in sorted(bends.items()):
        if at not in jumps and all(map(isfinite, (part[0][VALUE], part[1][VALUE]))):
            (a, y, _), (b, z, _) = points[at], points[at + 1]
            x = place_of(part, points[at], points[at + 1])
            kinks[x] = y + (x - a) * (z - y) / (b - a)  # on the line as it is drawn
    curve.kinks = sorted(kinks.items())


def kept_changes(points: Sequence[Point], which: int, compute: Compute) -> dict[int, tuple[Point, Point]]:
    """By the index of its first point each interval in which a change stays, with the part where it is.

    A value that changes more and more has a pole. A slope may do so at first, as near the middle of a steep
    bend: what counts is whether it keeps the greatest change that was found.
    """
    found = values_that_do_not_fit(points) if which == VALUE else slopes_that_do_not_fit(points)
    wanted = sorted(found, key=lambda at: -change(points[at], points[at + 1], which))[:MOST_INTERVALS]
    parts = {at: (points[at], points[at + 1]) for at in wanted}
    greatest = {at: change(*part, which) for at, part in parts.items()}
    poles: set[int] = set()
    for turn in range(ROUNDS):
        most = MOST_INTERVALS if turn < FIRST_ROUNDS else MOST_DEEP
        tried = {at: part for at, part in list(parts.items())[:most] if at not in poles}
        if not tried:
            break
        computed = iter(compute([x for first, last in tried.values() for x in between(first[0], last[0])]))
        for at, (first, last) in tried.items():
            row = [first, *(next(computed) for _ in range(PARTS - 1)), last]
            first, last = max(pairwise(row), key=lambda pair: change(pair[0], pair[1], which))
            parts[at] = first, last
            size = change(first, last, which)
            if size < KEPT * greatest[at]:
                del parts[at]
            elif which == VALUE and size > GROWN * greatest[at]:
                poles.add(at)
            elif which == SLOPE:
                greatest[at] = max(greatest[at], size)
    return parts


def between(first: float, last: float) -> list[float]:
    """The values that divide an interval."""
    return [first + (last - first) / PARTS * at for at in range(1, PARTS)]


def change(first: Point, last: Point, which: int) -> float:
    """How much the value or the slope changes; infinite where one of them is not finite."""
    size = abs(last[which] - first[which])
    return size if isfinite(size) else inf


def values_that_do_not_fit(points: Sequence[Point]) -> Iterator[int]:
    """The intervals in which the value changes otherwise than with slopes between those at the ends."""
    least = ROUNDING * spread(points, VALUE)
    for at, ((a, y, s), (b, z, t)) in enumerate(pairwise(points)):
        low, high = sorted(((b - a) * s, (b - a) * t))
        beyond = max(low - (z - y), (z - y) - high)
        if isfinite(beyond) and beyond > max(least, FITS * abs(z - y)):
            yield at


def slopes_that_do_not_fit(points: Sequence[Point]) -> Iterator[int]:
    """The intervals in which the slope changes much more than in one beside."""
    least = ROUNDING * spread(points, SLOPE)
    changes = [change(first, last, SLOPE) for first, last in pairwise(points)]
    for at, size in enumerate(changes):
        beside = min(changes[max(0, at - 1) : at] + changes[at + 1 : at + 2], default=inf)
        if isfinite(size) and size > max(least, STEEPER * beside):
            yield at


def spread(points: Sequence[Point], which: int) -> float:
    """How far the finite values or slopes reach."""
    finite = [point[which] for point in points if isfinite(point[which])]
    return max(finite) - min(finite) if finite else 0.0


def place_of(part: tuple[Point, Point], first: Point, last: Point) -> float:
    """The input in a part of an interval at which a change is: an end of the interval, else near its middle.

    It is rounded to the digits that the width of the part leaves certain.
    """
    for end, own in zip((first, last), part, strict=True):
        if own == end:
            return end[0]
    (a, *_), (b, *_) = part
    return round((a + b) / 2, max(0, floor(-log10(abs(b - a)))))

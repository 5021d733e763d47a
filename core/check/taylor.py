"""Taylor's remainder: it shrinks with the square of the step where the gradient is right."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite, log2

from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: The step is halved so often, from the first number of times to the last; and on, while there is a
#: remainder: the function may change fast.
HALVINGS, FURTHER = range(3, 27), range(27, 50)
#: A value changes by so many times its noise at the largest step before its remainder can be told.
PLAIN = 1e3
#: A remainder that falls by more than this power of 2 at one halving, into the noise, is none there.
SUDDEN = 4
#: So many orders, from one step to the next, are needed, and the last of them are believed.
FEWEST, LAST = 3, 5


class Remainder:
    """``order`` is 2 where the rate is the slope, 1 where it is not; None where none can be measured.

    Then ``is_linear`` tells whether it is because there is no remainder: the function goes up as the rate
    says, or does not change and the rate is 0. Otherwise rounding hides what it changes by.
    ``left`` is what is left of the slope at the last step, the rate taken off.
    """

    __slots__ = ("is_linear", "left", "order")

    def __init__(
        self,
        value: Callable[[float], float],
        middle: float,
        rate: float,
        length: float,
        noise: float,
        blur: float,
    ) -> None:
        """Measure how fast ``|f(h) - f(0) - h*rate|`` shrinks with h, up to an eighth of ``length``.

        ``f(0)`` is ``middle``; the values are off by ``noise`` and the rate by ``blur``.
        """
        noise = max(1e-12 * max(abs(middle), abs(rate) * length, 1e-300), noise)
        points: list[tuple[int, float]] = []
        is_whole, last = True, HALVINGS[0]
        for k in (*HALVINGS, *FURTHER):
            if k in FURTHER and not (points and points[-1][0] == k - 1):
                break
            h = length * 2.0**-k
            remainder = abs(value(h) - middle - h * rate)
            is_whole &= isfinite(remainder)
            if isfinite(remainder) and remainder > noise + h * blur:
                points.append((k, log2(remainder)))
                last = k
        if points and isfinite(noise) and points[-1][1] > log2(noise + length * 2.0**-last * blur) + SUDDEN:
            points, last = [], last + 1  # a kink, or so, was beyond the steps after this one
        slopes = [(before[1] - after[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
        # The smallest steps that are still above rounding are the nearest to the limit.
        self.order = float(np.median(slopes[-LAST:])) if len(slopes) >= FEWEST else None
        self.left = 2.0 ** points[-1][1] / (length * 2.0**-last) if points else 0.0
        reach = length * 2.0**-last
        is_plain = abs(rate) * reach > PLAIN * (noise + reach * blur)
        self.is_linear = is_whole and not points and (is_plain or value(reach) == middle)

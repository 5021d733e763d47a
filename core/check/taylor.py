"""The Taylor test: the remainder shrinks with the square of the step if the gradient is right."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite, log2

from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: The steps are the length halved this many times. The further ones are used while there is a remainder, for
#: functions that change fast.
HALVINGS, FURTHER_HALVINGS = range(3, 27), range(27, 50)
#: A linear function must change by more than this many times its noise at the largest step.
CLEAR_CHANGE = 1e3
#: A remainder that falls into the noise by more than this power of 2 at one halving does not count.
SUDDEN_DROP = 4
#: An order is measured between consecutive steps. At least FEWEST are needed; the result is the median of the
#: last ones.
MIN_ORDERS, LAST_ORDERS = 3, 5


class TaylorRemainder:
    """The measured order of Taylor's remainder along a line.

    ``order`` is about 2 if the rate is the derivative, 1 if it is not, and None if it cannot be measured.
    In this case ``is_linear`` is true if there is no remainder: the function changes exactly by the rate, or
    it is constant and the rate is 0. Otherwise rounding hides the change.
    ``left`` is the remainder at the last step, divided by the step: the error of the rate that it suggests.
    """

    __slots__ = ("is_linear", "left", "order")

    def __init__(
        self,
        value: Callable[[float], float],
        middle: float,
        rate: float,
        length: float,
        noise: float,
        rate_noise: float,
    ) -> None:
        """Measure how fast ``|f(h) - f(0) - h*rate|`` shrinks with h, from an eighth of ``length`` down.

        ``value`` is f and ``middle`` is ``f(0)``. Values have an error of ``noise`` and the rate of
        ``rate_noise``.
        """
        noise = max(1e-12 * max(abs(middle), abs(rate) * length, 1e-300), noise)
        points: list[tuple[int, float]] = []
        is_whole, last = True, HALVINGS[0]
        for k in (*HALVINGS, *FURTHER_HALVINGS):
            if k in FURTHER_HALVINGS and not (points and points[-1][0] == k - 1):
                break
            h = length * 2.0**-k
            remainder = abs(value(h) - middle - h * rate)
            is_whole &= isfinite(remainder)
            if isfinite(remainder) and remainder > noise + h * rate_noise:
                points.append((k, log2(remainder)))
                last = k
        if (
            points
            and isfinite(noise)
            and points[-1][1] > log2(noise + length * 2.0**-last * rate_noise) + SUDDEN_DROP
        ):
            points, last = [], last + 1  # a kink or the like lay within the larger steps only
        slopes = [(before[1] - after[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
        # The smallest steps with a remainder above rounding are the nearest to the limit.
        self.order = float(np.median(slopes[-LAST_ORDERS:])) if len(slopes) >= MIN_ORDERS else None
        self.left = 2.0 ** points[-1][1] / (length * 2.0**-last) if points else 0.0
        reach = length * 2.0**-last
        is_plain = abs(rate) * reach > CLEAR_CHANGE * (noise + reach * rate_noise)
        self.is_linear = is_whole and not points and (is_plain or value(reach) == middle)

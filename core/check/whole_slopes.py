"""The slope of the whole script, by running it again: it has the parts too that left the graph.

Backward and a replay take what left the graph, such as ``x.detach()``, for a constant.
"""

from __future__ import annotations

from math import isfinite

from autodiff.core.base.lazy_imports import np
from autodiff.core.check.checked_functions import OutputFunction
from autodiff.core.check.numerical_derivatives import entry_scales

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.check.neighbourhood import Again
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass

#: The steps relative to the entries, by precision of the input.
STEPS = {"float64": 1e-3, "float32": 1e-2}
#: Slopes nearer than this, relative to the larger one, are the same.
SAME = {"float64": 1e-5, "float32": 1e-2}


class WholeSlope:
    """The ``slope`` of a script by one of its inputs; ``is_other`` if backward gives another."""

    __slots__ = ("is_other", "slope")

    def __init__(self, slope: float, is_other: bool) -> None:
        self.slope = slope
        self.is_other = is_other


def whole_slope(subject: ReportedPass, spelled: str, target: Node, again: Again) -> WholeSlope | None:
    """Return the slope of the whole script by the input ``target``; None if two steps give no common one.

    An array is moved in one direction, by the sizes of its entries with alternating signs. ``again`` runs
    the script with moved leaves.
    """
    function = OutputFunction(subject, spelled, target)
    if function.precision not in STEPS or not isfinite(function.f):
        return None
    direction = np.ones_like(function.x)
    if function.x.size > 1:
        signs = np.where(np.arange(function.x.size) % 2, -0.7, 1.0).reshape(function.x.shape)
        direction = entry_scales(function.x) * signs
    step = STEPS[function.precision] * (1.0 if function.x.size > 1 else float(entry_scales(function.x)))
    quotients = []
    for part in (1.0, 0.5):
        sides = []
        for sign in (1, -1):
            run = again({target: sign * part * step * direction})
            moved = None if run is None else function.in_run(run)
            if moved is None:
                return None
            sides.append(moved.f)
        quotients.append((sides[0] - sides[1]) / (2 * part * step))
    wide, narrow = quotients
    slope = (4 * narrow - wide) / 3  # Richardson's extrapolation: the error goes with the fourth power
    given = float((function.g * direction).sum())
    size = max(abs(slope), abs(given), float(np.abs(function.g * direction).max(initial=0.0)))
    if not isfinite(slope) or abs(wide - narrow) > 1e-2 * size:
        return None
    return WholeSlope(slope, abs(slope - given) > SAME[function.precision] * size)

"""The record of a curve: the output of a script over one of its inputs, or a name's values in a loop."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Tangent(Record):
    """The point (``x``, ``y``) of a curve at which its tangent is drawn, and the ``slope`` there."""

    x: float
    y: float
    slope: float


class Curve(Record):
    """Points of a curve, in order: ``ys`` of the ``output`` at ``xs`` of the ``input``.

    ``slopes`` has the derivative at each point; empty for values that a loop assigns, whose ``xs`` count them
    from 1. ``sigmas`` has the standard deviation of each point to first order, empty if no input has one.
    A point that is not finite, or that has no value, is nan: the curve has a gap there.

    ``jumps`` and ``slope_jumps`` have the indices of points after which the curve, or its slope, is not
    joined to the next one. ``kinks`` are the points at which only the slope jumps. All three are empty
    unless the curve is drawn. ``is_log`` says that the values of the input are spaced by a factor.
    """

    input: str
    output: str
    xs: list[float]
    ys: list[float]
    slopes: list[float]
    sigmas: list[float]
    tangent: Tangent | None = None
    jumps: Sequence[int] = ()
    slope_jumps: Sequence[int] = ()
    kinks: Sequence[tuple[float, float]] = ()
    is_log: bool = False

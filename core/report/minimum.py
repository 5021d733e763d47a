"""The record of a minimum that was searched for."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import GradientReport


class Minimum(Record):
    """Where a search ended, and how well the inputs are known there.

    ``report`` is that of the script with the inputs found. ``start`` has the entries of all inputs before the
    search, one after the other. ``value`` is the objective: the output, or the sum of its squares.
    ``covariance`` (n x n) of the inputs is None if nothing determines it; then ``why`` says so. ``flat`` are
    moves of the inputs, a row each, that change no residual to first order, or the output to second.
    ``residual_count`` is the number of residuals of a least-squares fit, 0 for another objective,
    ``residuals`` are their names or expressions, none if the output itself is a list of them, and
    ``sum_of_squares`` is that of the residuals, with their weights unless these are equal. With
    ``absolute_sigma`` the residuals are in units of their standard deviations, and ``value`` is chi-squared.
    """

    report: GradientReport
    start: Any
    value: float
    method: str
    steps: int
    has_converged: bool
    reason: str
    covariance: Any
    why: str
    flat: Any
    residual_count: int = 0
    residuals: tuple[str, ...] = ()
    sum_of_squares: float = 0.0
    absolute_sigma: bool = False

    @property
    def degrees_of_freedom(self) -> int:
        """The number of residuals that are more than there are inputs; 0 for another objective."""
        return max(self.residual_count - len(self.start), 0)

    @property
    def residual_sigma(self) -> float | None:
        """The standard deviation of a residual; None without degrees of freedom."""
        free = self.degrees_of_freedom
        return float((self.sum_of_squares / free) ** 0.5) if free else None

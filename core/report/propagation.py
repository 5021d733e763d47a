"""The record of standard deviations that were propagated through a script."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import GradientReport

#: A standard deviation of draws means little if its standard error is a larger part of it: a few far draws,
#: as beside a pole, make most of it, and of a heavy tail the standard error is too small.
LARGEST_ERROR = 1 / 6


class MonteCarlo(Record):
    """What random inputs gave, one number for each entry of the output in each array.

    ``mean`` and ``sigma`` are those of ``count`` draws, without the ``lost`` ones whose output is not finite.
    ``sigma_error`` is the standard error of ``sigma``. ``agrees`` compares with first order; if draws are
    lost, none agrees, nor does a ``sigma`` with a standard error above ``LARGEST_ERROR``. ``second_mean`` and
    ``second_sigma`` are what the second derivatives predict, and ``is_curvature`` compares with these; None
    if there was no need.
    """

    count: int
    lost: int
    mean: Any
    sigma: Any
    sigma_error: Any
    agrees: Any
    second_mean: Any = None
    second_sigma: Any = None
    is_curvature: Any = None


class Propagation(Record):
    """Standard deviations to first order.

    ``covariance`` is that of the input entries, n x n, ``jacobian`` m x n, ``output_covariance`` m x m.
    ``sigma`` has the deviations of the m entries of the output, ``shares`` (m x n) the part of the variance
    that each input entry has; a row adds up to 1, and correlated inputs may have negative shares.
    """

    report: GradientReport
    jacobian: Any
    covariance: Any
    output_covariance: Any
    sigma: Any
    shares: Any
    monte_carlo: MonteCarlo | None = None

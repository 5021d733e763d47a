"""The propagation of standard deviations: first order, second order for normal inputs, random draws.

Sources: JCGM 100:2008 (GUM), equations 13 and 16 for first order with correlations. For a quadratic
function of normal inputs with covariance S, gradient g and Hessian H, the mean is shifted by tr(H S)/2 and
the variance is g' S g + tr((H S)^2)/2 (Mathai and Provost, Quadratic Forms in Random Variables, 1992).
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.base.limits import check_allocation
from autodiff.core.report.propagation import LARGEST_ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Two numbers agree if they differ by at most this many standard errors.
ERRORS = 4.0
#: A covariance matrix may be asymmetric, or have eigenvalues below 0, by this part of its largest entry.
ROUNDING = 1e-9


def first_order(jacobian: Any, covariance: Any) -> tuple[Any, Any, Any]:
    """Return the output's covariance, its standard deviations, and each input's share of the variance."""
    mixed = jacobian @ covariance
    output = mixed @ jacobian.T
    parts = jacobian * mixed
    variance = parts.sum(axis=1)
    safe = np.where(variance > 0, variance, 1.0)
    shares = np.where(variance[:, None] <= 0, 0.0, parts / safe[:, None])  # nan stays
    output = (output + output.T) / 2  # symmetric to the last digit
    return output, np.sqrt(np.maximum(variance, 0.0)), shares


def second_order(hessian: Any, covariance: Any) -> tuple[float, float]:
    """Return the shift of the mean and the variance that curvature adds, for normal inputs."""
    product = hessian @ covariance
    return float(np.trace(product)) / 2, float(np.trace(product @ product)) / 2


def covariance_flaw(covariance: Any) -> str:
    """Return what is wrong with a covariance matrix; "" if nothing is."""
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        return f"it has shape {covariance.shape}, and a covariance matrix is square"
    if not np.isfinite(covariance).all():
        return "it has entries that are not finite"
    scale = ROUNDING * float(np.abs(covariance).max(initial=0.0))
    if (np.abs(covariance - covariance.T) > scale).any():
        return "it is not symmetric"
    if (np.diag(covariance) < 0).any():
        return "it has a variance below 0"
    deviations = np.sqrt(np.diag(covariance))
    unit = np.where(deviations > 0, deviations, 1.0)
    correlations = covariance / np.outer(unit, unit)
    if np.linalg.eigvalsh(correlations).min(initial=0.0) < -ROUNDING * len(covariance):
        return "no random numbers have this covariance: a combination of them has a variance below 0"
    return ""


def draws(covariance: Any, count: int, seed: int) -> Any:
    """Return ``count`` normal random vectors with mean 0, a row each, or raise LimitError."""
    check_allocation((count, len(covariance)))
    deviations = np.sqrt(np.diag(covariance))
    unit = np.where(deviations > 0, deviations, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    return (np_random.default_rng(seed).standard_normal((count, len(unit))) @ factor.T) * unit


def deviation(samples: Any) -> tuple[Any, Any, Any]:
    """Return mean and standard deviation of each column, and the standard error of the deviation."""
    count = len(samples)
    mean = samples.mean(axis=0)
    centred = samples - mean
    variance = (centred**2).sum(axis=0) / (count - 1)
    fourth = (centred**4).mean(axis=0)
    sigma = np.sqrt(variance)
    safe = np.where(sigma > 0, sigma, 1.0)
    return mean, sigma, np.sqrt(np.maximum(fourth - variance**2, 0.0) / count) / (2 * safe)


def agree(mean: Any, sigma: Any, error: Any, count: int, expected_mean: Any, expected_sigma: Any) -> Any:
    """Whether means and deviations of draws are those expected, up to ERRORS standard errors.

    Deviations that a few far draws make are not, whatever is expected, unless they are close to it.
    """
    rounding = 1e-12 * (np.abs(expected_mean) + np.abs(expected_sigma))
    is_close = np.abs(sigma - expected_sigma) <= LARGEST_ERROR * expected_sigma
    is_known = (error <= LARGEST_ERROR * sigma) | is_close
    of_sigma = np.abs(sigma - expected_sigma) <= ERRORS * error + rounding
    of_mean = np.abs(mean - expected_mean) <= ERRORS * sigma / np.sqrt(count) + rounding
    return of_sigma & of_mean & is_known

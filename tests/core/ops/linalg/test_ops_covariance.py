"""Covariances and correlations against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, compare_errors, compare_warnings
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(6)
V = rng.normal(size=5)
X = rng.normal(size=(3, 4))
COUNTS = np.array([1, 2, 0, 3])
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25])


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("counts", [None, COUNTS])
def test_weights_have_a_gradient(counts: np.ndarray | None, correction: int) -> None:
    cov = call("cov")

    def weighted(x, w, n=None):
        return cov(x, aweights=w, fweights=n, correction=correction)

    args = (X, WEIGHTS) if counts is None else (X, WEIGHTS, counts)
    compare_with_torch(Case("squeeze", weighted, args, name="cov"), "plain")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("cov", (np.zeros((2, 2, 2)),), {}),
        ("cov", (X > 0,), {}),
        ("corrcoef", (np.zeros((2, 2, 2)),), {}),
        ("cov", (X, X), {"which": "fweights"}),
        ("cov", (X, WEIGHTS), {"which": "fweights"}),
        ("cov", (X, COUNTS[:2]), {"which": "fweights"}),
        ("cov", (X, -COUNTS), {"which": "fweights"}),
        ("cov", (X, 0 * COUNTS), {"which": "fweights"}),
        ("cov", (X, X), {"which": "aweights"}),
        ("cov", (X, COUNTS), {"which": "aweights"}),
        ("cov", (X, V), {"which": "aweights"}),
        ("cov", (X, -WEIGHTS), {"which": "aweights"}),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args[:1], {kwargs["which"]: args[1]} if kwargs else None)


def test_too_few_observations_are_warned_of() -> None:
    compare_warnings("cov", (X,), {"correction": 5})

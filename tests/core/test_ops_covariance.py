"""Covariances and correlations against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, case, compare_errors, compare_warnings, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(6)
V = rng.normal(size=5)
X = rng.normal(size=(3, 4))
ROW = rng.normal(size=(1, 4))
S = np.asarray(1.7)
COUNTS = np.array([1, 2, 0, 3])
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25])
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])


def samples() -> list[Case]:
    table = [case("squeeze", "cov", x) for x in (V, X, X.T.copy(), ROW, S, np.zeros(0))]
    table += [case("squeeze", "cov", X, kwargs={"correction": c}) for c in (0, 2, 5)]
    table += [case("squeeze", "cov", X, kwargs={"fweights": COUNTS, "correction": c}) for c in (0, 1)]
    table.append(case("squeeze", "cov", WHOLE))
    return table + [case("clamp", "corrcoef", x) for x in (V, X, ROW, S, V * 0, WHOLE)]


@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(samples())), ids=label)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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

"""Sorting, the k largest, modes, quantiles and running extremes against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, case, compare_errors
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(11)
X = rng.permutation(np.linspace(-3.0, 3.0, 12)).reshape(3, 4)
T = rng.permutation(np.linspace(-3.0, 3.0, 12)).reshape(2, 3, 2)
GAPS = np.array([[2.0, np.nan, 1.0, 5.0], [np.nan, 3.0, -3.0, 0.5], [1.0, 4.0, 2.0, 0.0]])
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
Q = np.array([0.1, 0.5, 0.85])


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("skip", ["quantile", "nanquantile"])
def test_interpolations(interpolation: str, skip: str) -> None:
    quantile = call(skip)
    for x, dim in ((X, 1), (T, 0), (GAPS, 0)):
        for keepdim in (False, True):
            compare_with_torch(
                Case(
                    "gather",
                    lambda a, q, d=dim, k=keepdim: quantile(a, q, d, k, interpolation=interpolation),
                    (x, Q),
                    name=skip,
                    orders=0,
                ),
                "plain",
            )


@pytest.mark.parametrize("name", ["sort", "argsort", "topk", "mode", "msort"])
def test_whole_numbers_and_nan(name: str) -> None:
    more = (2,) if name == "topk" else ()
    for x in (WHOLE, GAPS) if name != "mode" else (WHOLE,):
        compare_with_torch(case("gather", name, x, *more, orders=0), "plain")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("topk", (X, 5)),
        ("topk", (X, -1)),
        ("sort", (X, 2)),
        ("quantile", (X, 1.3)),
        ("quantile", (X, np.array([0.2, 1.3]))),
        ("quantile", (WHOLE, 0.3)),
        ("quantile", (X[:0], 0.3)),
        ("quantile", (X, np.array([[0.3]]))),
        ("nanmedian", (X, 7)),
        ("cummax", (X, -3)),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple) -> None:
    compare_errors(name, args)


def test_an_unknown_interpolation_is_refused() -> None:
    compare_errors("quantile", (X, 0.3), {"interpolation": "cubic"})

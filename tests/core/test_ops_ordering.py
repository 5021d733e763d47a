"""Sorting, the k largest, modes, quantiles and running extremes against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, case, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(11)
V = rng.permutation(np.linspace(-2.0, 2.0, 5))
X = rng.permutation(np.linspace(-3.0, 3.0, 12)).reshape(3, 4)
T = rng.permutation(np.linspace(-3.0, 3.0, 12)).reshape(2, 3, 2)
S = np.asarray(1.7)
TIES = np.array([[2.0, 1.0, 2.0, 1.0], [3.0, 3.0, 3.0, 0.5], [1.0, 4.0, 4.0, 1.0]])
GAPS = np.array([[2.0, np.nan, 1.0, 5.0], [np.nan, 3.0, -3.0, 0.5], [1.0, 4.0, 2.0, 0.0]])
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
Q = np.array([0.1, 0.5, 0.85])


def samples() -> list[Case]:
    table = []
    for x in (V, X, T, S):
        for dim in {0, -1, x.ndim - 1} if x.ndim else {0, -1}:
            table += [case("gather", name, x, dim) for name in ("sort", "cummax", "cummin", "mode")]
            table.append(case("gather", "sort", x, dim, True))
            if x.ndim:
                table += [case("gather", "topk", x, 2, dim), case("gather", "topk", x, 1, dim, False)]
                table += [case("pick", "nanmedian", x, dim), case("pick", "nanmedian", x, dim, True)]
        table += [case("take", "nanmedian", x), case("gather", "sort", x)]
    table += [case("gather", "msort", x) for x in (V, X, T)]
    table += [case("gather", name, TIES, 1) for name in ("sort", "cummax", "cummin", "mode")]
    table += [case("gather", "mode", TIES, 0, True), case("gather", "sort", TIES, 0, True)]
    for name in ("quantile", "nanquantile"):
        for x in (V, X, T, S, *([GAPS] if name == "nanquantile" else [])):
            table += [case("gather", name, x, q) for q in (0.0, 0.3, 1.0)]
        table += [case("gather", name, x, 0.4, dim) for x, dim in ((V, 0), (X, 0), (X, -1), (T, 1))]
        table += [case("gather", name, X, 0.4, 1, True), case("gather", name, T, 0.4, None, True)]
    return table


@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(samples())), ids=label)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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

"""Running log-sum-exp, differences, slopes of samples and the trapezoidal rule against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_by_name import call, case, compare_errors
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(5)
V = rng.normal(size=5)
X = rng.normal(size=(3, 4))
S = np.asarray(1.7)
ONE = np.array([0.4])
FEW = rng.normal(size=(3, 1))
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
PLACES = np.array([-1.0, 0.5, 0.75, 2.0])
UNEVEN = np.array([0.0, 1.0, 3.0])
MASK = np.array([True, False, False, True])


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize(("dim", "which"), [(0, 1), (1, 0), ((0, 1), 2), ((1, 0), 3), (None, 2)])
def test_gradient_at_coordinates(dim: Any, which: int, edge_order: int) -> None:
    gradient = call("gradient")

    def slopes(x: Any, a: Any, b: Any) -> Any:
        spacing = ([a], [b], [b, a], (a, b))[which]
        return tuple(gradient(x, spacing=spacing, dim=dim, edge_order=edge_order))

    compare_with_torch(Case("cat", slopes, (X, PLACES, UNEVEN), name="gradient"), "plain")


@pytest.mark.parametrize("name", ["diff", "gradient", "trapezoid", "cumulative_trapezoid"])
def test_whole_numbers_and_nan(name: str) -> None:
    for x in (WHOLE, np.array([[1.0, np.nan, 2.0], [np.inf, 0.0, 1.0]])):
        compare_with_torch(case("cat", name, x, orders=0), "plain")


def test_differences_of_truth_values_say_where_they_change() -> None:
    compare_with_torch(case("ne", "diff", MASK, orders=0), "plain")


def test_logcumsumexp_at_the_ends() -> None:
    for x in (
        np.array([-np.inf, -np.inf, 1.0, 2.0]),
        np.array([1e4, -1e4, 1e4, 0.0]),
        np.array([-1e4, -1e4, 1e4, 1e4]),
        np.array([0.0, 800.0, -800.0, 800.0]),
        np.array([1.0, np.inf, 2.0]),
        np.array([1.0, np.nan, 2.0]),
    ):
        compare_with_torch(case("logcumsumexp", "logcumsumexp", x, 0, orders=1, float32=False), "plain")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("logcumsumexp", (WHOLE, 0), {}),
        ("logcumsumexp", (X, 2), {}),
        ("diff", (S,), {}),
        ("diff", (X, -1), {}),
        ("diff", (X, 1, 3), {}),
        ("diff", (X, 1, 1, V), {}),
        ("diff", (X, 1, 1, FEW, X.T), {}),
        ("gradient", (ONE,), {}),
        ("gradient", (V,), {"edge_order": 3}),
        ("gradient", (V[:2],), {"edge_order": 2}),
        ("gradient", (X,), {"spacing": [1.0]}),
        ("gradient", (X,), {"spacing": [1.0, 2.0], "dim": 1}),
        ("gradient", (X,), {"dim": (0, 0)}),
        ("gradient", (X,), {"dim": 2}),
        ("gradient", (MASK,), {}),
        ("trapezoid", (MASK,), {}),
        ("trapezoid", (V, MASK), {}),
        ("trapezoid", (V, V[:2]), {}),
        ("trapezoid", (X, X[0]), {"dim": 0}),
        ("trapezoid", (X, WHOLE), {}),
        ("trapezoid", (S,), {}),
        ("trapezoid", (X,), {"dim": 2}),
        ("cumulative_trapezoid", (MASK,), {}),
        ("cumulative_trapezoid", (X, V), {}),
        ("cumulative_trapezoid", (S,), {}),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args, kwargs)

"""Histograms, searches and entries without repetition against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.engine.public_functions import FUNCTIONS
from op_by_name import case, compare_errors
from op_oracle import compare_with_torch

pytestmark = pytest.mark.oracle

V = np.array([0.3, 1.2, 2.1, 0.7, 1.2])
X = np.array([[0.3, 1.2, 2.1], [0.7, 0.2, 0.5]])
S = np.asarray(1.2)
EMPTY = np.zeros(0)
GAPS = np.array([1.0, np.nan, np.nan, 0.0, 1.0])
EDGES = np.array([0.2, 0.7, 1.2])
I = np.array([3, 1, 1, 0])
ROWS = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
MASK = np.array([True, False, True])
ORDER = np.array([0, 3, 1, 4, 2])

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *[("histc", (x, 3), {}) for x in (V, X, S, EMPTY, V * 0 + 2)],
    ("histc", (V,), {}),
    ("histc", (V, 4, 0.5, 2), {}),
    ("histc", (V,), {"bins": 5, "min": 1, "max": 1}),
    ("histc", (GAPS, 4, 0.0, 1.0), {}),
    ("bincount", (I,), {}),
    ("bincount", (I,), {"minlength": 7}),
    ("bincount", (I, V[:4]), {}),
    ("bincount", (I, V[:4].astype(np.float32)), {}),
    ("bincount", (I, I), {}),
    ("bincount", (EMPTY.astype(int),), {"minlength": 2}),
    *[
        ("bucketize", (x, EDGES), {"right": right})
        for x in (V, X, S, EMPTY, GAPS, I)
        for right in (False, True)
    ],
    ("bucketize", (V, I), {}),
    ("bucketize", (V, EDGES), {"out_int32": True}),
    *[("searchsorted", (EDGES, x), {"side": side}) for x in (V, X, S, GAPS) for side in ("left", "right")],
    ("searchsorted", (X, X), {}),
    ("searchsorted", (np.sort(X, axis=1), X[:, :2]), {"right": True}),
    ("searchsorted", (V, V), {}),
    ("searchsorted", (V, V), {"sorter": ORDER}),
    ("searchsorted", (EMPTY, V), {}),
    ("searchsorted", (X[:, :0], X), {}),
    *[
        ("unique", (x,), {"return_inverse": True, "return_counts": True})
        for x in (V, X, S, EMPTY, GAPS, I, MASK, ROWS)
    ],
    *[("unique", (ROWS,), {"dim": dim, "return_inverse": True, "return_counts": True}) for dim in (0, 1, -1)],
    ("unique", (X[:0],), {"dim": 0}),
    ("unique", (V, True, True), {}),
    *[
        ("unique_consecutive", (x,), {"return_inverse": True, "return_counts": True})
        for x in (V, X, S, EMPTY, GAPS, I, MASK, ROWS)
    ],
    *[
        ("unique_consecutive", (ROWS,), {"dim": d, "return_inverse": True, "return_counts": True})
        for d in (0, -1)
    ],
    ("unique_consecutive", (X[:0],), {"dim": 0}),
    ("isin", (V, X), {}),
    ("isin", (V, X), {"invert": True}),
    ("isin", (V, 1.2), {}),
    ("isin", (I, V), {}),
    ("isin", (X, I), {}),
    ("isin", (GAPS, GAPS), {}),
    ("isin", (V, V), {"assume_unique": True}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS, ids=str)
def test_values(name: str, args: tuple, kwargs: dict) -> None:
    compare_with_torch(case(name, name, *args, kwargs=kwargs, orders=0), "plain")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("histc", (I,), {}),
        ("histc", (V, 0), {}),
        ("histc", (V, 3, 2, 1), {}),
        ("histc", (np.array([1.0, np.inf]),), {}),
        ("bincount", (V,), {}),
        ("bincount", (MASK,), {}),
        ("bincount", (-I,), {}),
        ("bincount", (I, None, -2), {}),
        ("bincount", (I.reshape(2, 2),), {}),
        ("bincount", (I, V), {}),
        ("bucketize", (V, X), {}),
        ("searchsorted", (EDGES, V), {"side": "up"}),
        ("searchsorted", (EDGES, V), {"side": "left", "right": True}),
        ("searchsorted", (S, V), {}),
        ("searchsorted", (X, V), {}),
        ("searchsorted", (X, 1.5), {}),
        ("searchsorted", (V, V), {"sorter": I}),
        ("searchsorted", (V, V), {"sorter": V}),
        ("searchsorted", (V, V), {"sorter": ORDER + 1}),
        ("unique", (V,), {"dim": 2}),
        ("unique", (S,), {"dim": 0}),
        ("unique", (X[:0],), {"dim": 1}),
        ("unique_consecutive", (S,), {"dim": 0}),
        ("isin", (MASK, MASK), {}),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args, kwargs)


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
@pytest.mark.parametrize("dim", [None, 0])
def test_backward_says_that_there_is_no_derivative(name: str, dim: int | None) -> None:
    import torch

    theirs = torch.tensor(ROWS, requires_grad=True)
    out = getattr(torch, name)(theirs, dim=dim)
    with pytest.raises(RuntimeError) as wanted:
        out.sum().backward()
    mine = FUNCTIONS[f"torch.{name}"](tensor(ROWS, requires_grad=True), dim=dim)
    assert mine.grad_fn.grad_fn_name == out.grad_fn.name()
    with pytest.raises(GradientError) as got:
        FUNCTIONS["torch.sum"](mine).backward()
    assert got.value.message == str(wanted.value)

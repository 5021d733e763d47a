"""Bags of rows against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import Tensor
from op_by_name import call, compare_errors
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

W = np.random.default_rng(13).normal(size=(5, 3))
PAIRS = np.array([[0, 2], [4, 4], [1, 0]])
FLAT = np.array([0, 2, 1, 1, 4])
STARTS = np.array([0, 2, 2, 3])
SCALES = np.array([[0.5, 2.0], [1.0, -1.0], [3.0, 0.25]])


@pytest.mark.parametrize("padding", [None, 4])
def test_weights_of_samples_have_a_gradient(padding: int | None) -> None:
    def weighted(index: Any, table: Any, scales: Any) -> Any:
        return call("F.embedding_bag")(
            index, table, per_sample_weights=scales, mode="sum", padding_idx=padding
        )

    compare_with_torch(Case("matmul", weighted, (PAIRS, W, SCALES), name="bag", orders=1), "plain")


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((PAIRS + 3, W), {}),
        ((PAIRS - 1, W), {}),
        ((PAIRS * 1.0, W), {}),
        ((PAIRS, W[0]), {}),
        ((PAIRS, W, STARTS), {}),
        ((FLAT, W), {}),
        ((FLAT, W, STARTS * 3), {}),
        ((FLAT, W, STARTS.reshape(2, 2)), {}),
        ((PAIRS[None], W), {}),
        ((PAIRS, W), {"mode": "least"}),
        ((PAIRS, W), {"per_sample_weights": SCALES}),
        ((PAIRS, W), {"per_sample_weights": SCALES[0], "mode": "sum"}),
    ],
    ids=str,
)
def test_refusals(args: tuple, kwargs: dict) -> None:
    compare_errors("F.embedding_bag", args, kwargs)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_indices_without_a_bag_make_no_row(mode: str) -> None:
    """torch ends the process."""
    bags = call("F.embedding_bag")
    index, offsets = Tensor.of(np.array([0, 1])), Tensor.of(np.array([], dtype=np.int64))
    assert bags(index, Tensor.of(np.ones((2, 3))), offsets, mode=mode).shape == (0, 3)

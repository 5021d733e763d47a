"""Losses with margins and losses of likelihoods against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_by_name import call, case, compare_errors, compare_warnings
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(9)
V, W = rng.normal(size=4), rng.normal(size=4)
X, Y, Z = (rng.normal(size=(3, 4)) for _ in range(3))
T = rng.normal(size=(2, 3, 2))
S = np.asarray(0.7)
SIGNS = np.array([1, -1, 1, -1])
MATRIX_SIGNS = np.where(X > 0.3, 1, -1)
ROW_SIGNS = np.array([1, -1, 1])
CLASSES = np.array([0, 3, 2])
LABELS = np.array([[3, 0, -1, 1], [2, 2, 1, -1], [-1, 0, 1, 2]])
ZERO_ONE = (Y > 0) * 1.0
POSITIVE = rng.uniform(0.5, 2.0, size=(3, 4))
WEIGHT = np.array([0.5, 2.0, 1.0, 0.1])
REDUCTIONS = ("none", "mean", "sum")


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_weights_of_classes(reduction: str) -> None:
    loss = call("F.multi_margin_loss")

    def weighted(x: Any, target: Any, weight: Any) -> Any:
        return loss(x, target, weight=weight.detach(), reduction=reduction)

    sample = Case("multi_margin_loss", weighted, (X, CLASSES, WEIGHT), name="weighted", orders=1)
    compare_with_torch(sample, "plain")


@pytest.mark.parametrize("swap", [False, True])
def test_a_distance_of_ones_own(swap: bool) -> None:
    loss = call("F.triplet_margin_with_distance_loss")

    def city(x: Any, y: Any) -> Any:
        return call("sum")(call("abs")(x - y), -1)

    def triplet(x: Any, y: Any, z: Any) -> Any:
        return loss(x, y, z, distance_function=city, margin=2.0, swap=swap)

    compare_with_torch(Case("minimum", triplet, (X, Y, Z), name="triplet"), "plain")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("F.hinge_embedding_loss", (np.array([1.0, 0.0, -1.0, 3.0]), SIGNS)),
        ("F.margin_ranking_loss", (V, V, SIGNS)),
        ("F.soft_margin_loss", (np.array([0.0, 40.0, -40.0, 300.0]), SIGNS)),
        ("F.multi_margin_loss", (np.array([[1.0, 2.0, 3.0, 1.0]]), np.array([1]))),
        ("F.multilabel_margin_loss", (np.array([1.0, 2.0, 3.0, 1.0]), np.array([2, 0, -1, 0]))),
        ("F.cosine_embedding_loss", (X * 0, Y, ROW_SIGNS)),
        ("F.cosine_embedding_loss", (X, X, ROW_SIGNS)),
        ("F.triplet_margin_loss", (X, X - 1e-6, X - 1e-6)),
        ("F.gaussian_nll_loss", (X, Y, POSITIVE * 0)),
    ],
    ids=str,
)
def test_kinks(name: str, args: tuple) -> None:
    for reduction in REDUCTIONS:
        sample = case(name, name, *args, kwargs={"reduction": reduction}, orders=1, float32=False)
        compare_with_torch(sample, "plain")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("hinge_embedding_loss", (X, W[:3]), {}),
        ("hinge_embedding_loss", (SIGNS, SIGNS), {}),
        ("hinge_embedding_loss", (X, X), {"reduction": "avg"}),
        ("soft_margin_loss", (SIGNS, SIGNS), {}),
        ("soft_margin_loss", (X, W[:3]), {}),
        ("margin_ranking_loss", (X, Y, SIGNS), {}),
        ("margin_ranking_loss", (V, W, SIGNS[:2]), {}),
        ("cosine_embedding_loss", (X, Y, MATRIX_SIGNS), {}),
        ("cosine_embedding_loss", (X, Y, np.asarray(1)), {}),
        ("cosine_embedding_loss", (V, W, SIGNS), {}),
        ("cosine_embedding_loss", (X, Y, SIGNS), {}),
        ("multi_margin_loss", (X, CLASSES), {"p": 3}),
        ("multi_margin_loss", (X, CLASSES), {"weight": X}),
        ("multi_margin_loss", (X, CLASSES), {"weight": WEIGHT[:2]}),
        ("multi_margin_loss", (X, CLASSES), {"weight": WEIGHT.astype(np.float32)}),
        ("multi_margin_loss", (X, CLASSES + 1), {}),
        ("multi_margin_loss", (X, CLASSES - 1), {}),
        ("multi_margin_loss", (X, CLASSES[:2]), {}),
        ("multi_margin_loss", (X, CLASSES * 1.0), {}),
        ("multi_margin_loss", (T, CLASSES), {}),
        ("multi_margin_loss", (X[:, :0], CLASSES), {}),
        ("multi_margin_loss", (MATRIX_SIGNS, CLASSES), {}),
        ("multilabel_margin_loss", (X, CLASSES), {}),
        ("multilabel_margin_loss", (X, LABELS + 1), {}),
        ("multilabel_margin_loss", (X, LABELS - 1), {}),
        ("multilabel_margin_loss", (X, LABELS * 1.0), {}),
        ("multilabel_soft_margin_loss", (X, ZERO_ONE), {"reduction": "avg"}),
        ("multilabel_soft_margin_loss", (S, S), {}),
        ("gaussian_nll_loss", (X, Y, -POSITIVE), {}),
        ("gaussian_nll_loss", (X, Y, -1.0), {}),
        ("gaussian_nll_loss", (X, Y, POSITIVE[0]), {}),
        ("gaussian_nll_loss", (X, Y, POSITIVE[:1, :1]), {}),
        ("gaussian_nll_loss", (X, Y, POSITIVE), {"reduction": "avg"}),
        ("poisson_nll_loss", (X, Y), {"reduction": "avg"}),
        ("poisson_nll_loss", (X, W[:3]), {}),
        ("triplet_margin_loss", (X, Y, V), {}),
        ("triplet_margin_loss", (X, Y, Z), {"margin": 0}),
        ("triplet_margin_with_distance_loss", (X, Y, V), {}),
        ("triplet_margin_with_distance_loss", (X, Y, Z), {"margin": -1}),
        ("triplet_margin_with_distance_loss", (X, Y, Z), {"reduction": "avg"}),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(f"F.{name}", args, kwargs)


@pytest.mark.parametrize("old", [{"size_average": False}, {"reduce": False}, {"size_average": True}], ids=str)
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("F.soft_margin_loss", (X, MATRIX_SIGNS)),
        ("F.poisson_nll_loss", (X, POSITIVE)),
        ("F.mse_loss", (X, Y)),
        ("F.l1_loss", (X, Y)),
        ("F.smooth_l1_loss", (X, Y)),
        ("F.binary_cross_entropy", (POSITIVE / 3, ZERO_ONE)),
        ("F.binary_cross_entropy_with_logits", (X, ZERO_ONE)),
        ("F.nll_loss", (X, CLASSES)),
        ("F.cross_entropy", (X, CLASSES)),
    ],
    ids=str,
)
def test_arguments_of_old_times_are_warned_of(name: str, args: tuple, old: dict) -> None:
    compare_warnings(name, args, old)
    compare_with_torch(case(name, name, *args, kwargs=old), "plain")

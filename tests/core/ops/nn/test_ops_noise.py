"""Layers that draw random numbers: what is drawn keeps the law, the rest is PyTorch's. Pooling by norms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.public_functions import FUNCTIONS
from op_by_name import call, compare_errors, compare_warnings
from op_oracle import Case, compare_with_torch

rng = np.random.default_rng(12)
V = rng.normal(size=5)
X = rng.normal(size=(3, 4))
SIGNAL = rng.uniform(0.5, 2.0, size=(2, 3, 7))
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
INPLACE = {
    "relu": (),
    "relu6": (),
    "elu": (1.5,),
    "selu": (),
    "celu": (0.5,),
    "leaky_relu": (0.2,),
    "hardtanh": (-0.5, 0.5),
    "silu": (),
    "mish": (),
    "hardswish": (),
    "hardsigmoid": (),
    "threshold": (0.1, 2.0),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", INPLACE)
def test_inplace_activations_change_their_input(name: str) -> None:
    function, params = call(f"F.{name}"), INPLACE[name]

    def changed(x: Any) -> Any:
        y = x * 1.0
        out = function(y, *params, inplace=True)
        return out, y

    compare_with_torch(Case(name, changed, (X,), name=name, orders=1, rtol=1e-7), "plain")


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("F.rrelu", (V, 0.5, 0.2)),
        ("F.rrelu", (WHOLE,)),
        ("F.gumbel_softmax", (WHOLE,)),
        ("F.gumbel_softmax", (X, 1.0, False, 1e-10, 2)),
        ("F.alpha_dropout", (V, 1.5)),
        ("F.alpha_dropout", (V, -0.5)),
        ("F.alpha_dropout", (WHOLE, 0.5, True)),
        ("F.feature_alpha_dropout", (V, 0.5, True)),
        ("F.lp_pool1d", (SIGNAL, 0, 2)),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple) -> None:
    compare_errors(name, args)


@pytest.mark.oracle
def test_the_eps_of_gumbel_softmax_is_warned_of() -> None:
    compare_warnings("F.gumbel_softmax", (X,), {"eps": 1.0})


def ones(n: int, value: float = 1.0) -> Any:
    return tensor(np.full(n, value), requires_grad=True)


def test_slopes_lie_between_the_bounds_and_are_those_of_backward() -> None:
    random_source.reset(0)
    x = ones(1000, -1.0)
    out = FUNCTIONS["F.rrelu"](x, 0.2, 0.3, training=True)
    slopes = -out.data
    assert 0.2 <= slopes.min() < 0.21
    assert 0.29 < slopes.max() <= 0.3
    FUNCTIONS["torch.sum"](out).backward()
    np.testing.assert_allclose(x.grad.data, slopes)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    random_source.reset(0)
    x = tensor(np.random.default_rng(1).normal(size=200_000))
    out = FUNCTIONS["F.alpha_dropout"](x, 0.3, training=True).data
    np.testing.assert_allclose([out.mean(), out.std()], [0.0, 1.0], atol=0.01)


def test_feature_alpha_dropout_takes_whole_channels() -> None:
    random_source.reset(0)
    x = tensor(np.random.default_rng(1).normal(size=(4, 50, 6)), requires_grad=True)
    out = FUNCTIONS["F.feature_alpha_dropout"](x, 0.4, training=True)
    FUNCTIONS["torch.sum"](out).backward()
    kept = x.grad.data != 0
    assert (kept.all(axis=2) | ~kept.any(axis=2)).all()
    assert 0.5 < kept.mean() < 0.7


@pytest.mark.parametrize("dim", [0, -1])
def test_a_hard_gumbel_softmax_is_one_hot_with_the_gradient_of_the_soft(dim: int) -> None:
    x = tensor(X, requires_grad=True)
    results = []
    for hard in (False, True):
        random_source.reset(7)
        out = FUNCTIONS["F.gumbel_softmax"](x, tau=0.5, hard=hard, dim=dim)
        results.append((out.data, grad([out], [x], [tensor(np.cos(X))])[0].data))
    (soft, first), (hard, second) = results
    np.testing.assert_allclose(hard, soft == soft.max(axis=dim, keepdims=True), atol=1e-15)
    np.testing.assert_allclose(first, second)


def test_gumbel_softmax_draws_the_classes_as_often_as_they_are_likely() -> None:
    random_source.reset(0)
    x = tensor(np.tile(np.log([0.2, 0.5, 0.3]), (20_000, 1)))
    drawn = FUNCTIONS["F.gumbel_softmax"](x, hard=True).data
    np.testing.assert_allclose(drawn.mean(axis=0), [0.2, 0.5, 0.3], atol=0.02)

"""Normalizing layers, embeddings, attention, similarities and dropout against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.functions import FUNCTIONS
from op_by_name import call, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

rng = np.random.default_rng(10)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-2.0, 2.0, shape)


X, LINE, PLANE = values(3, 4), values(2, 4, 5), values(2, 4, 3, 3)
W4, B4, W5 = values(4), values(4), values(5)
MEAN, VAR = values(4), rng.uniform(0.5, 2.0, 4)


def words(op: str, name: str, *args, **kwargs) -> Case:
    function = call(name if "." in name or name == "renorm" else f"F.{name}")
    check, orders = kwargs.pop("check_name", True), kwargs.pop("orders", 2)
    return Case(
        op,
        lambda *a: function(*a, **kwargs),
        args,
        name=f"{name}{kwargs}",
        check_name=check,
        orders=orders,
        rtol=1e-8,
        float32=False,
    )


def in_training(weight: bool):
    function = call("F.batch_norm")
    if weight:
        return lambda x, w, b: function(x, None, None, w, b, True)
    return lambda x: function(x, None, None, training=True)


def by_statistics(x, *scale):
    """batch_norm with a fixed mean and variance, which have no gradient."""
    import torch

    make = tensor if isinstance(x, Tensor) else torch.tensor
    return call("F.batch_norm")(x, make(MEAN), make(VAR), *scale)


def norms() -> list[Case]:
    table = []
    for x in (X, LINE, PLANE):
        table += [
            Case("standardize", in_training(False), (x,), name="batch_norm", rtol=1e-8, float32=False),
            Case("standardize", in_training(True), (x, W4, B4), name="batch_norm", rtol=1e-8, float32=False),
            Case("div", by_statistics, (x,), name="batch_norm", rtol=1e-8, float32=False),
            Case("div", by_statistics, (x, W4, B4), name="batch_norm", rtol=1e-8, float32=False),
            words("standardize", "group_norm", x, 2),
            words("standardize", "group_norm", x, 4 if x.ndim > 2 else 1, W4, B4),
            words("standardize", "layer_norm", x, (x.shape[-1],)),
            words("standardize", "layer_norm", x, x.shape, values(*x.shape), values(*x.shape)),
            words("standardize", "layer_norm", x, (x.shape[-1],), eps=0.1),
            words("mul", "rms_norm", x, (x.shape[-1],), check_name=False),
            words("mul", "rms_norm", x, (x.shape[-1],), values(x.shape[-1]), eps=1e-3, check_name=False),
            words("div", "normalize", x),
            words("div", "normalize", x, p=3.0, dim=-1),
        ]
    for x in (LINE, PLANE):
        table += [
            words("standardize", "instance_norm", x),
            words("standardize", "instance_norm", x, eps=0.01),
            words("div", "local_response_norm", x, 2),
            words("div", "local_response_norm", x, 3, alpha=0.5, beta=1.5, k=2.0),
        ]
    table += [words("mul", "renorm", X, 2.0, 0, 1.5), words("mul", "renorm", LINE, 1.0, 1, 3.0)]
    return table


def others() -> list[Case]:
    rows = np.array([[0, 2], [2, 1]])
    query, key, value = values(2, 3, 4), values(2, 5, 4), values(2, 5, 6)
    return [
        words("index_select", "embedding", rows, X),
        words("index_select", "embedding", np.array(1), X),
        words("index_select", "embedding", rows, X, padding_idx=2),
        words("index_select", "embedding", rows, X, padding_idx=-1),
        words("sum", "cosine_similarity", X, X[::-1].copy()),
        words("sum", "cosine_similarity", LINE, W5, dim=-1),
        words("vector_norm", "pairwise_distance", X, X[::-1].copy()),
        words("vector_norm", "pairwise_distance", X, W4, p=1.0, keepdim=True),
        words("matmul", "scaled_dot_product_attention", query, key, value, check_name=False),
        words("matmul", "scaled_dot_product_attention", query, key, value, scale=0.3, check_name=False),
        words(
            "matmul", "scaled_dot_product_attention", query, query, query, is_causal=True, check_name=False
        ),
        words("matmul", "scaled_dot_product_attention", query, key, value, values(3, 5), check_name=False),
        words("matmul", "scaled_dot_product_attention", query[0], key[0], value[0], check_name=False),
        words("einsum", "bilinear", values(3, 2), values(3, 4), values(5, 2, 4), check_name=False),
        words("einsum", "bilinear", values(3, 2), values(3, 4), values(5, 2, 4), values(5), check_name=False),
        words("mul", "glu", X),
        words("mul", "glu", LINE, dim=1),
        words("mul", "dropout", X, training=False, check_name=False),
    ]


@pytest.mark.oracle
@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(norms() + others())), ids=label)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


@pytest.mark.oracle
def test_running_statistics_move_as_in_torch() -> None:
    import torch

    mine, theirs = [tensor(MEAN), tensor(VAR)], [torch.tensor(MEAN), torch.tensor(VAR)]
    for momentum in (0.1, 0.7):
        FUNCTIONS["F.batch_norm"](tensor(LINE), *mine, training=True, momentum=momentum)
        torch.nn.functional.batch_norm(torch.tensor(LINE), *theirs, training=True, momentum=momentum)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a.data, b.numpy())


@pytest.mark.oracle
@pytest.mark.parametrize("classes", [-1, 4, 7])
def test_one_hot(classes: int) -> None:
    import torch

    index = np.array([[0, 3], [1, 1]])
    mine = FUNCTIONS["F.one_hot"](tensor(index), classes).data
    np.testing.assert_array_equal(mine, torch.nn.functional.one_hot(torch.tensor(index), classes).numpy())


@pytest.mark.parametrize("p", [0.25, 0.5, 1.0])
def test_dropout_keeps_what_it_says_and_passes_gradients_there(p: float) -> None:
    x = tensor(np.ones((200, 50)), requires_grad=True)
    out = FUNCTIONS["F.dropout"](x, p)
    kept = out.data != 0
    assert abs(kept.mean() - (1 - p)) < 0.02
    if p < 1:
        np.testing.assert_allclose(out.data[kept], 1 / (1 - p))
    (slope,) = grad(out, x, Tensor(np.ones_like(x.data)))
    np.testing.assert_array_equal(slope.data, out.data)


def test_channel_dropout_drops_whole_channels() -> None:
    x = tensor(np.ones((40, 30, 3, 3)))
    out = FUNCTIONS["F.dropout2d"](x, 0.5).data
    per_channel = (out != 0).mean(axis=(2, 3))
    assert set(np.unique(per_channel)) == {0.0, 1.0}


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("layer_norm", (X, (3,)), {}),
        ("layer_norm", (X, (4,), values(3)), {}),
        ("layer_norm", (X, 4), {}),
        ("batch_norm", (X, None, None), {}),
        ("batch_norm", (X, values(3), values(3)), {}),
        ("batch_norm", (X[:1], None, None), {"training": True}),
        ("group_norm", (X, 3), {}),
        ("dropout", (X, 1.5), {}),
        ("embedding", (np.array([5]), X), {}),
        ("embedding", (X, X), {}),
        ("one_hot", (np.array([1, 2]), 2), {}),
        ("one_hot", (np.array([-1]),), {}),
        ("one_hot", (X,), {}),
        ("glu", (X, 0), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(f"F.{name}", args, kwargs)

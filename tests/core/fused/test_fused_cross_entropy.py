"""The cross entropy of a large table, computed without the logarithms, is that of the ops it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base import fast_paths
from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast import softmax_rows, tiles
from autodiff.core.graph.node import ArrayNode
from autodiff.core.graph.state import mode

pytestmark = pytest.mark.skipif(not is_fast, reason="the rules do it all")

NEVER = 1 << 60
cross_entropy = FUNCTIONS["F.cross_entropy"]


@pytest.fixture(autouse=True)
def every_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_paths.fusion_settings, "least", 2)
    monkeypatch.setattr(softmax_rows, "MIN_TILED_SIZE", 2)
    monkeypatch.setattr(tiles, "TILE", 100)
    monkeypatch.setattr(tiles, "MIN_THREADED_SIZE", 10_000)
    monkeypatch.setattr(tiles, "SHARED_TILE", 1_000)


def scores(count: int, width: int, dtype: str) -> Any:
    x = np.random.default_rng(0).normal(0, 20, (count, width)).astype(dtype)
    x[1], x[2, 0], x[3, 0], x[4, -1] = 1000, -np.inf, np.inf, np.nan
    return x


def both_ways(run: Any) -> list[list[Any]]:
    answers = []
    for least in (2, NEVER):
        fast_paths.fusion_settings.least = least
        with np.errstate(all="ignore"):
            answers.append(run())
    return answers


def compare(found: list[Any], expected: list[Any], dtype: str) -> None:
    for mine, theirs in zip(found, expected, strict=True):
        assert type(mine) is type(theirs)
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype == dtype
        np.testing.assert_array_equal(np.isfinite(mine), np.isfinite(theirs))
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        scale = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=1e-30)
        np.testing.assert_allclose(mine / scale, theirs / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(30, 4), (40, 60), (50, 150), (4000, 3)], ids=str)
def test_loss_and_slopes(shape: tuple[int, int], reduction: str, weighted: bool, dtype: str) -> None:
    count, width = shape
    rng = np.random.default_rng(1)
    classes = rng.integers(0, width, count)
    classes[5:8] = -100
    factors = tensor(rng.normal(size=count).astype(dtype))
    weight = tensor(rng.uniform(0, 2, width).astype(dtype)) if weighted else None
    values = scores(count, width, dtype)
    values[9:] = np.where(np.isfinite(values[9:]), values[9:], 0)

    def run(values: Any = values) -> list[Any]:
        x = tensor(values, requires_grad=True)
        loss = cross_entropy(x, tensor(classes), weight=weight, reduction=reduction)
        total = FUNCTIONS["torch.sum"](loss * factors) if reduction == "none" else loss * 3.0
        total.backward(retain_graph=True)
        assert x.grad is not None
        first = x.grad.value
        logs = loss.node.inputs[0].out
        total.backward()
        return [loss.value, first, x.grad.value, logs]

    compare(*both_ways(run), dtype)
    finite = np.where(np.isfinite(values), values, 0)
    compare(*both_ways(lambda: run(finite)), dtype)


@pytest.mark.parametrize("width", [3, 50])
def test_classes_may_be_bytes(width: int) -> None:
    values = np.random.default_rng(2).normal(size=(900, width))
    classes = (np.arange(900) % width).astype("uint8")

    def run() -> list[Any]:
        x = tensor(values, requires_grad=True)
        loss = cross_entropy(x, tensor(classes))
        loss.backward()
        assert x.grad is not None
        return [loss.value, x.grad.value]

    compare(*both_ways(run), "float64")


def test_nobody_computes_the_logarithms(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tensor(np.random.default_rng(0).normal(size=(30, 4)), requires_grad=True)
    loss = cross_entropy(x, tensor(np.arange(30) % 4))
    logs = loss.node.inputs[0]
    assert isinstance(logs, ArrayNode)
    assert logs.grad_fn_name == "LogSoftmaxBackward0"
    assert loss.grad_fn.grad_fn_name == "NllLossBackward0"
    assert logs.lazy_value is not None
    computed = []
    monkeypatch.setattr(logs.op, "forward", lambda *_, **__: computed.append(1))
    loss.backward()
    assert not computed
    with pytest.raises(GradientError, match="second time"):
        loss.backward()


def test_a_used_up_graph_is_refused_where_a_report_keeps_its_values() -> None:
    x = tensor(np.random.default_rng(0).normal(size=(30, 4)), requires_grad=True)
    loss = cross_entropy(x, tensor(np.arange(30) % 4))
    logs = loss.node.inputs[0]
    mode.recorder = ListOfPasses()
    try:
        grad(loss, Tensor.of(logs.out, logs, True))
        with pytest.raises(GradientError, match="second time"):
            loss.backward()
    finally:
        mode.recorder = None


class ListOfPasses:
    """A recorder that keeps nothing."""

    def pass_ran(self, *_: Any) -> None: ...

    def grads_gathered(self, *_: Any) -> None: ...


def test_second_derivatives_and_slopes_of_the_logarithms() -> None:
    values = np.random.default_rng(0).normal(size=(30, 4))
    weights = tensor(np.random.default_rng(1).normal(size=(30, 4)))
    classes = tensor(np.arange(30) % 4)

    def run() -> list[Any]:
        x = tensor(values, requires_grad=True)
        loss = cross_entropy(x, classes)
        logs = Tensor.of(loss.node.inputs[0].out, loss.node.inputs[0], True)
        total = loss + FUNCTIONS["torch.sum"](logs * weights)
        of_x, of_logs = grad(total, [x, logs], retain_graph=True)
        (plain,) = grad(total, [x], retain_graph=True)
        (slope,) = grad(loss, x, create_graph=True)
        (curvature,) = grad(FUNCTIONS["torch.sum"](slope * weights), x)
        return [g.value for g in (of_x, of_logs, plain, slope, curvature)]

    compare(*both_ways(run), "float64")


def is_fused(loss: Tensor) -> bool:
    return isinstance(loss.node, ArrayNode) and loss.node.lazy_value is not None


def test_what_is_left_to_the_ops() -> None:
    x = tensor(np.random.default_rng(0).normal(size=(6, 4)), requires_grad=True)
    classes = tensor(np.arange(6) % 4)
    assert is_fused(cross_entropy(x, classes))
    assert not is_fused(cross_entropy(x, classes, label_smoothing=0.1))
    assert not is_fused(cross_entropy(x.detach(), classes))
    deep = tensor(np.ones((6, 4, 2)), requires_grad=True)
    assert not is_fused(cross_entropy(deep, tensor(np.zeros((6, 2), int))))

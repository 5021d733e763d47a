"""The kernels for large arrays give what the rules give that they stand in for."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.fast import softmax_rows, tiles
from autodiff.core.graph.op import OPS

pytestmark = pytest.mark.skipif(not is_fast, reason="the rules do it all")

SHAPES = [(20_000, 3), (700, 60), (250, 300), (3, 400, 40), (1, 40_000), (60_000, 1), (40_000,)]


def scores(shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers of all sizes, with rows of equal entries, infinities and nan among them."""
    rng = np.random.default_rng(len(shape))
    x = rng.normal(0, 30, shape).astype(dtype)
    table = x.reshape(-1, shape[-1])
    if len(table) > 8:
        table[1] = 7
        table[2] = -np.inf
        table[3, 0] = np.inf
        table[4, 0] = -np.inf
        table[5, -1] = np.nan
        table[6] = 1000
        table[7, 0] = -1e30
    return x


def value_and_slopes(name: str, x: Any, g: Any) -> tuple[Any, Any]:
    op = OPS[name]
    with np.errstate(all="ignore"):
        out = op.forward(x, dim=x.ndim - 1)
        return out, op.contribution(0, g, out, (x,), {"dim": x.ndim - 1})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_kernels_give_what_the_rules_give(
    name: str, shape: tuple[int, ...], dtype: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, g = scores(shape, dtype), np.random.default_rng(9).normal(size=shape).astype(dtype)
    monkeypatch.setattr(tiles, "MIN_THREADED_SIZE", 0)
    monkeypatch.setattr(tiles, "thread_count", lambda: threads)
    monkeypatch.setattr(tiles, "SHARED_TILE", 5_000)
    assert softmax_rows.are_large_rows(x.ndim - 1, x, g)
    found = value_and_slopes(name, x, g)
    monkeypatch.setattr(softmax_rows, "is_fast", False)
    expected = value_and_slopes(name, x, g)
    precision = np.finfo(dtype).eps
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.dtype == dtype
        scale = np.max(np.abs(theirs), where=np.isfinite(theirs), initial=1.0, axis=-1, keepdims=True)
        np.testing.assert_allclose(mine / scale, theirs / scale, rtol=0, atol=64 * precision)


def test_what_is_left_to_the_rules() -> None:
    x = np.ones((400, 300))
    assert softmax_rows.are_large_rows(1, x, x)
    assert not softmax_rows.are_large_rows(0, x)
    assert not softmax_rows.are_large_rows(1, x[:5])
    assert not softmax_rows.are_large_rows(1, x, x.T.copy().T)
    assert not softmax_rows.are_large_rows(1, x, x.astype("float32"))
    assert not softmax_rows.are_large_rows(1, x.astype("int64"))
    assert not softmax_rows.are_large_rows(1, tensor(x), x)


def test_second_derivatives_of_a_large_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    values, classes = rng.normal(size=(8_000, 5)), tensor(rng.integers(0, 5, 8_000))
    weights = tensor(rng.normal(size=(8_000, 5)))

    def second(fast: bool) -> Any:
        x = tensor(values, requires_grad=True)
        (slope,) = grad(FUNCTIONS["F.cross_entropy"](x, classes), x, create_graph=True)
        assert slope is not None
        (curvature,) = grad(FUNCTIONS["torch.sum"](slope * weights), x)
        assert curvature is not None
        assert softmax_rows.are_large_rows(1, x.value) is fast
        return slope.value, curvature.value

    found = second(True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(softmax_rows, "is_fast", False)
        expected = second(False)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-18)


def test_an_error_in_the_other_thread_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "thread_count", lambda: 2)
    covered = []

    def work(start: int, stop: int, step: int) -> None:
        covered.append((start, stop))
        if start:
            raise MemoryError("here")

    with pytest.raises(MemoryError, match="here"):
        tiles.run_in_tiles(work, 10, tiles.MIN_THREADED_SIZE)
    assert sorted(covered) == [(0, 5), (5, 10)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_starts_a_thread_of_its_own() -> None:
    before = tiles.second_thread()
    assert tiles.second_thread() is before
    child = os.fork()
    if not child:
        made = tiles.second_thread()
        os._exit(0 if made is not before and made.submit(int).result(60) == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0

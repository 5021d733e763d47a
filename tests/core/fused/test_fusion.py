"""Formulas that are put off give what those give that are computed at once, whenever and whoever looks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, no_grad, tensor
from autodiff.core.base import fast_paths
from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.backward import backward_from
from autodiff.core.engine.hooks import pass_watch, register_hook
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast import tiles
from autodiff.core.fused.tile_program import TileProgram
from autodiff.core.graph.node import ArrayNode
from one_test import in_one_test

pytestmark = pytest.mark.skipif(not is_fast, reason="nothing is put off")

NEVER = 1 << 60
SIZE = 1_000
UNARY: list[Callable[[Any], Any]] = [
    lambda x: -x,
    lambda x: x**2,
    lambda x: 0.1 * x**3,
    lambda x: (x * x + 1) ** -0.5,
    lambda x: (x * x + 0.5) ** 1.5 / 9,
    lambda x: 2 / (x**2 + 1),
    lambda x: 3 - x,
    lambda x: x / 4 + 1,
    *(FUNCTIONS[f"torch.{name}"] for name in ("tanh", "sin", "cos", "square", "atan")),
    lambda x: FUNCTIONS["torch.exp"](-x * x),
    lambda x: FUNCTIONS["torch.log"](1 + x * x),
    lambda x: FUNCTIONS["torch.sqrt"](2 + x * x),
    lambda x: FUNCTIONS["torch.log1p"](x * x),
    lambda x: FUNCTIONS["torch.reciprocal"](x * x + 2),
    # What cannot be put off, so that values are looked at in between:
    lambda x: FUNCTIONS["torch.relu"](x),
    lambda x: FUNCTIONS["torch.sigmoid"](x),
    lambda x: x * FUNCTIONS["torch.mean"](x),
]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (y * y + 1),
]


@pytest.fixture(autouse=True)
def everything_is_put_off(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(fast_paths.fusion_settings, "least", 2)
    monkeypatch.setattr(tiles, "TILE", 300)
    yield
    pass_watch.start()


def is_put_off(x: Tensor) -> bool:
    return x.lazy_value is not None and not x.lazy_value.is_computed


def value_of(x: Tensor | None) -> Any:
    return None if x is None else x.value


def random_program(seed: int, dtype: str) -> list[Any]:
    """The values and gradients of a formula made by chance, and of others that share parts of it."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    shape = chance.choice([(SIZE,), (20, 50), (SIZE // 4, 1, 4)])
    arrays = [tensor(rng.normal(size=shape).astype(dtype), requires_grad=True) for _ in range(3)]
    numbers = (
        [tensor(0.7, requires_grad=True), tensor(-1.2, requires_grad=True)] if dtype == "float64" else []
    )
    pool: list[Any] = [*arrays, *numbers]
    seen: list[Any] = []
    retained = []
    losses = []
    for _ in range(chance.randrange(4, 30)):
        x = chance.choice(pool[-6:] if chance.random() < 0.7 else pool)
        made = (
            chance.choice(UNARY)(x)
            if chance.random() < 0.5
            else chance.choice(BINARY)(x, chance.choice(pool))
        )
        pool.append(made)
        event = chance.random()
        if event < 0.05:
            seen.append(made.value)
        elif event < 0.1:
            made.retain_grad()
            retained.append(made)
        elif event < 0.15:
            with no_grad():
                seen.append((made + 1).value)
        elif event < 0.25:
            losses.append(chance.choice([FUNCTIONS["torch.sum"], FUNCTIONS["torch.mean"]])(made))
    loss = FUNCTIONS["torch.sum"](pool[-1])
    for other in losses:
        loss = loss + other * 0.5
    if chance.random() < 0.3:
        seen.append(loss.value)
    if chance.random() < 0.2:
        wanted = [*arrays, chance.choice(pool[len(arrays) + len(numbers) :])]
        seen += map(value_of, grad(loss, wanted, retain_graph=True, allow_unused=True))
    if chance.random() < 0.2:
        (slope, *_) = grad(loss, arrays, create_graph=True, allow_unused=True)
        if slope is not None and slope.requires_grad:
            seen.append(slope.value)
            curvatures = grad(
                FUNCTIONS["torch.sum"](slope * slope), arrays, allow_unused=True, retain_graph=True
            )
            seen += map(value_of, curvatures)
    passes = chance.choice([1, 1, 2])
    for left in reversed(range(passes)):
        loss.backward(retain_graph=left > 0)
    seen += [value_of(x.grad) for x in (*arrays, *numbers, *retained)]
    chance.shuffle(pool)
    return [*seen, loss.value, *(x.value for x in pool)]


def compare(found: list[Any], expected: list[Any], precision: float) -> None:
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine is None) == (theirs is None)
        if theirs is None:
            continue
        assert type(mine) is type(theirs)
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        is_finite = np.isfinite(theirs)
        np.testing.assert_array_equal(mine[~is_finite], theirs[~is_finite])
        scale = np.max(np.abs(theirs), where=is_finite, initial=1e-30)
        np.testing.assert_allclose(mine[is_finite] / scale, theirs[is_finite] / scale, rtol=0, atol=precision)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@in_one_test("seed", range(150))
def test_random_programs(seed: int, dtype: str) -> None:
    runs = []
    for least in (2, NEVER):
        fast_paths.fusion_settings.least = least
        with np.errstate(all="ignore"):
            runs.append(random_program(seed, dtype))
    compare(*runs, precision=1e-12 if dtype == "float64" else 1e-4)


def leaf(n: int = SIZE, seed: int = 0) -> Tensor:
    return tensor(np.random.default_rng(seed).normal(size=n), requires_grad=True)


def test_nothing_is_computed_before_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    run = TileProgram.run
    monkeypatch.setattr(TileProgram, "run", lambda program: runs.append(program) or run(program))
    x, y, a = leaf(), leaf(seed=1), tensor(0.5, requires_grad=True)
    h = FUNCTIONS["torch.tanh"](a * x + y)
    loss = FUNCTIONS["torch.sum"](h**2 * FUNCTIONS["torch.exp"](-x))
    assert (h.shape, h.entry_count, h.ndim, h.dtype.name) == ((SIZE,), SIZE, 1, "float64")
    assert (loss.shape, loss.entry_count, loss.ndim, loss.dtype.name) == ((), 1, 0, "float64")
    assert is_put_off(FUNCTIONS["torch.mean"](h))
    assert is_put_off(h)
    assert is_put_off(loss)
    assert not runs
    loss.backward()
    assert len(runs) == 1  # the sum and all slopes in one loop
    assert len(runs[0].requested) == 4
    assert not is_put_off(loss)
    assert is_put_off(h)
    e, t = np.exp(-x.value), np.tanh(0.5 * x.value + y.value)
    np.testing.assert_allclose(loss.item(), (t * t * e).sum(), rtol=1e-12)
    inner = 2 * t * (1 - t * t) * e
    assert x.grad is not None
    assert y.grad is not None
    assert a.grad is not None
    np.testing.assert_allclose(y.grad.value, inner, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(x.grad.value, 0.5 * inner - t * t * e, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(a.grad.item(), (inner * x.value).sum(), rtol=1e-12)
    assert len(runs) == 1
    np.testing.assert_allclose(h.value, t, rtol=1e-14)  # although the graph is gone
    assert len(runs) == 2


def test_what_is_not_put_off() -> None:
    x = leaf()
    small = tensor(np.ones(1), requires_grad=True)
    single = tensor(np.ones(SIZE, "float32"), requires_grad=True)
    with no_grad():
        assert not is_put_off(x + 1)
    for made in (
        x.detach() * 2,
        small * 2,
        x * True,
        x * 2**60,
        x + small,
        x + single,
        (x * x).detach() ** x,
        2**x,
        FUNCTIONS["torch.relu"](x),
        tensor(np.ones((4, 4))[:, ::2], requires_grad=True).T * 2,
    ):
        assert not is_put_off(made)
    fast_paths.fusion_settings.least = SIZE + 1
    assert not is_put_off(x + 1)


def test_a_pass_from_two_places() -> None:
    x = leaf()
    h = x * x
    mean = FUNCTIONS["torch.mean"](h * h)
    backward_from([mean, h], [None, tensor(np.full(SIZE, 5.0))])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.value, 4 * x.value**3 / SIZE + 10 * x.value, rtol=1e-12)
    np.testing.assert_allclose(mean.item(), (x.value**4).mean(), rtol=1e-12)


def test_long_formulas_are_cut() -> None:
    x = leaf()
    h = x
    for _ in range(500):
        h = h * 1.001 + 0.001
        assert h.lazy_value is not None
        assert h.lazy_value.length <= fast_paths.fusion_settings.most + 1
    FUNCTIONS["torch.sum"](h).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.value, 1.001**500, rtol=1e-12)


def test_an_array_changed_in_place_stays_what_it_was() -> None:
    x, h = leaf(), tensor(np.ones(SIZE))
    before = x.value
    w = x * h
    h.assign_in_place(h * 0)
    np.testing.assert_array_equal(w.value, before)
    y = x * 2
    z = FUNCTIONS["torch.exp"](y)
    y.assign_in_place(y + 1)
    np.testing.assert_array_equal(z.value, np.exp(before * 2))
    FUNCTIONS["torch.sum"](z * y).backward()
    assert x.grad is not None
    e = np.exp(before * 2)
    np.testing.assert_allclose(x.grad.value, 2 * e * (before * 2 + 1) + 2 * e, rtol=1e-12)


def test_a_value_written_before_anybody_looked() -> None:
    x = leaf()
    y = x * 2
    y.value = np.ones(SIZE)  # as ``y.data = ...`` does
    np.testing.assert_array_equal((y + 1).value, 2)
    np.testing.assert_array_equal(FUNCTIONS["torch.exp"](y).value, np.e)
    assert FUNCTIONS["torch.sum"](y).item() == SIZE


def test_a_value_needed_and_changed_is_refused() -> None:
    x = leaf()
    z = FUNCTIONS["torch.exp"](x)
    loss = FUNCTIONS["torch.sum"](z)
    z.assign_in_place(z + 1)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        loss.backward()


def test_a_second_pass_is_refused() -> None:
    x = leaf()
    h = x * x
    loss = FUNCTIONS["torch.sum"](h * x)
    loss.backward()
    with pytest.raises(GradientError, match="second time"):
        loss.backward()
    with pytest.raises(GradientError, match="second time"):
        FUNCTIONS["torch.sum"](h).backward()


def test_hooks_and_anomalies_see_every_gradient() -> None:
    x = leaf()
    h = x * 3
    seen = []
    register_hook(h, lambda g: seen.append(g.value) or g * 2)
    FUNCTIONS["torch.sum"](h * h).backward()
    np.testing.assert_allclose(seen[0], 6 * x.value)
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.value, 36 * x.value)
    pass_watch.start()
    pass_watch.anomaly = True
    zero = tensor(np.zeros(4), requires_grad=True)
    with np.errstate(all="ignore"), pytest.raises(GradientError, match="'MulBackward0' returned nan"):
        FUNCTIONS["torch.sum"](FUNCTIONS["torch.sqrt"](zero * zero)).backward()


def test_infinities_and_nan_come_out_as_they_do_at_once() -> None:
    values = np.array([0.0, -0.0, 1e-310, 1e308, -1e308, np.inf, -np.inf, np.nan, 800.0, -800.0])
    formulas: list[Callable[[Any], Any]] = [
        lambda x: FUNCTIONS["torch.exp"](x) * x,
        lambda x: FUNCTIONS["torch.log"](x) / x,
        lambda x: FUNCTIONS["torch.sqrt"](x) - -x,
        lambda x: x**2 + -0.0 * x,
        lambda x: 1 / x,
        lambda x: x**0,
        lambda x: x**-1,
        lambda x: 1 / (x * 0.0) - 1 / (x * -0.0),
    ]
    for formula in formulas:
        runs = []
        for least in (2, NEVER):
            fast_paths.fusion_settings.least = least
            x = tensor(values, requires_grad=True)
            with np.errstate(all="ignore"):
                y = formula(x)
                z = formula(x)
                FUNCTIONS["torch.sum"](y).backward()
                assert x.grad is not None
                runs.append((z.value, x.grad.value))
        for mine, theirs in zip(*runs, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            has_sign = ~np.isnan(mine)  # IEEE 754 (section 6.3) gives that of a nan no meaning
            np.testing.assert_array_equal(np.signbit(mine[has_sign]), np.signbit(theirs[has_sign]))


def test_nobody_is_warned_of_what_was_asked_for_before() -> None:
    x = leaf()
    with np.errstate(all="ignore"):  # as a running script does
        y = FUNCTIONS["torch.log"](x * 0.0) + 1 / (x * 0.0)
    with np.errstate(all="raise"):
        assert is_put_off(y)
        assert not np.isfinite(y.value).any()


def test_two_threads_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    grads = []
    for threads in (1, 2):
        monkeypatch.setattr(tiles, "thread_count", lambda threads=threads: threads)
        monkeypatch.setattr(tiles, "MIN_THREADED_SIZE", 0)
        monkeypatch.setattr(tiles, "SHARED_TILE", 70)
        x, a = leaf(), tensor(2.0, requires_grad=True)
        loss = FUNCTIONS["torch.mean"](FUNCTIONS["torch.sin"](a * x) ** 2)
        loss.backward()
        assert x.grad is not None
        assert a.grad is not None
        grads.append((loss.item(), a.grad.item(), x.grad.value))
    np.testing.assert_allclose(grads[0][0], grads[1][0], rtol=1e-13)
    np.testing.assert_allclose(grads[0][1], grads[1][1], rtol=1e-12)
    np.testing.assert_array_equal(grads[0][2], grads[1][2])


def test_freed_graphs_let_go_of_their_arrays() -> None:
    x = leaf()
    h = x * x
    loss = FUNCTIONS["torch.sum"](h * x)
    node = h.node
    assert isinstance(node, ArrayNode)
    del h
    loss.backward()
    assert node.lazy_value is None
    assert node.lazy_operands == ()
    assert node.out.strides == (0,)
    assert node.shape == (SIZE,)

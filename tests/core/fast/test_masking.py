"""Choosing by bits gives what ``np.where`` gives, to the bit; products of copies give what ``@`` gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.fast import masking, small_products

pytestmark = pytest.mark.skipif(not is_fast, reason="the rules do it all")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zeros_by_bits(dtype: str, zero: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 50)).astype(dtype)
    x[:7, 0] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -np.nan]
    for condition in (x > 0, x < np.inf, x != x, np.zeros_like(x, bool), (x > 0).T.copy().T):
        assert masking.can_mask(condition, x)
        for given in ((condition, x, zero), (condition, zero, x)):
            found, expected = masking.where(*given), np.where(*given)
            assert found.dtype == expected.dtype == dtype
            assert found.tobytes() == expected.tobytes()
    wide = np.broadcast_to(x[:1], x.shape)
    assert masking.where(x > 0, wide, zero).tobytes() == np.where(x > 0, wide, zero).tobytes()


def test_what_is_left_to_numpy() -> None:
    x = np.ones((50, 60))
    assert masking.can_mask(x > 0, x)
    for condition, other in ((x > 0, x[0]), (x[0] > 0, x), (x, x), (x > 0, x.astype(int)), (True, x)):
        assert not masking.can_mask(condition, other)
    assert not masking.can_mask(x[:2] > 0, x[:2])
    assert (masking.where(x > 2, 5.0, x) == 1).all()


def ways_to_repeat(a: Any) -> list[Any]:
    return [
        a,
        np.broadcast_to(a[:1], a.shape),
        np.broadcast_to(a[:, :1], a.shape),
        np.broadcast_to(a[:1, :1], a.shape),
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "shapes", [((30, 40), (40, 50)), ((1, 4), (4, 5)), ((4, 1), (1, 4)), ((3, 4), (4, 1))]
)
def test_products_of_copies(shapes: tuple[tuple[int, int], tuple[int, int]], dtype: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=shape).astype(dtype) for shape in shapes)
    for x in ways_to_repeat(a):
        for y in ways_to_repeat(b):
            found, expected = small_products.fast_matmul_2d(x, y), x.copy() @ y.copy()
            assert found.dtype == dtype
            assert found.shape == expected.shape
            terms = np.abs(x) @ np.abs(y)
            np.testing.assert_allclose(
                found / terms, expected / terms, rtol=0, atol=len(y) * np.finfo(dtype).eps
            )


def test_infinities_meet_every_entry() -> None:
    """(-1 + 2) inf would be inf, but -inf + inf is not a number."""
    column = np.broadcast_to(np.array([[np.inf]]), (1, 2))
    factors = np.array([[-1.0, 1.0], [2.0, 1.0]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(small_products.fast_matmul_2d(column, factors), [[np.nan, np.inf]])
        np.testing.assert_array_equal(
            small_products.fast_matmul_2d(factors.T, column.T), [[np.nan], [np.inf]]
        )


def test_a_chain_of_products_needs_no_product_of_matrices_on_the_way_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr(small_products, "SMALL_SIZE", 35)
    factors = [tensor(rng.normal(size=(6, 6)), requires_grad=True) for _ in range(4)]

    def slopes() -> list[Any]:
        a, b, c, d = factors
        total = FUNCTIONS["torch.sum"](a @ b @ c @ d)
        return [slope.value for slope in grad(total, factors) if slope is not None]

    found = slopes()
    assert any(0 in slope.strides for slope in found)
    monkeypatch.setattr(small_products, "is_fast", False)
    expected = slopes()
    assert not any(0 in slope.strides for slope in expected)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("shape", [(2, 3), (small_products.SMALL_SIZE + 1,)])
def test_what_every_entry_of_a_sum_receives_is_copied_where_it_is_small(
    name: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tensor(np.ones(shape), requires_grad=True)
    (found,) = grad(FUNCTIONS[f"torch.{name}"](x) * 3.0, x)
    assert (0 in found.value.strides) is (name == "sum" and x.entry_count > small_products.SMALL_SIZE)
    monkeypatch.setattr(small_products, "is_fast", False)
    (expected,) = grad(FUNCTIONS[f"torch.{name}"](x) * 3.0, x)
    assert found.tolist() == expected.tolist()

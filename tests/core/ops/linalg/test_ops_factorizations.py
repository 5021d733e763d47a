"""Factorizations and triangular systems against PyTorch.

Factors are unique up to signs, so gradients are compared through functions that do not see them; what a
factorization promises (its product, orthonormal columns, triangles) is checked on its own.
"""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.public_functions import FUNCTIONS
from op_by_name import compare_errors

rng = np.random.default_rng(5)
A = rng.uniform(-1.0, 1.0, (3, 3)) + 2 * np.eye(3)
B = rng.uniform(-1.0, 1.0, (2, 3, 3)) + 2 * np.eye(3)
TALL = rng.uniform(-1.0, 1.0, (4, 2))
WIDE = rng.uniform(-1.0, 1.0, (2, 4))
TALL_BATCH = rng.uniform(-1.0, 1.0, (2, 4, 3))


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["svd", "eigh", "qr", "slogdet"])
def test_factors_are_named_as_in_torch(name: str) -> None:
    import torch

    theirs = getattr(torch.linalg, name)(torch.tensor(A, requires_grad=True))
    mine = FUNCTIONS[f"linalg.{name}"](tensor(A, requires_grad=True))
    for field in mine.fields:
        assert mine.field(field).grad_fn.grad_fn_name == getattr(theirs, field).grad_fn.name()
    assert mine.type_name == f"torch.return_types.{type(theirs).__name__}"


@pytest.mark.parametrize("x", [A, B, TALL, WIDE, TALL_BATCH], ids=lambda x: str(x.shape))
def test_products_give_the_matrix_back(x) -> None:
    for full in (False, True):
        u, s, vt = (part.data for part in FUNCTIONS["linalg.svd"](tensor(x), full))
        np.testing.assert_allclose(u[..., : s.shape[-1]] * s[..., None, :] @ vt[..., : s.shape[-1], :], x)
        np.testing.assert_allclose(
            np.swapaxes(u, -1, -2) @ u,
            np.broadcast_to(np.eye(u.shape[-1]), u.shape[:-2] + (u.shape[-1],) * 2),
            atol=1e-12,
        )
    for mode in ("reduced", "complete"):
        q, r = (part.data for part in FUNCTIONS["linalg.qr"](tensor(x), mode))
        np.testing.assert_allclose(q @ r, x, atol=1e-12)
        np.testing.assert_allclose(r, np.triu(r))


@pytest.mark.oracle
def test_gradients_of_full_factors_are_those_of_torch() -> None:
    import torch

    x, t = tensor(WIDE, requires_grad=True), torch.tensor(WIDE, requires_grad=True)
    mine, theirs = FUNCTIONS["linalg.svd"](x, True), torch.linalg.svd(t)
    weights = np.arange(16.0).reshape(4, 4)
    ours = grad(mine[2] ** 2, x, tensor(weights))[0].data
    np.testing.assert_allclose(ours, torch.autograd.grad(theirs[2] ** 2, t, torch.tensor(weights))[0].numpy())


def test_a_matrix_is_factorized_anew_after_a_change() -> None:
    x = Tensor.of(A.copy())
    first = FUNCTIONS["linalg.svdvals"](x).data
    again = FUNCTIONS["linalg.svdvals"](x * 2.0).data
    np.testing.assert_allclose(again, 2 * first)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("linalg.cholesky", (-np.eye(2),)),
        ("linalg.cholesky", (np.stack([np.eye(2), -np.eye(2)]),)),
        ("linalg.cholesky", (TALL,)),
        ("linalg.cholesky", (np.ones(3),)),
        ("linalg.eigh", (TALL,)),
        ("linalg.svd", (np.ones(3),)),
        ("linalg.qr", (np.ones(3),)),
        ("linalg.qr", (A, "half")),
        ("linalg.slogdet", (TALL,)),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple) -> None:
    compare_errors(name, args)


@pytest.mark.oracle
@pytest.mark.parametrize("b", [np.ones(3), np.ones((2, 2))], ids=lambda b: str(b.shape))
def test_triangular_refusals(b) -> None:
    compare_errors("linalg.solve_triangular", (A, b), {"upper": True})


def test_complete_qr_of_a_tall_leaf_has_no_derivative() -> None:
    with pytest.raises(AutodiffError, match="not differentiable when mode='complete'"):
        FUNCTIONS["linalg.qr"](tensor(TALL, requires_grad=True), "complete")


@pytest.mark.parametrize("name", ["svdvals", "pinv", "matrix_rank", "cond"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_singular_values_of_infinities_are_refused(name, dtype):
    """In single precision LAPACK searches for them without end."""
    matrix = np.array([[100.0, 20.0, -1.0], [-np.inf, 4.0, 20.0], [0.4, 0.9, 2.8]], dtype)
    with pytest.raises(AutodiffError) as error:
        FUNCTIONS[f"linalg.{name}"](Tensor.of(matrix))
    assert error.value.message == (
        "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values."
    )


@pytest.mark.oracle
def test_lu_asks_what_torch_asks():
    compare_errors("linalg.lu", (A,), {"pivot": False})
    compare_errors("linalg.lu", (np.ones((2, 2), np.int64),))
    compare_errors("linalg.lu", (np.ones(2),))

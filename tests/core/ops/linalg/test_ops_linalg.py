"""Products, einsum, determinants and systems against PyTorch; singular determinants against limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.base.errors import ShapeError
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.graph.op import OPS
from op_by_name import call, compare_errors

V = np.array([1.5, -2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) / 3 - 1.25
M = np.array([[2.0, -1.0, 0.5], [0.25, 1.5, 1.0], [-0.75, 0.5, 3.0]])
P = np.cos(np.arange(24.0)).reshape(2, 3, 4)
Q = np.sin(np.arange(40.0)).reshape(2, 4, 5)
S = np.array(1.75)


ERRORS = [
    ("matmul", (A, A)),
    ("matmul", (A, V[:2])),
    ("matmul", (V, V[:2])),
    ("matmul", (V, np.ones((4, 2)))),
    ("matmul", (S, A)),
    ("matmul", (A, S)),
    ("matmul", (P, P)),
    ("matmul", (np.ones((3, 2, 4)), np.ones((2, 4, 5)))),
    ("matmul", (np.ones((2, 2, 4)), np.ones((3, 5)))),
    ("matmul", (np.ones((2, 2), dtype=np.int64), np.ones((2, 2)))),
    ("matmul", (np.ones((2, 2), dtype=np.float32), np.ones((2, 2)))),
    ("matmul", (np.ones((2, 2), dtype=np.float32), np.ones(2))),
    ("matmul", (np.ones((2, 2), dtype=bool), np.ones((2, 2), dtype=bool))),
    ("mm", (A, V)),
    ("mm", (V, A)),
    ("mv", (A, A)),
    ("mv", (A, V[:2])),
    ("dot", (A, V)),
    ("dot", (V, V[:2])),
    ("dot", (V.astype(np.float32), V)),
    ("outer", (A, V)),
    ("bmm", (A, A)),
    ("bmm", (P, P)),
    ("bmm", (P, np.ones((3, 4, 5)))),
    ("bmm", (P.astype(np.float32), Q)),
    ("inner", (A, V[:2])),
    ("inner", (A, np.ones((2, 2)))),
    ("addmm", (np.ones((3, 3)), A, A.T)),
    ("trace", (V,)),
    ("trace", (P,)),
    ("einsum", ("ij,jk->ik", A, A)),
    ("einsum", ("ij,j", A)),
    ("einsum", ("ijk->", A)),
    ("einsum", ("ij->ik", A)),
    ("einsum", ("ij->ii", A)),
    ("einsum", ("i1->", A)),
    ("einsum", ("ii->", A)),
    ("linalg.det", (A,)),
    ("linalg.det", (V,)),
    ("linalg.det", (np.ones((2, 2), dtype=np.int64),)),
    ("linalg.inv", (A,)),
    ("linalg.inv", (np.ones((2, 2)),)),
    ("linalg.inv", (np.zeros((2, 3, 3)),)),
    ("linalg.solve", (np.ones((2, 2)), np.ones(2))),
    ("linalg.solve", (np.eye(2), V)),
    ("linalg.solve", (np.eye(2), np.ones((3, 2)))),
    ("linalg.solve", (A, V)),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda value: value if isinstance(value, str) else "")
def test_errors_in_torch_words(name, args):
    pytest.importorskip("torch")
    compare_errors(name, args)


def test_a_misfit_says_which_sizes_must_agree():
    with pytest.raises(ShapeError) as caught:
        tensor(A) @ tensor(A)
    assert caught.value.code == "E0302"
    assert caught.value.caret == "the first has 3 columns, the second has 2 rows; they must be equal"
    assert [x.shape for x in caught.value.operands] == [(2, 3), (2, 3)]


def test_the_rules_of_a_matrix_product_read_as_in_the_book():
    g, x, y = (np.ones((2, 3)), A, M)
    left, right = OPS["mm"].vjps
    np.testing.assert_array_equal(left(g, None, x, y), g @ y.T)
    np.testing.assert_array_equal(right(g, None, x, y), x.T @ g)


SINGULAR = [
    np.array([[1.0, 2.0], [2.0, 4.0]]),
    np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    np.ones((3, 3)),
    np.zeros((2, 2)),
    np.zeros((1, 1)),
]


def cofactors(a: np.ndarray) -> np.ndarray:
    n = len(a)
    return np.array(
        [
            [
                (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) if n > 1 else 1.0
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


@pytest.mark.parametrize("a", SINGULAR, ids=lambda a: str(a.tolist()))
def test_a_singular_matrix_has_its_cofactors_as_gradient(a):
    x = tensor(a, requires_grad=True)
    (first,) = grad(FUNCTIONS["torch.det"](x), x, create_graph=True)
    np.testing.assert_allclose(first.data, cofactors(a), atol=1e-12)
    if len(a) > 1:
        weight = np.cos(np.arange(a.size)).reshape(a.shape)
        (second,) = grad(first, x, tensor(weight))
        step = 1e-5
        slope = (cofactors(a + step * weight) - cofactors(a - step * weight)) / (2 * step)
        np.testing.assert_allclose(second.data, slope, atol=1e-8)


def mixed_derivative(a: np.ndarray, *directions: np.ndarray) -> float:
    """Of det at ``a`` along several directions: exact up to rounding, for det is a polynomial.

    Interpolated in t, det(a + t * a sum of directions) has the part of their degree as a coefficient, and
    polarization takes the mixed part out of it (inclusion and exclusion of directions).
    """
    n, k = len(a), len(directions)
    places = np.arange(n + 1.0) - n / 2
    total = 0.0
    for chosen in itertools.product((0, 1), repeat=k):
        step = sum((d for d, is_in in zip(directions, chosen, strict=True) if is_in), np.zeros_like(a))
        values = [np.linalg.det(a + t * step) for t in places]
        coefficients = np.linalg.solve(np.vander(places, increasing=True), values)
        total += (-1) ** (k - sum(chosen)) * coefficients[k]
    return total


@pytest.mark.parametrize(
    "a",
    [*SINGULAR, np.arange(16.0).reshape(4, 4), np.diag([0.0, 0.0, 1.0, 2.0])],
    ids=lambda a: str(a.tolist()),
)
def test_third_and_fourth_derivatives_of_det_at_singular_matrices(a):
    n = len(a)
    h, k, m = (np.cos(start + np.arange(a.size)).reshape(a.shape) for start in (0.0, 1.0, 2.0))
    x = tensor(a, requires_grad=True)
    (slope,) = grad(FUNCTIONS["torch.det"](x), x, create_graph=True)
    (slope,) = grad(slope, x, tensor(h), create_graph=True)
    (slope,) = grad(slope, x, tensor(k), create_graph=True)
    units = [np.eye(n)[:, [i]] @ np.eye(n)[[j]] for i in range(n) for j in range(n)]
    third = [mixed_derivative(a, h, k, e) if n > 2 else 0.0 for e in units]
    np.testing.assert_allclose(slope.data.ravel(), third, atol=1e-9)
    if slope.requires_grad:
        (slope,) = grad(slope, x, tensor(m))
        fourth = [mixed_derivative(a, h, k, m, e) if n > 3 else 0.0 for e in units]
        np.testing.assert_allclose(slope.data.ravel(), fourth, atol=1e-8)


def test_a_batch_with_a_singular_matrix_has_third_derivatives():
    a = np.stack([SINGULAR[1], M])
    h = np.cos(np.arange(a.size)).reshape(a.shape)
    x = tensor(a, requires_grad=True)
    slopes = [FUNCTIONS["torch.det"](x)]
    for weight in (np.ones(2), h, h + 1):
        slopes += grad(slopes[-1], x, tensor(weight), create_graph=True)
    alone = tensor(M, requires_grad=True)
    (slope,) = grad(FUNCTIONS["torch.det"](alone), alone, create_graph=True)
    for weight in (h[1], h[1] + 1):
        (slope,) = grad(slope, alone, tensor(weight), create_graph=True)
    np.testing.assert_allclose(slopes[-1].data[1], slope.data, rtol=1e-9, atol=1e-12)


def test_the_slope_of_the_logarithm_of_a_determinant_that_is_zero_is_infinite():
    for name in ("slogdet", "linalg.slogdet", "logdet"):
        x = tensor(SINGULAR[0], requires_grad=True)
        out = call(name)(x)
        with np.errstate(all="ignore"):
            (slope,) = grad(out if isinstance(out, Tensor) else out[1], x)
        assert np.isinf(slope.data).all()


def test_det_of_nan_has_nan_for_a_gradient():
    x = tensor([[np.nan, 1.0], [1.0, np.inf]], requires_grad=True)
    with np.errstate(all="ignore"):
        (first,) = grad(FUNCTIONS["torch.det"](x), x, create_graph=True)
        (second,) = grad(first, x, tensor(np.eye(2)))
    assert np.isnan(first.data).all()
    assert np.isnan(second.data).all()

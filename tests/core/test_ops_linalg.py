"""Products, einsum, determinants and systems against PyTorch; singular determinants against limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.errors import ShapeError
from autodiff.core.functions import FUNCTIONS
from autodiff.core.op import OPS
from op_by_name import call, case, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("products", "einsum", "linalg")

V = np.array([1.5, -2.0, 0.5])
W = np.array([0.25, 1.0, -1.5])
A = np.arange(6.0).reshape(2, 3) / 3 - 1.25
M = np.array([[2.0, -1.0, 0.5], [0.25, 1.5, 1.0], [-0.75, 0.5, 3.0]])
P = np.cos(np.arange(24.0)).reshape(2, 3, 4)
Q = np.sin(np.arange(40.0)).reshape(2, 4, 5)
MANY = np.stack([M, M.T + 1, 2 * M - 0.5])
S = np.array(1.75)


def at(x, y):
    return x @ y


def product(op: str, x: np.ndarray, y: np.ndarray, **details) -> Case:
    return Case(op, at, (x, y), name="@", **details)


def einsum(equation: str, *operands: np.ndarray, **details) -> Case:
    def contract(*tensors):
        if isinstance(tensors[0], Tensor):
            return FUNCTIONS["torch.einsum"](equation, *tensors)
        import torch

        return torch.einsum(equation, *tensors)

    return Case("einsum", contract, operands, name=equation, **details)


SAMPLES = [
    product("mm", A, M),
    product("mv", A, V),
    product("vm", V, M),
    product("dot", V, W),
    product("matmul", P, Q),
    product("matmul", P, Q[0]),
    product("matmul", P, Q[0, :, 0]),
    product("matmul", A, P),
    product("matmul", V, P),
    product("matmul", np.stack([P, P + 1, P - 1]), Q),
    product("matmul", P[:1], Q),
    product("matmul", np.stack([P, P]), Q[0]),
    case("matmul", "matmul", P, Q),
    case("mm", "mm", A, M),
    case("mv", "mv", A, V),
    case("dot", "dot", V, W),
    case("dot", "vdot", V, W),
    case("dot", "inner", V, W),
    case("mm", "inner", A, M),
    case("mm", "inner", A, V),
    case("mm", "inner", S, A),
    case("outer", "outer", V, W),
    case("bmm", "bmm", P, Q),
    case("addmm", "addmm", A, A @ M, M),
    case("addmm", "addmm", V, A, M),
    Case("addmm", call("addmm"), (A, A, M), {"beta": 0.5, "alpha": -2.0}, name="addmm"),
    einsum("ij,jk->ik", A, M),
    einsum("ij,kj->ik", A, A + 1),
    einsum("ij,jk", A, M),
    einsum("ij->ji", A),
    einsum("ij->", A),
    einsum("ij->j", A),
    einsum("ii->i", M, check_name=True),
    einsum("ii->", M),
    einsum("ij,j->i", A, V),
    einsum("i,i->", V, W),
    einsum("i,j->ij", V, W),
    einsum("ij,ij->ij", A, A + 2),
    einsum("bij,bjk->bik", P, Q),
    einsum("...ij,...jk->...ik", P, Q),
    einsum("i...->...", P),
    einsum("ij,k->i", A, V),
    einsum("ij,jk,kl->il", A, M, M + 1),
    einsum("ij,ij->i", A, A[:1] + 1),
    einsum("iij,j->i", np.stack([P[0, :, :3]] * 3), V),
    case("det", "det", M),
    Case("det", call("linalg.det"), (MANY,), name="linalg.det"),
    Case("det", call("linalg.det"), (np.array([[3.0]]),), name="linalg.det"),
    Case("inv", call("linalg.inv"), (M,), name="linalg.inv"),
    case("inv", "inverse", MANY),
    Case("solve", call("linalg.solve"), (M, V), name="linalg.solve"),
    Case("solve", call("linalg.solve"), (M, A.T), name="linalg.solve"),
    Case("solve", call("linalg.solve"), (MANY, np.stack([A.T] * 3)), name="linalg.solve"),
    Case("solve", call("linalg.solve"), (MANY, A.T), name="linalg.solve"),
    Case("solve", call("linalg.solve"), (MANY, M + 1), name="linalg.solve"),
    Case("solve", call("linalg.solve"), (M, A), {"left": False}, name="linalg.solve", check_name=False),
    case("trace", "trace", M),
    case("trace", "trace", A),
]

#: Ops that only rules use: the tests below are theirs.
INSIDE = {"cofactor", "cofactor_slope"}


def test_every_op_has_a_sample():
    assert set(ops_of(*FAMILIES)) <= {sample.op for sample in SAMPLES} | INSIDE


@pytest.mark.oracle
@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(SAMPLES)), ids=label)
def test_as_torch(sample: Case, variant: str):
    pytest.importorskip("torch")
    compare_with_torch(sample, variant)


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

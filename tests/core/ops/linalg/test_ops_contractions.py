"""Contractions, sums with products, cross products, distances, systems of tensors against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from op_by_name import call, call_mine, case, compare_errors, mine
from op_oracle import Case, compare_with_torch
from script_runner import run_script

rng = np.random.default_rng(17)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-2.0, 2.0, shape)


S, V, W, ONE = np.asarray(1.7), values(3), values(4), values(1)
A, B, C, D = values(3, 3), values(3, 4), values(2, 3, 4), values(2, 4, 5)
WHOLE = np.array([[5, -7, 3], [2, 9, -4], [0, 1, 2]])
SYSTEM = values(6, 2, 3) + np.eye(6).reshape(6, 2, 3) * 4


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_distances_have_a_second_gradient(p: float) -> None:
    x, y = tensor(A, requires_grad=True), tensor(B[:, :3] + 5.0)

    def squared(a):
        return METHODS["sum"](FUNCTIONS["torch.cdist"](a, y, p) ** 2)

    def slope(a):
        a = tensor(a, requires_grad=True)
        return grad(squared(a), a)[0].data

    (first,) = grad(squared(x), x, create_graph=True)
    direction = np.cos(np.arange(9.0)).reshape(3, 3)
    (second,) = grad(first, x, tensor(direction))
    step = 1e-5
    difference = (slope(A + step * direction) - slope(A - step * direction)) / (2 * step)
    np.testing.assert_allclose(second.data, difference, rtol=1e-6)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("kron", (WHOLE, A)),
        ("tensordot", (WHOLE, WHOLE, 1)),
        ("addr", (WHOLE, WHOLE[0], WHOLE[1])),
        ("addr", (A.astype(np.float32), V, WHOLE[0])),
        ("addmv", (WHOLE[0], WHOLE, WHOLE[1])),
        ("addbmm", (np.full((3, 5), np.nan), C, D)),
        ("linalg.cross", (WHOLE, WHOLE)),
    ],
    ids=str,
)
def test_types_of_numbers(name: str, args: tuple) -> None:
    compare_with_torch(case("types", name, *args, orders=0), "plain")


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["addmv", "addr", "addmm", "baddbmm", "addbmm"])
def test_nan_in_what_does_not_count(name: str) -> None:
    factors = {"addmv": (B, W), "addr": (V, W), "addmm": (A, B)}.get(name, (C, D))
    missing = np.asarray(np.nan)
    function = call(name)
    sample = Case(name, lambda *args: function(*args, beta=0), (missing, *factors), name=name)
    compare_with_torch(sample, "plain")


@pytest.mark.oracle
def test_what_a_singular_inverse_reports() -> None:
    import torch

    for x in (np.ones((2, 2)), np.zeros((2, 2)), np.stack([np.zeros((2, 2)), np.eye(2)]), np.zeros((0, 0))):
        ours, theirs = FUNCTIONS["linalg.inv_ex"](tensor(x)), torch.linalg.inv_ex(torch.tensor(x))
        for field in ours.fields:
            wanted = getattr(theirs, field).numpy()
            assert ours.field(field).data.dtype == wanted.dtype
            np.testing.assert_array_equal(ours.field(field).data, wanted)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("tensordot", (A, B, 2), {}),
        ("tensordot", (A, B, -1), {}),
        ("tensordot", (A, B, 5), {}),
        ("tensordot", (A, A, 1.0), {}),
        ("tensordot", (A, B, ([0, 1], [0])), {}),
        ("tensordot", (A, B, ([1], [1])), {}),
        ("tensordot", (A, B, ([4], [0])), {}),
        ("tensordot", (C, C, ([1, 1], [1, 1])), {}),
        ("tensordot", (A, A, (0, 1)), {}),
        ("tensordot", (A, B.astype(np.float32), 1), {}),
        ("cross", (W, W), {}),
        ("cross", (B, B, 1), {}),
        ("cross", (A, V, 1), {}),
        ("cross", (A, B), {}),
        ("cross", (V, V.astype(np.float32), 0), {}),
        ("linalg.cross", (S, S), {}),
        ("linalg.cross", (values(2, 3), values(4, 3)), {}),
        ("linalg.cross", (A, A), {"dim": 5}),
        ("linalg.vecdot", (V, W), {}),
        ("linalg.vecdot", (WHOLE, A), {}),
        ("linalg.vecdot", (A, A), {"dim": 3}),
        ("cdist", (A, B), {}),
        ("cdist", (V, V), {}),
        ("cdist", (A, A, -1.0), {}),
        ("cdist", (WHOLE, A), {}),
        ("cdist", (A, A.astype(np.float32)), {}),
        ("cdist", (A, A), {"compute_mode": "fast"}),
        ("cdist", (C, values(3, 5, 4)), {}),
        ("addmv", (V, B, V), {}),
        ("addmv", (W, B, W), {}),
        ("addmv", (V, V, W), {}),
        ("addmv", (V, B.astype(np.float32), W), {}),
        ("addr", (A, V, W), {}),
        ("addr", (A, A, W), {}),
        ("addr", (A, V, A), {}),
        ("addr", (C, V, W), {}),
        ("addr", (WHOLE, WHOLE[0], WHOLE[1]), {"alpha": 0.5}),
        ("baddbmm", (values(5), C, C), {}),
        ("baddbmm", (values(2, 3, 5), C, values(3, 4, 5)), {}),
        ("baddbmm", (values(2, 3, 5), C, A), {}),
        ("baddbmm", (S, A, D), {}),
        ("baddbmm", (S, V, D), {}),
        ("baddbmm", (values(2, 3, 5), C.astype(np.float32), D), {}),
        ("addbmm", (values(5), C, C), {}),
        ("addbmm", (values(4), C, C), {}),
        ("addbmm", (values(2, 5), C, D), {}),
        ("addbmm", (values(5), C, values(3, 4, 5)), {}),
        ("addbmm", (values(5), C, A), {}),
        ("addbmm", (values(5), C.astype(np.float32), D), {}),
        ("chain_matmul", (A, V), {}),
        ("chain_matmul", (B, A), {}),
        ("ger", (A, W), {}),
        ("linalg.inv_ex", (B,), {}),
        ("linalg.inv_ex", (np.ones((2, 2)),), {"check_errors": True}),
        ("linalg.inv_ex", (np.ones((2, 2, 2)),), {"check_errors": True}),
        ("linalg.tensorsolve", (values(6, 2, 2), values(6)), {}),
        ("linalg.tensorsolve", (values(6, 2, 3), values(5)), {}),
        ("linalg.tensorsolve", (np.ones((4, 2, 2)), np.ones(4)), {}),
        ("linalg.tensorsolve", (SYSTEM, values(6), (5,)), {}),
        ("linalg.tensorinv", (SYSTEM, 0), {}),
        ("linalg.tensorinv", (SYSTEM,), {}),
        ("linalg.tensorinv", (np.ones((4, 2, 2)), 1), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args, kwargs)


def test_what_is_deprecated_warns() -> None:
    said = run_script("x = torch.ones(3, 3)\ntorch.cross(x, x)\ntorch.chain_matmul(x, x)\n").warnings
    assert said[0].startswith("Using torch.cross without specifying the dim arg is deprecated.\nPlease")
    assert said[1].startswith("torch.chain_matmul is deprecated and will be removed")
    assert len(said) == 2


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["addmv_", "addr_", "baddbmm_", "addbmm_", "addmm_"])
def test_in_place(name: str) -> None:
    from torch_prelude import run_with_torch

    factors = {"addmv_": "B, w", "addr_": "v, w", "addmm_": "A, B"}.get(name, "C, D")
    start = {"addmv_": "v", "addr_": "B", "addmm_": "B", "addbmm_": "A @ E"}.get(name, "C @ D")
    text = f"""
def made(*shape):
    n = 1
    for size in shape:
        n = n * size
    return torch.linspace(-1.0, 2.0, n).reshape(shape).requires_grad_()
v, w, A, B, C, D, E = made(3), made(4), made(3, 3), made(3, 4), made(2, 3, 4), made(2, 4, 5), made(3, 5)
x = ({start}) * 2
x.{name}({factors}, beta=0.5)
print(x)
(x * x).sum().backward()
print(v.grad, w.grad, A.grad, B.grad, C.grad, D.grad)
"""
    ours, theirs = run_script(text), run_with_torch(text)
    assert ours.error is None
    assert ours.stdout == theirs.stdout


def test_a_large_product_is_refused_before_it_is_made() -> None:
    from autodiff.core.base.errors import LimitError

    x = np.zeros(100_000)
    for name, args in (("kron", (x, x)), ("ger", (x, x)), ("cdist", (x[:, None], x[:, None]))):
        with pytest.raises(LimitError):
            call_mine(name, *mine(args))


def test_a_named_result_is_a_tuple() -> None:
    text = "r = torch.linalg.inv_ex(torch.eye(2))\nprint(isinstance(r, tuple), len(list(r)), r.info)"
    assert run_script(text).stdout == "True 2 tensor(0, dtype=torch.int32)\n"

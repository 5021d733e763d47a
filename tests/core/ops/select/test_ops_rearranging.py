"""Turning, repeating, cutting, combining and putting side by side against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.base.errors import LimitError
from op_by_name import call_mine, call_theirs, compare_errors, mine
from op_oracle import Case, compare_with_torch
from script_runner import run_script

rng = np.random.default_rng(23)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-2.0, 2.0, shape)


S, V, W, ONE, EMPTY = np.asarray(1.7), values(3), values(4), values(1), values(0)
A, B, C = values(3, 3), values(3, 4), values(2, 3, 4)
WHOLE = np.array([[5, -7, 3], [2, 9, -4], [0, 1, 2]])


@pytest.mark.oracle
@pytest.mark.parametrize("increasing", [False, True])
@pytest.mark.parametrize("x", [V, ONE, np.array([0.0, -1.0, 2.0])], ids=str)
def test_powers_of_vander_have_slopes(x: np.ndarray, increasing: bool) -> None:
    """torch cannot go back through its own vander; the powers are spelled out for it as products.

    By pow its second derivative of x**0 is nan at 0, and ours is 0.
    """

    def powers(x):
        import torch

        if isinstance(x, Tensor):
            return call_mine("vander", x, 4, increasing)
        columns = [0 * x + 1, x, x * x, x * x * x]
        return torch.stack(columns if increasing else columns[::-1], 1)

    sample = Case("pow", powers, (x,), check_name=False)
    compare_with_torch(sample, "plain")


def test_a_block_below_an_empty_vector_has_its_own_gradient() -> None:
    """torch hands it that of the rows above."""
    x = tensor(A, requires_grad=True)
    out = call_mine("block_diag", tensor(EMPTY), x)
    assert out.shape == (4, 3)
    (slope,) = grad(out, x, tensor(np.arange(12.0).reshape(4, 3)))
    np.testing.assert_array_equal(slope.data, np.arange(3.0, 12.0).reshape(3, 3))


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("tril_indices", (3, 4), {}),
        ("tril_indices", (3, 4, -1), {}),
        ("tril_indices", (4, 3, 9), {}),
        ("triu_indices", (3, 3, 1), {}),
        ("triu_indices", (4, 3), {"offset": -2}),
        ("triu_indices", (3, 3, 5), {}),
        ("triu_indices", (3, 3, -7), {}),
        ("tril_indices", (0, 3), {}),
        ("torch.repeat_interleave", (np.array([1, 2, 0, 3]),), {}),
        ("torch.repeat_interleave", (np.array([1, 2]),), {"output_size": 3}),
        ("cartesian_prod", (WHOLE[0], WHOLE[1]), {}),
        ("combinations", (WHOLE[0],), {}),
        ("rot90", (WHOLE, 1), {}),
        ("vander", (WHOLE[0],), {}),
        ("vander", (WHOLE[0], 1), {}),
        ("diagflat", (WHOLE,), {}),
        ("block_diag", (WHOLE, np.array([True, False])), {}),
        ("block_diag", (), {}),
        ("atleast_2d", (np.array([True]),), {}),
    ],
    ids=str,
)
def test_values_alone(name: str, args: tuple, kwargs: dict) -> None:
    from op_by_name import theirs

    ours = call_mine(name, *mine(args), **kwargs)
    wanted = call_theirs(name, *theirs(args), **kwargs)
    np.testing.assert_array_equal(ours.data, wanted.numpy(), strict=len(args) > 0)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("repeat_interleave", (B, -1), {}),
        ("repeat_interleave", (B, np.array([1, 2]), 0), {}),
        ("repeat_interleave", (B, np.array([1.0, 2.0, 3.0]), 0), {}),
        ("repeat_interleave", (B, 2, 4), {}),
        ("repeat_interleave", (S, 2, 0), {}),
        ("repeat_interleave", (B, np.array([[1, 2]]), 0), {}),
        ("repeat_interleave", (B, np.array([1, -2, 1]), 0), {}),
        ("repeat_interleave", (B, np.array([1, 0, 2]), 0), {"output_size": 4}),
        ("repeat_interleave", (B, 2, 0), {"output_size": 5}),
        ("torch.repeat_interleave", (WHOLE,), {}),
        ("torch.repeat_interleave", (np.array([1, -2]),), {}),
        ("torch.repeat_interleave", (V,), {}),
        ("meshgrid", (V, W), {"indexing": "zz"}),
        ("meshgrid", (V, WHOLE[0]), {"indexing": "ij"}),
        ("meshgrid", (), {"indexing": "ij"}),
        ("hsplit", (V, 2), {}),
        ("hsplit", (B, 0), {}),
        ("hsplit", (S, 2), {}),
        ("hsplit", (C, -1), {}),
        ("vsplit", (V, 2), {}),
        ("vsplit", (C, 3), {}),
        ("dsplit", (B, 2), {}),
        ("dsplit", (C, 3), {}),
        ("tensor_split", (S, 2), {}),
        ("tensor_split", (B, 0), {}),
        ("tensor_split", (B, 2, 5), {}),
        ("tensor_split", (B, np.array([1.0, 2.0])), {}),
        ("tensor_split", (B, np.array([[1]])), {}),
        ("dstack", ([V, W],), {}),
        ("dstack", ([],), {}),
        ("column_stack", ([V, W],), {}),
        ("column_stack", ([],), {}),
        ("row_stack", ([V, W],), {}),
        ("row_stack", ([],), {}),
        ("vstack", ([],), {}),
        ("hstack", ([],), {}),
        ("rot90", (V,), {}),
        ("rot90", (C, 1, (1, 1)), {}),
        ("rot90", (C, 1, (1, -2)), {}),
        ("rot90", (C, 1, (1,)), {}),
        ("rot90", (C, 1, (5, 1)), {}),
        ("fliplr", (V,), {}),
        ("flipud", (S,), {}),
        ("swapaxes", (B, 0, 5), {}),
        ("moveaxis", (C, (0, 1), (1,)), {}),
        ("cartesian_prod", (A, W), {}),
        ("cartesian_prod", (V, WHOLE[0]), {}),
        ("cartesian_prod", (), {}),
        ("combinations", (A,), {}),
        ("combinations", (V, -1), {}),
        ("unfold", (B, 1, 5, 1), {}),
        ("unfold", (B, 1, 2, 0), {}),
        ("unfold", (B, 1, -2, 1), {}),
        ("unfold", (B, 4, 2, 1), {}),
        ("unfold", (S, 0, 2, 1), {}),
        ("broadcast_tensors", (V, W), {}),
        ("broadcast_tensors", (V, A, B), {}),
        ("adjoint", (V,), {}),
        ("tril_indices", (-1, 3), {}),
        ("triu_indices", (3, -1), {}),
        ("vander", (V, -1), {}),
        ("vander", (A,), {}),
        ("block_diag", (A, C), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args, kwargs)


@pytest.mark.oracle
def test_attributes_print_and_warn_as_in_torch() -> None:
    from torch_prelude import run_with_torch

    text = """
B = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
C = torch.stack([B, 2 * B])
print(B.mT, B.H, B.mH, B.adjoint(), C.mT, C.mH)
(B.H @ B).sum().backward()
print(B.grad, torch.tensor(2.0).mT, torch.tensor(2.0).H, torch.tensor(2.0).mH)
print(torch.ones(1, 3, 1).squeeze(0, 2).shape, torch.ones(1, 3, 1).squeeze((0, 2)).shape)
print(torch.ones(1, 3, 1).squeeze().shape, torch.ones(1, 3, 1).squeeze(dim=0).shape)
print(torch.tril_indices(2, 2, dtype=torch.int32), torch.triu_indices(2, 2, device="cpu"))
print([part.shape for part in torch.meshgrid(torch.arange(3), torch.arange(2))])
"""
    ours, theirs = run_script(text), run_with_torch(text)
    assert ours.error is None
    assert ours.stdout == theirs.stdout
    assert len(ours.warnings) == 4
    for said, wanted in zip(ours.warnings, theirs.warnings, strict=True):
        assert wanted.startswith(said)


@pytest.mark.oracle
@pytest.mark.parametrize("call", ["V.mT", "V.H", "C.H", "V.mH", "torch.tril_indices(2, 2, dtype=torch.bool)"])
def test_attributes_that_are_refused(call: str) -> None:
    from torch_prelude import run_with_torch

    text = f"V = torch.ones(3)\nC = torch.ones(2, 3, 4)\n{call}"
    assert run_script(text).error.message == str(run_with_torch(text).error)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("repeat_interleave", (V, 2**40)),
        ("repeat_interleave", (V, np.array(2**40))),
        ("meshgrid", (np.zeros(10**5), np.zeros(10**5))),
        ("combinations", (np.zeros(200), 9)),
        ("cartesian_prod", (np.zeros(10**5), np.zeros(10**5))),
        ("tril_indices", (2**20, 2**20)),
        ("vander", (V, 2**40)),
        ("diagflat", (np.zeros(10**5),)),
        ("tensor_split", (V, 2**40)),
        ("block_diag", (np.zeros((1, 10**5)), np.zeros((10**5, 1)))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_result_too_large_is_refused_before_it_is_made(name: str, args: tuple) -> None:
    with pytest.raises(LimitError):
        call_mine(name, *mine(args))

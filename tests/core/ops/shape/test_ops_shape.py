"""Rearranging, joining and splitting against PyTorch: values, names, gradients of two orders, errors."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.graph.op import OPS
from autodiff.core.ops.select.rearrange import transpose_last_dims
from autodiff.core.ops.shape import reshape
from op_by_name import compare_errors

V = np.array([1.5, -2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) - 1.25
B = np.arange(24.0).reshape(2, 3, 4) / 7 - 1
S = np.array(1.75)


ERRORS = [
    ("reshape", (A, 4)),
    ("reshape", (A, -1, 4)),
    ("reshape", (A, -1, -1)),
    ("reshape", (A, -2, 3)),
    ("reshape", (A, 0, -1)),
    ("view", (A.T, 6)),
    ("transpose", (A, 0, 2)),
    ("unsqueeze", (A, 3)),
    ("unsqueeze", (S, 1)),
    ("squeeze", (S, 1)),
    ("squeeze", (A, 2)),
    ("permute", (A, 0)),
    ("permute", (A, 0, 0)),
    ("permute", (A, 0, 2)),
    ("t", (B,)),
    ("expand", (V, 2, 4)),
    ("expand", (A, 3)),
    ("expand", (V, -1, 3)),
    ("broadcast_to", (V, (2, 4))),
    ("repeat", (A, 2)),
    ("repeat", (A, -1, 2)),
    ("flatten", (A, 1, 0)),
    ("flatten", (A, 0, 5)),
    ("movedim", (B, (0, 1), (1, 1))),
    ("movedim", (B, (0, 1), (1,))),
    ("flip", (A, 2)),
    ("flip", (A, 0, 0)),
    ("roll", (A, 1, 2)),
    ("roll", (A, (1, 2), (0,))),
    ("roll", (A, (1, 2))),
    ("chunk", (A, 0)),
    ("chunk", (S, 1)),
    ("split", (A, 0)),
    ("split", (A, -1)),
    ("split", (A, [1, 2])),
    ("split", (S, 1)),
    ("unbind", (S,)),
    ("cat", ([A, V],)),
    ("cat", ([A, np.ones((2, 4))],)),
    ("cat", ([],)),
    ("cat", ([A], 2)),
    ("cat", ([S, S],)),
    ("stack", ([A, V],)),
    ("stack", ([],)),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda value: value if isinstance(value, str) else "")
def test_errors_in_torch_words(name, args):
    pytest.importorskip("torch")
    compare_errors(name, args)


def test_what_moves_nothing_is_the_tensor_itself():
    x = tensor(A, requires_grad=True)
    assert METHODS["contiguous"](x) is x
    assert METHODS["flatten"](tensor(V)).shape == (3,)


def test_transposes_are_read_as_properties():
    x = tensor(B)
    assert reshape.reverse_dims(x).shape == (4, 3, 2)
    assert transpose_last_dims(x, "mT").shape == (2, 4, 3)


@pytest.mark.parametrize("name", ["float32", "int64", "bool", "float64"])
def test_casts(name):
    cast = OPS["to"](tensor(A), dtype=name)
    assert cast.dtype.name == name
    assert cast.tolist() == A.astype(name).tolist()


def test_the_gradient_of_a_cast_is_cast_back():
    x = tensor(A, requires_grad=True)
    y = OPS["to"](x, dtype="float32")
    y.backward(OPS["to"](tensor(np.ones((2, 3))), dtype="float32"))
    assert y.grad_fn.grad_fn_name == "ToCopyBackward0"
    assert x.grad.dtype.name == "float64"

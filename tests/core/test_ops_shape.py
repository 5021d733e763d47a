"""Rearranging, joining and splitting against PyTorch: values, names, gradients of two orders, errors."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.functions import METHODS
from autodiff.core.op import OPS
from autodiff.core.ops import shape
from autodiff.core.ops.rearranging import transposed_matrices
from op_by_name import call, case, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("shape", "joining")

V = np.array([1.5, -2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) - 1.25
B = np.arange(24.0).reshape(2, 3, 4) / 7 - 1
ONE = np.array([[[1.0], [2.0], [3.0]]])
S = np.array(1.75)


def joined(name: str, dim: int):
    return lambda *tensors: call_list(name, tensors, dim)


def call_list(name, tensors, dim):
    import torch
    from autodiff.core.functions import FUNCTIONS

    if isinstance(tensors[0], torch.Tensor):
        return getattr(torch, name)(tensors, dim)
    return FUNCTIONS[f"torch.{name}"](list(tensors), dim)


SAMPLES = [
    case("reshape", "reshape", A, 3, 2),
    case("reshape", "reshape", A, (-1,)),
    case("reshape", "reshape", S, 1),
    case("reshape", "view", V, -1, 1),
    case("reshape", "view_as", V, np.zeros(3), orders=0),
    case("reshape", "flatten", A),
    case("reshape", "flatten", B, 1),
    case("reshape", "flatten", B, -3, 1),
    case("reshape", "ravel", B),
    case("reshape", "unflatten", B, 2, (2, -1)),
    case("permute", "permute", B, 2, 0, 1),
    case("permute", "permute", B, (-1, 0, 1)),
    case("permute", "movedim", B, 0, 2),
    case("permute", "movedim", B, (0, 1), (2, 0)),
    Case("permute", lambda x: x.T, (A,), name="T"),
    case("transpose", "transpose", B, 0, -1),
    case("transpose", "transpose", S, 0, 0),
    case("t", "t", A),
    case("t", "t", V),
    case("squeeze", "squeeze", ONE),
    case("squeeze", "squeeze", ONE, 0),
    case("squeeze", "squeeze", ONE, 1),
    case("squeeze", "squeeze", ONE, (0, 2)),
    case("unsqueeze", "unsqueeze", A, 1),
    case("unsqueeze", "unsqueeze", A, -1),
    case("unsqueeze", "unsqueeze", S, 0),
    case("expand", "expand", V, 2, 3),
    case("expand", "expand", ONE, 2, -1, 4),
    case("expand", "expand", S, 2, 2),
    case("expand", "broadcast_to", V, (2, 3)),
    case("expand", "expand_as", V, A.astype(np.int64)),
    case("sum_to", "expand", V, 4, 3),
    case("repeat", "repeat", A, 2, 3),
    case("repeat", "repeat", V, 2, 1, 2),
    case("repeat", "repeat", S, 3),
    case("repeat", "tile", A, (2,)),
    case("flip", "flip", A, 0),
    case("flip", "flip", B, (0, -1)),
    case("roll", "roll", A, 1),
    case("roll", "roll", A, -1, 0),
    case("roll", "roll", B, (1, 2), (0, 2)),
    Case("alias", lambda x: x[...], (A,), name="[...]"),
    case("clone", "clone", A),
    case("clone", "clone", S),
    Case("contiguous", lambda x: call("contiguous")(x.T), (A,), name="contiguous"),
    Case("contiguous", lambda x: call("reshape")(x.T, 6), (A,), name="T.reshape"),
    Case("reshape", lambda x: call("reshape")(x.T, 3, 2, 1), (A,), name="T.reshape"),
    Case("cat", joined("cat", 0), (A, A + 1, A[:1] * 2), name="cat"),
    Case("cat", joined("cat", -1), (A, A[:, :2] + 3), name="cat"),
    Case("cat", joined("cat", 0), (V, np.array([1, 2])), name="cat", float32=False),
    Case("cat", joined("cat", 0), (A, np.zeros(0)), name="cat"),
    Case("stack", joined("stack", 0), (A, A + 1), name="stack"),
    Case("stack", joined("stack", -1), (V, V * 2, V + 1), name="stack"),
    Case("stack", joined("stack", 0), (S, np.array(3.5)), name="stack"),
    case("slice", "chunk", B, 2, -1),
    case("slice", "chunk", V, 2),
    case("slice", "split", V, 2),
    case("slice", "split", B, [1, 2], 1),
    case("select", "unbind", A),
    case("select", "unbind", A, 1),
]

#: Ops no public function ends in, by the function that uses them in its rule.
INSIDE = {"to": "casts are sampled below", "alias": "x[:] is sampled with the indices"}


def test_every_op_has_a_sample():
    assert set(ops_of(*FAMILIES)) <= {sample.op for sample in SAMPLES} | set(INSIDE)


@pytest.mark.oracle
@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(SAMPLES)), ids=label)
def test_as_torch(sample: Case, variant: str):
    pytest.importorskip("torch")
    compare_with_torch(sample, variant)


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
    assert shape.transposed(x).shape == (4, 3, 2)
    assert transposed_matrices(x, "mT").shape == (2, 4, 3)


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

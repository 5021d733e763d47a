"""Indexing, assignment to parts and the picking functions: against PyTorch, and against numpy without it."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.public_functions import find_function
from autodiff.core.ops.select.indexing import getitem, value_after_assignment
from op_by_name import case, compare_errors, mine, theirs, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("picking_ops",)

V = np.array([1.5, -2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) - 1.25
B = np.arange(24.0).reshape(2, 3, 4) / 7 - 1
S = np.array(1.75)
MASK = np.array([[True, False, True], [False, True, True]])
ALL = slice(None)


def at(*numbers) -> np.ndarray:
    return np.array(numbers)


def reading(op: str, x: np.ndarray, index) -> Case:
    def read(tensor_):
        return tensor_[(mine if isinstance(tensor_, Tensor) else theirs)(index)]

    return Case(op, read, (x,), name=f"[{spell(index)}]")


def putting(x: np.ndarray, value, index) -> Case:
    def put(x_, *values):
        value_ = values[0] if values else value
        if isinstance(x_, Tensor):
            return value_after_assignment(x_, mine(index), value_)
        out = x_.clone()
        out[theirs(index)] = value_
        return out

    args = (x, value) if isinstance(value, np.ndarray) else (x,)
    return Case("index_put", put, args, name=f"[{spell(index)}]=", check_name=False)


def through_a_view(view: str, x: np.ndarray, value: np.ndarray) -> Case:
    """A change in place of a view, which the tensor it is a view of takes on."""

    def write(x_, value_):
        whole = x_ * 1
        part = find_function(view)(whole) if isinstance(x_, Tensor) else getattr(whole, view)()
        if isinstance(x_, Tensor):
            part.assign_in_place(part * value_)
        else:
            part.mul_(value_)
        return whole

    return Case("write_through", write, (x, value), name=f"{view}*=")


def spell(index) -> str:
    return str(index.tolist() if isinstance(index, np.ndarray) else index).replace(" ", "")


READS = [
    reading("select", A, 0),
    reading("select", A, (0, -1)),
    reading("select", A, (..., 0)),
    reading("select", B, (0, ..., 1)),
    reading("select", A, (ALL, 1)),
    reading("select", A, np.array(1)),
    reading("slice", A, ALL),
    reading("slice", A, slice(0, 1)),
    reading("slice", B, (ALL, slice(None, None, 2))),
    reading("slice", B, (0, slice(1, 100), slice(-3, -1))),
    reading("slice", A, slice(2, 1)),
    reading("unsqueeze", A, None),
    reading("unsqueeze", A, (ALL, None)),
    reading("unsqueeze", A, (1, None)),
    reading("alias", A, ...),
    reading("alias", A, ()),
    reading("index", A, [0, 1, 1]),
    reading("index", A, at(1, 0, 1)),
    reading("index", A, at(-1)),
    reading("index", A, MASK),
    reading("index", A, [True, False]),
    reading("index", A, True),
    reading("index", B, MASK),
    reading("index", B, (MASK, slice(0, 2))),
    reading("index", B, (MASK, None)),
    reading("index", B, (ALL, MASK[0])),
    reading("index", B, (at(0, 1), slice(0, 2), 1)),
    reading("index", B, (at(0, 1), ALL, at(0, 1))),
    reading("index", B, (0, ALL, at(0, 1))),
    reading("index", B, ([0, 1], [0, 2])),
    reading("index", B, (at([0], [1]), at(0, 2))),
    reading("index", B, at([0, 1], [1, 0])),
    reading("index", B, (None, at(0, 1), None)),
    reading("index", A, []),
]

PUTS = [
    putting(A, 1.0, 0),
    putting(A, 2, (0, 1)),
    putting(A, V, 0),
    putting(A, A[:1] * 3, slice(0, 1)),
    putting(A, 1.5, ALL),
    putting(A, A + 1, ALL),
    putting(A, 3.0, ...),
    putting(A, at(7.0, 8.0), (ALL, 1)),
    putting(A, S, (1, 2)),
    putting(A, 0.5, MASK),
    putting(A, at(1.0, 2.0, 3.0, 4.0), MASK),
    putting(A, 9.0, at(0, 1)),
    putting(A, A * 2, at(0, 1)),
    putting(A, at(9.0, 8.0), (at(0, 1), at(0, 2))),
    putting(A, at(9.0, 8.0), (0, at(0, 2))),
    putting(B, B[0, :, :2], (1, ALL, slice(0, 4, 2))),
    putting(A, V.reshape(1, 1, 3), 0),
]

NAMED = [
    through_a_view("t", A, A.T + 1),
    through_a_view("diagonal", A, V[:2]),
    case("select", "select", B, 1, -1),
    case("slice", "narrow", B, 2, 1, 2),
    case("slice", "narrow", V, 0, -2, 1),
    case("index_select", "index_select", B, 1, at(2, 0, 2)),
    case("gather", "gather", A, 1, at([0, 0], [2, 1])),
    case("gather", "gather", A, 0, at([1, 0, 1])),
    case("gather", "take_along_dim", A, at([0, 2], [1, 1]), 1, check_name=True),
    case("take", "take", A, at(0, 5, -1, 0)),
    case("take", "take", A, at([0, 1], [2, 2])),
    case("masked_fill", "masked_fill", A, MASK, 2.5),
    case("masked_fill", "masked_fill", A, MASK[:1], S),
    case("scatter", "scatter", A, 1, at([0, 2], [1, 0]), 2.5),
    case("scatter", "scatter", A, 1, at([0, 2], [1, 0]), A[:, :2] + 1),
    case("scatter_add", "scatter_add", A, 0, at([0, 1, 1]), A[:1] + 1),
    case("scatter_add", "scatter_add", A, 1, at([0, 0, 0], [2, 1, 2]), A * 2),
    case("tril", "tril", B),
    case("tril", "tril", A, 1),
    case("triu", "triu", A, -1),
    case("triu", "triu", B, 1),
    case("diagonal", "diagonal", A),
    case("diagonal", "diagonal", B, 1, 2, 1),
    case("diagonal", "diagonal", B, -1, 0, -1),
    case("diagonal", "diag", A),
    case("diagonal", "diag", A, 1),
    case("diag_embed", "diag", V),
    case("diag_embed", "diag", V, -1),
    case("diag_embed", "diag_embed", A, 1, 0, 2),
]

SAMPLES = READS + PUTS + NAMED

#: Ops that only rules use; the squared samples go through their rules.
INSIDE = {"embed", "part"}


def test_every_op_has_a_sample():
    assert set(ops_of(*FAMILIES)) <= {sample.op for sample in SAMPLES} | INSIDE


@pytest.mark.oracle
@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(SAMPLES)), ids=label)
def test_as_torch(sample: Case, variant: str):
    pytest.importorskip("torch")
    compare_with_torch(sample, variant)


ERRORS = [
    ("select", (A, 0, 5)),
    ("select", (A, 3, 0)),
    ("narrow", (A, 0, 1, 4)),
    ("narrow", (A, 0, 5, 1)),
    ("narrow", (A, 0, 0, -1)),
    ("index_select", (A, 0, at(5))),
    ("index_select", (A, 0, at(0.0))),
    ("index_select", (A, 0, at([0]))),
    ("index_select", (A, 2, at(0))),
    ("gather", (A, 1, at([5]))),
    ("gather", (A, 1, at(0))),
    ("gather", (A, 1, at([0.0]))),
    ("gather", (A, 0, at([0, 1, 0, 1]))),
    ("take", (A, at(9))),
    ("take", (A, at(-9))),
    ("masked_fill", (A, V, 1.0)),
    ("masked_fill", (A, MASK, V)),
    ("scatter", (A, 1, at([5]), 1.0)),
    ("tril", (V,)),
    ("diag", (B,)),
    ("diag", (S,)),
    ("diagonal", (V,)),
    ("diagonal", (B, 0, 1, 1)),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda value: value if isinstance(value, str) else "")
def test_errors_in_torch_words(name, args):
    pytest.importorskip("torch")
    compare_errors(name, args)


BAD_INDICES = [
    (A, 5),
    (A, -3),
    (A, (0, 3)),
    (A, (0, 0, 0)),
    (A, slice(None, None, -1)),
    (A, slice(None, None, 0)),
    (S, 0),
    (S, ALL),
    (S, (0, 0)),
    (V, at(5)),
    (V, [5]),
    (V, at(1.0)),
    (A, ([0, 1], [0, 5])),
    (A, ([0, 1], [0, 1, 2])),
    (A, np.ones(3, dtype=bool)),
    (A, np.ones((2, 2), dtype=bool)),
    (A, 1.0),
    (A, "x"),
    (A, slice(1.0, 2)),
]


@pytest.mark.oracle
@pytest.mark.parametrize("sample", PUTS, ids=label)
def test_assignments_are_named_as_torch_prints_them(sample: Case):
    torch = pytest.importorskip("torch")
    wanted = sample.function(*(torch.tensor(a, requires_grad=True) for a in sample.args))
    got = sample.function(*(tensor(a, requires_grad=True) for a in sample.args))
    assert got.grad_fn.grad_fn_name == type(wanted.grad_fn).__name__


@pytest.mark.oracle
@pytest.mark.parametrize(("x", "index"), BAD_INDICES, ids=lambda value: spell(value))
def test_index_errors_in_torch_words(x, index):
    pytest.importorskip("torch")
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - which type is torch's business
        theirs(x)[theirs(index)]
    with pytest.raises(AutodiffError) as got:
        getitem(mine(x), mine(index))
    assert got.value.message == str(wanted.value)


BAD_VALUES = [
    (A, 0, [1.0, 2.0, 3.0]),
    (A, 0, np.ones(2)),
    (A, (ALL, 0), np.ones(3)),
    (A, 0, np.ones((2, 3))),
    (A, MASK, np.ones(2)),
    (A, at(0, 1), np.ones(2)),
    (A, 5, 1.0),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("x", "index", "value"), BAD_VALUES, ids=lambda value: spell(value))
def test_assignment_errors_in_torch_words(x, index, value):
    pytest.importorskip("torch")
    out = theirs(x).clone()
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - which type is torch's business
        out[theirs(index)] = theirs(value) if isinstance(value, np.ndarray) else value
    with pytest.raises(AutodiffError) as got:
        value_after_assignment(mine(x), mine(index), mine(value) if isinstance(value, np.ndarray) else value)
    assert got.value.message == str(wanted.value)


INDICES = [
    0,
    (1, 2),
    ALL,
    (..., 1),
    None,
    (0, None),
    slice(0, 2, 2),
    at(1, 0),
    MASK,
    (at(0, 1), at(2, 0)),
    ...,
]


@pytest.mark.parametrize("index", INDICES, ids=spell)
def test_reads_and_writes_as_numpy(index):
    x = tensor(A)
    np.testing.assert_array_equal(getitem(x, mine(index)).data, A[index])
    wanted = A.copy()
    wanted[index] = 7.0
    np.testing.assert_array_equal(value_after_assignment(x, mine(index), 7.0).data, wanted)
    np.testing.assert_array_equal(x.data, A)  # nothing was written to


def test_an_entry_picked_twice_receives_both_gradients():
    x = tensor(V, requires_grad=True)
    (g,) = grad(getitem(x, [0, 0, 2]), x, tensor([1.0, 10.0, 100.0]))
    assert g.tolist() == [11.0, 0.0, 100.0]


def test_what_was_overwritten_receives_nothing():
    x, v = tensor(A, requires_grad=True), tensor(9.0, requires_grad=True)
    y = value_after_assignment(x, 0, v)
    gx, gv = grad(y, [x, v], tensor(np.ones((2, 3))))
    assert gx.tolist() == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    assert gv.item() == 3.0


def test_ints_take_what_fits_them():
    x = tensor([1, 2, 3])
    assert value_after_assignment(x, 0, 2.7).tolist() == [2, 2, 3]
    assert value_after_assignment(x, 0, tensor(2.7)).tolist() == [2, 2, 3]
    assert value_after_assignment(tensor(A), 0, tensor([1, 2, 3])).dtype.name == "float64"

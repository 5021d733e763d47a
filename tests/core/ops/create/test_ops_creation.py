"""New tensors: values, types, shapes and errors as torch has them, and the same random numbers every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.core.base.errors import GradientError, LimitError, ScriptError
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph import dtypes
from autodiff.grammar.objects import torch_argument_errors
from op_by_name import call_mine, call_theirs, compare_errors, mine, theirs

S = np.array(2.5)
I64 = np.array([1, 2])
GRAD = {"requires_grad": True}


def new(name, *args, **kwargs):
    return name, args, kwargs


ROWS = [
    new("tensor", 1.5),
    new("tensor", 3),
    new("tensor", True),
    new("tensor", [1, 2]),
    new("tensor", [1, 2.5]),
    new("tensor", [True, 2]),
    new("tensor", [True, 2.0]),
    new("tensor", []),
    new("tensor", [[]]),
    new("tensor", [[1.0, 2.0], [3.0, 4.0]], **GRAD),
    new("tensor", ((1, 2), (3, 4))),
    new("tensor", range(3)),
    new("tensor", [S, S]),
    new("tensor", [[S, 1.0], [2, 3]]),
    new("tensor", [np.array(1), S]),
    new("tensor", [np.array(1.5, dtype=np.float32)]),
    new("tensor", 2.0, **GRAD),
    new("tensor", -(2**63)),
    new("Tensor", 3, 5),
    new("Tensor", [3]),
    new("Tensor", [[1, 2], [3, 4]]),
    new("Tensor", (2, 3)),
    new("Tensor"),
    new("FloatTensor", [1, 2]),
    new("FloatTensor", 2, 3),
    new("DoubleTensor", [1, 2]),
    new("LongTensor", [1.5, 2]),
    new("IntTensor", [1, 2]),
    new("zeros", 2, 3),
    new("zeros", (2, 3)),
    new("zeros", [2]),
    new("zeros", ()),
    new("zeros", 0, 3),
    new("zeros", 2, **GRAD),
    new("ones", 2, 3),
    new("full", (2,), 1),
    new("full", (2,), 1.5),
    new("full", (2, 2), True),
    new("full", (2,), S),
    new("eye", 3),
    new("eye", 2, 3),
    new("arange", 5),
    new("arange", 5.0),
    new("arange", 1, 5, 2),
    new("arange", 5, 1, -1),
    new("arange", 0, 1, 0.1),
    new("arange", 0.0, 1.0, 0.25, **GRAD),
    new("arange", 0),
    new("arange", end=4),
    new("arange", start=1, end=4),
    new("linspace", 0, 1, 5),
    new("linspace", 0, 1, 1),
    new("linspace", 0, 1, 0),
    new("linspace", 3.0, -1.0, 7, **GRAD),
    new("logspace", 0, 2, 3),
    new("logspace", 0, 3, 4, 2.0),
    new("zeros_like", I64),
    new("ones_like", S),
    new("ones_like", S, **GRAD),
    new("full_like", I64, 2.5),
    new("full_like", S, 2),
    new("as_tensor", [1.0, 2.0]),
]

CASTS = [
    new("tensor", [1.5, -1.5], dtype="int64"),
    new("tensor", 1, dtype="float32"),
    new("tensor", [0.0, 2.0], dtype="bool"),
    new("zeros", 2, dtype="int64"),
    new("full", (2,), 1.5, dtype="int64"),
    new("arange", 5, dtype="float32"),
    new("linspace", 0, 10, 4, dtype="int64"),
    new("zeros_like", S, dtype="int32"),
    new("eye", 2, dtype="bool"),
]


def spell(value) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.oracle
@pytest.mark.parametrize("default", ["float64", "float32"])
@pytest.mark.parametrize(("name", "args", "kwargs"), ROWS + CASTS, ids=spell)
def test_as_torch(name, args, kwargs, default):
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    torch.set_default_dtype({"float64": torch.float64, "float32": torch.float32}[default])
    dtypes.set_default_dtype(dtypes.DTYPES[default])
    dtype = kwargs.get("dtype")
    both = [
        kwargs if dtype is None else {**kwargs, "dtype": table[dtype]}
        for table in (dtypes.DTYPES, vars(torch))
    ]
    try:
        got = call_mine(name, *mine(args), **both[0])
        wanted = call_theirs(name, *theirs(args), **both[1])
    finally:
        torch.set_default_dtype(before)
        dtypes.set_default_dtype(dtypes.float64)
    assert str(wanted.dtype) == f"torch.{got.dtype.name}"
    assert got.shape == tuple(wanted.shape)
    assert got.requires_grad == wanted.requires_grad
    assert got.is_leaf
    if name.endswith("Tensor") and args and isinstance(args[0], int):
        return  # torch leaves these unset
    rtol = 1e-6 if default == "float32" else 1e-14
    np.testing.assert_allclose(got.data, wanted.detach().numpy(), rtol=rtol)


@pytest.mark.oracle
def test_linspace_in_single_precision_to_the_last_digit():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    for _ in range(300):
        (start, end), steps = (rng.normal(size=2) * 10).tolist(), int(rng.integers(0, 40))
        got = call_mine("linspace", start, end, steps, dtype=dtypes.float32)
        wanted = torch.linspace(start, end, steps, dtype=torch.float32)
        np.testing.assert_array_equal(got.data, wanted.numpy())


def test_linspace_in_single_precision_is_rounded_from_both_ends():
    assert (call_mine("linspace", 0, 1, 12, dtype=dtypes.float32).data * np.float32(1e5)).tolist()[5::5] == [
        45454.546875,
        90909.0859375,
    ]


ERRORS = [
    new("tensor", [[1.0, 2.0], [3.0]]),
    new("tensor", [[1.0, 2.0], [3.0, 4.0, 5.0]]),
    new("tensor", [[[1, 2], [3]], [[1, 2], [3, 4]]]),
    new("tensor", [[1.0, 2.0], 3.0]),
    new("tensor", [1.0, [3.0]]),
    new("tensor", [1, 2], **GRAD),
    new("tensor", 1, **GRAD),
    new("tensor", 2**63),
    new("tensor", None),
    new("tensor", "x"),
    new("tensor", [np.array([1, 2]), np.array([1, 2])]),
    new("tensor"),
    new("Tensor", 3.0),
    new("Tensor", -1, 3),
    new("zeros", -1, 3),
    new("zeros", 2, -3),
    new("zeros", 1.5),
    new("zeros"),
    new("full", 2, 1.0),
    new("full", (2,), I64),
    new("full", (2,), 1, **GRAD),
    new("eye", -1),
    new("eye", 2, -1),
    new("arange", 5, 1),
    new("arange", 0, 1, 0),
    new("arange", 3, **GRAD),
    new("arange", float("inf")),
    new("linspace", 0, 1, -1),
    new("ones_like", I64, **GRAD),
    new("randn", -1),
    new("randint", 3, 3, (2,)),
    new("randint", 0, (2,)),
    new("randint", 10, (2,), **GRAD),
    new("normal", 0.0, -1.0, (2, 3)),
    new("normal", S, np.array(-1.0)),
    new("randperm", 3, **GRAD),
    new("tril_indices", 2, 2, **GRAD),
    new("triu_indices", 2, 2, **GRAD),
    new("bernoulli", S),
    new("bernoulli", I64),
    new("randn_like", I64),
    new("rand_like", I64),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "args", "kwargs"), ERRORS, ids=spell)
def test_errors_in_torch_words(name, args, kwargs):
    pytest.importorskip("torch")
    compare_errors(name, args, kwargs)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "randn", "rand"])
def test_memory_is_asked_for_before_it_is_taken(name):
    with pytest.raises(LimitError, match=r"7\.28 TiB, the limit is 4\.00 GiB"):
        call_mine(name, 10**6, 10**6)


def test_ranges_ask_too():
    with pytest.raises(LimitError):
        call_mine("arange", 10**12)
    with pytest.raises(LimitError):
        call_mine("linspace", 0.0, 1.0, 10**12)
    with pytest.raises(LimitError):
        call_mine("eye", 10**6)


def test_a_variable_is_a_leaf_over_the_same_value():
    x = call_mine("Tensor", [1.0, 2.0])
    v = FUNCTIONS["torch.Variable"](x, requires_grad=True)
    assert v.is_leaf
    assert v.requires_grad
    assert not x.requires_grad
    with pytest.raises(GradientError):
        FUNCTIONS["torch.Variable"](call_mine("tensor", [1]), requires_grad=True)


def test_floats_stay_python_floats():
    assert type(call_mine("tensor", 1.5).value) is float
    assert type(call_mine("zeros", ()).value) is float


# -- random numbers -----------------------------------------------------------------------------------

DRAWS = [
    new("randn", 2, 3),
    new("rand", (4,)),
    new("randint", 10, (5,)),
    new("randint", 3, 9, (2, 2)),
    new("randperm", 6),
    new("normal", 1.0, 2.0, (3,)),
    new("normal", S, S),
    new("bernoulli", np.full(5, 0.5)),
    new("randn_like", S),
    new("rand_like", np.zeros(2)),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), DRAWS, ids=spell)
def test_a_seed_fixes_the_numbers(name, args, kwargs):
    def draw(seed):
        call_mine("manual_seed", seed)
        return [call_mine(name, *mine(args), **kwargs).tolist() for _ in range(4)]

    first = draw(7)
    assert draw(7) == first
    assert draw(8) != first
    assert first[0] != first[1] or name in ("bernoulli", "randint")
    random_source.reset(0)


def test_runs_begin_with_seed_zero_unless_told():
    random_source.reset(0)
    wanted = np.random.Generator(np.random.PCG64(0)).standard_normal((2, 3))
    np.testing.assert_array_equal(call_mine("randn", 2, 3).data, wanted)
    random_source.reset(0)


def test_both_precisions_draw_the_same_numbers():
    random_source.reset(3)
    double = call_mine("randn", 4)
    random_source.reset(3)
    single = call_mine("randn", 4, dtype=dtypes.float32)
    np.testing.assert_array_equal(double.data.astype(np.float32), single.data)
    random_source.reset(0)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        new("normal", 0, 0.01, (2, 1), **GRAD),
        new("normal", 0.0, 1.0, (2,), dtype="float32", **GRAD),
        new("normal", 0.0, 1.0, (2,), dtype="int64"),
        new("randperm", 5, requires_grad=False),
        new("randperm", 5, dtype="float32", **GRAD),
        new("randperm", 255, dtype="uint8"),
        new("randperm", 300, dtype="uint8"),
        new("randperm", 5, dtype="bool"),
        new("tril_indices", 2, 2, dtype="int32", requires_grad=False),
        new("tril_indices", 2, 2, dtype="float32", **GRAD),
    ],
    ids=spell,
)
def test_draws_have_the_kind_of_torch(name, args, kwargs):
    torch = pytest.importorskip("torch")

    def kind_of(call, dtypes_by_name):
        given = {**kwargs, "dtype": dtypes_by_name[kwargs["dtype"]]} if "dtype" in kwargs else kwargs
        try:
            made = call(name, *args, **given)
        except (ScriptError, RuntimeError) as error:
            return str(error)
        return str(made.dtype).removeprefix("torch."), tuple(made.shape), made.requires_grad

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        wanted = kind_of(call_theirs, vars(torch))
    finally:
        torch.set_default_dtype(before)
    assert kind_of(call_mine, dtypes.DTYPES) == wanted
    random_source.reset(0)


def test_every_function_that_makes_leaves_in_torch_takes_requires_grad():
    signatures = Path(torch_argument_errors.__file__).with_name("torch_signatures.txt")
    lines = signatures.read_text(encoding="utf-8").splitlines()
    makers = {line.split()[0] for line in lines if "bool? requires_grad = " in line}
    ours = makers & set(FUNCTIONS)
    assert {"torch.normal", "torch.randperm", "torch.tril_indices"} < ours
    assert [name for name in sorted(ours) if "requires_grad: bool" not in FUNCTIONS[name].signature] == []


def test_draws_have_the_right_kind_and_range():
    random_source.reset(0)
    whole = call_mine("randint", 3, 6, (200,))
    assert whole.dtype is dtypes.int64
    assert set(whole.tolist()) == {3, 4, 5}
    even = call_mine("rand", 200, requires_grad=True)
    assert even.requires_grad
    assert 0 <= even.data.min() < even.data.max() < 1
    assert set(call_mine("bernoulli", Tensor.of(np.full(50, 0.5))).tolist()) == {0.0, 1.0}
    assert sorted(call_mine("randperm", 5).tolist()) == [0, 1, 2, 3, 4]
    random_source.reset(0)

"""Tensors print as in PyTorch: a corpus, and random arrays of every kind."""

from __future__ import annotations

import random

import numpy as np
import pytest
from autodiff.core.engine.printing import format_element, format_named_result, format_size, format_tensor

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    yield torch
    torch.set_default_dtype(before)


def assert_prints_as_torch(torch, array, default_dtype, *, requires_grad=False, with_grad_fn=False):
    torch.set_default_dtype(getattr(torch, default_dtype))
    tensor = torch.from_numpy(np.array(array))
    if requires_grad or with_grad_fn:
        tensor.requires_grad_()
    grad_fn = None
    if with_grad_fn:
        tensor = tensor.mul(1)
        grad_fn = tensor.grad_fn.name()
    mine = format_tensor(array, default_dtype=default_dtype, requires_grad=requires_grad, grad_fn=grad_fn)
    assert mine == str(tensor)


CORPUS = {
    "scalar": np.array(2.5),
    "one element": np.array([2.5]),
    "nothing": np.zeros(0),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0, 2)),
    "zeros": np.zeros((3, 40)),
    "negative zeros": np.full(30, -0.0),
    "zeros and a fraction": np.array([0.0, -0.0, 0.5]),
    "whole": np.arange(50.0),
    "whole, ratio of 1000": np.array([1.0, 1000.0]),
    "whole, ratio over 1000": np.array([1.0, 1001.0]),
    "whole, at 1e8": np.array([1e8, 1e6]),
    "whole, over 1e8": np.array([1e8 + 1, 1e6]),
    "fractions, ratio of 1000": np.array([0.5, 500.0]),
    "fractions, ratio over 1000": np.array([0.5, 500.5]),
    "fractions, at 1e-4": np.array([1e-4, 2e-4]),
    "fractions, under 1e-4": np.array([9.99e-5, 2e-4]),
    "fractions, over 1e8": np.array([1e8 + 0.5]),
    "rounds up in width": np.array([9.99999, 0.5]),
    "mixed magnitudes": np.array([1e-30, 1.0, 1e30]),
    "three-digit exponents": np.array([1e-300, 1.0, 1e300, 5e-324]),
    "ratio beyond floats": np.array([5e-324, 1.7e308]),
    "nan": np.array(NAN),
    "only nan and inf": np.array([NAN, INF, -INF]),
    "nan among whole": np.array([[NAN, 1.0], [2.0, -INF]]),
    "nan among fractions": np.array([[NAN, 0.25], [2.0, -INF]]),
    "nan among scientific": np.array([[NAN, 1e-9], [2.0, -INF]]),
    "nan among zeros": np.array([[NAN, 0.0], [0.0, -INF]]),
    "int widths": np.array([[-1, 10], [1000, 7]]),
    "extreme ints": np.array([-(2**63), 2**63 - 1]),
    "int32": np.arange(40, dtype="int32"),
    "uint8": np.arange(256, dtype="uint8"),
    "bools": np.arange(60) % 3 == 0,
    "true": np.array(True),
    "matrices": np.arange(24.0).reshape(2, 3, 4) / 7,
    "four dimensions": np.arange(48.0).reshape(2, 3, 2, 4),
    "long rows": np.arange(120.0).reshape(2, 60) / 7,
    "a thousand": np.arange(1000.0),
    "a thousand and one": np.arange(1001.0),
    "summarised rows": np.arange(4000.0).reshape(1000, 4),
    "summarised columns": np.arange(4000.0).reshape(4, 1000),
    "summarised both": np.arange(40000.0).reshape(200, 200) / 3,
    "summarised, just short of cut": np.arange(1296.0).reshape(6, 6, 6, 6),
    "summarised, just cut": np.arange(2401.0).reshape(7, 7, 7, 7),
    "summarised, large in the middle": np.where(np.arange(2000) == 1000, 1e20, 1.0),
    "summarised ints": np.arange(-2000, 2000).reshape(40, 100),
    "summarised bools": np.arange(2000) % 2 == 0,
    "not contiguous": np.arange(60.0).reshape(6, 10).T[::2],
}


@pytest.mark.oracle
@pytest.mark.parametrize("default_dtype", ["float32", "float64"])
@pytest.mark.parametrize("array", CORPUS.values(), ids=CORPUS.keys())
def test_corpus_prints_as_torch(torch, array, default_dtype):
    assert_prints_as_torch(torch, array, default_dtype)
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            single = array.astype("float32")
        for floats in (array, single):
            assert_prints_as_torch(torch, floats, default_dtype, requires_grad=True)
            assert_prints_as_torch(torch, floats, default_dtype, with_grad_fn=True)


@pytest.mark.oracle
@pytest.mark.parametrize("length", range(1, 70))
def test_lines_and_suffixes_break_as_in_torch(torch, length):
    for step in (1.0, 0.5, 1e-6):
        array = np.arange(1, length + 1) * step
        assert_prints_as_torch(torch, array, "float64")
        assert_prints_as_torch(torch, array, "float32", with_grad_fn=True)
        assert_prints_as_torch(torch, array, "float64", requires_grad=True)


SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    3.0,
    NAN,
    INF,
    -INF,
    1e3,
    1001.0,
    1e8,
    1e8 + 1,
    1e-4,
    9.9e-5,
    9999.99999,
]
KINDS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "all magnitudes": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.uniform(-30, 30, shape),
    "one magnitude": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.integers(-30, 30),
    "whole": lambda rng, shape: np.round(rng.standard_normal(shape) * 10.0 ** rng.integers(0, 10)),
    "special": lambda rng, shape: rng.choice(SPECIAL, shape),
    "few special": lambda rng, shape: rng.choice(rng.choice(SPECIAL, 3), shape),
    "ints": lambda rng, shape: rng.integers(-(10 ** int(rng.integers(1, 18))), 10**9, shape),
    "int32": lambda rng, shape: rng.integers(-(2**31), 2**31, shape).astype("int32"),
    "uint8": lambda rng, shape: rng.integers(0, 256, shape).astype("uint8"),
    "bools": lambda rng, shape: rng.random(shape) < rng.random(),
}


def random_shape(rng):
    shape = list(rng.integers(0 if rng.random() < 0.1 else 1, 9, rng.integers(0, 5)))
    if len(shape) == 1:
        shape = [rng.integers(0, 60)]
    if shape and rng.random() < 0.1:
        shape[rng.integers(len(shape))] = rng.integers(100, 1200)
    return tuple(int(length) for length in shape)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", KINDS)
def test_random_arrays_print_as_torch(torch, kind):
    rng = np.random.default_rng(sorted(KINDS).index(kind))
    pick = random.Random(kind)
    for _ in range(500):
        array = np.asarray(KINDS[kind](rng, random_shape(rng)))
        is_float = array.dtype == np.float64
        if is_float and pick.random() < 0.4:
            array = array.astype("float32")
        assert_prints_as_torch(
            torch,
            array,
            pick.choice(["float32", "float64"]),
            requires_grad=is_float and pick.random() < 0.3,
            with_grad_fn=is_float and pick.random() < 0.3,
        )


@pytest.mark.oracle
@pytest.mark.parametrize("value", [0.1, -0.0, 1e8, 1e8 + 1, 1e-5, 1e-4, 1e300, NAN, INF, 3, -3, True])
def test_elements_print_as_torch(torch, value):
    torch.set_default_dtype(torch.float64)
    assert f"tensor({format_element(value)})" == str(torch.tensor(value)) == format_tensor(value)


@pytest.mark.oracle
def test_sizes_and_named_results_print_as_torch(torch):
    torch.set_default_dtype(torch.float64)
    array = np.arange(24.0).reshape(2, 3, 4) / 7
    result = torch.from_numpy(array).max(1)
    fields = [("values", format_tensor(array.max(1))), ("indices", format_tensor(array.argmax(1)))]
    assert format_named_result("torch.return_types.max", fields) == str(result)
    for shape in [(), (3,), (2, 3), (0, 1)]:
        assert format_size(shape) == str(torch.zeros(shape).shape)

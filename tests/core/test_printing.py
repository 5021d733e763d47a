"""Printed tensors against literal expectations and against PyTorch; format specs against CPython's."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from autodiff.core.errors import LimitError, ScriptError
from autodiff.core.printing import (
    FORMAT_LIMIT,
    format_element,
    format_named_result,
    format_number,
    format_size,
    format_tensor,
    format_with_spec,
)
from hypothesis import given
from hypothesis import strategies as st

NAN, INF = float("nan"), float("inf")

# Literal expectations: these run without torch


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3.0, "tensor(3.)"),
        (-0.0, "tensor(-0.)"),
        (1 / 3, "tensor(0.3333)"),
        (12345.678, "tensor(12345.6780)"),
        (1e-4, "tensor(0.0001)"),
        (9.9e-5, "tensor(9.9000e-05)"),
        (1e8, "tensor(100000000.)"),
        (123456789.0, "tensor(1.2346e+08)"),
        (5e-324, "tensor(4.9407e-324)"),
        (NAN, "tensor(nan)"),
        (-INF, "tensor(-inf)"),
        (7, "tensor(7)"),
        (True, "tensor(True)"),
    ],
)
def test_python_number_is_a_tensor_without_dimensions(value, expected):
    assert format_tensor(value) == expected
    assert format_element(value) == expected.removeprefix("tensor(").removesuffix(")")


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (3.0, {"default_dtype": "float32"}, "tensor(3., dtype=torch.float64)"),
        (3, {"default_dtype": "float32"}, "tensor(3)"),
        (3.0, {"requires_grad": True}, "tensor(3., requires_grad=True)"),
        (
            3.0,
            {"requires_grad": True, "grad_fn": "MulBackward0"},
            "tensor(3., grad_fn=<MulBackward0>)",
        ),
        (
            np.array([8.0]),
            {"grad_fn": "MulBackward0"},
            "tensor([8.], grad_fn=<MulBackward0>)",
        ),
        (
            np.array([[1, 2], [3, 4]], dtype="float32"),
            {"requires_grad": True},
            "tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float32, requires_grad=True)",
        ),
        (
            np.array([1.0], dtype="float32"),
            {"default_dtype": "float32"},
            "tensor([1.])",
        ),
        (np.array([1, 255], dtype="uint8"), {}, "tensor([  1, 255], dtype=torch.uint8)"),
        (np.array([-1], dtype="int32"), {}, "tensor([-1], dtype=torch.int32)"),
        (np.array([True, False]), {}, "tensor([ True, False])"),
    ],
)
def test_suffixes(value, options, expected):
    assert format_tensor(value, **options) == expected


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros(0), "tensor([])"),
        (np.zeros((0, 3)), "tensor([], size=(0, 3))"),
        (np.zeros(0, dtype="int64"), "tensor([], dtype=torch.int64)"),
        (np.zeros((2, 0), dtype=bool), "tensor([], size=(2, 0), dtype=torch.bool)"),
    ],
)
def test_empty_tensors_always_say_their_type_unless_it_is_the_default(array, expected):
    assert format_tensor(array) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 10.0], "tensor([ 1., 10.])"),
        ([0.5, -0.0, 100.0], "tensor([  0.5000,  -0.0000, 100.0000])"),
        ([0.5, 2.0], "tensor([0.5000, 2.0000])"),
        ([1e-8, 1.0], "tensor([1.0000e-08, 1.0000e+00])"),
        ([1.0, 1000.0], "tensor([   1., 1000.])"),
        ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
        ([1e-8, NAN, -INF], "tensor([1.0000e-08,        nan,       -inf])"),
        ([NAN, INF, 1.0], "tensor([nan, inf, 1.])"),
        ([0.25, NAN, -INF], "tensor([0.2500,    nan,   -inf])"),
        ([-1, 10, 200], "tensor([ -1,  10, 200])"),
    ],
)
def test_elements_share_notation_and_width(values, expected):
    assert format_tensor(np.array(values)) == expected


def test_matrices_stand_a_blank_line_apart():
    assert format_tensor(np.arange(12.0).reshape(2, 2, 3)) == (
        "tensor([[[ 0.,  1.,  2.],\n"
        "         [ 3.,  4.,  5.]],\n"
        "\n"
        "        [[ 6.,  7.,  8.],\n"
        "         [ 9., 10., 11.]]])"
    )


def test_zeros_count_for_no_width():
    assert format_tensor(np.zeros(26)) == "tensor([" + "0., " * 23 + "0.,\n        0., 0.])"
    assert format_tensor(np.ones(20)) == "tensor([" + "1., " * 17 + "1.,\n        1., 1.])"


def test_more_than_a_thousand_elements_are_summarised():
    assert format_tensor(np.arange(1000)).count(",") == 999
    assert format_tensor(np.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    assert format_tensor(np.ones((300, 4)), requires_grad=True) == (
        "tensor([[1., 1., 1., 1.],\n"
        "        [1., 1., 1., 1.],\n"
        "        [1., 1., 1., 1.],\n"
        "        ...,\n"
        "        [1., 1., 1., 1.],\n"
        "        [1., 1., 1., 1.],\n"
        "        [1., 1., 1., 1.]], requires_grad=True)"
    )


def test_suffix_that_does_not_fit_starts_a_line():
    row = "tensor([" + "1., " * 16 + "1.]"
    assert format_tensor(np.ones(17), grad_fn="MulBackward0") == f"{row},\n       grad_fn=<MulBackward0>)"
    short = "tensor([" + "1., " * 11 + "1.]"
    assert format_tensor(np.ones(12), requires_grad=True) == f"{short}, requires_grad=True)"


def test_sizes_and_numbers():
    assert format_size((2, 3)) == "torch.Size([2, 3])"
    assert format_size(()) == "torch.Size([])"
    assert [format_number(value) for value in (0.1, 1e16, -0.0, NAN, 3, False)] == [
        "0.1",
        "1e+16",
        "-0.0",
        "nan",
        "3",
        "False",
    ]
    assert format_number(np.float64(0.5)) == "0.5"


def test_named_result_leaves_lines_of_its_fields_where_they_are():
    values = format_tensor(np.array([[2.0, 1.0], [0.0, 1.0]]))
    fields = [("values", values), ("indices", "tensor([0])")]
    assert format_named_result("torch.return_types.max", fields) == (
        "torch.return_types.max(\nvalues=tensor([[2., 1.],\n        [0., 1.]]),\nindices=tensor([0]))"
    )


def test_numbers_print_without_numpy():
    script = (
        "import sys\n"
        "from autodiff.core.printing import format_tensor, format_with_spec\n"
        "assert format_tensor(3.0, grad_fn='PowBackward0') == 'tensor(3., grad_fn=<PowBackward0>)'\n"
        "assert format_with_spec(3.0, '.2f') == '3.00'\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


# Format specs

VALUES = [1.5, 0.0, -0.0, -3.25e10, 1e300, NAN, INF, 7, -12345678, 0, 10**400, True, False, "ab", "", "é"]
SPECS = [
    *[
        "",
        ".3f",
        ">8",
        "+.2e",
        ",",
        "%",
        "08.3f",
        "g",
        "d",
        "x",
        "b",
        "^10s",
        "<5",
        "=8",
        "=+8.1f",
        "_",
        "_b",
    ],
    *[
        "#x",
        "#o",
        "X",
        "G",
        "E",
        "F",
        "n",
        "c",
        "z.1f",
        " ",
        "-",
        "*^9",
        "0>5",
        "{<5",
        "\n>5",
        ">>5",
        "05",
        "01",
    ],
    *[
        "0=5",
        ">05",
        ",.2f",
        "_.2f",
        ".0%",
        "#.0f",
        ".3",
        "s",
        ".1s",
        "12.3s",
        "0s",
        "+",
        "+s",
        " s",
        "zs",
        "#s",
    ],
    # and those that are wrong
    *[
        "..",
        "10.",
        ".f",
        "zz",
        ".2q",
        "=5s",
        "5,_d",
        "_,",
        ",,",
        ",x",
        "_c",
        ",n",
        ",s",
        ".3d",
        "+c",
        "#c",
        ".1c",
    ],
    *["5y6", "hello", "é", "5 ", "\x01", "10.2.3f", "f.2", ">>>5", "%%", "{}"],
]


def outcome(spell, value, spec):
    """The text, or the words of the error."""
    try:
        return spell(value, spec)
    except (ValueError, OverflowError, ScriptError) as error:
        return f"error: {error}"


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the words of the errors are those of CPython 3.11"
)
@pytest.mark.parametrize("spec", SPECS, ids=repr)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:12])
def test_format_specs_read_as_in_python(value, spec):
    assert outcome(format_with_spec, value, spec) == outcome(format, value, spec)


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the words of the errors are those of CPython 3.11"
)
@given(st.sampled_from(VALUES), st.text("<>=^+- z#0123,_.bcdeEfFgGnosxX%q\n{}*", max_size=7))
def test_random_format_specs_read_as_in_python(value, spec):
    try:
        mine = outcome(format_with_spec, value, spec)
    except LimitError:
        return
    assert mine == outcome(format, value, spec)


@pytest.mark.parametrize(
    ("value", "spec", "message"),
    [
        (1.5, "d", "Unknown format code 'd' for object of type 'float'"),
        (7, "s", "Unknown format code 's' for object of type 'int'"),
        (True, "q", "Unknown format code 'q' for object of type 'bool'"),
        ("ab", ".2f", "Unknown format code 'f' for object of type 'str'"),
        (1.5, ".2f!", "Invalid format specifier '.2f!' for object of type 'float'"),
        (1.5, ".", "Format specifier missing precision"),
        (1.5, ",_", "Cannot specify both ',' and '_'."),
        (7, ",x", "Cannot specify ',' with 'x'."),
    ],
)
def test_wrong_format_specs_are_errors_of_the_script(value, spec, message):
    with pytest.raises(ScriptError) as caught:
        format_with_spec(value, spec)
    assert caught.value.message == message


@pytest.mark.parametrize("value", [1.5, 7, True, "ab"])
@pytest.mark.parametrize("spec", [">10001", "10001", "0010001", "9" * 5000])
def test_widths_are_capped(value, spec):
    with pytest.raises(LimitError, match=r"width of .* exceeds the limit of 10000") as caught:
        format_with_spec(value, spec)
    assert caught.value.code == "E0502"
    assert len(caught.value.message) < 100


def test_precisions_are_capped():
    with pytest.raises(LimitError, match="precision of 10001 exceeds") as caught:
        format_with_spec(1.5, ".10001f")
    assert caught.value.code == "E0502"
    assert len(format_with_spec(1.5, f".{FORMAT_LIMIT}f")) == FORMAT_LIMIT + 2
    assert len(format_with_spec("", f"{FORMAT_LIMIT}")) == FORMAT_LIMIT


@pytest.mark.parametrize("spell", [format_number, lambda value: format_with_spec(value, "d")])
def test_integers_too_long_for_python_are_errors_of_the_script(spell):
    with pytest.raises(ScriptError, match=r"Exceeds the limit .* for integer string conversion$"):
        spell(10**5000)


# Against PyTorch


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

"""Printed tensors, sizes and numbers against literal expectations; these run without torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from autodiff.core.engine.printing import (
    format_element,
    format_named_result,
    format_number,
    format_size,
    format_tensor,
)

NAN, INF = float("nan"), float("inf")


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
        "from autodiff.core.engine.printing import format_tensor, format_with_spec\n"
        "assert format_tensor(3.0, grad_fn='PowBackward0') == 'tensor(3., grad_fn=<PowBackward0>)'\n"
        "assert format_with_spec(3.0, '.2f') == '3.00'\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

"""Operators and conversions of tensors in Python programs."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import no_grad, tensor
from autodiff.core.base.errors import GradientError, ScriptError

SCRIPT_ERRORS = pytest.mark.parametrize(
    ("convert", "values", "message"),
    [
        (bool, [1.0, 2.0], "more than one value is ambiguous"),
        (bool, [], "no values is ambiguous"),
        (float, [1.0, 2.0], "only one element tensors can be converted to Python scalars"),
        (int, [1.0, 2.0], "only one element tensors can be converted to Python scalars"),
        (iter, 1.0, "iteration over a 0-d tensor"),
        ([0, 1].__getitem__, 1.0, "only integer tensors of a single element"),
        ([0, 1].__getitem__, [0, 1], "only integer tensors of a single element"),
    ],
)


def test_a_step_changes_the_weights_in_place() -> None:
    w = tensor([1.0, 2.0], requires_grad=True)
    alias = w
    (w * w).sum().backward()
    with no_grad():
        w -= 0.25 * w.grad
    assert alias is w
    assert w.tolist() == [0.5, 1.0]
    assert w.requires_grad
    w.grad.zero_()
    assert w.grad.tolist() == [0.0, 0.0]
    with pytest.raises(GradientError, match="a leaf Variable that requires grad"):
        w += 1.0


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x += y", [7, 5]),
        ("x -= y", [5, 1]),
        ("x *= 2", [12, 6]),
        ("x //= 4", [1, 0]),
        ("x %= 4", [2, 3]),
        ("x **= y", [6, 9]),
        ("x &= 2", [2, 2]),
        ("x |= y", [7, 3]),
        ("x ^= y", [7, 1]),
        ("x <<= y", [12, 12]),
        ("x >>= 1", [3, 1]),
        ("x[0] += 1", [7, 3]),
        ("x[:] = y", [1, 2]),
        ("x[x > 3] = 0", [0, 3]),
    ],
)
def test_statements_that_change_a_tensor(statement: str, expected: list[int]) -> None:
    x = tensor([6, 3])
    names = {"x": x, "y": tensor([1, 2])}
    exec(statement, names)
    assert names["x"] is x
    assert x.tolist() == expected


def test_true_division_in_place() -> None:
    x = tensor([6.0, 3.0])
    same = x
    x /= tensor([2.0, 3.0])
    assert same is x
    assert x.tolist() == [3.0, 1.0]


def test_the_flag_makes_a_leaf() -> None:
    x = tensor([1.0, 2.0])
    x.requires_grad = True
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.requires_grad = False
    assert (x * x).grad_fn is None
    with pytest.raises(GradientError, match="Tensors of floating point"):
        tensor([1]).requires_grad = True
    with pytest.raises(ScriptError, match="must be a bool"):
        x.requires_grad = 1
    result = tensor([1.0], requires_grad=True) * 2.0
    with pytest.raises(GradientError, match="leaf variables"):
        result.requires_grad = False


def test_gradients_flow_through_written_entries() -> None:
    x = tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    y[0] += 10.0
    y[1] = 5.0
    y.sum().backward()
    assert y.tolist() == [11.0, 5.0, 9.0]
    assert x.grad.tolist() == [2.0, 0.0, 6.0]


def test_operators_refuse_what_is_no_tensor_or_number() -> None:
    x = tensor([1.0])
    for statement in ("x += 'a'", "x << 'a'", "'a' in x", "x @= 2.0"):
        with pytest.raises(TypeError):
            exec(statement, {"x": x})


def test_numbers_of_a_tensor_of_one_entry() -> None:
    assert bool(tensor(2.0)) is True
    assert not tensor([0])
    assert (float(tensor([2])), int(tensor(-2.7)), "abc"[tensor(1)]) == (2.0, -2, "b")
    assert (f"{tensor(2.5):.3f}", f"{tensor([1.5])}") == ("2.500", "tensor([1.5000])")
    assert (abs(tensor(-2.0)).item(), (+tensor(3)).item()) == (2.0, 3)
    assert ((1 << tensor(3)).item(), (8 >> tensor(3)).item(), (tensor(1) << 3).item()) == (8, 1, 8)
    with pytest.raises(TypeError, match="formats one number"):
        f"{tensor([1.5]):.3f}"


@SCRIPT_ERRORS
def test_what_is_not_one_number_is_refused(convert, values, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        convert(tensor(values))


def test_rows_entries_and_arrays() -> None:
    x = tensor([[1.0, 2.0], [3.0, 4.0]])
    assert [row.tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0]]
    assert (4.0 in x, 5.0 in x) == (True, False)
    np.testing.assert_array_equal(np.asarray(x), [[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    with pytest.raises(GradientError, match="numpy"):
        np.asarray(tensor([1.0], requires_grad=True))


def test_results_with_named_parts() -> None:
    largest = tensor([[1.0, 5.0], [7.0, 2.0]]).max(dim=1)
    assert (largest.values.tolist(), largest.indices.tolist()) == ([5.0, 7.0], [1, 0])
    with pytest.raises(AttributeError, match="'NamedResult' object has no attribute 'value'"):
        largest.value  # noqa: B018 - the attribute is the test

"""Formulas at small values and in scripts whose sizes are inputs."""

from __future__ import annotations

import pytest

from tests.tools.hand_checks import check_steps

NET = """\
import numpy as np
np.random.seed(2)
n_x, n_h, n_y, m = 2, 4, 1, 5
X = np.random.randn(n_x, m)
Y = np.random.randn(n_y, m)
W1 = np.random.randn(n_h, n_x) * 0.01
b1 = np.zeros((n_h, 1))
W2 = np.random.randn(n_y, n_h) * 0.01
Z1 = np.dot(W1, X) + b1
A1 = np.tanh(Z1)
Z2 = np.dot(W2, A1)
cost = np.sum((Z2 - Y)**2) / m
dZ2 = 2 * (Z2 - Y) / m
dW2 = np.dot(dZ2, A1.T)
dZ1 = np.dot(W2.T, dZ2) * (1 - np.power(A1, 2))
dW1 = np.dot(dZ1, X.T)
db1 = np.sum(dZ1, axis=1, keepdims=True)
"""


def test_a_size_that_divides_does_not_keep_other_inputs_from_being_moved() -> None:
    found = check_steps(NET, NET)
    assert [(one.verdict, one.points > 1) for one in found] == [("right", True)] * 5


def test_a_number_for_a_gradient_is_right_at_the_values_only() -> None:
    script = NET[: NET.index("dW1 = ")] + "dW2 = np.array([[%s]])\n"
    right = check_steps(NET, NET)[1].gradient
    script = script % ", ".join(map(repr, map(float, right.ravel())))
    assert check_steps(script, script)[-1].verdict == "right here"


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        (
            "np.power(A1, 2)",
            "np.power(Z1, 2)",
            "the factor 1 - np.power(Z1, 2) should be dA1/dZ1 = 1 - A1**2",
        ),
        (
            "np.power(A1, 2)",
            "np.power(A1, 3)",
            "the factor 1 - np.power(A1, 3) should be dA1/dZ1 = 1 - A1**2",
        ),
    ],
)
def test_another_name_is_found_where_it_makes_hardly_a_difference(
    right: str, wrong: str, reason: str
) -> None:
    script = NET.replace(right, wrong)
    [found] = [one for one in check_steps(script, script) if one.verdict != "right"]
    assert (found.left, found.remarks) == ("dcost/dZ1", [reason])


def test_a_rounded_number_is_said_to_be_rounded() -> None:
    script = NET.replace("2 * (Z2 - Y)", "2.000001 * (Z2 - Y)")
    [found] = [one for one in check_steps(script, script) if one.verdict != "right"]
    assert "a number in it is rounded" in found.remarks[0]


def test_a_step_that_is_a_multiple_is_tried_at_large_values_too() -> None:
    """With weights of 0.0001 ``Z1`` and its ``tanh`` are the same at random points around them."""
    script = NET.replace("* 0.01", "* 0.0001").replace("2 * (Z2 - Y) / m", "2 * (Z2 - Y)")
    script = script.replace("np.dot(dZ2, A1.T)", "np.dot(dZ2, A1.T) / m").replace(
        "dW1 = np", "dW1 = 1/m * np"
    )
    assert {one.verdict for one in check_steps(script, script)} == {"right", "wrong"}  # db1 lacks 1/m
    script = script.replace("keepdims=True)\n", "keepdims=True) / m\n")
    assert [one.verdict for one in check_steps(script, script)] == ["right"] * 5
    found = check_steps(script.replace("power(A1", "power(Z1"), script.replace("power(A1", "power(Z1"))
    assert [one.left for one in found if one.verdict == "wrong"] == ["dcost/dZ1"]


def test_a_sum_that_drops_a_dimension_is_told_to_keep_it() -> None:
    script = NET.replace(", keepdims=True", "")
    [found] = [one for one in check_steps(script, script) if one.verdict != "right"]
    assert found.remarks[0] == "the formula has the shape (4,), the gradient (4, 1): write keepdims=True"
    row = NET.replace("b1 = np.zeros((n_h, 1))", "b1 = np.zeros((1, m))").replace(
        "axis=1, keepdims=True", "axis=0"
    )
    assert {one.verdict for one in check_steps(row, row)} == {"right"}  # (5,) is broadcast to (1, 5)

"""Derivations with gradients per sample, whose sums are divided later: each line by its own values."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

SCRIPT = """\
import numpy as np
X = np.array([[0.5, -1.2], [1.0, 0.4], [-0.6, 0.8], [0.2, -0.1]])
y = np.array([[1.0], [0.0], [1.0], [0.0]])
W1 = np.array([[0.1, -0.2, 0.3], [0.4, 0.2, -0.1]])
b1 = np.array([0.1, -0.2, 0.05])
W2 = np.array([[0.2], [0.3], [-0.5]])
b2 = np.array([0.1])
z1 = X @ W1 + b1
a1 = np.maximum(0, z1)
z2 = a1 @ W2 + b2
a2 = 1 / (1 + np.exp(-z2))
m = X.shape[0]
cost = -np.sum(y * np.log(a2) + (1 - y) * np.log(1 - a2)) / m
"""
STEPS = """\
dz2 = a2 - y
dW2 = a1.T @ dz2 / m
db2 = np.sum(dz2, axis=0) / m
da1 = dz2 @ W2.T
dz1 = da1 * (a1 > 0)
dW1 = X.T @ dz1 / m
db1 = np.sum(dz1, axis=0) / m
"""
PER_SAMPLE = {"dcost/dz2", "dcost/da1", "dcost/dz1"}
#: What replaces a text, the step that is wrong then, what is said, how many times the gradient it is.
MISTAKES = {
    "dz1, axis=0) / m": (
        "dz1, axis=0)",
        "dcost/db1",
        "from your dz1, m = 4 times its gradient, it is m times",
        4,
    ),
    "X.T @ dz1 / m": ("X.T @ dz1 / (2*m)", "dcost/dW1", "it is half of what it should be", 0.5),
    "a1.T @ dz2 / m": ("a1.T @ dz2 / m + 0.1*W2", "dcost/dW2", "the term 0.1*W2 is superfluous", None),
    "dz2 @ W2.T": ("2*dz2 @ W2.T", "dcost/da1", "it is twice what it should be", 2),
    "da1 * (a1 > 0)": ("da1 * (a1 < 0)", "dcost/dz1", "", None),
}


def test_lines_that_divide_make_up_for_gradients_per_sample() -> None:
    found = check_steps(SCRIPT, STEPS)
    assert all(one.is_right for one in found)
    scaled = [one for one in found if one.own_scale is not None and one.own_scale.factor != 1]
    assert {one.left for one in scaled} == PER_SAMPLE
    for one in scaled:
        assert one.value == pytest.approx(4 * one.gradient, abs=1e-12)
        assert one.is_right_here is False
        [told] = one.remarks
        assert told == (
            "dz2, da1 and dz1 are m = 4 times their gradients. With these values of yours dW2, db2, dW1 and"
            " db1 are right"
        )
    for one in found:
        if one not in scaled:
            assert one.value == pytest.approx(one.gradient, abs=1e-12)


@pytest.mark.parametrize("before", MISTAKES)
def test_a_mistake_among_them_is_the_only_one(before: str) -> None:
    after, wrong, told, times = MISTAKES[before]
    assert STEPS.count(before) == 1
    found = check_steps(SCRIPT, STEPS.replace(before, after))
    [one] = [check for check in found if not check.is_right]
    assert one.left == wrong
    assert told in " ".join(one.remarks)
    if times is not None:
        assert one.value == pytest.approx(times * one.gradient, abs=1e-12)


def test_a_regularisation_is_divided_too() -> None:
    script = SCRIPT.replace(" / m\n", " / m + 0.05 * np.sum(W1 ** 2)\n")
    found = check_steps(script, STEPS.replace("X.T @ dz1 / m", "X.T @ dz1 / m + 0.1 * W1"))
    assert all(one.is_right for one in found)
    found = check_steps(script, STEPS.replace("X.T @ dz1 / m", "X.T @ dz1 + 0.1 * W1"))
    [one] = [check for check in found if not check.is_right]
    assert one.left == "dcost/dW1"
    assert "from your dz1, m = 4 times its gradient: the term X.T @ dz1 is 4 times what it" in one.remarks[0]


def test_without_a_division_the_first_line_is_wrong() -> None:
    found = check_steps(SCRIPT, STEPS.replace(" / m", ""))
    [one] = [check for check in found if not check.is_right]
    assert one.left == "dcost/dz2"
    assert "it is 4 times what it should be" in one.remarks[0]
    assert all(check.own_scale is None for check in found)


def test_a_sum_with_a_regularisation_makes_up_for_nothing() -> None:
    script = SCRIPT + "cost = (cost * m + 0.05 * np.sum(W1**2)) / m\n"
    undivided = STEPS.replace(" / m", "") + "dW1 += 0.1 * W1\n"
    found = check_steps(script, undivided)
    assert not any(one.own_scale for one in found)
    assert [one.left for one in found if not one.is_right] == ["dcost/dz2", "dcost/dW1"]
    assert "it is 4 times what it should be" in found[0].remarks[0]
    assert found[-1].remarks == ["it follows from dz1 (line 5): all of it is 4 times the gradient, too"]
    found = check_steps(script, undivided.replace("0.1 * W1", "0.2 * W1"))
    assert "beside the factor 4 of dz1 (line 5): the term 0.2 * W1 is 2 times" in found[-1].remarks[0]


def test_a_wrong_sign_before_lines_that_divide_is_one_mistake() -> None:
    found = check_steps(SCRIPT, STEPS.replace("a2 - y", "y - a2"))
    [one] = [check for check in found if not check.is_right]
    assert (one.left, one.remarks) == ("dcost/dz2", ["the sign is wrong: it is -m times its gradient"])
    assert found[-1].remarks[0].startswith("But for the sign of dz2, dz2, da1 and dz1 are m = 4 times")


#: The loss is divided by n, and the derivation is not.
DIVIDED = """\
import numpy as np
x = np.array([[0.2, -1.3], [1.1, 0.4], [-0.9, 0.8], [0.5, -0.2], [0.1, 0.9]])
y = np.array([0, 1, 1, 0, 1])
n = len(x)
reg = 0.01
w1 = np.array([[0.4, -0.3, 0.2], [-0.5, 0.7, -0.2]])
b1 = np.array([[0.1, -0.2, 0.05]])
w2 = np.array([[0.3, -0.6], [-0.7, 0.2], [0.6, 0.1]])
b2 = np.array([[0.1, 0.0]])
z1 = x.dot(w1) + b1
a1 = np.tanh(z1)
z2 = a1.dot(w2) + b2
e = np.exp(z2)
p = e / np.sum(e, axis=1, keepdims=True)
total = np.sum(-np.log(p[range(n), y])) + reg/2*(np.sum(w1**2) + np.sum(w2**2))
loss = 1./n*total
"""
NOT_DIVIDED = """\
delta3 = p
delta3[range(n), y] -= 1
dw2 = (a1.T).dot(delta3)
db2 = np.sum(delta3, axis=0, keepdims=True)
delta2 = delta3.dot(w2.T) * (1 - a1**2)
dw1 = np.dot(x.T, delta2)
db1 = np.sum(delta2, axis=0)
dw2 += reg * w2
dw1 += reg * w1
"""


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "",
            "",
            {2: "it is 5 times what", 8: "it follows from delta3 (line 2)", 9: "it follows from delta2"},
        ),
        ("(1 - a1**2)", "(1 - a1)", {5: "the factor 1 - a1 should be da1/dz1 = 1 - a1**2", 9: "it follows"}),
        (
            "dw1 += reg * w1",
            "dw1 += 2*reg * w1",
            {9: "beside the factor 5 of delta2 (line 5): the term 2*reg"},
        ),
        ("dw1 += reg * w1\n", "", {6: "w1**2 <- w1 is missing"}),
    ],
)
def test_mistakes_beside_a_factor_are_told_at_their_lines(
    right: str, wrong: str, told: dict[int, str]
) -> None:
    found = check_steps(DIVIDED, NOT_DIVIDED.replace(right, wrong) if right else NOT_DIVIDED)
    assert [one.left.partition("/d")[2] for one in found if one.step == ("steps.txt", 2)] == ["z2"]
    remarks = {one.step[1]: " ".join(one.remarks) for one in found if not one.is_right and one.step}
    assert "it is 5 times what it should be" in remarks[2]
    assert all(text in remarks[line] for line, text in told.items())
    assert remarks.keys() >= {2, *told}


SOFTMAX = """\
import numpy as np
np.random.seed(0)
X = np.random.randn(5, 4)
y = np.array([0, 2, 1, 1, 0])
W = np.random.randn(4, 3)*0.1
reg, n = 0.1, X.shape[0]
scores = X.dot(W)
p = np.exp(scores)/np.sum(np.exp(scores), axis=1, keepdims=True)
loss = np.sum(-np.log(p[np.arange(n), y]))/n + reg*np.sum(W*W)
"""


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        (
            "dW = X.T.dot(dscores)/n + reg*W",
            "the term reg*W is half of what it should be",
        ),
        ("dW = X.T.dot(dscores)/n - 2*reg*W", "the sign of the term 2*reg*W is wrong"),
        ("dW = X.T.dot(dscores)/n + 3*reg*W", "with 2 in place of 3 it is right"),
    ],
)
def test_a_mistake_beside_the_division_is_told_from_the_multiple(line: str, remark: str) -> None:
    steps = f"dscores = p.copy()\ndscores[np.arange(n), y] -= 1\n{line}"
    scores, weights = check_steps(SOFTMAX, steps, "loss")
    assert (scores.is_right, weights.is_right) == (True, False)
    [told] = scores.remarks
    assert told == "dscores is n = 5 times its gradient. With this value of yours dW has one mistake"
    assert f"from your dscores, n = 5 times its gradient: {remark}" in weights.remarks[0]


def test_a_multiple_that_no_line_divides_by_is_a_mistake_of_its_own() -> None:
    steps = "dscores = p.copy()\ndscores[np.arange(n), y] -= 1\ndW = X.T.dot(dscores) + reg*W"
    found = check_steps(SOFTMAX, steps, "loss")
    assert [one.is_right for one in found] == [False, False]

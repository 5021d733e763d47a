"""Names that do not say whose gradient they are: ``delta`` in ``dw2 = np.dot(delta, a1.T)``."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

#: Columns are examples, as in courses on networks of sigmoids.
SIGMOIDS = """\
import numpy as np
x = np.array([[0.05], [0.10]])
y = np.array([[0.01], [0.99]])
w1 = np.array([[0.15, 0.20], [0.25, 0.30], [-0.3, 0.5]])
b1 = np.array([[0.35], [0.1], [0.2]])
w2 = np.array([[0.40, 0.45, -0.2], [0.50, 0.55, 0.7]])
b2 = np.array([[0.60], [0.3]])
def sigmoid(z):
    return 1.0/(1.0 + np.exp(-z))
def sigmoid_prime(z):
    return sigmoid(z)*(1 - sigmoid(z))
z1 = np.dot(w1, x) + b1
a1 = sigmoid(z1)
z2 = np.dot(w2, a1) + b2
a2 = sigmoid(z2)
C = 0.5*np.sum((a2 - y)**2)
"""
ONE_NAME = """\
delta = (a2 - y)*sigmoid_prime(z2)
db2 = delta
dw2 = np.dot(delta, a1.T)
delta = np.dot(w2.T, delta)*sigmoid_prime(z1)
db1 = delta
dw1 = np.dot(delta, x.T)
"""
SEVERAL_NAMES = """\
e = a2 - y
err_o = e*a2*(1 - a2)
dw2 = np.dot(err_o, a1.T)
grad_hidden = np.dot(w2.T, err_o)*sigmoid_prime(z1)
dw1 = np.dot(grad_hidden, x.T)
"""
#: The value of which ``g`` is the gradient has no name.
RELU = """\
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
t = tensor([[0.2], [1.], [1.5]])
W1 = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2]], requires_grad=True)
W2 = tensor([[0.4], [1.1], [-0.2]], requires_grad=True)
h = relu(X @ W1)
out = h @ W2
L = ((out - t)**2).mean()
"""
RELU_STEPS = """\
g = 2*(out - t)/3
dW2 = h.T @ g
g = g @ W2.T
g[h <= 0] = 0
dW1 = X.T @ g
"""
#: By name: a script, its steps, their values, and mistakes with the line where each is told.
CASES: dict[str, tuple[str, str, list[str], list[tuple[str, str, int]]]] = {
    "one_name": (
        SIGMOIDS,
        ONE_NAME,
        ["z2", "b2", "w2", "z1", "b1", "w1"],
        [
            ("(a2 - y)", "(y - a2)", 1),
            ("(a2 - y)", "2*(a2 - y)", 1),
            ("prime(z1)", "prime(x[:1])", 4),
        ],
    ),
    "several_names": (
        SIGMOIDS,
        SEVERAL_NAMES,
        ["a2", "z2", "w2", "z1", "w1"],
        [("a2 - y\n", "y - a2\n", 1), ("(1 - a2)", "(1 + a2)", 2)],
    ),
    "values_without_names": (
        RELU,
        RELU_STEPS,
        ["out", "W2", "h", "(X @ W1)", "W1"],
        [("2*(out - t)/3", "(out - t)/3", 1), ("@ W2.T", "@ W2.T/2", 3), ("h <= 0", "h > 0", 4)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_steps_are_compared_with_gradients(name: str) -> None:
    script, steps, values, _ = CASES[name]
    found = check_steps(script, steps)
    assert [one.left.partition("/d")[2] for one in found] == values
    assert all(one.is_right and not one.remarks for one in found)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "line"), [(name, *one) for name, case in CASES.items() for one in case[3]]
)
def test_a_mistake_is_at_its_line(name: str, right: str, wrong: str, line: int) -> None:
    script, steps, _, _ = CASES[name]
    assert right in steps
    found = check_steps(script, steps.replace(right, wrong, 1))
    assert [one.step for one in found if one.is_right is not True] == [("steps.txt", line)]


@pytest.mark.parametrize(
    ("script", "steps", "values"),
    [
        # a number, a part of a sum, a multiple that a later line takes back, a name that is used twice
        ("x = 1.5\nL = 3*x", "k = 3\ndx = k", ["x"]),
        ("x = 1.5\nL = x**2 + sin(x)", "part = 2*x\ndx = part + cos(x)", ["x"]),
        (RELU, "e = out - t\ndW2 = h.T @ e*2/3", ["W2"]),
        (SIGMOIDS, "t = a2*(1 - a2)\ndz2 = (a2 - y)*t\nt = w2.T @ dz2\nda1 = t", ["z2", "a1"]),
    ],
)
def test_other_names_are_not_compared(script: str, steps: str, values: list[str]) -> None:
    found = check_steps(script, steps)
    assert [(one.left.partition("/d")[2], one.is_right) for one in found] == [(one, True) for one in values]


def test_a_multiple_that_one_line_uses_is_told_there() -> None:
    """The error may be meant as it is, without the factor 2 of the square."""
    [found] = check_steps(RELU, "e = out - t\ndW2 = h.T @ e/3")
    assert (found.step, found.is_right) == (("steps.txt", 2), False)


#: A sigmoid whose minus stands in a function, and steps where `delta` has no value by name.
ONE_LAYER = """\
import numpy as np
np.random.seed(1)
def sigmoid(z):
    return 1/(1 + np.exp(-z))
x = np.random.randn(5, 3)
y = np.random.rand(5, 1)
W = np.random.randn(3, 1)
p = sigmoid(np.dot(x, W))
error = p - y
loss = 0.5*np.sum(error**2)
delta = error*p*(1 - p)
dW = x.T @ delta
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("p - y", "y - p", 11),
        ("0.5*np.sum", "np.sum", 11),
        ("0.5*np.sum", "np.mean", 11),
        ("error = p - y\nloss = 0.5*np.sum(error", "error = y - p\nloss = np.sum(error", 11),
        ("x.T @ delta", "-x.T @ delta", 12),
        ("x.T @ delta", "2*x.T @ delta", 12),
    ],
)
def test_the_first_wrong_line_is_the_one_named(right: str, wrong: str, line: int) -> None:
    """``delta`` is no gradient by ``-z`` of the sigmoid, and a name like it is no multiple that is meant."""
    assert right in ONE_LAYER
    script = ONE_LAYER.replace(right, wrong)
    found = check_steps(script, script)
    assert [one.step[1] for one in found if one.step and one.is_right is not True] == [line]

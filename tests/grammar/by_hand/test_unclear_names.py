"""Names of gradients that books use: ``nabla_w2``, ``delta2``, ``d_out``, ``layer1_delta``."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

BOOK = """\
import numpy as np
np.random.seed(1)
def sigmoid(z): return 1 / (1 + np.exp(-z))
def sigmoid_prime(z): return sigmoid(z) * (1 - sigmoid(z))
x = np.random.randn(3, 5)
y = np.random.randn(2, 5)
w1, b1 = np.random.randn(4, 3), np.random.randn(4, 1)
w2, b2 = np.random.randn(2, 4), np.random.randn(2, 1)
z1 = w1 @ x + b1
a1 = sigmoid(z1)
z2 = w2 @ a1 + b2
a2 = sigmoid(z2)
cost = 0.5 * np.sum((a2 - y) ** 2)
delta2 = (a2 - y) * sigmoid_prime(z2)
nabla_b2 = delta2.sum(1, keepdims=True)
nabla_w2 = delta2 @ a1.T
delta1 = (w2.T @ delta2) * sigmoid_prime(z1)
nabla_b1 = delta1.sum(1, keepdims=True)
nabla_w1 = delta1 @ x.T
"""
COURSE = """\
import numpy as np
np.random.seed(1)
def sigmoid(x): return 1 / (1 + np.exp(-x))
def sigmoid_derivative(s): return s * (1 - s)
X = np.random.rand(4, 3)
y = np.random.rand(4, 1)
W1 = np.random.rand(3, 4)
W2 = np.random.rand(4, 1)
layer1 = sigmoid(X @ W1)
out = sigmoid(layer1 @ W2)
loss = 0.5 * np.sum((out - y) ** 2)
error = out - y
d_out = error * sigmoid_derivative(out)
layer1_error = d_out @ W2.T
layer1_delta = layer1_error * sigmoid_derivative(layer1)
d_W2 = layer1.T @ d_out
d_W1 = X.T @ layer1_delta
"""
UPDATES = "w1 -= 0.1 * nabla_w1\nw2 -= 0.1 * nabla_w2\nb1 -= 0.1 * nabla_b1\nb2 -= 0.1 * nabla_b2\n"


def in_loop(script: str) -> str:
    before, _, turn = script.partition("z1 = w1")
    return (
        before
        + "for epoch in range(5):\n"
        + "".join(f"    {line}\n" for line in f"z1 = w1{turn}".splitlines())
    )


def verdicts(script: str) -> dict[str, str]:
    return {one.left: one.verdict for one in check_steps(script, script)}


@pytest.mark.parametrize("script", [BOOK, in_loop(BOOK + UPDATES)], ids=["once", "in a loop"])
def test_the_gradients_of_a_book(script: str) -> None:
    by = ["z2", "b2", "w2", "z1", "b1", "w1"]
    assert verdicts(script) == {f"dcost/d{name}": "right" for name in by}
    wrong = verdicts(script.replace("sigmoid_prime(z1)", "sigmoid_prime(a1)"))
    assert [left for left, verdict in wrong.items() if verdict == "wrong"] == ["dcost/dz1"]
    wrong = verdicts(script.replace("delta1 @ x.T", "delta1 @ x.T / 5"))
    assert [left for left, verdict in wrong.items() if verdict == "wrong"] == ["dcost/dw1"]


def test_a_delta_belongs_to_what_goes_into_the_function() -> None:
    """``d_out`` is the gradient by ``layer1 @ W2``: its values say so, its name would say ``out``."""
    found = verdicts(COURSE)
    by = ["out", "d(layer1 @ W2)", "layer1", "d(X @ W1)", "W2", "W1"]
    assert list(found) == [f"dloss/{one if one.startswith('d(') else 'd' + one}" for one in by]
    assert set(found.values()) == {"right"}
    wrong = verdicts(COURSE.replace("error * sigmoid_derivative(out)", "error * out"))
    assert [left for left, verdict in wrong.items() if verdict == "wrong"] == ["dloss/d(layer1 @ W2)"]


def test_such_names_are_read_in_a_formula() -> None:
    script = "w = 2.\nx = 3.\nL = w*x**2"
    assert [check(script, f"{name} == x**2").verdict for name in ("d_w", "nabla_w")] == ["right"] * 2
    assert check(script, "nabla_x == w*x").verdict == "wrong"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "l2_delta = (y - l2) * l2 * (1 - l2)",
            "-e 'L = ...' --formula 'dL/dl2 == l2_delta', with your loss",
        ),
        ("delta = (y - l2) * l2 * (1 - l2)", "-e 'L = ...' --formula 'dL/dz == delta', with your loss"),
        ("step = 2*l2", "give a gradient the name of what it is by, as in dw = 2*w"),
    ],
)
def test_a_script_without_steps_is_told_what_to_write(line: str, says: str) -> None:
    script = f"y = 1.\nz = 0.3\nl2 = 1/(1 + exp(-z))\n{line}\n"
    with pytest.raises(UsageError) as raised:
        check_steps(script, script)
    assert says in raised.value.help[0]

"""Each line of a script's own backward pass reads the values that names have when it runs there."""

from __future__ import annotations

import pytest

from tests.tools.hand_checks import check_steps

DATA = """\
import numpy as np
np.random.seed(0)
N = 6
W = np.random.randn(5, 3) * 0.1
X = np.random.randn(6, 5)
y = np.random.randint(3, size=6)
"""
FORWARD = """\
e = np.exp(X.dot(W))
p = e / e.sum(axis=1, keepdims=True)
loss = -np.log(p[np.arange(N), y]).mean()
"""
SHIFT = "def shift(a, y):\n    a[np.arange(len(y)), y] -= 1\n"
GRADIENT = "dW = X.T.dot(p) / N\n"
#: Right backward passes that change a value of the forward pass; "- 1" is what the mistake changes.
CHANGED = {
    "entries": FORWARD + "p[np.arange(N), y] -= 1\n" + GRADIENT,
    "twice": FORWARD + "p[np.arange(N), y] -= 1\np /= N\ndW = X.T.dot(p)\n",
    "the name": FORWARD + "p = (p - 1*np.eye(3)[y]) / N\ndW = X.T.dot(p)\n",
    "all of it": FORWARD + "p -= 1*np.eye(3)[y]\n" + GRADIENT,
    "out": FORWARD + "np.subtract(p, 1*np.eye(3)[y], out=p)\n" + GRADIENT,
    "at": FORWARD + "np.subtract.at(p, (np.arange(N), y), 1)\n" + GRADIENT,
    "in a loop": FORWARD + "for i in range(N):\n    p[i, y[i]] -= 1\n" + GRADIENT,
    "by another name": FORWARD + "q = p\nq[np.arange(N), y] -= 1\n" + GRADIENT,
    "by a view": FORWARD + "q = p.reshape(-1)\nq[np.arange(N)*3 + y] -= 1\n" + GRADIENT,
    "in a function": SHIFT + FORWARD + "shift(p, y)\n" + GRADIENT,
    "and returned": SHIFT + "    return a\n" + FORWARD + "g = shift(p, y)\n" + GRADIENT,
    "in a function that reads it": (
        "def back():\n    return X.T.dot(p)\n" + FORWARD + "p[np.arange(N), y] -= 1\ndW = back() / N\n"
    ),
    "data too": FORWARD + "p[np.arange(N), y] -= 1\nX /= N\ndW = X.T.dot(p)\n",
    "between two sums": (
        FORWARD + "p[np.arange(N), y] -= 1\ndW = X.T.dot(p) / (2*N)\np /= 2*N\ndW += X.T.dot(p)\n"
    ),
    "normalised in place": (
        "p = np.exp(X.dot(W))\np /= p.sum(axis=1, keepdims=True)\n"
        "loss = -np.log(p[np.arange(N), y]).mean()\np[np.arange(N), y] -= 1\n" + GRADIENT
    ),
    "later as well": FORWARD + "p[np.arange(N), y] -= 1\n" + GRADIENT + "p *= 7\nX = 3\n",
    "behind a step": FORWARD
    + "dp = -1.0*(np.arange(3) == y[:, None])/p/N\np[np.arange(N), y] -= 1\n"
    + GRADIENT,
    "a hinge loss": (
        "s = X.dot(W)\nm = np.maximum(0, s - s[np.arange(N), y].reshape(-1, 1) + 1)\n"
        "m[np.arange(N), y] = 0\nloss = m.sum() / N\nm[m > 0] = 1\n"
        "m[np.arange(N), y] -= 1*m.sum(axis=1)\ndW = X.T.dot(m) / N\n"
    ),
}


@pytest.mark.parametrize("script", CHANGED.values(), ids=CHANGED)
def test_a_value_that_the_backward_pass_changes_is_read_as_it_is_then(script: str) -> None:
    script = DATA + script
    assert {one.verdict for one in check_steps(script, script)} == {"right"}


@pytest.mark.parametrize("script", CHANGED.values(), ids=CHANGED)
def test_a_wrong_change_is_wrong(script: str) -> None:
    wrong = script.replace("-= 1", "-= 2").replace("1*np", "2*np").replace(", 1)\n", ", 2)\n")
    assert wrong != script
    script = DATA + wrong.replace("1).mean", "2).mean")
    assert check_steps(script, script)[-1].verdict == "wrong"


@pytest.mark.parametrize("results", ["loss, dW", "loss, grad", "cost, g"])
def test_the_names_of_results_do_not_matter(results: str) -> None:
    body = "".join(
        f"    {line}\n" for line in (FORWARD + "p[np.arange(N), y] -= 1\n" + GRADIENT).splitlines()
    )
    function = "def softmax_loss(W, X, y):\n    N = len(y)\n" + body + "    return loss, dW\n"
    head, _, data = DATA.partition("\n")
    script = f"{head}\n{function}{data}{results} = softmax_loss(W, X, y)\n"
    assert {one.verdict for one in check_steps(script, script)} == {"right"}


def test_a_file_of_steps_reads_the_values_of_the_output() -> None:
    """It has no place among the script's lines."""
    script = DATA + FORWARD + "p[np.arange(N), y] -= 1\n"
    steps = "t = np.eye(3)[y]\ndW = X.T.dot(p - t) / N"
    assert [one.verdict for one in check_steps(script, steps, "loss")] == ["right"]

"""Lines of a derivation that the script has too are not run again: their names have the script's values."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

FORWARD = """\
import numpy as np
np.random.seed(1)
X = np.random.randn(4, 2)
t = np.random.randn(4, 1)
W = np.random.randn(2, 1)
X *= 0.5
out = X.dot(W)
loss = np.sum((out - t)**2) / 4
"""
BACKWARD = """\
dout = 2*(out - t)/4
dW = X.T.dot(dout)
"""
TORCH = """\
import torch
torch.manual_seed(3)
X = torch.randn(4, 2)
t = torch.randn(4, 1)
W = torch.randn(2, 1, requires_grad=True)
out = X @ W
loss = ((out - t)**2).mean()
"""


def verdicts(script: str, text: str, of: str | None = None) -> list[bool | None]:
    return [step.is_right for step in check_steps(script, text, of)]


@pytest.mark.parametrize(
    ("forward", "backward"),
    [(FORWARD, BACKWARD), (TORCH, "dout = 2*(out - t)/4\ndW = X.T @ dout\n")],
    ids=["numpy", "torch"],
)
def test_numbers_are_not_drawn_again(forward: str, backward: str) -> None:
    assert verdicts(forward, forward + backward) == [True, True]
    assert verdicts(forward, forward.replace("X = ", "X  =  ") + backward) == [True, True]
    wrong = backward.replace("2*(out - t)", "3*(out - t)")
    assert verdicts(forward, forward + wrong) == [False, True]


def test_a_value_that_the_script_changes_later_is_computed() -> None:
    script = "x = tensor([0.5, -1.])\nh = tanh(x)\nz = h*h\nh = z + 1\nL = (h*z).sum()"
    assert verdicts(script, "h = tanh(x)\ndx = (4*h**3 + 2*h)*(1 - h**2)") == [True]
    assert verdicts(script, "h = tanh(x)\ndx = (4*h**3 + 2*h)*(1 - h**2)\nh = z + 1") == [True]
    assert verdicts(script, "h = tanh(x)\nh = z + 1\ndz = h + z") == [True]


def test_a_line_that_reads_other_values_is_run() -> None:
    script = "x = tensor([0.5, -1.])\na = 2*x\nb = a*a\nL = b.sum()"
    assert verdicts(script, "a = 3*x\nb = a*a\ndx = b*8/(9*x)") == [True]
    assert verdicts(script, "b = a*a\ndx = b*2/x") == [True]


def test_a_value_that_the_script_changes_by_another_name_is_computed() -> None:
    forward = (
        "import numpy as np\nz = np.array([[0.3, -1.0], [1.0, 0.5]])\ny = np.array([0, 1])\n"
        "p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)\nL = -np.sum(np.log(p[range(2), y]))\n"
    )
    backward = "dz = p\ndz[range(2), y] -= 1\n"
    script = forward + backward + "loss = 1.0*L\n"
    assert verdicts(script, forward + backward) == [True]
    assert verdicts(script, forward + backward.replace("1", "2")) == [False]


IN_PLACE = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
y = np.array([1, 0, 1])
W = np.array([[0.2, -0.4], [0.7, 0.1]])
s = X.dot(W)
e = np.exp(s)
probs = e / e.sum(axis=1, keepdims=True)
loss = -np.log(probs[range(3), y]).sum() / 3
"""


@pytest.mark.parametrize("start", ["ds = probs", "other = probs\nds = other", "ds = probs.copy()"])
@pytest.mark.parametrize("end", ["", "W -= 0.1 * dW\n"])
def test_a_value_that_the_script_changes_by_the_same_lines(start: str, end: str) -> None:
    backward = f"{start}\nds[range(3), y] -= 1\nds /= 3\ndW = X.T.dot(ds)\n" + end
    assert verdicts(IN_PLACE + backward, backward, "loss") == [True, True]
    assert verdicts(IN_PLACE + backward, backward.replace("-= 1", "+= 1"), "loss") == [False, True]


TRAINING = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
t = np.array([1.0, 0.0, -0.5])
W = np.array([0.2, -0.4])
for i in range(1):
    out = X.dot(W)
    loss = np.mean((out - t)**2) + 0.1*np.sum(W*W)
    res = out
    res -= t
    dW = X.T.dot(2*res/3) + 0.2*W
    W += -0.5 * dW
out = X.dot(W)
"""


def test_names_have_the_values_that_the_output_was_made_of() -> None:
    assert verdicts(TRAINING, "dout = 2*(out - t)/3\ndW = X.T.dot(dout) + 0.2*W\n", "loss") == [True, True]
    steps = "res = out\nres -= t\ndout = 2*res/3\ndW = X.T.dot(dout) + 0.3*W\n"
    assert verdicts(TRAINING, steps, "loss") == [True, False]


UPDATED = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
W1 = np.array([[0.2, -0.4], [0.7, 0.3]])
W2 = np.array([0.3, -0.6])
h = X.dot(W1)
out = h.dot(W2)
loss = np.sum(out**2)
dout = 2*out
dW2 = h.T.dot(dout)
dh = np.outer(dout, W2)
dW1 = X.T.dot(dh)
W1 -= 0.1*dW1
W2 -= 0.1*dW2
"""


def test_lines_that_give_the_values_before_an_update_are_the_scripts() -> None:
    assert verdicts(UPDATED, UPDATED, "loss") == [True] * 4
    too_early = UPDATED.replace("dh = ", "W2 -= 0.1*dW2\ndh = ", 1)
    found = check_steps(UPDATED, too_early, "loss")
    assert [step.is_right for step in found] == [True, True, False, True]
    value = "with the value that loss was computed with it is right"
    assert found[2].remarks == [f"`W2` is changed before, in line 10: {value}"]

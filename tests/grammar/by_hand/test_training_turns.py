"""Scripts that train by a backward pass by hand: the steps in their loop are those of its first turn."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.training_turns import find_turn
from hand_checks import check_steps

#: Softmax and one hidden layer, as cs231n trains them.
SOFTMAX = '''\
"""A network with one hidden layer,
trained by gradient descent."""
import numpy as np
np.random.seed(0)
X = np.random.randn(5, 2)
y = np.array([0, 2, 1, 1, 0])
W = 0.5*np.random.randn(2, 4)
b = np.zeros((1, 4))
W2 = 0.5*np.random.randn(4, 3)
b2 = np.zeros((1, 3))
reg = 0.1
N = X.shape[0]
for i in range(200):
    hidden = np.maximum(0, np.dot(X, W) + b)
    scores = np.dot(hidden, W2) + b2
    exp_scores = np.exp(scores)
    probs = exp_scores/np.sum(exp_scores, axis=1, keepdims=True)
    data_loss = np.sum(-np.log(probs[range(N), y]))/N
    loss = data_loss + 0.5*reg*np.sum(W*W) + 0.5*reg*np.sum(W2*W2)
    if loss < 0.01:
        break
    dscores = probs
    dscores[range(N), y] -= 1
    dscores /= N
    dW2 = np.dot(hidden.T, dscores)
    db2 = np.sum(dscores, axis=0, keepdims=True)
    dhidden = np.dot(dscores, W2.T)
    dhidden[hidden <= 0] = 0
    dW = np.dot(X.T, dhidden)
    db = np.sum(dhidden, axis=0, keepdims=True)
    dW2 += reg*W2
    dW += reg*W
    W -= 0.5*dW
    b -= 0.5*db
    W2 -= 0.5*dW2
    b2 -= 0.5*db2
predicted = np.argmax(np.dot(np.maximum(0, np.dot(X, W) + b), W2) + b2, axis=1)
print(np.mean(predicted == y))
'''
#: The same in functions, with batches and other names.
FUNCTIONS = '''\
import numpy as np

def sigmoid(z):
    return 1/(1 + np.exp(-z))

def train(X, y, size, lr=0.1, epochs=20):
    """Train the weights.

    Returns: the weights
    """
    rng = np.random.RandomState(1)
    w1 = rng.randn(X.shape[1], size)
    w2 = rng.randn(size, 1)
    for epoch in range(epochs):
        for first in range(0, len(X), 2):
            x_batch, y_batch = X[first:first + 2], y[first:first + 2]
            h = sigmoid(x_batch @ w1)
            y_pred = h @ w2
            grad_y_pred = 2.0*(y_pred - y_batch)
            grad_w2 = h.T @ grad_y_pred
            grad_h = grad_y_pred @ w2.T
            grad_w1 = x_batch.T @ (grad_h*h*(1 - h))
            w1 = w1 - lr*grad_w1
            w2 = w2 - lr*grad_w2
            if epoch % 10:
                continue
            loss = np.square(y_pred - y_batch).sum()
            print(epoch, loss)
    return w1, w2

def main():
    X = np.array([[0.0, 0.5], [0.2, 1.0], [1.0, -0.3], [1.0, 0.9]])
    y = np.array([[0.0], [1.0], [1.0], [0.0]])
    w1, w2 = train(X, y, 3, epochs=5)
    print(sigmoid(X @ w1) @ w2)

if __name__ == "__main__":
    main()
'''


def verdicts(script: str, text: str) -> dict[str, bool | None]:
    return {step.left: step.is_right for step in check_steps(script, text)}


def wrong(script: str, text: str) -> list[str]:
    return [name for name, is_right in verdicts(script, text).items() if is_right is not True]


@pytest.mark.parametrize("script", [SOFTMAX, FUNCTIONS], ids=["loop", "functions"])
def test_the_steps_of_a_loop_are_right(script: str) -> None:
    found = verdicts(script, script)
    assert set(found.values()) == {True}
    assert len(found) == (7 if script is SOFTMAX else 4)


@pytest.mark.parametrize(
    ("script", "before", "after", "names"),
    [
        (SOFTMAX, "dscores /= N", "dscores /= N - 1", "dscores"),
        (SOFTMAX, "dW += reg*W", "dW += 2*reg*W", "dW"),
        (SOFTMAX, "dhidden = np.dot(", "W2 -= 0.5*dW2\n    dhidden = np.dot(", "dhidden dW2"),
        (FUNCTIONS, "(1 - h)", "(1 + h)", "dw1"),
        (FUNCTIONS, "= h.T @", "= -h.T @", "dw2"),
    ],
)
def test_a_wrong_step_of_a_loop_is_named(script: str, before: str, after: str, names: str) -> None:
    changed = script.replace(before, after, 1)
    assert wrong(changed, changed) == [f"dloss/{name}" for name in names.split()]


def test_steps_of_a_file_are_those_of_the_first_turn() -> None:
    """Their other names have the values of that turn too."""
    steps = "dy_pred = 2*(y_pred - y_batch)\ndw2 = h.T @ dy_pred\ndh = dy_pred @ w2.T\n"
    assert wrong(FUNCTIONS, steps) == []
    assert wrong(FUNCTIONS, steps.replace("2*", "")) == ["dloss/dy_pred"]
    steps = "ds = (probs - np.eye(3)[y])/N\ndW2 = hidden.T @ ds + reg*W2\n".replace("ds", "dscores")
    assert wrong(SOFTMAX, steps) == []
    loop = SOFTMAX[SOFTMAX.index("for i") : SOFTMAX.index("predicted")]
    assert wrong(SOFTMAX, loop) == []


@pytest.mark.parametrize(
    "script",
    [
        "w = 0.7\nh = 0.5\nfor t in range(3):\n    h = tanh(w*h)\n    loss = (h - 1)**2\n",
        "h = 0.5\nfor t in range(3):\n    dh = h - 1\n    h = h - 0.1*dh\n",
    ],
    ids=["recurrence", "iteration"],
)
def test_other_loops_are_run_as_a_whole(script: str) -> None:
    """The loss of a recurrence depends on all of its turns, and an iteration has no loss in each turn."""
    assert find_turn(Source(script), True) is None


def test_a_turn_without_a_loss_is_refused() -> None:
    script = "W = [1.0, 2.0]\nfor i in range(3):\n    out = 2*W\n    dout = out\n    W -= dout\n"
    with pytest.raises(UsageError, match="the loop of line 2 computes no single number"):
        check_steps(script, script)


ADDS_UP = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
t = np.array([1.0, 0.0, -0.5])
W = np.array([0.2, -0.4])
b = np.zeros(3)
dW = np.zeros(2)
for i in range(20):
    out = X.dot(W) + b
    loss = np.sum((out - t)**2)
    dout = 2*(out - t)
    db = dout
    dW += X.T.dot(dout)
    W = W - 0.1*dW
    b = b - 0.1*db
    # end
"""


def test_what_carries_over_to_a_later_turn_is_told() -> None:
    [dout, db, dW] = check_steps(ADDS_UP, ADDS_UP)
    assert (dout.verdict, db.verdict, dW.verdict) == ("right", "right", "wrong")
    assert dW.remarks == [
        "it is right in the first turn of the loop, and wrong in turn 2",
        "the value of the turn before is in it: dW has to be 0 when a turn begins",
    ]
    zeroed = ADDS_UP.replace("# end", "dW = np.zeros(2)")
    assert wrong(zeroed, zeroed) == []
    later = ADDS_UP.replace("dW += X", "dW = X").replace("loss = ", "loss = (1 if i < 5 else 2)*")
    dout, *_ = check_steps(later, later)
    assert dout.remarks[0] == "it is right in the first turn of the loop, and wrong in turn 10"
    assert dout.remarks[1].startswith("entry [")


ONE_STEP = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
t = np.array([1.0, 0.0, -0.5])
W = np.array([0.2, -0.4])
b = np.zeros(3)
out = X.dot(W) + b
loss = np.sum((out - t)**2)
dout = 2*(out - t)
db = dout
dW = X.T.dot(dout)
"""


@pytest.mark.parametrize(
    "end",
    [
        "",
        "b -= 0.1*db\nW -= 0.1*dW\n",
        "W = W - 0.1*dW\n",
        "b = b - 0.1*db\nW = W - 0.1*dW\nprint(loss)\n",
        "new_loss = loss - 0.1*np.sum(dW**2)\n",
    ],
)
def test_steps_before_an_update_are_about_the_loss(end: str) -> None:
    script = ONE_STEP + end
    assert verdicts(script, script) == dict.fromkeys(["dloss/dout", "dloss/db", "dloss/dW"], True)
    assert wrong(script, script.replace("X.T.dot", "2*X.T.dot")) == ["dloss/dW"]


def test_a_value_with_the_name_of_a_gradient_is_no_step() -> None:
    """``dx`` may be a difference that the output is made of: the output is that of the script."""
    script = "x = 3.0\nn = (x - 1)**2\ndx = x - 1\nout = dx**3\n"
    assert verdicts(script, "dx = 3*(x - 1)**2\n") == {"dout/dx": True}


RECURRENT = """\
import numpy as np
np.random.seed(1)
data = [0, 1, 2, 2, 1, 0, 1, 2]
Wx = np.random.randn(3, 3)*0.5
Wh = np.random.randn(3, 3)*0.5
Wy = np.random.randn(3, 3)*0.5

def lossFun(inputs, targets, first):
    xs, hs, ps, loss = [], [first], [], 0
    for t in range(len(inputs)):
        x = np.zeros(3)
        x[inputs[t]] = 1
        xs.append(x)
        hs.append(np.tanh(Wx @ x + Wh @ hs[-1]))
        y = Wy @ hs[-1]
        ps.append(np.exp(y)/np.sum(np.exp(y)))
        loss += -np.log(ps[t][targets[t]])
    dWx, dWh, dWy = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(Wy)
    dnext = np.zeros(3)
    for t in reversed(range(len(inputs))):
        dy = ps[t].copy()
        dy[targets[t]] -= 1
        dWy += np.outer(dy, hs[t + 1])
        draw = (1 - hs[t + 1]**2)*(Wy.T @ dy + dnext)
        dWx += np.outer(draw, xs[t])
        dWh += np.outer(draw, hs[t])
        dnext = Wh.T @ draw
    return loss, dWx, dWh, dWy, hs[-1]

hprev = np.zeros(3)
for n in range(2):
    loss, dWx, dWh, dWy, hprev = lossFun(data[3*n:3*n + 3], data[3*n + 1:3*n + 4], hprev)
    for param, dparam in zip([Wx, Wh, Wy], [dWx, dWh, dWy]):
        param -= 0.1*dparam
"""
TORCH = """\
import torch
X = torch.tensor([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])
W = torch.tensor([[0.2], [-0.4]], requires_grad=True)
with torch.no_grad():
    for i in range(5):
        out = torch.tanh(X @ W)
        loss = (out**2).mean()
        dout = 2*out/3
        dW = X.T @ (dout*(1 - out**2))
        W.data += -0.1*dW
"""


def test_a_backward_pass_in_a_function_that_a_loop_calls() -> None:
    assert verdicts(RECURRENT, RECURRENT) == {"dloss/dWy": True, "dloss/dWx": True, "dloss/dWh": True}
    changed = RECURRENT.replace("(draw, hs[t])", "(draw, hs[t + 1])")
    assert wrong(changed, changed) == ["dloss/dWh"]


def test_a_loop_that_records_nothing_is_recorded_for_the_check() -> None:
    assert wrong(TORCH, TORCH) == []
    before, loop = TORCH.split("with torch.no_grad():\n")
    within = before + dedent(loop)
    backward = "    dout = 2*out/3\n    dW = X.T @ (dout*(1 - out**2))\n"
    within = within.replace(backward, "    with torch.no_grad():\n" + indent(backward, "    "))
    assert wrong(within, within) == []

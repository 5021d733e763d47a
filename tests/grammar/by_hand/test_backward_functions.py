"""Backward passes in functions: a line is judged by what the function returns when the script runs."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

#: A network with tanh, and a backward pass that calls another function.
NET = """\
import numpy as np
np.random.seed(1)
def affine_backward(dout, cache):
    x, w = cache
    dx = dout.dot(w.T)
    dw = x.T.dot(dout)
    return dx, dw
def backward(dout, caches):
    first, h, second = caches
    dh, dW2 = affine_backward(dout, second)
    dz = dh * (1 - h**2)
    dx, dW1 = affine_backward(dz, first)
    return dx, dW1, dW2
x = np.random.randn(4, 3)
W1 = np.random.randn(3, 5)
W2 = np.random.randn(5, 2)
t = np.random.randn(4, 2)
h = np.tanh(x.dot(W1))
out = h.dot(W2)
loss = np.sum((out - t)**2)
dout = 2*(out - t)
dx, dW1, dW2 = backward(dout, ((x, W1), h, (h, W2)))
"""
RNN_STEP = """\
import numpy as np
np.random.seed(3)
def forward(x, prev, Wx, Wh, b):
    h = np.tanh(x.dot(Wx) + prev.dot(Wh) + b)
    return h, (x, prev, Wx, Wh, h)
def backward(dout, cache):
    x, prev, Wx, Wh, h = cache
    da = dout*(1 - h**2)
    dx, dprev = da.dot(Wx.T), da.dot(Wh.T)
    dWx = x.T.dot(da)
    dWh = prev.T.dot(da)
    db = np.sum(da, axis=0)
    return dx, dprev, dWx, dWh, db
x = np.random.randn(4, 5)
prev = np.random.randn(4, 6)
Wx = np.random.randn(5, 6)
Wh = np.random.randn(6, 6)
b = np.random.randn(6)
out, cache = forward(x, prev, Wx, Wh, b)
loss = np.sum(out**2)
dx, dprev, dWx, dWh, db = backward(2*out, cache)
"""
CONVOLUTION = """\
import numpy as np
np.random.seed(2)
def forward(x, w, b):
    out = np.zeros((2, 3))
    for f in range(2):
        for i in range(3):
            out[f, i] = np.sum(x[i:i + 2]*w[f]) + b[f]
    return out, (x, w, b)
def backward(dout, cache):
    x, w, b = cache
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    db = np.sum(dout, axis=1)
    for f in range(2):
        for i in range(3):
            dw[f] += x[i:i + 2]*dout[f, i]
            dx[i:i + 2] += w[f]*dout[f, i]
    return dx, dw, db
x = np.random.randn(4)
w = np.random.randn(2, 2)
b = np.random.randn(2)
out, cache = forward(x, w, b)
loss = np.sum(out**2)
dx, dw, db = backward(2*out, cache)
"""
SOFTMAX = """\
import numpy as np
np.random.seed(0)
def softmax_loss(W, X, y, reg):
    N = X.shape[0]
    scores = X.dot(W)
    probs = np.exp(scores)/np.sum(np.exp(scores), axis=1, keepdims=True)
    loss = -np.sum(np.log(probs[np.arange(N), y]))
    dscores = probs.copy()
    dscores[np.arange(N), y] -= 1
    dW = X.T.dot(dscores)
    loss /= N
    dW /= N
    loss += reg*np.sum(W*W)
    dW += 2*reg*W
    return loss, dW
X = np.random.randn(5, 4)
y = np.array([0, 2, 1, 1, 0])
W = np.random.randn(4, 3)*0.1
loss, dW = softmax_loss(W, X, y, 0.1)
"""
TORCH = """\
import torch
torch.manual_seed(0)
X = torch.randn(6, 3)
y = torch.tensor([0, 1, 1, 0, 2, 2])
W = torch.randn(3, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
logits = X @ W + b
loss = torch.nn.functional.cross_entropy(logits, y)
loss.backward()
def manual(X, y, logits):
    n = logits.shape[0]
    dlogits = torch.softmax(logits, 1)
    dlogits[range(n), y] -= 1
    dlogits /= n
    dW = X.T @ dlogits
    db = dlogits.sum(0)
    return dW, db
dW, db = manual(X, y, logits.detach())
"""
#: The function changes the array that it is given.
IN_PLACE = """\
import numpy as np
np.random.seed(0)
def backward(X, probs, y):
    dscores = probs
    dscores[np.arange(5), y] -= 1
    dscores /= 5
    dW = X.T.dot(dscores)
    db = np.sum(dscores, axis=0)
    return dW, db
X = np.random.randn(5, 4)
y = np.array([0, 2, 1, 1, 0])
W = np.random.randn(4, 3)*0.1
b = np.zeros(3)
e = np.exp(X.dot(W) + b)
probs = e/np.sum(e, axis=1, keepdims=True)
loss = -np.sum(np.log(probs[np.arange(5), y]))/5
dW, db = backward(X, probs, y)
"""
SCRIPTS = [NET, RNN_STEP, CONVOLUTION, SOFTMAX, TORCH, IN_PLACE]
NAMES = ["net", "rnn", "convolution", "softmax", "torch", "in_place"]


def wrong(script: str) -> set[str]:
    steps = check_steps(script, script, None if "backward()" in script else "loss")
    return {step.left.partition("/")[2] for step in steps if step.is_right is not True}


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_what_a_right_function_returns_is_right(script: str) -> None:
    assert wrong(script) == set()


@pytest.mark.parametrize(
    ("script", "before", "after", "names"),
    [
        (NET, "(1 - h**2)", "(1 - h)", "dx dW1"),
        (NET, "dw = x.T.dot(dout)", "dw = np.zeros(7)", "dW1 dW2"),
        (NET, "dw = x.T.dot(dout)", "dw = 3*x.T.dot(dout)", "dW1 dW2"),
        (NET, "return dx, dW1, dW2", "return dW1, dx, dW2", "dx dW1"),
        (NET, "dout = 2*(out - t)", "dout = out - t", "dout"),
        (RNN_STEP, "da.dot(Wh.T)", "da.dot(Wh)", "dprev"),
        (RNN_STEP, "np.sum(da, axis=0)", "np.sum(da, axis=0, keepdims=True)/3", "db"),
        (CONVOLUTION, "dx[i:i + 2] += ", "dx[i:i + 2] = ", "dx"),
        (CONVOLUTION, "dw = np.zeros_like(w)", "dw = np.ones_like(w)", "dw"),
        (CONVOLUTION, "np.sum(dout, axis=1)", "5*np.sum(dout, axis=1)", "db"),
        (SOFTMAX, "    dW /= N\n", "", "dW"),
        (SOFTMAX, "dW += 2*reg*W", "dW += reg*W", "dW"),
        (SOFTMAX, "y] -= 1", "y] += 1", "dW"),
        (TORCH, "    dlogits /= n\n", "", "dW db"),
        (TORCH, "dlogits.sum(0)", "dlogits.sum(1)", "db"),
        (IN_PLACE, "dscores /= 5", "dscores /= 4", "dW db"),
    ],
)
def test_a_mistake_in_a_function_is_found(script: str, before: str, after: str, names: str) -> None:
    assert before in script
    assert wrong(script.replace(before, after)) == set(names.split())


def test_names_that_comprehensions_and_lambdas_bind_are_their_own() -> None:
    script = "x = tensor([0.5, -1.])\nz = 2*x\nL = (z**2).sum()"
    assert [one.is_right for one in check_steps(script, "dx = [9*dz for dz in [1., 2.]]")] == [False]
    assert [one.is_right for one in check_steps(script, "dx = [dz for dz in 4*z]")] == [True]
    assert [one.is_right for one in check_steps(script, "dx = (lambda dz: dz[0]*x)([8.])")] == [True]
    wrong = "f = lambda dz, k=2: [dz[1], k]\ndx = f([1., 2.], k=3)"
    assert [one.is_right for one in check_steps(script, wrong)] == [False]


def test_a_name_that_a_function_reads_from_outside_has_its_right_value() -> None:
    script = "x = tensor([0.5, -1.])\nz = 2*x\nL = (z**2).sum()"
    found = check_steps(script, "dz = 3*z\ndef back(k):\n    return k*dz\ndx = back(2)")
    assert [one.is_right for one in found] == [False, True]


#: The function reads variables of the script, which a step of training changes later.
GLOBALS = """\
import numpy as np
np.random.seed(1)
X = np.random.randn(4, 3)
y = np.random.randn(4, 1)
W1 = np.random.randn(3, 5)
W2 = np.random.randn(5, 1)
def back_through(dz):
    return dz.dot(W2.T)
def backward():
    dz2 = 2*(a2 - y)/4
    dW2 = a1.T.dot(dz2)
    dz1 = back_through(dz2)*(1 - a1**2)
    dW1 = X.T.dot(dz1)
    return dW1, dW2
a1 = np.tanh(X.dot(W1))
a2 = a1.dot(W2)
loss = np.mean((a2 - y)**2)
dW1, dW2 = backward()
W1 -= 0.1*dW1
W2 -= 0.1*dW2
"""
IN_PLACE_GLOBALS = IN_PLACE.replace("(X, probs, y)", "()")


@pytest.mark.parametrize("script", [GLOBALS, IN_PLACE_GLOBALS])
def test_variables_that_a_function_reads_have_their_values_at_the_call(
    script: str,
) -> None:
    assert [one.is_right for one in check_steps(script, script, "loss")] == [True, True]


@pytest.mark.parametrize(
    ("script", "before", "after", "right"),
    [
        (GLOBALS, "(1 - a1**2)", "(1 - a1)", [False, True]),
        (GLOBALS, "dz.dot(W2.T)", "dz.dot(2*W2.T)", [False, True]),
        (IN_PLACE_GLOBALS, "dscores /= 5", "dscores /= 4", [False, False]),
    ],
)
def test_a_mistake_in_such_a_function_is_found(
    script: str, before: str, after: str, right: list[bool]
) -> None:
    assert before in script
    script = script.replace(before, after)
    assert [one.is_right for one in check_steps(script, script, "loss")] == right

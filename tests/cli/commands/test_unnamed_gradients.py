"""Training by hand that names no gradient, or no loss: what to write is shown, and is judged right then."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.unnamed_gradients import fixes_without_names

HEAD = "import numpy as np\nX = np.array([[0,0,1],[0,1,1],[1,0,1],[1,1,1]])\ny = np.array([[0,1,1,0]]).T\n"
ONE_LAYER = f"""\
{HEAD}def nonlin(x, deriv=False):
    if deriv == True:
        return x*(1-x)
    return 1/(1+np.exp(-x))

np.random.seed(1)
syn0 = 2*np.random.random((3,1)) - 1
for iter in range(20):
    l0 = X
    l1 = nonlin(np.dot(l0, syn0))
    l1_error = y - l1
    l1_delta = l1_error * nonlin(l1, True)
    syn0 += np.dot(l0.T, l1_delta)
print(l1)
"""
TWO_LAYERS = f"""\
{HEAD}np.random.seed(1)
syn0 = 2*np.random.random((3,4)) - 1
syn1 = 2*np.random.random((4,1)) - 1
for j in range(20):
    l1 = 1/(1+np.exp(-(np.dot(X,syn0))))
    l2 = 1/(1+np.exp(-(np.dot(l1,syn1))))
    l2_delta = (y - l2)*(l2*(1-l2))
    l1_delta = l2_delta.dot(syn1.T) * (l1 * (1-l1))
    syn1 += l1.T.dot(l2_delta)
    syn0 += X.T.dot(l1_delta)
"""
WITH_RATE = f"""\
{HEAD}alpha = 10
np.random.seed(1)
syn0 = 2*np.random.random((3,4)) - 1
syn1 = 2*np.random.random((4,1)) - 1
for j in range(20):
    l1 = 1/(1+np.exp(-np.dot(X,syn0)))
    l2 = 1/(1+np.exp(-np.dot(l1,syn1)))
    l2_error = l2 - y
    if j % 10 == 0:
        print("error", np.mean(np.abs(l2_error)))
    l2_delta = l2_error*l2*(1-l2)
    l1_error = l2_delta.dot(syn1.T)
    l1_delta = l1_error*l1*(1-l1)
    syn1 -= alpha * (l1.T.dot(l2_delta))
    syn0 = syn0 - X.T.dot(l1_delta) * alpha
"""
WITH_LOSS = """\
import numpy as np
x = np.array([1.,2.,3.])
t = np.array([2.,4.,6.5])
w = 0.5
for i in range(10):
    pred = x*w
    loss = ((pred-t)**2).sum()
    w -= 0.01 * 2*((pred-t)*x).sum()
"""
NUMBERS = """\
w = 0.5
for i in range(10):
    out = 3.0*w
    error = 2.0 - out
    w += 0.1 * error*3.0
"""
#: Scripts with the lines that are to be written, and mistakes in them.
SCRIPTS = {
    "one_layer": (ONE_LAYER, "L = np.sum((y - l1)**2)/2", ("x*(1-x)", "x*(2-x)")),
    "two_layers": (TWO_LAYERS, "dsyn0 = -(X.T.dot(l1_delta))", ("(l1 * (1-l1))", "(l1 * l1)")),
    "with_rate": (WITH_RATE, "syn0 -= alpha*dsyn0", ("l1_error*l1*(1-l1)", "l1_error*l1")),
    "with_loss": (WITH_LOSS, "dw = 2*((pred-t)*x).sum()", ("0.01 * 2*", "0.01 * 3*")),
    "numbers": (NUMBERS, "L = (2.0 - out)**2/2", ("error*3.0", "error*2.0")),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_repair_is_shown_and_judged(autodiff, write, name):
    text, line, (right, wrong) = SCRIPTS[name]
    done = autodiff("check", write(text), "--formula", "@")
    assert (done.returncode, done.out) == (2, "")
    assert line in done.err
    [fix] = fixes_without_names(Source(text))
    assert line in fix.apply(text)
    done = autodiff("check", write(fix.apply(text)), "--formula", "@")
    assert done.returncode == 0, done.out + done.err
    assert "right: " in done.out
    assert text.count(right) == 1
    [fix] = fixes_without_names(Source(text.replace(right, wrong)))
    assert autodiff("check", write(fix.apply(text.replace(right, wrong))), "--formula", "@").returncode == 1


def test_in_a_folder_the_warning_has_the_repair(autodiff, write):
    write(ONE_LAYER, "a.ad")
    done = autodiff("check", "--formula", "@", ".")
    assert "warning[W0100]: a.ad: nothing to check" in done.err
    assert "L = np.sum((y - l1)**2)/2" in done.err


@pytest.mark.parametrize(
    "text",
    [
        "w = 2.0\nfor i in range(3):\n    w -= 0.1\n",
        "w = 2.0\nt = 1.0\nfor i in range(3):\n    t += 1\n    y = w*t\n",
        "total = 0.0\nfor x in [1.0, 2.0]:\n    part = x*x\n    total += part\n",
        "w = 1.0\nfor i in range(3):\n    loss = (w - 2)**2\n    dw = 2*(w - 2)\n    w -= 0.1*dw\n",
    ],
)
def test_other_scripts_have_none(text):
    assert fixes_without_names(Source(text)) == ()

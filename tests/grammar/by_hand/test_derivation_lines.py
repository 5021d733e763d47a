"""Derivations as courses type them: helper lines, several lines for a derivative, functions and loops."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check_steps

#: Two layers with softmax and a penalty, as cs231n has them.
TWO_LAYERS = """\
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0, 2, 1])
W1 = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2]], requires_grad=True)
b1 = tensor([0.1, -0.2, 0.3], requires_grad=True)
W2 = tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
b2 = tensor([0.2, -0.1, 0.0], requires_grad=True)
reg = 0.1
hidden = relu(X @ W1 + b1)
scores = hidden @ W2 + b2
exp_scores = exp(scores)
probs = exp_scores / exp_scores.sum(1, keepdim=True)
loss = -log(probs[range(3), y]).mean() + 0.5*reg*((W1*W1).sum() + (W2*W2).sum())
"""
TWO_LAYERS_STEPS = '''\
"""The gradients of the loss."""
N = 3

def gated(g, out):
    return g*(out > 0)   # relu

dscores = probs
dscores[range(N), y] -= 1
dscores /= N
dW2 = np.dot(hidden.T, dscores)
db2 = np.sum(dscores, axis=0)
dhidden = dscores @ W2.T
dz = gated(dhidden, hidden)
dW1, db1 = X.T @ dz, dz.sum(0)
dW2 += reg * W2
dW1 += reg * W1
cmp('W1', dW1, W1)
print(dW1)
'''
#: What is changed in the steps, the line that is then wrong, and what is said about it.
MISTAKES = {
    "the_labels": ("-= 1", "-= 2", 9, "with 1 in place of 2 it is right (line 8)"),
    "the_mean": ("dscores /= N\n", "", 8, "a factor 3 is superfluous"),
    "the_transpose": ("np.dot(hidden.T,", "np.dot(hidden,", 15, "hidden must be transposed: hidden.T"),
    "the_penalty": ("dW1 += reg * W1", "dW1 += 2 * reg * W1", 16, "a factor 2 is superfluous"),
    "the_axis": (
        "np.sum(dscores, axis=0)",
        "np.sum(dscores, axis=1)",
        11,
        "with np.sum(dscores, axis=0) in place of",
    ),
    "the_gate": ("g*(out > 0)", "g*(out < 0)", 13, "entry [1, 1] is 0 and should be"),
}


def test_zeros_that_a_later_line_replaces_are_no_step() -> None:
    steps = "dh = zeros(2)\ndw = 0\ndh = 2*h\ndw = dh @ x\n"
    found = check_steps("x = [1.0, 2.0]\nw = 3.0\nh = w*x\nL = (h**2).sum()\n", steps)
    assert [(step.left, step.is_right) for step in found] == [("dL/dh", True), ("dL/dw", True)]


def test_two_layers_as_a_course_types_them() -> None:
    found = check_steps(TWO_LAYERS, TWO_LAYERS_STEPS)
    assert [(step.left, step.step[1] if step.step else 0, step.is_right) for step in found] == [
        ("dloss/dscores", 9, True),
        ("dloss/db2", 11, True),
        ("dloss/dhidden", 12, True),
        ("dloss/d(X @ W1 + b1)", 13, True),
        ("dloss/db1", 14, True),
        ("dloss/dW2", 15, True),
        ("dloss/dW1", 16, True),
    ]
    assert found[0].formula == "probs; then [range(N), y] -= 1; then /= N"
    assert found[5].formula == "np.dot(hidden.T, dscores) + (reg * W2)"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_at_its_line(name: str) -> None:
    right, wrong, line, says = MISTAKES[name]
    assert TWO_LAYERS_STEPS.count(right) == 1
    found = [
        one for one in check_steps(TWO_LAYERS, TWO_LAYERS_STEPS.replace(right, wrong)) if not one.is_right
    ]
    assert found[0].step == ("steps.txt", line)
    assert says in " ".join(found[0].remarks)


def test_names_of_their_own_have_the_values_that_the_lines_give_them() -> None:
    script = "x = 0.5\nh1 = tanh(x)\nh2 = tanh(h1)\nL = h2**2"
    text = "dh = 2*h2\nraw = dh*(1 - h2**2)\ndh1 = raw\ndh = raw\nraw = dh*(1 - h1**2)\ndx = raw"
    assert [step.is_right for step in check_steps(script, text)] == [True, True]
    found = check_steps(script, text.replace("dh = raw", "dh = 2*raw"))
    assert [step.is_right for step in found] == [True, False]


def test_a_derivative_that_is_added_to_later_has_its_part_in_between() -> None:
    script = "x = tensor([0.5, 2.])\ny = x*3\nm = x.mean()\nL = (y*y).sum()*m"
    text = "dx = 3*2*y*m\npart = dx/6\ndy = part*2\ndm = (y*y).sum()\ndx += dm/2\n"
    assert [step.is_right for step in check_steps(script, text)] == [True, True, True]
    text = "dy = 2*y*m\ndx = dy*3\ndx = dx + (y*y).sum()/2"
    assert [step.is_right for step in check_steps(script, text)] == [True, True]


def test_a_derivative_that_begins_before_a_loop_goes_through_it() -> None:
    script = "x = 2.\nh = 1.\nfor t in range(3):\n    h = h*x\nL = h**2"
    text = "dh = 2*h\ndx = 0\nfor t in reversed(range(3)):\n    dx += dh*x**t\n    dh = dh*x"
    for steps in (text, text.replace("dh = 2*h", "dh == 2*h")):
        found = check_steps(script, steps)
        assert [(one.left, one.is_right, one.points > 1) for one in found] == [
            ("dL/dh_3", True, True),
            ("dL/dx", True, True),
        ]
    found = check_steps(script, text.replace("dh = dh*x", "dh = dh*2*x"))
    assert [one.step for one in found if not one.is_right] == [("steps.txt", 5)]


def test_constants_of_the_lines_are_not_those_of_the_script() -> None:
    script = "c = 2.\nx = 3.\nL = c*x**2"
    assert check_steps(script, "c = 2.\ndx = 2*c*x")[0].is_right
    assert check_steps(script, "k = 4*x\ndx = k*c/2")[0].is_right
    assert check_steps(script, "c = 4.\ndx = c*x")[0].is_right is False  # right for c = 2 alone
    assert check_steps("n = tensor(2.)\nw = tensor(3., requires_grad=True)\nL = n*w", "n = 2.\ndw = n")[
        0
    ].varied == ["n"]


@pytest.mark.parametrize(
    ("text", "marked", "says"),
    [
        (
            "db2 = dscores.sum(0)\ndW2 = hiden.T @ dscores",
            "hiden",
            "name 'hiden' is not defined",
        ),
        ("n = 3\nm = n + sclae\ndb2 = dscores.sum(0)*m", "sclae", "steps.txt:2: name 'sclae'"),
        (
            "db2 = dscores.sum(0)\n# more\nfor i in range(2):\n    db2 += dscoress[i]",
            "dscoress",
            "name 'dscoress'",
        ),
        ("dscores[0] -= 1", "", "steps.txt:1: `dscores` is changed before it has a value"),
    ],
)
def test_errors_point_into_the_file(text: str, marked: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_steps(TWO_LAYERS, text)
    error = raised.value
    assert says in error.message
    if marked:
        assert error.source is not None
        assert error.span is not None
        assert (error.source.name, error.source.excerpt(error.span)) == ("steps.txt", marked)


def test_another_number_of_the_script_is_named_and_not_its_factor() -> None:
    script = (
        "X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])\ny = tensor([0, 1, 1])\nN = 3\nK = 2\n"
        "W = tensor([[0.5, -0.3], [-0.7, 0.4]], requires_grad=True)\nscores = X @ W\n"
        "p = softmax(scores, 1)\nL = -log(p[range(N), y]).sum()/N"
    )
    text = "dscores = p\ndscores[range(N), y] -= 1\ndscores /= N\ndW = X.T @ dscores"
    assert [step.is_right for step in check_steps(script, text)] == [True, True]
    for wrong in ("dscores /= K", "dscores = dscores/K"):
        found = check_steps(script, text.replace("dscores /= N", wrong))
        assert [step.is_right for step in found] == [False, True]
        assert found[0].remarks == ["with N in place of K it is right (line 3)"]


def test_gradients_of_layers_in_a_list_are_run_as_they_stand() -> None:
    script = (
        "x = tensor([0.9, -0.4])\nWs = [tensor([[0.5, -0.3], [-0.7, 0.4]], requires_grad=True),"
        " tensor([[0.4, -0.9], [1.1, 0.3]], requires_grad=True)]\nacts = [x]\n"
        "for W in Ws:\n    acts.append(tanh(W @ acts[-1]))\nL = (acts[-1]**2).sum()"
    )
    text = (
        "grad = 2*acts[-1]\ndWs = []\nfor i in reversed(range(2)):\n    grad = grad*(1 - acts[i+1]**2)\n"
        "    dWs.insert(0, outer(grad, acts[i]))\n    grad = Ws[i].T @ grad\ndx = grad"
    )
    assert [step.is_right for step in check_steps(script, text)] == [True, True]
    found = check_steps(script, text.replace("1 - acts", "1 + acts"))
    assert [step.step for step in found if not step.is_right] == [("steps.txt", 4)]


CLASSIFIER = """\
import numpy as np
X = np.array([[0.5, -1.2, 0.3], [1.0, 0.4, -0.7]])
y = np.array([0, 1])
W = np.array([[0.2, -0.1], [0.3, 0.4], [-0.5, 0.1]])
scores = np.dot(X, W)
exp_scores = np.exp(scores)
probs = exp_scores / np.sum(exp_scores, axis=1, keepdims=True)
N = X.shape[0]
loss = np.sum(-np.log(probs[range(N), y])) / N
"""
CLASSIFIER_STEPS = """\
dscores = probs.copy()
dscores[range(N), y] -= 1
dscores /= N
dW = np.dot(X.T, dscores)
"""


def test_lines_that_repeat_the_script_leave_its_names_as_they_are() -> None:
    found = check_steps(CLASSIFIER, CLASSIFIER + CLASSIFIER_STEPS)
    assert [(check.is_right, check.remarks) for check in found] == [(True, [])] * 2
    assert all(check.points > 1 for check in found)
    [_, wrong] = check_steps(CLASSIFIER, CLASSIFIER.replace("-0.7", "0.7") + CLASSIFIER_STEPS)
    assert wrong.is_right is wrong.is_right_here is False
    listed = check_steps(
        "x = [1., 2.]\nw = [3., -1.]\nL = (x[0]*w[0] + x[1]*w[1])**2",
        "x = [1., 2.]\ndw == [2*(x[0]*w[0] + x[1]*w[1])*x[0], 2*(x[0]*w[0] + x[1]*w[1])*x[1]]",
    )
    assert [check.is_right for check in listed] == [True]


NETWORK = """\
import numpy as np
X = np.array([[0.5, -1.2, 0.3], [1.0, 0.4, -0.7]])
W = np.array([[0.2, -0.1], [0.3, 0.4], [-0.5, 0.1]])
b = np.array([[0.1, -0.2]])
z = np.dot(X, W) + b
h = np.tanh(z)
loss = np.sum(h ** 2)
"""
NETWORK_STEPS = """\
dh = 2 * h
dz = dh * (1 - h ** 2)
dW = np.dot(X.T, dz)
db = np.sum(dz, axis=0, keepdims=True)
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("np.dot(X.T, dz)", "np.dot(X.T, dh)", "with dz in place of dh it is right"),
        ("np.sum(dz, axis=0", "np.sum(dh, axis=0", "with dz in place of dh it is right"),
        (
            ", axis=0, keepdims=True",
            "",
            "with np.sum(dz, axis=0, keepdims=True) in place of np.sum(dz) it is",
        ),
        (
            "axis=0, ",
            "",
            "with np.sum(dz, keepdims=True, axis=0) in place of np.sum(dz, keepdims=True) it is",
        ),
        ("np.sum(dz, axis=0, keepdims=True)", "dz", "the sum over 2 entries is missing"),
        (
            "np.sum(dz, axis=0, keepdims=True)",
            "dz.sum()",
            "with dz.sum(axis=0, keepdims=True) in place of dz.sum()",
        ),
        ("np.sum(dz, axis=0, keepdims=True)", "dz.copy(); db *= 1", "the sum over 2 entries is missing"),
    ],
)
def test_another_gradient_and_a_sum_that_is_missing_are_named(before: str, after: str, told: str) -> None:
    assert [check.is_right for check in check_steps(NETWORK, NETWORK_STEPS)] == [True] * 4
    found = check_steps(NETWORK, NETWORK_STEPS.replace(before, after))
    [wrong] = [check for check in found if not check.is_right]
    assert told in " ".join(wrong.remarks)


BELOW_NO_GRAD = """\
L.backward(retain_graph=True)
with torch.no_grad():
    dh = 2*h
    for k in range(1):
        dh = dh*1
    dw = x.T @ dh
print(w.grad)
"""


def test_lines_below_no_grad_are_steps() -> None:
    script = (
        "x = tensor([[0.5, -1.]])\nw = tensor([[2.], [0.3]], requires_grad=True)\nh = x @ w\nL = (h**2).sum()"
    )
    found = check_steps(script, BELOW_NO_GRAD)
    assert (found[-1].left, [one.is_right for one in found]) == ("dL/dw", [True] * len(found))
    found = check_steps(script, BELOW_NO_GRAD.replace("@ dh", "@ h"))
    assert [one.step for one in found if not one.is_right] == [("steps.txt", 6)]


RELU = """\
x = [[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]]
W = [[0.2, -0.4, 0.6], [0.7, 0.1, -0.3]]
b = [0.1, -0.3, 0.05]
v = [0.3, -0.8, 0.9]
h = relu(x @ W + b)
L = ((h @ v)**2).sum() + 0.05*(W*W).sum()
"""


def test_a_mask_that_is_missing_before_the_only_line_that_needs_it() -> None:
    steps = "dout = 2*(h @ v)\ndh = outer(dout, v)\n"
    for last, told in (
        ("db = dh.sum(0)\n", "the factor dh/d(x @ W + b) = [x @ W + b > 0] is missing beside dh"),
        ("dW = x.T.dot(dh)\ndW += 0.1*W\n", "a line is missing before it: dh = dh*(h > 0)"),
    ):
        found = check_steps(RELU, steps + last)
        assert [step.is_right for step in found] == [True, True, False]
        assert found[2].remarks[0] == told
    found = check_steps(RELU, steps + "dh = dh*(h > 0)\ndb = dh.sum(0)\n")
    assert all(step.is_right for step in found)

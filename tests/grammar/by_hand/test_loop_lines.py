"""Wrong lines in the loops of a derivation: each is named with the first turn where it is wrong."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

#: A recurrent net over characters, whose results are in lists.
RECURRENT = """\
Wxh = tensor([[0.3, -0.2, 0.5], [0.1, 0.4, -0.3]], requires_grad=True)
Whh = tensor([[0.2, 0.5], [-0.4, 0.1]], requires_grad=True)
Why = tensor([[0.7, -0.1], [0.2, 0.6], [-0.5, 0.3]], requires_grad=True)
bh = tensor([[0.05], [-0.1]], requires_grad=True)
inputs, targets = [0, 2, 1], [2, 1, 0]
xs, hs, ps = [], [zeros(2, 1)], []
loss = 0
for t in range(len(inputs)):
    xs.append(F.one_hot(tensor(inputs[t]), 3).double().reshape(3, 1))
    hs.append(tanh(Wxh @ xs[t] + Whh @ hs[t] + bh))
    ps.append(softmax(Why @ hs[t + 1], 0))
    loss = loss - log(ps[t][targets[t], 0])
"""
BACKWARDS = """\
dWxh, dWhh, dWhy = zeros_like(Wxh), zeros_like(Whh), zeros_like(Why)
dbh = zeros_like(bh)
dhnext = zeros_like(hs[0])
for t in reversed(range(len(inputs))):
    dy = ps[t].clone()
    dy[targets[t]] -= 1
    dWhy += dy @ hs[t+1].T
    dh = Why.T @ dy + dhnext
    dhraw = (1 - hs[t+1]*hs[t+1])*dh
    dbh += dhraw
    dWxh += dhraw @ xs[t].T
    dWhh += dhraw @ hs[t].T
    dhnext = Whh.T @ dhraw
"""
#: Three examples, all at once; the derivations go from one to the next.
EXAMPLES = """\
import numpy as np
X = np.array([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
Y = np.array([[0.2, 0.1], [1.0, -0.3], [1.5, 0.4]])
W1 = np.array([[0.5, -0.3], [0.8, -0.7], [0.4, 0.2]])
b1 = np.array([0.1, -0.2, 0.3])
W2 = np.array([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6]])
b2 = np.array([0.2, -0.1])
Z1 = X @ W1.T + b1
A1 = np.tanh(Z1)
Z2 = A1 @ W2.T + b2
A2 = 1/(1 + np.exp(-Z2))
C = 0.5*np.sum((A2 - Y)**2)/3
"""
EACH_EXAMPLE = """\
n = 3
dW1 = np.zeros(W1.shape); db1 = np.zeros(b1.shape)
dW2 = np.zeros(W2.shape); db2 = np.zeros(b2.shape)
for x, y in zip(X, Y):
    a1 = np.tanh(W1 @ x + b1)
    z2 = W2 @ a1 + b2
    a2 = 1/(1 + np.exp(-z2))
    delta = (a2 - y)*a2*(1 - a2)/n
    dW2 += np.outer(delta, a1)
    db2 += delta
    delta = W2.T @ delta * (1 - a1**2)
    dW1 += np.outer(delta, x)
    db1 += delta
"""
EACH_ENTRY = """\
dW1 = np.zeros(W1.shape); db1 = np.zeros(b1.shape)
dW2 = np.zeros(W2.shape); db2 = np.zeros(b2.shape)
for i in range(3):
    d2 = (A2[i] - Y[i])*A2[i]*(1 - A2[i])/3
    for j in range(2):
        dW2[j] += d2[j]*A1[i]
        db2[j] += d2[j]
    d1 = np.zeros(3)
    for k in range(3):
        for j in range(2):
            d1[k] += W2[j, k]*d2[j]
        d1[k] *= 1 - A1[i, k]**2
    dW1 += np.outer(d1, X[i])
    db1 += d1
"""
#: Three layers whose weights are in a list.
LAYERS = """\
import numpy as np
x = np.array([[0.5], [-0.3]])
t = np.array([[0.2], [0.7]])
W1 = np.array([[0.5, -0.3], [0.8, 0.6], [-0.7, 0.4]])
W2 = np.array([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [0.3, -0.2, 0.9]])
W3 = np.array([[0.2, -0.5, 0.7], [0.6, 0.1, -0.4]])
Ws = [W1, W2, W3]
acts = [x]
zs = []
a = x
for W in Ws:
    z = W @ a
    a = np.tanh(z)
    zs.append(z)
    acts.append(a)
L = 0.5*np.sum((a - t)**2)
"""
EACH_LAYER = """\
delta = (acts[-1] - t)*(1 - acts[-1]**2)
nabla = [0, 0, 0]
for l in [2, 1, 0]:
    nabla[l] = delta @ acts[l].T
    if l > 0:
        back = Ws[l].T @ delta
        delta = back*(1 - acts[l]**2)
dW1 = nabla[0]
dW2 = nabla[1]
dW3 = nabla[2]
"""
#: By name: a script, its steps, and mistakes: a text, another in its place, the line, what is said about it.
CASES: dict[str, tuple[str, str, list[tuple[str, str, int, str]]]] = {
    "time_steps": (
        RECURRENT,
        BACKWARDS,
        [
            (" + dhnext", "", 8, "`dh` is wrong for t = 1 first: the term dhnext is missing (line 8)"),
            ("Whh.T @ dhraw", "Whh @ dhraw", 13, "for t = 2 first: Whh must be transposed: Whh.T (line 13)"),
            (
                "dhraw @ hs[t].T",
                "dhraw @ hs[t+1].T",
                12,
                "with hs[t] in place of hs[t+1] (the 4th of 4) it is right (line 12)",
            ),
        ],
    ),
    "examples": (
        EXAMPLES,
        EACH_EXAMPLE,
        [
            ("(a2 - y)", "(y - a2)", 8, "`delta` is wrong in turn 1 of the loop first: the sign is wrong"),
            ("(1 - a1**2)", "(1 - a1)", 11, "`delta` is wrong in turn 1 of the loop first"),
        ],
    ),
    "entries": (
        EXAMPLES,
        EACH_ENTRY,
        [
            ("(A2[i] - Y[i])", "(Y[i] - A2[i])", 4, "`d2` is wrong for i = 0 first: the sign is wrong"),
            ("1 - A1[i, k]", "1 + A1[i, k]", 11, "the sign of the term A1[i, k]**2 is wrong (line 12)"),
        ],
    ),
    "layers": (
        LAYERS,
        EACH_LAYER,
        [
            ("(acts[-1] - t)", "(t - acts[-1])", 1, "the sign is wrong"),
            ("Ws[l].T", "2*Ws[l].T", 6, "`back` is wrong for l = 2 first: it is twice what it should be"),
            (
                "delta @ acts[l].T",
                "-delta @ acts[l].T",
                4,
                "`nabla[l]` is wrong for l = 2 first: the sign",
            ),
        ],
    ),
}


def test_a_loop_back_through_time() -> None:
    found = check_steps(RECURRENT, BACKWARDS)
    assert [(step.left, step.step, step.is_right, step.points) for step in found] == [
        ("dloss/dWhy", ("steps.txt", 7), True, 6),
        ("dloss/dbh", ("steps.txt", 10), True, 6),
        ("dloss/dWxh", ("steps.txt", 11), True, 6),
        ("dloss/dWhh", ("steps.txt", 12), True, 6),
    ]


@pytest.mark.parametrize("name", CASES)
def test_right_loops_are_right(name: str) -> None:
    script, steps, _ = CASES[name]
    assert all(one.is_right and not one.remarks and one.points == 6 for one in check_steps(script, steps))


@pytest.mark.parametrize(
    ("name", "right", "wrong", "line", "says"),
    [(name, *one) for name, case in CASES.items() for one in case[2]],
)
def test_a_mistake_is_at_its_line_and_turn(name: str, right: str, wrong: str, line: int, says: str) -> None:
    script, steps, _ = CASES[name]
    assert steps.count(right) == 1
    [told] = [one for one in check_steps(script, steps.replace(right, wrong)) if one.is_right is not True]
    assert (told.is_right, told.step) == (False, ("steps.txt", line))
    assert says in told.remarks[0]


def test_two_wrong_lines_of_a_loop_are_both_named() -> None:
    steps = BACKWARDS.replace(" + dhnext", "").replace("dhraw @ xs", "-dhraw @ xs").replace("-= 1", "-= 2")
    found = check_steps(RECURRENT, steps)
    assert [one.step for one in found if not one.is_right] == [("steps.txt", line) for line in (6, 8, 11)]

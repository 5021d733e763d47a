"""``dhidden`` stands for the gradient of ``hidden_layer``, and results of one call are steps of their own."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

NET = """\
x = tensor([[0.9, -0.4, 0.3], [-1.1, 0.7, 0.8]])
y = tensor([2, 0])
W1 = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2], [0.1, 0.9, -0.6]], requires_grad=True)
b1 = tensor([[0.1, -0.2, 0.3]], requires_grad=True)
W2 = tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
b2 = tensor([[0.2, -0.1, 0.0]], requires_grad=True)
hidden_layer = relu(x @ W1 + b1)
scores = hidden_layer @ W2 + b2
p = softmax(scores, 1)
L = -log(p[range(2), y]).mean()
"""
NET_STEPS = """\
dscores = p.clone()
dscores[range(2), y] -= 1
dscores /= 2
dW2 = hidden_layer.T @ dscores
db2 = np.sum(dscores, axis=0, keepdims=True)
dhidden = np.dot(dscores, W2.T)
dhidden[hidden_layer <= 0] = 0
dW1 = np.dot(x.T, dhidden)
db1 = np.sum(dhidden, axis=0, keepdims=True)
"""
SQUARES = """\
w = 1.5
x = 0.4
pred_value = w*x
L = (pred_value - 1)**2
"""
SQUARES_STEPS = "dpred = 2*(pred_value - 1)\ndw = dpred*x\n"
SIGMOIDS = """\
x = tensor([0.3, -1.2, 0.5])
w = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2], [0.1, 0.9, -0.6]], requires_grad=True)
layer_act = sigmoid(w @ x)
L = (layer_act**3).sum()
"""
SIGMOIDS_STEPS = "dact = 3*layer_act**2\ndact *= layer_act*(1 - layer_act)\ndw = outer(dact, x)\n"
CALLS = """\
def affine_backward(dout, x, w):
    return dout @ w.T, x.T @ dout, dout.sum(0, keepdim=True)

dscores = p.clone()
dscores[range(2), y] -= 1
dscores /= 2
dhidden_layer, dW2, db2 = affine_backward(dscores, hidden_layer, W2)
dhidden_layer = dhidden_layer*(hidden_layer > 0)
dx, dW1, db1 = affine_backward(dhidden_layer, x, W1)
"""


@pytest.mark.parametrize(
    ("script", "steps", "mistakes"),
    [
        (
            NET,
            NET_STEPS,
            [
                ("dscores, W2.T", "dscores, W2", 6),
                ("layer <= 0", "layer > 0", 7),
                ("dhidden[hidden_layer <= 0] = 0\n", "", 7),
                ("x.T, dhidden", "x, dhidden", 8),
                ("np.sum(dhidden", "np.mean(dhidden", 9),
            ],
        ),
        (SQUARES, SQUARES_STEPS, [("2*(p", "(p", 1), ("dpred*x", "dpred*w", 2)]),
        (SIGMOIDS, SIGMOIDS_STEPS, [("3*", "", 1), ("(1 - l", "(1 + l", 2), ("dact, x", "x, dact", 3)]),
        (
            NET,
            CALLS,
            [
                ("(hidden_layer > 0)", "(hidden_layer < 0)", 8),
                ("dx, dW1, db1 =", "db1, dW1, dx =", 9),
                ("affine_backward(dscores, hidden_layer", "affine_backward(dscores, x", 7),
            ],
        ),
    ],
)
def test_each_mistake_is_at_its_own_line(
    script: str, steps: str, mistakes: list[tuple[str, str, int]]
) -> None:
    assert all(one.is_right for one in check_steps(script, steps))
    for right, wrong, line in mistakes:
        assert steps.count(right) == 1
        found = check_steps(script, steps.replace(right, wrong))
        assert {one.step for one in found if one.is_right is not True} == {("steps.txt", line)}


def test_a_part_of_a_gradient_is_no_guess() -> None:
    """``dx1`` is a part of ``dx`` and ``dmean`` has another shape than ``row_mean``: neither is compared."""
    script = "x = tensor([0.5, 2.])\nrow_mean = x.mean()\nL = (x*x).sum()*row_mean"
    found = check_steps(script, "dmean = (x*x)*1\ndx1 = 2*x*row_mean\ndx2 = dmean.sum()/2\ndx = dx1 + dx2\n")
    assert [(one.left, one.is_right) for one in found] == [("dL/dx", True)]

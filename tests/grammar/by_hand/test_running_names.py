"""Names that stand for one gradient after another: each line is compared with the gradient it makes."""

from __future__ import annotations

import pytest
from autodiff.grammar.by_hand.check import HandCheck
from hand_checks import check_steps

RELU = """\
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
y = tensor([0, 2, 1])
W1 = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2]], requires_grad=True)
b1 = tensor([0.1, -0.2, 0.3], requires_grad=True)
W2 = tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
b2 = tensor([0.2, -0.1, 0.0], requires_grad=True)
h = relu(X@W1 + b1)
scores = h@W2 + b2
probs = softmax(scores, 1)
loss = -log(probs[range(3), y]).mean()
"""
RELU_STEPS = """\
dscores = probs
dscores[range(3), y] -= 1
dscores /= 3
dW2 = h.T @ dscores
db2 = dscores.sum(axis=0)
dh = dscores @ W2.T
MASK
dW1 = X.T @ dh
db1 = dh.sum(axis=0)
"""
#: Three layers with another function in each; ``dout`` goes back through all of them.
LAYERS = """\
x = tensor([[0.9, -0.4, 0.3], [-1.1, 0.7, 0.8]])
t = tensor([[1., 0., 0.5], [0., 1., -0.2]])
W1 = tensor([[0.5, -0.3, 0.8], [-0.7, 0.4, 0.2], [0.1, 0.9, -0.6]], requires_grad=True)
W2 = tensor([[0.4, -0.9, 0.2], [1.1, 0.3, -0.6], [-0.2, 0.7, 0.5]], requires_grad=True)
W3 = tensor([[0.3, 0.8, -0.2], [-0.4, 0.6, 0.9], [0.5, -0.1, 0.7]], requires_grad=True)
a1 = sigmoid(x @ W1)
a2 = tanh(a1 @ W2)
out = a2 @ W3
L = ((out - t)**2).sum()/2
"""
LAYERS_STEPS = """\
dout = out - t
dW3 = a2.T @ dout
dout = dout @ W3.T
dout *= 1 - a2**2
dW2 = a1.T @ dout
dout = dout @ W2.T
dout = dout * a1 * (1 - a1)
dW1 = x.T @ dout
dx = dout @ W1.T
"""
#: One number, with dropout and a squared output.
NUMBERS = """\
x = 0.7
w = 1.3
keep = 0.8
h = softplus(w*x)
d = h/keep
L = (d - 2)**2
"""
NUMBERS_STEPS = """\
dd = 2*(d - 2)
dh = dd/keep
dh = dh*(1 - exp(-h))
dw = dh*x
dx = dh*w
"""


def verdicts(found: list[HandCheck]) -> list[tuple[int, str, bool | None]]:
    return [(0 if one.step is None else one.step[1], one.left, one.is_right) for one in found]


@pytest.mark.parametrize(
    "line",
    [
        "dh[h <= 0] = 0",
        "dh *= (h > 0)",
        "dh = dh * (h > 0)",
        "dh[X@W1 + b1 < 0] = 0",
        "dh = where(h > 0, dh, 0)",
    ],
)
def test_a_mask_leads_on_to_what_went_into_relu(line: str) -> None:
    assert verdicts(check_steps(RELU, RELU_STEPS.replace("MASK", line))) == [
        (3, "dloss/dscores", True),
        (4, "dloss/dW2", True),
        (5, "dloss/db2", True),
        (6, "dloss/dh", True),
        (7, "dloss/d(X@W1 + b1)", True),
        (8, "dloss/dW1", True),
        (9, "dloss/db1", True),
    ]


@pytest.mark.parametrize(
    ("function", "line", "wrong"),
    [
        ("tanh", "dh = dh * (1 - h**2)", "dh = dh * (1 - h)"),
        ("sigmoid", "dh *= h*(1-h)", "dh *= 1-h"),
        ("exp", "dh = h*dh", "dh = 2*dh"),
    ],
)
def test_a_factor_leads_on_to_what_went_into_a_function(function: str, line: str, wrong: str) -> None:
    found = check_steps(RELU.replace("relu", function), RELU_STEPS.replace("MASK", line))
    assert [one.is_right for one in found] == [True] * 7
    found = check_steps(RELU.replace("relu", function), RELU_STEPS.replace("MASK", wrong))
    assert [one.step for one in found if one.is_right is not True] == [("steps.txt", 7)]


@pytest.mark.parametrize(
    "line",
    ["dh[h < -1] = 0", "dh[h > 0] = 0", "dh[h <= 0] = 1", "dh *= (h > 1)", "dh = dh * (h < 0)", "dh *= h"],
)
def test_a_wrong_mask_is_wrong_at_its_own_line(line: str) -> None:
    found = check_steps(RELU, RELU_STEPS.replace("MASK", line))
    assert [one.step for one in found if one.is_right is not True] == [("steps.txt", 7)]
    assert found[4].is_right is False
    assert found[4].remarks[-1] == "expected: dh = dh*(h > 0)"


@pytest.mark.parametrize("labels", ["[0, 2, 1]", "np.array([0, 2, 1])"])
def test_labels_of_a_numpy_script_are_positions_in_its_steps(labels: str) -> None:
    script = RELU.replace(", requires_grad=True", "").replace("y = tensor([0, 2, 1])", f"y = {labels}")
    script = "import numpy as np\n" + script.replace("relu(", "np.maximum(0, ").replace("tensor", "np.array")
    assert [one.is_right for one in check_steps(script, RELU_STEPS.replace("MASK", "dh[h <= 0] = 0"))] == [
        True
    ] * 7


def test_a_mask_left_out_is_told_where_it_is_missed_first() -> None:
    found = check_steps(RELU, RELU_STEPS.replace("MASK\n", ""))
    assert [one.left for one in found if one.is_right is not True] == ["dloss/dW1"]
    assert found[4].remarks[-1] == "a line is missing before it: dh = dh*(h > 0)"


def test_one_name_goes_back_through_all_layers() -> None:
    assert verdicts(check_steps(LAYERS, LAYERS_STEPS)) == [
        (1, "dL/dout", True),
        (2, "dL/dW3", True),
        (3, "dL/da2", True),
        (4, "dL/d(a1 @ W2)", True),
        (5, "dL/dW2", True),
        (6, "dL/da1", True),
        (7, "dL/d(x @ W1)", True),
        (8, "dL/dW1", True),
        (9, "dL/dx", True),
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ("out - t\n", "t - out\n", 1, "the sign is wrong"),
        ("a2.T @", "a2 @", 2, "a2 must be transposed: a2.T"),
        ("dout @ W3.T", "dout @ W3", 3, "expected: dout = dout @ W3.T"),
        ("1 - a2**2", "1 + a2**2", 4, "expected: dout = dout*(1 - a2**2)"),
        ("dout *= 1 - a2**2\n", "", 4, "a line is missing before it: dout = dout*(1 - a2**2)"),
        ("a1.T @", "a2.T @", 5, "with a1 in place of a2 it is right"),
        ("dout @ W2.T", "dout @ W1.T", 6, "expected: dout = dout @ W2.T"),
        ("dout * a1 *", "dout *", 7, "expected: dout = dout*a1*(1 - a1)"),
        ("dout = dout * a1 * (1 - a1)\n", "", 7, "a line is missing before it: dout = dout*a1*(1 - a1)"),
        ("x.T @", "-x.T @", 8, "the sign is wrong"),
        ("@ W1.T", "@ W1", 9, "W1 must be transposed: W1.T"),
    ],
)
def test_a_mistake_in_a_chain_is_at_its_line(right: str, wrong: str, line: int, says: str) -> None:
    assert LAYERS_STEPS.count(right) == 1
    found = check_steps(LAYERS, LAYERS_STEPS.replace(right, wrong))
    assert [one.step for one in found if one.is_right is not True] == [("steps.txt", line)]
    assert says in " ".join(remark for one in found for remark in one.remarks)


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("2*(d - 2)", "(d - 2)", 1),
        ("dd/keep", "dd*keep", 2),
        ("1 - exp(-h)", "exp(-h)", 3),
        ("dh*x", "dh*w", 4),
        ("dh*w", "dd*w", 5),
    ],
)
def test_a_name_of_one_number_goes_on_too(right: str, wrong: str, line: int) -> None:
    assert [one.is_right for one in check_steps(NUMBERS, NUMBERS_STEPS)] == [True] * 5
    found = check_steps(NUMBERS, NUMBERS_STEPS.replace(right, wrong, 1))
    assert [one.step for one in found if one.is_right is not True] == [("steps.txt", line)]


def test_the_last_line_may_be_about_data_that_nothing_is_recorded_for() -> None:
    steps = LAYERS_STEPS.replace("dx = dout", "dout = dout")
    assert verdicts(check_steps(LAYERS, steps))[-1] == (9, "dL/dx", True)
    found = check_steps(LAYERS, steps.replace("@ W1.T", "@ W1"))
    assert verdicts([one for one in found if not one.is_right]) == [(9, "dL/dx", False)]


#: ``h`` has two values; where the first is 0 the second is too, and the mask of relu changes nothing.
DROPOUT = """\
x = tensor([[0.3, -1.0], [1.0, 0.5]])
W = tensor([[0.4, -0.3], [0.2, 0.9]], requires_grad=True)
M = tensor([[1.25, 0.0], [1.25, 1.25]])
h = relu(x @ W)
h = h*M
L = (h**2).sum()
"""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("dh = 2*h\ndh = dh * M\ndh[h <= 0] = 0\ndW = x.T @ dh", ["dL/dh", "dL/dh_0", "dL/dW"]),
        ("dh = 2*h * M\ndh[h <= 0] = 0\ndW = x.T @ dh", ["dL/dh_0", "dL/dW"]),
        ("dh = 2*h * M\ndz = dh * (h > 0)\ndW = x.T @ dz", ["dL/dh_0", "dL/dh_0", "dL/dW"]),
    ],
)
def test_a_name_of_the_script_with_several_values(text: str, left: list[str]) -> None:
    found = check_steps(DROPOUT, text)
    assert [(step.left, step.is_right) for step in found] == [(one, True) for one in left]
    about_first = next(step for step in found if step.left == "dL/dh_0")
    assert about_first.remarks[0].startswith("the derivative is by the first h (line 4)")
    wrong = check_steps(DROPOUT, text.replace("2*h", "3*h"))
    assert not wrong[0].is_right


def test_a_mask_that_changes_nothing_by_mistake_is_wrong() -> None:
    found = check_steps(DROPOUT, "dh = 2*h + 1\ndh = dh * M\ndh[h < 0] = 0\ndW = x.T @ dh")
    assert not all(step.is_right for step in found)
    script = DROPOUT.replace("(h**2)", "((h + 1)**2)")
    text = "dh = 2*h + 2\ndh = dh * M\ndh[h <= 0] = 0\ndW = x.T @ dh"
    assert all(step.is_right for step in check_steps(script, text))
    found = check_steps(script, text.replace("<=", "<"))
    assert [step.is_right for step in found] != [True] * len(found)


def test_lines_behind_the_first_of_a_later_step_begin_with_its_value() -> None:
    text = LAYERS_STEPS.replace("dout = dout * a1 * (1 - a1)", "dout = dout * a1\ndout *= 1 - a1")
    assert all(step.is_right for step in check_steps(LAYERS, text))
    assert not all(step.is_right for step in check_steps(LAYERS, text.replace("dout * a1", "dout * a1**2")))

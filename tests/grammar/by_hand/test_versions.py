"""Formulas of names that are assigned more than once: which value is meant is said, the others are tried."""

from __future__ import annotations

import pytest
from hand_checks import check, check_steps

TWICE = "x = 3.\nx = x*2\nx = x*2\nL = x**2"
LOOP = "h = 0.5\nw = 1.5\nfor i in range(3):\n    w = w*h\nL = w**2"
MEANT = "the derivative is by the first x (line 1), and `x` in the formula is the last x (line 3)"


@pytest.mark.parametrize(
    ("script", "formula", "is_right", "remarks"),
    [
        (TWICE, "dL/dx == 8*x", True, [MEANT]),
        (TWICE, "dL/dx == 2*x", False, ["it is the derivative by the last x (line 3): dL/dx_2", MEANT]),
        (TWICE, "dL/dx == 32*x", True, ["`x` in the formula is the first x (line 1)"]),
        (TWICE, "dL/dx == 4*x", False, ["it is the derivative by the x of line 2: dL/dx_1", MEANT]),
        (TWICE, "dL/dx == 16*x", False, ["with the x of line 2 in the formula it is right", MEANT]),
        (LOOP, "dL/dh == 6*w**2/h", True, ["`w` in the formula is the last w (line 4)"]),
        (LOOP, "dL/dh == 6*1.5*w*h**2", True, ["`w` in the formula is the last w (line 4)"]),
        (LOOP, "dL/dw == 2*w*h**6", True, ["`w` in the formula is the first w (line 2)"]),
    ],
)
def test_versions(script: str, formula: str, is_right: bool, remarks: list[str]) -> None:
    found = check(script, formula)
    assert (found.is_right, found.remarks) == (is_right, remarks)


IMAGE = """import numpy as np
x = np.array([0.5, -1.0, 2.0, 0.3])
k = np.array([0.2, -0.5])
y = np.{}
for i in range(3):
    y[i] {} np.sum(x[i:i+2] * k)
loss = 0.5 * np.sum(y**2)
"""
IMAGE_STEPS = """dy = y
dk = np.zeros(2)
for i in range(3):
    dk += dy[i] * x[i:i+2]
"""


@pytest.mark.parametrize("start", ["zeros(3)", "zeros((3,), dtype=float)", "full(3, 0.5)"])
@pytest.mark.parametrize("sign", ["=", "+="])
def test_an_array_that_is_filled_means_its_last_value(start: str, sign: str) -> None:
    right = check_steps(IMAGE.format(start, sign), IMAGE_STEPS)
    assert [one.is_right for one in right] == [True, True]
    wrong = check_steps(IMAGE.format(start, sign), IMAGE_STEPS.replace("dy = y", "dy = 2*y"))
    assert [one.is_right for one in wrong] == [False, True]
    assert any("2" in remark for remark in wrong[0].remarks)


AGAIN = """import numpy as np
def forward(x, w):
    return np.tanh(x.dot(w) + 1)
x = np.array([[0.5, -1.0], [1.5, 0.3]])
w = np.array([0.4, 0.9])
t = np.array([0.2, -0.6])
a = forward(x, w)
loss = np.sum((a - t)**2)
z = x.dot(w) + 1
"""
AGAIN_STEPS = (
    "dloss/da == 2*(a - t)\ndloss/dz == dloss/da * (1 - np.tanh(z)**2)\ndloss/dw == x.T.dot(dloss/dz)\n"
)


def test_a_value_that_is_computed_again_after_the_output() -> None:
    right = check_steps(AGAIN, AGAIN_STEPS)
    assert [one.is_right for one in right] == [True, True, True]
    assert right[1].remarks == [
        "the z of line 9 is computed after loss: the derivative is by the equal value of line 3"
    ]
    wrong = check_steps(AGAIN, AGAIN_STEPS.replace("**2)", ")"))
    assert [one.is_right for one in wrong] == [True, False, True]


def test_a_value_that_is_computed_otherwise_is_not_taken_for_it() -> None:
    script = AGAIN.replace("z = x.dot(w) + 1", "z = x.dot(2*w) + 1")
    assert [one.is_right for one in check_steps(script, "dloss/dz == 0*z\n")] == [True]


NET = """\
import numpy as np
W1 = np.array([0.3])
W2 = np.array([0.5])
a = np.tanh(W1)
loss = np.sum((a*W2)**2)
"""


@pytest.mark.parametrize("step", ["W2 = W2 - 0.1", "W2 -= 0.1", "W2 = np.array([9.])"])
@pytest.mark.parametrize("wrt", ["W1", "W2"])
def test_names_have_the_values_that_the_output_is_computed_with(step: str, wrt: str) -> None:
    script = f"{NET}{step}\n"
    formula = {"W1": "dloss/dW1 == 2*a*W2**2*(1 - a**2)", "W2": "dloss/dW2 == 2*a**2*W2"}[wrt]
    found = check(script, formula)
    assert found.is_right is True
    remark = "`W2` in the formula is the W2 that loss is computed with, before the script changes it"
    assert found.remarks == [remark]
    wrong = check(script, formula.replace("2*a", "3*a"))
    assert wrong.is_right is False
    assert "1.5 times" in wrong.remarks[0]


@pytest.mark.parametrize("difference", ["w - 0.1", "(w - 0.1).sum()"])  # an array of one entry, or its entry
def test_a_formula_may_mean_what_a_name_becomes_after_the_output(difference: str) -> None:
    script = f"w = tensor([0.3])\nd = {difference}\nloss = (d**2).sum()\nd = 2*d"
    found = check(script, "dloss/dw == d")
    assert found.is_right is True
    assert found.remarks == ["`d` in the formula is what the script makes of it after loss"]
    assert check(script, "dloss/dw == 3*d").is_right is False


def test_numbers_that_are_whole_have_their_first_values_too() -> None:
    script = "import numpy as np\nw = np.array([0.3])\nn = 4\nloss = np.sum(w**2)/n\nn = 5"
    found = check(script, "dloss/dw == 2*w/n")
    assert found.is_right is True
    assert found.remarks == ["`n` in the formula is the first n (line 3)"]


def test_a_jacobian_by_another_value_of_a_name_is_named() -> None:
    """The residuals of a Gauss-Newton loop depend on the parameters of its last turn."""
    script = (
        "import numpy as np\ns = np.array([1., 2., 4.])\nbeta = np.array([0.9, 0.2])\nfor i in range(2):\n"
        "    r = 1 - beta[0]*s/(beta[1] + s)\n    J = np.zeros((3, 2))\n    J[:, 0] = -s/(beta[1] + s)\n"
        "    J[:, 1] = beta[0]*s/(beta[1] + s)**2\n    beta = beta - np.linalg.inv(J.T @ J) @ J.T @ r\n"
    )
    result = check(script, "dr/dbeta == J")
    assert not result.is_right
    assert result.remarks[0] == "it is the derivative by the last beta (line 9): dr/dbeta_1"
    assert check(script, "dr/dbeta_1 == J").is_right

"""Jacobians worked out by hand: whole ones, rows, columns and entries, and those in other formulas."""

import pytest
from autodiff.core.base.errors import UsageError

from tests.tools.hand_checks import check, check_steps

CIRCLE = "r = 2.0\nt = 0.5\ny = [r*cos(t), r*sin(t)]\n"
LAYERS = """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
W = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
h = x**2
y = W @ h
"""


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        (CIRCLE, "dy/dt == [-r*sin(t), r*cos(t)]"),
        (CIRCLE, "dy[0]/dr == cos(t)"),
        (CIRCLE, "d(y[1])/d(t) == r*cos(t)"),
        (LAYERS, "dy/dx == W*2*x"),
        (LAYERS, "dy/dx == [[2*x[0], 4*x[1]], [6*x[0], 8*x[1]], [10*x[0], 12*x[1]]]"),
        (LAYERS, "dy/dx == W @ dh/dx"),
        (LAYERS, "dy/dx == dy/dh @ torch.diag(2*x)"),
        (LAYERS, "dy[1]/dx == dy[1]/dh*2*x"),
        (LAYERS, "dy[-1]/dx == [10*x[0], 12*x[1]]"),
        (LAYERS, "dy[1]/dx[0] == 6*x[0]"),
        (LAYERS, "dy/dx[0] == 2*W[:, 0]*x[0]"),
        (LAYERS, "dh/dx == torch.diag(2*x)"),
        # The gradient of a number as the row of a gradient times a Jacobian.
        (LAYERS + "L = (y**2).sum()\n", "dL/dx == dL/dy @ dy/dx"),
        (LAYERS + "L = (y**2).sum()\n", "dL/dx == 2*y @ dy/dx"),
    ],
)
def test_jacobians_and_their_parts(script, formula):
    found = check(script, formula)
    assert (found.is_right, found.points) == (True, 6)


@pytest.mark.parametrize(
    ("script", "formula", "remark"),
    [
        (CIRCLE, "dy/dt == [r*sin(t), r*cos(t)]", "entry [0] is 0.958851 and should be -0.958851"),
        (CIRCLE, "dy[0]/dt == r*cos(t)", "it is dy[1]/dt"),
        (LAYERS, "dy/dx == (W*2*x).T", "it is the transpose: a row belongs to an entry of y"),
        (LAYERS.replace(", [5.0, 6.0]", ""), "dy/dx == (W*2*x).T", "it is the transpose"),
        (LAYERS, "dy/dx == W*x", "it is half of what it should be: a factor 2 is missing"),
        (LAYERS, "dy[0]/dx == 2*W[1]*x", "it is dy[1]/dx"),
        (LAYERS, "dy/dx == W*2*h", "the divisor x is missing"),
    ],
)
def test_mistakes_in_jacobians(script, formula, remark):
    found = check(script, formula)
    assert found.is_right is False
    assert remark in found.remarks[-1]


def test_steps_of_a_jacobian_are_checked_each():
    steps = "dh/dx == torch.diag(2*x)\n"
    assert check_steps(LAYERS.replace("y = W @ h\n", ""), steps)[0].is_right
    found = check_steps(LAYERS, "dy/dh == W\ndy/dx == dy/dh @ torch.diag(x)\ndy[0]/dx == [2*x[0], 4*x[1]]\n")
    assert [step.is_right for step in found] == [True, False, True]


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("dy[3]/dx == 1", "there is no such part of the Jacobian"),
        ("dy[0, 1]/dx == 1", "there is no such part of the Jacobian"),
        ("dy/dx[5] == 1", "there is no such part of the Jacobian"),
        ("d2y/dx2 == 1", "each of the 3 entries of y has second derivatives"),
    ],
)
def test_parts_that_are_not_there(formula, says):
    with pytest.raises(UsageError, match=says.replace("[", r"\[")):
        check(LAYERS, formula)

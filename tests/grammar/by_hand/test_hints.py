"""A hint on a wrong factor, put into the formula, makes it right."""

from __future__ import annotations

import re

import pytest
from hand_checks import check, check_steps

HINT = re.compile(
    r"the factor (?P<given>\S.*?) should be d.+? = (?P<right>[^=]+?)(?: = [-\d.e]+)?"
    r"(?P<sign>, and .*)?(?:: the sign of .*)?$"
)
TERM = re.compile(r"the term (\S.*?) = [-\d.e]+ stands")
#: Scripts of one line with a wrong derivative of each.
FORMULAS = [
    ("L = cos(u)", "dL/du == -cos(u)"),
    ("L = 3*cos(u)*v", "dL/du == 3*(-sin(u)*v**2)"),
    ("L = cos(u*v)*u", "dL/du == cos(u*v) - cos(u*v)*v*u"),
    ("L = cos(u*v)*u", "dL/du == cos(u*v) + cos(u*v)*v*u"),
    ("L = u/v", "dL/dv == -u/v"),
    ("L = u**2/v + v", "dL/dv == -u/v + 1"),
    ("L = exp(-u)/v + u*u", "dL/du == 2*u + exp(u)/v"),
    ("L = sin(u)/v + u*v", "dL/dv == -u/v**2 + u"),
    ("L = tanh(u)*v + u", "dL/du == (1 + tanh(u)**2)*v + 1"),
    ("L = log(u)/v - u", "dL/du == u/v - 1"),
    ("L = u/v; L = tanh(L)", "dL/dv == (1 - L**2)*(-u/v)"),
    ("L = u/v; L = tanh(L) + u", "dL/dv == (1 - L)*(-u/v**2)"),
    ("h = u*u; h = tanh(h); L = h*3", "dL/du == 3*(1 - h)*2*u"),
    ("h = u*u; h = tanh(h); h = h*3; L = sin(h)", "dL/du == sin(h)*3*(1 - (h/3)**2)*2*u"),
]


@pytest.mark.parametrize(("script", "formula"), FORMULAS)
def test_a_hint_makes_the_formula_right(script: str, formula: str) -> None:
    script = f"u = 1.3\nv = 0.7\n{script}"
    left, _, right = formula.partition(" == ")
    told = check(script, formula)
    assert told.is_right is False
    hint = HINT.search(told.remarks[0])
    assert hint is not None
    term = next((one.lstrip("-") for one in TERM.findall(told.remarks[0])), right)
    assert hint["given"] in term
    assert right.endswith(term) or right.startswith(term)
    changed = term.replace(hint["given"], f"({hint['right']})")
    at = right.rindex(term)
    right = f"{right[:at]}{'-' if hint['sign'] else ''}({changed}){right[at + len(term) :]}"
    assert check(script, f"{left} == {right}").is_right


def test_a_name_of_a_step_is_not_replaced_by_the_same_name_of_the_script() -> None:
    script = (
        "import numpy as np\nX = np.array([[0.5, -1.0], [1.5, 0.3], [-0.2, 0.8]])\n"
        "b = np.array([0.1, -0.2])\n"
        "h = np.maximum(0, X + b)\nL = np.sum((h - 1)**2)\ndh = 2*(h - 1)\ndh[h <= 0] = 0\n"
    )
    wrong = check_steps(script, "dh = 2*(h - 1)\ndb = np.sum(dh, axis=0)\n", "L")[1]
    assert wrong.is_right is False
    assert [remark for remark in wrong.remarks if "in place of" in remark] == []


def test_n_less_one_before_another_number_that_is_the_same() -> None:
    script = (
        "n = 6; vocab = 5\nx = tensor([0.5, -1., 2., 0.3, 1., 0.])\nd = x**2\nv = d.sum()/(n - 1)\nL = v**2"
    )
    [wrong] = check_steps(script, "dd = ones(6)*2*v/n\n")
    assert wrong.remarks == ["with n - 1 in place of n it is right"]


@pytest.mark.parametrize("square", ["w*w", "(w + 0)*w", "(2*w)*(2*w)/4"])
def test_a_square_that_is_written_as_a_product_has_a_factor_2(square: str) -> None:
    script = f"w = [0.3, -0.4, 1.2]\nx = [1, 2, 3]\nL = (w @ x - 1)**2 + 0.1*sum({square})"
    found = check(script, "dL/dw == 2*(w @ x - 1)*x + 0.1*w")
    told = "w stands twice in w*w: a factor 2 is missing, and the other half gives [0.03 -0.04 0.12]"
    assert found.is_right is False
    assert (found.remarks == [told]) == (square == "w*w")
    assert check(script, "dL/dw == 2*(w @ x - 1)*x + 0.2*w").is_right


SCRIPT_OF_SEVERAL = """
w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(-0.2, requires_grad=True)
u = {value}
L = torch.sigmoid(w*u + b)
a = torch.tensor({value}, requires_grad=True)
k = {value}
s = a**2*k
"""
#: Scripts in which another value happens to be the number that a formula lacks, and what it lacks.
BY_CHANCE = [
    ("x = 0.5; m = 2.; z = m**2; y = x**2", "dy/dx == x", "the 2 of x**2 (line 1)"),
    ("x = 0.5; m = 3.; z = m**2; y = sin(3*x)", "dy/dx == cos(3*x)", "the factor 3 of 3*x (line 1)"),
    ("x = 0.5; b = 3.; m = 2.; y = x**2 + m*b", "dy/dx == x", "the 2 of x**2 (line 1)"),
    (SCRIPT_OF_SEVERAL.format(value="2.0"), "dL/dw == L*(1 - L)", "the factor 2 of w*u (line 5)"),
    (SCRIPT_OF_SEVERAL.format(value="2.5"), "dL/dw == L*(1 - L)", "the factor 2.5 of w*u (line 5)"),
    (
        SCRIPT_OF_SEVERAL.format(value="2.0"),
        "d2L/dw2 == L*(1 - L)*(1 - 2*L)*u",
        "the factor 2 of dL/dw or the factor 2 of w*u (line 5)",
    ),
    (
        "x = torch.tensor(0.5, requires_grad=True); u = 2.; y = u*x**2",
        "dy/dx == u*x",
        "the 2 of x**2 (line 1)",
    ),
]


@pytest.mark.parametrize(("script", "formula", "missing"), BY_CHANCE)
def test_no_value_is_the_reason_that_only_happens_to_be_the_number(
    script: str, formula: str, missing: str
) -> None:
    [remark] = check(script, formula).remarks
    assert remark.partition(", as if ")[2] == f"{missing} had been left out"


def test_a_constant_on_the_way_is_named_where_an_equal_one_is_not() -> None:
    script = (
        "d = torch.tensor([2.0, 3.0], requires_grad=True)\nk = torch.tensor([2.0, 3.0])\n"
        "x = torch.tensor([0.5, 1.5], requires_grad=True)\nc = torch.tensor([2.0, 3.0])\n"
        "s = sum(d*k)\nL = sin(x) @ c"
    )
    [remark] = check(script, "dL/dx == cos(x)").remarks
    assert remark == "the factor c is missing"

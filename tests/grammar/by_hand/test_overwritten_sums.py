"""``dx = ...`` where ``dx += ...`` is right: that line alone is wrong, and says which line it overwrites."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

QUOTIENT = """\
x = 3.
y = -4.
sigy = 1/(1+exp(-y))
num = x + sigy
sigx = 1/(1+exp(-x))
xpy = x + y
xpysqr = xpy**2
den = sigx + xpysqr
invden = 1/den
f = num*invden
"""
QUOTIENT_STEPS = """\
dnum = invden
dinvden = num
dden = (-1.0 / (den**2)) * dinvden
dsigx = (1) * dden
dxpysqr = (1) * dden
dxpy = (2 * xpy) * dxpysqr
dx = (1) * dxpy
dy = (1) * dxpy
dx += ((1 - sigx) * sigx) * dsigx
dx += (1) * dnum
dsigy = (1) * dnum
dy += ((1 - sigy) * sigy) * dsigy
"""
PENALTY = """\
X = tensor([[0.9, -0.4], [-1.1, 0.7], [0.3, 1.6]])
t = tensor([0.2, 1., 1.5])
w = tensor([0.5, -0.7], requires_grad=True)
r = X @ w - t
L = (r*r).mean() + 0.1*(w*w).sum()
"""
PENALTY_STEPS = "dr = 2*r/3\ndw = X.T @ dr\ndw += 0.2*w\n"
RESIDUAL = """\
x = tensor([[0.9, -0.4], [-1.1, 0.7]], requires_grad=True)
W = tensor([[0.5, -0.3], [-0.7, 0.4]], requires_grad=True)
u = x @ W
h = tanh(u)
y = x + h
L = (y**3).sum()
"""
RESIDUAL_STEPS = "dy = 3*y**2\ndx = dy\ndu = dy*(1 - h**2)\ndW = x.T @ du\ndx += du @ W.T\n"


@pytest.mark.parametrize(
    ("script", "steps", "right", "told"),
    [
        (QUOTIENT, QUOTIENT_STEPS, "dx += ((1", {9: "line 9 overwrites the dx of line 7: write `dx += ...`"}),
        (
            QUOTIENT,
            QUOTIENT_STEPS,
            "dx += (1",
            {10: "line 10 overwrites the dx of line 9: write `dx += ...`"},
        ),
        (QUOTIENT, QUOTIENT_STEPS, "dy +=", {12: "line 12 overwrites the dy of line 8: write `dy += ...`"}),
        (
            QUOTIENT,
            QUOTIENT_STEPS,
            "dx +=",
            {
                9: "line 9 overwrites the dx of line 7: write `dx += ...`",
                10: "line 10 overwrites the dx of line 9: write `dx += ...`",
            },
        ),
        (PENALTY, PENALTY_STEPS, "dw +=", {3: "line 3 overwrites the dw of line 2: write `dw += ...`"}),
        (RESIDUAL, RESIDUAL_STEPS, "dx +=", {5: "line 5 overwrites the dx of line 2: write `dx += ...`"}),
    ],
)
def test_a_line_that_overwrites_a_part_is_wrong_alone(
    script: str, steps: str, right: str, told: dict[int, str]
) -> None:
    assert all(one.is_right for one in check_steps(script, steps))
    assert right in steps
    found = check_steps(script, steps.replace(right, right.replace("+=", "=")))
    wrong = {one.step[1]: one.remarks[0] for one in found if one.step and one.is_right is not True}
    assert wrong == told


def test_a_later_line_may_overwrite_what_was_a_trial() -> None:
    found = check_steps(RESIDUAL, RESIDUAL_STEPS.replace("dx += du @ W.T", "dx = dy + du @ W.T"))
    assert [one.is_right for one in found if one.left == "dL/dx"][-1] is True


EACH_EXAMPLE = """\
dr = 2*r/3
dw = zeros_like(w)
for i in range(3):
    dw += X[i]*dr[i]
dw += 0.2*w
"""


def test_a_loop_that_overwrites_a_sum_in_each_turn_is_told_to_add() -> None:
    for steps in (EACH_EXAMPLE, EACH_EXAMPLE.replace("dw += X[i]", "dw = dw + X[i]")):
        assert all(one.is_right for one in check_steps(PENALTY, steps))
    steps = EACH_EXAMPLE.replace("dw += X[i]", "dw = X[i]")
    [wrong] = [one for one in check_steps(PENALTY, steps) if not one.is_right]
    assert wrong.remarks == ["each turn overwrites dw: write `dw += ...` (line 4)"]
    steps = steps.removesuffix("dw += 0.2*w\n")
    [wrong] = [
        one for one in check_steps(PENALTY.replace(" + 0.1*(w*w).sum()", ""), steps) if not one.is_right
    ]
    assert (wrong.step, wrong.remarks) == (
        ("steps.txt", 4),
        ["each turn overwrites dw: write `dw += ...` (line 4)"],
    )


def test_the_gradient_of_another_input_is_told_to_be_it() -> None:
    script = "a = tensor([[0.9, -0.4], [-1.1, 0.7]])\nb = tensor([[0.5, -0.3], [-0.7, 0.4]])\nL = (a@b).sum()"
    found = check_steps(script, "da = ones(2, 2) @ b.T\ndb = ones(2, 2) @ b.T\n")
    assert [one.remarks[1:] for one in found] == [[], ["it is dL/da"]]
    script = "a = tensor([[0.9, -0.4], [-1.1, 0.7]])\nb = tensor([[0.5], [-0.7]])\nL = (a@b).sum()"
    found = check_steps(script, "da = ones(2, 1) @ b.T\ndb = ones(2, 1) @ b.T\n")
    assert found[1].remarks == ["the formula has the shape (2, 2), the gradient (2, 1)", "it is dL/da"]

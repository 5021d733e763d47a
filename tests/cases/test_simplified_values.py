"""Gradients that do not say what the formula does: nan that it leaves out, or slopes at rounding errors."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

ONE_LINE = " | tr -s ' \\n' ' '"
ZEROS = "x = torch.zeros(2, requires_grad=True)\n"

FILLED = """\
ma = torch.arange(6.).reshape(2, 3).requires_grad_()
mb = torch.ones(3, 2).requires_grad_()
res = torch.zeros((2, 2))
for i in range(2):
    for k in range(2):
        for r in range(3):
            res[i][k] = res[i][k] + ma[i][r] * mb[r][k]
L = (res ** 2).sum()
L.backward()
print(ma.grad)
"""
CASES = [
    Case(
        "matmul_loops_ok",
        FILLED,
        "autodiff explain --wrt ma --entry 0,1 script.ad" + ONE_LINE,
        shows=["from entry to entry, 12 paths reach ma, 2 to each of its entries; the others carry 0"],
    ),
    Case(
        "rows_that_are_filled_one_by_one",
        "x = torch.arange(9.).requires_grad_()\ny = torch.zeros(9)\n"
        "for t in range(1, 9):\n    y[t] = y[t - 1] * 0.5 + x[t]\nL = y.sum()\n",
        "autodiff explain --wrt x script.ad" + ONE_LINE,
        shows=["36 paths reach x, 0 to 8 to each of its entries"],
    ),
    Case(
        "paths_that_all_carry_something",
        "x = torch.tensor([1., 2.], requires_grad=True)\nh = x\nfor k in range(8):\n    h = h * h\n"
        "L = h.sum()\n",
        "autodiff explain --wrt x script.ad" + ONE_LINE,
        never=["from entry to entry"],
    ),
    Case(
        "atan2_mean_angle",
        "th = torch.tensor([0., math.pi], requires_grad=True)\nw = torch.tensor([0.5, 0.5])\n"
        "im = (torch.sin(th) * w).sum()\nre = (torch.cos(th) * w).sum()\nang = torch.atan2(im, re)\n"
        "ang.backward()\nprint(im, re, th.grad)\n",
        "autodiff explain --wrt th script.ad" + ONE_LINE,
        shows=[
            "im = 6.12323e-17 and re = 0 are rounding errors of what they are made of: the slope has no"
            " meaning"
        ],
    ),
    Case(
        "the_inverse_of_what_cancels",
        "x = 0.1; y = 1/(x + 0.2 - 0.3)\n",
        "autodiff explain script.ad" + ONE_LINE,
        shows=["x + 0.2 - 0.3 = 5.55112e-17 is a rounding error: the slope has no meaning"],
    ),
    Case(
        "the_angle_of_small_numbers_that_are_meant",
        "a = 3e-20; b = 4e-20; ang = atan2(2*a, 2*b)\n",
        "autodiff explain script.ad" + ONE_LINE,
        never=["rounding error"],
    ),
    Case(
        "the_square_of_a_root",
        ZEROS
        + "a = torch.linalg.norm(x) ** 2\nb = torch.sqrt((x ** 2).sum()) ** 2\n"
        + "print(torch.autograd.grad(a, x)[0], torch.autograd.grad(b, x)[0])\n",
        "autodiff explain script.ad --of b --wrt x" + ONE_LINE,
        shows=["step 3 leaves that out: simplified, it is 2*x, which is [0 0] here"],
    ),
    Case(
        "the_square_of_a_root_of_a_number",
        "x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x) ** 2\n",
        "autodiff explain script.ad" + ONE_LINE,
        shows=["step 3 leaves that out: simplified, it is 1 everywhere"],
    ),
    Case(
        "the_fourth_power_of_a_root",
        "x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x) ** 4\n",
        "autodiff explain script.ad" + ONE_LINE,
        shows=["step 3 leaves that out: simplified, it is 2*x, which is 0 here"],
    ),
    Case(
        "a_gradient_with_a_value",
        "x = torch.tensor(2., requires_grad=True)\ny = torch.sqrt(x) ** 4\n",
        "autodiff explain script.ad" + ONE_LINE,
        never=["step 3 leaves that out"],
    ),
    Case(
        "a_formula_that_is_not_finite_either",
        "x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x)\n",
        "autodiff explain script.ad" + ONE_LINE,
        never=["step 3 leaves that out"],
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

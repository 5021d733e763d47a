"""Why a second derivative is zero or nan: in the script's words, with the line of the op at fault."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

SECOND = "autodiff explain script.ad --order 2"

CASES = [
    Case(
        "the_exponent_of_a_power_of_zero",
        """\
base = torch.tensor(0.)
k = torch.tensor([0.], requires_grad=True)
r = torch.pow(base, k)
g1, = torch.autograd.grad(r, k, create_graph=True)
print(g1)
g2, = torch.autograd.grad(g1, k, create_graph=True)
print(g2)
""",
        SECOND + " --of r --wrt k | tr -s ' \\n' ' '",
        shows=["why line 3: the slope of r in the exponent has log(base) in it, and base = 0"],
        never=["holds -inf itself", "r*-inf in line"],
    ),
    Case(
        "xlogy_of_zero",
        "x = torch.tensor(0., requires_grad=True)\nL = torch.xlogy(x, x)\n",
        SECOND + " | tr -s ' \\n' ' '",
        shows=["line 2: in the slope of torch.xlogy(x, x)", "x = 0"],
        never=["except_where"],
    ),
    Case(
        "a_power_of_an_absolute_value",
        "x = torch.tensor([0., 1.], requires_grad=True)\n\ny = (x.abs()**1.5).sum()\n",
        SECOND + " --grad-output ones | tr -s ' \\n' ' '",
        shows=["line 3: in the slope of x.abs()**1.5, the slope of a power below 1 has no bound at 0"],
    ),
    Case(
        "a_linear_function",
        "x = 3; y = 2*x\n",
        SECOND,
        shows=["line 1: dy/dx does not depend on x, so its derivative is 0"],
        never=["no path leads"],
    ),
    Case(
        "a_root_in_the_second_of_two_lines",
        "x = torch.tensor(0., requires_grad=True)\nh = x * x\ny = h * torch.sqrt(h)\n",
        SECOND + " | tr -s ' \\n' ' '",
        shows=["why line 3: in the slope of"],
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

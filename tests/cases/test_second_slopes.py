"""Why a second derivative is zero or nan: in the script's words, with the line of the op at fault."""

from __future__ import annotations

from math import exp
from pathlib import Path

from cases import Case, each_of

SECOND = "autodiff explain script.ad --order 2"

#: A Function whose derivative is ``READ``, of what its forward pass keeps.
KEEPS = """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = x.exp()
        {keep}
        return out
    @staticmethod
    def backward(ctx, g):
        return g * {read}
x = torch.tensor(2., requires_grad=True)
L = F.apply(x) * x
"""
EVERY_SECOND = (
    "for c in hessian 'hvp --vector x=1' 'grad --order 2'; do autodiff $c script.ad; done;"
    " autodiff explain script.ad --order 2 | tr -s ' \\n' ' '"
)
TAKEN_FOR_CONSTANT = "is computed in forward, where nothing is recorded: second derivatives take it for"

CASES = [
    Case(
        "a_function_keeps_an_attribute",
        KEEPS.format(keep="ctx.mid = x.exp() * 1", read="ctx.mid"),
        EVERY_SECOND,
        says=[f"note: ctx.mid, which F saves, {TAKEN_FOR_CONSTANT}"],
        shows=[f"why ctx.mid, which F saves, {TAKEN_FOR_CONSTANT}"],
        never=["does not depend on"],
    ),
    Case(
        "a_function_keeps_a_number",
        KEEPS.format(keep="ctx.k = x.item()", read="math.exp(ctx.k)"),
        "autodiff hessian script.ad && autodiff explain script.ad --order 2 | tr -s ' \\n' ' '",
        says=[f"note: ctx.k, which F saves, {TAKEN_FOR_CONSTANT}"],
        shows=[f"why ctx.k, which F saves, {TAKEN_FOR_CONSTANT}"],
    ),
    Case(
        "a_function_keeps_a_list",
        KEEPS.format(keep="ctx.both = [torch.ones(()), x.exp() * 1]", read="ctx.both[1]"),
        "autodiff hessian script.ad",
        says=[f"note: ctx.both, which F saves, {TAKEN_FOR_CONSTANT}"],
    ),
    *[
        Case(
            f"a_backward_leaves_the_graph_{at}",
            KEEPS.format(keep="ctx.save_for_backward(x)", read=read),
            "autodiff check script.ad --order 2 | tr -s ' \\n' ' '; " + EVERY_SECOND,
            says=["note: The backward of F computes outside of the graph with what it saved"],
            shows=[
                "apart. The backward of F computes outside of the graph",
                "why The backward of F computes outside of the graph with what it saved",
            ],
            never=["does not depend on"],
        )
        for at, read in enumerate(
            ["ctx.saved_tensors[0].detach().exp()", "torch.exp(ctx.saved_tensors[0].data)"]
        )
    ],
    Case(
        "a_function_keeps_what_has_a_graph",
        KEEPS.format(keep="ctx.x, ctx.out, ctx.c = x, out, torch.ones(())", read="ctx.c * ctx.x.exp()"),
        EVERY_SECOND,
        never=[TAKEN_FOR_CONSTANT],
    ),
    Case(
        "a_function_keeps_its_result",
        KEEPS.format(keep="ctx.all = [out, x.exp()]", read="ctx.all[0]"),
        "autodiff hessian script.ad",
        numbers=[4 * exp(2)],
        never=[TAKEN_FOR_CONSTANT],
    ),
    Case(
        "a_function_keeps_what_it_does_not_read",
        KEEPS.format(keep="ctx.shown = x.exp() * 1", read="ctx.saved_tensors[0]").replace(
            "return out", "ctx.save_for_backward(out)\n        return out"
        ),
        "autodiff hessian script.ad",
        numbers=[4 * exp(2)],
        never=[TAKEN_FOR_CONSTANT],
    ),
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
    *[
        Case(
            f"a_kink_of_the_slope_{name}",
            f"x = {at}\ny = {formula}\n",
            SECOND + " | tr -s ' \\n' ' '",
            shows=[
                f"x = {at:g}, where the second derivative by x is {below} from below and {above} from above,"
                f" and {taken} is taken; "
            ],
            never=["why", "takes the other branch", "where("],
        )
        for name, formula, at, below, above, taken in [
            ("relu", "relu(x)**2", 0.0, 0, 2, 0),
            ("relu_times_its_input", "relu(x)*x", 0.0, 0, 2, 0),
            ("abs", "abs(x)*x", 0.0, -2, 2, 0),
            ("softshrink", "F.softshrink(x)**2", 0.5, 0, 2, 0),
            ("beside_others", "x**2*3 + relu(x)**2", 0.0, 6, 8, 6),
        ]
    ],
    Case(
        "a_choice_of_the_script",
        "x = 0.\ny = torch.where(x > 0, x**2, 0*x)\n",
        SECOND + " | tr -s ' \\n' ' '",
        shows=[
            "the second derivative by x is 0 from below and 2 from above, and the way the script went gives 0"
        ],
        never=["why"],
    ),
    Case(
        "a_value_beside_a_kink",
        "x = -1.\ny = relu(x)**2\n",
        SECOND + " | tr -s ' \\n' ' '",
        shows=[
            "dy/d(relu(x))*[x > 0]",
            "why line 2: relu(x) passes nothing on where its input is not positive: x = -1",
        ],
        never=["kink", "in the slope of", "where("],
    ),
    Case(
        "a_slope_that_is_constant_where_it_is",
        "x = 2.\ny = relu(x)*3\n",
        SECOND,
        shows=["line 1: dy/dx does not depend on x, so its derivative is 0"],
        never=["is 0 here"],
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

"""A derivative that is constant has no graph: its derivative is 0. A Function can lose the graph as well."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

RUN = "autodiff run script.ad"
INPUT_HELP = "create an input with requires_grad=True"
NEXT_IS_ZERO = "the next derivative is 0"
LINEAR = """\
def f(x):
    return (2 * x).sum()
x = torch.randn(5).requires_grad_()
y = f(x)
dydx = torch.autograd.grad(y, x, create_graph=True)[0]
d2 = torch.autograd.grad(dydx, x)[0]
"""
BY_ONE = """\
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([0.3, -0.2], requires_grad=True)
out = (w * x).sum()
g = torch.autograd.grad(out, x, create_graph=True)[0]
print(g)
h = torch.autograd.grad(g.sum(), x)[0]
"""
THIRD = """\
def third(a, x):
    y = a * x
    d1 = torch.autograd.grad(y, x, create_graph=True)
    d2 = torch.autograd.grad(d1, x, create_graph=True, allow_unused=True)
    d3 = torch.autograd.grad(d2, x, allow_unused=True)
    return d3
a = torch.tensor(0.3).requires_grad_()
x = torch.tensor(1.0).requires_grad_()
print(third(a, x))
"""
KEPT = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        mid = inp * 2
        {keep}
        return mid ** 2
    @staticmethod
    def backward(ctx, g):
        {read}
x = torch.tensor([0.5, 1.5], requires_grad=True)
y = Twice.apply(x).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
h, = torch.autograd.grad(g.sum(), x)
print(h)
"""
MATERIALIZED = """\
a = torch.tensor(0.3).requires_grad_()
x = torch.tensor(1.0).requires_grad_()
y = a * x
d1, = torch.autograd.grad(y, x, create_graph=True)
"""

CASES = [
    Case(
        "second_derivative_of_a_linear_function",
        LINEAR,
        RUN,
        says=[
            "line 5 does not depend on any input: " + NEXT_IS_ZERO,
            "torch.autograd.grad(dydx, x)[0] if dydx.requires_grad else torch.zeros_like(x)",
        ],
        never=[INPUT_HELP],
        code=4,
    ),
    Case(
        "explained_to_second_order",
        LINEAR,
        "autodiff explain script.ad --order 2 --entry 0",
        shows=["one entry:    d(dy/dx[0])/dx[0] = 0"],
        says=["line 6 is an error in PyTorch, since a derivative is constant"],
    ),
    Case(
        "checked_to_second_order",
        LINEAR,
        "autodiff check script.ad --order 2",
        shows=["right: backward and the differences agree"],
        says=["line 6 is an error in PyTorch, since a derivative is constant"],
    ),
    Case(
        "third_derivative_with_none",
        THIRD,
        RUN,
        says=[
            "`d2` is None in place of a derivative that is 0",
            "take zeros for it: torch.autograd.grad(d1, x, create_graph=True, allow_unused=True,"
            " materialize_grads=True)",
        ],
        code=4,
    ),
    Case(
        "constant_in_one_input",
        BY_ONE,
        RUN,
        says=[
            "the derivative of line 4 does not depend on x: " + NEXT_IS_ZERO,
            "take zeros for it: torch.autograd.grad(g.sum(), x, materialize_grads=True)",
        ],
        code=4,
    ),
    Case(
        "constant_in_one_input_explained",
        BY_ONE,
        "autodiff explain script.ad --order 2 --of out --wrt x --entry 0",
        shows=["= 0"],
        says=["line 6 is an error in PyTorch, since a derivative is constant"],
    ),
    Case(
        "unpacked_result",
        "x = torch.tensor(2., requires_grad=True)\ny = 3 * x\n"
        "d, = torch.autograd.grad(y, x, create_graph=True)\ne, = torch.autograd.grad(d, x)\nprint(e)\n",
        RUN,
        says=["torch.autograd.grad(d, x) if d.requires_grad else (torch.zeros_like(x),)"],
        never=[INPUT_HELP],
        code=4,
    ),
    Case(
        "a_value_of_forward_kept_as_an_attribute",
        KEPT.format(keep="ctx.mid = mid", read="return 4 * ctx.mid * g"),
        RUN,
        says=[
            "`Twice.backward` uses ctx.mid, which has no graph",
            "computed in forward, where nothing is recorded",
            "compute it again in backward: inp, = ctx.saved_tensors, and (inp * 2) for ctx.mid",
        ],
        never=[INPUT_HELP, NEXT_IS_ZERO],
        code=4,
    ),
    Case(
        "a_value_of_forward_saved",
        KEPT.format(
            keep="ctx.save_for_backward(mid)", read="mid, = ctx.saved_tensors\n        return 4 * mid * g"
        ),
        RUN,
        says=[
            "`Twice.backward` uses mid, which has no graph",
            "save the inputs with ctx.save_for_backward(inp), and compute mid from them again in backward",
        ],
        never=[INPUT_HELP, NEXT_IS_ZERO],
        code=4,
    ),
    Case(
        "a_number_of_forward",
        KEPT.format(keep="ctx.mid = (inp * 2).detach()", read="return 4 * ctx.mid * g"),
        RUN,
        says=["`Twice.backward` uses ctx.mid, which has no graph"],
        never=[INPUT_HELP, NEXT_IS_ZERO],
        code=4,
    ),
    Case(
        "prelu_with_a_fixed_weight",
        "x = torch.tensor([1., -2.], requires_grad=True)\ny = F.prelu(x, torch.tensor(0.25)).sum()\n"
        "g, = torch.autograd.grad(y, x, create_graph=True)\n"
        "print(g.requires_grad, torch.autograd.grad(g.sum(), x)[0])\n",
        "autodiff run -q script.ad --show gradients | head -n 1",
        prints="True tensor([0., 0.])\n",
    ),
    Case(
        "zeros_that_require_a_gradient",
        MATERIALIZED
        + "d2, = torch.autograd.grad(d1, x, create_graph=True, materialize_grads=True)\n"
        + "print(d2, d2.requires_grad)\n",
        "autodiff run -q script.ad --show gradients | head -n 1",
        prints="tensor(0., requires_grad=True) True\n",
    ),
    Case(
        "zeros_without_a_graph",
        MATERIALIZED
        + "d2, = torch.autograd.grad(d1, x, materialize_grads=True)\nprint(d2, d2.requires_grad)\n",
        "autodiff run -q script.ad --show gradients | head -n 1",
        prints="tensor(0.) False\n",
    ),
    Case(
        "zeros_of_the_shape_of_each_input",
        MATERIALIZED
        + "v = torch.ones(2, requires_grad=True)\n"
        + "print(torch.autograd.grad(d1, [a, v], create_graph=True, materialize_grads=True))\n",
        "autodiff run -q script.ad --show gradients | head -n 1",
        prints="(tensor(1.), tensor([0., 0.], requires_grad=True))\n",
    ),
    Case(
        "zeros_differentiated_again",
        MATERIALIZED
        + "d2, = torch.autograd.grad(d1, x, create_graph=True, materialize_grads=True)\n"
        + "print(torch.autograd.grad(d2, x, materialize_grads=True))\n",
        "autodiff run -q script.ad --show gradients | head -n 1",
        prints="(tensor(0.),)\n",
    ),
]


#: A script that fails at a second derivative of 0, and the Hessian of its result.
MIXED = """\
x = torch.tensor(1.5, requires_grad=True)
y = torch.tensor(0.5, requires_grad=True)
f = x**2 + 3*y
fx, fy = torch.autograd.grad(f, (x, y), create_graph=True)
fxy, = torch.autograd.grad(fx, y{unused})
print(fxy * 2)
"""
CASES += [
    *[
        Case(
            f"{command.split()[0]}_goes_on_{at}",
            script,
            f"autodiff {command}",
            numbers=numbers,
            says=["the derivative of a constant is 0; the script was run up to there"],
        )
        for at, (script, command, numbers) in enumerate(
            [
                (MIXED.format(unused=""), "hessian script.ad --of f", [2, 0, 0, 0]),
                (MIXED.format(unused=", allow_unused=True"), "hessian script.ad --of f", [2, 0, 0, 0]),
                (MIXED.format(unused=""), "hvp script.ad --of f --vector x=1", [2, 0]),
                (LINEAR, "hessian script.ad --of y", [0] * 25),
                (LINEAR, "hvp script.ad --of y --vector x=1", [0] * 5),
            ]
        )
    ],
    *[
        Case(
            f"none_in_place_of_zero_{at}",
            MIXED.format(unused=", allow_unused=True").replace("print(fxy * 2)", use),
            RUN,
            says=["is None in place of a derivative that is 0", "allow_unused=True, materialize_grads=True)"],
            code=4,
        )
        for at, use in enumerate(["print(fxy * 2)", "print(fxy.item())", "print(1 - fxy)"])
    ],
    Case(
        "none_among_several_gradients",
        "x = torch.tensor(1.5, requires_grad=True)\ny = torch.tensor(0.5, requires_grad=True)\n"
        "gs = torch.autograd.grad(x**2, (x, y), allow_unused=True)\ntotal = sum(g.sum() for g in gs)\n",
        RUN,
        says=["`g` is None in place of a derivative that is 0", "materialize_grads=True)"],
        code=4,
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

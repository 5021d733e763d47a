"""What lessons and forums use around backward(): hooks, second-order checks, checkpoints, refusals."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

RUN = "autodiff run -q --show gradients script.ad"
FIRST = RUN + " | head -n 1"
SQ = (
    "class Sq(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        y = x ** 2\n"
    "        ctx.save_for_backward(x, y)\n        return y\n    @staticmethod\n    def backward(ctx, g):\n"
    "        x, y = ctx.saved_tensors\n        return g * {}\nx = torch.tensor(2., requires_grad=True)\n"
)
ONCE = (
    "from torch.autograd.function import once_differentiable\nclass Sq(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * x\n"
    "    @staticmethod\n    @once_differentiable\n    def backward(ctx, g):\n"
    "        x, = ctx.saved_tensors\n        return 2 * x * g\nx = torch.tensor(3., requires_grad=True)\n"
)
HOOK = (
    "p = torch.tensor([1., 2.], requires_grad=True)\ndef after(t):\n    print('got', t, t.grad)\n"
    "    t.grad = None\nhandle = p.register_post_accumulate_grad_hook(after)\n"
)


def refused(name: str, script: str, code: int, *says: str, never: tuple[str, ...] = ()) -> Case:
    return Case(name, script, RUN, says=says, never=never, code=code)


CASES = [
    Case(
        "post_acc_hook",
        HOOK + "(p ** 2).sum().backward()\nprint(p.grad)\n",
        RUN + " | head -n 2",
        prints="got tensor([1., 2.], requires_grad=True) tensor([2., 4.])\nNone\n",
    ),
    Case(
        "hook_sees_the_sum",
        "p = torch.tensor(1., requires_grad=True)\nseen = []\n"
        "p.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))\n"
        "(p * 2).backward()\n(p * 3).backward()\nprint(seen)\n",
        FIRST,
        prints="[2.0, 5.0]\n",
    ),
    Case(
        "hook_removed",
        HOOK + "handle.remove()\n(p ** 2).sum().backward()\nprint(p.grad)\n",
        FIRST,
        prints="tensor([2., 4.])\n",
    ),
    Case(
        "grad_runs_no_such_hook",
        HOOK + "print(torch.autograd.grad((p ** 2).sum(), p))\n",
        FIRST,
        prints="(tensor([2., 4.]),)\n",
    ),
    refused(
        "hook_of_a_result",
        "p = torch.tensor(1., requires_grad=True)\ny = p * 2\ny.register_post_accumulate_grad_hook(print)\n",
        4,
        "post accumulate grad hooks cannot be registered on non-leaf tensors",
        "register_hook()",
    ),
    Case(
        "second_derivatives_checked",
        SQ.format("2 * y / x")
        + "print(torch.autograd.gradcheck(Sq.apply, x), torch.autograd.gradgradcheck(Sq.apply, x))\n",
        FIRST,
        prints="True True\n",
    ),
    Case(
        "second_derivative_found_wrong",
        SQ.format("2 * x.detach()")
        + "print(torch.autograd.gradcheck(Sq.apply, x))\n"
        + "print(torch.autograd.gradgradcheck(Sq.apply, x, raise_exception=False))\n",
        RUN + " | head -n 2",
        prints="True\nFalse\n",
    ),
    *[
        Case(
            f"a_wrong_backward_{'beside' if end else 'without'}_gradcheck",
            SQ.format("3 * x") + "Sq.apply(x).sum().backward()\n" + end,
            "autodiff check script.ad",
            **{"says" if end else "shows": [shown]},
            code=4 if end else 1,
        )
        for end, shown in (
            (
                "torch.autograd.gradcheck(Sq.apply, x)\n",
                "without this line, `autodiff check` says which gradient",
            ),
            ("", "The backward of Sq, which ends in line"),
        )
    ],
    Case(
        "second_derivatives_of_two_inputs",
        "a = torch.tensor([1., 2.], requires_grad=True)\nb = torch.tensor([3., 4.], requires_grad=True)\n"
        "print(torch.autograd.gradgradcheck(lambda a, b: (a * b.exp()).sum(), (a, b)))\na.sum().backward()\n",
        FIRST,
        prints="True\n",
    ),
    *[
        Case(
            f"the_output_is_the_script's_beside_{check}",
            "x = torch.linspace(-3, 3, 7, requires_grad=True)\ny = torch.tanh(x)\n"
            "dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]\n"
            "d2y = torch.autograd.grad(dy.sum(), x)[0]\n"
            f"torch.autograd.{check}(torch.tanh, (x.double(),))\n",
            "autodiff explain script.ad",
            shows=["from dy.sum() (line 4) to x (line 1)"],
        )
        for check in ("gradcheck", "gradgradcheck")
    ],
    Case(
        "a_pass_from_grad_is_about_that_derivative",
        "x = torch.tensor(3.0, requires_grad=True)\ny = x**3\ny.backward(create_graph=True)\n"
        "x.grad.backward()\n",
        "autodiff run script.ad; AUTODIFF_FAST=0 autodiff grad script.ad",
        shows=["d(dy/dx)/dx = 18", "dy/dx = 27", "d(dy/dx)/d leaf"],
        never=["y.backward(create_graph=True))"],
    ),
    Case(
        "a_pass_from_the_grad_of_one_of_two_inputs",
        "x = torch.tensor([3.0, 1.0], requires_grad=True)\nw = torch.tensor(2.0, requires_grad=True)\n"
        "y = (w*x**3).sum()\ny.backward(create_graph=True)\nw.grad.backward()\n",
        "autodiff run script.ad",
        shows=["dy/dw = 28", "d(dy/dw)/dx = 3*x**2"],
        never=["no short formula"],
    ),
    Case(
        "checkpoint",
        "from torch.utils.checkpoint import checkpoint\nx = torch.tensor([2.0], requires_grad=True)\n"
        "def g(x):\n    y = x * 2\n    y = y + 1\n    return y\nz = checkpoint(g, x, use_reentrant=False)\n"
        "z.backward()\nprint(x.grad)\n",
        FIRST,
        prints="tensor([2.])\n",
    ),
    *[
        Case(
            f"checkpoint_by_its_full_name_{at}",
            f"{start}x = torch.tensor(2., requires_grad=True)\n"
            f"y = {call}(lambda t: t**3, x, use_reentrant=False)\ny.backward()\nprint(x.grad)\n",
            FIRST,
            prints="tensor(12.)\n",
        )
        for at, (start, call) in enumerate(
            [
                ("", "torch.utils.checkpoint.checkpoint"),
                ("import torch.utils.checkpoint\n", "torch.utils.checkpoint.checkpoint"),
                ("import torch.utils.checkpoint as cp\n", "cp.checkpoint"),
            ]
        )
    ],
    refused(
        "saved_tensors_hooks",
        "x = torch.tensor([1., 2.], requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n    y = (x**2).sum()\n"
        "y.backward()\n",
        4,
        "leave it out",
    ),
    refused(
        "micro_class",
        "class Value:\n    def __init__(self, data):\n        self.data = data\n        self.grad = 0.0\n"
        "a = Value(2.0)\nb = a + a\nprint(b.data)\n",
        3,
        "a = torch.tensor(2.0, requires_grad=True)",
    ),
    refused(
        "add_out",
        "c = torch.ones(3, 2, requires_grad=True)\ntorch.add(c, 1, out=c)\n",
        4,
        "add(): functions with out=... arguments don't support automatic differentiation, but one of the"
        " arguments requires grad.",
        "give the result a name",
    ),
    refused("out_of_constants", "c = torch.ones(3)\ntorch.exp(c, out=c)\n", 4, "results are new tensors"),
    Case(
        "saved_hooks",
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x.pow(2)\n"
        "print(y.grad_fn._saved_self, y.grad_fn._saved_exponent)\n",
        FIRST,
        prints="tensor([1., 2.], requires_grad=True) 2\n",
    ),
    Case(
        "saved_result",
        "x = torch.tensor([0., 1.], requires_grad=True)\nprint((2 * x.sigmoid()).grad_fn.next_functions[0][0]"
        "._saved_result)\n",
        FIRST,
        prints="tensor([0.5000, 0.7311], grad_fn=<SigmoidBackward0>)\n",
    ),
    refused(
        "saved_value_that_is_not_there",
        "x = torch.tensor([1., 2.], requires_grad=True)\nprint(x.exp().grad_fn._saved_self)\n",
        4,
        "'ExpBackward0' object has no attribute '_saved_self'",
        "it has `_saved_result`",
    ),
    refused(
        "once_diff",
        ONCE + "y = Sq.apply(x)\ng, = torch.autograd.grad(y, x, create_graph=True)\ng.backward()\n",
        4,
        "element 0 of tensors does not require grad",
        "`Sq.backward` is marked @once_differentiable: its result has no graph",
        "help: leave @once_differentiable out",
        never=("the next derivative is 0",),
    ),
    refused(
        "once_diff_in_a_product",
        ONCE + "y = x * Sq.apply(x)\ng, = torch.autograd.grad(y, x, create_graph=True)\ng.backward()\n",
        4,
        "trying to differentiate twice a function that was marked with @once_differentiable",
    ),
    Case(
        "once_diff_once",
        ONCE + "y = Sq.apply(x)\ny.backward()\nprint(x.grad)\n",
        FIRST,
        prints="tensor(6.)\n",
    ),
    refused(  # derivatives forwards are those of jvp(), as the next case has them
        "forward_ad",
        "import torch.autograd.forward_ad as fwAD\nx = torch.tensor([1., 2.])\nt = torch.tensor([1., 0.])\n"
        "with fwAD.dual_level():\n    d = fwAD.make_dual(x, t)\n    out = (d ** 2)\n"
        "    print(fwAD.unpack_dual(out).tangent)\n",
        4,
        "`torch.autograd.forward_ad.dual_level` is not in the language",
        "y, slope = torch.autograd.functional.jvp(f, x, v)",
        never=("delete the line", ".tan()"),
    ),
    Case(
        "forward_ad_as_it_can_be_written",
        "def f(x):\n    return x ** 2\nx = torch.tensor([1., 2.])\nv = torch.tensor([1., 0.])\n"
        "y, slope = torch.autograd.functional.jvp(f, x, v)\nprint(slope)\n",
        FIRST,
        prints="tensor([2., 0.])\n",
    ),
]


@each_of(CASES)
def test_what_lessons_use_works_or_says_the_way(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

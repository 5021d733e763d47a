"""Scripts that take derivatives with ``jacobian`` and its kin: what is reported beside what they print."""

from __future__ import annotations

import pytest

SCRIPT = (
    "x = torch.tensor([1., 2.], requires_grad=True)\n"
    "J = torch.autograd.functional.jacobian(lambda t: t * t, x)\nprint(J)\n"
)
PRINTED = "tensor([[2., 0.],\n        [0., 4.]])\n"


def test_run_shows_what_the_script_prints_and_no_graph_of_the_functions_own(autodiff, write) -> None:
    done = autodiff("run", write(SCRIPT))
    assert (done.out, done.returncode) == (PRINTED, 0)
    assert "note: there is no gradient to show: jacobian() and similar functions differentiate" in done.err
    assert "help: assign a result that is made from the inputs, as in `y = f(x)`" in done.err


def test_what_was_asked_for_is_shown_and_named_after_the_input(autodiff, write) -> None:
    done = autodiff("explain", write(SCRIPT))
    assert done.out.startswith("x gets | 0 |")
    assert "the last pass inside jacobian() or a similar function" in done.err
    assert autodiff("run", write(SCRIPT), "--show", "gradients").out.startswith(PRINTED + "t * t = ")


def test_a_result_of_the_script_goes_first(autodiff, write) -> None:
    done = autodiff("run", write(SCRIPT + "y = (x * x).sum()\n"))
    assert done.out.startswith(PRINTED)
    assert "\ny = 5 " in done.out
    assert "jacobian()" not in done.err


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ("hessian(lambda t: (t**3).sum(), x)", "6\t-0\n0\t-12\n"),
        ("hvp(lambda t: (t**3).sum(), x, torch.ones(2))[1]", "6\t-12\n"),
        ("vhp(lambda t: (t**3).sum(), x, torch.ones(2))[1]", "6\t-12\n"),
    ],
)
def test_the_gradient_that_hessian_differentiates_has_a_name_of_its_own(
    call: str, printed: str, autodiff, write
) -> None:
    path = write(f"x = torch.tensor([1., -2.], requires_grad=True)\nH = torch.autograd.functional.{call}\n")
    done = autodiff("run", path, "--show", "gradients")
    assert done.out.startswith("d((t**3).sum())/dt = | 3  |")
    assert autodiff("graph", path).out.splitlines()[1].startswith("d((t**3).sum())/dt ")
    assert "from d((t**3).sum())/dt (line 2)" in autodiff("explain", path).out
    assert autodiff("grad", path).out == printed
    assert autodiff("run", path).out == ""


def test_the_gradient_of_a_builtin_and_of_two_inputs_is_named_after_the_inputs(autodiff, write) -> None:
    start = "a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(3., requires_grad=True)\n"
    of_two = write(
        start + "def f(u, v):\n    L = u**2 * v**3\n    return L\n"
        "H = torch.autograd.functional.hessian(f, (a, b))\n"
    )
    assert autodiff("run", of_two, "--show", "gradients").out.startswith("dL/dv = 108 ")
    builtin = write(start + "H = torch.autograd.functional.hessian(torch.exp, a)\n")
    assert "/da = 7.38906\n" in autodiff("run", builtin, "--show", "gradients").out

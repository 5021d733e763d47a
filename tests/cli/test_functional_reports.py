"""Scripts that take derivatives with ``jacobian`` and its kin: what is reported beside what they print."""

from __future__ import annotations

SCRIPT = (
    "x = torch.tensor([1., 2.], requires_grad=True)\n"
    "J = torch.autograd.functional.jacobian(lambda t: t * t, x)\nprint(J)\n"
)
PRINTED = "tensor([[2., 0.],\n        [0., 4.]])\n"


def test_run_shows_what_the_script_prints_and_no_graph_of_the_functions_own(autodiff, write) -> None:
    done = autodiff("run", write(SCRIPT))
    assert (done.out, done.returncode) == (PRINTED, 0)
    assert "note: there is no gradient to show: jacobian() and its kin differentiate" in done.err
    assert "note: assign a result that is made from the inputs, as in `y = f(x)`" in done.err


def test_what_was_asked_for_is_shown_and_named_after_the_input(autodiff, write) -> None:
    done = autodiff("explain", write(SCRIPT))
    assert done.out.startswith("x gets | 0 |")
    assert "the last pass that jacobian() or its kin have made" in done.err
    assert autodiff("run", write(SCRIPT), "--show", "gradients").out.startswith(PRINTED + "t * t = ")


def test_a_result_of_the_script_goes_first(autodiff, write) -> None:
    done = autodiff("run", write(SCRIPT + "y = (x * x).sum()\n"))
    assert done.out.startswith(PRINTED + "y = 5 ")
    assert "jacobian()" not in done.err

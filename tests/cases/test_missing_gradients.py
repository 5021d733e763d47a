"""Why an input got no gradient: what is said of it, and what is never said."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

GIVEN = "backward() was given other inputs"
PAIR = "w = torch.tensor([1., 2.], requires_grad=True)\nv = torch.tensor([1., 2.], requires_grad=True)\n"

CASES = [
    Case(
        "a_detached_attention",
        """\
x = torch.tensor([[1., 2.], [0.5, -1.]])
Wp = torch.tensor([[1., 0.5], [0.2, -1.]], requires_grad=True)
Wt = torch.tensor([[0.3, 1.], [1., -0.4]], requires_grad=True)
V = torch.tensor([[1., 0.], [0., 1.]], requires_grad=True)
adj = torch.softmax((x @ Wp) @ (x @ Wt).T, dim=1)
adj = adj.detach()
out = (adj @ x @ V).pow(2).sum()
out.backward()
print(Wp.grad, Wt.grad, V.grad)
""",
        "autodiff explain script.ad --wrt Wp",
        shows=["line 6: no path leads from out to Wp", "detach() leaves the graph"],
        never=[GIVEN],
    ),
    Case(
        "an_input_that_nothing_uses",
        PAIR + "L = (v * v).sum()\nL.backward()\nprint(w.grad)\n",
        "autodiff explain script.ad --wrt w",
        shows=["line 1: no path leads from L to w: nothing uses w"],
        never=[GIVEN],
    ),
    Case(
        "an_input_used_by_another_result",
        PAIR + "u = (w * 3).sum()\nL = (v * v).sum()\nL.backward()\n",
        "autodiff explain script.ad --wrt w",
        shows=["no path leads from L to w"],
        never=[GIVEN],
    ),
    Case(
        "the_gradient_alone_of_such_an_input",
        PAIR + "L = (v * v).sum()\nL.backward()\n",
        "autodiff grad script.ad --wrt w",
        numbers=[0, 0],
        never=[GIVEN],
    ),
    Case(
        "an_input_left_out_of_backward",
        PAIR + "L = (v * w).sum()\nL.backward(inputs=[v])\n",
        "autodiff explain script.ad --wrt w",
        says=["w.grad got nothing: " + GIVEN],
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

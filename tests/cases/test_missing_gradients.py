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
    Case(
        "an_input_that_came_after_backward",
        PAIR + "L = (v * w).sum()\nL.backward(inputs=[v, w])\nz = torch.tensor(1., requires_grad=True)\n",
        "autodiff grad script.ad --wrt z",
        numbers=[0],
        never=[GIVEN],
    ),
    *[
        Case(
            f"a_parameter_without_gradient_in_a_loop_{at}",
            "w = torch.tensor([1.0], requires_grad=True)\nb = torch.tensor([0.0], requires_grad=True)\n"
            "for step in range(2):\n    loss = (w * 2 - 3).pow(2).sum()\n    loss.backward()\n"
            f"    with torch.no_grad():\n        for p in [w, b]:\n            {step}\n            {clear}\n",
            "autodiff run script.ad",
            says=[
                "`p.grad` is None: the last backward() came from no result of this `p`",
                "`p` is `b` in this iteration",
                "if p.grad is not None:",
            ],
            never=["set to None"],
            code=4,
        )
        for at, (step, clear) in enumerate(
            [
                ("p -= 0.1 * p.grad", "p.grad = None"),
                ("p.sub_(0.1 * p.grad)", "p.grad = None"),
                ("p -= 0.1 * p.grad", "p.grad.zero_()"),
            ]
        )
    ],
    Case(
        "a_gradient_that_was_cleared_before_the_step",
        "w = torch.tensor(1.0, requires_grad=True)\nloss = (w - 3)**2\nloss.backward()\nw.grad = None\n"
        "with torch.no_grad():\n    for p in [w]:\n        p -= 0.1 * w.grad\n",
        "autodiff run script.ad",
        says=["`w.grad` is None: it was set to None, and no backward() has run since"],
        code=4,
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)

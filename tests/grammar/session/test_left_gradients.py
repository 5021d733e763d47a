"""Where ``.grad`` holds something else in the end than a report shows, a note says so and names the line."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate

W = "w = torch.tensor(3., requires_grad=True)\n"
MATRIX = "w = torch.tensor([3., 4.], requires_grad=True)\n"
PASS = "L = (w ** 2).sum()\nL.backward()\n"
GAVE = "; this is what backward() gave"
SUM = "w.grad in the script holds the sum over several backward() calls; this is the last one alone"


def notes(script: str, **asked: object) -> list[str]:
    settings = Settings(**asked)
    return list(
        differentiate(execute(Source(script), settings, discard_text, discard_warning), settings).notes
    )


@pytest.mark.parametrize(
    ("script", "note"),
    [
        (W + PASS + "w.grad.mul_(0.5)\n", "w.grad is 3 in the end (line 4)" + GAVE),
        (W + PASS + "w.grad *= 0.5\n", "w.grad is 3 in the end (line 4)" + GAVE),
        (W + PASS + "w.grad.data.mul_(0.5)\n", "w.grad is 3 in the end (line 4)" + GAVE),
        (W + PASS + "g = w.grad.detach()\ng.mul_(0.5)\n", "w.grad is 3 in the end (line 5)" + GAVE),
        (W + PASS + "w.grad = torch.tensor(1.)\n", "w.grad is 1 in the end (line 4)" + GAVE),
        (W + PASS + "w.grad = None\n", "w.grad is None in the end (line 4)" + GAVE),
        (W + PASS + "del w.grad\n", "w.grad is None in the end (line 4)" + GAVE),
        (MATRIX + PASS + "w.grad.zero_()\n", "w.grad is 0 in the end (line 4)" + GAVE),
        (MATRIX + PASS + "w.grad[0] = 5\n", "w.grad was changed after backward() (line 4)" + GAVE),
        (MATRIX + PASS + "w.grad.clamp_(-7, 7)\n", "w.grad was changed after backward() (line 4)" + GAVE),
        (
            "def clip(p):\n    p.grad.clamp_(-7, 7)\n" + MATRIX + PASS + "clip(w)\n",
            "w.grad was changed after backward() (line 2)" + GAVE,
        ),
    ],
)
def test_what_a_line_made_of_a_gradient_is_told(script: str, note: str) -> None:
    assert notes(script) == [note]


@pytest.mark.parametrize(
    ("script", "note"),
    [
        (W + "w.grad = torch.tensor(1.)\n" + PASS, "w.grad had a value before backward()"),
        (MATRIX + "w.grad = torch.ones(2)\nw.grad.mul_(3.)\n" + PASS, "w.grad had a value before backward()"),
        (W + "w.grad = torch.tensor(1.)\n" + PASS + "w.grad *= 2\n", "w.grad is 14 in the end (line 5)"),
        (W + PASS + PASS, SUM),
        (
            W + PASS + "v = torch.tensor(2., requires_grad=True)\nM = v ** 3\nM.backward()\n",
            "w.grad holds what an earlier backward() gave; the last one, which this is about, adds nothing",
        ),
    ],
)
def test_passes_are_told_apart(script: str, note: str) -> None:
    [said] = notes(script)
    assert said.startswith(note)
    assert said == SUM or "several" not in said


@pytest.mark.parametrize(
    "script",
    [
        W + PASS,
        W + PASS + "w.grad.mul_(1.)\n",
        W + "w.register_hook(lambda g: print(g))\n" + PASS,
        W + PASS + "w.grad.zero_()\n(w ** 3).backward()\n",
        W + "y = w * w\ny.backward()\nw.grad = None\nL = w ** 3\n",
        W + "L = w ** 2\ng, = torch.autograd.grad(L, w)\n",
        W + "for i in range(2):\n    L = w ** 2\n    g, = torch.autograd.grad(L, w)\n",
    ],
)
def test_where_both_are_the_same_nothing_is_told(script: str) -> None:
    if script.endswith("L = w ** 3\n"):  # about a pass that the script never made
        assert notes(script, of="L") == []
    else:
        assert notes(script) == []


def test_what_a_hook_made_of_a_gradient_is_told() -> None:
    note = "w.grad holds what the hook of line 2 made of it; this is the gradient without hooks"
    assert notes(W + "w.register_hook(lambda g: g * 10)\n" + PASS) == [note]
    removed = "h = w.register_hook(lambda g: g * 10)\n" + PASS + "h.remove()\n"
    assert notes(W + removed) == [note]


def test_a_hook_on_the_way_is_told_of_for_what_lies_below_it() -> None:
    script = (
        W + "b = torch.tensor(1., requires_grad=True)\nh = w * 2\nh.register_hook(lambda g: g.clamp(-1, 1))\n"
        "L = h ** 2 + b\nL.backward()\n"
    )
    assert notes(script) == [
        "w.grad holds what the hook of line 4 made of it; this is the gradient without hooks"
    ]


def test_several_hooks_are_told_of_together() -> None:
    hooks = "for k in (2, 3):\n    w.register_hook(lambda g: g * k)\nw.register_hook(lambda g: -g)\n"
    script = W + hooks + PASS
    assert notes(script) == [
        "w.grad holds what the hooks of lines 3 and 4 made of it; this is the gradient without hooks"
    ]


def test_a_sum_over_several_passes_is_told() -> None:
    assert notes(W + "for x in (1., 2.):\n    L = w ** 2 * x\n    L.backward()\n") == [SUM]


def test_of_a_sum_that_was_used_and_zeroed_the_last_pass_is_told_to_be_one() -> None:
    script = W + "for x in (1., 2.):\n    L = w ** 2 * x\n    L.backward()\nw.grad.zero_()\n"
    gave = "this is what the last of 2 backward() calls gave alone"
    assert notes(script) == [f"w.grad is 0 in the end (line 5); {gave}"]


def test_leaves_that_one_line_clips_share_a_note() -> None:
    script = (
        MATRIX + "b = torch.zeros(1, requires_grad=True)\nL = (w * b).sum() + b.sum()\nL.backward()\n"
        "for p in (w, b):\n    p.grad.add_(0.5)\n"
    )
    assert notes(script) == ["w.grad and b.grad were changed after backward() (line 6)" + GAVE]


def test_a_sum_and_a_hook_are_both_told() -> None:
    passes = "for x in (1., 2.):\n    L = w ** 2 * x\n    L.backward()\n"
    script = W + "w.register_hook(lambda g: g * 10)\n" + passes
    hooked = "w.grad holds what the hook of line 2 made of it; this is the gradient without hooks"
    assert notes(script) == [hooked, SUM]


def test_leaves_of_which_the_same_is_to_be_said_share_a_note() -> None:
    script = (
        "params = [torch.tensor(float(i), requires_grad=True) for i in range(1, 7)]\n"
        "L = sum(p * p for p in params)\nL.backward()\nfor p in params:\n    p.grad.zero_()\n"
    )
    names = "params[0].grad, params[1].grad, params[2].grad and 3 more"
    assert notes(script) == [f"{names} are 0 in the end (line 5)" + GAVE]


def test_lines_are_listed() -> None:
    script = W + "c = torch.ones((), requires_grad=True)\nL = w * c\nL.backward()\n"
    script += "w.grad.zero_()\nc.grad.zero_()\n"
    assert notes(script) == ["w.grad and c.grad are 0 in the end (lines 5 and 6)" + GAVE]


def test_a_pass_from_several_outputs_is_told_to_be_one() -> None:
    script = W + "a = w * 2\nb = w * 3\ntorch.autograd.backward([a, b])\n"
    assert notes(script) == ["backward() started from a and b together; this is the gradient of a alone"]


def test_a_leaf_that_the_pass_was_told_to_leave_out_is_told() -> None:
    script = W + "c = torch.tensor(1., requires_grad=True)\nL = w * c\nL.backward(inputs=[w])\n"
    assert notes(script) == ["c.grad got nothing: backward() was given other inputs"]

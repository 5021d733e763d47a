"""Gradients and values that later lines have changed: every screen and document says so."""

import json

import pytest

STEPPED = """\
w = torch.tensor(3., requires_grad=True)
L = w ** 2
L.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad.zero_()
"""
SINCE = "values are those that L was computed from; w was changed afterwards (line 5)"
NOTE = "w.grad is 0 in the end (line 6); this is what backward() gave"


@pytest.mark.parametrize("command", ["run", "explain", "graph"])
def test_screens_that_show_values_say_which(autodiff, command):
    done = autodiff(command, "-e", STEPPED)
    assert done.out.count(SINCE) == 1
    assert done.err == f"note: {NOTE}\n"


def test_bare_gradients_stay_bare(autodiff):
    done = autodiff("grad", "-e", STEPPED)
    assert (done.out, done.err) == ("6\n", f"note: {NOTE}\n")


def test_check_says_that_grad_is_something_else(autodiff):
    done = autodiff("check", "-e", STEPPED)
    assert (done.returncode, done.err) == (0, f"note: {NOTE}\n")


def test_documents_carry_both(autodiff):
    assert json.loads(autodiff("grad", "-e", STEPPED, "--format", "json").out)["notes"] == [NOTE, SINCE]
    assert json.loads(autodiff("check", "-e", STEPPED, "--format", "json").out)["notes"] == [NOTE]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ("w.data -= 1", "line 4"),
        ("w.data = torch.tensor(1.)", "line 4"),
        ("w.data.fill_(1.)", "line 4"),
        ("w.detach().mul_(2)", "line 4"),
        ("w = w - 0.1 * w.grad", "line 4"),
        ("for p in [w]:\n    p.data.mul_(2)", "line 5"),
    ],
)
def test_every_way_to_change_an_input_is_told(autodiff, change, lines):
    code = "w = torch.tensor(3., requires_grad=True)\nL = w ** 2\nL.backward()\n" + change
    done = autodiff("run", "-e", code, "--show", "gradients")
    assert f"w was changed afterwards ({lines})" in done.out


def test_a_leaf_that_a_step_has_replaced_is_told_with_its_line(autodiff):
    code = (
        "w = torch.tensor([2.0], requires_grad=True)\nfor i in range(3):\n    L = (w - 0.5).pow(2).sum()\n"
        "    g, = torch.autograd.grad(L, w)\n    w = (w - 0.1 * g).detach().requires_grad_()\n"
    )
    done = autodiff("run", "-e", code, "--show", "gradients")
    assert (SINCE in done.out, done.err) == (True, "")


@pytest.mark.parametrize(
    "code",
    [
        "w = torch.ones(1, requires_grad=True)\nwith torch.no_grad():\n    w *= 2\nL = w ** 2\nL.backward()",
        "w = 3.\nw = w * 2\nL = w ** 2",
        "w = torch.ones(1, requires_grad=True)\nL = w ** 2\nL.backward()\nwith torch.no_grad():\n    w += 0",
    ],
)
def test_what_was_changed_before_or_not_at_all_is_not_told(autodiff, code):
    assert "afterwards" not in autodiff("run", "-e", code).out


def test_leaves_of_one_name_are_not_taken_for_changes_of_the_script(autodiff):
    code = (
        "L = 0\nfor n in (1, 2):\n    w = torch.zeros(n, requires_grad=True)\n"
        "    L = L + torch.relu(w).sum() + w.sum()\n"
    )
    told = " ".join(autodiff("check", "-e", code).out.split())
    assert "random" not in told
    assert "w_1[0] is at a kink" in told
    assert "w_2[0] is at a kink" in told

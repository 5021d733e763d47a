"""Choices of Python's own - max, min, sorted, if - between equal numbers: kinks that no op of a graph has."""

from __future__ import annotations

import json

import pytest

BARE = [
    ("x = 2.; max(x, 2)", (0, 1)),
    ("x = 2.; y = 2.; min(x, y)", (1, 0)),
    ("x = 2.; y = 2.; sorted([x, y])[0]", (1, 0)),
    ("x = 2.; w = 3*x; min([w, 6])", (3, 0)),
    ("x = 2.; w = 3*x; v = max(w, 6); v", (0, 3)),
    ("x = tensor([2., 2.], requires_grad=True); max(x[0], x[1])", (0, 1)),
    ("x = 2.; 3*x if x >= 2 else x + 4", (1, 3)),
]


@pytest.mark.parametrize(("code", "sides"), BARE)
def test_a_last_expression_that_chooses_between_equal_numbers_is_on_a_kink(autodiff, code, sides):
    document = json.loads(autodiff("check", "-e", code, "--wrt", "x", "--format", "json").out)
    [found] = document["checks"]
    assert (document["right"], found["verdict"], found["ties"]) == (None, "kink", [1])
    assert found["sides"] == pytest.approx(sides, abs=1e-6)


@pytest.mark.parametrize("code", ["x = 1.; max(2., x)", "x = 2.; y = 2*x; max(4., y)"])
@pytest.mark.parametrize("command", ["check", "explain", "grad"])
def test_a_number_chosen_in_the_last_expression_is_a_constant(autodiff, command, code):
    done = autodiff(command, "-e", code)
    assert done.returncode == 0
    assert "is a constant here, and its slope is 0: max() chooses" in done.err
    assert "0" in done.out


def test_a_number_chosen_among_tensors_is_an_error_as_in_torch(autodiff):
    done = autodiff("check", "-e", "x = tensor(1., requires_grad=True); max(2., x)")
    assert done.returncode == 4
    assert "max() chooses" in done.err
    assert "torch.clamp(" in done.err


def test_a_point_that_jumps_out_of_the_output_is_no_jump_from_4_to_4(autodiff):
    done = autodiff("check", "-e", "x = 2.\nL = 5.*x if x == 2 else x*x")
    assert "x is at a jump at a single point of the output, which is 4 beside it:" in (
        " ".join(done.out.split())
    )


EXPLAINED = [
    ("x = 2.; L = max(x, 2)", "kink line 1: max(x, 2) compares equal numbers: the slope by x is 0 from"),
    ("x = 2.; max(x, 2)", "kink line 1: max(x, 2) compares equal numbers: the slope by x is 0 from"),
    ("x = 2.\nif x > 2:\n    L = 4*x\nelse:\n    L = 4 + 2*x", "kink line 2: x > 2 compares equal numbers"),
    ("x = 2.\nL = x if x > 2 else 3*x", "jump line 2: x > 2 compares equal numbers: the output goes from 6"),
    ("x = 1.; L = 3*sorted([x, 1.])[0]", "kink line 1: sorted([x, 1.]) compares equal numbers"),
    (
        "x = 2.; L = relu(x-2) + max(x, 2.)",
        "kink line 1: max(x, 2.) compares equal numbers: the slope by x is 0",
    ),
    ("x = 0.; L = x if x > 0 else x**2", "the slope by x is 0 from below and 1 from above"),
    ("x = 2.; L = relu(x-2) + max(x, 2.)", "kink line 1: relu(x-2) is at a kink of relu"),
    ("x = 0.; L = (x > 0)*x*3 + abs(x)", "kink line 1: x > 0 compares equal numbers: the slope by x is -1"),
]


@pytest.mark.parametrize(("code", "remark"), EXPLAINED)
def test_explain_tells_of_a_choice_between_equal_numbers(autodiff, code, remark):
    assert remark in " ".join(autodiff("explain", "-e", code).out.split())


def test_the_remark_says_which_slope_was_taken_and_by_which_entry(autodiff):
    code = "x = tensor([2., 3.], requires_grad=True)\nL = max(x[0], 2) + x[1]"
    [kink] = json.loads(autodiff("explain", "-e", code, "--format", "json").out)["derivations"][0]["kinks"]
    assert (kink["kind"], kink["line"], kink["op"], kink["entry"]) == ("kink", 2, None, [0])
    assert kink["text"] == (
        "max(x[0], 2) compares equal numbers: the slope by x[0] is 0 from below and 1 from above, and the way"
        " the script went gives 1 (Python's max takes the first of equal arguments, torch.maximum shares"
        " the slope)"
    )


@pytest.mark.parametrize(
    "code",
    [
        "x = 2.; L = max(x, 1)",
        "x = 2.; L = 3*x\nassert L == 6\nL = L*L",
        "x = 2.; L = 4*x - 4 if x == 2 else x*x",
        "x = 2.; t = tensor(1.); L = x*(t == 1).double()",
        "x = tensor(0., requires_grad=True); L = relu(x) + max(x, 0)*0",
        "x = 0.; L = abs(x); g = max(x, 0); L",
        "x = tensor([2., 2.], requires_grad=True); y = 2.; g = max(x[0], y); x.max()",
    ],
)
def test_a_comparison_of_equal_numbers_that_changes_nothing_is_not_told(autodiff, code):
    assert "compares equal" not in autodiff("explain", "-e", code).out


def test_run_points_to_the_remark(autodiff):
    assert "max(x, 2) in line 1 is at a kink; `autodiff explain" in (
        autodiff("run", "-e", "x = 2.; L = max(x, 2)").err
    )

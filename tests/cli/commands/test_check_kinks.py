"""``autodiff check`` at kinks and jumps, and where the script itself chooses between branches."""

import json

import pytest

from tests.cli.reports import SEED

KINK = "x = tensor(0., requires_grad=True); L = relu(x)"


def test_kinks_are_neither_right_nor_wrong(autodiff):
    document = json.loads(autodiff("check", "-e", KINK, "--format", "json").out)
    assert (document["right"], document["undecided"]) == (None, 1)


def test_a_choice_between_two_analytic_functions_is_a_kink(autodiff):
    code = "x = 0.; y = x*x + 3*x if x > 0 else x*x"
    [found] = json.loads(autodiff("check", "-e", code, "--format", "json").out)["checks"]
    assert (found["verdict"], found["sides"]) == ("kink", [pytest.approx(0, abs=1e-6), pytest.approx(3)])


def test_a_kink_is_neither(autodiff):
    done = autodiff("check", "-e", KINK)
    assert done.returncode == 0
    said = " ".join(done.out.split())
    assert (
        "x is at a kink: the slope is 0 from below and 1 from above; backward takes 0, and no number is"
        " right. In line 1, L is at a kink of relu: x = 0; the slope is 0 (JAX and MyGrad answer 0 too,"
        " HIPS autograd, by way of maximum, 0.5)"
    ) in said
    assert done.out.endswith("0 of 1 are right, 1 cannot be decided\n")


def test_every_op_with_a_kink_is_named(autodiff):
    code = "x = tensor([0., 1., 1.], requires_grad=True); h = x.prod(); L = x.max() + abs(x).sum() + h"
    [check] = json.loads(autodiff("check", "--format", "json", "-e", code).out)["checks"]
    assert [(kink["op"], kink["line"], kink["entry"]) for kink in check["kinks"]] == [
        ("amax", 1, [1]),
        ("abs", 1, [0]),
    ]
    assert json.loads(autodiff("check", "--format", "json", SEED).out)["checks"][0]["kinks"] == []


def test_kinks_whose_slopes_cancel_are_told_beside_what_is_wrong(autodiff):
    done = autodiff("check", "-e", "x = tensor(0., requires_grad=True); L = relu(x) - relu(-x)")
    assert done.returncode == 1
    said = " ".join(done.out.split())
    assert "x: backward gives 0, differences with a step of" in said
    assert "at kinks need not add up to a slope. In line 1, relu(x) is at a kink of relu: x = 0" in said
    assert "in line 1, relu(-x) is at a kink of relu: -x = 0" in said


def test_ties_that_a_replay_does_not_see(autodiff):
    done = autodiff("check", "-e", "x = tensor([1., 3., 3.], requires_grad=True); L = x.max(0)[0]")
    assert done.returncode == 0
    said = " ".join(done.out.split())
    assert "x[1] is at a kink: the slope is 0 from below and 1 from above; backward takes 1" in said
    assert "In line 1, L is at a kink of max: entries [1], [2]" in said


CHOICES = [
    ("L = torch.where(x > 0, 2*x, x)", (1, 2)),
    ("L = torch.where(x > 0, x, -x)", (-1, 1)),
    ("L = (3*x).masked_fill(x <= 0, 0.)", (0, 3)),
    ("y = x.reshape(1)\nL = y[y > 0].sum()", (0, 1)),
    ("L = x*2 if x > 0 else x", (1, 2)),
    ("L = x*2 if x.item() > 0 else x", (1, 2)),
    ("with torch.no_grad():\n    m = x >= 0\nL = torch.where(m, 2*x, x)", (1, 2)),
    ("L = torch.where(x.detach() > 0, 2*x, x)", (1, 2)),
    ("L = x*(x > 0).double()", (0, 1)),
    ("L = torch.where(x > 0, x + 1, x)", (1, 1)),
]


@pytest.mark.parametrize(("code", "sides"), CHOICES)
def test_choices_the_script_makes_at_the_boundary_are_kinks(autodiff, code, sides):
    done = autodiff("check", "-e", f"x = torch.tensor(0., requires_grad=True)\n{code}", "--format", "json")
    [found] = json.loads(done.out)["checks"]
    assert (done.returncode, found["verdict"]) == (0, "kink")
    assert found["sides"] == pytest.approx(sides, abs=1e-6)
    assert bool(found["outputs"]) == ("+ 1" in code)


@pytest.mark.parametrize("at", ["-1e-9", "1e-3"])
@pytest.mark.parametrize("code", [code for code, _ in CHOICES])
def test_choices_away_from_the_boundary_are_none(autodiff, code, at):
    done = autodiff("check", "-e", f"x = torch.tensor({at}, requires_grad=True)\n{code}", "--format", "json")
    assert [found["verdict"] for found in json.loads(done.out)["checks"]] == ["ok"]


@pytest.mark.parametrize(
    "code",
    [
        "L = torch.where(x > 0, x**2, 0*x)",
        "L = x*x.detach() + x",
        "L = x**3 if x > 0 else -(x**3)",
        "y = torch.stack([x, x + 1])\nL = y[y > 0.5].sum()",
        "assert x.item() == 0\nL = sin(x)",
        "for i in range(3):\n    if i == 2: L = sin(x)*i",
    ],
)
def test_choices_that_make_no_kink(autodiff, code):
    done = autodiff("check", "-e", f"x = torch.tensor(0., requires_grad=True)\n{code}", "--format", "json")
    assert [found["verdict"] for found in json.loads(done.out)["checks"]] == ["ok"]


def test_the_comparison_at_the_boundary_is_named(autodiff):
    code = "x = torch.tensor([0., 1.], requires_grad=True)\nm = x > 0\nL = torch.where(m, x, -x).sum()"
    said = " ".join(autodiff("check", "-e", code).out.split())
    assert (
        "x[0] is at a kink: the slope is -1 from below and 1 from above; backward takes -1, and no number"
        " is right. Equal numbers are compared in line 2, and the result depends on it"
    ) in said


def test_a_jump_says_where_it_goes(autodiff):
    code = "x = torch.tensor(0., requires_grad=True)\nL = torch.where(x > 0, x + 1, x)"
    assert "x is at a jump of the output, from 0 to 1: the slope is 1 from below and 1 from above" in (
        " ".join(autodiff("check", "-e", code).out.split())
    )


def test_a_slope_that_only_the_point_itself_has_is_wrong(autodiff):
    code = "x = torch.tensor(0., requires_grad=True)\nL = torch.where(x == 0, 5*x, x)"
    done = autodiff("check", "-e", code)
    assert done.returncode == 1
    said = " ".join(done.out.split())
    assert "x: backward gives 5, differences with a step of 1e-09 give 1; they are 80 % apart. Equal" in said


def test_inputs_changed_in_place_are_moved_as_they_are_in_the_end(autodiff):
    code = (
        "w = torch.tensor([1., 2.], requires_grad=True)\nwith torch.no_grad():\n    w -= 1.0\n"
        "L = torch.where(w > 0, w, 3*w).sum()"
    )
    [found] = json.loads(autodiff("check", "-e", code, "--format", "json").out)["checks"]
    assert (found["verdict"], found["worst"], found["ties"]) == ("kink", [0], [4])


def test_each_input_is_moved_alone(autodiff):
    code = (
        "x = torch.tensor(0., requires_grad=True)\ny = torch.tensor(2., requires_grad=True)\n"
        "L = torch.where(x > 0, y, 2*y) + x"
    )
    checks = json.loads(autodiff("check", "-e", code, "--format", "json").out)["checks"]
    assert [(found["wrt"], found["verdict"]) for found in checks] == [("x", "kink"), ("y", "ok")]


LEFT_OUT = [
    ("x = 2.; L = 3*x if x >= 2 else 5.", (0, 3), (5, 6)),
    ("x = 2.; L = 3*x if x <= 2 else torch.tensor(5.)", (3, 0), (6, 5)),
    ("x = 2.; 3*x if x >= 2 else 5.", (0, 3), (5, 6)),
    ("x = 2.; y = 1.; L = 3*x if x >= 2 else 5*y", (0, 3), (5, 6)),
    ("x = 2.; y = 1.; L = 3*x + y if x >= 2 else 5*y", (0, 3), (5, 7)),
    ("x = 2.; y = 1.; L = 5*y if x >= 2 else 3*x", (3, 0), (6, 5)),
    ("x = 2.; L = max(x, 2)", (0, 1), None),
    ("x = 2.; L = min(x, 2)*3", (3, 0), None),
    ("x = 2.; y = 2.; L = max(x, y)*3", (0, 3), None),
    ("x = 1.; L = 3*sorted([x, 1.])[0]", (3, 0), None),
    ("x = tensor(2., requires_grad=True); y = tensor(2., requires_grad=True); L = 3*max(x, y)", (0, 3), None),
    ("x = tensor(2., requires_grad=True)\nL = max(3*x, tensor(6.))\nL.backward()", (0, 3), None),
    (
        "def my_relu(t):\n    if t >= 0: return 3*t\n    return torch.tensor(0.)\n"
        "x = torch.tensor(0., requires_grad=True)\nL = my_relu(x)",
        (0, 3),
        None,
    ),
]


@pytest.mark.parametrize(("code", "sides", "outputs"), LEFT_OUT)
def test_a_branch_that_leaves_the_input_out_is_one_side(autodiff, code, sides, outputs):
    done = autodiff("check", "-e", code, "--wrt", "x", "--format", "json")
    document = json.loads(done.out)
    [found] = document["checks"]
    assert (done.returncode, document["right"], document["undecided"]) == (0, None, 1)
    assert (found["verdict"], found["ties"] != []) == ("kink", True)
    assert found["sides"] == pytest.approx(sides, abs=1e-6)
    assert found["outputs"] == (None if outputs is None else pytest.approx(outputs, abs=1e-6))


@pytest.mark.parametrize(("code", "sides", "outputs"), LEFT_OUT)
def test_away_from_the_boundary_it_is_none(autodiff, code, sides, outputs):
    away = "x=2.3" if sides[0] == 0 else "x=0.7"
    done = autodiff("check", "-e", code, "--wrt", "x", "--set", away, "--format", "json")
    assert [found["verdict"] for found in json.loads(done.out)["checks"]] == ["ok"]


def test_second_derivatives_see_choices_too(autodiff):
    code = "x = torch.tensor(0., requires_grad=True)\nL = torch.where(x > 0, x**2, 0*x)"
    said = autodiff("check", "--order", "2", "-e", code).out
    assert "at a kink of dL/dx: its slope is 0 from below and 2 from above" in " ".join(said.split())


def test_kinks_of_the_first_derivative(autodiff):
    code = "x = tensor(1., requires_grad=True); L = F.huber_loss(x, tensor(0.))"
    assert "right: backward" in autodiff("check", "-e", code).out
    said = " ".join(autodiff("check", "--order", "2", "-e", code).out.split())
    assert "In line 1, L is at a kink in the slope of huber_loss: x = 1 and 0; the slope's own" in said
    product = "x = tensor(0., requires_grad=True); h = relu(x); L = h * x"
    assert "In line 1, h is at a kink of relu: x = 0" in " ".join(
        autodiff("check", "--order", "2", "-e", product).out.split()
    )


def test_a_kink_that_no_op_has(autodiff, write):
    path = write(
        """\
class Sides(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2 if x.item() > 0 else x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 if x.item() > 0 else g
x = torch.tensor(0., requires_grad=True)
L = Sides.apply(x)
L.backward()
"""
    )
    said = " ".join(autodiff("check", path).out.split())
    assert (
        "and no number is right. No op on the way is known to have one here; a Function or a branch" in said
    )


@pytest.mark.parametrize(
    ("code", "kink"),
    [
        (
            "x = 0.; L = max(x, 0)**2",
            "max(x, 0) compares equal numbers: the second derivative by x is 0 from below and 2 from above",
        ),
        ("x = 0.; L = relu(x)**2", "relu(x) is at a kink of relu: x = 0"),
        (
            "x = 0.; L = x*abs(x) + max(x, 0)**2",
            "max(x, 0) compares equal numbers: the second derivative by x is -2",
        ),
        ("x = 1.; L = x**2 if x > 1 else 2*x - 1", "the second derivative by x is 0 from below and 2 from"),
        (
            "x = torch.tensor([0., 3.]); L = (relu(x)**2).sum()",
            "relu(x) is at a kink of relu: entry [0] of x = 0",
        ),
        ("x = 0.; L = abs(x)", "L is at a kink of abs"),
        # the second derivatives of both sides are the same
        ("x = 0.; L = max(x, 0)**3", ""),
        ("x = 0.; L = relu(x)**3", ""),
        ("x = 1.; L = max(x, 0)**2", ""),
        ("x = 1.; y = 1.; L = x*y if x == y else y*x", ""),
    ],
)
def test_second_derivatives_leap_at_kinks(autodiff, code, kink):
    entry = ["--entry", "0"] * ("tensor" in code)
    said = " ".join(autodiff("explain", "--order", "2", *entry, "-e", code).out.split())
    assert kink in said if kink else " kink line" not in said


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "x = 0.; f = abs(x)",
            "x is at a jump of df/dx, from -1 to 1: its slope is 0 from below and 0 from above",
        ),
        ("x = 0.; f = relu(x)**2", "x is at a kink of df/dx: its slope is 0 from below and 2 from above"),
        ("x = 0.; f = x if x > 0 else 2*x", "x is at a jump of df/dx, from 2 to 1: its slope"),
        ("x = tensor([0., 1.]); f = abs(x).sum()", "x[0] is at a jump of the gradient: its slope is 0 "),
    ],
)
def test_a_second_derivative_is_told_what_the_first_does(autodiff, code, says):
    done = autodiff("check", "-e", code, "--order", "2")
    assert says in " ".join(done.out.split())
    assert "jump of the output" not in done.out


@pytest.mark.parametrize("code", ["x=0.; k=sign(x)*x", "x=0.; k=x*floor(x + 1)", "x=0.; k=x*round(x + 0.5)"])
def test_a_kink_by_a_jump_where_no_gradient_arrives_is_named(autodiff, code):
    done = autodiff("check", "-e", code)
    assert "In line 1, " in done.out
    assert " is at a jump of " in " ".join(done.out.split())
    assert " is at a jump of " in " ".join(autodiff("explain", "-e", code).out.split())
    assert " in line 1 is at a jump; " in autodiff("grad", "-e", code).err


def test_a_jump_that_leaves_the_slope_as_it_is_is_not_named(autodiff):
    code = "x = 0.; k = sign(x)*x**2"
    assert " ok " in autodiff("check", "-e", code).out
    assert "jump" not in autodiff("grad", "-e", code).err + autodiff("explain", "-e", code).out


def test_the_slopes_of_a_norm_are_those_by_one_entry(autodiff):
    code = "x = [0., 0.]; A = [[0., 0.], [0., 0.]]; v = [0., 0., 2.]; u = [0., 0., 2.]\n"
    code += "k = norm(x) + norm(A) + norm(v - u)"
    found = json.loads(autodiff("check", "-e", code, "--format", "json").out)["checks"]
    assert [check["sides"] for check in found] == [pytest.approx([-1, 1])] * 4

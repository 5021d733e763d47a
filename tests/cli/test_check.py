"""``autodiff check`` from the outside: the table, the verdicts, the exit codes, the document."""

import json
import math

import pytest
from conftest import REPOSITORY

SEED = str(REPOSITORY / "examples" / "seeds" / "1_autograd.ad")
KINK = "x = tensor(0., requires_grad=True); L = relu(x)"
WRONG_RULE = """\
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3.09 * x**2
x = torch.tensor(2., requires_grad=True)
L = Cube.apply(x)
L.backward()
"""


def test_a_right_script(autodiff):
    done = autodiff("check", SEED)
    assert done.returncode == 0
    assert done.out == (
        "L: 5 gradients checked\n"
        "\n"
        "  input   answer   paths      differences   complex step   Taylor\n"
        "  x1      ok       1, exact   2e-13         exact          linear\n"
        "  x2      ok       1, exact   7e-14         exact          linear\n"
        "  w1      ok       2, exact   exact         exact          linear\n"
        "  w2      ok       1, exact   2e-13         exact          linear\n"
        "  w3      ok       1, exact   exact         exact          linear\n"
        "\n"
        "right: backward, the sum over the paths and the differences agree\n"
    )


def test_a_wrong_rule_of_the_script_s_own(autodiff, tmp_path):
    path = tmp_path / "cube.ad"
    path.write_text(WRONG_RULE)
    done = autodiff("check", str(path))
    assert done.returncode == 1
    assert "x: backward gives 12.36, differences with a step of" in done.out
    assert "give 12; they are 2.91 % apart" in " ".join(done.out.split())
    assert done.out.endswith("\n1 of 1 is wrong\n")
    path.write_text(WRONG_RULE.replace("3.09", "3"))
    done = autodiff("check", str(path))
    assert done.returncode == 0
    assert "2.00" in done.out


def squares(factor):
    return WRONG_SQUARE.format(factor=factor)


WRONG_SQUARE = """class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return {factor}*x*g

"""


def test_the_percentage_is_that_of_the_entry(autodiff, write):
    code = "x = torch.tensor([1., -2., 1e-6], requires_grad=True)\ny = Sq.apply(x).sum() + 1e6*x[0]\n"
    done = autodiff("check", write(squares(2.06) + code))
    assert done.returncode == 1
    assert "x[1]: backward gives -4.12," in done.out
    assert "they are 2.91 % apart" in " ".join(done.out.split())


@pytest.mark.parametrize(
    "y",
    [
        *("Sq.apply(x)*1e-9 + b*1e6", "Sq.apply(x)*1e-9 + x*1e6", "Sq.apply(x)*1e-20", "Sq.apply(x)*1e-9"),
        "Sq.apply(x)*1e-9 + 1e6",
    ],
)
def test_wrong_gradients_far_below_the_largest_are_not_right(autodiff, write, y):
    code = f"x = torch.tensor(2., requires_grad=True)\nb = torch.tensor(3., requires_grad=True)\ny = {y}\n"
    path = write(squares(50) + code)
    found = json.loads(autodiff("check", path, "--wrt", "x", "--format", "json").out)["checks"][0]
    assert found["verdict"] == "wrong"
    assert (found["function"]["name"], found["function"]["line"]) == ("Sq", 10)
    if "+" not in y:
        path = write(squares(2) + code)
        found = json.loads(autodiff("check", path, "--wrt", "x", "--format", "json").out)["checks"][0]
        assert found["verdict"] == "ok"


SINGLE = """\
x = torch.tensor([1., -2.], dtype=torch.float32, requires_grad=True)
b = torch.tensor([3.], dtype=torch.float32, requires_grad=True)
"""


@pytest.mark.parametrize(
    "y",
    [
        "(Sq.apply(x)*1e-6*1e5).sum()",
        "(Sq.apply(x)*1e-5).sum() + (1e3*(b + 0*Sq.apply(x)[0]))[0]",
    ],
)
def test_small_gradients_of_single_precision_are_judged_by_their_own_size(autodiff, write, y):
    for factor, verdict in (2.06, "wrong"), (2, "ok"):
        path = write(squares(factor) + SINGLE + f"L = {y}\n")
        found = json.loads(autodiff("check", path, "--wrt", "x", "--format", "json").out)["checks"][0]
        assert found["verdict"] == verdict, found


def test_a_wrong_rule_of_several_outputs_is_named_where_it_is_hidden(autodiff, write):
    code = SIN_AND_SQUARE + "x = torch.tensor([2., 3.])\nx.requires_grad_()\ns, q = Own.apply(x)\n"
    code += "L = (s*q).sum()*1e-9 + 1e9*x[0]\n"
    done = autodiff("check", write(code.replace("h*2*x", "h*2.001*x")))
    assert done.returncode == 1
    told = " ".join(done.out.split())
    assert "x: a mistake on the way to it is too small beside the rest for differences of the output." in told
    assert "The backward of Own, which ends in line 7, is wrong: for x[0] in the call of line 10 back" in told
    assert autodiff("check", write(code)).returncode == 0


def test_a_right_function_is_not_blamed_for_a_wrong_one(autodiff, write):
    code = squares(2.06) + RIGHT_RULE.replace("L.backward()\n", "M = Sq.apply(L)\n")
    found = json.loads(autodiff("check", write(code), "--format", "json").out)["checks"][0]
    assert (found["verdict"], found["function"]["name"]) == ("wrong", "Sq")


def test_an_input_that_is_the_output_is_not_said_to_be_right(autodiff):
    done = autodiff("check", "-e", "x=2.", "-e", "y=3.")
    assert (done.returncode, "ok" in done.out) == (0, False)
    assert "y: this is an input, and the output itself: nothing is computed" in " ".join(done.out.split())
    assert done.out.endswith("there is nothing to check\n")
    document = json.loads(autodiff("check", "-e", "x=2.", "-e", "y=3.", "--format", "json").out)
    assert (document["right"], document["undecided"]) == (None, 1)


def test_an_input_that_nothing_leads_to_is_told_to_be_so(autodiff):
    done = autodiff("check", "-e", "x=2.; w=3.; y=x*2", "--wrt", "w")
    assert "w: no path leads from it to the output" in done.out


def test_kinks_are_neither_right_nor_wrong(autodiff):
    document = json.loads(autodiff("check", "-e", KINK, "--format", "json").out)
    assert (document["right"], document["undecided"]) == (None, 1)


def test_what_has_decided_is_named(autodiff):
    done = autodiff("check", "-e", "x = 1.; b = 2.; y = sin(1e9*x) + b*b")
    assert " agree; for x rounding or fast changes leave" in " ".join(done.out.split())


@pytest.mark.parametrize(
    "code",
    [
        "x = 1.; y = x\nfor i in range(60):\n    y = 3.9*y*(1 - y) + 1e-3",
        "x = 0.; y = exp(-1/(x*x + 1e-9)) + sqrt(x*x + 1e-20)",
        "x = 0.; b = 2.; y = b*sqrt(x*x + 1e-20)",
        "x = 1.; y = sin(1e9*x)",
    ],
)
def test_functions_too_fast_for_differences_are_left_to_the_complex_step(autodiff, code):
    done = autodiff("check", "-e", code, "--wrt", "x")
    assert done.returncode == 0
    told = " ".join(done.out.split())
    assert " x ok " in told.replace(":", "")
    assert "1e+00" not in told
    assert "right: " in told
    assert ("and the complex step agree" in told) == ("for x rounding or" in told) == (code[:5] == "x = 1")


def test_a_choice_between_two_analytic_functions_is_a_kink(autodiff):
    code = "x = 0.; y = x*x + 3*x if x > 0 else x*x"
    [found] = json.loads(autodiff("check", "-e", code, "--format", "json").out)["checks"]
    assert (found["verdict"], found["sides"]) == ("kink", [pytest.approx(0, abs=1e-6), pytest.approx(3)])


def test_a_kink_is_neither(autodiff):
    done = autodiff("check", "-e", KINK)
    assert done.returncode == 0
    said = " ".join(done.out.split())
    assert (
        "x sits on a kink: the slope is 0 from below and 1 from above; backward takes 0, and no number is"
        " right. In line 1, L sits on a kink of relu: x = 0; the slope is 0 (JAX and MyGrad answer 0 too,"
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
    assert "at a kink need not add up to a slope. In line 1, relu(x) sits on a kink of relu: x = 0" in said
    assert "in line 1, relu(-x) sits on a kink of relu: -x = 0" in said


def test_ties_that_a_replay_does_not_see(autodiff):
    done = autodiff("check", "-e", "x = tensor([1., 3., 3.], requires_grad=True); L = x.max(0)[0]")
    assert done.returncode == 0
    said = " ".join(done.out.split())
    assert "x[1] sits on a kink: the slope is 1 from below and 0 from above; backward takes 1" in said
    assert "In line 1, L sits on a kink of max: entries [1], [2]" in said


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
        "x[0] sits on a kink: the slope is -1 from below and 1 from above; backward takes -1, and no number"
        " is right. Equal numbers are compared in line 2, and what follows hangs on it"
    ) in said


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = 0.; L = sqrt(x)", "goes to infinity"),
        ("x = 1.; L = 5 + asin(x)", "goes to infinity"),
        ("x = 0.; L = -(x**0.9)", "goes to infinity"),
        ("x = torch.tensor([0., 4.]); L = sqrt(x).sum()", "goes to infinity"),
        ("x = 1.; L = exp(1000*x)", "is infinite"),
        ("x = 0.; L = log(x)", "is infinite"),
    ],
)
def test_infinities_cannot_be_decided(autodiff, code, reason):
    done = autodiff("check", "-e", code, "--format", "json")
    document = json.loads(done.out)
    [found] = document["checks"]
    assert (done.returncode, document["right"]) == (0, None)
    assert (found["verdict"], found["reason"]) == ("undecided", reason)
    assert "infinite here" in autodiff("check", "-e", code).out


@pytest.mark.parametrize("gradient", ["g*inf*x", "g*float('nan')*x", "-g*inf*x"])
def test_infinities_that_the_differences_do_not_see_are_wrong(autodiff, write, gradient):
    body = {"parameters": "x", "forward": "ctx.save_for_backward(x); return x**2 + x", "gradients": "g"}
    code = FUNCTION.format(backward=f"x, = ctx.saved_tensors; return {gradient}", **body)
    code = code.replace("inf", "float('inf')") + "x = torch.tensor(2., requires_grad=True)\nL = Own.apply(x)"
    returned, found = check_entry(autodiff, write, code)
    assert (returned, found["verdict"]) == (1, "not finite")


def test_other_entries_than_the_infinite_one_are_checked(autodiff, write):
    code = squares(2.06) + "x = torch.tensor([0., 3.], requires_grad=True)\nL = sqrt(x)[0] + Sq.apply(x)[1]"
    returned, found = check_entry(autodiff, write, code)
    assert (returned, found["verdict"], found["worst"]) == (1, "wrong", [1])


def test_a_jump_says_where_it_goes(autodiff):
    code = "x = torch.tensor(0., requires_grad=True)\nL = torch.where(x > 0, x + 1, x)"
    assert "x sits on a jump of the output, from 0 to 1: the slope is 1 from below and 1 from above" in (
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


@pytest.mark.parametrize(
    "code",
    [
        "x = 2.; L = 3*x; L.item()",
        "x = tensor(2., requires_grad=True); (3*x).backward(); x.grad.item()",
        "x = tensor(2., requires_grad=True); g = torch.autograd.grad(3*x, x)[0]; g.item()",
    ],
)
def test_a_number_that_the_script_ends_in_is_not_its_output(autodiff, code):
    [found] = json.loads(autodiff("check", "-e", code, "--wrt", "x", "--format", "json").out)["checks"]
    assert found["verdict"] == "ok"


@pytest.mark.parametrize(
    "code", ["x = 2.; L = x", "x = 2.; L = max(x, 1)", "x = 2.; L = sorted([x, 2*x - 2])[0]"]
)
def test_an_input_that_is_passed_on_as_it_is_has_a_path(autodiff, code):
    assert "no path leads" not in autodiff("check", "-e", code).out


def test_second_derivatives_see_choices_too(autodiff):
    code = "x = torch.tensor(0., requires_grad=True)\nL = torch.where(x > 0, x**2, 0*x)"
    said = autodiff("check", "--order", "2", "-e", code).out
    assert "the slope is 0 from below and 2 from above" in " ".join(said.split())


def test_what_the_script_prints_is_printed_once(autodiff):
    done = autodiff("check", "-e", "x = torch.tensor(2., requires_grad=True)\nprint('here')\nL = x**2")
    assert (done.out + done.err).count("here") == 1


def test_a_vector_set_to_a_number_is_noted(autodiff):
    code = "w = torch.tensor([1., 2.], requires_grad=True)\nL = (w**2).sum()"
    done = autodiff("check", "--set", "w=3", "-e", code)
    assert "--set w: `w` has shape (2,) in the script, and is one number now" in done.err


def test_kinks_of_the_first_derivative(autodiff):
    code = "x = tensor(1., requires_grad=True); L = F.huber_loss(x, tensor(0.))"
    assert "right: backward" in autodiff("check", "-e", code).out
    said = " ".join(autodiff("check", "--order", "2", "-e", code).out.split())
    assert "In line 1, L sits on a kink in the slope of huber_loss: x = 1 and 0; the slope's own" in said
    product = "x = tensor(0., requires_grad=True); h = relu(x); L = h * x"
    assert "In line 1, h sits on a kink of relu: x = 0" in " ".join(
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


def check_entry(autodiff, write, code, *options):
    done = autodiff("check", write(code), *options, "--format", "json")
    [found] = json.loads(done.out)["checks"]
    return done.returncode, found


RIGHT_RULE = WRONG_RULE.replace("3.09", "3")
FUNCTION = """\
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {parameters}):
        {forward}
    @staticmethod
    def backward(ctx, {gradients}):
        {backward}
"""
SIN_AND_SQUARE = FUNCTION.format(
    parameters="x",
    forward="ctx.save_for_backward(x); return sin(x), x**2",
    gradients="g, h",
    backward="x, = ctx.saved_tensors; return g*cos(x) + h*2*x",
)
DROPS = FUNCTION.format(
    parameters="x",
    forward="m = (torch.rand(3) > 0.5).double(); ctx.save_for_backward(m); return x*m",
    gradients="g",
    backward="m, = ctx.saved_tensors; return g*m",
)


def test_functions_of_the_script_have_second_derivatives(autodiff, write):
    returned, found = check_entry(autodiff, write, RIGHT_RULE, "--order", "2")
    assert (returned, found["verdict"], round(found["backward"])) == (0, "ok", 12)
    assert found["taylor_slope"] == pytest.approx(2, abs=0.1)
    code = SIN_AND_SQUARE + "x = torch.tensor(2., requires_grad=True)\ns, q = Own.apply(x)\nL = s*q"
    returned, found = check_entry(autodiff, write, code, "--order", "2")
    second = -math.sin(2) * 4 + 2 * math.cos(2) * 4 + math.sin(2) * 2
    assert (returned, found["verdict"], found["backward"]) == (0, "ok", pytest.approx(second))
    wrong = code.replace("h*2*x", "h*2*x.detach()")
    returned, found = check_entry(autodiff, write, wrong, "--order", "2")
    assert (returned, found["verdict"]) == (1, "wrong")


def test_second_derivatives_of_a_wrong_first_one_are_wrong(autodiff, write):
    path = write(WRONG_RULE)
    done = autodiff("check", path, "--order", "2")
    assert done.returncode == 1
    assert "x: the first derivative is wrong already: backward gives 12.36" in " ".join(done.out.split())


def test_functions_that_draw_random_numbers_draw_them_again(autodiff, write):
    code = "torch.rand(5)\nx = torch.tensor([2., 3., 4.], requires_grad=True)\nL = (Own.apply(x)**2).sum()"
    returned, found = check_entry(autodiff, write, DROPS + code)
    assert (returned, found["verdict"]) == (0, "ok")
    assert found["backward"] != 0
    assert check_entry(autodiff, write, DROPS + code, "--order", "2")[1]["verdict"] == "ok"
    wrong = DROPS.replace("return g*m", "return g*m*1.01")
    assert check_entry(autodiff, write, wrong + code)[1]["verdict"] == "wrong"


def test_functions_that_count_their_calls_cannot_be_checked(autodiff, write):
    counting = FUNCTION.format(
        parameters="x", forward="n[0] += 1; return x*n[0]", gradients="g", backward="return g"
    )
    path = write("n = [0]\n" + counting + "x = torch.tensor(2., requires_grad=True)\nL = Own.apply(x)")
    done = autodiff("check", path)
    assert done.returncode == 0
    assert "x: the script comes to something else when it is run again" in " ".join(done.out.split())
    assert done.out.endswith("0 of 1 are right, 1 cannot be decided\n")


def test_functions_that_change_their_operand_in_place(autodiff, write):
    doubling = FUNCTION.format(
        parameters="x",
        forward="x.mul_(3); ctx.mark_dirty(x); return x",
        gradients="g",
        backward="return g*3",
    )
    code = doubling + "w = torch.tensor(2., requires_grad=True)\nh = w*w\ny = Own.apply(h)\nL = y**2"
    for order in "12":
        returned, found = check_entry(autodiff, write, code, "--wrt", "w", "--order", order)
        assert (returned, found["verdict"]) == (0, "ok")


def test_dropout_is_checked_with_the_mask_that_was_drawn(autodiff):
    code = "x = torch.randn(5, requires_grad=True)\nL = F.dropout(x, 0.5).pow(2).sum()"
    assert "\nright: " in autodiff("check", "--seed", "3", "-e", code).out


@pytest.mark.parametrize("x", [3, 5, 8, 9, 12, 15, 18, 22])
def test_a_saturated_tanh_is_no_mistake(autodiff, x):
    """1 - tanh(x)**2 cancels until differences are nothing but rounding; beyond 19 it is 0."""
    code = f"x = {x}.\nL = tanh(x)"
    [found] = json.loads(autodiff("check", "--order", "2", "-e", code, "--format", "json").out)["checks"]
    assert found["verdict"] in (("ok", "undecided") if 10 < x < 20 else ("ok",))


def test_second_order(autodiff):
    done = autodiff("check", "--order", "2", "-e", "w = 2.; x = 3.; h = w*w*x + sin(w)")
    assert done.returncode == 0
    assert "h: 2 second derivatives checked" in done.out


def test_formulas(autodiff):
    right = autodiff("check", SEED, "--formula", "dL/dw1 == -w2*x1 - w3*x2")
    assert right.returncode == 0
    assert right.out.startswith("right: dL/dw1 == -w2*x1 - w3*x2\n\n  the formula gives  -8\n")
    wrong = autodiff("check", SEED, "--formula", "d(L)/d(w1) == -w2*x1 - w2*x2")
    assert wrong.returncode == 1
    assert "the factor w2 should be d(w3*x4)/dx4 = w3 = 3" in " ".join(wrong.out.split())


def test_the_entry_asked_for_is_in_the_answer(autodiff):
    code = "W = tensor([[1., 2.], [3., 4.]])\nL = (W**2).sum()"
    done = autodiff("check", "-e", code, "--formula", "dL/dW[0, 1] == 2*W[0,1]")
    assert done.out.startswith("right: dL/dW[0, 1] == 2*W[0,1]\n\n  the formula gives  4\n")
    done = autodiff("check", "-e", code, "--formula", "dL/dW[0,1] == 2*W[0,1]", "--format", "json")
    assert json.loads(done.out)["formulas"][0]["entry"] == [0, 1]


def test_formulas_that_cannot_be_checked(autodiff):
    for formula, says in [
        ("-w2*x1", "which derivative is `-w2*x1`?"),
        ("dL/dw1 == -w2*", "--formula: "),
        ("L == 3", "`L` is no derivative"),
        ("dL/dw1", "`dL/dw1` says which derivative is meant and not what it comes to"),
        ("d(L)/d(w1)", "`d(L)/d(w1)` says which derivative is meant"),
        ("dL/dw9 == 3", "w9"),
    ]:
        done = autodiff("check", SEED, "--formula", formula)
        assert done.returncode == 2, formula
        assert says in done.err


@pytest.mark.parametrize(
    "left", ["d2L/dx1dx2", "∂²L/∂x1∂x2", "d^2L/(dx1 dx2)", "d2L / (dx2dx1)", "d2L/dx1·dx2"]
)
def test_names_without_anything_between_them_are_told_apart(autodiff, left):
    done = autodiff("check", "-e", "x1 = 1.; x2 = 2.; L = x1*x2**2", "--formula", f"{left} == 2*x2")
    assert done.out.startswith("right: d2L/dx"), done.err


def test_a_name_with_a_d_inside_is_one_name(autodiff):
    code = "x = 1.; index = 2.; ex = 3.; L = x*index**2*ex"
    assert autodiff("check", "-e", code, "--formula", "d2L/dindex2 == 2*x*ex").out.startswith("right: ")
    assert autodiff("check", "-e", code, "--formula", "d2L/dxdindex == 2*index*ex").out.startswith("right: ")


def test_a_quotient_of_two_names_of_the_script_is_a_formula(autodiff):
    code = "x = 2.; dy = 6.; dx = 2.; L = 3*x"
    assert autodiff("check", "-e", code, "--wrt", "x", "--formula", "dy/dx").out.startswith("right: ")


MASKED = "x = torch.tensor([[0.3, -1.2, 2.0], [1.5, 0.02, -0.7]]); q = x[x > 0]; L = (q*q*0.5 + q).sum()"
PLACED = "dL/dx == reshape(index_add(zeros(6), 0, tensor([0, 2, 3, 4]), {}), (2, 3))"


def test_a_formula_that_does_not_fit_further_away_is_tried_nearby(autodiff):
    done = autodiff("check", "-e", MASKED, "--formula", PLACED.format("q + 1"))
    assert (done.returncode, done.out[:7]) == (0, "right: ")
    assert "the same here and at 3 points drawn at random around it" in " ".join(done.out.split())
    for wrong in ("q", "q + 1.1"):
        done = autodiff("check", "-e", MASKED, "--formula", PLACED.format(wrong))
        assert (done.returncode, done.out[:7]) == (1, "wrong: ")
    done = autodiff("check", "-e", MASKED, "--formula", PLACED.format("ones(5)"))
    assert done.returncode == 1
    assert "it cannot be computed: index_add_()" in " ".join(done.out.split())


SMALL = "x = torch.tensor([1e-3, 1e-3, 1e-3, 2., 1e-3, 1e-3, 1e-3, 1e-3]); q = x[x > 0]; L = (q**3).sum()"


def test_where_a_formula_fits_nowhere_further_away_it_is_tried_nearby(autodiff):
    done = autodiff("check", "-e", SMALL, "--formula", "dL/dx == 3*q*q")
    assert (done.returncode, done.out[:7]) == (0, "right: ")
    said = " ".join(done.out.split())
    assert "further away it cannot be compared: the script has values of other shapes there" in said
    accident = "dL/dx == 3*q*tensor([1e-3, 1e-3, 1e-3, 2., 1e-3, 1e-3, 1e-3, 1e-3])"
    done = autodiff("check", "-e", SMALL, "--formula", accident)
    assert (done.returncode, done.out[:7]) == (1, "wrong: ")


def test_formulas_that_are_nowhere_finite_are_undecided(autodiff):
    done = autodiff("check", "-e", "x = -4.; y = sqrt(x)", "--formula", "dy/dx == 7/sqrt(x)")
    assert done.returncode == 0
    assert done.out.startswith("undecided: dy/dx == 7/sqrt(x)\n")
    assert "neither is finite" in done.out
    done = autodiff("check", "-e", "x = 0.; y = sqrt(x)", "--formula", "dy/dx == 0.5/sqrt(x)")
    assert done.out.startswith("right: ")
    assert "not finite here, and the same at " in done.out


def test_the_document(autodiff):
    document = json.loads(autodiff("check", SEED, "--format", "json", "--wrt", "w1").out)
    assert document["right"] is True
    [entry] = document["checks"]
    assert (entry["wrt"], entry["verdict"], entry["paths"], entry["paths_apart"]) == ("w1", "ok", 2, 0)
    document = json.loads(autodiff("check", SEED, "--format", "json", "--formula", "dL/dw1 == -w2*x1").out)
    assert document["right"] is False
    [entry] = document["formulas"]
    assert (entry["value"], entry["gradient"], entry["right"]) == (-2, -8, False)
    assert entry["remarks"] == ["the path L <- x5 <- w3*x4 <- x4 <- w1 is missing: it gives -6"]


@pytest.mark.parametrize(
    ("code", "formula", "kink"),
    [
        (
            "x = torch.tensor([0., 1.]); y = relu(x).sum()",
            "dy/dx == (x >= 0)",
            "relu(x) sits on a kink of relu",
        ),
        ("x = 0.; y = abs(x)", "dy/dx == where(x >= 0, 1, -1)", "y sits on a kink of abs"),
        ("x = 0.; y = abs(x)", "dy/dx == x/abs(x)", "y sits on a kink of abs"),
    ],
)
def test_a_formula_that_is_off_at_a_kink_alone_is_not_wrong(autodiff, code, formula, kink):
    done = autodiff("check", "-e", code, "--formula", formula)
    assert done.returncode == 0
    assert done.out.startswith("undecided: ")
    said = " ".join(done.out.split())
    assert f"at them the gradient is a convention, that for a kink in line 1, {kink}" in said
    assert "neither is finite" not in said


@pytest.mark.parametrize(
    ("code", "formula"),
    [
        ("x = torch.tensor([0., 1.]); y = relu(x).sum()", "dy/dx == 2*(x >= 0)"),
        ("x = 0.; y = abs(x)", "dy/dx == 1"),
        ("x = 0.; y = x**3", "dy/dx == 3*x**2 + (x == 0)"),
        ("x = 0.; y = x**3 + relu(x)**3", "d2y/dx dx == 6*x + 6*relu(x) + (x == 0)"),
    ],
)
def test_a_kink_excuses_nothing_else(autodiff, code, formula):
    done = autodiff("check", "-e", code, "--formula", formula)
    assert done.returncode == 1
    assert done.out.startswith("wrong: ")

"""``autodiff check`` of functions of the script's own: wrong rules, second derivatives, drawn numbers."""

import json
import math

import pytest

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
    assert "x: the script gives another result when it is run again" in " ".join(done.out.split())
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


SWISH = FUNCTION.format(
    parameters="x",
    forward="s = sigmoid(x); ctx.save_for_backward(x, s); return x*s",
    gradients="g",
    backward="x, s = ctx.saved_tensors; return {0}(s + x*s*(1 - s))",
)


@pytest.mark.parametrize("of_g", ["", "g*g*", "abs(g)*", "g.sign()*"])
@pytest.mark.parametrize("y", ["Own.apply(x).sum()", "Own.apply(x*x)[0]"])
def test_a_backward_that_is_right_for_the_gradient_that_comes_in_only_is_wrong(autodiff, write, of_g, y):
    path = write(SWISH.format(of_g) + f"x = torch.tensor([0.3, -2.], requires_grad=True)\ny = {y}\n")
    done = autodiff("check", path, "--wrt", "x")
    told = " ".join(done.out.split())
    assert (done.returncode, "The backward of Own, which ends in line 7, is wrong" in told) == (1, True), told
    if y.endswith("sum()"):
        assert ("It does not use the gradient that comes in." in told) == (of_g == "")
        assert "x: right for the gradient that comes in here, and not for others." in told
    assert autodiff("check", write(SWISH.format("g*") + path.read_text().split("\n", 6)[6])).returncode == 0


def test_a_backward_is_tried_only_with_outputs_that_the_script_reads(autodiff, write):
    code = "x = torch.tensor([2., 3.], requires_grad=True)\ns, q = Own.apply(x)\nL = (3*s).sum()\n"
    once = SIN_AND_SQUARE.replace("return sin(x)", "ctx.set_materialize_grads(False); return sin(x)")
    only = once.replace("g*cos(x) + h*2*x", "g*cos(x) if h is None else g*cos(x) + h*2*x")
    assert check_entry(autodiff, write, only + code)[:1] == (0,)
    returned, found = check_entry(autodiff, write, only.replace("g*cos(x) if", "g*g/3*cos(x) if") + code)
    assert (returned, found["reason"]) == (1, "right for this incoming gradient only")
    assert found["function"]["incoming"] == "another"

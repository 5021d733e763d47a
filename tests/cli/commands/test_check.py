"""``autodiff check`` from the outside: the table, the verdicts, the exit codes, the document."""

import json

import pytest

from tests.cli.reports import SEED


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


def test_an_input_that_is_the_output_is_not_said_to_be_right(autodiff):
    done = autodiff("check", "-e", "y=3.", "--of", "y")
    assert (done.returncode, "ok" in done.out) == (0, False)
    assert "y: this is an input, and the output itself: nothing is computed" in " ".join(done.out.split())
    assert done.out.endswith("there is nothing to check\n")
    document = json.loads(autodiff("check", "-e", "y=3.", "--of", "y", "--format", "json").out)
    assert (document["right"], document["undecided"]) == (None, 1)


def test_an_input_that_nothing_leads_to_is_told_to_be_so(autodiff):
    done = autodiff("check", "-e", "x=2.; w=3.; y=x*2", "--wrt", "w")
    assert "w: no path leads to the output" in done.out


def test_what_has_decided_is_named(autodiff):
    done = autodiff("check", "-e", "x = 1.; b = 2.; y = sin(1e9*x) + b*b")
    assert " agree; for x rounding or fast changes make" in " ".join(done.out.split())


def test_a_gradient_is_right_only_with_what_left_the_graph_as_a_constant(autodiff, tmp_path):
    (tmp_path / "cut.py").write_text(
        "import torch, math\nx = torch.tensor(2.0, requires_grad=True)\ny = math.exp(x)*x\n"
    )
    with_it = "with `math.exp(x)` (line 3) as a constant"
    told = f"x: right, {with_it}; with it the slope is 22.1672"
    shown = " ".join(autodiff("check", "cut.py").out.split())
    assert told in shown
    assert f"right, {with_it}: backward," in shown
    document = json.loads(autodiff("check", "cut.py", "--format", "json").out)
    assert document["right"] is True
    assert told in document["notes"]
    assert any("is made from x outside of the graph" in note for note in document["notes"])
    (tmp_path / "other.ad").write_text("w = 3.\nL = w**2\n")
    assert autodiff("check", "cut.py", "other.ad").out.splitlines() == [
        f"cut.py: 1 gradient right, {with_it}",
        "other.ad: 1 gradient right",
        "2 scripts: 2 ok",
    ]


@pytest.mark.parametrize(
    ("output", "cut"),
    [
        ("(x*x.detach()).sum()", True),
        ("torch.tensor(x.detach().sum().item())*w + (x*0).sum()", True),
        ("(x - x.max().detach()).exp().sum().log() + x.max().detach()", False),  # the slope is the same
        ("x.sum()*w.detach()", False),  # nothing checked is made from w
    ],
)
def test_arrays_are_right_up_to_a_constant_if_the_whole_script_has_another_slope(autodiff, output, cut):
    code = f"x = torch.tensor([1., 2., 3.], requires_grad=True)\nw = torch.tensor(2.)\ny = {output}\n"
    shown = " ".join(autodiff("check", "-e", code, "--wrt", "x").out.split())
    assert ("as a constant; with it the slope may be another" in shown) == cut
    assert ("as a constant: backward," in shown) == cut
    assert "right" in shown


NO_GRAD = "with torch.no_grad():\n    {0}\n"


@pytest.mark.parametrize(
    ("made", "cuts"),
    [
        (NO_GRAD.format("s = (x**2).sum()"), "`s` (line 3)"),
        (NO_GRAD.format("u = torch.ones(2)\n    s = (x**2).sum()*u.sum()"), "`s` (line 4)"),
        (NO_GRAD.format("a = x[0]\n    b = x[1]\ns = a*b"), "`a` (line 3) and `b` (line 4)"),
        (NO_GRAD.format("s = torch.zeros(2)\n    s += x"), "`s` (line 4)"),
        (NO_GRAD.format("s, b = x[0], x[1]"), "`s, b` (line 3)"),
        (NO_GRAD.format("s = (x**2).sum()").replace("no_grad()", "inference_mode()"), "`s` (line 3)"),
        ("torch.set_grad_enabled(False)\ns = x*3\ntorch.set_grad_enabled(True)\n", "`s` (line 3)"),
        ("@torch.no_grad()\ndef f(v):\n    return (v**2).sum()\ns = f(x)\n", "`f(...)` (line 2)"),
        ("def f(v):\n    with torch.no_grad():\n        return v*v\ns = f(x)\n", "`v*v` (line 4)"),
        (NO_GRAD.format("s = torch.ones(2)"), ""),
        (NO_GRAD.format("s = x*3").replace("no_grad", "enable_grad"), ""),
        ("s = x*3\ns = s.sum()\nfor i in range(2):\n    with torch.no_grad():\n        x -= 0.1*s\n", ""),
    ],
)
def test_what_is_not_recorded_is_told_to_be_a_constant(autodiff, write, made, cuts):
    path = write(f"x = torch.tensor([1., 2.], requires_grad=True)\n{made}y = (x*s).sum()\n")
    done = autodiff("check", path)
    shown = " ".join(done.out.split())
    assert done.returncode == 0
    assert ("as a constant" in shown or "as constants" in shown) == bool(cuts)
    assert f"x: right, with {cuts} as" in shown or not cuts
    assert ("is made from x outside of the graph" in done.err) == bool(cuts)


def test_steps_that_are_not_recorded_are_no_constants_of_the_last_pass(autodiff, write):
    step = "    with torch.no_grad():\n        v = 0.5*v + g\n        {0}\n"
    for update in "w -= 0.1*v", "w = w - 0.1*v\n    w.requires_grad_()":
        done = autodiff(
            "check",
            write(
                "w = torch.tensor([1., 2.], requires_grad=True)\nv = torch.zeros(2)\nfor i in range(3):\n"
                f"    L = ((w - 3)**2).sum()\n    (g,) = torch.autograd.grad(L, w)\n{step.format(update)}"
                "L = ((w - 3)**2).sum()\nL.backward()\n"
            ),
        )
        assert (done.returncode, done.err, "as a constant" in done.out) == (0, "", False)


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


def test_what_the_script_prints_is_printed_once(autodiff):
    done = autodiff("check", "-e", "x = torch.tensor(2., requires_grad=True)\nprint('here')\nL = x**2")
    assert (done.out + done.err).count("here") == 1


def test_a_vector_set_to_a_number_is_noted(autodiff):
    code = "w = torch.tensor([1., 2.], requires_grad=True)\nL = (w**2).sum()"
    done = autodiff("check", "--set", "w=3", "-e", code)
    assert "--set w: `w` has shape (2,) in the script, and is one number now" in done.err


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


def test_a_name_that_is_near_to_one_of_the_script_is_compared_with_a_note(autodiff, write):
    write("w = 1.5; x = 0.4; pred_value = w*x; L = (pred_value - 1)**2", "fit.ad")
    write("dpred = 2*(pred_value - 1)\ndw = dpred*x\n", "steps.txt")
    done = autodiff("check", "fit.ad", "--formula", "@steps.txt")
    told = "`dpred` is compared with the gradient of `pred_value`: the script has no `pred`"
    assert done.returncode == 0
    assert f"steps.txt:1: {told}" in " ".join(done.err.split())
    assert "dL/dpred_value" in done.out


def test_one_reason_of_several_inputs_is_told_once(autodiff):
    root = "x = tensor([0., 4.], requires_grad=True); s = tensor(2., requires_grad=True); L = sqrt(x*s).sum()"
    told = autodiff("check", "-e", root + "*0").out
    assert told.count("the slope of sqrt") == 1
    assert "\nx and s: the output or its gradient is not finite: line 1: the slope of sqrt is\n" in told
    assert "`explain --wrt x,s` says more\n" in told
    apart = autodiff("check", "-e", "a = 1.; b = 2.; c = 3.; L = c**2", "--wrt", "a,b,c").out
    assert "\na and b: no path leads to the output, so there is nothing to check\n" in apart

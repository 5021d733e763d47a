"""``autodiff check`` from the outside: the table, the verdicts, the exit codes, the document."""

import json

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
        "  x1      ok       1, exact   3e-13         exact          linear\n"
        "  x2      ok       1, exact   4e-14         exact          linear\n"
        "  w1      ok       2, exact   5e-14         exact          linear\n"
        "  w2      ok       1, exact   3e-13         exact          linear\n"
        "  w3      ok       1, exact   4e-14         exact          linear\n"
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


def test_ties_that_differences_do_not_see(autodiff):
    done = autodiff("check", "-e", "x = tensor([1., 3., 3.], requires_grad=True); L = x.max(0)[0]")
    assert done.returncode == 0
    said = " ".join(done.out.split())
    assert "x: the differences do not see this. In line 1, L sits on a kink of max: entries [1], [2]" in said


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
        "and no number is right. No op on the way is known to have one here; a Function of the script" in said
    )


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


def test_formulas_that_cannot_be_checked(autodiff):
    for formula, says in [
        ("-w2*x1", "which derivative is `-w2*x1`?"),
        ("dL/dw1 == -w2*", "--formula: "),
        ("L == 3", "`L` is no derivative"),
        ("dL/dw9 == 3", "w9"),
    ]:
        done = autodiff("check", SEED, "--formula", formula)
        assert done.returncode == 2, formula
        assert says in done.err


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

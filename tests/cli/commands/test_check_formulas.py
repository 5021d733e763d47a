"""``autodiff check --formula``: where a formula fits, and where it cannot be decided."""

import json

import pytest

from tests.cli.reports import SEED


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


SMALL = "x = torch.tensor([.011, .011, .011, 2., .011, .011, .011, .011]); q = x[x > 0]; L = (q**3).sum()"


def test_where_a_formula_fits_nowhere_further_away_it_is_tried_nearby(autodiff):
    done = autodiff("check", "-e", SMALL, "--formula", "dL/dx == 3*q*q")
    assert (done.returncode, done.out[:7]) == (0, "right: ")
    said = " ".join(done.out.split())
    assert "further away it cannot be compared: the script has values of other shapes there" in said
    accident = "dL/dx == 3*q*tensor([.011, .011, .011, 2., .011, .011, .011, .011])"
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


@pytest.mark.parametrize(
    ("code", "formula", "kink"),
    [
        (
            "x = torch.tensor([0., 1.]); y = relu(x).sum()",
            "dy/dx == (x >= 0)",
            "relu(x) is at a kink of relu",
        ),
        ("x = 0.; y = abs(x)", "dy/dx == where(x >= 0, 1, -1)", "y is at a kink of abs"),
        ("x = 0.; y = abs(x)", "dy/dx == x/abs(x)", "y is at a kink of abs"),
        ("x = 0.; y = relu(x)**2", "d2y/dx2 == 2*(x >= 0)", "relu(x) is at a kink of relu"),
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
        ("x = 0.; y = abs(x)", "dy/dx == 1.1"),
        ("x = 0.; L = max(x, 0)", "dL/dx == -0.1"),
        ("x = 0.; L = max(x, 0)", "dL/dx == x"),
        ("x = 0.; y = x**3", "dy/dx == 3*x**2 + (x == 0)"),
        ("x = 0.; y = x**3 + relu(x)**3", "d2y/dx dx == 6*x + 6*relu(x) + (x == 0)"),
    ],
)
def test_a_kink_excuses_nothing_else(autodiff, code, formula):
    done = autodiff("check", "-e", code, "--formula", formula)
    assert done.returncode == 1
    assert done.out.startswith("wrong: ")


@pytest.mark.parametrize(
    ("code", "formula", "kink"),
    [
        ("x = 0.; L = max(x, 0)", "dL/dx == (x > 0)*1.0", "max(x, 0) compares equal numbers"),
        (
            "x = 0.; L = max(x, 0)**2",
            "d2L/dx2 == 2",
            "second derivative by x is 0 from below and 2 from above",
        ),
        ("x = 0.; L = max(x, 0)**2", "d2L/dx2 == 0", "Python's max takes the first of equal arguments"),
        ("x = 0.; L = max(x, 0)**2", "d2L/dx2 == 2*(x > 0)", "max(x, 0) compares equal numbers"),
        ("x = 0.; L = max(x, 0)", "dL/dx == 1", "max(x, 0) compares equal numbers"),
        ("x = 0.; L = max(x, 0)", "dL/dx == 0", "max(x, 0) compares equal numbers"),
        ("x = 0.; L = x if x > 0 else -x", "dL/dx == 1", "the slope by x is -1 from below and 1 from above"),
        ("x = 0.; L = abs(x)", "dL/dx == 1", "L is at a kink of abs"),
        ("x = 0.; L = relu(x)**2", "d2L/dx2 == 2", "relu(x) is at a kink of relu"),
        ("x = 1.; L = x**3 if x == 1 else 7*x", "dL/dx == 3*x**2", "x == 1 compares equal numbers"),
    ],
)
def test_where_the_script_chooses_between_equal_numbers_no_formula_is_right(autodiff, code, formula, kink):
    done = autodiff("check", "-e", code, "--formula", formula)
    assert done.out.startswith(f"undecided: {formula}\n")
    assert "the script's values are at a kink, where no formula is right" in done.out
    assert kink in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("code", "formula", "verdict"),
    [
        ("x = 0.; L = max(x, 0)**2", "dL/dx == 2*x", "right here"),
        ("x = 0.; L = max(x, 0)**2", "dL/dx == 2*x + 1", "wrong"),
        ("x = 1.; L = max(x, 0)", "dL/dx == 1", "right here"),
        ("x = 0.; L = relu(x)**3", "d2L/dx2 == 0", "right here"),
        ("x = 0.; L = abs(x)", "dL/dx == 3", "wrong"),
        ("x = 1.; y = 1.; L = x*y if x == y else y*x", "dL/dx == y", "right"),
    ],
)
def test_a_choice_that_does_not_move_the_derivative_is_no_kink(autodiff, code, formula, verdict):
    assert autodiff("check", "-e", code, "--formula", formula).out.startswith(f"{verdict}: ")


def test_gradients_per_sample_are_right_and_the_answer_says_that_they_are_multiples(autodiff, tmp_path):
    script = (
        "x = tensor([[1., 2.], [3., -1.], [0.5, 1.]])\nw = tensor([0.5, -1.])\nz = x @ w\nL = (z*z).sum()/6\n"
    )
    steps = tmp_path / "steps.txt"
    steps.write_text("dz = z\ndw = x.T @ dz / 3\n")
    done = autodiff("check", "-e", script, "--formula", f"@{steps}")
    assert done.returncode == 0
    told = " ".join(done.out.split())
    assert "1 dL/dz right, times 3 2 dL/dw right " in told
    assert "dz is 3 times its gradient. With this value of yours dw is right" in told
    assert "right: 2 steps (1 of them times a factor that others divide by)" in told
    done = autodiff("check", "-e", script, "--formula", f"@{steps}", "--format", "json")
    first, second = json.loads(done.out)["formulas"]
    assert (first["right"], first["right_here"], first["times"]) == (True, False, pytest.approx(3))
    assert (second["right"], second["right_here"], second["times"]) == (True, True, 1)


def test_a_script_that_ends_in_its_own_gradient_is_told_how_to_check_it(autodiff, tmp_path):
    script = "import numpy as np\nb = np.array([[2., -1.]])\nx = np.ones((3, 2))\nL = np.sum((x + b)**2)\n"
    by_hand = script + "dz = 2*(x + b)\ndb = dz.sum(axis=0, keepdims=True)"
    for command in ("check", "grad"):
        done = autodiff(command, "-e", by_hand)
        assert "help: `db` looks like dL/db: differentiate L with --of L\n" in done.err
        assert "help: or check yours: autodiff check --formula 'dL/db == db'\n" in done.err
        assert "--grad-output" not in done.err
    done = autodiff("check", "-e", by_hand, "--formula", "dL/db == db")
    assert done.out.startswith("right: dL/db == db\n")
    assert "note: `db` looks like dL/db: differentiate L with --of L\n" in autodiff("run", "-e", by_hand).err
    homework = tmp_path / "homework.py"
    homework.write_text(by_hand)
    done = autodiff("check", homework, "--formula", f"@{homework}")
    assert done.returncode == 0
    assert "note: the steps are about L, which is computed before them\n" in done.err
    done = autodiff("check", homework, "--of", "L", "--formula", f"@{homework}")
    assert done.returncode == 0
    other = autodiff("check", "-e", script + "db = 2*(x + b)")  # of another shape than b
    assert "weigh the entries equally: --grad-output ones" in other.err
    assert "looks like" not in other.err
    steps = f"help: or check yours, step by step: autodiff check {homework} --of L --formula @\n"
    assert steps in autodiff("grad", homework).err


NET = "x = tensor([0.5, -1.]); w = tensor([0.4, 0.9]); z = x*w; {} = (z**2).sum()"


def test_steps_about_more_than_the_inputs_asked_for(autodiff, write):
    steps = write("dz = 2*z\ndw = dz*x\n", "steps.txt").name
    for asked in ("w", "w,x", "?"):
        done = autodiff("check", "-e", NET.format("L"), "--wrt", asked, "--formula", f"@{steps}")
        assert (done.returncode, done.err) == (0, "")
        assert "right: 2 steps" in done.out
    done = autodiff("check", "-e", NET.format("L"), "--wrt", "w", "--formula", "dL/dz == 3*z")
    assert (done.returncode, done.out[:6]) == (1, "wrong:")


def test_a_loss_is_read_as_the_only_output(autodiff, write):
    steps = write("dL/dz = 2*z\ndL/dw = dL/dz * x\n", "steps.txt").name
    done = autodiff("check", "-e", NET.format("out"), "--formula", f"@{steps}")
    assert (done.returncode, "right: 2 steps" in done.out) == (0, True)
    assert done.err == "note: `L` in the formulas is read as `out`, the script's output\n"
    several = NET.format("out").replace("; out", "; c = z.sum(); out")
    for script, left in [(NET.format("out"), "q"), (several, "L")]:
        done = autodiff("check", "-e", script, "--formula", f"d{left}/dw == 2*z*x")
        assert f"there is no variable `{left}`: the output is `out`" in done.err


def test_a_single_other_point_is_counted_in_the_singular(autodiff):
    done = autodiff("check", "-e", "x = 0.99; f = asin(x)", "--formula", "df/dx == 1/sqrt(1 - x**2)")
    assert "the same here and at 1 point drawn at random around it" in done.out


def test_steps_of_training_are_those_of_the_first_turn(autodiff, write):
    script = (
        "import numpy as np\nx = np.array([0.5, -1.0, 2.0])\n"
        "W = np.array([0.2, -0.4, 0.1])\nb = np.zeros(1)\n"
        "for i in range(3):\n    out = x*W + b\n    loss = np.sum(out**2)\n"
        "    W += -0.2*out*x\n    b += -0.2*out.sum()\n"
    )
    steps = write("dout = 2*out\ndW = dout*x\ndb = np.sum(dout, keepdims=True)\n", "steps.txt").name
    done = autodiff("check", "-e", script, "--formula", f"@{steps}")
    assert "right: 3 steps" in done.out
    assert done.err == "note: the steps are those of the first turn of the loop of line 5\n"

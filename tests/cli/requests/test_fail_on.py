"""``--fail-on``: results that make the exit code 1."""

from __future__ import annotations

import json

import pytest

ZERO = "w = 3.; x = -1.; L = relu(w*x)"
NAN = "w = 0.; L = sqrt(w)*0"
FINE = "w = 3.; L = w**2"
WARNS = "x = torch.tensor(2., requires_grad=True)\ny = x*x\ny.grad\nL = y*y"


@pytest.mark.parametrize("command", ["run", "grad", "explain", "graph", "check"])
@pytest.mark.parametrize(
    ("code", "kinds", "says"),
    [
        (ZERO, "zero", "error: --fail-on zero: the gradients for w and x are zero"),
        (NAN, "nan", "error: --fail-on nan: the gradient for w is not finite"),
        (NAN, "zero,nan", "error: --fail-on nan: the gradient for w is not finite"),
        (WARNS, "warning", "error: --fail-on warning: a warning was given"),
    ],
)
def test_what_is_asked_for_fails(autodiff, command, code, kinds, says):
    done = autodiff(command, "-e", code, "--fail-on", kinds)
    assert done.returncode == 1
    assert done.out
    assert [line for line in done.err.splitlines() if line.startswith("error")] == [says]


@pytest.mark.parametrize(
    ("code", "kinds"),
    [(FINE, "nan,zero,warning"), (ZERO, "nan"), (NAN, "zero"), (ZERO, "warning"), (WARNS, "nan")],
)
def test_other_results_do_not(autodiff, code, kinds):
    done = autodiff("grad", "-e", code, "--fail-on", kinds)
    assert done.returncode == 0
    assert "--fail-on" not in done.err


def test_an_output_that_is_not_finite_fails(autodiff):
    done = autodiff("grad", "-e", "w = 1.; L = w + 1e308*10", "--fail-on", "nan")
    assert done.returncode == 1
    assert "--fail-on nan: the output L is not finite" in done.err


def test_the_option_is_repeatable_and_quiet_twice_leaves_the_exit_code(autodiff):
    done = autodiff("grad", "-e", ZERO, "--fail-on", "nan", "--fail-on", "zero", "-qq")
    assert (done.returncode, done.out, done.err) == (1, "", "")


def test_it_is_an_annotation_and_a_json_line_too(autodiff, write):
    path = write(ZERO, "a.ad")
    done = autodiff("grad", path.name, "--fail-on", "zero", "--diagnostics", "github")
    assert (
        "::error file=a.ad,line=1,col=1,endLine=1,endColumn=31,title=--fail-on zero::--fail-on zero: the gr"
        in done.err
    )
    done = autodiff("grad", path.name, "--fail-on", "zero", "--diagnostics", "json")
    assert '"severity": "error"' in done.err


def test_of_several_scripts_one_fails(autodiff, write):
    fine, zero = write(FINE, "fine.ad"), write(ZERO, "zero.ad")
    done = autodiff("check", zero.name, fine.name, "--fail-on", "zero")
    assert done.returncode == 1
    told = "--fail-on zero: the gradients for w and x are zero"
    assert done.out.startswith(f"zero.ad: 2 gradients right; {told}\n")
    assert done.out.endswith("fine.ad: 1 gradient right\n2 scripts: 1 ok, 1 failed by --fail-on\n")
    assert f"error: {told}\n --> zero.ad:1:1\n" in done.err
    done = autodiff("check", zero.name, fine.name, "--fail-on", "zero", "--format", "json")
    failed, passed = map(json.loads, done.out.splitlines())
    assert (failed["right"], passed["diagnostics"]) == (True, [])
    assert [(one["message"], one["severity"]) for one in failed["diagnostics"]] == [(told, "error")]


@pytest.mark.parametrize("command", ["run", "grad", "explain", "graph", "check"])
def test_the_document_has_what_fails_with_its_line(autodiff, command):
    code = "b = 1.\nw = 3.\nL = relu(-w) + b"
    document = json.loads(autodiff(command, "-e", code, "--fail-on", "zero", "--format", "json").out)
    [found] = document["diagnostics"]
    assert found["message"] == "--fail-on zero: the gradient for w is zero"
    assert (found["severity"], found["location"]["line"]) == ("error", 2)


def test_a_failure_of_the_older_of_two_scripts_counts(autodiff, write):
    zero, fine = write(ZERO, "zero.ad"), write("w = 3.; x = -1.; L = 0*relu(w*x) + w*x", "fine.ad")
    done = autodiff("diff", zero.name, fine.name, "--fail-on", "zero", "--format", "json", "--rtol", "1e9")
    assert done.returncode == 1
    assert "--fail-on zero" in json.loads(done.out)["diagnostics"][0]["message"]
    assert " --> zero.ad:1:1\n" in done.err


def test_a_script_without_a_gradient_is_judged_by_its_warnings(autodiff):
    warns = "x = torch.tensor(2., requires_grad=True)\ny = x*x\nprint(y.grad)"
    assert autodiff("run", "-e", warns, "--fail-on", "warning").returncode == 1
    assert autodiff("run", "-e", "print(1)", "--fail-on", "warning").returncode == 0


def test_a_kind_that_there_is_not(autodiff):
    done = autodiff("grad", "-e", FINE, "--fail-on", "nan,zeros")
    assert (done.returncode, done.out) == (2, "")
    assert done.err == (
        "error[E0610]: --fail-on takes nan, zero, zero-entry, warning, not `zeros`\n"
        "  = help: did you mean `--fail-on zero`?\n"
    )
    assert "separate them by commas" in autodiff("grad", "-e", FINE, "--fail-on", "inf").err


ROWS = "x,y\n1,1\n0,2\n-1,2\n3,0\n"


@pytest.mark.parametrize("code", ["L = sqrt(x)*y**2", "L = sqrt(x)*y**2 if x < 9 else x*y"])
@pytest.mark.parametrize("more", [(), ("--jobs", "2")])
def test_rows_are_counted(autodiff, write, code, more):
    """In blocks, row by row and in other processes."""
    write(ROWS, "rows.csv")
    arguments = ("grad", "-e", f"x = 1.; y = 1.\n{code}", "--each", "rows.csv", *more)
    done = autodiff(*arguments, "--fail-on", "nan,zero,warning")
    assert done.returncode == 1
    assert done.out == autodiff(*arguments).out == "0.5\t2\ninf\t0\nnan\tnan\n0\t0\n"
    assert done.err == (
        "error: --fail-on nan: 2 of 4 rows have a value or gradient that is not finite\n"
        "error: --fail-on zero: 2 of 4 rows have a gradient of zero\n"
    )


def test_rows_in_blocks_and_rows_without_what_is_asked_for(autodiff, write):
    write("x,y\n" + "2,3\n" * 50 + "5,0\n" * 7, "rows.csv")
    arguments = ("grad", "-e", "x = 1.; y = 1.; L = x*y**2", "--each", "rows.csv")
    done = autodiff(*arguments, "--fail-on", "zero")
    assert done.err == "error: --fail-on zero: 7 of 57 rows have a gradient of zero\n"
    assert autodiff(*arguments, "--fail-on", "nan").returncode == 0
    sweep = autodiff("grad", "-e", "x = 1.; L = x**2", "--sweep", "x=-1:1:1", "--fail-on", "zero")
    assert (sweep.returncode, sweep.err) == (
        1,
        "error: --fail-on zero: 1 of 3 rows has a gradient of zero\n",
    )
    assert autodiff(*arguments, "--fail-on", "inf").returncode == 2


def test_a_propagated_deviation_that_is_not_finite_fails(autodiff):
    arguments = ("propagate", "-e", "x = 0.; y = log(x)", "--sigma", "x=0.1")
    done = autodiff(*arguments)
    assert (done.returncode, done.err) == (0, "warning: the gradient for x is not finite\n")
    done = autodiff(*arguments, "--fail-on", "nan")
    assert done.returncode == 1
    assert "error: --fail-on nan: the gradient for x is not finite\n" in done.err
    assert done.err.endswith("error: --fail-on nan: the standard deviation is not finite\n")
    arguments = ("propagate", "-e", "x = 1e200; y = x*1e200", "--sigma", "x=1e200", "--fail-on", "nan,zero")
    assert "the standard deviation is not finite" in autodiff(*arguments).err
    done = autodiff("propagate", "-e", "x = 2.; y = x**2", "--sigma", "x=0.1", "--fail-on", "nan,zero")
    assert (done.returncode, done.err) == (0, "")


def test_data_that_all_entries_read_are_named(autodiff):
    done = autodiff("jacobian", "-e", "a = 2.; y = a*(x - x.mean())", "--set", "x=[1, nan]", "--wrt", "a")
    assert done.out == "nan\nnan\n"
    assert done.err == (
        "warning: the slopes of 2 entries of the output by a are not finite, the first of `y[0]`;"
        " `x[1]` is nan\n"
    )


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("jacobian",), "the slopes of `y[0]` by x are"),
        (("jvp", "--vector", "x=1"), "the gradient for x is"),
        (("jacobian", "--set", "x=[0., 1, 0]"), "the slopes of 2 entries of the output by x are"),
    ],
)
def test_matrices_that_are_not_finite_are_warned_of(autodiff, more, what):
    done = autodiff(*more, "-e", "x = [0., 1]; y = log(x)")
    more_than_one = ", the first of `y[0]`" if "2 entries" in what else ""
    assert done.err == f"warning: {what} not finite{more_than_one}\n"


@pytest.mark.parametrize(
    ("code", "formulas", "kind", "says"),
    [
        ("x = 0.; L = abs(x)", ["dL/dx == 1"], "undecided", "dL/dx == 1 is undecided"),
        ("x = 2.; L = x**3", ["dL/dx == 12"], "here", "dL/dx == 12 is right here only"),
        (
            "x = 2.; L = x**3",
            ["12", "3*x**2", "12.0"],
            "here",
            "dL/dx == 12 and 1 more are right here only",
        ),
    ],
)
def test_check_fails_on_what_is_not_settled_where_that_is_asked_for(autodiff, code, formulas, kind, says):
    arguments = ("check", "-e", code, *(part for one in formulas for part in ("--formula", one)))
    others = {"undecided": "here,nan,warning", "here": "undecided,nan,zero,warning"}[kind]
    for done in (autodiff(*arguments), autodiff(*arguments, "--fail-on", others)):
        assert (done.returncode, done.err) == (0, "")
    done = autodiff(*arguments, "--fail-on", kind)
    assert done.returncode == 1
    assert done.err.startswith(f"error: --fail-on {kind}: {says}\n --> <-e>:1:1\n")
    document = json.loads(autodiff(*arguments, "--fail-on", kind, "--format", "json").out)
    assert [one["message"] for one in document["diagnostics"]] == [f"--fail-on {kind}: {says}"]
    assert document["right"] is (None if kind == "undecided" else True)
    if kind == "here":
        assert document["formulas"][0]["verdict"] == "right here"


def test_what_only_check_can_tell_fails_no_other_command(autodiff):
    done = autodiff("grad", "-e", FINE, "--fail-on", "here")
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith("error[E0610]: --fail-on takes nan, zero, zero-entry, warning, not `here`\n")


def test_steps_that_are_numbers_are_counted(autodiff, write):
    steps = write("dL/dh == 12\ndx == 2*x*dL/dh\n", "steps.txt")
    arguments = ("check", "-e", "x = 2.; h = x**2; L = h**3/4", "--formula", f"@{steps.name}")
    told = " ".join(autodiff(*arguments).out.split())
    assert "1 dL/dh right here 2 dL/dx right " in told
    assert "right: 2 steps (1 of them here only), at " in told
    assert "dL/dh == 12 (steps.txt:1) is right" in autodiff(*arguments, "--fail-on", "here").err


def test_an_entry_of_zero_fails_if_asked(autodiff):
    script = "p = tensor([1., -2., 3.], requires_grad=True)\ny = relu(p).sum()"
    assert autodiff("grad", "-e", script, "--fail-on", "zero").returncode == 0
    done = autodiff("grad", "-e", script, "--fail-on", "zero-entry")
    assert done.returncode == 1
    assert "error: --fail-on zero-entry: the gradient for p is zero in 1 of 3 entries\n" in done.err
    done = autodiff("grad", "-e", "x = 1.; y = relu(x)", "--sweep", "x=-1:1:1", "--fail-on", "zero-entry")
    assert "--fail-on zero-entry: 2 of 3 rows have a gradient with an entry of zero\n" in done.err
    done = autodiff("minimize", "-e", "x = 1.; y = x**2", "--fail-on", "zero")
    assert (
        "--fail-on takes nan, warning, not `zero`\n  = help: separate them by commas: --fail-on nan,warning"
        in done.err
    )


def test_what_is_undecided_has_its_kink_and_the_line(autodiff, write):
    write("x = 0.\nb = 1.\nL = abs(x) + b\n", "a.ad")
    arguments = ("check", "a.ad", "--fail-on", "undecided")
    done = autodiff(*arguments)
    assert done.returncode == 1
    assert (
        "error: --fail-on undecided: the gradient for x is undecided: abs(x) is at a kink of abs: x = 0"
        in done.err
    )
    assert "\n --> a.ad:3:1\n" in done.err
    done = autodiff(*arguments, "--diagnostics", "github")
    assert done.err.startswith(
        "::error file=a.ad,line=3,col=1,endLine=3,endColumn=15,title=--fail-on undecided::--fail-on"
    )


def test_a_gradient_that_is_nan_has_its_cause_and_the_line(autodiff, write):
    write("R = 0.\nL = where(R > 0, sqrt(R), 0*R)\n", "a.ad")
    done = autodiff("check", "a.ad", "--diagnostics", "github")
    assert done.err.startswith(
        "::error file=a.ad,line=2,col=1,endLine=2,endColumn=31,title=wrong gradient::wrong gradient: R: "
        "the output or its gradient is not finite: line 2: the slope of sqrt is 1/(2*sqrt(R)), which has no"
    )


def test_a_right_script_that_fails_is_one_line(autodiff, write):
    write(ZERO, "a.ad")
    done = autodiff("check", "a.ad", "a.ad", "--fail-on", "zero", "-q")
    line = "a.ad: 2 gradients right; --fail-on zero: the gradients for w and x are zero\n"
    assert done.out == line + line + "2 scripts: 2 failed by --fail-on\n"


@pytest.mark.parametrize("copied", ["a", "a.sum()", "a[0]*2", "-a"])
def test_a_copy_of_an_array_of_numpy_has_no_warning_as_in_torch(autodiff, copied):
    code = f"x = torch.ones(2, requires_grad=True)\na = x.detach().numpy()\nb = torch.tensor({copied})\n"
    done = autodiff("check", "-e", f"{code}y = (x*b).sum()\n", "--fail-on", "warning")
    assert (done.returncode, "W0100" in done.err) == (0, False)
    done = autodiff("check", "-e", f"{code}y = (x*torch.tensor(b)).sum()\n", "--fail-on", "warning")
    assert (done.returncode, done.err.count("warning[W0100]")) == (1, 1)

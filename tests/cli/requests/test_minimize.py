"""Fits have the certified digits of NIST's datasets; every method finds a minimum, or says why not."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.render.minimum import entries_of
from autodiff.cli.requests.minimize import make_minimum
from autodiff.cli.requests.session import Session
from autodiff.grammar.session.minimum import search_minimum
from command_runner import CommandLine, Runner
from conftest import REPOSITORY
from scipy.optimize import curve_fit

#: Tables typed in from NIST's pages, with the residuals, starts and certified results in comments.
TABLES = sorted((REPOSITORY / "tests" / "golden" / "nist").glob("*.csv"))
#: From the first start, the method finds no way out of a plane there, as others do.
LOST = {("BoxBOD", 1)}
#: From there the search takes hundreds of steps.
SLOW = {("MGH09", 1), ("MGH10", 1), ("MGH17", 1)}


class Table:
    """A dataset: the residuals as a formula, the names of the inputs, and the numbers for them."""

    def __init__(self, path):
        text = path.read_text()
        self.residuals = re.search(r"^# residuals: (.*)$", text, re.MULTILINE)[1]
        rows = re.findall(r"^# (b\d) (\S+) (\S+) (\S+) (\S+)$", text, re.MULTILINE)
        self.names = [row[0] for row in rows]
        self.starts = {1: [float(row[1]) for row in rows], 2: [float(row[2]) for row in rows]}
        self.values = [float(row[3]) for row in rows]
        self.errors = [float(row[4]) for row in rows]
        found = re.search(r"sum of squares (\S+), residual standard deviation (\S+)", text)
        self.sum, self.sigma = float(found[1]), float(found[2])

    def script(self, start):
        return "; ".join(f"{name} = {x!r}" for name, x in zip(self.names, self.starts[start], strict=True))


def minimized(*arguments):
    request = read_arguments(["minimize", *arguments])
    assert request is not None
    return make_minimum(Session(request), lambda found: None)


def table_and_starts():
    return [
        pytest.param(path, start, id=f"{path.stem}_{start}")
        for path in TABLES
        for start in (1, 2)
        if (path.stem, start) not in LOST | SLOW
    ]


def test_there_are_enough_tables():
    assert len(TABLES) == 20


@pytest.mark.parametrize(("path", "start"), table_and_starts())
def test_fits_have_the_certified_digits(path, start):
    table = Table(path)
    found = minimized(
        *("-e", table.script(start), "-e", f"r = {table.residuals}", "--data", str(path), "--wrt", "b*")
    )
    assert found.has_converged
    assert found.method == "lm"
    entries = entries_of(found)
    assert [name for name, *_ in entries] == table.names
    assert [entry[3] for entry in entries] == pytest.approx(table.values, rel=1e-10)
    assert [entry[4] for entry in entries] == pytest.approx(table.errors, rel=1e-10)
    assert found.value == pytest.approx(table.sum, rel=1e-10)
    assert found.residual_sigma == pytest.approx(table.sigma, rel=1e-10)


@pytest.mark.parametrize("name", ["Misra1a", "Chwirut2", "DanWood", "Rat43", "Thurber"])
@pytest.mark.parametrize("method", ["lm", "bfgs", "newton"])
def test_sums_of_squares_are_recognised_by_every_method(name, method):
    path = next(path for path in TABLES if path.stem == name)
    table = Table(path)
    found = minimized(
        *("-e", table.script(2), "-e", f"L = (({table.residuals})**2).sum()", "--method", method),
        *("--data", str(path), "--wrt", "b*"),
    )
    assert found.has_converged
    entries = entries_of(found)
    assert [entry[3] for entry in entries] == pytest.approx(table.values, rel=1e-9)
    assert [entry[4] for entry in entries] == pytest.approx(table.errors, rel=1e-9)


@pytest.mark.parametrize("path", TABLES[::3], ids=lambda path: path.stem)
def test_curve_fit_gives_the_same(path):
    """scipy's curve_fit has no slopes here, so it ends with fewer digits."""
    table = Table(path)
    names, *rows = [line.split(",") for line in path.read_text().splitlines() if line[0] != "#"]
    columns = dict(zip(names, np.array(rows, "float64").T, strict=True))
    code = compile(table.residuals, "residuals", "eval")
    known = {name: getattr(np, name) for name in ("exp", "log", "cos", "sin", "pi", "atan")} | columns

    def residuals(_, *values):
        return eval(code, known | dict(zip(table.names, values, strict=True)))

    theirs, covariance = curve_fit(
        residuals, columns["y"], 0 * columns["y"], table.starts[2], ftol=1e-14, xtol=1e-14, maxfev=20_000
    )
    errors = np.sqrt(np.diag(covariance))
    found = minimized(
        *("-e", table.script(2), "-e", f"r = {table.residuals}", "--data", str(path), "--wrt", "b*")
    )
    ours = np.array([entry[3:] for entry in entries_of(found)])
    assert (np.abs(ours[:, 0] - theirs) < 1e-3 * errors).all()
    assert ours[:, 1] == pytest.approx(errors, rel=1e-3)


LINE = "a = 1; b = 0; t = [0., 1, 2, 4]; v = tensor([1., 3, 4.5, 9]); r = a*tensor(t) + b - v; "


@pytest.mark.parametrize(
    "output",
    [
        *("r", "(r**2).sum()", "0.5*(r@r)", "(r*r).mean()", "0 + r.square().sum()/2", "(2*r**2).sum()"),
        *("mse_loss(a*tensor(t) + b, v)", "mse_loss(v, a*tensor(t) + b, reduction='sum')"),
        "sum([(a*t[k] + b - v[k])**2 for k in range(4)])",
    ],
)
def test_forms_of_a_sum_of_squares(output):
    """The standard errors, and that of a residual, do not depend on how a sum of squares is written."""
    found = minimized("-e", LINE + f"L = {output}", "--wrt", "a,b")
    x, y = np.array([0, 1, 2, 4.0]), np.array([1, 3, 4.5, 9])
    best, covariance = curve_fit(lambda x, a, b: a * x + b, x, y, [1, 0])
    entries = entries_of(found)
    assert [entry[3] for entry in entries] == pytest.approx(best, rel=1e-7)
    assert [entry[4] for entry in entries] == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-7)
    assert found.degrees_of_freedom == 2
    squares = float(((best[0] * x + best[1] - y) ** 2).sum())
    assert found.sum_of_squares == pytest.approx(squares)
    assert found.residual_sigma == pytest.approx((squares / 2) ** 0.5)


@pytest.mark.parametrize("code", ["r = [x**2 - 4]", "[x**2 - 4]", "r = (x**2 - 4,)", "r = stack([x**2 - 4])"])
def test_a_list_of_one_residual(code):
    found = minimized("-e", f"x = 3.; {code}")
    assert (found.method, found.has_converged, found.residual_count) == ("lm", True, 1)
    assert entries_of(found)[0][3] == pytest.approx(2, rel=1e-12)


def test_one_entry_of_a_list_is_no_residual(answered):
    code = "x = 3.; r = [x**2 - 4]"
    assert answered("-e", code, "--of", "r[0]").out == "x\t0\t0.7071067811865476\n"
    assert answered("-e", code, "-e", "r[0]").out == "x\t0\t0.7071067811865476\n"


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("r", ()),
        ("(r**2).sum()", ("r",)),
        ("((a*tensor(t) + b - v)**2).mean()", ("a*tensor(t) + b - v",)),
        ("mse_loss(a*tensor(t) + b, v)", ("a*tensor(t) + b - v",)),
        ("mse_loss(v*1, a*tensor(t) + b)", ("a*tensor(t) + b - target",)),
        ("(r**2).sum() + a**2", ("r", "a")),
        ("sum([(a*t[k] + b - v[k])**2 for k in range(4)])", ("a*t[k] + b - v[k]",)),
    ],
)
def test_residuals_are_named(output, names):
    assert minimized("-e", LINE + f"L = {output}", "--wrt", "a,b").residuals == names


def test_a_search_stays_near_the_start_where_nothing_changes(answered):
    """The nearest place with a + b = 1.0166..., by the inputs' sizes."""
    code = "a = 1; b = 2; r = [a + b - 1, 2*(a + b) - 2, a + b - 1.1]"
    found = minimized("-e", code)
    assert [entry[3] for entry in entries_of(found)] == pytest.approx([1 - 119 / 300, 2 - 4 * 119 / 300])
    assert found.flat.tolist() == [[1, pytest.approx(-1)]]
    made = json.loads(answered("-e", code, "--format", "json").out)
    assert made["undetermined"] == [{"a": 1, "b": pytest.approx(-1)}]


def test_weights_count():
    code = LINE + "s = tensor([1, 2, 1, 0.5]); L = (r**2/s**2).sum()"
    found = minimized("-e", code, "--wrt", "a,b")
    x, y, s = np.array([0, 1, 2, 4.0]), np.array([1, 3, 4.5, 9]), np.array([1, 2, 1, 0.5])
    best, covariance = curve_fit(lambda x, a, b: a * x + b, x, y, [1, 0], sigma=s)
    entries = entries_of(found)
    assert [entry[3] for entry in entries] == pytest.approx(best, rel=1e-7)
    assert [entry[4] for entry in entries] == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-6)


@pytest.mark.parametrize("tau", [-1, 100])
def test_a_fit_that_runs_away_has_not_converged(answered, tau):
    """From there the line that the model nears for a large tau fits better and better."""
    t = np.arange(0, 8, 0.5)
    v = 5 * np.exp(-t / 2) + 0.4 + 0.1 * np.cos(7 * t)
    table = "t,v\n" + "".join(f"{x},{y}\n" for x, y in zip(t, v, strict=True))
    arguments = ("-e", "A = 1; tau = 1; c = 0; r = A*exp(-t/tau) + c - v", "--data", "d.csv")
    done = answered(*arguments, "--set", f"tau={tau}", d_csv=table)
    assert done.code == 1
    assert (
        "warning: the search has not converged: it went far off, to where inputs change next to nothing"
        in done.err
    )
    done = answered(*arguments, d_csv=table)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("tau", [1e-4, 1e-3, 1])
def test_a_fit_that_runs_to_where_it_is_nearly_flat_has_not_converged(answered, tau):
    """For a large tau the model nears a constant, and the sum of squares is lower than at the start."""
    t = np.linspace(0, 8e-6, 20)
    v = 5 * np.exp(-t / 2.2e-6) + 0.02 * np.cos(9e6 * t)
    table = "t,v\n" + "".join(f"{x},{y}\n" for x, y in zip(t, v, strict=True))
    arguments = ("-e", "A = 1; tau = 1e-6; r = A*exp(-t/tau) - v", "--data", "d.csv")
    done = answered(*arguments, "--set", f"tau={tau}", "--format", "json", d_csv=table)
    found = json.loads(done.out)
    assert (done.code, found["has_converged"]) == (1, False)
    assert found["covariance"] is None
    assert "it went far off, to where inputs change next to nothing: start elsewhere with --set" in done.err
    done = answered(*arguments, d_csv=table)
    assert (done.code, done.err) == (0, "")


def test_a_sum_of_absolute_values_that_stops_has_kinks_and_may_have_a_minimum(answered):
    t = np.arange(0, 8, 0.5)
    v = 5 * np.exp(-t / 2) + 0.4 + 0.1 * np.cos(7 * t)
    table = "t,v\n" + "".join(f"{x},{y}\n" for x, y in zip(t, v, strict=True))
    code = "A = 1; tau = 1; c = 0; L = abs(A*exp(-t/tau) + c - v).sum()"
    done = answered("-e", code, "--data", "d.csv", d_csv=table)
    assert done.code == 1
    assert "the search has not converged: abs in line 1 has kinks, where the slopes do not show" in done.err


@pytest.mark.parametrize("output", ["r/s", "((r/s)**2).sum()"])
def test_known_errors_are_absolute_sigmas(output):
    code = LINE + f"s = tensor([1, 2, 1, 0.5]); L = {output}"
    x, y, s = np.array([0, 1, 2, 4.0]), np.array([1, 3, 4.5, 9]), np.array([1, 2, 1, 0.5])
    best, covariance = curve_fit(lambda x, a, b: a * x + b, x, y, [1, 0], sigma=s, absolute_sigma=True)
    found = minimized("-e", code, "--wrt", "a,b", "--absolute-sigma")
    assert [entry[3] for entry in entries_of(found)] == pytest.approx(best, rel=1e-7)
    errors = [entry[4] for entry in entries_of(found)]
    assert errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-6)
    estimated = minimized("-e", code, "--wrt", "a,b")
    others = [entry[4] for entry in entries_of(estimated)]
    assert others == pytest.approx([error * math.sqrt(found.value / 2) for error in errors])


def test_known_errors_need_no_more_residuals_than_inputs(answered):
    """Two points and a line: its ordinates have the errors of the points."""
    done = answered(
        "-e", "a = 1; b = 2; r = [(a - 3)/0.1, (b - 5)/0.2]", "--absolute-sigma", "--format", "json"
    )
    document = json.loads(done.out)
    assert document["standard_errors"] == pytest.approx({"a": 0.1, "b": 0.2})
    assert document["absolute_sigma"] is True
    done = answered("-e", "a = 1; r = [(a - 3)/0.1, (a - 5)/0.1]", "--absolute-sigma", "--format", "table")
    assert "with the standard deviation 1: chi-squared is 200, with 1 degree of freedom" in done.out


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("0.5*((r/s)**2).sum()", "multiplied by numbers or divided"),
        ("((r/s)**2).mean()", "multiplied by numbers or divided"),
        ("(r**2/s**2).sum()", "multiplied by numbers or divided"),
        ("exp(a) - a", "no sum of squares"),
    ],
)
def test_absolute_sigmas_need_plain_squares(answered, output, says):
    """What the deviations are would be a guess."""
    done = answered("-e", f"{LINE}s = tensor([1, 2, 1, 0.5]); L = {output}", "--wrt", "a", "--absolute-sigma")
    assert (done.code, done.out) == (2, "")
    assert all(text in done.err for text in ("--absolute-sigma: the", says, "r = (f - v)/s"))


@pytest.mark.parametrize(
    "output", ["r.abs().sum()", "(r**4).sum()", "(r**2).sum() - 3*a**2", "exp(r**2).sum()"]
)
def test_what_is_no_sum_of_squares(output):
    found = minimized("-e", LINE + f"L = {output}", "--wrt", "a,b", "--method", "bfgs")
    assert found.residual_count == 0


@pytest.mark.parametrize("more", ["log(s).sum()", "1", "0*a + 1"])
def test_a_sum_of_squares_with_another_term_is_a_likelihood(more):
    """Its squares have their scale, so the errors are from its Hessian: curve_fit's with known sigmas."""
    code = f"{LINE}s = tensor([0.1, 0.1, 0.1, 0.1]); L = 0.5*(r**2/s**2).sum() + {more}"
    found = minimized("-e", code, "--wrt", "a,b")
    x, y = np.array([0, 1, 2, 4.0]), np.array([1, 3, 4.5, 9])
    _, covariance = curve_fit(lambda x, a, b: a * x + b, x, y, [1, 0], sigma=0 * x + 0.1, absolute_sigma=True)
    assert [entry[4] for entry in entries_of(found)] == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-7)
    assert found.residual_sigma is None


@pytest.mark.parametrize(("code", "last"), [("sqrt(x)", 0.0), ("log(x)", 1.0)])
def test_a_search_that_leaves_the_domain_ends_at_the_lowest_finite_place(code, last):
    found = minimized("-e", f"x = 1.; L = {code}", "--wrt", "x")
    assert (found.has_converged, entries_of(found)[0][3]) == (False, last)


def test_a_search_that_ends_at_a_kink_has_no_standard_errors():
    found = minimized("-e", "x = 0.5; L = abs(x - 1) + x**2/10", "--wrt", "x")
    assert (found.has_converged, found.covariance) == (False, None)


@pytest.mark.parametrize("method", ["bfgs", "newton"])
def test_standard_errors_of_a_likelihood_are_from_its_hessian(method):
    """Normal data with unknown mean and sigma: the errors are s/sqrt(n) and s/sqrt(2n)."""
    code = "m = 1; s = 1; v = tensor([1., 2, 4, 5.5, 3]);L = ((v - m)**2/(2*s**2)).sum() + 5*log(s)"
    found = minimized("-e", code, "--wrt", "m,s", "--method", method)
    data = np.array([1, 2, 4, 5.5, 3])
    sigma = data.std()
    entries = entries_of(found)
    assert [entry[3] for entry in entries] == pytest.approx([data.mean(), sigma], rel=1e-9)
    assert [entry[4] for entry in entries] == pytest.approx(
        [sigma / math.sqrt(5), sigma / math.sqrt(10)], rel=1e-8
    )


@pytest.mark.parametrize("method", ["bfgs", "newton", "lm"])
def test_units_do_not_matter(method):
    """Rosenbrock's function, with inputs of 1e-9 and 1e6."""
    code = "x = -1.2e-9; y = 1e6; u = x*1e9; L = (1 - u)**2 + 100*(y/1e6 - u**2)**2"
    found = minimized("-e", code, "--wrt", "x,y", "--method", method)
    assert found.has_converged
    assert [entry[3] for entry in entries_of(found)] == pytest.approx([1e-9, 1e6], rel=1e-7)


def test_a_tensor_and_a_function_with_a_loop_can_be_minimized():
    code = (
        "w = tensor([3., -1, 2], requires_grad=True)\n"
        "L = 0\nfor k in range(3):\n    L = L + (k + 1)*(w[k] - k)**2\nL = L + w[0]*w[1]"
    )
    found = minimized("-e", code)
    hessian = np.diag([2.0, 4, 6])
    hessian[0, 1] = hessian[1, 0] = 1
    assert [entry[3] for entry in entries_of(found)] == pytest.approx(
        np.linalg.solve(hessian, [0, 4, 12]), rel=1e-9
    )


@pytest.fixture
def answered(tmp_path):
    """What ``autodiff minimize`` prints and says, in this process: ``answered("-e", "x = 1; L = x**2")``."""
    runner = Runner(tmp_path)

    def run(*arguments, **files):
        given = {name.replace("_", "."): text.encode() for name, text in files.items()}
        return runner.run(CommandLine(("minimize", *arguments), files=given))

    return run


FIT = {"fit_ad": "a = 1; b = 0; r = a*t + b - v", "d_csv": "t,v\n0,1\n1,3\n2,4.5\n"}


def test_what_is_answered(answered):
    done = answered("fit.ad", "--data", "d.csv", "--wrt", "a,b", **FIT)
    assert (done.code, done.err) == (0, "")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [name for name, *_ in rows] == ["a", "b"]
    right = [1.75, 1 / 48**0.5, 13 / 12, (5 / 144) ** 0.5]
    assert [float(x) for row in rows for x in row[1:]] == pytest.approx(right)
    made = json.loads(answered("fit.ad", "--data", "d.csv", "--format", "json", **FIT).out)
    assert made["standard_errors"] == {"a": pytest.approx(right[1]), "b": pytest.approx(right[3])}
    assert made["start"] == {"a": 1.0, "b": 0.0}
    assert (made["degrees_of_freedom"], made["has_converged"], made["method"]) == (1, True, "lm")
    table = answered("fit.ad", "--data", "d.csv", "--format", "table", **FIT).out
    assert table.startswith("sum of the squares of r = 0.0416667\n\n  input   start     value")
    head, first, *_ = answered("fit.ad", "--data", "d.csv", "--format", "csv", **FIT).out.splitlines()
    assert head == "name,index,start,value,standard_error"
    assert first.startswith("a,,1,1.7")


def test_a_fit_is_read_by_other_commands(autodiff, write):
    write(FIT["d_csv"], "d.csv")
    path = write(FIT["fit_ad"], "fit.ad")
    assert autodiff("minimize", path, "--data", "d.csv", "-o", "fit.npz").returncode == 0
    script = "L = ((a*t + b - v)**2).sum()"
    done = autodiff("grad", "-e", script, "--data", "d.csv", "--data", "fit.npz", "--wrt", "a")
    assert float(done.out) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("code", "more", "status", "says"),
    [
        ("x = 1; L = -x**2", (), 1, "has not converged: the output falls further and bends down there"),
        ("x = 1; L = x", ("--method", "newton"), 1, "warning: the search has not converged"),
        ("x = 1; y = 2; L = (x - y)**2", (), 0, "not change where x moves by 1 and y moves by 1"),
        ("x = 1; y = 2; r = [x - y, x - y, y - x]", (), 0, "the residuals do not determine all inputs"),
        ("a = 1; b = 2; c = 3; r = [a + 2*b, 1 - 2*b - a, a + 2*b]", (), 0, "by -0.5, or where c moves"),
        ("x = 1.; y = 3.; L = (x*y - 6)**2", (), 0, "x moves by 1 and y moves by -3"),
        (
            *("a = 1; b = 2; c = 4; L = exp(a + b) - 2*a - 2*b + c*0", (), 0),
            "the output is flat: to second order it does not change where a moves by 1 and b moves by -1, or"
            " where c moves",
        ),
        ("w = ones(9); L = exp(w.sum()) - w.sum()", (), 0, "or in 5 other ways"),
        ("w = ones(9); v = tensor([0.5]); L = (w.sum() - v)**2", (), 0, "in 6 other ways"),
        ("x = 1.; L = abs(x - 2)", (), 0, "no standard errors: abs in line 1 is at a kink there"),
        ("x = 0.; L = -abs(x)", (), 0, "no standard errors: abs in line 1 is at a kink there"),
        ("x = 0.7; L = x**2 + abs(x)", (), 1, "further down; abs in line 1 is at a kink close by"),
        (
            "x = 1.; y = 2.; L = max(x - 2, 0) + (x - y)**2 + abs(y)",
            (),
            1,
            "abs in line 1 is at a kink close",
        ),
        ("x = 1; y = 2; r = [x - y**2, y - x]", (), 0, "no more residuals than inputs"),
        ("x = 0; L = log(x)", (), 2, "not finite at the start"),
        ("x = 1; L = exp(x) - 2*x", ("--method", "lm"), 2, "the output is no sum of squares"),
        ("x = 1; y = 2; z = 3; r = [x*y, z]", ("--method", "lm"), 2, "2 residuals do not determine 3 inputs"),
        ("x = 1; y = 2; z = 3; r = [x*y - 1, z]", (), 0, "not change where x moves by 1 and y moves by"),
        ("x = 3; y = 2*x; L = y**2", ("--wrt", "y"), 2, "`y` is computed by the script"),
        (
            "x = 0; L = sqrt(x) - x + 3",
            ("--method", "newton"),
            2,
            "the slope by x is not finite at the start",
        ),
        ("x = 3; r = [x - 1, 1e-30*sqrt(abs(x - 1))]", (), 1, "a derivative is not finite on the way"),
        ("x = 1.; r = [x**1.5 + x + 1, 0.1*x - 1, 0.2]", (), 1, "at the edge of where the output is finite"),
        ("x = 0; L = x**4 - 2*x**2", (), 1, "this is a maximum or a saddle point"),
        ("x = 0; r = [x**2 - 1, 2*x**2 - 2]", (), 1, "this is a maximum or a saddle point"),
        ("x = 1; y = 2; L = (x*y - 2)**2 + (x - 1)**2", (), 0, "no more residuals than inputs"),
    ],
)
def test_a_search_without_a_minimum_says_so(answered, code, more, status, says):
    done = answered("-e", code, *more)
    assert says in done.err
    assert done.code == status
    assert bool(done.out) == (status != 2)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("0,1\n1,nan\n2,3\n", "row 2 of column `v` is nan"),
        ("0,1\n1,2\n-inf,3\ninf,5\n", "row 3 of column `t` is -inf, and 1 more is not finite"),
    ],
)
def test_data_that_are_not_finite_are_named(answered, rows, says):
    code = "a = 1; b = 0; r = a*t + b - v"
    for options in (("--data", "d.csv"), ("--data", "d.csv", "--method", "bfgs")):
        done = answered("-e", code, *options, d_csv=f"t,v\n{rows}")
        assert done.code == 2
        assert f"the output is not finite at the start, where {says}\n" in done.err
        assert "starting values" not in done.err
    done = answered("-e", code, "--set", "t=@d.csv", "--set", "v=@d.csv", d_csv="t,v\n0,1\n1,nan\n")
    assert "where `v[1]` is nan\n" in done.err


STRETCHED = """N0 = 10.
tau = 3.
beta = 0.8
bg = 0.5
fit = N0*exp(-(time/tau)**beta) + bg
r = fit - counts
chi2 = (r**2).sum()
"""
COUNTS = "time,counts\n0,10.4\n1,7.2\n2,5.5\n4,3.4\n8,1.5\n16,0.7\n"


@pytest.mark.parametrize("options", [(), ("--method", "bfgs"), ("--method", "newton"), ("--of", "r")])
def test_a_stretched_exponential_is_fitted_from_time_0(autodiff, write, options):
    """The slope of ``(0/tau)**beta`` is 0 times infinity by the chain rule, and exactly 0."""
    write(STRETCHED, "se.ad")
    write(COUNTS, "d.csv")
    call = ("minimize", "se.ad", "--data", "d.csv", "--wrt", "N0,tau,beta,bg", *options)
    done = autodiff(*call, "--fail-on", "nan")
    assert done.returncode == 0
    t, v = np.array([row.split(",") for row in COUNTS.split()[1:]], float).T
    best, covariance = curve_fit(
        *(lambda t, n, tau, beta, bg: n * np.exp(-((t / tau) ** beta)) + bg, t, v),
        p0=[10, 3, 0.8, 0.5],
        xtol=1e-14,
        ftol=1e-14,
    )
    found = np.array([line.split("\t")[1:] for line in done.out.splitlines()], float)
    assert found[:, 0] == pytest.approx(best, rel=1e-7)
    assert found[:, 1] == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-5)
    assert done.err == (
        "note: pow in line 5: the slope of a power below 1 has no bound at 0: entry [0] of time/tau = 0 (row"
        " 1 of d.csv: time = 0 and counts = 10.4); this entry stays the same when the inputs move, so its"
        " slope counts as 0, which is exact; `autodiff grad` gives nan there, as PyTorch does\n"
    )


DOSES = "dose,y\n0,2.1\n0.1,2.4\n0.3,4.6\n1,15.8\n3,48.9\n10,80.2\n30,92.5\n100,96.1\n"


@pytest.mark.parametrize("method", ["lm", "bfgs"])
def test_a_dose_of_0_stands_in_a_fit(autodiff, write, method):
    """At dose 0 the curve is at its bottom, whatever the other inputs: infinity is a value on the way."""
    write(DOSES, "d.csv")
    model = "bottom = 1.; top = 100.; e = 2.; h = 1.; r = bottom + (top - bottom)/(1 + (e/dose)**h) - y"
    done = autodiff("minimize", "-e", model, "--data", "d.csv", "--method", method)
    assert done.returncode == 0
    assert (
        "(row 1 of d.csv: dose = 0 and y = 2.1); this entry stays the same when the inputs move" in done.err
    )
    d, v = np.array([row.split(",") for row in DOSES.split()[1:]], float).T
    with np.errstate(divide="ignore"):
        best, covariance = curve_fit(
            *(lambda d, b, t, e, h: b + (t - b) / (1 + (e / d) ** h), d, v),
            p0=[1, 100, 2, 1],
            xtol=1e-14,
            ftol=1e-14,
        )
    found = np.array([line.split("\t")[1:] for line in done.out.splitlines()], float)
    assert found[:, 0] == pytest.approx(best, rel=1e-6)
    assert found[:, 1] == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-5)


@pytest.mark.parametrize("method", ["bfgs", "newton"])
@pytest.mark.parametrize(
    ("code", "least"),
    [
        ("x = 4.; L = x*log(x)", math.exp(-1)),
        ("x = 40.; L = x*log(x)", math.exp(-1)),
        ("x = 5.; L = math.log(x)*x", math.exp(-1)),
        ("x = 50.; L = 3*x - 16*log(x)", 16 / 3),
        ("x = 0.5; L = -log(1 - x) - log(x) - 3*x", (1 + math.sqrt(13)) / 6),
    ],
)
def test_a_step_out_of_where_the_output_is_finite_is_too_long(answered, code, least, method):
    """The first steps lead to logarithms of negative numbers; a search tries shorter ones."""
    done = answered("-e", code, "--method", method)
    assert (done.code, done.err) == (0, "")
    assert float(done.out.split()[1]) == pytest.approx(least, rel=1e-9)


def test_a_search_goes_on_that_scipy_ends_at_an_edge(autodiff, write):
    """Below D = 0 the first row is infinite, and scipy's search ends at D = 6e-12; another way leads down."""
    write("t,v\n0,1\n1,2\n2,3\n3,3.3\n", "d.csv")
    code = ("minimize", "-e", "a = 1.; D = 1.; r = a*exp(-D/t) - v", "--data", "d.csv")
    for method in ("lm", "bfgs"):
        done = autodiff(*code, "--method", method)
        assert done.returncode == 0
        assert float(done.out.split()[4]) == pytest.approx(0.752695, rel=1e-5)


def test_a_start_without_a_slope_is_told_with_the_row(autodiff, write):
    write("t,v\n2,1\n1,2\n3,2.5\n", "d.csv")
    write("a = 1.\nb = 1.\nr = a*sqrt(t - b) - v\n", "a.ad")
    done = autodiff("minimize", "a.ad", "--data", "d.csv")
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith(
        "error[E0605]: the slope by b is not finite at the start, so there is no way down\n --> a.ad:3:7\n"
    )
    assert "has no bound at 0: entry [1] of t - b = 0 (row 2 of d.csv: t = 1 and v = 2)\n" in done.err
    *_, leave, explain = done.err.splitlines()
    assert leave == "  = help: leave this row out"
    command = explain.removeprefix("  = help: ").removesuffix(" says more")
    assert "t - b = 0" in autodiff(*command.split()[1:]).out
    done = autodiff("minimize", "a.ad", "--data", "d.csv", "--diagnostics", "github")
    place = "file=a.ad,line=3,col=7,endLine=3,endColumn=18,title=E0605"
    assert done.err.startswith(f"::error {place}::the slope by b is not finite at the start")


def test_an_output_that_is_not_finite_is_told_with_the_row(autodiff, write):
    write("t,v\n1,2\n0,1\n", "d.csv")
    done = autodiff("minimize", "-e", "a = 1.; r = a*log(t/a) - v", "--data", "d.csv")
    assert done.err.startswith(
        "error[E0605]: the output is not finite at the start, so there is no way down\n"
    )
    assert "the logarithm of 0 is -infinity: entry [1] of t/a = 0" in done.err
    assert "(row 2 of d.csv: t = 0 and v = 1)\n" in done.err


def test_a_fit_that_moves_a_constant_says_how_to_leave_it(autodiff, write):
    """R is a variable of the script as A and E are; without --wrt it is fitted too."""
    write("T,k\n290,0.9\n300,1.8\n310,3.6\n320,6.4\n", "d.csv")
    code = ("minimize", "-e", "R = 8.314; A = 1e9; E = 5e4; r = A*exp(-E/(R*T)) - k", "--data", "d.csv")
    done = autodiff(*code, "--format", "table")
    assert "nan" not in done.out
    assert done.out.splitlines()[2].split() == ["input", "start", "value"]
    assert done.err.startswith(
        "note: there are no standard errors: the residuals do not determine all inputs"
    )
    assert done.err.endswith("; --wrt A,E leaves R as given\n")
    done = autodiff(*code, "--wrt", "A,E", "--format", "table")
    assert done.err == ""
    assert "standard error" in done.out


def test_a_search_that_stops_on_the_way_counts_its_steps(autodiff):
    code = "x = 3.; r = [x - 1, 1e-30*sqrt(abs(x - 1))]"
    done = autodiff("minimize", "-e", code, "--format", "table")
    assert "  lm, 1 step: a derivative is not finite on the way down: sqrt in line 1: the\n" in done.out
    done = autodiff("minimize", "-e", code, "--diagnostics", "github")
    title = "title=the search has not converged::the search has not converged: a derivative"
    assert done.err.startswith(f"::warning file=<-e>,line=1,col=1,endLine=1,endColumn=44,{title}")


def test_many_residuals_take_a_pass_for_each_input():
    """The two ways to a Jacobian agree."""
    from autodiff.cli.requests.derivatives import Question
    from autodiff.grammar.session.objective import Objective
    from autodiff.grammar.session.rerun import Probe

    code = "a = 2.; b = 0.3; r = a*exp(-b*linspace(0, 5, 40)) - 1; q = a - b; L = (r**2).sum() + 3*q**2"
    request = read_arguments(["minimize", "-e", code, "--wrt", "a,b"])
    probe = Probe()
    asked = Question(Session(request), weighed=False, probe=probe)
    objective = Objective(asked.execution, asked.settings, probe, asked.subject)
    rows, columns = objective.rows(), objective.columns()
    assert rows.shape == (41, 2)
    assert columns == pytest.approx(rows, rel=1e-14)


@pytest.mark.parametrize(
    ("residuals", "status"), [("[a*b - 2, a*b - 3, a*b]", 1), ("[a - 2, a*b - 3, b]", 0)]
)
def test_missing_standard_errors_fail_if_asked(autodiff, residuals, status):
    done = autodiff("minimize", "-e", f"a = 1.; b = 2.; r = {residuals}", "--fail-on", "nan", "-q")
    told = "error: --fail-on nan: there are no standard errors: the residuals do not determine all inputs\n"
    assert (done.returncode, done.err) == (status, told * status)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("x = 3.; y = 1.; L = (x - 1)**2 + 10*(y - x)**2", "go on from there with --set, ask about fewer"),
        (
            "w = torch.tensor(3., requires_grad=True)\nfor i in range(2):\n    L = (w**2 - 1)**2\n"
            "    L.backward()\n    w.data -= 0.01*w.grad\n    w.grad = None",
            "each of which repeats the loop that the script ends in",
        ),
    ],
)
def test_what_is_said_when_the_time_for_a_search_is_over(monkeypatch, code, advice):
    """The lowest place until then, how far the search has come, and what makes it shorter."""
    shown, said = [], []
    request = read_arguments(["minimize", "-e", code])
    session = Session(request)

    def search_for_ever(objective, method):
        objective.run(objective.start / 2)
        session.show_so_far()
        said.append(session.time_help())
        return search_minimum(objective, method)

    monkeypatch.setattr("autodiff.cli.requests.minimize.search_minimum", search_for_ever)
    found = make_minimum(session, shown.append)
    [so_far] = shown
    assert found.has_converged
    assert not so_far.has_converged
    assert [entry[3] for entry in entries_of(so_far)] == pytest.approx(so_far.start / 2)
    assert said[0].startswith("the objective came down from ")
    assert " in 1 run of the script" in said[0]
    assert advice in said[0]


@pytest.mark.parametrize(
    "output",
    [
        "L = nansum((a*t - v)**2)",
        "L = nanmean((a*t - v)**2)",
        "L = where(isfinite(t*v), (a*t - v)**2, 0).sum()",
        "L = where(isnan(t*v), 0, 3*(a*t - v)**2).mean()",
        "L = (where(isfinite(t*v), a*t - v, 0)**2).sum()",
        "r = where(isfinite(t*v), a*t - v, 0)",
        "r = (a*t - v)[isfinite(t*v)]",
        "L = ((a*t - v)[isfinite(t*v)]**2).sum()",
    ],
)
def test_missing_values_have_no_part_in_the_standard_errors(autodiff, write, output):
    write("t,v\n1,2\n3,\n4,9\n2,4.5\n7,13\n-,3\n", "d.csv")
    write("t,v\n1,2\n4,9\n2,4.5\n7,13\n", "rest.csv")
    fitted = autodiff("minimize", "-e", f"a = 2.; {output}", "--data", "d.csv")
    rest = autodiff("minimize", "-e", "a = 2.; r = a*t - v", "--data", "rest.csv")
    assert [*map(float, fitted.out.split()[1:])] == pytest.approx([*map(float, rest.out.split()[1:])])
    assert fitted.err == "".join(
        f"note: 1 of 6 values of `{name}` is missing and counts as nan, the first in row {row}\n"
        for name, row in (("t", 6), ("v", 2))
    )


def test_known_deviations_go_with_missing_values(autodiff, write):
    write("t,v,s\n1,2,0.1\n3,,0.1\n4,9,0.2\n2,4.5,0.1\n", "d.csv")
    call = ("minimize", "--data", "d.csv", "--absolute-sigma", "-q", "-e")
    fitted = autodiff(*call, "a = 2.; L = nansum(((a*t - v)/s)**2)").out.split()
    assert float(fitted[2]) == pytest.approx((1 / 0.01 + 16 / 0.04 + 4 / 0.01) ** -0.5)


def test_a_residual_of_weight_0_is_none(autodiff):
    """Its value does not matter, and it adds no degree of freedom."""
    code = "a = 2.; L = (tensor([{}])*(a*tensor([{}]) - tensor([{}]))**2).sum()"
    weighed, rest = (
        autodiff("minimize", "-e", code.format(*numbers), "--wrt", "a").out
        for numbers in (("1, 1, 1, 0", "1., 2, 3, 4", "2, 4.5, 5, 9"), ("1, 1, 1", "1., 2, 3", "2, 4.5, 5"))
    )
    assert rest
    assert [*map(float, weighed.split()[1:])] == pytest.approx([*map(float, rest.split()[1:])])


def test_data_with_missing_values_say_how_to_leave_them_out(autodiff, write):
    write("t,v\n1,2\n2,4.5\n4,9\n3,NA\n", "d.csv")
    done = autodiff("minimize", "-e", "a = 2.; r = a*t - v", "--data", "d.csv")
    assert done.returncode == 2
    assert (
        "where row 4 of column `v` is nan\n  = help: leave such residuals out, as in `r[isfinite(r)]`"
        in done.err
    )
    assert (
        autodiff("minimize", "-e", "a = 2.; r = a*t - v; r[isfinite(r)]", "--data", "d.csv").returncode == 0
    )

"""Propagated standard deviations equal those of the package ``uncertainties``; draws and second order fit."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.main import time_out_error
from autodiff.cli.requests.derivatives import Question
from autodiff.cli.requests.propagate import make_propagation
from autodiff.cli.requests.session import Session
from autodiff.core.derivation import propagation
from autodiff.grammar.session.monte_carlo import Draws
from autodiff.grammar.session.rerun import Probe, Rerun

#: Formulas of a laboratory with measured values and their standard deviations.
FORMULAS = {
    "density of a disc": ("m/(pi*r**2*h)", {"m": (0.029, 0.005), "r": (0.0082, 0.0001), "h": (0.02, 0.0005)}),
    "pendulum": ("4*pi**2*l/T**2", {"l": (0.995, 0.002), "T": (2.003, 0.01)}),
    "lens": ("1/(1/a + 1/b)", {"a": (0.31, 0.004), "b": (0.42, 0.006)}),
    "refraction": ("sin(i)/sin(o)", {"i": (0.785, 0.01), "o": (0.49, 0.01)}),
    "half-life": ("log(2)/k", {"k": (0.0231, 0.0004)}),
    "decay": ("N*exp(-k*t)", {"N": (1200.0, 35.0), "k": (0.0231, 0.0004), "t": (30.0, 0.5)}),
    "resistance": ("U/I", {"U": (4.98, 0.02), "I": (0.0123, 0.0001)}),
    "parallel resistors": ("R*S/(R + S)", {"R": (220.0, 4.4), "S": (330.0, 3.3)}),
    "gas": ("p*V/(8.314*T)", {"p": (101325.0, 200.0), "V": (0.0244, 0.0002), "T": (297.0, 1.0)}),
    "ph": ("-log10(c)", {"c": (3.2e-5, 4e-7)}),
    "relativity": ("m/sqrt(1 - v**2)", {"m": (0.511, 0.001), "v": (0.8, 0.01)}),
    "arrhenius": ("A*exp(-E/(8.314*T))", {"A": (2e9, 1e8), "E": (52000.0, 900.0), "T": (310.0, 0.5)}),
    "angle": ("atan2(y, x)", {"y": (1.2, 0.05), "x": (-0.7, 0.03)}),
}


def propagated(formula, inputs, *options):
    script = "; ".join(f"{name} = {value!r}" for name, (value, _) in inputs.items()) + f"; result = {formula}"
    request = read_arguments(["propagate", "-e", script, *options])
    assert request is not None
    return make_propagation(Session(request), lambda found: None)


@pytest.mark.oracle
@pytest.mark.parametrize(("formula", "inputs"), FORMULAS.values(), ids=FORMULAS)
def test_uncertainties_gives_the_same(formula, inputs):
    uncertainties = pytest.importorskip("uncertainties")
    from uncertainties import umath

    found = propagated(formula, inputs, "--sigma", ",".join(f"{k}={s!r}" for k, (_, s) in inputs.items()))
    known = {name: uncertainties.ufloat(value, sigma) for name, (value, sigma) in inputs.items()}
    theirs = eval(formula, {**vars(umath), "pi": math.pi, **known})
    assert found.sigma[0] == pytest.approx(theirs.std_dev, rel=1e-12)
    parts = {known_name: (theirs.derivatives[x] * x.std_dev) ** 2 for known_name, x in known.items()}
    shares = [parts[variable.name] / theirs.std_dev**2 for variable in found.report.gradients]
    assert found.shares[0] == pytest.approx(shares, rel=1e-11)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("formula", "inputs"),
    [pair for pair in FORMULAS.values() if len(pair[1]) > 1],
    ids=[name for name, (_, inputs) in FORMULAS.items() if len(inputs) > 1],
)
def test_uncertainties_gives_the_same_for_correlated_inputs(formula, inputs, tmp_path):
    uncertainties = pytest.importorskip("uncertainties")
    from uncertainties import umath

    sigmas = np.array([sigma for _, sigma in inputs.values()])
    correlation = np.full((len(sigmas), len(sigmas)), -0.3) + 1.3 * np.eye(len(sigmas))
    covariance = correlation * np.outer(sigmas, sigmas)
    lines = [",".join(inputs), *(",".join(map(repr, row)) for row in covariance.tolist())]
    (tmp_path / "cov.csv").write_text("\n".join(lines))
    found = propagated(formula, inputs, "--cov", str(tmp_path / "cov.csv"))
    values = uncertainties.correlated_values_norm(list(inputs.values()), correlation)
    theirs = eval(formula, {**vars(umath), "pi": math.pi, **dict(zip(inputs, values, strict=True))})
    assert found.sigma[0] == pytest.approx(theirs.std_dev, rel=1e-12)
    gradient = found.jacobian[0]
    assert found.sigma[0] == pytest.approx(math.sqrt(gradient @ covariance @ gradient), rel=1e-12)
    assert found.shares[0].sum() == pytest.approx(1, rel=1e-12)


def test_draws_have_the_covariance():
    covariance = np.array([[4.0, 3e-4, 0], [3e-4, 1e-7, 0], [0, 0, 0]])
    found = propagation.draws(covariance, 200_000, 1)
    assert np.allclose(np.cov(found.T), covariance, rtol=0.02, atol=1e-12)
    assert not found[:, 2].any()


def test_second_order_is_exact_for_a_parabola():
    shift, more = propagation.second_order(np.array([[2.0, 1.0], [1.0, 0.0]]), np.diag([0.04, 0.25]))
    x = propagation.draws(np.diag([0.04, 0.25]), 400_000, 2)
    y = x[:, 0] ** 2 + x[:, 0] * x[:, 1]
    assert shift == pytest.approx(0.04)
    assert y.mean() == pytest.approx(shift, abs=1e-3)
    assert y.var() == pytest.approx(more, rel=0.02)


@pytest.mark.parametrize("formula", ["x**2 + x*z", "exp(x)*z", "sin(x) + z**2"])
def test_draws_agree_where_deviations_are_small(formula):
    inputs = {"x": (1.0, 0), "z": (2.0, 0)}
    found = propagated(formula, inputs, "--sigma", "x=0.002,z=0.003", "--monte-carlo", "400")
    assert found.monte_carlo is not None
    assert found.monte_carlo.agrees.all()
    assert found.monte_carlo.sigma == pytest.approx(found.sigma, rel=0.2)


@pytest.mark.parametrize(
    ("code", "names", "why"),
    [
        ("S = 100.; s = 0.2; d = log(S/95)/s; y = S*(1 + erf(d/sqrt(2)))/2", ["S", "s"], ""),
        ("x = 1.; a = 2; x = 3*x; x = 2.; y = exp(x)*a", ["x", "a"], ""),
        ("x = 0.1; k = 3; y = k*sqrt(x)", ["x"], ""),
        (
            "import math\nx = 1.; z = 2.; a = x\nfor t in range(3):\n    a += z\ny = a*math.log10(5 + x)",
            ["x", "z"],
            "",
        ),
        ("x = 1.; z = 1.; y = max(x, z, 0.9)*where(x > z, x, z)", ["x", "z"], ""),
        ("x = 1.; z = 1.; y = equal(x, 1)*z + x", ["x", "z"], "line 1 has `equal(x, 1)`"),
        ("x = 1.; y = x if x > 1 else x**2", ["x"], "line 1 has a branch"),
        ("x = [1., 2]; y = x[0]*x[1]", ["x"], "`x` is not a number that the script is given"),
        ("x = 1.; y = [x, x**2]", ["x"], "the output has several entries"),
    ],
)
def test_draws_are_the_same_in_blocks_and_one_by_one(code, names, why):
    request = read_arguments(["propagate", "-e", code])
    probe = Probe()
    asked = Question(Session(request), weighed=False, probe=probe, wrt=names)
    draws = Draws(asked.subject, Rerun(asked.execution, asked.settings, probe))
    assert draws.why == why
    moves = propagation.draws(0.01 * np.eye(sum(draws.sizes)), 50, 1)
    found = draws.outputs(moves)
    assert len(np.unique(found[:, 0])) > 20  # the output depends on the draw
    assert why or draws.outputs_together(moves) is not None
    draws.why = "one by one"
    np.testing.assert_allclose(found, draws.outputs(moves), rtol=1e-14)


def test_many_draws_are_run_in_a_few_blocks(monkeypatch):
    runs = []
    root = Draws.root
    monkeypatch.setattr(Draws, "root", lambda self, probe: runs.append(probe) or root(self, probe))
    found = propagated("x**3", {"x": (1.0, 0)}, "--sigma", "x=0.1", "--monte-carlo", "20000")
    assert found.monte_carlo.mean == pytest.approx([1.03], abs=0.01)
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (np.zeros((2, 3)), "is square"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "below 0"),
        (np.array([[-1.0]]), "a variance below 0"),
        (np.array([[math.nan]]), "not finite"),
    ],
)
def test_what_is_no_covariance(matrix, says):
    assert says in propagation.covariance_flaw(matrix)


def test_covariances_of_units_far_apart_are_accepted():
    sigmas = np.array([1e-9, 1.0, 1e9])
    correlation = np.full((3, 3), 0.99) + 0.01 * np.eye(3)
    assert propagation.covariance_flaw(correlation * np.outer(sigmas, sigmas)) == ""


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("x = 0.; y = relu(x)", "line 1: y is at a kink of relu: x = 0; "),
        (
            "x = 1.\nz = 1.\ny = 2*max(x, z)",
            "line 3: `max(x, z)` compares equal numbers; first order does not",
        ),
        (
            "x = torch.tensor([1., 1.], requires_grad=True)\ny = x.max()",
            "line 2: y is at a kink of max: entries",
        ),
    ],
)
def test_a_kink_is_named_with_its_line(autodiff, script, told):
    done = autodiff("propagate", "-e", script, "--sigma", "x=0.1")
    assert f"note: {told}" in done.err
    assert "first order does not hold there\nnote: --monte-carlo 10000 shows" in done.err
    assert "curvature" not in done.err


def test_the_far_side_of_a_kink_is_not_noted(autodiff):
    assert autodiff("propagate", "-e", "x = 1.; y = relu(x) + relu(-x)", "--sigma", "x=0.1").err == ""


def test_the_output_has_no_deviation_of_its_own(autodiff):
    done = autodiff("propagate", "-e", "a = 9.81; b = 2.; T = a*b", "--sigma", "T=0.1,a=0.01")
    assert done.returncode == 2
    assert "`T` is the output, and its deviation is what is computed" in done.err
    assert "leave it out: a" in done.err
    assert autodiff("propagate", "-e", "x = 3.", "--of", "x", "--sigma", "x=0.1").out == "3\t0.1\n"


def test_inputs_without_a_deviation_say_nothing_of_the_derivatives(autodiff):
    assert autodiff("propagate", "-e", "x = 1.; y = 2*x", "--sigma", "x=0").err == ""
    done = autodiff("propagate", "-e", "x = 1.; z = 0.; y = 2*x + z**2", "--sigma", "x=0,z=0.1")
    assert "so are the derivatives by what has a deviation" in done.err


@pytest.mark.parametrize("corner", ["", "name"])
def test_the_column_of_labels_may_have_a_name(autodiff, write, corner):
    write(f"{corner},a,b\nb,-0.03,0.09\na,0.04,-0.03\n", "cov.csv")
    done = autodiff("propagate", "-e", "a = 2.; b = 3.; y = a*b", "--cov", "cov.csv", "--format", "json")
    assert json.loads(done.out)["covariance"] == [[pytest.approx(0.36)]]


def test_the_document_has_what_the_table_shows(autodiff):
    """The deviation, the derivative and the share of each entry of the inputs, also where they are arrays."""
    script = "m = 3.; w = [1., 2.]; k = 5.; y = tensor([2., 7.])*m*w[0]*w[1] + k"
    done = autodiff("propagate", "-e", script, "--sigma", "m=0.1,w=[0.2, 0.3]", "--format", "json")
    made = json.loads(done.out)
    assert made["input_sigmas"] == {"m": 0.1, "w[0]": 0.2, "w[1]": pytest.approx(0.3)}
    assert made["derivatives"] == {"m": [4, 14], "w[0]": [12, 42], "w[1]": [6, 21]}
    for name, share in made["shares"].items():
        parts = np.array(made["derivatives"][name]) * made["input_sigmas"][name]
        assert share == pytest.approx(parts**2 / np.array(made["sigma"]) ** 2)
    assert sum(np.array(share) for share in made["shares"].values()) == pytest.approx([1, 1])


def test_deviations_of_rows_are_a_column(autodiff, write):
    write("L,T,sL\n1,2,0.1\n4,2,0.2\n", "d.csv")
    code = ("propagate", "-e", "g = 3*L + T", "--data", "d.csv")
    done = autodiff(*code, "--sigma", "L=sL")
    assert [float(x) for x in done.out.split()] == pytest.approx([5, 0.3, 14, 0.6])
    assert done.err == ""
    assert autodiff(*code[:3], "--data", "-", "--sigma", "L=sL", input="L;T;sL\n1;2;0.5\n").out == "5\t1.5\n"
    table = autodiff(*code, "--sigma", "L=sL,T=1", "--format", "table").out
    assert [line.split()[0] for line in table.splitlines() if "[" in line] == [
        *("g[0]", "T[0]", "L[0]"),
        *("g[1]", "T[1]", "L[1]"),
    ]
    assert table.count("  the derivatives by 2 other entries of the inputs are 0\n") == 2
    for same in ("@d.csv", "L"):
        done = autodiff(*code, "--sigma", f"L={same}")
        assert done.returncode == 2
        assert (
            f"--sigma L: `{same}` has the values of `L`, not its deviations\n  = help: name the" in done.err
        )


def test_a_deviation_is_a_column_only_where_the_data_have_one(autodiff):
    done = autodiff("propagate", "-e", "L = 1.; g = 3*L", "--sigma", "L=L")
    assert "--sigma L: `L` has no value: there is no variable `L`" in done.err
    assert autodiff("propagate", "-e", "e = 1.; g = 3*e", "--sigma", "e=e").out.startswith("3\t8.15")


def test_an_input_without_an_effect_is_shown(autodiff):
    done = autodiff(
        "propagate", "-e", "x = 0.; y = 1.; z = x**2 + y", "--sigma", "x=1,y=1", "--format", "table"
    )
    assert [line.split()[0] for line in done.out.splitlines()[3:]] == ["y", "x"]


def test_an_entry_that_never_changes_passes_nothing_on(autodiff, write):
    """By the chain rule its slope is 0 times infinity; the deviation is that of the other rows."""
    write("t\n0\n2\n", "d.csv")
    call = ("propagate", "--data", "d.csv", "--fail-on", "nan")
    done = autodiff(*call, "-e", "D = 3.; x = sqrt(2*D*t)", "--sigma", "D=0.1", "--format", "json")
    assert done.returncode == 0
    made = json.loads(done.out)
    assert made["derivatives"] == {"D": [0, pytest.approx(2 / math.sqrt(12))]}
    assert made["sigma"] == [0, pytest.approx(0.2 / math.sqrt(12))]
    assert "sqrt in line 1: " in done.err
    assert "(row 1 of d.csv: t = 0); this entry stays the same when the inputs move" in done.err
    done = autodiff(*call, "-e", "b = 2.; x = sqrt(t - b)", "--sigma", "b=0.1")
    assert done.returncode == 1
    assert "warning: the gradient for b is not finite\nnote: sqrt in line 1: " in done.err
    assert "entry [0] of t - b = -2 (row 1 of d.csv: t = 0)\n" in done.err


def test_a_missing_value_in_the_data_spoils_no_other_row(autodiff, write):
    """By the chain rule the slope of each row is the sum of 0*nan and its own."""
    write("V,s\n1.5,0.01\nnan,0.01\n2.5,0.02\n", "d.csv")
    write("V,s\n1.5,0.01\n2.5,0.02\n", "rest.csv")
    script = ("-e", "R = 3.; y = V**2/R")
    for sigma in ("V=s,R=0.1", "R=0.1"):
        done = autodiff("propagate", *script, "--data", "d.csv", "--sigma", sigma)
        rest = autodiff("propagate", *script, "--data", "rest.csv", "--sigma", sigma, "-q").out.splitlines()
        assert done.out.splitlines() == [rest[0], "nan\tnan", rest[1]]
        by = "V and R" if "V" in sigma else "R"
        assert done.err == (
            "note: 1 of 3 values of `V` is missing and counts as nan, the first in row 2\n"
            f"note: the slopes of `y[1]` by {by} are not finite; row 2 of column `V` is nan, and the other"
            " entries do not depend on such values\n"
        )
    done = autodiff("propagate", *script, "--set", "V=nan", "--sigma", "R=0.1")
    assert done.out.split() == ["nan", "nan"]  # no other row is there


def test_what_is_no_number_has_no_deviation(autodiff):
    """The slope 1/(a - x) is finite where the logarithm is nan."""
    call = ("propagate", "-e", "a = 2.; y = log(a - x)", "--sigma", "a=0.01", "--set")
    done = autodiff(*call, "x=[1, 3, 1.5]")
    assert [line.split("\t")[1][:6] for line in done.out.splitlines()] == ["0.01", "nan", "0.02"]
    assert done.err == "note: `y[1]` is not finite: what is no number has no deviation\n"
    done = autodiff(*call, "x=[3., 4]")
    assert done.out == "nan\tnan\nnan\tnan\n"
    assert "note: 2 entries of the output are not finite, the first is `y[0]`: what" in done.err


def test_draws_beside_a_missing_value_are_compared_in_the_other_rows(autodiff):
    call = ("-e", "a = 2.; y = sin(a*x)", "--set", "x=[1, nan, 3]", "--sigma", "a=0.4", "--format", "json")
    drawn = json.loads(autodiff("propagate", *call, "--monte-carlo", "2000").out)["monte_carlo"]
    call = (*call[:2], "--set", "x=[1, 3]", *call[4:])
    rest = json.loads(autodiff("propagate", *call, "--monte-carlo", "2000").out)["monte_carlo"]
    assert drawn["lost"] == 0
    for key in ("mean", "sigma", "second_order_mean", "second_order_sigma"):
        assert drawn[key][1] == "NaN"
        assert drawn[key][::2] == pytest.approx(rest[key], rel=1e-9)


def test_slopes_that_cannot_be_told_apart_beside_a_missing_value_are_refused(autodiff):
    script = """class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2*x*g
R = torch.tensor(3., requires_grad=True)
y = F.apply(V*R)"""
    done = autodiff("propagate", "-e", script, "--set", "V=[1.5, nan]", "--sigma", "R=0.1")
    assert (done.returncode, done.out) == (2, "")
    assert "`V[1]` is nan" in done.err
    assert "= help: leave such rows out of the data" in done.err


def test_the_covariance_of_the_output_is_symmetric(autodiff, write):
    write("a[0],a[1]\n0.04,-0.03\n-0.03,0.09\n", "cov.csv")
    script = "a = tensor([2., 3.], requires_grad=True); y = stack([a[0]*a[1], a[0]/a[1]])"
    done = autodiff("propagate", "-e", script, "--cov", "cov.csv", "--format", "json")
    made = np.array(json.loads(done.out)["covariance"])
    assert (made == made.T).all()
    assert made[0, 0] == pytest.approx(0.36)


def test_what_is_said_when_the_time_for_draws_is_over(monkeypatch):
    """The number of draws, why they take long, and the answer without them."""
    shown, said = [], []

    def run_out_of_time(draws, moves):
        draws.done = 1234
        session.show_so_far()
        session.has_run = True
        said.extend(time_out_error(session).help)
        return np.array([[1.0], [2.0]])

    monkeypatch.setattr(Draws, "outputs", run_out_of_time)
    script = "a = tensor([2., 3.], requires_grad=True); y = a[0]*a[1]"
    request = read_arguments(["propagate", "-e", script, "--sigma", "a=0.1", "--monte-carlo", "5000"])
    session = Session(request)
    make_propagation(session, shown.append)
    assert [found.sigma for found in shown] == [pytest.approx([0.1 * math.sqrt(13)])]
    assert said == [
        "1,234 of 5,000 draws were done, one by one because `a` is not a number that the script is given"
        " (single numbers are drawn together): ask for fewer draws, or give it more time: --timeout 600, 0"
        " for no limit"
    ]


def test_nodes_are_named_only_at_a_kink(monkeypatch):
    """To name the nodes of a loop of a million steps takes far longer than the passes."""
    named = []
    monkeypatch.setattr("autodiff.cli.requests.propagate.NodeNames", lambda *all, **more: named.append(all))
    assert propagated("x**2/y + relu(x)", {"x": (2.0, 0), "y": (4.0, 0)}, "--sigma", "x=0.1").sigma == [0.2]
    assert not named


@pytest.mark.parametrize("form", ["plain", "csv", "tsv", "jsonl", "markdown", "latex"])
def test_the_draws_are_told_where_the_format_has_no_place_for_them(autodiff, form):
    code = ("-e", "x = 1.; y = 2*x", "--sigma", "x=0.1")
    done = autodiff("propagate", *code, "--monte-carlo", "200", "--format", form)
    assert done.err.startswith("note: Monte Carlo, 200 draws: mean ")


def test_one_array_is_not_advised_where_there_are_three(autodiff):
    done = autodiff("propagate", "-e", "x = 1.; y = 2*x", "--sigma", "x=0.1", "-o", "p.npy")
    assert (done.returncode, "--wrt" in done.err, "use --format npz" in done.err) == (2, False, True)


def test_the_number_of_draws_may_have_a_power_of_ten(autodiff):
    code = ("propagate", "-e", "x = 1.; y = x**2", "--sigma", "x=0.1", "--monte-carlo")
    assert autodiff(*code, "2e2").err == autodiff(*code, "200").err != ""
    for text in "2.5e2", "e3", "1e", "1e-3", "1e99999":
        done = autodiff(*code, text)
        assert "--monte-carlo takes a whole number, 0 or more" in done.err


DECAY = "t,v\n0,2.1\n1,1.2\n2,0.8\n3,0.45\n4,0.31\n"


@pytest.mark.parametrize(
    ("model", "later"),
    [
        ("A = 1; tau = 1; c = 0.1; r = A*exp(-t/tau) + c - v", "A = 1; tau = 1; y = A*exp(-2/tau)"),
        ("p = [1., 1.]; c = 0.1; r = p[0]*exp(-t/p[1]) + c - v", "p = [1., 1.]; y = p[0]*exp(-2/p[1])"),
    ],
)
def test_the_document_of_a_fit_has_the_covariances_of_its_inputs(autodiff, write, tmp_path, model, later):
    write(DECAY, "decay.csv")
    assert autodiff("minimize", "-e", model, "--data", "decay.csv", "-o", "fit.json").returncode == 0
    fit = json.loads((tmp_path / "fit.json").read_text())
    a, tau = np.concatenate([np.ravel(one["value"]) for one in fit["inputs"]])[:2]
    slopes = np.array([math.exp(-2 / tau), a * math.exp(-2 / tau) * 2 / tau**2])
    variance = slopes @ np.array(fit["covariance"])[:2, :2] @ slopes  # those of c are left out
    done = autodiff("propagate", "-e", later, "--data", "fit.json", "--cov", "fit.json")
    assert [float(text) for text in done.out.split()] == pytest.approx([a * slopes[0], math.sqrt(variance)])
    assert done.err == "note: the script does not use c of the fit in fit.json\n"
    # At other values the covariances are those of another place.
    done = autodiff("propagate", "-e", later, "--cov", "fit.json")
    assert "note: the fit in fit.json ended at " in done.err
    assert done.err.endswith(": --data fit.json takes the values of the fit\n")


def test_a_fit_without_covariances_or_of_other_inputs_is_refused(autodiff, write):
    write(DECAY, "decay.csv")
    model = "A = 1; B = 1; r = A*B*exp(-t) - v"
    autodiff("minimize", "-e", model, "--data", "decay.csv", "-o", "fit.json")
    done = autodiff("propagate", "-e", "A = 1; y = A**2", "--cov", "fit.json")
    assert done.returncode == 2
    assert (
        "error[E0619]: fit.json: this fit has no covariances\n  = help: a note of minimize says why"
        in done.err
    )
    hand = '{"inputs": [{"name": "A", "value": 2}], "objective": 1, "residuals": 3, "covariance": [[1, 2]]}'
    for text in (hand, hand.replace('"A"', "3"), '{"A": [1, 2], "B": 3}'):
        done = autodiff("propagate", "-e", "A = 1; y = A**2", "--cov", "-", input=text)
        assert done.err.startswith("error[E0619]: <stdin>: ")
    autodiff("minimize", "-e", model.replace("B = 1", "B = A"), "--data", "decay.csv", "-o", "fit.json")
    done = autodiff("propagate", "-e", "q = 1; y = q**2", "--cov", "fit.json")
    assert (
        "fit.json: the script uses none of the inputs of this fit: A\n  = help: the script reads: q"
        in done.err
    )

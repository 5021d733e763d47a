"""What the articles work out by hand, worked out here: entries of gradients, second derivatives, LaTeX."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.latex import latex_document
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe, describe_second_order
from autodiff.core.report.entry_records import EntryDerivation
from autodiff.core.report.records import Derivation, GradientReport
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from autodiff.grammar.session.second_order import differentiate_again
from conftest import REPOSITORY, TESTS
from program import run_program

GOLDEN = TESTS / "golden" / "by_hand"
FIFTH = (REPOSITORY / "examples" / "seeds" / "5_gradients.ad").read_text()
#: The fifth article's graph with entries that tell a correct expansion from one with its indices mixed up.
DISTINCT = """\
X = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
W = torch.tensor([[5., 6.], [7., 8.]], requires_grad=True)
b = torch.tensor([4.], requires_grad=True)
a = torch.mm(X, W)
Y = a + b
"""


def report_of(text: str, entry: tuple[int, ...] | None = None, **settings: object) -> GradientReport:
    asked = Settings(**settings)
    source = Source(text, "script.ad")
    subject = differentiate(execute(source, asked, lambda text: None), asked)
    return describe(subject, source, graph=False, entry=entry)


def twice(text: str, entry: tuple[int, ...] | None = None, **settings: object) -> GradientReport:
    asked = Settings(**settings)
    source = Source(text, "script.ad")
    subject, seconds = differentiate_again(execute(source, asked, lambda text: None), asked, entry)
    return describe_second_order(subject, source, seconds, max_paths=1000, top=10, entry=entry)


def entry_of(text: str, wrt: str, place: tuple[int, ...], **settings: object) -> EntryDerivation:
    [derivation] = report_of(text, place, wrt=[wrt], **settings).derivations
    assert derivation.entry is not None
    return derivation.entry


def text_of(report: GradientReport, width: int = 80) -> str:
    lines = explain_lines(report, Page(width))
    return "".join("".join(piece for _, piece in line).rstrip() + "\n" for line in lines)


def compare(name: str, text: str, update_golden: bool) -> None:
    path = GOLDEN / name
    if update_golden:
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


# -- the fifth article: one entry ---------------------------------------------------------------------------


def test_each_entry_of_the_output_is_expanded_with_the_right_indices() -> None:
    """x11*w11 + x12*w21 and so on; the article has x12*w12 in the first."""
    entry = entry_of(DISTINCT, "b", (0,), grad_output="ones")
    assert {step.name: step.expansion for step in entry.steps} == {
        f"Y[{i},{j}]": f"a[{i},{j}] + b[0]" for i in (0, 1) for j in (0, 1)
    }
    expansions = {}
    for wrt in ("X", "W"):
        for place in np.ndindex(2, 2):
            expansions.update(
                {s.name: s.expansion for s in entry_of(DISTINCT, wrt, place, grad_output="ones").steps}
            )
    assert expansions == {
        f"a[{i},{j}]": f"X[{i},0]*W[0,{j}] + X[{i},1]*W[1,{j}]" for i in (0, 1) for j in (0, 1)
    }


def test_the_initial_gradient_stands_in_every_entry() -> None:
    entry = entry_of(DISTINCT, "W", (1, 0), grad_output=[[1.0, 10.0], [100.0, 1000.0]])
    assert entry.formula == "X[0,1]*G[0,0] + X[1,1]*G[1,0]"
    assert entry.numbers == ("2*1", "4*100")
    assert entry.value == entry.backward == 402


def test_a_scalar_starts_with_one_which_goes_without_saying() -> None:
    entry = entry_of(DISTINCT + "L = Y.sum()", "W", (1, 0))
    assert entry.given == "dL/dW[1,0]"
    assert entry.formula == "X[0,1] + X[1,1]"


def test_the_chain_rule_is_a_sum_over_the_entries_between() -> None:
    """dY/dx11 is the sum over d of dY/da_1d * da_1d/dx11."""
    text = text_of(report_of(DISTINCT, (0, 0), wrt=["X"], grad_output="ones"))
    assert "  chain       dS/da[0,0] * da[0,0]/dX[0,0] + dS/da[0,1] * da[0,1]/dX[0,0]\n" in text


def test_b_receives_the_sum_of_four_ones() -> None:
    entry = entry_of(FIFTH, "b", (0,), grad_output="ones")
    assert entry.formula == "G[0,0] + G[0,1] + G[1,0] + G[1,1]"
    assert entry.numbers == ("1", "1", "1", "1")
    assert entry.value == 4


def test_each_entry_of_x_receives_its_row_of_w() -> None:
    """The table of eight local partials, all of them entries of W, and the sum for each entry of X."""
    table = {}
    for i, k in np.ndindex(2, 2):
        entry = entry_of(DISTINCT, "X", (i, k), grad_output="ones")
        table.update({(step.name, (i, k)): step.local for step in entry.steps})
        assert entry.formula == f"G[{i},0]*W[{k},0] + G[{i},1]*W[{k},1]"
    assert table == {(f"a[{i},{j}]", (i, k)): f"W[{k},{j}]" for i, j, k in np.ndindex(2, 2, 2)}
    for place in np.ndindex(2, 2):
        assert entry_of(FIFTH, "X", place, grad_output="ones").value == 1


def test_the_exercise_each_entry_of_w_receives_four() -> None:
    for i, j in np.ndindex(2, 2):
        entry = entry_of(FIFTH, "W", (i, j), grad_output="ones")
        assert entry.formula == f"X[0,{i}]*G[0,{j}] + X[1,{i}]*G[1,{j}]"
        assert entry.numbers == ("2*1", "2*1")
        assert entry.value == 4


@pytest.mark.parametrize("wrt", ["X", "W", "b"])
def test_entries_by_hand_are_told_word_by_word(wrt: str, update_golden: bool) -> None:
    place = (0,) if wrt == "b" else (0, 1)
    text = text_of(report_of(DISTINCT, place, wrt=[wrt], grad_output="ones"))
    compare(f"entry_{wrt}.txt", text, update_golden)


# -- second derivatives -------------------------------------------------------------------------------------

CUBE = "w = 3\nx = 2\nz = w*x\nL = z**3 + sin(w)\n"
SECONDS = {
    "one_input": (CUBE, {"wrt": ["w"]}, None),
    "two_inputs": (CUBE, {"wrt": ["w", "x"]}, None),
    "olah": ("a = 2\nb = 1\nc = a + b\nd = b + 1\ne = c * d\n", {}, None),
    "an_entry": ("w = torch.tensor([1., 2.], requires_grad=True)\nL = (w**3).sum() + w[0]*w[1]\n", {}, (0,)),
    "a_weight": (
        "w = torch.tensor([1., 2.], requires_grad=True)\nL = (w**3).sum()\n",
        {"grad_output": [1.0, 10.0]},
        None,
    ),
}


@pytest.mark.parametrize("case", SECONDS)
def test_second_derivatives_are_told_word_by_word(case: str, update_golden: bool) -> None:
    script, settings, entry = SECONDS[case]
    compare(f"second_{case}.txt", text_of(twice(script, entry, **settings)), update_golden)


def seconds_of(script: str, **settings: object) -> dict[str, Derivation]:
    return {derivation.given: derivation for derivation in twice(script, **settings).derivations}


def test_each_pair_of_inputs_once() -> None:
    found = seconds_of(CUBE)
    assert list(found) == ["d2L/dw2", "d2L/dw dx", "d2L/dx2"]
    assert found["d2L/dw dx"].value == 9 * 6**2 == 324
    assert found["d2L/dx2"].value == 6 * 9 * 6


def test_second_derivatives_have_formulas_in_the_scripts_names() -> None:
    found = seconds_of("x = 0.5\ny = 3\nz = exp(x*y)\nL = z**2 / y\n")
    names = {"x": 0.5, "y": 3.0, "z": np.exp(1.5), "L": np.exp(3) / 3, "exp": np.exp, "log": np.log}
    for derivation in found.values():
        assert derivation.order == 2
        value = eval(derivation.complete.text, dict(names))
        assert value == pytest.approx(derivation.value, rel=1e-12)
        assert derivation.difference is not None
        assert derivation.difference < 1e-9


def test_names_with_digits_are_not_run_together() -> None:
    assert list(seconds_of("w1 = 3\nL = w1**3")) == ["d2L/dw1 dw1"]


def test_a_constant_gradient_has_the_derivative_zero() -> None:
    [derivation] = twice("w = 3\nx = 2\nL = w*x", wrt=["w"]).derivations
    assert derivation.value == 0
    assert derivation.simplified == "0"
    assert [cause.kind for cause in derivation.causes] == ["unconnected"]


def test_the_gradients_graph_has_names_that_say_what_they_are() -> None:
    [derivation] = twice("w = 3\nx = 2\nz = w*x\nL = z**3", wrt=["w"]).derivations
    assert derivation.paths[0].nodes[0] == "dL/dw"
    assert "dL/dz" in derivation.paths[0].nodes
    assert derivation.simplified == "6*x**2*z"


def test_a_long_loop_is_derived_twice() -> None:
    """Names nest as deep as the loop is long; each is written out once."""
    [derivation] = twice("w = 1.01\nx = w\nfor i in range(300):\n    x = x * w\nL = x * 1").derivations
    assert derivation.value == pytest.approx(301 * 300 * 1.01**299)
    assert derivation.count > 10_000


def test_a_row_of_the_hessian() -> None:
    script = "w = torch.tensor([1., 2., 3.], requires_grad=True)\nL = w.prod() + (w**2).sum()"
    [derivation] = twice(script, (1,)).derivations
    assert derivation.given == "d(dL/dw[1])/dw"
    np.testing.assert_allclose(derivation.value, [3, 2, 1])


@pytest.mark.oracle
def test_hessians_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    script = (
        "w = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)\nL = (torch.tanh(w) @ w.exp()) / w.norm()"
    )
    w = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64)
    hessian = torch.autograd.functional.hessian(lambda w: (torch.tanh(w) @ w.exp()) / w.norm(), w)
    for at in range(3):
        [derivation] = twice(script, (at,)).derivations
        np.testing.assert_allclose(derivation.value, hessian[at], rtol=1e-10)
    [derivation] = twice(script, grad_output="ones").derivations
    np.testing.assert_allclose(derivation.value, hessian.sum(0), rtol=1e-10)


def test_a_gradient_of_several_entries_needs_a_choice() -> None:
    script = "W = torch.ones(2, 2, requires_grad=True)\nL = (W * W).sum()"
    with pytest.raises(UsageError) as caught:
        twice(script)
    assert "dL/dW has 4 entries, of shape (2, 2)" in caught.value.message
    assert caught.value.help[0] == "choose one: autodiff explain --order 2 --entry 0,0"
    with pytest.raises(UsageError, match=r"--grad-output has shape \(3,\), and dL/dW has \(2, 2\)"):
        twice(script, grad_output=[1.0, 2.0, 3.0])


# -- the command line ---------------------------------------------------------------------------------------


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = run_program("explain", *arguments, cwd=REPOSITORY)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


BIAS = ("examples/bias.ad", "--grad-output", "ones")


def test_the_formula_of_an_entry_alone() -> None:
    done = run(*BIAS, "--wrt", "W", "--entry", "0,1", "--format", "formula")
    assert done.stdout == "X[0,0]*G[0,1] + X[1,0]*G[1,1]\n"


def test_json_has_the_entry_and_the_order() -> None:
    document = json.loads(run(*BIAS, "--wrt", "W", "--entry", "0,1", "--format", "json").stdout)
    [derivation] = document["derivations"]
    assert derivation["order"] == 1
    assert derivation["weight"] == "ones(2, 2)"
    entry = derivation["entry"]
    assert entry["place"] == [0, 1]
    assert entry["given"] == "dS/dW[0,1]"
    assert entry["numbers"] == ["1*1", "3*1"]
    assert entry["value"] == entry["backward"] == 4
    assert entry["chain"][1] == {
        "name": "(X @ W)[1,1]",
        "expansion": "X[1,0]*W[0,1] + X[1,1]*W[1,1]",
        "local": "X[1,0]",
        "rate": 3.0,
        "received": 1.0,
    }
    document = json.loads(run("-e", "w = 3; L = w**3", "--order", "2", "--format", "json").stdout)
    [derivation] = document["derivations"]
    assert (derivation["order"], derivation["given"], derivation["output"]) == (2, "d2L/dw2", "dL/dw")
    assert derivation["entry"] is None
    assert derivation["steps"]["value"] == 18


@pytest.mark.parametrize(
    ("place", "message", "help"),
    [
        ("2,0", "--entry 2,0: `W` has shape (2, 2)", "its entries go from --entry 0,0 to --entry 1,1"),
        ("0", "--entry 0: `W` has shape (2, 2)", "its entries go from --entry 0,0 to --entry 1,1"),
        ("0,x", "--entry takes the place of an entry, not `0,x`", "write it as in --entry 0,1"),
        ("", "--entry takes the place of an entry, not ``", "write it as in --entry 0,1"),
    ],
)
def test_places_that_are_none_are_refused(place: str, message: str, help: str) -> None:
    done = run(*BIAS, "--wrt", "W", "--entry", place)
    assert done.returncode == 2
    assert message in done.stderr
    assert help in done.stderr


def test_a_number_has_no_entries() -> None:
    done = run("-e", "w = 3; L = w**3", "--entry", "0")
    assert done.returncode == 2
    assert "`w` is a single number" in done.stderr


def test_inputs_not_asked_for_need_not_have_the_entry() -> None:
    done = run(*BIAS, "--entry", "1,1")
    assert done.returncode == 0
    assert done.stdout.count("one entry:") == 1  # of W; b has no such entry
    assert "dS/dW[1,1] = " in done.stdout
    assert "b gets" in done.stdout


# -- LaTeX --------------------------------------------------------------------------------------------------


def test_a_derivation_in_latex_word_by_word(update_golden: bool) -> None:
    script = (REPOSITORY / "examples" / "seeds" / "1_autograd.ad").read_text()
    compare("autograd_w1.tex", latex_document(report_of(script, wrt=["w1"]), Page()), update_golden)


def test_second_derivatives_and_entries_in_latex(update_golden: bool) -> None:
    report = report_of(DISTINCT, (0, 1), wrt=["W"], grad_output="ones")
    report.derivations = (*report.derivations, *twice(CUBE, wrt=["w"]).derivations)
    compare("entry_and_second.tex", latex_document(report, Page()), update_golden)


def golden_paths() -> list[Path]:
    return sorted(GOLDEN.iterdir())


def test_every_golden_file_has_a_test() -> None:
    made = {f"second_{case}.txt" for case in SECONDS} | {f"entry_{wrt}.txt" for wrt in "XWb"}
    assert {path.name for path in golden_paths()} == made | {"autograd_w1.tex", "entry_and_second.tex"}

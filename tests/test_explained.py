"""What is explained is true: paths add up to backward, counts are exact, formulas compute the gradient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines, formula_text
from autodiff.core.describe import describe
from autodiff.core.errors import AutodiffError
from autodiff.core.naming import Names
from autodiff.core.paths import paths_between
from autodiff.core.report import Derivation, GradientReport, Subject
from autodiff.core.span import Source
from autodiff.grammar.run import Settings, differentiate, execute
from autodiff.grammar.runtime import ignore, ignore_warning
from conftest import REPOSITORY, TESTS
from formula_evaluator import value_of_text
from graph_builder import random_scalar_graph, random_tensor_graph, subject_of
from script_generator import generate

SCRIPTS = sorted([*(REPOSITORY / "examples").rglob("*.ad"), *(TESTS / "scripts").rglob("*.ad")])
GRAPHS = {"numbers": (random_scalar_graph, 9), "tensors": (random_tensor_graph, 5)}
MOST_PATHS = 20_000
#: Formulas with the script's own backward in them can be computed by nobody else.
CUSTOM = ".backward("


def check(derivation: Derivation, subject: Subject, values: dict[str, object]) -> None:
    """The sum over the paths, their number and the formula against backward."""
    target = dict(subject.wrt)[derivation.wrt]
    backward = np.asarray(derivation.backward, dtype=float)
    assert derivation.count == sum(1 for _ in paths_between(subject.root, target, subject.order))
    assert derivation.count == derivation.followed == len(derivation.paths)
    if not np.isfinite(backward).all():
        return
    contributions = [np.asarray(path.contribution, dtype=float) for path in derivation.paths]
    total, size = np.zeros_like(backward), np.zeros_like(backward)
    for contribution in contributions:
        total, size = total + contribution, size + np.abs(contribution)
    assert (np.abs(total - backward) <= 1e-12 * np.maximum(size.max(initial=0.0), 1e-300)).all()
    if CUSTOM in derivation.formula:
        return
    computed = value_of_text(derivation.formula, values, dict(derivation.where))
    scale = max(float(size.max(initial=0.0)), float(np.abs(backward).max(initial=0.0)))
    np.testing.assert_allclose(
        np.broadcast_to(computed, backward.shape), backward, rtol=1e-9, atol=1e-10 * scale
    )


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("block", range(10))
def test_random_programs(kind: str, block: int) -> None:
    """A thousand programs in all."""
    make, steps = GRAPHS[kind]
    for seed in range(50 * block, 50 * (block + 1)):
        root, leaves = make(seed, steps)
        subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
        names = Names(subject.order, Source(""))
        values = {names[node]: node.out for node in subject.order}
        report = describe(subject, Source(""), graph=False, max_paths=MOST_PATHS, top=MOST_PATHS)
        for derivation in report.derivations:
            check(derivation, subject, values)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_scripts(path: Path) -> None:
    source = Source(path.read_text(), path.name)
    subject = None
    for settings in (Settings(), Settings(grad_output="ones")):
        try:
            subject = differentiate(execute(source, settings, ignore, ignore_warning), settings)
            break
        except AutodiffError as error:
            reason = error.message
    if subject is None:
        pytest.skip(f"has no gradient: {reason}")
    report = describe(subject, source, graph=False, max_paths=MOST_PATHS, top=MOST_PATHS)
    names = Names(subject.order, source)
    values = {name: node.out for node, name in names.of.items()}
    values["G"] = subject.seed
    for derivation in report.derivations:
        check(derivation, subject, values)


CONSTANTS = {
    "x = tensor([1., 2., 3.], requires_grad=True); y = (x*(torch.arange(3.)/4)).sum()": "arange(3)/4",
    "x = tensor([1., 2.], requires_grad=True); y = torch.where(x > 0, torch.log(x + 3), 0.).sum()": (
        "where(x > 0, 1, 0)/(x + 3)"
    ),
    "x = tensor([1., 2.], requires_grad=True); y = (torch.tensor([3., 4.])*torch.exp(x)).sum()": (
        "tensor([3.0, 4.0])*exp(x)"
    ),
    "x = torch.ones(4, 4, requires_grad=True); y = (x*(torch.arange(16.).reshape(4, 4)/4)).sum()": (
        "reshape(arange(16), (4, 4))/4"
    ),
    "x = tensor([2., 3.], requires_grad=True); y = (x*torch.tensor([1., 2., 3.])[[0, 2]]).sum()": (
        "tensor([1.0, 3.0])"
    ),
    "x = torch.ones(3, requires_grad=True)\nfor i in range(2):\n    k = i + 2\n"
    "    x = x*(torch.arange(3.) + k)\ny = x.sum()": None,
    "x = tensor([1., 2., 3.], requires_grad=True); v = x[[1, 1]]; y = (v*v).sum()": (
        "2*embed_add(v, at=s_[[1, 1]], shape=(3,))"
    ),
    "m = torch.tensor([[1.,2.,3.],[4.,5.,6.]]); x = torch.ones(2, 3, requires_grad=True); "
    "y = (x*(m*m + torch.tensor([0.5, 7., 11.]))).sum()": None,
}


@pytest.mark.parametrize("script", CONSTANTS)
def test_a_printed_formula_needs_no_more_than_the_variables(script: str) -> None:
    assert evaluated(script) == (1, [])
    expected = CONSTANTS[script]
    if expected is not None:
        assert formula_text(report_of(script)[0]) == expected + "\n"


#: Formulas that leave out a dimension of size 1 which is added or dropped on the way, by seed and input;
#: docs/language.md says so. Any other must be computed.
UNTOLD_SHAPES = {
    *((39, "w1"), (45, "w5"), (67, "w2"), (95, "w1"), (133, "w1"), (133, "w2"), (136, "w2")),
    (145, "w27"),
}


@pytest.mark.parametrize("block", range(10))
def test_printed_formulas_of_generated_scripts(block: int) -> None:
    """What ``--format formula`` prints is all that a program needs, besides the values of the variables."""
    count = 0
    for seed in range(15 * block, 15 * (block + 1)):
        try:
            finite, failed = evaluated(generate(seed))
        except AutodiffError:
            continue
        count += finite
        assert {(seed, wrt) for wrt in failed} == {one for one in UNTOLD_SHAPES if one[0] == seed}
    assert count > 25


def report_of(script: str) -> tuple[GradientReport, Subject, Names]:
    source = Source(script, "script.ad")
    subject = differentiate(execute(source, Settings(), ignore, ignore_warning), Settings())
    return describe(subject, source, graph=False, max_paths=200, top=3), subject, Names(subject.order, source)


def evaluated(script: str) -> tuple[int, list[str]]:
    """How many finite gradients a script has, and for which inputs the printed formula gives nothing.

    Formulas that give something else than the gradient fail at once.
    """
    report, subject, names = report_of(script)
    values = {name: node.out for node, name in names.of.items() if node.name is not None}
    values["G"] = subject.seed
    lines = formula_text(report).splitlines()
    count, failed = 0, []
    for line, derivation in zip(lines, report.derivations, strict=True):
        gradient = np.asarray(derivation.backward, dtype=float)
        formula = line.rpartition("\t")[2]
        if not np.isfinite(gradient).all():
            continue
        count += 1
        try:
            computed = np.broadcast_to(value_of_text(formula, values), gradient.shape)
        except (IndexError, NameError, SyntaxError, TypeError, ValueError):
            failed.append(derivation.wrt)
            continue
        size = float(np.abs(gradient).max(initial=0.0))
        np.testing.assert_allclose(computed, gradient, rtol=1e-7, atol=1e-8 * size + 1e-300)
    return count, failed


def test_most_scripts_have_finite_gradients() -> None:
    """``check`` says little about gradients that are not finite; these are few."""
    finite = 0
    for path in SCRIPTS:
        try:
            execution = execute(Source(path.read_text(), path.name), Settings(), ignore, ignore_warning)
            subject = differentiate(execution, Settings())
        except AutodiffError:
            continue
        gradients = [subject.cotangents.get(node, 0.0) for _, node in subject.wrt]
        finite += all(np.isfinite(np.asarray(g)).all() for g in gradients)
    assert finite > 20


# -- classics, word for word --------------------------------------------------------------------------

CLASSICS = {
    "first_article": (REPOSITORY / "examples" / "seeds" / "1_autograd.ad", "w1"),
    "nine_paths": (TESTS / "scripts" / "explain" / "nine_paths.ad", "X"),
    "survey_trace": (TESTS / "scripts" / "explain" / "survey_trace.ad", "x1"),
    "tanh_by_hand": (TESTS / "scripts" / "explain" / "tanh_by_hand.ad", "w_h"),
    "cross_entropy": (TESTS / "scripts" / "explain" / "cross_entropy.ad", "logits"),
    "mean_of_squares": (TESTS / "scripts" / "explain" / "mean_of_squares.ad", "x"),
}


@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name: str, update_golden: bool) -> None:
    path, wrt = CLASSICS[name]
    source, settings = Source(path.read_text(), path.name), Settings(wrt=[wrt])
    subject = differentiate(execute(source, settings, ignore, ignore_warning), settings)
    report = describe(subject, source, graph=False)
    shown = "".join(
        "".join(text for _, text in line).rstrip() + "\n" for line in explain_lines(report, Page())
    )
    golden = TESTS / "golden" / "explain" / f"{name}.txt"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown)
    assert shown == golden.read_text()


def test_the_nine_paths_are_a_product_of_two_sums() -> None:
    path, wrt = CLASSICS["nine_paths"]
    source, settings = Source(path.read_text()), Settings(wrt=[wrt])
    subject = differentiate(execute(source, settings, ignore, ignore_warning), settings)
    [derivation] = describe(subject, source, graph=False).derivations
    assert (derivation.count, derivation.value) == (9, 310.0)
    assert derivation.factored == "(a + b + c)*(d + e + f)"

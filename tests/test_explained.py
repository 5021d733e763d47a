"""What is explained is true: paths add up to backward, counts are exact, formulas compute the gradient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines
from autodiff.core.describe import describe
from autodiff.core.errors import AutodiffError
from autodiff.core.naming import Names
from autodiff.core.paths import paths_between
from autodiff.core.report import Derivation, Subject
from autodiff.core.span import Source
from autodiff.grammar.run import Settings, differentiate, execute
from autodiff.grammar.runtime import ignore, ignore_warning
from conftest import REPOSITORY, TESTS
from formula_evaluator import value_of_text
from graph_builder import random_scalar_graph, random_tensor_graph, subject_of

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

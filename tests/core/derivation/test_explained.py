"""What is explained is true: paths add up to backward, counts are exact, formulas compute the gradient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.paths.path_sum import paths_between
from autodiff.core.report.records import Derivation, ReportedPass
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS
from formula_evaluator import assert_formula_gives, variables_of
from graph_builder import random_scalar_graph, random_tensor_graph, subject_of
from seeds import blocks

SCRIPTS = sorted([*(REPOSITORY / "examples").rglob("*.ad"), *(TESTS / "scripts").rglob("*.ad")])
GRAPHS = {"numbers": (random_scalar_graph, 9), "tensors": (random_tensor_graph, 5)}
MOST_PATHS = 20_000
#: Scripts that compute nothing that could be differentiated, or stop before they do.
WITHOUT_GRADIENT = {"2_matrix_backward.ad", "2_no_grad.ad", "2_requires_grad.ad", "5_imports.ad"}
#: Formulas of loops that would be as long as the square of the number of their steps.
TOO_LONG = {("vanishing.ad", "w")}


def check(derivation: Derivation, subject: ReportedPass, names: NodeNames) -> bool:
    """The sum over the paths, their number and the formula against backward; whether that is finite."""
    target = dict(subject.wrt)[derivation.wrt]
    backward = np.asarray(derivation.backward, dtype=float)
    assert derivation.count == sum(1 for _ in paths_between(subject.root, target, subject.order))
    assert derivation.count == derivation.followed == len(derivation.paths)
    if not np.isfinite(backward).all():
        return False
    contributions = [np.asarray(path.contribution, dtype=float) for path in derivation.paths]
    total, size = np.zeros_like(backward), np.zeros_like(backward)
    for contribution in contributions:
        total, size = total + contribution, size + np.abs(contribution)
    assert (np.abs(total - backward) <= 1e-12 * size).all()
    if (names.source.name, derivation.wrt) not in TOO_LONG:
        assert_formula_gives(derivation.complete.text, backward, size, variables_of(subject, names))
    else:
        assert (derivation.complete.text, derivation.complete.missing) == ("", "")
    return True


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("block", blocks(200, 50))
def test_random_programs(kind: str, block: range) -> None:
    """A thousand programs in all, every gradient finite."""
    make, steps = GRAPHS[kind]
    for seed in block:
        root, leaves = make(seed, steps)
        subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
        names = NodeNames(subject.order, Source(""))
        report = describe(subject, Source(""), graph=False, max_paths=MOST_PATHS, top=MOST_PATHS)
        for derivation in report.derivations:
            assert check(derivation, subject, names)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_scripts(path: Path) -> None:
    """All with a gradient; only the scripts about nan and infinity have some that are not finite."""
    source = Source(path.read_text(), path.name)
    subject = None
    for settings in (Settings(), Settings(grad_output="ones")):
        try:
            subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
            break
        except AutodiffError:
            continue
    assert (subject is None) == (path.name in WITHOUT_GRADIENT)
    if subject is None:
        return
    report = describe(subject, source, graph=False, max_paths=MOST_PATHS, top=MOST_PATHS)
    names = NodeNames(subject.order, source)
    for derivation in report.derivations:
        assert check(derivation, subject, names) or path.parent.name == "why"


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
    subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
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
    subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
    [derivation] = describe(subject, source, graph=False).derivations
    assert (derivation.count, derivation.value) == (9, 310.0)
    assert derivation.factored == "(a + b + c)*(d + e + f)"

"""Gradients that are zero or not finite: the line and the cause that are told, and repairs that repair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import cause_lines
from autodiff.core.describe import describe
from autodiff.core.report import Derivation
from autodiff.core.span import Source
from autodiff.grammar.remedies import add_remedies
from autodiff.grammar.run import Settings, differentiate, execute
from autodiff.grammar.runtime import ignore, ignore_warning
from conftest import TESTS

FOLDER = TESTS / "scripts" / "why"
SCRIPTS = sorted(FOLDER.glob("*.ad"))
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
#: What has no repair: the formula asks for it, or the values do.
ALL_RIGHT = {
    "acos_in_float32",
    "attention_to_nothing",
    "branch_not_taken",
    "branch_that_did_not_run",
    "cancelled_paths",
    "cancelled_up_to_rounding",
    "clamped",
    "compared",
    "custom_answers_none",
    "custom_answers_zero",
    "infinite_divisor",
    "input_is_nan",
    "largest_of_stacked",
    "largest_position",
    "layer_norm_summed",
    "never_used",
    "overflowed_loop",
    "overwritten",
    "parameter_not_used",
    "power_of_negative",
    "product_with_itself",
    "result_never_used",
    "shares_summed",
    "softmax_summed",
    "square_at_zero",
    "times_zero",
    "tiny_divisor",
    "vanishing",
    "zero_over_zero",
    "zero_weights",
}


def derivation_of(text: str, name: str) -> Derivation:
    """The derivation for the first leaf of a script, with the repairs of its causes."""
    settings = Settings()
    source = Source(text, name)
    execution = execute(source, settings, ignore, ignore_warning)
    leaf = next(n for n, value in execution.names.items() if getattr(value, "is_leaf", False))
    settings = Settings(wrt=[leaf])
    execution = execute(source, settings, ignore, ignore_warning)
    report = describe(differentiate(execution, settings), source, graph=False)
    add_remedies(report, execution, settings)
    [derivation] = report.derivations
    return derivation


def is_sound(derivation: Derivation) -> bool:
    g = np.asarray(derivation.value)
    return bool(np.isfinite(g).all())


@each_script
def test_the_cause_is_told_exactly(path: Path, update_golden: bool) -> None:
    derivation = derivation_of(path.read_text(), path.name)
    assert derivation.causes, "the gradient is neither zero nor not finite"
    lines = ["".join(text for _, text in line) for line in cause_lines(derivation, Page())]
    said = "\n".join(lines).strip("\n") + "\n"
    golden = path.with_suffix(".txt")
    if update_golden:
        golden.write_text(said)
    assert said == golden.read_text()


@each_script
def test_repairs_repair(path: Path) -> None:
    text = path.read_text()
    derivation = derivation_of(text, path.name)
    repairs = [fix for cause in derivation.causes for fix in cause.repairs]
    assert bool(repairs) == (path.stem not in ALL_RIGHT)
    was_finite = is_sound(derivation)
    for fix in repairs:
        repaired = derivation_of(fix.apply(text), path.name)
        assert is_sound(repaired), fix.text
        if was_finite:  # it was zero, or as good as
            assert np.any(repaired.value), fix.text


@pytest.mark.oracle
@each_script
def test_torch_has_the_same_gradient(path: Path) -> None:
    from torch_prelude import run_with_torch

    derivation = derivation_of(path.read_text(), path.name)
    done = run_with_torch(path.read_text())
    assert done.error is None
    theirs = done.names[derivation.wrt].grad
    expected = np.zeros_like(np.asarray(derivation.value)) if theirs is None else theirs.numpy()
    np.testing.assert_array_equal(np.isfinite(np.asarray(derivation.value)), np.isfinite(expected))


def test_every_golden_file_belongs_to_a_script() -> None:
    assert {path.with_suffix(".ad") for path in FOLDER.glob("*.txt")} == set(SCRIPTS)
    assert {path.stem for path in SCRIPTS} >= ALL_RIGHT


# -- single words -----------------------------------------------------------------------------------------


def told(text: str) -> list[str]:
    """Line and words of every cause of a script."""
    return [f"{cause.line}: {cause.text}" for cause in derivation_of(text, "script.ad").causes]


@pytest.mark.parametrize(
    ("dtype", "left", "turn"), [("float32", "1.4013e-45", 951), ("float64", "5e-324", 26)]
)
def test_what_is_too_small_for_a_number_depends_on_the_type(dtype: str, left: str, turn: int) -> None:
    said = told(
        f"w = torch.tensor(0.5, dtype=torch.{dtype}, requires_grad=True)\ny = w\n"
        "for i in range(1100):\n    y = y * 0.5\ny.backward()"
    )
    assert said == [
        f"4: the gradient has shrunk to {left} on its way to y'{turn}, and times the next factor (0.5) it is"
        " too small for a number"
    ]

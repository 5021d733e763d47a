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
    "gradient_that_is_constant",
    "infinite_divisor",
    "input_is_nan",
    "largest_of_stacked",
    "largest_position",
    "layer_norm_summed",
    "mask_added",
    "mean_of_nothing",
    "never_used",
    "overflowed_loop",
    "overlap_of_boxes",
    "overwritten",
    "parameter_not_used",
    "position_written",
    "power_of_negative",
    "product_with_itself",
    "result_never_used",
    "shares_summed",
    "softmax_of_one",
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


LEAF = "x = torch.tensor({}, requires_grad=True)\n"


def test_a_sum_that_nearly_cancels_is_no_rounding() -> None:
    assert told(LEAF.format("3.") + "y = x * 1 - x * 0.9999\ny.backward()") == []


def test_a_small_gradient_beside_a_softmax_is_no_rounding() -> None:
    code = "t = (x * 1e-3).sum()\ns = torch.softmax(x, 0).sum() * 1e14\ny = t + s\ny.backward()"
    assert told(LEAF.format("[0., 0.]") + code) == []


def test_the_choice_is_found_behind_what_is_done_entry_by_entry() -> None:
    code = "y = torch.tensor(3.)\nz = (torch.stack([x, y]) * 2 + 1).max()\nz.backward()"
    assert told(LEAF.format("1.") + code) == ["3: z takes other entries, and those get the gradient"]


def test_an_overflow_is_told_where_it_begins() -> None:
    code = "e = torch.exp(x)\np = e / e.sum()\nloss = -torch.log(p)[1]\nloss.backward()"
    assert told(LEAF.format("[1000., 1.]") + code) == [
        "2: e is inf already on the way forward: exp grows beyond the largest number: entry [0] of x = 1000;"
        " the gradient becomes nan at torch.log(p) in line 4"
    ]


def test_a_deviation_of_equal_entries_has_the_slope_0() -> None:
    assert told(LEAF.format("[2., 2., 2.]") + "s = 3 * x.std()\ns.backward()") == [
        "2: the slope of x.std() is 0 where all entries are equal: x (2 in all entries)"
    ]

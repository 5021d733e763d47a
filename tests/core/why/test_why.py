"""Gradients that are zero or not finite: the line and the cause that are told, and repairs that repair."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import cause_lines
from autodiff.core.report.records import Derivation
from conftest import TESTS
from why_scripts import derivation_of

FOLDER = TESTS / "scripts" / "why"
SCRIPTS = sorted(FOLDER.glob("*.ad"))
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
#: What has no repair: the formula asks for it, or the values do.
ALL_RIGHT = {
    "acos_at_its_end",
    "acos_in_float32",
    "attention_to_nothing",
    "bias_before_centring",
    "branch_not_taken",
    "branch_that_did_not_run",
    "cancelled_before_the_input",
    "cancelled_paths",
    "cancelled_up_to_rounding",
    "clamped",
    "compared",
    "correlation_of_constant",
    "custom_answers_none",
    "custom_answers_zero",
    "dead_relu",
    "dead_relu_squared",
    "dead_relu_squared_in_the_next_line",
    "diverging_loop",
    "entropy",
    "exploding_products",
    "floored_repeatedly",
    "gradient_that_is_constant",
    "index_assigned_after_log",
    "infinite_divisor",
    "input_is_nan",
    "integer_on_the_way",
    "largest_of_stacked",
    "largest_position",
    "layer_norm_summed",
    "log_clamped",
    "log_of_negative",
    "logarithm_of_0_beside_an_infinity",
    "mask_added",
    "masked_fill_log",
    "mean_of_nothing",
    "nan_times_norm_of_zero",
    "nan_written_into",
    "nansum_of_roots",
    "never_used",
    "normalized_zero_vector",
    "overflowed_loop",
    "overlap_of_boxes",
    "overwritten",
    "parameter_not_used",
    "position_written",
    "power_below_one",
    "power_function_at_zero",
    "power_of_negative",
    "product_with_itself",
    "rate_in_a_function",
    "result_never_used",
    "root_at_zero_in_a_loop",
    "root_of_negative",
    "round_then_dead_relu",
    "rounded",
    "saturated_sigmoid",
    "shares_summed",
    "softmax_of_one",
    "softmax_summed",
    "square_at_zero",
    "standardized_equal_entries",
    "std_of_equal_entries",
    "std_of_one",
    "times_zero",
    "tiny_divisor",
    "two_causes",
    "vanishing",
    "vanishing_through_sigmoids",
    "zero_over_zero",
    "zero_weights",
}


@cache
def told_of(path: Path) -> Derivation:
    """What the tests of a script share."""
    return derivation_of(path.read_text(), path.name)


def is_sound(derivation: Derivation) -> bool:
    g = np.asarray(derivation.value)
    return bool(np.isfinite(g).all())


@each_script
def test_the_cause_is_told_exactly(path: Path, update_golden: bool) -> None:
    derivation = told_of(path)
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
    derivation = told_of(path)
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
    tolerance = 1e-9 if expected.dtype == np.float64 else 1e-6
    np.testing.assert_allclose(np.asarray(derivation.value), expected, rtol=tolerance, atol=tolerance)


def test_every_golden_file_belongs_to_a_script() -> None:
    assert {path.with_suffix(".ad") for path in FOLDER.glob("*.txt")} == set(SCRIPTS)
    assert {path.stem for path in SCRIPTS} >= ALL_RIGHT

"""Formulas where the script chooses between equal numbers, or may choose otherwise nearby."""

from __future__ import annotations

import pytest
from hand_checks import check, check_steps

NO_FORMULA = "the script's values are at a kink, where no formula is right"
BRANCHES = "if x >= z:\n    f = x\nelse:\n    f = z"


@pytest.mark.parametrize(
    ("made", "formula", "slopes"),
    [
        ("f = max(x, z)", "df/dx == where(x >= z, 1, 0)", "the slope by x is 0 from below and 1 from above"),
        ("f = max(x, z)", "df/dx == where(x > z, 1, 0)", "the slope by x is 0 from below and 1 from above"),
        ("f = max(x, z)", "df/dz == where(z > x, 1, 0)", "the slope by z is 0 from below and 1 from above"),
        ("f = max(x, z)**2", "df/dx == where(x >= z, 2*x, 0)", "the slope by x is 0 from below and 4"),
        ("f = min(x, z)", "df/dx == (x <= z)", "the slope by x is 1 from below and 0 from above"),
        ("f = x if x >= z else z", "df/dx == (x >= z)", "the slope by x is 0 from below and 1 from above"),
        (BRANCHES, "df/dx == (x >= z)", "the slope by x is 0 from below and 1 from above"),
    ],
)
def test_a_tie_of_two_inputs_is_a_kink(made: str, formula: str, slopes: str) -> None:
    found = check(f"x = 2.\nz = 2.\n{made}", formula)
    assert (found.is_right, found.remarks[0]) == (None, NO_FORMULA)
    assert slopes in found.remarks[1]


def test_runs_in_which_another_input_is_the_output_are_not_taken_for_the_same_graph() -> None:
    found = check("x = 2.1\nz = 2.\nf = max(x, z)", "df/dx == where(x >= z, 1, 0)")
    assert found.is_right
    assert not [told for told in found.remarks if "the formula gives" in told]


@pytest.mark.parametrize(
    ("made", "formula"), [("f = max(x, z)", "z/2"), ("f = 2*x", "z"), ("f = x if x > z else z", "z - 1")]
)
def test_an_input_that_only_the_formula_reads_is_told(made: str, formula: str) -> None:
    found = check(f"x = 3.\nz = 2.\n{made}", f"df/dx == {formula}")
    assert (found.is_right, found.remarks[-1]) == (True, "z = 2 takes no part in f here")


def test_a_choice_that_is_not_on_the_way_to_the_output_decides_nothing() -> None:
    for formula in ("sign(x)", "0", "1", "3"):
        alone, beside = (
            check(f"x = 0.\nf = abs(x){other}", f"df/dx == {formula}") for other in ("", "\ng = max(x, 0)")
        )
        assert (beside.is_right, beside.remarks) == (alone.is_right, alone.remarks)


@pytest.mark.parametrize("formula", ["sign(x) + (x > 0)", "0"])
def test_the_kink_of_an_op_and_a_choice_of_the_script_are_both_told(formula: str) -> None:
    found = check("x = 0.\nf = abs(x) + max(x, 0)", f"df/dx == {formula}")
    assert found.is_right is None
    assert found.remarks[0] == NO_FORMULA
    assert found.remarks[1].startswith("in line 2, abs(x) is at a kink of abs")
    assert "max(x, 0) compares equal numbers: the slope by x is -1 from below and 2" in found.remarks[2]


@pytest.mark.parametrize(
    ("made", "formulas"),
    [
        ("sign(x)*x", ["0", "1", "sign(x)", "where(x >= 0, 1, -1)"]),
        ("x*floor(x + 1)", ["0", "1", "floor(x + 1)"]),
        ("x*round(x + 0.5)", ["0", "1"]),
    ],
)
def test_a_jump_where_no_gradient_arrives_is_a_kink(made: str, formulas: list[str]) -> None:
    for formula in formulas:
        found = check(f"x = 0.\nf = {made}", f"df/dx == {formula}")
        assert found.verdict == "undecided", formula
        assert "is at a jump of" in found.remarks[1]
    assert check(f"x = 0.\nf = {made}", "df/dx == 7").verdict == "wrong"
    assert check("x = 0.\nf = sign(x)*x**2", "df/dx == 2*x*sign(x)").verdict == "right"


@pytest.mark.parametrize("formula", ["[x > 0] + 3", "[x >= 0] + 3", "3"])
def test_a_step_of_a_file_at_a_kink_has_the_verdict_of_the_formula_alone(formula: str) -> None:
    script = "x = 0.\nf = relu(x) + 3*x"
    alone, [step] = check(script, f"df/dx = {formula}"), check_steps(script, f"df/dx = {formula}")
    assert (step.verdict, step.remarks) == (alone.verdict, alone.remarks)
    assert step.verdict == "undecided"


@pytest.mark.parametrize(
    ("made", "number"), [("sqrt(x)", "inf"), ("x**(1/3)", "inf"), ("sqrt(abs(x))", "nan")]
)
def test_a_number_that_is_not_finite_is_undecided(made: str, number: str) -> None:
    found = check(f"x = 0.\nf = {made}", f"df/dx == {number}")
    assert (found.verdict, found.points) == ("undecided", 0)
    assert found.remarks == [
        "the gradient is not finite at the script's values, which proves nothing about a number"
    ]


@pytest.mark.parametrize(("first", "factor"), [(-1, 10), (-2, 8)])
def test_a_gradient_that_underflows_far_away_is_no_kink(first: int, factor: int) -> None:
    """The square of 1 + exp(-s) overflows there, so that the slope of p is 0 where the formula is right."""
    script = f"x = tensor([{first}., 0.1])\ns = {factor}*x\np = 1/(1 + exp(-s))\nL = -log(p).sum()"
    found = check(script, f"dL/dx == -(1 - p)*{factor}")
    assert (found.verdict, found.remarks) == ("right", [])

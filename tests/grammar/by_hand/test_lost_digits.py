"""Formulas that lose digits: they agree with the gradient in those that they have."""

from __future__ import annotations

import pytest
from hand_checks import check

SCRIPT = "z = 20.0\np = sigmoid(z)\nL = log(1 + exp(-z))"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("dL/dz == p - 1", "right"),
        ("dL/dz == sigmoid(z) - 1", "right"),
        ("dL/dz == 1.001*(p - 1)", "wrong"),
        ("dL/dz == 1 - p", "wrong"),
        ("dL/dz == -exp(-z)", "wrong"),
    ],
)
def test_a_formula_is_right_but_for_the_digits_that_it_has_lost(text: str, verdict: str) -> None:
    assert check(SCRIPT, text).verdict == verdict


def test_each_entry_has_its_own_digits() -> None:
    script = "z = [20.0, 1.0, -3.0]\ny = [1.0, 0.0, 1.0]\nL = (log(1 + exp(-z)) + (1 - y)*z).sum()"
    assert check(script, "dL/dz == sigmoid(z) - y").verdict == "right"
    assert check(script, "dL/dz == sigmoid(z) - 0.9999*y").verdict == "wrong"


def test_where_no_digit_is_left_nothing_is_proved() -> None:
    """Near 1, ``p`` has no digit by which its distance from 1 could be told."""
    script = "z = 37.5\np = sigmoid(z)\nL = log(1 + exp(-z))"
    found = check(script, "dL/dz == 3*(p - 1)")
    told = "no digit of the difference is known at the script's values; at others it is wrong"
    assert (found.is_right_here, found.remarks[0]) == (None, told)
    assert check(script, "dL/dz == p + 1").verdict == "wrong"


def test_a_gradient_that_is_no_number_decides_nothing() -> None:
    script = "x = 0.0\nf = sqrt(x**2)"
    for text in ("df/dx == x/sqrt(x**2)", "df/dx == sign(x)"):
        found = check(script, text)
        assert found.verdict == "undecided"
        assert found.remarks == [
            "it is right around the script's values; at them the gradient is nan, which proves nothing"
        ]
    assert check("x = 0.0\nf = sqrt(x)", "df/dx == 1/(2*sqrt(x))").verdict == "right"


@pytest.mark.parametrize("x", ["1e-3", "1e-6", "1e-9", "1e-12", "1e-34"])
@pytest.mark.parametrize(
    ("f", "text", "verdict"),
    [
        ("x**3/6", "1 - cos(x)", "wrong"),
        ("x**4/4", "6*(x - sin(x))", "wrong"),
        ("x**2/2", "log(1 + x)", "wrong"),
        ("x + x**2/2", "exp(x)", "wrong"),
        ("x**2/2", "x", "right"),
        ("x - sin(x)", "1 - cos(x)", "right"),
        ("x - sin(x)", "2*sin(x/2)**2", "right"),
        ("exp(x) - x", "expm1(x)", "right"),
        ("log(x)", "1/x", "right"),
    ],
)
def test_near_0_two_formulas_are_told_apart_further_away(x: str, f: str, text: str, verdict: str) -> None:
    """Their difference is smaller than rounding there, and grows as a power of the distance."""
    assert check(f"x = {x}\nf = {f}", f"df/dx == {text}").verdict == verdict


@pytest.mark.parametrize(
    ("script", "text", "verdict"),
    [
        ("x = 300.\nf = log(1 + exp(x))", "df/dx == tanh(x)", "wrong"),
        ("x = 300.\ny = 2.\nf = y*log(1 + exp(x))", "df/dx == y", "wrong"),
        ("x = 1e6\nf = sqrt(1 + x**2)", "df/dx == x/abs(x)", "wrong"),
        ("x = 1e6\nf = sqrt(1 + x**2)", "df/dx == x/f", "right"),
        ("c = 3e8\nv = 10.\nm = 1.\nE = m*c**2/sqrt(1 - v**2/c**2)", "dE/dv == m*v", "wrong"),
        (
            "c = 3e8\nv = 10.\nm = 1.\nE = m*c**2/sqrt(1 - v**2/c**2)",
            "dE/dv == m*v/(1 - v**2/c**2)**1.5",
            "right",
        ),
        ("G = 6.67e-11\nm = 5.97e24\nr = 6.37e6\nv = sqrt(2*G*m/r)", "dv/dr == -v/(2*r)", "right"),
        ("q = 1.6e-19\nr = 1e-10\nF = q**2/(1e-10*r**2)", "dF/dr == -2*F/r", "right"),
    ],
)
def test_far_from_1_two_formulas_are_told_apart_on_the_way_to_it(
    script: str, text: str, verdict: str
) -> None:
    assert check(script, text).verdict == verdict

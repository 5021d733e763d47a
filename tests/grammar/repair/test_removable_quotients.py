"""Quotients that are 0/0 at a point: the form proposed has the value and the slope of the function there."""

from __future__ import annotations

from math import pi, sqrt

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from why_scripts import LEAF, derivation_of, repairs

#: Formulas of ``k``: the value, the slope and the second derivative at 0.
QUOTIENTS = {
    "(exp(k) - 1)/k": (1, 1 / 2, 1 / 3),
    "(1 - exp(-k))/k": (1, -1 / 2, 1 / 3),
    "3 + (exp(2*k) - 1)/(2*k)": (4, 1, 4 / 3),
    "expm1(k)/(5*k)": (1 / 5, 1 / 10, 1 / 15),
    "k/(exp(k) - 1)": (1, -1 / 2, 1 / 6),
    "(1 - cos(k))/k**2": (1 / 2, 0, -1 / 12),
    "(cos(3*k) - 1)/(k*k)": (-9 / 2, 0, 81 / 12),
    "(1 - cos(k))/k": (0, 1 / 2, 0),
    "log(1 + k)/k": (1, -1 / 2, 2 / 3),
    "sin(2*k)/k": (2, 0, -8 / 3),
    "sin(pi*k)/(pi*k)": (1, 0, -(pi**2) / 3),
    "(1/k)*sin(k)": (1, 0, -1 / 3),
    "k/sin(k)": (1, 0, 1 / 3),
    "tan(k)/k": (1, 0, 2 / 3),
    "sin(k)/tan(k)": (1, 0, -1),
    "(exp(k) - 1 - k)/k**2": (1 / 2, 1 / 6, 1 / 12),
    "(sin(k) - k)/k**3": (-1 / 6, 0, 1 / 60),
    "tanh(k)/k": (1, 0, -2 / 3),
    "sinh(k)/k": (1, 0, 1 / 3),
    "(cosh(k) - 1)/k**2": (1 / 2, 0, 1 / 12),
    "asin(k)/k": (1, 0, 1 / 3),
    "atan(k)/k": (1, 0, -2 / 3),
    "erf(k)/k": (2 / sqrt(pi), 0, -4 / sqrt(pi) / 3),
    "(sqrt(1 + k) - 1)/k": (1 / 2, -1 / 8, 1 / 8),
    "1/tanh(k) - 1/k": (0, 1 / 3, 0),
}


def slope_of(script: str) -> tuple[float, float]:
    """The value and the slope of a script of one number ``k``."""
    settings = Settings(wrt=["k"])
    subject = differentiate(
        execute(Source(script, "s.ad"), settings, discard_text, discard_warning), settings
    )
    [(_, node)] = subject.wrt
    return float(subject.root.out), float(subject.cotangents[node])


@pytest.mark.parametrize("formula", QUOTIENTS)
def test_the_form_has_the_value_and_the_slope_at_0_and_near_it(formula: str) -> None:
    value, slope, curvature = QUOTIENTS[formula]
    for k in (0.0, 1e-9):
        script = f"k = {k}\nL = {formula}\n"
        causes = derivation_of(script, "s.ad").causes
        fixes = [fix for cause in causes for fix in cause.repairs]
        if not fixes and k:  # the slope is not lost
            assert slope_of(script)[1] == pytest.approx(slope, rel=1e-6)
            continue
        found = slope_of(fixes[0].apply(script))
        assert found[0] == pytest.approx(value + slope * k, abs=1e-12)
        assert found[1] == pytest.approx(slope + curvature * k, rel=1e-6, abs=1e-12)
        if not k:
            assert f"the values of L nearby tend to {value:.5g}" in causes[0].text
        for at in (0.00099, 0.00101):
            assert moved(fixes[0].apply(script), k, at)[1] == pytest.approx(slope + curvature * at, abs=5e-6)
        assert moved(fixes[0].apply(script), k, 0.7) == pytest.approx(moved(script, k, 0.7), rel=1e-10)


@pytest.mark.parametrize("at", [0.0009, 0.0011, 0.005, 0.0199, 0.0201, 0.05])
def test_a_division_by_a_cube_keeps_the_digits_of_its_slope(at: float) -> None:
    script = "k = 0.0\nL = (sin(k) - k)/k**3\n"
    fix = derivation_of(script, "s.ad").causes[0].repairs[0]
    slope = at / 60 - at**3 / 1260 + at**5 / 60480
    assert moved(fix.apply(script), 0.0, at)[1] == pytest.approx(slope, rel=1e-6)


def moved(script: str, k: float, to: float) -> tuple[float, float]:
    return slope_of(script.replace(f"k = {k}", f"k = {to}"))


@pytest.mark.parametrize(
    ("quotient", "form"),
    [
        ("(x.exp() - 1)/x", "torch.expm1(x)/torch.where(x == 0, 1, x))"),
        ("x.tanh()/(2*x)", "torch.tanh(x)/torch.where(x == 0, 1, x))/2"),
        ("(1 - torch.cos(x))/x**2", "(torch.sinc(x / 6.283185307179586)**2 / 2)"),
    ],
)
def test_tensors_choose_entry_by_entry(quotient: str, form: str) -> None:
    [fix] = repairs(LEAF.format("[0., 1., -2.]") + f"y = ({quotient}).sum()\ny.backward()")
    assert fix.endswith(form)


@pytest.mark.parametrize(
    "script",
    [
        "k = 0.\nL = sin(k)/k**2",  # a pole
        "k = 0.\nL = (1 - cos(k))/k**3",
        "k = 0.\nL = cos(k)/k",
        "k = 0.\nL = (exp(k) - 2)/k",
        "k = 0.\nm = 1.\nL = (exp(k) - 1)/k + m/k",  # the sum has a pole
        "k = 0.\nm = 0.\nL = sin(k)/m",
        "k = 0.\nL = sqrt(k)/k",
        "k = 0.\nL = sin(1e200*k)/(1e-200*k)/3e-300",
    ],
)
def test_a_quotient_without_a_value_gets_no_form(script: str) -> None:
    assert repairs(script) == []

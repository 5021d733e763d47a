"""Loops in closed form, and long products with dots."""

from __future__ import annotations

import pytest
from autodiff.core.derivation import closed_form
from autodiff.core.symbolic.evaluate import value_of

from tests.core.derivation.test_derive import derive

LOOP = "w = 1.001; a = 3.; b = 2.; c = 0.5\nL = {start}\nfor i in range({count}):\n    L = {step}\n"


@pytest.mark.parametrize(
    ("start", "count", "step", "wrt", "simplified"),
    [
        ("w", 999, "L * w", "w", "1000*w**999"),
        ("w", 2, "L * w", "w", "3*w**2"),
        ("a", 500, "L * w", "a", "w**500"),
        ("a", 500, "L * w", "w", "500*a*w**499"),
        ("0", 1000, "L + w*2", "w", "2000"),
        ("0", 400, "L + a*b", "b", "400*a"),
        ("a", 300, "L + w*b - c", "w", "300*b"),
        ("a", 200, "-L + w", "a", "1"),
        ("a", 300, "(L + w) / w * w", "a", "1"),
        ("a*b", 60, "L * w + 0*a", "b", "a*w**60"),
    ],
)
def test_a_loop_has_a_closed_form(start, count, step, wrt, simplified) -> None:
    derivation = derive(LOOP.format(start=start, count=count, step=step), wrt)
    assert derivation.simplified == simplified
    assert derivation.where == ()
    assert derivation.complete.text == simplified
    written = derivation.expressions
    assert written is not None
    assert value_of(written.simplified, written.values) == pytest.approx(derivation.backward, rel=1e-9)


@pytest.mark.parametrize("step", ["sin(L) * w", "L * w + a*b", "tanh(w * L + a)"])
def test_where_values_become_long_the_formula_is_as_before(monkeypatch, step) -> None:
    script = LOOP.format(start="w", count=30, step=step)
    derivation = derive(script, "w")
    monkeypatch.setattr(closed_form, "MOST_NODES", 0)
    assert derive(script, "w").simplified == derivation.simplified


def test_a_sum_has_a_closed_form_in_larger_graphs_than_a_product(monkeypatch) -> None:
    """Beyond the limits the strongest paths are shown, and dots for the others."""
    monkeypatch.setattr(closed_form, "MOST_NODES", 1_000)
    a_sum, a_product = (LOOP.format(start="w", count=2_100, step=step) for step in ("L + w", "L * w"))
    assert derive(a_sum, "w").simplified == "2101"
    assert "..." in derive(a_product, "w").simplified


def test_a_long_sum_without_names_has_a_closed_form() -> None:
    derivation = derive("w = 2.\nL = sum([w * i for i in range(500)])\n", "w")
    assert derivation.simplified == derivation.complete.text == "124750"


def test_a_product_of_many_factors_shows_its_ends() -> None:
    names = [f"w{i}" for i in range(100)]
    script = "".join(f"{name} = {1 + at / 1000}\n" for at, name in enumerate(names))
    script += "L = 1\n" + "".join(f"L = L * {name}\n" for name in names)
    derivation = derive(script, "w0")
    assert derivation.simplified == "w99*w98*w97*w96*...*w4*w3*w2*w1"
    assert derivation.where == (("...", "91 more factors"),)
    assert derivation.numbers == ("1.099*1.098*1.097*1.096*...*1.004*1.003*1.002*1.001",)
    assert derivation.complete.text.count("*") == 98

"""Formulas as MathML: names, derivatives of source text, and numbers."""

from __future__ import annotations

import re

import pytest
from autodiff.cli.pictures.mathml import mathml, quotient, text_mathml, text_piece
from autodiff.core.symbolic.expr import name_expr
from autodiff.core.symbolic.source_exprs import parse_source


def words(xml):
    """The text of XML without its tags."""
    return re.sub(r"<[^>]*>", "", xml)


@pytest.mark.parametrize(
    ("above", "below", "text"),
    [("L", "x5", "∂L∂x5"), ("w2*x3", "w1", "∂(w2·x3)∂w1"), ("L", "X[0,1]", "∂L∂X0,1")],
)
def test_what_is_differentiated_has_brackets_if_it_has_several_pieces(above, below, text):
    assert words(quotient(name_expr(above), name_expr(below))) == text


@pytest.mark.parametrize(
    ("name", "xml"),
    [
        ("w1", "<msub><mi>w</mi><mn>1</mn></msub>"),
        ("x_2", "<msub><mi>x</mi><mn>2</mn></msub>"),
        ("math.pi", "<mi>pi</mi>"),
        ("W[0,1]", "<msub><mi>W</mi><mtext>0,1</mtext></msub>"),
        ("x (line 3, 2nd)", "<msub><mi>x</mi><mtext>line 3, 2nd</mtext></msub>"),
    ],
)
def test_names(name, xml):
    assert mathml(name_expr(name)) == xml


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("c**2", "(−1.5)2"),
        ("1 - c**2", "1−(−1.5)2"),
        ("-c", "−(−1.5)"),
        ("x - c", "x−(−1.5)"),
        ("c*x", "−1.5·x"),
        ("t**2", "(2×10−5)2"),
        ("f(c)", "f\u2061(−1.5)"),
    ],
)
def test_values_in_place_of_names_have_the_brackets_of_numbers(formula, text):
    expr = parse_source(formula)
    assert expr is not None
    assert words(mathml(expr, {"c": text_piece("-1.5"), "t": text_piece("2e-05")})) == text


def test_text_that_is_no_formula_stays_text():
    assert text_mathml("a < b ; c") == "<mtext>a &lt; b ; c</mtext>"

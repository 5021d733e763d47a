"""Formulas as MathML: names, derivatives of source text, and numbers."""

from __future__ import annotations

import re

import pytest
from autodiff.cli.pictures.mathml import mathml, quotient, text_mathml
from autodiff.core.symbolic.expr import name_expr


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


def test_text_that_is_no_formula_stays_text():
    assert text_mathml("a < b ; c") == "<mtext>a &lt; b ; c</mtext>"

"""Expressions: their text, their normal form, and that neither changes their value or minds their depth."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import (
    ONE,
    Expr,
    call,
    expr_text,
    infix,
    name_expr,
    names_in,
    neg,
    number_expr,
    substitute,
)
from autodiff.core.symbolic.simplify import simplify, summands
from expression_reader import parse
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples


@pytest.mark.parametrize(
    "spelled",
    [
        "a + b*c",
        "(a + b)*c",
        "a - (b - c)",
        "a - b - c",
        "a/b/c",
        "a/(b*c)",
        "a*(b/c)",
        "(-a)**2",
        "-a**2",
        "-(a + b)*c",
        "a**b**c",
        "(a**b)**c",
        "a**-1",
        "2**-b",
        "a*(-b)",
        "a - (-b)",
        "-(-a)",
        "f(a, b + c)",
        "A.T @ B",
        "(A @ B).T",
        "c*(A @ B)",
        "(c*A) @ B",
        "(A @ B)*c",
        "A @ B + C",
        "C - A @ B",
        "-A @ B",
    ],
)
def test_text_reads_back_with_the_same_brackets(spelled: str) -> None:
    assert str(parse(spelled)) == spelled


@pytest.mark.parametrize(
    ("written", "spelled"),
    [("a + (b)", "a + b"), ("((a*b))*c", "a*b*c"), ("x*(y > 0)", "x*[y > 0]"), ("(x > 0) & (y <= 1)",) * 2],
)
def test_brackets_are_few_and_claims_are_iverson_brackets(written: str, spelled: str) -> None:
    assert str(parse(written)) == spelled


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (2.0, "2"),
        (0.5, "0.5"),
        (-1.0, "-1"),
        (1e-5, "1e-05"),
        (1e20, "1e+20"),
        (math.inf, "inf"),
        (True, "1"),
    ],
)
def test_numbers_print_shortest(value: float, spelled: str) -> None:
    assert str(number_expr(value)) == spelled


def test_rounded_numbers_keep_their_brackets() -> None:
    third = number_expr(-1 / 3)
    assert expr_text(infix("*", name_expr("x"), third), None, 6) == "x*(-0.333333)"
    assert expr_text(infix("**", third, number_expr(2)), None, 6) == "(-0.333333)**2"


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("(-1)*1*w2*x1 + (-1)*1*w3*x2", "-w2*x1 - w3*x2"),
        ("d*1 + c*1", "d + c"),
        ("2*(w*x - y)**(2 - 1)*1*x", "2*(w*x - y)*x"),
        ("(1 - h**2)*w", "(1 - h**2)*w"),
        ("x + x", "2*x"),
        ("x*y + y*x", "2*x*y"),
        ("x*x**2", "x**3"),
        ("x*(1/y)", "x/y"),
        ("x/y*y", "x"),
        ("x**1", "x"),
        ("x**0", "1"),
        ("-(-x)", "x"),
        ("0*x", "0"),
        ("x - x", "0"),
        ("0*x + y", "y"),
        ("-(x/y)/y", "-x/y**2"),
        ("x/3", "x/3"),
        ("x/4", "0.25*x"),
        ("1/3*x + 2/3*x", "x"),
        ("2*(y - t)/3", "2*(y - t)/3"),
        ("-(a + b)", "-(a + b)"),
        ("c - (a - b)", "c - a + b"),
        ("(a + b)*(a + b)", "(a + b)**2"),
        ("(a + b)*c", "(a + b)*c"),
        ("y*x**(y - 1)*x", "y*x**y"),
        ("(x**2)**0.5", "(x**2)**0.5"),
        ("(-x)**2", "x**2"),
        ("1/(2*s)", "1/(2*s)"),
        ("sqrt(a)**2*b/4", "0.25*a*b"),
        ("b/sqrt(a + c)**2", "b/(a + c)"),
        ("a*sqrt(a)**-2 + b", "1 + b"),
        ("sqrt(a)**3/8", "0.125*sqrt(a)**3"),
        ("exp(a)*(-1)", "-exp(a)"),
        ("exp(1*a + 0)", "exp(a)"),
        ("X.T @ (-G)", "-X.T @ G"),
        ("X.T.T @ G", "X @ G"),
        ("X.mT.mT @ G", "X @ G"),
        ("X.mT.T @ G", "X.mT.T @ G"),
        ("A @ B + B @ A", "A @ B + B @ A"),
        ("where(x > 0, 2*g, 0)", "2*g*[x > 0]"),
        ("where(x > 0, 0, g)", "g*[x <= 0]"),
        ("where(x > 0, 1, 0)", "[x > 0]"),
        ("where((x > 0) & (y > 0), 0, 1)", "[~((x > 0) & (y > 0))]"),
        ("where(x > 0, a, b)", "where(x > 0, a, b)"),
        ("where(x > 0, 1/x, 0)", "where(x > 0, 1/x, 0)"),
        ("where(x > 0, 0, 2*log(x))", "where(x > 0, 0, 2*log(x))"),
        ("where(x > 1, where(x > 2, x/0, y), 0)", "where(x > 1, where(x > 2, x/0, y), 0)"),
        ("where(x > 1, where(x > 2, x**2, 0), 0)", "x**2*[x > 2]*[x > 1]"),
        ("where(1/y > 1, 0, x)", "x*[~(1/y > 1)]"),
        ("x/0", "x/0"),
        ("1/0", "1/0"),
        ("b*a", "b*a"),
    ],
)
def test_normal_forms(written: str, normal: str) -> None:
    assert str(simplify(parse(written))) == normal
    assert str(simplify(simplify(parse(written)))) == normal


def test_terms_of_a_sum_carry_their_signs() -> None:
    terms = summands(simplify(parse("a - 2*b - c/d + 1")))
    assert [str(term) for term in terms] == ["a", "-2*b", "-c/d", "1"]


def test_names_and_substitution() -> None:
    expr = parse("w*x - w**2")
    assert names_in(expr) == ["w", "x"]
    assert str(substitute(expr, {"w": number_expr(-3.0)})) == "-3*x - (-3)**2"


def test_source_texts_as_names_get_the_brackets_of_their_loosest_operator() -> None:
    def power(text: str) -> str:
        return str(infix("**", name_expr(text), number_expr(3)))

    assert [
        power(text) for text in ("x-1", "-x", "f(x - 1)[0]", "(x-1)*(y+1)", "x[i - 1]", "1e-5", "x > 0")
    ] == [
        "(x-1)**3",
        "(-x)**3",
        "f(x - 1)[0]**3",
        "((x-1)*(y+1))**3",
        "x[i - 1]**3",
        "1e-5**3",
        "[x > 0]**3",
    ]
    total = name_expr("p - y")
    assert str(infix("@", name_expr("W2.T"), total)) == "W2.T @ (p - y)"
    assert str(infix("-", name_expr("x**-2*y"), total)) == "x**-2*y - (p - y)"


leaves = st.one_of(st.sampled_from("xyz").map(name_expr), st.integers(-3, 3).map(number_expr))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*/"), inner, inner).map(lambda t: infix(*t)),
        inner.map(neg),
        st.tuples(inner, st.integers(-2, 3)).map(lambda t: infix("**", t[0], number_expr(t[1]))),
        st.tuples(inner, inner, inner).map(lambda t: call("where", infix(">", t[0], ONE), t[1], t[2])),
        inner.map(lambda e: call("sin", e)),
    ),
    max_leaves=12,
)
VALUES = {"x": 0.7, "y": -1.3, "z": 2.1}


@settings(max_examples=examples(300))
@given(expressions)
def test_simplifying_keeps_the_value(expr: Expr) -> None:
    before, after = float(value_of(expr, VALUES)), float(value_of(simplify(expr), VALUES))
    if math.isfinite(before) and abs(before) < 1e6:
        assert after == pytest.approx(before, rel=1e-6, abs=1e-6)


@settings(max_examples=examples(300))
@given(expressions)
def test_python_reads_the_text_as_it_was_meant(expr: Expr) -> None:
    before = float(value_of(expr, VALUES))
    after = float(value_of(parse(str(expr)), VALUES))
    assert after == pytest.approx(before, rel=1e-9, abs=1e-9, nan_ok=True)


DEEP: dict[str, Callable[[Expr], Expr]] = {
    "sum to the left": lambda e: infix("+", e, name_expr("a")),
    "sum to the right": lambda e: infix("-", name_expr("a"), e),
    "product": lambda e: infix("*", name_expr("a"), e),
    "shared": lambda e: infix("+", e, e),
    "powers": lambda e: infix("**", name_expr("a"), e),
    "calls": lambda e: call("sin", e),
    "calls of products": lambda e: infix("*", call("sin", e), e),
    "quotients": lambda e: infix("/", infix("+", e, ONE), name_expr("a")),
    "matrices": lambda e: infix("@", e, e),
    "signs": lambda e: neg(infix("+", e, ONE)),
    "choices": lambda e: call("where", infix(">", e, ONE), e, number_expr(0)),
}


@pytest.mark.parametrize("step", DEEP.values(), ids=DEEP)
def test_depth_is_no_limit(step: Callable[[Expr], Expr]) -> None:
    one, other = name_expr("x"), name_expr("x")
    for _ in range(3000):
        one, other = step(one), step(other)
    assert one == other
    assert len(expr_text(one, 100)) <= 103
    assert len(expr_text(simplify(one), 100)) <= 103
    assert names_in(substitute(one, {"x": name_expr("y")}))

"""The parts of a normal form: rational coefficients and products of powers, and how expressions are built."""

from __future__ import annotations

from math import gcd

from autodiff.core.symbolic.expr import LARGEST_EXACT_INT, Expr, infix, neg, number_expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: A rational number as numerator and denominator; a float has denominator 1.
    Coefficient = tuple[float, float]
    #: Exponents by base, in order of appearance. Exponents that are not numbers are expressions.
    Factors = dict[Expr, "float | Expr"]
    Term = tuple[Coefficient, Factors]
    #: Terms by the set of their factors, in order of appearance. No terms means zero.
    Terms = dict[frozenset[tuple[Expr, "float | Expr"]], Term]

UNIT: Coefficient = (1, 1)


def build_product(coefficient: Coefficient, factors: Factors) -> Expr:
    n, d = coefficient
    if d != 1 and len(repr(n / d)) <= 6:
        n, d = n / d, 1
    above: list[Expr] = []
    below = [number_expr(d)] if d != 1 else []
    for base, exponent in factors.items():
        if isinstance(exponent, Expr):
            above.append(infix("**", base, exponent))
        elif exponent < 0:
            below.append(base if exponent == -1 else infix("**", base, number_expr(-exponent)))
        else:
            above.append(base if exponent == 1 else infix("**", base, number_expr(exponent)))
    is_signed = n == -1 and bool(above)
    if n not in (1, -1) or not above:
        above.insert(0, number_expr(n))
    product = _chained(above)
    if below:
        product = infix("/", product, _chained(below))
    return neg(product) if is_signed else product


def _chained(factors: list[Expr]) -> Expr:
    product = factors[0]
    for factor in factors[1:]:
        product = infix("*", product, factor)
    return product


def atom_terms(expr: Expr) -> Terms:
    return power_terms(expr, 1)


def power_terms(base: Expr, exponent: float | Expr) -> Terms:
    return {frozenset({(base, exponent)}): (UNIT, {base: exponent})}


def constant_terms(value: float) -> Terms:
    return {frozenset(): ((value, 1), {})} if value else {}


def multiply_coefficients(a: Coefficient, b: Coefficient) -> Coefficient:
    return _reduced(a[0] * b[0], a[1] * b[1])


def add_coefficients(a: Coefficient, b: Coefficient) -> Coefficient:
    return _reduced(a[0] * b[1] + b[0] * a[1], a[1] * b[1])


def raise_coefficient(a: Coefficient, power: int) -> Coefficient:
    if a == UNIT:
        return a
    try:
        return (
            _reduced(a[0] ** power, a[1] ** power) if power > 0 else _reduced(a[1] ** -power, a[0] ** -power)
        )
    except OverflowError:
        return (float("inf"), 1)


def _reduced(n: float, d: float) -> Coefficient:
    if n.__class__ is int and d.__class__ is int:
        common = gcd(n, d)
        n, d = n // common, d // common
        if d < 0:
            n, d = -n, -d
        if -LARGEST_EXACT_INT <= n <= LARGEST_EXACT_INT and d <= LARGEST_EXACT_INT:
            return n, d
    try:
        value = number_expr(n / d).value
    except (OverflowError, ZeroDivisionError):
        value = float("inf") if n > 0 else float("-inf")
    return value, 1


def summands(expr: Expr) -> list[Expr]:
    """The terms of a sum in normal form, each with its sign."""
    terms = []
    while expr.head in ("+", "-"):
        a, b = expr.args
        terms.append(b if expr.head == "+" else negated(b))
        expr = a
    terms.append(expr)
    return terms[::-1]


def negated(expr: Expr) -> Expr:
    """-expr. The sign goes into a leading number if there is one."""
    if expr.head == "number":
        return number_expr(-expr.value)
    path = [expr]
    while path[-1].head in ("*", "/"):
        path.append(path[-1].args[0])
    if path[-1].head != "number":
        return neg(expr)
    signed = number_expr(-path[-1].value)
    for outer in reversed(path[:-1]):
        signed = infix(outer.head, signed, outer.args[1])
    return signed

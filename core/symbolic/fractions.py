"""Sums of fractions over one denominator, where that makes them shorter."""

from __future__ import annotations

from autodiff.core.symbolic.expr import postorder
from autodiff.core.symbolic.simplify import Simplifier, power_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.symbolic.expr import Expr
    from autodiff.core.symbolic.simplify import Term, Terms

#: A numerator that is multiplied out has at most this many terms.
MOST_TERMS = 64
SIGNS = ("+", "-", "neg")


def collect_fractions(root: Expr) -> Expr:
    """An equal expression of numbers: in normal form, its sums over one denominator where that is shorter.

    >>> from autodiff.core.symbolic.expr import infix, name_expr, number_expr
    >>> x = name_expr("x")
    >>> below = infix("-", x, number_expr(3))
    >>> slope = infix("/", infix("+", x, number_expr(2)), infix("**", below, number_expr(2)))
    >>> str(collect_fractions(infix("-", infix("/", number_expr(1), below), slope)))
    '-5/(x - 3)**2'
    """
    done: dict[int, Expr] = {}
    for expr in postorder(root):
        args = tuple(
            over_one_denominator(done[id(arg)])[1]
            if arg.head in SIGNS and expr.head not in SIGNS
            else done[id(arg)]
            for arg in expr.args
        )
        done[id(expr)] = expr.with_args(args) if args else expr
    return min(
        *over_one_denominator(root), over_one_denominator(done[id(root)])[1], key=lambda form: form.size
    )


def over_one_denominator(expr: Expr) -> tuple[Expr, Expr]:
    """A sum in normal form, and its fractions over one denominator; twice the same where it has none."""
    simplifier = Simplifier()
    terms = simplifier.terms(expr)
    plain = simplifier.build(terms)
    below: dict[Expr, int] = {}
    for _, factors in terms.values():
        for base, power in factors.items():
            if isinstance(power, int) and power < 0:
                below[base] = min(power, below.get(base, 0))
    if len(terms) < 2 or not below:
        return plain, plain
    numerator: Terms = {}
    for key, term in terms.items():
        above = simplifier.product(
            [({key: term}, 1), *((power_terms(base, -power), 1) for base, power in below.items())]
        )
        for part in above.values():
            expanded = multiplied_out(simplifier, part)
            if len(expanded) + len(numerator) > MOST_TERMS:
                return plain, plain
            simplifier.add(numerator, expanded, 1)
    collected = simplifier.build(
        simplifier.product(
            [(numerator, 1), *((power_terms(base, power), 1) for base, power in below.items())]
        )
    )
    return plain, collected


def multiplied_out(simplifier: Simplifier, term: Term) -> Terms:
    """A product of powers of sums as a sum; a few terms more than MOST_TERMS end it."""
    coefficient, factors = term
    sums = {
        base: power
        for base, power in factors.items()
        if isinstance(power, int) and power > 0 and simplifier.sum_of(base) is not None
    }
    others = {base: power for base, power in factors.items() if base not in sums}
    total: Terms = {frozenset(others.items()): (coefficient, others)}
    for base, power in sums.items():
        summands = simplifier.sum_of(base)
        assert summands is not None
        for _ in range(power):
            if len(total) > MOST_TERMS:
                return total
            total = product_of_sums(simplifier, total, summands)
    return total


def product_of_sums(simplifier: Simplifier, a: Terms, b: Terms) -> Terms:
    """Every term of ``a`` times every term of ``b``."""
    total: Terms = {}
    for left, one in a.items():
        for right, other in b.items():
            simplifier.add(total, simplifier.product([({left: one}, 1), ({right: other}, 1)]), 1)
    return total

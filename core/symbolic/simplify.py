"""The normal form of expressions: rational coefficients, products of powers, and what is built from them.

Numbers are folded, like terms and powers of one base collected, signs moved to the front. Products of sums
are not expanded: that would be longer and say less. ``@`` keeps the order of its operands.
"""

from __future__ import annotations

from math import gcd, isfinite, prod

from autodiff.core.symbolic.expr import LARGEST_EXACT_INT, ZERO, Expr, infix, neg, number_expr, times_ones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Coefficient = tuple[float, float]
    #: Exponents by base, in order of appearance. Exponents that are not numbers are expressions.
    Factors = dict[Expr, "float | Expr"]
    Term = tuple[Coefficient, Factors]
    #: Terms by the set of their factors, in order of appearance. No terms means zero.
    Terms = dict[frozenset[tuple[Expr, "float | Expr"]], Term]


NEGATED_COMPARISONS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
CONDITION_HEADS = frozenset([*NEGATED_COMPARISONS, "&", "|"])
MAX_SHARED_FACTORS = 64
#: Functions that overflow, have a pole or are NaN outside of their domain.
UNBOUNDED_FUNCTIONS = frozenset(
    "acos acosh asin atanh cosh digamma erfinv exp exp2 expm1 lgamma log log10 log1p log2 logit polygamma "
    "pow reciprocal rsqrt sinh sqrt tan xlogy xlog1py zeta".split()
)


def simplify(expr: Expr) -> Expr:
    """An equal expression in normal form.

    >>> from autodiff.core.symbolic.expr import name_expr
    >>> x, y = name_expr("x"), name_expr("y")
    >>> str(simplify(infix("+", infix("*", x, y), infix("*", y, x))))
    '2*x*y'
    >>> str(simplify(infix("*", x, infix("/", number_expr(-1), infix("*", x, y)))))
    '-1/y'
    """
    return Simplifier().simplify(expr)


class Simplifier:
    """One run of the simplification, with the normal forms of the branches done so far."""

    __slots__ = ("_finite", "_known", "_sums", "_uses")

    def __init__(self) -> None:
        self._known: dict[int, Terms] = {}
        self._sums: dict[Expr, Terms] = {}  # the terms of a sum that serves as a factor
        self._uses: dict[int, int] = {}
        self._finite: dict[Expr, bool] = {}

    def simplify(self, root: Expr) -> Expr:
        return self.build(self.terms(root))

    def terms(self, root: Expr) -> Terms:
        """The normal form as terms, which ``build`` writes as an expression."""
        self._count_uses(root)
        stack = [(root, False)]
        while stack:
            expr, is_ready = stack.pop()
            if id(expr) in self._known:
                continue
            if is_ready:
                terms = self._normal(expr)
                if (
                    self._uses.get(id(expr), 0) > 1
                    and sum(len(f) for _, f in terms.values()) > MAX_SHARED_FACTORS
                ):
                    # Every use of a shared branch copies its terms. A longer branch becomes a single factor.
                    terms = atom_terms(self.build(terms))
                self._known[id(expr)] = terms
            else:
                stack.append((expr, True))
                stack.extend((arg, False) for arg, _ in self._operands(expr))
        return self._known[id(root)]

    def _count_uses(self, root: Expr) -> None:
        uses = self._uses
        stack = [root]
        while stack:
            for arg in stack.pop().args:
                uses[id(arg)] = uses.get(id(arg), 0) + 1
                if uses[id(arg)] == 1:
                    stack.append(arg)

    def _operands(self, expr: Expr) -> list[tuple[Expr, int]]:
        """The operands, each with a sign: +-1 for summands, the power for factors.

        A chain of one kind of operator is taken as a whole, except for shared branches. Those have their own
        normal form: otherwise a graph that doubles at every step would be written out in full.
        """
        head = expr.head
        kind = ("+", "-", "neg") if head in ("+", "-") else ("*", "/") if head in ("*", "/") else ()
        if not kind:
            return [(arg, 1) for arg in expr.args]
        found: list[tuple[Expr, int]] = []
        stack = [(expr, 1)]
        while stack:
            branch, sign = stack.pop()
            if branch is not expr and (branch.head not in kind or self._uses[id(branch)] > 1):
                found.append((branch, sign))
            elif branch.head == "neg":
                stack.append((branch.args[0], -sign))
            else:
                a, b = branch.args
                stack.append((b, -sign if branch.head in ("-", "/") else sign))
                stack.append((a, sign))
        return found

    def _normal(self, expr: Expr) -> Terms:
        head = expr.head
        known = self._known
        if head == "number":
            return constant_terms(expr.value) if isfinite(expr.value) else atom_terms(expr)
        if head == "name":
            return atom_terms(expr)
        if head in ("+", "-"):
            total: Terms = {}
            for arg, sign in self._operands(expr):
                self.add(total, known[id(arg)], sign)
            return total
        if head in ("*", "/"):
            return self.product([(known[id(arg)], power) for arg, power in self._operands(expr)])
        arguments = [known[id(arg)] for arg in expr.args]
        if head == "neg":
            return self.product([(constant_terms(-1), 1), (arguments[0], 1)])
        if head == "**":
            return self._power(*arguments)
        if head == "@":
            return self._extract_coefficients(expr, arguments)
        if head == "postfix" and expr.value in (".T", ".mT"):
            return self._transposed(expr, arguments[0])
        if head == "call" and expr.value == "where":
            return self._where(expr, arguments)
        return atom_terms(self._rebuilt(expr, arguments))

    def _rebuilt(self, expr: Expr, arguments: list[Terms]) -> Expr:
        args = tuple(self.build(terms) for terms in arguments)
        if expr.shapes is not None and len(expr.shapes) == len(args):
            args = tuple(_expand_number(arg, shape) for arg, shape in zip(args, expr.shapes, strict=True))
        return expr.with_args(args)

    # -- sums -------------------------------------------------------------------------------------------

    def add(self, total: Terms, terms: Terms, sign: int) -> None:
        """Add to ``total`` in place. A term that is only a sum with a sign is added term by term."""
        todo = [(term, sign) for term in reversed(terms.values())]
        while todo:
            (coefficient, factors), sign = todo.pop()
            if len(factors) == 1 and coefficient in (UNIT, (-1, 1)):
                [(base, exponent)] = factors.items()
                if exponent == 1 and base in self._sums:
                    sign = sign if coefficient == UNIT else -sign
                    todo.extend((term, sign) for term in reversed(self._sums[base].values()))
                    continue
            if sign < 0:
                coefficient = (-coefficient[0], coefficient[1])
            key = frozenset(factors.items())
            if key in total:
                before, factors = total[key]
                coefficient = add_coefficients(before, coefficient)
            if coefficient[0] == 0:
                total.pop(key, None)
            else:
                total[key] = (coefficient, factors)

    # -- products ---------------------------------------------------------------------------------------

    def product(self, operands: list[tuple[Terms, int]]) -> Terms:
        coefficient: Coefficient = UNIT
        factors: Factors = {}
        for terms, power in operands:
            if not terms:
                if power > 0:
                    return {}
                self._multiply(factors, ZERO, -1)
                continue
            [(n, more), *others] = self._with_scores(terms)
            if others:
                self._multiply(factors, self._as_factor(terms), power)
                continue
            coefficient = multiply_coefficients(coefficient, n if power > 0 else (n[1], n[0]))
            for base, exponent in more.items():
                self._multiply(factors, base, exponent if power > 0 else self._negate_exponent(exponent))
        return self._single_term(coefficient, factors)

    def _single_term(self, coefficient: Coefficient, factors: Factors) -> Terms:
        if not coefficient[0]:
            return {}
        if coefficient == UNIT and len(factors) == 1:
            [(base, exponent)] = factors.items()
            if exponent == 1 and base in self._sums:
                return self._sums[base]
        return {frozenset(factors.items()): (coefficient, factors)}

    def _multiply(self, factors: Factors, base: Expr, exponent: float | Expr) -> None:
        before = factors.get(base)
        if before is None:
            factors[base] = exponent
            return
        if isinstance(before, Expr) or isinstance(exponent, Expr):
            total: Terms = {}
            self.add(total, self._terms_of(before), 1)
            self.add(total, self._terms_of(exponent), 1)
            exponent = self._as_exponent(total)
        else:
            exponent = before + exponent
        if exponent == 0:
            del factors[base]
        else:
            factors[base] = exponent

    def _power(self, base: Terms, exponent: Terms) -> Terms:
        power = self._as_exponent(exponent)
        if power == 0:
            return constant_terms(1)
        if power == 1:
            return base
        if len(base) == 1:
            [(coefficient, factors)] = base.values()
            if isinstance(power, int) and abs(power) <= 64:
                powers: Factors = {}
                for b, e in factors.items():
                    self._multiply(powers, b, self._scale_exponent(e, power))
                return self._single_term(raise_coefficient(coefficient, power), powers)
            if coefficient == UNIT and list(factors.values()) == [1]:
                return self._single_term(UNIT, dict.fromkeys(factors, power))
        return power_terms(self._as_factor(base), power)

    def _scale_exponent(self, exponent: float | Expr, n: int) -> float | Expr:
        if not isinstance(exponent, Expr):
            return exponent * n
        return self._as_exponent(self.product([(self._terms_of(exponent), 1), (constant_terms(n), 1)]))

    def _negate_exponent(self, exponent: float | Expr) -> float | Expr:
        return self._scale_exponent(exponent, -1)

    def _as_exponent(self, terms: Terms) -> float | Expr:
        if not terms:
            return 0
        if len(terms) == 1:
            [((n, d), factors)] = terms.values()
            if not factors:
                value = number_expr(n / d).value
                assert isinstance(value, (int, float))
                return value
        expr = self.build(terms)
        self._remember_sum(expr, terms)
        return expr

    def _terms_of(self, exponent: float | Expr) -> Terms:
        if not isinstance(exponent, Expr):
            return constant_terms(exponent)
        return self._sums.get(exponent) or atom_terms(exponent)

    def _as_factor(self, terms: Terms) -> Expr:
        expr = self.build(terms)
        self._remember_sum(expr, terms)
        return expr

    def sum_of(self, factor: Expr) -> Terms | None:
        """The terms of a factor that is a sum."""
        return self._sums.get(factor)

    def _remember_sum(self, expr: Expr, terms: Terms) -> None:
        if len(terms) > 1:
            self._sums[expr] = terms

    # -- linear operators and where ------------------------------------------------------------------------

    def _extract_coefficients(self, expr: Expr, arguments: list[Terms]) -> Terms:
        """An operator that is linear in each argument: numeric coefficients move in front of it."""
        if not all(arguments):
            return {}
        coefficient: Coefficient = UNIT
        args = []
        for terms in arguments:
            if len(terms) == 1:
                [(n, factors)] = terms.values()
                if factors:
                    coefficient = multiply_coefficients(coefficient, n)
                    terms = dict.fromkeys(terms, (UNIT, factors))
            args.append(self.build(terms))
        made = expr.with_args(tuple(args))
        return self._single_term(coefficient, {made: 1})

    def _transposed(self, expr: Expr, argument: Terms) -> Terms:
        if len(argument) == 1:
            [(n, factors)] = argument.values()
            if not factors:
                return argument
            if list(factors.values()) == [1]:
                [base] = factors
                if base.head == "postfix" and base.value == expr.value:
                    inner = base.args[0]
                    return self.product(
                        [(constant_terms(1), 1), ({frozenset({(inner, 1)}): (n, {inner: 1})}, 1)]
                    )
        return self._extract_coefficients(expr, [argument])

    def _where(self, expr: Expr, arguments: list[Terms]) -> Terms:
        """``where(c, a, 0)`` becomes ``a*[c]``, which is collected with the other factors of its product.

        An ``a`` that can be infinite or NaN where ``c`` is false stays: ``a*0`` would be NaN there.
        """
        condition, a, b = arguments
        if is_constant_terms(condition) and is_constant_terms(
            b if condition else a
        ):  # the discarded operand has one entry
            return a if condition else b
        claim = self.build(condition)
        if claim.head in CONDITION_HEADS and not (a and b) and self._is_always_finite(a or b):
            if not a:
                claim = self._negated(claim)
            return self.product([(a or b, 1), (atom_terms(Expr("claim", (claim,))), 1)])
        return atom_terms(self._rebuilt(expr, arguments))

    def _is_always_finite(self, terms: Terms) -> bool:
        """Whether finite variables give a finite value: no division, no function with a pole or an edge."""
        factors = [factor for _, factors in terms.values() for factor in factors.items()]
        return all(
            not isinstance(power, Expr) and power >= 0 and self._is_finite_base(base)
            for base, power in factors
        )

    def _is_finite_base(self, base: Expr) -> bool:
        walked: dict[Expr, bool] = {}
        stack = [base]
        while stack:
            expr = stack.pop()
            if expr in walked or self._finite.get(expr):
                continue
            if (
                expr in self._finite
                or expr.head == "/"
                or (expr.head == "number" and not isfinite(expr.value))
                or (expr.head == "call" and expr.value in UNBOUNDED_FUNCTIONS)
                or (expr.head == "**" and not (expr.args[1].head == "number" and expr.args[1].value >= 0))
            ):
                self._finite[base] = False
                return False
            walked[expr] = True
            stack.extend(expr.args)
        self._finite |= walked
        return True

    def _negated(self, condition: Expr) -> Expr:
        """``a <= b`` for ``a > b``, except where ``a`` or ``b`` can be NaN: then neither holds."""
        opposite = NEGATED_COMPARISONS.get(condition.head)
        if opposite is None or not all(map(self._is_finite_base, condition.args)):
            return Expr("~", (condition,))
        return Expr(opposite, condition.args)

    # -- back to expressions ----------------------------------------------------------------------------

    def build(self, terms: Terms) -> Expr:
        total: Expr | None = None
        for coefficient, factors in self._with_scores(terms):
            is_negative = coefficient[0] < 0
            if total is None:
                total = build_product(coefficient, factors)
            elif is_negative:
                total = infix("-", total, build_product((-coefficient[0], coefficient[1]), factors))
            else:
                total = infix("+", total, build_product(coefficient, factors))
        return ZERO if total is None else total

    def _with_scores(self, terms: Terms) -> Iterable[Term]:
        """The terms; the gradient of the scores of classes is one: ``(softmax(z) - one_hot(y))/n``."""
        if len(terms) < 2:
            return terms.values()
        calls = {}
        for at, (coefficient, factors) in enumerate(terms.values()):
            [(base, exponent), *others] = factors.items() or [(ZERO, 1)]
            if base.head == "call" and not others and exponent == 1 and base.value in ("softmax", "one_hot"):
                calls[base.value] = at, base, coefficient
        if len(calls) < 2:
            return terms.values()
        (at, rows, taken), (other, softmax, given) = calls["one_hot"], calls["softmax"]
        if taken != (-given[0], given[1]):
            return terms.values()
        made = list(terms.values())
        error = infix("-", softmax, rows)
        self._remember_sum(
            error,
            {frozenset({(one, 1)}): (sign, {one: 1}) for one, sign in ((softmax, UNIT), (rows, (-1, 1)))},
        )
        made[min(at, other)] = given, {error: 1}
        del made[max(at, other)]
        return made


def is_scores_gradient(expr: Expr) -> bool:
    """Whether an expression is a softmax minus the rows of the targets."""
    return expr.head == "-" and expr.args[1].head == "call" and expr.args[1].value == "one_hot"


def _expand_number(arg: Expr, shape: tuple[int, ...]) -> Expr:
    """A number expanded to ``shape``: ``x/x`` is 1, but its sum counts the entries of ``x``."""
    return arg if arg.head != "number" or prod(shape) == 1 else times_ones(arg, shape)


def is_constant_terms(terms: Terms) -> bool:
    """Whether the terms are a number alone."""
    return not terms or list(terms) == [frozenset()]


UNIT: Coefficient = (1, 1)


def without_roots(factors: Factors) -> Factors:
    """The factors with ``a`` for ``sqrt(a)**2``: for what a root accepts, they are equal."""
    made: Factors = {}
    for base, exponent in factors.items():
        if base.head == "call" and base.value == "sqrt" and exponent.__class__ is int and exponent % 2 == 0:
            base, exponent = base.args[0], exponent // 2
        before = made.get(base)
        if before is None:
            made[base] = exponent
        elif isinstance(before, Expr) or isinstance(exponent, Expr):
            return factors
        else:
            made[base] = before + exponent
    return {base: exponent for base, exponent in made.items() if exponent != 0}


def build_product(coefficient: Coefficient, factors: Factors) -> Expr:
    factors = without_roots(factors)
    n, d = coefficient
    is_quotient = any(not isinstance(exponent, Expr) and exponent < 0 for exponent in factors.values())
    if d != 1 and len(repr(n / d)) <= 6 and not is_quotient and not any(map(is_scores_gradient, factors)):
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

"""Proposes forms of quotients such as ``(exp(x) - 1)/x`` that have a value and all digits at 0 and near it.

A function that is 0 at 0 is written ``u**order * G(u)``, where ``G`` is smooth and not 0 there; what divides
by 0 cancels with ``u**order``. ``G`` is a function of the library, or its Taylor polynomial near 0 (NIST
Digital Library of Mathematical Functions, chapters 4 and 7).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import isfinite, pi, sqrt

from autodiff.grammar.help.failure_scene import called_name, with_parentheses
from autodiff.grammar.repair.proposals.formulas import FormulaReader, is_number, operand_of
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.repair.proposals.library_words import LibraryWords

#: Below this the polynomials of degree 4 are exact to rounding, and above it the quotients keep their slope.
NEAR_0 = "0.001"
#: For a division by the third power: above 0.001 its slope would keep three digits, here it keeps six.
NEAR_0_OF_CUBES = "0.02"
#: A denominator that is still written as a fraction.
LARGEST_DENOMINATOR = 10_000
AT_0, NEAR = "this form has a value at 0", "this form has a value at 0, and keeps its digits near 0"


class Vanishing:
    """A function that is 0 at 0: ``u**order * G(u)``.

    ``form`` writes ``G(u)``: ``{x}`` is ``u``, ``{u}`` is ``u`` in brackets where it needs them, ``{below}``
    is ``u`` where it divides, and ``{sin}`` the function as the script writes it. ``series`` has the Taylor
    coefficients of ``G``, for near 0. ``at_0`` writes ``G(u)`` so that it holds at 0, if there is such a
    form.
    """

    __slots__ = ("at_0", "form", "order", "series")

    def __init__(
        self, form: str, series: tuple[Fraction | float, ...] = (), order: int = 1, at_0: str = ""
    ) -> None:
        self.form = form
        self.series = series
        self.order = order
        self.at_0 = at_0

    def uses_series(self, is_near_0: bool) -> bool:
        return bool(self.series) and (is_near_0 or not self.at_0)


def fractions(texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts.split()))


def quotient(name: str, series: str, at_0: str = "") -> Vanishing:
    """The function of this name, to be divided by its operand."""
    return Vanishing(f"{{{name}}}({{x}})/{{below}}", fractions(series), 1, at_0)


SINC = f"{{sinc}}({{u}} / {pi})"
ERF = 2 / sqrt(pi)
#: By the name of the function. Names such as ``1 - cos`` are those of ``vanishing_sum``.
VANISHING = {
    "sin": quotient("sin", "1 0 -1/6 0 1/120", SINC),
    "tan": quotient("tan", "1 0 1/3 0 2/15", f"({SINC}/{{cos}}({{x}}))"),
    "expm1": quotient("expm1", "1 1/2 1/6 1/24 1/120"),
    "log1p": quotient("log1p", "1 -1/2 1/3 -1/4 1/5"),
    "sinh": quotient("sinh", "1 0 1/6 0 1/120"),
    "tanh": quotient("tanh", "1 0 -1/3 0 2/15"),
    "asin": quotient("asin", "1 0 1/6 0 3/40"),
    "asinh": quotient("asinh", "1 0 -1/6 0 3/40"),
    "atan": quotient("atan", "1 0 -1/3 0 1/5"),
    "atanh": quotient("atanh", "1 0 1/3 0 1/5"),
    "erf": Vanishing("{erf}({x})/{below}", (ERF, 0, -ERF / 3, 0, ERF / 10)),
    "sqrt - 1": Vanishing("", at_0="(1/({sqrt}(1 + {u}) + 1))"),
    "1 - cos": Vanishing(
        "2*{sin}({u}/2)**2/{below}**2",
        fractions("1/2 0 -1/24 0 1/720"),
        2,
        f"({{sinc}}({{u}} / {2 * pi})**2 / 2)",
    ),
    "cosh - 1": Vanishing("2*{sinh}({u}/2)**2/{below}**2", fractions("1/2 0 1/24 0 1/720"), 2),
    "exp - 1 - u": Vanishing("({expm1}({x}) - {u})/{below}**2", fractions("1/2 1/6 1/24 1/120 1/720"), 2),
    "sin - u": Vanishing("({sin}({x}) - {u})/{below}**3", fractions("-1/6 0 1/120 0 -1/5040"), 3),
    "1/tanh - 1/u": Vanishing("(1/{tanh}({below}) - 1/{below})/{below}", fractions("1/3 0 -1/45 0 2/945")),
}
#: The functions that ``vanishing_sum`` looks for beside a number or their operand.
WITH_NUMBERS = ("exp", "cosh", "cos", "sqrt", "sin")
OTHER_NAMES = {"arcsin": "asin", "arctan": "atan", "arcsinh": "asinh", "arctanh": "atanh"}


class Product:
    """A product: a number, and the exponents of its factors by their text. ``nodes`` has the factors."""

    def __init__(self) -> None:
        self.number = Fraction(1)
        self.exponents: Counter[str] = Counter()
        self.nodes: dict[str, Any] = {}
        self.is_readable = True

    def multiply(self, other: Product, power: int = 1) -> None:
        self.is_readable &= other.is_readable
        if self.is_readable:
            self.number *= other.number**power
            for text, exponent in other.exponents.items():
                self.exponents[text] += power * exponent
            self.nodes |= other.nodes

    def times(self, factors: list[str], divisors: list[str]) -> str:
        """The text of the product with other factors and divisors."""
        above, below = [], []
        if self.number.denominator > LARGEST_DENOMINATOR:
            above.append(repr(float(abs(self.number))))
        else:
            above += [str(abs(self.number.numerator))] * (abs(self.number.numerator) != 1)
            below += [str(self.number.denominator)] * (self.number.denominator != 1)
        for text, exponent in self.exponents.items():
            power = f"**{abs(exponent)}" if abs(exponent) > 1 else ""
            if exponent:
                (above if exponent > 0 else below).append(with_parentheses(text) + power)
        written = "/".join(["*".join(above + factors) or "1", *divisors, *below])
        return "-" * (self.number < 0) + written


def removable_quotients(
    reader: FormulaReader, node: Any, is_near_0: bool = False
) -> Iterator[tuple[str, str]]:
    """Propose smooth forms of a quotient, of a product with one, and of ``1/tanh(x) - 1/x``.

    ``is_near_0`` asks for forms of which the slope keeps its digits near 0, as that of ``sinc`` does not.
    """
    if not isinstance(node, tree.Binary) or node.op not in ("*", "/", "-"):
        return
    whole = product_of(reader, node)
    parts: list[tuple[Vanishing, int, str, Product]] = []
    operands: set[str] = set()
    for text, exponent in list(whole.exponents.items()):
        found = vanishing(reader, whole.nodes[text]) if abs(exponent) == 1 else None
        if found is None:
            continue
        name, sign, operand = found
        u, written = product_of(reader, operand), reader.written(operand)
        u.is_readable &= bool(written) and has_usual_size(u.number)
        whole.exponents[text] = 0
        whole.number *= sign
        whole.multiply(u, VANISHING[name].order * exponent)
        operands.update(u.exponents)
        parts.append((VANISHING[name], exponent, written, u))
        if node.op == "-" and name != "1/tanh - 1/u":  # it is 0 at 0, and no quotient
            return
    if not parts or not has_usual_size(whole.number):
        return
    divides_by_0 = node.op == "-" or reads_divisor(reader, node, operands) or len(parts) > 1
    if not whole.is_readable or not divides_by_0 or any(whole.exponents[text] < 0 for text in operands):
        return
    words = reader.words
    # A library without sinc, such as math, has the polynomials.
    closed = [
        "" if function.uses_series(is_near_0) else words.filled(function.at_0, x=x, u=with_parentheses(x))
        for function, _, x, _ in parts
    ]
    for is_tensor in (False,) if all(closed) else (False, True):
        texts = [
            text or form_text(function, u, x, words, is_tensor)
            for text, (function, _, x, u) in zip(closed, parts, strict=True)
        ]
        if not all(texts):
            continue
        above = [text for text, part in zip(texts, parts, strict=True) if part[1] > 0]
        below = [text for text, part in zip(texts, parts, strict=True) if part[1] < 0]
        yield whole.times(above, below), AT_0 if all(closed) else NEAR


def has_usual_size(number: Fraction) -> bool:
    """Whether powers of a number can be written as floats."""
    return 1e-50 < abs(number) < 1e50


def reads_divisor(reader: FormulaReader, node: Any, operands: set[str]) -> bool:
    """Whether one of the given factors divides."""
    given = product_of(reader, node).exponents
    return any(given[text] for text in operands)


def form_text(function: Vanishing, u: Product, x: str, words: LibraryWords, is_tensor: bool) -> str:
    """Return ``G(u)`` for ``u`` with the text ``x``; for a tensor no branch divides by 0.

    It is empty if the script's libraries lack a function for it.
    """
    bracketed, where = with_parentheses(x), words.name("where") if is_tensor else ""
    below = f"{where}({x} == 0, 1, {x})" if is_tensor else bracketed
    form = words.filled(function.form, x=x, u=bracketed, below=below)
    near = f"abs({x}) < {NEAR_0 if function.order < 3 else NEAR_0_OF_CUBES}"
    if not form or (is_tensor and not where):
        return ""
    if is_tensor:
        return f"{where}({near}, {polynomial(function, u)}, {form})"
    return f"({polynomial(function, u)} if {near} else {form})"


def polynomial(function: Vanishing, u: Product) -> str:
    """Return the text of a Taylor polynomial."""
    text = ""
    for power, coefficient in enumerate(function.series):
        if coefficient:
            term = Product()
            term.number = Fraction(coefficient)
            term.multiply(u, power)
            written = term.times([], [])
            text += f" + {written}" if text else written
    return text.replace("+ -", "- ")


# -- reading -----------------------------------------------------------------------------------------------


def product_of(reader: FormulaReader, given: Any) -> Product:
    """Return an expression as a product; names of numbers that the script assigns are factors."""
    made, node = Product(), reader.meaning(given)
    value = None if node is not given and isinstance(node, tree.Number) else number_value(reader, node)
    if value and isfinite(value):
        made.number = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    elif isinstance(node, tree.Unary) and node.op == "-":
        made.multiply(product_of(reader, node.operand))
        made.number = -made.number
    elif isinstance(node, tree.Binary) and node.op in ("*", "/"):
        made.multiply(product_of(reader, node.left))
        made.multiply(product_of(reader, node.right), 1 if node.op == "*" else -1)
    elif isinstance(node, tree.Binary) and node.op == "**" and (power := whole_number(node.right)):
        made.multiply(product_of(reader, node.left), power)
    else:
        text = reader.written(given)
        made.is_readable = bool(text)
        made.exponents[text] = 1
        made.nodes[text] = given
    return made


def number_value(reader: FormulaReader, node: Any) -> Any:
    """Return the value of a number or of a constant such as ``pi``, else None."""
    if isinstance(node, tree.Number):
        return node.value
    if isinstance(node, tree.Name) and node.id in reader.given:
        return None
    value = reader.scene.value(node)
    return value if value.__class__ in (int, float) else None


def whole_number(node: Any) -> int:
    """Return a small whole number that is written out, else 0."""
    is_small = isinstance(node, tree.Number) and node.value in (1, 2, 3, 4)
    return int(node.value) if is_small else 0


def vanishing(reader: FormulaReader, node: Any) -> tuple[str, int, Any] | None:
    """Return the entry of VANISHING that a factor is, its sign and its operand; None for other factors."""
    node = reader.meaning(node)
    name = called_name(node)
    name = OTHER_NAMES.get(name, name)
    if name in VANISHING:
        return name, 1, operand_of(node)
    if name == "log":
        above_one = terms_of(reader, operand_of(node))
        return None if (u := beside_number(above_one, 1)) is None else ("log1p", 1, u)
    return vanishing_sum(reader, node) if isinstance(node, tree.Binary) and node.op in ("+", "-") else None


def vanishing_sum(reader: FormulaReader, node: Any) -> tuple[str, int, Any] | None:
    """Return what ``vanishing`` does, for a sum of a function and a number, its operand, or both."""
    terms = terms_of(reader, node)
    number = sum(sign * one.value for sign, one in terms if isinstance(one, tree.Number))
    others = [(sign, one) for sign, one in terms if not isinstance(one, tree.Number)]
    for sign, one in others:
        name, operand = called_name(one), operand_of(one)
        if len(others) == 1 and number == -sign and name in ("exp", "cosh"):
            return ("expm1" if name == "exp" else "cosh - 1"), sign, operand
        if len(others) == 1 and number == -sign and name == "cos":
            return "1 - cos", -sign, operand
        if len(others) == 1 and number == -sign and name == "sqrt":
            u = beside_number(terms_of(reader, operand), 1)
            return None if u is None else ("sqrt - 1", sign, u)
        if len(others) == 2 and (name, number) in (("exp", -sign), ("sin", 0)):
            [(other_sign, other)] = [pair for pair in others if pair[1] is not one]
            if are_equal(product_of(reader, operand), product_of(reader, other), -sign * other_sign):
                return ("exp - 1 - u" if name == "exp" else "sin - u"), sign, operand
        if len(others) == 2 and number == 0 and (operand := tanh_below(reader, one)) is not None:
            [(other_sign, other)] = [pair for pair in others if pair[1] is not one]
            rest = product_of(reader, other)
            rest.multiply(product_of(reader, operand), 2)  # u**2/u is u
            if are_equal(rest, product_of(reader, operand), -sign * other_sign):
                return "1/tanh - 1/u", sign, operand
    return None


def tanh_below(reader: FormulaReader, node: Any) -> Any:
    """Return ``u`` in ``1/tanh(u)``, else None."""
    node = reader.meaning(node)
    if isinstance(node, tree.Binary) and node.op == "/" and is_number(reader.meaning(node.left), 1):
        below = reader.meaning(node.right)
        return operand_of(below) if called_name(below) == "tanh" else None
    return None


def are_equal(one: Product, other: Product, sign: int) -> bool:
    """Whether two products are equal, up to a sign."""
    exponents = one.exponents.copy()
    exponents.subtract(other.exponents)
    is_readable = one.is_readable and other.is_readable
    return is_readable and one.number == sign * other.number and not any(exponents.values())


def terms_of(reader: FormulaReader, node: Any, sign: int = 1) -> list[tuple[int, Any]]:
    """Return the terms of a sum, each with its sign."""
    given, node = node, reader.meaning(node)
    if isinstance(node, tree.Unary) and node.op == "-":
        return terms_of(reader, node.operand, -sign)
    if isinstance(node, tree.Binary) and node.op in ("+", "-"):
        right = sign if node.op == "+" else -sign
        return terms_of(reader, node.left, sign) + terms_of(reader, node.right, right)
    # A name of a function's result is read through; that of an input is an operand.
    return [(sign, node if called_name(node) in WITH_NUMBERS else given)]


def beside_number(terms: list[tuple[int, Any]], number: float) -> Any:
    """Return the other term of a sum of this number and one term that is added, else None."""
    if len(terms) != 2:
        return None
    for (sign, one), (other_sign, other) in (terms, terms[::-1]):
        if is_number(one, number) and sign == 1 and other_sign == 1:
            return other
    return None

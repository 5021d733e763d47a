"""Proposes library functions for formulas that break down where the function does not.

A formula is found in one expression or spread over several statements. Whether the function replaces it is
found out by running the script.
"""

from __future__ import annotations

import re
from math import isclose, log, sqrt

from autodiff.core.base.errors import Edit, Fix
from autodiff.grammar.help.failure_scene import Scene, called_name, negated, with_parentheses
from autodiff.grammar.objects.methods import SELECTING_METHODS
from autodiff.grammar.repair.proposals.formulas import (
    FormulaReader,
    is_method_call,
    is_number,
    operand_of,
    option_value,
    options_of,
)
from autodiff.grammar.repair.proposals.removable_quotients import removable_quotients
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    #: The text to write for an expression, and the reason.
    Proposal = tuple[str, str]

DEVIATION_REASON = "a standard deviation has the slope 0 where all entries are equal"
LARGEST_FIRST_REASON = "subtracts the largest entry first"
LOG_2 = "0.6931471805599453"
#: The root of 2 as it is written.
ROOT_OF_2 = re.compile(r"(\w+\.)*sqrt\(2(\.0*)?\)|2(\.0*)? ?\*\* ?0?\.5|\(2(\.0*)? ?\*\* ?0?\.5\)")
#: Twice a name.
DOUBLED = re.compile(r"2(?:\.0*)? ?\* ?(\w+)")
#: Functions that overflow, each with a form of its logarithm that does not.
GROWING = ("sinh", "cosh", "exp", "expm1", "gamma", "factorial")


class SameFunction(Fix):
    """A fix that writes the same function in another form, so its gradient is right whatever it is."""

    __slots__ = ()


def known_functions(scene: Scene) -> Iterator[Fix]:
    """Yield library functions for the formulas around the failed place, the smallest formula first."""
    reader = FormulaReader(scene)
    around = list(reversed(scene.path))
    for node in [*around, *(other for other in walk(scene.script) if other not in around)]:
        for find in FORMULAS:
            reader.visited = [node]
            for text, reason in find(reader, node):
                if text and any(part is scene.node for part in reader.visited):
                    yield same_function(reader, node, text, reason)


def known_quotients(scene: Scene, is_near_0: bool = False) -> Iterator[Fix]:
    """Yield forms with a value at 0 for the quotients around the failed place.

    ``is_near_0``: for all quotients of the script that lose their digits near 0.
    """
    reader = FormulaReader(scene)
    for node in walk(scene.script):
        reader.visited = [node]
        for text, reason in removable_quotients(reader, node, is_near_0):
            if is_near_0 or any(part is scene.node for part in reader.visited):
                yield same_function(reader, node, text, reason)


def same_function(reader: FormulaReader, node: Any, text: str, reason: str) -> SameFunction:
    """Return the fix that writes a text for a node, and imports what it needs."""
    return SameFunction(f"{reason}: {text}", Edit(node.span, text), *reader.words.import_edits(text))


# -- roots and quotients -----------------------------------------------------------------------------------


def norms(reader: FormulaReader, node: Any) -> Iterator[Proposal]:
    """Propose a norm for the root of a sum of squares, ``hypot`` for that of two, ``abs`` for that of one."""
    x = root_of(node)
    total = None if x is None else reader.meaning(x)
    one = squared(reader, total)
    if one is not None:
        yield f"abs({reader.written(one)})" * bool(reader.written(one)), "abs has the slope 0 at 0"
    if isinstance(total, tree.Binary) and total.op == "+":
        pair = [squared(reader, reader.meaning(term)) for term in (total.left, total.right)]
        written = [reader.written(term) for term in pair if term is not None]
        if len(written) == 2 and all(written):
            yield reader.words.call("hypot", *written), "hypot takes no squares, which overflow or vanish"
    if isinstance(total, tree.Call) and called_name(total) == "var" and reader.written(total):
        yield deviation(reader, total), DEVIATION_REASON
    if x := centred_operand(reader, total):
        yield reader.words.deviation(x), DEVIATION_REASON
    if not isinstance(total, tree.Call) or called_name(total) != "sum":
        return
    inside = reader.meaning(operand_of(total))
    base = squared(reader, inside)
    if base is not None and reader.written(base):
        yield reader.words.norm(reader.written(base), reduction(reader, total)), "a norm has the slope 0 at 0"


def centred_operand(reader: FormulaReader, node: Any) -> str:
    """Return ``x`` in ``((x - x.mean())**2).mean()``, else an empty string."""
    if called_name(node) != "mean" or options_of(node):
        return ""
    difference = reader.meaning(squared(reader, reader.meaning(operand_of(node))))
    if not isinstance(difference, tree.Binary) or difference.op != "-":
        return ""
    x, centre = reader.written(difference.left), reader.meaning(difference.right)
    is_centred = (
        called_name(centre) == "mean" and not options_of(centre) and reader.argument(centre, "mean") == x
    )
    return x if is_centred else ""


def deviation(reader: FormulaReader, variance: tree.Call) -> str:
    """Return the call of ``std`` for one of ``var``."""
    function = reader.scene.text(variance.function)
    arguments = reader.scene.source.text[variance.function.span.end : variance.span.end]
    return f"{function.removesuffix('var')}std{arguments}"


def reduction(reader: FormulaReader, total: tree.Call) -> list[tuple[str, str]]:
    """Return the options of a sum with torch's names: the dimension, and whether it is kept."""
    names = {"axis": "dim", "keepdims": "keepdim"}
    given = [(one.keyword or "dim", reader.scene.text(one.value)) for one in options_of(total)]
    return [(names.get(name, name), value) for name, value in given]


def root_of(node: Any) -> Any:
    """Return ``x`` in ``sqrt(x)``, ``x**0.5`` and ``pow(x, 0.5)``, else None."""
    if isinstance(node, tree.Binary) and node.op == "**" and is_number(node.right, 0.5):
        return node.left
    if called_name(node) == "sqrt" or (
        called_name(node) == "pow" and is_number(option_value(node, "exponent"), 0.5)
    ):
        return operand_of(node)
    return None


def squared(reader: FormulaReader, node: Any) -> Any:
    """Return ``x`` in ``x**2``, ``x * x``, ``x.pow(2)`` and ``x.square()``, else None."""
    if called_name(node) == "square" or (
        called_name(node) == "pow" and is_number(option_value(node, "exponent"), 2)
    ):
        return operand_of(node)
    if not isinstance(node, tree.Binary):
        return None
    if node.op == "**" and is_number(node.right, 2):
        return node.left
    if node.op == "*" and reader.scene.text(node.left) == reader.scene.text(node.right):
        return node.left
    return None


def quotients(reader: FormulaReader, node: Any) -> Iterator[Proposal]:
    """Propose functions for softmax, sigmoid and tanh that are written out."""
    if not isinstance(node, tree.Binary) or node.op != "/":
        return
    softened = softmax_of(reader, node)
    if softened:
        yield reader.words.softmax(*softened), f"softmax {LARGEST_FIRST_REASON}"
    below = reader.meaning(node.right)
    x = sigmoid_of(reader, node)
    if x:
        yield reader.words.call("sigmoid", x), "sigmoid never meets infinity"
    u, above = exponent_beside_one(reader, below), reader.written(node.left)
    if half := half_of_exponent(reader, node):
        yield reader.words.call("tanh", half), "tanh never meets infinity/infinity"
    elif u and above and not x and called_name(reader.meaning(node.left)) != "exp":
        factor = reader.words.call("sigmoid", negated(u))
        above = above if isinstance(node.left, tree.Number) else with_parentheses(above)
        yield f"{above}*{factor}" * bool(factor), "sigmoid never meets infinity"
    y = opposite_exponent(reader, reader.meaning(node.left), "-")
    if y and y == opposite_exponent(reader, below, "+"):
        yield reader.words.call("tanh", y), "tanh never meets infinity/infinity"


def softmax_of(reader: FormulaReader, node: Any) -> tuple[str, str] | None:
    """Return ``x`` and ``dim`` in ``exp(x) / exp(x).sum(dim)``, else None."""
    if not isinstance(node, tree.Binary) or node.op != "/":
        return None
    x, total = reader.argument(node.left, "exp"), reader.meaning(node.right)
    if not x or called_name(total) != "sum" or reader.argument(operand_of(total), "exp") != x:
        return None
    return x, dict(reduction(reader, total)).get("dim", "")


def sigmoid_of(reader: FormulaReader, node: Any) -> str:
    """Return ``x`` in ``sigmoid(x)``, ``exp(x) / (1 + exp(x))`` and ``1 / (1 + exp(-x))``, else empty."""
    node = reader.meaning(node)
    if not isinstance(node, tree.Binary) or node.op != "/":
        return reader.argument(node, "sigmoid")
    x = exponent_beside_one(reader, reader.meaning(node.right))
    if x and is_number(reader.meaning(node.left), 1):
        return negated(x)
    return x if x and reader.argument(node.left, "exp") == x else ""


def exponent_beside_one(reader: FormulaReader, node: Any) -> str:
    """Return ``x`` in ``1 + exp(x)``, else an empty string."""
    if isinstance(node, tree.Binary) and node.op == "+":
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if is_number(one, 1):
                return reader.argument(other, "exp")
    return ""


def half_of_exponent(reader: FormulaReader, node: tree.Binary) -> str:
    """Return ``x/2`` in ``(exp(x) - 1) / (exp(x) + 1)``, else an empty string."""
    above, below = reader.meaning(node.left), reader.meaning(node.right)
    if not isinstance(above, tree.Binary) or above.op != "-" or not is_number(above.right, 1):
        return ""
    x = reader.argument(above.left, "exp")
    if not x or exponent_beside_one(reader, below) != x:
        return ""
    doubled = DOUBLED.fullmatch(x)
    return doubled[1] if doubled else f"{with_parentheses(x)}/2"


def opposite_exponent(reader: FormulaReader, node: Any, sign: str) -> str:
    """Return ``x`` in ``exp(x) - exp(-x)``, or with another ``sign`` between the two; else empty."""
    if not isinstance(node, tree.Binary) or node.op != sign:
        return ""
    x, other = reader.argument(node.left, "exp"), reader.argument(node.right, "exp")
    return x if x and other == negated(x) else ""


# -- logarithms --------------------------------------------------------------------------------------------


def logarithms(reader: FormulaReader, node: Any) -> Iterator[Proposal]:
    """Propose functions for logarithms whose operand is 0 or infinite in this order of steps only."""
    name, operand = called_name(node), operand_of(node)
    if name not in ("log", "log1p") or operand is None:
        return
    words, x = reader.words, reader.meaning(operand)
    y = reader.argument(x, "exp") if name == "log1p" else exponent_beside_one(reader, x)
    if y:
        yield words.call("softplus", y), "softplus is log(1 + exp(x)) without the overflow"
    if name != "log":
        return
    yield from normal_logarithms(reader, x)
    if called_name(x) == "sum" and isinstance(listed := reader.meaning(operand_of(x)), tree.Comprehension):
        y = listed_exponents(reader, listed)
        if y:
            yield words.logsumexp_of_list(y), f"logsumexp {LARGEST_FIRST_REASON}"
    elif called_name(x) == "sum":
        y = reader.argument(operand_of(x), "exp")
        if y:
            yield logsumexp_of(reader, x, y), f"logsumexp {LARGEST_FIRST_REASON}"
    y = selected_log_softmax(reader, operand)
    if y:
        yield y, "log_softmax has no logarithm of 0"
    y = scaled_log_softmax(reader, operand)
    if y:
        yield y, "log_softmax has no logarithm of 0"
    y = sigmoid_of(reader, x)
    if y:
        yield words.call("logsigmoid", y), "logsigmoid has no logarithm of 0"
    if isinstance(x, tree.Binary) and x.op == "-" and is_number(x.left, 1):
        y = sigmoid_of(reader, x.right)
        if y:
            reason = "1 - sigmoid(x) is sigmoid(-x), and logsigmoid has no logarithm of 0"
            yield words.call("logsigmoid", negated(y)), reason
    yield from sums_of_exponentials(reader, x)
    yield from split_logarithms(reader, x)


def normal_logarithms(reader: FormulaReader, x: Any) -> Iterator[Proposal]:
    """Propose ``log_ndtr`` for the logarithm of the normal distribution function, in any of its forms."""
    reason = "log_ndtr has no logarithm of 0"
    log_ndtr = reader.words.special("log_ndtr")
    if called_name(x) == "cdf" and reader.scene.text(x.function).endswith("norm.cdf"):
        given = ", ".join(reader.scene.text(one) for one in x.arguments)
        if reader.written(x):
            yield (
                f"{reader.scene.text(x.function)[: -len('cdf')]}logcdf({given})",
                "logcdf has no logarithm of 0",
            )
    z = reader.argument(x, "ndtr")
    if z and log_ndtr:
        yield f"{log_ndtr}({z})", reason
    factors = factors_of(reader, x)
    numbers = [
        number_value(reader, one) ** (-1 if sign else 1)
        for one, sign in factors
        if number_value(reader, one) > 0
    ]
    others = [one for one, sign in factors if number_value(reader, one) <= 0 and not sign]
    if len(numbers) + 1 != len(factors) or len(others) != 1 or numbers != [0.5]:
        return
    other = reader.meaning(others[0])
    upper = error_function_operand(reader, other, "erfc")
    z = negated(upper) if upper else ""
    if isinstance(other, tree.Binary) and other.op == "+":
        for one, beside in ((other.left, other.right), (other.right, other.left)):
            if is_number(one, 1):
                z = error_function_operand(reader, beside, "erf")
    if z and log_ndtr:
        yield f"{log_ndtr}({z})", reason


def listed_exponents(reader: FormulaReader, listed: tree.Comprehension) -> str:
    """Return ``x`` in ``[exp(v) for v in x]``, else an empty string."""
    clause, exponent = listed.clauses[0], operand_of(listed.element)
    if len(listed.clauses) > 1 or clause.conditions or called_name(listed.element) != "exp":
        return ""
    if not isinstance(exponent, tree.Name) or reader.scene.text(clause.target) != exponent.id:
        return ""
    reader.visited += [listed.element, exponent]
    return reader.written(clause.iterable)


def error_function_operand(reader: FormulaReader, node: Any, name: str) -> str:
    """Return ``z`` in ``erf(z/sqrt(2))``, or in a call of another ``name``; else an empty string."""
    inner = reader.operand(node, name)
    if not isinstance(inner, tree.Binary) or inner.op != "/" or not reader.written(inner):
        return ""
    root = reader.meaning(inner.right)
    is_root = isinstance(root, tree.Number) and isclose(root.value, sqrt(2), rel_tol=1e-9)
    return reader.scene.text(inner.left) if is_root or ROOT_OF_2.fullmatch(reader.scene.text(root)) else ""


def sums_of_exponentials(reader: FormulaReader, x: Any) -> Iterator[Proposal]:
    """Propose functions for the logarithm of ``exp(a) + exp(b)`` and of ``exp(a) - 1``."""
    if not isinstance(x, tree.Binary) or x.op not in "+-":
        return
    a, b = reader.argument(x.left, "exp"), reader.argument(x.right, "exp")
    if x.op == "+" and a and b:
        yield reader.words.call("logaddexp", a, b), f"logaddexp {LARGEST_FIRST_REASON}"
    if x.op == "-" and a and is_number(x.right, 1):
        yield logarithm_of_growth(reader, "expm1", a)
    if x.op == "-" and b and is_number(x.left, 1):
        text = reader.words.filled("{log}(-{expm1}({u}))", u=b)
        yield text, "1 - exp(u) is -expm1(u), which keeps its digits near 0"


def split_logarithms(reader: FormulaReader, x: Any) -> Iterator[Proposal]:
    """Propose a sum of logarithms for a product or quotient of which one factor overflows."""
    factors = factors_of(reader, x)
    for at, (factor, is_divisor) in enumerate(factors):
        for name in GROWING:
            y = reader.argument(factor, name)
            if not y or (name == "exp" and len(factors) == 1 and factor is not x):
                continue
            text, reason = logarithm_of_growth(reader, name, y)
            others = factors[:at] + factors[at + 1 :]
            constants = [(one, sign) for one, sign in others if number_value(reader, one) > 0]
            written = [
                logarithm_text(reader, one, sign) for one, sign in others if (one, sign) not in constants
            ]
            total = sum(
                -log(number_value(reader, one)) if sign else log(number_value(reader, one))
                for one, sign in constants
            )
            if not all(written):
                continue
            terms = [*([str(total)] if total else []), *written]
            text = f"-{text}" if is_divisor else text
            yield f"({' + '.join([*terms, text])})" if terms else text, reason
            return  # further ones would be written in the same way


def factors_of(reader: FormulaReader, node: Any) -> list[tuple[Any, bool]]:
    """Return the factors of a product or quotient, each with whether it divides."""
    given, node = node, reader.meaning(node)
    if not isinstance(node, tree.Binary) or node.op not in ("*", "/"):
        return [
            (given if isinstance(node, tree.Number) else node, False)
        ]  # a name of a number may be an input
    behind = factors_of(reader, node.right)
    if node.op == "/":
        behind = [(factor, not is_divisor) for factor, is_divisor in behind]
    return factors_of(reader, node.left) + behind


def number_value(reader: FormulaReader, node: Any) -> float:
    """Return the value of a number, or of a constant such as ``pi``; 0 for anything else.

    What the script assigns may be an input.
    """
    if isinstance(node, tree.Name) and node.id in reader.given:
        return 0.0
    value = node.value if isinstance(node, tree.Number) else reader.scene.value(node)
    return float(value) if value.__class__ in (int, float) else 0.0


def logarithm_text(reader: FormulaReader, factor: Any, is_divisor: bool) -> str:
    """Return the text of the logarithm of a factor; empty if it cannot be written."""
    for name in GROWING:
        y = reader.argument(factor, name)
        if y:
            grown, _ = logarithm_of_growth(reader, name, y)
            return f"-{with_parentheses(grown)}" if is_divisor else grown
    text = reader.written(factor)
    return "-" * is_divisor + reader.words.call("log", text) if text else ""


def logarithm_of_growth(reader: FormulaReader, name: str, y: str) -> Proposal:
    """Return the logarithm of ``exp(y) - 1`` or of another function of GROWING without the overflow.

    The text is empty if the script's libraries lack a function for it.
    """
    words, x = reader.words, with_parentheses(y)
    if name == "exp":
        return x, "log(exp(x)) is x, without the overflow"
    if name == "gamma":
        return words.call("lgamma", y), "lgamma(x) is log(gamma(x)), without the overflow"
    if name == "factorial":
        return words.call("lgamma", f"{y} + 1"), "lgamma(n + 1) is log(factorial(n)), without the overflow"
    if name == "cosh":
        text = f"({y} + {words.call('softplus', f'-2 * {x}')} - {LOG_2})"
        return text, "log(cosh(x)) is x + softplus(-2*x) - log(2), without the overflow"
    if name == "sinh":
        text = words.filled(f"({{y}} + {{log1p}}(-{{exp}}(-2 * {{x}})) - {LOG_2})", x=x, y=y)
        return text, "log(sinh(x)) is x + log1p(-exp(-2*x)) - log(2), without the overflow"
    text = words.filled("({y} + {log1p}(-{exp}({minus})))", y=y, minus=negated(y))
    return text, "log(exp(x) - 1) is x + log1p(-exp(-x)), without the overflow"


def logsumexp_of(reader: FormulaReader, total: tree.Call, x: str) -> str:
    """Return the logarithm of a sum of exponentials of ``x``."""
    options = reduction(reader, total)
    inner = operand_of(reader.meaning(operand_of(total)))
    if not options and reader.words.is_of_tensors and reader.rank(inner) > 1:
        x = f"{with_parentheses(x)}.flatten()"
    return reader.words.logsumexp(x, options)


def scaled_log_softmax(reader: FormulaReader, node: Any) -> str:
    """Return the logarithm of softmax entries times or divided by a number; empty for other nodes."""
    node = reader.meaning(node)
    if not isinstance(node, tree.Binary) or node.op not in ("*", "/"):
        return ""
    pairs = [(node.left, node.right), *[(node.right, node.left)] * (node.op == "*")]
    for one, other in pairs:
        if (
            isinstance(other, tree.Number)
            and other.value > 0
            and (inner := selected_log_softmax(reader, one))
        ):
            shift = log(other.value) if node.op == "*" else -log(other.value)
            return f"({inner} + {shift})" if shift else inner
    return ""


def selected_log_softmax(reader: FormulaReader, node: Any) -> str:
    """Return the text of softmax entries with ``log_softmax`` in its place; empty for other nodes."""
    node = reader.meaning(node)
    text = reader.scene.text
    if isinstance(node, tree.Subscript):
        inner = selected_log_softmax(reader, node.object)
        return f"{inner}[{text(node.index)}]" if inner else ""
    softened = softmax_of(reader, node)
    if softened:
        return reader.words.log_softmax(*softened)
    if not isinstance(node, tree.Call) or not reader.written(node):
        return ""
    behind = reader.scene.source.text[node.function.span.end : node.span.end]
    if called_name(node) == "softmax":
        return text(node.function).removesuffix("softmax") + "log_softmax" + behind
    if is_method_call(node) and called_name(node) in SELECTING_METHODS:
        inner = selected_log_softmax(reader, operand_of(node))
        return f"{inner}.{called_name(node)}{behind}" if inner else ""
    return ""


FORMULAS = (norms, quotients, logarithms)

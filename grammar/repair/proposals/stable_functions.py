"""Proposes library functions for formulas that break down where the function does not.

A formula is found in one expression or spread over several statements. Whether the function replaces it is
found out by running the script.
"""

from __future__ import annotations

from math import log

from autodiff.core.base.errors import Edit, Fix
from autodiff.grammar.help.failure_scene import Scene, called_name, with_parentheses
from autodiff.grammar.repair.proposals.formulas import (
    SELECTING_METHODS,
    FormulaReader,
    is_method_call,
    is_number,
    negated,
    operand_of,
    option_value,
    options_of,
)
from autodiff.grammar.syntax import imports, tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    #: The text to write for an expression, and the reason.
    Proposal = tuple[str, str]

LARGEST_FIRST_REASON = "subtracts the largest entry first"
LOG_2 = "0.6931471805599453"


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
                    yield SameFunction(f"{reason}: {text}", Edit(node.span, text))


# -- roots and quotients -----------------------------------------------------------------------------------


def norms(reader: FormulaReader, node: Any) -> Iterator[Proposal]:
    """Propose a norm for the root of a sum of squares, and ``abs`` for the root of one square."""
    x = root_of(node)
    total = None if x is None else reader.meaning(x)
    one = squared(reader, total)
    if one is not None:
        yield f"abs({reader.written(one)})" * bool(reader.written(one)), "abs has the slope 0 at 0"
    if not isinstance(total, tree.Call) or called_name(total) != "sum":
        return
    inside = reader.meaning(operand_of(total))
    base = squared(reader, inside)
    if base is not None and reader.written(base):
        given = ", ".join(
            f"dim={reader.scene.text(one.value)}" if one.keyword is None else reader.scene.text(one)
            for one in options_of(total)
        )
        yield f"{with_parentheses(reader.written(base))}.norm({given})", "a norm has the slope 0 at 0"


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
    """Propose functions for softmax, sigmoid, tanh and sin(x)/x that are written out."""
    if not isinstance(node, tree.Binary) or node.op != "/":
        return
    home = torch_prefix(reader.scene)
    softened = softmax_of(reader, node)
    if softened:
        yield f"{home}softmax({softened})", f"softmax {LARGEST_FIRST_REASON}"
    below = reader.meaning(node.right)
    x = sigmoid_of(reader, node)
    if x:
        yield f"{home}sigmoid({x})", "sigmoid never meets infinity"
    y = opposite_exponent(reader, reader.meaning(node.left), "-")
    if y and y == opposite_exponent(reader, below, "+"):
        yield f"{home}tanh({y})", "tanh never meets infinity/infinity"
    z = reader.argument(node.left, "sin")
    if z and z == reader.scene.text(node.right):
        yield f"{home}sinc({with_parentheses(z)} / 3.141592653589793)", "sinc(x/pi) is sin(x)/x, and 1 at 0"


def softmax_of(reader: FormulaReader, node: Any) -> str:
    """Return ``x, dim`` in ``exp(x) / exp(x).sum(dim)``, else an empty string."""
    if not isinstance(node, tree.Binary) or node.op != "/":
        return ""
    x, total = reader.argument(node.left, "exp"), reader.meaning(node.right)
    if not x or called_name(total) != "sum" or reader.argument(operand_of(total), "exp") != x:
        return ""
    dim = option_value(total, "dim", "axis")
    return f"{x}, {'0' if dim is None else reader.scene.text(dim)}"


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
    home, functions, x = torch_prefix(reader.scene), functional_prefix(reader.scene), reader.meaning(operand)
    y = reader.argument(x, "exp") if name == "log1p" else exponent_beside_one(reader, x)
    if y:
        yield f"{functions}softplus({y})", "softplus is log(1 + exp(x)) without the overflow"
    if name != "log":
        return
    if called_name(x) == "sum":
        y = reader.argument(operand_of(x), "exp")
        if y:
            yield f"{home}logsumexp({logsumexp_arguments(reader, x, y)})", f"logsumexp {LARGEST_FIRST_REASON}"
    y = selected_log_softmax(reader, operand)
    if y:
        yield y, "log_softmax has no logarithm of 0"
    y = scaled_log_softmax(reader, operand)
    if y:
        yield y, "log_softmax has no logarithm of 0"
    y = sigmoid_of(reader, x)
    if y:
        yield f"{functions}logsigmoid({y})", "logsigmoid has no logarithm of 0"
    if isinstance(x, tree.Binary) and x.op == "-" and is_number(x.left, 1):
        y = sigmoid_of(reader, x.right)
        if y:
            reason = "1 - sigmoid(x) is sigmoid(-x), and logsigmoid has no logarithm of 0"
            yield f"{functions}logsigmoid({negated(y)})", reason
    yield from sums_of_exponentials(reader, x)
    yield from split_logarithms(reader, x)


def sums_of_exponentials(reader: FormulaReader, x: Any) -> Iterator[Proposal]:
    """Propose functions for the logarithm of ``exp(a) + exp(b)`` and of ``exp(a) - 1``."""
    if not isinstance(x, tree.Binary) or x.op not in "+-":
        return
    home = torch_prefix(reader.scene)
    a, b = reader.argument(x.left, "exp"), reader.argument(x.right, "exp")
    if x.op == "+" and a and b:
        yield f"{home}logaddexp({a}, {b})", f"logaddexp {LARGEST_FIRST_REASON}"
    if x.op == "-" and a and is_number(x.right, 1):
        yield logarithm_of_growth(reader, "expm1", a)


def split_logarithms(reader: FormulaReader, x: Any) -> Iterator[Proposal]:
    """Propose a sum of logarithms for a product or quotient of which one factor overflows."""
    factors = factors_of(reader, x)
    for at, (factor, is_divisor) in enumerate(factors):
        for name in ("sinh", "cosh", "exp", "expm1"):
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


def factors_of(reader: FormulaReader, node: Any) -> list[tuple[Any, bool]]:
    """Return the factors of a product or quotient, each with whether it divides."""
    node = reader.meaning(node)
    if not isinstance(node, tree.Binary) or node.op not in ("*", "/"):
        return [(node, False)]
    behind = factors_of(reader, node.right)
    if node.op == "/":
        behind = [(factor, not is_divisor) for factor, is_divisor in behind]
    return factors_of(reader, node.left) + behind


def number_value(reader: FormulaReader, node: Any) -> float:
    """Return the value of a plain number; 0 for anything else."""
    value = node.value if isinstance(node, tree.Number) else reader.scene.value(node)
    return float(value) if value.__class__ in (int, float) else 0.0


def logarithm_text(reader: FormulaReader, factor: Any, is_divisor: bool) -> str:
    """Return the text of the logarithm of a factor; empty if it cannot be written."""
    text = reader.written(factor)
    return f"{'-' * is_divisor}{torch_prefix(reader.scene)}log({text})" if text else ""


def logarithm_of_growth(reader: FormulaReader, name: str, y: str) -> Proposal:
    """Return the logarithm of ``sinh(y)``, ``cosh(y)`` or ``exp(y) - 1`` without the overflow."""
    home, x = torch_prefix(reader.scene), with_parentheses(y)
    if name == "exp":
        return x, "log(exp(x)) is x, without the overflow"
    if name == "cosh":
        text = f"({y} + {functional_prefix(reader.scene)}softplus(-2 * {x}) - {LOG_2})"
        return text, "log(cosh(x)) is x + softplus(-2*x) - log(2), without the overflow"
    if name == "sinh":
        text = f"({y} + {home}log1p(-{home}exp(-2 * {x})) - {LOG_2})"
        return text, "log(sinh(x)) is x + log1p(-exp(-2*x)) - log(2), without the overflow"
    text = f"({y} + {home}log1p(-{home}exp({negated(y)})))"
    return text, "log(exp(x) - 1) is x + log1p(-exp(-x)), without the overflow"


def logsumexp_arguments(reader: FormulaReader, total: tree.Call, x: str) -> str:
    """Return the arguments of ``logsumexp`` for a sum of exponentials of ``x``."""
    given = [reader.scene.text(one) for one in options_of(total)]
    if given:
        return ", ".join([x, *given])
    inner = operand_of(reader.meaning(operand_of(total)))
    return f"{x}, 0" if reader.rank(inner) < 2 else f"{with_parentheses(x)}.flatten(), 0"


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
        return f"{torch_prefix(reader.scene)}log_softmax({softened})"
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


# -- how the script calls the library ------------------------------------------------------------------------


def torch_prefix(scene: Scene) -> str:
    """Return ``torch.`` for a script that writes it, else an empty string."""
    return "torch." if "torch." in scene.source.text else ""


def functional_prefix(scene: Scene) -> str:
    """Return the prefix that the script needs for a function of ``torch.nn.functional``."""
    if prefix := imports.functional_prefix(scene.script):
        return prefix
    if "F." in scene.source.text:
        return "F."
    return "torch.nn.functional." if torch_prefix(scene) else ""

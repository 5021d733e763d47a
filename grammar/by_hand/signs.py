"""Where a formula of the wrong sign has a minus too few or too many: ``t - h should be h - t``."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.corrections import elementwise_derivatives
from autodiff.grammar.by_hand.formula import Formula, evaluate_formula
from autodiff.grammar.by_hand.points import SamplePoints, terms_equal
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

#: How many values of the script a difference is compared with.
MOST_NODES = 500


def place_of_sign(formula: Formula, node: Node, points: SamplePoints, term: Any = None) -> str:
    """Return which minus is missing or superfluous in a formula, or a ``term`` of it, of the wrong sign.

    A difference such as ``t - h`` is the wrong way round if ``h - t`` is a value of the script or a local
    derivative, and as it should be if it is one itself.
    """
    minuses, differences = signs_of_product(formula.node if term is None else term)
    if minuses:
        return f": the minus of {formula.text(minuses[0])} is superfluous"
    known = known_values(node, points) if differences else []
    open_ones = []
    for one in differences:
        values = values_of(formula, one, points)
        turned = [-value for value in values]
        if values and any(terms_equal_in_shape(turned, other) for other in known):
            return f": {turned_round(formula, one)}"
        if values and not any(terms_equal_in_shape(values, other) for other in known):
            open_ones.append(one)
    either = f", or {turned_round(formula, open_ones[0])}" if len(open_ones) == 1 == len(differences) else ""
    return f": a minus is missing{either}"


def wrong_sign_inside(
    formula: Formula, factor: tuple[Any, int], points: SamplePoints, wanted: list[Any]
) -> str:
    """Return which term of a factor has the wrong sign, if it has the values ``wanted`` with the other."""
    node, power = factor
    if power < 0 or not isinstance(node, tree.Binary) or node.op not in ("+", "-"):
        return ""
    left, right = values_of(formula, node.left, points), values_of(formula, node.right, points)
    turned = [x - y if node.op == "+" else x + y for x, y in zip(left, right, strict=True)]
    for part, values in ((node.right, turned), (node.left, [-value for value in turned])):
        if values and terms_equal(values, wanted):
            return f": the sign of {formula.text(part)} is wrong"
    return ""


def turned_round(formula: Formula, difference: Any) -> str:
    left, right = formula.text(difference.left), formula.text(difference.right)
    if isinstance(difference.right, tree.Binary) and difference.right.op in ("+", "-"):
        right = right if right.startswith("(") else f"({right})"
    return f"{left} - {right} should be {right} - {left}"


def signs_of_product(node: Any) -> tuple[list[Any], list[Any]]:
    """Return the operands with a minus, and the differences, among the factors and divisors of a product."""
    minuses, differences, stack = [], [], [node]
    while stack:
        part = stack.pop()
        if isinstance(part, tree.Unary) and part.op in ("-", "+"):
            minuses += [part] if part.op == "-" else []
            stack.append(part.operand)
        elif isinstance(part, tree.Binary) and part.op in ("*", "/", "@"):
            stack += [part.right, part.left]
        elif isinstance(part, tree.Binary) and part.op == "-" and is_plain(part.left):
            differences.append(part)
    return minuses, differences


def is_plain(node: Any) -> bool:
    """Whether an operand of a difference is no sum itself, and has no sign."""
    return not isinstance(node, tree.Unary) and not (isinstance(node, tree.Binary) and node.op in ("+", "-"))


def known_values(node: Node, points: SamplePoints) -> list[list[Any]]:
    """Return the values of the script and the local derivatives on the way to an input, at each point."""
    found = [[run.known[one].out for run in points.runs] for one in points.subject.order[:MOST_NODES]]
    return found + [slope.values for slope in elementwise_derivatives(points, node)]


def values_of(formula: Formula, part: Any, points: SamplePoints) -> list[Any]:
    """Return the values of a part of a formula at each point; none if it has no value by itself."""
    try:
        return [np.asarray(evaluate_formula(formula.text(part), names), float) for names in points.names]
    except (UsageError, TypeError, ValueError):
        return []


def terms_equal_in_shape(a: list[Any], b: list[Any]) -> bool:
    return all(np.shape(x) == np.shape(y) for x, y in zip(a, b, strict=True)) and terms_equal(a, b)

"""A decimal number alone on the right, as ``dL/dw = -0.1586``, is that of a gradient rounded to its digits.

It has to have a decimal point and at least ``FEWEST_DIGITS`` significant digits, zeros in front not counted.
Of a list, each entry is read by itself. Other numbers are exact, and so are those in a formula of several
parts.
"""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.evaluate import TAKING_LISTS, called_name
from autodiff.grammar.by_hand.points import values_equal
from autodiff.grammar.by_hand.sentences import both_numbers
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula

FEWEST_DIGITS = 3
DECIMAL = re.compile(r"(?i)[\d_]*\.?[\d_]*(?:e[-+]?\d+)?")
#: Room for the rounding of a gradient that lies between two numbers of so many digits.
ROOM = 1e-9


class WrittenNumber:
    """A number as it is written: how many significant ``digits`` it has, and the ``unit`` of the last one.

    ``has_point`` says that digits follow a decimal point.
    """

    __slots__ = ("digits", "has_point", "unit")

    def __init__(self, text: str) -> None:
        mantissa, _, exponent = text.lower().replace("_", "").partition("e")
        whole, _, places = mantissa.partition(".")
        self.has_point = places != ""
        self.digits = len((whole + places).lstrip("0"))
        self.unit = 10.0 ** (int(exponent or "0") - len(places))

    @property
    def is_rounded(self) -> bool:
        return self.has_point and self.digits >= FEWEST_DIGITS


def written_numbers(formula: Formula) -> list[WrittenNumber]:
    """Return the numbers of a right side that is nothing but a number or a list of numbers; else none."""
    if not formula.is_expression:
        return []
    found = list(numbers_in(formula.node))
    if any(one is None for one in found):
        return []
    texts = [formula.text(one) for one in found if one is not None]
    return [WrittenNumber(text) for text in texts] if all(map(DECIMAL.fullmatch, texts)) else []


DECIMAL = re.compile(r"(?i)[\d_]*\.?[\d_]*(?:e[-+]?\d+)?")


def numbers_in(node: tree.Expression) -> Iterator[tree.Number | None]:
    """Yield the numbers of an expression that is one or a list of them; None for another part."""
    if isinstance(node, tree.Number):
        yield node
    elif isinstance(node, tree.Unary) and node.op in ("+", "-") and isinstance(node.operand, tree.Number):
        yield node.operand
    elif isinstance(node, (tree.ListDisplay, tree.TupleDisplay)):
        for one in node.elements:
            yield from numbers_in(one)
    elif isinstance(node, tree.Call) and called_name(node) in TAKING_LISTS and len(node.arguments) == 1:
        yield from numbers_in(node.arguments[0].value)
    else:
        yield None


def agreeing_digits(formula: Formula, value: Any, gradient: Any) -> str:
    """Return to which digits a written number is the gradient, in words; "" if it is not."""
    numbers = written_numbers(formula)
    if not numbers or not is_rounded_from(gradient, value, [one.unit * one.is_rounded for one in numbers]):
        return ""
    digits = {one.digits for one in numbers if one.is_rounded}
    return f"to the {digits.pop()} digits written" if len(digits) == 1 else "to the digits written"


def is_rounded_from(gradient: Any, value: Any, units: list[float]) -> bool:
    """Whether the entries of a value are those of the gradient rounded to these units; 0 is for exact."""
    if len(units) != np.size(value):
        return False
    room = np.reshape(units, np.shape(value)) / 2 * (1 + ROOM)
    return values_equal(np.asarray(value, dtype=float), np.asarray(gradient, dtype=float), room)


def digits_remarks(formula: Formula, value: Any, gradient: Any) -> list[str]:
    """Return the remark on a written number that has too few digits, or whose last one is wrong."""
    numbers = written_numbers(formula)
    units = [one.unit * (one.has_point or one.digits > 2) for one in numbers]
    if is_rounded_from(gradient, value, units) and numbers:
        at = next(at for at, one in enumerate(numbers) if not one.is_rounded)
        wanted = spelled_number(np.broadcast_to(gradient, np.shape(value)).ravel()[at])
        remark = (
            f"a number counts as rounded if it has a decimal point and at least {FEWEST_DIGITS} digits, zeros"
            f" in front not counted: {wanted}"
        )
    elif numbers and is_rounded_from(gradient, value, [2 * one.unit * one.is_rounded for one in numbers]):
        remark = "the last digit is wrong: round the gradient to the nearest number of so many digits"
    else:
        return []
    return [remark, *both_numbers(value, gradient)]


def spelled_number(value: Any) -> str:
    """Return a number with a decimal point and at least three digits."""
    number = float(value)
    is_long = 100 <= abs(number) < 1e6
    return f"{number:.1f}" if is_long else f"{number:#.{FEWEST_DIGITS}g}"

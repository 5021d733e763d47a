"""Constants that the script names, in formulas: ``(1 - y)*p``, not ``0.75*p`` where ``y`` is 0.25.

All that an op has of an operand without a gradient is a number. The op's source text has the text of the
operand, which stands in formulas if it has a name in it and comes to that number.
"""

from __future__ import annotations

from math import isclose

from autodiff.core.base.lazy_imports import np
from autodiff.core.symbolic.evaluate import OP_BY_HEAD, compute_source_head, evaluate
from autodiff.core.symbolic.expr import Expr, names_in
from autodiff.core.symbolic.literals import arrays_equal
from autodiff.core.symbolic.source_exprs import parse_operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: The text of an operand has at most this many symbols; an array's is shorter, since it stands for an array.
MOST_SYMBOLS, MOST_ARRAY_SYMBOLS = 15, 5


class NamedConstants:
    """Finds the texts of constants. ``values`` has the script's names for constants, each with its value."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._operations: dict[str, tuple[str, tuple[Expr | None, ...]]] = {}

    def operand(self, text: str, op_name: str, index: int, value: Any) -> Expr | None:
        """The operand of this ``index`` in the source text of an op, if its names come to ``value``."""
        if text not in self._operations:
            self._operations[text] = parse_operation(text)
        head, operands = self._operations[text]
        if OP_BY_HEAD.get(head, head) != op_name or index >= len(operands):
            return None
        found = operands[index]
        return found if found is not None and self.comes_to(found, value) else None

    def comes_to(self, expr: Expr, value: Any) -> bool:
        """Whether an expression of constants, with a name in it, has this value."""
        names = names_in(expr)
        if expr.head == "name" and value.__class__ is float:  # as most are; numpy need not be imported
            known = self.values.get(expr.value)
            if known.__class__ is float:
                return isclose(known, value, rel_tol=1e-14)
        if not names:
            return False
        most = MOST_SYMBOLS if np.size(value) == 1 else MOST_ARRAY_SYMBOLS
        if expr.size > most or any(name not in self.values for name in names):
            return False
        try:
            with np.errstate(all="ignore"):
                made = np.asarray(evaluate(expr, self.values, compute_source_head))
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError):
            return False
        value = np.asarray(value)
        if made.ndim == value.ndim == 0:
            return isclose(made.item(), value.item(), rel_tol=1e-14)
        return made.dtype == value.dtype and arrays_equal(made, value)

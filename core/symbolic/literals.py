"""Unnamed constants in formulas: the script's own text if it evaluates to them again, else their values.

Formulas for people show a short form, ``[0, 1, ..., 9]``. Formulas that are run get every number.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.symbolic.evaluate import compute_source_head, evaluate
from autodiff.core.symbolic.expr import Expr, names_in, number_text
from autodiff.core.symbolic.source_exprs import parse_operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: A source text is evaluated only if its expression has at most this many symbols.
MOST_SOURCE_SYMBOLS = 30


class ArrayText(str):
    """The displayed text of an array that no variable holds. It equals only the text of an equal array."""

    array: Any

    def __new__(cls, shown: str, array: Any) -> ArrayText:
        made = super().__new__(cls, shown)
        made.array = array
        return made

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayText) and str.__eq__(self, other) and arrays_equal(self.array, other.array)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other


def entries_text(array: Any, most: int) -> str:
    """The entries of an array. If there are more than ``most``, the first row, shortened to its ends.

    >>> import numpy
    >>> entries_text(numpy.arange(3.0), 4), entries_text(numpy.arange(9), 4)
    ('[0.0, 1.0, 2.0]', '[0, 1, ..., 8]')
    >>> entries_text(numpy.ones((4, 2)), 4)
    '[[1, 1], ...]'
    """
    if array.size <= most:
        return str(array.tolist())
    if not array.ndim:
        return number_text(array.item(), 3)
    if array.ndim > 1:
        return f"[{', '.join([entries_text(row, 0) for row in array[:1]] + ['...'] * (len(array) > 1))}]"
    entries = [number_text(entry, 3) for entry in array.tolist()]
    return f"[{', '.join(entries if len(entries) <= 3 else [*entries[:2], '...', entries[-1]])}]"


def arrays_equal(a: Any, b: Any) -> bool:
    """Whether two arrays have the same kind, shape and entries. Two nans count as equal."""
    return bool(
        a.dtype.kind == b.dtype.kind and a.shape == b.shape and ((a == b) | ((a != a) & (b != b))).all()
    )


def source_expr_of_constant(text: str, array: Any, values: Mapping[str, Any]) -> Expr | None:
    """The operand in a source text that evaluates to ``array``; None if no operand does.

    >>> import numpy
    >>> x = numpy.array([1.0, -1.0])
    >>> print(source_expr_of_constant("where(x > 0, x, 0.)", x > 0, {"x": x}))
    x > 0
    """
    for expr in parse_operands(text):
        if expr.size > MOST_SOURCE_SYMBOLS or expr.head in ("name", "number"):
            continue
        if not set(names_in(expr)) <= values.keys():
            continue
        try:
            with np.errstate(all="ignore"):
                value = np.asarray(evaluate(expr, values, compute_source_head))
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError):
            continue
        if arrays_equal(value, array):
            return expr
    return None

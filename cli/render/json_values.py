"""Numbers, tensors and expressions as JSON.

Numbers are exact; values without a JSON number (nan, infinities, integers above 2**53) are strings.
"""

from __future__ import annotations

from autodiff.core.report.array_summary import ArraySummary, summarized
from autodiff.core.symbolic.expr import Expr, postorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_EXACT = 1 << 53
#: Larger expressions have only their text: readers of JSON have limits of depth.
MOST_SYMBOLS, MOST_LEVELS = 2_000, 100


def count(value: int) -> int | str:
    if -LARGEST_EXACT <= value <= LARGEST_EXACT:
        return value
    try:
        return str(value)
    except ValueError:  # more digits than Python converts to decimal; hexadecimal has no limit
        return hex(value)


def plain(value: Any) -> Any:
    """A value as JSON: numbers, lists and None, with strings where JSON has no number."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        if value - value == 0:
            return float(value)
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return plain(value.tolist())


def brief(value: Any) -> Any:
    """As ``plain``, with a summary in place of the entries of a large tensor."""
    value = value if isinstance(value, ArraySummary) else summarized(value)
    if not isinstance(value, ArraySummary):
        return plain(value)
    return {
        "shape": list(value.shape),
        "dtype": value.dtype,
        "min": plain(value.least),
        "max": plain(value.greatest),
        "norm": plain(value.norm),
        "not_finite": value.lost,
    }


def tree(root: Expr | None) -> Any:
    """An expression as nested JSON: a number, a name as a string, or an object with ``head`` and ``args``.

    None if there is no expression, or if it is large.

    >>> from autodiff.core.symbolic.expr import call, infix, name_expr, number_expr
    >>> tree(infix("*", number_expr(2), call("sin", name_expr("x"))))
    {'head': '*', 'args': [2, {'head': 'call', 'value': 'sin', 'args': ['x']}]}
    """
    if root is None or root.size > MOST_SYMBOLS:
        return None
    made: dict[int, Any] = {}
    levels: dict[int, int] = {}
    for expr in postorder(root):
        levels[id(expr)] = 1 + max((levels[id(arg)] for arg in expr.args), default=0)
        if expr.head == "name":
            made[id(expr)] = str(expr.value)
        elif expr.head == "number":
            value = plain(expr.value)
            made[id(expr)] = {"head": "number", "value": value} if isinstance(value, str) else value
        else:
            entry: dict[str, Any] = {"head": expr.head}
            if expr.value is not None:
                entry["value"] = str(expr.value)
            entry["args"] = [made[id(arg)] for arg in expr.args]
            if expr.details:
                entry["details"] = list(expr.details)
            made[id(expr)] = entry
    return made[id(root)] if levels[id(root)] <= MOST_LEVELS else None

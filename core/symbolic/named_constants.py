"""Constants that the script names, in formulas: ``(1 - y)*p``, not ``0.75*p`` where ``y`` is 0.25.

All that an op has of an operand without a gradient is a number. The op's source text has the text of the
operand, which stands in formulas if it has a name in it and comes to that number.
"""

from __future__ import annotations

from math import isclose

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.op import OPS
from autodiff.core.symbolic.evaluate import OP_BY_HEAD, compute_source_head, evaluate
from autodiff.core.symbolic.expr import Expr, names_in
from autodiff.core.symbolic.literals import arrays_equal
from autodiff.core.symbolic.source_exprs import parse_operation
from autodiff.core.symbolic.symbol import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.graph.node import Node

#: A constant is looked up in the source text that uses it if that has at most this many characters.
MAX_SOURCE_LENGTH = 400
#: The text of an operand has at most this many symbols; an array's is shorter, since it stands for an array.
MOST_SYMBOLS, MOST_ARRAY_SYMBOLS = 15, 5
#: What ``@`` is of vectors and matrices.
PRODUCTS = frozenset(["matmul", "mm", "mv", "dot", "bmm"])


class NamedConstants:
    """Finds the texts of constants. ``values`` has the script's names for constants, each with its value."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._operations: dict[str, tuple[str, tuple[Expr | None, ...]]] = {}

    def of_node(self, node: Node, index: int, source: Source) -> Expr | None:
        """The operand ``index`` of a node, if the script writes it with names that come to its value."""
        site = node.site
        if site is None or node.op is None or site.end - site.start > MAX_SOURCE_LENGTH:
            return None
        return self.operand(source.excerpt(site), node.op.name, index, node.operands[index])

    def operand(self, text: str, op_name: str, index: int, value: Any) -> Expr | None:
        """The operand of this ``index`` in the source text of an op, if its names come to ``value``."""
        if text not in self._operations:
            self._operations[text] = parse_operation(text)
        head, operands = self._operations[text]
        is_same = op_name in PRODUCTS if head == "@" else OP_BY_HEAD.get(head, head) == op_name
        found = operands[index] if is_same and index < len(operands) else None
        if found is None or self.comes_to(found, value):
            return found
        return self.entry(found, value)

    def entry(self, expr: Expr, value: Any) -> Expr | None:
        """The entry of a constant array that ``xs[t]`` is in a loop: ``xs[3]``; None for others."""
        if expr.head != "postfix" or expr.value[0] != "[" or expr.args[0].head != "name":
            return None
        whole = self.values.get(expr.args[0].value)
        if not isinstance(whole, np.ndarray) or not whole.ndim:
            return None
        place = place_in_memory(whole, value) if np.ndim(value) else only_place(whole, value)
        if place is None:
            return None
        written: Symbol = OPS["part"](Symbol(expr.args[0], whole.shape), basic=place, advanced=())
        return written.expr

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


def place_in_memory(whole: Any, part: Any) -> tuple[int, ...] | None:
    """The indices of a part of an array that is a view of it, as ``X[3]`` and ``X[0, 1]`` are; else None.

    >>> X = np.zeros((4, 3))
    >>> place_in_memory(X, X[3]), place_in_memory(X, X[3].copy()), place_in_memory(X, X[:, 1])
    ((3,), None, None)
    """
    depth = whole.ndim - part.ndim
    is_alike = whole.shape[depth:] == part.shape and whole.strides[depth:] == part.strides
    if depth <= 0 or not is_alike or not np.may_share_memory(whole, part):
        return None
    offset = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    place = []
    for stride in whole.strides[:depth]:
        at, offset = divmod(offset, stride) if stride > 0 else (0, offset)
        place.append(at)
    is_inside = all(0 <= at < size for at, size in zip(place, whole.shape, strict=False))
    return tuple(place) if offset == 0 and is_inside else None


def only_place(whole: Any, value: Any) -> tuple[int, ...] | None:
    """The indices of the only entry of an array that is this number; None if no or several entries are.

    >>> only_place(np.array([2.0, 5.0]), 5.0), only_place(np.array([5.0, 5.0]), 5.0)
    ((1,), None)
    """
    found = np.argwhere(whole == value)
    return tuple(map(int, found[0])) if len(found) == 1 else None

"""Entries of results that keep their values wherever the inputs move, as that of ``t/tau`` where t is 0.

Their derivatives are exactly 0, in whatever formula they stand. The chain rule may give nan for them: the
slope of ``(t/tau)**0.8`` in its base is infinite at 0, and infinity times 0 is nan. An infinity is a value
too: ``exp(-tau/t)`` is 0 at t = 0 for every tau above 0.
"""

from __future__ import annotations

from functools import reduce

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import nodes_leading_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node


def fixed_entries(order: list[Node], inputs: Sequence[Node]) -> dict[Node, Any]:
    """Return masks of the entries that have the same value all around the values of the ``inputs``.

    ``order`` is that of a pass, newest first. Nodes without such entries are left out. Only elementwise ops
    are looked at.
    """
    leading = nodes_leading_to(order, inputs)
    moving = {*leading, *inputs}
    found: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in reversed(leading):
            if node in inputs or not isinstance(node, OpNode) or not node.op.is_elementwise:
                continue
            masks = [below not in moving or found.get(below, False) for below in node.inputs]
            mask = fixed_in(node, masks)
            if mask.any():
                found[node] = np.broadcast_to(mask, node.shape)
    return found


def fixed_in(node: OpNode, masks: Sequence[Any]) -> Any:
    """Return which entries of a result are fixed, given which of the operands' are.

    Those are whose operands all are, and those that one fixed operand decides alone, a 0 or an infinity.
    """
    fixed = reduce(np.logical_and, masks)
    if node.op.name in DECIDING:
        x, y = map(np.asarray, node.operands)
        decides = DECIDING[node.op.name]
        fixed = fixed | (masks[0] & decides[0](x, y)) | (masks[1] & decides[1](y, x))
    return fixed & ~np.isnan(node.out)


def is_zero_or_infinite(x: Any, other: Any) -> Any:
    """Where a number times another, or divided by it, is the same all around the other."""
    return ((x == 0) | np.isinf(x)) & np.isfinite(other) & (other != 0)


def is_infinite(x: Any, other: Any) -> Any:
    """Where a number is the same after finite ones are added to it."""
    return np.isinf(x) & np.isfinite(other)


def is_pole(x: Any, other: Any) -> Any:
    """Where a base is 0 or infinite, so that powers are the same all around an exponent that is not 0."""
    return ((x == 0) | (x == np.inf)) & (other != 0)


def is_no_exponent(x: Any, other: Any) -> Any:
    return np.zeros(np.broadcast_shapes(np.shape(x), np.shape(other)), bool)


#: Where the first operand decides a result alone, given the second, and the other way round.
DECIDING = {
    "mul": (is_zero_or_infinite, is_zero_or_infinite),
    "div": (is_zero_or_infinite, is_zero_or_infinite),
    "add": (is_infinite, is_infinite),
    "sub": (is_infinite, is_infinite),
    "pow": (is_pole, is_no_exponent),
}

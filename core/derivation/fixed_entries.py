"""Entries of results that keep their values wherever the inputs move, as that of ``t/tau`` where t is 0.

Their derivatives are exactly 0, in whatever formula they stand. The chain rule may give nan for them: the
slope of ``(t/tau)**0.8`` in its base is infinite at 0, and infinity times 0 is nan.
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

    Those are whose operands all are, and those that a fixed 0 makes 0.
    """
    fixed = reduce(np.logical_and, masks)
    if node.op.name in ("mul", "div", "pow"):
        x, y = map(np.asarray, node.operands)
        zero = masks[0] & (x == 0)
        if node.op.name == "mul":
            fixed = fixed | (zero & np.isfinite(y)) | (masks[1] & (y == 0) & np.isfinite(x))
        else:
            fixed = fixed | (zero & (y > 0 if node.op.name == "pow" else np.isfinite(y) & (y != 0)))
    return fixed & np.isfinite(node.out)

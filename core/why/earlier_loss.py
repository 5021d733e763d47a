"""Values that were not finite before the one at hand: an infinity may end as a 0, as in 1/inf.

Then what is computed from the 0 is no cause of its own. Whether it is so is tested: large finite numbers
replace what was not finite, and the ops in between are computed again.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.op_table import FILLING_OPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

#: At most so many earlier values are tried, the oldest first, and only in graphs of at most so many nodes.
MOST_TRIED, MOST_NODES = 3, 1_000
#: The power of the largest number that replaces an infinity, so that sums stay finite: 1e200 in float64.
EXPONENT_SHARE = 0.65


def earlier_loss(node: OpNode) -> OpNode | None:
    """The oldest op below ``node`` without whose infinity or nan ``node`` would be finite; None if none."""
    below = newest_first([node])
    if len(below) > MOST_NODES or any(isinstance(one, OpNode) and is_custom(one.op) for one in below):
        return None
    lost = [
        one
        for one in reversed(below)
        if one is not node
        and isinstance(one, OpNode)
        and one.op.name not in FILLING_OPS
        and not _is_finite(one.out)
        and all(map(_is_finite, one.operands))
    ]
    for one in lost[:MOST_TRIED]:
        if _is_finite_without(one, node, below):
            return one
    return None


def _is_finite_without(lost: OpNode, node: OpNode, below: list[Node]) -> bool:
    """Whether ``node`` would be finite if ``lost`` had large numbers where it is not finite."""
    out = np.asarray(lost.out)
    large = np.asarray(np.finfo(out.dtype).max, out.dtype) ** EXPONENT_SHARE
    values: dict[Node, Any] = {lost: np.where(np.isfinite(out), out, np.copysign(large, out))}
    for one in reversed(below):
        if one in values or not isinstance(one, OpNode) or not any(other in values for other in one.inputs):
            continue
        operands = [
            values.get(other, value) if other is not None else value
            for other, value in zip(one.inputs, one.operands, strict=True)
        ]
        try:
            with np.errstate(all="ignore"):
                values[one] = one.op.forward(*operands, **one.params)
        except (AutodiffError, ArithmeticError, TypeError, ValueError):
            return False
    return node in values and _is_finite(values[node])


def _is_finite(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())

"""The vector-Jacobian products of one node: what its operands receive for a cotangent of its result."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import Node, OpNode, ScalarNode
from autodiff.core.graph.op import Op
from autodiff.core.graph.values import as_array, as_stored, fit_to_operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def node_contributions(node: Node, g: Any, within: Collection[Node] | None = None) -> list[tuple[Node, Any]]:
    """Return each tracked input of ``node`` with its contribution (a float or array) for cotangent ``g``.

    With ``within``, only the inputs among these nodes.
    """
    assert isinstance(node, OpNode)
    node.check_saved()
    if node.op.__class__ is not Op:  # a custom function, where one call of `backward` serves all operands
        node.op.reset_rule_cache()
        g = np.asarray(g)
    pulled = []
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked and (within is None or below in within):
            c = edge_pullback_or_none(node, index, g)
            if c is not None:
                pulled.append((below, c))
    return pulled


def edge_pullback(node: OpNode, index: int, g: Any) -> Any:
    """Return the contribution to operand ``index`` of ``node`` for cotangent ``g``: a float or an array.

    This follows one edge of the graph; applied edge by edge along a path, it gives the path's contribution.
    """
    c = edge_pullback_or_none(node, index, g)
    return as_stored(np.zeros(np.shape(node.operands[index]))) if c is None else c


def edge_pullback_or_none(node: OpNode, index: int, g: Any) -> Any:
    """As ``edge_pullback``, and None where a custom ``backward`` says that there is no gradient."""
    if isinstance(node, ScalarNode):
        return scalar_edge_pullback(node, index, g)
    op, out, operands, params = node.op, node.out, node.operands, node.params
    if out.__class__ is float:
        g, out = np.asarray(g), np.asarray(out)
    try:
        c = op.contribution(index, g, out, operands, params)
    except ArithmeticError:  # a plain number among the operands: 1 / 0 raises where arrays answer inf
        c = op.contribution(index, g, out, tuple(as_array(v, out.dtype) for v in operands), params)
    if c is None:
        return None
    return fit_to_operand(c, operands[index], op)


def scalar_edge_pullback(node: ScalarNode, index: int, g: float) -> float:
    """Like ``edge_pullback`` for Python floats."""
    return node.op.scalar_contribution(index, g, node.out, node.operands)

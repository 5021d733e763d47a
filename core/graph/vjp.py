"""The vector-Jacobian products of one node: what its operands receive for a cotangent of its result."""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.graph.node import Node, OpNode, ScalarNode
from autodiff.core.graph.op import Op
from autodiff.core.graph.values import as_array, fitted, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def pull_back(node: Node, g: Any) -> list[tuple[Node, Any]]:
    """Return each tracked input of ``node`` with its contribution (a float or array) for cotangent ``g``."""
    assert isinstance(node, OpNode)
    node.check_saved()
    if node.op.__class__ is not Op:  # a custom function, where one call of `backward` serves all operands
        node.op.begin_pass()
        g = np.asarray(g)
    pulled = []
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked:
            c = pull_edge_or_none(node, index, g)
            if c is not None:
                pulled.append((below, c))
    return pulled


def pull_edge(node: OpNode, index: int, g: Any) -> Any:
    """Return the contribution to operand ``index`` of ``node`` for cotangent ``g``: a float or an array.

    This follows one edge of the graph; applied edge by edge along a path, it gives the path's contribution.
    """
    c = pull_edge_or_none(node, index, g)
    return settle(np.zeros(np.shape(node.operands[index]))) if c is None else c


def pull_edge_or_none(node: OpNode, index: int, g: Any) -> Any:
    """As ``pull_edge``, and None where a custom ``backward`` says that there is no gradient."""
    if isinstance(node, ScalarNode):
        return pull_scalar_edge(node, index, g)
    op, out, operands, params = node.op, node.out, node.operands, node.params
    if out.__class__ is float:
        g, out = np.asarray(g), np.asarray(out)
    try:
        c = op.contribution(index, g, out, operands, params)
    except ArithmeticError:  # a plain number among the operands: 1 / 0 raises where arrays answer inf
        c = op.contribution(index, g, out, tuple(as_array(v, out.dtype) for v in operands), params)
    if c is None:
        return None
    return fitted(c, operands[index], op)


def pull_scalar_edge(node: ScalarNode, index: int, g: float) -> float:
    """Like ``pull_edge`` for Python floats."""
    return node.op.contribution_of_numbers(index, g, node.out, node.operands)

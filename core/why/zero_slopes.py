"""Zeros that come from an op further down, whose slope is 0 there as well."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import vjp_of_ones
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.op_table import FLAT_AT_ZERO_OPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.core.paths.path_sum import Edge


def is_flat_at_zero(node: OpNode) -> bool:
    """Whether an op has the slope 0 where its operand is 0."""
    is_product = node.op.name == "mul" and node.inputs[0] is node.inputs[1]
    return node.op.name in FLAT_AT_ZERO_OPS or is_product


def zero_edge_below(node: Node | None, useful: set[Node]) -> Edge | None:
    """The lowest edge below a node of zeros that made the zeros and passes on 0 for any gradient; else None.

    The search goes through ``useful`` nodes only and stops where the graph branches.
    """
    found = None
    while isinstance(node, OpNode) and not np.any(node.out) and not is_custom(node.op):
        ways = [index for index, below in enumerate(node.inputs) if below in useful]
        if len({node.inputs[index] for index in ways}) != 1:
            break
        if not any(np.any(vjp_of_ones((node, index))) for index in ways):
            found = (node, ways[0])
        node = node.inputs[ways[0]]
    return found

"""Values that a script computes again after its output, as ``z = x @ w`` where a function had its own.

The gradient by such a value is 0, for nothing uses it. A derivation means the equal value in the graph.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.graph.node import Node


def equal_node(node: Node, order: Sequence[Node]) -> Node:
    """Return the node of a graph that the same ops make of the same tensors; ``node`` if there is none.

    ``order`` has the nodes of the graph, the newest first.
    """
    if not isinstance(node, OpNode) or node in order:
        return node
    equal = {one: one for one in order}
    made = {key: one for one in order if (key := made_from(one, equal)) is not None}
    for one in reversed(newest_first([node])):
        key = None if one in equal else made_from(one, equal)
        other = None if key is None else made.get(key)
        if other is not None and np.array_equal(other.out, one.out):
            equal[one] = other
    return equal.get(node, node)


def made_from(node: Node, equal: dict[Node, Node]) -> tuple[str, tuple[Node | None, ...]] | None:
    """Return the op with its tracked inputs, each as its equal one; None for a leaf or without these."""
    if not isinstance(node, OpNode):
        return None
    inputs = [None if one is None or not one.tracked else equal.get(one, node) for one in node.inputs]
    return None if node in inputs else (node.op.name, tuple(inputs))

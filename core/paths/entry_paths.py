"""How many paths reach each entry of an input, where the graph moves entries: rows filled in one by one.

Every path through a tensor counts in a graph of tensors, also where the entry that it carries was overwritten
or is another one. Between entries there are far fewer paths.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.op import OPS
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node

#: Ops whose rules only move entries, and add those that were copied.
MOVING_OPS = frozenset(
    "clone expand flip index_put narrow part permute reshape select slice squeeze sum t transpose"
    " unsqueeze".split()
)


def paths_by_entry(leading: Sequence[Node]) -> Any:
    """The number of paths to each entry of the last of ``leading``, an array; None if that is not known.

    ``leading`` are the nodes between an output of one entry and an input, newest first. A path to an entry
    of an elementwise op is one to the entries of its operands; other ops than MOVING_OPS are not known.
    """
    useful = set(leading)
    root = leading[0]
    counts: dict[Node, Any] = {root: np.ones(np.shape(root.out))}
    for node in leading[:-1]:
        reached = counts.pop(node, None)
        if reached is None or not isinstance(node, OpNode) or is_custom(node.op):
            return None
        for index, below in enumerate(node.inputs):
            if below is None or below not in useful:
                continue
            if node.op.is_elementwise:
                passed = OPS["sum_to"](
                    np.broadcast_to(reached, np.shape(node.out)), shape=np.shape(below.out)
                )
            elif node.op.name in MOVING_OPS:
                passed = np.asarray(edge_contribution((node, index), reached))
            else:
                return None
            counts[below] = counts[below] + passed if below in counts else passed
    return counts.get(leading[-1])

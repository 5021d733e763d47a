"""Counts the nodes of the graph that are alive. Asked for only after as many were made as are allowed."""

from __future__ import annotations

import gc

from autodiff.core.base.errors import LimitError
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import count_entries, is_written
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.graph.state import mode

KINDS = frozenset([ArrayNode, Leaf, ScalarNode])


def check_nodes() -> int:
    """How many nodes are alive, without those that were let go of; a LimitError when they are too many.

    Of a tape the entries count that lead to some tensor, whether nodes were made of them or not.
    """
    things = gc.get_objects()
    alive = sum(1 for thing in things if thing.__class__ in KINDS)
    alive += count_entries([x for x in things if x.__class__ is Tensor and is_written(x)])
    if alive > limits.nodes:
        raise LimitError(
            f"the graph has more than {limits.nodes:,} nodes",
            code="E0504",
            caret="it was still growing here",
            help=(
                "call backward() more often, put what needs no gradient under `with torch.no_grad():`, or"
                " raise the limit with --max-nodes",
            ),
            span=mode.site,
        )
    return alive

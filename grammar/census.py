"""Counts the nodes of the graph that are alive. Asked for only after as many were made as are allowed."""

from __future__ import annotations

import gc

from autodiff.core.errors import LimitError
from autodiff.core.limits import limits
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Leaf, ScalarNode

KINDS = frozenset([ArrayNode, Leaf, ScalarNode])


def check_nodes() -> int:
    """How many nodes are alive, without those that were let go of; a LimitError when they are too many."""
    alive = sum(1 for thing in gc.get_objects() if thing.__class__ in KINDS)
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

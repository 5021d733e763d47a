"""Counts the graph's nodes that are alive. Used only after as many nodes were made as the limit allows."""

from __future__ import annotations

import gc

from autodiff.core.base.errors import LimitError
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import count_operations, is_tape_entry
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.graph.state import mode

NODE_CLASSES = frozenset([ArrayNode, Leaf, ScalarNode])


def check_node_count() -> int:
    """Return how many nodes are alive; raise a LimitError if they are too many.

    Entries of a tape count if they lead to an existing tensor, even before nodes are made of them.
    """
    alive = living_nodes()
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


def living_nodes() -> int:
    """How many nodes and entries of tapes are alive.

    The list of all objects ends with this function: held by the frames of an error, it would keep everything
    alive, and a tuple that Python is filling could not grow.
    """
    things = gc.get_objects()  # of other libraries too, whose `__class__` may run code: type() does not
    alive = sum(1 for thing in things if type(thing) in NODE_CLASSES)
    return alive + count_operations([x for x in things if type(x) is Tensor and is_tape_entry(x)])

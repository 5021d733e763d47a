"""The nodes below an output, in topological order: each before its inputs."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter

from autodiff.core.graph.node import Node, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_number = attrgetter("number")

VISITED = object()


def newest_first(roots: Iterable[Node]) -> list[Node]:
    """Return every tracked node below the roots, each before its inputs."""
    found: list[Node] = []
    stack = list(roots)
    push, pop, keep = stack.append, stack.pop, found.append
    try:
        while True:  # Python 3.11 specializes a loop that is entered only once only if it ends like this
            if not stack:
                break
            node = pop()
            if node.scratch is not None:
                continue
            node.scratch = VISITED
            keep(node)
            if node.__class__ is ScalarNode:  # unrolled, because scalar programs spend their time here
                below = node.b
                if (
                    below is not None
                    and below.scratch is None
                    and (below.__class__ is ScalarNode or below.tracked)
                ):
                    push(below)
                below = node.a
                if (
                    below is not None
                    and below.scratch is None
                    and (below.__class__ is ScalarNode or below.tracked)
                ):
                    push(below)
                continue
            for below in node.inputs:
                if below is not None and below.scratch is None and below.tracked:
                    push(below)
    finally:
        for node in found:
            node.scratch = None
    # Creation order is a topological order.
    found.sort(key=_number, reverse=True)
    return found


def nodes_leading_to(order: list[Node], wanted: Iterable[Node]) -> list[Node]:
    """Return the nodes of ``order`` from which a wanted node can be reached; a pass may skip the others."""
    marked = list(wanted)  # marks take less memory than a set of millions of nodes
    kept = []
    for node in marked:
        node.scratch = VISITED
    try:
        for node in reversed(order):
            if node.__class__ is ScalarNode:
                a, b = node.a, node.b
                leads = (a is not None and a.scratch is not None) or (b is not None and b.scratch is not None)
            else:
                leads = any(below is not None and below.scratch is not None for below in node.inputs)
            if leads or node.scratch is not None:
                node.scratch = VISITED
                kept.append(node)
    finally:
        for node in chain(kept, marked):
            node.scratch = None
    kept.reverse()
    return kept


def down_to_inputs(order: list[Node], inputs: Iterable[Node]) -> tuple[list[Node], set[Node]]:
    """Return the nodes of ``order`` (newest first) without those that only inputs are made of.

    Also return the inputs that end the graph: not those made of another one, as paths lead through them.
    """
    wanted = list(inputs)
    leading = set(nodes_leading_to(order, wanted))
    ends = {node for node in wanted if not any(below in leading for below in node.inputs)}
    reached = {order[0]}
    kept = []
    for node in order:
        if node in reached:
            kept.append(node)
            if node not in ends:
                reached.update(below for below in node.inputs if below is not None)
    return kept, ends

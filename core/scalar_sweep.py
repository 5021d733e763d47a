"""The short way back through programs of single numbers: nodes are found while cotangents flow through them.

The engine without this module (``AUTODIFF_FAST=0``) finds the nodes first, follows rules from their records,
and comes to the same numbers. What is spelled out here is spelled out because scalar programs spend their
time in it.
"""

from __future__ import annotations

from operator import attrgetter

from autodiff.core.node import Leaf, Node, ScalarNode
from autodiff.core.recipes import (
    CALL_X,
    MINUS_CALL_X,
    NEGATED,
    NONE,
    SAME,
    TIMES,
    TIMES_OUT,
    TIMES_X,
    TIMES_Y,
    recipe_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_number = attrgetter("number")

#: A node that would have to wait behind more others than this shows a wide graph, which is searched at once.
NEAR = 16


def sweep_scalars(order: list[Node], seeds: dict[Node, Any], inner: bool) -> dict[Node, Any] | None:
    """As ``sweep``; None where there is more than numbers, or something to be refused, in the graph.

    The cotangents of nodes that are not leaves are answered where ``inner`` asks.
    """
    for node in order:
        if node.mark is not None or (node.__class__ is not ScalarNode and node.__class__ is not Leaf):
            return None
    known: dict[Node, Any] = {}
    if not _swept(seeds, of_numbers(reversed(order)), [], known, inner, is_complete=True):
        return None
    return {node: known[node] for node in order if node in known}


def find_and_sweep(seeds: dict[Node, Any]) -> tuple[list[Node], dict[Node, Any]] | None:
    """Every tracked node below the seeds, newest first, and the cotangents of leaves; or None, as above."""
    for node in seeds:
        if node.__class__ is not ScalarNode and (node.__class__ is not Leaf or node.mark is not None):
            return None
    order: list[Node] = []
    known: dict[Node, Any] = {}
    if not _swept(seeds, of_numbers(sorted(seeds, key=_number)), order, known, inner=False):
        return None
    leaves = sorted(known, key=_number, reverse=True)
    is_sorted = not order or not leaves or leaves[0].number < order[-1].number
    order += leaves
    if not is_sorted:
        order.sort(key=_number, reverse=True)
    return order, known


def of_numbers(nodes: Iterable[Node]) -> list[ScalarNode]:
    return [node for node in nodes if node.__class__ is ScalarNode]


def _swept(
    seeds: dict[Node, Any],
    waiting: list[ScalarNode],
    order: list[Node],
    known: dict[Node, Any],
    inner: bool,
    is_complete: bool = False,
) -> bool:
    """Pass the seeds down to the leaves; whether that could be done.

    ``waiting`` are the nodes to visit, oldest first; unless it ``is_complete`` their inputs are put there.
    Visited nodes are entered in ``order``, the cotangents of leaves, and of ``inner`` nodes, in ``known``. On
    the way cotangents are kept on the nodes.
    """
    from autodiff.core.sweep import pull_scalar_edge

    reached: list[Node] = list(seeds)  # what is not waiting and has a cotangent nevertheless
    is_wide = False
    try:
        for node, seed in seeds.items():
            if seed.__class__ is not float:
                return False
            node.g = seed
        while waiting:
            if is_wide:
                waiting, is_wide, is_complete = everything_below(waiting), False, True
            node = waiting.pop()
            g = node.g
            if g is None:
                continue
            if node.mark is not None:
                return False
            node.g = None
            order.append(node)
            if inner:
                known[node] = g
            op = node.op
            recipe = op.recipe
            if recipe is None:
                recipe = op.recipe = recipe_of(op)
            a, b = node.a, node.b
            c: Any
            if a is None:
                pass
            elif a.__class__ is ScalarNode or a.tracked:
                kind, rule = recipe[0]
                if kind == SAME:
                    c = g
                elif kind == TIMES_Y:
                    c = g * (node.constant if b is None else b.out)
                else:
                    c = None
                    try:
                        if kind == CALL_X:
                            c = g * rule(a.out)
                        elif kind == TIMES:
                            y = node.constant if b is None else b.out
                            c = g * (rule(node.out, a.out) if y is None else rule(node.out, a.out, y))
                        elif kind == NEGATED:
                            c = -g
                        elif kind == TIMES_OUT:
                            c = g * node.out
                        elif kind == TIMES_X:
                            c = g * a.out
                        elif kind == MINUS_CALL_X:
                            c = g * -rule(a.out)
                        elif kind == NONE:
                            c = 0.0
                    except (ArithmeticError, ValueError):
                        pass
                    if c.__class__ is not float:
                        c = pull_scalar_edge(node, 0, g)
                before = a.g
                if before is not None:
                    a.g = before + c
                else:
                    a.g = c
                    if a.__class__ is not ScalarNode:
                        reached.append(a)
                        if a.__class__ is not Leaf or a.mark is not None:
                            return False
                    elif is_complete:
                        reached.append(a)
                    elif not waiting or a.number > waiting[-1].number:
                        waiting.append(a)
                    else:
                        is_wide = put(waiting, a)
            elif a.mark is not None:
                return False
            if b is None:  # the same for the other operand: a call for each would take half as long again
                pass
            elif b.__class__ is ScalarNode or b.tracked:
                kind, rule = recipe[1]
                if kind == SAME:
                    c = g
                elif kind == TIMES_X:
                    c = g * (node.constant if a is None else a.out)
                else:
                    c = None
                    try:
                        if kind == TIMES:
                            c = g * rule(node.out, node.constant if a is None else a.out, b.out)
                        elif kind == NEGATED:
                            c = -g
                        elif kind == TIMES_OUT:
                            c = g * node.out
                        elif kind == TIMES_Y:
                            c = g * b.out
                        elif kind == NONE:
                            c = 0.0
                    except (ArithmeticError, ValueError):
                        pass
                    if c.__class__ is not float:
                        c = pull_scalar_edge(node, 1, g)
                before = b.g
                if before is not None:
                    b.g = before + c
                else:
                    b.g = c
                    if b.__class__ is not ScalarNode:
                        reached.append(b)
                        if b.__class__ is not Leaf or b.mark is not None:
                            return False
                    elif is_complete:
                        reached.append(b)
                    elif not waiting or b.number > waiting[-1].number:
                        waiting.append(b)
                    elif put(waiting, b):
                        is_wide = True
            elif b.mark is not None:
                return False
        known.update((node, node.g) for node in reached if node.__class__ is Leaf)
        return True
    finally:
        for node in reached:
            node.g = None
        for node in waiting:
            node.g = None


def put(waiting: list[ScalarNode], node: ScalarNode) -> bool:
    """Have a node wait in its place, which is not the last; whether that is too far off for this list."""
    number = node.number
    at = len(waiting) - 1
    last = at - NEAR
    while at and waiting[at - 1].number > number:
        at -= 1
        if at == last:
            waiting.append(node)
            return True
    waiting.insert(at, node)
    return False


def everything_below(waiting: list[ScalarNode]) -> list[ScalarNode]:
    """The nodes that can be reached from these, oldest first."""
    from autodiff.core.sweep import newest_first

    cotangents = [node.g for node in waiting]
    for node in waiting:
        node.g = None
    found = newest_first(waiting)
    for node, g in zip(waiting, cotangents, strict=True):
        node.g = g
    return of_numbers(reversed(found))

"""The Hessian of a long program of numbers times a vector, by two passes over its graph that record nothing.

The first pass carries the derivative of every value along the vector forward, the second one the gradient and
its derivative backward (B. A. Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6,
1994). A pass that is recorded (``AUTODIFF_FAST=0``) makes two nodes for each product of the program, and a
second pass runs over all of them: four times the time and twice the memory.
"""

from __future__ import annotations

from array import array
from math import isfinite

from autodiff.core.fast.rule_analysis import (
    NEGATED,
    NONE,
    PRODUCT,
    SAME,
    SUM,
    TIMES_OUT,
    TIMES_X,
    TIMES_Y,
    UNKNOWN,
    analyse_op,
)
from autodiff.core.graph.node import Leaf, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node

#: Shorter programs are recorded.
SHORTEST = 10_000
#: Rules whose derivative needs no call: constants, and saved values.
PLAIN_RULES = frozenset([SAME, NEGATED, NONE, TIMES_X, TIMES_Y, TIMES_OUT])


def hessian_times(
    order: Sequence[Node], seed: Any, inputs: Sequence[Node], vector: Sequence[float]
) -> list[float] | None:
    """The second derivatives by the ``inputs`` times a vector, of the first node of ``order`` times ``seed``.

    ``order`` has all tracked nodes, newest first. None where the pass has to be recorded: for few nodes, for
    others than numbers, for inputs that are results, for rules that compute, and for a result that is not
    finite.
    """
    if len(order) < SHORTEST or any(node.__class__ is not Leaf for node in inputs):
        return None
    if not all(map(is_plain, order)) or not all(map(is_plain, inputs)):
        return None
    if not all(has_plain_rules(op) for op in {node.op for node in order if node.__class__ is ScalarNode}):
        return None
    low = min(node.number for node in order)
    count = order[0].number - low + 1
    if count > 4 * len(order):
        return None
    moves = array("d", bytes(8 * count))
    for node, part in zip(inputs, vector, strict=True):
        if node.tracked and low <= node.number < low + count:
            moves[node.number - low] += part
    move_values(order, low, moves)
    slopes = slopes_along(order, low, moves, float(seed))
    found = [slopes[node.number - low] if low <= node.number < low + count else 0.0 for node in inputs]
    return found if all(map(isfinite, found)) else None


def is_plain(node: Node) -> bool:
    """Whether a node is a number, and no value that its rule reads has changed."""
    if node.__class__ is ScalarNode:
        node.check_saved()
        return True
    return node.__class__ is Leaf and node.out.__class__ is float and node.status is None


def has_plain_rules(op: Any) -> bool:
    if op.pattern == UNKNOWN:
        analyse_op(op)
    return all(kind in PLAIN_RULES for kind, _ in op.recipe)


def move_values(order: Sequence[Node], low: int, moves: Any) -> None:
    """Carry the derivatives of the leaves along the vector forward to all nodes, by number from ``low``."""
    for node in reversed(order):
        if node.__class__ is Leaf:
            continue
        moved = 0.0
        for below, slope, _ in operand_slopes(node, low, moves):
            moved += slope * moves[below]
        moves[node.number - low] = moved


def slopes_along(order: Sequence[Node], low: int, moves: Any, seed: float) -> Any:
    """Carry the gradient and its derivative along the vector backward; return the derivatives, by number."""
    gradients, slopes = array("d", bytes(8 * len(moves))), array("d", bytes(8 * len(moves)))
    gradients[order[0].number - low] = seed
    for node in order:
        if node.__class__ is Leaf:
            continue
        at = node.number - low
        g, moved = gradients[at], slopes[at]
        for below, slope, change in operand_slopes(node, low, moves):
            gradients[below] += g * slope
            slopes[below] += moved * slope + g * change
    return slopes


def operand_slopes(node: Any, low: int, moves: Any) -> list[tuple[int, float, float]]:
    """For each tracked operand its place, its local derivative, and how that changes along the vector."""
    a, b, pattern = node.a, node.b, node.op.pattern
    x_at = a.number - low if a is not None and a.tracked else None
    y_at = b.number - low if b is not None and b.tracked else None
    if pattern == PRODUCT:
        if y_at is None:
            return [(x_at, node.y, 0.0)] if x_at is not None else []
        if x_at is None:
            return [(y_at, node.x, 0.0)]
        return [(x_at, b.out, moves[y_at]), (y_at, a.out, moves[x_at])]
    if pattern == SUM:
        return [(at, 1.0, 0.0) for at in (x_at, y_at) if at is not None]
    found = []
    for at, (kind, _) in zip((x_at, y_at), node.op.recipe, strict=False):
        if at is None or kind == NONE:
            continue
        if kind in (SAME, NEGATED):
            found.append((at, 1.0 if kind == SAME else -1.0, 0.0))
        elif kind == TIMES_OUT:
            found.append((at, node.out, moves[node.number - low]))
        else:
            value, place = (node.x, x_at) if kind == TIMES_X else (node.y, y_at)
            found.append((at, value, 0.0 if place is None else moves[place]))
    return found

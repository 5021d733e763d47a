"""The fast path from a node of arrays to the cotangents of its inputs.

Rules that multiply by a saved value are computed here without a call. Without this module
(``AUTODIFF_FAST=0``) the engine checks each time whether saved values were freed or changed.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.fast.array_operators import BROADCAST, SAME_SHAPE
from autodiff.core.fast.rule_analysis import (
    NEGATED,
    NONE,
    SAME,
    TIMES_OUT,
    TIMES_X,
    TIMES_Y,
    UNKNOWN,
    VJP,
    analyse_op,
)
from autodiff.core.graph.node import ArrayNode, Node, ScalarNode
from autodiff.core.graph.op import Op, VariadicRules
from autodiff.core.graph.values import fit_to_operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The statuses of a node of numbers and of its inputs where nothing was freed or changed.
NO_MARKS = None, None, None


def pull_back_arrays(node: Node, g: Any, pull_edge: Callable[..., Any]) -> list[tuple[Node, Any]] | None:
    """As ``node_contributions``, for nodes whose saved values are neither freed nor changed; else None.

    ``pull_edge`` is the sweep's function for one rule, used where this one does not apply.
    """
    if node.__class__ is ScalarNode:
        return pull_back_numbers(node, g)
    if node.__class__ is not ArrayNode or node.status is not None:
        return None
    inputs, op, params = node._inputs, node.op, node._params
    for below in inputs:
        if below is not None and below.status is not None:
            return None
    if params is SAME_SHAPE or params is BROADCAST:
        return pull_back_elementwise(node, g, pull_edge)
    rules = op.fast_vjps or op.vjps
    if not rules or op.__class__ is not Op:
        return None
    operands, out = node._operands, node.out
    if out.__class__ is float:
        g, out = np.asarray(g), np.asarray(out)
    pulled = []
    pieces = rules.all_at_once if rules.__class__ is VariadicRules else None
    every = None if pieces is None else iter(pieces(g, operands, **params))
    index = -1
    for below in inputs:
        index += 1
        piece = None if every is None else next(every)
        if below is None or not below.tracked:
            continue
        try:
            c = rules[index](g, out, *operands, **params) if piece is None else piece
        except ArithmeticError:  # a plain number among the operands: 1 / 0 raises where arrays give inf
            c = None
        c = pull_edge(node, index, g) if c is None else fit_to_operand(c, operands[index], op)
        if c is not None:
            pulled.append((below, c))
    return pulled


def pull_back_numbers(node: ScalarNode, g: Any) -> list[tuple[Node, Any]]:
    """The same for a node of numbers, whose saved values may be freed."""
    a, b, op = node.a, node.b, node.op
    marks = node.status, None if a is None else a.status, None if b is None else b.status
    if marks != NO_MARKS:
        node.check_saved()
    operands = node.operands
    pulled: list[tuple[Node, Any]] = []
    if a is not None and a.tracked:
        pulled.append((a, op.scalar_contribution(0, g, node.out, operands)))
    if b is not None and b.tracked:
        pulled.append((b, op.scalar_contribution(1, g, node.out, operands)))
    return pulled


def pull_back_elementwise(node: ArrayNode, g: Any, pull_edge: Callable[..., Any]) -> list[tuple[Node, Any]]:
    """What each tracked input of an elementwise node gets, for nodes made in ``array_operators``."""
    op, operands = node.op, node._operands
    is_broadcast = node._params is BROADCAST
    pulled = []
    index = -1
    for below in node._inputs:  # not enumerate(), which would take a tenth of this
        index += 1
        if below is not None and below.tracked:
            c = elementwise_contribution(op, index, g, node.out, operands)
            if c is None:
                c = pull_edge(node, index, g)
            if is_broadcast:
                c = fit_to_operand(c, operands[index], op)
            pulled.append((below, c))
    return pulled


def elementwise_contribution(op: Op, index: int, g: Any, out: Any, operands: tuple[Any, ...]) -> Any:
    """The cotangent of operand ``index`` of an elementwise op; None where the general rule must be used."""
    if op.pattern == UNKNOWN:
        analyse_op(op)
    kind, rule = op.recipe[index]
    if kind == SAME:
        return g
    if kind == TIMES_Y:
        return g * operands[1]
    if kind == TIMES_X:
        return g * operands[0]
    if kind == TIMES_OUT:
        return g * out
    if kind == NEGATED:
        return -g
    if kind == NONE:
        return None
    fast = op.fast_vjps
    try:
        if fast:
            c = fast[index](g, out, *operands)
        elif kind == VJP:
            c = rule(g, out, *operands)
        else:
            c = g * op.partials[index](out, *operands)  # type: ignore[operator] # never a number here
    except ArithmeticError:  # a plain number among the operands: 1 / 0 raises
        return None
    if c is None or c.dtype is g.dtype:
        return c
    return c.astype(g.dtype)  # a mask times a number is in double precision

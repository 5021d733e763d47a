"""Operations on small arrays on the tape: how they are recorded, and the backward pass through them.

An entry of arrays begins with a ``BoundOp`` in place of the op. Operations get a node instead if arrays are
large, an operand already has a node, or the result is a view, which other modules look up by its node.
Without this module (``AUTODIFF_FAST=0``) every operation makes a node.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.fast.array_operators import BROADCAST, SAME_SHAPE
from autodiff.core.fast.array_vjp import elementwise_contribution
from autodiff.core.fast.rule_analysis import (
    DIFFERENCE,
    NONE,
    OTHER,
    PRODUCT,
    SUM,
    UNKNOWN,
    Placeholder,
    analyse_op,
)
from autodiff.core.fast.tape import MAX_TAPE_ENTRIES, BoundOp, array_spec, find_or_enter, tape_with_room
from autodiff.core.graph.node import SMALL_BYTES, Leaf
from autodiff.core.graph.op import RULE_ERRORS
from autodiff.core.graph.state import NO_TAPE, mode, no_grad
from autodiff.core.graph.values import as_array, fit_to_operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import TapeEntry


# numpy's functions, called directly: through the operators a sum of small arrays takes a sixth longer.
add, multiply = np.add, np.multiply

#: In addition to the patterns of ``rule_analysis``: an op of one operand with a hand-written ``fast_vjps``.
FAST_VJP = -1


def record_on_tape(
    kind: type[Tensor],
    bound_op: BoundOp,
    operands: tuple[Any, ...],
    values: tuple[Any, ...],
    out: Any,
    requires_grad: bool,
) -> Tensor | None:
    """The result of an op on tensors and numbers, recorded on the tape; None where it must have a node."""
    is_number = out.__class__ is float
    if len(operands) > 2 or bound_op.op.saves_params or not (is_number or out.nbytes <= SMALL_BYTES):
        return None
    form = None if is_number else array_spec(out)
    tape = mode.tape
    if tape is NO_TAPE or len(tape) >= (MAX_TAPE_ENTRIES if form is None else form.most):
        for x in operands:  # the most common reason for a node
            if x.__class__ is kind and x.stored_node is not None and x.stored_node.__class__ is not Leaf:
                return None
        tape = tape_with_room(form)
    places = []
    for x in operands:
        place: int | None = 0
        if x.__class__ is kind:
            if x.tape is tape:
                place = x.tape_position
            else:
                node = x.stored_node
                if node is not None and node.__class__ is not Leaf:
                    return None
                value = x.value
                if value.__class__ is not float and value.nbytes > SMALL_BYTES:
                    return None
                place = find_or_enter(x, tape)
                if place is None:
                    return None
        places.append(place)
    if len(places) == 1:
        places.append(0)
        values = (values[0], None)
    made = kind()
    made.value = out
    made.tape = tape
    made.tape_position = len(tape)  # not of PLACES, where leaves may have taken the last
    made.stored_node = made.grad_slot = made.alias = made.version_counter = None
    made.requires_grad_flag = requires_grad
    made.array_spec = form
    if bound_op.rules == UNKNOWN:
        analyse_bound_op(bound_op)
    if not bound_op.needs_operands:
        values = tuple([None if place else value for place, value in zip(places, values, strict=True)])
    tape.append((bound_op, *places, *values, out if bound_op.needs_out else None, mode.site))
    return made


def backward_through_arrays(
    entries: Iterator[TapeEntry], cotangents: list[Any], outgoing: list[tuple[Any, int, Any]]
) -> TapeEntry | None:
    """Continue a pass from an entry of arrays to the next entry of numbers, which is returned.

    The last of the ``cotangents`` belongs to the first entry, and on return to the entry returned. The
    cotangents of tensors from elsewhere are added to ``outgoing``.
    """
    with no_grad(), np.errstate(all="ignore"):
        for entry in entries:
            g = cotangents.pop()
            if g is None:
                continue
            use, a, b, x, y, out, _ = entry
            if use.__class__ is not BoundOp:
                if use is not None:
                    cotangents.append(g)
                    return entry
                outgoing.append((a, b, g))
                continue
            rules = use.rules
            if rules == FAST_VJP:
                c = use.slope(g, out, x)
                if c is None or c.dtype is not g.dtype:
                    c = operand_contribution(use, 0, g, x, y, out)
                before = cotangents[a]
                cotangents[a] = c if before is None else add(before, c)
                continue
            if rules == PRODUCT:
                if a > 0:
                    before = cotangents[a]
                    cotangents[a] = multiply(g, y) if before is None else add(before, multiply(g, y))
                if b > 0:
                    before = cotangents[b]
                    cotangents[b] = multiply(g, x) if before is None else add(before, multiply(g, x))
                continue
            if rules == SUM:
                if a > 0:
                    before = cotangents[a]
                    cotangents[a] = g if before is None else add(before, g)
                if b > 0:
                    before = cotangents[b]
                    cotangents[b] = g if before is None else add(before, g)
                continue
            if rules == DIFFERENCE:
                if a > 0:
                    before = cotangents[a]
                    cotangents[a] = g if before is None else add(before, g)
                if b > 0:
                    before = cotangents[b]
                    cotangents[b] = -g if before is None else before - g
                continue
            if rules == UNKNOWN:
                analyse_bound_op(use)  # for later entries
            for index, below in (0, a), (1, b):
                if below > 0:
                    c = operand_contribution(use, index, g, x, y, out)
                    before = cotangents[below]
                    cotangents[below] = c if before is None else before + c
        return None


def analyse_bound_op(bound_op: BoundOp) -> None:
    """Record in the BoundOp how a pass handles its entries, and which values they may omit."""
    bound_op.rules, bound_op.slope = pattern_and_vjp(bound_op)
    op = bound_op.op
    if bound_op.params is not SAME_SHAPE:
        return
    if op.pattern == UNKNOWN:
        analyse_op(op)
    if len(op.recipe) == 1:
        bound_op.needs_operands, bound_op.needs_out = (
            not ignores_value(op, "operand"),
            not ignores_value(op, "out"),
        )
    elif bound_op.rules in (SUM, DIFFERENCE):
        bound_op.needs_operands = bound_op.needs_out = False
    elif bound_op.rules == PRODUCT:
        bound_op.needs_out = False


def ignores_value(op: Op, value: str) -> bool:
    """Whether no rule of an op of one operand reads its ``value``: ``"operand"`` or ``"out"``."""
    if op.recipe[0][0] == NONE:  # the shape of the operand is needed then
        return False
    g = np.ones(1)
    out, x = (g, Placeholder()) if value == "operand" else (Placeholder(), g)
    try:
        with np.errstate(all="ignore"):
            for rule in (*op.fast_vjps, *op.vjps):
                rule(g, out, x)
            for partial in op.partials:
                if not isinstance(partial, int):
                    g * partial(out, x)
    except RULE_ERRORS:
        return False
    return True


def pattern_and_vjp(bound_op: BoundOp) -> tuple[int, Any]:
    """The pattern of the rules and None, or FAST_VJP and the rule written for ndarrays."""
    if bound_op.params is not SAME_SHAPE:
        return OTHER, None
    op = bound_op.op
    if len(op.fast_vjps) == 1:
        return FAST_VJP, op.fast_vjps[0]
    if op.pattern == UNKNOWN:
        analyse_op(op)
    return op.pattern, None


def operand_contribution(bound_op: BoundOp, index: int, g: Any, x: Any, y: Any, out: Any) -> Any:
    """The cotangent of operand ``index``, with its shape and dtype."""
    op, params = bound_op.op, bound_op.params
    operands = (x,) if y is None else (x, y)
    if g.__class__ is not float and not g.ndim:
        g = np.asarray(g)  # numpy returns scalars for 0-d arrays; rules need arrays
    if params is SAME_SHAPE or params is BROADCAST:
        c = elementwise_contribution(op, index, g, out, operands)
        if c is not None:
            return c if params is SAME_SHAPE else fit_to_operand(c, operands[index], op)
    if out.__class__ is float:
        g, out = as_array(g, None), as_array(out, None)
    try:
        c = op.contribution(index, g, out, operands, params)
    except ArithmeticError:  # a plain number among the operands: 1 / 0 raises where arrays give inf
        c = op.contribution(index, g, out, tuple(as_array(v, out.dtype) for v in operands), params)
    return fit_to_operand(c, operands[index], op)

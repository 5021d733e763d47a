"""Operations on small arrays on the tape: how they are recorded, and the backward pass through them.

An entry of arrays begins with a ``Use`` in place of the op. Operations get a node instead if arrays are
large, an operand already has a node, or the result is a view, which other modules look up by its node.
Without this module (``AUTODIFF_FAST=0``) every operation makes a node.
"""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.fast.array_operators import ALIKE, BROADCAST
from autodiff.core.fast.array_sweep import Quiet
from autodiff.core.fast.array_vjp import contribution_of_entries
from autodiff.core.fast.rule_analysis import DIFFERENCE, NONE, OTHER, PRODUCT, SUM, UNKNOWN, Stand, learn
from autodiff.core.fast.tape import LIMIT, Use, form_of, place_of, with_room
from autodiff.core.graph.node import SMALL, Leaf
from autodiff.core.graph.op import REFUSALS
from autodiff.core.graph.state import CLOSED, mode
from autodiff.core.graph.values import as_array, fitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Entry


# numpy's functions, called directly: through the operators a sum of small arrays takes a sixth longer.
add, multiply = np.add, np.multiply

#: In addition to the patterns of ``rule_analysis``: an op of one operand with a hand-written ``fast_vjps``.
SLOPE = -1


def written(
    kind: type[Tensor], use: Use, operands: tuple[Any, ...], values: tuple[Any, ...], out: Any, visible: bool
) -> Tensor | None:
    """The result of an op on tensors and numbers, recorded on the tape; None where it must have a node."""
    is_number = out.__class__ is float
    if len(operands) > 2 or use.op.saves_params or not (is_number or out.nbytes <= SMALL):
        return None
    form = None if is_number else form_of(out)
    tape = mode.tape
    if tape is CLOSED or len(tape) >= (LIMIT if form is None else form.most):
        for x in operands:  # the most common reason for a node
            if x.__class__ is kind and x.own_node is not None and x.own_node.__class__ is not Leaf:
                return None
        tape = with_room(form)
    places = []
    for x in operands:
        place: int | None = 0
        if x.__class__ is kind:
            if x.tape is tape:
                place = x.at
            else:
                node = x.own_node
                if node is not None and node.__class__ is not Leaf:
                    return None
                value = x.value
                if value.__class__ is not float and value.nbytes > SMALL:
                    return None
                place = place_of(x, tape)
                if place is None:
                    return None
        places.append(place)
    if len(places) == 1:
        places.append(0)
        values = (values[0], None)
    made = kind()
    made.value = out
    made.tape = tape
    made.at = len(tape)  # not of PLACES, where leaves may have taken the last
    made.own_node = made.cell = made.alias = made.versions = None
    made.requires_grad = visible
    made.form = form
    tape.append((use, *places, *values, out, mode.site))
    return made


def read_arrays_back(
    entries: Iterator[Entry], cotangents: list[Any], left: list[tuple[Any, int, Any]]
) -> Entry | None:
    """Continue a pass from an entry of arrays to the next entry of numbers, which is returned.

    The last of the ``cotangents`` belongs to the first entry, and on return to the entry returned. The
    cotangents of tensors from elsewhere are added to ``left``.
    """
    quiet = Quiet()
    try:
        for entry in entries:
            g = cotangents.pop()
            if g is None:
                continue
            use, a, b, x, y, out, _ = entry
            if use.__class__ is not Use:
                if use is not None:
                    cotangents.append(g)
                    return entry
                left.append((a, b, g))
                continue
            rules = use.rules
            if rules == SLOPE:
                c = use.slope(g, out, x)
                if c is None or c.dtype is not g.dtype:
                    c = contribution(use, 0, g, x, y, out)
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
                study(use)  # for later entries
            for index, below in (0, a), (1, b):
                if below > 0:
                    c = contribution(use, index, g, x, y, out)
                    before = cotangents[below]
                    cotangents[below] = c if before is None else before + c
        return None
    finally:
        quiet.close()


def study(use: Use) -> None:
    """Record in the use how a pass handles its entries, and which values they may omit."""
    use.rules, use.slope = rules_of(use)
    op = use.op
    if use.params is not ALIKE:
        return
    if op.pattern == UNKNOWN:
        learn(op)
    if len(op.recipe) == 1:
        use.needs_operands, use.needs_out = not works_without(op, "operand"), not works_without(op, "out")
    elif use.rules in (SUM, DIFFERENCE):
        use.needs_operands = use.needs_out = False
    elif use.rules == PRODUCT:
        use.needs_out = False


def works_without(op: Op, value: str) -> bool:
    """Whether no rule of an op of one operand reads its ``value``: ``"operand"`` or ``"out"``."""
    if op.recipe[0][0] == NONE:  # the shape of the operand is needed then
        return False
    g = np.ones(1)
    out, x = (g, Stand()) if value == "operand" else (Stand(), g)
    try:
        with np.errstate(all="ignore"):
            for rule in (*op.fast_vjps, *op.vjps):
                rule(g, out, x)
            for partial in op.partials:
                if not isinstance(partial, int):
                    g * partial(out, x)
    except REFUSALS:
        return False
    return True


def rules_of(use: Use) -> tuple[int, Any]:
    """The pattern of a use's rules and None, or SLOPE and the rule written for ndarrays."""
    if use.params is not ALIKE:
        return OTHER, None
    op = use.op
    if len(op.fast_vjps) == 1:
        return SLOPE, op.fast_vjps[0]
    if op.pattern == UNKNOWN:
        learn(op)
    return op.pattern, None


def contribution(use: Use, index: int, g: Any, x: Any, y: Any, out: Any) -> Any:
    """The cotangent of operand ``index``, with its shape and dtype."""
    op, params = use.op, use.params
    operands = (x,) if y is None else (x, y)
    if g.__class__ is not float and not g.ndim:
        g = np.asarray(g)  # numpy returns scalars for 0-d arrays; rules need arrays
    if params is ALIKE or params is BROADCAST:
        c = contribution_of_entries(op, index, g, out, operands)
        if c is not None:
            return c if params is ALIKE else fitted(c, operands[index], op)
    if out.__class__ is float:
        g, out = as_array(g, None), as_array(out, None)
    try:
        c = op.contribution(index, g, out, operands, params)
    except ArithmeticError:  # a plain number among the operands: 1 / 0 raises where arrays give inf
        c = op.contribution(index, g, out, tuple(as_array(v, out.dtype) for v in operands), params)
    return fitted(c, operands[index], op)

"""The backward pass along tapes: cotangents flow from the newest entry to the oldest, and no node is made."""

from __future__ import annotations

from itertools import chain, islice

from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.fast.rule_analysis import (
    FUNCTION,
    NEGATED,
    NONE,
    PRODUCT,
    SAME,
    SUM,
    TIMES_F_X,
    TIMES_OUT,
    TIMES_PARTIAL,
    TIMES_X,
    TIMES_Y,
    UNKNOWN,
    analyse_op,
)
from autodiff.core.fast.tape import BoundOp, is_value_read
from autodiff.core.graph.node import Leaf, NodeStatus
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.state import Tape, TapeEntry

array_tape = LazyModule("autodiff.core.fast.array_tape")


def backward_from_entry(
    tape: Tape, at: int, seed: Any, accepts_freed: bool = False
) -> tuple[dict[Leaf, Any], list[tuple[Tape, list[int]]]] | None:
    """The gradient of each leaf when the entry receives ``seed``, and the places where tapes were entered.

    None where nodes are needed: some were made already, or an earlier pass freed values, or a value was
    changed in place. With ``accepts_freed``, as reports ask, freed values and changed leaves are accepted.
    """
    gradients: dict[Any, Any] = {}
    waiting: dict[int, tuple[Tape, dict[int, Any]]] = {tape[0].first: (tape, {at: seed})}
    passed = []
    while waiting:
        tape, seeds = waiting.pop(max(waiting))
        header = tape[0]
        if header.nodes is not None or (header.passes and not accepts_freed):
            return None
        passed.append((tape, list(seeds)))
        top = max(seeds)
        for key, place in header.places.items():
            if key.__class__ is Leaf:
                is_spared = accepts_freed and key.tracked  # a report accepts a changed leaf
                if key.status is not None and not is_spared and is_value_read(tape, place):
                    return None
                received, under = gradients, key
            else:
                source, under = tape[place][1:3]
                received = waiting[source[0].first][1] if source[0].first in waiting else {}
            # Contributions of newer tapes go first: sums are then in the order of a pass through nodes.
            if 0 < place < top and under in received:
                seeds[place] = received.pop(under)
        for source, source_place, g in backward_one_tape(tape, seeds):
            if source.__class__ is Leaf:
                gradients[source] = g
            else:
                waiting.setdefault(source[0].first, (source, {}))[1][source_place] = g
    return gradients, passed


def mark_freed(passed: list[tuple[Tape, list[int]]]) -> None:
    """Note that a pass has freed the values of the entries it visited."""
    mark = NodeStatus(freed=True, freed_at=mode.site, is_shared=True)
    for tape, places in passed:
        tape[0].passes.append((places, mark))
    mode.close_tape()


def backward_one_tape(tape: Tape, seeds: dict[int, Any]) -> list[tuple[Any, int, Any]]:
    """Pass the seeds down one tape.

    Returns the cotangents of tensors from elsewhere: ``(leaf, 0, g)`` or ``(older tape, place, g)``.
    """
    top = max(seeds)
    cotangents: list[Any] = [None] * (top + 1)
    for at, g in seeds.items():
        cotangents[at] = g
    outgoing: list[tuple[Any, int, Any]] = []
    entries: Iterator[TapeEntry] = islice(reversed(tape), len(tape) - 1 - top, len(tape) - 1)
    cotangent_of_next = cotangents.pop  # contributions go to older entries only
    for op, a, b, x, y, out, site in entries:
        g = cotangent_of_next()
        if g is None:
            continue
        if op is None:
            outgoing.append((a, b, g))
            continue
        pattern = op.pattern
        if pattern == PRODUCT:
            if a > 0:
                before = cotangents[a]
                cotangents[a] = g * y if before is None else before + g * y
            if b > 0:
                before = cotangents[b]
                cotangents[b] = g * x if before is None else before + g * x
            continue
        if pattern == SUM:
            if a > 0:
                before = cotangents[a]
                cotangents[a] = g if before is None else before + g
            if b > 0:
                before = cotangents[b]
                cotangents[b] = g if before is None else before + g
            continue
        if pattern == FUNCTION:
            try:
                c = g * op.slope(x)
            except (ArithmeticError, ValueError):
                c = None
            if c.__class__ is not float:
                c = op.scalar_contribution(0, g, out, (x,))
            before = cotangents[a]
            cotangents[a] = c if before is None else before + c
            continue
        if pattern == UNKNOWN:
            if op.__class__ is BoundOp:
                cotangents.append(g)
                entry = array_tape.backward_through_arrays(
                    chain([(op, a, b, x, y, out, site)], entries), cotangents, outgoing
                )
                if entry is None:
                    break
                g, (op, a, b, x, y, out, _) = cotangent_of_next(), entry
            analyse_op(op)
        recipe = op.recipe
        if a > 0:
            kind, rule = recipe[0]
            if kind == SAME:
                c = g
            elif kind == TIMES_Y:
                c = g * y
            else:
                c = None
                try:
                    if kind == TIMES_F_X:
                        c = g * rule(x)
                    elif kind == TIMES_PARTIAL:
                        c = g * (rule(out, x) if y is None else rule(out, x, y))
                    elif kind == NEGATED:
                        c = -g
                    elif kind == TIMES_OUT:
                        c = g * out
                    elif kind == TIMES_X:
                        c = g * x
                    elif kind == NONE:
                        c = 0.0
                except (ArithmeticError, ValueError):
                    pass
                if c.__class__ is not float:
                    c = op.scalar_contribution(0, g, out, (x,) if y is None else (x, y))
            before = cotangents[a]
            cotangents[a] = c if before is None else before + c
        # The same for the other operand. A function called for both would take half as long again.
        if b > 0:
            kind, rule = recipe[1]
            if kind == SAME:
                c = g
            elif kind == TIMES_X:
                c = g * x
            else:
                c = None
                try:
                    if kind == TIMES_PARTIAL:
                        c = g * rule(out, x, y)
                    elif kind == NEGATED:
                        c = -g
                    elif kind == TIMES_OUT:
                        c = g * out
                    elif kind == TIMES_Y:
                        c = g * y
                    elif kind == NONE:
                        c = 0.0
                except (ArithmeticError, ValueError):
                    pass
                if c.__class__ is not float:
                    c = op.scalar_contribution(1, g, out, (x, y))
            before = cotangents[b]
            cotangents[b] = c if before is None else before + c
    return outgoing

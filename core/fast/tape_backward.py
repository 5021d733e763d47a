"""The backward pass along tapes: cotangents flow from the newest entry to the oldest, and no node is made."""

from __future__ import annotations

from itertools import chain, islice

from autodiff.core.base.lazy import Later
from autodiff.core.fast.rule_analysis import (
    CALL_X,
    FUNCTION,
    MINUS_CALL_X,
    NEGATED,
    NONE,
    PRODUCT,
    SAME,
    SUM,
    TIMES,
    TIMES_OUT,
    TIMES_X,
    TIMES_Y,
    UNKNOWN,
    learn,
)
from autodiff.core.fast.tape import Use, is_read
from autodiff.core.graph.node import Leaf, Mark
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.state import Entry, Tape

arrays = Later("autodiff.core.fast.array_tape")


def go_back(
    tape: Tape, at: int, seed: Any, again: bool = False
) -> tuple[dict[Leaf, Any], list[tuple[Tape, list[int]]]] | None:
    """The gradient of each leaf when the entry receives ``seed``, and the places where tapes were entered.

    None where nodes are needed: some were made already, or an earlier pass freed values, or a value was
    changed in place. With ``again``, as reports ask, freed values and changed leaves are accepted.
    """
    gradients: dict[Any, Any] = {}
    waiting: dict[int, tuple[Tape, dict[int, Any]]] = {tape[0].first: (tape, {at: seed})}
    passed = []
    while waiting:
        tape, seeds = waiting.pop(max(waiting))
        header = tape[0]
        if header.nodes is not None or (header.passes and not again):
            return None
        passed.append((tape, list(seeds)))
        top = max(seeds)
        for key, place in header.places.items():
            if key.__class__ is Leaf:
                is_spared = again and key.tracked  # a report accepts a changed leaf
                if key.mark is not None and not is_spared and is_read(tape, place):
                    return None
                received, under = gradients, key
            else:
                of, under = tape[place][1:3]
                received = waiting[of[0].first][1] if of[0].first in waiting else {}
            # Contributions of newer tapes go first: sums are then in the order of a pass through nodes.
            if 0 < place < top and under in received:
                seeds[place] = received.pop(under)
        for of, there, g in read_back(tape, seeds):
            if of.__class__ is Leaf:
                gradients[of] = g
            else:
                waiting.setdefault(of[0].first, (of, {}))[1][there] = g
    return gradients, passed


def use_up(passed: list[tuple[Tape, list[int]]]) -> None:
    """Note that a pass has freed the values of the entries it visited."""
    mark = Mark(freed=True, freed_at=mode.site, is_shared=True)
    for tape, places in passed:
        tape[0].passes.append((places, mark))
    mode.close_tape()


def read_back(tape: Tape, seeds: dict[int, Any]) -> list[tuple[Any, int, Any]]:
    """Pass the seeds down one tape.

    Returns the cotangents of tensors from elsewhere: ``(leaf, 0, g)`` or ``(older tape, place, g)``.
    """
    top = max(seeds)
    cotangents: list[Any] = [None] * (top + 1)
    for at, g in seeds.items():
        cotangents[at] = g
    left: list[tuple[Any, int, Any]] = []
    entries: Iterator[Entry] = islice(reversed(tape), len(tape) - 1 - top, len(tape) - 1)
    cotangent_of_next = cotangents.pop  # contributions go to older entries only
    for op, a, b, x, y, out, site in entries:
        g = cotangent_of_next()
        if g is None:
            continue
        if op is None:
            left.append((a, b, g))
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
                c = op.contribution_of_numbers(0, g, out, (x,))
            before = cotangents[a]
            cotangents[a] = c if before is None else before + c
            continue
        if pattern == UNKNOWN:
            if op.__class__ is Use:
                cotangents.append(g)
                entry = arrays.read_arrays_back(
                    chain([(op, a, b, x, y, out, site)], entries), cotangents, left
                )
                if entry is None:
                    break
                g, (op, a, b, x, y, out, _) = cotangent_of_next(), entry
            learn(op)
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
                    if kind == CALL_X:
                        c = g * rule(x)
                    elif kind == TIMES:
                        c = g * (rule(out, x) if y is None else rule(out, x, y))
                    elif kind == NEGATED:
                        c = -g
                    elif kind == TIMES_OUT:
                        c = g * out
                    elif kind == TIMES_X:
                        c = g * x
                    elif kind == MINUS_CALL_X:
                        c = g * -rule(x)
                    elif kind == NONE:
                        c = 0.0
                except (ArithmeticError, ValueError):
                    pass
                if c.__class__ is not float:
                    c = op.contribution_of_numbers(0, g, out, (x,) if y is None else (x, y))
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
                    if kind == TIMES:
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
                    c = op.contribution_of_numbers(1, g, out, (x, y))
            before = cotangents[b]
            cotangents[b] = c if before is None else before + c
    return left

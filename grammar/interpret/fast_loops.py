"""Runs loops that have a LoopProgram: one turn by closures, then as many turns as possible by the program.

Turns run by closures when a row is not of numbers or a name holds something other than a number.
"""

from __future__ import annotations

import sys
from operator import length_hint

from autodiff.core.fast.tape import NEARLY_FULL
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.fused.loop_program import LoopProgram
    from autodiff.grammar.interpret.compiler import Compiler, Evaluate, Execute, Frame, Store
    from autodiff.grammar.syntax import tree

#: How often in a row a program may take no turn before the loop stops using it. On a new tape it takes none
#: until the values that the loop reads are entered there. A loop that has stopped using its program tries it
#: once in each later run.
TRIES = 8


def rows_ahead(rows: Iterator[Any]) -> int:
    """Return how many rows an iterator has left, without taking one; 0 if that is unknown.

    zip and enumerate have no length hint, so the iterators they draw from are taken from ``__reduce__``. If
    one of these is a zip or enumerate too, the rows are not of numbers, and the result is 0. It is also 0 if
    zip draws twice from one iterator, because each row then takes two of its items.
    """
    kind: type = rows.__class__
    if kind is not zip and kind is not enumerate:
        return rows_of_one(rows)
    parts: Any = rows.__reduce__()[1]
    if kind is enumerate:
        return rows_of_one(parts[0])
    return 0 if len(set(parts)) < len(parts) else min(map(rows_of_one, parts))


def rows_of_one(rows: Iterator[Any]) -> int:
    try:
        return length_hint(rows)
    except OverflowError:  # a range may be longer than sys.maxsize
        return sys.maxsize


class Turns:
    """One run of a loop: how many rows are ``ahead``, and how many ``tries`` the program has left.

    For some iterators, finding the number of rows takes as long as a turn. It is then found only after
    ``waiting`` turns, when a short loop has already ended.
    """

    __slots__ = ("ahead", "program", "tries", "waiting")

    def __init__(self, program: LoopProgram, rows: Any, left: Iterator[Any], tries: int) -> None:
        self.program = program
        self.tries = tries
        self.ahead = self.waiting = 0
        kind = rows.__class__
        # The number of rows is found once, because nothing in the body can change it.
        if kind is list or kind is tuple:
            self.ahead = len(rows)
        elif kind is range:
            self.ahead = rows_ahead(left)
        else:
            self.waiting = 2 * program.fewest

    def may_go_on(self, frame: Frame, left: Iterator[Any]) -> bool:
        """Whether the program shall take turns now; called after each turn that ran by closures."""
        self.ahead -= 1
        if self.waiting:
            self.waiting -= 1
            if not self.waiting:
                self.ahead = rows_ahead(left)
            return False
        if self.ahead < self.program.fewest or not self.program.has_begun(frame):
            self.tries = 0
            return False
        return True


def loop_of_program(
    c: Compiler,
    node: tree.For,
    program: LoopProgram,
    iterable: Evaluate,
    store: Store,
    body: Execute,
    orelse: Execute | None,
) -> Execute:
    """Return the closure of a loop with a program; its body never returns a signal."""
    span, at_top, patience = node.iterable.span, c.scope is c.names.module, TRIES

    def run(frame: Frame) -> int | None:
        nonlocal patience
        rows = iterable(frame)
        mode.site = span
        left = iter(iterate(rows))
        turns = Turns(program, rows, left, patience)
        row = None
        try:
            for row in left:
                runtime.steps -= 1
                if runtime.steps < 0:
                    mode.site = span
                    runtime.look()
                store(frame, row)
                body(frame)
                if turns.tries and turns.may_go_on(frame, left):
                    try:
                        taken, back = program.run(frame, left, min(turns.ahead, runtime.steps))
                    except Exception:
                        row = program.row(frame)  # the row of the turn that failed
                        raise
                    runtime.steps -= taken
                    turns.ahead -= taken
                    if taken and at_top and program.last is not None:
                        c.last[0] = program.last
                    turns.tries = TRIES if taken else turns.tries - 1
                    patience = max(turns.tries, 1)
                    for row in back:  # the row that ended the program; steps are left for it
                        runtime.steps -= 1
                        turns.ahead -= 1
                        store(frame, row)
                        body(frame)
                if len(mode.tape) >= NEARLY_FULL:
                    mode.close_tape()
        except Exception:
            from autodiff.grammar.interpret.loop_turns import note_turn

            note_turn(node, rows, left, row)
            raise
        return orelse(frame) if orelse is not None else None

    return run

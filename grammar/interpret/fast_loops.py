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
MAX_TRIES = 8


def count_rows_left(rows: Iterator[Any]) -> int:
    """Return how many rows an iterator has left, without taking one; 0 if that is unknown.

    zip and enumerate have no length hint, so the iterators they draw from are taken from ``__reduce__``. If
    one of these is a zip or enumerate too, the rows are not of numbers, and the result is 0. It is also 0 if
    zip draws twice from one iterator, because each row then takes two of its items.
    """
    kind: type = rows.__class__
    if kind is not zip and kind is not enumerate:
        return length_hint_or_max(rows)
    parts: Any = rows.__reduce__()[1]
    if kind is enumerate:
        return length_hint_or_max(parts[0])
    return 0 if len(set(parts)) < len(parts) else min(map(length_hint_or_max, parts))


def length_hint_or_max(rows: Iterator[Any]) -> int:
    try:
        return length_hint(rows)
    except OverflowError:  # a range may be longer than sys.maxsize
        return sys.maxsize


class LoopRun:
    """One run of a loop: how many rows are ``rows_left``, and how many ``tries`` the program has left.

    For some iterators, finding the number of rows takes as long as a turn. It is then found only after
    ``turns_before_count`` turns, when a short loop has already ended.
    """

    __slots__ = ("program", "rows_left", "tries_left", "turns_before_count")

    def __init__(self, program: LoopProgram, rows: Any, row_iterator: Iterator[Any], tries: int) -> None:
        self.program = program
        self.tries_left = tries
        self.rows_left = self.turns_before_count = 0
        kind = rows.__class__
        # The number of rows is found once, because nothing in the body can change it.
        if kind is list or kind is tuple:
            self.rows_left = len(rows)
        elif kind is range:
            self.rows_left = count_rows_left(row_iterator)
        else:
            self.turns_before_count = 2 * program.min_rows

    def may_run_program(self, frame: Frame, row_iterator: Iterator[Any]) -> bool:
        """Whether the program shall take turns now; called after each turn that ran by closures."""
        self.rows_left -= 1
        if self.turns_before_count:
            self.turns_before_count -= 1
            if not self.turns_before_count:
                self.rows_left = count_rows_left(row_iterator)
            return False
        if self.rows_left < self.program.min_rows or not self.program.has_begun(frame):
            self.tries_left = 0
            return False
        return True


def compile_program_loop(
    c: Compiler,
    node: tree.For,
    program: LoopProgram,
    iterable: Evaluate,
    store: Store,
    body: Execute,
    orelse: Execute | None,
) -> Execute:
    """Return the closure of a loop with a program; its body never returns a signal."""
    span, at_top, patience = node.iterable.span, c.scope is c.names.module, MAX_TRIES

    def run(frame: Frame) -> int | None:
        nonlocal patience
        rows = iterable(frame)
        mode.site = span
        left = iter(iterate(rows))
        turns = LoopRun(program, rows, left, patience)
        row = None
        try:
            for row in left:
                runtime.steps -= 1
                if runtime.steps < 0:
                    mode.site = span
                    runtime.look()
                store(frame, row)
                body(frame)
                if turns.tries_left and turns.may_run_program(frame, left):
                    try:
                        taken, back = program.run(frame, left, min(turns.rows_left, runtime.steps))
                    except Exception:
                        row = program.row(frame)  # the row of the turn that failed
                        raise
                    runtime.steps -= taken
                    turns.rows_left -= taken
                    if taken and at_top and program.last is not None:
                        c.last[0] = program.last
                    turns.tries_left = MAX_TRIES if taken else turns.tries_left - 1
                    patience = max(turns.tries_left, 1)
                    for row in back:  # the row that ended the program; steps are left for it
                        runtime.steps -= 1
                        turns.rows_left -= 1
                        store(frame, row)
                        body(frame)
                if len(mode.tape) >= NEARLY_FULL:
                    mode.close_tape()
        except Exception:
            from autodiff.grammar.interpret.failed_iterations import record_iteration

            record_iteration(node, rows, left, row)
            raise
        return orelse(frame) if orelse is not None else None

    return run

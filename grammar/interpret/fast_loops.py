"""Loops that are programs of numbers: a turn is run as any loop's is, then as many as go from instructions.

Rows that are not of numbers are run by themselves, and so is everything where the names hold something else.
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

#: How often a program may take no turn before it is given up. On a new tape it takes none until what the loop
#: reads is entered there. Where a loop has been given up it is tried once whenever it begins again.
TRIES = 8


def rows_ahead(rows: Iterator[Any]) -> int:
    """How many rows an iterator will give, without taking one; 0 if it does not tell.

    Those that give out tuples are asked what a copy would be made of. Where that is such an iterator too, the
    rows are not of numbers; where it is one iterator twice, each row takes two of its numbers.
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
    except OverflowError:  # a range may have more turns than Python counts elsewhere
        return sys.maxsize


class Turns:
    """The turns of one run of a loop: how many rows are ``ahead``, and how often the program may still fail.

    Rows of which it takes as long as a turn to ask how many there are, are asked after ``waiting`` turns: a
    short loop has ended by then.
    """

    __slots__ = ("ahead", "program", "tries", "waiting")

    def __init__(self, program: LoopProgram, rows: Any, left: Iterator[Any], tries: int) -> None:
        self.program = program
        self.tries = tries
        self.ahead = self.waiting = 0
        kind = rows.__class__
        # How many rows there are is asked once, for nothing that the body does changes it.
        if kind is list or kind is tuple:
            self.ahead = len(rows)
        elif kind is range:
            self.ahead = rows_ahead(left)
        else:
            self.waiting = 2 * program.fewest

    def may_go_on(self, frame: Frame, left: Iterator[Any]) -> bool:
        """Whether the program is to take turns, after one that was run by itself."""
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
    """The closure of a loop with a program; nothing in its body signals."""
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
                        row = program.row(frame)  # the turn that failed is not the one it began with
                        raise
                    runtime.steps -= taken
                    turns.ahead -= taken
                    if taken and at_top and program.last is not None:
                        c.last[0] = program.last
                    turns.tries = TRIES if taken else turns.tries - 1
                    patience = max(turns.tries, 1)
                    for row in back:  # it was given no more rows than there are steps
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

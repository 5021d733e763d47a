"""Script loops over numbers, run as lists of instructions that append entries to the tape.

This saves the operator call and the temporary tensor of every operation: tensors are made only for the names
that hold results at the end. The entries are the same, in the same order and with the same spans, as those of
``scalar_operators``. The interpreter runs the first iteration of a loop, and the first on each new tape, as
usual: it enters the leaves.
"""

from __future__ import annotations

from itertools import islice

from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.scalar_operators import EXACT_FLOAT64_INT
from autodiff.core.fast.tape import (
    IN_PLACE_GRAD_FN,
    MAX_TAPE_ENTRIES,
    PLACES,
    allows_in_place_sums,
    entry_name,
    existing_node,
    name_entries,
)
from autodiff.core.graph.node import VersionCounter
from autodiff.core.graph.state import NO_TAPE, mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Tape

    Frame = list[Any]
    Instruction = tuple[int, Op, Any, int, int, int, Any]
    #: The test (None: always chosen), the instructions, and the registers to copy after them: from, to.
    Choice = tuple[Callable[[Frame], Any] | None, list[Instruction], list[tuple[int, int]]]

# A register holds a pair: a number and its place on the tape, which is 0 for a plain number. The first
# registers are constants; then comes one per name, then those of unnamed results. An instruction is
# `(kind, op, scalar, x, y, to, site)`: `x`, `y` and `to` are the registers of its operands and its result.
# For one operand `y` is register 0, which holds None.
#
# An operation is an entry only if gradients flow to one of its operands. They flow to results. They also flow
# to a name if they do so before the first iteration and the loop assigns it only results. This is checked
# once, before the loop (`needed`), so that no instruction has to check it.

#: The iterator of a range whose numbers are machine integers.
RANGE_ITERATOR = type(iter(range(0)))

#: The kinds of instructions. Sums and products are computed inline, the rest by the op's scalar function.
ADD, MUL, UNARY, BINARY = range(4)
INLINE_KINDS = {"add": ADD, "mul": MUL}


class LoopProgram:
    """A compiled loop body: the effect of the iterations on the slots of a frame.

    In an iteration each of the ``steps`` takes the first of its choices whose test holds, runs its
    instructions, and then copies registers for assignments of one name to another.
    ``registers`` are the initial registers, of which only the constants are filled. ``max_entries`` is the
    largest number of entries that one iteration appends. With fewer iterations left than ``min_rows`` nothing
    is gained.

    Slots come with their registers. ``inputs`` must hold numbers before the loop; ``outputs`` are assigned in
    it. ``tested_slots`` are the slots that tests read. For each group of registers in ``needed``, gradients
    must flow to one of them. Tensors in ``shared`` slots are also assigned to another name, which an unnamed
    node would take; so they must be named already. ``last`` is the name that every iteration assigns last,
    None if that differs.

    ``accumulators`` are slots with a number that each iteration changes in place, by a sum or a difference:
    the slot, its register and, for each such statement, the index of its instruction, the name of its op and
    its span. Nothing else in the loop reads them, and the loop then has no tests.

    ``loop_variables`` are the loop variables: the slot of each, and its register if instructions read it,
    else 0. An iteration assigns them a row of numbers if ``unpacks_rows``, else one number.
    """

    __slots__ = (
        *(
            "accumulators",
            "loop_variables",
            "min_rows",
            "inputs",
            "last",
            "max_entries",
            "needed",
            "outputs",
            "registers",
        ),
        *("unpacks_rows", "shared", "steps", "tested_slots"),
    )

    accumulators: list[tuple[int, int, list[tuple[int, str, Span]]]]
    loop_variables: list[tuple[int, int]]
    min_rows: int
    inputs: list[tuple[int, int]]
    last: str | None
    max_entries: int
    needed: list[list[int]]
    outputs: list[tuple[int, int]]
    registers: list[tuple[Any, int]]
    unpacks_rows: bool
    shared: list[int]
    steps: list[list[Choice]]
    tested_slots: list[int]

    def run(self, frame: Frame, rows: Iterator[Any], max_rows: int) -> tuple[int, tuple[Any, ...]]:
        """Run up to ``max_rows`` iterations, as many as the open tape has room for; return how many were run.

        ``rows`` are the remaining rows of the loop. No iteration is run if a name holds neither a plain
        number nor a number on the tape. A row that is not of plain numbers ends the run. It has been taken
        from ``rows`` but not used, so it is returned too, in a tuple that is empty otherwise.
        """
        tape = mode.tape
        begin = len(tape)
        max_rows = min(max_rows, (MAX_TAPE_ENTRIES - begin) // self.max_entries)
        registers = self.registers.copy()
        tensors = self.load_inputs(tape, frame, registers) if max_rows > 0 else None
        if tensors is None:
            return 0, ()
        steps, enter, write = self.steps, self.enter, tape.append
        is_counting, is_single = rows.__class__ is RANGE_ITERATOR, not self.unpacks_rows
        counter, counted = self.loop_variables[0]
        unused_rows: tuple[Any, ...] = ()
        taken, places = 0, iter(PLACES[begin : begin + max_rows * self.max_entries])  # one for each entry
        try:
            for row in islice(rows, max_rows):
                if is_counting or (is_single and row.__class__ is float):
                    frame[counter] = row
                    if counted:
                        registers[counted] = row, 0
                elif not enter(row, frame, registers):
                    unused_rows = (row,)
                    break
                taken += 1
                for choices in steps:
                    for test, instructions, moves in choices:
                        if test is not None and not test(frame):
                            continue
                        # zip() advances `instructions` first, so that no place is lost at their end.
                        for (kind, op, scalar, i, j, k, site), place in zip(instructions, places):  # noqa: B905
                            x, a = registers[i]
                            y, b = registers[j]
                            if kind == ADD:
                                out = x + y
                            elif kind == MUL:
                                out = x * y
                            else:
                                try:
                                    out = scalar(x) if kind == UNARY else scalar(x, y)
                                except (ArithmeticError, ValueError):
                                    out = None
                                if out.__class__ is not float:
                                    out = op.evaluate_scalars(*((x,) if kind == UNARY else (x, y)))
                            write((op, a, b, x, y, out, site))
                            registers[k] = out, place
                        for i, k in moves:
                            registers[k] = registers[i]
                        break
            if len(tape) > begin:
                mode.site = tape[-1][6]
        finally:  # a test may raise within an iteration
            self.store_outputs(frame, tape, registers, tensors)
            if self.accumulators and taken:
                self.change(frame, tape, registers, begin, taken)
        return taken, unused_rows

    def enter(self, row: Any, frame: Frame, registers: list[tuple[Any, int]]) -> bool:
        """Assign a row to the loop variables; False if it is not one number for each of them.

        Ints that are not exact as floats count as no numbers here: they are left to the operators.
        """
        values = row if self.unpacks_rows else (row,)
        kind = values.__class__
        if (kind is not tuple and kind is not list) or len(values) != len(self.loop_variables):
            return False
        for (slot, register), value in zip(self.loop_variables, values):  # noqa: B905 - of equal length
            if value.__class__ is not float and (
                value.__class__ is not int or not -EXACT_FLOAT64_INT < value < EXACT_FLOAT64_INT
            ):
                return False
            frame[slot] = value
            if register:
                registers[register] = value, 0
        return True

    def row(self, frame: Frame) -> Any:
        """The row of the current iteration."""
        values = [frame[slot] for slot, _ in self.loop_variables]
        return values if self.unpacks_rows else values[0]

    def has_begun(self, frame: Frame) -> bool:
        """Whether the loop variables hold plain numbers; if not, later rows are not expected to either."""
        for slot, _ in self.loop_variables:
            kind = frame[slot].__class__
            if kind is not float and kind is not int:
                return False
        return True

    def load_inputs(
        self, tape: Tape, frame: Frame, registers: list[tuple[Any, int]]
    ) -> dict[int, Tensor] | None:
        """Fill the input registers; return their tensors by place, or None if the program cannot run."""
        if tape is NO_TAPE:
            return None
        tensors: dict[int, Tensor] = {}
        for slot, register in self.inputs:
            x = frame[slot]
            if x.__class__ is Tensor:
                where = x.tape
                if where is None or x.value.__class__ is not float:
                    return None
                # A result from an older tape is entered on this one once an iteration has read it.
                place = x.tape_position if where is tape else tape[0].places.get((id(where), x.tape_position))
                if place is None or x.requires_grad_flag is not (place > 0):
                    return None
                tensors[place] = x
                registers[register] = x.value, place
                if slot in self.shared:
                    node = existing_node(x)
                    name = entry_name(where, x.tape_position) if node is None else node.name
                    if name is None:
                        return None
            elif x.__class__ is float or x.__class__ is int:
                registers[register] = x, 0
            else:
                return None
        if self.accumulators and not self.may_accumulate(frame, tape):
            return None
        for slot in self.tested_slots:
            if frame[slot].__class__ is not int:
                return None
        for operands in self.needed:
            for register in operands:
                if registers[register][1] > 0:
                    break
            else:
                return None
        return tensors

    def may_accumulate(self, frame: Frame, tape: Tape) -> bool:
        """Whether the ``accumulators`` may be changed in place, and are read under no other name."""
        for slot, _, _ in self.accumulators:
            x = frame[slot]
            if x.__class__ is not Tensor or x.tape is not tape or not allows_in_place_sums(x, tape):
                return False
            if any(frame[other] is x for other, _ in self.inputs if other != slot):
                return False
        return True

    def change(
        self, frame: Frame, tape: Tape, registers: list[tuple[Any, int]], begin: int, taken: int
    ) -> None:
        """Give the numbers in ``accumulators`` their new values, and name the entries of all values in
        between.
        """
        for slot, register, changes in self.accumulators:
            x = frame[slot]
            name_entries(
                tape,
                [begin + at for at, _, _ in changes],
                self.max_entries,
                taken,
                entry_name(tape, x.tape_position),
            )
            _, op_name, span = changes[-1]
            versions = x.version_counter
            if versions is None:
                versions = x.version_counter = VersionCounter()
            versions.count += taken * len(changes)
            versions.changed_by, versions.changed_at = IN_PLACE_GRAD_FN[op_name], span
            x.value, x.tape_position = registers[register]

    def store_outputs(
        self, frame: Frame, tape: Tape, registers: list[tuple[Any, int]], tensors: dict[int, Tensor]
    ) -> None:
        """Store the output registers in the frame; names that hold the same entry share a tensor."""
        for slot, register in self.outputs:
            value, place = registers[register]
            if not place:
                if value is not None:  # no iteration has reached the assignment
                    frame[slot] = value
                continue
            x = tensors.get(place)
            if x is None:
                x = tensors[place] = Tensor()
                x.value = value
                x.tape = tape
                x.tape_position = place
                x.array_spec = None
                x.stored_node = x.grad_slot = x.alias = x.version_counter = None
                x.requires_grad_flag = True
            frame[slot] = x

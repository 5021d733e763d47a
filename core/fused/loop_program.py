"""Loops over numbers as lists of instructions.

Where a loop computes numbers, each operator is a call, and each result a tensor that the next operator drops.
Here the entries of the tape are written from a list, and tensors are made of what the names hold in the end.
The entries are those that the operators write (``scalars``), in their order and with their spans. The first
turn of a loop, and the first on each tape, are run as any other script is: they enter the leaves.

A register holds a number, and beside it its place on the tape, which is 0 for a plain number. The first
registers are constants, then comes one for each name, then those of results that have no name. An instruction
is ``(kind, op, scalar, x, y, to, site)``: the registers of its operands and of its result; where there is one
operand, ``y`` is register 0, which holds None.

Without an operand that gradients flow to, an operation is no entry. Results are such operands. So is a name
that gradients flow to before the first turn if all that the turns assign to it are results: these are asked
for before (``needed``), and nothing has to be asked at an instruction.
"""

from __future__ import annotations

from itertools import islice

from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.scalar_operators import EXACT
from autodiff.core.fast.tape import IN_PLACE, LIMIT, PLACES, give_names, may_take_on, name_at, node_made
from autodiff.core.graph.node import VersionCounter
from autodiff.core.graph.state import CLOSED, mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Tape

    Frame = list[Any]
    Instruction = tuple[int, Op, Any, int, int, int, Any]
    #: When it is chosen: if this is true, or always; the instructions; after them, which register goes where.
    Choice = tuple[Callable[[Frame], Any] | None, list[Instruction], list[tuple[int, int]]]

#: What goes through the numbers of a range, if they are no larger than the machine's.
COUNTING = type(iter(range(0)))

#: What an instruction computes: a sum and a product at once, the rest by its op's function of numbers.
ADD, MUL, UNARY, BINARY = range(4)
KINDS = {"add": ADD, "mul": MUL}


class LoopProgram:
    """What the turns of a loop do to the slots of a frame.

    In a turn each step takes the first of its choices whose test holds, computes its instructions, and moves
    what names take over from other registers. ``registers`` are as they are before: only the constants are
    known. ``inputs`` are the slots that have to hold numbers before, with their registers, ``outputs`` those
    that are assigned, and ``tested`` the slots that tests read. Gradients have to flow to one of the
    registers of each of ``needed``. The tensors of the slots ``shared`` are given another name, which their
    nodes take where they have none; so they have to have one. What every turn assigns last is ``last``, if it
    is one and the same name.

    The slots ``added`` hold a number that each turn changes in place, by a sum or a difference: each with its
    register and, for each such statement, which of the turn's instructions it is, its op and where it stands.
    Nothing else in the loop reads them, and there are no tests then.

    The loop's names are ``counters``: the slot of each, and its register where instructions read it, which is
    0 otherwise. They are given a row of numbers in each turn, or one number if they are not ``several``. With
    fewer turns left than ``fewest`` nothing is gained.
    """

    __slots__ = (
        *("added", "counters", "fewest", "inputs", "last", "longest", "needed", "outputs", "registers"),
        *("several", "shared", "steps", "tested"),
    )

    added: list[tuple[int, int, list[tuple[int, str, Span]]]]
    counters: list[tuple[int, int]]
    fewest: int
    inputs: list[tuple[int, int]]
    last: str | None
    longest: int
    needed: list[list[int]]
    outputs: list[tuple[int, int]]
    registers: list[tuple[Any, int]]
    several: bool
    shared: list[int]
    steps: list[list[Choice]]
    tested: list[int]

    def run(self, frame: Frame, rows: Iterator[Any], most: int) -> tuple[int, tuple[Any, ...]]:
        """Take up to so many turns of a loop, as many as the open tape has room for; how many it took.

        ``rows`` are those that the loop has left. None is taken where the names do not hold plain numbers, or
        such as stand on the tape. A row that is not of plain numbers ends it and is handed back: it has been
        taken from the others, and its turn has not begun.
        """
        tape = mode.tape
        begin = len(tape)
        most = min(most, (LIMIT - begin) // self.longest)
        registers = self.registers.copy()
        tensors = self.inputs_on(tape, frame, registers) if most > 0 else None
        if tensors is None:
            return 0, ()
        steps, enter, write = self.steps, self.enter, tape.append
        is_counting, is_single = rows.__class__ is COUNTING, not self.several
        counter, counted = self.counters[0]
        back: tuple[Any, ...] = ()
        taken, places = 0, iter(PLACES[begin : begin + most * self.longest])  # one for each entry to come
        try:
            for row in islice(rows, most):
                if is_counting or (is_single and row.__class__ is float):
                    frame[counter] = row
                    if counted:
                        registers[counted] = row, 0
                elif not enter(row, frame, registers):
                    back = (row,)
                    break
                taken += 1
                for choices in steps:
                    for test, instructions, moves in choices:
                        if test is not None and not test(frame):
                            continue
                        # Of the two, zip asks `instructions` first: no place is lost where there are no more.
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
        finally:  # a test may fail in the midst of a turn
            self.store(frame, tape, registers, tensors)
            if self.added and taken:
                self.change(frame, tape, registers, begin, taken)
        return taken, back

    def enter(self, row: Any, frame: Frame, registers: list[tuple[Any, int]]) -> bool:
        """Begin a turn with this row; False where it is none of as many numbers as the loop has names.

        Whole numbers that are no floats are left to the operators, as everything is that is no number.
        """
        values = row if self.several else (row,)
        kind = values.__class__
        if (kind is not tuple and kind is not list) or len(values) != len(self.counters):
            return False
        for (slot, register), value in zip(self.counters, values):  # noqa: B905 - they are as many
            if value.__class__ is not float and (value.__class__ is not int or not -EXACT < value < EXACT):
                return False
            frame[slot] = value
            if register:
                registers[register] = value, 0
        return True

    def row(self, frame: Frame) -> Any:
        """The row of the turn that is being taken."""
        values = [frame[slot] for slot, _ in self.counters]
        return values if self.several else values[0]

    def has_begun(self, frame: Frame) -> bool:
        """Whether the loop's names hold numbers by now: where they hold something else, rows to come will."""
        for slot, _ in self.counters:
            kind = frame[slot].__class__
            if kind is not float and kind is not int:
                return False
        return True

    def inputs_on(
        self, tape: Tape, frame: Frame, registers: list[tuple[Any, int]]
    ) -> dict[int, Tensor] | None:
        """Fill the registers that are read; the tensors among them by place, None where it cannot begin."""
        if tape is CLOSED:
            return None
        tensors: dict[int, Tensor] = {}
        for slot, register in self.inputs:
            x = frame[slot]
            if x.__class__ is Tensor:
                where = x.tape
                if where is None or x.value.__class__ is not float:
                    return None
                # What was computed before this tape was begun stands on it as soon as a turn has read it.
                place = x.at if where is tape else tape[0].places.get((id(where), x.at))
                if place is None or x.requires_grad is not (place > 0):
                    return None
                tensors[place] = x
                registers[register] = x.value, place
                if slot in self.shared:
                    node = node_made(x)
                    name = name_at(where, x.at) if node is None else node.name
                    if name is None:
                        return None
            elif x.__class__ is float or x.__class__ is int:
                registers[register] = x, 0
            else:
                return None
        if self.added and not self.may_add(frame, tape):
            return None
        for slot in self.tested:
            if frame[slot].__class__ is not int:
                return None
        for operands in self.needed:
            for register in operands:
                if registers[register][1] > 0:
                    break
            else:
                return None
        return tensors

    def may_add(self, frame: Frame, tape: Tape) -> bool:
        """Whether what is to be changed in place may be, and is read under no other name."""
        for slot, _, _ in self.added:
            x = frame[slot]
            if x.__class__ is not Tensor or x.tape is not tape or not may_take_on(x, tape):
                return False
            if any(frame[other] is x for other, _ in self.inputs if other != slot):
                return False
        return True

    def change(
        self, frame: Frame, tape: Tape, registers: list[tuple[Any, int]], begin: int, taken: int
    ) -> None:
        """Give what was added up what it holds now, and its name to all that it was in between."""
        for slot, register, changes in self.added:
            x = frame[slot]
            give_names(tape, [begin + at for at, _, _ in changes], self.longest, taken, name_at(tape, x.at))
            _, op_name, span = changes[-1]
            versions = x.versions
            if versions is None:
                versions = x.versions = VersionCounter()
            versions.count += taken * len(changes)
            versions.changed_by, versions.changed_at = IN_PLACE[op_name], span
            x.value, x.at = registers[register]

    def store(
        self, frame: Frame, tape: Tape, registers: list[tuple[Any, int]], tensors: dict[int, Tensor]
    ) -> None:
        """Give the names what they hold now; those that hold the same number of the tape share a tensor."""
        for slot, register in self.outputs:
            value, place = registers[register]
            if not place:
                if value is not None:  # no turn has come by the assignment
                    frame[slot] = value
                continue
            x = tensors.get(place)
            if x is None:
                x = tensors[place] = Tensor()
                x.value = value
                x.tape = tape
                x.at = place
                x.form = None
                x.own_node = x.cell = x.alias = x.versions = None
                x.requires_grad = True
            frame[slot] = x

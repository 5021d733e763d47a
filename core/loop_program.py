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

from autodiff.core.mode import CLOSED, mode
from autodiff.core.tape import LIMIT, PLACES, name_at
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from autodiff.core.mode import Tape
    from autodiff.core.op import Op

    Frame = list[Any]
    Instruction = tuple[int, Op, Any, int, int, int, Any]
    #: When it is chosen: if this is true, or always; the instructions; after them, which register goes where.
    Choice = tuple[Callable[[Frame], Any] | None, list[Instruction], list[tuple[int, int]]]

#: What an instruction computes: a sum and a product at once, the rest by its op's function of numbers.
ADD, MUL, UNARY, BINARY = range(4)
KINDS = {"add": ADD, "mul": MUL}


class LoopProgram:
    """What the turns of a loop do to the slots of a frame.

    In a turn each step takes the first of its choices whose test holds, computes its instructions, and moves
    what names take over from other registers. ``inputs`` are the slots that have to hold numbers before, with
    their registers, ``outputs`` those that are assigned, and ``tested`` the slots that tests read. Gradients
    have to flow to one of the registers of each of ``needed``. The tensors of the slots ``shared`` are given
    another name, which their nodes take where they have none; so they have to have one. The turns go to the
    slot ``counter``, and to the register ``counted`` where instructions read it; that is 0 otherwise. What
    every turn assigns last is ``last``, if it is one and the same name.
    """

    __slots__ = (
        *("constants", "counted", "counter", "inputs", "last", "longest", "needed", "outputs", "shared"),
        *("size", "steps", "tested"),
    )

    constants: list[Any]
    counted: int
    counter: int
    inputs: list[tuple[int, int]]
    last: str | None
    longest: int
    needed: list[list[int]]
    outputs: list[tuple[int, int]]
    shared: list[int]
    size: int
    steps: list[list[Choice]]
    tested: list[int]

    def run(self, frame: Frame, turns: Iterator[int], most: int) -> int:
        """Take up to so many turns of a loop, as many as the open tape has room for; how many it took.

        ``turns`` are those that the loop has left, at least ``most``. None is taken where the names do not
        hold plain numbers, or such as stand on the tape.
        """
        tape = mode.tape
        begin = len(tape)
        most = min(most, (LIMIT - begin) // self.longest)
        tensors = self.inputs_on(tape, frame) if most > 0 else None
        if tensors is None:
            return 0
        registers = [(value, 0) for value in self.constants]
        registers += [(None, 0)] * (self.size - len(registers))
        for slot, register in self.inputs:
            x = frame[slot]
            registers[register] = (x.value, x.at) if x.__class__ is Tensor else (x, 0)
        if not all(any(registers[i][1] > 0 for i in operands) for operands in self.needed):
            return 0
        steps, counter, counted, write = self.steps, self.counter, self.counted, tape.append
        taken, places = 0, iter(PLACES[begin : begin + most * self.longest])  # one for each entry to come
        try:
            for turn in islice(turns, most):
                taken += 1
                frame[counter] = turn
                if counted:
                    registers[counted] = turn, 0
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
        return taken

    def inputs_on(self, tape: Tape, frame: Frame) -> dict[int, Tensor] | None:
        """The tensors that are read, by their places; None where something else than numbers is."""
        if tape is CLOSED:
            return None
        tensors: dict[int, Tensor] = {}
        for slot, _ in self.inputs:
            x = frame[slot]
            if x.__class__ is Tensor:
                if x.tape is not tape or x.value.__class__ is not float or x.requires_grad is not (x.at > 0):
                    return None
                tensors[x.at] = x
                if slot in self.shared:
                    name = name_at(tape, x.at) if x.own_node is None else x.own_node.name
                    if name is None:
                        return None
            elif x.__class__ is not float and x.__class__ is not int:
                return None
        return tensors if all(frame[slot].__class__ is int for slot in self.tested) else None

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

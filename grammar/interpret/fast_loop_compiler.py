"""Compiles loops over numbers to a LoopProgram, where that is possible.

The body may assign to names of the running frame, with values made of numbers, such names, operators and
functions of one operand. It may also have either branches between such assignments, with tests on the loop
variables, or sums and differences in place (``+=``, ``-=``). Whether the names hold numbers is checked when
the loop runs, and whether the rows are numbers in each turn.
"""

from __future__ import annotations

from autodiff.core.base.source import NamedSpan
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fused.loop_program import BINARY, INLINE_KINDS, UNARY, LoopProgram
from autodiff.core.graph.op import OPS, Op
from autodiff.grammar.interpret.assignment import is_count
from autodiff.grammar.objects.attributes import find_method
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.fused.loop_program import Choice
    from autodiff.grammar.interpret.compiler import Compiler, Evaluate

    Register = tuple[int, int]
    Move = tuple[Register, Register]
    RegisterInstruction = tuple[Op, Register, Register, Register, Any]
    CompiledChoice = tuple[Evaluate | None, list[RegisterInstruction], list[Move]]

#: The names of the ops for the operators of numbers.
OPERATOR_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow"}
#: The operators that a test may contain.
TEST_OPERATORS = frozenset(["+", "-", "*", "%", "//"])
#: How many operators and functions a body may have. The tape has to have room for them, and Python's stack
#: for as many nested in one expression.
MAX_OPERATIONS = 128
#: A program has to start and to end, so it saves no time for only a few turns. It needs at least MIN_TURNS
#: turns, and for a short body as many as have MIN_STEPS: a turn is one step, and so is each instruction.
MIN_TURNS, MIN_STEPS = 4, 40
#: A number, used to look up the methods of numbers.
SAMPLE_NUMBER = Tensor.of(0.0)


class NotCompilable(Exception):
    """Raised when the body contains something that instructions cannot do."""


def compile_loop(c: Compiler, node: tree.For) -> LoopProgram | None:
    """Return the program of a loop; None if instructions cannot do all that the loop does."""
    several = isinstance(node.target, DISPLAY_TYPES)
    targets = node.target.elements if isinstance(node.target, DISPLAY_TYPES) else (node.target,)
    counters = [c.local_slot(target) for target in targets]
    if not counters or not all(counters):
        return None
    try:
        return BodyCompiler(c, counters, several).program(node.body)
    except NotCompilable:
        return None


# Until all names and constants are known, a register is a pair: its kind, and its number within the kind.
CONSTANT, NAMED, UNNAMED = range(3)
NO_OPERAND = (CONSTANT, 0)
DISPLAY_TYPES = (tree.TupleDisplay, tree.ListDisplay)


class BodyCompiler:
    """Compiles one body. Names are represented by their slots.

    ``held`` has the register of each name that was assigned since the last branch; any other name is in its
    own register. ``assigned`` are the names that are certain to be assigned by now in each turn, ``results``
    those of them that are certain to hold the result of an instruction. ``maybe_plain`` are the names that
    may be assigned something else in some turn. ``asked`` has, for each instruction without an operand that
    is certain to be a result, the names among its operands. ``last`` are the names that may be assigned last;
    it is empty if there may be none. ``shared`` are the names whose value is assigned to another name.
    ``accumulators`` are the names that are changed in place, with the line, op and span of each change.
    ``read`` are the names that an expression reads. ``operation_count`` counts operators and functions.
    """

    def __init__(self, c: Compiler, counters: list[int], several: bool) -> None:
        self.c = c
        self.loop_variables = counters
        self.unpacks_rows = several
        self.constants: list[Any] = [None]
        self.names: list[int] = []
        self.operation_count = self.unnamed_count = 0
        self.inputs: set[int] = set()
        self.outputs: set[int] = set()
        self.tested_slots: set[int] = set()
        self.asked: list[list[int]] = []
        self.assigned: set[int] = set()
        self.results: set[int] = set()
        self.maybe_plain: set[int] = set()
        self.current_registers: dict[int, Register] = {}
        self.lines: list[RegisterInstruction] = []
        self.last: dict[str, int] = {}
        self.shared: set[int] = set()
        self.accumulators: dict[int, list[tuple[int, str, Span]]] = {}
        self.read: set[int] = set()

    # -- statements ---------------------------------------------------------------------------------

    def program(self, body: tree.Body) -> LoopProgram:
        steps: list[list[CompiledChoice]] = []
        plain: list[tree.Assign | tree.AugmentedAssign] = []
        for statement in body:
            if isinstance(statement, (tree.Assign, tree.AugmentedAssign)):
                plain.append(statement)
                continue
            if plain:
                steps.append([(None, *self.compile_assignments(plain))])
                plain = []
            steps.append(self.branches(statement))
        if plain:
            steps.append([(None, *self.compile_assignments(plain))])
        return self.build_program(steps)

    def branches(self, node: tree.Statement) -> list[CompiledChoice]:
        """Return the choices of an ``if``, one for each branch."""
        if not isinstance(node, tree.If):
            raise NotCompilable
        assigned, results = self.assigned, self.results
        choices, ends = [], [] if node.orelse else [(assigned, results, self.last)]
        for test, body in (*node.branches, *([(None, node.orelse)] if node.orelse else ())):
            if test is not None:
                self.test(test)
            plain = [statement for statement in body if isinstance(statement, tree.Assign)]
            if len(plain) < len(body):
                raise NotCompilable
            self.assigned, self.results = set(assigned), set(results)
            # The test is compiled a second time, because it cannot be taken out of the ``if``'s closure.
            choices.append(
                (None if test is None else self.c.expression(test), *self.compile_assignments(plain))
            )
            ends.append((self.assigned, self.results, self.last))
        self.assigned = set.intersection(*[end[0] for end in ends])
        self.results = set.intersection(*[end[1] for end in ends])
        self.last = {name: slot for end in ends for name, slot in end[2].items()}
        if not all(end[2] for end in ends):
            self.last = {}
        return choices

    def compile_assignments(
        self, statements: Sequence[tree.Assign | tree.AugmentedAssign]
    ) -> tuple[list[RegisterInstruction], list[Move]]:
        """Return the instructions of consecutive assignments, and the moves to make after them.

        An operand in a name's own register is the value that the name has before all of these assignments.
        """
        self.current_registers, self.lines = {}, []
        for statement in statements:
            if isinstance(statement, tree.Assign):
                self.assign(statement)
            else:
                self.add(statement)
        sure = {self.named(slot) for slot in self.results}
        for slot, register in self.current_registers.items():
            if register[0] == UNNAMED or register in sure:
                self.results.add(slot)
            else:
                self.results.discard(slot)
                self.maybe_plain.add(slot)
        self.assigned.update(self.current_registers)
        self.outputs.update(self.current_registers)
        at_once = self.direct_destinations()
        lines = [
            (op, *[at_once.get(register, register) for register in line], site)
            for op, *line, site in self.lines
        ]
        targets = [
            (at_once.get(register, register), self.named(slot))
            for slot, register in self.current_registers.items()
        ]
        return lines, self.in_order([(register, own) for register, own in targets if register != own])

    def direct_destinations(self) -> dict[Register, Register]:
        """Return the results that need no move, each with the own register of the name it is assigned to.

        A result can be written there directly if no later instruction or move reads the name's old value.
        """
        made_at = {line[3]: at for at, line in enumerate(self.lines)}
        read_last = {register: at for at, line in enumerate(self.lines) for register in line[1:3]}
        taken_over = set(self.current_registers.values())
        found: dict[Register, Register] = {}
        for slot, register in self.current_registers.items():
            own = self.named(slot)
            is_free = own not in taken_over and read_last.get(own, -1) <= made_at.get(register, -1)
            if is_free and register in made_at and register not in found:
                found[register] = own
        return found

    def in_order(self, moves: list[Move]) -> list[Move]:
        """Return moves that have the effect of simultaneous moves when they are made one after the other."""
        targets = {own for _, own in moves}
        if targets.isdisjoint(register for register, _ in moves):
            return moves
        between = [(UNNAMED, self.unnamed_count + number) for number in range(len(moves))]
        self.unnamed_count += len(moves)
        sources = [register for register, _ in moves]
        return [*zip(sources, between, strict=True), *zip(between, [own for _, own in moves], strict=True)]

    def assign(self, node: tree.Assign) -> None:
        if len(node.targets) != 1:
            raise NotCompilable
        targets: tuple[tree.Expression, ...] = node.targets
        values: tuple[tree.Expression, ...] = (node.value,)
        if isinstance(targets[0], DISPLAY_TYPES) and isinstance(node.value, DISPLAY_TYPES):
            targets, values = targets[0].elements, node.value.elements
            if len(targets) != len(values):
                raise NotCompilable
        held = {}
        for target, value in zip(targets, values, strict=True):
            slot = self.c.local_slot(target)
            if not isinstance(target, tree.Name) or not slot or slot in self.loop_variables:
                raise NotCompilable
            if target in self.c.conversions or slot in self.accumulators:
                raise NotCompilable
            register = held[slot] = self.compile_expression(value)
            if register[0] == NAMED:
                self.shared.add(self.names[register[1]])
            elif register[0] == CONSTANT and not isinstance(value, tree.Number):
                raise NotCompilable  # a negative number has to be one object: that of its closure
            elif register[0] == UNNAMED and not isinstance(value, tree.Name):
                op, x, y, made, site = self.lines[-1]
                if site.__class__ is not NamedSpan:
                    self.lines[-1] = op, x, y, made, NamedSpan(site, target.id)
            if not (self.c.plain_functions and is_count(target, value)):
                self.last = {target.id: slot}
        self.current_registers.update(held)

    def add(self, node: tree.AugmentedAssign) -> None:
        """Compile ``name += value`` or ``name -= value``, which change a number in place."""
        slot = self.c.local_slot(node.target)
        if (
            not slot
            or slot in self.loop_variables
            or node.op not in ("+", "-")
            or node.target in self.c.conversions
        ):
            raise NotCompilable
        if slot not in self.accumulators and (slot in self.current_registers or slot in self.assigned):
            raise NotCompilable
        self.count_operation()
        self.inputs.add(slot)
        before = self.current_registers.get(slot) or self.named(slot)
        assert isinstance(node.target, tree.Name)
        self.last = {node.target.id: slot}
        self.results.add(slot)  # the program checks before its first turn that gradients flow to it
        op = OPS[OPERATOR_OPS[node.op]]
        changes = self.accumulators.setdefault(slot, [])
        self.current_registers[slot] = self.line(op, before, self.compile_expression(node.value), node.span)
        changes.append((len(self.lines) - 1, op.name, node.span))

    def test(self, node: tree.Expression) -> None:
        """Check that a test contains only names, numbers and operators that are allowed in tests.

        The names go to ``tested_slots``: no turn may assign them, and the program runs only if they are
        integers.
        """
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if isinstance(node, tree.Name):
                self.tested_slots.add(self.c.local_slot(node))
            elif isinstance(node, tree.Comparison):
                waiting += [node.first, *[operand for _, operand in node.rest]]
            elif isinstance(node, tree.Boolean):
                waiting += node.operands
            elif isinstance(node, tree.Binary) and node.op in TEST_OPERATORS:
                waiting += [node.left, node.right]
            elif not isinstance(node, tree.Number):
                raise NotCompilable

    # -- expressions --------------------------------------------------------------------------------

    def named(self, slot: int) -> Register:
        """Return the own register of a name."""
        if slot not in self.names:
            self.names.append(slot)
        return NAMED, self.names.index(slot)

    def compile_expression(self, node: tree.Expression) -> Register:
        """Compile an expression and return the register that holds its value."""
        if isinstance(node, tree.Name):
            slot = self.c.local_slot(node)
            if not slot:
                raise NotCompilable
            self.read.add(slot)
            if slot in self.current_registers:
                return self.current_registers[slot]
            if slot not in self.assigned and slot not in self.loop_variables:
                self.inputs.add(slot)
            return self.named(slot)
        if isinstance(node, tree.Number):
            return self.constant(node.value)
        if isinstance(node, tree.Unary) and node.op == "-":
            if isinstance(node.operand, tree.Number):
                return self.constant(-node.operand.value)
            return self.result(OPS["neg"], node, [node.operand])
        if isinstance(node, tree.Binary) and node.op in OPERATOR_OPS:
            return self.result(OPS[OPERATOR_OPS[node.op]], node, [node.left, node.right])
        if isinstance(node, tree.Call):
            return self.call(node)
        raise NotCompilable

    def constant(self, value: Any) -> Register:
        self.constants.append(value)
        return CONSTANT, len(self.constants) - 1

    def call(self, node: tree.Call) -> Register:
        """Compile a call of a function of one operand, in function or method form."""
        operands = [argument.value for argument in node.arguments]
        if any(argument.keyword is not None or argument.star for argument in node.arguments):
            raise NotCompilable
        function = self.c.constant(node.function)
        if function is UNBOUND and isinstance(node.function, tree.Attribute):
            function = find_method(SAMPLE_NUMBER, node.function.name)
            operands.insert(0, node.function.object)
        if function.__class__ is not PublicFunction or len(operands) != 1:
            raise NotCompilable
        op = function.implementation
        if op.__class__ is not Op or op.of_one is None:
            raise NotCompilable
        return self.result(op, node, operands)

    def result(self, op: Op, node: tree.Expression, operands: list[tree.Expression]) -> Register:
        """Compile the operands and an instruction for ``op``, and return the register of its result."""
        if op.scalar is None:
            raise NotCompilable
        self.count_operation()
        x, y = [*[self.compile_expression(operand) for operand in operands], NO_OPERAND][:2]
        return self.line(op, x, y, node.span)

    def count_operation(self) -> None:
        """Count an operator or a function, before its operands are compiled."""
        self.operation_count += 1
        if self.operation_count > MAX_OPERATIONS:
            raise NotCompilable

    def line(self, op: Op, x: Register, y: Register, span: Span) -> Register:
        """Append an instruction and return the register of its result."""
        if x[0] != UNNAMED != y[0]:
            names = [self.names[number] for kind, number in (x, y) if kind == NAMED]
            if self.results.isdisjoint(names):
                self.asked.append(names)
        self.unnamed_count += 1
        made = UNNAMED, self.unnamed_count - 1
        self.lines.append((op, x, y, made, span))
        return made

    # -- the whole ----------------------------------------------------------------------------------

    def build_program(self, steps: list[list[CompiledChoice]]) -> LoopProgram:
        starts = {CONSTANT: 0, NAMED: len(self.constants)}
        starts[UNNAMED] = starts[NAMED] + len(self.names)

        def number(register: Register) -> int:
            return starts[register[0]] + register[1]

        made = LoopProgram()
        made.unpacks_rows = self.unpacks_rows
        made.loop_variables = [
            (slot, number(self.named(slot)) if slot in self.names else 0) for slot in self.loop_variables
        ]
        made.inputs = [(slot, number(self.named(slot))) for slot in sorted(self.inputs)]
        assigned = self.outputs.difference(self.accumulators)
        made.outputs = [(slot, number(self.named(slot))) for slot in sorted(assigned)]
        made.accumulators = [
            (slot, number(self.named(slot)), changes) for slot, changes in self.accumulators.items()
        ]
        made.tested_slots = sorted(self.tested_slots.difference(self.loop_variables))
        made.registers = [(value, 0) for value in self.constants]
        made.registers += [(None, 0)] * (len(self.names) + self.unnamed_count)
        made.max_entries = sum(max(len(lines) for _, lines, _ in choices) for choices in steps)
        made.min_rows = max(MIN_TURNS, MIN_STEPS // (made.max_entries + 1))
        made.shared = sorted(self.shared)
        plain = self.maybe_plain.union(self.loop_variables)
        made.needed = [
            [number(self.named(slot)) for slot in names if slot not in plain] for names in self.asked
        ]
        if (
            not made.max_entries
            or not all(made.needed)
            or 0 in self.tested_slots
            or self.tested_slots & self.outputs
        ):
            raise NotCompilable
        if self.accumulators and (
            len(steps) > 1 or steps[0][0][0] is not None or not self.read.isdisjoint(self.accumulators)
        ):
            raise NotCompilable
        # The command line needs the name of the tensor that was assigned or changed last at top level, so it
        # has to be the same in every turn.
        is_sure = len(self.last) == 1 and self.results.issuperset(self.last.values())
        if self.c.scope is self.c.names.module and not is_sure and assigned:
            raise NotCompilable
        made.last = next(iter(self.last)) if is_sure else None
        made.steps = []
        for choices in steps:
            written: list[Choice] = []
            for test, lines, moves in choices:
                instructions = []
                for op, x, y, to, site in lines:
                    kind = UNARY if y == NO_OPERAND else INLINE_KINDS.get(op.name, BINARY)
                    instructions.append((kind, op, op.scalar, number(x), number(y), number(to), site))
                written.append((test, instructions, [(number(x), number(to)) for x, to in moves]))
            made.steps.append(written)
        return made

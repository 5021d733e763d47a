"""The fast path for programs of single numbers: operators on Python floats, recorded on a tape.

Without this module (``AUTODIFF_FAST=0``) the engine computes the same on arrays without dimensions, twenty
times slower. Code is repeated here where scalar programs spend their time and a call would cost too much.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import LazyModule, np, services
from autodiff.core.fast import array_operators
from autodiff.core.fast.tape import MAX_TAPE_ENTRIES, PLACES, find_or_enter, tape_with_room
from autodiff.core.graph.node import ScalarNode, next_number
from autodiff.core.graph.op import OPS, Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor

    Operator = Callable[[Tensor, Any], Any]

array_tape = LazyModule("autodiff.core.fast.array_tape")

#: Ints of smaller size are exact as floats, so that no sum or product with one overflows.
EXACT_FLOAT64_INT = 1 << 53


def unary_function_off_tape(
    kind: type[Tensor], op: Op, of_array: Callable[[Tensor], Any]
) -> Callable[[Tensor], Any]:
    """A unary function for tensors that are not on the open tape, or where the tape has no room."""
    evaluate = op.evaluate_scalars

    def call(x: Tensor) -> Any:
        if fusion_settings.has_begun:
            made = services["fused ops"].defer_if_large(op, (x,))
            if made is not None:
                return made
        value = x.value
        if value.__class__ is not float:
            return of_array(x)
        return make_result(kind, op, (x,), (value,), evaluate(value))

    return call


def unary_function(kind: type[Tensor], op: Op) -> Callable[[Any], Any]:
    """The function that applies an op of one operand to tensors and floats."""
    scalar, evaluate, dispatch, forward = op.scalar, op.evaluate_scalars, op.dispatch, op.forward
    is_analysed = False
    use, is_elementwise = (
        array_operators.shared_bound_op(op, array_operators.SAME_SHAPE),
        array_operators.is_float_elementwise(op),
    )
    of_array = array_operators.unary_function(kind, op)
    apply_off_tape = unary_function_off_tape(kind, op, of_array)
    assert scalar is not None

    def call(x: Any) -> Any:
        nonlocal is_analysed
        if x.__class__ is not kind:
            return evaluate(x) if x.__class__ is float else dispatch((x,), {})
        tape = mode.tape
        if x.tape is not tape or x.tape_position < 0:
            return apply_off_tape(x)
        try:
            at = PLACES[len(tape)]
        except IndexError:
            return apply_off_tape(x)
        value, form = x.value, x.array_spec
        if form is not None:
            if not is_elementwise or at >= form.most:
                return of_array(x)
            # All these ops keep single and double precision.
            made = kind()
            made.array_spec = form
            if not is_analysed:
                is_analysed = True
                array_tape.analyse_bound_op(use)
            out = forward(value)
            made.value = out = np.asarray(out) if form.is_number else out
            made.tape = tape
            made.tape_position = at
            made.stored_node = made.grad_slot = made.alias = made.version_counter = None
            made.requires_grad_flag = x.requires_grad_flag
            kept = value if use.needs_operands else None
            tape.append((use, x.tape_position, 0, kept, None, out if use.needs_out else None, mode.site))
            return made
        try:
            out = scalar(value)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = evaluate(value)
        made = kind()
        made.value = out
        made.tape = tape
        made.tape_position = at
        made.array_spec = None
        made.stored_node = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = x.requires_grad_flag
        tape.append((op, x.tape_position, 0, value, None, out, mode.site))
        return made

    return call


def infix_operator(name: str, general: Operator) -> Operator:
    """The operator method ``name`` of Tensor: two numbers are computed here, all else by ``general``."""

    op: Op | None = None
    scalar: Callable[..., float] | None = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal op, scalar
        kind = self.__class__
        x = self.value
        if x.__class__ is not float:
            return general(self, other)
        if op is None:  # the ops are loaded after the class of tensors
            op, scalar = OPS[name], OPS[name].scalar
        if scalar is None:
            return general(self, other)
        tape = mode.tape
        is_known, b = self.tape is tape, 0
        if other.__class__ is kind:
            y = other.value
            if y.__class__ is not float:
                return general(self, other)
            if other.tape is tape:
                b = other.tape_position
            else:
                is_known = False
            visible = self.requires_grad_flag or other.requires_grad_flag
        elif other.__class__ is float or other.__class__ is int:
            y, visible = other, self.requires_grad_flag
        else:
            return general(self, other)
        try:
            out = scalar(x, y)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = op.evaluate_scalars(x, y)
        at = len(tape)
        if not is_known or at >= MAX_TAPE_ENTRIES or (self.tape_position < 0 and b <= 0):
            return make_result(kind, op, (self, other), (x, y), out)
        made = kind()
        made.value = out
        made.tape = tape
        made.tape_position = at
        made.array_spec = None
        made.stored_node = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = visible
        tape.append((op, self.tape_position, b, x, y, out, mode.site))
        return made

    inlined = INLINED_OPERATORS.get(name)
    return operator if inlined is None else inlined(operator)


# Tensors on the open tape are numbers or small arrays, so few checks are needed. Equal `form` means that both
# operands are numbers, or arrays of one shape and dtype. `mul` repeats the code of `add`, since calling a
# common function would take a tenth of the time.


def inlined_add(slow: Operator) -> Operator:
    kind: Any = None
    op: Any = None
    use: Any = None
    of_arrays: Any = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal kind, op, use, of_arrays
        tape = mode.tape
        if self.tape is not tape:
            return slow(self, other)
        if op is None:  # the ops are loaded after the class of tensors
            kind, op = self.__class__, OPS["add"]
            use = array_operators.shared_bound_op(op, array_operators.SAME_SHAPE)
        x, a, form = self.value, self.tape_position, self.array_spec
        if other.__class__ is kind:
            if other.tape is not tape or other.array_spec is not form:
                return slow(self, other)
            y, b, visible = (
                other.value,
                other.tape_position,
                self.requires_grad_flag or other.requires_grad_flag,
            )
        elif other.__class__ is float or (
            other.__class__ is int and form is None and -EXACT_FLOAT64_INT < other < EXACT_FLOAT64_INT
        ):
            y, b, visible = other, 0, self.requires_grad_flag
        else:
            return slow(self, other)
        try:
            at = PLACES[len(tape)]
        except IndexError:
            return slow(self, other)
        if a < 0 and b <= 0:
            return slow(self, other)
        made = kind()
        made.tape = tape
        made.tape_position = at
        made.array_spec = form
        made.stored_node = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = visible
        if form is None:
            made.value = out = x + y
            tape.append((op, a, b, x, y, out, mode.site))
            return made
        if at >= form.most:
            return slow(self, other)
        if of_arrays is None:
            of_arrays = np.add
            array_tape.analyse_bound_op(use)
        out = of_arrays(x, y)
        made.value = np.asarray(out) if form.is_number else out
        tape.append((use, a, b, None, None if b else y, None, mode.site))  # the rules of a sum read no values
        return made

    return operator


def inlined_mul(slow: Operator) -> Operator:
    kind: Any = None
    op: Any = None
    use: Any = None
    of_arrays: Any = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal kind, op, use, of_arrays
        tape = mode.tape
        if self.tape is not tape:
            return slow(self, other)
        if op is None:  # the ops are loaded after the class of tensors
            kind, op = self.__class__, OPS["mul"]
            use = array_operators.shared_bound_op(op, array_operators.SAME_SHAPE)
        x, a, form = self.value, self.tape_position, self.array_spec
        if other.__class__ is kind:
            if other.tape is not tape or other.array_spec is not form:
                return slow(self, other)
            y, b, visible = (
                other.value,
                other.tape_position,
                self.requires_grad_flag or other.requires_grad_flag,
            )
        elif other.__class__ is float or (
            other.__class__ is int and form is None and -EXACT_FLOAT64_INT < other < EXACT_FLOAT64_INT
        ):
            y, b, visible = other, 0, self.requires_grad_flag
        else:
            return slow(self, other)
        try:
            at = PLACES[len(tape)]
        except IndexError:
            return slow(self, other)
        if a < 0 and b <= 0:
            return slow(self, other)
        made = kind()
        made.tape = tape
        made.tape_position = at
        made.array_spec = form
        made.stored_node = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = visible
        if form is None:
            made.value = out = x * y
            tape.append((op, a, b, x, y, out, mode.site))
            return made
        if at >= form.most:
            return slow(self, other)
        if of_arrays is None:
            of_arrays = np.multiply
            array_tape.analyse_bound_op(use)
        out = of_arrays(x, y)
        made.value = np.asarray(out) if form.is_number else out
        tape.append((use, a, b, x, y, None, mode.site))  # the rules of a product read the operands
        return made

    return operator


INLINED_OPERATORS: dict[str, Callable[[Operator], Operator]] = {"add": inlined_add, "mul": inlined_mul}


def reflected_operator(name: str, general: Operator) -> Operator:
    """As ``infix_operator``, for the operator with a plain number on the left."""
    op: Op | None = None
    scalar: Callable[..., float] | None = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal op, scalar
        y = self.value
        if y.__class__ is not float or (other.__class__ is not float and other.__class__ is not int):
            return general(self, other)
        if op is None:
            op, scalar = OPS[name], OPS[name].scalar
        if scalar is None:
            return general(self, other)
        try:
            out = scalar(other, y)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = op.evaluate_scalars(other, y)
        kind, tape = self.__class__, mode.tape
        at = len(tape)
        if self.tape is not tape or at >= MAX_TAPE_ENTRIES or self.tape_position < 0:
            return make_result(kind, op, (other, self), (other, y), out)
        made = kind()
        made.value = out
        made.tape = tape
        made.tape_position = at
        made.array_spec = None
        made.stored_node = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = self.requires_grad_flag
        tape.append((op, 0, self.tape_position, other, y, out, mode.site))
        return made

    return operator


def make_result(kind: type[Tensor], op: Op, operands: tuple[Any, ...], values: Any, out: float) -> Tensor:
    """The result as a tensor, recorded if gradients flow to an operand."""
    made = kind()
    made.value = out
    made.stored_node = made.tape = made.grad_slot = made.alias = made.version_counter = None
    tracked = requires_grad = False
    if mode.enabled:
        for x in operands:
            if x.__class__ is kind:
                node = x.stored_node
                if x.tape is not None if node is None else node.tracked:
                    tracked = True
                    requires_grad = requires_grad or x.requires_grad_flag
    made.requires_grad_flag = requires_grad
    if tracked:
        record(made, op, operands, values)
    return made


def record(made: Tensor, op: Op, operands: tuple[Any, ...], values: Any) -> None:
    """Record a result on the tape, or give it a node if an operand has a node that is not a leaf."""
    kind, tape = made.__class__, tape_with_room()
    places: list[Any] = []
    for x in operands:
        place = (
            0 if x.__class__ is not kind else x.tape_position if x.tape is tape else find_or_enter(x, tape)
        )
        if place is None:
            made.stored_node = scalar_node(op, operands, made)
            return
        places.append(place)
    made.tape, made.tape_position, made.array_spec = tape, len(tape), None
    if len(places) == 1:
        tape.append((op, *places, 0, *values, None, made.value, mode.site))
    else:
        tape.append((op, *places, *values, made.value, mode.site))


def scalar_node(op: Op, operands: tuple[Any, ...], made: Tensor) -> ScalarNode:
    """A node for a result, needed if an operand has a node that is not a leaf."""
    kind = made.__class__
    sources = [x.source() if x.__class__ is kind else None for x in operands]
    node = ScalarNode()
    node.op = op
    node.a, node.b = sources if len(sources) == 2 else (sources[0], None)
    numbers = [x for x in operands if x.__class__ is not kind]
    node.constant = numbers[0] if numbers else None
    node.number = next_number()
    node.out = made.value
    node.site = mode.site
    node.name = node.status = node.scratch = None
    return node

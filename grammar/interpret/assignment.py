"""Compiles assignments to names, attributes, subscripts and tuples of them; ``op=``; and ``del``.

A tensor assigned to a name gives its node that name, so that graphs and derivations use the script's names.
"""

from __future__ import annotations

import operator

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import NamedSpan
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import name_node
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import STATEMENTS, Compiler, compiles
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.operators import BINARY
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    UNBOUND,
    Drawing,
    iterate,
    list_within_limits,
    type_name,
)
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Execute, Frame, Store

numpy_functions = LazyModule("autodiff.grammar.objects.numpy_functions")
aliasing = LazyModule("autodiff.core.engine.aliasing")
argument_check = LazyModule("autodiff.grammar.objects.argument_check")
fixed = LazyModule("autodiff.grammar.objects.fixed_arrays")
attributes = LazyModule("autodiff.grammar.objects.attributes")
in_place_changes = LazyModule("autodiff.core.engine.in_place")
plain_arrays = LazyModule("autodiff.grammar.objects.plain_arrays")
subscripts = LazyModule("autodiff.grammar.objects.subscripts")


@compiles(tree.Assign, STATEMENTS)
def compile_assign(c: Compiler, node: tree.Assign) -> Execute:
    if len(node.targets) == 1 and isinstance(node.targets[0], tree.Name):
        return compile_assign_name(c, node.targets[0], node.value)
    value = c.expression(node.value)
    if len(node.targets) == 1:
        (target,) = node.targets
        store = compile_target(c, target)

        def run(frame: Frame) -> None:
            store(frame, value(frame))

        return run
    stores = [compile_target(c, target) for target in node.targets]

    def run_all(frame: Frame) -> None:
        made = value(frame)
        for store in stores:
            store(frame, made)

    return run_all


def compile_assign_name(c: Compiler, target: tree.Name, value_node: tree.Expression) -> Execute:
    """Compile ``name = value``, the most frequent statement of scripts."""
    name, slot = target.id, c.scope.slots[target.id]
    has_named_span = is_single_op(c, value_node)
    if has_named_span:
        value_node.span = NamedSpan(value_node.span, name)
    value = c.expression(value_node)
    convert = c.conversions.get(target)
    last = c.last
    outputs = c.output_classes(is_count(target, value_node))
    span = target.span

    if convert is not None:
        evaluate = value

        def value(frame: Frame) -> Any:
            made = evaluate(frame)
            if made.__class__ is not Tensor:
                mode.site = span  # the site of the leaf that a number is converted to
            return convert(made)

    def record_assignment(made: Any) -> None:
        if made.__class__ is Tensor and (made.tape is None or not has_named_span):
            node = made.stored_node
            if node is None:
                name_node(made, name)
            elif node.name is None:
                node.name = name
        if made.__class__ in outputs:
            last[0] = name

    is_named_there = has_named_span and (Tensor in outputs or c.scope is not c.names.module)
    return c.assign([(value, slot, name, is_named_there, record_assignment)])


def is_count(target: tree.Expression, value: tree.Expression) -> bool:
    """Whether an assignment adds a literal number to a variable or the like, as in ``i = i + 1``."""
    return (
        isinstance(value, tree.Binary)
        and isinstance(value.left, tree.Name)
        and isinstance(target, tree.Name)
        and value.left.id == target.id
        and isinstance(value.right, tree.Number)
    )


def is_single_op(c: Compiler, node: tree.Expression) -> bool:
    """Whether a value that is recorded on the tape is certain to be the result of a single op at ``node``."""
    if isinstance(node, tree.Call):
        function = c.constant(node.function)
        is_op = function.__class__ is PublicFunction and function.implementation.__class__ is Op
        return is_op and not (c.plain_functions and argument_check.takes_base(function, len(node.arguments)))
    if isinstance(node, tree.Binary):
        return node.op != "@"
    return isinstance(node, tree.Unary) and node.op == "-"


def compile_target(c: Compiler, target: tree.Expression) -> Store:
    """Return the closure that assigns a value to a target, which the parser has checked."""
    return TARGET_COMPILERS[target.__class__](c, target)


def compile_name_target(c: Compiler, target: tree.Name, counts: bool = False) -> Store:
    name, slot = target.id, c.scope.slots[target.id]
    convert = c.conversions.get(target)
    outputs, last = c.output_classes(counts), c.last

    def store(frame: Frame, value: Any) -> None:
        if convert is not None:
            if value.__class__ is not Tensor:
                mode.site = target.span
            value = convert(value)
        frame[slot] = value
        if value.__class__ is Tensor:
            name_node(value, name)
        if value.__class__ in outputs:
            last[0] = name

    return store


def compile_attribute_target(c: Compiler, target: tree.Attribute) -> Store:
    owner, name, span, name_span = c.expression(target.object), target.name, target.span, target.name_span

    def store(frame: Frame, value: Any) -> None:
        of = owner(frame)
        mode.site = span
        attributes.set_attribute(of, name, value, name_span)

    return store


def compile_subscript_target(c: Compiler, target: tree.Subscript) -> Store:
    owner, index, span = c.expression(target.object), c.expression(target.index), target.span
    note_change = change_recorder(c, target.object)

    def store(frame: Frame, value: Any) -> None:
        of = owner(frame)
        at = index(frame)
        mode.site = span
        subscripts.set_item(of, at, value)
        if note_change is not None:
            note_change(of)

    return store


def change_recorder(c: Compiler, target: tree.Expression) -> Callable[[Any], None] | None:
    """Return the function that notes a change in place of a top-level variable's value, or of a part of it.

    It gets the value or the part. An input that a script changes, as a step of training does, is no output.
    Return None if ``target`` does not begin with a top-level variable.
    """
    while isinstance(target, tree.Subscript):
        target = target.object
    if not isinstance(target, tree.Name) or not c.output_classes():
        return None
    name, last = target.id, c.last

    def note_change(value: Any) -> None:
        if value.__class__ is list or (value.__class__ is Tensor and value.stored_node.__class__ is not Leaf):
            last[0] = name

    return note_change


def compile_sequence_target(c: Compiler, target: tree.TupleDisplay | tree.ListDisplay) -> Store:
    span = target.span
    stars = [at for at, part in enumerate(target.elements) if isinstance(part, tree.Starred)]
    stores = [
        compile_target(c, part.value if isinstance(part, tree.Starred) else part) for part in target.elements
    ]
    star = stars[0] if stars else None

    # Plain floats, as in rows of data, are put directly into their slots: they need no name in a graph.
    slots = [plain_number_slot(c, part) for part in target.elements]
    places, wanted = list(zip(stores, slots, strict=True)), len(stores)

    def store(frame: Frame, value: Any) -> None:
        mode.site = span
        if value.__class__ is not tuple or len(value) != wanted or star is not None:
            value = unpack(value, wanted, star)
        for (put, slot), part in zip(places, value):  # noqa: B905 - unpack has checked the lengths
            if slot and part.__class__ is float:
                frame[slot] = part
            else:
                put(frame, part)

    return store


def plain_number_slot(c: Compiler, target: tree.Expression) -> int:
    """Return the slot for a plain number assigned to this target; 0 if the assignment has to do more."""
    if isinstance(target, tree.Name) and c.conversions.get(target) is None and not c.output_classes():
        return c.scope.slots[target.id]
    return 0


def unpack(value: Any, wanted: int, star: int | None) -> list[Any]:
    """Return one value for each of the ``wanted`` targets; target number ``star`` gets a list of the rest."""
    if value.__class__ is Drawing and not value.shape:
        return [value] * wanted  # as in `counts, edges, bars = plt.hist(x)`
    try:
        rows = iterate(value)
    except ScriptError as error:
        if error.code == "E0205" and value.__class__ is not Tensor:
            error = ScriptError(
                f"cannot unpack non-iterable {type_name(value)} object", code="E0205", caret=error.caret
            )
        raise error from None
    values: list[Any] = []
    if star is not None:
        values = list_within_limits(rows)
    else:
        for part in rows:
            values.append(part)
            if len(values) > wanted:
                break
        if len(values) > wanted:
            count = len(value) if value.__class__ in (list, tuple, Tensor) else None
            raise ScriptError(
                f"too many values to unpack (expected {wanted})",
                code="E0206",
                caret=f"there are {wanted} names here for {count or 'more'} values",
                repair_context=(wanted, count),
            )
        if len(values) < wanted:
            raise ScriptError(
                f"not enough values to unpack (expected {wanted}, got {len(values)})",
                code="E0206",
                caret=f"there are {wanted} names here for {len(values)} values",
            )
        return values
    after = wanted - star - 1
    if len(values) < wanted - 1:
        raise ScriptError(
            f"not enough values to unpack (expected at least {wanted - 1}, got {len(values)})", code="E0206"
        )
    end = len(values) - after
    return [*values[:star], values[star:end], *values[end:]]


TARGET_COMPILERS: dict[type, Callable[[Compiler, Any], Store]] = {
    tree.Name: compile_name_target,
    tree.Attribute: compile_attribute_target,
    tree.Subscript: compile_subscript_target,
    tree.TupleDisplay: compile_sequence_target,
    tree.ListDisplay: compile_sequence_target,
}


@compiles(tree.AugmentedAssign, STATEMENTS)
def compile_augmented_assign(c: Compiler, node: tree.AugmentedAssign) -> Execute:
    value, span = c.expression(node.value), node.span
    change = in_place_operator(BINARY[node.op], node.op)
    target = node.target
    note_change = change_recorder(c, target)
    if isinstance(target, tree.Name):
        read = c.expression(target)
        store = compile_name_target(c, target, counts=isinstance(node.value, tree.Number))

        def run_name(frame: Frame) -> None:
            old = read(frame)
            other = value(frame)
            mode.site = span
            new = change(old, other)
            if new is not old:
                store(frame, new)
            elif note_change is not None:
                note_change(old)

        return run_name
    if isinstance(target, tree.Attribute):
        owner, name, name_span = c.expression(target.object), target.name, target.name_span

        def run_attribute(frame: Frame) -> None:
            of = owner(frame)
            old = attributes.get_attribute(of, name, name_span)
            other = value(frame)
            mode.site = span
            new = change(old, other)
            if new is not old:
                attributes.set_attribute(of, name, new, name_span)

        return run_attribute
    assert isinstance(target, tree.Subscript)
    owner, index = c.expression(target.object), c.expression(target.index)

    def run_subscript(frame: Frame) -> None:
        of = owner(frame)
        at = index(frame)
        mode.site = target.span
        old = subscripts.get_item(of, at)
        other = value(frame)
        mode.site = span
        new = change(old, other)
        if new is old and of.__class__ is Tensor and aliasing.is_view_of(old, of):
            if old.shape == of.shape:
                subscripts.set_item(of, at, old)
            else:
                aliasing.count_change(of)
        else:
            subscripts.set_item(of, at, new)
        if note_change is not None:
            note_change(of)

    return run_subscript


#: The operators of the Tensor class, which skip the type dispatch of BINARY.
TENSOR_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def in_place_operator(operate: Callable[[Any, Any], Any], op: str) -> Callable[[Any, Any], Any]:
    """Return the function for ``op=``: tensors and lists change in place; other values and ``@`` do not.

    In a script without tensors a recorded number is Python's, which other names keep.
    """
    of_tensors, in_place = TENSOR_OPERATORS.get(op), op != "@"

    def change(old: Any, other: Any) -> Any:
        if old.__class__ is Tensor and operators.is_array_beside_list(old, other):
            other = numpy_functions.as_array(other)
        if (
            in_place
            and old.__class__ is Tensor
            and (other.__class__ is Tensor or other.__class__ in NUMBER_CLASSES)
        ):
            if runtime.fixed_arrays and fixed.is_fixed(old):
                return operate(old, other)
            if runtime.without_tensors and mode.enabled and (not old.shape or runtime.in_rows):
                return (of_tensors or operate)(old, other)
            if runtime.backward_parts:
                plain_arrays.refuse_change_behind_part(old)
            if runtime.prints_numbers and plain_arrays.takes_no_fractions(old):
                return plain_arrays.change_whole(old, other, op, of_tensors or operate)
            return in_place_changes.change_by_operator(old, other, of_tensors or operate)
        if old.__class__ is list and op == "+":
            from autodiff.grammar.objects.sequence_methods import extend

            extend(old, other)
            return old
        if old.__class__ is list and op == "*":
            old[:] = operate(old, other)
            return old
        try:
            return operate(old, other)
        except ScriptError as error:
            error.message = error.message.replace(f"for {op}:", f"for {op}=:").replace(
                "for ** or pow():", "for **=:"
            )
            raise

    return change


@compiles(tree.Delete, STATEMENTS)
def compile_delete(c: Compiler, node: tree.Delete) -> Execute:
    steps = [compile_deletion(c, target) for target in node.targets]

    def run(frame: Frame) -> None:
        for step in steps:
            step(frame)

    return run


def compile_deletion(c: Compiler, target: tree.Expression) -> Evaluate:
    if isinstance(target, tree.Name):
        slot, read = c.scope.slots[target.id], c.expression(target)
        empty = c.find_builtin(target.id) if c.scope is c.names.module else UNBOUND

        def delete_name(frame: Frame) -> None:
            read(frame)
            frame[slot] = empty

        return delete_name
    if isinstance(target, tree.Subscript):
        owner, index, span = c.expression(target.object), c.expression(target.index), target.span

        def delete_entry(frame: Frame) -> None:
            of = owner(frame)
            at = index(frame)
            mode.site = span
            subscripts.delete_item(of, at)

        return delete_entry
    if isinstance(target, tree.Attribute):
        owner, name, span, name_span = c.expression(target.object), target.name, target.span, target.name_span

        def delete_member(frame: Frame) -> None:
            of = owner(frame)
            mode.site = span
            attributes.delete_attribute(of, name, name_span)

        return delete_member
    assert isinstance(target, (tree.TupleDisplay, tree.ListDisplay))
    steps = [compile_deletion(c, element) for element in target.elements]

    def delete_all(frame: Frame) -> None:
        for step in steps:
            step(frame)

    return delete_all

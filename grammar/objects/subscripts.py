"""Reading, assigning and deleting ``x[i]`` for tensors, lists, tuples, strings and shapes."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    NUMBER_CLASSES,
    BracketFunction,
    Drawing,
    Size,
    as_index,
    int_if_literal,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

aliasing = LazyModule("autodiff.core.engine.aliasing")
fixed_arrays = LazyModule("autodiff.grammar.objects.fixed_arrays")
plain_functions = LazyModule("autodiff.grammar.objects.plain_functions")
plain_arrays = LazyModule("autodiff.grammar.objects.plain_arrays")
side_modules = LazyModule("autodiff.grammar.objects.side_modules")
plain_text = LazyModule("autodiff.grammar.objects.plain_text")

SEQUENCE_NAMES = {list: "list", tuple: "tuple", Size: "tuple", str: "string", range: "range object"}


def get_item(owner: Any, index: Any) -> Any:
    """Return ``owner[index]``."""
    if owner.__class__ is Tensor:
        index = with_literal_ints(index)
        if runtime.plain_functions and goes_backwards(index):
            return plain_arrays.read_backwards(owner, index)
        part = owner[index]
        return part if part.shape or not runtime.prints_numbers else aliasing.separate(part)
    if owner.__class__ in NAMED_RESULTS:
        owner = tuple(owner.entries)
    if owner.__class__ is Drawing:
        return side_modules.entry_of_drawing(owner, index)
    if owner.__class__ is BracketFunction:
        return owner.function(index)
    if runtime.fixed_arrays and owner.__class__ is fixed_arrays.ArrayAt:
        return fixed_arrays.EntriesAt(owner.array, with_literal_ints(index))
    if owner.__class__ not in SEQUENCE_NAMES:
        raise ScriptError(
            f"'{type_name(owner)}' object is not subscriptable",
            code="E0203",
            caret="this has no entries to pick from",
            repair_context=(owner, index),
        )
    if index.__class__ is slice:
        part = owner[int_slice(index)]
        return Size(part) if owner.__class__ is Size else part
    try:
        return owner[as_position(owner, index)]
    except IndexError:
        raise out_of_range(owner, "") from None


def is_backward(part: Any) -> bool:
    return part.__class__ is slice and part.step.__class__ is int and part.step < 0


def goes_backwards(index: Any) -> bool:
    """Whether an index has a slice whose step is below 0."""
    return any(map(is_backward, index)) if index.__class__ is tuple else is_backward(index)


def with_literal_ints(index: Any) -> Any:
    """Return the index of a tensor, with leaves that stand for whole-number literals replaced by ints."""
    if not runtime.numbers_are_leaves:
        return index
    if index.__class__ is tuple:
        return tuple([with_literal_ints(part) for part in index])
    if index.__class__ is slice:
        return slice(*map(with_literal_ints, (index.start, index.stop, index.step)))
    if index.__class__ is not Tensor:
        return index
    mode.count(index)
    if index.shape and runtime.plain_functions:
        return plain_arrays.as_positions(index)
    return int_if_literal(index)


def as_position(owner: Any, index: Any) -> int:
    if (index.__class__ in NUMBER_CLASSES and index.__class__ is not float) or index.__class__ is Tensor:
        return as_index(index, "an index")
    kind = SEQUENCE_NAMES[owner.__class__].removesuffix(" object")
    raise ScriptError(
        f"string indices must be integers, not '{type_name(index)}'"
        if owner.__class__ is str
        else f"{kind} indices must be integers or slices, not {type_name(index)}",
        code="E0203",
        caret="a position is a whole number",
        repair_context=(owner, index),
    )


def out_of_range(owner: Any, assignment: str) -> ScriptError:
    n = len(owner)
    return ScriptError(
        f"{SEQUENCE_NAMES[owner.__class__]} {assignment}index out of range",
        code="E0208",
        caret=f"there are {n} entries, from 0 to {n - 1}"
        if n > 1
        else "there is only entry 0"
        if n
        else "it is empty",
    )


def int_slice(index: slice) -> slice:
    """Return a slice with its parts converted to ints; raise for a step of 0."""
    parts = [
        None if part is None else as_index(part, "a slice") for part in (index.start, index.stop, index.step)
    ]
    if parts[2] == 0:
        raise ScriptError("slice step cannot be zero", code="E0206")
    return slice(*parts)


def set_item(owner: Any, index: Any, value: Any) -> None:
    """Run ``owner[index] = value``."""
    if owner.__class__ is Drawing:
        return  # a setting of drawings, as in `plt.rcParams["lines.linewidth"] = 2`
    if owner.__class__ is Tensor:
        if runtime.fixed_arrays:
            fixed_arrays.check_assignment(owner, value)
        from autodiff.core.ops.select.indexing import assign_item

        if value.__class__ in (list, tuple) and runtime.plain_functions:
            value = plain_functions.as_tensor(value, True)  # as numpy takes it
        index = with_literal_ints(index)
        if not runtime.prints_numbers or not owner.shape:
            assign_item(owner, index, value)
            return
        if runtime.backward_parts:
            plain_arrays.refuse_change_behind_part(owner)
        index, value = plain_arrays.without_repeats(owner, index, value)
        if plain_text.is_array_of_whole(owner):
            value = plain_arrays.whole_for(owner, value)
        assign_item(owner, index, value)
        return
    if owner.__class__ is not list:
        raise ScriptError(
            f"'{type_name(owner)}' object does not support item assignment",
            code="E0203",
            help=("build a new one instead",) if owner.__class__ in SEQUENCE_NAMES else (),
        )
    if index.__class__ is slice:
        owner[int_slice(index)] = list(iterate(value))
        return
    try:
        owner[as_position(owner, index)] = value
    except IndexError:
        raise out_of_range(owner, "assignment ") from None


def delete_item(owner: Any, index: Any) -> None:
    """Run ``del owner[index]``."""
    if owner.__class__ is not list:
        message = f"'{type_name(owner)}' object doesn't support item deletion"
        if owner.__class__ is Tensor:
            message = "Tensor does not support deleting items"
        raise ScriptError(message, code="E0203")
    if index.__class__ is slice:
        del owner[int_slice(index)]
        return
    try:
        del owner[as_position(owner, index)]
    except IndexError:
        raise out_of_range(owner, "assignment ") from None

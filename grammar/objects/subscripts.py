"""Reading, assigning and deleting ``x[i]`` for tensors, lists, tuples, strings and shapes."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    NUMBERS,
    Size,
    as_index,
    iterate,
    type_name,
    whole_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = {list: "list", tuple: "tuple", Size: "tuple", str: "string", range: "range object"}


def get_item(owner: Any, index: Any) -> Any:
    """Return ``owner[index]``."""
    if owner.__class__ is Tensor:
        return owner[whole_places(index)]
    if owner.__class__ in NAMED_RESULTS:
        owner = tuple(owner.values)
    if owner.__class__ not in KINDS:
        raise ScriptError(
            f"'{type_name(owner)}' object is not subscriptable",
            code="E0203",
            caret="this has no entries to pick from",
            about=(owner, index),
        )
    if index.__class__ is slice:
        part = owner[plain_slice(index)]
        return Size(part) if owner.__class__ is Size else part
    try:
        return owner[position(owner, index)]
    except IndexError:
        raise out_of_range(owner, "") from None


def whole_places(index: Any) -> Any:
    """Return the index of a tensor, with leaves that stand for whole-number literals replaced by ints."""
    if not runtime.numbers_are_leaves:
        return index
    if index.__class__ is tuple:
        return tuple([whole_places(part) for part in index])
    if index.__class__ is slice:
        return slice(*map(whole_places, (index.start, index.stop, index.step)))
    return whole_number(index) if index.__class__ is Tensor else index


def position(owner: Any, index: Any) -> int:
    if (index.__class__ in NUMBERS and index.__class__ is not float) or index.__class__ is Tensor:
        return as_index(index, "an index")
    kind = KINDS[owner.__class__].removesuffix(" object")
    raise ScriptError(
        f"string indices must be integers, not '{type_name(index)}'"
        if owner.__class__ is str
        else f"{kind} indices must be integers or slices, not {type_name(index)}",
        code="E0203",
        caret="a position is a whole number",
        about=(owner, index),
    )


def out_of_range(owner: Any, assignment: str) -> ScriptError:
    n = len(owner)
    return ScriptError(
        f"{KINDS[owner.__class__]} {assignment}index out of range",
        code="E0208",
        caret=f"there are {n} entries, from 0 to {n - 1}"
        if n > 1
        else "there is only entry 0"
        if n
        else "it is empty",
    )


def plain_slice(index: slice) -> slice:
    """Return a slice with its parts converted to ints; raise for a step of 0."""
    parts = [
        None if part is None else as_index(part, "a slice") for part in (index.start, index.stop, index.step)
    ]
    if parts[2] == 0:
        raise ScriptError("slice step cannot be zero", code="E0206")
    return slice(*parts)


def set_item(owner: Any, index: Any, value: Any) -> None:
    """Run ``owner[index] = value``."""
    if owner.__class__ is Tensor:
        from autodiff.core.ops.select.indexing import assign_item

        assign_item(owner, whole_places(index), value)
        return
    if owner.__class__ is not list:
        raise ScriptError(
            f"'{type_name(owner)}' object does not support item assignment",
            code="E0203",
            help=("build a new one instead",) if owner.__class__ in KINDS else (),
        )
    if index.__class__ is slice:
        owner[plain_slice(index)] = list(iterate(value))
        return
    try:
        owner[position(owner, index)] = value
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
        del owner[plain_slice(index)]
        return
    try:
        del owner[position(owner, index)]
    except IndexError:
        raise out_of_range(owner, "assignment ") from None

"""``x[index]`` as a sequence of select, slice, unsqueeze and index ops, as in torch.

``getitem`` reads, ``assign_item`` writes in place, ``value_after_assignment`` returns the value after an
assignment. An index is made of ints, slices, None, ``...``, lists, tensors and tuples of them.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, DtypeError, ScriptError, type_name
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import register_saved_params, shares_memory, view_origin_of
from autodiff.core.engine.in_place_checks import check_change, check_no_input_overlap, has_self_overlap
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS
from autodiff.core.graph.registry import OPERATORS, declare
from autodiff.core.ops.create.creation import cast_number
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.shape.dims import expanded_shape
from autodiff.core.ops.shape.index_parser import (
    ParsedIndex,
    index_as_tuple,
    refuse_scalar_index,
    slice_bounds,
    spanned_dims,
)
from autodiff.core.ops.shape.picking_ops import FULL_SLICE, embed, index_op, index_put, slice_dim
from autodiff.core.ops.shape.reshape import alias, expand, reshape_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def getitem(x: Tensor, index: Any) -> Tensor:
    """Return ``x[index]``.

    >>> from autodiff.core.engine.tensor import tensor
    >>> getitem(tensor([[1.0, 2.0], [3.0, 4.0]]), (1, 0)).item()
    3.0
    """
    key = cache_key(x, index) if is_fast else None
    steps = CACHED_STEPS.get(key)
    result = x
    if steps is not None:
        for op, params in steps:
            result = op.dispatch((result,), params)
        return result
    if index.__class__ is slice or index.__class__ is int:
        refuse_scalar_index(x, index)
    if index.__class__ is slice:
        start, stop, step = slice_bounds(index, x.shape[0])
        steps = [(slice_dim, {"dim": 0, "start": start, "stop": stop, "step": step})]
    else:
        place = ParsedIndex(x, index_as_tuple(index))
        if place.advanced:
            for op, params in place.steps:
                result = op(result, **params)
            made = index_op(result, indices=place.advanced)
            register_saved_params(made, index_as_tuple(index))
            return made
        steps = place.steps or [(alias, {})]
    for op, params in steps:
        result = op(result, **params)
    if key is not None:
        if len(CACHED_STEPS) > 1000:
            CACHED_STEPS.clear()
        CACHED_STEPS[key] = steps
    return result


declare(OPERATORS, "getitem", getitem)


#: What shapes and indices of ints and slices come to: working it out takes longer than taking the steps.
CACHED_STEPS: dict[Any, list[tuple[Any, dict[str, Any]]]] = {}


def cache_key(x: Tensor, index: Any) -> tuple[Any, ...] | None:
    """Return the key of an index in ``CACHED_STEPS``; None if it holds more than ints and slices of ints."""
    if index.__class__ is int:
        return x.shape, index
    key: list[Any] = [x.shape, index.__class__]  # `x[:]` and `x[:,]` differ
    for part in index if index.__class__ is tuple else (index,):
        if part.__class__ is int:
            key.append(part)
        elif part.__class__ is slice:
            ends = part.start, part.stop, part.step
            for end in ends:
                if end is not None and end.__class__ is not int:
                    return None
            key.append(ends)
        else:
            return None
    return tuple(key)


def assign_item(x: Tensor, index: Any, value: Any) -> None:
    """Assign ``x[index] = value`` in place. As in torch, writing to a part goes through a view of ``x``.

    Errors: a wrong index, shapes that do not fit, tensors that may not be changed.
    """
    if index.__class__ is slice or index.__class__ is int:
        refuse_scalar_index(x, index)
    else:
        refuse_aliased_index(x, index_as_tuple(index), value)
    place = ParsedIndex(x, index_as_tuple(index))
    part = any(key != FULL_SLICE for key in place.basic)
    recipe = view_origin_of(x)
    is_unfollowed_view = part and recipe is not None and not recipe.is_recordable
    check_change(getitem(x, index) if is_unfollowed_view else x, (value,), through_view=part)
    if place.advanced:
        check_no_input_overlap(x, value, by_positions=True)
    elif value.__class__ is Tensor and value.alias is not None:
        check_no_input_overlap(getitem(x, index) if part else x, value)
    if part and not place.advanced and has_self_overlap(x):
        view = getitem(x, index)
        view.assign_in_place(value_after_assignment(view, ..., value))
    else:
        x.assign_in_place(assigned_value(x, place, value))


def refuse_aliased_index(x: Tensor, keys: tuple[Any, ...], value: Any) -> None:
    """Refuse index tensors that the assignment itself changes; a mask filled with one number is allowed."""
    is_single = value.__class__ is not Tensor or value.entry_count == 1
    for own in keys:
        if own.__class__ is Tensor and own.ndim and shares_memory(x, own):
            if own.dtype.kind == "b" and is_single:
                continue
            view = getitem(x, tuple(part for key in keys for part in positions_as_whole_dims(key)))
            check_no_input_overlap(view, own, by_positions=True)


def positions_as_whole_dims(key: Any) -> list[Any]:
    """Return a part of an index as a list, with whole dimensions in place of positions and masks."""
    has_positions = key.__class__ is Tensor or isinstance(key, (list, tuple, range))
    return [FULL_SLICE] * spanned_dims(key) if has_positions else [key]


def value_after_assignment(x: Tensor, index: Any, value: Any) -> Tensor:
    """Return the value of ``x`` after ``x[index] = value``, as a new tensor."""
    if index.__class__ is slice or index.__class__ is int:
        refuse_scalar_index(x, index)
    return assigned_value(x, ParsedIndex(x, index_as_tuple(index)), value)


def assigned_value(x: Tensor, place: ParsedIndex, value: Any, accumulate: bool = False) -> Tensor:
    """Return ``x`` with ``value`` at ``place``, or added there, as a new tensor."""
    basic, shape = place.basic, place.shape
    if all(key == FULL_SLICE for key in basic):
        basic = ()
    if place.advanced:
        shape = np.broadcast_to(0.0, shape)[place.advanced].shape
    if value.__class__ is Tensor:
        original = value
        value = strip_leading_ones(value, shape, bool(place.advanced))
        if value.dtype is not x.dtype:
            if place.advanced and not place.casts_value(original):
                raise dtype_mismatch_error(x, original)
            value = OPS["to"](value, dtype=x.dtype.name)
    elif value.__class__ in (float, int, bool):
        value = value if x.dtype.is_floating_point else cast_number(value, x.dtype)
    else:
        raise ScriptError(
            f"can't assign a {type_name(value)} to a torch.{x.dtype.long_name}Tensor",
            code="E0307",
            operands=(x,),
            help=("assign a number or a tensor, as in `x[0] = torch.tensor([1.0, 2.0])`",),
        )
    if accumulate:
        spread = embed(expand(value, shape=shape), shape=x.shape, basic=basic, advanced=place.advanced)
        made = add.named("IndexPutBackward0")(x, spread)
    else:
        made = index_put(x, value, basic=basic, advanced=place.advanced)
    if place.advanced:
        register_saved_params(made, place.keys)
    return made


def dtype_mismatch_error(x: Tensor, values: Tensor) -> ScriptError:
    """Return the error for values that are assigned by positions to a tensor of another dtype."""
    return DtypeError(
        "Index put requires the source and destination dtypes match, got"
        f" {x.dtype.long_name} for the destination and {values.dtype.long_name} for the source.",
        operands=(x, values),
        caret=f"the value holds {values.dtype.name} numbers, which go among {x.dtype.name}",
        help=("convert it first, as in `value.to(x.dtype)`",),
    )


def strip_leading_ones(value: Tensor, shape: tuple[int, ...], is_advanced: bool) -> Tensor:
    """Return ``value`` without surplus leading dimensions of size 1; it must broadcast to ``shape``."""
    own = value.shape
    while own and own[0] == 1:
        own = own[1:]
    if is_advanced:
        if len(own) > len(shape) or any(
            m not in (1, n) for m, n in zip(reversed(own), reversed(shape), strict=False)
        ):
            raise BroadcastError(
                f"shape mismatch: value tensor of shape {list(own)} cannot be broadcast to indexing result of"
                f" shape {list(shape)}",
                operands=(value,),
            )
    else:
        expanded_shape(value, shape, own)
    if value.ndim > len(shape):
        value = reshape_tensor(value, own)
    return value

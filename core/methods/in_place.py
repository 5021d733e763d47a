"""Tensor methods with a trailing underscore, which change their tensor in place and return it."""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import shares_memory
from autodiff.core.engine.in_place import reshape_in_place
from autodiff.core.engine.in_place_checks import check_change, check_no_input_overlap, check_same_shape
from autodiff.core.engine.public_functions import PublicFunction, find_function
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.fast.tape import is_tape_entry
from autodiff.core.graph.node import ArrayNode, Leaf, next_number
from autodiff.core.graph.op import OPS, PLAIN_NUMBERS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.core.methods.bookkeeping import tensor_method
from autodiff.core.methods.conversions import cast
from autodiff.core.ops.shape.in_place_call_checks import ARGUMENT_CHECKS, RESULT_CHECKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def full_like(x: Tensor, value: float) -> Tensor:
    """Return a tensor of the shape and dtype of ``x`` with every entry equal to ``value``."""
    if x.value.__class__ is float:
        return Tensor.of(float(value))
    from autodiff.core.ops.create.creation import cast_number

    made = x.value.copy()
    made[...] = cast_number(value, x.dtype)
    return Tensor.of(made)


def filled_with(x: Tensor, value: float, grad_fn: str) -> Tensor:
    """Return ``x`` with every entry set to ``value``; recorded as a node ``grad_fn`` if ``x`` is recorded."""
    if not mode.enabled or not is_recorded(x):
        return full_like(x, value)
    written: Tensor = OPS["index_put"].named(grad_fn)(x, value, basic=(), advanced=())
    return written


@tensor_method("zero_")
def zero_(x: Tensor) -> Tensor:
    check_change(x)
    return x.assign_in_place(filled_with(x, 0, "ZeroBackward0"))


@tensor_method("fill_")
def fill_(x: Tensor, value: Any) -> Tensor:
    if value.__class__ is Tensor and value.ndim:
        raise ShapeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.",
            operands=(value,),
        )
    check_change(x, (value,))
    if value.__class__ is Tensor and mode.enabled and any(is_tracked(t) for t in (x, value)):
        fill = OPS["index_put"].named("FillBackward3")
        return x.assign_in_place(fill(x, cast(value, x.dtype), basic=(), advanced=()))
    number = value.item() if value.__class__ is Tensor else value
    if number.__class__ not in PLAIN_NUMBERS:
        raise ArgumentError(f"fill_(): argument 'value' must be Number, not {type_name(value)}")
    return x.assign_in_place(filled_with(x, number, "FillBackward2"))


@tensor_method("copy_")
def copy_(x: Tensor, other: Any, non_blocking: Any = False) -> Tensor:
    src = Tensor.of(as_stored(np.asarray(other))) if other.__class__ in PLAIN_NUMBERS else other
    if src.__class__ is not Tensor:
        raise ArgumentError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}")
    from autodiff.core.ops.select.indexing import value_after_assignment

    check_change(x, (src,))
    check_no_input_overlap(x, src)
    if src.shape != x.shape:
        check_same_shape(x, broadcast_shape((x, src)))
    if mode.enabled and any(is_tracked(t) for t in (x, src)):
        copied = value_after_assignment(x, ..., src)
        if isinstance(copied.node, ArrayNode):
            copied.node.op = OPS["index_put"].named("CopyBackwards")
        return x.assign_in_place(copied)
    value = cast(src, x.dtype)
    if value.shape != x.shape:
        value = OPS["expand"](value, shape=x.shape)
    return x.assign_in_place(value)


#: Functions that write entries selected by position; they may not read the memory of the changed tensor.
POSITION_WRITERS = frozenset(
    "index_add index_copy index_fill index_put index_reduce put scatter scatter_add scatter_reduce".split()
)

#: Functions that first extract the number from a 0-d tensor argument.
NUMBER_FILLERS = frozenset(["index_fill", "masked_fill"])


def in_place_method(function: PublicFunction) -> Callable[..., Tensor]:
    """Return the in-place method of a function."""
    before, after = ARGUMENT_CHECKS.get(function.name), RESULT_CHECKS.get(function.name)

    def changed(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        others = (*args, *kwargs.values())
        check_change(x, others)
        shares_input = False
        for other in others:
            if other.__class__ in PLAIN_NUMBERS:
                continue
            shares_input = shares_input or (other.__class__ is Tensor and shares_memory(x, other))
            for part in other if other.__class__ in (list, tuple) else (other,):
                if not (function.name in NUMBER_FILLERS and part.__class__ is Tensor and not part.ndim):
                    check_no_input_overlap(x, part, by_positions=function.name in POSITION_WRITERS)
        # Nodes created inside the function may use the old value of x, unless an argument shares its memory.
        since = 0 if shares_input else next_number()
        arguments = bound_arguments(function, (x, *args), kwargs) if before or after else []
        if before is not None and arguments:
            kwargs = kwargs | (before(*arguments) or {})
        result = function(x, *args, **kwargs)
        if after is not None:
            after(x, result, arguments)
        is_compared = mode.enabled and result.dtype.kind == "b" and result.node is None
        if is_compared and any(is_tracked(t) for t in (x, *others)):
            result = recorded_comparison(function.name, x, others, result)
        return x.assign_in_place(result, since)

    return changed


def bound_arguments(function: PublicFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any]:
    """Return the arguments in the order of the parameters.

    Return () if they fit neither the present nor a deprecated order: the function then raises the error.
    """
    try:
        return function.bind(args, kwargs)
    except ScriptError:
        from autodiff.core.engine.deprecated_calls import match_deprecated_order

        older = match_deprecated_order(function.name, args, kwargs, is_method=True)
        return () if older is None else function.bind((), older)


def recorded_comparison(name: str, x: Tensor, others: tuple[Any, ...], result: Tensor) -> Tensor:
    """Return the result of a comparison recorded in the graph, with zero gradients for its operands."""
    with_tensor = others and others[0].__class__ is Tensor
    compared = OPS["compared"].named(f"{name.capitalize()}Backward{int(bool(with_tensor))}")
    operands = (x, others[0]) if with_tensor else (x, 0.0)
    made: Tensor = compared(*operands, result=cast(result, x.dtype).data)
    return made


#: torch's node names of the in-place methods, by the name of the function's node.
RESHAPE_NODE_NAMES = {
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
}


def register_reshape(name: str) -> None:
    """Register the in-place method of a function that changes the shape."""

    def reshaped(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_change(x)
        function = find_function(name)
        assert function is not None
        if name == "t":
            from autodiff.core.ops.shape.reshape import check_at_most_2d

            check_at_most_2d(x, "t_")
        result = function(x, *args, **kwargs)
        if isinstance(result.node, ArrayNode):
            result.node.op = result.node.op.named(RESHAPE_NODE_NAMES[result.node.grad_fn_name])
        return reshape_in_place(x, result)

    tensor_method(f"{name}_")(reshaped)


for _name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes", "swapdims"):
    register_reshape(_name)


def is_tracked(x: Any) -> bool:
    """Whether ``x`` is a tensor that receives gradients."""
    if x.__class__ is not Tensor:
        return False
    return is_tape_entry(x) or (x.stored_node is not None and x.stored_node.tracked)


def is_recorded(x: Tensor) -> bool:
    """Whether the graph records how ``x`` was computed."""
    return is_tracked(x) and not isinstance(x.stored_node, Leaf)

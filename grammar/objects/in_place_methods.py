"""Tensor methods with a trailing underscore, which change their tensor in place and return it."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy import np
from autodiff.core.engine.aliasing import share_memory
from autodiff.core.engine.in_place import reshape_in_place
from autodiff.core.engine.in_place_checks import refuse_change, refuse_input, refuse_shape
from autodiff.core.engine.public_functions import Function, find
from autodiff.core.engine.tensor import Tensor, check_broadcast
from autodiff.core.fast.tape import is_written
from autodiff.core.graph.node import ArrayNode, Leaf, next_number
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import settle
from autodiff.core.ops.shape.in_place_checks import AFTER, BEFORE
from autodiff.grammar.objects.conversions import cast
from autodiff.grammar.objects.methods import method
from autodiff.grammar.objects.values import NUMBERS, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def full_like(x: Tensor, value: float) -> Tensor:
    """Return a tensor of the shape and dtype of ``x`` with every entry equal to ``value``."""
    if x.value.__class__ is float:
        return Tensor.of(float(value))
    from autodiff.core.ops.create.creation import fitting

    made = x.value.copy()
    made[...] = fitting(value, x.dtype)
    return Tensor.of(made)


def overwritten(x: Tensor, value: float, grad_fn: str) -> Tensor:
    """Return ``x`` with every entry set to ``value``; recorded as a node ``grad_fn`` if ``x`` is recorded."""
    if not mode.enabled or not is_recorded(x):
        return full_like(x, value)
    written: Tensor = OPS["index_put"].named(grad_fn)(x, value, basic=(), advanced=())
    return written


@method(Tensor, "zero_")
def zero_(x: Tensor) -> Tensor:
    refuse_change(x)
    return x.assign_in_place(overwritten(x, 0, "ZeroBackward0"))


@method(Tensor, "fill_")
def fill_(x: Tensor, value: Any) -> Tensor:
    if value.__class__ is Tensor and value.ndim:
        raise ShapeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.",
            operands=(value,),
        )
    refuse_change(x, (value,))
    if value.__class__ is Tensor and mode.enabled and any(is_tracked(t) for t in (x, value)):
        fill = OPS["index_put"].named("FillBackward3")
        return x.assign_in_place(fill(x, cast(value, x.dtype), basic=(), advanced=()))
    number = value.item() if value.__class__ is Tensor else value
    if number.__class__ not in NUMBERS:
        raise ScriptError(f"fill_(): argument 'value' must be Number, not {type_name(value)}", code="E0310")
    return x.assign_in_place(overwritten(x, number, "FillBackward2"))


@method(Tensor, "copy_")
def copy_(x: Tensor, other: Any, non_blocking: Any = False) -> Tensor:
    src = Tensor.of(settle(np.asarray(other))) if other.__class__ in NUMBERS else other
    if src.__class__ is not Tensor:
        raise ScriptError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}", code="E0310"
        )
    from autodiff.core.ops.select.indexing import setitem_value

    refuse_change(x, (src,))
    refuse_input(x, src)
    if src.shape != x.shape:
        refuse_shape(x, check_broadcast((x, src)))
    if mode.enabled and any(is_tracked(t) for t in (x, src)):
        copied = setitem_value(x, ..., src)
        if isinstance(copied.node, ArrayNode):
            copied.node.op = OPS["index_put"].named("CopyBackwards")
        return x.assign_in_place(copied)
    value = cast(src, x.dtype)
    if value.shape != x.shape:
        value = OPS["expand"](value, shape=x.shape)
    return x.assign_in_place(value)


#: Functions that write entries selected by position; they may not read the memory of the changed tensor.
BY_POSITIONS = frozenset(
    "index_add index_copy index_fill index_put index_reduce put scatter scatter_add scatter_reduce".split()
)

#: Functions that first extract the number from a 0-d tensor argument.
FILLING = frozenset(["index_fill", "masked_fill"])


def in_place(function: Function) -> Callable[..., Tensor]:
    """Return the in-place method of a function."""
    before, after = BEFORE.get(function.name), AFTER.get(function.name)

    def changed(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        others = (*args, *kwargs.values())
        refuse_change(x, others)
        again = False
        for other in others:
            if other.__class__ in NUMBERS:
                continue
            again = again or (other.__class__ is Tensor and share_memory(x, other))
            for part in other if other.__class__ in (list, tuple) else (other,):
                if not (function.name in FILLING and part.__class__ is Tensor and not part.ndim):
                    refuse_input(x, part, by_positions=function.name in BY_POSITIONS)
        # Nodes created inside the function may use the old value of x, unless an argument shares its memory.
        since = 0 if again else next_number()
        given = bound(function, (x, *args), kwargs) if before or after else []
        if before is not None and given:
            kwargs = kwargs | (before(*given) or {})
        result = function(x, *args, **kwargs)
        if after is not None:
            after(x, result, given)
        is_compared = mode.enabled and result.dtype.kind == "b" and result.node is None
        if is_compared and any(is_tracked(t) for t in (x, *others)):
            result = without_slope(function.name, x, others, result)
        return x.assign_in_place(result, since)

    return changed


def bound(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any]:
    """Return the arguments in the order of the parameters.

    Return () if they fit neither the present nor a deprecated order: the function then raises the error.
    """
    try:
        return function.bind(args, kwargs)
    except ScriptError:
        from autodiff.core.engine.legacy_calls import in_present_order

        older = in_present_order(function.name, args, kwargs, is_method=True)
        return () if older is None else function.bind((), older)


def without_slope(name: str, x: Tensor, others: tuple[Any, ...], result: Tensor) -> Tensor:
    """Return the result of a comparison recorded in the graph, with zero gradients for its operands."""
    with_tensor = others and others[0].__class__ is Tensor
    compared = OPS["compared"].named(f"{name.capitalize()}Backward{int(bool(with_tensor))}")
    operands = (x, others[0]) if with_tensor else (x, 0.0)
    made: Tensor = compared(*operands, result=cast(result, x.dtype).data)
    return made


#: torch's node names of the in-place methods, by the name of the function's node.
RESHAPED = {
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
}


def reshaping(name: str) -> None:
    """Register the in-place method of a function that changes the shape."""

    def reshaped(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        refuse_change(x)
        function = find(name)
        assert function is not None
        if name == "t":
            from autodiff.core.ops.shape.reshape import check_matrix

            check_matrix(x, "t_")
        result = function(x, *args, **kwargs)
        if isinstance(result.node, ArrayNode):
            result.node.op = result.node.op.named(RESHAPED[result.node.grad_fn_name])
        return reshape_in_place(x, result)

    method(Tensor, f"{name}_")(reshaped)


for _name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes", "swapdims"):
    reshaping(_name)


def is_tracked(x: Any) -> bool:
    """Whether ``x`` is a tensor that receives gradients."""
    if x.__class__ is not Tensor:
        return False
    return is_written(x) or (x.own_node is not None and x.own_node.tracked)


def is_recorded(x: Tensor) -> bool:
    """Whether the graph records how ``x`` was computed."""
    return is_tracked(x) and not isinstance(x.own_node, Leaf)

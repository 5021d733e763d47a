"""Methods with a trailing underscore: they change the tensor they are called on and answer it."""

from __future__ import annotations

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import Function
from autodiff.core.mode import mode
from autodiff.core.node import Leaf
from autodiff.core.op import OPS
from autodiff.core.tensors import Tensor, _check_broadcast
from autodiff.grammar.conversions import cast
from autodiff.grammar.methods import method
from autodiff.grammar.values import NUMBERS, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def full_like(x: Tensor, value: float) -> Tensor:
    """A tensor of x's shape and type, all of one number."""
    if x.value.__class__ is float:
        return Tensor(float(value))
    made = x.value.copy()
    made[...] = value
    return Tensor(made)


def overwritten(x: Tensor, value: float, grad_fn: str) -> Tensor:
    """What ``x`` is with one number everywhere; where it was computed, the graph remembers that it was."""
    if not mode.enabled or not is_recorded(x):
        return full_like(x, value)
    return OPS["index_put"].named(grad_fn)(x, value, basic=(), advanced=())  # type: ignore[no-any-return]


@method(Tensor, "zero_")
def zero_(x: Tensor) -> Tensor:
    return x.assign_in_place(overwritten(x, 0, "ZeroBackward0"))


@method(Tensor, "fill_")
def fill_(x: Tensor, value: Any) -> Tensor:
    if value.__class__ is Tensor and value.ndim:
        raise ShapeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.",
            operands=(value,),
        )
    if value.__class__ is Tensor and mode.enabled and value.node is not None and value.node.tracked:
        fill = OPS["index_put"].named("FillBackward3")
        return x.assign_in_place(fill(x, cast(value, x.dtype), basic=(), advanced=()))
    number = value.item() if value.__class__ is Tensor else value
    if number.__class__ not in NUMBERS:
        raise ScriptError(f"fill_(): argument 'value' must be Number, not {type_name(value)}", code="E0310")
    return x.assign_in_place(overwritten(x, number, "FillBackward2"))


@method(Tensor, "copy_")
def copy_(x: Tensor, src: Any, non_blocking: Any = False) -> Tensor:
    if src.__class__ is not Tensor:
        raise ScriptError(
            f"copy_(): argument 'src' (position 1) must be Tensor, not {type_name(src)}", code="E0310"
        )
    if mode.enabled and any(t.node is not None and t.node.tracked for t in (x, src)):
        from autodiff.core.ops.indexing import setitem_value

        return x.assign_in_place(setitem_value(x, ..., src))
    value = cast(src, x.dtype)
    if value.shape != x.shape:
        shape = _check_broadcast((x, value))
        if shape != x.shape:
            raise ShapeError(
                f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}",
                code="E0301",
                caret=f"shape {value.shape} does not fit into shape {x.shape}",
                operands=(x, value),
            )
        value = OPS["expand"](value, shape=shape)
    return x.assign_in_place(value)


def in_place(function: Function) -> Callable[..., Tensor]:
    """The method with the trailing underscore."""

    def changed(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        result = function(x, *args, **kwargs)
        if mode.enabled and is_recorded(x) and result.node is None:
            # A comparison has no slope: the graph goes on and what x was receives zeros.
            recorded = OPS["index_put"].named(f"{function.name.capitalize()}Backward0")
            result = recorded(x, cast(result, x.dtype), basic=(), advanced=())
        return x.assign_in_place(result)

    return changed


def is_recorded(x: Tensor) -> bool:
    """Whether the graph holds how ``x`` was computed."""
    return x.node is not None and x.node.tracked and not isinstance(x.node, Leaf)

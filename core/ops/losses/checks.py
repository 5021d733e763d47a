"""Checks of the arguments of losses: torch's errors and warnings, raised before anything is computed."""

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, ScriptError, ShapeError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import missing_kernel_error
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_flag(value: Any) -> bool:
    """Whether an argument is true; a tensor of other than one value raises torch's error."""
    if value.__class__ is Tensor and value.entry_count != 1:
        what = "more than one value" if value.entry_count else "no values"
        raise ScriptError(
            f"Boolean value of Tensor with {what} is ambiguous",
            code="E0305",
            operands=(value,),
            caret="write True or False",
        )
    return bool(value.item() if value.__class__ is Tensor else value)


def warn_of_broadcast(x: Tensor, y: Tensor) -> None:
    """Give torch's warning if a loss broadcasts, which is mostly a mistake."""
    if x.shape != y.shape:
        mode.warn(
            f"Using a target size (torch.Size({list(y.shape)})) that is different to the input size"
            f" (torch.Size({list(x.shape)})). This will likely lead to incorrect results due to broadcasting."
            " Please ensure they have the same size."
        )


def check_any_floating(name: str, *tensors: Tensor) -> None:
    """Refuse operands none of which is floating: torch has no kernel for them."""
    if not any(x.dtype.is_floating_point for x in tensors):
        dtype = tensors[0].dtype
        raise missing_kernel_error(name, dtype, *tensors, caret=f"these are {dtype.name} numbers")


def check_weight_same_shape(weight: Tensor, x: Tensor) -> None:
    if weight.shape != x.shape:
        raise ShapeError(
            "Weights and input must have the same size.",
            operands=(weight, x),
            caret=f"the weights have shape {weight.shape}, the input {x.shape}",
        )


def check_same_size(x: Tensor, y: Tensor, message: str) -> None:
    if x.shape != y.shape:
        sizes = (f"torch.Size({list(x.shape)})", f"torch.Size({list(y.shape)})")
        caret = f"the target has shape {y.shape}, the input {x.shape}"
        raise ShapeError(message.format(*sizes), operands=(x, y), caret=caret)


def check_weight_broadcast(x: Tensor, weight: Tensor) -> None:
    """Refuse a weight that does not broadcast to the input's shape, from the last dimension on."""
    common = [1] * max(0, weight.ndim - x.ndim) + list(x.shape)
    for place in range(-1, -1 - weight.ndim, -1):
        n = weight.shape[place]
        if common[place] == 1:
            common[place] = n
        elif n not in (1, common[place]):
            raise BroadcastError(
                f"Attempting to broadcast a dimension of length {n} at {place}! Mismatching argument at index"
                f" 1 had torch.Size({list(weight.shape)}); but expected shape should be broadcastable to"
                f" {common}",
                operands=(weight, x),
                caret=f"shapes {weight.shape} and {x.shape} differ in dimension {place}",
                help=("give a weight for each entry, or one for each entry of the last dimensions",),
            )
    if common != list(x.shape):
        raise BroadcastError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {common}",
            operands=(weight, x),
            caret=f"weights of shape {weight.shape} make more losses than there are entries",
        )

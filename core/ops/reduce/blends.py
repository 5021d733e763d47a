"""Functions of three tensors: a scaled product or quotient added to a tensor, and linear interpolation."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.dtypes import promote
from autodiff.core.graph.op import elementwise
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


INTEGER_ADDCDIV_ERROR = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a"
    " true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input +"
    " value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value *"
    " tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation:"
    " (input + value * tensor1 / tensor2), for all dtypes."
)


def cast_to_common_float(x: Any, a: Tensor, b: Tensor) -> Tensor:
    """Return ``a`` in the common dtype of the three operands, if that is floating.

    The multiplication by the number ``value`` then takes place in that dtype.
    """
    common = promote([(y.dtype, y.ndim) for y in (x, a, b)])
    return cast(a, common) if common.is_floating_point else a


@public("addcmul(input, tensor1: tensor, tensor2: tensor, *, value: float = 1)", in_place=True)
def addcmul(x: Any, a: Any, b: Any, value: float) -> Any:
    """``input + value * tensor1 * tensor2``."""
    broadcast_shape((x, a, b))
    if x.dtype.kind == a.dtype.kind == b.dtype.kind:
        require_kind(x, "addcmul_cpu_out", "if")
    if {x.dtype.kind, a.dtype.kind, b.dtype.kind} == {"i"}:
        value = int(value)
    a = cast_to_common_float(x, a, b)
    return add.named("AddcmulBackward0")(x, (a if value == 1 else value * a) * b)


@public("addcdiv(input, tensor1: tensor, tensor2: tensor, *, value: float = 1)", in_place=True)
def addcdiv(x: Any, a: Any, b: Any, value: float) -> Any:
    """``input + value * tensor1 / tensor2``."""
    if not a.dtype.is_floating_point and not b.dtype.is_floating_point:
        raise DtypeError(
            INTEGER_ADDCDIV_ERROR,
            operands=(a, b),
            caret="both hold whole numbers",
            help=("convert one with .double()",),
        )
    broadcast_shape((x, a, b))
    a = cast_to_common_float(x, a, b)
    return add.named("AddcdivBackward0")(x, (a if value == 1 else value * a) / b)


def lerp_forward(x: Any, end: Any, weight: Any) -> Any:
    """Interpolate from the nearer end, so that the weights 0 and 1 return the ends exactly."""
    difference = end - x
    return np.where(np.abs(weight) < 0.5, x + weight * difference, end - difference * (1 - weight))


lerp = elementwise(
    "lerp",
    lerp_forward,
    lambda out, x, end, weight: 1 - weight,
    lambda out, x, end, weight: weight,
    lambda out, x, end, weight: end - x,
    grad_fn=lambda node: "LerpBackward0" if node.inputs[2] is None else "LerpBackward1",
)


@public("lerp(input, end: tensor, weight)", in_place=True)
def checked_lerp(x: Any, end: Any, weight: Any) -> Any:
    """Linear interpolation: ``input + weight * (end - input)``."""
    if weight.__class__ is Tensor and not weight.ndim and not weight.requires_grad_flag:
        weight = weight if weight.dtype is x.dtype else weight.item()  # torch reads it as a number
    for name, other in (("end", end), ("weight", weight)):
        if other.__class__ is Tensor and other.dtype is not x.dtype:
            raise DtypeError(
                f"expected dtype {x.dtype.c_name} for `{name}` but got dtype {other.dtype.c_name}",
                operands=(x, other),
                caret=f"one holds {x.dtype.name} numbers, `{name}` {other.dtype.name}",
            )
    broadcast_shape((x, end, *([weight] if weight.__class__ is Tensor else [])))
    require_kind(x, f"lerp_kernel_{'tensor' if weight.__class__ is Tensor else 'scalar'}", "f")
    return lerp(x, end, weight)

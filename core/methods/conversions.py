"""Tensor methods that convert to another dtype, and those that take or return a device."""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, ScriptError, type_name
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import Device, require_cpu
from autodiff.core.graph.dtypes import DTYPES, DType, dtype_from, float32, float64, int32, int64, meant
from autodiff.core.graph.dtypes import bool_ as bool_dtype
from autodiff.core.graph.op import OPS
from autodiff.core.methods.bookkeeping import tensor_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def cast(x: Tensor, dtype: DType) -> Tensor:
    """Return the tensor converted to a dtype; the tensor itself if it already has that dtype."""
    dtype = meant(dtype)
    return x if x.dtype is dtype else OPS["to"](x, dtype=dtype.name)


def register_cast(name: str, dtype: DType) -> None:
    tensor_method(name)(lambda x: cast(x, dtype))


for _name, _dtype in {
    "float": float32,
    "double": float64,
    "long": int64,
    "int": int32,
    "bool": bool_dtype,
}.items():
    register_cast(_name, _dtype)


@tensor_method("to")
def to(x: Tensor, *targets: Any, dtype: Any = None, device: Any = None, non_blocking: Any = False) -> Tensor:
    for target in (*targets, dtype):
        dtype_target = dtype_from(target)
        if dtype_target is not None:
            x = cast(x, dtype_target)
        elif target.__class__ is Tensor:
            x = cast(x, target.dtype)
        elif target.__class__ is float or target.__class__ is bool:
            x = cast(x, float64 if target.__class__ is float else bool_dtype)
        elif target.__class__ in (str, int, Device):
            require_cpu(target)
    require_cpu(device)
    return x


@tensor_method("type")
def type_of(x: Tensor, dtype: Any = None, non_blocking: Any = False) -> Any:
    """Return the name of torch's legacy tensor class; with ``dtype``, the tensor converted to it.

    ``dtype`` is a dtype, a legacy tensor class or the name of one.
    """
    if dtype is None:
        return f"torch.{x.dtype.long_name}Tensor"
    if dtype.__class__ is PublicFunction and dtype.name in OLD_CLASSES:
        dtype = OLD_CLASSES[dtype.name]
    elif dtype.__class__ is str and dtype.startswith("torch.") and dtype[6:] in OLD_CLASSES:
        dtype = OLD_CLASSES[dtype[6:]]
    if dtype.__class__ is not DType:
        is_name = dtype.__class__ is str
        raise ScriptError(
            f"invalid type: '{dtype}'" if is_name else "dtype must be a type, str, or dtype object",
            code="E0203",
            caret="this names no number type",
            help=("write a type: `x.type(torch.float64)`",),
        )
    return cast(x, dtype)


OLD_CLASSES = {f"{dtype.long_name}Tensor": dtype for dtype in DTYPES.values()}


@tensor_method("cuda")
def cuda(x: Tensor, device: Any = None, non_blocking: Any = False) -> Tensor:
    require_cpu("cuda")
    return x


@tensor_method("get_device")
def get_device(x: Tensor) -> int:
    return -1


@tensor_method("type_as")
def type_as(x: Tensor, other: Any) -> Tensor:
    if other.__class__ is not Tensor:
        raise ArgumentError(
            f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}"
        )
    return cast(x, other.dtype)

"""Checks of the arguments of normalization layers, with torch's messages."""

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.engine.tensor import Tensor

    Dims = tuple[int, ...]


def check_first_parameter_dtype(x: Tensor, *parameters: Tensor | None) -> None:
    """Refuse a first parameter of another dtype than x; torch accepts float32 with half precision only."""
    given = [parameter for parameter in parameters if parameter is not None]
    if given and given[0].dtype is not x.dtype:
        are_single = all(parameter.dtype.name == "float32" for parameter in given)
        wanted = (
            "all inputs must share same datatype."
            if are_single
            else "expect parameter to have scalar type of Float"
        )
        raise dtype_mismatch(f"mixed dtype (CPU): {wanted}", x, given)


def check_parameter_dtypes(x: Tensor, *parameters: Tensor | None) -> None:
    """Refuse the other parameters of another dtype than x, which torch finds when it reads them."""
    given = [parameter for parameter in parameters if parameter is not None]
    for parameter in given:
        if parameter.dtype is not x.dtype:
            found = parameter.dtype.long_name
            raise dtype_mismatch(f"expected scalar type {x.dtype.long_name} but found {found}", x, given)


def dtype_mismatch(message: str, x: Tensor, given: list[Tensor]) -> ScriptError:
    operands = (x, *given)
    kinds = ", ".join(operand.dtype.name for operand in operands)
    return DtypeError(message, operands=operands, caret=f"these hold {kinds} numbers")


def check_normalized_shape(shape: Dims, x: Tensor) -> None:
    if not shape:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element,"
            " but got normalized_shape = []",
            operands=(x,),
        )


def trailing_dims(x: Tensor, shape: Dims, separator: str = ", ") -> Dims:
    """Return the last dimensions of x, which must have the given shape."""
    if x.shape[-len(shape) :] != tuple(shape) or x.ndim < len(shape):
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape"
            f" [*{separator}{', '.join(map(str, shape))}], but got input of size{list(x.shape)}",
            operands=(x,),
        )
    return tuple(range(x.ndim - len(shape), x.ndim))


def check_parameter_shape(given: Tensor | None, name: str, shape: Dims) -> None:
    if given is not None and given.shape != tuple(shape):
        raise ShapeError(
            f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape"
            f" {list(given.shape)} and normalized_shape = {list(shape)}",
            operands=(given,),
        )


def check_values_per_channel(first: int, rest: Dims, shape_text: str, x: Tensor) -> None:
    """Refuse a single value per channel: its variance is 0."""
    if first * math.prod(rest) == 1:
        raise ShapeError(
            f"Expected more than 1 value per channel when training, got input size {shape_text}",
            code="E0206",
            operands=(x,),
        )


def lone_running_statistic() -> ScriptError:
    return ScriptError("running_mean and running_var must either both be None or neither be None")

"""Dimensions and shapes in calls: negative dimensions, sizes of -1, repeated dimensions, torch's errors.

The functions return plain non-negative numbers. They take the tensor that an error is about.
"""

from __future__ import annotations

from math import prod

from autodiff.core.base.errors import BroadcastError, DimError, ScriptError, ShapeError
from autodiff.core.engine.tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]


def dimensions_phrase(ndim: int) -> str:
    """Return ``2 dimensions`` or ``1 dimension``, for error messages."""
    return f"{ndim} dimension{'s' * (ndim != 1)}"


def wrap_dim(x: Tensor, dim: int, more: int = 0) -> int:
    """Return ``dim`` counted from 0; a negative one counts from the end. ``more`` dimensions extend ``x``.

    >>> wrap_dim(Tensor.of(1.0), -1)
    0
    """
    ndim = max(x.ndim + more, 1)
    if not -ndim <= dim < ndim:
        raise DimError(
            f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})",
            operands=(x,),
            caret=f"this tensor has {dimensions_phrase(x.ndim)}",
            help=(f"pass a dim from {-ndim} to {ndim - 1}",),
        )
    return dim % ndim


def size_along(x: Tensor, dim: int) -> int:
    """Return the size of ``x`` along a dimension; a tensor without dimensions is an error."""
    if not x.ndim:
        raise DimError(
            f"Dimension specified as {dim} but tensor has no dimensions",
            operands=(x,),
            caret="this is a single number",
        )
    return x.shape[wrap_dim(x, dim)]


def wrap_dims(x: Tensor, dims: Sequence[int]) -> Shape:
    """As ``wrap_dim``, for several dimensions, which must differ."""
    wrapped: list[int] = []
    for dim in dims:
        w = wrap_dim(x, dim)
        if w in wrapped:
            raise DimError(f"dim {w} appears multiple times in the list of dims", operands=(x,))
        wrapped.append(w)
    return tuple(wrapped)


def infer_shape(x: Tensor, shape: Sequence[int]) -> Shape:
    """Return ``shape`` with its -1 replaced by the size that fits the entries of ``x``."""
    unknown = None
    for index, n in enumerate(shape):
        if n < -1:
            raise ShapeError(
                f"invalid shape dimension {n} at index {index} of shape {list(shape)}",
                code="E0304",
                operands=(x,),
                help=("sizes are positive; one of them may be -1 and is then worked out",),
            )
        if n == -1:
            if unknown is not None:
                raise ShapeError(
                    "only one dimension can be inferred",
                    code="E0304",
                    operands=(x,),
                    caret="-1 stands here more than once",
                    help=("write the other sizes out",),
                )
            unknown = index
    known = prod(n for n in shape if n != -1)
    if unknown is not None and not known and not x.entry_count:
        raise ShapeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension"
            " size -1 can be any value and is ambiguous",
            code="E0304",
            operands=(x,),
            caret="nothing says what -1 stands for",
        )
    if unknown is not None and known and x.entry_count % known == 0:
        return tuple(x.entry_count // known if n == -1 else n for n in shape)
    if unknown is not None or known != x.entry_count:
        wanted = f"a multiple of {known} entries" if unknown is not None else f"{known} entries"
        raise ShapeError(
            f"shape '{list(shape)}' is invalid for input of size {x.entry_count}",
            code="E0304",
            operands=(x,),
            caret=f"the tensor of shape {x.shape} has {x.entry_count} entries, the new shape needs {wanted}",
            help=(f"choose sizes whose product is {x.entry_count}, or let one be -1",),
        )
    return tuple(shape)


def legacy_type_name(x: Tensor) -> str:
    """Return torch's older name of a tensor's type, which is irregular for bools."""
    return "CPUBoolType" if x.dtype.name == "bool" else f"torch.{x.dtype.long_name}Tensor"


def expanded_shape(x: Tensor, sizes: Sequence[int], shape: Shape | None = None) -> Shape:
    """Return the shape of ``x.expand(*sizes)``; -1 keeps a size. ``shape`` replaces the shape of ``x``."""
    shape = x.shape if shape is None else shape
    if len(sizes) < len(shape):
        raise BroadcastError(
            f"expand({legacy_type_name(x)}{{{list(shape)}}}, size={list(sizes)}): the number of"
            f" sizes provided ({len(sizes)}) must be greater or equal to the number of dimensions in the"
            f" tensor ({len(shape)})",
            operands=(x,),
        )
    new_dims = len(sizes) - len(shape)
    result = []
    for index in range(len(sizes) - 1, -1, -1):  # from the end, as torch reports the first misfit
        n = sizes[index]
        own = shape[index - new_dims] if index >= new_dims else 1
        if index < new_dims and n == -1:
            raise BroadcastError(
                "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension"
                f" {index}",
                operands=(x,),
            )
        if n == -1:
            n = own
        elif own not in (1, n) or n < 0:
            raise BroadcastError(
                f"The expanded size of the tensor ({n}) must match the existing size ({own}) at non-singleton"
                f" dimension {index}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(shape)}",
                operands=(x,),
                caret="only a dimension of size 1 can be repeated",
            )
        result.append(n)
    return tuple(reversed(result))


def check_sizes(sizes: Sequence[int]) -> Shape:
    """Return the sizes of a new tensor as a tuple; negative ones are an error."""
    for n in sizes:
        if n < 0:
            raise ScriptError(
                f"Trying to create tensor with negative dimension {n}: {list(sizes)}",
                code="E0304",
                caret="a size cannot be negative",
            )
    return tuple(sizes)

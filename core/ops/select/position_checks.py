"""torch's checks of positions along a dimension.

A tensor without dimensions counts as a vector of one entry.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def checked_positions(x: Tensor, index: Tensor, dim: int, message: str) -> Any:
    """Return ``index`` as an array of positions along ``dim``; ``message`` is for one out of range."""
    size = x.shape[dim] if x.ndim else 1
    array = index.data.astype("int64")
    outside = array[(array < 0) | (array >= size)]
    if outside.size:
        raise ShapeError(
            message.format(index=int(outside.flat[0]), dim=dim, size=size),
            code="E0208",
            operands=(x, index),
            caret=f"dimension {dim} has size {size}",
        )
    return array


def check_integer_index(index: Tensor, message: str) -> None:
    if index.dtype.name not in ("int32", "int64"):
        raise ScriptError(
            message,
            code="E0307",
            operands=(index,),
            caret=f"the index holds {index.dtype.name} numbers",
            help=("convert it: `i.long()`",),
        )


OUT_OF_BOUNDS = "index {index} is out of bounds for dimension {dim} with size {size}"


def check_gather(x: Tensor, dim: int, index: Tensor) -> int:
    """Check the index of ``gather`` as torch does; return ``dim`` counted from 0."""
    dim = wrap_dim(x, dim)
    if not index.entry_count:
        return dim
    check_integer_index(index, "gather(): Expected dtype int32/int64 for index")
    check_same_ndim(x, index, "input", index)
    for axis, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)):
        if axis != dim and m > n:
            raise ShapeError(
                f"Size does not match at dimension {axis} expected index {list(index.shape)} to be no larger"
                f" than self {list(x.shape)} apart from dimension {dim}",
                code="E0307",
                operands=(x, index),
            )
    return dim


def check_same_ndim(x: Tensor, index: Tensor, called: str, about: Tensor) -> None:
    """Refuse an index whose number of dimensions differs from that of the tensor."""
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {called} tensor",
            code="E0307",
            operands=(x, about),
            caret=f"the index has shape {index.shape}, the {called} {x.shape}",
        )


def check_scatter(x: Tensor, dim: int, index: Tensor, source: Any) -> int:
    """Check the index and the source of ``scatter`` as torch does; return ``dim`` counted from 0.

    The source may be one number.
    """
    dim = wrap_dim(x, dim)
    if index.entry_count:
        check_integer_index(index, "scatter(): Expected dtype int32/int64 for index")
    is_tensor = source.__class__ is Tensor
    if is_tensor and source.dtype is not x.dtype:
        raise DtypeError("scatter(): Expected self.dtype to be equal to src.dtype", operands=(x, source))
    if not index.entry_count:
        return dim
    check_same_ndim(x, index, "self", index)
    sizes = tuple(enumerate(index.shape or (1,)))  # no dimensions count as one of size 1
    is_too_large = any(axis != dim and n > x.shape[axis] for axis, n in sizes)
    message = (
        f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from"
        f" dimension {dim}"
    )
    if is_tensor:
        # torch compares the sizes before it counts the dimensions.
        is_too_large = is_too_large or any(
            n > (source.shape[wrap_dim(source, axis)] if source.ndim else 1) for axis, n in sizes
        )
        check_same_ndim(source, index, "src", index)
        message += f" and to be no larger size than src {list(source.shape)}"
    if is_too_large:
        raise ShapeError(message, code="E0307", operands=(x, index, source) if is_tensor else (x, index))
    return dim


def at_least_1d(x: Tensor) -> Tensor:
    """Return ``x``, as a vector of one entry if it has no dimensions."""
    return x if x.ndim else reshape(x, shape=(1,))

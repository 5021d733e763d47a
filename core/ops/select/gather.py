"""Functions that pick or replace entries: ``gather``, ``scatter``, ``masked_fill``, diagonals.

They make torch's checks, with its messages. The ops and their rules are in ``pick``.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import (
    ArgumentError,
    BroadcastError,
    DimError,
    DtypeError,
    ScriptError,
    ShapeError,
)
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.aliasing import saves_arguments
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import c_integer_name, require_bool_mask
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast
from autodiff.core.ops.select.position_checks import (
    OUT_OF_BOUNDS,
    at_least_1d,
    check_gather,
    check_integer_index,
    check_scatter,
    checked_positions,
)
from autodiff.core.ops.shape import picking_ops
from autodiff.core.ops.shape.dims import Shape, wrap_dim
from autodiff.core.ops.shape.index_parser import wrap_position
from autodiff.core.ops.shape.reshape import clone, expand_sizes, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@public("select(input: tensor, dim: int, index: int)")
def select(x: Tensor, dim: int, index: int) -> Tensor:
    """The entries at one position along a dimension, which the result no longer has."""
    if not x.ndim:
        raise ShapeError("select() cannot be applied to a 0-dim tensor.", code="E0208", operands=(x,))
    dim = wrap_dim(x, dim)
    if not -x.shape[dim] <= index < x.shape[dim]:
        raise ShapeError(
            f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {dim}",
            code="E0208",
            operands=(x,),
        )
    return picking_ops.select(x, dim=dim, index=wrap_position(x, index, dim, x.shape[dim]))


@public("narrow(input: tensor, dim: int, start: any, length: int)")
def narrow(x: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` positions along a dimension, from ``start`` on, which is an int or a tensor of one int."""
    if start.__class__ is Tensor:
        if start.ndim or start.dtype.kind != "i":
            raise ShapeError("start must be an 0-dim integral Tensor.", code="E0307", operands=(start,))
        start = start.item()
    if not x.shape:
        raise DimError("narrow() cannot be applied to a 0-dim tensor.", operands=(x,))
    dim = wrap_dim(x, dim)
    size = x.shape[dim]
    if length < 0:
        raise ShapeError("narrow(): length must be non-negative.", code="E0208", operands=(x,))
    if not -size <= start <= size:
        raise ShapeError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})",
            code="E0208",
            operands=(x,),
        )
    start = start + size if start < 0 else start
    if start + length > size:
        raise ShapeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({size}).",
            code="E0208",
            operands=(x,),
        )
    return picking_ops.slice_dim(x, dim=dim, start=start, stop=start + length, step=1)


@public("index_select(input: tensor, dim: int, index: tensor)")
@saves_arguments("index")
def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The positions along a dimension that ``index`` lists, in its order."""
    dim = wrap_dim(x, dim)
    if index.ndim > 1:
        raise ShapeError("index_select(): Index is supposed to be a vector", code="E0307", operands=(index,))
    check_integer_index(index, "index_select(): Expected dtype int32 or int64 for index")
    if not x.ndim and index.entry_count != 1:
        raise ShapeError(
            f"index_select(): Index to scalar can have only 1 value, got {index.entry_count} value(s)",
            code="E0307",
            operands=(x, index),
        )
    if index.entry_count and x.ndim > 1 and not x.shape[dim]:
        raise ShapeError(
            "index_select(): self indexing axis dim should be positive",
            operands=(x,),
            caret=f"dimension {dim} of shape {x.shape} has no entries to select",
        )
    # torch has another kernel, with another message, for the second dimension and for empty tensors.
    has_other_kernel = x.ndim > 1 and (dim == 1 or not x.entry_count)
    outside = "INDICES element is out of DATA bounds, id={index} axis_dim={size}"
    array = checked_positions(x, index, dim, outside if has_other_kernel else "index out of range in self")
    if not x.ndim:
        return reshape.named("IndexSelectBackward0")(x, shape=())
    return picking_ops.index_select(x, dim=dim, index=array.reshape(-1))


@public("gather(input: tensor, dim: int, index: tensor)")
@saves_arguments("index")
def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """``out[i][j] = input[i][index[i][j]]`` for ``dim=1``; likewise along any other dimension."""
    dim = check_gather(x, dim, index)
    if not index.entry_count:  # no position is looked at, whatever the shapes
        nothing = picking_ops.gather(reshape(x, shape=(x.entry_count,)), dim=0, index=np.zeros(0, np.int64))
        return reshape.named("GatherBackward0")(nothing, shape=index.shape)
    if index.ndim == x.ndim:
        return picking_ops.gather(x, dim=dim, index=checked_positions(x, index, dim, OUT_OF_BOUNDS))
    array = checked_positions(x, index, dim, OUT_OF_BOUNDS).reshape(-1)
    return reshape.named("GatherBackward0")(
        picking_ops.gather(at_least_1d(x), dim=0, index=array), shape=index.shape
    )


@public("take_along_dim(input: tensor, indices: tensor, dim: int = None)")
def take_along_dim(x: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    """As ``gather``, with the other dimensions broadcast; without ``dim`` the indices count all entries.

    As in torch, indices along ``dim`` are counted modulo its size, so that negative ones count from its end.
    """
    if dim is None:
        check_integer_index(indices, "gather(): Expected dtype int32/int64 for index")
        index = Tensor.of(indices.data.reshape(-1))
        flat = reshape(x, shape=(x.entry_count,))
        return picking_ops.gather(flat, dim=0, index=checked_positions(flat, index, 0, OUT_OF_BOUNDS))
    if x.ndim != indices.ndim:
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got"
            f" {x.ndim} dimensions for input, and {indices.ndim} dimensions for indices",
            operands=(x, indices),
        )
    if indices.dtype.name != "int64":
        raise DtypeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.long_name}",
            operands=(indices,),
            caret=f"these indices are {indices.dtype.name} numbers",
        )
    dim = wrap_dim(x, dim)
    if not x.ndim:
        raise DimError(f"Dimension specified as {dim} but tensor has no dimensions", operands=(x,))
    others = [(*z.shape[:dim], 1, *z.shape[dim + 1 :]) for z in (x, indices)]
    common = broadcast_index_shape(x, indices, *others)
    x = expand_sizes(x, (*common[:dim], x.shape[dim], *common[dim + 1 :]))
    shape = (*common[:dim], indices.shape[dim], *common[dim + 1 :])
    check_allocation(shape, 8)
    if not x.shape[dim]:
        index = Tensor.of(np.broadcast_to(indices.data, shape))
        return picking_ops.gather(x, dim=dim, index=checked_positions(x, index, dim, OUT_OF_BOUNDS))
    return picking_ops.gather(x, dim=dim, index=np.broadcast_to(indices.data % x.shape[dim], shape))


def broadcast_index_shape(x: Tensor, y: Tensor, m: Shape, n: Shape) -> Shape:
    """Return the shape that the shapes m and n broadcast to; x and y are the operands of the error."""
    for axis, (i, j) in enumerate(zip(m, n, strict=True)):
        if i != j and 1 not in (i, j):
            raise BroadcastError(
                f"The size of tensor a ({i}) must match the size of tensor b ({j}) at non-singleton"
                f" dimension {axis}",
                operands=(x, y),
            )
    return tuple(j if i == 1 else i for i, j in zip(m, n, strict=True))


@public("take(input: tensor, index: tensor)")
@saves_arguments("index")
def take(x: Tensor, index: Tensor) -> Tensor:
    """The entries at positions counted over the whole tensor in row order."""
    if index.dtype.name != "int64":
        raise DtypeError(
            f"take(): Expected a long tensor for index, but got {index.dtype.long_name}",
            operands=(index,),
            caret=f"these positions are {index.dtype.name} numbers",
        )
    if index.entry_count and not x.entry_count:
        raise ShapeError("take(): tried to take from an empty tensor", code="E0208", operands=(x,))
    array = index.data.astype("int64")
    outside = array[(array < -x.entry_count) | (array >= x.entry_count)]
    if outside.size:
        raise ShapeError(
            f"out of range: tried to access index {int(outside.flat[0])} on a tensor of"
            f" {x.entry_count} elements.",
            code="E0208",
            operands=(x, index),
        )
    return picking_ops.take(x, index=np.where(array < 0, array + x.entry_count, array))


@public("masked_fill(input: tensor, mask: tensor, value: value)", in_place=True)
def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The input with the entries where ``mask`` holds replaced by one number."""
    broadcast_shape((mask, x))
    require_bool_mask(mask)
    if value.__class__ is Tensor:
        if value.ndim:
            raise BroadcastError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with"
                f" {value.ndim} dimension(s).",
                operands=(value,),
            )
        value = cast(value, x.dtype)
    elif not x.dtype.is_floating_point:
        if x.dtype.kind != "b" and not math.isfinite(value):
            raise ScriptError(
                f"value cannot be converted to type {c_integer_name(x.dtype)} without overflow", operands=(x,)
            )
        value = Tensor.of(np.asarray(value).astype(x.data.dtype))  # truncated to the dtype of the entries
    return picking_ops.masked_fill(x, mask, value)


def apply_scatter(name: str, x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    dim = check_scatter(x, dim, index, source)
    is_tensor = source.__class__ is Tensor
    if not index.entry_count and (index.ndim != x.ndim or (is_tensor and source.shape != index.shape)):
        return clone(x)
    array = checked_positions(x, index, dim, OUT_OF_BOUNDS)
    if x.ndim == array.ndim and (not is_tensor or source.ndim == x.ndim):
        return OPS[name](x, source, dim=dim, index=array)
    source_vector = at_least_1d(source) if is_tensor else source
    grad_fn = "ScatterAddBackward0" if name == "scatter_add" else f"ScatterBackward{int(not is_tensor)}"
    return reshape.named(grad_fn)(
        OPS[name](at_least_1d(x), source_vector, dim=0, index=array.reshape(-1)), shape=x.shape
    )


SCATTER_PARAMETERS = (
    "scatter(input: tensor, dim: int, index: tensor, src: value = None, *, value: float = None,"
)


@public(f"{SCATTER_PARAMETERS} reduce: str = None)", in_place=True)
@saves_arguments("index")
def scatter(
    x: Tensor, dim: int, index: Tensor, source: Any, value: float | None, reduce: str | None
) -> Tensor:
    """``out[i][index[i][j]] = src[i][j]`` for ``dim=1``: the reverse of ``gather``.

    ``reduce`` "add" or "multiply" combines ``src`` with the entries of ``input``. As in torch that has no
    derivative.
    """
    source = value if source is None else source
    if source is None:
        raise ArgumentError(
            "scatter() received an invalid combination of arguments - got (Tensor, int, Tensor), but expected"
            " one of:",
            caret="what to put there is missing",
        )
    if reduce is not None:
        return scatter_with_reduce(x, dim, index, source, reduce)
    return apply_scatter("scatter", x, dim, index, source)


def scatter_with_reduce(x: Tensor, dim: int, index: Tensor, source: Any, reduce: str) -> Tensor:
    """Return ``scatter`` with ``reduce``: the source is added to the entries of ``x`` or multiplies them."""
    if reduce not in ("add", "multiply"):
        raise ScriptError("reduce argument must be either add or multiply.", operands=(x,))
    if source.__class__ is Tensor:
        mode.warn(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a"
            " future PyTorch release. Use torch.scatter_reduce instead for more reduction options."
        )
    else:
        source = Tensor.of(np.full(index.shape, source, x.data.dtype))
    apply_scatter("scatter", x, dim, index, source)  # for torch's checks only
    dim = wrap_dim(x, dim)
    array = checked_positions(x, index, dim, OUT_OF_BOUNDS)
    return OPS["scatter_with"](x, source, dim=dim, index=array, reduce=reduce)


@public("scatter_add(input: tensor, dim: int, index: tensor, src: tensor)", in_place=True)
@saves_arguments("index", of="source")
def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """As ``scatter``, but ``src`` is added to the entries of ``input``."""
    return apply_scatter("scatter_add", x, dim, index, source)


# -- triangles and diagonals ------------------------------------------------------------------------


def check_at_least_2d(x: Tensor, name: str) -> None:
    if x.ndim < 2:
        raise DimError(f"{name}: input tensor must have at least 2 dimensions", operands=(x,))


@public("tril(input: tensor, diagonal: int = 0)", in_place=True)
def tril(x: Tensor, diagonal: int) -> Tensor:
    """Zeros above a diagonal."""
    check_at_least_2d(x, "tril")
    return picking_ops.tril(x, diagonal=diagonal)


@public("triu(input: tensor, diagonal: int = 0)", in_place=True)
def triu(x: Tensor, diagonal: int) -> Tensor:
    """Zeros below a diagonal."""
    check_at_least_2d(x, "triu")
    return picking_ops.triu(x, diagonal=diagonal)


@public("diagonal(input: tensor, offset: int = 0, dim1: int = 0, dim2: int = 1)")
def diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The entries on a diagonal of two dimensions, as a new last dimension."""
    axis1, axis2 = wrap_dim(x, dim1), wrap_dim(x, dim2)
    if axis1 == axis2:
        raise DimError(f"diagonal dimensions cannot be identical {dim1}, {dim2}", operands=(x,))
    return picking_ops.diagonal(x, offset=clamp_offset(x, offset), dim1=axis1, dim2=axis2)


@public("linalg.diagonal(A: tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1)", method=False)
def linalg_diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """As ``torch.diagonal``, of the last two dimensions unless others are named."""
    return diagonal(x, offset, dim1, dim2)


@public("diag_embed(input: tensor, offset: int = 0, dim1: int = -2, dim2: int = -1)")
def diag_embed(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The entries of the last dimension on a diagonal of two new dimensions, zeros elsewhere."""
    axis1, axis2 = wrap_dim(x, dim1, more=1), wrap_dim(x, dim2, more=1)
    if axis1 == axis2:
        raise DimError(f"diagonal dimensions cannot be identical {dim1}, {dim2}", operands=(x,))
    size = x.shape[-1] + abs(offset)
    check_allocation((*x.shape[:-1], size, size), 8)
    rest = iter(x.shape[:-1])
    shape = tuple(size if axis in (axis1, axis2) else next(rest) for axis in range(x.ndim + 1))
    return picking_ops.diag_embed(x, shape=shape, offset=offset, dim1=axis1, dim2=axis2)


@public("diag(input: tensor, diagonal: int = 0)")
def diag(x: Tensor, offset: int) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if x.ndim == 1:
        return diag_embed(x, offset, -2, -1)
    if x.ndim != 2:
        raise DimError(f"diag(): Supports 1D or 2D tensors. Got {x.ndim}D", operands=(x,))
    return picking_ops.diagonal.named("DiagonalBackward0_copy")(
        x, offset=clamp_offset(x, offset), dim1=0, dim2=1
    )


def clamp_offset(x: Tensor, offset: int) -> int:
    """Return ``offset`` limited to the largest size of ``x``: a diagonal beyond that is empty too."""
    most = max(x.shape)
    return min(max(offset, -most), most)

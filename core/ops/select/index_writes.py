"""Writing entries at positions or where a mask holds: index_add, index_copy, index_fill, put and the like.

Most of the ops are in ``pick``; here are torch's checks, with its messages. A tensor without dimensions
counts as a vector of one entry.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DimError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import saves_arguments
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.graph.op import Op, primitive, selective
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import mul
from autodiff.core.ops.elementwise.comparison import isfinite, where
from autodiff.core.ops.select.gather import clamp_offset, select
from autodiff.core.ops.select.position_checks import at_least_1d, check_integer_index, checked_positions
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.index_parser import slice_bounds
from autodiff.core.ops.shape.picking_ops import (
    diag_embed,
    diag_embed_forward,
    diagonal,
    index_along,
    index_put,
    index_select,
    part,
    scatter_add,
    slice_dim,
)
from autodiff.core.ops.shape.reshape import expand, reshape, to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- along a dimension ----------------------------------------------------------------------------------


def index_add_forward(x: Any, source: Any, *, dim: int, index: Any) -> Any:
    out = x.copy()
    np.add.at(out, index_along(dim, index), source)
    return out


index_add: Op = primitive(
    "index_add",
    index_add_forward,
    lambda g, out, x, source, dim, index: g,
    lambda g, out, x, source, dim, index: index_select(g, dim=dim, index=index),
    saved=((), (1,)),
    saves_params=True,
)
index_copy: Op = primitive(
    "index_copy",
    lambda x, source, dim, index: index_put.forward(x, source, basic=(), advanced=index_along(dim, index)),
    lambda g, out, x, source, dim, index: index_put(g, 0.0, basic=(), advanced=index_along(dim, index)),
    lambda g, out, x, source, dim, index: index_select(g, dim=dim, index=index),
    saved=((), (1,)),
    saves_params=True,
)


def restore_shape(out: Tensor, x: Tensor, grad_fn: str) -> Tensor:
    """Return ``out``, which was computed from ``vector(x)``, in the shape of ``x``."""
    return out if out.shape == x.shape else reshape.named(grad_fn)(out, shape=x.shape)


OUT_OF_BOUNDS_MESSAGE = "index {index} is out of bounds for dimension {dim} with size {size}"


def checked_source_positions(
    x: Tensor, dim: int, index: Tensor, source: Tensor, name: str, outside: str
) -> Any:
    """Check the arguments of index_add or index_reduce as torch does; return the positions along ``dim``."""
    if index.ndim > 1:
        raise ShapeError(
            f"{name}: Index is supposed to be a vector, but got dim: {index.ndim} with type:"
            f" {index.dtype.long_name} and size: {list(index.shape)}",
            code="E0307",
            operands=(index,),
        )
    check_integer_index(
        index, f"{name}: Expected dtype int32/int64 for index but got: {index.dtype.long_name}"
    )
    if source.dtype is not x.dtype:
        raise DtypeError(
            f"{name}: self ({x.dtype.long_name}) and source ({source.dtype.long_name}) must have the same"
            " scalar type",
            operands=(x, source),
        )
    if dim >= source.ndim and (dim or index.entry_count > 1):
        where = f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}"
        raise DimError(
            where if dim else "Dimension specified as 0 but tensor has no dimensions", operands=(source,)
        )
    count = source.shape[dim] if dim < source.ndim else 1
    kept = [shape[:dim] + shape[dim + 1 :] for shape in (x.shape, source.shape)]
    if not source.ndim and index.entry_count != 1:
        raise DimError(f"Dimension specified as {dim} but tensor has no dimensions", operands=(source,))
    if index.entry_count != count:
        raise ShapeError(
            f"{name}: Number of indices ({index.entry_count}) should be equal to source.size(dim): ({count}),"
            f" for dim: {dim}",
            operands=(index, source),
        )
    if kept[0] != kept[1] or bool(x.ndim) != bool(source.ndim):
        raise ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got"
            f" self.shape = {list(x.shape)} source.shape = {list(source.shape)}",
            operands=(x, source),
        )
    return checked_positions(x, index, dim, outside).reshape(-1)


@public(
    "index_add(input: tensor, dim: int, index: tensor, source: tensor, *, alpha: float = 1)", in_place=True
)
@saves_arguments("index", of="source")
def checked_index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float) -> Tensor:
    """``source`` times ``alpha`` added at the positions that ``index`` lists; repeated positions add up."""
    dim = wrap_dim(x, dim)
    # torch has another kernel, with another message, for the first and the last of several dimensions.
    has_other_kernel = x.ndim > 1 and dim in (0, x.ndim - 1)
    outside = OUT_OF_BOUNDS_MESSAGE if has_other_kernel else "index out of range in self"
    array = checked_source_positions(x, dim, index, source, "index_add_()", outside)
    if alpha != 1:
        source = mul(source, alpha if source.dtype.is_floating_point else int(alpha))
    out = index_add(at_least_1d(x), at_least_1d(source), dim=dim, index=array)
    return restore_shape(out, x, "IndexAddBackward0")


@public("index_copy(input: tensor, dim: int, index: tensor, source: tensor)", in_place=True)
@saves_arguments("index")
def checked_index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input with ``source`` at the positions that ``index`` lists."""
    dim = wrap_dim(x, dim)
    if index.ndim > 1:
        raise index_copy_error(f"Index should have dimension 1 or 0 (got {index.ndim})", index)
    if not source.ndim and index.entry_count != 1:
        raise index_copy_error(
            f"When source is scalar, index should have one element (got {index.entry_count})", index
        )
    if source.ndim != x.ndim and source.ndim and x.ndim:
        raise index_copy_error(
            "When source and destination are not scalars, their dimensionality must match. Source"
            f" dimensionality ({source.ndim}), destination dimensionality ({x.ndim})",
            source,
        )
    if index.dtype.name != "int64":
        raise index_copy_error(
            f"Expected a long tensor for index, but got {index.dtype.long_name}", index, "E0312"
        )
    if source.dtype is not x.dtype:
        raise index_copy_error(
            f"self and source expected to have the same dtype, but got (self) {x.dtype.long_name} and"
            f" (source) {source.dtype.long_name}",
            source,
            "E0312",
        )
    ours, theirs = (z.shape[:dim] + z.shape[dim + 1 :] for z in (x, source))
    if ours != theirs:
        raise index_copy_error(
            "Source/destination tensor must have same slice shapes. Destination slice shape:"
            f" {' '.join(map(str, ours))} at dimension {dim} and source slice shape:"
            f" {' '.join(map(str, theirs))} at dimension 0.",
            source,
            "E0302",
        )
    if source.ndim and index.entry_count != source.shape[dim]:
        raise index_copy_error(
            f"Number of indices ({index.entry_count}) should be equal to source.size(dim)"
            f" ({source.shape[dim]})",
            index,
        )
    array = checked_positions(x, index, dim, f"index_copy_(): {OUT_OF_BOUNDS_MESSAGE}").reshape(-1)
    out = index_copy(at_least_1d(x), at_least_1d(source), dim=dim, index=array)
    return restore_shape(out, x, "IndexCopyBackward0")


def index_copy_error(message: str, operand: Tensor, code: str = "E0208") -> ShapeError:
    return ShapeError(f"index_copy_(): {message}", code=code, operands=(operand,))


@public("index_fill(input: tensor, dim: int, index: tensor, value: value)", in_place=True)
@saves_arguments("index")
def index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The input with one number at the positions that ``index`` lists."""
    is_tensor = value.__class__ is Tensor
    if is_tensor and value.ndim:
        raise ShapeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with"
            f" {value.ndim} dimension(s).",
            operands=(value,),
        )
    if index.dtype.name != "int64":
        raise ScriptError(
            "index_fill_(): Expected dtype int64 for index.",
            code="E0307",
            operands=(index,),
            help=("convert it: `i.long()`",),
        )
    dim = wrap_dim(x, dim)
    if index.ndim > 1:
        raise ShapeError("Index has to be a vector/scalar", operands=(index,))
    size = x.shape[dim] if x.ndim else 1
    from_start = Tensor.of(np.where((index.data < 0) & (index.data >= -size), index.data + size, index.data))
    array = np.unique(
        checked_positions(x, from_start, dim, OUT_OF_BOUNDS_MESSAGE)
    )  # each counts once in the slope of value
    if is_tensor:
        value = cast(value, x.dtype)
    name = "IndexFillBackward1" if is_tensor else "IndexFillBackward0"
    number = value if is_tensor or x.dtype.is_floating_point else int(value)
    out = index_put.named(name)(at_least_1d(x), number, basic=(), advanced=index_along(dim, array))
    return restore_shape(out, x, name)


# -- replacing a part of a tensor -----------------------------------------------------------------------


def check_part_shape(source: Tensor, shape: tuple[int, ...], x: Tensor) -> None:
    if source.shape != shape:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {list(source.shape)}, slice"
            f" size = {list(shape)}",
            operands=(x, source),
        )


@public("select_scatter(input: tensor, src: tensor, dim: int, index: int)")
def select_scatter(x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    """The input with ``src`` at one position along a dimension."""
    check_part_shape(source, select(x, dim, index).shape, x)
    dim = wrap_dim(x, dim)
    key = index_along(dim, index % x.shape[dim])
    return index_put.named("SelectScatterBackward0")(x, cast(source, x.dtype), basic=key, advanced=())


@public(
    "slice_scatter(input: tensor, src: tensor, dim: int = 0, start: int = None, end: int = None,"
    " step: int = 1)"
)
def slice_scatter(
    x: Tensor, source: Tensor, dim: int, start: int | None, end: int | None, step: int
) -> Tensor:
    """The input with ``src`` at a slice along a dimension."""
    if not x.ndim:
        raise ShapeError("slice() cannot be applied to a 0-dim tensor.", code="E0208", operands=(x,))
    dim = wrap_dim(x, dim)
    if step <= 0:
        raise ScriptError("slice step must be positive", operands=(x,))
    first, last, _ = slice_bounds(slice(start, end, step), x.shape[dim])
    place = slice(first, last, step)
    check_part_shape(source, (*x.shape[:dim], len(range(first, last, step)), *x.shape[dim + 1 :]), x)
    key = index_along(dim, place)
    return index_put.named("SliceScatterBackward0")(x, cast(source, x.dtype), basic=key, advanced=())


@public("diagonal_scatter(input: tensor, src: tensor, offset: int = 0, dim1: int = 0, dim2: int = 1)")
def diagonal_scatter(x: Tensor, source: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The input with ``src`` on a diagonal."""
    axis1, axis2 = wrap_dim(x, dim1), wrap_dim(x, dim2)
    if axis1 == axis2:
        raise DimError(f"diagonal dimensions cannot be identical {dim1}, {dim2}", operands=(x,))
    place = {"offset": clamp_offset(x, offset), "dim1": axis1, "dim2": axis2}
    check_part_shape(source, diagonal.forward(x.data, **place).shape, x)
    mask = diag_embed_forward(np.ones(source.shape, bool), shape=x.shape, **place)
    laid = diag_embed(cast(source, x.dtype), shape=x.shape, **place)
    return where.named("DiagonalScatterBackward0")(Tensor.of(mask), laid, x)


# -- positions counted over all entries -----------------------------------------------------------------


@public("put(input: tensor, index: tensor, source: tensor, accumulate: bool = False)", in_place=True)
@saves_arguments("index")
def put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """The input with ``source`` written, or added, at positions counted over all entries in row order."""
    if index.dtype.name != "int64":
        raise DtypeError(
            f"put_(): Expected a long tensor for index, but got {index.dtype.long_name}",
            operands=(index,),
            help=("convert it: `i.long()`",),
        )
    if source.dtype is not x.dtype:
        raise DtypeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype ="
            f" {x.dtype.long_name} and source.dtype = {source.dtype.long_name}",
            operands=(x, source),
        )
    if source.entry_count != index.entry_count:
        raise ShapeError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() ="
            f" {source.entry_count}, index.numel() = {index.entry_count}",
            code="E0208",
            operands=(index, source),
        )
    if index.entry_count and not x.entry_count:
        raise ShapeError(
            "put_(): Tried to put elements into an empty tensor", code="E0208", operands=(x, index)
        )
    array = index.data.reshape(-1)
    outside = array[(array < -x.entry_count) | (array >= x.entry_count)]
    if outside.size:
        raise ShapeError(
            f"out of range: tried to access index {int(outside[0])} on a tensor of {x.entry_count} elements.",
            code="E0208",
            operands=(x, index),
        )
    array = np.where(array < 0, array + x.entry_count, array)
    flat, entries = reshape(x, shape=(x.entry_count,)), reshape(source, shape=(source.entry_count,))
    if accumulate:
        out = scatter_add(flat, entries, dim=0, index=array)
    else:
        out = index_put(flat, entries, basic=(), advanced=(array,))
    return reshape.named("PutBackward0")(out, shape=x.shape)


# -- where a mask holds ---------------------------------------------------------------------------------


def broadcast_mask(x: Tensor, mask: Tensor) -> tuple[Tensor, Any]:
    """Return the tensor and the mask in their common shape, as vectors if that has no dimensions."""
    shape = broadcast_shape((mask, x))
    x = x if x.shape == shape else expand(x, shape=shape)
    mask_array = np.broadcast_to(mask.data, shape)
    return at_least_1d(x), mask_array if shape else mask_array.reshape(1)


@public("masked_select(input: tensor, mask: tensor)")
@saves_arguments("mask")
def masked_select(x: Tensor, mask: Tensor) -> Tensor:
    """The entries where the mask holds, in row order."""
    if mask.dtype.name != "bool":
        raise ScriptError(
            "masked_select: expected BoolTensor for mask",
            code="E0307",
            operands=(mask,),
            help=("compare to get a mask, as in `x > 0`",),
        )
    x, mask_array = broadcast_mask(x, mask)
    return part.named("MaskedSelectBackward0", saved=((0,),))(x, basic=(), advanced=mask_array.nonzero())


@public("masked_scatter(input: tensor, mask: tensor, source: tensor)", in_place=True)
@saves_arguments("mask")
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with the entries where the mask holds replaced by those of ``source``, in order."""
    broadcast_shape((mask, x))
    if source.dtype is not x.dtype:
        raise DtypeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{x.dtype.long_name} and {source.dtype.long_name}",
            operands=(x, source),
        )
    if mask.dtype.name != "bool":
        raise ScriptError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype.long_name}",
            code="E0307",
            operands=(mask,),
            help=("compare to get a mask, as in `x > 0`",),
        )
    whole, mask_array = broadcast_mask(x, mask)
    places = mask_array.nonzero()
    count = len(places[0])
    if source.entry_count < count:
        raise ShapeError(
            "Number of elements of source < number of ones in mask",
            operands=(source, mask),
            caret=f"the mask holds at {count} places, the source has {source.entry_count} entries",
        )
    entries = slice_dim(reshape(source, shape=(source.entry_count,)), dim=0, start=0, stop=count, step=1)
    out = index_put.named("MaskedScatterBackward0")(whole, entries, basic=(), advanced=places)
    common = broadcast_shape((mask, x))
    return out if out.shape == common else reshape.named("MaskedScatterBackward0")(out, shape=common)


# -- replacing nan and infinities -----------------------------------------------------------------------


nan_to_num = selective(
    "nan_to_num",
    lambda x, nan, posinf, neginf: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    lambda g, out, x, nan, posinf, neginf: g * to(isfinite(x), dtype=x.dtype.name),
)


@public("nan_to_num(input, nan: float = None, posinf: float = None, neginf: float = None)", in_place=True)
def replace_nan(x: Any, nan: float | None, posinf: float | None, neginf: float | None) -> Any:
    """Replace nan by 0 and infinities by the largest finite numbers, or all three by the numbers given."""
    return nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)

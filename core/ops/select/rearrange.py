"""Rotations, repetition, grids, combinations and windows, composed of reshaping, picking and joining."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from itertools import combinations as choices
from itertools import combinations_with_replacement as choices_with_repeats
from math import comb

from autodiff.core.base.errors import DimError, DtypeError, ScriptError, ShapeError, no_matching_overload
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import missing_kernel_error
from autodiff.core.graph.dtypes import int64
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.create.creation import KEYWORD_PARAMETERS, make_leaf
from autodiff.core.ops.elementwise.arithmetic import pow
from autodiff.core.ops.select.gather import diag_embed
from autodiff.core.ops.shape.dims import check_sizes, size_along, wrap_dim
from autodiff.core.ops.shape.join import stack_tensors
from autodiff.core.ops.shape.picking_ops import embed, index_along, index_select, slice_dim
from autodiff.core.ops.shape.reshape import (
    contiguous,
    expand,
    flip,
    movedim,
    reshape,
    reshape_tensor,
    transpose_dims,
    unsqueeze,
)
from autodiff.core.ops.shape.windows import window_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.dtypes import DType

    Ints = tuple[int, ...]

# -- rotating and flipping ------------------------------------------------------------------------------

rot90_op: Op = primitive(
    "rot90",
    lambda x, k, dims: np.rot90(x, k, dims).copy(),
    lambda g, out, x, k, dims: rot90_op(g, k=-k, dims=dims),
)

expose("swapaxes(input: tensor, axis0: int, axis1: int)", transpose_dims)
expose("swapdims(input: tensor, dim0: int, dim1: int)", transpose_dims)
expose("moveaxis(input: tensor, source: ints, destination: ints)", movedim)


@public("rot90(input: tensor, k: int = 1, dims: ints = None)")
def rot90(x: Tensor, k: int, dims: Ints | None) -> Tensor:
    """The tensor rotated by ``k`` right angles in a plane, from its first dimension towards its second."""
    dims = (0, 1) if dims is None else dims
    if len(dims) != 2:
        raise DimError(f"expected total rotation dims == 2, but got dims = {len(dims)}", operands=(x,))
    if x.ndim < 2:
        raise DimError(f"expected total dims >= 2, but got total dims = {x.ndim}", operands=(x,))
    first, second = dims
    if first == second or abs(first - second) == x.ndim:
        raise DimError(
            f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}",
            operands=(x,),
        )
    return rot90_op(x, k=k % 4, dims=(wrap_dim(x, first), wrap_dim(x, second)))


@public("fliplr(input: tensor)")
def fliplr(x: Tensor) -> Tensor:
    """The columns in reverse order."""
    if x.ndim < 2:
        raise DimError("Input must be >= 2-d.", operands=(x,))
    return flip(x, dims=(1,))


@public("flipud(input: tensor)")
def flipud(x: Tensor) -> Tensor:
    """The rows in reverse order."""
    if x.ndim < 1:
        raise DimError("Input must be >= 1-d.", operands=(x,))
    return flip(x, dims=(0,))


@public("adjoint(input: tensor)")
def adjoint(x: Tensor) -> Tensor:
    """The last two dimensions exchanged. torch also conjugates complex numbers, which do not exist here."""
    return transpose_last_dims(x, "adjoint()")


def transpose_last_dims(x: Tensor, name: str) -> Tensor:
    """Return ``x`` with its last two dimensions exchanged, for ``x.mT`` and the like; errors use ``name``."""
    if x.ndim == 1:
        raise DimError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.",
            operands=(x,),
        )
    return transpose_dims(x, -2, -1) if x.ndim else x


def hermitian_transpose(x: Tensor) -> Tensor:
    """Return ``x.H``, the transpose of a matrix."""
    if x.ndim not in (0, 2):
        batches = " For batches of matrices, consider using tensor.mH" if x.ndim > 2 else ""
        raise DimError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {x.ndim}-D tensor.{batches}",
            operands=(x,),
        )
    return transpose_last_dims(x, "H")


# -- repeating ------------------------------------------------------------------------------------------


@public(
    "repeat_interleave(input: tensor = None, repeats: any = None, dim: int = None,"
    " *, output_size: int = None)"
)
def repeat_interleave(x: Tensor | None, repeats: Any, dim: int | None, output_size: int | None) -> Tensor:
    """Every position along a dimension several times in a row; ``repeats`` is one count or one per position.

    Without ``input`` it is 0, 1, 2, ..., each as often as ``repeats`` says.
    """
    if repeats is None or x is None:
        counts = x if repeats is None else repeats
        if counts.__class__ is not Tensor or dim is not None:
            raise no_matching_overload("repeat_interleave", x, repeats)
        check_repeat_counts(counts)
        if counts.ndim != 1:
            raise ShapeError("repeat_interleave only accept 1D vector as repeat", operands=(counts,))
        return Tensor.of(repeated_positions(counts, counts.entry_count, output_size))
    if not isinstance(repeats, (Tensor, int)) or repeats.__class__ is bool:
        raise no_matching_overload("repeat_interleave", x, repeats)
    if dim is None:
        x = reshape_tensor(x, (x.entry_count,))
    elif not x.ndim and repeats.__class__ is Tensor:
        size_along(x, dim)
    axis = wrap_dim(x, dim or 0)
    if isinstance(repeats, int):
        if not x.ndim:
            wrap_dim(x, axis + 1)  # torch's error names the dimension that it would insert
        return repeat_each(x, repeats, axis, output_size)
    if repeats.ndim > 1:
        raise ShapeError("repeats must be 0-dim or 1-dim tensor", operands=(repeats,))
    if repeats.entry_count != 1 and repeats.entry_count != x.shape[axis]:
        raise ShapeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) ="
            f" {repeats.entry_count} and input.size({dim or 0}) = {x.shape[axis]}",
            operands=(x, repeats),
        )
    index = repeated_positions(repeats, x.shape[axis], output_size)
    check_allocation((*x.shape[:axis], index.size, *x.shape[axis + 1 :]), 8)
    return index_select(x, dim=axis, index=index)


def repeat_each(x: Tensor, times: int, axis: int, output_size: int | None) -> Tensor:
    """Return ``x`` with every position along ``axis`` repeated ``times`` times."""
    if times < 0:
        raise ScriptError("Repeats must be non-negative", code="E0304", operands=(x,))
    shape = (*x.shape[: axis + 1], times, *x.shape[axis + 1 :])
    total = x.shape[axis] * times
    if output_size not in (None, total):
        raise ScriptError(
            f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}",
            code="E0304",
            operands=(x,),
        )
    check_allocation(shape, 8)
    copies = contiguous(expand(unsqueeze(x, dim=axis + 1), shape=shape))
    return reshape(copies, shape=(*x.shape[:axis], total, *x.shape[axis + 1 :]))


def check_repeat_counts(counts: Tensor) -> None:
    if counts.dtype.name not in ("int32", "int64"):
        help = "counts are whole numbers: convert them with `.long()`"
        raise missing_kernel_error("repeat_interleave_cpu", counts.dtype, counts, code="E0307", help=help)


def repeated_positions(counts: Tensor, size: int, output_size: int | None) -> Any:
    """Return 0 to ``size`` - 1 as an array, each as often as ``counts`` says."""
    if output_size is not None:
        check_sizes((output_size,))
    check_repeat_counts(counts)
    if (counts.data < 0).any():
        raise ScriptError("repeats can not be negative", code="E0304", operands=(counts,))
    counts_by_position = np.broadcast_to(counts.data, (size,))
    total = int(counts_by_position.sum())
    check_allocation((total,), 8)
    if output_size not in (None, total):
        raise ScriptError(
            "allocated size does not match required size",
            code="E0304",
            operands=(counts,),
            caret=f"the counts add up to {total}, not {output_size}",
        )
    return np.repeat(np.arange(size), counts_by_position)


@public("broadcast_tensors(*tensors: tensors = None)", method=False)
def broadcast_tensors(tensors: list[Tensor] | None) -> tuple[Tensor, ...]:
    """The tensors, each expanded to their common shape."""
    tensors = tensors or []
    shape = broadcast_shape(tuple(tensors))
    return tuple(x if x.shape == shape else expand(x, shape=shape) for x in tensors)


MESHGRID_WARNING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
)


@public("meshgrid(*tensors: tensors = None, indexing: str = None)", method=False)
def meshgrid(tensors: list[Tensor] | None, indexing: str | None) -> tuple[Tensor, ...]:
    """The coordinates of a grid, one tensor per axis; ``"xy"`` puts the second axis first."""
    if indexing is None:
        mode.warn(MESHGRID_WARNING)
    return make_grids(tensors or [], indexing or "ij")


def make_grids(tensors: list[Tensor], indexing: str) -> tuple[Tensor, ...]:
    if not tensors:
        raise ShapeError("meshgrid expects a non-empty TensorList")
    for x in tensors:
        if x.ndim > 1:
            raise ShapeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(x.shape)}",
                operands=(x,),
                caret=f"this has shape {x.shape}",
            )
    if any(x.dtype is not tensors[0].dtype for x in tensors):
        raise DtypeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise ScriptError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(tensors) > 1
    axes = [tensors[1], tensors[0], *tensors[2:]] if swapped else tensors
    shape = tuple(x.entry_count for x in axes)
    check_allocation(shape, 8)
    grids = []
    for place, x in enumerate(axes):
        sizes = tuple(x.entry_count if axis == place else 1 for axis in range(len(axes)))
        grids.append(expand(reshape_tensor(x, sizes), shape=shape))
    return tuple([grids[1], grids[0], *grids[2:]] if swapped else grids)


# -- combinations and windows ---------------------------------------------------------------------------


def need_vector(x: Tensor) -> None:
    if x.ndim != 1:
        raise DimError(f"Expect a 1D vector, but got shape {list(x.shape)}", operands=(x,))


@public("cartesian_prod(*tensors: tensors = None)", method=False)
def cartesian_prod(tensors: list[Tensor] | None) -> Tensor:
    """Every choice of one entry from each vector, as rows."""
    tensors = tensors or []
    for x in tensors:
        need_vector(x)
    if len(tensors) == 1:
        return tensors[0]
    return stack_tensors([reshape_tensor(x, (x.entry_count,)) for x in make_grids(tensors, "ij")], 1)


@public("combinations(input: tensor, r: int = 2, with_replacement: bool = False)", method=False)
def combinations(x: Tensor, r: int, with_replacement: bool) -> Tensor:
    """Every choice of ``r`` entries of a vector, in its order, as rows."""
    need_vector(x)
    if r < 0:
        raise ScriptError(f"Expect a non-negative number, but got {r}", code="E0304", operands=(x,))
    if not r:
        return Tensor.of(np.zeros(0, x.data.dtype))
    count = comb(max(x.entry_count + r - 1, 0), r) if with_replacement else comb(x.entry_count, r)
    check_allocation((count, r), 8)
    if not count:
        nothing = slice_dim(x, dim=0, start=0, stop=0, step=1)
        return reshape.named("StackBackward0")(nothing, shape=(0, r))
    chosen = (choices_with_repeats if with_replacement else choices)(range(x.entry_count), r)
    rows = np.fromiter(chosen, dtype=np.dtype((np.int64, r)), count=count)
    pick = index_select.named("MaskedSelectBackward0", saved=((0,),))
    return stack_tensors([pick(x, dim=0, index=column) for column in rows.T], 1)


def window_positions(shape: Ints, dim: int, size: int, step: int) -> tuple[Any, ...]:
    """Return the positions of all window entries in a tensor of ``shape``: one array per dimension."""
    counts = (*shape[:dim], window_count(shape[dim], size, step, 1), *shape[dim + 1 :], size)
    *places, inside = np.ogrid[tuple(slice(0, n) for n in counts)]
    return tuple(place * step + inside if axis == dim else place for axis, place in enumerate(places))


unfold_dim: Op = primitive(
    "unfold",
    lambda x, dim, size, step: np.lib.stride_tricks.sliding_window_view(x, size, dim)[
        index_along(dim, slice(None, None, step))
    ],
    lambda g, out, x, dim, size, step: embed(
        g, shape=x.shape, basic=(), advanced=window_positions(x.shape, dim, size, step)
    ),
    is_view=True,
)


@public("Tensor.unfold(input: tensor, dimension: int, size: int, step: int)")
def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of ``size`` entries, ``step`` apart, along a dimension; their entries form a new last one."""
    axis = wrap_dim(x, dimension)
    most = x.shape[axis] if x.ndim else 1
    if size < 0:
        raise ShapeError(f"size is {size} but must be >= 0", code="E0304", operands=(x,))
    if size > most:
        raise ShapeError(
            f"maximum size for tensor at dimension {axis} is {most} but size is {size}",
            code="E0304",
            operands=(x,),
        )
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0", code="E0304", operands=(x,))
    if not x.ndim:
        column = reshape(x, shape=(1,))
        return slice_dim.named("UnfoldBackward0")(column, dim=0, start=0, stop=size, step=1)
    check_allocation((window_count(most, size, step, 1), *x.shape[:axis], *x.shape[axis + 1 :], size), 8)
    return unfold_dim(x, dim=axis, size=size, step=step)


# -- matrices -------------------------------------------------------------------------------------------


@public("diagflat(input: tensor, offset: int = 0)")
def diagflat(x: Tensor, offset: int) -> Tensor:
    """The matrix with all entries of the input on its diagonal."""
    return diag_embed(reshape_tensor(x, (x.entry_count,)), offset, -2, -1)


def triangle_indices(
    name: str, row: int, col: int, offset: int, dtype: DType | None, requires_grad: bool
) -> Tensor:
    """Return the positions of a triangle's entries: a row of row numbers and one of column numbers."""
    for size, called in ((row, "row"), (col, "col")):
        if size < 0:
            raise ShapeError(f"{called} must be non-negative, got{size}", code="E0304")
    dtype = dtype or int64
    if dtype.name not in ("int32", "int64"):
        raise missing_kernel_error(name, dtype, caret="positions are whole numbers")
    check_allocation((2, *check_sizes((row, col))), 8)
    find = np.tril_indices if name == "tril_indices" else np.triu_indices
    positions = find(row, max(min(offset, col), -row), col)
    return make_leaf(np.stack(positions).astype(dtype.name), requires_grad)


INDICES_PARAMETERS = f"(row: int, col: int, offset: int = 0, {KEYWORD_PARAMETERS})"


@public(f"tril_indices{INDICES_PARAMETERS}", method=False)
def tril_indices(row: int, col: int, offset: int, dtype: DType | None, requires_grad: bool) -> Tensor:
    """The positions of the entries on and below a diagonal: a row of row numbers, one of column numbers."""
    return triangle_indices("tril_indices", row, col, offset, dtype, requires_grad)


@public(f"triu_indices{INDICES_PARAMETERS}", method=False)
def triu_indices(row: int, col: int, offset: int, dtype: DType | None, requires_grad: bool) -> Tensor:
    """The positions of the entries on and above a diagonal: a row of row numbers, one of column numbers."""
    return triangle_indices("triu_indices", row, col, offset, dtype, requires_grad)


@public("vander(x: tensor, N: int = None, increasing: bool = False)", method=False)
def vander(x: Tensor, count: int | None, increasing: bool) -> Tensor:
    """The powers of each entry side by side, the highest first unless ``increasing``."""
    if x.ndim != 1:
        raise ShapeError("x must be a one-dimensional tensor.", operands=(x,))
    count = x.entry_count if count is None else count
    if count < 0:
        raise ScriptError("N must be non-negative.", code="E0304")
    check_allocation((max(x.entry_count, 1), count), 8)
    if count < 2:
        return Tensor.of(np.ones((x.entry_count, count), x.data.dtype))
    powers = pow.named("CopySlices")(unsqueeze(x, dim=1), Tensor.of(np.arange(count)))
    return powers if increasing else flip(powers, dims=(1,))

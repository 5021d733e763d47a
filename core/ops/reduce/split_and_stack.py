"""Splitting and stacking along a dimension, added dimensions, block diagonals and Vandermonde matrices."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import (
    ArgumentError,
    DimError,
    DtypeError,
    ScriptError,
    ShapeError,
    no_matching_overload,
    type_name,
)
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import int64
from autodiff.core.graph.op import Op
from autodiff.core.graph.values import cast
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.index_parser import slice_bounds
from autodiff.core.ops.shape.join import (
    cast_to_common_dtype,
    cat_tensors,
    need_tensors,
    stack,
    variadic,
    vstack,
)
from autodiff.core.ops.shape.picking_ops import slice_dim
from autodiff.core.ops.shape.reshape import reshape, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- cutting --------------------------------------------------------------------------------------------


def split_at(x: Tensor, positions: list[int], dim: int) -> tuple[Tensor, ...]:
    """Return the pieces between consecutive positions, which are read like slice bounds."""
    size = x.shape[dim]
    parts = []
    for begin, end in zip([0, *positions], [*positions, size], strict=True):
        start, stop, _ = slice_bounds(slice(begin, end), size)
        parts.append(slice_dim(x, dim=dim, start=start, stop=stop, step=1))
    return tuple(parts)


def split_evenly(x: Tensor, sections: int, dim: int) -> tuple[Tensor, ...]:
    """Return ``sections`` pieces; where they do not divide the size, the first ones are one longer."""
    if sections <= 0:
        raise ShapeError(
            f"number of sections must be larger than 0, got {sections}", code="E0304", operands=(x,)
        )
    check_allocation((sections,), 64)
    each, longer = divmod(x.shape[dim], sections)
    return split_at(x, [each * i + min(i, longer) for i in range(1, sections)], dim)


def read_sections(x: Tensor, name: str, sections: Any) -> int | list[int]:
    """Return where to split: a number of sections, or a list of positions."""
    if sections.__class__ is int:
        return sections
    if isinstance(sections, (list, tuple)) and all(place.__class__ is int for place in sections):
        return list(sections)
    raise no_matching_overload(name, x, sections)


@public(
    "tensor_split(input: tensor, indices_or_sections: any = None, dim: int = 0, *, sections: int = None,"
    " indices: ints = None, tensor_indices_or_sections: any = None)"
)
def tensor_split(
    x: Tensor,
    indices_or_sections: Any,
    dim: int,
    sections: int | None,
    indices: tuple[int, ...] | None,
    in_tensor: Any,
) -> tuple[Tensor, ...]:
    """The pieces along a dimension: a number of sections, or those between the given indices."""
    if not x.ndim:
        raise DimError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
            operands=(x,),
        )
    axis = wrap_dim(x, dim)
    if in_tensor is not None and in_tensor.__class__ is not Tensor:
        raise ArgumentError(
            "tensor_split() received an invalid combination of arguments - got (Tensor,"
            f" tensor_indices_or_sections={type_name(in_tensor)}), but expected one of:",
            caret="tensor_indices_or_sections is a tensor",
            help=("write `sections=` before a number, `indices=` before a tuple",),
        )
    indices_or_sections = next(
        (each for each in (indices_or_sections, sections, indices, in_tensor) if each is not None), None
    )
    if indices_or_sections.__class__ is Tensor:
        if indices_or_sections.dtype.name != "int64":
            raise ScriptError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got"
                f" {indices_or_sections.dtype.long_name}",
                code="E0307",
                operands=(indices_or_sections,),
            )
        if indices_or_sections.ndim > 1:
            raise ShapeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or"
                f" one-dimensional tensor, but got a tensor with {indices_or_sections.ndim} dims",
                code="E0307",
                operands=(indices_or_sections,),
            )
        indices_or_sections = indices_or_sections.data.tolist()
    places = read_sections(x, "tensor_split", indices_or_sections)
    return split_evenly(x, places, axis) if isinstance(places, int) else split_at(x, places, axis)


def split_fixed_dim(
    x: Tensor, name: str, ndim: int, dim: int, indices_or_sections: Any, sections: int | None, indices: Any
) -> tuple[Tensor, ...]:
    """Split like ``tensor_split`` along a fixed dimension; a number of sections must divide its size."""
    if x.ndim < ndim:
        raise DimError(
            f"torch.{name} requires a tensor with at least {ndim} dimension, but got a tensor with"
            f" {x.ndim} dimensions!",
            operands=(x,),
        )
    if indices_or_sections is not None:  # one position per argument, or one argument with all of them
        indices_or_sections = indices_or_sections[0] if len(indices_or_sections) == 1 else indices_or_sections
    indices_or_sections = next(
        (each for each in (indices_or_sections, sections, indices) if each is not None), None
    )
    places = read_sections(x, name, indices_or_sections)
    if not isinstance(places, int):
        return split_at(x, places, dim)
    size = x.shape[dim]
    if not places or size % places:
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {size} is"
            f" not divisible by the split_size {places}!",
            code="E0304",
            operands=(x,),
        )
    return split_evenly(x, places, dim)


SPLIT_SIGNATURE = (
    "(input: tensor, *indices_or_sections: any = None, sections: int = None, indices: ints = None)"
)


@public(f"hsplit{SPLIT_SIGNATURE}")
def hsplit(x: Tensor, indices_or_sections: Any, sections: int | None, indices: Any) -> tuple[Tensor, ...]:
    """A tensor split along its second dimension, a vector along its only one."""
    return split_fixed_dim(x, "hsplit", 1, 0 if x.ndim == 1 else 1, indices_or_sections, sections, indices)


@public(f"vsplit{SPLIT_SIGNATURE}")
def vsplit(x: Tensor, indices_or_sections: Any, sections: int | None, indices: Any) -> tuple[Tensor, ...]:
    """A tensor split along its first dimension."""
    return split_fixed_dim(x, "vsplit", 2, 0, indices_or_sections, sections, indices)


@public(f"dsplit{SPLIT_SIGNATURE}")
def dsplit(x: Tensor, indices_or_sections: Any, sections: int | None, indices: Any) -> tuple[Tensor, ...]:
    """A tensor split along its third dimension."""
    return split_fixed_dim(x, "dsplit", 3, 2, indices_or_sections, sections, indices)


# -- a minimum number of dimensions ---------------------------------------------------------------------


def unsqueeze_to(x: Tensor, ndim: int) -> Tensor:
    """Return ``x`` with at least ``ndim`` dimensions, adding those of size 1 where torch adds them."""
    if not x.ndim and ndim:
        return reshape(x, shape=(1,) * ndim)
    if x.ndim == 1 and ndim > 1:
        row = unsqueeze(x, dim=0)
        return unsqueeze(row, dim=2) if ndim == 3 else row
    return unsqueeze(x, dim=2) if x.ndim == 2 and ndim == 3 else x


def atleast_nd(ndim: int, tensors: tuple[Any, ...]) -> Any:
    """Return one tensor, or a tuple of several, with at least ``ndim`` dimensions."""
    one = len(tensors) == 1
    given = tensors[0] if one and isinstance(tensors[0], (list, tuple)) else tensors
    if any(x.__class__ is not Tensor for x in given):
        raise no_matching_overload(f"atleast_{ndim}d", *tensors)
    made = tuple(unsqueeze_to(x, ndim) for x in given)
    return made[0] if one and given is tensors else made


@public("atleast_1d(*tensors: any = None)", method=False)
def atleast_1d(tensors: tuple[Any, ...] | None) -> Any:
    """Numbers as vectors; other tensors unchanged."""
    return atleast_nd(1, tensors or ())


@public("atleast_2d(*tensors: any = None)", method=False)
def atleast_2d(tensors: tuple[Any, ...] | None) -> Any:
    """Numbers and vectors as matrices of one row; other tensors unchanged."""
    return atleast_nd(2, tensors or ())


@public("atleast_3d(*tensors: any = None)", method=False)
def atleast_3d(tensors: tuple[Any, ...] | None) -> Any:
    """Numbers, vectors and matrices with dimensions of size 1 added up to three; other tensors unchanged."""
    return atleast_nd(3, tensors or ())


# -- stacking -------------------------------------------------------------------------------------------

expose("row_stack(tensors: tensors)", vstack, method=False)


@public("dstack(tensors: tensors)", method=False)
def dstack(tensors: list[Tensor]) -> Tensor:
    """Tensors joined along the third dimension."""
    need_tensors(tensors, "dstack")
    return cat_tensors([unsqueeze_to(x, 3) for x in tensors], 2)


@public("column_stack(tensors: tensors)", method=False)
def column_stack(tensors: list[Tensor]) -> Tensor:
    """Matrices, and vectors as columns, joined along the second dimension."""
    need_tensors(tensors, "column_stack")
    return cat_tensors([reshape(x, shape=(x.entry_count, 1)) if x.ndim < 2 else x for x in tensors], 1)


# -- matrices along a diagonal --------------------------------------------------------------------------


def block_diag_forward(*blocks: Any) -> Any:
    from scipy.linalg import block_diag

    return block_diag(*blocks)


def block_diag_vjp(index: int, g: Any, out: Any, *blocks: Any) -> Any:
    """The part of g at the position of the block."""
    sizes = [(1,) * (2 - len(x.shape)) + tuple(x.shape) for x in blocks]
    for dim in (0, 1):
        start = 0
        for size in sizes[:index]:
            start += size[dim]
        g = slice_dim(g, dim=dim, start=start, stop=start + sizes[index][dim], step=1)
    return reshape(g, shape=blocks[index].shape)


block_diag_op: Op = variadic("block_diag", block_diag_forward, block_diag_vjp)


@public("block_diag(*tensors: tensors = None)", method=False)
def block_diag(tensors: list[Tensor] | None) -> Tensor:
    """Matrices along the diagonal of a larger one, zeros elsewhere; vectors count as rows."""
    if not tensors:
        return Tensor.of(np.zeros((1, 0)))
    for position, x in enumerate(tensors):
        if x.ndim > 2:
            raise ShapeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {position} has"
                f" {x.ndim} dimensions",
                operands=(x,),
            )
    sizes = [(1, 1, *x.shape)[-2:] for x in tensors]
    check_allocation(tuple(np.sum(sizes, axis=0).tolist()), 8)
    return block_diag_op(*cast_to_common_dtype(tensors))


@public("linalg.vander(x: tensor, *, N: int = None)", method=False)
def vander(x: Tensor, count: int | None) -> Tensor:
    """The powers 0, 1, 2, ... of each entry, along a new last dimension."""
    if x.dtype.kind == "b":
        raise DtypeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got Bool",
            operands=(x,),
            caret="truth values are no numbers here",
        )
    if count is None:
        count = x.shape[-1] if x.shape else 1
    if count <= 1:
        raise ScriptError("N must be greater than 1.")
    x = x if x.ndim else reshape(x, shape=(1,))
    x = x if x.dtype.is_floating_point else cast(x, int64)
    powers = [Tensor.of(np.ones_like(x.data)), x]
    while len(powers) < count:
        powers.append(powers[-1] * x)
    return stack.named("CatBackward0")(*powers, dim=x.ndim)

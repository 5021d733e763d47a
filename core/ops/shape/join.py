"""Joining and splitting tensors: cat, stack, split, chunk, unbind."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DimError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.aliasing import number_outputs
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import promote
from autodiff.core.graph.op import Op, VariadicRules, primitive
from autodiff.core.graph.values import cast
from autodiff.core.ops.shape.dims import size_along, wrap_dim
from autodiff.core.ops.shape.picking_ops import index_along, select, slice_dim
from autodiff.core.ops.shape.reshape import repeat_dims, reshape_tensor, unsqueeze_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


def variadic(
    name: str,
    forward: Callable[..., Any],
    vjp: Callable[..., Any],
    pieces: Callable[..., Iterable[Any]] | None = None,
    **details: Any,
) -> Op:
    """Declare an op of any number of operands by ``vjp(index, g, out, *operands, **params)``.

    ``pieces(g, operands, **params)`` yields the cotangents of all operands in order; it is for arrays only.
    """
    op = primitive(name, forward, **details)
    op.vjps = VariadicRules(((vjp, pieces),))
    return op


def cat_vjp(index: int, g: Any, out: Any, *operands: Any, dim: int) -> Any:
    """The slice of g at the operand's place."""
    start = 0
    for before in operands[:index]:
        start += before.shape[dim]
    return slice_dim(g, dim=dim, start=start, stop=start + operands[index].shape[dim], step=1)


def cat_cotangents(g: Any, operands: tuple[Any, ...], dim: int) -> Iterator[Any]:
    end = 0
    for x in operands:
        start, end = end, end + x.shape[dim]
        yield g[index_along(dim, slice(start, end))]


cat: Op = variadic("cat", lambda *operands, dim: np.concatenate(operands, axis=dim), cat_vjp, cat_cotangents)
stack: Op = variadic(
    "stack",
    lambda *operands, dim: np.stack(operands, axis=dim),
    lambda index, g, out, *operands, dim: select(g, dim=dim, index=index),
    lambda g, operands, dim: np.moveaxis(g, dim, 0),
)


def cast_to_common_dtype(tensors: list[Tensor]) -> list[Tensor]:
    """Return the tensors cast to their common dtype."""
    if all(x.dtype is tensors[0].dtype for x in tensors):
        return tensors
    common = promote([(x.dtype, x.ndim) for x in tensors])
    return [cast(x, common) for x in tensors]


@public("cat(tensors: tensors, dim: int = 0)", also=("concat", "concatenate"), method=False)
def cat_tensors(tensors: list[Tensor], dim: int) -> Tensor:
    """The tensors joined one after the other along a dimension."""
    if not tensors:
        raise ShapeError("torch.cat(): expected a non-empty list of Tensors", code="E0302")
    for position, x in enumerate(tensors):
        if not x.ndim:
            raise ShapeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated",
                operands=(x,),
                caret="a single number has no dimension to go along",
                help=("use `torch.stack([...])` for numbers",),
            )
    kept = [x for x in tensors if x.shape != (0,)] or tensors[:1]  # torch skips empty vectors, a legacy rule
    first = kept[0]
    dim = wrap_dim(first, dim)
    for position, x in enumerate(tensors):
        if x.shape == (0,) and first.shape != (0,):
            continue
        if x.ndim != first.ndim:
            raise ShapeError(
                f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}",
                operands=(first, x),
            )
        for axis, (m, n) in enumerate(zip(first.shape, x.shape, strict=True)):
            if axis != dim and m != n:
                raise ShapeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size"
                    f" {n} for tensor number {position} in the list.",
                    operands=(first, x),
                    caret=f"shapes {first.shape} and {x.shape} differ in dimension {axis}: {m} against {n}",
                )
    total = sum(x.shape[dim] for x in kept)
    check_allocation((*first.shape[:dim], total, *first.shape[dim + 1 :]), 8)
    return cat(*cast_to_common_dtype(kept), dim=dim)


def need_tensors(tensors: list[Tensor], name: str) -> None:
    if not tensors:
        raise ShapeError(f"{name} expects a non-empty TensorList", code="E0302")


@public("stack(tensors: tensors, dim: int = 0)", method=False)
def stack_tensors(tensors: list[Tensor], dim: int) -> Tensor:
    """Tensors of the same shape joined along a new dimension."""
    need_tensors(tensors, "stack")
    first = tensors[0]
    dim = wrap_dim(first, dim, more=1)
    for position, x in enumerate(tensors):
        if x.shape != first.shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 and"
                f" {list(x.shape)} at entry {position}",
                operands=(first, x),
            )
    check_allocation((len(tensors), *first.shape), 8)
    return stack(*cast_to_common_dtype(tensors), dim=dim)


@public("hstack(tensors: tensors)", method=False)
def hstack(tensors: list[Tensor]) -> Tensor:
    """Vectors joined end to end, or matrices side by side."""
    need_tensors(tensors, "hstack")
    tensors = [reshape_tensor(x, (1,)) if not x.ndim else x for x in tensors]
    return cat_tensors(tensors, 0 if tensors and tensors[0].ndim == 1 else 1)


@public("vstack(tensors: tensors)", method=False)
def vstack(tensors: list[Tensor]) -> Tensor:
    """Rows, or matrices, joined one below the other."""
    need_tensors(tensors, "vstack")
    rows = [reshape_tensor(x, (1, 1)) if not x.ndim else x for x in tensors]
    return cat_tensors([unsqueeze_dim(x, 0) if x.ndim == 1 else x for x in rows], 0)


@public("tile(input: tensor, *dims: ints)")
def tile(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Copies side by side, as with ``repeat``; missing leading counts are 1."""
    return repeat_dims(x, (1,) * (x.ndim - len(dims)) + tuple(dims))


# -- splitting ------------------------------------------------------------------------------------------


def split_slices(x: Tensor, sizes: list[int], dim: int, grad_fn: str) -> tuple[Tensor, ...]:
    """Return consecutive slices of these sizes along ``dim``."""
    op = slice_dim.named(grad_fn, is_view=not grad_fn.startswith("Unsafe"))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    views = tuple(op(x, dim=dim, start=s, stop=s + n, step=1) for s, n in zip(starts, sizes, strict=True))
    return number_outputs(views) if grad_fn.startswith("Split") else views


def need_dimension(x: Tensor, name: str) -> None:
    if not x.ndim:
        raise DimError(f"{name} expects at least a 1-dimensional tensor", operands=(x,))


def part_sizes(size: int, part_size: int) -> list[int]:
    """Return the sizes of parts of ``part_size`` entries that make up ``size``; the last may be smaller."""
    return [min(part_size, size - start) for start in range(0, size, part_size)] if size else [0]


@public("split(tensor: tensor, split_size_or_sections: sizes, dim: int = 0)")
def split(x: Tensor, sections: int | tuple[int, ...], dim: int) -> tuple[Tensor, ...]:
    """Slices of one size, or of the sizes listed, along a dimension."""
    if isinstance(sections, tuple):
        return split_with_sizes(x, sections, dim)
    return split_into(x, sections, dim, "SplitBackward0")


@public("unsafe_split(input: tensor, split_size: int, dim: int = 0)")
def unsafe_split(x: Tensor, size: int, dim: int) -> tuple[Tensor, ...]:
    """As ``split``, as tensors of their own: each may be changed in place."""
    return split_into(x, size, dim, "UnsafeSplitBackward0")


def split_into(x: Tensor, n: int, dim: int, grad_fn: str) -> tuple[Tensor, ...]:
    """Return slices of ``n`` entries along ``dim``; the last may be smaller."""
    need_dimension(x, "split")
    dim = wrap_dim(x, dim)
    size = x.shape[dim]
    if n < 0:
        raise ShapeError(
            f"split expects split_size be non-negative, but got split_size={n}",
            code="E0304",
            operands=(x,),
        )
    if not n and size:
        raise ShapeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}",
            code="E0304",
            operands=(x,),
        )
    return split_slices(x, part_sizes(size, n), dim, grad_fn)


@public("split_with_sizes(input: tensor, split_sizes: size, dim: int = 0)")
def split_with_sizes(x: Tensor, sections: tuple[int, ...], dim: int) -> tuple[Tensor, ...]:
    """Slices of the sizes listed along a dimension."""
    return split_by_sizes(x, sections, dim, "SplitWithSizesBackward0")


@public("unsafe_split_with_sizes(input: tensor, split_sizes: size, dim: int = 0)")
def unsafe_split_with_sizes(x: Tensor, sections: tuple[int, ...], dim: int) -> tuple[Tensor, ...]:
    """As ``split_with_sizes``, as tensors of their own: each may be changed in place."""
    return split_by_sizes(x, sections, dim, "UnsafeSplitWithSizesBackward0")


def split_by_sizes(x: Tensor, sections: tuple[int, ...], dim: int, grad_fn: str) -> tuple[Tensor, ...]:
    """Return slices of these sizes along ``dim``, which must add up to its size."""
    need_dimension(x, "split")
    original_dim, dim = dim, wrap_dim(x, dim)
    size = x.shape[dim]
    if any(n < 0 for n in sections):
        raise ShapeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got"
            f" split_sizes={list(sections)}",
            code="E0304",
            operands=(x,),
        )
    if sum(sections) != size:
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension"
            f" {original_dim}), but got split_sizes={list(sections)}",
            code="E0304",
            operands=(x,),
        )
    return split_slices(x, list(sections), dim, grad_fn)


@public("chunk(input: tensor, chunks: int, dim: int = 0)")
def chunk(x: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    """At most ``chunks`` slices of equal size along a dimension; the last may be smaller."""
    return cut_in_chunks(x, chunks, dim, "")


@public("unsafe_chunk(input: tensor, chunks: int, dim: int = 0)")
def unsafe_chunk(x: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    """As ``chunk``, as tensors of their own: each may be changed in place."""
    return cut_in_chunks(x, chunks, dim, "Unsafe")


def cut_in_chunks(x: Tensor, chunks: int, dim: int, prefix: str) -> tuple[Tensor, ...]:
    """Return the slices of ``chunk``; ``prefix`` begins the names of their nodes."""
    need_dimension(x, "chunk")
    if chunks <= 0:
        raise ShapeError(
            f"chunk expects `chunks` to be greater than 0, got: {chunks}", code="E0304", operands=(x,)
        )
    dim = wrap_dim(x, dim)
    size = x.shape[dim]
    if not size:
        check_allocation((chunks,))
        return split_slices(x, [0] * chunks, dim, f"{prefix}SplitWithSizesBackward0")
    return split_slices(x, part_sizes(size, -(-size // chunks)), dim, f"{prefix}SplitBackward0")


@public("unbind(input: tensor, dim: int = 0)")
def unbind(x: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The slices at every position along a dimension, as a tuple."""
    dim = wrap_dim(x, dim)
    size_along(x, dim)
    op = select.named("UnbindBackward0")
    return number_outputs(tuple(op(x, dim=dim, index=index) for index in range(x.shape[dim])))

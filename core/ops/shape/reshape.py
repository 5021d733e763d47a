"""Changing the shape, order and dtype of entries; the rule of each op undoes its rearrangement."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, DimError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.registry import OPERATORS, declare
from autodiff.core.ops.shape.dims import (
    check_sizes,
    expanded_shape,
    infer_shape,
    size_along,
    wrap_dim,
    wrap_dims,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

Ints = tuple[int, ...]

# -- the primitives -----------------------------------------------------------------------------------


def sum_to_forward(x: Any, *, shape: Ints) -> Any:
    """Return ``x`` summed to ``shape``, over the copies that broadcasting ``shape`` to ``x.shape`` makes."""
    if x.shape == shape:
        return x
    lead = x.ndim - len(shape)
    if x.shape[lead:] == shape:
        return np.add.reduce(x, axis=0 if lead == 1 else tuple(range(lead)))
    axes = tuple(range(lead)) + tuple(
        lead + axis for axis, n in enumerate(shape) if n == 1 and x.shape[lead + axis] != 1
    )
    return x.sum(axis=axes, keepdims=True).reshape(shape)


def inverse_permutation(dims: Ints) -> Ints:
    """Return the permutation that undoes ``dims``."""
    back = [0] * len(dims)
    for place, dim in enumerate(dims):
        back[dim] = place
    return tuple(back)


def sum_repeated(g: Any, x: Any, repeats: Ints) -> Any:
    """Return the sum of ``g`` over the copies of ``x`` that ``repeat`` made."""
    sizes = (1,) * (len(repeats) - len(x.shape)) + tuple(x.shape)
    split_shape = tuple(n for pair in zip(repeats, sizes, strict=True) for n in pair)
    summed_shape = tuple(n for size in sizes for n in (1, size))
    return reshape(sum_to(reshape(g, shape=split_shape), shape=summed_shape), shape=x.shape)


def squeeze_grad_fn(node: Node) -> str:
    dims = node.params["dim"]
    return f"SqueezeBackward{0 if dims is None else 1 if len(dims) == 1 else 2}"


def squeezed_shape(shape: Ints, dims: Ints | None) -> Ints:
    return tuple(n for axis, n in enumerate(shape) if n != 1 or (dims is not None and axis not in dims))


def unsqueezed_shape(shape: Ints, dim: int) -> Ints:
    return (*shape[:dim], 1, *shape[dim:])


sum_to: Op = primitive(
    "sum_to", sum_to_forward, lambda g, out, x, shape: expand(g, shape=x.shape), grad_fn="SumBackward1"
)
expand: Op = primitive(
    "expand",
    lambda x, shape: np.broadcast_to(x, shape),
    lambda g, out, x, shape: sum_to(g, shape=x.shape),
    is_view=True,
)
to: Op = primitive(
    "to",
    lambda x, dtype: x.astype(dtype),
    lambda g, out, x, dtype: to(g, dtype=x.dtype.name),
    grad_fn="ToCopyBackward0",
)
clone: Op = primitive("clone", lambda x: x, lambda g, out, x: g, scalar=lambda x: x)
alias: Op = primitive("alias", lambda x: x, lambda g, out, x: g, is_view=True)
contiguous: Op = primitive(
    "contiguous", lambda x: x.copy(order="C"), lambda g, out, x: g, grad_fn="CloneBackward0"
)
reshape: Op = primitive(
    "reshape",
    lambda x, shape: x.reshape(shape),
    lambda g, out, x, shape: reshape(g, shape=x.shape),
    grad_fn="ViewBackward0",
    is_view=True,
)
#: ``reshape`` of a temporary tensor. No other tensor shares its memory, so torch records no view.
unsafe_view = reshape.named("UnsafeViewBackward0", is_view=False)
permute: Op = primitive(
    "permute",
    lambda x, dims: x.transpose(dims),
    lambda g, out, x, dims: permute(g, dims=inverse_permutation(dims)),
    is_view=True,
)
transpose: Op = primitive(
    "transpose",
    lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1),
    lambda g, out, x, dim0, dim1: transpose(g, dim0=dim0, dim1=dim1),
    is_view=True,
)
t: Op = primitive("t", lambda x: x.T, lambda g, out, x: t(g), is_view=True)
squeeze: Op = primitive(
    "squeeze",
    lambda x, dim: x.reshape(squeezed_shape(x.shape, dim)),
    lambda g, out, x, dim: reshape(g, shape=x.shape),
    grad_fn=squeeze_grad_fn,
    is_view=True,
)
unsqueeze: Op = primitive(
    "unsqueeze",
    lambda x, dim: x.reshape(unsqueezed_shape(x.shape, dim)),
    lambda g, out, x, dim: reshape(g, shape=x.shape),
    is_view=True,
)
repeat: Op = primitive(
    "repeat",
    lambda x, repeats: np.tile(x, repeats),
    lambda g, out, x, repeats: sum_repeated(g, x, repeats),
)
# np.flip returns a view. As in torch the result is a copy: the names of later nodes depend on the layout.
flip: Op = primitive(
    "flip", lambda x, dims: np.flip(x, dims).copy("K"), lambda g, out, x, dims: flip(g, dims=dims)
)
roll: Op = primitive(
    "roll",
    lambda x, shifts, dims: np.roll(x, shifts, dims),
    lambda g, out, x, shifts, dims: roll(g, shifts=tuple(-s for s in shifts), dims=dims),
)

# -- the functions ------------------------------------------------------------------------------------


def is_contiguous(x: Tensor) -> bool:
    return x.value.__class__ is float or x.value.flags.c_contiguous


def can_view(x: Tensor, shape: Ints) -> bool:
    """Whether the entries of ``x`` can be viewed in ``shape`` without copying them."""
    return is_contiguous(x) or not x.entry_count or np.may_share_memory(x.value, x.value.reshape(shape))


@public("reshape(input: tensor, *shape: ints)")
def reshape_tensor(x: Tensor, shape: Ints) -> Tensor:
    """The entries in the same order in another shape; one size may be -1 and is inferred."""
    shape = infer_shape(x, shape)
    if is_contiguous(x):
        return reshape.dispatch((x,), {"shape": shape})
    if can_view(x, shape):
        return reshape.named("ReshapeAliasBackward0")(x, shape=shape)
    return unsafe_view(contiguous(x), shape=shape)


@public("view(input: tensor, *shape: ints)")
def view(x: Tensor, shape: Ints) -> Tensor:
    """As ``reshape``, but an error where the entries would have to be copied."""
    shape = infer_shape(x, shape)
    if not can_view(x, shape):
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans"
            " across two contiguous subspaces). Use .reshape(...) instead.",
            code="E0304",
            operands=(x,),
            caret="the entries do not lie in this order in memory",
            help=("use `.reshape(...)`, which moves them",),
        )
    return reshape(x, shape=shape)


@public("view_as(input: tensor, other: tensor)")
def view_as(x: Tensor, other: Tensor) -> Tensor:
    """``view`` with the shape of another tensor."""
    return view(x, other.shape)


@public("reshape_as(input: tensor, other: tensor)")
def reshape_as(x: Tensor, other: Tensor) -> Tensor:
    """``reshape`` with the shape of another tensor."""
    return reshape_tensor(x, other.shape)


@public("flatten(input: tensor, start_dim: int = 0, end_dim: int = -1)")
def flatten(x: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` merged into one."""
    start, end = wrap_dim(x, start_dim), wrap_dim(x, end_dim)
    if start > end:
        raise DimError("flatten() has invalid args: start_dim cannot come after end_dim", operands=(x,))
    if x.ndim and start == end:
        return x
    return reshape_tensor(x, (*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :]))


@public("ravel(input: tensor)")
def ravel(x: Tensor) -> Tensor:
    """All entries in one dimension."""
    return reshape(contiguous_tensor(x), shape=(x.entry_count,))


@public("unflatten(input: tensor, dim: int, sizes: size)")
def unflatten(x: Tensor, dim: int, sizes: Ints) -> Tensor:
    """One dimension split into several."""
    dim = wrap_dim(x, dim)
    if not sizes:
        raise ShapeError("unflatten: sizes must be non-empty", code="E0304", operands=(x,))
    n = size_along(x, dim)
    known = int(np.prod([s for s in sizes if s != -1]))
    if -1 in sizes and known and n % known == 0:
        sizes = tuple(n // known if s == -1 else s for s in sizes)
    elif known != n or -1 in sizes:
        raise ShapeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({n}) in the"
            " input tensor",
            code="E0304",
            operands=(x,),
        )
    return view(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


@public("transpose(input: tensor, dim0: int, dim1: int)")
def transpose_dims(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    dim0, dim1 = wrap_dim(x, dim0), wrap_dim(x, dim1)
    if not x.ndim:
        return clone.named("TransposeBackward0")(x)
    return transpose(x, dim0=dim0, dim1=dim1)


@public("t(input: tensor)")
def checked_t(x: Tensor) -> Tensor:
    """The transpose of a matrix; a vector stays as it is."""
    check_at_most_2d(x, "t")
    return t(x)


def check_at_most_2d(x: Tensor, name: str) -> None:
    if x.ndim > 2:
        raise DimError(
            f"{name}() expects a tensor with <= 2 dimensions, but self is {x.ndim}D",
            operands=(x,),
            help=("name the two dimensions: `x.transpose(0, 1)`",),
        )


def reverse_dims(x: Tensor) -> Tensor:
    """``x.T``: the dimensions in reverse order."""
    return permute.dispatch((x,), {"dims": tuple(range(x.ndim - 1, -1, -1))})


declare(OPERATORS, "transposed", reverse_dims)


@public("permute(input: tensor, *dims: ints)")
def permute_dims(x: Tensor, dims: Ints) -> Tensor:
    """The dimensions in another order."""
    if len(dims) != x.ndim:
        raise DimError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the"
            f" desired ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to len(dims) ="
            f" {len(dims)}",
            operands=(x,),
        )
    order = tuple(wrap_dim(x, dim) for dim in dims)
    if len(set(order)) != len(order):
        raise DimError("permute(): duplicate dims are not allowed.", operands=(x,))
    return permute(x, dims=order)


@public("movedim(input: tensor, source: ints, destination: ints)")
def movedim(x: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Dimensions moved to other positions; the rest keep their order."""
    if len(source) != len(destination):
        raise DimError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the"
            f" same number of dims as destination ({list(destination)} dims)",
            operands=(x,),
        )
    places = {}
    for name, dims in (("source", source), ("destination", destination)):
        places[name] = [wrap_dim(x, dim) for dim in dims]
        if len(set(places[name])) != len(dims):
            raise DimError(f"movedim: repeated dim in `{name}` ({list(dims)})", operands=(x,))
    moved = dict(zip(places["destination"], places["source"], strict=True))
    rest = iter(dim for dim in range(x.ndim) if dim not in places["source"])
    order = tuple(moved[dim] if dim in moved else next(rest) for dim in range(x.ndim))
    return permute(x, dims=order)


@public("squeeze(input: tensor, *dim: ints = None)")
def squeeze_dims(x: Tensor, dim: Ints | None) -> Tensor:
    """The tensor without its dimensions of size 1, or only without those that ``dim`` names."""
    return squeeze(x, dim=None if dim is None else wrap_dims(x, dim))


@public("unsqueeze(input: tensor, dim: int)")
def unsqueeze_dim(x: Tensor, dim: int) -> Tensor:
    """The tensor with a new dimension of size 1."""
    return unsqueeze(x, dim=wrap_dim(x, dim, more=1))


@public("broadcast_to(input: tensor, *size: ints)")
@public("expand(input: tensor, *size: ints)")
def expand_sizes(x: Tensor, sizes: Ints) -> Tensor:
    """Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size."""
    shape = expanded_shape(x, sizes)
    check_allocation(shape, 8)
    return expand(x, shape=shape)


@public("Tensor.sum_to_size(input: tensor, *size: ints)")
def sum_to_size(x: Tensor, size: Ints) -> Tensor:
    """The reverse of ``expand``: sums over the dimensions along which ``size`` would be repeated."""
    lead = x.ndim - len(size)
    if lead < 0 or any(n not in (1, m) for n, m in zip(size, x.shape[lead:], strict=True)):
        raise BroadcastError(
            f"size {{{list(size)}}} is not expandable to size {{{list(x.shape)}}}.", operands=(x,)
        )
    if size == x.shape:
        return x
    if not size:
        return sum_to.named("SumBackward0")(x, shape=())
    summed = sum_to(x, shape=(*(1,) * lead, *size))
    return reshape(summed, shape=size) if lead else summed


@public("expand_as(input: tensor, other: tensor)")
def expand_as(x: Tensor, other: Tensor) -> Tensor:
    """``expand`` to the shape of another tensor."""
    return expand_sizes(x, other.shape)


@public("repeat(input: tensor, *repeats: ints)")
def repeat_dims(x: Tensor, repeats: Ints) -> Tensor:
    """Copies side by side; ``repeats`` is their number along each dimension."""
    if len(repeats) < x.ndim:
        raise BroadcastError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
            operands=(x,),
        )
    sizes = (1,) * (len(repeats) - x.ndim) + x.shape
    check_allocation(check_sizes([r * n for r, n in zip(repeats, sizes, strict=True)]), 8)
    return repeat(x, repeats=tuple(max(r, 0) for r in repeats))  # torch allows -1 for an empty dimension


@public("flip(input: tensor, *dims: ints)")
def flip_dims(x: Tensor, dims: Ints) -> Tensor:
    """The entries in reverse order along the dimensions given."""
    dims = wrap_dims(x, dims)
    return flip(x, dims=dims if x.shape else ())


@public("roll(input: tensor, shifts: ints, dims: ints = None)")
def roll_dims(x: Tensor, shifts: Ints, dims: Ints | None) -> Tensor:
    """The entries shifted by ``shifts`` positions; those past the end reappear at the start."""
    if not shifts:
        raise DimError("`shifts` required", operands=(x,))
    if len(shifts) == 1 and not dims:
        dims = None
    elif len(shifts) != len(dims or ()):
        raise DimError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims or ())}", operands=(x,)
        )
    if not x.entry_count:
        dims = None  # torch does not check them then
    if dims and not x.shape:
        raise DimError(f"Dimension specified as {dims[0]} but tensor has no dimensions", operands=(x,))
    return roll(x, shifts=shifts, dims=None if dims is None else tuple(wrap_dim(x, d) for d in dims))


@public("contiguous(input: tensor)")
def contiguous_tensor(x: Tensor) -> Tensor:
    """The tensor with its entries in row order in memory; itself if they already are."""
    return x if is_contiguous(x) else contiguous(x)


@public("clone(input: tensor)")
def clone_tensor(x: Tensor) -> Tensor:
    """A copy that passes gradients on."""
    return clone(x)

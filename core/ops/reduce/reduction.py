"""Reductions over all entries or over dimensions: sums, means, products, running totals, log-sum-exp.

In a rule ``dim`` is a tuple of non-negative dimensions, or None for all entries at once; ``keepdim`` is
only set together with dimensions.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.small_products import broadcast_small
from autodiff.core.graph import dtypes
from autodiff.core.graph.op import Op, primitive, selective
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.comparison import except_where, isfinite, isnan, logical_not, where, zero
from autodiff.core.ops.elementwise.transcendental import exp
from autodiff.core.ops.shape.dims import wrap_dim, wrap_dims
from autodiff.core.ops.shape.reshape import expand, reshape, to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.dtypes import DType
    from autodiff.core.graph.node import Node

Dims = tuple[int, ...] | None


# -- shared helpers of the rules ----------------------------------------------------------------------


def keepdim_shape(shape: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """Return ``shape`` with size 1 in the reduced dimensions."""
    return tuple(1 if axis in dim else n for axis, n in enumerate(shape))


def expand_reduced(g: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """Expand a reduced value to the shape of ``x``, along the reduced dimensions."""
    if dim is not None and not keepdim:
        g = reshape(g, shape=keepdim_shape(x.shape, dim))
    return expand(g, shape=x.shape)


def reduced_count(shape: tuple[int, ...], dim: Dims) -> int:
    """Return the number of entries that are reduced to one."""
    return math.prod(shape if dim is None else (shape[axis] for axis in dim))


def share_among_ties(g: Any, out: Any, x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """Send g to the entries that equal the result, in equal parts.

    Where the result is nan, the nan entries count as equal to it. Over dimensions every entry behind such a
    result receives nan, as in torch.
    """
    result = expand_reduced(out, x, dim, keepdim)
    winners = except_where(isnan(result), isnan(x), x == result)
    tie_count = to(sum(winners, dim=dim, keepdim=keepdim), dtype=x.dtype.name)
    if dim is None:
        return where(winners, expand_reduced(g / tie_count, x, dim, keepdim), 0.0)
    share = g / except_where(isnan(out), math.nan, tie_count)
    return expand_reduced(share, x, dim, keepdim) * to(winners | isnan(result), dtype=x.dtype.name)


def reduction_grad_fn(full_name: str, partial_name: str) -> Callable[[Node], str]:
    """Return the ``grad_fn`` of a reduction: torch names one over all entries and one over dimensions."""

    def grad_fn(node: Node) -> str:
        return full_name if node.params["dim"] is None else partial_name

    return grad_fn


# -- sums and products --------------------------------------------------------------------------------


def sum_dtype(x: Any) -> Any:
    """Return the dtype of a total: int64 for integers and bools, None (unchanged) for floats."""
    return np.int64 if x.dtype.kind in "biu" else None


def sum_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    return x.sum(axis=dim, keepdims=keepdim, dtype=sum_dtype(x))


def mean_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    return x.sum(axis=dim, keepdims=keepdim) / reduced_count(x.shape, dim)


sum: Op = primitive(
    "sum",
    sum_forward,
    lambda g, out, x, dim, keepdim: expand_reduced(g, x, dim, keepdim),
    fast_vjps=(lambda g, out, x, dim, keepdim: broadcast_small(g, x, dim),),
    grad_fn=reduction_grad_fn("SumBackward0", "SumBackward1"),
)
mean: Op = primitive(
    "mean",
    mean_forward,
    lambda g, out, x, dim, keepdim: expand_reduced(g, x, dim, keepdim) / reduced_count(x.shape, dim),
    fast_vjps=(
        lambda g, out, x, dim, keepdim: broadcast_small(g / (reduced_count(x.shape, dim) or 1), x, dim),
    ),
    grad_fn=reduction_grad_fn("MeanBackward0", "MeanBackward1"),
)


def prod_vjp(g: Any, out: Any, x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """g times the product of the other entries: out / x, or the explicit product where zeros prevent that.

    The explicit product is taken at a zero, and at an infinity or nan in the same product as a zero. Where
    the product of all entries has two zeros, torch gives 0 without a sign.
    """
    regular = expand_reduced(out, x, dim, keepdim) / except_where(x == 0, 1.0, x)
    zeros = expand_reduced(sum(x == 0, dim=dim, keepdim=keepdim), x, dim, keepdim)
    needs_product = (x == 0) | ((zeros > 0) & logical_not(isfinite(x)))
    slope = expand_reduced(g, x, dim, keepdim) * except_where(
        needs_product, products_of_others(x, dim=dim), regular
    )
    return except_where(zeros > 1, slope + 0.0, slope) if dim is None else slope


def products_of_others_forward(x: Any, *, dim: Dims) -> Any:
    """Return for every entry the product of all others: the product before it times the product after it."""
    axis = 0 if dim is None else dim[0]
    rows = np.moveaxis(x.reshape(-1) if dim is None else x, axis, -1)
    one = np.ones_like(rows[..., :1])
    before = np.cumprod(np.concatenate([one, rows[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([one, rows[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return np.moveaxis(before * after, -1, axis).reshape(x.shape)


def products_of_others_vjp(g: Any, out: Any, x: Any, *, dim: Dims) -> Any:
    """Σᵢ gᵢ · the product of all entries but i and k, for every k.

    The products come from a square of copies of x in which row i has 1 in place of entry i.
    """
    axis = 0 if dim is None else dim[0]
    shape = (reduced_count(x.shape, None),) if dim is None else x.shape
    n = shape[axis]
    square = (*shape[:axis], n, *shape[axis:])
    diagonal = np.eye(n, dtype=bool).reshape((1,) * axis + (n, n) + (1,) * (len(shape) - axis - 1))
    rows = expand(reshape(x, shape=(*shape[:axis], 1, *shape[axis:])), shape=square)
    rest = products_of_others(where(diagonal, 1.0, rows), dim=(axis + 1,))
    weights = expand(reshape(g, shape=(*shape[: axis + 1], 1, *shape[axis + 1 :])), shape=square)
    return reshape(sum(where(diagonal, 0.0, weights * rest), dim=(axis,), keepdim=False), shape=x.shape)


without_nan: Op = selective(
    "without_nan",
    lambda x: np.where(np.isnan(x), 0, x),
    lambda g, out, x: g * to(logical_not(isnan(x)), dtype=x.dtype.name),
    grad_fn="WhereBackward0",
)
prod: Op = primitive(
    "prod",
    lambda x, dim, keepdim: x.prod(axis=dim, keepdims=keepdim, dtype=sum_dtype(x)),
    prod_vjp,
    grad_fn=reduction_grad_fn("ProdBackward0", "ProdBackward1"),
)
products_of_others: Op = primitive(
    "others", products_of_others_forward, products_of_others_vjp, grad_fn="ProdBackward0"
)

# -- running totals -----------------------------------------------------------------------------------


def accumulate_along(accumulate: Callable[..., Any], x: Any, dim: int, reverse: bool) -> Any:
    """Accumulate ``x`` along ``dim``, from the end if ``reverse``.

    Single precision is accumulated in double, as in torch: it loses a digit in a few hundred steps.
    """
    if not x.ndim:
        return x
    is_single = x.dtype == np.float32
    steps = np.flip(x, dim) if reverse else x
    totals = accumulate(steps, axis=dim, dtype=np.float64 if is_single else sum_dtype(x))
    totals = np.flip(totals, dim) if reverse else totals
    return totals.astype(np.float32) if is_single else totals


def cumsum_forward(x: Any, *, dim: int, reverse: bool) -> Any:
    """Return the running sums.

    torch starts from 0, which turns -0 into 0; it returns a tensor without dimensions unchanged.
    """
    return accumulate_along(np.cumsum, x, dim, reverse) + 0 if x.ndim else x


def cumprod_vjp(g: Any, out: Any, x: Any, *, dim: int) -> Any:
    """Σ over i ≥ k of gᵢ outᵢ / xₖ; at a zero the products are computed without it."""
    if not x.shape or x.shape[dim] == 1:
        return g
    regular = cumsum(g * out, dim=dim, reverse=True) / except_where(x == 0, 1.0, x)
    # All products after a zero are 0, so an infinite or nan quotient there counts as 0.
    is_lost = (cumsum(x == 0, dim=dim, reverse=False) > 0) & logical_not(isfinite(regular))
    kept = except_where(is_lost, 0.0, regular)
    return except_where(x == 0, cumprod_adjoint(g, x, dim=dim), kept)


def cumprod_adjoint_forward(g: Any, x: Any, *, dim: int) -> Any:
    """Return Σ over i ≥ k of gᵢ · the product of the entries up to i except k; two zeros make it 0."""
    if not x.ndim:
        return g
    first_zero = (x == 0) & (np.cumsum(x == 0, axis=dim) == 1)
    regular = accumulate_along(np.cumsum, g * np.cumprod(x, axis=dim), dim, True) / np.where(x == 0, 1, x)
    without = np.cumprod(np.where(first_zero, 1, x), axis=dim)
    return np.where(first_zero, accumulate_along(np.cumsum, g * without, dim, True), regular).astype(
        x.dtype, copy=False
    )


def leave_one_out_rows(x: Any, dim: int) -> tuple[Any, Any, Any]:
    """Return copies of x whose row k has 1 in place of entry k, and the masks i = k and i ≥ k."""
    n = x.shape[dim]
    square = (*x.shape[:dim], n, *x.shape[dim:])
    shape = (1,) * dim + (n, n) + (1,) * (len(x.shape) - dim - 1)
    diagonal = np.eye(n, dtype=bool).reshape(shape)
    copies = expand(reshape(x, shape=(*x.shape[:dim], 1, *x.shape[dim:])), shape=square)
    return where(diagonal, 1.0, copies), diagonal, np.tri(n, dtype=bool).T.reshape(shape)


def cumprod_adjoint_g_vjp(u: Any, out: Any, g: Any, x: Any, *, dim: int) -> Any:
    """Σ over k ≤ i of uₖ · the product of the entries up to i except k."""
    if not x.shape:
        return u
    rows, _, reached = leave_one_out_rows(x, dim)
    weights = reshape(u, shape=(*x.shape[: dim + 1], 1, *x.shape[dim + 1 :]))
    return sum(where(reached, cumprod(rows, dim=dim + 1) * weights, 0.0), dim=(dim,), keepdim=False)


def cumprod_adjoint_x_vjp(u: Any, out: Any, g: Any, x: Any, *, dim: int) -> Any:
    """Σ over j ≠ k of uⱼ · what entry j receives from the positions i ≥ k if entry k is set to 1."""
    if not x.shape:
        return zero(x)
    rows, diagonal, reached = leave_one_out_rows(x, dim)
    once = (*x.shape[:dim], 1, *x.shape[dim:])
    rest = cumprod_adjoint(where(reached, reshape(g, shape=once), 0.0), rows, dim=dim + 1)
    return sum(where(diagonal, 0.0, rest * reshape(u, shape=once)), dim=(dim + 1,), keepdim=False)


cumsum: Op = primitive(
    "cumsum",
    cumsum_forward,
    lambda g, out, x, dim, reverse: cumsum(g, dim=dim, reverse=not reverse),
)
cumprod: Op = primitive("cumprod", lambda x, dim: accumulate_along(np.cumprod, x, dim, False), cumprod_vjp)
cumprod_adjoint: Op = primitive(
    "cumprod_adjoint",
    cumprod_adjoint_forward,
    cumprod_adjoint_g_vjp,
    cumprod_adjoint_x_vjp,
    grad_fn="CumprodBackward0",
)


def logsumexp_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """Return log(Σ exp(x)), shifted by the largest entry so that no exponential overflows."""
    if not x.size:
        return np.log(np.exp(x).sum(axis=dim, keepdims=keepdim))
    top = x.max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype, copy=False)
    out = np.log(np.exp(x - top).sum(axis=dim, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, axis=dim)


logsumexp = primitive(
    "logsumexp",
    logsumexp_forward,
    lambda g, out, x, dim, keepdim: (
        expand_reduced(g, x, dim, keepdim) * exp(x - expand_reduced(out, x, dim, keepdim))
    ),
)


def cast_truth(x: Any, truth: Any) -> Any:
    """Return ``truth`` in torch's result dtype: uint8 if ``x`` is uint8, else bool."""
    return truth.astype(np.uint8) if x.dtype == np.uint8 else truth


any_ = primitive("any", lambda x, dim, keepdim: cast_truth(x, np.any(x, axis=dim, keepdims=keepdim)))
all_ = primitive("all", lambda x, dim, keepdim: cast_truth(x, np.all(x, axis=dim, keepdims=keepdim)))
count_nonzero = primitive("count_nonzero", lambda x, dim: np.asarray(np.count_nonzero(x, axis=dim)))

# -- the functions ------------------------------------------------------------------------------------


def reduction_dims(x: Tensor, dim: Dims, keepdim: bool = False) -> Dims:
    """Return the dimensions to reduce: a tuple, or None for all entries at once.

    An empty ``dim`` means all dimensions, and so does None together with ``keepdim``.
    """
    if dim is None and not keepdim:
        return None
    return wrap_dims(x, dim)[: x.ndim] if dim else tuple(range(x.ndim))


def check_not_empty(x: Tensor, name: str, dim: Dims) -> None:
    """Refuse a reduction of no entries, for functions that have no value there."""
    if dim is None and not x.entry_count:
        raise ScriptError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            + " Specify the reduction dim with the 'dim' argument." * (not name.startswith("arg")),
            operands=(x,),
            caret="this tensor has no entries",
        )
    for axis in dim or ():
        if not x.shape[axis]:
            raise ScriptError(
                f"{name}(): Expected reduction dim {axis} to have non-zero size.",
                code="E0303",
                operands=(x,),
                caret=f"dimension {axis} of shape {x.shape} has no entries",
            )


def check_floating(x: Tensor, name: str, asked: DType | None = None) -> None:
    """Refuse a dtype that is not floating: ``asked``, or the dtype of ``x`` if that is None."""
    which, dtype = ("Input", x.dtype) if asked is None else ("Optional", asked)
    if not dtype.is_floating_point:
        raise DtypeError(
            f"{name}(): could not infer output dtype. {which} dtype must be either a floating point or"
            f" complex dtype. Got: {dtype.long_name}",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
        )


@public("sum(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def sum_over(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The sum of all entries, or over dimensions."""
    return sum(cast(x, dtype), dim=reduction_dims(x, dim, keepdim), keepdim=keepdim)


@public("nansum(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def nansum(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The sum of the entries that are not nan."""
    x = cast(x, dtype)
    numbers = without_nan(x) if x.dtype.is_floating_point else x
    return sum.named("NansumBackward0")(numbers, dim=reduction_dims(x, dim, keepdim), keepdim=keepdim)


@public("mean(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def mean_over(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The mean of all entries, or over dimensions."""
    check_floating(x, "mean", dtype)
    x = cast(x, dtype)
    return mean(x, dim=reduction_dims(x, dim, keepdim), keepdim=keepdim)


@public("nanmean(input: tensor, dim: ints = None, keepdim: bool = False)")
def nanmean(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The mean of the entries that are not nan."""
    if not x.dtype.is_floating_point:
        raise DtypeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {x.dtype.long_name}",
            operands=(x,),
            help=("convert it with .float() or .double()",),
        )
    dims = reduction_dims(x, dim, keepdim)
    counted = sum(isnan(x) == False, dim=dims, keepdim=keepdim)  # noqa: E712 - entry by entry
    return sum(without_nan(x), dim=dims, keepdim=keepdim) / counted


@public("prod(input: tensor, dim: int = None, keepdim: bool = False, *, dtype: dtype = None)")
def prod_over(x: Tensor, dim: int | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """The product of all entries, or along one dimension."""
    x = cast(x, dtype)
    if dim is None:
        return prod(x, dim=None, keepdim=False)
    axis = wrap_dim(x, dim)
    if not x.ndim:
        return prod.named("ProdBackward1")(x, dim=None, keepdim=False)
    return prod(x, dim=(axis,), keepdim=keepdim)


@public("logsumexp(input: tensor, dim: ints, keepdim: bool = False)", also=("special.logsumexp",))
def logsumexp_over(x: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
    """log(Σ exp(x)) over dimensions, without overflow."""
    if not x.dtype.is_floating_point:
        x = cast(x, dtypes.default_dtype())
    if x.ndim and not dim and not keepdim:
        raise ShapeError(
            f"output with shape [] doesn't match the broadcast shape {[1] * x.ndim}",
            operands=(x,),
            caret="`dim` names no dimension",
            help=(f"name them all: dim={list(range(x.ndim))}",),
        )
    return logsumexp(x, dim=reduction_dims(x, dim, True), keepdim=keepdim)


@public("any(input: tensor, dim: ints = None, keepdim: bool = False)")
def any_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """Whether any entry is true (not zero)."""
    return any_(x, dim=reduction_dims(x, dim, keepdim), keepdim=keepdim)


@public("all(input: tensor, dim: ints = None, keepdim: bool = False)")
def all_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """Whether all entries are true (not zero)."""
    return all_(x, dim=reduction_dims(x, dim, keepdim), keepdim=keepdim)


@public("count_nonzero(input: tensor, *dim: ints = None)")
def count_nonzero_over(x: Tensor, dim: Dims) -> Tensor:
    """The number of entries that are not zero."""
    return count_nonzero(x, dim=reduction_dims(x, dim))

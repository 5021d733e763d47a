"""Reductions over all entries or over dimensions: sums and means, extremes, spreads, norms, running totals.

In a rule ``dim`` is a tuple of non-negative dimensions, or None for all entries at once; ``keepdim`` is
only ever set together with dimensions.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core import dtypes
from autodiff.core.errors import ScriptError
from autodiff.core.functions import public
from autodiff.core.lazy import np
from autodiff.core.op import Op, primitive
from autodiff.core.ops.comparison import except_where, isnan, where
from autodiff.core.ops.dims import wrap_dim, wrap_dims
from autodiff.core.ops.selection import abs, maximum, minimum, sign
from autodiff.core.ops.shape import expand, reshape, to
from autodiff.core.ops.transcendental import exp
from autodiff.core.results import NamedResult
from autodiff.core.tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.dtypes import DType
    from autodiff.core.node import Node

Dims = tuple[int, ...] | None


# -- the way back -------------------------------------------------------------------------------------


def kept_shape(shape: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """``shape`` with 1 where it was reduced."""
    return tuple(1 if axis in dim else n for axis, n in enumerate(shape))


def spread(g: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """Copy a reduced value back along the dimensions that were reduced."""
    if dim is not None and not keepdim:
        g = reshape(g, shape=kept_shape(x.shape, dim))
    return expand(g, shape=x.shape)


def entries(shape: tuple[int, ...], dim: Dims) -> int:
    """How many entries are reduced to one."""
    return math.prod(shape if dim is None else (shape[axis] for axis in dim))


def share_among_equals(g: Any, out: Any, x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """Send g to the entries that equal the result, in equal parts."""
    winners = x == spread(out, x, dim, keepdim)
    number = sum(winners, dim=dim, keepdim=keepdim)
    return where(winners, spread(g / number, x, dim, keepdim), 0.0)


def over_dims(all_entries: str, some: str) -> Callable[[Node], str]:
    """torch's two names of a reduction: of everything, and over dimensions."""

    def grad_fn(node: Node) -> str:
        return all_entries if node.params["dim"] is None else some

    return grad_fn


TIES = "entries that tie share the gradient equally"

# -- sums and products --------------------------------------------------------------------------------


def total_type(x: Any) -> Any:
    """Whole numbers and truth values are added up as int64."""
    return None if x.dtype.kind == "f" else np.int64


def sum_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    return x.sum(axis=dim, keepdims=keepdim, dtype=total_type(x))


def mean_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    return np.true_divide(x.sum(axis=dim, keepdims=keepdim), entries(x.shape, dim))


sum: Op = primitive(
    "sum",
    sum_forward,
    lambda g, out, x, dim, keepdim: spread(g, x, dim, keepdim),
    grad_fn=over_dims("SumBackward0", "SumBackward1"),
)
mean: Op = primitive(
    "mean",
    mean_forward,
    lambda g, out, x, dim, keepdim: spread(g, x, dim, keepdim) / entries(x.shape, dim),
    grad_fn=over_dims("MeanBackward0", "MeanBackward1"),
)


def prod_vjp(g: Any, out: Any, x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """g times the product of the other entries: out / x, and at a zero the product itself."""
    regular = spread(out, x, dim, keepdim) / except_where(x == 0, 1.0, x)
    return spread(g, x, dim, keepdim) * except_where(x == 0, others(x, dim=dim), regular)


def others_forward(x: Any, *, dim: Dims) -> Any:
    """For every entry the product of all the others: what stands before it times what stands after it."""
    axis = 0 if dim is None else dim[0]
    rows = np.moveaxis(x.reshape(-1) if dim is None else x, axis, -1)
    one = np.ones_like(rows[..., :1])
    before = np.cumprod(np.concatenate([one, rows[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([one, rows[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return np.moveaxis(before * after, -1, axis).reshape(x.shape)


def others_vjp(g: Any, out: Any, x: Any, *, dim: Dims) -> Any:
    """Σᵢ gᵢ · the product of all entries but i and k, for every k: the rows of a square of copies of x."""
    axis = 0 if dim is None else dim[0]
    shape = (entries(x.shape, None),) if dim is None else x.shape
    n = shape[axis]
    square = (*shape[:axis], n, *shape[axis:])
    diagonal = np.eye(n, dtype=bool).reshape((1,) * axis + (n, n) + (1,) * (len(shape) - axis - 1))
    rows = expand(reshape(x, shape=(*shape[:axis], 1, *shape[axis:])), shape=square)
    rest = others(where(diagonal, 1.0, rows), dim=(axis + 1,))
    weights = expand(reshape(g, shape=(*shape[: axis + 1], 1, *shape[axis + 1 :])), shape=square)
    return reshape(sum(where(diagonal, 0.0, weights * rest), dim=(axis,), keepdim=False), shape=x.shape)


prod: Op = primitive(
    "prod",
    lambda x, dim, keepdim: x.prod(axis=dim, keepdims=keepdim, dtype=total_type(x)),
    prod_vjp,
    grad_fn=over_dims("ProdBackward0", "ProdBackward1"),
)
others: Op = primitive("others", others_forward, others_vjp, grad_fn="ProdBackward0")

# -- running totals -----------------------------------------------------------------------------------


def running(accumulate: Callable[..., Any], x: Any, dim: int, reverse: bool) -> Any:
    if not x.ndim:
        return x
    if reverse:
        return np.flip(accumulate(np.flip(x, dim), axis=dim, dtype=total_type(x)), dim)
    return accumulate(x, axis=dim, dtype=total_type(x))


def cumprod_vjp(g: Any, out: Any, x: Any, *, dim: int) -> Any:
    """Σ over i ≥ k of gᵢ outᵢ / xₖ; at the first zero of a row the products are taken without it."""
    first_zero = (x == 0) & (cumsum(x == 0, dim=dim, reverse=False) == 1)
    without = cumprod(where(first_zero, 1.0, x), dim=dim)
    regular = cumsum(g * out, dim=dim, reverse=True) / except_where(x == 0, 1.0, x)
    return except_where(first_zero, cumsum(g * without, dim=dim, reverse=True), regular)


cumsum: Op = primitive(
    "cumsum",
    lambda x, dim, reverse: running(np.cumsum, x, dim, reverse),
    lambda g, out, x, dim, reverse: cumsum(g, dim=dim, reverse=not reverse),
)
cumprod: Op = primitive("cumprod", lambda x, dim: running(np.cumprod, x, dim, False), cumprod_vjp)

# -- extremes -----------------------------------------------------------------------------------------


def median_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """The lower of the two middle entries, or nan if there is one."""
    ordered = np.sort(x, axis=None)
    is_nan = x.dtype.kind == "f" and np.isnan(ordered[-1])
    return ordered[-1] if is_nan else ordered[(ordered.size - 1) // 2]


def pick_forward(x: Any, *, index: Any, dim: int, keepdim: bool) -> Any:
    if not x.ndim:
        return x
    picked = np.take_along_axis(x, index, axis=dim)
    return picked if keepdim else np.squeeze(picked, axis=dim)


def pick_vjp(g: Any, out: Any, x: Any, *, index: Any, dim: int, keepdim: bool) -> Any:
    """Send g to the entry that was picked."""
    if not x.shape:
        return g
    places = np.arange(x.shape[dim]).reshape((-1,) + (1,) * (len(x.shape) - dim - 1))
    return where(index == places, spread(g, x, (dim,), keepdim), 0.0)


amax: Op = primitive(
    "amax", lambda x, dim, keepdim: x.max(axis=dim, keepdims=keepdim), share_among_equals, kink=TIES
)
amin: Op = primitive(
    "amin", lambda x, dim, keepdim: x.min(axis=dim, keepdims=keepdim), share_among_equals, kink=TIES
)
median: Op = primitive("median", median_forward, share_among_equals, kink=TIES)
pick: Op = primitive(
    "pick",
    pick_forward,
    pick_vjp,
    saves_params=True,
    grad_fn="MaxBackward0",
    kink="of entries that tie the first gets the whole gradient",
)


def logsumexp_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """Shifted by the largest entry, so that no exponential overflows."""
    if not x.size:
        return np.log(np.exp(x).sum(axis=dim, keepdims=keepdim))
    top = x.max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype, copy=False)
    out = np.log(np.exp(x - top).sum(axis=dim, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, axis=dim)


logsumexp = primitive(
    "logsumexp",
    logsumexp_forward,
    lambda g, out, x, dim, keepdim: spread(g, x, dim, keepdim) * exp(x - spread(out, x, dim, keepdim)),
)

# -- spreads and norms --------------------------------------------------------------------------------


def freedom(shape: tuple[int, ...], dim: Dims, correction: float) -> float:
    """The divisor of a variance; none left over means nan."""
    left = entries(shape, dim) - correction
    return left if left > 0 else math.nan


def centred(x: Any, dim: Dims) -> Any:
    return x - mean(x, dim=dim, keepdim=dim is not None)


def var_forward(x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    from_mean = x - mean_forward(x, dim=dim, keepdim=dim is not None)
    return np.square(from_mean).sum(axis=dim, keepdims=keepdim) / freedom(x.shape, dim, correction)


def var_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """2 (x - mean) / (n - correction)."""
    return spread(g, x, dim, keepdim) * (2 / freedom(x.shape, dim, correction)) * centred(x, dim)


def std_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """(x - mean) / (out (n - correction)), and 0 where all entries are equal."""
    scaled = except_where(out == 0, 0.0, g / (out * freedom(x.shape, dim, correction)))
    return spread(scaled, x, dim, keepdim) * centred(x, dim)


var = primitive("var", var_forward, var_vjp)
std = primitive(
    "std",
    lambda x, dim, correction, keepdim: np.sqrt(
        var_forward(x, dim=dim, correction=correction, keepdim=keepdim)
    ),
    std_vjp,
    kink="the slope is 0 where all entries are equal",
)


def vector_norm_forward(x: Any, *, ord: float, dim: Dims, keepdim: bool) -> Any:
    size = np.abs(x)
    if ord == math.inf:
        return size.max(axis=dim, keepdims=keepdim)
    if ord == -math.inf:
        return size.min(axis=dim, keepdims=keepdim)
    if ord == 0:
        return (x != 0).sum(axis=dim, keepdims=keepdim).astype(x.dtype)
    if ord == 1:
        return size.sum(axis=dim, keepdims=keepdim)
    if ord == 2:
        return np.sqrt(np.square(x).sum(axis=dim, keepdims=keepdim))
    return (size**ord).sum(axis=dim, keepdims=keepdim) ** (1 / ord)


def vector_norm_vjp(g: Any, out: Any, x: Any, *, ord: float, dim: Dims, keepdim: bool) -> Any:
    """x / out for the Euclidean norm, sign(x) (|x| / out)^(p - 1) for any other; 0 where the norm is 0."""
    if ord == 0:
        return spread(g, x, dim, keepdim) * 0.0
    if ord == 1:
        return spread(g, x, dim, keepdim) * sign(x)
    if ord in (math.inf, -math.inf):
        return sign(x) * share_among_equals(g, out, abs(x), dim=dim, keepdim=keepdim)
    if ord == 2:
        return x * spread(except_where(out == 0, 0.0, g / out), x, dim, keepdim)
    scale = except_where(out == 0, 0.0, g / out ** (ord - 1))
    return except_where(x == 0, 0.0, sign(x) * abs(x) ** (ord - 1)) * spread(scale, x, dim, keepdim)


vector_norm = primitive(
    "vector_norm",
    vector_norm_forward,
    vector_norm_vjp,
    grad_fn="LinalgVectorNormBackward0",
    kink="the slope is 0 where the norm is 0",
)

# -- choices and counts: no gradient ------------------------------------------------------------------

argmax = primitive("argmax", lambda x, dim, keepdim: np.argmax(x, axis=dim, keepdims=keepdim))
argmin = primitive("argmin", lambda x, dim, keepdim: np.argmin(x, axis=dim, keepdims=keepdim))
any_ = primitive("any", lambda x, dim, keepdim: np.any(x, axis=dim, keepdims=keepdim))
all_ = primitive("all", lambda x, dim, keepdim: np.all(x, axis=dim, keepdims=keepdim))
count_nonzero = primitive("count_nonzero", lambda x, dim: np.asarray(np.count_nonzero(x, axis=dim)))

# -- the functions ------------------------------------------------------------------------------------


def dims_of(x: Tensor, dim: Dims, keepdim: bool = False) -> Dims:
    """The dimensions asked for; none named means all of them."""
    if dim is None and not keepdim:
        return None
    return wrap_dims(x, dim)[: x.ndim] if dim else tuple(range(x.ndim))


def cast(x: Tensor, dtype: DType | None) -> Tensor:
    return x if dtype is None or x.dtype is dtype else to(x, dtype=dtype.name)


def check_not_empty(x: Tensor, name: str, dim: Dims) -> None:
    """An extreme of nothing does not exist."""
    if dim is None and not x.size:
        raise ScriptError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction"
            " dim with the 'dim' argument.",
            operands=(x,),
            caret="this tensor has no entries",
        )
    for axis in dim or ():
        if not x.shape[axis]:
            raise ScriptError(
                f"{name}(): Expected reduction dim {axis} to have non-zero size.",
                operands=(x,),
                caret=f"dimension {axis} of shape {x.shape} has no entries",
            )


def check_floating(x: Tensor, name: str) -> None:
    if not x.dtype.is_floating_point:
        raise ScriptError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex"
            f" dtype. Got: {x.dtype.long_name}",
            operands=(x,),
            help=("convert it first, as in `x.double()`",),
        )


@public("sum(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def sum_over(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The sum of all entries, or over dimensions."""
    return sum(cast(x, dtype), dim=dims_of(x, dim, keepdim), keepdim=keepdim)


@public("nansum(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def nansum(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The sum of the entries that are not nan."""
    x = cast(x, dtype)
    return sum.named("NansumBackward0")(
        where(isnan(x), 0.0, x), dim=dims_of(x, dim, keepdim), keepdim=keepdim
    )


@public("mean(input: tensor, dim: ints = None, keepdim: bool = False, *, dtype: dtype = None)")
def mean_over(x: Tensor, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The mean of all entries, or over dimensions."""
    x = cast(x, dtype)
    check_floating(x, "mean")
    return mean(x, dim=dims_of(x, dim, keepdim), keepdim=keepdim)


@public("nanmean(input: tensor, dim: ints = None, keepdim: bool = False)")
def nanmean(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The mean of the entries that are not nan."""
    dims = dims_of(x, dim, keepdim)
    counted = sum(isnan(x) == False, dim=dims, keepdim=keepdim)  # noqa: E712 - entry by entry
    return sum(where(isnan(x), 0.0, x), dim=dims, keepdim=keepdim) / counted


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


@public("cumsum(input: tensor, dim: int, *, dtype: dtype = None)", in_place=True)
def cumsum_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The running totals along a dimension."""
    return cumsum(cast(x, dtype), dim=wrap_dim(x, dim), reverse=False)


@public("cumprod(input: tensor, dim: int, *, dtype: dtype = None)", in_place=True)
def cumprod_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The running products along a dimension."""
    return cumprod(cast(x, dtype), dim=wrap_dim(x, dim))


@public("amax(input: tensor, dim: ints = None, keepdim: bool = False)")
def amax_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The largest entry of all, or over dimensions."""
    dims = dims_of(x, dim, keepdim)
    check_not_empty(x, "amax", dims)
    return amax(x, dim=dims, keepdim=keepdim)


@public("amin(input: tensor, dim: ints = None, keepdim: bool = False)")
def amin_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The smallest entry of all, or over dimensions."""
    dims = dims_of(x, dim, keepdim)
    check_not_empty(x, "amin", dims)
    return amin(x, dim=dims, keepdim=keepdim)


@public("aminmax(input: tensor, *, dim: int = None, keepdim: bool = False)")
def aminmax(x: Tensor, dim: int | None, keepdim: bool) -> NamedResult:
    """The smallest and the largest entry."""
    dims = dims_of(x, None if dim is None else (dim,), keepdim)
    check_not_empty(x, "aminmax", dims)
    least, most = (op.named("AminmaxBackward0")(x, dim=dims, keepdim=keepdim) for op in (amin, amax))
    return NamedResult("torch.return_types.aminmax", ("min", "max"), (least, most))


def pick_entries(
    x: Tensor, name: str, dim: int, keepdim: bool, grad_fn: str, choose: Callable[[Any, int], Any]
) -> NamedResult:
    """The entry that ``choose`` points at along ``dim``, and where it stands."""
    axis = wrap_dim(x, dim)
    check_not_empty(x, name, (axis,) if x.ndim else None)
    index = choose(x.data, axis) if x.ndim else np.zeros((), np.int64)
    values = pick.named(grad_fn)(x, index=index, dim=axis, keepdim=keepdim)
    places = index if keepdim or not x.ndim else np.squeeze(index, axis=axis)
    return NamedResult(f"torch.return_types.{name}", ("values", "indices"), (values, Tensor(places)))


def extreme(
    x: Tensor, name: str, dim: Any, keepdim: bool, other: Any, pair: Op, whole: Op, places: Op
) -> Any:
    """The three functions called max (or min): of two tensors, along a dimension, and of all entries."""
    other = dim if dim.__class__ is Tensor else other
    if other is not None:
        return pair(x, other)
    title = name.capitalize()
    if dim is None:
        check_not_empty(x, name, None)
        return whole.named(f"{title}Backward1")(x, dim=None, keepdim=False)
    if dim.__class__ is not int:
        raise ScriptError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}", code="E0310")
    return pick_entries(
        x, name, dim, keepdim, f"{title}Backward0", lambda a, axis: places.forward(a, dim=axis, keepdim=True)
    )


@public("max(input: tensor, dim: any = None, keepdim: bool = False, other: tensor = None)")
def max_over(x: Tensor, dim: Any, keepdim: bool, other: Any) -> Any:
    """The largest entry; with ``dim`` values and indices along it; of two tensors the larger entries."""
    return extreme(x, "max", dim, keepdim, other, maximum, amax, argmax)


@public("min(input: tensor, dim: any = None, keepdim: bool = False, other: tensor = None)")
def min_over(x: Tensor, dim: Any, keepdim: bool, other: Any) -> Any:
    """The smallest entry; with ``dim`` values and indices along it; of two tensors the smaller entries."""
    return extreme(x, "min", dim, keepdim, other, minimum, amin, argmin)


def kth_smallest(a: Any, axis: int, k: int) -> Any:
    return np.take(np.argsort(a, axis=axis, kind="stable"), [k], axis=axis)


@public("median(input: tensor, dim: int = None, keepdim: bool = False)")
def median_over(x: Tensor, dim: int | None, keepdim: bool) -> Any:
    """The lower of the two middle entries; with ``dim`` values and indices along it."""
    if dim is None:
        check_not_empty(x, "median", None)
        return median(x, dim=None, keepdim=False)
    return pick_entries(
        x,
        "median",
        dim,
        keepdim,
        "MedianBackward1",
        lambda a, axis: kth_smallest(a, axis, (a.shape[axis] - 1) // 2),
    )


@public("kthvalue(input: tensor, k: int, dim: int = -1, keepdim: bool = False)")
def kthvalue(x: Tensor, k: int, dim: int, keepdim: bool) -> NamedResult:
    """The k-th smallest entry along a dimension and where it stands; ``k`` starts at 1."""
    if not 1 <= k <= (x.shape[wrap_dim(x, dim)] if x.ndim else 1):
        raise ScriptError(
            f"kthvalue(): selected number k out of range for dimension {wrap_dim(x, dim)}", operands=(x,)
        )
    return pick_entries(
        x, "kthvalue", dim, keepdim, "KthvalueBackward0", lambda a, axis: kth_smallest(a, axis, k - 1)
    )


@public("logsumexp(input: tensor, dim: ints, keepdim: bool = False)", also=("special.logsumexp",))
def logsumexp_over(x: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
    """log(Σ exp(x)) over dimensions, without overflow."""
    if not x.dtype.is_floating_point:
        x = to(x, dtype=dtypes.default_dtype().name)
    return logsumexp(x, dim=dims_of(x, dim, True), keepdim=keepdim)


def correction_of(unbiased: bool | None, correction: float | None) -> float:
    return 1 if unbiased is None and correction is None else correction if unbiased is None else int(unbiased)  # type: ignore[return-value]


def spread_of(
    op: Op, x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None
) -> Tensor:
    """std and var, whose second argument may be the dimensions or ``unbiased``."""
    check_floating(x, op.name)
    if dim.__class__ is bool:
        dim, unbiased = None, dim
    if dim is not None:
        dim = dim if isinstance(dim, (tuple, list)) else (dim,)
    return op(
        x, dim=dims_of(x, dim, keepdim), correction=correction_of(unbiased, correction), keepdim=keepdim
    )


SPREAD = (
    "(input: tensor, dim: any = None, unbiased: bool = None, keepdim: bool = False,"
    " *, correction: float = None)"
)


@public(f"std{SPREAD}")
def std_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The standard deviation, with n - 1 in the denominator unless told otherwise."""
    return spread_of(std, x, dim, unbiased, keepdim, correction)


@public(f"var{SPREAD}")
def var_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The variance, with n - 1 in the denominator unless told otherwise."""
    return spread_of(var, x, dim, unbiased, keepdim, correction)


@public(f"std_mean{SPREAD}", method=False)
def std_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The standard deviation and the mean."""
    return spread_and_mean(std, "StdMeanBackward0", x, dim, unbiased, keepdim, correction)


@public(f"var_mean{SPREAD}", method=False)
def var_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The variance and the mean."""
    return spread_and_mean(var, "VarMeanBackward0", x, dim, unbiased, keepdim, correction)


def spread_and_mean(op: Op, name: str, x: Tensor, dim: Any, *rest: Any) -> tuple[Tensor, Tensor]:
    keepdim = rest[1]
    first = spread_of(op.named(name), x, dim, *rest)
    if dim.__class__ is bool:
        dim = None
    dims = dim if dim is None or isinstance(dim, (tuple, list)) else (dim,)
    return first, mean.named(name)(x, dim=dims_of(x, dims, keepdim), keepdim=keepdim)


def order_of_norm(ord: Any) -> float:
    """The order as a number; "fro" and None are the Euclidean norm."""
    if ord is None or ord == "fro":
        return 2
    if ord.__class__ is Tensor and ord.size == 1:
        ord = ord.item()
    if ord.__class__ not in (int, float):
        raise ScriptError(
            f"norms of order {ord!r} are not supported here", help=("use a number, inf, -inf or 'fro'",)
        )
    return ord


@public("norm(input: tensor, p: any = 'fro', dim: ints = None, keepdim: bool = False, dtype: dtype = None)")
def norm(x: Tensor, p: Any, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The p-norm of all entries, or over dimensions; Euclidean unless told otherwise."""
    return norm_over(cast(x, dtype), p, dim, keepdim)


@public(
    "linalg.vector_norm(input: tensor, ord: any = 2, dim: ints = None, keepdim: bool = False,"
    " *, dtype: dtype = None)",
    method=False,
)
def vector_norm_over(x: Tensor, ord: Any, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The norm of the entries as one vector, or over dimensions."""
    return norm_over(cast(x, dtype), ord, dim, keepdim)


def norm_over(x: Tensor, ord: Any, dim: Dims, keepdim: bool) -> Tensor:
    if not x.dtype.is_floating_point:
        raise ScriptError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got"
            f" {x.dtype.long_name}",
            operands=(x,),
            help=("convert it first, as in `x.double()`",),
        )
    dims = dims_of(x, dim, keepdim)
    if order_of_norm(ord) in (math.inf, -math.inf):
        check_not_empty(x, "linalg.vector_norm", dims)
    return vector_norm(x, ord=order_of_norm(ord), dim=dims, keepdim=keepdim)


@public("dist(input: tensor, other: tensor, p: float = 2)")
def dist(x: Tensor, y: Tensor, p: float) -> Tensor:
    """The p-norm of the difference."""
    return vector_norm.named("DistBackward0")(x - y, ord=p, dim=None, keepdim=False)


def index_function(op: Op, name: str) -> Callable[..., Tensor]:
    def find(x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
        axis = None if dim is None else wrap_dim(x, dim)
        check_not_empty(x, name, None if axis is None or not x.ndim else (axis,))
        return op(x, dim=axis if x.ndim else None, keepdim=keepdim and x.ndim > 0)

    find.__doc__ = (
        f"Where the {'largest' if name == 'argmax' else 'smallest'} entry stands, the first if several tie."
    )
    return find


public("argmax(input: tensor, dim: int = None, keepdim: bool = False)")(index_function(argmax, "argmax"))
public("argmin(input: tensor, dim: int = None, keepdim: bool = False)")(index_function(argmin, "argmin"))


@public("any(input: tensor, dim: ints = None, keepdim: bool = False)")
def any_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """Whether any entry is true (not zero)."""
    return any_(x, dim=dims_of(x, dim, keepdim), keepdim=keepdim)


@public("all(input: tensor, dim: ints = None, keepdim: bool = False)")
def all_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """Whether all entries are true (not zero)."""
    return all_(x, dim=dims_of(x, dim, keepdim), keepdim=keepdim)


@public("count_nonzero(input: tensor, dim: ints = None)")
def count_nonzero_over(x: Tensor, dim: Dims) -> Tensor:
    """How many entries are not zero."""
    return count_nonzero(x, dim=dims_of(x, dim))


__all__ = ["entries", "kept_shape", "logsumexp", "mean", "pick", "spread", "sum"]

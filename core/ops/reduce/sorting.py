"""Sorting, the k largest entries, the most frequent entry, quantiles and running extremes.

The functions compute positions, which have no gradient, and read the entries there with ops that have one.
nan counts as larger than every number, as in torch; tied entries keep their order.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DimError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import values_and_indices
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.reduce.blends import lerp
from autodiff.core.ops.reduce.extremes import SHARED_TIES_KINK, check_median, empty_median, pick_along_dim
from autodiff.core.ops.reduce.reduction import share_among_ties
from autodiff.core.ops.shape import picking_ops
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import movedim, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Array = Any

#: A small change to a tied entry can reverse the order; the entry then receives its neighbour's gradient.
SORT_KINK = "entries that tie keep their order, and each receives what its own place does"
RUNNING_EXTREME_KINK = "of entries that tie so far the latest gets the whole gradient"


# -- positions ------------------------------------------------------------------------------------------


def sort_indices(x: Array, axis: int, descending: bool = False) -> Array:
    """Return the positions that sort the entries along ``axis``; tied entries keep their order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis)


def mode_index(x: Array, axis: int) -> Array:
    """Return the last position of the most frequent entry; of several such entries, the smallest."""
    positions = np.argsort(x, axis=axis, kind="stable")
    rows = np.moveaxis(np.take_along_axis(x, positions, axis), axis, -1)
    steps = np.arange(rows.shape[-1])
    starts = np.concatenate([np.ones_like(rows[..., :1], bool), rows[..., 1:] != rows[..., :-1]], axis=-1)
    run = steps - np.maximum.accumulate(np.where(starts, steps, 0), axis=-1)
    best = np.moveaxis(np.argmax(run, axis=-1)[..., None], -1, axis)
    return np.take_along_axis(positions, best, axis)


def running_extreme_index(x: Array, axis: int, accumulate: Any) -> Array:
    """Return for each entry the position of the extreme so far, the latest of equal ones."""
    shape = [1] * x.ndim
    shape[axis] = -1
    reached = (x == accumulate(x, axis=axis)) | np.isnan(x)
    return np.maximum.accumulate(np.where(reached, np.arange(x.shape[axis]).reshape(shape), 0), axis=axis)


def gather_named_result(
    x: Tensor, name: str, index: Array, axis: int, grad_fn: str, kink: str = SORT_KINK
) -> NamedResult:
    """Return the entries at ``index`` along ``axis``, and the positions themselves."""
    values = picking_ops.gather.named(grad_fn, saved=((),), kink=kink)(x, dim=axis, index=index)
    return values_and_indices(name, values, Tensor.of(index))


# -- the functions --------------------------------------------------------------------------------------


@public("sort(input: tensor, dim: int = -1, descending: bool = False, *, stable: bool = None)")
def sort(x: Tensor, dim: int, descending: bool, stable: bool | None) -> NamedResult:
    """The entries along a dimension in ascending or descending order, and their original indices."""
    axis = wrap_dim(x, dim)
    index = sort_indices(x.data, axis, descending) if x.ndim else np.zeros((), np.int64)
    return gather_named_result(x, "sort", index, axis, "SortBackward0" if stable is None else "SortBackward1")


@public("msort(input: tensor)")
def msort(x: Tensor) -> Tensor:
    """The entries along the first dimension in ascending order."""
    return sort(x, 0, False, None)[0]


@public("argsort(input: tensor, dim: int = -1, descending: bool = False, stable: bool = False)")
def argsort(x: Tensor, dim: int, descending: bool, stable: bool) -> Tensor:
    """The indices that sort the entries along a dimension."""
    axis = wrap_dim(x, dim)
    return Tensor.of(sort_indices(x.data, axis, descending) if x.ndim else np.zeros((), np.int64))


@public("topk(input: tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True)")
def topk(x: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> NamedResult:
    """The k largest (or smallest) entries along a dimension, best first, and their indices."""
    axis = wrap_dim(x, dim)
    if x.dtype.kind == "b":
        raise DtypeError(
            "topk does not support bool dtypes on CPU", operands=(x,), caret="this tensor holds truth values"
        )
    if not 0 <= k <= (x.shape[axis] if x.ndim else 1):
        raise ShapeError(
            "selected index k out of range",
            operands=(x,),
            caret=f"there are {x.shape[axis] if x.ndim else 1} entries along dimension {axis}, not {k}",
        )
    if not x.ndim:
        return gather_named_result(x, "topk", np.zeros((), np.int64), 0, "TopkBackward0")
    index = np.take(sort_indices(x.data, axis, largest), range(k), axis=axis)
    return gather_named_result(x, "topk", index, axis, "TopkBackward0")


@public("mode(input: tensor, dim: int = -1, keepdim: bool = False)")
def mode(x: Tensor, dim: int, keepdim: bool) -> NamedResult:
    """The most frequent entry along a dimension (the smallest of several) and its last index."""
    return pick_along_dim(x, "mode", dim, keepdim, "ModeBackward0", mode_index)


def running_extreme(x: Tensor, dim: int, name: str, accumulate: Any, grad_fn: str) -> NamedResult:
    """Return the running maxima or minima along ``dim`` and their positions.

    torch does not check ``dim`` of an empty tensor, and has a message of its own for a single number.
    """
    if not x.ndim and dim not in (0, -1):
        raise DimError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}", operands=(x,))
    axis = wrap_dim(x, dim) if x.entry_count else 0
    index = running_extreme_index(x.data, axis, accumulate) if x.ndim else np.zeros((), np.int64)
    return gather_named_result(x, name, index, axis, grad_fn, RUNNING_EXTREME_KINK)


@public("cummax(input: tensor, dim: int)")
def cummax(x: Tensor, dim: int) -> NamedResult:
    """The largest entry so far along a dimension and its index; of equal entries, the latest."""
    return running_extreme(x, dim, "cummax", np.maximum.accumulate, "CummaxBackward0")


@public("cummin(input: tensor, dim: int)")
def cummin(x: Tensor, dim: int) -> NamedResult:
    """The smallest entry so far along a dimension and its index; of equal entries, the latest."""
    return running_extreme(x, dim, "cummin", np.minimum.accumulate, "CumminBackward0")


# -- medians and other quantiles ------------------------------------------------------------------------


def nanmedian_index(x: Array, axis: int) -> Array:
    """Return the position of the lower middle entry among those that are not nan; the first if all are."""
    positions = np.argsort(x, axis=axis, kind="stable")  # nan last
    numbers = np.sum(~np.isnan(x), axis=axis, keepdims=True)
    return np.take_along_axis(positions, np.maximum(numbers - 1, 0) // 2, axis)


def nanmedian_forward(x: Array, *, dim: None, keepdim: bool) -> Array:
    flat = x.reshape(-1)
    return flat[nanmedian_index(flat, 0)[0]] if x.size else empty_median(x)


nanmedian_op: Op = primitive(
    "nanmedian", nanmedian_forward, share_among_ties, saved=((0, "out"),), kink=SHARED_TIES_KINK
)


@public("nanmedian(input: tensor, dim: int = None, keepdim: bool = False)")
def nanmedian(x: Tensor, dim: int | None, keepdim: bool) -> Any:
    """The lower of the two middle entries that are not nan; with ``dim``, values and indices along it."""
    check_median(x, dim)
    if dim is not None:
        return pick_along_dim(x, "nanmedian", dim, keepdim, "NanmedianBackward1", nanmedian_index)
    return nanmedian_op(x, dim=None, keepdim=False)


#: How each interpolation rounds a rank between two entries; "midpoint" is computed separately.
RANK_ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "linear": lambda rank: rank,
    "lower": lambda rank: np.floor(rank),
    "higher": lambda rank: np.ceil(rank),
    "nearest": lambda rank: np.round(rank),
}


def compute_quantile(
    x: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool
) -> Tensor:
    """Return the quantile at rank q (n - 1), between two entries according to ``interpolation``.

    Several levels q become the first dimension of the result.
    """
    check_quantile(x, q, interpolation)
    if dim is not None:
        wrap_dim(x, dim)
    check_quantile_levels(q)
    levels = np.asarray(q.data if q.__class__ is Tensor else q, x.data.dtype)
    flat = dim is None or not x.ndim
    rows = reshape(x, shape=(x.entry_count,)) if flat else x
    axis = 0 if flat else wrap_dim(x, dim or 0)
    rank = quantile_ranks(rows.data, axis, levels.reshape(-1), interpolation, skip_nan)
    positions = np.argsort(rows.data, axis=axis, kind="stable")
    ends = []
    for side in (np.floor(rank), np.ceil(rank)):
        index = np.take_along_axis(positions, side.astype(np.int64), axis)
        ends.append(picking_ops.gather.named("GatherBackward0", kink=SORT_KINK)(rows, dim=axis, index=index))
    lower, upper = ends
    found = movedim(lerp(lower, upper, Tensor.of(rank - np.floor(rank))), (axis,), (0,))
    if flat:
        kept = (1,) * x.ndim if keepdim else ()
    else:
        kept = (*x.shape[:axis], *(1,) * keepdim, *x.shape[axis + 1 :])
    return reshape.named("SqueezeBackward4")(found, shape=levels.shape + kept)


def quantile_ranks(x: Array, axis: int, levels: Array, interpolation: str, skip_nan: bool) -> Array:
    """Return the rank of each quantile among the sorted entries, nan last; it may be fractional."""
    shape = [1] * x.ndim
    shape[axis] = -1
    missing = np.isnan(x).sum(axis=axis, keepdims=True)
    last = x.shape[axis] - 1
    if skip_nan:
        rank = np.maximum(last - missing, 0) * levels.reshape(shape)
    else:  # a nan among the entries is the quantile at every level
        rank = np.where(missing > 0, np.asarray(last, x.dtype), last * levels.reshape(shape))
    if interpolation == "midpoint":
        return (np.floor(rank) + np.ceil(rank)) / 2
    return RANK_ROUNDINGS[interpolation](rank).astype(x.dtype)


def check_quantile(x: Tensor, q: Any, interpolation: str) -> None:
    """Raise torch's errors for invalid arguments of ``quantile``."""
    if q.__class__ is not Tensor:
        check_quantile_levels(q)
    if interpolation not in (*RANK_ROUNDINGS, "midpoint"):
        raise ScriptError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got"
            f" {interpolation}"
        )
    if not x.entry_count:
        raise ShapeError("quantile() input tensor must be non-empty", operands=(x,))
    if q.__class__ is Tensor and q.ndim > 1:
        raise ShapeError("quantile() q must be a scalar or 1D tensor", operands=(q,))
    if not x.dtype.is_floating_point:
        raise ScriptError("quantile() input tensor must be either float or double dtype", operands=(x,))
    if q.__class__ is Tensor and q.dtype is not x.dtype:
        raise DtypeError("quantile() q tensor must be same dtype as the input tensor", operands=(q, x))


def check_quantile_levels(q: Any) -> None:
    """Refuse quantile levels outside [0, 1]."""
    levels = q.data if q.__class__ is Tensor else np.asarray(q)
    if not ((levels >= 0) & (levels <= 1)).all():
        values = "q values" if q.__class__ is Tensor else "q"
        given = "" if q.__class__ is Tensor else f" but got {float(q):g}"
        raise ScriptError(f"quantile() {values} must be in the range [0, 1]{given}")


QUANTILE_SIGNATURE = (
    "(input: tensor, q, dim: int = None, keepdim: bool = False, *, interpolation: str = 'linear')"
)


@public(f"quantile{QUANTILE_SIGNATURE}")
def quantile(x: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """The quantile of level ``q`` (between 0 and 1) of all entries, or along a dimension."""
    return compute_quantile(x, q, dim, keepdim, interpolation, skip_nan=False)


@public(f"nanquantile{QUANTILE_SIGNATURE}")
def nanquantile(x: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    """``quantile`` of the entries that are not nan."""
    return compute_quantile(x, q, dim, keepdim, interpolation, skip_nan=True)

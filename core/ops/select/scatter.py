"""``scatter_reduce`` and ``index_reduce``: source entries sent to positions, where they are combined.

The entries of the input take part, or are first replaced by a neutral element (0, 1, an infinity). Sums and
means use ``scatter_add``; products and extremes have ops of their own. ``index_put`` replaces entries.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.arithmetic import div
from autodiff.core.ops.elementwise.comparison import where, zero
from autodiff.core.ops.reduce.reduction import prod
from autodiff.core.ops.select.index_writes import checked_source_positions, restore_shape
from autodiff.core.ops.select.indexing import assigned_value
from autodiff.core.ops.select.position_checks import (
    OUT_OF_BOUNDS,
    at_least_1d,
    check_scatter,
    checked_positions,
)
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.index_parser import ParsedIndex, index_as_array, spanned_dims
from autodiff.core.ops.shape.join import cat
from autodiff.core.ops.shape.picking_ops import (
    embed,
    gather,
    gather_index,
    index_select,
    leading_block,
    part,
    scatter,
    scatter_add,
)
from autodiff.core.ops.shape.reshape import clone, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def ufunc_at_forward(name: str) -> Callable[..., Any]:
    """Return the forward of a scatter op that combines entries with the ufunc of that name."""

    def forward(x: Any, source: Any, *, dim: int, index: Any) -> Any:
        out = x.copy()
        UFUNCS[name]().at(out, gather_index(index, dim), source[leading_block(index.shape)])
        return out

    return forward


UFUNCS: dict[str, Callable[[], Any]] = {
    "prod": lambda: np.multiply,
    "amax": lambda: np.maximum,
    "amin": lambda: np.minimum,
}


def sent_entries(x: Any, index: Any) -> Any:
    """Return the entries of a source that have a position in ``index``."""
    return part(x, basic=leading_block(index.shape), advanced=())


def embed_sent(g: Any, source: Any, index: Any) -> Any:
    """Return the adjoint of ``sent_entries``: ``g`` in the shape of the source, zeros elsewhere."""
    return embed(g, shape=source.shape, basic=leading_block(index.shape), advanced=())


def ones_where(mask: Any, x: Any) -> Any:
    """Return 1 where the mask holds and 0 elsewhere, in the dtype of x."""
    return where(mask, zero(x) + 1.0, 0.0)


def share_scatter_ties(g: Any, out: Any, x: Any, source: Any, dim: int, index: Any) -> Any:
    """Return g divided by the number of entries that attain the extreme at each position."""
    moved = sent_entries(source, index)
    counts = scatter_add(
        ones_where(x == out, x),
        ones_where(moved == gather(out, dim=dim, index=index), moved),
        dim=dim,
        index=index,
    )
    return g / where(counts == 0, 1.0, counts)


def extreme_vjp(g: Any, out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    """An equal share of g where x attains the extreme."""
    return ones_where(x == out, x) * share_scatter_ties(g, out, x, source, dim, index)


def extreme_source_vjp(g: Any, out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    """An equal share of g where an entry of the source attains the extreme."""
    shares = gather(share_scatter_ties(g, out, x, source, dim, index), dim=dim, index=index)
    moved = sent_entries(source, index)
    reached = ones_where(moved == gather(out, dim=dim, index=index), moved)
    return embed_sent(reached * shares, source, index)


def zeros_and_product(x: Any, source: Any, dim: int, index: Any) -> tuple[Any, Any]:
    """Return the number of zeros at each position and the product of the other factors there."""
    moved = sent_entries(source, index)
    zeros = scatter_add(ones_where(x == 0, x), ones_where(moved == 0, moved), dim=dim, index=index)
    return zeros, scatter_prod(where(x == 0, 1.0, x), where(moved == 0, 1.0, moved), dim=dim, index=index)


def other_factors_product(x: Any, zeros: Any, product: Any) -> Any:
    """Return the product of the other factors at each position: 0 where one of them is 0."""
    return where(zeros == ones_where(x == 0, x), product / where(x == 0, 1.0, x), 0.0)


def prod_vjp(g: Any, out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    return g * other_factors_product(x, *zeros_and_product(x, source, dim, index))


def prod_source_vjp(g: Any, out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    zeros, product = (gather(each, dim=dim, index=index) for each in zeros_and_product(x, source, dim, index))
    slopes = gather(g, dim=dim, index=index) * other_factors_product(
        sent_entries(source, index), zeros, product
    )
    return embed_sent(slopes, source, index)


GRAD_FN = "ScatterReduceBackward0"
#: torch saves both tensors and the result, whatever the reduction.
SAVED = ((0, 1, "out"), (0, 1, "out"))


def scatter_op(reduce: str, vjp: Any, source_vjp: Any, kink: str = "") -> Op:
    """Declare the op that reduces by ``reduce``."""
    return primitive(
        f"scatter_{reduce}",
        ufunc_at_forward(reduce),
        vjp,
        source_vjp,
        saved=SAVED,
        saves_params=True,
        grad_fn=GRAD_FN,
        kink=kink,
    )


TIES_KINK = "entries that tie share the gradient equally"
scatter_prod = scatter_op("prod", prod_vjp, prod_source_vjp)
scatter_amax = scatter_op("amax", extreme_vjp, extreme_source_vjp, TIES_KINK)
scatter_amin = scatter_op("amin", extreme_vjp, extreme_source_vjp, TIES_KINK)
REDUCTION_OPS = {"sum": scatter_add, "mean": scatter_add, "prod": scatter_prod}
REDUCTION_OPS |= {"amax": scatter_amax, "amin": scatter_amin}


def neutral_element(reduce: str, dtype: Any) -> float:
    """Return the neutral element of a reduction."""
    if reduce in ("amax", "amin"):
        if dtype.kind == "f":
            return -np.inf if reduce == "amax" else np.inf
        return int(np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max)
    return 1.0 if reduce == "prod" else 0.0


def multiply_at_positions(x: Tensor, source: Tensor, dim: int, index: Any, grad_fn: str) -> Tensor:
    """Return the entries of ``x`` times the source entries sent to their positions.

    The rule of ``scatter_prod`` divides the product by each factor. Where a factor is 0 that loses the mixed
    slopes of the other factors. There the factors are laid out in rows, padded with ones, and multiplied by
    ``prod``, which has slopes of any order.
    """
    out: Tensor = scatter_prod.named(grad_fn)(x, source, dim=dim, index=index)
    target_index = np.broadcast_arrays(*gather_index(index, dim))
    has_zero = x.data == 0
    np.logical_or.at(has_zero, tuple(target_index), source.data[leading_block(index.shape)] == 0)
    if out.node is None or not has_zero.any():
        return out
    rows = np.flatnonzero(has_zero)
    row_of = np.full(x.entry_count, -1)
    row_of[rows] = np.arange(rows.size)
    targets = np.ravel_multi_index(target_index, x.shape).reshape(-1)
    order = np.argsort(targets, kind="stable")
    targets = targets[order]
    column = np.arange(targets.size) - np.searchsorted(targets, targets) + 1
    is_laid_out = row_of[targets] >= 0
    check_allocation((rows.size, int(column[is_laid_out].max(initial=0)) + 1))
    factors = np.full((rows.size, column[is_laid_out].max(initial=0) + 1), x.entry_count + targets.size)
    factors[:, 0] = rows
    factors[row_of[targets[is_laid_out]], column[is_laid_out]] = x.entry_count + order[is_laid_out]
    entries = (x, sent_entries(source, index), Tensor.of(np.ones(1, x.data.dtype)))
    flat_entries = cat(*(reshape(part, shape=(part.entry_count,)) for part in entries), dim=0)
    factor_rows = reshape(index_select(flat_entries, dim=0, index=factors.reshape(-1)), shape=factors.shape)
    multiplied = prod(factor_rows, dim=(1,), keepdim=False)
    whole = embed(multiplied, shape=(x.entry_count,), basic=(), advanced=(rows,))
    return where.named(grad_fn)(has_zero, reshape(whole, shape=x.shape), out)


def reduce_at_positions(
    x: Tensor, source: Tensor, dim: int, index: Any, reduce: str, include_self: bool, grad_fn: str
) -> Tensor:
    """Return ``x`` with ``source`` combined into it at the positions."""
    start = x if include_self else scatter(x, neutral_element(reduce, x.data.dtype), dim=dim, index=index)
    op = REDUCTION_OPS[reduce]
    if reduce == "prod" and x.dtype.is_floating_point:
        return multiply_at_positions(start, source, dim, index, grad_fn)
    if reduce != "mean":
        return op.named(grad_fn, saved=SAVED)(start, source, dim=dim, index=index)
    totals = op.named(GRAD_FN, saved=SAVED)(start, source, dim=dim, index=index)
    counts = (np.ones if include_self else np.zeros)(x.shape, x.data.dtype)
    np.add.at(counts, gather_index(index, dim), 1)
    counts = np.maximum(counts, 1)
    if not x.dtype.is_floating_point:
        return Tensor.of(totals.data // counts)
    return div.named(grad_fn, saved=(("out",), ()))(totals, Tensor.of(counts))


def scatter_with_forward(x: Any, value: Any, *, dim: int, index: Any, reduce: str) -> Any:
    out = x.copy()
    (np.add if reduce == "add" else np.multiply).at(
        out, gather_index(index, dim), value[leading_block(index.shape)]
    )
    return out


def refuse_derivative() -> Any:
    """Raise torch's error: ``scatter`` with ``reduce`` has no derivative."""
    raise ScriptError(
        "derivative for aten::scatter is not implemented",
        help=("`scatter_add` and `scatter_reduce` have derivatives",),
    )


scatter_with: Op = primitive(
    "scatter_with",
    scatter_with_forward,
    lambda g, out, x, value, dim, index, reduce: refuse_derivative(),
    lambda g, out, x, value, dim, index, reduce: refuse_derivative(),
    grad_fn="NotImplemented",
)


@public(
    "scatter_reduce(input: tensor, dim: int, index: tensor, src: tensor, reduce: str,"
    " *, include_self: bool = True)",
    in_place=True,
)
def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """Entries of ``src`` combined with the input at the positions in ``index``, by sum, product, ..."""
    dim = check_scatter(x, dim, index, source)
    if reduce not in REDUCTION_OPS:
        raise ScriptError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}", operands=(x,)
        )
    array = checked_positions(x, index, dim, OUT_OF_BOUNDS)
    if not index.entry_count:
        return clone.named(GRAD_FN)(x)
    array = array if array.ndim else array.reshape(1)
    out = reduce_at_positions(at_least_1d(x), at_least_1d(source), dim, array, reduce, include_self, GRAD_FN)
    return restore_shape(out, x, GRAD_FN)


@public(
    "index_reduce(input: tensor, dim: int, index: tensor, source: tensor, reduce: str,"
    " *, include_self: bool = True)",
    in_place=True,
)
def index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """As ``scatter_reduce``, with one list of positions for all other dimensions."""
    mode.warn("index_reduce() is in beta and the API may change at any time.")
    if reduce not in REDUCTION_OPS or reduce == "sum":
        raise ScriptError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.",
            operands=(x,),
        )
    dim = wrap_dim(x, dim)
    array = checked_source_positions(x, dim, index, source, "index_reduce_()", "index out of range in self")
    whole, entries = at_least_1d(x), at_least_1d(source)
    column = array.reshape([-1 if axis == dim else 1 for axis in range(whole.ndim)])
    places = np.broadcast_to(column, entries.shape)
    name = "IndexReduceBackward0"
    return restore_shape(
        reduce_at_positions(whole, entries, dim, places, reduce, include_self, name), x, name
    )


@public("index_put(input: tensor, indices: tensors, values: tensor, accumulate: bool = False)", in_place=True)
def index_put(x: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    """The value of ``input`` after ``input[indices] = values``, as a new tensor.

    With ``accumulate`` the values are added, and a position that is listed twice receives both.
    """
    keys = [index_as_array(key) for key in indices]
    if len(keys) > x.ndim:
        raise ShapeError(
            f"too many indices for tensor of dimension {x.ndim} (got {len(keys)})",
            code="E0208",
            operands=(x,),
        )
    start = 0
    for key in keys:
        check_mask_shape(x, key, start)
        start += spanned_dims(key)
    if all(key.dtype != bool for key in keys):
        check_values_shape(x, keys, values)
    return assigned_value(x, ParsedIndex(x, tuple(indices)), values, accumulate)


def check_mask_shape(x: Tensor, key: Any, start: int) -> None:
    """Refuse a mask whose sizes differ from those of ``x`` from the dimension ``start`` on."""
    for place, size in enumerate(key.shape if key.dtype == bool else ()):
        if size != x.shape[wrap_dim(x, start + place)]:
            raise ShapeError(
                f"The shape of the mask {list(key.shape)} at index {place} does not match the shape of the"
                f" indexed tensor {list(x.shape)} at index {start + place}",
                code="E0208",
                operands=(x,),
            )


def check_values_shape(x: Tensor, keys: list[Any], values: Tensor) -> None:
    """Refuse values that do not broadcast to the indexed part of ``x``; the positions are checked later."""
    try:
        shape = np.broadcast_shapes(*(key.shape for key in keys))
    except ValueError:  # parsing the index reports it
        return
    shape = (*shape, *x.shape[len(keys) :])
    if 0 in x.shape[: len(keys)] and 0 not in shape:
        raise ShapeError("index is out of bounds for dimension with size 0", code="E0208", operands=(x,))
    fits = all(m in (1, n) for m, n in zip(reversed(values.shape), reversed(shape), strict=False))
    if values.ndim > len(shape) or not fits:
        raise BroadcastError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing"
            f" result of shape {list(shape)}",
            operands=(values,),
        )

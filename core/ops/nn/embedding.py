"""``embedding_bag``: the sum, mean or maximum of the weight's rows in each bag of indices."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import missing_kernel_error
from autodiff.core.graph.state import mode as state
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.select.index_writes import index_add
from autodiff.core.ops.shape.dims import legacy_type_name
from autodiff.core.ops.shape.picking_ops import gather, index_select
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Array = Any

FLOAT_TYPES = "Half, BFloat16, Float, Double"
CHECK_CONTEXT = "(while checking arguments for embedding_bag)"


def check_bag_ndims(index: Tensor, weight: Tensor, offsets: Tensor | None) -> None:
    """Require a matrix of weights, and a matrix of bags or a vector of indices with ``offsets``."""
    if weight.ndim != 2:
        raise ShapeError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}",
            code="E0206",
            operands=(weight,),
        )
    if index.ndim == 2:
        if offsets is not None:
            raise ScriptError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed"
                " length sequences. However, found offsets of type <class 'torch.Tensor'>",
                code="E0206",
            )
    elif index.ndim != 1:
        raise ShapeError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {index.ndim}",
            code="E0206",
            operands=(index,),
        )
    elif offsets is None or offsets.ndim != 1:
        more = " but got None" if offsets is None else ""
        raise ScriptError(f"offsets has to be a 1D Tensor{more}", code="E0206")


def bag_numbers(index: Tensor, offsets: Tensor | None, include_last: bool) -> tuple[Array, int]:
    """Return the bag number of every index, and the number of bags."""
    if offsets is None:
        return np.repeat(np.arange(index.shape[0]), index.shape[1]), index.shape[0]
    starts = offsets.data
    if starts.size and starts[0] != 0:
        raise ScriptError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0."
            f" However, got {int(starts[0])}",
            operands=(offsets,),
        )
    if starts.size and starts[-1] > index.entry_count:
        raise ScriptError(
            f"offsets[-1] can not be greater than input's length {index.entry_count} but got offsets[-1] of"
            f" {int(starts[-1])}",
            operands=(offsets,),
        )
    bags = np.searchsorted(starts, np.arange(index.entry_count), side="right") - 1
    return bags, max(starts.size - include_last, 0)


def as_embedding_bag_node(bags: Tensor) -> Tensor:
    return reshape.named("EmbeddingBagBackward0")(bags, shape=bags.shape)


def check_embedding_dtypes(
    index: Tensor, weight: Tensor, offsets: Tensor | None, scales: Tensor | None
) -> None:
    """Require an integer dtype of indices and offsets, a floating weight, and ``scales`` of its dtype."""
    read = index if offsets is None else Tensor.of(index.data[:0]) + Tensor.of(offsets.data[:0])
    if index.ndim == 2 and index.dtype.kind == "b":
        raise missing_kernel_error(
            "arange_cpu", index.dtype, index, help="positions are whole numbers: `x.long()`"
        )
    for tensor, name, types in ((read, "indices", "Long, Int"), (weight, "weight", FLOAT_TYPES)):
        if tensor.dtype.long_name not in types.split(", "):
            raise DtypeError(
                f"Expected tensor for argument #1 '{name}' to have one of the following scalar types:"
                f" {types}; but got {legacy_type_name(tensor)} instead {CHECK_CONTEXT}",
                operands=(index if tensor is read else tensor,),
            )
    if scales is not None and scales.dtype is not weight.dtype:
        raise DtypeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1"
            f" 'per_sample_weights'; but type {legacy_type_name(weight)} does not equal"
            f" {legacy_type_name(scales)}"
            f" {CHECK_CONTEXT}",
            operands=(weight, scales),
        )


def check_row_indices(index: Tensor, weight: Tensor) -> None:
    """Refuse indices that are no rows of the weight."""
    outside = index.data[(index.data < 0) | (index.data >= weight.shape[0])]
    if outside.size:
        raise ShapeError(
            "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be"
            f" {outside.reshape(-1)[0]}",
            operands=(index, weight),
            caret=f"there are {weight.shape[0]} rows, and {outside.reshape(-1)[0]} is none of them",
        )


def padding_row(padding_idx: int, weight: Tensor) -> int:
    """Return the row that ``padding_idx`` leaves out; a negative one counts from the end."""
    count = weight.shape[0]
    if not -count <= padding_idx < count:
        raise ShapeError(
            f"padding_idx must be within the number of embeddings, -{count} through {count - 1}, but got"
            f" {padding_idx}",
            code="E0208",
            operands=(weight,),
            caret=f"there are {count} rows, and {padding_idx} is none of them",
        )
    return padding_idx % count


def max_of_bags(weight: Tensor, flat: Array, bags: Array, count: int) -> Tensor:
    """Return the largest entries of the rows of each bag, the first of equal ones; zeros for an empty bag."""
    width = weight.shape[1]
    sizes = np.bincount(bags, minlength=count)
    longest = int(sizes.max(initial=1))
    check_allocation((count, longest, width))
    if not weight.shape[0]:
        return Tensor.of(np.zeros((count, width), weight.data.dtype))
    place = np.arange(len(bags)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.zeros((count, longest), np.int64)
    rows[bags, place] = flat
    seen = np.full((count, longest, width), -math.inf, weight.data.dtype)
    seen[bags, place] = weight.data[flat]
    best = np.take_along_axis(rows, seen.argmax(axis=1), axis=1)
    return where(sizes[:, None] > 0, gather(weight, dim=0, index=best), 0.0)


def check_bag_options(
    index: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    scales: Tensor | None,
    mode: str,
    max_norm: float | None,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> None:
    """Refuse arguments of ``embedding_bag`` that do not go together, in torch's order."""
    if scales is not None and scales.shape != index.shape:
        raise ShapeError(
            f"embedding_bag: If per_sample_weights (torch.Size({list(scales.shape)})) is not None, then it"
            f" must have the same shape as the input (torch.Size({list(index.shape)}))",
            code="E0206",
            operands=(index, scales),
        )
    check_bag_ndims(index, weight, offsets)
    if mode not in ("sum", "mean", "max"):
        raise ScriptError("mode has to be one of sum, mean or max", code="E0206")
    if mode == "max" and (scale_grad_by_freq or sparse):
        what = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise ScriptError(f"max mode does not support {what}", code="E0206")
    if max_norm is not None or scale_grad_by_freq:
        raise ScriptError(
            "embedding_bag() takes neither max_norm nor scale_grad_by_freq here",
            help=("rescale the weight yourself under torch.no_grad()",),
        )
    if scales is not None and mode != "sum":
        raise ScriptError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for"
            f" mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )


@public(
    "F.embedding_bag(input: tensor, weight: tensor, offsets: tensor = None, max_norm: float = None,"
    " norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False,"
    " per_sample_weights: tensor = None, include_last_offset: bool = False, padding_idx: int = None)",
    method=False,
)
def embedding_bag(
    index: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    mode: str,
    sparse: bool,
    scales: Tensor | None,
    include_last: bool,
    padding_idx: int | None,
) -> Tensor:
    """The mean, sum or maximum of the weight's rows, for each bag of indices."""
    if weight.dtype.name == "int64" and index.dtype.is_floating_point:
        index, weight = weight, index
        state.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input,"
            " ...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
    check_bag_options(index, weight, offsets, scales, mode, max_norm, scale_grad_by_freq, sparse)
    if padding_idx is not None:
        padding_idx = padding_row(padding_idx, weight)
    check_embedding_dtypes(index, weight, offsets, scales)
    bags, count = bag_numbers(index, offsets, include_last)
    check_row_indices(index, weight)
    flat = index.data.reshape(-1).astype(np.int64)
    counted = np.flatnonzero((bags >= 0) & (bags < count) & (flat != padding_idx))
    flat, bags = flat[counted], bags[counted]
    if mode == "max":
        return as_embedding_bag_node(max_of_bags(weight, flat, bags, count))
    rows = index_select(weight, dim=0, index=flat)
    if scales is not None:
        rows = rows * reshape(index_select(reshape(scales, shape=(-1,)), dim=0, index=counted), shape=(-1, 1))
    totals = index_add(Tensor.of(np.zeros((count, rows.shape[1]), rows.data.dtype)), rows, dim=0, index=bags)
    if mode == "mean":
        sizes = np.maximum(np.bincount(bags, minlength=count), 1)
        totals = totals / Tensor.of(sizes[:, None].astype(rows.data.dtype))
    return as_embedding_bag_node(totals)

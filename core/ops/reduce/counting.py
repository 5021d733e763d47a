"""Counting and searching: histograms, positions in a sorted sequence, distinct entries, membership.

None of these functions has a gradient. Where torch records a node nevertheless, backward raises an error.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, DimError, DtypeError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import missing_kernel_error, require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.arithmetic import missing_derivative_rule
from autodiff.core.ops.shape.dims import wrap_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Array = Any

DETACH_HELP = (
    "detach() the tensor first: the result says which values there are, and no gradient flows through"
)


# -- histograms -----------------------------------------------------------------------------------------


@public("histc(input: tensor, bins: int = 100, min: float = 0, max: float = 0)")
def histc(x: Tensor, bins: int, low: float, high: float) -> Tensor:
    """The number of entries in each of ``bins`` intervals of equal width from ``min`` to ``max``."""
    if bins <= 0:
        raise ScriptError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if low == high and x.entry_count:
        low, high = float(x.data.min()), float(x.data.max())
    if not np.isfinite([low, high]).all():
        raise ScriptError(f"torch.histc: range of [{low:g}, {high:g}] is not finite", operands=(x,))
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise ScriptError("torch.histc: max must be larger than min")
    require_kind(x, "linspace_cpu" if x.dtype.kind == "b" else "histogram_cpu", "f")
    check_allocation((bins,))
    inside = x.data[(x.data >= low) & (x.data <= high)]
    bin_index = np.minimum(((inside - low) / (high - low) * bins).astype(np.int64), bins - 1)
    return Tensor.of(np.bincount(bin_index.reshape(-1), minlength=bins).astype(x.data.dtype))


bincount_op: Op = primitive(
    "bincount",
    lambda weights, places, minlength: np.bincount(places, weights, minlength).astype(
        weights.dtype if weights.dtype.kind == "f" else np.float64, copy=False
    ),
    missing_derivative_rule("derivative for aten::bincount is not implemented", DETACH_HELP),
    grad_fn="NotImplemented",
)


@public("bincount(input: tensor, weights: tensor = None, minlength: int = 0)")
def bincount(x: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """The number of occurrences of each whole number from 0 up, or the sum of their weights."""
    if x.dtype.is_floating_point or x.dtype.name == "bool":
        caret = f"this tensor holds {x.dtype.name} numbers"
        help = "only whole numbers can be counted so; convert them with .long()"
        raise missing_kernel_error("bincount_cpu", x.dtype, x, caret=caret, help=help)
    if minlength < 0:
        raise ScriptError("minlength should be >= 0")
    if x.ndim == 1 and not x.entry_count:
        return Tensor.of(np.zeros(minlength, np.int64))
    if x.ndim != 1 or x.data.min() < 0:
        raise ShapeError("bincount only supports 1-d non-negative integral inputs.", operands=(x,))
    if weights is not None and weights.shape != x.shape:
        raise ShapeError("weights should be 1-d and have the same length as input", operands=(x, weights))
    check_allocation((max(int(x.data.max()) + 1, minlength),))
    if weights is None:
        return Tensor.of(np.bincount(x.data, minlength=minlength))
    return bincount_op(weights, places=x.data, minlength=minlength)


# -- positions in a sorted sequence ---------------------------------------------------------------------


def binary_search(rows: Array, values: Array, right: bool) -> Array:
    """Return the insertion position of every value, by a binary search for all values at once.

    Each row of ``values`` is searched in its row of ``rows``. ``np.searchsorted`` takes one row only, and its
    results differ from torch's where a sequence is not sorted.
    """
    start = np.zeros(values.shape, np.int64)
    stop = np.full(values.shape, rows.shape[-1])
    for _ in range(rows.shape[-1].bit_length()):
        middle = (start + stop) // 2
        middle_values = np.take_along_axis(rows, np.minimum(middle, rows.shape[-1] - 1), axis=-1)
        searching = start < stop
        after = ~(middle_values > values if right else middle_values >= values) & searching
        start = np.where(after, middle + 1, start)
        stop = np.where(after | ~searching, stop, middle)
    return start


def insertion_positions(sequence: Array, values: Array, right: bool, out_int32: bool) -> Tensor:
    """Return the insertion positions that keep the order; ``right`` inserts after equal entries."""
    if sequence.ndim == 1:
        found = binary_search(sequence, values.reshape(-1), right).reshape(values.shape)
    else:
        found = binary_search(sequence, values, right)
    return Tensor.of(found.astype(np.int32) if out_int32 else found)


def as_array(value: Any) -> Array:
    return value.data if value.__class__ is Tensor else np.asarray(value)


@public(
    "bucketize(input: value, boundaries: tensor, *, out_int32: bool = False, right: bool = False)",
    method=False,
)
def bucketize(values: Any, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    """The number of the interval between boundaries that holds each value; 0 is below the first."""
    if boundaries.ndim != 1:
        raise ShapeError(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})", operands=(boundaries,)
        )
    check_search_dtypes(boundaries, values)
    return insertion_positions(boundaries.data, as_array(values), right, out_int32)


def check_search_dtypes(sequence: Tensor, values: Any) -> None:
    """Refuse bool values in a bool sequence, for which torch has no kernel."""
    array = as_array(values)
    if sequence.dtype.kind == "b" and array.dtype.kind == "b" and array.size:
        require_kind(sequence, "searchsorted_out_cpu", "if")


def check_search(sequence: Tensor, values: Any, right: bool, side: str | None, sorter: Tensor | None) -> None:
    """Raise torch's errors for invalid arguments of ``searchsorted``."""
    name = "torch.searchsorted()"
    if side is not None and side not in ("left", "right"):
        raise ScriptError(f"{name}: side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise ScriptError(
            f"{name}: side and right can't be set to opposites, got side of left while right was True"
        )
    if sorter is not None:
        check_sorter(sequence, sorter)
    is_number = values.__class__ is not Tensor or not values.ndim
    if is_number and sequence.ndim != 1:
        raise ShapeError(
            f"{name}: input value can be a scalar only when boundaries tensor dimension is 1, but we got"
            f" boundaries tensor dim({sequence.ndim}) and input value's dim(0) numel(1)",
            operands=(sequence,),
        )
    if not sequence.ndim:
        raise ShapeError(
            f"{name}: boundaries tensor should have positive dimension, but got 0 dimension",
            operands=(sequence,),
        )
    if sequence.ndim != 1 and sequence.shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            f"{name}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries"
            " tensor and input value tensor must match, but we got boundaries tensor"
            f" {list(sequence.shape)} and input value tensor {list(values.shape)}",
            operands=(sequence, values),
        )


def check_sorter(sequence: Tensor, sorter: Tensor) -> None:
    name = "torch.searchsorted()"
    if sorter.shape != sequence.shape:
        raise ShapeError(
            f"{name}: boundary and sorter must have the same size, but got boundary tensor"
            f" {list(sequence.shape)}and got sorter tensor {list(sorter.shape)}",
            operands=(sequence, sorter),
        )
    if sorter.dtype.name != "int64":
        raise DtypeError(
            f"{name}: sorter must be a tensor of long dtype but got dtype {sorter.dtype.long_name}",
            operands=(sorter,),
        )
    if sequence.ndim and ((sorter.data < 0) | (sorter.data >= sequence.shape[-1])).any():
        raise ScriptError(f"{name}: sorter index out of range", operands=(sorter,))


@public(
    "searchsorted(sorted_sequence: tensor, input: value, *, out_int32: bool = False, right: bool = False,"
    " side: str = None, sorter: tensor = None)",
    method=False,
)
def searchsorted(
    sequence: Tensor, values: Any, out_int32: bool, right: bool, side: str | None, sorter: Tensor | None
) -> Tensor:
    """The positions at which values would be inserted into sorted rows to keep them sorted."""
    check_search(sequence, values, right, side, sorter)
    check_search_dtypes(sequence, values)
    rows = sequence.data if sorter is None else np.take_along_axis(sequence.data, sorter.data, axis=-1)
    return insertion_positions(rows, as_array(values), right or side == "right", out_int32)


# -- distinct entries -----------------------------------------------------------------------------------


def make_unique_op(name: str, torch_name: str, grad_fn: str) -> Op:
    return primitive(
        name,
        lambda x, values: values,
        missing_derivative_rule(f"the derivative for '{torch_name}' is not implemented.", DETACH_HELP),
        grad_fn=grad_fn,
    )


unique_op = make_unique_op("unique", "_unique2", "Unique2Backward0")
unique_dim_op = make_unique_op("unique_dim", "unique_dim", "UniqueDimBackward0")
unique_consecutive_op = make_unique_op(
    "unique_consecutive", "unique_consecutive", "UniqueConsecutiveBackward0"
)


def unique_axis(x: Tensor, dim: int) -> int:
    """Return the dimension whose slices are compared; refuse empty other dimensions, as torch does."""
    if not x.ndim:
        raise DimError(f"Dimension specified as {dim} but tensor has no dimensions", operands=(x,))
    axis = wrap_dim(x, dim)
    others = [n for other, n in enumerate(x.shape) if other != axis]
    if 0 in others:
        which = "There are 0 sized dimensions, and they aren't selected"
        if x.shape.count(0) > 1:
            which = "Number of zero sized dimensions is more than one"
        raise ShapeError(f"{which}, so unique cannot be applied", operands=(x,))
    return axis


def unique_results(
    values: Tensor, inverse: Array, counts: Array, with_inverse: bool, with_counts: bool
) -> Any:
    asked = [(with_inverse, inverse), (with_counts, counts)]
    more = tuple(Tensor.of(np.asarray(part)) for wanted, part in asked if wanted)
    return (values, *more) if more else values


@public(
    "unique(input: tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,"
    " dim: int = None)"
)
def unique(x: Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int | None) -> Any:
    """The distinct entries (or slices along ``dim``) in order; on request inverse indices and counts."""
    axis = None if dim is None else unique_axis(x, dim)
    found, inverse, counts = np.unique(
        x.data, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(x.shape if axis is None else -1)
    values = (unique_op if axis is None else unique_dim_op)(x, values=found)
    return unique_results(values, inverse, counts, return_inverse, return_counts)


@public(
    "unique_consecutive(input: tensor, return_inverse: bool = False, return_counts: bool = False,"
    " dim: int = None)"
)
def unique_consecutive(x: Tensor, return_inverse: bool, return_counts: bool, dim: int | None) -> Any:
    """The entries (or slices along ``dim``) without those equal to their predecessor."""
    rows = x.data.reshape(-1) if dim is None else np.moveaxis(x.data, unique_axis(x, dim), 0)
    differs = (rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))
    starts = np.concatenate([np.ones(min(len(rows), 1), bool), differs])
    inverse = np.cumsum(starts) - 1
    counts = np.diff(np.flatnonzero(np.append(starts, True)))
    kept = rows[starts]
    values = unique_consecutive_op(x, values=kept if dim is None else np.moveaxis(kept, 0, dim))
    inverse = inverse.reshape(x.shape) if dim is None else inverse
    return unique_results(values, inverse, counts, return_inverse, return_counts)


@public(
    "isin(elements: value, test_elements: value, *, assume_unique: bool = False, invert: bool = False)",
    method=False,
)
def isin(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> Tensor:
    """Whether each of ``elements`` occurs in ``test_elements``."""
    tensors = [value for value in (elements, test_elements) if value.__class__ is Tensor]
    if not tensors:
        raise ArgumentError(
            "isin() received an invalid combination of arguments - got"
            f" ({type_name(elements)}, {type_name(test_elements)}), but expected one of:",
            caret="one of the two must be a tensor",
            help=("write `in` between numbers",),
        )
    if any(as_array(value).dtype.kind == "b" for value in (elements, test_elements)):
        raise DtypeError("Unsupported input type encountered for isin(): Bool", operands=tuple(tensors))
    return Tensor.of(np.asarray(np.isin(as_array(elements), as_array(test_elements), invert=invert)))

"""Histograms with bin edges: the number of entries, or the sum of their weights, in each bin."""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import primitive
from autodiff.core.ops.elementwise.arithmetic import missing_derivative_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NO_RULE = missing_derivative_rule(
    "derivative for aten::histogram is not implemented",
    "detach() the tensor first: a count does not change with the entries, and no gradient flows through",
)
histogram_part = primitive("histogram_part", lambda x, values: values, NO_RULE, grad_fn="NotImplemented")


@public(
    "histogram(input: tensor, bins: any = 100, *, range: any = None, weight: tensor = None,"
    " density: bool = False)",
    example="torch.histogram(torch.tensor([1.0, 2.0, 2.5]), bins=3, range=(0.0, 3.0))",
)
def histogram(x: Tensor, bins: Any, limits: Any, weight: Tensor | None, density: bool) -> NamedResult:
    """The number of entries in each bin, and the bin edges; ``bins`` is their number or a tensor of edges.

    With ``weight``, of the shape of ``input``, the sum of the weights per bin instead. With ``density`` the
    integral over all bins is 1.
    """
    check_histogram_arguments(x, bins, weight, limits is not None)
    edges = edges_from_tensor(x, bins) if bins.__class__ is Tensor else even_edges(x, bins, limits)
    weights = None if weight is None else weight.data.reshape(-1)
    values = x.data.reshape(-1)
    bin_index = np.searchsorted(edges, values, side="right") - 1
    bin_index[values == edges[-1]] = len(edges) - 2  # the last bin includes its right edge
    inside = (values >= edges[0]) & (values <= edges[-1]) if len(edges) > 1 else np.zeros(len(values), bool)
    counts = np.bincount(
        bin_index[inside], None if weights is None else weights[inside], minlength=max(len(edges) - 1, 0)
    ).astype(x.data.dtype)
    if density:
        counts = counts / counts.sum() / np.diff(edges)
    parts = (histogram_part(x, values=part) for part in (counts, edges))
    return NamedResult("torch.return_types.histogram", ("hist", "bin_edges"), tuple(parts))


def check_histogram_arguments(x: Tensor, bins: Any, weight: Tensor | None, has_range: bool) -> None:
    if bins.__class__ not in (int, Tensor):
        raise ArgumentError(
            f"histogram(): argument 'bins' (position 2) must be int or Tensor, not {type_name(bins)}",
            help=("give the number of bins, or a tensor with the edges between them",),
        )
    if bins.__class__ is Tensor:
        check_bins(x, bins)
        check_weight(x, weight)
    if not x.dtype.is_floating_point:
        kernel = "histogramdd" if bins.__class__ is int and not has_range else "histogram_cpu"
        if x.dtype.kind == "b" and has_range:  # torch stores the ends of the range in the tensor's dtype
            kernel = "linspace_cpu"
        require_kind(x, kernel, "f")
    check_weight(x, weight)


def check_weight(x: Tensor, weight: Tensor | None) -> None:
    if weight is not None and weight.dtype is not x.dtype:
        raise DtypeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the"
            f" same dtype, but got input({x.dtype.c_name}), and weight({weight.dtype.c_name})",
            operands=(x, weight),
        )
    if weight is not None and weight.shape != x.shape:
        raise ShapeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input"
            f" tensor excluding its innermost dimension, but got input with shape {[x.entry_count, 1]} and"
            f" weight with shape {[weight.entry_count]}",
            operands=(x, weight),
        )


def check_bins(x: Tensor, bins: Tensor) -> None:
    if bins.dtype is not x.dtype:
        raise DtypeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with"
            f" dtype {x.dtype.c_name} and bins for dimension 0 with dtype {bins.dtype.c_name}",
            operands=(x, bins),
        )


def edges_from_tensor(x: Tensor, bins: Tensor) -> Any:
    """Return the edges given as a tensor, after torch's checks."""
    if bins.ndim != 1:
        raise ShapeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {bins.ndim} dimensions in the"
            " bins tensor for dimension 0",
            operands=(bins,),
        )
    if bins.entry_count < 2:
        raise ScriptError(
            f"torch.histogram(): bins must be > 0, but got {bins.entry_count - 1} for dimension 0",
            operands=(bins,),
        )
    if (np.diff(bins.data) < 0).any():
        raise ScriptError(
            "the edges of the bins must not fall", operands=(bins,), caret="sort them: bins.sort().values"
        )
    return bins.data


def even_edges(x: Tensor, bins: int, limits: Any) -> Any:
    """Return the edges of ``bins`` equal bins over ``limits``, or from the smallest entry to the largest."""
    if bins <= 0:
        raise ScriptError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if limits is None:
        low, high = (float(x.data.min()), float(x.data.max())) if x.entry_count else (0.0, 1.0)
    else:
        if not isinstance(limits, (tuple, list)) or any(n.__class__ not in (int, float) for n in limits):
            raise ArgumentError(
                f"histogram(): argument 'range' must be tuple of floats, not {type_name(limits)}"
            )
        if len(limits) != 2:
            raise ScriptError(
                "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got"
                f" {len(limits)}"
            )
        low, high = map(float, limits)
    if not np.isfinite([low, high]).all():
        raise ScriptError(
            f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite", operands=(x,)
        )
    if low > high:
        raise ScriptError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    check_allocation((bins,))
    return np.linspace(low, high, bins + 1).astype(x.data.dtype)

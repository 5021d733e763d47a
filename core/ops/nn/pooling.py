"""Pooling: the largest entry or the mean of each window.

Adaptive mean pooling is a linear map along one dimension after another, each with a small matrix of weights.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.arithmetic import div
from autodiff.core.ops.nn.pooling_checks import AdaptivePooling, PoolingWindows
from autodiff.core.ops.reduce.extremes import pick
from autodiff.core.ops.reduce.reduction import check_floating, mean, reduction_dims, sum
from autodiff.core.ops.shape.picking_ops import gather, scatter
from autodiff.core.ops.shape.reshape import reshape
from autodiff.core.ops.shape.windows import constant_pad, repeat_per_dim
from autodiff.core.ops.shape.windows import windows as sliding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Sizes = tuple[int, ...]


# -- windows of a pooling layer -------------------------------------------------------------------------


def padded_windows(x: Tensor, windows: PoolingWindows, fill: float) -> Tensor:
    """Return the windows of x, (..., *sizes) to (..., *positions, *kernel), with ``fill`` outside x."""
    pads = []
    for axis, (n, count) in enumerate(zip(x.shape[-windows.dims :], windows.counts, strict=True)):
        k, s, p, d = (
            part[axis] for part in (windows.kernel, windows.stride, windows.padding, windows.dilation)
        )
        pads.append((p, max((count - 1) * s + d * (k - 1) + 1 - n - p, 0)))
    padded = constant_pad(x, pads=tuple(pads), value=fill)
    return sliding(padded, kernel=windows.kernel, stride=windows.stride, dilation=windows.dilation)


def largest_positions(rows: Any) -> Any:
    """Return the position of the largest entry of each row: the first of equal ones, or the last nan."""
    place = np.argmax(rows, axis=-1)
    is_nan = np.isnan(rows)
    if not is_nan.any():
        return place
    return np.where(is_nan.any(axis=-1), rows.shape[-1] - 1 - np.argmax(is_nan[..., ::-1], axis=-1), place)


def make_max_pool(dims: int) -> Callable[..., Any]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"MaxPool{dims}DWithIndicesBackward0"

    def pool(
        x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: bool
    ) -> Any:
        has_places = indices or (x.requires_grad and mode.enabled)
        sizes = (kernel, stride, padding, dilation)
        windows = PoolingWindows("max", x, sizes, ceil_mode, dims, has_places=has_places)
        if windows.uses_series_kernel:
            require_kind(x, "max_pool1d_impl", "f")
        else:
            require_kind(x, f"max_pool{max(dims, 2)}d", "if")
        least = -math.inf if x.dtype.is_floating_point else int(np.iinfo(x.dtype.name).min)
        seen = padded_windows(x, windows, least)
        rows = reshape(seen, shape=(*seen.shape[:-dims], math.prod(windows.kernel)))
        place = largest_positions(rows.data)[..., None]
        largest = pick.named(grad_fn, reads_input=True)(rows, index=place, dim=rows.ndim - 1, keepdim=False)
        if not indices:
            return largest
        return largest, Tensor.of(flat_positions(place[..., 0], x.shape[-dims:], windows))

    pool.__doc__ = f"The largest entry of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def flat_positions(place: Any, sizes: Sizes, windows: PoolingWindows) -> Any:
    """Return the position in the flattened plane of the chosen entry of each window."""
    inside = np.unravel_index(place, windows.kernel)
    flat = np.zeros(place.shape, np.int64)
    dims = windows.dims
    for axis in range(dims):
        corners = np.arange(place.shape[axis - dims]) * windows.stride[axis] - windows.padding[axis]
        shape = [1] * place.ndim
        shape[axis - dims] = -1
        flat = flat * sizes[axis] + corners.reshape(shape) + inside[axis] * windows.dilation[axis]
    return flat


def make_mean_pool(dims: int) -> Callable[..., Tensor]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AvgPool{dims}DBackward0"

    def pool(
        x: Tensor,
        kernel: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        include_pad: bool,
        divisor: int | None = None,
    ) -> Tensor:
        windows = PoolingWindows("avg", x, (kernel, stride, padding, 1), ceil_mode, dims, divisor=divisor)
        if x.dtype.name != "int64":
            require_kind(x, "avg_pool3d_out_frame" if dims == 3 else "avg_pool2d", "f")
        seen = padded_windows(x, windows, 0.0)
        totals = sum(seen, dim=tuple(range(seen.ndim - dims, seen.ndim)), keepdim=False)
        entries = divisor
        if divisor is None:
            entries = window_sizes(x.shape[-dims:], windows, include_pad)
        if not x.dtype.is_floating_point:  # torch rounds the mean of whole numbers towards zero
            return Tensor.of(np.trunc(totals.data / entries).astype(x.dtype.name))
        return div.named(grad_fn, reads_input=True)(
            totals, Tensor.of(np.asarray(entries).astype(x.data.dtype))
        )

    pool.__doc__ = f"The mean of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def window_sizes(sizes: Sizes, windows: PoolingWindows, include_pad: bool) -> Any:
    """Return the number of entries in each window, with or without those on the padding."""
    total = np.ones(())
    steps = zip(sizes, windows.counts, windows.kernel, windows.stride, windows.padding, strict=True)
    for n, count, k, s, p in steps:
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        if not include_pad:
            first, last = np.maximum(first, 0), np.minimum(last, n)
        total = np.multiply.outer(total, last - first)
    return total


# -- adaptive ---------------------------------------------------------------------------------------------


def adaptive_bounds(n: int, count: int) -> list[tuple[int, int]]:
    """Return the start and stop of each of ``count`` windows that cover ``n`` entries."""
    return [((i * n) // count, -(-((i + 1) * n) // count)) for i in range(count)]


def mix_forward(x: Any, *, weights: Any, dim: int) -> Any:
    entries = np.moveaxis(x, dim, -1)
    has_part = ~np.isnan(weights)
    weights = weights.astype(x.dtype)
    if np.isfinite(x).all():
        mixed = entries @ np.where(has_part, weights, 0).T
    else:
        mixed = np.empty((*entries.shape[:-1], len(weights)), x.dtype)
        for row, (part, weight) in enumerate(zip(has_part, weights, strict=True)):
            mixed[..., row] = entries[..., part] @ weight[part]
    return np.ascontiguousarray(np.moveaxis(mixed, -1, dim))


#: A constant linear map along a dimension; each row of the weights gives one entry. A weight of nan leaves an
#: entry out, so that even its nan or infinity does not reach the result.
mix: Op = primitive("mix", mix_forward, lambda g, out, x, weights, dim: mix(g, weights=weights.T, dim=dim))


def check_adaptive_dtype(windows: AdaptivePooling) -> None:
    """Refuse a dtype that is not floating."""
    require_kind(windows.x, f"{windows.kernel}{'_cpu' * (windows.dims == 3)}", "f")


def make_adaptive_mean_pool(dims: int) -> Callable[..., Tensor]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveAvgPool{dims}DBackward0"

    def pool(x: Tensor, output: Any) -> Tensor:
        windows = AdaptivePooling("avg", dims, x, output)
        if windows.is_mean:
            check_floating(x, "mean")
            last = reduction_dims(x, tuple(range(-1, -dims - 1, -1)), True)
            return (mean.named(grad_fn) if dims == 1 else mean)(x, dim=last, keepdim=True)
        shape = (*x.shape[:-dims], *windows.counts)
        if dims < 3 and 0 in shape and not x.dtype.is_floating_point:  # nothing to take the mean of
            return Tensor.of(np.zeros(shape, x.data.dtype))
        check_adaptive_dtype(windows)
        for offset, count in enumerate(windows.counts):
            dim = x.ndim - dims + offset
            weights = np.full((count, x.shape[dim]), math.nan)
            for row, (start, stop) in enumerate(adaptive_bounds(x.shape[dim], count)):
                weights[row, start:stop] = 1 / (stop - start)
            x = mix.named(grad_fn, reads_input=True)(x, weights=weights, dim=dim)
        return x

    pool.__doc__ = f"The means of so many windows over {dims} dimension{'s' * (dims > 1)}."
    return pool


def adaptive_window_positions(shape: Sequence[int], counts: Sequence[int]) -> Any:
    """Return a row of flat positions of entries for each window of an adaptive pooling.

    Windows differ in size; the shorter ones repeat their first entry.
    """
    flat: Any = np.zeros((1, 1), dtype=np.int64)
    for size, count in zip(shape, counts, strict=True):
        bounds = adaptive_bounds(size, count)
        longest = max((stop - start for start, stop in bounds), default=1)
        along = np.asarray(
            [[max(i, start) for i in range(stop - longest, stop)] for start, stop in bounds], np.int64
        ).reshape(len(bounds), longest)
        flat = flat[:, None, :, None] * size + along[None, :, None, :]
        flat = flat.reshape(flat.shape[0] * flat.shape[1], flat.shape[2] * flat.shape[3])
    return flat


def make_adaptive_max_pool(dims: int) -> Callable[..., Any]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveMaxPool{dims}DBackward0"

    def pool(x: Tensor, output: Any, indices: bool) -> Any:
        asked = AdaptivePooling("max", dims, x, output)
        check_adaptive_dtype(asked)
        lead = x.ndim - dims
        windows = adaptive_window_positions(x.shape[lead:], asked.counts)
        rows = reshape(x, shape=(*x.shape[:lead], math.prod(x.shape[lead:])))
        place = windows[np.arange(len(windows)), largest_positions(rows.data[..., windows])]
        shape = (*x.shape[:lead], *asked.counts)
        largest = reshape.named(grad_fn, reads_input=True)(gather(rows, dim=lead, index=place), shape=shape)
        return (largest, Tensor.of(place.reshape(shape))) if indices else largest

    pool.__doc__ = f"The largest entries of so many windows over {dims} dimension{'s' * (dims > 1)}."
    return pool


# -- the reverse of max pooling -----------------------------------------------------------------------------


def unpooled_sizes(x: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, output: Any) -> Sizes:
    """Return the sizes of the unpooled dimensions; ``output`` chooses among those that pool to ``x``."""
    dims = len(kernel)
    sizes = zip(x.shape[-dims:], kernel, stride, padding, strict=False)
    default = tuple((n - 1) * s + k - 2 * p for n, k, s, p in sizes)
    if output is None:
        return default
    asked = tuple(output)[2:] if len(output) == dims + 2 else tuple(output)
    if len(asked) != dims:
        raise ShapeError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length"
            f" of '{len(asked)}'",
            code="E0206",
        )
    for dim, (size, middle, step) in enumerate(zip(asked, default, stride, strict=True)):
        if not middle - step < size < middle + step:
            raise ShapeError(
                f'invalid output_size "{asked}" (dim {dim} must be between {middle - step} and'
                f" {middle + step})",
                code="E0206",
            )
    return asked


def check_unpooling(x: Tensor, indices: Tensor, dims: int, sizes: Sizes) -> None:
    """Make torch's checks of ``max_unpool``. In one dimension it unpools images of width 1."""
    shown = max(dims, 2)
    if indices.dtype.name != "int64":
        raise ScriptError(
            f"elements in indices should be type int64 but got: {indices.dtype.long_name}",
            code="E0307",
            operands=(indices,),
        )
    if x.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Input to max_unpooling{shown}d should be a {shown + 1}d or {shown + 2}d Tensor, but got a"
            f" tensor with {x.ndim + shown - dims} dimensions.",
            operands=(x,),
        )
    if indices.shape != x.shape:
        raise ShapeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got"
            f" indices tensor with shape: {list(indices.shape)}",
            operands=(x, indices),
        )
    require_kind(x, f"max_unpool{shown}d", "f")
    check_allocation((*x.shape[:-dims], *sizes), 8)
    outside = indices.data[(indices.data < 0) | (indices.data >= math.prod(sizes))]
    if outside.size:
        spelled = "x".join(map(str, (*sizes, 1) if dims == 1 else sizes))
        raise ShapeError(
            f"Found an invalid max index: {outside.flat[0]} (output volumes are of size {spelled})",
            code="E0208",
            operands=(x, indices),
        )


def make_max_unpool(dims: int) -> Callable[..., Tensor]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"MaxUnpool{dims}DBackward0"

    def unpool(x: Tensor, indices: Tensor, kernel: Any, stride: Any, padding: Any, output: Any) -> Tensor:
        steps = kernel if stride is None else stride
        kernel, steps, padding = (repeat_per_dim(part, dims) for part in (kernel, steps, padding))
        sizes = unpooled_sizes(x, kernel, steps, padding, output)
        check_unpooling(x, indices, dims, sizes)
        lead = x.shape[:-dims]
        zeros = Tensor.of(np.zeros((*lead, math.prod(sizes)), x.data.dtype))
        entries = reshape(x, shape=(*lead, math.prod(x.shape[-dims:])))
        spread = scatter(zeros, entries, dim=len(lead), index=indices.data.reshape(entries.shape))
        return reshape.named(grad_fn, is_view=False)(spread, shape=(*lead, *sizes))

    unpool.__doc__ = "Zeros, with each entry at the position from which ``max_pool`` took it."
    return unpool


for dims in (1, 2, 3):
    public(
        f"F.max_unpool{dims}d(input: tensor, indices: tensor, kernel_size: ints, stride: ints = None,"
        " padding: ints = 0, output_size: any = None)",
        method=False,
    )(make_max_unpool(dims))
    public(
        f"F.max_pool{dims}d(input: tensor, kernel_size: ints, stride: ints = None, padding: ints = 0,"
        " dilation: ints = 1, ceil_mode: bool = False, return_indices: bool = False)",
        also=(f"max_pool{dims}d",),
        method=False,
    )(make_max_pool(dims))
    extra = ", divisor_override: int = None" * (dims > 1)
    public(
        f"F.avg_pool{dims}d(input: tensor, kernel_size: ints, stride: ints = None, padding: ints = 0,"
        f" ceil_mode: bool = False, count_include_pad: bool = True{extra})",
        also=("avg_pool1d",) * (dims == 1),
        method=False,
    )(make_mean_pool(dims))
    public(
        f"F.adaptive_avg_pool{dims}d(input: tensor, output_size: any)",
        also=("adaptive_avg_pool1d",) * (dims == 1),
        method=False,
    )(make_adaptive_mean_pool(dims))
    public(
        f"F.adaptive_max_pool{dims}d(input: tensor, output_size: any, return_indices: bool = False)",
        method=False,
    )(make_adaptive_max_pool(dims))

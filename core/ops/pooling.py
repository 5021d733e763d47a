"""Pooling: the largest or the mean of each window.

Adaptive means are linear maps along one dimension after the other, so each is a product with a small
constant matrix.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import public
from autodiff.core.lazy import np
from autodiff.core.limits import check_allocation
from autodiff.core.ops.arithmetic import div
from autodiff.core.ops.extremes import pick
from autodiff.core.ops.joining import stack
from autodiff.core.ops.picking import slice_dim
from autodiff.core.ops.reduction import sum
from autodiff.core.ops.shape import movedim, permute, reshape
from autodiff.core.ops.windows import constant_pad, per_dim, windows
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]


# -- windows of a pooling layer -------------------------------------------------------------------------


def pooled_size(n: int, kernel: int, pad: int, stride: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are; with ``ceil_mode`` one more that begins inside and ends outside."""
    room = n + 2 * pad - dilation * (kernel - 1) - 1
    count = (math.ceil(room / stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= n + pad:
        count -= 1
    return count


def cut_windows(
    x: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool, fill: float
) -> Tensor:
    """(..., *sizes) to (..., *positions, *kernel), with ``fill`` where a window looks outside."""
    sizes = x.shape[-len(kernel) :]
    pads = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        count = pooled_size(n, k, p, s, d, ceil_mode)
        pads.append((p, max((count - 1) * s + d * (k - 1) + 1 - n - p, 0)))
    padded = constant_pad(x, pads=tuple(pads), value=fill)
    return windows(padded, kernel=kernel, stride=stride, dilation=dilation)


MOST_PLACES = 1 << 31


def check_pool(name: str, x: Tensor, dims: int, kernel: Sizes, stride: Sizes, padding: Sizes) -> None:
    if x.ndim not in (dims + 1, dims + 2) or 0 in x.shape[1:]:
        message = f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input"
        if dims == 1:
            message = f"{name}() Expected 2D or 3D input tensor, but got {list(x.shape)}"
        raise ShapeError(message, operands=(x,))
    if max(kernel) > MOST_PLACES or max(stride) > MOST_PLACES:
        raise ShapeError(f"{name}() Invalid computed output size: 0", operands=(x,))
    if min(kernel) <= 0:
        raise ScriptError(f"{name}() kernel_size must be greater than zero, but got {kernel[0]}")
    if min(stride) <= 0:
        raise ScriptError(f"{name}() stride must be greater than zero, but got {stride[0]}")
    for k, p in zip(kernel, padding, strict=True):
        if p < 0:
            raise ScriptError(f"{name}() padding must be non-negative, but got {p}")
        if p > k // 2:
            raise ScriptError(
                f"{name}() padding should be at most half of kernel size, but got padding={p} and"
                f" kernel_size={k}"
            )


def check_output(x: Tensor, seen: Sizes, name: str) -> None:
    if min(seen) < 1:
        raise ShapeError(
            f"{name}() Invalid computed output size: {min(seen)}",
            operands=(x,),
            caret="the window is too large",
        )


def max_pool(dims: int) -> Callable[..., Any]:
    name = f"max_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"MaxPool{dims}DWithIndicesBackward0"

    def pool(
        x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: bool
    ) -> Any:
        kernel = per_dim(kernel, dims)
        stride = kernel if stride is None or stride == () else per_dim(stride, dims)
        padding, dilation = per_dim(padding, dims), per_dim(dilation, dims)
        check_pool(name, x, dims, kernel, stride, padding)
        sizes = x.shape[-dims:]
        steps = zip(sizes, kernel, padding, stride, dilation, strict=True)
        check_output(x, tuple(pooled_size(*step, ceil_mode) for step in steps), name)
        seen = cut_windows(x, kernel, stride, padding, dilation, ceil_mode, -math.inf)
        rows = reshape(seen, shape=(*seen.shape[:-dims], math.prod(kernel)))
        place = np.argmax(rows.data, axis=-1)[..., None]
        largest = pick.named(grad_fn)(rows, index=place, dim=rows.ndim - 1, keepdim=False)
        if not indices:
            return largest
        return largest, Tensor(flat_positions(place[..., 0], sizes, kernel, stride, padding, dilation))

    pool.__doc__ = f"The largest entry of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def flat_positions(
    place: Any, sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Any:
    """Where in the plane the chosen entry of each window stands, counted in row order."""
    inside = np.unravel_index(place, kernel)
    flat = np.zeros(place.shape, np.int64)
    dims = len(kernel)
    for axis in range(dims):
        corners = np.arange(place.shape[axis - dims]) * stride[axis] - padding[axis]
        shape = [1] * place.ndim
        shape[axis - dims] = -1
        flat = flat * sizes[axis] + corners.reshape(shape) + inside[axis] * dilation[axis]
    return flat


def mean_pool(dims: int) -> Callable[..., Tensor]:
    name = f"avg_pool{dims}d"
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
        kernel = per_dim(kernel, dims)
        stride = kernel if stride is None or stride == () else per_dim(stride, dims)
        padding = per_dim(padding, dims)
        check_pool(name, x, dims, kernel, stride, padding)
        one = (1,) * dims
        steps = zip(x.shape[-dims:], kernel, padding, stride, one, strict=True)
        check_output(x, tuple(pooled_size(*step, ceil_mode) for step in steps), name)
        seen = cut_windows(x, kernel, stride, padding, one, ceil_mode, 0.0)
        totals = sum(seen, dim=tuple(range(seen.ndim - dims, seen.ndim)), keepdim=False)
        if divisor is not None:
            return div.named(grad_fn)(totals, float(divisor))
        counts = window_sizes(x.shape[-dims:], totals.shape[-dims:], kernel, stride, padding, include_pad)
        return div.named(grad_fn)(totals, Tensor(counts.astype(x.data.dtype)))

    pool.__doc__ = f"The mean of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def window_sizes(
    sizes: Sizes, counts: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, include_pad: bool
) -> Any:
    """How many entries each window counts: those inside, or inside or on the padding."""
    total = np.ones(())
    for n, count, k, s, p in zip(sizes, counts, kernel, stride, padding, strict=True):
        first = np.arange(count) * s - p
        last = np.minimum(first + k, n + p)
        if not include_pad:
            first, last = np.maximum(first, 0), np.minimum(last, n)
        total = np.multiply.outer(total, last - first)
    return total


# -- adaptive ---------------------------------------------------------------------------------------------


def adaptive_bounds(n: int, count: int) -> list[tuple[int, int]]:
    """Where each of ``count`` windows that cover ``n`` entries begins and ends."""
    return [((i * n) // count, -(-((i + 1) * n) // count)) for i in range(count)]


def along(x: Tensor, dim: int, matrix: Any, grad_fn: str) -> Tensor:
    """A constant linear map along one dimension."""
    moved = movedim(x, (dim,), (-1,))
    mapped = moved @ Tensor(np.ascontiguousarray(matrix.T.astype(x.data.dtype)))
    last = mapped.ndim - 1
    order = (*range(dim), last, *range(dim, last))
    return permute.named(grad_fn)(mapped, dims=order)


def adaptive_sizes(x: Tensor, output: Any, dims: int, name: str) -> Sizes:
    given = output if isinstance(output, (tuple, list)) else (output,)
    sizes = tuple(given) * dims if len(given) == 1 else tuple(given)
    if x.ndim not in (dims + 1, dims + 2) or 0 in x.shape[1:]:
        raise ShapeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(x.shape)}", operands=(x,)
        )
    if len(sizes) != dims or any(n is not None and n.__class__ is not int for n in sizes):
        raise ScriptError(
            f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not {kind(output)}",
            code="E0310",
        )
    if any(n is not None and n < 0 for n in sizes):
        received = ", ".join(map(str, sizes))
        raise ScriptError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{received}}}"
        )
    check_allocation((*x.shape[:-dims], *(n or 0 for n in sizes)))
    return tuple(x.shape[axis - dims] if n is None else n for axis, n in enumerate(sizes))


def kind(value: Any) -> str:
    return type(value).__name__


def adaptive_mean_pool(dims: int) -> Callable[..., Tensor]:
    name = f"adaptive_avg_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveAvgPool{dims}DBackward0"

    def pool(x: Tensor, output: Any) -> Tensor:
        sizes = adaptive_sizes(x, output, dims, name)
        recorded = "MeanBackward1" if dims > 1 and set(sizes) == {1} else grad_fn
        for offset, count in enumerate(sizes):
            dim = x.ndim - dims + offset
            matrix = np.zeros((count, x.shape[dim]))
            for row, (start, stop) in enumerate(adaptive_bounds(x.shape[dim], count)):
                matrix[row, start:stop] = 1 / (stop - start)
            x = along(x, dim, matrix, recorded)
        return x

    pool.__doc__ = f"The means of so many windows over {dims} dimension{'s' * (dims > 1)}."
    return pool


def adaptive_max_pool(dims: int) -> Callable[..., Tensor]:
    name = f"adaptive_max_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveMaxPool{dims}DBackward0"

    def pool(x: Tensor, output: Any) -> Tensor:
        sizes = adaptive_sizes(x, output, dims, name)
        lead = x.ndim - dims
        bounds = [adaptive_bounds(x.shape[lead + axis], count) for axis, count in enumerate(sizes)]
        cells = []
        for place in np.ndindex(sizes):
            cell = x
            for axis, i in enumerate(place):
                start, stop = bounds[axis][i]
                cell = slice_dim(cell, dim=lead + axis, start=start, stop=stop, step=1)
            rows = reshape(cell, shape=(*x.shape[:lead], math.prod(cell.shape[lead:])))
            index = np.argmax(rows.data, axis=-1)[..., None]
            cells.append(pick(rows, index=index, dim=lead, keepdim=False))
        joined = stack(*cells, dim=lead)
        return reshape.named(grad_fn)(joined, shape=(*x.shape[:lead], *sizes))

    pool.__doc__ = f"The largest entries of so many windows over {dims} dimension{'s' * (dims > 1)}."
    return pool


for dims in (1, 2, 3):
    public(
        f"F.max_pool{dims}d(input: tensor, kernel_size: ints, stride: ints = None, padding: ints = 0,"
        " dilation: ints = 1, ceil_mode: bool = False, return_indices: bool = False)",
        also=(f"max_pool{dims}d",),
        method=False,
    )(max_pool(dims))
    extra = ", divisor_override: int = None" * (dims > 1)
    public(
        f"F.avg_pool{dims}d(input: tensor, kernel_size: ints, stride: ints = None, padding: ints = 0,"
        f" ceil_mode: bool = False, count_include_pad: bool = True{extra})",
        also=("avg_pool1d",) * (dims == 1),
        method=False,
    )(mean_pool(dims))
    public(
        f"F.adaptive_avg_pool{dims}d(input: tensor, output_size: any)",
        also=("adaptive_avg_pool1d",) * (dims == 1),
        method=False,
    )(adaptive_mean_pool(dims))
    public(f"F.adaptive_max_pool{dims}d(input: tensor, output_size: any)", method=False)(
        adaptive_max_pool(dims)
    )

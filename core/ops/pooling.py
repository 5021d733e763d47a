"""Pooling: the largest or the mean of each window.

Adaptive means are linear maps along one dimension after the other, each with a small matrix of weights.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import public
from autodiff.core.lazy import np
from autodiff.core.limits import check_allocation
from autodiff.core.op import Op, primitive
from autodiff.core.ops.arithmetic import div
from autodiff.core.ops.extremes import pick
from autodiff.core.ops.picking import gather
from autodiff.core.ops.pool_checks import Windows
from autodiff.core.ops.reduction import mean_over, sum
from autodiff.core.ops.shape import reshape
from autodiff.core.ops.windows import constant_pad
from autodiff.core.ops.windows import windows as sliding
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Sizes = tuple[int, ...]


# -- windows of a pooling layer -------------------------------------------------------------------------


def cut_windows(x: Tensor, windows: Windows, counts: Sizes, fill: float) -> Tensor:
    """(..., *sizes) to (..., *positions, *kernel), with ``fill`` where a window looks outside."""
    pads = []
    for axis, (n, count) in enumerate(zip(x.shape[-windows.dims :], counts, strict=True)):
        k, s, p, d = (
            part[axis] for part in (windows.kernel, windows.stride, windows.padding, windows.dilation)
        )
        pads.append((p, max((count - 1) * s + d * (k - 1) + 1 - n - p, 0)))
    padded = constant_pad(x, pads=tuple(pads), value=fill)
    return sliding(padded, kernel=windows.kernel, stride=windows.stride, dilation=windows.dilation)


def not_implemented(kernel: str, x: Tensor) -> ScriptError:
    """The error for numbers of a type that torch's pooling was not written for."""
    return ScriptError(
        f"\"{kernel}\" not implemented for '{x.dtype.long_name}'",
        code="E0312",
        operands=(x,),
        caret=f"this tensor holds {x.dtype.name} numbers",
        help=("convert them to numbers first, as in `x.double()`",),
    )


def largest_places(rows: Any) -> Any:
    """Where the largest entry of each row stands: the first of equal ones, the last nan if there is one."""
    place = np.argmax(rows, axis=-1)
    is_nan = np.isnan(rows)
    if not is_nan.any():
        return place
    return np.where(is_nan.any(axis=-1), rows.shape[-1] - 1 - np.argmax(is_nan[..., ::-1], axis=-1), place)


def max_pool(dims: int) -> Callable[..., Any]:
    name = f"max_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"MaxPool{dims}DWithIndicesBackward0"

    def pool(
        x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: bool
    ) -> Any:
        windows = Windows("max", dims, kernel, stride, padding, dilation, ceil_mode)
        counts = windows.check(x)
        if x.dtype.name == "bool" or (dims == 1 and not x.dtype.is_floating_point):
            raise not_implemented(f"{name}{'_impl' * (dims == 1)}", x)
        least = -math.inf if x.dtype.is_floating_point else int(np.iinfo(x.dtype.name).min)
        seen = cut_windows(x, windows, counts, least)
        rows = reshape(seen, shape=(*seen.shape[:-dims], math.prod(windows.kernel)))
        place = largest_places(rows.data)[..., None]
        largest = pick.named(grad_fn)(rows, index=place, dim=rows.ndim - 1, keepdim=False)
        if not indices:
            return largest
        return largest, Tensor(flat_positions(place[..., 0], x.shape[-dims:], windows))

    pool.__doc__ = f"The largest entry of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def flat_positions(place: Any, sizes: Sizes, windows: Windows) -> Any:
    """Where in the plane the chosen entry of each window stands, counted in row order."""
    inside = np.unravel_index(place, windows.kernel)
    flat = np.zeros(place.shape, np.int64)
    dims = windows.dims
    for axis in range(dims):
        corners = np.arange(place.shape[axis - dims]) * windows.stride[axis] - windows.padding[axis]
        shape = [1] * place.ndim
        shape[axis - dims] = -1
        flat = flat * sizes[axis] + corners.reshape(shape) + inside[axis] * windows.dilation[axis]
    return flat


def mean_pool(dims: int) -> Callable[..., Tensor]:
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
        windows = Windows("avg", dims, kernel, stride, padding, 1, ceil_mode)
        if divisor == 0:
            raise ScriptError("divisor must be not zero")
        counts = windows.check(x)
        if not (x.dtype.is_floating_point or x.dtype.name == "int64"):
            raise not_implemented("avg_pool3d_out_frame" if dims == 3 else "avg_pool2d", x)
        seen = cut_windows(x, windows, counts, 0.0)
        totals = sum(seen, dim=tuple(range(seen.ndim - dims, seen.ndim)), keepdim=False)
        entries = divisor
        if divisor is None:
            entries = window_sizes(x.shape[-dims:], counts, windows, include_pad)
        if not x.dtype.is_floating_point:  # torch rounds the mean of whole numbers towards zero
            return Tensor(np.trunc(totals.data / entries).astype(x.dtype.name))
        return div.named(grad_fn)(totals, Tensor(np.asarray(entries).astype(x.data.dtype)))

    pool.__doc__ = f"The mean of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


def window_sizes(sizes: Sizes, counts: Sizes, windows: Windows, include_pad: bool) -> Any:
    """How many entries each window counts: those inside, or inside or on the padding."""
    total = np.ones(())
    steps = zip(sizes, counts, windows.kernel, windows.stride, windows.padding, strict=True)
    for n, count, k, s, p in steps:
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


#: A constant linear map along a dimension: each row of the weights makes an entry. A weight of nan stands for
#: an entry without part, from which nothing comes through, nan and infinities neither.
mix: Op = primitive("mix", mix_forward, lambda g, out, x, weights, dim: mix(g, weights=weights.T, dim=dim))


def wrong_dimensions(name: str, x: Tensor, dims: int) -> str:
    """What torch says of an input of too few or too many dimensions, which each function does its own way."""
    if dims == 1:
        return (
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self'"
            f" (while checking arguments for {name})"
        )
    colon = ":" * ("max" in name)
    return f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(x.shape)}"


def adaptive_sizes(x: Tensor, output: Any, dims: int, name: str) -> Sizes:
    given = output if isinstance(output, (tuple, list)) else (output,)
    sizes = tuple(given) * dims if len(given) == 1 else tuple(given)
    if x.ndim not in (dims + 1, dims + 2) or 0 in x.shape[1:]:
        raise ShapeError(
            wrong_dimensions(name, x, dims), operands=(x,), caret=f"this tensor has shape {x.shape}"
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


def check_adaptive(name: str, x: Tensor, dims: int) -> None:
    """Adaptive pools take decimals only; torch pools a series as an image of one row."""
    if not x.dtype.is_floating_point:
        raise not_implemented(f"{name}_cpu" if dims == 3 else f"{name[:-2]}2d", x)


def adaptive_mean_pool(dims: int) -> Callable[..., Tensor]:
    name = f"adaptive_avg_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveAvgPool{dims}DBackward0"

    def pool(x: Tensor, output: Any) -> Tensor:
        sizes = adaptive_sizes(x, output, dims, name)
        is_mean = dims > 1 and set(sizes) == {1}
        if not x.dtype.is_floating_point and is_mean:
            mean_over(x, None, False, None)  # which refuses whole numbers
        check_adaptive(name, x, dims)
        recorded = "MeanBackward1" if is_mean else grad_fn
        for offset, count in enumerate(sizes):
            dim = x.ndim - dims + offset
            weights = np.full((count, x.shape[dim]), math.nan)
            for row, (start, stop) in enumerate(adaptive_bounds(x.shape[dim], count)):
                weights[row, start:stop] = 1 / (stop - start)
            x = mix.named(recorded)(x, weights=weights, dim=dim)
        return x

    pool.__doc__ = f"The means of so many windows over {dims} dimension{'s' * (dims > 1)}."
    return pool


def window_positions(shape: Sequence[int], counts: Sequence[int]) -> Any:
    """A row for each window of an adaptive pooling: the flat positions of its entries.

    Windows differ in size; the shorter ones begin with their first entry several times.
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


def adaptive_max_pool(dims: int) -> Callable[..., Tensor]:
    name = f"adaptive_max_pool{dims}d"
    grad_fn = "SqueezeBackward1" if dims == 1 else f"AdaptiveMaxPool{dims}DBackward0"

    def pool(x: Tensor, output: Any) -> Tensor:
        sizes = adaptive_sizes(x, output, dims, name)
        check_adaptive(name, x, dims)
        lead = x.ndim - dims
        windows = window_positions(x.shape[lead:], sizes)
        rows = reshape(x, shape=(*x.shape[:lead], math.prod(x.shape[lead:])))
        largest = largest_places(rows.data[..., windows])
        joined = gather(rows, dim=lead, index=windows[np.arange(len(windows)), largest])
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

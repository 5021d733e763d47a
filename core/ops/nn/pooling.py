"""Pooling: the largest entry or the mean of each window.

Adaptive mean pooling is a linear map along one dimension after another, each with a small matrix of weights.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import FUNCTIONS, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.arithmetic import div, neg, pow
from autodiff.core.ops.elementwise.selection import abs, relu, sign
from autodiff.core.ops.reduce.extremes import pick
from autodiff.core.ops.reduce.reduction import check_floating, mean, reduction_dims, sum
from autodiff.core.ops.shape.dims import check_sizes, size_along
from autodiff.core.ops.shape.picking_ops import gather
from autodiff.core.ops.shape.reshape import reshape
from autodiff.core.ops.shape.windows import constant_pad
from autodiff.core.ops.shape.windows import windows as sliding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Sizes = tuple[int, ...]
    from autodiff.core.engine.tensor import Tensor


COUNT_WORDS = ("no", "one", "two", "three")
DIM_LETTERS = ("", "W", "HW", "THW")
#: torch stores window sizes as 32-bit integers.
INT32_LIMIT = 1 << 31


def one_int_message(name: str, argument: str, count: int) -> str:
    """Return torch's message for several sizes, or none, where a series needs one."""
    return f"{name}() argument '{argument}' should contain one int (got {count})"


def series_ndim_message(name: str, x: Tensor) -> str:
    return (
        f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self'"
        f" (while checking arguments for {name})"
    )


class PoolingWindows:
    """The windows of one call: a ``kernel``, ``stride``, ``padding`` and ``dilation`` for each dimension.

    ``counts`` is the number of windows along each dimension. torch pools a series as an image of one row,
    except for max pooling without indices and without a gradient, which has a kernel for series.
    """

    __slots__ = (
        "ceil_mode",
        "counts",
        "dilation",
        "dims",
        "kernel",
        "layer",
        "padding",
        "stride",
        "uses_series_kernel",
    )

    def __init__(
        self,
        layer: str,
        x: Tensor,
        sizes: tuple[Any, Any, Any, Any],
        ceil_mode: bool,
        dims: int,
        *,
        divisor: int | None = None,
        has_places: bool = True,
    ) -> None:
        self.layer = layer
        self.dims = dims
        self.ceil_mode = ceil_mode
        self.uses_series_kernel = (layer, dims) == ("max", 1) and not has_places
        if self.uses_series_kernel:
            self.check_planes(x)
        elif dims == 1 and x.ndim not in (2, 3):
            raise self.input_error(series_ndim_message(self.name, x), x)
        kernel, stride, padding, dilation = sizes
        self.kernel = self.sizes(kernel, "kernel_size")
        self.stride = self.kernel if stride is None or stride == () else self.sizes(stride, "stride")
        self.padding = self.sizes(padding, "padding")
        self.dilation = self.sizes(dilation, "dilation")
        self.counts = self.check(x, divisor)

    @property
    def name(self) -> str:
        return f"{self.layer}_pool{self.dims}d"

    def sizes(self, value: Any, argument: str) -> Sizes:
        """Return a size for each dimension; one number stands for all."""
        given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if len(given) in (1, self.dims):
            return given * self.dims if len(given) == 1 else given
        raise ShapeError(
            self.wrong_count_message(argument, len(given)),
            caret=f"these are {len(given)} sizes for {self.dims} dimension{'s' * (self.dims > 1)}",
        )

    def wrong_count_message(self, argument: str, count: int) -> str:
        name, ints = self.name, f"a tuple of {COUNT_WORDS[self.dims]} ints"
        if self.uses_series_kernel:
            none, comma = "None, " * (argument == "stride"), "," * (argument in ("stride", "padding"))
            return (
                f"{name}() {argument} must be {none}an int, list of ints{comma} or tuple of ints of size 1"
                f" but got size {count}"
            )
        if self.dims == 1:
            return one_int_message(name, argument, count)
        either = "" if (self.layer, self.dims) == ("avg", 3) else "either "
        omitted = "omitted, " if argument == "stride" else ""
        must = "must be either" if argument == "dilation" else f"must {either}be"
        return f"{name}: {argument} {must} {omitted}a single int, or {ints}"

    def count(self, n: int, axis: int) -> int:
        """Return the number of windows along a dimension of size ``n``.

        With ``ceil_mode`` one more window may begin inside and end outside.
        """
        pad, stride = self.padding[axis], self.stride[axis]
        room = n + 2 * pad - self.dilation[axis] * (self.kernel[axis] - 1) - 1
        count = (math.ceil(room / stride) if self.ceil_mode else room // stride) + 1
        if self.ceil_mode and (count - 1) * stride >= n + pad:
            count -= 1
        return count

    # -- checks ---------------------------------------------------------------------------------------

    def input_error(self, message: str, x: Tensor) -> ShapeError:
        caret = f"{self.name} takes {self.dims + 1} or {self.dims + 2} dimensions, all with entries"
        return ShapeError(message, operands=(x,), caret=caret)

    def check(self, x: Tensor, divisor: int | None) -> Sizes:
        """Return the number of windows along each dimension of ``x``, after torch's checks in its order."""
        if self.uses_series_kernel:
            self.check_series()
        else:
            if self.dims == 3 or (self.layer == "max" and self.dims == 2):
                self.check_ndim(x)
            if divisor == 0:
                raise ScriptError("divisor must be not zero")
            if self.dims == 2:
                size_along(x, -3)
            self.check_padding()
            self.check_positive()
            self.check_planes(x)
        sizes = x.shape[-self.dims :]
        if max(self.kernel) > INT32_LIMIT or max(self.stride) > INT32_LIMIT:
            raise ShapeError(f"{self.name}() Invalid computed output size: 0", operands=(x,))
        counts = tuple(self.count(n, axis) for axis, n in enumerate(sizes))
        self.check_counts(x, counts)
        check_allocation((*x.shape[: -self.dims], *counts))
        return counts

    def check_series(self) -> None:
        [k], [s], [p], [d] = self.kernel, self.stride, self.padding, self.dilation
        for argument, size in (("kernel_size", k), ("stride", s)):
            if size <= 0:
                raise ScriptError(f"{self.name}() {argument} must be greater than zero, but got {size}")
        if p < 0:
            raise ScriptError(f"{self.name}() padding must be non-negative, but got {p}")
        if p > k // 2:
            raise ScriptError(
                f"{self.name}() padding should be at most half of kernel size, but got padding={p} and"
                f" kernel_size={k}"
            )
        if d <= 0:
            raise ScriptError(f"{self.name}() dilation must be greater than zero, but got {d}")

    def check_padding(self) -> None:
        for k, s, p, d in zip(self.kernel, self.stride, self.padding, self.dilation, strict=True):
            if not s:
                raise ScriptError("stride should not be zero")
            if p < 0:
                raise ScriptError(f"pad must be non-negative, but got pad: {p}")
            if p > int(((k - 1) * d + 1) / 2):
                raise ScriptError(
                    f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k}"
                    f" and dilation={d}"
                )

    def check_positive(self) -> None:
        for what, letter, sizes in (
            ("kernel size", "k", self.kernel),
            ("stride", "d", self.stride),
            ("dilation", "dilation", self.dilation),
        ):
            if min(sizes) <= 0:
                one = (1,) * (self.dims == 1)  # torch pools a series as an image of one row
                names = DIM_LETTERS[max(self.dims, 2)]
                shown = " ".join(
                    f"{letter}{n}: {size}" for n, size in zip(names, (*one, *sizes), strict=True)
                )
                raise ScriptError(f"{what} should be greater than zero, but got {shown}")

    def check_ndim(self, x: Tensor) -> None:
        if x.ndim not in (self.dims + 1, self.dims + 2):
            message = f"non-empty {self.dims + 1}D or {self.dims + 2}D (batch mode) tensor expected for input"
            raise self.input_error(message, x)

    def check_planes(self, x: Tensor) -> None:
        """Refuse a wrong number of dimensions, and empty planes; only the batch may be empty."""
        shape = [*x.shape]
        planes = shape if x.ndim == self.dims + 1 else shape[1:]
        if x.ndim in (self.dims + 1, self.dims + 2) and 0 not in planes:
            return
        if self.uses_series_kernel:
            message = (
                f"{self.name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for"
                f" input, but got:{shape}"
            )
        elif self.dims == 3:
            what = self.name if self.layer == "avg" else "max_pool3d_with_indices_out_cpu_template"
            message = (
                f"{what}(): Expected input's non-batch dimensions to have positive length, but input has a"
                f" shape of {shape} and non-batch dimension 0 has length zero!"
            )
        else:
            shown = [*shape[:-1], 1, shape[-1]] if self.dims == 1 else shape
            message = (
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
                f"{shown}"
            )
        raise self.input_error(message, x)

    def check_counts(self, x: Tensor, counts: Sizes) -> None:
        sizes = x.shape[-self.dims :]
        if self.uses_series_kernel:
            message = f"{self.name}() Invalid computed output size: {counts[0]}" if counts[0] < 1 else ""
        elif self.layer == "avg" and self.dims == 3 and any(map(int.__lt__, sizes, self.kernel)):
            image = " ".join(f"{n}: {size}" for n, size in zip("THW", sizes, strict=True))
            window = " ".join(f"k{n}: {size}" for n, size in zip("THW", self.kernel, strict=True))
            message = f"input image ({image}) smaller than kernel size ({window})"
        elif min(counts) < 1:
            plane = (x.shape[-self.dims - 1], *(1,) * (self.dims == 1))
            before, after = ("x".join(map(str, (*plane, *shape))) for shape in (sizes, counts))
            message = (
                f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small"
            )
        else:
            return
        if message:
            raise ShapeError(message, operands=(x,), caret="the window is too large")


class AdaptivePooling:
    """One call of an adaptive pooling; ``counts`` is the checked number of windows along each dimension."""

    __slots__ = ("counts", "dims", "layer", "x")

    def __init__(self, layer: str, dims: int, x: Tensor, output: Any) -> None:
        self.layer = layer
        self.dims = dims
        self.x = x
        self.counts: Sizes = self.sizes(output)
        (self.check_average if layer == "avg" else self.check_max)()
        check_allocation((*x.shape[: max(x.ndim - dims, 0)], *self.counts))

    @property
    def name(self) -> str:
        return f"adaptive_{self.layer}_pool{self.dims}d"

    @property
    def kernel(self) -> str:
        """The name of torch's kernel, which pools a series as an image of one row."""
        return f"adaptive_{self.layer}_pool{max(self.dims, 2)}d"

    @property
    def is_mean(self) -> bool:
        """Whether the result is one mean of all entries, which torch computes without further checks."""
        return self.layer == "avg" and set(self.counts) == {1}

    def sizes(self, output: Any) -> Sizes:
        """Return a size for each dimension; one number stands for all, None for the size of the tensor."""
        x = self.x
        is_list = isinstance(output, (tuple, list))
        given = tuple(output) if is_list else (output,) * self.dims
        if is_list and self.dims > 1:
            if x.ndim <= len(given):
                raise self.input_error(f"Input dimension should be at least {len(given) + 1}")
            along = x.shape[x.ndim - len(given) :]
            given = tuple(n if size is None else size for size, n in zip(given, along, strict=True))
        if any(size.__class__ is not int for size in given):
            raise ArgumentError(
                f"{self.name}(): argument 'output_size' (position 2) must be tuple of ints, not"
                f" {type(output).__name__}"
            )
        return given

    def input_error(self, message: str, caret: str = "") -> ShapeError:
        return ShapeError(message, operands=(self.x,), caret=caret or f"this tensor has shape {self.x.shape}")

    def check_average(self) -> None:
        dims, one = self.dims, (1,) * (self.dims == 1)
        if dims == 1:
            self.check_ndim()
        self.check_output_size()
        if min(self.counts) < 0:
            received = ", ".join(map(str, (*one, *self.counts)))
            if dims == 3:
                received = "{}, {},{}".format(*self.counts)
            raise ScriptError(
                f"{self.kernel}: elements of output_size must be greater than or equal to 0 but received"
                f" {{{received}}}"
            )
        if self.is_mean:
            return
        if dims == 2:
            self.check_ndim()
        self.check_entries(self.kernel, (*self.x.shape[:-1], *one, *self.x.shape[-1:]), -2 if dims < 3 else 1)
        if dims == 3:
            self.check_ndim()

    def check_max(self) -> None:
        self.check_ndim()
        if self.dims == 1:
            self.check_output_size()
        self.check_entries(self.name, self.x.shape, 1)
        self.check_output_size()
        one = (1,) * (self.dims == 1)
        check_sizes((*self.x.shape[: -self.dims], *one, *self.counts))

    def check_output_size(self) -> None:
        if len(self.counts) != self.dims:
            message = f"{self.name}: output_size must be {self.dims}"
            if self.dims == 1:
                message = one_int_message(self.name, "output_size", len(self.counts))
            raise self.input_error(message)

    def check_ndim(self) -> None:
        x, dims, name = self.x, self.dims, self.name
        if x.ndim in (dims + 1, dims + 2):
            return
        if dims == 1:
            raise self.input_error(series_ndim_message(name, x))
        shown = f"{':' * (self.layer == 'max')} {[*x.shape]}"
        raise self.input_error(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{shown}")

    def check_entries(self, name: str, shape: Sizes, first: int) -> None:
        """Refuse empty dimensions from number ``first`` on."""
        for dim in range(len(shape))[first:]:
            if not shape[dim]:
                raise self.input_error(
                    f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input"
                    f" has sizes {[*shape]} with dimension {dim} being empty"
                )


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
        has_places = indices or (x.requires_grad_flag and mode.enabled)
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


# -- public names ---------------------------------------------------------------------------------------

for dims in (1, 2, 3):
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


def make_lp_pool(dims: int) -> Callable[..., Any]:
    def pool(x: Tensor, p: float, kernel: Any, stride: Any, ceil_mode: bool) -> Any:
        sizes = kernel if isinstance(kernel, tuple) else (kernel,) * dims
        if len(sizes) != dims:
            few, got = ("not enough", f", got {len(sizes)}") if len(sizes) < dims else ("too many", "")
            raise ShapeError(
                f"{few} values to unpack (expected {dims}{got})",
                caret=f"these are {len(sizes)} sizes for {dims} dimensions",
            )
        if math.isinf(p):
            largest = FUNCTIONS[f"F.max_pool{dims}d"]
            size = abs(x)
            return (
                largest(size, kernel, stride, 0, 1, ceil_mode)
                if p > 0
                else neg(largest(neg(size), kernel, stride, 0, 1, ceil_mode))
            )
        mean = FUNCTIONS[f"F.avg_pool{dims}d"](pow(x, p), kernel, stride, 0, ceil_mode)
        if not p:
            raise ScriptError("float division by zero", code="E0212", caret="the order of the norm is 0")
        total = (sign(mean) * relu(abs(mean))) * math.prod(sizes)
        return pow(total, 1.0 / p)

    pool.__doc__ = f"The p-norm of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


for dims in (1, 2, 3):
    kind = "int" if dims == 1 else "sizes"
    public(
        f"F.lp_pool{dims}d(input: tensor, norm_type: float, kernel_size: {kind}, stride: ints = None,"
        " ceil_mode: bool = False)",
        method=False,
    )(make_lp_pool(dims))

"""The windows of a pooling call, and torch's errors for its arguments, which differ between the layers."""

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, ScriptError, ShapeError
from autodiff.core.base.limits import check_allocation
from autodiff.core.ops.shape.dims import check_sizes, size_along

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor

    Sizes = tuple[int, ...]

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

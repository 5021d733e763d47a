"""What a pooling layer refuses, in torch's words, which differ between the layers."""

from __future__ import annotations

import math

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.limits import check_allocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.tensors import Tensor

    Sizes = tuple[int, ...]

COUNTS = ("no", "one", "two", "three")
LETTERS = ("", "W", "HW", "THW")
#: torch holds sizes of windows in ints of 32 bits.
MOST_PLACES = 1 << 31


class Windows:
    """The windows of one call: one ``kernel``, ``stride``, ``padding`` and ``dilation`` per dimension."""

    __slots__ = ("ceil_mode", "dilation", "dims", "kernel", "layer", "padding", "stride")

    def __init__(
        self, layer: str, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> None:
        self.layer = layer
        self.dims = dims
        self.kernel = self.sizes(kernel, "kernel_size")
        self.stride = self.kernel if stride is None or stride == () else self.sizes(stride, "stride")
        self.padding = self.sizes(padding, "padding")
        self.dilation = self.sizes(dilation, "dilation")
        self.ceil_mode = ceil_mode

    @property
    def name(self) -> str:
        return f"{self.layer}_pool{self.dims}d"

    def sizes(self, value: Any, argument: str) -> Sizes:
        """A size for each dimension: one number stands for all."""
        given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if len(given) in (1, self.dims):
            return given * self.dims if len(given) == 1 else given
        raise ShapeError(
            self.wrong_count(argument, len(given)),
            caret=f"these are {len(given)} sizes for {self.dims} dimension{'s' * (self.dims > 1)}",
        )

    def wrong_count(self, argument: str, count: int) -> str:
        name, ints = self.name, f"a tuple of {COUNTS[self.dims]} ints"
        if self.layer == "avg" and self.dims == 1:
            return f"{name}() argument '{argument}' should contain one int (got {count})"
        if self.dims == 1:
            none, comma = ("None, ", ",") if argument == "stride" else ("", "," * (argument != "kernel_size"))
            return (
                f"{name}() {argument} must be {none}an int, list of ints{comma} or tuple of ints of size 1"
                f" but got size {count}"
            )
        either = "" if (self.layer, self.dims) == ("avg", 3) else "either "
        omitted = "omitted, " if argument == "stride" else ""
        return f"{name}: {argument} must {either}be {omitted}a single int, or {ints}"

    def count(self, n: int, axis: int) -> int:
        """How many windows there are along a dimension of size ``n``.

        With ``ceil_mode`` one more may begin inside and end outside.
        """
        pad, stride = self.padding[axis], self.stride[axis]
        room = n + 2 * pad - self.dilation[axis] * (self.kernel[axis] - 1) - 1
        count = (math.ceil(room / stride) if self.ceil_mode else room // stride) + 1
        if self.ceil_mode and (count - 1) * stride >= n + pad:
            count -= 1
        return count

    # -- what is refused ------------------------------------------------------------------------------

    def check(self, x: Tensor) -> Sizes:
        """The numbers of windows along each dimension of ``x``, after torch's checks in torch's order."""
        if self.layer == "max" and self.dims == 1:
            self.check_planes(x)
            self.check_one_dimension()
        else:
            if self.dims < 3 and self.layer == "avg":
                self.check_planes(x)
            if self.dims == 3 or self.layer == "max":
                self.check_ndim(x)
            self.check_padding()
            self.check_positive()
            self.check_planes(x)
        sizes = x.shape[-self.dims :]
        if max(self.kernel) > MOST_PLACES or max(self.stride) > MOST_PLACES:
            raise ShapeError(f"{self.name}() Invalid computed output size: 0", operands=(x,))
        counts = tuple(self.count(n, axis) for axis, n in enumerate(sizes))
        self.check_counts(x, counts)
        check_allocation((*x.shape[: -self.dims], *counts))
        return counts

    def check_one_dimension(self) -> None:
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
                names = LETTERS[max(self.dims, 2)]
                shown = " ".join(
                    f"{letter}{n}: {size}" for n, size in zip(names, (*one, *sizes), strict=True)
                )
                raise ScriptError(f"{what} should be greater than zero, but got {shown}")

    def check_ndim(self, x: Tensor) -> None:
        if x.ndim not in (self.dims + 1, self.dims + 2):
            raise ShapeError(
                f"non-empty {self.dims + 1}D or {self.dims + 2}D (batch mode) tensor expected for input",
                operands=(x,),
            )

    def check_planes(self, x: Tensor) -> None:
        """A plane without entries has no windows; only the batch may be empty."""
        shape = [*x.shape]
        fits = x.ndim in (self.dims + 1, self.dims + 2)
        planes = shape if x.ndim == self.dims + 1 and self.dims > 1 else shape[1:]
        if fits and 0 not in planes:
            return
        if self.layer == "max" and self.dims == 1:
            message = (
                f"{self.name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for"
                f" input, but got:{shape}"
            )
        elif self.dims == 1 and not fits:
            message = (
                f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self'"
                " (while checking arguments for avg_pool1d)"
            )
        elif self.dims == 3:
            what = self.name if self.layer == "avg" else "max_pool3d_with_indices_out_cpu_template"
            message = (
                f"{what}(): Expected input's non-batch dimensions to have positive length, but input has a"
                f" shape of {shape} and non-batch dimension 0 has length zero!"
            )
        elif x.ndim < 3 and not fits:
            reach = f"[{-max(x.ndim, 1)}, {max(x.ndim, 1) - 1}], but got -3"
            message = f"Dimension out of range (expected to be in range of {reach})"
        else:
            shown = [*shape[:-1], 1, shape[-1]] if self.dims == 1 else shape
            message = (
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
                f"{shown}"
            )
        raise ShapeError(
            message,
            operands=(x,),
            caret=f"{self.name} takes {self.dims + 1} or {self.dims + 2} dimensions, all with entries",
        )

    def check_counts(self, x: Tensor, counts: Sizes) -> None:
        sizes = x.shape[-self.dims :]
        if self.layer == "max" and self.dims == 1:
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

"""Convolutions over one, two or three dimensions, as one matrix product with the windows of the input."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from math import prod

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_castable
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.nn.convolution_checks import (
    check_bias_type,
    check_channels,
    check_convolution_dtypes,
    check_convolution_steps,
    check_dimensions,
    check_kernel_fits,
    check_output_padding,
    check_spatial_sizes,
    check_weight_not_empty,
    resolve_padding,
    sizes_per_dim,
)
from autodiff.core.ops.shape.picking_ops import slice_dim
from autodiff.core.ops.shape.reshape import permute, reshape, squeeze, unsqueeze
from autodiff.core.ops.shape.windows import add_windows, constant_pad, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]

GRAD_FN = "ConvolutionBackward0"


def convolve(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, pads: Any, dilation: Sizes, groups: int
) -> Tensor:
    """Convolve (N, C, *sizes) with a weight of (O, C / groups, *kernel) to (N, O, *positions)."""
    dims = len(stride)
    out_channels, in_channels, *kernel = weight.shape
    padded = constant_pad(x, pads=pads, value=0.0) if any(map(any, pads)) else x
    patches = windows(padded, kernel=tuple(kernel), stride=stride, dilation=dilation)
    places = patches.shape[2 : 2 + dims]
    n, depth = x.shape[0], in_channels * prod(kernel)
    check_allocation((n, prod(places), x.shape[1], prod(kernel)))
    # One row per window: (groups, N * positions, C / groups * kernel).
    grouped = reshape(patches, shape=(n, groups, in_channels, *places, *kernel))
    spots = tuple(range(3, 3 + dims))
    rows = permute(grouped, dims=(1, 0, *spots, 2, *(axis + dims for axis in spots)))
    rows = reshape(rows, shape=(groups, n * prod(places), depth))
    filters = permute(reshape(weight, shape=(groups, out_channels // groups, depth)), dims=(0, 2, 1))
    sums = reshape(rows @ filters, shape=(groups, n, *places, out_channels // groups))
    ordered = permute(sums, dims=(1, 0, 2 + dims, *range(2, 2 + dims)))
    out = add_bias(ordered, (n, out_channels, *places), bias)
    # without input channels torch returns no output channels
    return out if x.shape[1] else slice_dim.named(GRAD_FN)(out, dim=1, start=0, stop=0, step=1)


def add_bias(x: Tensor, shape: Sizes, bias: Tensor | None) -> Tensor:
    """Return x in ``shape`` plus the bias; the last op gets torch's node name of the whole convolution."""
    if bias is None:
        return reshape.named(GRAD_FN)(x, shape=shape)
    column = reshape(bias, shape=(1, bias.entry_count, *(1,) * (len(shape) - 2)))
    return add.named(GRAD_FN)(reshape(x, shape=shape), column)


def convolve_transposed(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
) -> Tensor:
    """Apply the adjoint in x of a convolution: (N, C, *sizes), (C, O / groups, *kernel) to (N, O, *sizes)."""
    dims = len(stride)
    in_channels, out_channels, *kernel = weight.shape
    n, places = x.shape[0], x.shape[2:]
    full = tuple(
        (m - 1) * s + d * (k - 1) + 1 + o
        for m, s, d, k, o in zip(places, stride, dilation, kernel, output_padding, strict=True)
    )
    check_allocation((n, groups * out_channels, prod(full)))
    sizes = [m - 2 * p for m, p in zip(full, padding, strict=True)]
    if min(sizes) < 1:
        row = "1 x " * (dims == 1)  # torch treats a series as an image of one row
        raise ShapeError(
            f"Given input size per channel: ({row}{' x '.join(map(str, places))}). Calculated output size per"
            f" channel: ({row}{' x '.join(map(str, sizes))}). Output size is too small",
            operands=(x, weight),
        )
    grouped = reshape(x, shape=(n, groups, in_channels // groups, prod(places)))
    rows = permute(grouped, dims=(1, 0, 3, 2))
    rows = reshape(rows, shape=(groups, n * prod(places), in_channels // groups))
    filters = reshape(weight, shape=(groups, in_channels // groups, out_channels * prod(kernel)))
    spread = reshape(rows @ filters, shape=(groups, n, *places, out_channels, *kernel))
    spots = tuple(range(2, 2 + dims))
    ordered = permute(spread, dims=(1, 0, 2 + dims, *spots, *(axis + dims + 1 for axis in spots)))
    shape = (n, groups * out_channels, *places, *kernel)
    summed = add_windows(
        reshape(ordered, shape=shape),
        shape=(*shape[:2], *full),
        kernel=tuple(kernel),
        stride=stride,
        dilation=dilation,
    )
    cut = constant_pad(summed, pads=tuple((-p, -p) for p in padding), value=0.0)
    return add_bias(cut, cut.shape, bias)


# -- the functions --------------------------------------------------------------------------------------


def make_convolution(dims: int) -> Callable[..., Tensor]:
    name = f"conv{dims}d"

    def conv(
        x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
    ) -> Tensor:
        is_same = padding == "same"
        if padding.__class__ is not str:
            check_bias_type(x, bias)
        check_dimensions(name, x, weight, stride, dims, padding, groups)
        stride, dilation = (
            sizes_per_dim(given, dims, what, is_same)
            for given, what in ((stride, "stride"), (dilation, "dilation"))
        )
        pads = resolve_padding(padding, weight.shape[2:], stride, dilation)
        check_convolution_steps(stride, tuple(before for before, _ in pads), dilation, groups)
        batch = x if x.ndim == dims + 2 else unsqueeze(x, dim=0)
        more = [after - before for before, after in pads]
        check_channels(batch, weight, bias, groups, transposed=False, added=more)
        check_kernel_fits(batch, pads, weight.shape[2:], stride, dilation)
        if 0 not in batch.shape[:2]:
            check_spatial_sizes(batch)
        check_weight_not_empty(batch, weight, transposed=False)
        check_convolution_dtypes(batch, weight, bias, dilation, groups, transposed=False)
        bias = None if bias is None else cast(bias, x.dtype)
        weight = cast(weight, x.dtype)
        out = convolve(batch, weight, bias, stride, pads, dilation, groups)
        return out if batch is x else squeeze(out, dim=(0,))

    conv.__doc__ = f"The input's windows times the weights, over {dims} dimension{'s' * (dims > 1)}."
    return conv


def make_transposed_convolution(dims: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{dims}d"

    def conv(
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        stride: Any,
        padding: Any,
        output_padding: Any,
        groups: int,
        dilation: Any,
    ) -> Tensor:
        check_dimensions(name, x, weight, stride, dims)
        stride, padding = sizes_per_dim(stride, dims, "stride"), sizes_per_dim(padding, dims, "padding")
        more, dilation = (
            sizes_per_dim(output_padding, dims, "output_padding"),
            sizes_per_dim(dilation, dims, "dilation"),
        )
        check_convolution_steps(stride, padding, dilation, groups)
        if min(more) < 0:
            raise ScriptError("negative output_padding is not supported")
        batch = x if x.ndim == dims + 2 else unsqueeze(x, dim=0)
        check_channels(batch, weight, bias, groups, transposed=True)
        check_output_padding(more, stride, dilation)
        check_spatial_sizes(batch)
        check_weight_not_empty(batch, weight, transposed=True)
        check_convolution_dtypes(batch, weight, bias, dilation, groups, transposed=True)
        if bias is not None:
            require_castable(batch, bias)
            bias = cast(bias, x.dtype)
        weight = cast(weight, x.dtype)
        out = convolve_transposed(batch, weight, bias, stride, padding, more, groups, dilation)
        return out if batch is x else squeeze(out, dim=(0,))

    conv.__doc__ = f"The adjoint of ``conv{dims}d`` in its input: windows are added up."
    return conv


for dims in (1, 2, 3):
    public(
        f"F.conv{dims}d(input: tensor, weight: tensor, bias: tensor = None, stride: ints = 1,"
        " padding: any = 0, dilation: ints = 1, groups: int = 1)",
        also=(f"conv{dims}d",),
        method=False,
    )(make_convolution(dims))
    public(
        f"F.conv_transpose{dims}d(input: tensor, weight: tensor, bias: tensor = None, stride: ints = 1,"
        " padding: ints = 0, output_padding: ints = 0, groups: int = 1, dilation: ints = 1)",
        also=(f"conv_transpose{dims}d",),
        method=False,
    )(make_transposed_convolution(dims))

"""Convolutions over one, two or three dimensions, as one matrix product with the windows of the input."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from math import prod

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import public
from autodiff.core.limits import check_allocation
from autodiff.core.ops.arithmetic import add
from autodiff.core.ops.picking import slice_dim
from autodiff.core.ops.shape import permute, reshape, squeeze, unsqueeze
from autodiff.core.ops.windows import add_windows, constant_pad, per_dim, window_count, windows
from autodiff.core.requirements import need_kind
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]

GRAD_FN = "ConvolutionBackward0"


def convolve(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, pads: Any, dilation: Sizes, groups: int
) -> Tensor:
    """(N, C, *sizes) and (O, C / groups, *kernel) to (N, O, *positions)."""
    dims = len(stride)
    out_channels, in_channels, *kernel = weight.shape
    padded = constant_pad(x, pads=pads, value=0.0) if any(map(any, pads)) else x
    seen = windows(padded, kernel=tuple(kernel), stride=stride, dilation=dilation)
    places = seen.shape[2 : 2 + dims]
    n, depth = x.shape[0], in_channels * prod(kernel)
    check_allocation((n, prod(places), x.shape[1], prod(kernel)))
    # One row per window: (groups, N * positions, C / groups * kernel).
    apart = reshape(seen, shape=(n, groups, in_channels, *places, *kernel))
    spots = tuple(range(3, 3 + dims))
    rows = permute(apart, dims=(1, 0, *spots, 2, *(axis + dims for axis in spots)))
    rows = reshape(rows, shape=(groups, n * prod(places), depth))
    filters = permute(reshape(weight, shape=(groups, out_channels // groups, depth)), dims=(0, 2, 1))
    sums = reshape(rows @ filters, shape=(groups, n, *places, out_channels // groups))
    ordered = permute(sums, dims=(1, 0, 2 + dims, *range(2, 2 + dims)))
    out = with_bias(ordered, (n, out_channels, *places), bias)
    # torch makes no channels of no channels
    return out if x.shape[1] else slice_dim.named(GRAD_FN)(out, dim=1, start=0, stop=0, step=1)


def with_bias(x: Tensor, shape: Sizes, bias: Tensor | None) -> Tensor:
    """The channels put together; the node that torch shows for the whole convolution."""
    if bias is None:
        return reshape.named(GRAD_FN)(x, shape=shape)
    column = reshape(bias, shape=(1, bias.size, *(1,) * (len(shape) - 2)))
    return add.named(GRAD_FN)(reshape(x, shape=shape), column)


def convolve_transposed(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sizes,
    padding: Sizes,
    more: Sizes,
    groups: int,
    dilation: Sizes,
) -> Tensor:
    """(N, C, *sizes) and (C, O / groups, *kernel) to (N, O, *sizes): the adjoint of a convolution in x."""
    dims = len(stride)
    in_channels, out_channels, *kernel = weight.shape
    n, places = x.shape[0], x.shape[2:]
    full = tuple(
        (m - 1) * s + d * (k - 1) + 1 + o
        for m, s, d, k, o in zip(places, stride, dilation, kernel, more, strict=True)
    )
    check_allocation((n, groups * out_channels, prod(full)))
    sizes = [m - 2 * p for m, p in zip(full, padding, strict=True)]
    if min(sizes) < 1:
        row = "1 x " * (dims == 1)  # torch makes an image of one row of a series
        raise ShapeError(
            f"Given input size per channel: ({row}{' x '.join(map(str, places))}). Calculated output size per"
            f" channel: ({row}{' x '.join(map(str, sizes))}). Output size is too small",
            operands=(x, weight),
        )
    apart = reshape(x, shape=(n, groups, in_channels // groups, prod(places)))
    rows = permute(apart, dims=(1, 0, 3, 2))
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
    return with_bias(cut, cut.shape, bias)


# -- what torch checks ----------------------------------------------------------------------------------


def check_input(name: str, x: Tensor, weight: Tensor, stride: Sizes, dims: int) -> None:
    if x.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of"
            f" size: {list(x.shape)}",
            operands=(x,),
        )
    message = "weight should have at least three dimensions"
    if weight.ndim > 2 and (weight.ndim < dims + 2 or dims > 1):
        message = (
            "expected stride to be a single integer value or a list of"
            f" {weight.ndim - 2} values to match the convolution dimensions, but got stride={list(stride)}"
        )
    elif weight.ndim > dims + 2:
        given = [*x.shape] if x.ndim == dims + 2 else [1, *x.shape]
        message = (
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight"
            f" {list(weight.shape)}, but got {len(given)}-dimensional input of size {given} instead"
        )
    if weight.ndim != dims + 2:
        raise ShapeError(message, operands=(x, weight), caret=f"the weight has shape {weight.shape}")


def check_bias_type(x: Tensor, bias: Tensor | None) -> None:
    if bias is not None and bias.dtype is not x.dtype:
        raise ScriptError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same",
            code="E0312",
            operands=(x, bias),
        )


def check_types(x: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool) -> None:
    """What torch has kernels for, of which there are more for 32-bit numbers."""
    dims = x.ndim - 2
    is_large = x.shape[0] > 1 or (dims > 1 and min(weight.shape[-2:]) > 3) or x.size > 20480
    if x.dtype.name == "float32" and weight.dtype is not x.dtype and (groups > 1 or is_large):
        raise ScriptError(
            f"Input type (torch.{x.dtype.long_name}Tensor) and weight type"
            f" (torch.{weight.dtype.long_name}Tensor) should be the same or input should be a MKLDNN tensor"
            " and weight is a dense tensor",
            code="E0312",
            operands=(x, weight),
        )
    if transposed:
        kernel = f"slow_conv_transpose{max(dims, 2)}d_out_cpu"
        need_kind(x, kernel, "f" if x.dtype.name != "int64" else "i")
    else:
        need_kind(x, "compute_columns3d" if dims == 3 else "slow_conv2d_cpu", "if")
    others = [weight] if bias is None or not transposed or dims < 3 else [weight, bias]
    for other in others:
        if other.dtype is not x.dtype:
            raise ScriptError(
                f"expected scalar type {x.dtype.long_name} but found {other.dtype.long_name}",
                code="E0312",
                operands=(x, other),
                caret=f"the input holds {x.dtype.name} numbers, this {other.dtype.name}",
            )


def check_steps(stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> None:
    if groups <= 0:
        raise ScriptError("non-positive groups is not supported")
    if min(padding) < 0:
        raise ScriptError("negative padding is not supported")
    if min(stride) <= 0:
        raise ScriptError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise ScriptError("dilation should be greater than zero")


def check_channels(x: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool) -> None:
    given, batched = x.shape[1], list(x.shape)
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    if weight.shape[0] < groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight"
            f" of size {list(weight.shape)} instead",
            operands=(weight,),
        )
    if not transposed and channels % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got"
            f" weight of size [{list(weight.shape)}] instead",
            operands=(weight,),
        )
    wanted = weight.shape[0] if transposed else weight.shape[1] * groups
    if given != wanted:
        kind = "transposed=1" if transposed else f"groups={groups}"
        raise ShapeError(
            f"Given {kind}, weight of size {list(weight.shape)}, expected input{batched} to"
            f" have {wanted} channels, but got {given} channels instead",
            operands=(x, weight),
            caret=f"the input has {given} channels, the weight takes {wanted}",
        )
    if bias is not None and bias.shape != (channels,):
        kind = "transposed=1, " if transposed else ""
        raise ShapeError(
            f"Given {kind}weight of size {list(weight.shape)}, expected bias to be 1-dimensional with"
            f" {channels} elements, but got bias of size {list(bias.shape)} instead",
            operands=(weight, bias),
        )


def padding_of(padding: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[tuple[int, int], ...]:
    """Entries before and after: a size per dimension, ``valid`` for none, ``same`` to keep the size."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        if max(stride) > 1:
            raise ScriptError("padding='same' is not supported for strided convolutions")
        totals = [max(d * (k - 1), 0) for k, d in zip(kernel, dilation, strict=True)]
        return tuple((total // 2, total - total // 2) for total in totals)
    if padding.__class__ is str:
        raise ScriptError(f"Invalid padding string: '{padding}'")
    return tuple((p, p) for p in steps(padding, len(kernel), "padding"))


def steps(value: Any, dims: int, name: str) -> Sizes:
    """A number for each dimension: one number stands for all."""
    if isinstance(value, (tuple, list)) and len(value) not in (1, dims):
        raise ShapeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the"
            f" convolution dimensions, but got {name}={list(value)}",
            caret=f"these are {len(value)} numbers for {dims} dimension{'s' * (dims > 1)}",
        )
    return per_dim(value, dims)


def check_fits(x: Tensor, pads: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> None:
    sizes = [n + before + after for n, (before, after) in zip(x.shape[2:], pads, strict=True)]
    if any(window_count(*fit) < 1 for fit in zip(sizes, kernel, stride, dilation, strict=True)):
        reach = " x ".join(str(d * (k - 1) + 1) for k, d in zip(kernel, dilation, strict=True))
        raise ShapeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel size:"
            f" ({reach}). Kernel size can't be greater than actual input size",
            operands=(x,),
        )


def check_sizes(x: Tensor) -> None:
    if 0 in x.shape[2:]:
        shape = [*x.shape[:-1], 1, x.shape[-1]] if x.ndim == 3 else [*x.shape]
        raise ShapeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}",
            operands=(x,),
        )


def check_kernel(x: Tensor, weight: Tensor, transposed: bool) -> None:
    """What torch asks of the weights when there is something to multiply them with."""
    if weight.size or not x.size:
        return
    dims = weight.ndim - 2
    sizes = weight.shape[2:] if dims > 1 else (1, *weight.shape[2:])
    if transposed and (dims == 3 or not weight.shape[1]):
        kind = "2D or 4D weight tensor expected,"
        if dims == 3:
            kind = (
                "5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor"
                " expected for weight,"
            )
        message = f"non-empty {kind} but got: {[*weight.shape[:2], *sizes]}"
    else:
        got = f": {' x '.join(map(str, sizes))} (TxHxW)" if dims == 3 else ""
        for name, size in zip(("height", "width"), sizes, strict=False):
            got += f" kernel_{name}: {size}" * (dims < 3)
        message = f"kernel size should be greater than zero, but got{got}"
    raise ShapeError(message, operands=(weight,), caret=f"the weight has shape {weight.shape}")


def check_output_padding(padding: Sizes, stride: Sizes, dilation: Sizes) -> None:
    if all(p < s or p < d for p, s, d in zip(padding, stride, dilation, strict=True)):
        return
    axes = ("depth", "height", "width")[-max(len(padding), 2) :]
    listed = []
    given = (("output_padding", padding, 0), ("stride", stride, 1), ("dilation", dilation, 1))
    for name, sizes, lone in given:
        values = sizes if len(sizes) > 1 else (lone, *sizes)  # one dimension is laid out as a row of two
        listed += [f"{name}_{axis}: {value}" for axis, value in zip(axes, values, strict=True)]
    raise ScriptError(
        f"output padding must be smaller than either stride or dilation, but got {' '.join(listed)}",
        caret="`output_padding` only decides between the sizes that a stride leaves open",
    )


# -- the functions --------------------------------------------------------------------------------------


def convolution(dims: int) -> Callable[..., Tensor]:
    name = f"conv{dims}d"

    def conv(
        x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
    ) -> Tensor:
        check_bias_type(x, bias)
        check_input(name, x, weight, steps(stride, dims, "stride"), dims)
        stride, dilation = steps(stride, dims, "stride"), steps(dilation, dims, "dilation")
        pads = padding_of(padding, weight.shape[2:], stride, dilation)
        check_steps(stride, tuple(before for before, _ in pads), dilation, groups)
        batch = x if x.ndim == dims + 2 else unsqueeze(x, dim=0)
        check_channels(batch, weight, bias, groups, transposed=False)
        check_fits(batch, pads, weight.shape[2:], stride, dilation)
        check_kernel(batch, weight, transposed=False)
        check_types(batch, weight, bias, groups, transposed=False)
        out = convolve(batch, weight, bias, stride, pads, dilation, groups)
        return out if batch is x else squeeze(out, dim=(0,))

    conv.__doc__ = f"The input's windows times the weights, over {dims} dimension{'s' * (dims > 1)}."
    return conv


def transposed_convolution(dims: int) -> Callable[..., Tensor]:
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
        check_input(name, x, weight, steps(stride, dims, "stride"), dims)
        stride, padding = steps(stride, dims, "stride"), steps(padding, dims, "padding")
        more, dilation = steps(output_padding, dims, "output_padding"), steps(dilation, dims, "dilation")
        check_steps(stride, padding, dilation, groups)
        if min(more) < 0:
            raise ScriptError("negative output_padding is not supported")
        batch = x if x.ndim == dims + 2 else unsqueeze(x, dim=0)
        check_channels(batch, weight, bias, groups, transposed=True)
        check_output_padding(more, stride, dilation)
        check_sizes(batch)
        check_kernel(batch, weight, transposed=True)
        check_types(batch, weight, bias, groups, transposed=True)
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
    )(convolution(dims))
    public(
        f"F.conv_transpose{dims}d(input: tensor, weight: tensor, bias: tensor = None, stride: ints = 1,"
        " padding: ints = 0, output_padding: ints = 0, groups: int = 1, dilation: ints = 1)",
        also=(f"conv_transpose{dims}d",),
        method=False,
    )(transposed_convolution(dims))

"""Convolutions over one, two or three dimensions, as one matrix product with the windows of the input."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from math import prod

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_castable, require_kind
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.shape.dims import legacy_type_name
from autodiff.core.ops.shape.picking_ops import slice_dim
from autodiff.core.ops.shape.reshape import permute, reshape, squeeze, unsqueeze
from autodiff.core.ops.shape.windows import add_windows, constant_pad, repeat_per_dim, window_count, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]


def check_dimensions(
    name: str, x: Tensor, weight: Tensor, stride: Any, dims: int, padding: Any = 0, groups: int = 1
) -> None:
    if x.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of"
            f" size: {list(x.shape)}",
            operands=(x,),
        )
    check_padding_word(padding)
    is_same = padding == "same"
    if is_same and weight.ndim > 2:
        check_groups(groups)
    stride = [] if is_same else list(sizes_per_dim(stride, dims, "stride"))
    message = "weight should have at least three dimensions"
    if weight.ndim > 2 and (weight.ndim < dims + 2 or dims > 1) and not is_same:
        message = (
            "expected stride to be a single integer value or a list of"
            f" {weight.ndim - 2} values to match the convolution dimensions, but got stride={stride}"
        )
    elif weight.ndim > 2:
        given = [*x.shape] if x.ndim == dims + 2 else [1, *x.shape]
        message = (
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight"
            f"{' ' * (not is_same)}{list(weight.shape)}, but got {len(given)}-dimensional input of size"
            f" {given} instead"
        )
    if weight.ndim != dims + 2:
        raise ShapeError(message, operands=(x, weight), caret=f"the weight has shape {weight.shape}")


def check_bias_type(x: Tensor, bias: Tensor | None) -> None:
    if bias is not None and bias.dtype is not x.dtype:
        raise DtypeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same",
            operands=(x, bias),
        )


def check_dilation(dilation: Sizes, transposed: bool) -> None:
    """Refuse a dilation of 0, with the message of torch's kernels."""
    if min(dilation) > 0:
        return
    sizes = dilation if len(dilation) > 1 else (1, *dilation)  # torch treats a series as an image of one row
    given: object = list(sizes)
    if transposed:
        axes = ("depth", "height", "width")[-len(sizes) :]
        given = ", ".join(f"dilation_{axis}: {size}" for axis, size in zip(axes, sizes, strict=True))
    raise ScriptError(f"dilation should be greater than zero, but got {given}")


def check_float32_dilation(dilation: Sizes) -> None:
    """Refuse a dilation of 0, with the message of torch's kernels for float32."""
    if min(dilation) <= 0:
        raise ScriptError(
            "non-positive dilation is not supported", caret="the kernel's entries are 0 steps apart"
        )


def check_convolution_dtypes(
    x: Tensor, weight: Tensor, bias: Tensor | None, dilation: Sizes, groups: int, transposed: bool
) -> None:
    """Refuse dtypes for which torch has no kernel; it has more for float32, and an empty input needs none."""
    dims = x.ndim - 2
    is_large = x.shape[0] > 1 or (dims > 1 and min(weight.shape[-2:]) > 3) or x.entry_count > 20480
    is_alike = x.dtype is weight.dtype and (bias is None or bias.dtype is x.dtype)
    if (
        is_alike
        and x.dtype.name == "float32"
        and x.entry_count
        and (groups > 1 or is_large)
        and not transposed
    ):
        check_float32_dilation(dilation)
    check_dilation(dilation, transposed)
    if not x.entry_count:
        return
    for name, other in (("weight", weight), ("bias", bias)):
        if other is None or other.dtype is x.dtype or not (groups > 1 or is_large):
            continue
        if x.dtype.name == "float32":
            raise DtypeError(
                f"Input type ({legacy_type_name(x)}) and {name} type ({legacy_type_name(other)})"
                " should be the same or"
                f" input should be a MKLDNN tensor and {name} is a dense tensor",
                operands=(x, other),
            )
    if transposed:
        kernel = f"slow_conv_transpose{max(dims, 2)}d_out_cpu"
        require_kind(x, kernel, "f" if x.dtype.name != "int64" else "i")
    elif max(dilation) > 1:
        require_kind(x, "slow_conv_dilated<>", "f" if x.dtype.name != "int64" else "i")
    else:
        require_kind(x, "compute_columns3d" if dims == 3 else "slow_conv2d_cpu", "if")
    others = [weight] if bias is None or not transposed or dims < 3 else [weight, bias]
    for other in others:
        if other.dtype is not x.dtype:
            raise DtypeError(
                f"expected scalar type {x.dtype.long_name} but found {other.dtype.long_name}",
                operands=(x, other),
                caret=f"the input holds {x.dtype.name} numbers, this {other.dtype.name}",
            )


def check_groups(groups: int) -> None:
    if groups <= 0:
        raise ScriptError("non-positive groups is not supported")


def check_convolution_steps(stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> None:
    check_groups(groups)
    if min(padding) < 0:
        raise ScriptError("negative padding is not supported")
    if min(stride) <= 0:
        raise ScriptError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise ScriptError("dilation should be greater than zero")


def check_channels(
    x: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool, added: Any = ()
) -> None:
    """Refuse a weight, input or bias with wrong channels.

    ``added`` is the padding per dimension that torch has already added to the sizes it reports.
    """
    given, batched = x.shape[1], list(x.shape)
    for place, size in enumerate(added, 2):
        batched[place] += size
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


def resolve_padding(
    padding: Any, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> tuple[tuple[int, int], ...]:
    """Return the padding before and after each dimension; ``valid`` is none, ``same`` keeps the size."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        if any(step != 1 for step in stride):
            raise ScriptError("padding='same' is not supported for strided convolutions")
        totals = [max(d * (k - 1), 0) for k, d in zip(kernel, dilation, strict=True)]
        return tuple((total // 2, total - total // 2) for total in totals)
    return tuple((p, p) for p in sizes_per_dim(padding, len(kernel), "padding"))


def sizes_per_dim(value: Any, dims: int, name: str, is_same: bool = False) -> Sizes:
    """Return a number for each dimension; one number stands for all."""
    if isinstance(value, (tuple, list)) and len(value) not in (1, dims):
        wanted = (
            f"expected {name} to be a single integer value or a list of {dims} values to match the"
            f" convolution dimensions, but got {name}={list(value)}"
        )
        raise ShapeError(
            f"{name} cannot broadcast to {dims} dimensions" if is_same else wanted,
            caret=f"these are {len(value)} numbers for {dims} dimension{'s' * (dims > 1)}",
        )
    return repeat_per_dim(value, dims)


def check_padding_word(padding: Any) -> None:
    if padding.__class__ is str and padding not in ("same", "valid"):
        raise ScriptError(f"Invalid padding string: '{padding}'")


def check_kernel_fits(x: Tensor, pads: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> None:
    sizes = [n + before + after for n, (before, after) in zip(x.shape[2:], pads, strict=True)]
    if any(window_count(*fit) < 1 for fit in zip(sizes, kernel, stride, dilation, strict=True)):
        reach = " x ".join(str(d * (k - 1) + 1) for k, d in zip(kernel, dilation, strict=True))
        raise ShapeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel size:"
            f" ({reach}). Kernel size can't be greater than actual input size",
            operands=(x,),
        )


def check_spatial_sizes(x: Tensor) -> None:
    if 0 in x.shape[2:]:
        shape = [*x.shape[:-1], 1, x.shape[-1]] if x.ndim == 3 else [*x.shape]
        raise ShapeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}",
            operands=(x,),
        )


def check_weight_not_empty(x: Tensor, weight: Tensor, transposed: bool) -> None:
    """Refuse an empty weight, unless the input is empty too."""
    if weight.entry_count or not x.entry_count:
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
        values = sizes if len(sizes) > 1 else (lone, *sizes)  # torch treats a series as an image of one row
        listed += [f"{name}_{axis}: {value}" for axis, value in zip(axes, values, strict=True)]
    raise ScriptError(
        f"output padding must be smaller than either stride or dilation, but got {' '.join(listed)}",
        caret="`output_padding` only decides between the sizes that a stride leaves open",
    )


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

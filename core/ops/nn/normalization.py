"""Normalization layers: zero mean and unit variance, then weight and bias.

``standardize`` is the only op here with a rule of its own: differentiating (x - mean) / sqrt(var + eps) step
by step loses digits and costs six passes.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import FUNCTIONS, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import no_grad
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add, div, mul
from autodiff.core.ops.elementwise.transcendental import rsqrt, sqrt
from autodiff.core.ops.reduce.reduction import mean, mean_over
from autodiff.core.ops.select.gather import select
from autodiff.core.ops.shape.dims import size_along, wrap_dim
from autodiff.core.ops.shape.reshape import clone, repeat_dims, reshape, reshape_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dims = tuple[int, ...]
    from autodiff.core.engine.tensor import Tensor


def check_first_parameter_dtype(x: Tensor, *parameters: Tensor | None) -> None:
    """Refuse a first parameter of another dtype than x; torch accepts float32 with half precision only."""
    given = [parameter for parameter in parameters if parameter is not None]
    if given and given[0].dtype is not x.dtype:
        are_single = all(parameter.dtype.name == "float32" for parameter in given)
        wanted = (
            "all inputs must share same datatype."
            if are_single
            else "expect parameter to have scalar type of Float"
        )
        raise dtype_mismatch(f"mixed dtype (CPU): {wanted}", x, given)


def check_parameter_dtypes(x: Tensor, *parameters: Tensor | None) -> None:
    """Refuse the other parameters of another dtype than x, which torch finds when it reads them."""
    given = [parameter for parameter in parameters if parameter is not None]
    for parameter in given:
        if parameter.dtype is not x.dtype:
            found = parameter.dtype.long_name
            raise dtype_mismatch(f"expected scalar type {x.dtype.long_name} but found {found}", x, given)


def dtype_mismatch(message: str, x: Tensor, given: list[Tensor]) -> ScriptError:
    operands = (x, *given)
    kinds = ", ".join(operand.dtype.name for operand in operands)
    return DtypeError(message, operands=operands, caret=f"these hold {kinds} numbers")


def check_normalized_shape(shape: Dims, x: Tensor) -> None:
    if not shape:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element,"
            " but got normalized_shape = []",
            operands=(x,),
        )


def trailing_dims(x: Tensor, shape: Dims, separator: str = ", ") -> Dims:
    """Return the last dimensions of x, which must have the given shape."""
    if x.shape[-len(shape) :] != tuple(shape) or x.ndim < len(shape):
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape"
            f" [*{separator}{', '.join(map(str, shape))}], but got input of size{list(x.shape)}",
            operands=(x,),
        )
    return tuple(range(x.ndim - len(shape), x.ndim))


def check_parameter_shape(given: Tensor | None, name: str, shape: Dims) -> None:
    if given is not None and given.shape != tuple(shape):
        raise ShapeError(
            f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape"
            f" {list(given.shape)} and normalized_shape = {list(shape)}",
            operands=(given,),
        )


def check_values_per_channel(first: int, rest: Dims, shape_text: str, x: Tensor) -> None:
    """Refuse a single value per channel: its variance is 0."""
    if first * math.prod(rest) == 1:
        raise ShapeError(
            f"Expected more than 1 value per channel when training, got input size {shape_text}",
            code="E0206",
            operands=(x,),
        )


def lone_running_statistic() -> ScriptError:
    return ScriptError("running_mean and running_var must either both be None or neither be None")


# -- zero mean, unit variance ---------------------------------------------------------------------------


def standardize_forward(x: Any, *, dim: Dims, eps: float) -> Any:
    if not x.size:  # numpy would warn that there is no mean
        return x.copy()
    centred = x - x.mean(axis=dim, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(axis=dim, keepdims=True) + eps)


def inverse_deviation(x: Any, dim: Dims, eps: float) -> Any:
    """Return 1 / sqrt(var + eps)."""
    centred = x - mean(x, dim=dim, keepdim=True)
    return rsqrt(mean(centred * centred, dim=dim, keepdim=True) + eps)


def standardize_vjp(g: Any, out: Any, x: Any, *, dim: Dims, eps: float) -> Any:
    """(g - mean(g) - out mean(g out)) / sqrt(var + eps) (Ioffe and Szegedy 2015)."""
    inner = g - mean(g, dim=dim, keepdim=True) - out * mean(g * out, dim=dim, keepdim=True)
    return inner * inverse_deviation(x, dim, eps)


standardize: Op = primitive("standardize", standardize_forward, standardize_vjp, saved=((0,),))


def scale_and_shift(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: Dims, grad_fn: str
) -> Tensor:
    """Return x · weight + bias, both in ``shape``; the last op gets torch's node name of the layer."""
    if weight is not None:
        x = (mul if bias is not None else mul.named(grad_fn))(x, reshape(weight, shape=shape))
    return x if bias is None else add.named(grad_fn)(x, reshape(bias, shape=shape))


@public(
    "F.layer_norm(input: tensor, normalized_shape: size, weight: tensor = None, bias: tensor = None,"
    " eps: float = 1e-05)",
    also=("layer_norm",),
    method=False,
)
def layer_norm(x: Tensor, shape: Dims, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then weight and bias entry by entry."""
    check_first_parameter_dtype(x, weight, bias)
    check_normalized_shape(shape, x)
    check_parameter_shape(weight, "weight", shape)
    check_parameter_shape(bias, "bias", shape)
    dims = trailing_dims(x, shape)
    require_kind(x, "LayerNormKernelImpl", "f")
    check_parameter_dtypes(x, weight, bias)
    name = "NativeLayerNormBackward0"
    plain = standardize.named(name)(x, dim=dims, eps=eps)
    return scale_and_shift(plain, weight, bias, tuple(shape), name)


@public(
    "F.rms_norm(input: tensor, normalized_shape: size, weight: tensor = None, eps: float = None)",
    also=("rms_norm",),
    method=False,
)
def rms_norm(x: Tensor, shape: Dims, weight: Tensor | None, eps: float | None) -> Tensor:
    """x divided by its root mean square along the last dimensions, times the weight."""
    check_normalized_shape(shape, x)
    check_parameter_shape(weight, "weight", shape)
    if x.ndim < len(shape):
        raise ShapeError(
            f"Input tensor must have at least {len(shape)} dimensions, but got {x.ndim}", operands=(x,)
        )
    dims = trailing_dims(x, shape, "")
    require_kind(x, "rms_norm", "f")
    small = float(np.finfo(x.data.dtype).eps) if eps is None else eps
    out = x * rsqrt(mean(x * x, dim=dims, keepdim=True) + small)
    if weight is None:
        return out
    product = cast(out * weight, x.dtype)
    return product if product.data.flags.c_contiguous else clone(product)  # torch returns it contiguous


def channel_shape(x: Tensor) -> Dims:
    """Return the shape in which one number per channel broadcasts with ``x``."""
    return (1, x.shape[1], *(1,) * (x.ndim - 2))


@public(
    "F.batch_norm(input: tensor, running_mean: any, running_var: any, weight: tensor = None,"
    " bias: tensor = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05)",
    method=False,
)
def batch_norm(
    x: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """Zero mean and unit variance per channel; without ``training``, with the running mean and variance."""
    if training:
        size_along(x, 0)
        check_values_per_channel(x.shape[0], x.shape[2:], f"torch.Size({list(x.shape)})", x)
    for place, (what, values) in enumerate((("running_mean", running_mean), ("running_var", running_var))):
        if values is not None and values.__class__ is not Tensor:
            raise ArgumentError(
                f"batch_norm(): argument '{what}' (position {place + 4}) must be Tensor, not"
                f" {type(values).__name__}"
            )
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ScriptError(f"batch_norm eps must be {wanted}, but got {eps}", code="E0206")
    return normalize_channels(x, running_mean, running_var, weight, bias, training, momentum, eps)


def normalize_channels(
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """Normalize each channel, as batch_norm does; instance_norm passes every channel of every input."""
    if not x.entry_count:  # torch checks nothing then
        out = clone(x)
        if weight is not None:
            out = out * select(weight, 0, 0)
        return out if bias is None else out + select(bias, 0, 0)
    channels = x.shape[1] if x.ndim > 1 else 0
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for what, values in given.items():
        if values is not None and values.entry_count != channels:
            raise ShapeError(
                f"{what} should contain {channels} elements not {values.entry_count}", operands=(x, values)
            )
        if values is None and not training and what.startswith("running"):
            raise ScriptError(f"{what} must be defined in evaluation mode")
    if (running_mean is None) is not (running_var is None):
        raise lone_running_statistic()
    wrap_dim(x, 1)
    require_kind(x, "batch_norm", "f")
    running = (running_mean, running_var)
    check_first_parameter_dtype(x, weight, bias, *running)
    for values in running:
        if training and values is not None and values.ndim != 1:
            message = f"TensorAccessor expected 1 dims but tensor has {values.ndim}"
            raise ShapeError(message, operands=(values,), caret="this has one number for each channel")
    check_parameter_dtypes(x, *((*running, weight, bias) if training else (weight, bias, *running)))
    name, shape = "NativeBatchNormBackward0", channel_shape(x)
    if running_mean is None or running_var is None or training:
        dims = (0, *range(2, x.ndim))
        plain = standardize.named(name)(x, dim=dims, eps=eps)
        with no_grad():
            update_running(x, dims, running_mean, running_var, momentum)
    else:
        deviation = sqrt(reshape(running_var, shape=shape) + eps)
        plain = div.named(name)(x - reshape(running_mean, shape=shape), deviation)
    return scale_and_shift(plain, weight, bias, shape, name)


def update_running(x: Tensor, dims: Dims, running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running mean and (unbiased) variance towards those of this batch, in place."""
    data = x.data
    count = math.prod(x.shape[axis] for axis in dims)
    for running, batch in (
        (running_mean, data.mean(axis=dims)),
        (running_var, data.var(axis=dims) * (count / (count - 1) if count > 1 else math.nan)),
    ):
        if running is not None:
            running.assign_in_place(
                running * (1 - momentum) + Tensor.of((momentum * batch).astype(data.dtype))
            )


@public(
    "F.instance_norm(input: tensor, running_mean: tensor = None, running_var: tensor = None,"
    " weight: tensor = None, bias: tensor = None, use_input_stats: bool = True, momentum: float = 0.1,"
    " eps: float = 1e-05)",
    method=False,
)
def instance_norm(
    x: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """Zero mean and unit variance per channel of each input."""
    if use_input_stats and math.prod(x.shape[2:]) == 1:
        raise ShapeError(
            f"Expected more than 1 spatial element when training, got input size torch.Size({list(x.shape)})",
            code="E0206",
            operands=(x,),
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise ScriptError("Expected running_mean and running_var to be defined when use_input_stats is false")
    inputs, channels = size_along(x, 0), size_along(x, 1)
    weight, bias, means, variances = (
        values if values is None else repeat_dims(values, (inputs,))
        for values in (weight, bias, running_mean, running_var)
    )
    wanted = (x if weight is None else weight).dtype
    if means is not None and means.dtype is not wanted:  # torch then converts both
        if variances is None:
            raise lone_running_statistic()
        means, variances = cast(means, wanted), cast(variances, wanted)
    beside = reshape(x, shape=(1, inputs * channels, *x.shape[2:]))
    out = normalize_channels(beside, means, variances, weight, bias, use_input_stats, momentum, eps)
    if use_input_stats:
        with no_grad():
            for running, moved in ((running_mean, means), (running_var, variances)):
                if running is not None:
                    of_all = mean_over(reshape_tensor(moved, (inputs, channels)), (0,), False, None)
                    running.assign_in_place(cast(of_all, running.dtype))
    return reshape(out, shape=x.shape)


GROUP_NORM_SIGNATURE = (
    "(input: tensor, num_groups: int, weight: tensor = None, bias: tensor = None, eps: float = 1e-05)"
)


@public(f"F.group_norm{GROUP_NORM_SIGNATURE}", method=False)
def group_norm(x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Zero mean and unit variance per group of channels of each input."""
    if x.ndim < 2:
        raise ShapeError(
            f"Expected at least 2 dimensions for input tensor but received {x.ndim}", operands=(x,)
        )
    if not groups:
        raise ScriptError("integer division or modulo by zero", code="E0212", caret="there are no groups")
    sizes = [x.shape[0] * x.shape[1] // groups, groups, *x.shape[2:]]
    check_values_per_channel(sizes[0], x.shape[2:], f"{sizes}", x)
    return normalize_groups(x, groups, weight, bias, eps)


@public(f"group_norm{GROUP_NORM_SIGNATURE}", method=False)
def normalize_groups(
    x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """``F.group_norm`` that also takes groups of one value."""
    size_along(x, 0)
    channels = size_along(x, 1)
    if groups <= 0:
        raise ScriptError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape"
            f" {list(x.shape)} and num_groups={groups}",
            operands=(x,),
        )
    for what, values in (("weight", weight), ("bias", bias)):
        if values is not None and values.shape != (channels,):
            shown = [0] if weight is None else list(weight.shape)  # torch shows the weight's for both
            raise ShapeError(
                f"Expected {what} to be a vector of size equal to the number of channels in input, but got"
                f" {what} of shape {shown} and input of shape {list(x.shape)}",
                operands=(x, values),
                caret=f"there are {channels} channels, and {what} has shape {values.shape}",
            )
    check_first_parameter_dtype(x, weight, bias)
    require_kind(x, "GroupNormKernelImpl", "f")
    check_parameter_dtypes(x, weight, bias)
    name = "NativeGroupNormBackward0"
    grouped = reshape(x, shape=(x.shape[0], groups, -1 if x.entry_count else 0))
    plain = reshape.named(name)(standardize(grouped, dim=(2,), eps=eps), shape=x.shape)
    return scale_and_shift(plain, weight, bias, channel_shape(x), name)


@public(
    "F.local_response_norm(input: tensor, size: int, alpha: float = 0.0001, beta: float = 0.75,"
    " k: float = 1.0)",
    method=False,
)
def local_response_norm(x: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """x divided by a power of the mean square of neighbouring channels."""
    if x.ndim < 3:
        raise ShapeError(
            f"Expected 3D or higher dimensionality                          input (got {x.ndim} dimensions)",
            code="E0206",
            operands=(x,),
        )
    if not x.entry_count:
        return x
    # The channels become the height of images or the depth of volumes; windows extend only along it.
    dims = 2 if x.ndim == 3 else 3
    depth = (1, x.shape[1], x.shape[2], *((-1,) if dims == 3 else ()))
    squares = reshape_tensor(x * x, (x.shape[0], *depth))
    padded = FUNCTIONS["F.pad"](squares, (0, 0) * (dims - 1) + (size // 2, (size - 1) // 2))
    means = FUNCTIONS[f"F.avg_pool{dims}d"](padded, (size, *(1,) * (dims - 1)), stride=1)
    return div(x, (reshape(means, shape=x.shape) * alpha + k) ** beta)

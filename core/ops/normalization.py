"""Normalizing layers: zero mean and unit variance, then weight and bias.

``standardize`` is the one rule of its own: (x - mean) / sqrt(var + eps) loses digits and costs six passes
when it is differentiated piece by piece.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import public
from autodiff.core.lazy import np
from autodiff.core.mode import no_grad
from autodiff.core.op import Op, primitive
from autodiff.core.ops.arithmetic import add, div, mul
from autodiff.core.ops.dims import wrap_dim
from autodiff.core.ops.reduction import mean, sum
from autodiff.core.ops.shape import clone, permute, reshape
from autodiff.core.ops.transcendental import rsqrt, sqrt
from autodiff.core.ops.windows import constant_pad, windows
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dims = tuple[int, ...]


# -- zero mean, unit variance ---------------------------------------------------------------------------


def standardize_forward(x: Any, *, dim: Dims, eps: float) -> Any:
    if not x.size:  # of which numpy says that it has no mean
        return x.copy()
    centred = x - x.mean(axis=dim, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(axis=dim, keepdims=True) + eps)


def inverse_deviation(x: Any, dim: Dims, eps: float) -> Any:
    """1 / sqrt(var + eps)."""
    centred = x - mean(x, dim=dim, keepdim=True)
    return rsqrt(mean(centred * centred, dim=dim, keepdim=True) + eps)


def standardize_vjp(g: Any, out: Any, x: Any, *, dim: Dims, eps: float) -> Any:
    """(g - mean(g) - out mean(g out)) / sqrt(var + eps) (Ioffe and Szegedy 2015)."""
    inner = g - mean(g, dim=dim, keepdim=True) - out * mean(g * out, dim=dim, keepdim=True)
    return inner * inverse_deviation(x, dim, eps)


standardize: Op = primitive("standardize", standardize_forward, standardize_vjp, saved=((0,),))


def scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: Dims, grad_fn: str) -> Tensor:
    """x times the weight plus the bias, both laid along ``shape``; the node torch shows for the layer."""
    if weight is not None:
        x = (mul if bias is not None else mul.named(grad_fn))(x, reshape(weight, shape=shape))
    return x if bias is None else add.named(grad_fn)(x, reshape(bias, shape=shape))


def check_floating(x: Tensor, name: str) -> None:
    if not x.dtype.is_floating_point:
        raise ScriptError(
            f"\"{name}\" not implemented for '{x.dtype.long_name}'", code="E0312", operands=(x,)
        )


def check_parameter_types(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> None:
    """What torch says of a weight and a bias of another type than x: it takes float32 beside half floats."""
    if weight is not None and weight.dtype is not x.dtype:
        message = "mixed dtype (CPU): all inputs must share same datatype."
        if any(given is not None and given.dtype.name != "float32" for given in (weight, bias)):
            message = "mixed dtype (CPU): expect parameter to have scalar type of Float"
    elif bias is not None and bias.dtype is not x.dtype:
        message = f"expected scalar type {x.dtype.long_name} but found {bias.dtype.long_name}"
    else:
        return
    operands = tuple(given for given in (x, weight, bias) if given is not None)
    kinds = ", ".join(given.dtype.name for given in operands)
    raise ScriptError(message, code="E0312", operands=operands, caret=f"these hold {kinds} numbers")


def trailing(x: Tensor, shape: Dims, mark: str = ", ") -> Dims:
    """The last dimensions, which must have the shape given."""
    if not shape:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element,"
            " but got normalized_shape = []",
            operands=(x,),
        )
    if x.shape[-len(shape) :] != tuple(shape) or x.ndim < len(shape):
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape"
            f" [*{mark}{', '.join(map(str, shape))}], but got input of size{list(x.shape)}",
            operands=(x,),
        )
    return tuple(range(x.ndim - len(shape), x.ndim))


def check_scale(given: Tensor | None, name: str, shape: Dims) -> None:
    if given is not None and given.shape != tuple(shape):
        raise ShapeError(
            f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape"
            f" {list(given.shape)} and normalized_shape = {list(shape)}",
            operands=(given,),
        )


@public(
    "F.layer_norm(input: tensor, normalized_shape: size, weight: tensor = None, bias: tensor = None,"
    " eps: float = 1e-05)",
    also=("layer_norm",),
    method=False,
)
def layer_norm(x: Tensor, shape: Dims, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then weight and bias entry by entry."""
    dims = trailing(x, shape)
    check_scale(weight, "weight", shape)
    check_scale(bias, "bias", shape)
    check_parameter_types(x, weight, bias)
    check_floating(x, "LayerNormKernelImpl")
    name = "NativeLayerNormBackward0"
    plain = standardize.named(name)(x, dim=dims, eps=eps)
    return scaled(plain, weight, bias, tuple(shape), name)


@public(
    "F.rms_norm(input: tensor, normalized_shape: size, weight: tensor = None, eps: float = None)",
    also=("rms_norm",),
    method=False,
)
def rms_norm(x: Tensor, shape: Dims, weight: Tensor | None, eps: float | None) -> Tensor:
    """x over its root mean square along the last dimensions, times the weight."""
    dims = trailing(x, shape, "")
    check_scale(weight, "weight", shape)
    check_floating(x, "rms_norm")
    small = float(np.finfo(x.data.dtype).eps) if eps is None else eps
    out = x * rsqrt(mean(x * x, dim=dims, keepdim=True) + small)
    if weight is None:
        return out
    product = out * weight
    return product if product.data.flags.c_contiguous else clone(product)  # torch brings it in row order


def per_channel(x: Tensor) -> Dims:
    """The shape along which one number per channel is laid."""
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
    """Zero mean and unit variance per channel; without ``training`` by the running mean and variance."""
    name = "NativeBatchNormBackward0"
    wrap_dim(x, 1)
    dims = (0, *range(2, x.ndim))
    count = math.prod(x.shape[axis] for axis in dims)
    if training and count < 2:
        raise ShapeError(
            "Expected more than 1 value per channel when training, got input size"
            f" torch.Size({list(x.shape)})",
            code="E0206",
            operands=(x,),
        )
    for place, (what, values) in enumerate((("running_mean", running_mean), ("running_var", running_var))):
        if values is not None and values.__class__ is not Tensor:
            raise ScriptError(
                f"batch_norm(): argument '{what}' (position {place + 2}) must be Tensor, not"
                f" {type(values).__name__}",
                code="E0310",
            )
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for what, values in given.items():
        if values is not None and values.size != x.shape[1]:
            raise ShapeError(
                f"{what} should contain {x.shape[1]} elements not {values.size}", operands=(x, values)
            )
        if values is None and not training and what.startswith("running"):
            raise ScriptError(f"{what} must be defined in evaluation mode")
    check_floating(x, "batch_norm")
    check_parameter_types(x, weight, bias)
    shape = per_channel(x)
    if training:
        plain = standardize.named(name)(x, dim=dims, eps=eps)
        with no_grad():
            update_running(x, dims, running_mean, running_var, momentum, count)
    else:
        deviation = sqrt(reshape(running_var, shape=shape) + eps)
        plain = div.named(name)(x - reshape(running_mean, shape=shape), deviation)
    return scaled(plain, weight, bias, shape, name)


def update_running(
    x: Tensor, dims: Dims, running_mean: Any, running_var: Any, momentum: float, count: int
) -> None:
    """Move the running mean and (unbiased) variance towards those of this batch, in place."""
    data = x.data
    for running, batch in (
        (running_mean, data.mean(axis=dims)),
        (running_var, data.var(axis=dims) * (count / (count - 1))),
    ):
        if running is not None:
            running.assign_in_place(running * (1 - momentum) + Tensor((momentum * batch).astype(data.dtype)))


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
    if not use_input_stats:
        normal = batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
        return reshape(normal, shape=x.shape)
    dims = tuple(range(2, x.ndim))
    if math.prod(x.shape[axis] for axis in dims) < 2:
        raise ShapeError(
            f"Expected more than 1 spatial element when training, got input size torch.Size({list(x.shape)})",
            code="E0206",
            operands=(x,),
        )
    repeats = x.shape[0]  # torch repeats weight and bias for every input before it counts them
    for what, values in (("weight", weight), ("bias", bias)):
        if values is not None and values.ndim > 1:
            raise ShapeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
                operands=(values,),
                caret=f"{what} has one entry for each of {x.shape[1]} channels",
            )
        if values is not None and values.size != x.shape[1]:
            raise ShapeError(
                f"{what} should contain {repeats * x.shape[1]} elements not {repeats * values.size}",
                operands=(x, values),
                caret=f"there are {x.shape[1]} channels, and {what} has {values.size} entries",
            )
    check_floating(x, "batch_norm")
    check_parameter_types(x, weight, bias)
    return scaled(
        standardize.named("ViewBackward0")(x, dim=dims, eps=eps),
        weight,
        bias,
        per_channel(x),
        "ViewBackward0",
    )


@public(
    "F.group_norm(input: tensor, num_groups: int, weight: tensor = None, bias: tensor = None,"
    " eps: float = 1e-05)",
    also=("group_norm",),
    method=False,
)
def group_norm(x: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """Zero mean and unit variance per group of channels of each input."""
    if groups <= 0:
        raise ScriptError(f"Expected num groups to be greater than 0, got {groups}")
    if x.ndim < 2:
        raise ShapeError(
            f"Expected at least 2 dimensions for input tensor but received {x.ndim}", operands=(x,)
        )
    if x.shape[1] % groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape"
            f" {list(x.shape)} and num_groups={groups}",
            operands=(x,),
        )
    for what, values in (("weight", weight), ("bias", bias)):
        if values is not None and values.shape != (x.shape[1],):
            named = values if weight is None else weight  # torch shows the weight's shape for both
            raise ShapeError(
                f"Expected {what} to be a vector of size equal to the number of channels in input, but got"
                f" {what} of shape {list(named.shape)} and input of shape {list(x.shape)}",
                operands=(x, values),
                caret=f"there are {x.shape[1]} channels, and {what} has shape {values.shape}",
            )
    check_parameter_types(x, weight, bias)
    check_floating(x, "GroupNormKernelImpl")
    name = "NativeGroupNormBackward0"
    grouped = reshape(x, shape=(x.shape[0], groups, -1 if x.size else 0))
    plain = reshape.named(name)(standardize(grouped, dim=(2,), eps=eps), shape=x.shape)
    return scaled(plain, weight, bias, per_channel(x), name)


@public(
    "F.local_response_norm(input: tensor, size: int, alpha: float = 0.0001, beta: float = 0.75,"
    " k: float = 1.0)",
    method=False,
)
def local_response_norm(x: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """x over a power of the mean square of neighbouring channels."""
    if x.ndim < 3:
        raise ShapeError(
            f"Expected 3D or higher dimensionality                          input (got {x.ndim} dimensions)",
            code="E0206",
            operands=(x,),
        )
    if not 0 < size < 1 << 31:
        raise ScriptError(f"kernel size should be greater than zero, but got kH: {size} kW: 1")
    if not x.size:
        return clone(x)
    channels_last = permute(x * x, dims=(0, *range(2, x.ndim), 1))
    padded = constant_pad(channels_last, pads=((size // 2, (size - 1) // 2),), value=0.0)
    seen = windows(padded, kernel=(size,), stride=(1,), dilation=(1,))
    means = sum(seen, dim=(seen.ndim - 1,), keepdim=False) / float(size)
    back = permute(means, dims=(0, x.ndim - 1, *range(1, x.ndim - 1)))
    return div(x, (back * alpha + k) ** beta)

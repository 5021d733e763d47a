"""Activations, layers and losses of neural networks, under the names torch records for them.

Each is one node where torch has one: the derivation then reads as the textbook's formula, and extreme
inputs are met by formulas that neither overflow nor cancel.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.dtypes import promote
from autodiff.core.errors import ScriptError, ShapeError
from autodiff.core.functions import FUNCTIONS, expose, public
from autodiff.core.lazy import np
from autodiff.core.op import Op, elementwise, primitive, selective
from autodiff.core.ops.arithmetic import div, mul, sub
from autodiff.core.ops.comparison import where
from autodiff.core.ops.dims import wrap_dim
from autodiff.core.ops.reduction import mean, sum
from autodiff.core.ops.selection import abs, maximum, sign
from autodiff.core.ops.shape import expand, is_contiguous, reshape, t, to
from autodiff.core.ops.transcendental import erf, exp, log, sigmoid, sigmoid_scalar, tanh, xlogy
from autodiff.core.tensor import Tensor, _check_broadcast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.dtypes import DType
    from autodiff.core.node import Node

# -- activations --------------------------------------------------------------------------------------

ROOT_2 = math.sqrt(2)
ROOT_2_PI = math.sqrt(2 * math.pi)
ROOT_2_OVER_PI = math.sqrt(2 / math.pi)
CUBIC = 0.044715
SMALLEST = 9.999999960041972e-13  # 1e-12 as a float32, which is how torch holds it
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def gelu_forward(x: Any) -> Any:
    return x * 0.5 * (1 + erf.forward(x / ROOT_2))


def gelu_inner(x: Any) -> Any:
    """The cubic inside the tanh that stands in for erf."""
    return ROOT_2_OVER_PI * (x + CUBIC * x**3)


def gelu_tanh_partial(out: Any, x: Any) -> Any:
    """½(1 + t) + ½ x (1 - t²) · inner'(x), where t = tanh(inner(x))."""
    t = tanh(gelu_inner(x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * (ROOT_2_OVER_PI * (1 + 3 * CUBIC * x**2))


def softplus_forward(x: Any, *, beta: float, threshold: float) -> Any:
    """log(1 + exp(beta x)) / beta, and x itself above the threshold, as torch has it."""
    return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)


def mish_partial(out: Any, x: Any) -> Any:
    """t + x (1 - t²) sigmoid(x), where t = tanh(softplus(x))."""
    t = tanh(softplus(x, beta=1.0, threshold=20.0))
    return t + x * (1 - t**2) * sigmoid(x)


def elu_forward(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x <= 0, np.expm1(x * input_scale) * (alpha * scale), x * scale)


gelu = elementwise(
    "gelu",
    gelu_forward,
    lambda out, x: 0.5 * (1 + erf(x / ROOT_2)) + x * (exp(-(x**2) / 2) / ROOT_2_PI),
    scalar=lambda x: x * 0.5 * (1 + math.erf(x / ROOT_2)),
    real=True,
)
gelu_tanh = elementwise(
    "gelu_tanh",
    lambda x: 0.5 * x * (1 + np.tanh(gelu_inner(x))),
    gelu_tanh_partial,
    scalar=lambda x: 0.5 * x * (1 + math.tanh(gelu_inner(x))),
    real=True,
    grad_fn="GeluBackward0",
)
silu = elementwise(
    "silu",
    lambda x: x * sigmoid.forward(x),
    lambda out, x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    scalar=lambda x: x * sigmoid_scalar(x),
    real=True,
)
softplus: Op = selective(
    "softplus",
    softplus_forward,
    lambda g, out, x, beta, threshold: where(x * beta > threshold, g, g * sigmoid(beta * x)),
)
logsigmoid = elementwise(
    "logsigmoid",
    lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    lambda out, x: sigmoid(-x),
    scalar=lambda x: min(x, 0.0) - math.log1p(math.exp(-math.fabs(x))),
    real=True,
    grad_fn="LogSigmoidBackward0",
)
mish = elementwise(
    "mish",
    lambda x: x * np.tanh(softplus_forward(x, beta=1.0, threshold=20.0)),
    mish_partial,
    real=True,
)
leaky_relu = selective(
    "leaky_relu",
    lambda x, negative_slope: np.where(x > 0, x, x * negative_slope),
    lambda g, out, x, negative_slope: where(x > 0, g, g * negative_slope),
    kink="at 0 the slope is that of the negative side",
)
elu = selective(
    "elu",
    elu_forward,
    lambda g, out, x, alpha, scale, input_scale: where(
        x <= 0, g * (input_scale * alpha * scale) * exp(x * input_scale), g * scale
    ),
    kink="at 0 the slope is that of the negative side",
)
hardtanh = selective(
    "hardtanh",
    lambda x, min_val, max_val: np.minimum(np.maximum(x, min_val), max_val),
    lambda g, out, x, min_val, max_val: where((x <= min_val) | (x >= max_val), 0.0, g),
    kink="the slope at the bounds is 0",
)
hardsigmoid = selective(
    "hardsigmoid",
    lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6,
    lambda g, out, x: where((x > -3) & (x < 3), g / 6, 0.0),
    kink="the slope at -3 and 3 is 0",
)
hardswish = selective(
    "hardswish",
    lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6,
    lambda g, out, x: where(x <= -3, 0.0, where(x < 3, g * (x / 3 + 0.5), g)),
    kink="the slope is 0 at -3 and 1 at 3",
)
softshrink = selective(
    "softshrink",
    lambda x, lambd: np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, x * 0)),
    lambda g, out, x, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g),
    kink="the slope at the bounds is 0",
)
hardshrink = selective(
    "hardshrink",
    lambda x, lambd: np.where((x >= -lambd) & (x <= lambd), 0, x),
    lambda g, out, x, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g),
    kink="the slope at the bounds is 0",
)
threshold = selective(
    "threshold",
    lambda x, threshold, value: np.where(x <= threshold, value, x),
    lambda g, out, x, threshold, value: where(x <= threshold, 0.0, g),
    kink="the slope at the threshold is 0",
)
prelu = selective(
    "prelu",
    lambda x, weight: np.where(x > 0, x, weight * x),
    lambda g, out, x, weight: where(x > 0, g, g * weight),
    lambda g, out, x, weight: where(x > 0, 0.0, g * x),
    grad_fn="PreluKernelBackward0",
    kink="at 0 the slope is that of the negative side",
)


def softmax_forward(x: Any, *, dim: int) -> Any:
    """Shifted by the largest entry, so that no exponential overflows."""
    if not x.size:
        return x
    e = np.exp(x - x.max(axis=dim, keepdims=True)) if x.ndim else np.exp(x - x)
    return e / (e.sum(axis=dim, keepdims=True) if x.ndim else e)


def log_softmax_forward(x: Any, *, dim: int) -> Any:
    if not x.size:
        return x
    if not x.ndim:
        return x - x
    shifted = x - x.max(axis=dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def sum_along(x: Any, dim: int) -> Any:
    return sum(x, dim=(dim,) if x.shape else (), keepdim=True)


softmax = primitive(
    "softmax",
    softmax_forward,
    lambda g, out, x, dim: out * (g - sum_along(g * out, dim)),
)
log_softmax = primitive(
    "log_softmax",
    log_softmax_forward,
    lambda g, out, x, dim: g - exp(out) * sum_along(g, dim),
)


def cast(x: Tensor, dtype: DType | None) -> Tensor:
    return x if dtype is None or x.dtype is dtype else to(x, dtype=dtype.name)


def softmax_dim(x: Tensor, dim: int | None) -> int:
    """The dimension meant; torch's choice when none is named."""
    return wrap_dim(x, dim) if dim is not None else 0 if x.ndim in (0, 1, 3) else 1


expose("F.silu(input, inplace: bool = False)", lambda x, inplace: silu(x), method=False)
expose("F.mish(input, inplace: bool = False)", lambda x, inplace: mish(x), method=False)
expose("F.logsigmoid(input)", logsigmoid, method=False)
expose("F.tanhshrink(input)", lambda x: x - tanh(x), method=False)
expose("F.softsign(input)", lambda x: x / (1 + abs(x)), method=False)
expose("F.hardsigmoid(input)", hardsigmoid, method=False)
expose("F.hardswish(input)", hardswish, method=False)
expose("F.tanh(input)", tanh, method=False)


@public("softmax(input: tensor, dim: int = None, dtype: dtype = None)", also=("F.softmax", "special.softmax"))
def softmax_along(x: Tensor, dim: int | None, dtype: DType | None) -> Tensor:
    """exp(x) / Σ exp(x) along a dimension."""
    return softmax(cast(x, dtype), dim=softmax_dim(x, dim))


@public("F.softmin(input: tensor, dim: int = None, dtype: dtype = None)", method=False)
def softmin(x: Tensor, dim: int | None, dtype: DType | None) -> Tensor:
    """softmax of the negated entries."""
    return softmax(-cast(x, dtype), dim=softmax_dim(x, dim))


@public(
    "log_softmax(input: tensor, dim: int = None, dtype: dtype = None)",
    also=("F.log_softmax", "special.log_softmax"),
)
def log_softmax_along(x: Tensor, dim: int | None, dtype: DType | None) -> Tensor:
    """The logarithm of softmax, computed without rounding it to 0 first."""
    return log_softmax(cast(x, dtype), dim=softmax_dim(x, dim))


@public("F.softplus(input, beta: float = 1, threshold: float = 20)", method=False)
def softplus_of(x: Any, beta: float, threshold: float) -> Any:
    """log(1 + exp(beta x)) / beta."""
    return softplus(x, beta=beta, threshold=threshold)


@public("F.gelu(input, approximate: str = 'none')", method=False)
def gelu_of(x: Any, approximate: str) -> Any:
    """x times the normal distribution function, or its "tanh" approximation."""
    if approximate not in ("none", "tanh"):
        raise ScriptError("approximate argument must be either none or tanh.")
    return gelu_tanh(x) if approximate == "tanh" else gelu(x)


@public("F.leaky_relu(input, negative_slope: float = 0.01, inplace: bool = False)", method=False)
def leaky_relu_of(x: Any, negative_slope: float, inplace: bool) -> Any:
    """x above 0, and a small multiple of it below."""
    return leaky_relu(x, negative_slope=negative_slope)


@public("F.elu(input, alpha: float = 1.0, inplace: bool = False)", method=False)
def elu_of(x: Any, alpha: float, inplace: bool) -> Any:
    """x above 0, alpha (exp(x) - 1) below."""
    return elu(x, alpha=alpha, scale=1.0, input_scale=1.0)


@public("selu(input)", also=("F.selu",), method=False)
def selu(x: Any) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1."""
    return elu(x, alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1.0)


@public("celu(input, alpha: float = 1.0)", also=("F.celu",), method=False)
def celu(x: Any, alpha: float) -> Any:
    """x above 0, alpha (exp(x / alpha) - 1) below."""
    return elu.named("CeluBackward0")(x, alpha=alpha, scale=1.0, input_scale=1 / alpha)


@public("F.relu6(input, inplace: bool = False)", method=False)
def relu6(x: Any, inplace: bool) -> Any:
    """x kept between 0 and 6."""
    return hardtanh(x, min_val=0.0, max_val=6.0)


@public("F.hardtanh(input, min_val: float = -1.0, max_val: float = 1.0)", method=False)
def hardtanh_of(x: Any, min_val: float, max_val: float) -> Any:
    """x kept between two bounds."""
    return hardtanh(x, min_val=min_val, max_val=max_val)


@public("F.softshrink(input, lambd: float = 0.5)", method=False)
def softshrink_of(x: Any, lambd: float) -> Any:
    """x moved towards 0 by lambd, and 0 where it is nearer."""
    return softshrink(x, lambd=lambd)


@public("F.hardshrink(input, lambd: float = 0.5)", also=("hardshrink",), method=False)
def hardshrink_of(x: Any, lambd: float) -> Any:
    """x, and 0 where it is nearer to 0 than lambd."""
    return hardshrink(x, lambd=lambd)


@public("F.threshold(input, threshold: float, value: float)", also=("threshold",), method=False)
def threshold_of(x: Any, at: float, value: float) -> Any:
    """x above the threshold, ``value`` elsewhere."""
    return threshold(x, threshold=at, value=value)


@public("prelu(input: tensor, weight: tensor)", also=("F.prelu",))
def prelu_of(x: Tensor, weight: Tensor) -> Tensor:
    """x above 0 and a learned multiple of it below, one weight per channel or one for all."""
    if weight.ndim == 1 and x.ndim > 1:
        weight = reshape(weight, shape=(1, weight.size) + (1,) * (x.ndim - 2))
    return prelu(x, weight)


# -- linear -------------------------------------------------------------------------------------------


@public("F.linear(input: tensor, weight: tensor, bias: tensor = None)", method=False)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x @ weight.T + bias; ``weight`` has one row per output."""
    matmul = FUNCTIONS["torch.matmul"]
    transposed = t(weight) if weight.ndim == 2 else weight
    if bias is None:
        return matmul(x, transposed)
    if x.ndim == 2 and weight.ndim == 2:
        return FUNCTIONS["torch.addmm"](bias, x, transposed)
    if weight.ndim == 2 and x.ndim and x.shape[-1] == weight.shape[1] and is_contiguous(x):
        rows = FUNCTIONS["torch.addmm"](bias, reshape(x, shape=(-1, x.shape[-1])), transposed)
        return reshape(rows, shape=(*x.shape[:-1], weight.shape[0]))
    return matmul(x, transposed) + bias


# -- losses: entry by entry, then reduced --------------------------------------------------------------

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise ScriptError(
            f"{reduction} is not a valid value for reduction", help=("use 'mean', 'sum' or 'none'",)
        )
    return reduction


def reduced(losses: Any, reduction: str) -> Any:
    """The losses as arrays, put together."""
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else np.true_divide(losses.sum(), losses.size)


def reduce_tensor(losses: Tensor, reduction: str, grad_fn: str | None = None) -> Tensor:
    """The losses as Tensors, put together by recorded ops; the last one may bear the loss's own name."""
    if check_reduction(reduction) == "none":
        return losses
    op = sum if reduction == "sum" else mean
    return (op.named(grad_fn) if grad_fn else op)(losses, dim=None, keepdim=False)


def share(g: Any, x: Any, reduction: str) -> Any:
    """What each entry's loss receives."""
    if reduction == "mean":
        g = g / (math.prod(x.shape) or math.nan)
    return g if reduction == "none" else expand(g, shape=x.shape)


def entrywise_loss(
    name: str, forward: Callable[..., Any], *partials: Callable[..., Any], **details: Any
) -> Op:
    """A loss of operands of one shape: the forward and the partials are those of one entry."""

    def vjp(partial: Callable[..., Any]) -> Callable[..., Any]:
        def rule(g: Any, out: Any, *operands: Any, reduction: str, **params: Any) -> Any:
            return share(g, operands[0], reduction) * partial(*operands, **params)

        return rule

    def whole(*operands: Any, reduction: str, **params: Any) -> Any:
        return reduced(forward(*operands, **params), reduction)

    return primitive(name, whole, *map(vjp, partials), **details)


def smooth_l1_forward(x: Any, y: Any, *, beta: float) -> Any:
    size = np.abs(x - y)
    return np.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta) if beta else size


def smooth_l1_partial(x: Any, y: Any, *, beta: float) -> Any:
    """(x - y) / beta near 0, its sign farther away."""
    if not beta:
        return sign(x - y)
    return where(abs(x - y) < beta, (x - y) / beta, sign(x - y))


def huber_forward(x: Any, y: Any, *, delta: float) -> Any:
    size = np.abs(x - y)
    return np.where(size < delta, 0.5 * size * size, delta * (size - 0.5 * delta))


def huber_partial(x: Any, y: Any, *, delta: float) -> Any:
    """x - y, kept between -delta and delta."""
    return where(abs(x - y) < delta, x - y, delta * sign(x - y))


def clamped_log(x: Any) -> Any:
    """torch lets no logarithm fall below -100 in this loss."""
    return np.maximum(np.log(x), -100)


def bce_partial(x: Any, y: Any) -> Any:
    """(x - y) / (x (1 - x)), with torch's guard against a vanishing denominator."""
    return (x - y) / maximum(x * (1 - x), SMALLEST)


def check_probabilities(x: Any) -> None:
    if ((x < 0) | (x > 1)).any():
        raise ScriptError(
            "all elements of input should be between 0 and 1",
            help=("apply sigmoid first, or use binary_cross_entropy_with_logits",),
        )


def bce_forward(x: Any, y: Any) -> Any:
    check_probabilities(x)
    return -(y * clamped_log(x) + (1 - y) * np.maximum(np.log1p(-x), -100))


mse_loss_op = entrywise_loss(
    "mse_loss",
    lambda x, y: np.square(x - y),
    lambda x, y: 2 * (x - y),
    lambda x, y: -2 * (x - y),
)
smooth_l1_loss_op = entrywise_loss(
    "smooth_l1_loss",
    smooth_l1_forward,
    smooth_l1_partial,
    lambda x, y, beta: -smooth_l1_partial(x, y, beta=beta),
    grad_fn="SmoothL1LossBackward0",
)
huber_loss_op = entrywise_loss(
    "huber_loss", huber_forward, huber_partial, lambda x, y, delta: -huber_partial(x, y, delta=delta)
)
binary_cross_entropy_op = entrywise_loss(
    "binary_cross_entropy",
    bce_forward,
    bce_partial,
    lambda x, y: log(1 - x) - log(x),
)
bce_with_logits_op = entrywise_loss(
    "binary_cross_entropy_with_logits",
    lambda x, y: np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x))),
    lambda x, y: sigmoid(x) - y,
    lambda x, y: -x,
)


def of_one_shape(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Both in their common type and shape."""
    if x.dtype is not y.dtype:
        common = promote([(x.dtype, x.ndim), (y.dtype, y.ndim)])
        x, y = cast(x, common), cast(y, common)
    if x.shape == y.shape:
        return x, y
    _check_broadcast((x, y))
    shape = np.broadcast_shapes(x.shape, y.shape)
    return expand(x, shape=shape), expand(y, shape=shape)


@public("F.mse_loss(input: tensor, target: tensor, reduction: str = 'mean')", method=False)
def mse_loss(x: Tensor, y: Tensor, reduction: str) -> Tensor:
    """The squared differences, averaged."""
    return mse_loss_op(*of_one_shape(x, y), reduction=check_reduction(reduction))


@public("F.l1_loss(input: tensor, target: tensor, reduction: str = 'mean')", method=False)
def l1_loss(x: Tensor, y: Tensor, reduction: str) -> Tensor:
    """The absolute differences, averaged."""
    x, y = of_one_shape(x, y)
    return reduce_tensor(abs(x - y), reduction)


@public(
    "F.smooth_l1_loss(input: tensor, target: tensor, reduction: str = 'mean', beta: float = 1.0)",
    method=False,
)
def smooth_l1_loss(x: Tensor, y: Tensor, reduction: str, beta: float) -> Tensor:
    """Quadratic below beta, linear above."""
    return smooth_l1_loss_op(*of_one_shape(x, y), reduction=check_reduction(reduction), beta=beta)


@public(
    "F.huber_loss(input: tensor, target: tensor, reduction: str = 'mean', delta: float = 1.0)", method=False
)
def huber_loss(x: Tensor, y: Tensor, reduction: str, delta: float) -> Tensor:
    """Quadratic below delta, linear above with slope delta."""
    return huber_loss_op(*of_one_shape(x, y), reduction=check_reduction(reduction), delta=delta)


@public(
    "F.binary_cross_entropy(input: tensor, target: tensor, weight: tensor = None, reduction: str = 'mean')",
    method=False,
)
def binary_cross_entropy(x: Tensor, y: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """-(y log x + (1 - y) log(1 - x)) for probabilities x, averaged."""
    check_same_size(
        x, y, "Using a target size ({1}) that is different to the input size ({0}) is deprecated."
    )
    return weighted(binary_cross_entropy_op, x, y, weight, reduction)


@public(
    "F.binary_cross_entropy_with_logits(input: tensor, target: tensor, weight: tensor = None,"
    " reduction: str = 'mean', pos_weight: tensor = None)",
    method=False,
)
def binary_cross_entropy_with_logits(
    x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, pos_weight: Tensor | None
) -> Tensor:
    """binary_cross_entropy of sigmoid(x), computed from x."""
    check_same_size(x, y, "Target size ({1}) must be the same as input size ({0})")
    if pos_weight is None:
        return weighted(bce_with_logits_op, x, y, weight, reduction)
    name = str(bce_with_logits_op.grad_fn)
    losses = sub.named(name)((1 - y) * x, (1 + (pos_weight - 1) * y) * logsigmoid(x))
    if weight is not None:
        losses = mul.named(name)(losses, weight)
    return reduce_tensor(losses, reduction, name)


def check_same_size(x: Tensor, y: Tensor, message: str) -> None:
    if x.shape != y.shape:
        sizes = (f"torch.Size({list(x.shape)})", f"torch.Size({list(y.shape)})")
        raise ShapeError(message.format(*sizes), operands=(x, y))


def weighted(op: Op, x: Tensor, y: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    x, y = of_one_shape(x, y)
    if weight is None:
        return op(x, y, reduction=check_reduction(reduction))
    name = str(op.grad_fn)
    return reduce_tensor(mul.named(name)(op(x, y, reduction="none"), weight), reduction, name)


@public(
    "F.kl_div(input: tensor, target: tensor, reduction: str = 'mean', log_target: bool = False)", method=False
)
def kl_div(x: Tensor, y: Tensor, reduction: str, log_target: bool) -> Tensor:
    """target (log target - input), where ``input`` holds logarithms of probabilities."""
    losses = exp(y) * (y - x) if log_target else xlogy(y, y) - y * x
    if reduction == "batchmean":
        return sum(losses, dim=None, keepdim=False) / x.shape[0]
    return reduce_tensor(losses, reduction)


# -- losses of classes --------------------------------------------------------------------------------


def class_axis(shape: tuple[int, ...]) -> int:
    return 0 if len(shape) == 1 else 1


def nll_forward(x: Any, *, target: Any, weight: Any, total: float, reduction: str) -> Any:
    """-weight · x[target] for every row, put together; ``total`` divides a mean."""
    axis = class_axis(x.shape)
    picked = np.take_along_axis(x, target, axis=axis)
    losses = np.squeeze(np.where(weight == 0, 0, -weight * picked), axis=axis).astype(x.dtype, copy=False)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else np.true_divide(losses.sum(), total)


def nll_transposed_forward(
    g: Any, *, shape: tuple[int, ...], target: Any, weight: Any, total: float, reduction: str
) -> Any:
    """-weight · g at the target of each row, 0 elsewhere."""
    axis = class_axis(shape)
    classes = np.arange(shape[axis]).reshape((-1,) + (1,) * (len(shape) - axis - 1))
    if reduction == "none":
        g = np.expand_dims(g, axis)
    if reduction == "mean":
        g = np.true_divide(g, total)
    return np.where((classes == target) & (weight != 0), -weight * g, 0).astype(g.dtype, copy=False)


def nll_grad_fn(node: Node) -> str:
    """torch brings inputs of three dimensions to four and, where nothing is reduced, back again."""
    ndim, reduction = node.params["target"].ndim, node.params["reduction"]
    if ndim <= 2:
        return "NllLossBackward0"
    return "ViewBackward0" if ndim == 3 and reduction == "none" else "NllLoss2DBackward0"


nll_loss_op: Op = primitive(
    "nll_loss",
    nll_forward,
    lambda g, out, x, **params: nll_transposed(g, shape=x.shape, **params),
    saves_params=True,
    grad_fn=nll_grad_fn,
)
nll_transposed: Op = primitive(
    "nll_transposed",
    nll_transposed_forward,
    lambda g, out, x, shape, **params: nll_loss_op(g, **params),
    saves_params=True,
    grad_fn="NllLossBackwardBackward0",
)


def class_targets(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> dict[str, Any]:
    """The parameters of nll_loss: every row's class, its weight and the sum of the weights."""
    axis = class_axis(x.shape)
    wanted = x.shape[:axis] + x.shape[axis + 1 :]
    if target.dtype.kind == "f":
        raise ScriptError(
            f"expected scalar type Long but found {target.dtype.long_name}",
            operands=(target,),
            help=("class numbers are ints: write `torch.tensor([0, 2])`, or call .long()",),
        )
    if x.ndim == 0 or target.shape != wanted:
        raise ShapeError(
            f"Expected input batch_size ({x.shape[0] if x.ndim else 1}) to match target batch_size"
            f" ({target.shape[0] if target.ndim else 1}).",
            operands=(x, target),
            caret=f"an input of shape {x.shape} needs targets of shape {wanted}, one class number per row",
        )
    index = np.expand_dims(np.asarray(target.data), axis)
    counted = index != ignore_index
    index = np.where(counted, index, 0)
    bad = index[(index < 0) | (index >= x.shape[axis])]
    if bad.size:
        raise ScriptError(
            f"Target {bad[0]} is out of bounds.",
            operands=(x, target),
            caret=f"there are {x.shape[axis]} classes, numbered from 0 to {x.shape[axis] - 1}",
        )
    weights = counted * (1.0 if weight is None else weight.data[index])
    return {"target": index, "weight": weights, "total": float(weights.sum())}


@public(
    "F.nll_loss(input: tensor, target: tensor, weight: tensor = None, size_average: any = None,"
    " ignore_index: int = -100, reduce: any = None, reduction: str = 'mean')",
    method=False,
)
def nll_loss(
    x: Tensor, target: Tensor, weight: Tensor | None, _: Any, ignore_index: int, __: Any, reduction: str
) -> Tensor:
    """Minus the logarithm of the probability of the right class, averaged; ``input`` holds logarithms."""
    classes = class_targets(x, target, weight, ignore_index)
    return nll_loss_op(x, **classes, reduction=check_reduction(reduction))


@public(
    "F.cross_entropy(input: tensor, target: tensor, weight: tensor = None, size_average: any = None,"
    " ignore_index: int = -100, reduce: any = None, reduction: str = 'mean', label_smoothing: float = 0.0)",
    method=False,
)
def cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    _: Any,
    ignore_index: int,
    __: Any,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """nll_loss of log_softmax; ``target`` holds class numbers, or one probability per class."""
    check_reduction(reduction)
    axis = class_axis(x.shape)
    if target.shape == x.shape and target.dtype.kind == "f":
        return soft_cross_entropy(log_softmax(x, dim=axis), target, weight, reduction, label_smoothing)
    classes = class_targets(x, target, weight, ignore_index)
    logs = log_softmax(x, dim=axis)
    loss = nll_loss_op(logs, **classes, reduction=reduction)
    if not label_smoothing:
        return loss
    weighted_logs = logs if weight is None else logs * class_column(weight, x, axis)
    smooth = -sum(weighted_logs, dim=(axis,), keepdim=False)
    smooth = where(target != ignore_index, smooth, 0.0)
    if reduction != "none":
        smooth = sum(smooth, dim=None, keepdim=False)
    if reduction == "mean":
        smooth = smooth / classes["total"]
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / x.shape[axis])


def class_column(weight: Tensor, x: Tensor, axis: int) -> Tensor:
    """One weight per class, shaped to multiply ``x``."""
    return reshape(weight, shape=(-1,) + (1,) * (x.ndim - axis - 1))


def soft_cross_entropy(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float
) -> Tensor:
    """-Σ target · logs over the classes."""
    axis = class_axis(logs.shape)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / logs.shape[axis]
    products = logs * target
    if weight is not None:
        products = products * class_column(weight, logs, axis)
    if reduction == "none":
        return -sum(products, dim=(axis,), keepdim=False)
    total = -sum(products, dim=None, keepdim=False)
    return total if reduction == "sum" else div.named("DivBackward1")(total, logs.size // logs.shape[axis])

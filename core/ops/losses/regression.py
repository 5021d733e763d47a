"""Regression and binary classification losses, and the reductions that all losses share.

An entrywise loss is declared by the formula of one entry; ``entrywise_loss`` adds the reduction to it.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import saves_arguments
from autodiff.core.engine.in_place_checks import check_same_shape
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_castable
from autodiff.core.graph.dtypes import promote
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import mul, pow, sub
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.elementwise.selection import abs, maximum, sign
from autodiff.core.ops.elementwise.transcendental import exp, log, sigmoid, xlogy
from autodiff.core.ops.losses.checks import (
    check_any_floating,
    check_same_size,
    check_weight_broadcast,
    check_weight_same_shape,
    read_flag,
    warn_of_broadcast,
)
from autodiff.core.ops.nn.activations import logsigmoid
from autodiff.core.ops.reduce.reduction import check_floating, mean, sum
from autodiff.core.ops.shape.reshape import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise ScriptError(
            f"{reduction} is not a valid value for reduction",
            code="E0206",
            help=("use 'mean', 'sum' or 'none'",),
        )
    return reduction


REDUCTION_SIGNATURE = "size_average: any = None, reduce: any = None, reduction: any = 'mean'"


def resolve_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """Return the reduction; the deprecated ``size_average`` and ``reduce`` override it, with a warning."""
    if size_average is None and reduce is None:
        return check_reduction(reduction)
    # Like torch, evaluate the second argument only if the first does not decide.
    is_mean = (size_average is None or read_flag(size_average)) and (reduce is None or read_flag(reduce))
    wanted = "mean" if is_mean else "sum" if reduce is None or read_flag(reduce) else "none"
    mode.warn(f"size_average and reduce args will be deprecated, please use reduction='{wanted}' instead.")
    return wanted


def reduce_array(losses: Any, reduction: str) -> Any:
    """Return the reduced losses, as arrays."""
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else np.true_divide(losses.sum(), losses.size)


def reduce_tensor(losses: Tensor, reduction: str, grad_fn: str | None = None) -> Tensor:
    """Return the reduced losses as a Tensor, by recorded ops; ``grad_fn`` names the node of the last one."""
    if check_reduction(reduction) == "none":
        return losses
    op = sum if reduction == "sum" else mean
    return (op.named(grad_fn) if grad_fn else op)(losses, dim=None, keepdim=False)


def entry_cotangent(g: Any, x: Any, reduction: str) -> Any:
    """Return the cotangent of each entry's loss."""
    if reduction == "mean":
        g = g / (math.prod(x.shape) or math.inf)
    return g if reduction == "none" else expand(g, shape=x.shape)


def entrywise_loss(
    name: str, forward: Callable[..., Any], *partials: Callable[..., Any], **details: Any
) -> Op:
    """Return the op of a loss of operands of one shape, given the forward and the partials of one entry."""

    def vjp(partial: Callable[..., Any]) -> Callable[..., Any]:
        def rule(g: Any, out: Any, *operands: Any, reduction: str, **params: Any) -> Any:
            return entry_cotangent(g, operands[0], reduction) * partial(*operands, **params)

        return rule

    def whole(*operands: Any, reduction: str, **params: Any) -> Any:
        return reduce_array(forward(*operands, **params), reduction)

    return primitive(name, whole, *map(vjp, partials), **details)


def smooth_l1_forward(x: Any, y: Any, *, beta: float) -> Any:
    size = np.abs(x - y)
    return np.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def smooth_l1_partial(x: Any, y: Any, *, beta: float) -> Any:
    """(x - y) / beta where |x - y| < beta, sign(x - y) elsewhere."""
    return where(abs(x - y) >= beta, sign(x - y), (x - y) / beta)


def huber_forward(x: Any, y: Any, *, delta: float) -> Any:
    size = np.abs(x - y)
    return np.where(size < delta, 0.5 * size * size, delta * (size - 0.5 * delta))


def huber_partial(x: Any, y: Any, *, delta: float) -> Any:
    """x - y, clamped to [-delta, delta]."""
    return where(abs(x - y) >= delta, delta * sign(x - y), x - y)


def clamped_log(x: Any) -> Any:
    """Return log(x), but at least -100, as torch does in this loss."""
    return np.maximum(np.log(x), -100)


def bce_partial(x: Any, y: Any) -> Any:
    """(x - y) / (x (1 - x)), with torch's guard against a vanishing denominator."""
    return (x - y) / maximum(x * (1 - x), 1e-12)


def check_probabilities(x: Any, name: str, remedy: str) -> None:
    if not ((x >= 0) & (x <= 1)).all():
        raise ScriptError(f"all elements of {name} should be between 0 and 1", help=(remedy,))


def bce_forward(x: Any, y: Any) -> Any:
    check_probabilities(x, "input", "apply sigmoid first, or use binary_cross_entropy_with_logits")
    check_probabilities(y, "target", "a target is the probability of the first of two classes")
    return -(y * clamped_log(x) + (1 - y) * np.maximum(np.log1p(-x), -100))


mse_loss_op = entrywise_loss(
    "mse_loss",
    lambda x, y: np.square(x - y),
    lambda x, y: 2 * (x - y),
    lambda x, y: 2 * (y - x),
    fused_backward="MseLossBackwardBackward0",
)
smooth_l1_loss_op = entrywise_loss(
    "smooth_l1_loss",
    smooth_l1_forward,
    smooth_l1_partial,
    lambda x, y, beta: smooth_l1_partial(y, x, beta=beta),
    grad_fn="SmoothL1LossBackward0",
    fused_backward="SmoothL1LossBackwardBackward0",
)
huber_loss_op = entrywise_loss(
    "huber_loss",
    huber_forward,
    huber_partial,
    lambda x, y, delta: huber_partial(y, x, delta=delta),
    fused_backward="HuberLossBackwardBackward0",
)
binary_cross_entropy_op = entrywise_loss(
    "binary_cross_entropy",
    bce_forward,
    bce_partial,
    lambda x, y: -(log(x) - log(1 - x)),
    fused_backward="BinaryCrossEntropyBackwardBackward0",
)
bce_with_logits_op = entrywise_loss(
    "binary_cross_entropy_with_logits",
    lambda x, y: np.where(x > 0, x * (1 - y), -x * y) + np.log1p(np.exp(-np.abs(x))),
    lambda x, y: sigmoid(x) - y,
    lambda x, y: -x,
)


def broadcast_pair(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return both tensors in their common dtype and broadcast shape."""
    if x.dtype is not y.dtype:
        common = promote([(x.dtype, x.ndim), (y.dtype, y.ndim)])
        x, y = cast(x, common), cast(y, common)
    if x.shape == y.shape:
        return x, y
    broadcast_shape((x, y))
    shape = np.broadcast_shapes(x.shape, y.shape)
    return expand(x, shape=shape), expand(y, shape=shape)


def reduce_weighted(losses: Tensor, x: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Return the weighted losses, reduced; a mean divides by the sum of the weights, as in torch."""
    check_weight_same_shape(weight, x)
    if reduction not in REDUCTIONS:
        raise ScriptError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.", code="E0206"
        )
    products = losses * weight
    if reduction != "mean":
        return reduce_tensor(products, reduction)
    return reduce_tensor(products, "sum") / reduce_tensor(weight, "sum")


@public(
    f"F.mse_loss(input: tensor, target: tensor, {REDUCTION_SIGNATURE}, weight: tensor = None)", method=False
)
def mse_loss(
    x: Tensor, y: Tensor, size_average: Any, reduce: Any, reduction: str, weight: Tensor | None
) -> Tensor:
    """The squared differences, averaged."""
    if weight is None or size_average is not None or reduce is not None:
        reduction = resolve_reduction(size_average, reduce, reduction)
    warn_of_broadcast(x, y)
    if weight is not None:
        apart, target = broadcast_pair(x, y)
        return reduce_weighted(pow(apart - target, 2), x, weight, reduction)
    apart, target = broadcast_pair(x, y)
    check_any_floating("mse_cpu", apart, target)
    return mse_loss_op(apart, target, reduction=reduction)


@public(
    f"F.l1_loss(input: tensor, target: tensor, {REDUCTION_SIGNATURE}, weight: tensor = None)", method=False
)
def l1_loss(
    x: Tensor, y: Tensor, size_average: Any, reduce: Any, reduction: str, weight: Tensor | None
) -> Tensor:
    """The absolute differences, averaged."""
    if weight is None or size_average is not None or reduce is not None:
        reduction = resolve_reduction(size_average, reduce, reduction)
    warn_of_broadcast(x, y)
    if "bool" in (x.dtype.name, y.dtype.name):
        broadcast_shape((x, y))
        x - y  # raises, as in torch, whose other losses take bools for numbers
    apart, target = broadcast_pair(x, y)
    losses = abs(apart - target)
    if weight is not None:
        return reduce_weighted(losses, x, weight, reduction)
    if reduction == "mean":
        check_floating(losses, "mean")
    return reduce_tensor(losses, reduction)


@public(
    f"F.smooth_l1_loss(input: tensor, target: tensor, {REDUCTION_SIGNATURE}, beta: float = 1.0)",
    method=False,
)
def smooth_l1_loss(
    x: Tensor, y: Tensor, size_average: Any, reduce: Any, reduction: str, beta: float
) -> Tensor:
    """Quadratic where |input - target| < beta, linear elsewhere, averaged."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    warn_of_broadcast(x, y)
    apart, target = broadcast_pair(x, y)
    if not beta:
        return l1_loss(apart, target, None, None, reduction, None)
    if beta < 0:
        raise ScriptError("smooth_l1_loss does not support negative values for beta.")
    check_any_floating("smooth_l1_cpu", apart, target)
    return smooth_l1_loss_op(apart, target, reduction=reduction, beta=beta)


@public(
    "F.huber_loss(input: tensor, target: tensor, reduction: any = 'mean', delta: float = 1.0,"
    " weight: tensor = None)",
    method=False,
)
def huber_loss(x: Tensor, y: Tensor, reduction: str, delta: float, weight: Tensor | None) -> Tensor:
    """Quadratic where |input - target| < delta, linear with slope delta elsewhere, averaged."""
    warn_of_broadcast(x, y)
    apart, target = broadcast_pair(x, y)
    if weight is None:
        check_reduction(reduction)
    else:
        check_weight_same_shape(weight, x)
    if delta <= 0:
        raise ScriptError("huber_loss does not support non-positive values for delta.")
    require_castable(x, y)
    check_any_floating("huber_cpu", apart, target)
    if weight is None:
        return huber_loss_op(apart, target, reduction=reduction, delta=delta)
    losses = huber_loss_op(apart, target, reduction="none", delta=delta)
    if reduction == "mean" and weight.shape == x.shape:  # torch divides by the number of entries here
        return reduce_tensor(losses * weight, reduction)
    return reduce_weighted(losses, x, weight, reduction)


@public(
    f"F.binary_cross_entropy(input: tensor, target: tensor, weight: tensor = None, {REDUCTION_SIGNATURE})",
    method=False,
)
def binary_cross_entropy(
    x: Tensor, y: Tensor, weight: Tensor | None, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """-(y log x + (1 - y) log(1 - x)) for probabilities x, averaged."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    check_same_size(
        x,
        y,
        "Using a target size ({1}) that is different to the input size ({0}) is deprecated. Please ensure"
        " they have the same size.",
    )
    if y.dtype is not x.dtype:
        raise DtypeError(
            f"Found dtype {y.dtype.long_name} but expected {x.dtype.long_name}",
            operands=(x, y),
            caret=f"the input holds {x.dtype.name} numbers, the target {y.dtype.name}",
        )
    check_any_floating("binary_cross_entropy", x)
    if weight is not None:
        check_weight_broadcast(x, weight)
    return apply_weighted_loss(binary_cross_entropy_op, x, y, weight, reduction)


@public(
    "F.binary_cross_entropy_with_logits(input: tensor, target: tensor, weight: tensor = None,"
    f" {REDUCTION_SIGNATURE}, pos_weight: tensor = None)",
    method=False,
)
@saves_arguments("pos_weight")
def binary_cross_entropy_with_logits(
    x: Tensor,
    y: Tensor,
    weight: Tensor | None,
    size_average: Any,
    reduce: Any,
    reduction: str,
    pos_weight: Tensor | None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(x), computed from x."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    check_same_size(x, y, "Target size ({1}) must be the same as input size ({0})")
    check_any_floating("log_sigmoid_cpu", x)
    if y.dtype.name == "bool":
        y - y  # raises, as torch computes 1 - target in the target's dtype
    require_castable(y, x)
    if pos_weight is None:
        if weight is not None:
            check_same_shape(x, broadcast_shape((x, weight)))
        return apply_weighted_loss(bce_with_logits_op, x, y, weight, reduction)
    name = str(bce_with_logits_op.grad_fn)
    broadcast_shape((pos_weight, x))
    check_same_shape(x, broadcast_shape((x, pos_weight)))
    losses = sub.named(name)((1 - y) * x, (1 + (pos_weight - 1) * y) * logsigmoid(x))
    losses = cast(losses, y.dtype)
    if weight is not None:
        check_same_shape(x, broadcast_shape((x, weight)))
        losses = mul.named(name)(losses, weight)
    return reduce_tensor(losses, reduction, name)


def apply_weighted_loss(op: Op, x: Tensor, y: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    x, y = broadcast_pair(x, y)
    if weight is None:
        return op(x, y, reduction=check_reduction(reduction))
    name = str(op.grad_fn)
    return reduce_tensor(mul.named(name)(op(x, y, reduction="none"), weight), reduction, name)


@public(
    f"F.kl_div(input: tensor, target: tensor, {REDUCTION_SIGNATURE}, log_target: bool = False)", method=False
)
def kl_div(x: Tensor, y: Tensor, size_average: Any, reduce: Any, reduction: str, log_target: bool) -> Tensor:
    """target (log target - input), averaged; ``input`` holds log probabilities."""
    if size_average is not None or reduce is not None:
        reduction = resolve_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        mode.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean'"
            " divides only by the batch size, and aligns with the KL div math definition.'mean' will be"
            " changed to behave the same as 'batchmean' in the next major release."
        )
    if not (x.dtype.is_floating_point and y.dtype.is_floating_point):
        raise DtypeError("kl_div: Integral inputs not supported.", operands=(x, y))
    losses = exp(y) * (y - x) if log_target else xlogy(y, y) - y * x
    if reduction == "batchmean":
        total = sum(losses, dim=None, keepdim=False)
        return total / x.shape[0] if x.ndim else total
    return reduce_tensor(losses, reduction)

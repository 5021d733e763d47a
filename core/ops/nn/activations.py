"""Entrywise activation functions, under the node names torch records for them.

Each is one node where torch has one, so that the derivation shows the textbook formula. At extreme inputs
the formulas neither overflow nor cancel.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import checked_integer, require_kind
from autodiff.core.graph.op import Op, elementwise, selective
from autodiff.core.ops.elementwise.comparison import except_where, isnan, where
from autodiff.core.ops.elementwise.selection import abs, relu
from autodiff.core.ops.elementwise.transcendental import erf, exp, sigmoid, sigmoid_scalar, tanh
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOT_2 = math.sqrt(2)
ROOT_2_PI = math.sqrt(2 * math.pi)
ROOT_2_OVER_PI = math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def gelu_forward(x: Any) -> Any:
    return x * 0.5 * (1 + erf.forward(x / ROOT_2))


def gelu_inner(x: Any) -> Any:
    """Return the cubic inside the tanh that approximates erf."""
    return ROOT_2_OVER_PI * (x + GELU_CUBIC * x**3)


def gelu_tanh_partial(out: Any, x: Any) -> Any:
    """½(1 + t) + ½ x (1 - t²) · inner'(x), where t = tanh(inner(x))."""
    t = tanh(gelu_inner(x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * (ROOT_2_OVER_PI * (1 + 3 * GELU_CUBIC * x**2))


def softplus_forward(x: Any, *, beta: float, threshold: float) -> Any:
    """Return log(1 + exp(beta x)) / beta, and x itself above the threshold, as in torch."""
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
    fused_backward="GeluBackwardBackward0",
)
gelu_tanh = elementwise(
    "gelu_tanh",
    lambda x: 0.5 * x * (1 + np.tanh(gelu_inner(x))),
    gelu_tanh_partial,
    scalar=lambda x: 0.5 * x * (1 + math.tanh(gelu_inner(x))),
    real=True,
    grad_fn="GeluBackward0",
    fused_backward="GeluBackwardBackward0",
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
    fused_backward="SoftplusBackwardBackward0",
)
logsigmoid = elementwise(
    "logsigmoid",
    lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    lambda out, x: sigmoid(-x),
    scalar=lambda x: min(x, 0.0) - math.log1p(math.exp(-math.fabs(x))),
    real=True,
    grad_fn="LogSigmoidBackward0",
    fused_backward="LogSigmoidBackwardBackward0",
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
    fused_backward="LeakyReluBackwardBackward0",
    reads_input=True,
)
elu = selective(
    "elu",
    elu_forward,
    lambda g, out, x, alpha, scale, input_scale: where(
        x <= 0,
        g * (input_scale * alpha * scale) * exp(except_where((x >= 0) | isnan(x), 0.0, x * input_scale)),
        g * scale,
    ),
    kink="at 0 the slope is that of the negative side",
    fused_backward="EluBackwardBackward0",
)
hardtanh = selective(
    "hardtanh",
    # the order of the operands matters: of 0 and -0 numpy returns the second
    lambda x, min_val, max_val: np.minimum(max_val, np.maximum(min_val, x)),
    lambda g, out, x, min_val, max_val: where((x <= min_val) | (x >= max_val), 0.0, g),
    kink="the slope at the bounds is 0",
    fused_backward="HardtanhBackwardBackward0",
    reads_input=True,
)
hardsigmoid = selective(
    "hardsigmoid",
    lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6,
    lambda g, out, x: where((x > -3) & (x < 3), g / 6, 0.0),
    kink="the slope at -3 and 3 is 0",
    fused_backward="HardsigmoidBackwardBackward0",
    reads_input=True,
)
hardswish = selective(
    "hardswish",
    lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6,
    lambda g, out, x: where(x <= -3, 0.0, where(x < 3, g * (x / 3 + 0.5), g)),
    kink="the slope is 0 at -3 and 1 at 3",
    fused_backward="HardswishBackwardBackward0",
)
softshrink = selective(
    "softshrink",
    lambda x, lambd: np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, x * 0)),
    lambda g, out, x, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g),
    kink="the slope at the bounds is 0",
    fused_backward="SoftshrinkBackwardBackward0",
    reads_input=True,
)
hardshrink = selective(
    "hardshrink",
    lambda x, lambd: np.where((x >= -lambd) & (x <= lambd), 0, x),
    lambda g, out, x, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g),
    kink="the slope at the bounds is 0",
    fused_backward="HardshrinkBackwardBackward0",
    reads_input=True,
)
threshold = selective(
    "threshold",
    lambda x, threshold, value: np.where(x <= threshold, value, x),
    lambda g, out, x, threshold, value: where(x <= threshold, 0.0, g),
    kink="the slope at the threshold is 0",
    fused_backward="ThresholdBackwardBackward0",
    reads_input=True,
)
prelu = selective(
    "prelu",
    lambda x, weight: np.where(x > 0, x, weight * x),
    lambda g, out, x, weight: g * where(x > 0, 1.0, weight),
    lambda g, out, x, weight: where(x > 0, 0.0, g * x),
    grad_fn="PreluKernelBackward0",
    kink="at 0 the slope is that of the negative side",
    reads_input=True,
    fused_backward="PreluKernelBackwardBackward0",
)


#: What torch saves for the derivative of a function that overwrites its input: the result.
SAVED_RESULT = (("out",),)


def apply_inplace(x: Any, out: Any, inplace: bool) -> Any:
    """Return the result; with ``inplace``, the input overwritten by it."""
    return x.assign_in_place(out) if inplace else out


def require_floating(x: Any, kernel: str) -> Any:
    """Return ``x``; refuse a tensor that is not floating, for which torch has no kernel."""
    if x.__class__ is Tensor:
        require_kind(x, kernel, "f")
    return x


def refuse_bools(x: Any, message: str) -> Any:
    """Return ``x``; refuse a tensor of bools."""
    if x.__class__ is Tensor and x.dtype.name == "bool":
        raise DtypeError(message, operands=(x,), caret="this tensor holds bools")
    return x


def bound_in_dtype(x: Any, value: float) -> float:
    """Return a bound in the dtype of ``x``: an integer if ``x`` holds integers."""
    if x.__class__ is not Tensor or x.dtype.is_floating_point:
        return value
    return checked_integer(value, x.dtype, (x,))


def make_inplace_function(op: Op) -> Any:
    return lambda x, inplace: apply_inplace(x, op(require_floating(x, f"{op.name}_cpu")), inplace)


for op in (silu, mish, hardsigmoid, hardswish):
    expose(f"F.{op.name}(input, inplace: bool = False)", make_inplace_function(op), method=False)
expose("F.logsigmoid(input)", lambda x: logsigmoid(require_floating(x, "log_sigmoid_cpu")), method=False)


@public("F.relu(input, inplace: bool = False)", method=False)
def functional_relu(x: Any, inplace: bool) -> Any:
    """x above 0, 0 elsewhere."""
    return apply_inplace(x, relu(x), inplace)


expose("F.tanhshrink(input)", lambda x: x - tanh(x), method=False)
expose("F.softsign(input)", lambda x: x / (1 + abs(x)), method=False)
expose("F.tanh(input)", tanh, method=False)


@public("F.softplus(input, beta: float = 1, threshold: float = 20)", method=False)
def functional_softplus(x: Any, beta: float, threshold: float) -> Any:
    """log(1 + exp(beta x)) / beta."""
    return softplus(require_floating(x, "softplus_cpu"), beta=beta, threshold=threshold)


@public("F.gelu(input, approximate: str = 'none')", method=False)
def functional_gelu(x: Any, approximate: str) -> Any:
    """x times the standard normal distribution function, or its "tanh" approximation."""
    if approximate not in ("none", "tanh"):
        raise ScriptError("approximate argument must be either none or tanh.")
    return (gelu_tanh if approximate == "tanh" else gelu)(require_floating(x, "GeluKernelImpl"))


@public("F.leaky_relu(input, negative_slope: float = 0.01, inplace: bool = False)", method=False)
def functional_leaky_relu(x: Any, negative_slope: float, inplace: bool) -> Any:
    """x above 0, ``negative_slope`` times x below."""
    op = leaky_relu.named("LeakyReluBackward1", saved=SAVED_RESULT) if inplace else leaky_relu
    return apply_inplace(x, op(require_floating(x, "leaky_relu_cpu"), negative_slope=negative_slope), inplace)


@public("F.elu(input, alpha: float = 1.0, inplace: bool = False)", method=False)
def functional_elu(x: Any, alpha: float, inplace: bool) -> Any:
    """x above 0, alpha (exp(x) - 1) below."""
    op = elu.named("EluBackward1", saved=SAVED_RESULT) if inplace else elu
    return apply_inplace(
        x, op(require_floating(x, "elu_cpu"), alpha=alpha, scale=1.0, input_scale=1.0), inplace
    )


@public("selu(input)", method=False)
def selu(x: Any) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1."""
    return elu(require_floating(x, "elu_cpu"), alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1.0)


@public("F.selu(input, inplace: bool = False)", method=False)
def functional_selu(x: Any, inplace: bool) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1."""
    op = elu.named("EluBackward1", saved=SAVED_RESULT) if inplace else elu
    x = require_floating(x, "elu_cpu")
    return apply_inplace(x, op(x, alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1.0), inplace)


@public("celu(input, alpha: float = 1.0, inplace: bool = False)", also=("F.celu",), method=False)
def celu(x: Any, alpha: float, inplace: bool) -> Any:
    """x above 0, alpha (exp(x / alpha) - 1) below."""
    if not alpha:
        raise ScriptError("ZeroDivisionError: alpha cannot be 0 for CELU", code="E0206")
    require_floating(x, "elu_cpu")
    op = elu.named("CeluBackward1", saved=SAVED_RESULT) if inplace else elu.named("CeluBackward0")
    return apply_inplace(x, op(x, alpha=alpha, scale=1.0, input_scale=1 / alpha), inplace)


@public("F.relu6(input, inplace: bool = False)", method=False)
def relu6(x: Any, inplace: bool) -> Any:
    """x clamped to [0, 6]."""
    return functional_hardtanh(x, 0.0, 6.0, inplace)


@public("F.hardtanh(input, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False)", method=False)
def functional_hardtanh(x: Any, min_val: float, max_val: float, inplace: bool) -> Any:
    """x clamped to [min_val, max_val]."""
    if min_val > max_val:
        raise ScriptError("min_val cannot be greater than max_val", code="E0206")
    return hardtanh_unchecked(x, min_val, max_val, inplace)


def hardtanh_unchecked(x: Any, min_val: float, max_val: float, inplace: bool) -> Any:
    """hardtanh without a check of the order of its bounds, as in ``hardtanh_``: the upper bound wins."""
    refuse_bools(x, "Bool inputs not supported for hardtanh")
    if x.__class__ is Tensor and x.dtype.name == "uint8" and min(min_val, max_val) < 0:
        raise ScriptError(
            "cannot do hardtanh on an unsigned type with negative limits", code="E0206", operands=(x,)
        )
    return apply_inplace(
        x, hardtanh(x, min_val=bound_in_dtype(x, min_val), max_val=bound_in_dtype(x, max_val)), inplace
    )


@public("F.softshrink(input, lambd: float = 0.5)", method=False)
def functional_softshrink(x: Any, lambd: float) -> Any:
    """x moved towards 0 by ``lambd``, and 0 where |x| <= lambd."""
    x = require_floating(x, "softshrink_check")
    if x.__class__ is Tensor:
        most = float(np.finfo(x.data.dtype).max)
        if not 0 <= lambd <= most:
            raise ScriptError(
                f"lambda must be in range [0, {most:g}] for input dtype {x.dtype.long_name}, but found"
                f" {lambd:g}",
                operands=(x,),
                caret="values nearer to 0 than this become 0",
            )
    return softshrink(x, lambd=lambd)


@public("F.hardshrink(input, lambd: float = 0.5)", also=("hardshrink",), method=False)
def functional_hardshrink(x: Any, lambd: float) -> Any:
    """x, and 0 where |x| <= lambd."""
    return hardshrink(require_floating(x, "hardshrink_cpu"), lambd=lambd)


@public(
    "F.threshold(input, threshold: float, value: float, inplace: bool = False)",
    also=("threshold",),
    method=False,
)
def functional_threshold(x: Any, limit: float, value: float, inplace: bool) -> Any:
    """x above the threshold, ``value`` elsewhere."""
    op = threshold.named("ThresholdBackward1", saved=SAVED_RESULT) if inplace else threshold
    refuse_bools(x, "\"threshold_cpu\" not implemented for 'Bool'")
    return apply_inplace(
        x, op(x, threshold=bound_in_dtype(x, limit), value=bound_in_dtype(x, value)), inplace
    )


def check_prelu_weight(x: Tensor, weight: Tensor) -> None:
    """Refuse prelu weights of another dtype than x, or neither one nor as many as there are channels."""
    if x.dtype is not weight.dtype:
        raise DtypeError(
            f"prelu: Type promoting not supported. Got {x.dtype.long_name} and {weight.dtype.long_name}",
            operands=(x, weight),
        )
    channels = x.shape[1] if x.ndim > 1 else 1
    if weight.entry_count != 1 and not x.ndim:
        raise ShapeError("Not allow zero-dim input tensor.", operands=(x, weight))
    if weight.entry_count not in (1, channels):
        raise ShapeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers ="
            f" {weight.entry_count} and channel size = {channels}.",
            operands=(x, weight),
        )
    if weight.ndim > 1:
        raise ShapeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}",
            operands=(weight,),
        )
    require_floating(x, "prelu_cpu")


@public("prelu(input: tensor, weight: tensor)", also=("F.prelu",))
def functional_prelu(x: Tensor, weight: Tensor) -> Tensor:
    """x above 0, ``weight`` times x below, with one weight per channel or one for all."""
    check_prelu_weight(x, weight)
    if weight.ndim == 1 and x.ndim != 1 and (x.ndim or weight.entry_count == 1):
        weight = reshape(weight, shape=(1, weight.entry_count)[: x.ndim] + (1,) * (x.ndim - 2))
    return prelu(x, weight)

"""Piecewise functions that pass a value on or stop it: abs, relu, clamp, maximum and the like."""

from __future__ import annotations

import math
import operator

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast import masking
from autodiff.core.graph.op import Op, elementwise, selective
from autodiff.core.ops.elementwise.arithmetic import grad_fn_by_right, refuse_bool_operands
from autodiff.core.ops.elementwise.comparison import except_where, isnan, where
from autodiff.core.ops.elementwise.rounding import FLAT_KINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node


def sign_forward(x: Any) -> Any:
    """Return -1, 0 or 1 in the dtype of x; 0 for nan, as in torch."""
    return x if x.dtype.kind == "b" else np.subtract(x > 0, x < 0, dtype=x.dtype)


def relu_forward(x: Any) -> Any:
    """Return max(x, 0). For equal zeros numpy returns the second argument and torch the first."""
    if x.dtype.kind == "b":
        raise DtypeError("Boolean inputs not supported for relu", caret="this tensor holds bools")
    return np.maximum(0, x)


def abs_forward(x: Any) -> Any:
    """Return |x|; bools are refused, as in torch."""
    if x.dtype.kind == "b":
        refuse_bool_operands("abs_cpu", x, x)
    return np.abs(x)


def max_scalar(x: float, y: float) -> float:
    return math.nan if x != x or y != y else x if x >= y else y


def min_scalar(x: float, y: float) -> float:
    return math.nan if x != x or y != y else x if x <= y else y


def clamp_min_forward(x: Any, low: Any) -> Any:
    if low.__class__ is bool:
        refuse_bool_operands("clamp_min_scalar_cpu", x, low)
    return np.maximum(low, x)


def clamp_max_forward(x: Any, high: Any) -> Any:
    if high.__class__ is bool:
        refuse_bool_operands("clamp_max_scalar_cpu", x, high)
    return np.minimum(high, x)


def clamp_forward(x: Any, low: Any, high: Any) -> Any:
    if x.dtype.kind == "b":
        kernel = "clamp_scalar_cpu" if low.__class__ is bool else "clamp_cpu"
        refuse_bool_operands(kernel, low, high)
    return np.minimum(high, np.maximum(low, x))


def clamp_grad_fn(node: Node) -> str:
    return "ClampBackward1" if node.inputs[1] is None and node.inputs[2] is None else "ClampBackward0"


sign = elementwise("sign", sign_forward, 0, scalar=lambda x: float((x > 0) - (x < 0)), kink=FLAT_KINK)
abs = elementwise("abs", abs_forward, lambda out, x: sign(x), scalar=operator.abs, kink="the slope at 0 is 0")
relu = selective(
    "relu",
    relu_forward,
    lambda g, out, x: where(x <= 0, 0.0, g),
    fast_vjps=(lambda g, out, x: masking.where(x <= 0, 0.0, g),),
    saved=(("out",),),
    scalar=lambda x: max_scalar(x, 0.0),
    kink="the slope at 0 is 0",
    fused_backward="ThresholdBackwardBackward0",
    reads_input=True,
)
maximum = selective(
    "maximum",
    lambda x, y: np.maximum(y, x),
    lambda g, out, x, y: where(x == y, g / 2, where(x < y, 0.0, g)),
    lambda g, out, x, y: where(x == y, g / 2, where(y < x, 0.0, g)),
    scalar=max_scalar,
    kink="a tie is shared in halves",
)
minimum = selective(
    "minimum",
    lambda x, y: np.minimum(y, x),
    lambda g, out, x, y: where(x == y, g / 2, where(x > y, 0.0, g)),
    lambda g, out, x, y: where(x == y, g / 2, where(y > x, 0.0, g)),
    scalar=min_scalar,
    kink="a tie is shared in halves",
)
fmax = selective(
    "fmax",
    lambda x, y: np.fmax(x, y),
    lambda g, out, x, y: where((x >= y) | isnan(y), g, 0.0),
    lambda g, out, x, y: where((x >= y) | isnan(y), 0.0, g),
    kink="a tie goes to the first operand",
)
fmin = selective(
    "fmin",
    lambda x, y: np.fmin(x, y),
    lambda g, out, x, y: where((x <= y) | isnan(y), g, 0.0),
    lambda g, out, x, y: where((x <= y) | isnan(y), 0.0, g),
    kink="a tie goes to the first operand",
)
clamp = selective(
    "clamp",
    clamp_forward,
    lambda g, out, x, low, high: where((x >= low) & (x <= high), g, 0.0),
    lambda g, out, x, low, high: where((x < low) & (low < high), g, 0.0),
    lambda g, out, x, low, high: where((x > high) | (high < low), g, 0.0),
    grad_fn=clamp_grad_fn,
    kink="a bound counts as inside: the slope is 1 there",
)
clamp_min = selective(
    "clamp_min",
    clamp_min_forward,
    lambda g, out, x, low: where(x >= low, g, 0.0),
    lambda g, out, x, low: where(x < low, g, 0.0),
    scalar=max_scalar,
    grad_fn=grad_fn_by_right("ClampMinBackward0", "ClampMinBackward1"),
    kink="the bound counts as inside: the slope is 1 there",
)
clamp_max = selective(
    "clamp_max",
    clamp_max_forward,
    lambda g, out, x, high: where(x <= high, g, 0.0),
    lambda g, out, x, high: where(x > high, g, 0.0),
    scalar=min_scalar,
    grad_fn=grad_fn_by_right("ClampMaxBackward0", "ClampMaxBackward1"),
    kink="the bound counts as inside: the slope is 1 there",
)
copysign: Op = elementwise(
    "copysign",
    lambda x, y: np.copysign(x, y),
    lambda out, x, y: except_where(x == 0, 0.0, out / x),
    0,
    scalar=math.copysign,
    real=True,
    grad_fn=grad_fn_by_right("CopysignBackward1", "CopysignBackward0"),
    kink="the slope at 0 is 0, in both operands",
)

expose("abs(input)", abs, also=("absolute",), in_place=True)
expose("sign(input)", sign, in_place=True)
expose("sgn(input)", sign.named("SgnBackward0", saved=((0, "out"),)), in_place=True)
expose("relu(input)", relu, in_place=True)
expose("maximum(input, other: tensor)", maximum)
expose("minimum(input, other: tensor)", minimum)
expose("fmax(input, other: tensor)", fmax)
expose("fmin(input, other: tensor)", fmin)
expose("clamp_min(input, min)", clamp_min, in_place=True)
expose("clamp_max(input, max)", clamp_max, in_place=True)
expose("copysign(input, other)", copysign, in_place=True)


@public("clamp(input, min = None, max = None)", also=("clip",), in_place=True)
def clamp_between(x: Any, low: Any, high: Any) -> Any:
    """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
    if low is None and high is None:
        raise ScriptError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if low is not None and high is not None:
        if (low.__class__ is Tensor) != (high.__class__ is Tensor):
            bound = low if low.__class__ is Tensor else high
            if bound.requires_grad_flag:
                raise ArgumentError(
                    "clamp() received an invalid combination of arguments",
                    caret="both bounds are tensors, or both are numbers",
                )
            low, high = (bound.item() if y is bound else y for y in (low, high))
        return clamp(x, low, high)
    bound = high if low is None else low
    name = "ClampBackward0" if bound.__class__ is Tensor else "ClampBackward1"
    return (clamp_max if low is None else clamp_min).named(name)(x, bound)

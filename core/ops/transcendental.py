"""Exponentials, logarithms, trigonometry and their kin: one line per function."""

from __future__ import annotations

import math

from autodiff.core.lazy import np
from autodiff.core.op import elementwise


def sigmoid_scalar(x: float) -> float:
    """1 / (1 + exp(-x)), arranged so that the exponential never overflows."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


def sigmoid_forward(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype, copy=False)


exp = elementwise("exp", lambda x: np.exp(x), lambda out, x: out, scalar=math.exp, real=True)
log = elementwise("log", lambda x: np.log(x), lambda out, x: 1 / x, scalar=math.log, real=True)
sqrt = elementwise("sqrt", lambda x: np.sqrt(x), lambda out, x: 1 / (2 * out), scalar=math.sqrt, real=True)
sin = elementwise("sin", lambda x: np.sin(x), lambda out, x: cos(x), scalar=math.sin, real=True)
cos = elementwise("cos", lambda x: np.cos(x), lambda out, x: -sin(x), scalar=math.cos, real=True)
tan = elementwise("tan", lambda x: np.tan(x), lambda out, x: 1 + out**2, scalar=math.tan, real=True)
tanh = elementwise("tanh", lambda x: np.tanh(x), lambda out, x: 1 - out**2, scalar=math.tanh, real=True)
sigmoid = elementwise(
    "sigmoid", sigmoid_forward, lambda out, x: out * (1 - out), scalar=sigmoid_scalar, real=True
)

"""Layers that draw random numbers: rrelu, Gumbel softmax, and dropout that keeps mean and variance.

The numbers come from the one generator of ``random_source``. Only results without random numbers equal
torch's.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.state import mode
from autodiff.core.ops.create.random import check_exponential_dtype
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.nn.activations import SELU_ALPHA, SELU_SCALE, apply_inplace, prelu
from autodiff.core.ops.reduce.softmax import softmax
from autodiff.core.ops.shape.dims import wrap_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Shape = tuple[int, ...]

#: The limit of selu far below 0, and the value of dropped entries.
SELU_LIMIT = -SELU_ALPHA * SELU_SCALE


def draw_uniform(shape: Shape, low: float, high: float) -> Any:
    return random_source.generator.uniform(low, high, shape)


@public(
    "rrelu(input: tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False,"
    " inplace: bool = False)",
    also=("F.rrelu",),
    method=False,
)
def rrelu(x: Tensor, lower: float, upper: float, training: bool, inplace: bool) -> Tensor:
    """x above 0, a multiple of x below: random between two bounds in training, else by their mean."""
    if lower > upper:
        raise ScriptError("Lower bound should be less than or equal to the upper bound")
    require_kind(x, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu", "f")
    slopes = draw_uniform(x.shape, lower, upper) if training else np.full(x.shape, (lower + upper) / 2)
    noisy = prelu.named("RreluWithNoiseBackward0", reads_input=True)
    out = noisy(x, Tensor.of(np.asarray(slopes, x.data.dtype)))
    return apply_inplace(x, out, inplace)


@public(
    "F.gumbel_softmax(logits: tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1)",
    method=False,
)
def gumbel_softmax(x: Tensor, tau: float, hard: bool, eps: float, dim: int) -> Tensor:
    """softmax of logits with Gumbel noise; ``hard`` gives one-hot vectors with the softmax's gradient."""
    if eps != 1e-10:
        mode.warn("`eps` parameter is deprecated and has no effect.")
    check_exponential_dtype(x)
    noise = np.asarray(random_source.generator.gumbel(size=x.shape), x.data.dtype)
    axis = wrap_dim(x, dim)
    if hard and x.ndim and not x.shape[axis]:
        raise ShapeError(f"max(): Expected reduction dim {axis} to have non-zero size.", operands=(x,))
    soft = softmax((x + Tensor.of(noise)) / tau, dim=axis)
    if not hard:
        return soft
    first = np.argmax(soft.data, axis=axis, keepdims=True) if x.ndim else 0
    places = (
        np.arange(x.shape[axis]).reshape([-1 if d == axis else 1 for d in range(x.ndim)]) if x.ndim else 0
    )
    chosen = np.asarray(first == places, x.data.dtype)
    return add(Tensor.of(chosen - soft.data), soft)


def apply_alpha_dropout(x: Tensor, p: float, training: bool, inplace: bool, shape: Shape) -> Tensor:
    """Set random entries to the limit of selu, then scale and shift all to keep the mean and variance."""
    if not 0 <= p <= 1:
        raise ScriptError(f"dropout probability has to be between 0 and 1, but got {p}", code="E0206")
    if not training or p == 0:
        return x
    if p == 1:
        return apply_inplace(
            x, x * (0.0 if x.dtype.is_floating_point else Tensor.of(np.zeros((), x.dtype.name))), inplace
        )
    if not x.dtype.is_floating_point:
        raise DtypeError(
            f"result type Double can't be cast to the desired output type {x.dtype.long_name}", operands=(x,)
        )
    stays = random_source.generator.random(shape) >= p
    scale = ((SELU_LIMIT**2 * p + 1) * (1 - p)) ** -0.5
    moved = np.asarray(np.where(stays, 0.0, SELU_LIMIT * scale) - SELU_LIMIT * scale * p, x.data.dtype)
    out = add(x * Tensor.of(np.asarray(stays * scale, x.data.dtype)), Tensor.of(moved))
    return apply_inplace(x, out, inplace)


ALPHA_DROPOUT_SIGNATURE = "(input: tensor, p: float = 0.5, training: bool = False, inplace: bool = False)"


@public(f"F.alpha_dropout{ALPHA_DROPOUT_SIGNATURE}", method=False)
def alpha_dropout(x: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout for selu that keeps the mean and variance."""
    return apply_alpha_dropout(x, p, training, inplace, x.shape)


@public(f"F.feature_alpha_dropout{ALPHA_DROPOUT_SIGNATURE}", method=False)
def feature_alpha_dropout(x: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """``alpha_dropout`` of whole channels."""
    if training and 0 < p < 1 and x.ndim < 2:
        raise ShapeError("Feature dropout requires at least 2 dimensions in the input", operands=(x,))
    return apply_alpha_dropout(x, p, training, inplace, (*x.shape[:2], *(1,) * (x.ndim - 2)))

"""Random draws: positions by weight, and tensors filled with random numbers in place.

Random numbers have no gradient: the entries they overwrite receive zeros.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.in_place_checks import check_change
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.create.random import check_exponential_dtype, random_dtype
from autodiff.core.ops.elementwise.comparison import zero

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WEIGHTS_CARET = "weights are finite and not below 0"


@public(
    "multinomial(input: tensor, num_samples: int, replacement: bool = False)",
    example="torch.multinomial(torch.tensor([0.0, 3.0, 1.0]), 2)",
)
def multinomial(x: Tensor, count: int, replacement: bool) -> Tensor:
    """Positions drawn at random from each row of weights, in proportion to the weights.

    ``input`` of shape (n,) or (rows, n) gives positions of shape (num_samples,) or (rows, num_samples).
    Without replacement they are those of the largest log(weight) + Gumbel noise (Vieira 2014), with entries
    of weight 0 last.
    """
    if x.ndim not in (1, 2):
        raise ShapeError("prob_dist must be 1 or 2 dim", operands=(x,))
    if not x.dtype.is_floating_point:
        raise DtypeError(
            f"multinomial only supports floating-point dtypes for input, got: {x.dtype.long_name}",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
        )
    if count <= 0:
        raise ScriptError("cannot sample n_sample <= 0 samples", code="E0308")
    if not replacement and count > x.shape[-1]:
        raise ScriptError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
            code="E0308",
            operands=(x,),
            caret=f"there are {x.shape[-1]} places and {count} are wanted",
            help=("replacement=True draws a place more than once",),
        )
    weights = x.data
    if not (np.isfinite(weights) & (weights >= 0)).all():
        message = "probability tensor contains either `inf`, `nan` or element < 0"
        raise ScriptError(message, code="E0308", operands=(x,), caret=WEIGHTS_CARET)
    if not weights.shape[-1] or (weights.sum(axis=-1) <= 0).any():
        raise ScriptError(
            "invalid multinomial distribution (sum of probabilities <= 0)",
            code="E0308",
            operands=(x,),
            caret="no entry has any weight",
        )
    check_allocation((*weights.shape[:-1], count))
    if replacement:
        bounds = np.cumsum(weights, axis=-1)
        drawn = random_source.generator.random((*weights.shape[:-1], count)) * bounds[..., -1:]
        places = (drawn[..., None] >= bounds[..., None, :]).sum(axis=-1)
    else:
        noise = random_source.generator.gumbel(size=weights.shape)
        with np.errstate(divide="ignore"):
            keys = np.log(weights) + noise
        places = np.argsort(-keys, axis=-1, kind="stable")[..., :count]
    return Tensor.of(np.asarray(places, np.int64))


drawn_over: Op = primitive("drawn_over", lambda x, numbers: numbers, lambda g, out, x, numbers: zero(g))


def fill_in_place(x: Tensor, numbers: Any, grad_fn: str) -> Tensor:
    """Overwrite a tensor with random numbers; if it was computed, the graph records that as ``grad_fn``."""
    check_change(x)
    return x.assign_in_place(
        drawn_over.named(grad_fn)(x, numbers=np.asarray(numbers).astype(x.dtype.name)),
    )


@public("Tensor.uniform_(input: tensor, from: float = 0, to: float = 1)", example="x.clone().uniform_(2, 3)")
def uniform_in_place(x: Tensor, low: float, high: float) -> Tensor:
    """Overwrite every entry with a uniformly distributed number between ``from`` and ``to``."""
    random_dtype(x.dtype, "check_uniform_bounds")
    if not low <= high:
        raise ScriptError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}",
            code="E0308",
        )
    return fill_in_place(x, low + (high - low) * random_source.generator.random(x.shape), "UniformBackward0")


@public("Tensor.normal_(input: tensor, mean: float = 0, std: float = 1)", example="x.clone().normal_(0, 1)")
def normal_in_place(x: Tensor, mean: float, std: float) -> Tensor:
    """Overwrite every entry with a normally distributed number."""
    random_dtype(x.dtype, "normal_kernel_cpu")
    if not std >= 0:
        raise ScriptError(f"normal expects std >= 0.0, but found std {std:g}", code="E0308")
    return fill_in_place(x, mean + std * random_source.generator.standard_normal(x.shape), "NormalBackward0")


@public("Tensor.exponential_(input: tensor, lambd: float = 1)", example="x.clone().exponential_(2)")
def exponential_in_place(x: Tensor, rate: float) -> Tensor:
    """Overwrite every entry with an exponentially distributed number of mean 1 / ``lambd``."""
    if not rate > 0:
        raise ScriptError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}", code="E0308")
    check_exponential_dtype(x)
    return fill_in_place(x, random_source.generator.exponential(1 / rate, x.shape), "ExponentialBackward0")

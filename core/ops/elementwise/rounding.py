"""Rounding to integers, the fractional part, mantissas and exponents (``frexp``)."""

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, elementwise
from autodiff.core.ops.elementwise.arithmetic import refuse_bool_operands
from autodiff.core.ops.elementwise.transcendental import exp2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def floor_scalar(x: float) -> float:
    return math.copysign(math.floor(x), x)


def ceil_scalar(x: float) -> float:
    return math.copysign(math.ceil(x), x)


def trunc_scalar(x: float) -> float:
    return math.copysign(math.trunc(x), x)


def round_scalar(x: float) -> float:
    return math.copysign(round(x), x)


def numbers_only(name: str, forward: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return ``forward`` with torch's error for bools."""

    def checked(x: Any) -> Any:
        refuse_bool_operands(f"{name}_vml_cpu", x, x)
        return forward(x)

    return checked


FLAT_KINK = "flat between its jumps, and 0 at them by convention"

floor = elementwise(
    "floor", numbers_only("floor", lambda x: np.floor(x)), 0, scalar=floor_scalar, kink=FLAT_KINK
)
ceil = elementwise("ceil", numbers_only("ceil", lambda x: np.ceil(x)), 0, scalar=ceil_scalar, kink=FLAT_KINK)
trunc: Op = elementwise(
    "trunc", numbers_only("trunc", lambda x: np.trunc(x)), 0, scalar=trunc_scalar, kink=FLAT_KINK
)
round_ = elementwise(
    "round", numbers_only("round", lambda x: np.round(x)), 0, scalar=round_scalar, kink=FLAT_KINK
)
round_to = elementwise(
    "round_to",
    lambda x, decimals: np.round(x, decimals),
    0,
    grad_fn="RoundBackward1",
    kinds="f",
    kernel="round_cpu",
    kink=FLAT_KINK,
)
frac = elementwise(
    "frac",
    lambda x: x - np.trunc(x),
    1,
    kinds="f",
    kernel="frac_cpu",
    scalar=lambda x: x - math.trunc(x),
    kink="the jumps at whole numbers are ignored",
)

expose("floor(input)", floor, in_place=True)
expose("ceil(input)", ceil, in_place=True)
expose("trunc(input)", trunc, also=("fix",), in_place=True)
expose("frac(input)", frac, in_place=True)


@public("round(input, *, decimals: int = 0)", in_place=True)
def round_entries(x: Any, decimals: int) -> Any:
    """The nearest whole number, halves to even; ``decimals`` is the number of digits to keep."""
    return round_to(x, decimals=decimals) if decimals else round_(x)


def exponent_forward(x: Any) -> Any:
    """Return the exponent of two; 0 for infinities and nan."""
    return np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(x.dtype)


exponent = elementwise("exponent", exponent_forward, 0)
mantissa = elementwise(
    "mantissa",
    lambda x: np.frexp(x)[0],
    lambda out, x: 1 / exp2(exponent(x)),
    grad_fn="FrexpBackward0",
    kink="the jumps at the powers of two are ignored",
)


@public("frexp(input: tensor)")
def frexp(x: Tensor) -> NamedResult:
    """The input as ``mantissa * 2**exponent``, where the size of the mantissa is at least 0.5 and below 1."""
    if not x.dtype.is_floating_point:
        raise DtypeError(
            "torch.frexp() only supports floating-point dtypes",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
        )
    parts = (mantissa(x), Tensor.of(exponent_forward(x.data).astype(np.int32)))
    return NamedResult("torch.return_types.frexp", ("mantissa", "exponent"), parts)

"""Floats split into a mantissa from 0.5 to 1 and a power of two."""

from __future__ import annotations

from autodiff.core.base.errors import DtypeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import elementwise
from autodiff.core.ops.elementwise.transcendental import exp2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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

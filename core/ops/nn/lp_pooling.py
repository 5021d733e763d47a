"""Pooling by the p-norm of each window."""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.engine.public_functions import FUNCTIONS, public
from autodiff.core.ops.elementwise.arithmetic import neg, pow
from autodiff.core.ops.elementwise.selection import abs, relu, sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor


def make_lp_pool(dims: int) -> Callable[..., Any]:
    def pool(x: Tensor, p: float, kernel: Any, stride: Any, ceil_mode: bool) -> Any:
        sizes = kernel if isinstance(kernel, tuple) else (kernel,) * dims
        if len(sizes) != dims:
            few, got = ("not enough", f", got {len(sizes)}") if len(sizes) < dims else ("too many", "")
            raise ShapeError(
                f"{few} values to unpack (expected {dims}{got})",
                caret=f"these are {len(sizes)} sizes for {dims} dimensions",
            )
        if math.isinf(p):
            largest = FUNCTIONS[f"F.max_pool{dims}d"]
            size = abs(x)
            return (
                largest(size, kernel, stride, 0, 1, ceil_mode)
                if p > 0
                else neg(largest(neg(size), kernel, stride, 0, 1, ceil_mode))
            )
        mean = FUNCTIONS[f"F.avg_pool{dims}d"](pow(x, p), kernel, stride, 0, ceil_mode)
        if not p:
            raise ScriptError("float division by zero", code="E0212", caret="the order of the norm is 0")
        total = (sign(mean) * relu(abs(mean))) * math.prod(sizes)
        return pow(total, 1.0 / p)

    pool.__doc__ = f"The p-norm of each window over {dims} dimension{'s' * (dims > 1)}."
    return pool


for dims in (1, 2, 3):
    kind = "int" if dims == 1 else "sizes"
    public(
        f"F.lp_pool{dims}d(input: tensor, norm_type: float, kernel_size: {kind}, stride: ints = None,"
        " ceil_mode: bool = False)",
        method=False,
    )(make_lp_pool(dims))

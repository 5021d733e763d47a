"""Negative log likelihoods of the normal and the Poisson distribution."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import default_dtype
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.transcendental import exp, log
from autodiff.core.ops.losses.regression import reduce_tensor, resolve_reduction
from autodiff.core.ops.shape.picking_ops import masked_fill
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def variance_tensor(x: Tensor, var: Any) -> Tensor:
    """Return the variance as a tensor that broadcasts with ``x``: one for each entry, or for each row."""
    if var.__class__ is float:
        floating = x.dtype if x.dtype.is_floating_point else default_dtype()
        var = Tensor.of(np.full(x.shape, var, floating.name))
    elif var.__class__ is not Tensor:
        raise ArgumentError(
            f"any() received an invalid combination of arguments - got ({type(var < 0).__name__}), but"
            " expected one of:",
            caret="the variance is a tensor or a float",
            help=("write 2.0 instead of 2",),
        )
    if (var.data < 0).any():
        raise ScriptError("var has negative entry/entries", code="E0206", operands=(var,))
    if var.shape == x.shape:
        return var
    if var.shape == x.shape[:-1] and x.ndim:
        return reshape(var, shape=(*var.shape, 1))
    differing = [n for m, n in zip(x.shape, var.shape, strict=False) if m != n]
    if x.ndim != var.ndim or sum(differing) != 1:
        raise ShapeError("var is of incorrect size", code="E0206", operands=(x, var))
    return var


@public(
    "F.gaussian_nll_loss(input: tensor, target: tensor, var: value, full: bool = False, eps: float = 1e-06,"
    " reduction: str = 'mean')",
    method=False,
)
def gaussian_nll_loss(x: Tensor, y: Tensor, var: Any, full: bool, eps: float, reduction: str) -> Tensor:
    """½ (log var + (input - target)² / var), averaged; variances below ``eps`` count as ``eps``."""
    var = variance_tensor(x, var)
    if reduction not in ("none", "mean", "sum"):
        raise ScriptError(f"{reduction} is not valid", code="E0206")
    if eps.__class__ is float and not var.dtype.is_floating_point:
        raise DtypeError(
            f"result type {default_dtype().long_name} can't be cast to the desired output type"
            f" {var.dtype.c_name}",
            operands=(var,),
            caret=f"the variances are {var.dtype.name} numbers",
            help=("convert them with .double()",),
        )
    lift = np.maximum(eps - var.data, 0).astype(var.data.dtype)
    if lift.any():  # torch raises them outside the graph: the gradient is taken at eps
        var = var + Tensor.of(lift)
    losses = 0.5 * (log(var) + (x - y) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduce_tensor(losses, reduction)


@public(
    "F.poisson_nll_loss(input: tensor, target: tensor, log_input: bool = True, full: bool = False,"
    " size_average: any = None, eps: float = 1e-08, reduce: any = None, reduction: str = 'mean')",
    method=False,
)
def poisson_nll_loss(
    x: Tensor,
    y: Tensor,
    log_input: bool,
    full: bool,
    size_average: Any,
    eps: float,
    reduce: Any,
    reduction: str,
) -> Tensor:
    """exp(input) - target · input, averaged; ``full`` adds Stirling's approximation of log(target!)."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    losses = exp(x) - y * x if log_input else x - y * log(x + eps)
    if full:
        stirling = y * log(y) - y + 0.5 * log(2 * math.pi * y)
        losses = losses + cast(masked_fill(stirling, Tensor.of(y.data <= 1), 0.0), losses.dtype)
    return reduce_tensor(losses, reduction)

"""Variance, standard deviation, vector norms, and the distance between two tensors."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.comparison import except_where
from autodiff.core.ops.elementwise.selection import abs, sign
from autodiff.core.ops.reduce.reduction import (
    Dims,
    expand_reduced,
    mean,
    mean_forward,
    reduced_count,
    reduction_dims,
    share_among_ties,
)
from autodiff.core.ops.shape.dims import size_along

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def degrees_of_freedom(shape: tuple[int, ...], dim: Dims, correction: float) -> float:
    """Return the divisor of a variance, or nan where it is not positive."""
    left = reduced_count(shape, dim) - correction
    return left if left > 0 else math.nan


def subtract_mean(x: Any, dim: Dims) -> Any:
    return x - mean(x, dim=dim, keepdim=dim is not None)


def variance_in_double(x: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    """Return the variance, computed in double precision as in torch."""
    wide = x.astype(np.float64, copy=False)
    from_mean = wide - mean_forward(wide, dim=dim, keepdim=dim is not None)
    return np.square(from_mean).sum(axis=dim, keepdims=keepdim) / degrees_of_freedom(x.shape, dim, correction)


def var_forward(x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    return variance_in_double(x, dim, correction, keepdim).astype(x.dtype, copy=False)


def std_forward(x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    return np.sqrt(variance_in_double(x, dim, correction, keepdim)).astype(x.dtype, copy=False)


def var_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """2 (x - mean) / (n - correction)."""
    return (
        expand_reduced(g, x, dim, keepdim)
        * (2 / degrees_of_freedom(x.shape, dim, correction))
        * subtract_mean(x, dim)
    )


def std_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """(x - mean) / (out (n - correction)), and 0 where all entries are equal."""
    scaled = except_where(out == 0, 0.0, g / (out * degrees_of_freedom(x.shape, dim, correction)))
    return expand_reduced(scaled, x, dim, keepdim) * subtract_mean(x, dim)


var = primitive("var", var_forward, var_vjp)
std = primitive(
    "std",
    std_forward,
    std_vjp,
    kink="the slope is 0 where all entries are equal",
)


def vector_norm_forward(x: Any, *, ord: float, dim: Dims, keepdim: bool) -> Any:
    size = np.abs(x)
    if ord == math.inf:
        return size.max(axis=dim, keepdims=keepdim)
    if ord == -math.inf:
        return size.min(axis=dim, keepdims=keepdim)
    if ord == 0:
        return (x != 0).sum(axis=dim, keepdims=keepdim).astype(x.dtype)
    if ord == 1:
        return size.sum(axis=dim, keepdims=keepdim)
    if ord == 2:
        return np.sqrt(np.square(x).sum(axis=dim, keepdims=keepdim))
    return (size**ord).sum(axis=dim, keepdims=keepdim) ** (1 / ord)


def vector_norm_vjp(g: Any, out: Any, x: Any, *, ord: float, dim: Dims, keepdim: bool) -> Any:
    """x / out for the Euclidean norm, sign(x) (|x| / out)^(p - 1) for any other; 0 where the norm is 0."""
    if ord == 0:
        return expand_reduced(g, x, dim, keepdim) * 0.0
    if ord == 1:
        return expand_reduced(g, x, dim, keepdim) * sign(x)
    if ord in (math.inf, -math.inf):
        return sign(x) * share_among_ties(g, out, abs(x), dim=dim, keepdim=keepdim)
    if ord == 2:
        # g is multiplied by 0, not replaced by 0, so that a nan in g propagates
        return x * expand_reduced(g * except_where(out == 0, 0.0, 1 / out), x, dim, keepdim)
    scale = except_where(out == 0, 0.0, g / out ** (ord - 1))
    return except_where(x == 0, 0.0, sign(x) * abs(x) ** (ord - 1)) * expand_reduced(scale, x, dim, keepdim)


vector_norm = primitive(
    "vector_norm",
    vector_norm_forward,
    vector_norm_vjp,
    saved=((0, "out"),),
    grad_fn="LinalgVectorNormBackward0",
    kink="the slope is 0 where the norm is 0",
)


# -- the functions ------------------------------------------------------------------------------------


def resolve_correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None:
        return int(unbiased)
    return 1 if correction is None else correction


def std_or_var(
    op: Op, x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None
) -> Tensor:
    """Apply std or var after torch's checks; a bool as ``dim`` stands for ``unbiased``."""
    name = op.name + "_mean" * ("Mean" in str(op.grad_fn))
    if not x.dtype.is_floating_point:
        raise DtypeError(
            f"{name if op.name != name else 'std and var'} only support floating point and complex dtypes",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
        )
    if dim.__class__ is bool:
        dim, unbiased = None, dim
    if dim is not None:
        given = dim if isinstance(dim, (tuple, list)) else (dim,)
        if any(axis.__class__ is not int for axis in given):
            raise ArgumentError(
                f"{name}() received an invalid combination of arguments - got (Tensor, {type_name(dim)}),"
                " but expected one of:",
                caret="the second argument says which dimensions, or whether to divide by n - 1",
            )
        dim = given
    dims, resolved = reduction_dims(x, dim, keepdim), resolve_correction(unbiased, correction)
    if reduced_count(x.shape, dims) <= resolved:
        mode.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction"
            " factor (input numel divided by output numel)."
        )
    return op(x, dim=dims, correction=resolved, keepdim=keepdim)


STD_VAR_SIGNATURE = (
    "(input: tensor, dim: any = None, unbiased: bool = None, keepdim: bool = False,"
    " *, correction: float = None)"
)


@public(f"std{STD_VAR_SIGNATURE}")
def std_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The standard deviation, with n - 1 in the denominator by default."""
    return std_or_var(std, x, dim, unbiased, keepdim, correction)


@public(f"var{STD_VAR_SIGNATURE}")
def var_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The variance, with n - 1 in the denominator by default."""
    return std_or_var(var, x, dim, unbiased, keepdim, correction)


@public(f"std_mean{STD_VAR_SIGNATURE}", method=False)
def std_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The standard deviation and the mean."""
    return std_or_var_with_mean(std, "StdMeanBackward0", x, dim, unbiased, keepdim, correction)


@public(f"var_mean{STD_VAR_SIGNATURE}", method=False)
def var_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The variance and the mean."""
    return std_or_var_with_mean(var, "VarMeanBackward0", x, dim, unbiased, keepdim, correction)


def std_or_var_with_mean(op: Op, name: str, x: Tensor, dim: Any, *rest: Any) -> tuple[Tensor, Tensor]:
    keepdim = rest[1]
    first = std_or_var(op.named(name), x, dim, *rest)
    if dim.__class__ is bool:
        dim = None
    dims = dim if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    return first, mean.named(name)(x, dim=reduction_dims(x, dims, keepdim), keepdim=keepdim)


def check_norm_exists(x: Tensor, ord: float, dim: Dims) -> None:
    """Refuse norms of infinite or negative order where there are no entries: they do not exist."""
    if x.entry_count or 0 <= ord < math.inf:
        return
    empty = [axis for axis in dim or () if not size_along(x, axis)]
    if dim and not empty:
        return
    where = "an empty tensor because"
    if empty:
        where = f"the dimension {empty[0]}because this dimension is empty and"  # no space, as in torch
    raise ScriptError(
        f"linalg.vector_norm cannot compute the {ord:g} norm on {where} the operation does not have an"
        " identity",
        operands=(x,),
        caret=f"shape {x.shape} has no entries",
    )


@public("dist(input: tensor, other: tensor, p: float = 2)")
def dist(x: Tensor, y: Tensor, p: float) -> Tensor:
    """The p-norm of ``input - other``."""
    difference = x - y
    if not difference.dtype.is_floating_point:
        raise DtypeError(
            "norm(): input dtype should be either floating point or complex. Got"
            f" {difference.dtype.long_name} instead.",
            operands=(x, y),
        )
    check_norm_exists(difference, p, None)
    return vector_norm.named("DistBackward0")(difference, ord=p, dim=None, keepdim=False)

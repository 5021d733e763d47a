"""Variance, standard deviation, vector norms, and the distance between two tensors."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError, type_name
from autodiff.core.base.lazy import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.comparison import except_where
from autodiff.core.ops.elementwise.selection import abs, sign
from autodiff.core.ops.reduce.reduction import (
    Dims,
    dims_of,
    entries,
    mean,
    mean_forward,
    share_among_equals,
    spread,
)
from autodiff.core.ops.shape.dims import size_along

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def freedom(shape: tuple[int, ...], dim: Dims, correction: float) -> float:
    """Return the divisor of a variance, or nan where it is not positive."""
    left = entries(shape, dim) - correction
    return left if left > 0 else math.nan


def centred(x: Any, dim: Dims) -> Any:
    return x - mean(x, dim=dim, keepdim=dim is not None)


def variance(x: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    """Return the variance, computed in double precision as in torch."""
    wide = x.astype(np.float64, copy=False)
    from_mean = wide - mean_forward(wide, dim=dim, keepdim=dim is not None)
    return np.square(from_mean).sum(axis=dim, keepdims=keepdim) / freedom(x.shape, dim, correction)


def var_forward(x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    return variance(x, dim, correction, keepdim).astype(x.dtype, copy=False)


def std_forward(x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    return np.sqrt(variance(x, dim, correction, keepdim)).astype(x.dtype, copy=False)


def var_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """2 (x - mean) / (n - correction)."""
    return spread(g, x, dim, keepdim) * (2 / freedom(x.shape, dim, correction)) * centred(x, dim)


def std_vjp(g: Any, out: Any, x: Any, *, dim: Dims, correction: float, keepdim: bool) -> Any:
    """(x - mean) / (out (n - correction)), and 0 where all entries are equal."""
    scaled = except_where(out == 0, 0.0, g / (out * freedom(x.shape, dim, correction)))
    return spread(scaled, x, dim, keepdim) * centred(x, dim)


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
        return spread(g, x, dim, keepdim) * 0.0
    if ord == 1:
        return spread(g, x, dim, keepdim) * sign(x)
    if ord in (math.inf, -math.inf):
        return sign(x) * share_among_equals(g, out, abs(x), dim=dim, keepdim=keepdim)
    if ord == 2:
        # g is multiplied by 0, not replaced by 0, so that a nan in g propagates
        return x * spread(g * except_where(out == 0, 0.0, 1 / out), x, dim, keepdim)
    scale = except_where(out == 0, 0.0, g / out ** (ord - 1))
    return except_where(x == 0, 0.0, sign(x) * abs(x) ** (ord - 1)) * spread(scale, x, dim, keepdim)


vector_norm = primitive(
    "vector_norm",
    vector_norm_forward,
    vector_norm_vjp,
    saved=((0, "out"),),
    grad_fn="LinalgVectorNormBackward0",
    kink="the slope is 0 where the norm is 0",
)


# -- the functions ------------------------------------------------------------------------------------


def correction_of(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None:
        return int(unbiased)
    return 1 if correction is None else correction


def spread_of(
    op: Op, x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None
) -> Tensor:
    """Apply std or var after torch's checks; a bool as ``dim`` stands for ``unbiased``."""
    name = op.name + "_mean" * ("Mean" in str(op.grad_fn))
    if not x.dtype.is_floating_point:
        raise ScriptError(
            f"{name if op.name != name else 'std and var'} only support floating point and complex dtypes",
            code="E0312",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
        )
    if dim.__class__ is bool:
        dim, unbiased = None, dim
    if dim is not None:
        given = dim if isinstance(dim, (tuple, list)) else (dim,)
        if any(axis.__class__ is not int for axis in given):
            raise ScriptError(
                f"{name}() received an invalid combination of arguments - got (Tensor, {type_name(dim)}),"
                " but expected one of:",
                code="E0310",
                caret="the second argument says which dimensions, or whether to divide by n - 1",
            )
        dim = given
    dims, taken = dims_of(x, dim, keepdim), correction_of(unbiased, correction)
    if entries(x.shape, dims) <= taken:
        mode.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction"
            " factor (input numel divided by output numel)."
        )
    return op(x, dim=dims, correction=taken, keepdim=keepdim)


SPREAD = (
    "(input: tensor, dim: any = None, unbiased: bool = None, keepdim: bool = False,"
    " *, correction: float = None)"
)


@public(f"std{SPREAD}")
def std_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The standard deviation, with n - 1 in the denominator by default."""
    return spread_of(std, x, dim, unbiased, keepdim, correction)


@public(f"var{SPREAD}")
def var_over(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Tensor:
    """The variance, with n - 1 in the denominator by default."""
    return spread_of(var, x, dim, unbiased, keepdim, correction)


@public(f"std_mean{SPREAD}", method=False)
def std_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The standard deviation and the mean."""
    return spread_and_mean(std, "StdMeanBackward0", x, dim, unbiased, keepdim, correction)


@public(f"var_mean{SPREAD}", method=False)
def var_mean(x: Tensor, dim: Any, unbiased: bool | None, keepdim: bool, correction: float | None) -> Any:
    """The variance and the mean."""
    return spread_and_mean(var, "VarMeanBackward0", x, dim, unbiased, keepdim, correction)


def spread_and_mean(op: Op, name: str, x: Tensor, dim: Any, *rest: Any) -> tuple[Tensor, Tensor]:
    keepdim = rest[1]
    first = spread_of(op.named(name), x, dim, *rest)
    if dim.__class__ is bool:
        dim = None
    dims = dim if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    return first, mean.named(name)(x, dim=dims_of(x, dims, keepdim), keepdim=keepdim)


def check_norm_exists(x: Tensor, ord: float, dim: Dims) -> None:
    """Refuse norms of infinite or negative order where there are no entries: they do not exist."""
    if x.size or 0 <= ord < math.inf:
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
        raise ScriptError(
            "norm(): input dtype should be either floating point or complex. Got"
            f" {difference.dtype.long_name} instead.",
            code="E0312",
            operands=(x, y),
        )
    check_norm_exists(difference, p, None)
    return vector_norm.named("DistBackward0")(difference, ord=p, dim=None, keepdim=False)

"""Covariances and correlations of variables: each row is a variable, each column an observation."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.core.ops.elementwise.arithmetic import div
from autodiff.core.ops.elementwise.selection import clamp_between
from autodiff.core.ops.elementwise.transcendental import sqrt
from autodiff.core.ops.linalg.products import matmul
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.shape.picking_ops import diagonal
from autodiff.core.ops.shape.reshape import reshape, squeeze_dims, t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check_rows(x: Tensor, name: str) -> None:
    if x.ndim > 2:
        raise ShapeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {x.ndim}"
            " dimensions",
            operands=(x,),
            caret="each row is a variable, each column an observation",
        )


def check_weights(weights: Tensor, name: str, is_kind: bool, kind: str, count: int) -> None:
    """Check weights: of the right kind of dtype, one per observation, none negative."""
    if weights.ndim > 1:
        raise ShapeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim}"
            " dimensions",
            operands=(weights,),
        )
    if not is_kind:
        raise DtypeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with {weights.dtype.long_name}"
            " dtype",
            operands=(weights,),
            caret=f"these are {weights.dtype.name} numbers",
        )
    if weights.entry_count != count:
        raise ShapeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got"
            f" {weights.entry_count} != {count}",
            operands=(weights,),
            caret=f"there are {count} observations and {weights.entry_count} weights",
        )
    if not (weights.data >= 0).all():
        raise ScriptError(f"cov(): {name} cannot be negative", code="E0308", operands=(weights,))


@public("cov(input: tensor, *, correction: int = 1, fweights: tensor = None, aweights: tensor = None)")
def cov(x: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor:
    """The covariances of all pairs of rows; ``fweights`` counts observations, ``aweights`` weighs them."""
    check_rows(x, "cov")
    if x.dtype.name == "bool":
        raise DtypeError("cov(): bool dtype is not supported for input", operands=(x,))
    rows = x if x.ndim == 2 else reshape(x, shape=(1, x.entry_count))
    count = rows.shape[1]
    if fweights is not None:
        kind = fweights.dtype
        is_whole = not kind.is_floating_point and kind.name != "bool"
        check_weights(fweights, "fweights", is_whole, "integral", count)
    if aweights is not None:
        check_weights(aweights, "aweights", aweights.dtype.is_floating_point, "floating point", count)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total: Any = count if weights is None else sum(weights, dim=None, keepdim=False)
    if weights is not None and not total.item():
        raise ScriptError("cov(): weights sum to zero, can't be normalized", operands=(weights,))
    freedom: Any = total - correction
    if weights is not None and aweights is not None and correction:
        freedom = total - correction * sum(weights * aweights, dim=None, keepdim=False) / total
    if (freedom.item() if freedom.__class__ is Tensor else freedom) <= 0:
        mode.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of"
            " observations."
        )
        freedom = 0.0
    weighted = rows if weights is None else rows * weights
    centred = rows - div(sum(weighted, dim=(1,), keepdim=True), total)
    products = matmul(centred, t(centred if weights is None else centred * weights))
    return squeeze_dims(div(products, freedom), None)


@public("corrcoef(input: tensor)")
def corrcoef(x: Tensor) -> Tensor:
    """The covariance of each pair of rows, divided by the product of their standard deviations."""
    check_rows(x, "corrcoef")
    c = cov(x, 1, None, None)
    if not c.ndim:
        return c / c
    deviations = sqrt(diagonal(c, offset=0, dim1=0, dim2=1))
    c = c / reshape(deviations, shape=(-1, 1)) / reshape(deviations, shape=(1, -1))
    return clamp_between(c, -1, 1)

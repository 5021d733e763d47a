"""Cross products and pairwise distances of vectors: ``cross`` and ``cdist``."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DimError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.elementwise.selection import abs, sign
from autodiff.core.ops.linalg.product_checks import broadcast_batches, check_numeric_dtypes
from autodiff.core.ops.reduce.variance import vector_norm
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.picking_ops import index_select
from autodiff.core.ops.shape.reshape import expand, sum_to, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- cross products -------------------------------------------------------------------------------------

cross_op: Op = primitive(
    "cross",
    lambda x, y, dim: np.cross(x, y, axis=dim),
    lambda g, out, x, y, dim: sum_to(cross_op(y, g, dim=dim), shape=x.shape),
    lambda g, out, x, y, dim: sum_to(cross_op(g, x, dim=dim), shape=y.shape),
    grad_fn="LinalgCrossBackward0",
)


@public("linalg.cross(input: tensor, other: tensor, *, dim: int = -1)", method=False)
def linalg_cross(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """The cross products of the vectors of three entries along a dimension."""
    if x.ndim != y.ndim:
        raise ShapeError("linalg.cross: inputs must have the same number of dimensions.", operands=(x, y))
    if not x.ndim:
        raise DimError(f"Dimension specified as {dim} but tensor has no dimensions", operands=(x,))
    axis = wrap_dim(x, dim)
    if (x.shape[axis], y.shape[axis]) != (3, 3):
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[axis]} and"
            f" {y.shape[axis]}",
            operands=(x, y),
        )
    check_allocation(broadcast_shape((x, y)), 8)
    require_kind(x, "cross", "if")
    kinds = f"{x.dtype.long_name} but found {y.dtype.long_name}"
    check_numeric_dtypes(x, y, f"expected scalar type {kinds}")
    return cross_op(x, y, dim=axis)


@public("cross(input: tensor, other: tensor, dim: int = None)")
def cross(x: Tensor, y: Tensor, dim: int | None) -> Tensor:
    """As ``linalg.cross``; without ``dim``, along the first dimension of size 3."""
    if dim is None:
        mode.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim"
            " explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree"
            " with that of linalg.cross in a future release."
        )
        if 3 not in x.shape:
            raise ShapeError("no dimension of size 3 in input", operands=(x,))
        dim = x.shape.index(3)
    return linalg_cross(x, y, dim)


# -- distances ------------------------------------------------------------------------------------------

#: Above this number of rows torch computes Euclidean distances with a matrix product.
MATRIX_PRODUCT_ROWS = 25
COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def largest_coordinate_vjp(g: Any, out: Any, x: Any) -> Any:
    """sign(x) g for each entry that attains the maximum; as in torch, each of several receives all of g."""
    dim = len(x.shape) - 1
    reached = abs(x) == expand(unsqueeze(out, dim=dim), shape=x.shape)
    return where(reached, sign(x) * unsqueeze(g, dim=dim), 0.0)


largest_coordinate: Op = primitive(
    "largest_coordinate",
    lambda x: np.abs(x).max(axis=-1) if x.shape[-1] else np.zeros(x.shape[:-1], x.dtype),
    largest_coordinate_vjp,
    grad_fn="CdistBackward0",
    kink="each of the largest coordinates receives the whole slope",
)


@public(
    f"cdist(x1: tensor, x2: tensor, p: float = 2.0, compute_mode: str = '{COMPUTE_MODES[0]}')",
    method=False,
)
def cdist(x: Tensor, y: Tensor, p: float, compute_mode: str) -> Tensor:
    """The distance of every row of one matrix from every row of the other."""
    if compute_mode not in COMPUTE_MODES:
        raise ScriptError(f"{compute_mode} is not a valid value for compute_mode", code="E0206")
    for name, operand in (("X1", x), ("X2", y)):
        if operand.ndim < 2:
            raise ShapeError(
                f"cdist only supports at least 2D tensors, {name} got: {operand.ndim}D", operands=(operand,)
            )
    if x.shape[-1] != y.shape[-1]:
        raise ShapeError(
            f"X1 and X2 must have the same number of columns. X1: {x.shape[-1]} X2: {y.shape[-1]}",
            operands=(x, y),
        )
    for name, operand in (("X1", x), ("X2", y)):
        if not operand.dtype.is_floating_point:
            raise DtypeError(
                f"cdist only supports floating-point dtypes, {name} got: {operand.dtype.long_name}",
                operands=(operand,),
            )
    if p < 0:
        raise ScriptError("cdist only supports non-negative p values", operands=(x, y))
    batch = broadcast_batches(x, y)
    rows, columns = x.shape[-2], y.shape[-2]
    is_product = p == 2 and (
        compute_mode == COMPUTE_MODES[1]
        or (compute_mode == COMPUTE_MODES[0] and max(rows, columns) > MATRIX_PRODUCT_ROWS)
    )
    if x.entry_count and y.entry_count:
        kinds = f"expected scalar type {x.dtype.long_name} but found {y.dtype.long_name}"
        if is_product and x.ndim == y.ndim == 2:
            kinds = (
                f"expected m1 and m2 to have the same dtype, but got: {x.dtype.c_name} != {y.dtype.c_name}"
            )
        check_numeric_dtypes(x, y, kinds)
    y = cast(y, x.dtype)
    check_allocation((*batch, rows, columns, x.shape[-1]), 8)
    difference = unsqueeze(x, dim=x.ndim - 1) - unsqueeze(y, dim=y.ndim - 2)
    return length_of(difference, p, "ViewBackward0" if is_product else "CdistBackward0")


def length_of(difference: Tensor, p: float, name: str) -> Tensor:
    """Return the p-norms of vectors along the last dimension, by a node called ``name``."""
    if p == math.inf:
        return largest_coordinate.named(name)(difference)
    norm = vector_norm.named(name, reads_input=p == 0)
    return norm(difference, ord=p, dim=(difference.ndim - 1,), keepdim=False)


@public("pdist(input: tensor, p: float = 2.0)", also=("F.pdist",), method=False)
def pdist(x: Tensor, p: float) -> Tensor:
    """The distance of every row of a matrix from every row after it, in one vector."""
    if x.ndim != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {x.ndim}D", operands=(x,))
    if not x.dtype.is_floating_point:
        raise DtypeError("pdist only supports floating-point dtypes", operands=(x,))
    if p < 0:
        raise ScriptError("pdist only supports non-negative p values", operands=(x,))
    rows = x.shape[0]
    check_allocation((rows * (rows - 1) // 2, x.shape[1]), 8)
    first, second = (index_select(x, dim=0, index=index) for index in np.triu_indices(rows, 1))
    return length_of(first - second, p, "PdistBackward0")

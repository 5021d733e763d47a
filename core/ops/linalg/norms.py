"""Norms of vectors and matrices, over all entries or some dimensions, and condition numbers."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, DimError, DtypeError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import div, mul
from autodiff.core.ops.elementwise.comparison import isnan, where
from autodiff.core.ops.elementwise.selection import abs
from autodiff.core.ops.linalg.factorizations import singular_values
from autodiff.core.ops.linalg.solve import check_floats, check_matrices, check_square_shape, inv_matrix
from autodiff.core.ops.reduce.extremes import amax, amin
from autodiff.core.ops.reduce.reduction import Dims, check_not_empty, reduction_dims, sum
from autodiff.core.ops.reduce.variance import check_norm_exists, vector_norm
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import movedim, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.dtypes import DType
    from autodiff.core.ops.shape.dims import Shape

# -- vector norms ---------------------------------------------------------------------------------------


def norm_order(ord: Any) -> float:
    """Return the order as a number. A string is an error, which torch's argument parser raises."""
    if ord.__class__ is Tensor and not ord.ndim:
        ord = ord.item()
    ord = int(ord) if ord.__class__ is bool else ord
    if ord.__class__ not in (int, float):
        raise ArgumentError(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(ord)}",
            help=("use a number, inf or -inf",),
        )
    return ord


def cast_for_norm(x: Tensor, dtype: DType | None, name: str) -> Tensor:
    """Return the tensor cast to the dtype in which the norm is computed, which must not be narrower."""
    if dtype is None:
        return x
    message = ""
    if not dtype.is_floating_point:
        message = f"dtype should be floating point or complex, but got {dtype.long_name}"
    elif dtype.rank < x.dtype.rank:
        message = (
            f"the dtype of the input ({x.dtype.long_name}) should be convertible without narrowing to the"
            f" specified dtype ({dtype.long_name})"
        )
    if message:
        raise DtypeError(f"{name}: {message}", operands=(x,))
    return cast(x, dtype)


def norm_over(x: Tensor, ord: Any, dim: Dims, keepdim: bool, dtype: DType | None = None) -> Tensor:
    """The norm of the entries as one vector, or over dimensions."""
    order = norm_order(ord)
    check_floats(x, "linalg.vector_norm")
    check_norm_exists(x, order, dim)
    dims = reduction_dims(x, dim, keepdim)
    x = cast_for_norm(x, dtype, "linalg.vector_norm")
    return vector_norm(x, ord=order, dim=dims, keepdim=keepdim)


@public(
    "linalg.vector_norm(input: tensor, ord: any = 2, dim: ints = None, keepdim: bool = False,"
    " *, dtype: dtype = None)",
    method=False,
)
def vector_norm_over(x: Tensor, ord: Any, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The norm of the entries as one vector, or over dimensions."""
    return norm_over(x, ord, dim, keepdim, dtype)


# -- matrix norms ---------------------------------------------------------------------------------------

NORM_PARAMETERS = (
    "(input: tensor, ord: any = {}, dim: ints = {}, keepdim: bool = False, *, dtype: dtype = None)"
)


def matrix_dims(x: Tensor, dim: Shape | None) -> tuple[int, int]:
    """Return the row dimension and the column dimension."""
    check_matrices(x, "linalg.matrix_norm")
    if dim is not None and len(dim) != 2:
        raise ShapeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}", operands=(x,)
        )
    check_floats(x, "linalg.matrix_norm")
    rows, columns = (wrap_dim(x, d) for d in dim or (-2, -1))
    if rows == columns:
        raise DimError(f"linalg.matrix_norm: dims must be different. Got ({rows}, {columns})", operands=(x,))
    return rows, columns


@public("linalg.matrix_norm" + NORM_PARAMETERS.format("'fro'", "None"), method=False)
def matrix_norm(x: Tensor, ord: Any, dim: Shape | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """A norm of each matrix: 'fro', 'nuc', inf, 1, 2 or their negatives for the smallest."""
    ord = int(ord) if ord.__class__ is bool else ord
    if ord.__class__ not in (int, float, str):
        raise ArgumentError(
            f"linalg_matrix_norm(): argument 'ord' (position 2) must be Number or str, not {type_name(ord)}"
        )
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise ScriptError(f"linalg.matrix_norm: Order {ord} not supported.")
    rows, columns = matrix_dims(x, dim)
    x = cast_for_norm(x, dtype, "linalg.matrix_norm")
    if ord == "fro":
        return norm_over(x, 2, (rows, columns), keepdim)
    if ord in (2, -2, "nuc"):
        values = singular_values(movedim(x, (rows, columns), (-2, -1)))
        if ord == -2:
            check_not_empty(values, "amin", (-1,))
        norms = reduce_by_order(values, 0 if ord == "nuc" else float(ord), values.ndim - 1, False)
        if not keepdim:
            return norms
        shape = tuple(1 if d in (rows, columns) else n for d, n in enumerate(x.shape))
        return reshape.named("PermuteBackward0")(norms, shape=shape)
    along, over = (rows, columns) if ord in (1, -1) else (columns, rows)
    totals = sum(abs(x), dim=(along,), keepdim=keepdim)
    place = over if keepdim or over < along else over - 1
    return reduce_by_order(totals, float(ord), place, keepdim)


def reduce_by_order(sizes: Tensor, ord: float, dim: int, keepdim: bool) -> Tensor:
    """Return the largest for a positive order, the smallest for a negative one, else the sum; 0 if empty."""
    if ord < 0:
        check_not_empty(sizes, "amin", (dim,))
    elif ord and not sizes.shape[dim]:
        ord, sizes = 0, sizes.detach()
    return (amax if ord > 0 else amin if ord else sum)(sizes, dim=(dim,), keepdim=keepdim)


@public("linalg.norm" + NORM_PARAMETERS.format("None", "None"), method=False)
def linalg_norm(x: Tensor, ord: Any, dim: Shape | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """The norm of a vector, or a matrix norm where ``ord`` is given for two dimensions."""
    if dim is not None and len(dim) not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}", operands=(x,)
        )
    if dim is None and ord is not None and x.ndim not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x.ndim}D.",
            operands=(x,),
        )
    count = x.ndim if dim is None else len(dim)
    if ord.__class__ is str or (ord is not None and count == 2):
        return matrix_norm(x, ord, (0, 1) if dim is None else dim, keepdim, dtype)
    return norm_over(x, 2 if ord is None else ord, dim, keepdim, dtype)


@public("norm(input: tensor, p: any = 'fro', dim: ints = None, keepdim: bool = False, dtype: dtype = None)")
def norm(x: Tensor, p: Any, dim: Dims, keepdim: bool, dtype: DType | None) -> Tensor:
    """The p-norm of all entries, or over dimensions; Euclidean by default."""
    if p == "fro" and len(dim or ()) <= 2:
        p = 2
    if p.__class__ is str:
        return matrix_norm(x, p, tuple(range(x.ndim)) if dim is None else dim, keepdim, dtype)
    return norm_over(x, 2 if p is None else p, dim, keepdim, dtype)


def inverse_or_inf(x: Tensor) -> Tensor:
    """Return the inverse of each matrix, and infinity everywhere for a singular one."""
    singular = np.reshape(
        [has_no_inverse(a) for a in x.data.reshape(-1, *x.shape[-2:])], (*x.shape[:-2], 1, 1)
    )
    if not singular.any():
        return inv_matrix(x)
    lost = Tensor.of(singular)
    return where(
        lost, math.inf, inv_matrix(where(lost, Tensor.of(np.eye(x.shape[-1], dtype=x.data.dtype)), x))
    )


def has_no_inverse(matrix: Any) -> bool:
    try:
        np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return True
    return False


@public("linalg.cond(input: tensor, p: any = None)", method=False)
def cond(x: Tensor, p: Any) -> Tensor:
    """The condition number: the norm of A times the norm of its inverse."""
    p = int(p) if p.__class__ is bool else p
    name = f"linalg.cond(ord={p})"
    if p.__class__ is str:
        check_square_shape(x, name)
    else:
        check_matrices(x, "linalg.cond", "input tensor")
    if p.__class__ not in (int, float, str) and p is not None:
        raise ArgumentError(
            f"linalg_cond(): argument 'p' (position 2) must be Number or str, not {type_name(p)}"
        )
    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise ScriptError(f"linalg.cond got an invalid norm type: {p}", operands=(x,))
    if not x.entry_count:
        return Tensor.of(np.zeros(x.shape[:-2], x.data.dtype))
    if p in (None, 2, -2):
        check_floats(x, "linalg.svd")
        values = singular_values(x)
        last = values.ndim - 1
        largest, smallest = (op(values, dim=(last,), keepdim=False) for op in (amax, amin))
        ratio = div.named("SqueezeBackward1")
        return ratio(smallest, largest) if p == -2 else ratio(largest, smallest)
    check_square_shape(x, name)
    if p == "nuc":
        check_floats(x, "linalg.svd")
        values = singular_values(x)
        return mul(*(sum(part, dim=(x.ndim - 2,), keepdim=False) for part in (values, 1 / values)))
    check_floats(x, "linalg.inv")
    norms = (matrix_norm(part, p, None, False, None) for part in (x, inverse_or_inf(x)))
    product = mul.named("NanToNumBackward0")(*norms)
    return where(isnan(product), math.inf, product) if np.isnan(product.data).any() else product

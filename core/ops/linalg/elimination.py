"""The LU factorization with row exchanges, and systems solved with it, of square and rectangular matrices.

``linalg.lu`` gives three matrices. ``linalg.lu_factor`` gives LAPACK's form: both triangles in one matrix,
and for each step the row (from 1) that was exchanged with the row of that step.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.elementwise.comparison import zero
from autodiff.core.ops.linalg.factorizations import cache_last, first_along
from autodiff.core.ops.linalg.product_checks import broadcast_batches
from autodiff.core.ops.linalg.products import matmul, mT, named_mT
from autodiff.core.ops.linalg.solve import (
    check_equation,
    check_floats,
    check_same_dtype,
    check_square_shape,
    matrix_error,
)
from autodiff.core.ops.linalg.triangular import solve_triangular
from autodiff.core.ops.shape.dims import size_along
from autodiff.core.ops.shape.join import cat
from autodiff.core.ops.shape.picking_ops import slice_dim, tril, triu
from autodiff.core.ops.shape.reshape import clone
from autodiff.core.ops.shape.windows import constant_pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def compute_lu(x: Any) -> tuple[Any, ...]:
    from scipy.linalg import lu

    if not x.size:
        identity = np.broadcast_to(np.eye(x.shape[-2], dtype=x.dtype), (*x.shape[:-1], x.shape[-2]))
        return identity, identity, x
    return tuple(part.astype(x.dtype) for part in lu(x, check_finite=False))


lu_factors = cache_last("lu", compute_lu)


def lu_vjp(middle: Any, lower: Any, upper: Any, x: Any) -> Any:
    """P L⁻ᵀ middle U⁻ᵀ, for square matrices."""
    left = solve_triangular(mT(lower), middle, upper=True, unit=True)
    right = mT(solve_triangular(upper, mT(left), upper=True, unit=False))
    return lu_permutation(x) @ right


lu_permutation: Op = primitive("lu_permutation", lambda x: lu_factors(x)[0], lambda g, out, x: zero(x))
lu_lower: Op = primitive(
    "lu_lower",
    lambda x: lu_factors(x)[1],
    lambda g, out, x: lu_vjp(tril(mT(out) @ g, diagonal=-1), out, lu_upper(x), x),
    grad_fn="LinalgLuBackward0",
)
lu_upper: Op = primitive(
    "lu_upper",
    lambda x: lu_factors(x)[2],
    lambda g, out, x: lu_vjp(triu(g @ mT(out), diagonal=0), lu_lower(x), out, x),
    grad_fn="LinalgLuBackward0",
)


@public("linalg.lu(A: tensor, *, pivot: bool = True)", method=False)
def lu(x: Tensor, pivot: bool) -> NamedResult:
    """A permutation, a lower and an upper triangular matrix whose product is A."""
    if x.ndim < 2:
        message = f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead"
        raise ShapeError(message, operands=(x,))
    if not pivot:
        raise ScriptError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    if x.entry_count:
        require_kind(x, "lu_cpu", "f")
    rows, columns = x.shape[-2:]
    order = Tensor.of(lu_permutation(x.data))
    block, rest = split_leading_square(x if rows <= columns else matmul(mT(order), x))
    lower, upper = lu_lower(block), lu_upper(block)
    if rows < columns:
        beside = solve_triangular(lower, matmul(mT(order), rest), upper=False, unit=True)
        upper = cat.named("LinalgLuBackward0")(upper, beside, dim=x.ndim - 1)
    elif rows > columns:
        below = mT(solve_triangular(mT(upper), mT(rest), upper=False, unit=False))
        lower = cat.named("LinalgLuBackward0")(lower, below, dim=x.ndim - 2)
    return NamedResult("torch.return_types.linalg_lu", ("P", "L", "U"), (order, lower, upper))


def split_leading_square(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the leading square block, which determines the factors, and the columns or rows beyond it."""
    rows, columns = x.shape[-2:]
    n = min(rows, columns)
    dim = x.ndim - (2 if rows > columns else 1)
    block = x if rows == columns else first_along(x, dim, n)
    return block, slice_dim(x, dim=dim, start=n, stop=x.shape[dim], step=1)


# -- LAPACK's form --------------------------------------------------------------------------------------


def eliminate(x: Any) -> tuple[Any, Any]:
    """Return the pivots of each matrix, and the position (from 1) of its first zero pivot, or 0."""
    from scipy.linalg.lapack import dgetrf

    pivots = np.empty((*x.shape[:-2], min(x.shape[-2:])), np.int32)
    places = np.zeros(x.shape[:-2], np.int32)
    for index in np.ndindex(places.shape):
        if x.size:
            _, rows, places[index] = dgetrf(x[index])
            pivots[index] = rows + 1
    return pivots, places


def join_triangles(lower: Tensor, upper: Tensor) -> Tensor:
    """Return the matrix with U on and above the diagonal, and the entries of L below it."""
    more = lower.shape[-2] - upper.shape[-2], upper.shape[-1] - lower.shape[-1]
    below = constant_pad(tril(lower, diagonal=-1), pads=((0, 0), (0, more[1])), value=0.0)
    above = constant_pad(upper, pads=((0, more[0]), (0, 0)), value=0.0)
    return add.named("LinalgLuFactorExBackward0")(below, above)


def factor_matrices(x: Tensor, pivot: bool, check_errors: bool, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return both triangles in one matrix, the pivots, and the position of a zero pivot or 0."""
    if x.ndim < 2:
        message = (
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead"
        )
        raise ShapeError(message, operands=(x,))
    _, lower, upper = lu(x, pivot)
    pivots, places = eliminate(x.data)
    if check_errors and places.any():
        position = int(np.argmax(places != 0))
        place = places.flat[position]
        what = (
            f"U[{place},{place}] is zero and using it on lu_solve would result in a division by zero. If you"
            " still want to perform the factorization, consider calling linalg.lu(A, pivot) or"
            " linalg.lu_factor_ex(A, pivot)"
        )
        raise matrix_error(f"torch.{name}", x, position, what)
    return join_triangles(lower, upper), Tensor.of(pivots), Tensor.of(places)


@public("linalg.lu_factor(A: tensor, *, pivot: bool = True)", method=False)
def lu_factor(x: Tensor, pivot: bool) -> NamedResult:
    """The LU factorization as one matrix, and its pivots."""
    factors, pivots, _ = factor_matrices(x, pivot, True, "linalg.lu_factor")
    return NamedResult("torch.return_types.linalg_lu_factor", ("LU", "pivots"), (factors, pivots))


@public("linalg.lu_factor_ex(A: tensor, *, pivot: bool = True, check_errors: bool = False)", method=False)
def lu_factor_ex(x: Tensor, pivot: bool, check_errors: bool) -> NamedResult:
    """As ``linalg.lu_factor``, and for each matrix the position of a zero pivot, or 0."""
    parts = factor_matrices(x, pivot, check_errors, "linalg.lu_factor_ex")
    return NamedResult("torch.return_types.linalg_lu_factor_ex", ("LU", "pivots", "info"), parts)


@public("lu(A: tensor, pivot: bool = True, get_infos: bool = False)")
def legacy_lu(x: Tensor, pivot: bool, get_infos: bool) -> tuple[Tensor, ...] | NamedResult:
    """As ``linalg.lu_factor``, by its older name; with ``get_infos`` as ``linalg.lu_factor_ex``."""
    parts = factor_matrices(x, pivot, not get_infos, "linalg.lu_factor_ex")
    if not get_infos:
        return parts[:2]
    return NamedResult("torch.return_types._lu_with_info", ("LU", "pivots", "info"), parts)


def check_pivots(pivots: Tensor, rows: int, message: str) -> None:
    """Refuse pivots that name no row."""
    if pivots.entry_count and not (pivots.data.min() >= 1 and pivots.data.max() <= rows):
        raise ScriptError(
            message, code="E0208", operands=(pivots,), caret=f"pivots count the rows from 1 to {rows}"
        )


def permutation_matrices(pivots: Any, rows: int, dtype: Any) -> Any:
    """Return P with A = P L U: the exchanges of the pivots, one after another."""
    out = np.zeros((*pivots.shape[:-1], rows, rows), dtype)
    for index in np.ndindex(pivots.shape[:-1]):
        order = np.arange(rows)
        for step, row in enumerate(pivots[index] - 1):
            order[[step, row]] = order[[row, step]]
        out[(*index, order, np.arange(rows))] = 1
    return out


@public(
    "lu_unpack(LU_data: tensor, LU_pivots: tensor, unpack_data: bool = True, unpack_pivots: bool = True)",
    method=False,
)
def lu_unpack(factors: Tensor, pivots: Tensor, unpack_data: bool, unpack_pivots: bool) -> NamedResult:
    """The permutation, the lower and the upper triangular matrix of ``linalg.lu_factor``."""
    if pivots.dtype.name != "int32":
        raise DtypeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote:"
            " this function is intended to be used with the output produced by torch.linalg.lu_factor",
            operands=(pivots,),
            caret=f"these pivots are {pivots.dtype.name} numbers",
        )
    rows, columns = size_along(factors, -2), size_along(factors, -1)
    name = "LuUnpackBackward0"
    order = lower = upper = Tensor.of(np.zeros(0, factors.data.dtype))
    if unpack_data:
        n = min(rows, columns)
        unit = Tensor.of(np.eye(rows, n, dtype=factors.data.dtype))
        lower = add.named(name)(tril(first_along(factors, factors.ndim - 1, n), diagonal=-1), unit)
        upper = triu.named(name)(first_along(factors, factors.ndim - 2, n), diagonal=0)
    if unpack_pivots:
        check_pivots(
            pivots,
            rows,
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the"
            " result of lu_factor?",
        )
        order = Tensor.of(permutation_matrices(pivots.data, rows, factors.data.dtype))
    return NamedResult("torch.return_types.lu_unpack", ("P", "L", "U"), (order, lower, upper))


def check_factored_system(factors: Tensor, pivots: Tensor, b: Tensor, left: bool) -> None:
    """Make torch's checks of ``lu_solve``, in its order."""
    check_floats(factors, "torch.linalg.lu_solve")
    check_same_dtype("linalg.lu_solve: ", "LU", factors, "B", b)
    if pivots.dtype.name != "int32":
        raise DtypeError(
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32",
            operands=(pivots,),
            caret=f"these pivots are {pivots.dtype.name} numbers",
        )
    check_square_shape(factors, "torch.linalg.lu_solve")
    check_equation(factors, b, left, "linalg.lu_solve")
    if not pivots.ndim or pivots.shape[-1] != factors.shape[-1]:
        raise ShapeError(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix",
            operands=(factors, pivots),
        )
    if factors.shape[:-1] != pivots.shape:
        raise ShapeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with"
            f" shape {list(pivots.shape)} instead",
            operands=(factors, pivots),
        )
    broadcast_batches(factors, b)
    check_pivots(
        pivots,
        factors.shape[-2],
        "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the"
        " result of lu_factor?",
    )


@public(
    "linalg.lu_solve(LU: tensor, pivots: tensor, B: tensor, *, left: bool = True, adjoint: bool = False)",
    method=False,
)
def lu_solve(factors: Tensor, pivots: Tensor, b: Tensor, left: bool, adjoint: bool) -> Tensor:
    """The X with A X = B, given the LU factorization of A; X A = B unless ``left``, Aᵀ with ``adjoint``."""
    check_factored_system(factors, pivots, b, left)
    name = "LinalgLuSolveBackward0"
    order = Tensor.of(permutation_matrices(pivots.data, factors.shape[-1], factors.data.dtype))
    if not left:
        b = mT(b)
    if adjoint == left:  # Aᵀ = Uᵀ Lᵀ Pᵀ
        half = solve_triangular(mT(factors), b, upper=False, unit=False)
        x = matmul(order, solve_triangular(mT(factors), half, upper=True, unit=True))
    else:
        half = solve_triangular(factors, matmul(mT(order), b), upper=False, unit=True)
        x = solve_triangular.named(name)(factors, half, upper=True, unit=False)
    if not left:
        return named_mT(x, name)
    return clone.named(name)(x) if adjoint else x


@public("lu_solve(input: tensor, LU_data: tensor, LU_pivots: tensor)")
def legacy_lu_solve(b: Tensor, factors: Tensor, pivots: Tensor) -> Tensor:
    """As ``linalg.lu_solve``, by its older name and with B first."""
    return lu_solve(factors, pivots, b, True, False)

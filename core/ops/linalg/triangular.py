"""Systems with triangular matrices or with a given Cholesky factor, solved by substitution."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DimError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.values import cast
from autodiff.core.ops.linalg.product_checks import broadcast_batches
from autodiff.core.ops.linalg.products import mT, named_mT
from autodiff.core.ops.linalg.solve import (
    check_equation,
    check_same_dtype,
    check_square_shape,
    column_major,
    singular_error,
)
from autodiff.core.ops.shape.picking_ops import tril, triu
from autodiff.core.ops.shape.reshape import clone, expand, sum_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def solve_triangular_forward(a: Any, b: Any, *, upper: bool, unit: bool) -> Any:
    """Return X. BLAS divides by the diagonal without a check, so a zero there gives inf, as in torch."""
    from scipy.linalg.blas import dtrsm, strsm

    solver = strsm if a.dtype == np.float32 else dtrsm
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, batch + a.shape[-2:])
    b = np.broadcast_to(b, batch + b.shape[-2:])
    out = np.empty(b.shape, b.dtype)
    for place in np.ndindex(batch):
        out[place] = (
            solver(1.0, a[place], b[place], lower=not upper, diag=unit) if b[place].size else b[place]
        )
    return column_major(out)


def triangular_vjp(g: Any, out: Any, a: Any, b: Any, *, upper: bool, unit: bool) -> Any:
    """-A⁻ᵀ g Xᵀ, in the triangle that is read."""
    full = -(solve_triangular(mT(a), g, upper=not upper, unit=unit) @ mT(out))
    below = -1 if unit else 0
    kept = triu(full, diagonal=-below) if upper else tril(full, diagonal=below)
    return sum_to(kept, shape=a.shape)


solve_triangular: Op = primitive(
    "solve_triangular",
    solve_triangular_forward,
    triangular_vjp,
    lambda g, out, a, b, upper, unit: sum_to(
        solve_triangular(mT(a), g, upper=not upper, unit=unit), shape=b.shape
    ),
    grad_fn="LinalgSolveTriangularBackward0",
)


@public(
    "linalg.solve_triangular(input: tensor, B: tensor, *, upper: bool, left: bool = True,"
    " unitriangular: bool = False)",
    method=False,
)
def solve_triangular_system(a: Tensor, b: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false, where only one triangle of A is read."""
    check_square_shape(a, "linalg.solve_triangular")
    check_equation(a, b, left, "linalg.solve_triangular")
    broadcast_batches(a, b)
    require_kind(a, "triangular_solve_cpu", "f")
    b = cast(b, a.dtype)
    if left:
        return solve_triangular(a, b, upper=upper, unit=unitriangular)
    solution = solve_triangular(mT(a), mT(b), upper=not upper, unit=unitriangular)
    return named_mT(solution, "LinalgSolveTriangularBackward0")


# -- with a given Cholesky factor -----------------------------------------------------------------------


def cholesky_solve_forward(b: Any, factor: Any, *, upper: bool) -> Any:
    lower = np.swapaxes(np.triu(factor), -1, -2) if upper else np.tril(factor)
    half = solve_triangular_forward(lower, b, upper=False, unit=False)
    return solve_triangular_forward(np.swapaxes(lower, -1, -2), half, upper=True, unit=False)


def cholesky_factor_vjp(s: Any, factor: Any, *, upper: bool) -> Any:
    """Return -(S + Sᵀ) L, where -S is the cotangent of A. As in torch the factor counts as a full matrix."""
    both = s + mT(s)
    return sum_to(-(factor @ both if upper else both @ factor), shape=factor.shape)


cholesky_solve: Op = primitive(
    "cholesky_solve",
    cholesky_solve_forward,
    lambda g, out, b, factor, upper: sum_to(cholesky_solve(g, factor, upper=upper), shape=b.shape),
    lambda g, out, b, factor, upper: cholesky_factor_vjp(
        cholesky_solve(g, factor, upper=upper) @ mT(out), factor, upper=upper
    ),
)
cholesky_inverse: Op = primitive(
    "cholesky_inverse",
    lambda factor, upper: cholesky_solve_forward(
        np.broadcast_to(np.eye(factor.shape[-1], dtype=factor.dtype), factor.shape), factor, upper=upper
    ),
    lambda g, out, factor, upper: cholesky_factor_vjp(out @ g @ out, factor, upper=upper),
)


def check_legacy_system(b: Tensor, a: Tensor, name: str) -> None:
    """Make the checks that ``cholesky_solve`` and ``triangular_solve`` share, with torch's messages."""
    (n, width), (rows, columns) = a.shape[-2:], b.shape[-2:]
    if n != width:
        raise ShapeError(
            f"A must be batches of square matrices, but they are {n} by {width} matrices",
            operands=(a,),
            caret=f"this matrix has {n} rows and {width} columns; they must be equal",
        )
    if rows != n:
        raise ShapeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is"
            f" {rows} by {columns}",
            operands=(b, a),
        )
    check_same_dtype("", "b", b, "A", a, ".")


@public(
    "triangular_solve(input: tensor, A: tensor, upper: bool = True, transpose: bool = False,"
    " unitriangular: bool = False)"
)
def legacy_triangular_solve(
    b: Tensor, a: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> NamedResult:
    """As ``linalg.solve_triangular``, by its older name and with B first; the second part is a copy of A."""
    for name, operand in (("b", b), ("A", a)):
        if operand.ndim < 2:
            raise DimError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has"
                f" {operand.ndim} dimensions instead",
                operands=(operand,),
            )
    check_legacy_system(b, a, "triangular_solve")
    batch = broadcast_batches(a, b)
    require_kind(b, "triangular_solve_cpu", "f")
    copy = clone.named("TriangularSolveBackward0")(expand(a, shape=(*batch, *a.shape[-2:])))
    solve = solve_triangular.named("TriangularSolveBackward0")
    solution = solve(mT(a) if transpose else a, b, upper=upper != transpose, unit=unitriangular)
    fields = ("solution", "cloned_coefficient")
    return NamedResult("torch.return_types.triangular_solve", fields, (solution, copy))


@public("cholesky_solve(input: tensor, input2: tensor, upper: bool = False)")
def solve_with_factor(b: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """The X with A X = B, given the Cholesky factor of A."""
    for name, operand in (("b", b), ("u", factor)):
        if operand.ndim < 2:
            raise DimError(
                f"{name} should have at least 2 dimensions, but has {operand.ndim} dimensions instead",
                operands=(operand,),
            )
    check_legacy_system(b, factor, "cholesky_solve")
    broadcast_batches(factor, b)
    require_kind(b, "cholesky_solve_cpu", "f")
    return cholesky_solve(b, factor, upper=upper)


@public("cholesky_inverse(input: tensor, upper: bool = False)")
def inverse_from_factor(factor: Tensor, upper: bool) -> Tensor:
    """The inverse of A, given its Cholesky factor."""
    check_square_shape(factor, "cholesky_inverse")
    require_kind(factor, "cholesky_inverse_out_cpu", "f")
    is_zero = np.diagonal(factor.data, 0, -2, -1) == 0
    if is_zero.any():
        batch, place = divmod(int(np.argmax(is_zero)), factor.shape[-1])
        caret = "the product of this factor with its transpose has no inverse"
        raise singular_error("cholesky_inverse", factor, batch, place + 1, caret)
    return cholesky_inverse(factor, upper=upper)

"""Inverses that report failure, and systems and inverses of tensors read as matrices."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from math import prod

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.linalg.products import mT
from autodiff.core.ops.linalg.solve import (
    check_floats,
    check_square,
    check_square_shape,
    column_major,
    inv_matrix,
    singular_error,
    singular_system_error,
    solve,
    solve_left_vjp,
    solve_system,
    solve_with,
    zero_pivot,
)
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import movedim, reshape, reshape_tensor, sum_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def solve_by_elimination(a: Any, b: Any) -> tuple[Any, Any]:
    """Return each X with A X = B, inf and nan where A is singular, and the position of its zero pivot or 0.

    Positions count from 1. ``a`` is (..., n, n), ``b`` (..., n, m) or (n,), and the batches are broadcast.
    """
    from scipy.linalg.lapack import dgetrf, dgetrs

    places = np.zeros(a.shape[:-2], np.int32)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    solutions = np.empty(batch + b.shape[-2:], b.dtype)
    factors = np.empty((*places.shape, 2), object)
    for index in np.ndindex(places.shape):
        if a.shape[-1]:
            *factors[index], places[index] = dgetrf(a[index])
    factors = np.broadcast_to(factors, (*batch, 2))
    b = np.broadcast_to(b, solutions.shape)
    for index in np.ndindex(batch):
        if b[index].size:
            solutions[index] = dgetrs(*factors[index], b[index])[0]
    return column_major(solutions), places


def inverses_and_pivots(x: Any) -> tuple[Any, Any]:
    """Return the inverse of each matrix, inf and nan included, and the position of its zero pivot or 0."""
    return solve_by_elimination(x, np.eye(x.shape[-1], dtype=x.dtype))


inv_ex_op: Op = primitive(
    "inv_ex",
    lambda x: inverses_and_pivots(x)[0],
    lambda g, out, x: -(mT(out) @ g @ mT(out)),
    grad_fn="LinalgInvExBackward0",
)


@public("linalg.inv_ex(A: tensor, *, check_errors: bool = False)", method=False)
def inv_ex(x: Tensor, check_errors: bool) -> NamedResult:
    """The inverse, and for each matrix the position of a zero pivot in elimination, or 0."""
    check_square(x, "linalg.inv")
    _, places = inverses_and_pivots(x.data)
    if check_errors and places.any():
        raise singular_error("linalg.inv_ex", x, *zero_pivot(x))
    return NamedResult(
        "torch.return_types.linalg_inv_ex", ("inverse", "info"), (inv_ex_op(x), Tensor.of(places))
    )


solve_ex_op: Op = primitive(
    "solve_ex",
    lambda a, b: solve_by_elimination(a, b)[0],
    lambda g, out, a, b: solve_left_vjp(g, out, a, b, solver=solve_ex_op),
    lambda g, out, a, b: sum_to(solve_ex_op(mT(a), g), shape=b.shape),
    grad_fn="LinalgSolveExBackward0",
)


@public(
    "linalg.solve_ex(A: tensor, B: tensor, *, left: bool = True, check_errors: bool = False)", method=False
)
def solve_ex(a: Tensor, b: Tensor, left: bool, check_errors: bool) -> NamedResult:
    """As ``linalg.solve``, and for each matrix the position of a zero pivot in elimination, or 0."""
    check_floats(a, "linalg.solve")
    check_square_shape(a, "linalg.solve")
    _, places = solve_by_elimination(a.data, a.data)
    if check_errors and places.any():
        raise singular_system_error(a, "linalg.solve_ex")
    result = solve_with(solve_ex_op if places.any() else solve, a, b, left)
    return NamedResult("torch.return_types.linalg_solve_ex", ("result", "info"), (result, Tensor.of(places)))


@public("linalg.tensorsolve(input: tensor, other: tensor, dims: ints = None)", method=False)
def tensorsolve(a: Tensor, b: Tensor, dims: tuple[int, ...] | None) -> Tensor:
    """The X with ``tensordot(A, X, X.ndim) = B``; the dimensions ``dims`` of A are moved to its end first."""
    if dims:
        places = [wrap_dim(a, dim) for dim in dims]
        a = movedim(a, tuple(places), tuple(range(a.ndim - len(places), a.ndim)))
    if b.ndim > a.ndim:
        raise ShapeError(
            f"Expected other to have at most as many dimensions as self, {a.ndim}, but got {b.ndim}",
            operands=(a, b),
        )
    shape = a.shape[b.ndim :]
    check_square_split(a, prod(shape), b.entry_count, "other.ndim")
    matrix = reshape_tensor(a, (b.entry_count, b.entry_count))
    return reshape(solve_system(matrix, reshape_tensor(b, (b.entry_count,)), left=True), shape=shape)


@public("linalg.tensorinv(input: tensor, ind: int = 2)", method=False)
def tensorinv(a: Tensor, ind: int) -> Tensor:
    """The inverse for ``tensordot(..., ind)``: the first ``ind`` dimensions are rows, the others columns."""
    if ind <= 0:
        raise ScriptError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > a.ndim:
        raise ShapeError(
            f"Expected 'ind' to be at most the number of dimensions, {a.ndim}, but got {ind}", operands=(a,)
        )
    rows = prod(a.shape[:ind])
    check_square_split(a, prod(a.shape[ind:]), rows, "ind")
    matrix = reshape_tensor(a, (rows, rows))
    check_square(matrix, "linalg.inv")
    try:
        inverse = inv_matrix(matrix)
    except ScriptError as error:
        error.message = error.message.removeprefix("linalg.")
        raise
    # In torch the inverse is stored column by column, so its reshape is not a plain view.
    op = reshape.named("ReshapeAliasBackward0") if rows > 1 else reshape
    return op(inverse, shape=(*a.shape[ind:], *a.shape[:ind]))


def check_square_split(a: Tensor, columns: int, rows: int, name: str) -> None:
    if columns != rows:
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[{name}:]) =="
            f" prod(self.shape[:{name}]), but got {columns} != {rows}",
            operands=(a,),
        )

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
from autodiff.core.ops.linalg.solve import check_square, inv_matrix, solve_system, zero_pivot
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import movedim, reshape, reshape_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def invert_by_elimination(matrix: Any) -> tuple[Any, int]:
    """Return the inverse by elimination, and the position (from 1) of the first zero pivot; 0 without one."""
    from scipy.linalg.lapack import dgetrf, dgetrs

    factors, pivots, place = dgetrf(matrix)
    inverse, _ = dgetrs(factors, pivots, np.eye(len(matrix)))
    return inverse, place


def inverses_and_pivots(x: Any) -> tuple[Any, Any]:
    """Return the inverse of each matrix, inf and nan included, and the position of its zero pivot or 0."""
    inverses, places = np.empty(x.shape, x.dtype), np.zeros(x.shape[:-2], np.int32)
    for index in np.ndindex(places.shape):
        if x.shape[-1]:
            inverses[index], places[index] = invert_by_elimination(x[index])
    return inverses, places


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
        position, place = zero_pivot(x)
        which = f"(Batch element {position}): " if x.ndim > 2 else ""
        raise ScriptError(
            f"linalg.inv_ex: {which}The diagonal element {place} is zero, the inversion could not be"
            " completed because the input matrix is singular.",
            code="E0311",
            operands=(x,),
            caret="this matrix has no inverse: its determinant is 0",
        )
    return NamedResult(
        "torch.return_types.linalg_inv_ex", ("inverse", "info"), (inv_ex_op(x), Tensor.of(places))
    )


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
    check_square_split(a, prod(shape), b.size, "other.ndim")
    matrix = reshape_tensor(a, (b.size, b.size))
    return reshape(solve_system(matrix, reshape_tensor(b, (b.size,)), left=True), shape=shape)


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

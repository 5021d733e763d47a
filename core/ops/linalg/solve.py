"""Determinants, inverses, linear systems and traces, for one matrix or a batch of them.

The gradient of ``det`` is the matrix of cofactors, which exists for singular matrices too (torch gives zeros
there). It is computed from singular values, without a division.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DimError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.comparison import where, zero
from autodiff.core.ops.linalg.product_checks import broadcast_batches
from autodiff.core.ops.linalg.products import mT, named_mT, outer
from autodiff.core.ops.reduce.reduction import sum_dtype
from autodiff.core.ops.shape.picking_ops import diag_embed
from autodiff.core.ops.shape.reshape import expand, reshape, squeeze, sum_to, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- determinants -------------------------------------------------------------------------------------


def per_matrix(g: Any) -> Any:
    """Return one number per matrix, shaped to multiply the matrices."""
    return reshape(g, shape=(*g.shape, 1, 1)) if len(g.shape) else g


NO_INVERSE = "this matrix has no inverse: its determinant is 0"


def matrix_error(name: str, x: Any, position: int, what: str, caret: str = NO_INVERSE) -> ScriptError:
    """Return the error about one matrix of ``x``; torch says its ``position`` only if there are several."""
    which = f"(Batch element {position}): " if x.ndim > 2 else ""
    operands = (x,) if x.__class__ is Tensor else ()
    return ScriptError(f"{name}: {which}{what}", code="E0311", operands=operands, caret=caret)


def singular_error(name: str, x: Tensor, position: int, place: int, caret: str = NO_INVERSE) -> ScriptError:
    """Return the error about a matrix without an inverse, whose zero pivot is at ``place``, from 1."""
    what = (
        f"The diagonal element {place} is zero, the inversion could not be completed because the input matrix"
        " is singular."
    )
    return matrix_error(name, x, position, what, caret)


def checked_svd(x: Any, **words: Any) -> Any:
    """Return numpy's SVD. Non-finite matrices are refused: numpy hangs on infinities in single precision."""
    finite = np.isfinite(x).all(axis=(-2, -1))
    if not finite.all():
        what = "The algorithm failed to converge because the input matrix contained non-finite values."
        caret = "this matrix holds nan or infinities"
        raise matrix_error("linalg.svd", x, int(np.argmin(finite)), what, caret)
    return np.linalg.svd(x, **words)


def signed_svd(x: Any) -> tuple[Any, Any, Any, Any]:
    """Return u, s, vᵀ with x = u s vᵀ, and the determinant of u vᵀ, which is 1 or -1."""
    u, s, vt = checked_svd(x)
    return u, s, vt, np.linalg.det(u) * np.linalg.det(vt)


def product_without(s: Any, *skipped: int) -> Any:
    return np.delete(s, skipped, axis=-1).prod(axis=-1)


def cofactor_forward(x: Any) -> Any:
    """Return the cofactors, d det / d x_ij. For x = u s vᵀ they are ± u (the products of the other s) vᵀ."""
    n = x.shape[-1]
    if not n or not np.isfinite(x).all():  # there are no singular values of nan
        return x * np.nan
    u, s, vt, sign = signed_svd(x)
    others = np.stack([product_without(s, i) for i in range(n)], axis=-1)
    return sign[..., None, None] * ((u * others[..., None, :]) @ vt)


def cofactor_slope_forward(x: Any, h: Any) -> Any:
    """Return the derivative of the cofactors along h: the second derivative of det, which is symmetric."""
    n = x.shape[-1]
    if n < 2:
        return np.zeros_like(x)
    if not np.isfinite(x).all():
        return x * np.nan
    u, s, vt, sign = signed_svd(x)
    turned = np.swapaxes(u, -1, -2) @ h @ np.swapaxes(vt, -1, -2)
    slope = np.zeros_like(turned)
    for i in range(n):
        for j in range(n):
            if i != j:
                rest = product_without(s, i, j)
                slope[..., i, j] -= rest * turned[..., j, i]
                slope[..., i, i] += rest * turned[..., j, j]
    return sign[..., None, None] * (u @ slope @ vt)


def cofactor_vjp(g: Any, out: Any, x: Any) -> Any:
    """The derivative of the cofactors along g; for a regular x it is composed of ops, so any order follows.

    With B = x⁻¹ the cofactors are det(x) Bᵀ, and this is det(x) (Σ g·Bᵀ Bᵀ - Bᵀ gᵀ Bᵀ).
    """
    if is_near_singular(x):
        return cofactor_slope(x, g)
    b = mT(inv(x))
    return per_matrix(det(x)) * (per_matrix(entry_sum(g * b)) * b - b @ mT(g) @ b)


def entry_sum(x: Any) -> Any:
    """Return the sum of each matrix's entries."""
    return reshape(sum_to(x, shape=(*x.shape[:-2], 1, 1)), shape=x.shape[:-2])


def is_near_singular(x: Any) -> bool:
    """Whether a matrix is too close to singular to be inverted; False for a symbol."""
    value = x.value if x.__class__ is Tensor else x
    if not isinstance(value, np.ndarray) or not value.size:
        return False
    if not np.isfinite(value).all():
        return True
    s = checked_svd(value, compute_uv=False)
    return bool((s[..., -1] <= s[..., 0] * 1e-10).any())


det: Op = primitive(
    "det",
    lambda x: np.linalg.det(x),
    lambda g, out, x: per_matrix(g) * cofactor(x),
    saved=((0, "out"),),
    grad_fn="LinalgDetBackward0",
    kink="at a singular matrix the gradient is the matrix of cofactors, where torch gives zeros",
)
cofactor: Op = primitive("cofactor", cofactor_forward, cofactor_vjp, grad_fn="MulBackward0")
cofactor_slope: Op = primitive(
    "cofactor_slope",
    cofactor_slope_forward,
    lambda g, out, x, h: det_third_derivative(g, x, h),
    lambda g, out, x, h: cofactor_slope(x, g),
    grad_fn="MulBackward0",
)


def det_third_derivative(g: Any, x: Any, h: Any) -> Any:
    """Return the derivative of the cofactors along h and g: the third derivative of det.

    It is the coefficient of εδ in the cofactors of A = x + εh + δg, by the Faddeev-LeVerrier recursion: M
    starts as 1 and becomes A M - tr(A M)/k for k = 1 to n - 1; the adjugate is then (-1)ⁿ⁻¹ M. It divides by
    no determinant, so it holds at singular matrices, and all its steps are differentiable.
    """
    n = x.shape[-1]
    if n < 3:
        return zero(x)
    diagonal = np.eye(n, dtype=bool)
    plain, along_h, along_g, along_both = x, h, g, zero(x)
    for k in range(1, n):
        parts = []
        for part in (plain, along_h, along_g, along_both):
            trace = per_matrix(entry_sum(where(diagonal, part, 0.0)))
            parts.append(part - where(diagonal, trace * (1 / k), 0.0))
        plain, along_h, along_g, along_both = parts
        if k < n - 1:
            along_both = x @ along_both + h @ along_g + g @ along_h
            along_h, along_g = x @ along_h + h @ plain, x @ along_g + g @ plain
            plain = x @ plain
    return mT(along_both) * (-1.0) ** (n - 1)


# -- inverses and systems ---------------------------------------------------------------------------


def solve_left_vjp(g: Any, out: Any, a: Any, b: Any, *, solver: Op | None = None) -> Any:
    """-A⁻ᵀ g Xᵀ, where A X = B."""
    solved = (solver or solve)(mT(a), g)
    if len(out.shape) == 1:
        return -outer(solved, out)
    return sum_to(-(solved @ mT(out)), shape=a.shape)


def column_major(matrices: Any) -> Any:
    """The same array with each matrix stored column by column, as LAPACK returns it and torch keeps it.

    ``view`` and the names of ``reshape`` in the graph depend on it.
    """
    if matrices.ndim < 2:
        return matrices
    return np.swapaxes(np.ascontiguousarray(np.swapaxes(matrices, -1, -2)), -1, -2)


inv: Op = primitive(
    "inv",
    lambda x: column_major(np.linalg.inv(x)),
    lambda g, out, x: -(mT(out) @ g @ mT(out)),
    grad_fn="LinalgInvExBackward0",
)
solve: Op = primitive(
    "solve",
    lambda a, b: column_major(np.linalg.solve(a, b)),
    solve_left_vjp,
    lambda g, out, a, b: sum_to(solve(mT(a), g), shape=b.shape),
    grad_fn="LinalgSolveExBackward0",
)


def trace_vjp(g: Any, out: Any, x: Any) -> Any:
    """g on the diagonal."""
    length = min(x.shape)
    return diag_embed(expand(g, shape=(length,)), shape=x.shape, offset=0, dim1=0, dim2=1)


trace: Op = primitive("trace", lambda x: np.trace(x, dtype=sum_dtype(x)), trace_vjp)

# -- the functions ------------------------------------------------------------------------------------


def check_matrices(x: Tensor, name: str, called: str = "input tensor A") -> None:
    """Refuse tensors of fewer than two dimensions, with torch's message."""
    if x.ndim < 2:
        raise ShapeError(
            f"{name}: The {called} must have at least 2 dimensions.",
            operands=(x,),
            caret=f"this has shape {x.shape}",
        )


def check_square(x: Tensor, name: str) -> None:
    """Refuse matrices that are not square or not floats, with torch's messages."""
    check_square_shape(x, name)
    check_floats(x, name)


def check_square_shape(x: Tensor, name: str) -> None:
    check_matrices(x, name)
    rows, columns = x.shape[-2:]
    if rows != columns:
        raise ShapeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices",
            operands=(x,),
            caret=f"this matrix has {rows} rows and {columns} columns; they must be equal",
        )


def check_floats(x: Tensor, name: str) -> None:
    """Refuse matrices of integers or bools, with torch's message."""
    if not x.dtype.is_floating_point:
        raise DtypeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype.long_name}",
            operands=(x,),
            help=("convert it: `A.double()`",),
        )


def zero_pivot(x: Tensor) -> tuple[int, int]:
    """Return the number of the singular matrix in a batch and the position (from 1) of its zero pivot."""
    from scipy.linalg.lapack import dgetrf

    matrices = x.data.astype("float64").reshape(-1, *x.shape[-2:])
    for position, matrix in enumerate(matrices):
        _, _, place = dgetrf(matrix)
        if place > 0:
            return position, int(place)
    return 0, x.shape[-1]


@public("linalg.det(A: tensor)", also=("det",))
def det_matrix(x: Tensor) -> Tensor:
    """The determinant."""
    check_square(x, "linalg.det")
    return det(x)


@public("linalg.inv(A: tensor)", also=("inverse",), method=False)
def inv_matrix(x: Tensor) -> Tensor:
    """The inverse of a square matrix."""
    check_square(x, "linalg.inv")
    try:
        return inv(x)
    except np.linalg.LinAlgError:
        raise singular_error("linalg.inv", x, *zero_pivot(x)) from None


def check_equation(a: Tensor, b: Tensor, left: bool, name: str) -> None:
    """Refuse a B that is no matrix or does not fit A, with torch's messages."""
    if b.ndim < 2:
        raise ShapeError(f"{name}: The input tensor B must have at least 2 dimensions.", operands=(b,))
    if b.shape[-2 if left else -1] != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise ShapeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation}"
            f" ({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})",
            operands=(a, b),
        )


def check_same_dtype(begin: str, first: str, a: Tensor, second: str, b: Tensor, end: str = "") -> None:
    """Refuse operands of two dtypes in torch's words, with the operands' names in them."""
    if a.dtype is not b.dtype:
        raise DtypeError(
            f"{begin}Expected {first} and {second} to have the same dtype, but found {first} of type"
            f" {a.dtype.long_name} and {second} of type {b.dtype.long_name} instead{end}",
            operands=(a, b),
            caret=f"one holds {a.dtype.name} numbers, the other {b.dtype.name}",
        )


def solve_with(op: Op, a: Tensor, b: Tensor, left: bool) -> Tensor:
    """Return the X with A X = B, or X A = B unless ``left``, computed by ``op``. B may be one vector."""
    check_floats(a, "linalg.solve")
    check_same_dtype("linalg.solve: ", "A", a, "B", b)
    check_square_shape(a, "linalg.solve")
    if not b.ndim:
        raise ShapeError("linalg.solve: The input tensor B must have at least 2 dimensions.", operands=(a, b))
    is_vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    if is_vector and left and b.ndim == 1 and a.ndim == 2 and b.shape == a.shape[:1]:
        return op(a, b)
    matrix = unsqueeze(b, dim=b.ndim) if is_vector else b
    check_equation(a, matrix, left, "linalg.solve")
    if not left:
        return named_mT(op(mT(a), mT(matrix)), "LinalgSolveExBackward0")
    if is_vector:
        column = op(a, matrix)
        return squeeze.named("LinalgSolveExBackward0")(column, dim=(column.ndim - 1,))
    broadcast_batches(a, b)
    return op(a, b)


def singular_system_error(a: Tensor, name: str) -> ScriptError:
    what = "The solver failed because the input matrix is singular."
    caret = "there is no single solution: the determinant of the first matrix is 0"
    return matrix_error(f"torch.{name}", a, zero_pivot(a)[0], what, caret)


@public("linalg.solve(A: tensor, B: tensor, *, left: bool = True)", method=False)
def solve_system(a: Tensor, b: Tensor, left: bool) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false."""
    try:
        return solve_with(solve, a, b, left)
    except np.linalg.LinAlgError:
        raise singular_system_error(a, "linalg.solve") from None


@public("trace(input: tensor)")
def trace_matrix(x: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    require_kind(x, "trace", "if")
    if x.ndim != 2:
        raise DimError(f"trace: expected a matrix, but got tensor with dim {x.ndim}", operands=(x,))
    return trace(x)

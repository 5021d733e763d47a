"""Cholesky, QR, eigenvalues and singular values: each factor is an op of its own with its own rule.

A rule is linear in the cotangent, so the cotangents through the factors add up, and no node needs several
outputs. The last factorization of each kind is cached, so a matrix is factorized once for all its factors.
The rules are from Giles (2008), "Collected matrix derivative results", and Townsend (2016), "Differentiating
the singular value decomposition". Where singular values or eigenvalues repeat, the vectors have no derivative
and the rules give inf or nan, as torch's do.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.comparison import where, zero
from autodiff.core.ops.linalg.products import mT, named_mT
from autodiff.core.ops.linalg.solve import (
    check_floats,
    check_matrices,
    check_square,
    check_square_shape,
    checked_svd,
    cofactor,
    column_major,
    det,
    inv,
    matrix_error,
    per_matrix,
)
from autodiff.core.ops.linalg.triangular import solve_triangular
from autodiff.core.ops.shape.join import cat
from autodiff.core.ops.shape.picking_ops import slice_dim, tril, triu
from autodiff.core.ops.shape.reshape import transpose, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Factors = tuple[Any, ...]

_last_factors: dict[str, tuple[Any, Factors]] = {}


def cache_last(kind: str, compute: Callable[[Any], Factors]) -> Callable[[Any], Factors]:
    """Return ``compute`` with its last result cached. Arrays are never mutated, so identity is the key."""

    def factors(x: Any) -> Factors:
        matrix, answer = _last_factors.get(kind, (None, ()))
        if matrix is not x:
            answer = compute(x)
            _last_factors[kind] = x, answer
        return answer

    return factors


def per_column(x: Any) -> Any:
    """Return one vector per matrix as a row, to scale columns."""
    return unsqueeze(x, dim=len(x.shape) - 1)


def per_row(x: Any) -> Any:
    """Return one vector per matrix as a column, to scale rows."""
    return unsqueeze(x, dim=len(x.shape))


def divide_off_diagonal(x: Any, gaps: Any) -> Any:
    """Return x_ij / gaps_ij off the diagonal, 0 on it."""
    diagonal = np.eye(x.shape[-1], dtype=bool)
    return where(diagonal, 0.0, x / where(diagonal, 1.0, gaps))


# -- Cholesky -----------------------------------------------------------------------------------------


def cholesky_vjp(g: Any, out: Any, x: Any) -> Any:
    """L⁻ᵀ S L⁻¹, where S is half of tril(Lᵀ g) plus its transpose, with the diagonal counted once."""
    p = tril(mT(out) @ g, diagonal=0)
    s = (p + mT(p)) * 0.5
    halved = where(np.eye(x.shape[-1], dtype=bool), s * 0.5, s)
    left = solve_triangular(mT(out), halved, upper=True, unit=False)
    return mT(solve_triangular(mT(out), mT(left), upper=True, unit=False))


def cholesky_forward(x: Any) -> Any:
    """Return L; nan on its diagonal, which numpy accepts, is an error."""
    out = np.linalg.cholesky(x)
    if np.isnan(np.diagonal(out, 0, -2, -1)).any():
        raise np.linalg.LinAlgError
    return column_major(out)


cholesky: Op = primitive("cholesky", cholesky_forward, cholesky_vjp, grad_fn="LinalgCholeskyExBackward0")

# -- QR -----------------------------------------------------------------------------------------------

qr_factors = cache_last("qr", lambda x: tuple(np.linalg.qr(x)))


def qr_vjp(from_q: Any, middle: Any, q: Any, r: Any) -> Any:
    """(from_q + q sym(triu(middle))) r⁻ᵀ, where sym mirrors the strict upper triangle."""
    upper = triu(middle, diagonal=0)
    mirrored = upper + mT(upper)
    symmetric = where(np.eye(middle.shape[-1], dtype=bool), mirrored * 0.5, mirrored)
    total = q @ symmetric if from_q is None else from_q + q @ symmetric
    return mT(solve_triangular(r, mT(total), upper=True, unit=False))


qr_q: Op = primitive(
    "qr_q",
    lambda x: qr_factors(x)[0],
    lambda g, out, x: qr_vjp(g, -(mT(out) @ g), out, qr_r(x)),
    grad_fn="LinalgQrBackward0",
)
qr_r: Op = primitive(
    "qr_r",
    lambda x: qr_factors(x)[1],
    lambda g, out, x: qr_vjp(None, g @ mT(out), qr_q(x), out),
    grad_fn="LinalgQrBackward0",
)

# -- symmetric eigenvalues ------------------------------------------------------------------------------


def eigh_forward(x: Any) -> Factors:
    try:
        return tuple(np.linalg.eigh(x))
    except np.linalg.LinAlgError:
        raise ScriptError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has"
            " too many repeated eigenvalues.",
            code="E0311",
            caret="this matrix holds nan or infinities" if not np.isfinite(x).all() else "",
        ) from None


eigh_factors = cache_last("eigh", eigh_forward)


def eigenvectors_vjp(g: Any, out: Any, x: Any) -> Any:
    """V (skew(Vᵀg) / (λ_j - λ_i)) Vᵀ, where skew(m) = (m - mᵀ) / 2: symmetric, as the matrix is."""
    w = eigenvalues(x)
    return out @ divide_off_diagonal(antisymmetric(mT(out) @ g) * 0.5, per_column(w) - per_row(w)) @ mT(out)


eigenvalues: Op = primitive(
    "eigenvalues",
    lambda x: eigh_factors(x)[0],
    lambda g, out, x: (eigenvectors(x) * per_column(g)) @ mT(eigenvectors(x)),
    grad_fn="LinalgEighBackward0",
)
eigenvectors: Op = primitive(
    "eigenvectors", lambda x: eigh_factors(x)[1], eigenvectors_vjp, grad_fn="LinalgEighBackward0"
)

# -- singular values ------------------------------------------------------------------------------------

svd_factors = cache_last("svd", lambda x: tuple(checked_svd(x, full_matrices=False)))
full_svd_factors = cache_last("full svd", lambda x: tuple(checked_svd(x, full_matrices=True)))


def svd_parts(full: bool) -> Callable[[Any], Factors]:
    return full_svd_factors if full else svd_factors


def antisymmetric(x: Any) -> Any:
    return x - mT(x)


def squared_gaps(s: Any) -> Any:
    """Return the matrix s_j² - s_i²."""
    return per_column(s) ** 2 - per_row(s) ** 2


def left_vectors_vjp(g: Any, out: Any, x: Any, *, full: bool) -> Any:
    """U (skew(Uᵀg) / (s_j² - s_i²) s) Vᵀ, and where x is tall (1 - U Uᵀ) g s⁻¹ Vᵀ."""
    u, s, vt = left_vectors(x, full=False), singular_values(x), right_vectors(x, full=False)
    count = s.shape[-1]
    if full:  # the vectors beyond have no derivative of their own
        g = first_along(g, len(g.shape) - 1, count)
    inner = u @ (divide_off_diagonal(antisymmetric(mT(u) @ g), squared_gaps(s)) * per_column(s))
    if x.shape[-2] > count:
        scaled = g / per_column(s)
        inner = inner + scaled - u @ (mT(u) @ scaled)
    return inner @ vt


def right_vectors_vjp(g: Any, out: Any, x: Any, *, full: bool) -> Any:
    """U (s skew(Vᵀ gᵀ) / (s_j² - s_i²)) Vᵀ, and where x is wide U s⁻¹ g (1 - V Vᵀ)."""
    u, s, vt = left_vectors(x, full=False), singular_values(x), right_vectors(x, full=False)
    count = s.shape[-1]
    if full:  # as above
        g = first_along(g, len(g.shape) - 2, count)
    inner = (divide_off_diagonal(antisymmetric(vt @ mT(g)), squared_gaps(s)) * per_row(s)) @ vt
    if x.shape[-1] > count:
        scaled = g / per_row(s)
        inner = inner + scaled - (scaled @ mT(vt)) @ vt
    return u @ inner


def first_along(x: Any, dim: int, count: int) -> Any:
    """Return the first ``count`` positions along ``dim``."""
    return slice_dim(x, dim=dim, start=0, stop=count, step=1)


singular_values: Op = primitive(
    "singular_values",
    lambda x: svd_factors(x)[1],
    lambda g, out, x: (left_vectors(x, full=False) * per_column(g)) @ right_vectors(x, full=False),
    grad_fn="LinalgSvdBackward0",
)
left_vectors: Op = primitive(
    "left_vectors", lambda x, full: svd_parts(full)(x)[0], left_vectors_vjp, grad_fn="LinalgSvdBackward0"
)
right_vectors: Op = primitive(
    "right_vectors", lambda x, full: svd_parts(full)(x)[2], right_vectors_vjp, grad_fn="LinalgSvdBackward0"
)

# -- logarithms of determinants ---------------------------------------------------------------------------


def log_det_slope(x: Any) -> Any:
    """Return x⁻ᵀ; for a singular x the cofactors divided by a determinant of 0, which are infinite."""
    try:
        return mT(inv(x))
    except np.linalg.LinAlgError:
        return cofactor(x) / per_matrix(det(x))


def sign_of_det_forward(x: Any) -> Any:
    """Return the sign of the determinant: 1 or -1, 0 where the matrix is singular or its determinant nan."""
    sign, size = np.linalg.slogdet(x)
    return np.where(np.isnan(size), 0, sign).astype(x.dtype, copy=False)


sign_of_det: Op = primitive(
    "sign_of_det",
    sign_of_det_forward,
    lambda g, out, x: zero(x),
    grad_fn="LinalgSlogdetBackward0",
)
log_abs_det: Op = primitive(
    "log_abs_det",
    lambda x: np.linalg.slogdet(x)[1],
    lambda g, out, x: per_matrix(g) * log_det_slope(x),
    grad_fn="LinalgSlogdetBackward0",
)

# -- the functions ------------------------------------------------------------------------------------


def cholesky_factor(x: Tensor, upper: bool, name: str, grad_fn: str) -> Tensor:
    """Return the Cholesky factor of checked matrices. ``name`` begins the error of one that has none."""
    try:
        factor = cholesky.named(grad_fn)(mT(x) if upper else x)
    except np.linalg.LinAlgError:
        raise indefinite_error(x, failing_minors(x.data), name) from None
    return named_mT(factor, grad_fn) if upper else factor


@public("linalg.cholesky(input: tensor, *, upper: bool = False)", method=False)
def checked_cholesky(x: Tensor, upper: bool) -> Tensor:
    """The lower triangular L with L Lᵀ = A, for a symmetric positive definite A; or Lᵀ with ``upper``."""
    check_square(x, "linalg.cholesky")
    return cholesky_factor(x, upper, "linalg.cholesky", "LinalgCholeskyExBackward0")


@public("cholesky(input: tensor, upper: bool = False)")
def legacy_cholesky(x: Tensor, upper: bool) -> Tensor:
    """As ``linalg.cholesky``, by its older name."""
    check_square_shape(x, "cholesky")
    require_kind(x, "cholesky_cpu", "f")
    return cholesky_factor(x, upper, "cholesky", "CholeskyBackward0")


@public("linalg.cholesky_ex(input: tensor, *, upper: bool = False, check_errors: bool = False)", method=False)
def cholesky_ex(x: Tensor, upper: bool, check_errors: bool) -> NamedResult:
    """The Cholesky factor, and for each matrix the order of the minor that is not positive definite, or 0."""
    check_square(x, "linalg.cholesky")
    orders = failing_minors(x.data)
    if check_errors and orders.any():
        raise indefinite_error(x, orders, "linalg.cholesky_ex")
    op = partial_cholesky if orders.any() else cholesky
    factor = op(mT(x) if upper else x)
    if upper:
        factor = named_mT(factor, "LinalgCholeskyExBackward0")
    return NamedResult("torch.return_types.linalg_cholesky_ex", ("L", "info"), (factor, Tensor.of(orders)))


def partial_cholesky_forward(x: Any) -> Any:
    """Return L as LAPACK leaves it: below a minor that is not positive definite stand entries of x."""
    from scipy.linalg.lapack import dpotrf, spotrf

    factorize = spotrf if x.dtype == np.float32 else dpotrf
    out = np.empty(x.shape, x.dtype)
    for place in np.ndindex(x.shape[:-2]):
        out[place] = factorize(x[place], lower=1, clean=1)[0] if x.shape[-1] else x[place]
    return column_major(out)


partial_cholesky: Op = primitive(
    "partial_cholesky", partial_cholesky_forward, cholesky_vjp, grad_fn="LinalgCholeskyExBackward0"
)


def failing_minors(x: Any) -> Any:
    """Return for each matrix the order of its first minor that is not positive definite, or 0."""
    from scipy.linalg.lapack import dpotrf

    orders = np.zeros(x.shape[:-2], np.int32)
    for place in np.ndindex(orders.shape):
        if not x.shape[-1]:
            continue
        factor, order = dpotrf(x[place], lower=1)
        is_nan = np.isnan(np.diagonal(factor))
        orders[place] = np.argmax(is_nan) + 1 if order == 0 and is_nan.any() else order
    return orders


def indefinite_error(x: Tensor, orders: Any, name: str) -> ScriptError:
    """Return the error about the first matrix of ``x`` that is not positive definite."""
    position = int(np.argmax(orders != 0))
    what = (
        "The factorization could not be completed because the input is not positive-definite (the leading"
        f" minor of order {orders.flat[position]} is not positive-definite)."
    )
    return matrix_error(name, x, position, what, "this matrix is not positive definite")


@public("qr(input: tensor, some: bool = True)")
def legacy_qr(x: Tensor, some: bool) -> NamedResult:
    """As ``linalg.qr``, by its older name: ``some=False`` is the mode "complete"."""
    return NamedResult("torch.return_types.qr", ("Q", "R"), qr(x, "reduced" if some else "complete").entries)


@public("linalg.qr(A: tensor, mode: str = 'reduced')", method=False)
def qr(x: Tensor, mode: str) -> NamedResult:
    """Q with orthonormal columns and upper triangular R whose product is A."""
    check_matrices(x, "linalg.qr")
    check_floats(x, "linalg.qr")
    if mode not in ("reduced", "complete", "r"):
        raise ScriptError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or"
            " 'complete'"
        )
    tall = x.shape[-2] >= x.shape[-1]
    if mode == "complete" and x.shape[-2] > x.shape[-1]:
        if x.requires_grad_flag:
            raise ScriptError(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.",
                code="E0414",
                operands=(x,),
            )
        parts = [Tensor.of(part) for part in np.linalg.qr(x.data, mode="complete")]
    elif tall:
        parts = [qr_q(x), qr_r(x)]
    else:  # the leading square block determines Q; the columns beside it are expressed in Q
        height = x.shape[-2]
        block = slice_dim(x, dim=x.ndim - 1, start=0, stop=height, step=1)
        rest = slice_dim(x, dim=x.ndim - 1, start=height, stop=x.shape[-1], step=1)
        q = qr_q(block)
        parts = [q, cat.named("LinalgQrBackward0")(qr_r(block), mT(q) @ rest, dim=x.ndim - 1)]
    if mode == "r":
        parts[0] = Tensor.of(np.zeros(0, x.data.dtype))
    return NamedResult("torch.return_types.linalg_qr", ("Q", "R"), tuple(parts))


def checked_triangle(x: Tensor, uplo: str) -> Tensor:
    """Return ``x``, transposed if ``uplo`` is U, so that its lower triangle holds the symmetric matrix."""
    check_square_shape(x, "linalg.eigh")
    if uplo.upper() not in ("L", "U"):
        raise ScriptError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    require_kind(x, "linalg_eigh_cpu", "f")
    return mT(x) if uplo.upper() == "U" else x


@public("linalg.eigh(input: tensor, UPLO: str = 'L')", method=False)
def eigh(x: Tensor, uplo: str) -> NamedResult:
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    x = checked_triangle(x, uplo)
    return NamedResult(
        "torch.return_types.linalg_eigh", ("eigenvalues", "eigenvectors"), (eigenvalues(x), eigenvectors(x))
    )


@public("linalg.eigvalsh(input: tensor, UPLO: str = 'L')", method=False)
def eigvalsh(x: Tensor, uplo: str) -> Tensor:
    """The eigenvalues of a symmetric matrix in ascending order."""
    return eigenvalues(checked_triangle(x, uplo))


@public("linalg.svd(A: tensor, full_matrices: bool = True)", method=False)
def svd(x: Tensor, full_matrices: bool) -> NamedResult:
    """U, the singular values and Vᵀ whose product is A. Gradients flow through the reduced part only."""
    check_matrices(x, "linalg.svd")
    check_floats(x, "linalg.svd")
    full = full_matrices and x.shape[-1] != x.shape[-2]
    parts = (left_vectors(x, full=full), singular_values(x), right_vectors(x, full=full))
    return NamedResult("torch.return_types.linalg_svd", ("U", "S", "Vh"), parts)


@public("svd(input: tensor, some: bool = True, compute_uv: bool = True)")
def legacy_svd(x: Tensor, some: bool, compute_uv: bool) -> NamedResult:
    """U, the singular values and V (not Vᵀ), by the older name; without ``compute_uv`` U and V are zeros."""
    if x.ndim < 2:
        raise ShapeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {x.ndim} dimensions instead",
            operands=(x,),
        )
    if compute_uv:
        u, s, vt = svd(x, not some)
        parts = (u, s, transpose(vt, dim0=vt.ndim - 2, dim1=vt.ndim - 1))
    else:
        zeros = [Tensor.of(np.zeros((*x.shape[:-2], n, n), x.data.dtype)) for n in x.shape[-2:]]
        parts = (zeros[0], svdvals(x), zeros[1])
    return NamedResult("torch.return_types.svd", ("U", "S", "V"), parts)


@public("linalg.svdvals(A: tensor)", method=False)
def svdvals(x: Tensor) -> Tensor:
    """The singular values in descending order."""
    check_matrices(x, "linalg.svd")
    check_floats(x, "linalg.svd")
    return singular_values(x)


@public("slogdet(input: tensor)")
def slogdet(x: Tensor) -> NamedResult:
    """The sign and the logarithm of the absolute value of the determinant."""
    check_square(x, "linalg.slogdet")
    return NamedResult("torch.return_types.slogdet", ("sign", "logabsdet"), (sign_of_det(x), log_abs_det(x)))


@public("linalg.slogdet(A: tensor)", method=False)
def linalg_slogdet(x: Tensor) -> NamedResult:
    """As ``torch.slogdet``, with another type name of the result."""
    return NamedResult("torch.return_types.linalg_slogdet", ("sign", "logabsdet"), slogdet(x).entries)


@public("logdet(input: tensor)")
def logdet(x: Tensor) -> Tensor:
    """The logarithm of the determinant; nan where it is negative."""
    check_square(x, "logdet")
    sign, size = slogdet(x)
    return where(sign.value == -1.0, np.nan, size)

"""The LU factorization with row exchanges, of square and rectangular matrices."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.comparison import zero
from autodiff.core.ops.linalg.factorizations import cache_last, first_along
from autodiff.core.ops.linalg.products import matmul, mT
from autodiff.core.ops.linalg.triangular import solve_triangular
from autodiff.core.ops.shape.join import cat
from autodiff.core.ops.shape.picking_ops import slice_dim, tril, triu

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
    if x.size:
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

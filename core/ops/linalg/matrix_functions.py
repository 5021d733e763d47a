"""Functions of whole matrices: powers, exponentials, pseudo-inverses, least squares."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from itertools import pairwise

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.arithmetic import add
from autodiff.core.ops.elementwise.comparison import zero
from autodiff.core.ops.linalg.factorizations import first_along, singular_values
from autodiff.core.ops.linalg.product_checks import broadcast_batches
from autodiff.core.ops.linalg.products import matmul, mT
from autodiff.core.ops.linalg.solve import (
    check_floats,
    check_matrices,
    check_square,
    check_square_shape,
    checked_svd,
    inv_matrix,
)
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.shape.join import cat
from autodiff.core.ops.shape.picking_ops import slice_dim
from autodiff.core.ops.shape.reshape import clone, expand, reshape, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# -- the exponential ------------------------------------------------------------------------------------


def matrix_exp_forward(x: Any) -> Any:
    from scipy.linalg import expm

    return expm(x).astype(x.dtype) if x.size else x


def matrix_exp_vjp(g: Any, out: Any, x: Any) -> Any:
    """The upper right block of exp([[xᵀ, g], [0, xᵀ]]) (Higham 2008, theorem 3.6)."""
    a = mT(x)
    rows, columns = len(x.shape) - 2, len(x.shape) - 1
    upper = cat(a, g, dim=columns)
    lower = cat(a * 0.0, a, dim=columns)
    both = matrix_exp(cat(upper, lower, dim=rows))
    n = x.shape[-1]
    return slice_dim(first_along(both, rows, n), dim=columns, start=n, stop=2 * n, step=1)


matrix_exp: Op = primitive(
    "matrix_exp", matrix_exp_forward, matrix_exp_vjp, grad_fn="LinalgMatrixExpBackward0"
)

# -- the pseudo-inverse ---------------------------------------------------------------------------------


def singular_value_cutoff(s: Any, x: Any, atol: Any, rtol: Any) -> Any:
    """Return the bound that nonzero singular values exceed: ``atol``, or ``rtol`` times the largest, if more.

    Without either, ``rtol`` is the rounding error of a matrix of that size. Arrays hold one bound per matrix.
    """
    atol = np.asarray(0.0 if atol is None else atol)
    if rtol is None:
        rtol = np.where(atol > 0, 0, max(x.shape[-2:]) * np.finfo(x.dtype).eps)
    return np.maximum(atol, rtol * s.max(axis=-1, initial=0))[..., None]


def pinv_vjp(g: Any, out: Any, x: Any, *, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """-Pᵀ g Pᵀ + (1 - A P) gᵀ P Pᵀ + Pᵀ P gᵀ (1 - P A) (Golub and Pereyra 1973), for constant rank."""
    p, pt, gt = out, mT(out), mT(g)
    outside = gt @ p @ pt
    inside = pt @ p @ gt
    return -(pt @ g @ pt) + (outside - x @ (p @ outside)) + (inside - (inside @ p) @ x)


def pinv_forward(x: Any, *, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """Return V diag(1/s) Uᵀ without the s that count as 0; ``hermitian`` reads only the lower triangle."""
    if hermitian:
        x = np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2)
    u, s, vt = checked_svd(x, full_matrices=False)
    kept = s > singular_value_cutoff(s, x, atol, rtol)
    inverted = np.divide(1, s, out=np.zeros_like(s), where=kept)
    return np.swapaxes(vt, -1, -2) @ (inverted[..., None] * np.swapaxes(u, -1, -2))


pinv: Op = primitive(
    "pinv",
    pinv_forward,
    pinv_vjp,
    grad_fn="LinalgPinvBackward0",
)

# -- the functions --------------------------------------------------------------------------------------


@public("matrix_exp(input: tensor)", also=("linalg.matrix_exp",))
def checked_matrix_exp(x: Tensor) -> Tensor:
    """The matrix exponential of a square matrix."""
    check_square(x, "linalg.matrix_exp")
    return matrix_exp(x)


@public("matrix_power(input: tensor, n: int)", also=("linalg.matrix_power",))
def matrix_power(x: Tensor, n: int) -> Tensor:
    """The ``n``-th power of a square matrix; a negative ``n`` means powers of the inverse."""
    check_square_shape(x, "linalg.matrix_power")
    if n == 0:
        identity = Tensor.of(np.broadcast_to(np.eye(x.shape[-1], dtype=x.data.dtype), x.shape))
        return add.named("CopyBackwards")(zero(x), identity) if x.dtype.is_floating_point else identity
    base = inv_matrix(x) if n < 0 else x
    n = n if n > 0 else -n
    if n == 1:
        return base if base is not x else clone(x)
    power: Tensor | None = None
    while n:  # by squaring
        if n & 1:
            power = base if power is None else matmul(power, base)
        n >>= 1
        base = matmul(base, base) if n else base
    assert power is not None
    return power


TOLERANCE_PARAMETERS = "hermitian: bool = False, *, atol: value = None, rtol: value = None"


@public(f"linalg.pinv(input: tensor, rcond: value = None, {TOLERANCE_PARAMETERS})", method=False)
def pseudo_inverse(x: Tensor, rcond: Any, hermitian: bool, atol: Any, rtol: Any) -> Tensor:
    """The Moore-Penrose inverse.

    Singular values count as zero up to ``atol`` or ``rtol`` times the largest, whichever is more; ``rcond``
    is an older name of ``rtol``. Tensors hold one tolerance for each matrix of a batch.
    """
    if x.ndim < 2 or not x.dtype.is_floating_point:
        raise ShapeError(
            f"linalg.pinv({x.dtype.long_name}{{{list(x.shape)}}}): expected a tensor with 2 or more"
            " dimensions of float, double, cfloat or cdouble types",
            operands=(x,),
        )
    return apply_pinv(x, 0.0 if rcond is not None else atol, rtol if rcond is None else rcond, hermitian)


def apply_pinv(x: Tensor, atol: Any, rtol: Any, hermitian: bool = False) -> Tensor:
    hermitian = hermitian and x.entry_count > 0
    if hermitian:
        check_square(x, "linalg.eigh")
    batch, atol, rtol = broadcast_tolerances(x, atol, rtol)
    x = x if batch == x.shape[:-2] else expand(x, shape=(*batch, *x.shape[-2:]))
    return pinv(x, atol=atol, rtol=rtol, hermitian=hermitian)


def broadcast_tolerances(x: Tensor, atol: Any, rtol: Any) -> tuple[tuple[int, ...], Any, Any]:
    """Return the batch shape, broadcast with the tolerances, and the tolerances as numbers or arrays."""
    batch: tuple[int, ...] = (*x.shape[:-2], 1)
    for given in (rtol, atol):
        if given.__class__ is Tensor:
            batch = broadcast_shape((Tensor.of(given.data[..., None]), Tensor.of(np.empty(batch))))
    atol, rtol = (given.data if given.__class__ is Tensor else given for given in (atol, rtol))
    return batch[:-1], atol, rtol


@public("pinverse(input: tensor, rcond: float = 1e-15)")
def pinverse(x: Tensor, rcond: float) -> Tensor:
    """The Moore-Penrose inverse under its older name."""
    return pseudo_inverse(x, rcond, False, None, None)


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@public("linalg.lstsq(input: tensor, b: tensor, rcond: float = None, *, driver: str = None)", method=False)
def lstsq(a: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> NamedResult:
    """The X for which A X is nearest to B. As in torch, ``driver`` decides what else is computed."""
    if a.ndim < 2 or not b.ndim:
        what = (
            "input must have at least 2 dimensions" if a.ndim < 2 else "other must have at least 1 dimension"
        )
        raise ShapeError(f"torch.linalg.lstsq: {what}.", operands=(a, b))
    if not 0 <= a.ndim - b.ndim <= 1:
        reach = "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        raise ShapeError(f"torch.linalg.lstsq: {reach}", operands=(a, b))
    driver = "gelsy" if driver is None else driver
    if driver not in DRIVERS:
        raise ScriptError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    is_vector = b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]
    dim = -1 if is_vector or b.ndim == 1 else -2
    if b.shape[dim] != a.shape[-2]:
        raise ShapeError(
            f"torch.linalg.lstsq: input.size(-2) should match other.size({dim})",
            operands=(a, b),
            caret=f"the first has {a.shape[-2]} rows, the second {b.shape[dim]}",
        )
    if a.dtype is not b.dtype:
        raise DtypeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype"
            f" {a.dtype.long_name} and other's dtype {b.dtype.long_name}",
            operands=(a, b),
        )
    # Here torch treats a B with one dimension less as vectors, even if it counted the rows of a matrix above.
    broadcast_batches(a, unsqueeze(b, dim=b.ndim) if b.ndim < a.ndim else b)
    check_rank_dtype(a)
    target = unsqueeze(b, dim=b.ndim) if is_vector else b
    solution = apply_pinv(a, None, rcond) @ target
    named_reshape = reshape.named("LinalgLstsqBackward0")
    solution = named_reshape(solution, shape=solution.shape)
    nothing = Tensor.of(np.zeros(0, a.data.dtype))
    rank = compute_rank(a.data)
    residuals = named_reshape(slice_dim(solution, dim=0, start=0, stop=0, step=1), shape=(0,))
    if driver != "gelsy" and a.shape[-2] > a.shape[-1] and (rank == a.shape[-1]).all():
        residual = target - a @ solution
        residuals = sum.named("LinalgLstsqBackward0")(
            residual * residual, dim=(residual.ndim - 2,), keepdim=False
        )
    parts = (
        named_reshape(solution, shape=solution.shape[:-1]) if is_vector else solution,
        residuals,
        Tensor.of(np.zeros(0, np.int64) if driver == "gels" else rank),
        Tensor.of(singular_values(a.data)) if driver in ("gelsd", "gelss") else nothing,
    )
    return NamedResult(
        "torch.return_types.linalg_lstsq", ("solution", "residuals", "rank", "singular_values"), parts
    )


def check_rank_dtype(x: Tensor) -> None:
    """Raise torch's error for integers where the rank is computed."""
    if not x.dtype.is_floating_point:
        raise DtypeError(
            "This function doesn't handle types other than float and double",
            operands=(x,),
            help=("convert it: `A.double()`",),
        )


def compute_rank(x: Any, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the number of nonzero singular values; ``hermitian`` uses the absolute eigenvalues."""
    s = np.abs(np.linalg.eigvalsh(x)) if hermitian else checked_svd(x, compute_uv=False)
    return (s > singular_value_cutoff(s, x, atol, rtol)).sum(axis=-1, dtype=np.int64)


@public(f"linalg.matrix_rank(input: tensor, tol: value = None, {TOLERANCE_PARAMETERS})", method=False)
def matrix_rank(x: Tensor, tol: Any, hermitian: bool, atol: Any, rtol: Any) -> Tensor:
    """The number of nonzero singular values, as for ``pinv``; ``tol`` is an older name of ``atol``."""
    check_matrices(x, "torch.linalg.matrix_rank", "input tensor input")
    if tol is None:
        check_rank_dtype(x)
    if hermitian and x.entry_count:
        check_square(x, "linalg.eigh")
    if tol is not None:
        check_floats(x, "linalg.eigh" if hermitian else "linalg.svd")
        atol, rtol = tol, 0.0
    _, atol, rtol = broadcast_tolerances(x, atol, rtol)
    return Tensor.of(compute_rank(x.data, atol, rtol, hermitian and bool(x.entry_count)))


def check_chain(tensors: list[Tensor]) -> None:
    """Check the factors of multi_dot: fitting matrices of one dtype; vectors are allowed at the ends."""
    for place, x in enumerate(tensors):
        is_last = place == len(tensors) - 1
        if x.ndim != 2 and not (x.ndim == 1 and (place == 0 or is_last)):
            which = "the first tensor" if place == 0 else "the last tensor" if is_last else f"tensor {place}"
            wanted = "1D or 2D" if place == 0 or is_last else "2D"
            raise ShapeError(f"multi_dot(): {which} must be {wanted} but got {x.ndim}D", operands=(x,))
    for place, x in enumerate(tensors):
        if x.dtype is not tensors[0].dtype:
            raise DtypeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is"
                f" {tensors[0].dtype.c_name} and tensor {place} {x.dtype.c_name}",
                operands=(tensors[0], x),
            )
    for place, (left, right) in enumerate(pairwise(tensors)):
        if left.shape[-1] != right.shape[0]:
            raise ShapeError(
                f"multi_dot(): tensors {place} and {place + 1} with shapes {list(left.shape)} and"
                f" {list(right.shape)} cannot be multiplied",
                operands=(left, right),
            )


@public("linalg.multi_dot(tensors: tensors)", method=False)
def multi_dot(tensors: list[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
    if len(tensors) < 2:
        raise ShapeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    check_chain(tensors)
    first, last = tensors[0], tensors[-1]
    chain = list(tensors)
    chain[0] = unsqueeze(first, dim=0) if first.ndim == 1 else first
    chain[-1] = unsqueeze(last, dim=1) if last.ndim == 1 else last
    product = multiply_chain(chain, cheapest_split([x.shape[0] for x in chain] + [chain[-1].shape[1]]))
    kept = (product.shape[0],) * (first.ndim == 2) + (product.shape[1],) * (last.ndim == 2)
    return reshape(product, shape=kept)


def cheapest_split(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return where to split each run of factors for the fewest multiplications (dynamic programming)."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i, j], split[i, j] = min(options)
    return split


def multiply_chain(chain: list[Tensor], split: dict[tuple[int, int], int]) -> Tensor:
    def product(i: int, j: int) -> Tensor:
        if i == j:
            return chain[i]
        return product(i, split[i, j]) @ product(split[i, j] + 1, j)

    return product(0, len(chain) - 1)

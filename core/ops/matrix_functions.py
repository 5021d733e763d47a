"""Functions of whole matrices: powers, exponentials, pseudo-inverses, least squares, matrix norms."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from itertools import pairwise

from autodiff.core.errors import ScriptError, ShapeError, type_name
from autodiff.core.functions import public
from autodiff.core.lazy import np
from autodiff.core.op import Op, primitive
from autodiff.core.ops.arithmetic import add, div, mul
from autodiff.core.ops.comparison import zero
from autodiff.core.ops.dims import wrap_dims
from autodiff.core.ops.extremes import amax, amin
from autodiff.core.ops.factorizations import first_along, singular_values
from autodiff.core.ops.joining import cat
from autodiff.core.ops.linalg import (
    check_floats,
    check_matrices,
    check_square,
    check_square_shape,
    inv_matrix,
    svd_of,
)
from autodiff.core.ops.picking import slice_dim
from autodiff.core.ops.products import matmul, mT
from autodiff.core.ops.reduction import cast, check_not_empty, sum
from autodiff.core.ops.selection import abs
from autodiff.core.ops.shape import clone, movedim, reshape, unsqueeze
from autodiff.core.ops.spreads import norm_over
from autodiff.core.results import NamedResult
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.dtypes import DType
    from autodiff.core.ops.dims import Shape

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


def pinv_vjp(g: Any, out: Any, x: Any, *, rtol: float, hermitian: bool) -> Any:
    """-Pᵀ g Pᵀ + (1 - A P) gᵀ P Pᵀ + Pᵀ P gᵀ (1 - P A) (Golub and Pereyra 1973), for constant rank."""
    p, pt, gt = out, mT(out), mT(g)
    outside = gt @ p @ pt
    inside = pt @ p @ gt
    return -(pt @ g @ pt) + (outside - x @ (p @ outside)) + (inside - (inside @ p) @ x)


def pinv_forward(x: Any, *, rtol: float, hermitian: bool) -> Any:
    """V diag(1/s) Uᵀ, without singular values that count as 0; if ``hermitian`` of the lower triangle."""
    if hermitian:
        x = np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2)
    u, s, vt = svd_of(x, full_matrices=False)
    kept = s > rtol * s.max(axis=-1, keepdims=True, initial=0)
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
def exp_of_matrix(x: Tensor) -> Tensor:
    """The matrix exponential of a square matrix."""
    check_square(x, "linalg.matrix_exp")
    return matrix_exp(x)


@public("matrix_power(input: tensor, n: int)", also=("linalg.matrix_power",))
def matrix_power(x: Tensor, n: int) -> Tensor:
    """A square matrix times itself, ``n`` times; of the inverse where ``n`` is negative."""
    check_square_shape(x, "linalg.matrix_power")
    if n == 0:
        identity = Tensor(np.broadcast_to(np.eye(x.shape[-1], dtype=x.data.dtype), x.shape))
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


@public("linalg.pinv(input: tensor, *, rtol: float = None, hermitian: bool = False)", method=False)
def pseudo_inverse(x: Tensor, rtol: float | None, hermitian: bool) -> Tensor:
    """The Moore-Penrose inverse; singular values below ``rtol`` times the largest count as zero."""
    if x.ndim < 2 or not x.dtype.is_floating_point:
        raise ShapeError(
            f"linalg.pinv({x.dtype.long_name}{{{list(x.shape)}}}): expected a tensor with 2 or more"
            " dimensions of float, double, cfloat or cdouble types",
            operands=(x,),
        )
    default = max(x.shape[-2:]) * float(np.finfo(x.data.dtype).eps)
    if hermitian:
        check_square(x, "linalg.pinv")
    return pinv(x, rtol=default if rtol is None else rtol, hermitian=hermitian)


@public("pinverse(input: tensor, rcond: float = 1e-15)")
def pinverse(x: Tensor, rcond: float) -> Tensor:
    """The Moore-Penrose inverse under its older name."""
    return pseudo_inverse(x, rcond, False)


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@public("linalg.lstsq(input: tensor, b: tensor, rcond: float = None, *, driver: str = 'gelsy')", method=False)
def lstsq(a: Tensor, b: Tensor, rcond: float | None, driver: str) -> NamedResult:
    """The X for which A X comes nearest to B. ``driver`` decides, as in torch, what else is worked out."""
    if a.ndim < 2 or not b.ndim:
        what = (
            "input must have at least 2 dimensions" if a.ndim < 2 else "other must have at least 1 dimension"
        )
        raise ShapeError(f"torch.linalg.lstsq: {what}.", operands=(a, b))
    if not 0 <= a.ndim - b.ndim <= 1:
        reach = "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        raise ShapeError(f"torch.linalg.lstsq: {reach}", operands=(a, b))
    if driver not in DRIVERS:
        raise ScriptError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    vector = b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]
    dim = -1 if vector or b.ndim == 1 else -2
    if b.shape[dim] != a.shape[-2]:
        raise ShapeError(
            f"torch.linalg.lstsq: input.size(-2) should match other.size({dim})",
            operands=(a, b),
            caret=f"the first has {a.shape[-2]} rows, the second {b.shape[dim]}",
        )
    if a.dtype is not b.dtype:
        raise ScriptError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype"
            f" {a.dtype.long_name} and other's dtype {b.dtype.long_name}",
            code="E0312",
            operands=(a, b),
        )
    check_decimals(a)
    target = unsqueeze(b, dim=b.ndim) if vector else b
    solution = pseudo_inverse(a, rcond, False) @ target
    recorded = reshape.named("LinalgLstsqBackward0")
    solution = recorded(solution, shape=solution.shape)
    nothing = Tensor(np.zeros(0, a.data.dtype))
    rank = rank_of(a.data)
    residuals = recorded(slice_dim(solution, dim=0, start=0, stop=0, step=1), shape=(0,))
    if driver != "gelsy" and a.shape[-2] > a.shape[-1] and (rank == a.shape[-1]).all():
        off = target - a @ solution
        residuals = sum.named("LinalgLstsqBackward0")(off * off, dim=(off.ndim - 2,), keepdim=False)
    parts = (
        recorded(solution, shape=solution.shape[:-1]) if vector else solution,
        residuals,
        Tensor(np.zeros(0, np.int64) if driver == "gels" else rank),
        Tensor(singular_values(a.data)) if driver in ("gelsd", "gelss") else nothing,
    )
    return NamedResult(
        "torch.return_types.linalg_lstsq", ("solution", "residuals", "rank", "singular_values"), parts
    )


def check_decimals(x: Tensor) -> None:
    """What torch says of whole numbers where the rank is counted."""
    if not x.dtype.is_floating_point:
        raise ScriptError(
            "This function doesn't handle types other than float and double",
            code="E0312",
            operands=(x,),
            help=("convert it: `A.double()`",),
        )


def rank_of(x: Any) -> Any:
    """How many singular values are not rounding beside the largest."""
    s = svd_of(x, compute_uv=False)
    least = s.max(axis=-1, keepdims=True, initial=0) * max(x.shape[-2:]) * np.finfo(x.dtype).eps
    return (s > least).sum(axis=-1, dtype=np.int64)


@public("linalg.matrix_rank(input: tensor)", method=False)
def matrix_rank(x: Tensor) -> Tensor:
    """How many singular values are not zero."""
    check_matrices(x, "torch.linalg.matrix_rank", "input tensor input")
    check_decimals(x)
    return Tensor(rank_of(x.data))


def check_chain(tensors: list[Tensor]) -> None:
    """What multi_dot asks of its factors: matrices that fit, of one type; a vector at either end will do."""
    for place, x in enumerate(tensors):
        is_last = place == len(tensors) - 1
        if x.ndim != 2 and not (x.ndim == 1 and (place == 0 or is_last)):
            which = "the first tensor" if place == 0 else "the last tensor" if is_last else f"tensor {place}"
            wanted = "1D or 2D" if place == 0 or is_last else "2D"
            raise ShapeError(f"multi_dot(): {which} must be {wanted} but got {x.ndim}D", operands=(x,))
    for place, x in enumerate(tensors):
        if x.dtype is not tensors[0].dtype:
            raise ScriptError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is"
                f" {tensors[0].dtype.c_name} and tensor {place} {x.dtype.c_name}",
                code="E0312",
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
    """The product of several matrices, multiplied in the order that takes the fewest steps."""
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
    """Where to split each run of factors for the fewest multiplications (dynamic programming)."""
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


# -- norms ----------------------------------------------------------------------------------------------

NORM = "(input: tensor, ord: any = {}, dim: ints = {}, keepdim: bool = False, *, dtype: dtype = None)"


@public("linalg.matrix_norm" + NORM.format("'fro'", "None"), method=False)
def matrix_norm(x: Tensor, ord: Any, dim: Shape | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """A norm of each matrix: 'fro', 'nuc', inf, 1, 2 or their negatives for the smallest."""
    x = cast(x, dtype)
    check_matrices(x, "linalg.matrix_norm")
    if dim is not None and len(dim) != 2:
        raise ShapeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}", operands=(x,)
        )
    if not x.dtype.is_floating_point:
        raise ScriptError(
            f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got"
            f" {x.dtype.long_name}",
            operands=(x,),
        )
    rows, columns = wrap_dims(x, (-2, -1) if dim is None else dim)
    ord = int(ord) if ord.__class__ is bool else ord
    if ord.__class__ not in (int, float, str):
        raise ScriptError(
            f"linalg_matrix_norm(): argument 'ord' (position 2) must be Number or str, not {type_name(ord)}",
            code="E0310",
        )
    if ord == "fro":
        return norm_over(x, 2, (rows, columns), keepdim)
    if ord in (2, -2, "nuc"):
        values = singular_values(movedim(x, (rows, columns), (-2, -1)))
        small = extreme_size(values, 0 if ord == "nuc" else float(ord), values.ndim - 1, False)
        if not keepdim:
            return small
        shape = tuple(1 if d in (rows, columns) else n for d, n in enumerate(x.shape))
        return reshape.named("PermuteBackward0")(small, shape=shape)
    if ord not in (1, -1, math.inf, -math.inf):
        raise ScriptError(f"linalg.matrix_norm: Order {ord} not supported.")
    along, over = (rows, columns) if ord in (1, -1) else (columns, rows)
    totals = sum(abs(x), dim=(along,), keepdim=keepdim)
    place = over if keepdim or over < along else over - 1
    return extreme_size(totals, ord, place, keepdim)


def extreme_size(sizes: Tensor, ord: float, dim: int, keepdim: bool) -> Tensor:
    """The largest for a positive order, the smallest for a negative one, the sum for 0; of nothing 0."""
    if ord < 0:
        check_not_empty(sizes, "amin", (dim,))
    elif ord and not sizes.shape[dim]:
        ord, sizes = 0, sizes.detach()
    return (amax if ord > 0 else amin if ord else sum)(sizes, dim=(dim,), keepdim=keepdim)


@public("linalg.norm" + NORM.format("None", "None"), method=False)
def norm_of(x: Tensor, ord: Any, dim: Shape | None, keepdim: bool, dtype: DType | None) -> Tensor:
    """The norm of a vector or a matrix: of two dimensions it is a matrix norm, of one a vector norm."""
    if ord is None:
        return norm_over(cast(x, dtype), 2, dim, keepdim)
    if (dim is not None and len(dim) == 2) or (dim is None and x.ndim == 2):
        return matrix_norm(x, ord, dim, keepdim, dtype)
    if ord in ("fro", "nuc") or (dim is None and x.ndim != 1):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x.ndim}D.",
            operands=(x,),
        )
    return norm_over(cast(x, dtype), ord, dim, keepdim)


@public("linalg.cond(input: tensor, p: any = None)", method=False)
def cond(x: Tensor, p: Any) -> Tensor:
    """The condition number: the norm of A times the norm of its inverse."""
    check_matrices(x, "linalg.cond", "input tensor")
    if p.__class__ not in (int, float, bool, str) and p is not None:
        raise ScriptError(
            f"linalg_cond(): argument 'p' (position 2) must be Number or str, not {type_name(p)}",
            code="E0310",
        )
    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise ScriptError(f"linalg.cond got an invalid norm type: {p}", operands=(x,))
    if p in (None, 2, -2):
        check_floats(x, "linalg.svd")
        if 0 in x.shape:
            return Tensor(np.zeros(x.shape[:-2], x.data.dtype))
        values = singular_values(x)
        last = values.ndim - 1
        largest, smallest = (op(values, dim=(last,), keepdim=False) for op in (amax, amin))
        ratio = div.named("SqueezeBackward1")
        return ratio(smallest, largest) if p == -2 else ratio(largest, smallest)
    check_square(x, f"linalg.cond(ord={p})")
    try:
        inverse = inv_matrix(x)
    except ScriptError:
        if x.ndim > 2:
            raise
        return matrix_norm(x, p, None, False, None) * math.inf  # a single singular matrix
    norms = (matrix_norm(part, p, None, False, None) for part in (x, inverse))
    return (mul if p == "nuc" else mul.named("NanToNumBackward0"))(*norms)

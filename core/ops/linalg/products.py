"""Products of vectors and matrices: the op behind ``@`` for each pair of shapes, with torch's names.

For ``Y = X @ W`` the cotangents are ``G @ W.T`` and ``X.T @ G``.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ShapeError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import checked_integer
from autodiff.core.fast.small_products import SMALL_SIZE, fast_matmul, fast_matmul_2d
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.registry import OPERATORS, declare
from autodiff.core.graph.values import cast
from autodiff.core.ops.linalg.product_checks import (
    check_batches,
    check_bmm,
    check_mm,
    check_mv,
    check_numeric_dtypes,
    check_sum_dtypes,
    check_sum_terms,
    inner_size_error,
    need_ndim,
    no_bool_kernel_error,
)
from autodiff.core.ops.shape.dims import expanded_shape, size_along
from autodiff.core.ops.shape.reshape import reshape, reshape_tensor, sum_to, transpose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mT(x: Any) -> Any:
    """Return ``x`` with its last two dimensions exchanged. Rules use it, so ``x`` may be a symbol."""
    return x.T if len(x.shape) == 2 else transpose(x, dim0=len(x.shape) - 2, dim1=len(x.shape) - 1)


def named_mT(x: Any, grad_fn: str) -> Any:
    """Return ``mT(x)`` as the last step of a function that torch records as one node, named ``grad_fn``."""
    return transpose.named(grad_fn)(x, dim0=len(x.shape) - 2, dim1=len(x.shape) - 1)


def matmul_left_vjp(g: Any, out: Any, x: Any, y: Any) -> Any:
    """g @ yᵀ, summed over the dimensions that x was broadcast along."""
    if len(y.shape) == 1:
        return reshape(g, shape=(*g.shape, 1)) * y
    if len(x.shape) == 1:
        column = reshape(g, shape=(*g.shape, 1))
        return sum_to(reshape(matmul_op(y, column), shape=y.shape[:-1]), shape=x.shape)
    return sum_to(matmul_op(g, mT(y)), shape=x.shape)


def matmul_right_vjp(g: Any, out: Any, x: Any, y: Any) -> Any:
    """xᵀ @ g, summed over the dimensions that y was broadcast along."""
    if len(y.shape) == 1:
        column = reshape(g, shape=(*g.shape, 1))
        return sum_to(reshape(matmul_op(mT(x), column), shape=(*x.shape[:-2], x.shape[-1])), shape=y.shape)
    if len(x.shape) == 1:
        row = reshape(g, shape=(*g.shape[:-1], 1, g.shape[-1]))
        return reshape(x, shape=(*x.shape, 1)) * row
    return sum_to(matmul_op(mT(x), g), shape=y.shape)


mm: Op = primitive(
    "mm",
    fast_matmul,
    lambda g, out, x, y: g @ y.T,
    lambda g, out, x, y: x.T @ g,
    fast_vjps=(lambda g, out, x, y: fast_matmul_2d(g, y.T), lambda g, out, x, y: fast_matmul_2d(x.T, g)),
    infix="@",
)
mv: Op = primitive(
    "mv",
    fast_matmul,
    lambda g, out, x, y: outer(g, y),
    lambda g, out, x, y: x.T @ g,
    infix="@",
)
vm: Op = primitive(  # torch has no such op: it unsqueezes, multiplies and squeezes
    "vm",
    fast_matmul,
    lambda g, out, x, y: y @ g,
    lambda g, out, x, y: outer(x, g),
    infix="@",
    grad_fn="SqueezeBackward4",
)
dot: Op = primitive(
    "dot",
    fast_matmul,
    lambda g, out, x, y: g * y,
    lambda g, out, x, y: g * x,
    infix="@",
)
outer: Op = primitive(
    "outer",
    lambda x, y: np.multiply.outer(x, y),
    lambda g, out, x, y: g @ y,
    lambda g, out, x, y: x @ g,
    grad_fn="MulBackward0",
)
bmm: Op = primitive(
    "bmm",
    lambda x, y: np.matmul(x, y),
    lambda g, out, x, y: bmm(g, mT(y)),
    lambda g, out, x, y: bmm(mT(x), g),
    infix="@",
)
matmul_op: Op = primitive(
    "matmul",
    lambda x, y: np.matmul(x, y),
    matmul_left_vjp,
    matmul_right_vjp,
    infix="@",
    grad_fn="UnsafeViewBackward0",
)
addmm: Op = primitive(
    "addmm",
    lambda x, y, z, beta, alpha: add_scaled_product(x, np.matmul(y, z), beta, alpha),
    lambda g, out, x, y, z, beta, alpha: sum_to(scaled(g, beta), shape=x.shape),
    lambda g, out, x, y, z, beta, alpha: scaled(g @ z.T, alpha),
    lambda g, out, x, y, z, beta, alpha: scaled(y.T @ g, alpha),
)


def add_scaled_product(x: Any, product: Any, beta: float, alpha: float) -> Any:
    """Return beta x + alpha product in the dtype of the product; with beta = 0, nan in x is ignored."""
    if product.dtype.kind in "iu":  # factors of integers are integers
        alpha, beta = (checked_integer(factor, dtype_of(product)) for factor in (alpha, beta))
    term = product if alpha == 1 else (alpha * product).astype(product.dtype)
    return term if beta == 0 else term + (x if beta == 1 else (beta * x).astype(x.dtype))


def scaled(g: Any, factor: float) -> Any:
    return g if factor == 1 else g * factor


#: The op by the numbers of dimensions of its operands; any other pair is a batch of products.
OPS_BY_NDIM = {(2, 2): mm, (2, 1): mv, (1, 2): vm, (1, 1): dot}


def cast_like(x: Tensor, y: Tensor) -> Tensor:
    """Return x in the dtype of y. They differ in batches without entries only, which torch does not check."""
    if x.requires_grad_flag and not y.dtype.is_floating_point:
        raise DtypeError(
            f"Autograd not support dtype: {y.dtype.long_name}",
            operands=(x, y),
            caret="the product has the type of the second, and the first requires a gradient",
        )
    return cast(x, y.dtype)


#: The products that have passed torch's checks, by op, shapes and dtypes.
CHECKED_PRODUCTS: set[tuple[Any, ...]] = set()


def multiply(op: Op, x: Tensor, y: Tensor) -> Tensor:
    """Apply a product op after torch's checks of shapes and dtypes, which are cached for small arrays."""
    a, b = x.value, y.value
    key = op, a.shape, b.shape, a.dtype.char, b.dtype.char
    if key in CHECKED_PRODUCTS:
        return op.dispatch((x, y), {})
    check_product(op, x, y)
    if is_fast and a.size <= SMALL_SIZE and b.size <= SMALL_SIZE and len(CHECKED_PRODUCTS) < 1000:
        CHECKED_PRODUCTS.add(key)
    return op(x, y)


def check_product(op: Op, x: Tensor, y: Tensor) -> None:
    """Check the operands of a product as torch does, and that the result may be allocated."""
    m, n = x.shape, y.shape
    if op is mv:
        check_mv(x, y, m, n[0])
    elif op is dot:
        if x.dtype is not y.dtype:
            kinds = f"{x.dtype.long_name} and {y.dtype.long_name}"
            check_numeric_dtypes(x, y, f"dot : expected both vectors to have same dtype, but found {kinds}")
        if m != n:
            raise inner_size_error(
                x,
                y,
                f"inconsistent tensor size, expected tensor [{m[0]}] and src [{n[0]}] to have the same number"
                f" of elements, but got {m[0]} and {n[0]} elements respectively",
            )
        if x.dtype.kind == "b":
            raise no_bool_kernel_error(x, y, "dot")
    else:
        check_mm(x, y, m if op is mm else (1, *m), n)
    if op is mm:
        check_allocation((m[0], n[1]), 8)


def multiply_batches(x: Tensor, y: Tensor) -> Tensor:
    """Return ``x @ y`` where one has more than two dimensions: those before the last two are broadcast."""
    m, n = x.shape, y.shape
    batch = check_batches(x, y)
    rows_and_columns = (*(m[-2:-1] if x.ndim > 1 else ()), *(n[-1:] if y.ndim > 1 else ()))
    check_allocation((*batch, *rows_and_columns), 8)
    is_one = x.ndim == 2 or (x.ndim == y.ndim == 3 and m[0] == 1 < n[0])
    if is_one and x.requires_grad_flag:  # torch multiplies the transposes here and copies the result
        return matmul_op.named("CloneBackward0")(x, y)
    return matmul_op(cast_like(x, y), y)


# -- the functions ------------------------------------------------------------------------------------


@public("matmul(input: tensor, other: tensor)")
def matmul(x: Tensor, y: Tensor) -> Tensor:
    """``x @ y``: the product of matrices, of a matrix and a vector, of two vectors, or of batches of them."""
    m, n = x.ndim, y.ndim
    op = OPS_BY_NDIM.get((m, n))
    if not m or not n:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D",
            operands=(x, y),
            caret="`@` multiplies vectors and matrices",
            help=("use `*` to multiply by a number",),
        )
    return multiply_batches(x, y) if op is None else multiply(op, x, y)


declare(OPERATORS, "matmul", matmul)


@public("mm(input: tensor, mat2: tensor)")
def mm_matrices(x: Tensor, y: Tensor) -> Tensor:
    """The product of two matrices."""
    need_ndim(x, 2, "self must be a matrix")
    need_ndim(y, 2, "mat2 must be a matrix")
    return multiply(mm, x, y)


@public("mv(input: tensor, vec: tensor)")
def mv_vector(x: Tensor, y: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    size_along(x, 0)
    message = f"vector + matrix @ vector expected, got 1, {x.ndim}, {y.ndim}"
    need_ndim(x, 2, message)
    need_ndim(y, 1, message)
    return multiply(mv, x, y)


@public("dot(input: tensor, tensor: tensor)")
def dot_vectors(x: Tensor, y: Tensor) -> Tensor:
    """The sum of the products of the entries of two vectors."""
    message = f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors"
    need_ndim(x, 1, message)
    need_ndim(y, 1, message)
    return multiply(dot, x, y)


@public("vdot(input: tensor, other: tensor)")
def vdot(x: Tensor, y: Tensor) -> Tensor:
    """As ``dot``: the two differ for complex numbers only."""
    dot_vectors(x, y)
    return dot.named("VdotBackward0")(x, y)


@public("outer(input: tensor, vec2: tensor)")
def outer_vectors(x: Tensor, y: Tensor) -> Tensor:
    """Every entry of one vector times every entry of the other."""
    need_ndim(x, 1, f"outer: Expected 1-D argument self, but got {x.ndim}-D")
    need_ndim(y, 1, f"outer: Expected 1-D argument vec2, but got {y.ndim}-D")
    check_allocation((*x.shape, *y.shape), 8)
    if x.dtype is not y.dtype:
        return reshape_tensor(x, (-1, 1)) * y
    return outer(x, y)


@public("bmm(input: tensor, mat2: tensor)")
def bmm_batches(x: Tensor, y: Tensor) -> Tensor:
    """The products of matrices, one pair per entry of the first dimension."""
    need_ndim(x, 3, "batch1 must be a 3D tensor")
    need_ndim(y, 3, "batch2 must be a 3D tensor")
    check_bmm(x, y, x.shape, y.shape)
    check_allocation((*x.shape[:2], y.shape[2]), 8)
    return bmm(cast_like(x, y), y)


@public("inner(input: tensor, other: tensor)")
def inner(x: Tensor, y: Tensor) -> Tensor:
    """Sums of products along the last dimension of both."""
    if not x.ndim or not y.ndim:
        return x * y
    if x.shape[-1] != y.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes"
            f" {list(x.shape)} and {list(y.shape)}",
            operands=(x, y),
        )
    kernel = "dot" if x.ndim == y.ndim == 1 else "addmm_impl_cpu_"
    check_numeric_dtypes(x, y, "both inputs should have same dtype", kernel)
    if x.ndim == y.ndim == 1:
        return dot.named("ViewBackward0")(x, y)
    rows, others = (reshape_tensor(z, (math.prod(z.shape[:-1]), z.shape[-1])) for z in (x, y))
    flat = mm(rows, others.T)
    return reshape_tensor(flat, (*x.shape[:-1], *y.shape[:-1]))


@public(
    "addmm(input: tensor, mat1: tensor, mat2: tensor, *, beta: float = 1, alpha: float = 1)", in_place=True
)
def addmm_matrices(x: Tensor, y: Tensor, z: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    check_sum_dtypes(x, y, z)
    need_ndim(y, 2, f"mat1 must be a matrix, got {y.ndim}-D tensor")
    need_ndim(z, 2, f"mat2 must be a matrix, got {z.ndim}-D tensor")
    (rows, k), (other, columns) = y.shape, z.shape
    if k != other:
        message = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{k} and {other}x{columns})"
        raise inner_size_error(y, z, message)
    shape = expanded_shape(x, (rows, columns))
    check_sum_terms(x, y, z, shape, k, beta)
    return addmm(x, y, z, beta=beta, alpha=alpha)

"""Products beyond ``@``: over chosen dimensions, of every pair of entries, and added to another tensor.

Most are compositions of products and reshapes. As in torch, sums with a product are ops of their own.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from itertools import pairwise
from math import prod

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast
from autodiff.core.ops.linalg.matrix_functions import multi_dot
from autodiff.core.ops.linalg.product_checks import (
    check_numeric_dtypes,
    check_sum_dtypes,
    check_sum_terms,
    inner_size_error,
    need_ndim,
    no_bool_kernel_error,
    refuse_bool_product,
)
from autodiff.core.ops.linalg.products import (
    add_scaled_product,
    cast_like,
    matmul,
    mm,
    mT,
    outer,
    outer_vectors,
    scaled,
    vdot,
)
from autodiff.core.ops.linalg.solve import check_floats
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.shape.dims import expanded_shape, size_along, wrap_dim, wrap_dims
from autodiff.core.ops.shape.join import cast_to_common_dtype
from autodiff.core.ops.shape.reshape import clone, permute, reshape, sum_to, unsafe_view, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- a tensor plus a product ----------------------------------------------------------------------------


def addend_vjp(g: Any, out: Any, x: Any, *factors: Any, beta: float, alpha: float) -> Any:
    """beta g, summed over the dimensions that x was broadcast along."""
    return sum_to(scaled(g, beta), shape=x.shape)


addmv: Op = primitive(
    "addmv",
    lambda x, a, v, beta, alpha: add_scaled_product(x, a @ v, beta, alpha),
    addend_vjp,
    lambda g, out, x, a, v, beta, alpha: scaled(outer(g, v), alpha),
    lambda g, out, x, a, v, beta, alpha: scaled(mT(a) @ g, alpha),
)
addr: Op = primitive(
    "addr",
    lambda x, u, v, beta, alpha: add_scaled_product(x, np.multiply.outer(u, v), beta, alpha),
    addend_vjp,
    lambda g, out, x, u, v, beta, alpha: scaled(g @ v, alpha),
    lambda g, out, x, u, v, beta, alpha: scaled(u @ g, alpha),
)
baddbmm: Op = primitive(
    "baddbmm",
    lambda x, a, b, beta, alpha: add_scaled_product(x, a @ b, beta, alpha),
    addend_vjp,
    lambda g, out, x, a, b, beta, alpha: scaled(g @ mT(b), alpha),
    lambda g, out, x, a, b, beta, alpha: scaled(mT(a) @ g, alpha),
)
addbmm: Op = primitive(
    "addbmm",
    lambda x, a, b, beta, alpha: add_scaled_product(x, (a @ b).sum(0, dtype=a.dtype), beta, alpha),
    addend_vjp,
    lambda g, out, x, a, b, beta, alpha: scaled(unsqueeze(g, dim=0) @ mT(b), alpha),
    lambda g, out, x, a, b, beta, alpha: scaled(mT(a) @ unsqueeze(g, dim=0), alpha),
)

SCALE_PARAMETERS = "*, beta: float = 1, alpha: float = 1)"


@public(f"addmv(input: tensor, mat: tensor, vec: tensor, {SCALE_PARAMETERS}", in_place=True)
def checked_addmv(x: Tensor, matrix: Tensor, vector: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
    if (matrix.ndim, vector.ndim) != (2, 1) or x.ndim > 1:
        raise ShapeError(
            f"vector + matrix @ vector expected, got {x.ndim}, {matrix.ndim}, {vector.ndim}",
            operands=(x, matrix, vector),
        )
    rows, columns = matrix.shape
    if vector.shape[0] != columns or x.entry_count not in (1, rows):
        size_along(x, 0)
        message = (
            f"size mismatch, got input ({x.entry_count}), mat ({rows}x{columns}), vec ({vector.shape[0]})"
        )
        raise ShapeError(message, operands=(x, matrix, vector))
    kinds = f"{x.dtype.long_name}, {matrix.dtype.long_name}, and {vector.dtype.long_name}"
    for other in (matrix, vector):
        message = f"addmv input tensors must have the same dtype, but got {kinds}"
        check_numeric_dtypes(x, other, message, "addmv_impl_cpu")
    return addmv(x, matrix, vector, beta=beta, alpha=alpha)


@public(f"addr(input: tensor, vec1: tensor, vec2: tensor, {SCALE_PARAMETERS}", in_place=True)
def checked_addr(x: Tensor, u: Tensor, v: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    need_ndim(u, 1, f"addr: Expected 1-D argument vec1, but got {u.ndim}-D")
    need_ndim(v, 1, f"addr: Expected 1-D argument vec2, but got {v.ndim}-D")
    shape = (*u.shape, *v.shape)
    expanded_shape(x, shape)
    check_allocation(shape, 8)
    x, u, v = cast_to_common_dtype([x, u, v])
    if x.dtype.kind != "b":
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if factor.__class__ is bool:
                raise DtypeError(
                    f"Boolean {name} only supported for Boolean results.",
                    caret=f"`{name}` is a truth value where a number is meant",
                )
    if not x.dtype.is_floating_point:
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if factor.__class__ is float:
                raise DtypeError(
                    f"For integral input tensors, argument {name} must not be a floating point number.",
                    operands=(x, u, v),
                )
    return addr(x, u, v, beta=beta, alpha=alpha)


def check_batch_operands(x: Tensor, a: Tensor, b: Tensor, lead: int) -> None:
    """Check x and two batches as torch does; the result has ``lead`` dimensions of the first batch."""
    for operand, dim in ((a, 0), (a, 1), (b, 2))[2 - lead :]:
        size_along(operand, dim)
    shape = (*a.shape[2 - lead : 2], b.shape[2])
    check_allocation(shape, 8)
    expanded_shape(x, shape)
    need_ndim(a, 3, "batch1 must be a 3D tensor")
    need_ndim(b, 3, "batch2 must be a 3D tensor")


@public(f"baddbmm(input: tensor, batch1: tensor, batch2: tensor, {SCALE_PARAMETERS}", in_place=True)
def checked_baddbmm(x: Tensor, a: Tensor, b: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, matrix by matrix."""
    check_batch_operands(x, a, b, 2)
    is_empty = not (a.entry_count and b.entry_count)
    if x.dtype is a.dtype is not b.dtype and not is_empty:
        check_numeric_dtypes(a, b, f"expected scalar type {a.dtype.long_name} but found {b.dtype.long_name}")
    if x.dtype is not a.dtype:
        raise DtypeError(
            f"Input dtypes must be the same, got: input {x.dtype.c_name}, batch1: {a.dtype.c_name}, batch2:"
            f" {b.dtype.c_name}",
            operands=(x, a, b),
        )
    if (a.shape[0], a.shape[2]) != b.shape[:2]:
        message = (
            "Expected size for first two dimensions of batch2 tensor to be:"
            f" [{a.shape[0]}, {a.shape[2]}] but got: [{b.shape[0]}, {b.shape[1]}]."
        )
        raise inner_size_error(a, b, message)
    if is_empty:
        check_sum_terms(x, a, b, (*a.shape[:2], b.shape[2]), a.shape[2], beta)
        x, a = cast_like(x, b), cast_like(a, b)
    else:
        require_kind(x, "baddbmm", "if")
    return baddbmm(x, a, b, beta=beta, alpha=alpha)


@public(f"addbmm(input: tensor, batch1: tensor, batch2: tensor, {SCALE_PARAMETERS}", in_place=True)
def checked_addbmm(x: Tensor, a: Tensor, b: Tensor, beta: float, alpha: float) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, with the products summed over the batch."""
    check_batch_operands(x, a, b, 1)
    if a.shape[0] != b.shape[0]:
        raise ShapeError(
            f"batch1 and batch2 must have same number of batches, got {a.shape[0]} and {b.shape[0]}",
            operands=(a, b),
        )
    if a.shape[2] != b.shape[1]:
        spelled = " and ".join(f"{y.shape[1]}x{y.shape[2]}" for y in (a, b))
        raise inner_size_error(a, b, f"Incompatible matrix sizes for bmm ({spelled})")
    shape = (a.shape[1], b.shape[2])
    if a.shape[0]:
        check_sum_dtypes(x, a, b)
        check_sum_terms(x, a, b, shape, a.shape[2], beta)
    else:  # torch checks the dtypes even where nothing changes
        check_sum_terms(x, a, b, (1,), 0, beta)
    a, b = cast(a, x.dtype), cast(b, x.dtype)
    return addbmm(x, a, b, beta=beta, alpha=alpha)


# -- sums of products over dimensions -------------------------------------------------------------------

expose("linalg.matmul(input: tensor, other: tensor)", matmul, method=False)
expose("ger(input: tensor, vec2: tensor)", outer_vectors)

TENSORDOT_DIMS_ERROR = (
    "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing"
)


def contraction_dims(x: Tensor, y: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    """Return ``dims`` as a list for each operand; a number means the last ones of x and the first of y."""
    if dims.__class__ is Tensor:
        if dims.ndim and dims.shape[0] != 2 and dims.entry_count > 1:
            count = dims.shape[0]
            raise ShapeError(
                f"dims tensor must have size 2 in first dimension, got {count}", operands=(dims,)
            )
        dims = dims.data.tolist()
    if isinstance(dims, (list, tuple)) and len(dims) != 2:
        few = f"not enough values to unpack (expected 2, got {len(dims)})"
        raise ScriptError(
            few if len(dims) < 2 else "too many values to unpack (expected 2)",
            caret="`dims` is one number, or a list of dimensions for each of the two tensors",
        )
    original_dims = dims
    dims = int(dims) if dims.__class__ is bool else dims
    if isinstance(dims, (list, tuple)) and len(dims) == 2:
        for position, listed in enumerate(dims):
            if not isinstance(listed, (list, tuple)) or any(d.__class__ is not int for d in listed):
                raise ArgumentError(
                    f"tensordot(): argument 'dims_{('self', 'other')[position]}' (position {position + 3})"
                    f" must be tuple of ints, not {type_name(listed)}"
                )
        return list(dims[0]), list(dims[1])
    if dims.__class__ is not int:
        raise ScriptError(f"{TENSORDOT_DIMS_ERROR} two lists, but got dims={dims}")
    if dims < 0:
        raise ScriptError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(x.ndim, y.ndim):
        raise ShapeError(
            f"tensordot expects dims < ndim_a or ndim_b, but got dims={original_dims}", operands=(x, y)
        )
    return list(range(-dims, 0)), list(range(dims))


def dim_and_size(x: Tensor, dim: int) -> tuple[int, int]:
    """Return the dimension counted from 0 and its size; without dimensions the size raises torch's error."""
    axis = wrap_dim(x, dim) if x.ndim else dim
    return axis, size_along(x, axis)


@public("tensordot(a: tensor, b: tensor, dims: any = 2)", method=False)
def tensordot(x: Tensor, y: Tensor, dims: Any) -> Tensor:
    """Products summed over dimensions of one tensor and as many of the other."""
    x_dims, y_dims = contraction_dims(x, y, dims)
    if len(x_dims) != len(y_dims):
        raise ShapeError("both dimension lists should have same length", operands=(x, y))
    if x.dtype is not y.dtype:
        check_numeric_dtypes(x, y, "both inputs should have same dtype")
    for i, j in zip(x_dims, y_dims, strict=True):
        [(p, m), (q, n)] = [dim_and_size(z, dim) for z, dim in ((x, i), (y, j))]
        if m == 1 != n:
            y = sum(y, dim=(q,), keepdim=True)
        elif n == 1 != m:
            x = sum(x, dim=(p,), keepdim=True)
        elif m != n:
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {m} in dim {i} and second has size"
                f" {n} in dim {j}",
                operands=(x, y),
            )
    over_x, over_y = wrap_dims(x, x_dims), wrap_dims(y, y_dims)
    kept_x = [d for d in range(x.ndim) if d not in over_x]
    kept_y = [d for d in range(y.ndim) if d not in over_y]
    shape = (*(x.shape[d] for d in kept_x), *(y.shape[d] for d in kept_y))
    inner = prod(x.shape[d] for d in over_x)
    check_allocation(shape, 8)
    if not kept_x and not kept_y and x.dtype.kind == "b":
        raise no_bool_kernel_error(x, y, "dot")
    refuse_bool_product(x, y, "addmm_impl_cpu_")
    left = permute(x, dims=(*kept_x, *over_x))
    right = permute(y, dims=(*over_y, *kept_y))
    rows, columns = prod(x.shape[d] for d in kept_x), prod(y.shape[d] for d in kept_y)
    product = mm(reshape(left, shape=(rows, inner)), reshape(right, shape=(inner, columns)))
    return reshape(product, shape=shape)


@public("kron(input: tensor, other: tensor)")
def kron(x: Tensor, y: Tensor) -> Tensor:
    """Every entry of one tensor replaced by its product with the whole other."""
    rank = max(x.ndim, y.ndim)
    m, n = ((1,) * (rank - z.ndim) + z.shape for z in (x, y))
    shape = tuple(i * j for i, j in zip(m, n, strict=True))
    check_allocation(shape, 8)
    outside = unsafe_view(x, shape=tuple(size for i in m for size in (i, 1)))
    inside = unsafe_view(y, shape=tuple(size for j in n for size in (1, j)))
    return unsafe_view(outside * inside, shape=shape)


@public("linalg.vecdot(x: tensor, y: tensor, *, dim: int = -1)", method=False)
def vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """The dot products of the vectors along a dimension."""
    check_floats(x, "linalg.vecdot")
    if x.dtype is not y.dtype:
        kinds = f"x of type {x.dtype.long_name} and y of type {y.dtype.long_name}"
        message = f"linalg.vecdot: Expected x and y to have the same dtype, but found {kinds} instead"
        check_numeric_dtypes(x, y, message)
    if x.ndim == y.ndim == 1:
        return vdot(x, y)
    products = x * y
    axis = wrap_dim(products, dim)
    return sum.named("SumBackward1")(products, dim=(axis,) if products.ndim else (), keepdim=False)


@public("chain_matmul(*matrices: tensors = None)", method=False)
def chain_matmul(matrices: list[Tensor] | None) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
    mode.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use"
        " torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple"
        " parameters."
    )
    if not matrices:
        raise ShapeError("chain_matmul(): Expected one or more matrices")
    for x in matrices:
        need_ndim(x, 2, f"Tensor dimension is {x.ndim}, expected 2 instead.")
    if len(matrices) == 1:
        return clone(matrices[0])
    for place, (x, y) in enumerate(pairwise(matrices)):
        if x.shape[1] != y.shape[0]:
            message = (
                f"multi_dot(): tensors {place} and {place + 1} with shapes {list(x.shape)} and"
                f" {list(y.shape)} cannot be multiplied"
            )
            raise inner_size_error(x, y, message)
    product = multi_dot(matrices)
    return reshape(product, shape=product.shape)

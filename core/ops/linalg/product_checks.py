"""torch's checks of the operands of vector and matrix products, in its order and with its messages."""

from __future__ import annotations

import math

from autodiff.core.base.errors import BroadcastError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import missing_kernel_error, require_castable
from autodiff.core.graph.dtypes import bool_
from autodiff.core.ops.shape.dims import Shape


def inner_size_error(x: Tensor, y: Tensor, message: str) -> ShapeError:
    """Return the error for inner dimensions that differ, with torch's message."""
    left = f"{x.shape[-1]} {'entries' if x.ndim == 1 else 'columns'}"
    right = f"{y.shape[0 if y.ndim == 1 else -2]} {'entries' if y.ndim == 1 else 'rows'}"
    return ShapeError(
        message,
        operands=(x, y),
        caret=f"the first has {left}, the second has {right}; they must be equal",
    )


def check_numeric_dtypes(x: Tensor, y: Tensor, message: str, kernel: str = "addmm_impl_cpu_") -> None:
    """Refuse operands of different dtypes, and bools."""
    check_equal_dtypes(x, y, message)
    refuse_bool_product(x, y, kernel)


def check_equal_dtypes(x: Tensor, y: Tensor, message: str) -> None:
    if x.dtype is not y.dtype:
        raise DtypeError(
            message,
            operands=(x, y),
            caret=f"the first holds {x.dtype.name} numbers, the second {y.dtype.name}",
        )


def refuse_bool_product(x: Tensor, y: Tensor, kernel: str) -> None:
    """Refuse bools; torch accepts them where an operand is empty."""
    if x.dtype.kind == "b" and x.entry_count and y.entry_count:
        raise no_bool_kernel_error(x, y, kernel)


def no_bool_kernel_error(x: Tensor, y: Tensor, kernel: str) -> ScriptError:
    return missing_kernel_error(kernel, bool_, x, y, help="convert them to numbers: `x.double()`")


def check_sum_dtypes(x: Tensor, y: Tensor, z: Tensor) -> None:
    """Check the dtypes of ``x + y @ z``."""
    for name, left in (("self", x), ("mat1", y)):
        kinds = f"{left.dtype.long_name} and {z.dtype.long_name}"
        check_equal_dtypes(left, z, f"{name} and mat2 must have the same dtype, but got {kinds}")


def check_sum_terms(x: Tensor, first: Tensor, second: Tensor, shape: Shape, count: int, beta: float) -> bool:
    """Whether the sums of ``count`` products have any terms; bools are refused then.

    Without terms torch scales ``x`` in place, so the dtype of ``x`` must hold ``beta``.
    """
    has_terms = 0 not in shape and count > 0
    if has_terms and x.dtype.kind == "b":
        raise no_bool_kernel_error(first, second, "addmm_impl_cpu_")
    if 0 not in shape and not count and beta and beta.__class__ is not bool:
        require_castable(x, Tensor.of(np.asarray(beta)))
    return has_terms


def check_mm(x: Tensor, y: Tensor, m: Shape, n: Shape, is_transposed: bool = False) -> None:
    """Check x and y as torch does, which multiplies them as matrices of shapes ``m`` and ``n``.

    ``is_transposed`` says that it multiplies the transposes, that of y first.
    """
    if m[1] != n[0]:
        raise inner_size_error(
            x, y, f"mat1 and mat2 shapes cannot be multiplied ({m[0]}x{m[1]} and {n[0]}x{n[1]})"
        )
    if x.dtype is y.dtype:  # making the message is slower than a small product
        return refuse_bool_product(x, y, "addmm_impl_cpu_")
    names = [x.dtype.c_name, y.dtype.c_name][:: -1 if is_transposed else 1]
    check_numeric_dtypes(x, y, f"expected m1 and m2 to have the same dtype, but got: {' != '.join(names)}")


def check_mv(x: Tensor, y: Tensor, m: Shape, n: int) -> None:
    """Check a matrix of shape ``m`` and a vector of ``n`` entries as torch does; x or y is the vector."""
    matrix, vector = (y, x) if x.ndim == 1 < y.ndim else (x, y)
    if m[1] != n:
        raise inner_size_error(x, y, f"size mismatch, got input ({m[0]}), mat ({m[0]}x{m[1]}), vec ({n})")
    if x.dtype is y.dtype:
        return refuse_bool_product(x, y, "addmv_impl_cpu")
    kinds = f"{vector.dtype.long_name}, {matrix.dtype.long_name}, and {vector.dtype.long_name}"
    message = f"addmv input tensors must have the same dtype, but got {kinds}"
    check_numeric_dtypes(x, y, message, "addmv_impl_cpu")


def check_bmm(x: Tensor, y: Tensor, m: Shape, n: Shape) -> None:
    """Check two batches of matrices of shapes ``m`` and ``n`` as torch does."""
    if m[0] != n[0] or m[2] != n[1]:
        message = (
            "Expected size for first two dimensions of batch2 tensor to be:"
            f" [{m[0]}, {m[2]}] but got: [{n[0]}, {n[1]}]."
        )
        raise inner_size_error(x, y, message)
    if x.entry_count and y.entry_count:
        refuse_bool_product(x, y, "bmm")
        check_numeric_dtypes(x, y, f"expected scalar type {x.dtype.long_name} but found {y.dtype.long_name}")


def check_batches(x: Tensor, y: Tensor) -> Shape:
    """Check batches as torch does, which multiplies them as one matrix if possible; return their shape."""
    m, n = x.shape, y.shape
    if len(m) == len(n) == 3 and m[0] != n[0]:
        if m[0] == 1 and x.requires_grad_flag:
            m = m[1:]
        elif n[0] == 1 and y.requires_grad_flag:
            n = n[1:]
    if len(n) <= 2:
        rows = math.prod(m[:-1])
        if len(n) == 1:
            check_mv(x, y, (rows, m[-1]), n[0])
        else:
            check_mm(x, y, (rows, m[-1]), n)
        return m[:-2]
    if len(m) <= 2 and (
        x.requires_grad_flag or (len(m) == 1 and not y.entry_count)
    ):  # transposes as one matrix
        rows = math.prod((*n[:-2], n[-1]))
        if len(m) == 1:
            check_mv(x, y, (rows, n[-2]), m[0])
        else:
            check_mm(x, y, (rows, n[-2]), m[::-1], is_transposed=True)
        return n[:-2]
    batch = broadcast_batches(x, y)
    count = math.prod(batch)
    rows = 1 if x.ndim == 1 else m[-2]
    columns = n if y.ndim == 1 else n[-2:]
    check_bmm(x, y, (count, rows, m[-1]), (count, *columns, 1)[:3])
    return batch


def broadcast_batches(x: Tensor, y: Tensor) -> Shape:
    """Return the common shape of all dimensions before the last two."""
    a, b = x.shape[:-2], y.shape[:-2]
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for dim, (m, n) in enumerate(zip(a, b, strict=True)):
        if m != n and 1 not in (m, n):
            raise BroadcastError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton dimension"
                f" {dim}",
                operands=(x, y),
                caret=f"shapes {x.shape} and {y.shape} are batches of different sizes",
            )
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


def need_ndim(x: Tensor, ndim: int, message: str) -> None:
    if x.ndim != ndim:
        raise ShapeError(
            message, operands=(x,), caret=f"this has shape {x.shape}", help=("`@` takes any of them",)
        )

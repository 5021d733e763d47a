"""Products and copies of broadcast arrays, which have repeated entries and a stride of 0.

The gradient of a sum is such an array, and so are the cotangents computed from it along a chain of products.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Arrays of at most this many entries are copied, not broadcast, and multiplied by ``dot``.
SMALL_SIZE = 1024


def fast_matmul(x: Any, y: Any) -> Any:
    """``x @ y`` of vectors and matrices; small ones by numpy's ``dot``, which starts in half the time."""
    if is_fast and x.size <= SMALL_SIZE and y.size <= SMALL_SIZE:
        return x.dot(y)
    return np.matmul(x, y)


def fast_matmul_2d(x: Any, y: Any) -> Any:
    """``x @ y`` of two matrices. Of repeated rows or columns only one is multiplied."""
    if not is_fast:
        return x @ y
    if x.size <= SMALL_SIZE and y.size <= SMALL_SIZE:
        return x.dot(y)
    shape = (x.shape[0], y.shape[1])
    if not x.strides[0] and x.shape[0] > 1:
        return np.broadcast_to(fast_matmul_2d(x[:1], y), shape)
    if not y.strides[1] and y.shape[1] > 1:
        return np.broadcast_to(fast_matmul_2d(x, y[:, :1]), shape)
    if (not x.strides[1] or not y.strides[0]) and x.shape[1] > 1:
        # The factor that is the same in every term is taken out of the sum, unless that gives inf or nan.
        out = x[:, :1] * y.sum(axis=0) if not x.strides[1] else x.sum(axis=1, keepdims=True) * y[:1]
        if np.isfinite(out).all():
            return out
    return x @ y


def broadcast_small(g: Any, x: Any, dim: Any) -> Any:
    """``g`` broadcast to the shape of a small ``x`` that was summed along ``dim``; None if x is not small.

    For few entries numpy's broadcasting takes ten times longer than copying them.
    """
    if not is_fast or x.size > SMALL_SIZE:
        return None
    made = np.empty(x.shape, g.dtype)
    if dim is None:
        made.fill(g)
    else:
        made[...] = g.reshape([1 if axis in dim else n for axis, n in enumerate(x.shape)])
    return made

"""Arrays whose entries are copies of one another, which numpy knows from their strides.

The gradient of a sum is such an array, and so is all that is made of it on the way down a chain of products.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Entries up to which copies are made.
SMALL = 1024


def product(x: Any, y: Any) -> Any:
    """``x @ y`` of vectors and matrices; of small ones numpy's ``dot`` begins in half the time."""
    if is_fast and x.size <= SMALL and y.size <= SMALL:
        return x.dot(y)
    return np.matmul(x, y)


def times(x: Any, y: Any) -> Any:
    """``x @ y`` of two matrices. Of copied rows or columns one is multiplied."""
    if not is_fast:
        return x @ y
    if x.size <= SMALL and y.size <= SMALL:
        return x.dot(y)
    shape = (x.shape[0], y.shape[1])
    if not x.strides[0] and x.shape[0] > 1:
        return np.broadcast_to(times(x[:1], y), shape)
    if not y.strides[1] and y.shape[1] > 1:
        return np.broadcast_to(times(x, y[:, :1]), shape)
    if (not x.strides[1] or not y.strides[0]) and x.shape[1] > 1:
        # The factor that is the same in every term is taken out of the sum, unless infinities are about.
        out = x[:, :1] * y.sum(axis=0) if not x.strides[1] else x.sum(axis=1, keepdims=True) * y[:1]
        if np.isfinite(out).all():
            return out
    return x @ y


def spread_small(g: Any, x: Any, dim: Any) -> Any:
    """``g`` for every entry of a small ``x`` that was added up along ``dim``; None where it is not small.

    Making a view of copies, as numpy's own broadcasting does, takes ten times longer than so many copies.
    """
    if not is_fast or x.size > SMALL:
        return None
    made = np.empty(x.shape, g.dtype)
    if dim is None:
        made.fill(g)
    else:
        made[...] = g.reshape([1 if axis in dim else n for axis, n in enumerate(x.shape)])
    return made

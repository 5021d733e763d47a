"""Products of matrices whose rows or columns are copies of one another, which numpy knows from their strides.

The gradient of a sum is such a matrix, and so is all that is made of it on the way down a chain of products.
"""

from __future__ import annotations

from autodiff.core.fast import is_fast
from autodiff.core.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def times(x: Any, y: Any) -> Any:
    """``x @ y`` of two matrices. Of copied rows or columns one is multiplied."""
    if not is_fast:
        return x @ y
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

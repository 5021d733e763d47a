"""Which values are written over by others: positions that an index names twice keep the last value only.

Each function takes the result and the operands of an op that writes, and marks the entries of the values.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.ops.shape.picking_ops import gather_index, index_along, leading_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of_index_put(out: Any, x: Any, value: Any, *, basic: Any, advanced: Any) -> Any:
    return written_over(numbered(out)[(*basic, Ellipsis)][advanced or Ellipsis], np.shape(value))


def of_index_copy(out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    return written_over(numbered(out)[index_along(dim, index)], np.shape(source))


def of_scatter(out: Any, x: Any, value: Any, *, dim: int, index: Any) -> Any:
    found = np.zeros(np.shape(value), bool)
    found[leading_block(index.shape)] = written_over(numbered(out)[gather_index(index, dim)], index.shape)
    return found


def numbered(out: Any) -> Any:
    return np.arange(np.size(out)).reshape(np.shape(out))


def written_over(positions: Any, shape: tuple[int, ...]) -> Any:
    """Mark the values, of this shape, that do not keep all of the positions that they are written to."""
    flat = positions.reshape(-1)
    _, last = np.unique(flat[::-1], return_index=True)
    lost: Any = np.ones(flat.size, bool)
    lost[flat.size - 1 - last] = False
    lost = lost.reshape(positions.shape)
    added = lost.ndim - len(shape)
    lost = lost.any(axis=tuple(range(added)))
    return lost.any(axis=tuple(at for at, n in enumerate(shape) if n == 1), keepdims=True)

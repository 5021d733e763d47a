"""Entries kept or set to zero with bit masks, without the mispredicted branches per entry of ``np.where``."""

from __future__ import annotations

from math import copysign

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Smaller arrays take about as long with ``np.where``.
MIN_MASKED_SIZE = 1 << 10


def can_mask(condition: Any, x: Any) -> bool:
    """Whether ``mask_entries`` can choose between this array and zero."""
    return (
        x.__class__ is np.ndarray
        and condition.__class__ is np.ndarray
        and x.size >= MIN_MASKED_SIZE
        and x.shape == condition.shape
        and x.dtype.kind == "f"
        and condition.dtype == bool
        and is_fast
    )


def mask_entries(condition: Any, x: Any, wanted: bool) -> Any:
    """``x`` where the condition equals ``wanted``, and 0 elsewhere, even where x is nan or infinite there."""
    # The mask has all bits set (-1) for entries to keep and none (0) for others: -condition, or condition -
    # 1.
    whole = np.dtype(f"i{x.dtype.itemsize}")
    mask = np.empty(x.shape, whole)
    if wanted:
        np.negative(condition.view(np.int8), out=mask, dtype=whole)
    else:
        np.subtract(condition.view(np.int8), 1, out=mask, dtype=whole)
    mask &= x.view(whole)
    return mask.view(x.dtype)


def where(condition: Any, x: Any, y: Any) -> Any:
    """``np.where``, by the fast path where ``x`` or ``y`` is the number 0."""
    if y.__class__ is float and not y and can_mask(condition, x) and copysign(1, y) > 0:
        return mask_entries(condition, x, True)
    if x.__class__ is float and not x and can_mask(condition, y) and copysign(1, x) > 0:
        return mask_entries(condition, y, False)
    return np.where(condition, x, y)

"""Entries kept or put to zero by their bits: ``np.where`` guesses every entry's branch, and guesses wrong."""

from __future__ import annotations

from math import copysign

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Smaller arrays take about as long either way.
LARGE = 1 << 10


def keeps(condition: Any, x: Any) -> bool:
    """Whether ``kept`` knows how to choose between this array and zero."""
    return (
        x.__class__ is np.ndarray
        and condition.__class__ is np.ndarray
        and x.size >= LARGE
        and x.shape == condition.shape
        and x.dtype.kind == "f"
        and condition.dtype == bool
        and is_fast
    )


def kept(condition: Any, x: Any, wanted: bool) -> Any:
    """``x`` where the condition is as wanted, and 0 elsewhere, whatever x is there."""
    # All bits of an entry that stays, none of one that goes: 1 becomes -1 and 0 stays 0, or both less 1.
    whole = np.dtype(f"i{x.dtype.itemsize}")
    mask = np.empty(x.shape, whole)
    if wanted:
        np.negative(condition.view(np.int8), out=mask, dtype=whole)
    else:
        np.subtract(condition.view(np.int8), 1, out=mask, dtype=whole)
    mask &= x.view(whole)
    return mask.view(x.dtype)


def where(condition: Any, x: Any, y: Any) -> Any:
    """``np.where``, the short way where one of the two is the number 0."""
    if y.__class__ is float and not y and keeps(condition, x) and copysign(1, y) > 0:
        return kept(condition, x, True)
    if x.__class__ is float and not x and keeps(condition, y) and copysign(1, x) > 0:
        return kept(condition, y, False)
    return np.where(condition, x, y)

"""Placeholders for freed arrays: shape and dtype only, for rules that need nothing else."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACEHOLDERS: dict[tuple[Any, Any], Any] = {}


def placeholder_for(value: Any) -> Any:
    """Return a placeholder with the shape and dtype of ``value`` that takes no memory.

    Its entries are nan (0 for integers), so that reading a freed value by mistake shows. Plain numbers and
    0-d arrays are returned unchanged.
    """
    if value.__class__ in (float, int, bool) or not value.ndim:
        return value
    key = (value.shape, value.dtype)
    if key not in _PLACEHOLDERS:
        if len(_PLACEHOLDERS) > 1000:
            _PLACEHOLDERS.clear()
        blank = np.full((), np.nan if value.dtype.kind == "f" else 0, value.dtype)
        _PLACEHOLDERS[key] = np.broadcast_to(blank, value.shape)
    return _PLACEHOLDERS[key]

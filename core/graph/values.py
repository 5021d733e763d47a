"""The form of values and cotangents: floats and arrays, casts, placeholders for freed arrays."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.op import OPS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.dtypes import DType


def fit_to_operand(c: Any, x: Any, op: Op) -> Any:
    """Return the cotangent ``c`` of operand ``x`` in the shape, dtype and storage form of ``x``.

    ``c`` is what a rule of ``op`` returned. Broadcasting is undone by summing over the broadcast dimensions.
    """
    if x.__class__ is not np.ndarray:
        c = np.asarray(c)
        return as_stored(OPS["sum_to"].forward(c, shape=np.shape(x)) if op.is_elementwise else c)
    if c.__class__ is not np.ndarray:
        c = np.asarray(c)
    if op.is_elementwise and c.shape != x.shape:
        c = OPS["sum_to"].forward(c, shape=x.shape)
    if c.dtype is not x.dtype:  # numpy computes a mask times a number in double precision
        c = c.astype(x.dtype, copy=False)
    return c if x.ndim else as_stored(c)


def cast(x: Any, dtype: DType | None) -> Any:
    """Return a Tensor in another dtype, recorded; ``x`` itself if it has that dtype or ``dtype`` is None."""
    return x if dtype is None or x.dtype is dtype else OPS["to"](x, dtype=dtype.name)


def fit_recorded(c: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Return the cotangent ``c``, a Tensor, in an operand's shape and dtype; the ops for it are recorded."""
    if c.shape != shape:
        c = OPS["sum_to"](c, shape=shape)
    return c if c.dtype.name == dtype else OPS["to"](c, dtype=dtype)


def as_stored(out: Any) -> Any:
    """Return a value as tensors store it: a Python float for a 0-d float64, else an ndarray."""
    if out.__class__ is float:
        return out
    if not out.ndim:
        return float(out) if out.dtype == np.float64 else np.asarray(out)
    return out


def as_array(value: Any, dtype: Any) -> Any:
    """Return an operand as an array; a plain number gets ``dtype``, because it never determines the dtype."""
    return value if isinstance(value, np.ndarray) else np.asarray(value, dtype)


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

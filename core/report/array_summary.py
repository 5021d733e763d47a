"""Large tensors by what a reader wants to know of them: shape, range and norm in place of every entry."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Tensors of more entries are summarized.
MOST_LISTED = 100


class ArraySummary(Record):
    """A tensor without its entries.

    ``least`` and ``greatest`` are the smallest and the largest finite entry, None if there is none; ``norm``
    is the Euclidean norm of the finite entries, ``lost`` the number of the others.
    """

    shape: tuple[int, ...]
    dtype: str
    least: float | None
    greatest: float | None
    norm: float
    lost: int


def summarized(value: Any) -> Any:
    """A value as it is, or its ArraySummary if it is an array of more than MOST_LISTED entries.

    >>> summarized(np.arange(3.0))
    array([0., 1., 2.])
    >>> made = summarized(np.full((20, 30), 2.0))
    >>> made.shape, made.dtype, made.least, made.greatest, made.norm, made.lost
    ((20, 30), 'float64', 2.0, 2.0, 48.98979485566356, 0)
    """
    return value if getattr(value, "size", 1) <= MOST_LISTED else summary_of(value)


def summary_of(value: Any) -> ArraySummary:
    """The ArraySummary of an array of any size."""
    wide = value.astype("float64").ravel()
    finite = wide[np.isfinite(wide)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    return ArraySummary(
        shape=tuple(value.shape),
        dtype=value.dtype.name,
        least=float(finite.min()) if finite.size else None,
        greatest=float(finite.max()) if finite.size else None,
        norm=scale * float(np.sqrt(np.square(finite / scale).sum())) if scale else 0.0,  # no overflow
        lost=int(wide.size - finite.size),
    )

"""softmax, log_softmax and their vjps along the last dimension of large arrays, a few rows at a time.

The results equal those of the rules in ``core.ops.reduce.softmax`` up to rounding. They replace these where
arrays are so large that memory traffic dominates. Their temporary arrays have the size of one tile.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import np
from autodiff.core.fast.tiles import MIN_TILED_SIZE, run_in_tiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Rows of at most this many entries are reduced column by column: numpy's loops are slow to start.
FEW_COLUMNS = 32
#: numpy sums this many numbers one after the other, and splits longer rows into such pieces.
SUM_BLOCK = 128


def are_large_rows(dim: int, *arrays: Any) -> bool:
    """Whether these are large contiguous arrays of one shape and dtype, and ``dim`` is their last one."""
    first = arrays[0]
    if first.__class__ is not np.ndarray or first.size < MIN_TILED_SIZE or not is_fast:
        return False
    return dim == first.ndim - 1 and all(
        x.__class__ is np.ndarray
        and x.flags.c_contiguous
        and x.dtype.kind == "f"
        and x.dtype == first.dtype
        and x.shape == first.shape
        for x in arrays
    )


def row_maxima(x: Any) -> Any:
    """The largest entry of each row, as a column."""
    if x.shape[1] > FEW_COLUMNS:
        return x.max(axis=1, keepdims=True)
    top = x[:, :1].copy()
    for column in range(1, x.shape[1]):
        np.maximum(top, x[:, column : column + 1], out=top)
    return top


def row_sums(x: Any) -> Any:
    """The sum of each row, as a column."""
    if x.shape[1] > SUM_BLOCK:
        return x.sum(axis=1, keepdims=True)
    return np.einsum("ij->i", x)[:, None]


def by_rows(kernel: Callable[..., None], *arrays: Any) -> Any:
    """A new array filled by calls ``kernel(out, scratch, *arrays)`` with the same few rows of each array."""
    out = np.empty_like(arrays[0])
    width = out.shape[-1]
    rows = [x.reshape(-1, width) for x in (out, *arrays)]

    def work(start: int, stop: int, step: int) -> None:
        scratch = np.empty((min(step, stop - start), width), out.dtype)
        for low in range(start, stop, step):
            high = min(low + step, stop)
            kernel(rows[0][low:high], scratch[: high - low], *(x[low:high] for x in rows[1:]))

    run_in_tiles(work, len(rows[0]), width)
    return out


def row_vjp(kernel: Callable[..., None]) -> Callable[..., Any]:
    """A fast vjp that computes with ``kernel``, and answers None for arrays that do not fit it."""

    def rule(g: Any, out: Any, x: Any, dim: int) -> Any:
        return by_rows(kernel, g, out) if are_large_rows(dim, g, out) else None

    return rule


def softmax(out: Any, scratch: Any, x: Any) -> None:
    np.subtract(x, row_maxima(x), out=out)
    np.exp(out, out=out)
    out /= row_sums(out)


def softmax_vjp(out: Any, scratch: Any, g: Any, probabilities: Any) -> None:
    np.multiply(g, probabilities, out=scratch)
    np.subtract(g, row_sums(scratch), out=out)
    out *= probabilities


def log_softmax(out: Any, scratch: Any, x: Any) -> None:
    np.subtract(x, row_maxima(x), out=out)
    np.exp(out, out=scratch)
    out -= np.log(row_sums(scratch))


def log_softmax_vjp(out: Any, scratch: Any, g: Any, logs: Any) -> None:
    np.exp(logs, out=scratch)
    scratch *= row_sums(g)
    np.subtract(g, scratch, out=out)

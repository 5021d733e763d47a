"""Rearranging entries: nothing here changes a number, so every rule is the way back."""

from __future__ import annotations

from autodiff.core.lazy import np
from autodiff.core.op import primitive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sum_to_forward(x: Any, *, shape: tuple[int, ...]) -> Any:
    """Add up the entries that broadcasting ``shape`` to ``x.shape`` would have copied."""
    if np.shape(x) == shape:
        return x
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + axis for axis, n in enumerate(shape) if n == 1 and x.shape[lead + axis] != 1
    )
    return x.sum(axis=axes, keepdims=True).reshape(shape)


sum_to = primitive(
    "sum_to", sum_to_forward, lambda g, out, x, shape: expand(g, shape=x.shape), grad_fn="SumBackward1"
)
expand = primitive(
    "expand", lambda x, shape: np.broadcast_to(x, shape), lambda g, out, x, shape: sum_to(g, shape=x.shape)
)
to = primitive(
    "to",
    lambda x, dtype: x.astype(dtype),
    lambda g, out, x, dtype: to(g, dtype=x.dtype.name),
    grad_fn="ToCopyBackward0",
)

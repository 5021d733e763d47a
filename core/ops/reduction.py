"""Sums and other reductions over all entries or over dimensions."""

from __future__ import annotations

from autodiff.core.lazy import np
from autodiff.core.op import primitive
from autodiff.core.ops.shape import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Dims = tuple[int, ...] | None


def sum_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    return x.sum(axis=dim, keepdims=keepdim)


def spread(g: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """Copy a reduced cotangent back along the dimensions that were reduced."""
    if dim is not None and not keepdim:
        g = reshape(g, shape=kept_shape(x.shape, dim))
    return expand(g, shape=x.shape)


sum = primitive(
    "sum",
    sum_forward,
    lambda g, out, x, dim, keepdim: spread(g, x, dim, keepdim),
    grad_fn=lambda node: "SumBackward0" if node.params["dim"] is None else "SumBackward1",
)

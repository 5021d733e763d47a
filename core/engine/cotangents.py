"""A cotangent in the form of the operand that receives it: its shape and type, a number where that is one."""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.engine.tensor import settle
from autodiff.core.graph.op import OPS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def fitted(c: Any, x: Any, op: Op) -> Any:
    """What a rule of ``op`` answers for operand ``x``, with what broadcasting has copied added up."""
    if x.__class__ is not np.ndarray:
        c = np.asarray(c)
        return settle(OPS["sum_to"].forward(c, shape=np.shape(x)) if op.is_elementwise else c)
    if c.__class__ is not np.ndarray:
        c = np.asarray(c)
    if op.is_elementwise and c.shape != x.shape:
        c = OPS["sum_to"].forward(c, shape=x.shape)
    if c.dtype is not x.dtype:  # a mask times a number is in double precision
        c = c.astype(x.dtype, copy=False)
    return c if x.ndim else settle(c)

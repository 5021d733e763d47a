"""The fast path to apply an op to arrays of one floating-point dtype.

On small arrays the checks around numpy's call take longer than the call. Without this module
(``AUTODIFF_FAST=0``) the engine computes the same after checks for dtypes, plain numbers and booleans.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine import aliasing
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.array_operators import (
    SAME_SHAPE,
    is_exact_number,
    is_tracked_tensor,
    record_result,
    shared_bound_op,
)
from autodiff.core.fast.tape import BoundOp
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def apply_elementwise(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Tensor | None:
    """As ``apply``, for an elementwise op on arrays of one shape and dtype; None in other cases."""
    if params or mode.probe is not None or (op.kinds and "f" not in op.kinds):
        return None
    dtype: Any = None
    shape: tuple[int, ...] = ()
    values: tuple[Any, ...] = ()
    tracked = requires_grad = False
    for x in operands:
        value = x
        if x.__class__ is Tensor:
            value = x.value
            if value.__class__ is float:
                return None
            kind = value.dtype.kind
            if kind == "f":
                if dtype is None:
                    dtype = value.dtype
                elif value.dtype is not dtype:
                    return None
            elif kind != "b":
                return None
            if not shape:
                shape = value.shape
            if value.shape != shape or not shape:
                return None
            if mode.enabled and is_tracked_tensor(x):
                tracked = True
                requires_grad = requires_grad or x.requires_grad_flag
        elif not is_exact_number(x):
            return None
        values += (value,)
    if dtype is None:
        return None
    try:
        out = op.forward(*values)
    except TypeError:  # numpy has no such function of booleans, or of floats
        return None
    if not tracked or out.dtype.kind != "f":
        return Tensor.of(out)
    return record_result(Tensor, shared_bound_op(op, SAME_SHAPE), operands, values, out, requires_grad)


def apply_to_arrays(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Tensor | None:
    """As ``apply``, for any other op on floats; None where more checks are needed."""
    if mode.probe is not None or (op.kinds and "f" not in op.kinds):
        return None
    tracked = requires_grad = False
    arrays: tuple[Any, ...] = ()
    for x in operands:
        if x.__class__ is not Tensor:
            return None
        value = x.value
        if value.__class__ is float:
            if op.scalar is not None:
                return None
            value = np.asarray(value)
        elif value.dtype.kind != "f":
            return None
        arrays += (value,)
        if mode.enabled and is_tracked_tensor(x):
            tracked = True
            requires_grad = requires_grad or x.requires_grad_flag
    out = op.forward(*arrays, **params)
    is_view = op.is_view and is_view_of(out, arrays[0])
    if not out.ndim:
        out = float(out) if out.dtype.char == "d" else np.asarray(out)
    if not tracked or (out.__class__ is not float and out.dtype.kind != "f"):
        made = Tensor.of(out)
    else:
        # A cast precedes another op at the same span: as an entry it would take the name of that op's result.
        may_use_tape = not is_view and bool(op.vjps) and op.__class__ is Op and op.name != "to"
        made = record_result(Tensor, BoundOp(op, params), operands, arrays, out, requires_grad, may_use_tape)
        if out.__class__ is not float and out.size >= fusion_settings.least:
            fusion_settings.begin()
    if is_view:
        aliasing.record_view(made, operands[0], op, params)
    return made


def is_view_of(out: Any, x: Any) -> bool:
    """Whether an array shares memory with another; always true for 0-d and empty arrays."""
    base = out.base
    return (
        (base is not None and (base is x or base is x.base))
        or not out.ndim
        or not out.size
        or bool(np.may_share_memory(out, x))
    )

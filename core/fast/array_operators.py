"""The fast path of elementwise operators on arrays of one shape and one floating-point dtype.

On small arrays the checks around numpy's call take longer than the call. Without this module
(``AUTODIFF_FAST=0``) the engine computes the same after checks for broadcasting, common dtypes and views.
"""

from __future__ import annotations

import operator

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.fast.tape import BoundOp
from autodiff.core.graph.node import ArrayNode, next_number
from autodiff.core.graph.op import OPS, Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor

    Operator = Callable[[Tensor, Any], Any]

array_tape = LazyModule("autodiff.core.fast.array_tape")

#: The parameters of nodes and uses made here, always empty. This very dict marks that all their arrays have
#: one shape and dtype.
SAME_SHAPE: dict[str, Any] = {}
#: Likewise empty: marks nodes and uses where one array has to be broadcast.
BROADCAST: dict[str, Any] = {}
BOUND_OPS: dict[tuple[Op, bool], BoundOp] = {}
#: Ints up to this size are exact in single precision too.
EXACT_FLOAT32_INT = 1 << 24
#: Operators of numpy's arrays, used in place of ``Op.forward`` to save a call.
NUMPY_OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def unary_function(kind: type[Tensor], op: Op) -> Callable[[Tensor], Any]:
    """The function that applies an op of one operand to a tensor of an array."""
    forward, dispatch, use = op.forward, op.dispatch, shared_bound_op(op, SAME_SHAPE)
    is_elementwise = is_float_elementwise(op)

    def call(x: Tensor) -> Any:
        value = x.value
        dtype = value.dtype
        if not is_elementwise or dtype.kind != "f":
            return dispatch((x,), {})
        out = as_array(forward(value))
        if out.dtype is not dtype:
            return dispatch((x,), {})
        if not mode.enabled or not is_tracked_tensor(x):
            return kind.of(out)
        return record_result(kind, use, (x,), (value,), out, x.requires_grad_flag)

    return call


def as_array(out: Any) -> Any:
    """A result of numpy as an array: for 0-d arrays numpy returns its own scalars."""
    return out if out.ndim else np.asarray(out)


def is_float_elementwise(op: Op) -> bool:
    """Whether the op is elementwise and takes floats."""
    return op.is_elementwise and (not op.kinds or "f" in op.kinds)


def infix_operator(name: str, general: Operator) -> Operator:
    """The operator method ``name`` of Tensor for arrays; cases not handled here go to ``general``.

    Handled are an array with a number, and arrays of one dtype if one has the shape of the other or of the
    other's last dimensions.
    """
    compute = NUMPY_OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        x = self.value
        op = OPS[name]
        if other.__class__ is kind:
            y = other.value
            params = SAME_SHAPE
            if x.__class__ is float or y.__class__ is float or x.dtype is not y.dtype:
                if not is_float_with_array(x, y):
                    return general(self, other)
                x, y, params = np.asarray(x), np.asarray(y), BROADCAST
            elif x.dtype.kind != "f":
                return general(self, other)
            elif x.shape != y.shape:
                if not fits_trailing_dims(x, y):
                    return general(self, other)
                params = BROADCAST
            out = as_array(op.forward(x, y) if compute is None else compute(x, y))
            if not mode.enabled or not (is_tracked_tensor(self) or is_tracked_tensor(other)):
                return kind.of(out)
            visible = self.requires_grad_flag or other.requires_grad_flag
            return record_result(kind, shared_bound_op(op, params), (self, other), (x, y), out, visible)
        if x.__class__ is float or x.dtype.kind != "f" or not is_exact_number(other):
            return general(self, other)
        out = as_array(op.forward(x, other) if compute is None else compute(x, other))
        if not mode.enabled or not is_tracked_tensor(self):
            return kind.of(out)
        return record_result(
            kind, shared_bound_op(op, SAME_SHAPE), (self, other), (x, other), out, self.requires_grad_flag
        )

    return infixed


def reflected_operator(name: str, general: Operator) -> Operator:
    """As ``infix_operator``, for the operator with a plain number on the left."""
    compute = NUMPY_OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        y = self.value
        if y.__class__ is float or not is_exact_number(other) or y.dtype.kind != "f":
            return general(self, other)
        op = OPS[name]
        out = as_array(op.forward(other, y) if compute is None else compute(other, y))
        if not mode.enabled or not is_tracked_tensor(self):
            return kind.of(out)
        return record_result(
            kind, shared_bound_op(op, SAME_SHAPE), (other, self), (other, y), out, self.requires_grad_flag
        )

    return infixed


def is_tracked_tensor(x: Tensor) -> bool:
    """Whether gradients flow to the tensor."""
    node = x.stored_node
    return x.tape is not None if node is None else node.tracked


def shared_bound_op(op: Op, params: dict[str, Any]) -> BoundOp:
    """The BoundOp shared by all entries of an op; ``params`` is SAME_SHAPE or BROADCAST."""
    key = op, params is SAME_SHAPE
    use = BOUND_OPS.get(key)
    if use is None:
        use = BOUND_OPS[key] = BoundOp(op, params)
    return use


def fits_trailing_dims(x: Any, y: Any) -> bool:
    """Whether one of two arrays has the shape of the other's last dimensions, and none is large."""
    m, n = x.shape, y.shape
    if len(m) < len(n):
        m, n = n, m
    return len(n) < len(m) and m[len(m) - len(n) :] == n and max(x.size, y.size) < fusion_settings.least


def is_float_with_array(x: Any, y: Any) -> bool:
    """Whether one is a float and the other an array in double precision that is not large."""
    array = y if x.__class__ is float else x
    return (
        (x.__class__ is float or y.__class__ is float)
        and array.__class__ is not float
        and array.dtype.char == "d"
        and array.ndim > 0
        and array.size < fusion_settings.least
    )


def is_exact_number(value: Any) -> bool:
    """Whether it is a plain number that is exact in every floating-point dtype."""
    return value.__class__ is float or (
        value.__class__ is int and -EXACT_FLOAT32_INT <= value <= EXACT_FLOAT32_INT
    )


def record_result(
    kind: type[Tensor],
    bound_op: BoundOp,
    operands: tuple[Any, ...],
    values: tuple[Any, ...],
    out: Any,
    requires_grad: bool,
    may_use_tape: bool = True,
) -> Tensor:
    """The result as a tensor, recorded on the tape if possible, else with a node."""
    if may_use_tape:
        written: Tensor | None = array_tape.record_on_tape(
            kind, bound_op, operands, values, out, requires_grad
        )
        if written is not None:
            return written
    inputs = tuple([(x.stored_node or x.source()) if x.__class__ is kind else None for x in operands])
    made = kind()
    made.value = out
    made.tape = made.grad_slot = made.alias = made.version_counter = None
    made.requires_grad_flag = requires_grad
    node = made.stored_node = object.__new__(ArrayNode)
    node.op = bound_op.op
    node._inputs = inputs
    node._operands = values
    node._params = bound_op.params
    node.number = next_number()  # after the operands' nodes, which may have been made just now
    node.out = out
    node.site = mode.site
    node.name = node.status = node.scratch = None
    return made

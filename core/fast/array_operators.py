"""The fast path of elementwise operators on arrays of one shape and one floating-point dtype.

On small arrays the checks around numpy's call take longer than the call. Without this module
(``AUTODIFF_FAST=0``) the engine computes the same after checks for broadcasting, common dtypes and views.
"""

from __future__ import annotations

import operator

from autodiff.core.base.fast_paths import settings
from autodiff.core.base.lazy import Later, np
from autodiff.core.fast.tape import PLACES, Use
from autodiff.core.graph.node import ArrayNode, next_number
from autodiff.core.graph.op import OPS, Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor

    Operator = Callable[[Tensor, Any], Any]

array_tape = Later("autodiff.core.fast.array_tape")

#: The parameters of nodes and uses made here, always empty. This very dict marks that all their arrays have
#: one shape and dtype.
ALIKE: dict[str, Any] = {}
#: Likewise empty: marks nodes and uses where one array has to be broadcast.
BROADCAST: dict[str, Any] = {}
USES: dict[tuple[Op, bool], Use] = {}
#: Ints up to this size are exact in single precision too.
EXACT = 1 << 24
#: Operators of numpy's arrays, used in place of ``Op.forward`` to save a call.
OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


class Shown:
    """A fake array: a numpy function called on it returns that function."""

    __slots__ = ()

    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **kwargs: Any) -> Any:
        return function if method == "__call__" and len(operands) == 1 and not kwargs else None


def bare(forward: Callable[..., Any]) -> Callable[..., Any]:
    """numpy's own function if ``forward`` of an op of one operand only calls that, else ``forward``.

    The extra call takes a quarter as long as numpy takes for a small array.
    """
    try:
        found = forward(Shown())
    except Exception:  # it does more than call one numpy function
        return forward
    return found if found.__class__ is np.ufunc else forward


def of_one(kind: type[Tensor], op: Op) -> Callable[[Tensor], Any]:
    """The function that applies an op of one operand to a tensor of an array."""
    forward, dispatch, use = op.forward, op.dispatch, use_of(op, ALIKE)
    is_elementwise = takes_floats(op)

    def call(x: Tensor) -> Any:
        value = x.value
        dtype = value.dtype
        if not is_elementwise or dtype.kind != "f":
            return dispatch((x,), {})
        out = as_array(forward(value))
        if out.dtype is not dtype:
            return dispatch((x,), {})
        if not mode.enabled or not is_followed(x):
            return kind.of(out)
        return recorded(kind, use, (x,), (value,), out, x.requires_grad)

    return call


def as_array(out: Any) -> Any:
    """A result of numpy as an array: for 0-d arrays numpy returns its own scalars."""
    return out if out.ndim else np.asarray(out)


def takes_floats(op: Op) -> bool:
    """Whether the op is elementwise and takes floats."""
    return op.is_elementwise and (not op.kinds or "f" in op.kinds)


def infix(name: str, general: Operator) -> Operator:
    """The operator method ``name`` of Tensor for arrays; cases not handled here go to ``general``.

    Handled are an array with a number, and arrays of one dtype if one has the shape of the other or of the
    other's last dimensions.
    """
    compute: Any = OPERATORS.get(name)
    apart = infix_apart(name, general)
    use: Any = None

    def infixed(self: Tensor, other: Any) -> Any:
        nonlocal use, compute
        kind, tape = self.__class__, mode.tape
        x = self.value
        if self.tape is not tape or self.form is None:
            return apart(self, other)
        form = self.form
        if is_number(other):
            y, b, visible = other, 0, self.requires_grad
        elif other.__class__ is not kind or other.tape is not tape:
            return apart(self, other)
        else:
            if other.form is not form:
                return apart(self, other)
            y, b = other.value, other.at
            visible = self.requires_grad or other.requires_grad
        at = len(tape)
        if at >= form.most or (self.at < 0 and b <= 0):
            return apart(self, other)
        if use is None:  # the ops are loaded after the class of tensors
            use = use_of(OPS[name], ALIKE)
            compute = compute or OPS[name].forward
            array_tape.study(use)
        made = kind()
        out = compute(x, y)
        made.value = out = np.asarray(out) if form.is_number else out
        made.tape = tape
        made.at = PLACES[at]
        made.form = form
        made.own_node = made.cell = made.alias = made.versions = None
        made.requires_grad = visible
        if not use.needs_operands:
            x, y = None, None if b else y
        tape.append((use, self.at, b, x, y, out if use.needs_out else None, mode.site))
        return made

    return infixed


def infix_apart(name: str, general: Operator) -> Operator:
    """As ``infix``, for operands that are not on the open tape or differ in shape."""
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        x = self.value
        op = OPS[name]
        if other.__class__ is kind:
            y = other.value
            params = ALIKE
            if x.__class__ is float or y.__class__ is float or x.dtype is not y.dtype:
                if not is_beside_a_number(x, y):
                    return general(self, other)
                x, y, params = np.asarray(x), np.asarray(y), BROADCAST
            elif x.dtype.kind != "f":
                return general(self, other)
            elif x.shape != y.shape:
                if not is_along(x, y):
                    return general(self, other)
                params = BROADCAST
            out = as_array(op.forward(x, y) if compute is None else compute(x, y))
            if not mode.enabled or not (is_followed(self) or is_followed(other)):
                return kind.of(out)
            visible = self.requires_grad or other.requires_grad
            return recorded(kind, use_of(op, params), (self, other), (x, y), out, visible)
        if x.__class__ is float or x.dtype.kind != "f" or not is_number(other):
            return general(self, other)
        out = as_array(op.forward(x, other) if compute is None else compute(x, other))
        if not mode.enabled or not is_followed(self):
            return kind.of(out)
        return recorded(kind, use_of(op, ALIKE), (self, other), (x, other), out, self.requires_grad)

    return infixed


def reflected(name: str, general: Operator) -> Operator:
    """As ``infix``, for the operator with a plain number on the left."""
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        y = self.value
        if y.__class__ is float or not is_number(other) or y.dtype.kind != "f":
            return general(self, other)
        op = OPS[name]
        out = as_array(op.forward(other, y) if compute is None else compute(other, y))
        if not mode.enabled or not is_followed(self):
            return kind.of(out)
        return recorded(kind, use_of(op, ALIKE), (other, self), (other, y), out, self.requires_grad)

    return infixed


def is_followed(x: Tensor) -> bool:
    """Whether gradients flow to the tensor."""
    node = x.own_node
    return x.tape is not None if node is None else node.tracked


def use_of(op: Op, params: dict[str, Any]) -> Use:
    """The Use shared by all entries of an op; ``params`` is ALIKE or BROADCAST."""
    key = op, params is ALIKE
    use = USES.get(key)
    if use is None:
        use = USES[key] = Use(op, params)
    return use


def is_along(x: Any, y: Any) -> bool:
    """Whether one of two arrays has the shape of the other's last dimensions, and none is large."""
    m, n = x.shape, y.shape
    if len(m) < len(n):
        m, n = n, m
    return len(n) < len(m) and m[len(m) - len(n) :] == n and max(x.size, y.size) < settings.least


def is_beside_a_number(x: Any, y: Any) -> bool:
    """Whether one is a float and the other an array in double precision that is not large."""
    array = y if x.__class__ is float else x
    return (
        (x.__class__ is float or y.__class__ is float)
        and array.__class__ is not float
        and array.dtype.char == "d"
        and array.ndim > 0
        and array.size < settings.least
    )


def is_number(value: Any) -> bool:
    """Whether it is a plain number that is exact in every floating-point dtype."""
    return value.__class__ is float or (value.__class__ is int and -EXACT <= value <= EXACT)


def recorded(
    kind: type[Tensor],
    use: Use,
    operands: tuple[Any, ...],
    values: tuple[Any, ...],
    out: Any,
    visible: bool,
    may_be_written: bool = True,
) -> Tensor:
    """The result as a tensor, recorded on the tape if possible, else with a node."""
    if may_be_written:
        written: Tensor | None = array_tape.written(kind, use, operands, values, out, visible)
        if written is not None:
            return written
    inputs = tuple([(x.own_node or x.source()) if x.__class__ is kind else None for x in operands])
    made = kind()
    made.value = out
    made.tape = made.cell = made.alias = made.versions = None
    made.requires_grad = visible
    node = made.own_node = object.__new__(ArrayNode)
    node.op = use.op
    node._inputs = inputs
    node._operands = values
    node._params = use.params
    node.number = next_number()  # after the operands' nodes, which may have been made just now
    node.out = out
    node.site = mode.site
    node.name = node.mark = node.g = None
    return made

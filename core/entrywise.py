"""The short way for arrays of one shape and one floating type: operators entry by entry.

On small arrays what surrounds numpy's work takes longer than the work. The engine without this module
(``AUTODIFF_FAST=0``) computes the same after it has asked for broadcasting, common types and views.
"""

from __future__ import annotations

import operator

from autodiff.core.lazy import np
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Node, next_number
from autodiff.core.op import OPS, Op
from autodiff.core.tiles import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.tensors import Tensor

    Operator = Callable[[Tensor, Any], Any]

new = object.__new__  # a Tensor without its __init__, whose call takes as long as all that it does
#: The parameters of the nodes made here, none: by them one sees that all their arrays are alike.
ALIKE: dict[str, Any] = {}
#: The same of nodes one of whose arrays has to be broadcast.
BROADCAST: dict[str, Any] = {}
#: Whole numbers up to this one are floating ones too.
EXACT = 1 << 24
#: What numpy's arrays do themselves, which saves the call of the record's function.
OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def of_one(kind: type[Tensor], op: Op) -> Callable[[Tensor], Any]:
    """How to call an entry-by-entry op on one array."""
    forward, dispatch = op.forward, op.dispatch
    is_elementwise = op.is_elementwise and (not op.kinds or "f" in op.kinds)

    def call(x: Tensor) -> Any:
        value = x.value
        dtype = value.dtype
        if not is_elementwise or dtype.kind != "f" or not value.ndim:
            return dispatch((x,), {})
        out = forward(value)
        if out.dtype is not dtype:
            return dispatch((x,), {})
        a = x.own_node
        if a is None or not a.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (a,), (value,), ALIKE, out, x.requires_grad)

    return call


def infix(name: str, general: Operator) -> Operator:
    """The operator of a Tensor that is an array; what is not spelled out here goes to ``general``.

    That is arrays of one type where one has the shape of the other or of its last dimensions, and numbers.
    """
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        x = self.value
        if other.__class__ is kind:
            y = other.value
            params = ALIKE
            if x.__class__ is float or y.__class__ is float or x.dtype is not y.dtype:
                if not is_beside_a_number(x, y):
                    return general(self, other)
                x, y, params = np.asarray(x), np.asarray(y), BROADCAST
                self.source(), other.source()  # that of a number may not have been made yet
            elif x.dtype.kind != "f" or not x.ndim:
                return general(self, other)
            elif x.shape != y.shape:
                if not is_along(x, y):
                    return general(self, other)
                params = BROADCAST
            op = OPS[name]
            out = op.forward(x, y) if compute is None else compute(x, y)
            a, b = self.own_node, other.own_node
            if not ((a is not None and a.tracked) or (b is not None and b.tracked)) or not mode.enabled:
                return kind(out)
            inputs = (self.source() if a is None else a, other.source() if b is None else b)
            visible = self.requires_grad or other.requires_grad
            return recorded(kind, op, inputs, (x, y), params, out, visible)
        if x.__class__ is float or x.dtype.kind != "f" or not x.ndim:
            return general(self, other)
        if not is_number(other):
            return general(self, other)
        op = OPS[name]
        out = op.forward(x, other) if compute is None else compute(x, other)
        a = self.own_node
        if a is None or not a.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (a, None), (x, other), ALIKE, out, self.requires_grad)

    return infixed


def reflected(name: str, general: Operator) -> Operator:
    """As ``infix`` for a number on the left."""
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        y = self.value
        if y.__class__ is float or not is_number(other) or y.dtype.kind != "f" or not y.ndim:
            return general(self, other)
        op = OPS[name]
        out = op.forward(other, y) if compute is None else compute(other, y)
        b = self.own_node
        if b is None or not b.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (None, b), (other, y), ALIKE, out, self.requires_grad)

    return infixed


def is_along(x: Any, y: Any) -> bool:
    """Whether one of two arrays, none of them large, has the shape of the other's last dimensions."""
    m, n = x.shape, y.shape
    if len(m) < len(n):
        m, n = n, m
    return 0 < len(n) < len(m) and m[-len(n) :] == n and max(x.size, y.size) < settings.least


def is_beside_a_number(x: Any, y: Any) -> bool:
    """Whether one is a number in double precision and the other such an array, which is not large."""
    array = y if x.__class__ is float else x
    return (
        (x.__class__ is float or y.__class__ is float)
        and array.__class__ is not float
        and array.dtype.char == "d"
        and array.ndim > 0
        and array.size < settings.least
    )


def is_number(value: Any) -> bool:
    """Whether it is a plain number that an array of any floating type takes as it is."""
    return value.__class__ is float or (value.__class__ is int and -EXACT <= value <= EXACT)


def recorded(
    kind: type[Tensor],
    op: Op,
    inputs: tuple[Node | None, ...],
    operands: tuple[Any, ...],
    params: dict[str, Any],
    out: Any,
    visible: bool,
) -> Tensor:
    """The result as a tensor with its node."""
    made = new(kind)
    made.value = out
    made.tape = made.cell = made.alias = made.versions = None
    made.requires_grad = visible
    node = made.own_node = new(ArrayNode)
    node.op = op
    node._inputs = inputs
    node._operands = operands
    node._params = params
    node.number = next_number()  # after its operands, which may have been made just now
    node.out = out
    node.site = mode.site
    node.name = node.mark = node.g = None
    return made

"""The short way for arrays of one shape and one floating type: operators entry by entry, and their slopes.

On small arrays what surrounds numpy's work takes longer than the work. The engine without this module
(``AUTODIFF_FAST=0``) computes the same after it has asked for broadcasting, common types and views.
"""

from __future__ import annotations

import operator

from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Node, next_number
from autodiff.core.op import OPS, Op
from autodiff.core.recipes import CALL_X, NEGATED, SAME, TIMES, TIMES_OUT, TIMES_X, TIMES_Y, recipe_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.tensors import Tensor

    Operator = Callable[[Tensor, Any], Any]

new = object.__new__  # a Tensor without its __init__, whose call takes as long as all that it does
#: The parameters of the nodes made here, none: by them one sees that all their arrays are alike.
ALIKE: dict[str, Any] = {}
#: What numpy's arrays do themselves, which saves the call of the record's function.
OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


# -- forward ----------------------------------------------------------------------------------------


def of_one(kind: type[Tensor], op: Op) -> Callable[[Tensor], Any]:
    """How to call an entry-by-entry op on one array."""
    forward, dispatch = op.forward, op.dispatch
    is_entrywise = op.is_elementwise and bool(op.partials)

    def call(x: Tensor) -> Any:
        value = x.value
        dtype = value.dtype
        if not is_entrywise or dtype.kind != "f" or not value.ndim:
            return dispatch((x,), {})
        out = forward(value)
        if out.dtype is not dtype:
            return dispatch((x,), {})
        a = x.node
        if a is None or not a.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (a,), (value,), out, x.requires_grad)

    return call


def infix(name: str, general: Operator) -> Operator:
    """The operator of a Tensor that is an array; anything but two alike, or a float, goes to ``general``."""
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        x = self.value
        if x.__class__ is float or x.dtype.kind != "f" or not x.ndim:
            return general(self, other)
        if other.__class__ is kind:
            y = other.value
            if y.__class__ is float or y.dtype is not x.dtype or y.shape != x.shape:
                return general(self, other)
            op = OPS[name]
            out = op.forward(x, y) if compute is None else compute(x, y)
            a, b = self.node, other.node
            if not ((a is not None and a.tracked) or (b is not None and b.tracked)) or not mode.enabled:
                return kind(out)
            inputs = (self.source() if a is None else a, other.source() if b is None else b)
            return recorded(kind, op, inputs, (x, y), out, self.requires_grad or other.requires_grad)
        if other.__class__ is not float:
            return general(self, other)
        op = OPS[name]
        out = op.forward(x, other) if compute is None else compute(x, other)
        a = self.node
        if a is None or not a.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (a, None), (x, other), out, self.requires_grad)

    return infixed


def reflected(name: str, general: Operator) -> Operator:
    """As ``infix`` for a number on the left."""
    compute = OPERATORS.get(name)

    def infixed(self: Tensor, other: Any) -> Any:
        kind = self.__class__
        y = self.value
        if y.__class__ is float or other.__class__ is not float or y.dtype.kind != "f" or not y.ndim:
            return general(self, other)
        op = OPS[name]
        out = op.forward(other, y) if compute is None else compute(other, y)
        b = self.node
        if b is None or not b.tracked or not mode.enabled:
            return kind(out)
        return recorded(kind, op, (None, b), (other, y), out, self.requires_grad)

    return infixed


def recorded(
    kind: type[Tensor],
    op: Op,
    inputs: tuple[Node | None, ...],
    operands: tuple[Any, ...],
    out: Any,
    visible: bool,
) -> Tensor:
    """The result as a tensor with its node."""
    made = new(kind)
    made.value = out
    made.cell = made.alias = made.versions = None
    made.requires_grad = visible
    node = made.node = new(ArrayNode)
    node.op = op
    node._inputs = inputs
    node._operands = operands
    node._params = ALIKE
    node.number = next_number()  # after its operands, which may have been made just now
    node.out = out
    node.site = mode.site
    node.name = node.mark = node.g = None
    return made


# -- backward ---------------------------------------------------------------------------------------


def pull_back_entries(node: Node, g: Any, pull_edge: Callable[..., Any]) -> list[tuple[Node, Any]] | None:
    """As ``pull_back`` in the sweep, for the nodes made here; None in other cases.

    ``pull_edge`` is the sweep's own way to follow a rule.
    """
    if node.__class__ is not ArrayNode or node._params is not ALIKE or node.mark is not None:
        return None
    op, inputs, operands = node.op, node._inputs, node._operands
    for below in inputs:
        if below is not None and below.mark is not None:
            return None
    recipe = op.recipe
    if recipe is None:
        recipe = op.recipe = recipe_of(op)
    pulled = []
    index = -1
    for below in inputs:  # not enumerate(), which would take a tenth of this
        index += 1
        if below is not None and below.tracked:
            kind = recipe[index][0]
            if kind == SAME:
                c = g
            elif kind == TIMES_Y:
                c = g * operands[1]
            elif kind == TIMES_X:
                c = g * operands[0]
            elif kind == TIMES_OUT:
                c = g * node.out
            elif kind == NEGATED:
                c = -g
            elif CALL_X <= kind <= TIMES and None not in inputs:
                c = g * op.partials[index](node.out, *operands)  # type: ignore[operator] # no number
                if c.dtype is not g.dtype:  # a mask times a number is in double precision
                    c = c.astype(g.dtype)
            else:  # among others 1 / 0, which raises for numbers where arrays answer inf
                c = pull_edge(node, index, g)
            pulled.append((below, c))
    return pulled

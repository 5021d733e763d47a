"""The short way for programs of single numbers: operators on Python floats.

The engine without this module (``AUTODIFF_FAST=0``) computes the same on arrays of no dimensions, twenty
times slower. What is spelled out here is spelled out because scalar programs spend their time in it.
"""

from __future__ import annotations

from autodiff.core import entrywise
from autodiff.core.mode import mode
from autodiff.core.node import ScalarNode
from autodiff.core.op import OPS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.tensors import Tensor

    Operator = Callable[[Tensor, Any], Any]

new = object.__new__  # a Tensor without its __init__, whose call takes as long as all that it does


# -- forward ----------------------------------------------------------------------------------------


def of_one(kind: type[Tensor], op: Op) -> Callable[[Any], Any]:
    """How to call an op of one operand."""
    scalar, evaluate, dispatch, of_array = (
        op.scalar,
        op.evaluate_scalars,
        op.dispatch,
        entrywise.of_one(kind, op),
    )
    assert scalar is not None

    def call(x: Any) -> Any:
        if x.__class__ is not kind:
            return evaluate(x) if x.__class__ is float else dispatch((x,), {})
        value = x.value
        if value.__class__ is not float:
            return of_array(x)
        try:
            out = scalar(value)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = evaluate(value)
        made = new(kind)
        made.value = out
        made.cell = made.alias = made.versions = None
        a = x.node
        if a is None or not (a.__class__ is ScalarNode or a.tracked) or not mode.enabled:
            made.node = None
            made.requires_grad = False
            return made
        node = made.node = ScalarNode()
        node.op = op
        node.a = a
        node.number = mode.number = mode.number + 1
        node.out = out
        node.site = mode.site
        node.b = node.constant = node.name = node.mark = node.g = None
        made.requires_grad = x.requires_grad
        return made

    return call


def infix(name: str, general: Operator) -> Operator:
    """The operator of a Tensor: two numbers go the short way, the rest to ``general``."""
    op: Op | None = None
    scalar: Callable[..., float] | None = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal op, scalar
        kind = self.__class__
        x = self.value
        if x.__class__ is not float:
            return general(self, other)
        if op is None:  # the ops are loaded after the class of tensors
            op, scalar = OPS[name], OPS[name].scalar
        if scalar is None:
            return general(self, other)
        if other.__class__ is kind:
            y = other.value
            if y.__class__ is not float:
                return general(self, other)
            b = other.node
            visible = self.requires_grad or other.requires_grad
        elif other.__class__ is float or other.__class__ is int:
            y, b, visible = other, None, self.requires_grad
        else:
            return general(self, other)
        try:
            out = scalar(x, y)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = op.evaluate_scalars(x, y)
        a = self.node
        made = new(kind)
        made.value = out
        made.cell = made.alias = made.versions = None
        if (
            not (
                (a is not None and (a.__class__ is ScalarNode or a.tracked))
                or (b is not None and (b.__class__ is ScalarNode or b.tracked))
            )
            or not mode.enabled
        ):
            made.node = None
            made.requires_grad = False
            return made
        node = made.node = ScalarNode()
        node.op = op
        node.a = self.source() if a is None else a
        if other.__class__ is kind:
            node.b = other.source() if b is None else b
            node.constant = None
        else:
            node.b = None
            node.constant = y
        node.number = mode.number = mode.number + 1  # after its operands, which may have been made just now
        node.out = out
        node.site = mode.site
        node.name = node.mark = node.g = None
        made.requires_grad = visible
        return made

    return operator


def reflected(name: str, general: Operator) -> Operator:
    """As ``infix`` for a number on the left."""
    op: Op | None = None
    scalar: Callable[..., float] | None = None

    def operator(self: Tensor, other: Any) -> Any:
        nonlocal op, scalar
        kind = self.__class__
        y = self.value
        if y.__class__ is not float or (other.__class__ is not float and other.__class__ is not int):
            return general(self, other)
        if op is None:
            op, scalar = OPS[name], OPS[name].scalar
        if scalar is None:
            return general(self, other)
        try:
            out = scalar(other, y)
        except (ArithmeticError, ValueError):
            out = None
        if out.__class__ is not float:
            out = op.evaluate_scalars(other, y)
        made = new(kind)
        made.value = out
        made.cell = made.alias = made.versions = None
        b = self.node
        if b is None or not (b.__class__ is ScalarNode or b.tracked) or not mode.enabled:
            made.node = None
            made.requires_grad = False
            return made
        node = made.node = ScalarNode()
        node.op = op
        node.a = node.name = node.mark = node.g = None
        node.b = b
        node.constant = other
        node.number = mode.number = mode.number + 1
        node.out = out
        node.site = mode.site
        made.requires_grad = self.requires_grad
        return made

    return operator

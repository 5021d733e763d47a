"""Arithmetic: the operators, powers and their names in a graph. One line of maths per operand."""

from __future__ import annotations

import operator

from autodiff.core.lazy import np
from autodiff.core.op import elementwise
from autodiff.core.ops.comparison import except_where
from autodiff.core.ops.transcendental import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.node import Node


def left_number(name: str, otherwise: str) -> Callable[[Node], str]:
    """torch dispatches an operation with a plain number on the left to another kernel, and names it so."""

    def grad_fn(node: Node) -> str:
        return name if node.inputs[0] is None else otherwise

    return grad_fn


def pow_grad_fn(node: Node) -> str:
    base, exponent = node.inputs
    return "PowBackward0" if exponent is None else "PowBackward2" if base is None else "PowBackward1"


add = elementwise("add", lambda x, y: np.add(x, y), 1, 1, infix="+", scalar=operator.add)
sub = elementwise(
    "sub",
    lambda x, y: np.subtract(x, y),
    1,
    -1,
    infix="-",
    scalar=operator.sub,
    grad_fn=left_number("RsubBackward1", "SubBackward0"),
)
mul = elementwise(
    "mul",
    lambda x, y: np.multiply(x, y),
    lambda out, x, y: y,
    lambda out, x, y: x,
    infix="*",
    scalar=operator.mul,
)
div = elementwise(
    "div",
    lambda x, y: np.true_divide(x, y),
    lambda out, x, y: 1 / y,
    lambda out, x, y: -out / y,
    infix="/",
    scalar=operator.truediv,
    real=True,
    grad_fn=left_number("MulBackward0", "DivBackward0"),
)
neg = elementwise("neg", lambda x: np.negative(x), -1, infix="-", scalar=operator.neg)
pow = elementwise(
    "pow",
    lambda x, y: np.power(x, y),
    lambda out, x, y: except_where(y == 0, 0.0, y * x ** (y - 1)),
    lambda out, x, y: except_where((x == 0) & (y >= 0), 0.0, out * log(x)),
    infix="**",
    scalar=operator.pow,
    grad_fn=pow_grad_fn,
    kink="the slope in the base is 0 where the exponent is 0; the slope in the exponent is 0 at base 0",
)
square = elementwise(
    "square", lambda x: np.square(x), lambda out, x: 2 * x, scalar=lambda x: x * x, grad_fn="PowBackward0"
)
reciprocal = elementwise(
    "reciprocal", lambda x: np.reciprocal(x), lambda out, x: -out * out, scalar=lambda x: 1 / x, real=True
)

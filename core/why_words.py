"""What is said about an op that passed nothing on, or nothing finite: one sentence with the values there."""

from __future__ import annotations

from autodiff.core.expr import number, text
from autodiff.core.lazy import np
from autodiff.core.node import OpNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.naming import Names
    from autodiff.core.node import Node

DIGITS = 6
#: Ops that never pass anything on.
STEPS = (
    "floor",
    "ceil",
    "round",
    "round_to",
    "trunc",
    "sign",
    "heaviside",
    "div_floor",
    "div_trunc",
    "floor_divide",
)
#: Ops whose slope is 0 beyond a bound.
BOUNDED = (
    "clamp",
    "clamp_min",
    "clamp_max",
    "hardtanh",
    "hardsigmoid",
    "threshold",
    "hardshrink",
    "softshrink",
)
#: Ops that level out: beyond some size their slope is smaller than any number.
LEVELLING = (
    "sigmoid",
    "tanh",
    "exp",
    "exp2",
    "erf",
    "erfc",
    "softmax",
    "log_softmax",
    "softplus",
    "logsigmoid",
    "atan",
)
#: Ops that pass what arrives to one of several entries or operands.
CHOOSING = (
    "amax",
    "amin",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "pick",
    "median",
    "select",
    "index",
    "slice",
    "gather",
)
#: Where the slope of an op has no bound, and what is said of it.
STEEP = {
    "sqrt": "the slope of sqrt is 1/(2*sqrt(x)), which has no bound at 0",
    "rsqrt": "1/sqrt(x) and its slope have no bound at 0",
    "log": "the slope of log is 1/x, which has no bound at 0",
    "log2": "the slope of log2 grows like 1/x, which has no bound at 0",
    "log10": "the slope of log10 grows like 1/x, which has no bound at 0",
    "log1p": "the slope of log1p is 1/(1 + x), which has no bound at -1",
    "xlogy": "the slope of x*log(y) in y is x/y, and in x it is log(y)",
    "reciprocal": "1/x and its slope have no bound at 0",
    "div": "the slope of a quotient has the divisor below the line, and that is 0",
    "acos": "the slope of acos has no bound at -1 and 1",
    "asin": "the slope of asin has no bound at -1 and 1",
    "atanh": "the slope of atanh has no bound at -1 and 1",
    "acosh": "the slope of acosh has no bound at 1",
    "logit": "the slope of logit has no bound at 0 and 1",
    "pow": "the slope of a power below 1 has no bound at 0",
    "std": "the slope of std is that of a square root, which has no bound where all entries are equal",
}
#: Why the value of an op is not finite, by the op.
UNDEFINED = {
    "sqrt": "the square root of a negative number is nan",
    "rsqrt": "1/sqrt(x) has no value for x <= 0",
    "pow": "a power with a fraction above has no value for negative numbers, and a negative power none at 0",
    "acos": "acos has values between -1 and 1 only",
    "asin": "asin has values between -1 and 1 only",
    "atanh": "atanh has finite values between -1 and 1 only",
    "acosh": "acosh has values from 1 on only",
    "logit": "logit has finite values between 0 and 1 only",
    "reciprocal": "1/x has no finite value at 0",
    "log1p": "log1p has finite values above -1 only",
}
LOGARITHMS = ("log", "log2", "log10")
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")


def shown(value: Any, at: tuple[int, ...] | None = None) -> str:
    """A value in a sentence: a number, one entry, or the range of an array's entries."""
    if value.__class__ is float or np.size(value) == 1:
        return _number(float(np.asarray(value).item()))
    array = np.asarray(value)
    if at is not None and len(at) == array.ndim:
        return _number(float(array[at]))
    low, high = float(array.min()), float(array.max())
    return (
        f"{_number(low)} in all entries" if low == high else f"entries from {_number(low)} to {_number(high)}"
    )


def _number(value: float) -> str:
    return text(number(value), digits=DIGITS)


def operand_in_words(node: Node, index: int, names: Names, at: tuple[int, ...] | None = None) -> str:
    """``h = -3``, ``h[0, 2] = -3``, ``h (entries from -4 to -3)``."""
    below = node.inputs[index]
    value = node.operands[index]
    if below is None:
        return shown(value)
    name = names[below]
    if np.size(value) == 1:
        said = shown(value)
        return said if said == name else f"{name} = {said}"
    if at is not None and len(at) == np.ndim(value):
        place = ", ".join(map(str, at))
        if all(i < n for i, n in zip(at, np.shape(value), strict=True)):
            return f"entry [{place}] of {name} = {shown(value, at)}"
    return f"{name} ({shown(value)})"


def _others(node: Node, index: int) -> list[int]:
    return [at for at in range(len(node.operands)) if at != index]


# -- zero -----------------------------------------------------------------------------------------------


def flat_words(node: Node, index: int, g: Any, names: Names) -> str:
    """Why operand ``index`` receives nothing although ``g`` arrives."""
    assert isinstance(node, OpNode)
    op = node.op.name
    name = names[node]
    x = operand_in_words(node, index, names)
    if op in ("relu", "relu6"):
        return f"{name} passes nothing on where its input is not positive: {x}"
    if op in BOUNDED:
        return f"{name} is flat beyond its bounds: {x}"
    if op in STEPS:
        return f"{name} is a step function: its slope is 0 everywhere"
    if op in LEVELLING:
        return f"{name} has levelled out, its slope is too small for a number: {x}"
    if op == "where":
        return f"{name} takes the other branch: the condition is {_truth(node.operands[0])}"
    if op in ("maximum", "minimum", "fmax", "fmin"):
        other = operand_in_words(node, 1 - index, names)
        return f"{name} takes the other operand: {other} against {x}"
    if op in CHOOSING:
        return f"{name} takes other entries, and those get the gradient"
    if op in ("mul", "matmul", "mm", "mv", "dot", "bmm", "outer", "vm", "einsum", "div"):
        by = [operand_in_words(node, at, names) for at in _others(node, index)]
        verb = "divided" if op == "div" else "multiplied"
        return f"{x} is {verb} by {' and '.join(by)}" + (" in " + name if name != x else "")
    if op == "pow" and index == 0:
        return f"the slope of {name} is n*x**(n - 1), which is 0 here: {x}"
    if op == "square":
        return f"the slope of {name} is 2*x, which is 0 here: {x}"
    if op == "to":
        return f"{name} makes whole numbers, which have no slope"
    return f"the slope of {name} is 0 here: {x}"


def _truth(value: Any) -> str:
    array = np.asarray(value)
    return "True" if array.all() else "False" if not array.any() else "True in some entries"


# -- not finite ------------------------------------------------------------------------------------------


def singular_words(node: Node, index: int, at: tuple[int, ...] | None, names: Names) -> str:
    """Why what operand ``index`` receives is not finite although its value is."""
    assert isinstance(node, OpNode)
    op = node.op.name
    which = index
    if op == "div" and len(node.operands) == 2:
        which = 1
    if op == "pow":
        which = 0
    x = operand_in_words(node, which, names, at)
    steep = STEEP.get(op)
    if steep is None:
        return f"the slope of {names[node]} is not finite: {x}"
    return f"{steep}: {x}"


def forward_words(node: Node, at: tuple[int, ...] | None, names: Names) -> str:
    """Why the value of a node is not finite although its operands are."""
    assert isinstance(node, OpNode)
    op = node.op.name
    out = shown(node.out, at)
    operands = [operand_in_words(node, index, names, at) for index in range(len(node.operands))]
    said = ", ".join(dict.fromkeys(operands))
    name = names[node]
    why = _forward_reason(op, node, at)
    return f"{name} is {out} already on the way forward: {why}{said}"


def _forward_reason(op: str, node: OpNode, at: tuple[int, ...] | None) -> str:
    first = _entry(node.operands[0], at)
    if op in LOGARITHMS and first is not None:
        return (
            "the logarithm of a negative number is nan: "
            if first < 0
            else "the logarithm of 0 is -infinity: "
        )
    if op in EXPONENTIALS:
        return f"{op} grows beyond the largest number: "
    if op == "div":
        divisor = _entry(node.operands[1], at)
        if divisor == 0:
            return "0/0 is nan: " if first == 0 else "a division by 0: "
    if op in ("add", "sub", "mul", "sum", "matmul", "mm", "mv", "dot", "square", "prod"):
        return "the result is beyond the largest number: "
    reason = UNDEFINED.get(op)
    return f"{reason}: " if reason else ""


def _entry(value: Any, at: tuple[int, ...] | None) -> float | None:
    if np.size(value) == 1:
        return float(np.asarray(value).item())
    if at is not None and len(at) == np.ndim(value):
        return float(np.asarray(value)[at])
    return None

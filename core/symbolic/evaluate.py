"""The numeric value of an expression: every head is computed with the op it came from."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.op import OPS
from autodiff.core.symbolic.expr import Expr, postorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

OP_BY_HEAD = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "neg": "neg",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "==": "eq",
    "!=": "ne",
    "&": "logical_and",
    "|": "logical_or",
    "~": "logical_not",
}


#: Functions that create tensors and that numpy has with the same name and arguments.
TENSOR_CREATORS: dict[str, Callable[..., Any]] = {
    "arange": lambda *args: np.arange(*args),
    "eye": lambda *args: np.eye(*args),
    "linspace": lambda *args: np.linspace(*args),
}


def value_of(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression as an array, with arrays or floats for its names.

    >>> from autodiff.core.symbolic.expr import infix, name_expr, number_expr
    >>> float(value_of(infix("**", name_expr("x"), number_expr(2)), {"x": 3.0}))
    9.0
    """
    with np.errstate(all="ignore"):
        return evaluate(expr, values, compute_head)


def evaluate(root: Expr, values: Mapping[str, Any], apply: Callable[[Expr, list[Any]], Any]) -> Any:
    """The value of an expression whose variables have ``values``; ``apply`` computes a single head."""
    done: dict[int, Any] = {}
    for expr in postorder(root):
        if expr.head == "number":
            done[id(expr)] = expr.value
        elif expr.head == "name":
            done[id(expr)] = values[expr.value]
        else:
            done[id(expr)] = apply(expr, [done[id(arg)] for arg in expr.args])
    return done[id(root)]


def compute_head(expr: Expr, args: list[Any]) -> Any:
    """The value of a single head with these argument values.

    A written number takes the type of the ``float32`` arrays beside it, as in the engine.
    """
    is_narrow = any(getattr(x, "dtype", None) == np.float32 and np.ndim(x) for x in args)
    number = np.float32 if is_narrow else float
    arrays = [np.asarray(x, dtype=number) if isinstance(x, (int, float)) else np.asarray(x) for x in args]
    params = dict(expr.params or {})
    if expr.head == "claim":
        return arrays[0] * 1.0
    if expr.head == "call":
        if expr.value == "ones":
            return np.ones(params["shape"])
        if expr.value == "one_hot":
            return np.eye(params["classes"])[np.asarray(params["targets"])]
        op = params.pop("op", expr.value)
    elif expr.head == "postfix":
        op = params.pop("function")
    else:
        op = OP_BY_HEAD[expr.head]
    if expr.head == "~" or op.startswith("logical"):
        arrays = [x.astype(bool) for x in arrays]
    return OPS[op].forward(*arrays, **params)


def compute_source_head(expr: Expr, args: list[Any]) -> Any:
    """The value of a single head, including heads that occur only in source texts."""
    if expr.head == "call":
        if expr.details and not expr.params:
            raise ValueError(expr.value)
        if expr.value in TENSOR_CREATORS:
            if any(np.ndim(arg) or abs(arg) > 10_000 for arg in args):
                raise ValueError(expr.value)
            return TENSOR_CREATORS[expr.value](*args) * 1.0
    return compute_head(expr, args)

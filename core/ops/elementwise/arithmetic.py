"""Arithmetic: the operators, powers, division with rounding, and their names in a graph."""

from __future__ import annotations

import math
import operator

from autodiff.core.base.errors import ArgumentError, DtypeError, GradientError, ScriptError, type_name
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import bool_, dtype_of, float64
from autodiff.core.graph.op import PLAIN_NUMBERS, Op, elementwise
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Node

# Loaded late: every script loads this family, but few use these.
comparison = LazyModule("autodiff.core.ops.elementwise.comparison")
transcendental = LazyModule("autodiff.core.ops.elementwise.transcendental")
value_checks = LazyModule("autodiff.core.engine.value_checks")

#: The smallest positive number in single precision.
SMALLEST_FLOAT32 = 2.0**-149


def grad_fn_by_left(name: str, otherwise: str) -> Callable[[Node], str]:
    """Return a function from a node to ``name`` if its left operand is a plain number, else ``otherwise``.

    torch dispatches a plain number on the left to another kernel, whose node has another name.
    """

    def grad_fn(node: Node) -> str:
        return name if node.inputs[0] is None else otherwise

    return grad_fn


def grad_fn_by_right(name: str, otherwise: str) -> Callable[[Node], str]:
    """As ``grad_fn_by_left``, for a plain number on the right."""

    def grad_fn(node: Node) -> str:
        return name if node.inputs[1] is None else otherwise

    return grad_fn


def pow_grad_fn(node: Node) -> str:
    base, exponent = node.inputs
    return "PowBackward0" if exponent is None else "PowBackward2" if base is None else "PowBackward1"


def pow_forward(x: Any, y: Any) -> Any:
    if y.__class__ is bool and x.__class__ is np.ndarray and x.dtype.kind == "b":
        return np.logical_or(x, not y)  # x ** False and x ** True, for which torch needs no kernel
    refuse_bool_operands("pow", x, y)
    if y.__class__ is float and y and abs(y) < SMALLEST_FLOAT32 and x.__class__ is np.ndarray:
        y = math.copysign(SMALLEST_FLOAT32, y)  # single precision would round it to 0
    try:
        return np.power(x, y)
    except (ValueError, OverflowError):
        if y.__class__ is np.ndarray:
            return integer_power(x, y)
        if y > 0:
            return np.power(x, value_checks.checked_integer(y, dtype_of(x)))
        raise ScriptError(
            "Integers to negative integer powers are not allowed.",
            help=("make the base a float tensor: write 2.0 instead of 2, or call .double()",),
        ) from None


def integer_power(x: Any, y: Any) -> Any:
    """Return integer powers where some exponents are negative: those are truncated to 0, except of ±1."""
    sign = np.where(y % 2 == 0, 1, x)
    return np.where(y >= 0, np.power(x, np.maximum(y, 0)), np.where(np.abs(x) == 1, sign, 0))


def pow_slope(out: Any, x: Any, y: Any) -> Any:
    """Return y xʸ⁻¹, and 0 for y = 0: x⁰ is constant, and x⁻¹ must not be computed at x = 0."""
    is_constant = y == 0
    if y.__class__ is int and abs(y) > 2**53:
        y = float(y)
    if is_constant is False and x.__class__ is float:
        return y * x ** (y - 1)  # fast path, same value: losses of single numbers often have squares
    return comparison.except_where(
        is_constant, 0.0, y * x ** comparison.except_where(is_constant, 0.0, y - 1)
    )


def subtract_forward(x: Any, y: Any) -> Any:
    """Return ``x - y``. numpy refuses two bool arrays; torch refuses a single one too."""
    if not mode.follows_numpy and (np.asarray(x).dtype == bool or np.asarray(y).dtype == bool):
        raise TypeError
    return np.subtract(x, y)


def refuse_bool_operands(kernel: str, x: Any, y: Any) -> None:
    """Refuse operands that are all bools; numpy would return a dtype that the language does not have."""
    if np.result_type(x, y).kind == "b":
        caret, help = "truth values are no numbers here", "convert them to numbers first, as in `x.double()`"
        raise value_checks.missing_kernel_error(kernel, bool_, caret=caret, help=help)


def check_divisor(kernel: str, x: Any, y: Any) -> None:
    """Refuse bools, and integer division by zero: integers cannot represent infinity."""
    refuse_bool_operands(kernel, x, y)
    if np.result_type(x, y).kind != "f" and not np.all(y):
        raise ScriptError("ZeroDivisionError", caret="division of whole numbers by zero")


def floor_divide_forward(x: Any, y: Any) -> Any:
    check_divisor("div_floor_cpu", x, y)
    return np.floor_divide(x, y)


def remainder_forward(x: Any, y: Any) -> Any:
    """Return C's remainder, plus the divisor if the signs differ; 0 has the dividend's sign, as in torch."""
    check_divisor("remainder_cpu", x, y)
    if np.result_type(x, y).kind != "f":
        return np.remainder(x, y)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def remainder_scalar(x: float, y: float) -> float:
    rest = math.fmod(x, y)
    return rest + y if rest and (rest < 0) != (y < 0) else rest


def fmod_forward(x: Any, y: Any) -> Any:
    check_divisor("fmod_cpu", x, y)
    return np.fmod(x, y)


def div_trunc_forward(x: Any, y: Any) -> Any:
    check_divisor("div_trunc_cpu", x, y)
    quotient = np.trunc(np.true_divide(x, y))
    return quotient.astype(np.result_type(x, y), copy=False)


def missing_derivative_rule(message: str, *help: str) -> Callable[..., Any]:
    """Return a rule that raises torch's error for an op without a derivative."""

    def rule(*_: Any, **params: Any) -> Any:
        raise GradientError(message, code="E0414", help=help)

    return rule


add = elementwise("add", lambda x, y: np.add(x, y), 1, 1, infix="+", scalar=operator.add)
sub = elementwise(
    "sub",
    subtract_forward,
    1,
    -1,
    infix="-",
    scalar=operator.sub,
    grad_fn=grad_fn_by_left("RsubBackward1", "SubBackward0"),
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
    saved=lambda node: ((), ("inside",)) if node.inputs[0] is None else ((1,), (0, 1)),
    infix="/",
    scalar=operator.truediv,
    real=True,
    grad_fn=grad_fn_by_left("MulBackward0", "DivBackward0"),
)
neg = elementwise("neg", lambda x: np.negative(x), -1, infix="-", scalar=operator.neg)


def pow_saved(node: Node) -> tuple[tuple[int | str, ...], ...]:
    """Return what torch saves: the result too if the exponent is a tensor, even one without gradient."""
    base, exponent = node.inputs
    if exponent is None:
        return (0,), ()
    kept = (1, "out") if base is None else (0, 1, "out")
    return kept, kept


pow = elementwise(
    "pow",
    pow_forward,
    pow_slope,
    lambda out, x, y: comparison.except_where((x == 0) & (y >= 0), 0.0, out * transcendental.log(x)),
    infix="**",
    scalar=operator.pow,
    grad_fn=pow_grad_fn,
    saved=pow_saved,
    kink="the slope in the base is 0 where the exponent is 0; the slope in the exponent is 0 at base 0",
)
square = elementwise(
    "square",
    lambda x: np.square(x if x.dtype.kind != "b" else x.astype(np.int64)),
    lambda out, x: 2 * x,
    scalar=lambda x: x * x,
    grad_fn="PowBackward0",
)
reciprocal = elementwise(
    "reciprocal", lambda x: np.reciprocal(x), lambda out, x: -out * out, scalar=lambda x: 1 / x, real=True
)

div_floor: Op = elementwise(
    "div_floor",
    floor_divide_forward,
    0,
    0,
    saved=((1,), (0, 1)),
    scalar=operator.floordiv,
    grad_fn="DivBackward2",
)
div_trunc: Op = elementwise(
    "div_trunc", div_trunc_forward, 0, 0, saved=((1,), (0, 1)), grad_fn="DivBackward2"
)
NO_FLOOR_DIVIDE_RULE = missing_derivative_rule(
    "derivative for aten::floor_divide is not implemented",
    "`torch.floor(a / b)` has the gradient 0; `a.detach() // b` stops it",
)
floor_divide = elementwise(
    "floor_divide",
    floor_divide_forward,
    NO_FLOOR_DIVIDE_RULE,
    NO_FLOOR_DIVIDE_RULE,
    infix="//",
    scalar=operator.floordiv,
    grad_fn="NotImplemented",
)
remainder = elementwise(
    "remainder",
    remainder_forward,
    1,
    lambda out, x, y: -div_floor(x, y),
    infix="%",
    scalar=remainder_scalar,
    grad_fn=grad_fn_by_right("RemainderBackward0", "RemainderBackward1"),
    kink="the jumps at multiples of the divisor are ignored",
)
fmod = elementwise(
    "fmod",
    fmod_forward,
    1,
    lambda out, x, y: -div_trunc(x, y),
    scalar=math.fmod,
    grad_fn=grad_fn_by_right("FmodBackward0", "FmodBackward1"),
    kink="the jumps at multiples of the divisor are ignored",
)


expose("mul(input: value, other)", mul, also=("multiply",), in_place=True)
expose("neg(input)", neg, also=("negative",), in_place=True)
expose("square(input)", square, in_place=True)
expose("reciprocal(input)", reciprocal, in_place=True)
expose("floor_divide(input: value, other)", floor_divide, in_place=True)
expose("remainder(input: value, other)", remainder, in_place=True)
expose("fmod(input, other)", fmod, in_place=True)
expose("true_divide(input: value, other)", div, in_place=True)


@public("pow(input: value, exponent)", in_place=True)
def power(x: Any, y: Any) -> Any:
    """``input ** exponent``, entry by entry; one of them is a tensor."""
    if x.__class__ in PLAIN_NUMBERS and y.__class__ in PLAIN_NUMBERS:
        raise ArgumentError(
            "pow() received an invalid combination of arguments - got"
            f" ({type_name(x)}, {type_name(y)}), but expected one of:",
            caret="one of the two must be a tensor",
            help=("write `**` between numbers",),
        )
    return pow(x, y)


@public("add(input: value, other, *, alpha: float = 1)", in_place=True)
def add_scaled(x: Any, y: Any, alpha: float) -> Any:
    """``input + alpha * other``, entry by entry."""
    value_checks.require_scale_factor(x, y, "alpha", alpha)
    if alpha == 1 or all(t.__class__ is Tensor and t.dtype.kind == "b" for t in (x, y)):
        return add(x, y if alpha else mul(False, y))  # bools have no multiples
    return add(x, mul(alpha, y) if y.__class__ is Tensor else alpha * y)


@public("sub(input: value, other, *, alpha: float = 1)", also=("subtract",), in_place=True)
def subtract_scaled(x: Any, y: Any, alpha: float) -> Any:
    """``input - alpha * other``, entry by entry."""
    value_checks.require_scale_factor(x, y, "alpha", alpha)
    value_checks.require_not_bool(sub, x, y)
    return sub(x, y if alpha == 1 else mul(alpha, y))


@public("rsub(input, other, *, alpha: float = 1)", method=False)
def subtract_from(x: Any, y: Any, alpha: float) -> Any:
    """``other - alpha * input``, entry by entry."""
    value_checks.require_scale_factor(x, y, "alpha", alpha)
    value_checks.require_not_bool(sub, x, y)
    name = "RsubBackward1" if y.__class__ in PLAIN_NUMBERS else "RsubBackward0"
    return sub.named(name)(y, x if alpha == 1 else mul(alpha, x))


@public("div(input: value, other, *, rounding_mode: str = None)", also=("divide",), in_place=True)
def divide(x: Any, y: Any, rounding_mode: str | None) -> Any:
    """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
    if rounding_mode is None:
        return div(x, y)
    if rounding_mode not in ("floor", "trunc"):
        raise ScriptError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return (div_floor if rounding_mode == "floor" else div_trunc)(x, y)


@public("positive(input)")
def positive(x: Any) -> Any:
    """The tensor itself."""
    if x.__class__ not in PLAIN_NUMBERS and x.dtype.kind == "b":
        raise DtypeError(
            "The `+` operator, on a bool tensor is not supported.",
            operands=(x,),
            caret="truth values are no numbers here",
        )
    return x


@public("float_power(input: value, exponent)", in_place=True)
def float_power(x: Any, y: Any) -> Any:
    """``input ** exponent`` in double precision."""

    def double(value: Any) -> Any:
        if value.__class__ is not Tensor:
            return float(value)
        return cast(value, float64)

    return pow(double(x), double(y))

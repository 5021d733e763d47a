"""The members of ``math`` and ``np`` that scripts may use: constants and functions of numbers."""

from __future__ import annotations

import math
from functools import reduce

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.number_conversions import is_recorded_number
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES, Builtin, iterate, type_name, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def as_number(value: Any) -> Any:
    """Return a number unchanged, and a tensor of one entry as ``float()`` converts it."""
    if value.__class__ in NUMBER_CLASSES:
        return value
    if value.__class__ is Tensor:
        from autodiff.grammar.objects.number_conversions import to_number

        return to_number(value)
    raise ScriptError(f"must be real number, not {type_name(value)}", code="E0203")


def math_builtin(name: str, function: Callable[..., Any]) -> Builtin:
    """Return a builtin for a ``math`` function of numbers, differentiable in scripts without tensors."""

    def checked(*args: Any) -> Any:
        if runtime.in_rows and any(x.__class__ is Tensor and x.shape for x in args):
            return of_rows(name, args)
        if any(map(is_recorded_number, args)):
            # Python's function raises outside the domain; piecewise constant functions return its value.
            plain = [x.item() if is_recorded_number(x) else as_number(x) for x in args]
            value = operators.checked_int(function(*plain))
            if name not in DIFFERENTIATED:
                return value
            return DIFFERENTIATED[name](*[x if x.__class__ is Tensor else Tensor.of(float(x)) for x in args])
        return operators.checked_int(function(*map(as_number, args)))

    return Builtin(name, checked)


def torch_function(name: str) -> Callable[..., Any]:
    """Return a function that calls the torch function ``name``, which is looked up at the call."""

    def call(*args: Any) -> Any:
        function = find_function(name)
        assert function is not None
        return function(*args)

    return call


def logarithm(x: Tensor, base: Tensor | None = None) -> Any:
    log = torch_function("log")
    return log(x) if base is None else log(x) / log(base)


def gamma(x: Tensor) -> Any:
    size = torch_function("exp")(torch_function("lgamma")(x))
    return size if math.gamma(x.item()) > 0 else -size


def cube_root(x: Tensor) -> Any:
    return x ** (1 / 3) if x.item() >= 0 else -((-x) ** (1 / 3))


def hypot_of_all(*entries: Tensor) -> Any:
    # hypot throughout, because the squares of small entries would underflow.
    return reduce(torch_function("hypot"), entries[1:], torch_function("abs")(entries[0]))


def total(*entries: Tensor) -> Any:
    return torch_function("sum")(torch_function("stack")(list(entries)))


#: The functions of math that are differentiated in scripts without tensors.
DIFFERENTIATED: dict[str, Callable[..., Any]] = {
    **{
        name: torch_function(name)
        for name in (
            *("sqrt", "exp", "expm1", "exp2", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos"),
            *("atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "fmod", "copysign"),
            *("erf", "erfc", "lgamma"),
        )
    },
    "fabs": torch_function("abs"),
    "degrees": torch_function("rad2deg"),
    "radians": torch_function("deg2rad"),
    "log": logarithm,
    "gamma": gamma,
    "cbrt": cube_root,
    "hypot": hypot_of_all,
    "fsum": total,
}


#: Those of them that treat the entries of a vector alike.
ROWWISE = frozenset(DIFFERENTIATED) - {"gamma", "cbrt", "fsum"}


def of_rows(name: str, args: tuple[Any, ...]) -> Any:
    """Return a function of ``ROWWISE`` for the numbers of many rows, which are the entries of vectors.

    Raises ScriptError where it is not finite for a row: Python's function may raise there.
    """
    found = DIFFERENTIATED[name](
        *[x if x.__class__ is Tensor else Tensor.of(float(as_number(x))) for x in args]
    )
    if not np.isfinite(found.data).all():
        raise ScriptError("math domain error", code="E0200")
    return found


def factorial(n: Any, /) -> int:
    whole = whole_number(n, "factorial()")
    if whole > 20:
        raise operators.overflow_error()
    return math.factorial(whole)


def counting_builtin(name: str, function: Callable[..., int], largest: int = operators.INT_LIMIT) -> Builtin:
    """Return a builtin for a ``math`` function of whole numbers; arguments over ``largest`` overflow."""

    def checked(*args: Any) -> Any:
        whole = [whole_number(n, f"{name}()") for n in args]
        if any(n > largest for n in whole):
            raise operators.overflow_error()
        return operators.checked_int(function(*whole))

    return Builtin(name, checked)


MOST_COUNTED = 10_000


def product(values: Any, /, *, start: Any = 1) -> Any:
    for value in iterate(values):
        runtime.spend(1)
        start = operators.mul(start, value)
    return start


EXACT_SUM = math_builtin("fsum", lambda *terms: math.fsum(terms))


def exact_sum(values: Any, /) -> Any:
    numbers = []
    for value in iterate(values):
        runtime.spend(1)
        numbers.append(value)
    return EXACT_SUM(*numbers)


CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
MATH: dict[str, Any] = {
    **CONSTANTS,
    "tau": math.tau,
    "factorial": Builtin("factorial", factorial),
    "comb": counting_builtin("comb", math.comb, MOST_COUNTED),
    "perm": counting_builtin("perm", math.perm, MOST_COUNTED),
    "gcd": counting_builtin("gcd", math.gcd),
    "lcm": counting_builtin("lcm", math.lcm),
    "prod": Builtin("prod", product),
    "fsum": Builtin("fsum", exact_sum),
}
_OF_MATH: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "cbrt": math.cbrt,
    "exp": math.exp,
    "expm1": math.expm1,
    "exp2": math.exp2,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "pow": math.pow,
    "fabs": math.fabs,
    "fmod": math.fmod,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "hypot": math.hypot,
    "copysign": math.copysign,
    "degrees": math.degrees,
    "radians": math.radians,
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": math.gamma,
    "lgamma": math.lgamma,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
    "isclose": math.isclose,
}
for _name, _function in _OF_MATH.items():
    MATH[_name] = math_builtin(_name, _function)


def numpy_builtin(name: str, torch_name: str) -> Builtin:
    """Return a builtin for an ``np`` function: IEEE arithmetic on a number, torch's function on a tensor."""

    def evaluate(x: Any, /) -> Any:
        if x.__class__ is Tensor:
            function = find_function(torch_name)
            assert function is not None
            return function(x)
        if x.__class__ not in NUMBER_CLASSES:
            raise ScriptError(
                f"np.{name} takes one number here, not {type_name(x)}",
                code="E0310",
                help=(f"for many numbers write `torch.{torch_name}(torch.tensor(...))`",),
            )
        return OPS[torch_name].evaluate((float(x),), {})

    return Builtin(name, evaluate)


NUMPY: dict[str, Any] = dict(CONSTANTS)
for _name, _torch_name in {
    "sqrt": "sqrt",
    "exp": "exp",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "expm1": "expm1",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "tanh": "tanh",
    "sinh": "sinh",
    "cosh": "cosh",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "square": "square",
    "abs": "abs",
    "sign": "sign",
    "floor": "floor",
    "ceil": "ceil",
}.items():
    if _torch_name in OPS:
        NUMPY[_name] = numpy_builtin(_name, _torch_name)

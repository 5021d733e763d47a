"""Python's builtins for numbers: ``int float bool abs round pow divmod``."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DTYPE_CLASSES, bool_, float64, int64
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.builtins.table import BUILTINS, register_builtin, register_shared_builtin
from autodiff.grammar.objects.number_conversions import to_float, to_int
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    as_index,
    is_true,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


register_builtin("int", (int,))(to_int)
register_builtin("float", (float,))(to_float)


@register_builtin("bool", (bool,))
def to_bool(x: Any = False, /) -> bool:
    return is_true(x)


@register_shared_builtin("abs")
def absolute(x: Any, /) -> Any:
    if x.__class__ not in NUMBER_CLASSES:
        raise ScriptError(f"bad operand type for abs(): '{type_name(x)}'", code="E0203")
    return operators.checked_int(abs(x))


def has_digits(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether ``round`` has Python's ``ndigits`` argument, in a script without tensors."""
    return runtime.without_tensors and (len(args) == 2 or "ndigits" in kwargs)


@register_shared_builtin("round", has_digits)
def rounded(number: Any, ndigits: Any = None) -> Any:
    if number.__class__ is Tensor and ndigits is not None:
        torchs = find_function("round")
        assert torchs is not None
        return torchs(number, decimals=as_index(ndigits, "the number of digits"))
    if number.__class__ not in NUMBER_CLASSES:
        raise ScriptError(f"type {type_name(number)} doesn't define __round__ method", code="E0203")
    if ndigits is None:
        return operators.checked_int(round(number))
    digits = as_index(ndigits, "the number of digits")
    if number.__class__ is not float:
        return number if digits >= 0 else operators.checked_int(round(number, max(digits, -20)))
    return round(number, max(-400, min(400, digits)))


@register_shared_builtin("pow")
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return operators.power(base, exp)
    if any(n.__class__ is not int for n in (base, exp, mod)):
        raise ScriptError("pow() 3rd argument not allowed unless all arguments are integers", code="E0203")
    return pow(base, exp, mod)


@register_builtin("divmod")
def quotient_and_rest(x: Any, y: Any, /) -> Any:
    if Tensor in (x.__class__, y.__class__) and not runtime.numbers_are_leaves:
        raise operators.operand_error("divmod()", x, y)
    return operators.floordiv(x, y), operators.mod(x, y)


DTYPE_CLASSES.extend(
    [(BUILTINS["float"], float64), (BUILTINS["int"], int64), (BUILTINS["bool"], bool_)]
)  # dtype=float

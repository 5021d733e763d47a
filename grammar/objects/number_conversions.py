"""Numbers of Python from the values of a script: what ``int()`` and ``float()`` answer."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.tensor import TO_SCALAR_WARNING, Tensor
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES, as_index, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

value_checks = LazyModule("autodiff.core.engine.value_checks")


def to_int(x: Any = 0, /, base: Any = None) -> int:
    if x.__class__ is Tensor:
        x = value_checks.only_entry(x)
    if x.__class__ is str:
        digits = x.strip()
        if len(digits) > 100:
            raise operators.overflow_error()
        made: int = operators.checked_int(
            int(digits) if base is None else int(digits, as_index(base, "a base"))
        )
        return made
    if x.__class__ not in NUMBER_CLASSES:
        raise ScriptError(
            f"int() argument must be a string, a bytes-like object or a real number, not '{type_name(x)}'",
            code="E0203",
        )
    whole: int = operators.checked_int(int(x))
    return whole


def converted(x: Tensor) -> Any:
    """Return the number in a tensor of one entry, with torch's warning if its gradient is lost."""
    if x.requires_grad:
        runtime.tell(TO_SCALAR_WARNING)
    return value_checks.only_entry(x)


def to_float(x: Any = 0.0, /) -> float:
    if x.__class__ is Tensor:
        return float(converted(x))
    if x.__class__ is str:
        if len(x) > 1000:
            raise ScriptError(f"could not convert string to float: {x[:20]!r}...", code="E0206")
        return float(x)
    if x.__class__ not in NUMBER_CLASSES:
        raise ScriptError(
            f"float() argument must be a string or a real number, not '{type_name(x)}'", code="E0203"
        )
    return float(x)

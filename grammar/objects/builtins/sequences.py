"""Python's builtins for sequences, among them ``len range list tuple zip sorted sum max min all any``."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.builtins.table import register_builtin, register_shared_builtin
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.sequence_methods import call_argument, sorted_values
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    NUMBER_CLASSES,
    SIZED,
    UNBOUND,
    as_index,
    collect,
    is_true,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@register_builtin("len")
def length(x: Any, /) -> int:
    if x.__class__ is Tensor and not x.shape:
        raise ScriptError("len() of a 0-d tensor", code="E0203", caret="this is a single number")
    if x.__class__ in SIZED or x.__class__ is Tensor or x.__class__ in NAMED_RESULTS:
        return len(x)
    raise ScriptError(f"object of type '{type_name(x)}' has no len()", code="E0203")


@register_builtin("range", (range,))
def make_range(*bounds: Any) -> range:
    if not 1 <= len(bounds) <= 3:
        raise ScriptError(
            f"range expected at {'least 1 argument' if not bounds else 'most 3 arguments'},"
            f" got {len(bounds)}",
            code="E0310",
        )
    whole = [as_index(bound, "range()") for bound in bounds]
    if len(whole) == 3 and whole[2] == 0:
        raise ScriptError("range() arg 3 must not be zero", code="E0206")
    return range(*whole)


@register_builtin("list", (list,))
def to_list(x: Any = (), /) -> list[Any]:
    return collect(x)


@register_builtin("tuple", (tuple, *NAMED_RESULTS))
def to_tuple(x: Any = (), /) -> tuple[Any, ...]:
    return tuple(collect(x))


@register_builtin("zip", (zip,))
def zipped(*rows: Any, strict: Any = False) -> Any:
    parts = [iterate(row) for row in rows]
    return zip(*parts, strict=is_true(strict))


@register_builtin("enumerate", (enumerate,))
def enumerated(iterable: Any, start: Any = 0) -> Any:
    return enumerate(iterate(iterable), as_index(start, "the start"))


@register_builtin("reversed")
def backwards(x: Any, /) -> Any:
    if x.__class__ in (zip, enumerate) or x.__class__ not in SIZED:
        raise ScriptError(f"'{type_name(x)}' object is not reversible", code="E0203")
    return reversed(collect(x))


register_builtin("sorted")(sorted_values)


@register_shared_builtin("sum")
def summed(x: Any, /, start: Any = 0) -> Any:
    if start.__class__ is str:
        raise ScriptError("sum() can't sum strings [use ''.join(seq) instead]", code="E0203")
    total = start
    for value in iterate(x):
        runtime.spend(1)
        total = operators.add(total, value)
    return total


def are_single_numbers(values: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a call of ``max`` or ``min`` compares single numbers or tensors of one number.

    A call with torch's ``dim`` must name it to be recognised as torch's.
    """
    return (
        len(values) > 1
        and options.keys() <= {"key"}
        and all(x.__class__ in NUMBER_CLASSES or (x.__class__ is Tensor and not x.shape) for x in values)
    )


def register_extreme(name: str, op: str) -> None:
    compare = operators.COMPARISON[op]

    @register_shared_builtin(name, are_single_numbers)
    def pick(*values: Any, key: Any = None, default: Any = UNBOUND) -> Any:
        if not values:
            raise ScriptError(f"{name} expected at least 1 argument, got 0", code="E0310")
        candidates = collect(values[0]) if len(values) == 1 else values
        best = best_key = UNBOUND
        for value in candidates:
            runtime.spend(1)
            this = value if key is None else call_argument(key, value)
            if best is UNBOUND or is_true(compare(this, best_key)):
                best, best_key = value, this
        if best is not UNBOUND:
            return best
        if default is UNBOUND:
            raise ScriptError(f"{name}() arg is an empty sequence", code="E0206")
        return default


register_extreme("max", ">")
register_extreme("min", "<")


@register_shared_builtin("all")
def every(x: Any, /) -> bool:
    return all(is_true(value) for value in iterate(x))


@register_shared_builtin("any")
def some(x: Any, /) -> bool:
    return any(is_true(value) for value in iterate(x))

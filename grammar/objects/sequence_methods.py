"""The methods of strings, lists, tuples and shapes."""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import services
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.methods import METHODS, script_method
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.value_text import as_repr, format_string
from autodiff.grammar.objects.values import (
    ScriptFunction,
    Size,
    as_index,
    check_length,
    collect,
    is_true,
    type_name,
    values_equal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["METHODS", "extend"]


@script_method(Size, "numel")
def shape_numel(shape: Size) -> int:
    return math.prod(shape)


@script_method(tuple, "index")
@script_method(Size, "index")
@script_method(list, "index")
def index_of(values: Any, value: Any) -> int:
    for position, element in enumerate(values):
        if values_equal(element, value):
            return position
    raise ScriptError(
        f"{as_repr(value)[:40]} is not in list"
        if values.__class__ is list
        else "tuple.index(x): x not in tuple",
        code="E0206",
    )


@script_method(tuple, "count")
@script_method(Size, "count")
@script_method(list, "count")
def count_of(values: Any, value: Any) -> int:
    return sum(values_equal(element, value) for element in values)


# -- lists ------------------------------------------------------------------------------------------


@script_method(list, "append")
def append(values: list[Any], value: Any, /) -> None:
    values.append(value)


@script_method(list, "extend")
def extend(values: list[Any], more: Any, /) -> None:
    added = collect(more)
    check_length(len(values) + len(added), "list")
    values.extend(added)


@script_method(list, "insert")
def insert(values: list[Any], index: Any, value: Any, /) -> None:
    values.insert(as_index(index, "a position"), value)


@script_method(list, "pop")
def pop(values: list[Any], index: Any = -1, /) -> Any:
    at = as_index(index, "a position")
    if not values:
        raise ScriptError("pop from empty list", code="E0208")
    if not -len(values) <= at < len(values):
        raise ScriptError("pop index out of range", code="E0208")
    return values.pop(at)


@script_method(list, "remove")
def remove(values: list[Any], value: Any, /) -> None:
    for position, element in enumerate(values):
        if values_equal(element, value):
            del values[position]
            return
    raise ScriptError("list.remove(x): x not in list", code="E0206")


@script_method(list, "reverse")
def reverse(values: list[Any], /) -> None:
    values.reverse()


@script_method(list, "clear")
def clear(values: list[Any], /) -> None:
    values.clear()


@script_method(list, "copy")
def copy(values: list[Any], /) -> list[Any]:
    return values[:]


def call_argument(function: Any, value: Any) -> Any:
    """Call a function the script gave us; from Python code that costs its stack."""
    if function.__class__ is ScriptFunction:
        return function(value)
    return services["calls"].call_value(function, (value,), {})


def sorted_values(x: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    from functools import cmp_to_key

    values = collect(x)
    keys = values if key is None else [call_argument(key, value) for value in values]

    def before(a: tuple[Any, int], b: tuple[Any, int]) -> int:
        runtime.spend(1)
        if is_true(operators.COMPARISON["<"](a[0], b[0])):
            return -1
        return 1 if is_true(operators.COMPARISON["<"](b[0], a[0])) else 0

    pairs = [(k, position) for position, k in enumerate(keys)]
    pairs.sort(key=cmp_to_key(before), reverse=is_true(reverse))
    return [values[position] for _, position in pairs]


@script_method(list, "sort")
def sort(values: list[Any], *, key: Any = None, reverse: Any = False) -> None:
    values[:] = sorted_values(values, key=key, reverse=reverse)


# -- strings ----------------------------------------------------------------------------------------

METHODS[str, "format"] = format_string


@script_method(str, "join")
def join(separator: str, parts: Any, /) -> str:
    texts = collect(parts)
    for position, text in enumerate(texts):
        if text.__class__ is not str:
            raise ScriptError(
                f"sequence item {position}: expected str instance, {type_name(text)} found",
                code="E0203",
                help=("write `str(...)` around each, as in `', '.join([str(x) for x in xs])`",),
            )
    check_length(sum(map(len, texts)) + len(separator) * len(texts), "string")
    return separator.join(texts)


def register_text_method(name: str, function: Callable[..., Any], *kinds: type) -> None:
    """Register a method of str whose optional arguments have the given types."""

    def checked(text: str, *args: Any) -> Any:
        if len(args) > len(kinds):
            raise ScriptError(
                f"{name}() takes at most {len(kinds)} arguments ({len(args)} given)", code="E0310"
            )
        for value, kind in zip(args, kinds, strict=False):
            if value.__class__ is not kind and value is not None:
                raise ScriptError(
                    f"{name}() argument must be {kind.__name__}, not {type_name(value)}", code="E0203"
                )
        return function(text, *args)

    METHODS[str, name] = checked


register_text_method("upper", str.upper)
register_text_method("lower", str.lower)
register_text_method("title", str.title)
register_text_method("capitalize", str.capitalize)
register_text_method("strip", str.strip, str)
register_text_method("lstrip", str.lstrip, str)
register_text_method("rstrip", str.rstrip, str)
register_text_method("split", str.split, str, int)
register_text_method("startswith", str.startswith, str)
register_text_method("endswith", str.endswith, str)
register_text_method("find", str.find, str)
register_text_method("count", str.count, str)
register_text_method("isdigit", str.isdigit)
register_text_method("isalpha", str.isalpha)


@script_method(str, "replace")
def replace(text: str, old: Any, new: Any, /) -> str:
    if old.__class__ is not str or new.__class__ is not str:
        wrong = old if old.__class__ is not str else new
        raise ScriptError(f"replace() argument must be str, not {type_name(wrong)}", code="E0203")
    times = text.count(old)
    check_length(len(text) + times * max(0, len(new) - len(old)), "string")
    return text.replace(old, new)


def register_padding(pad: Callable[..., str], name: str) -> None:
    def padded(text: str, width: Any, fill: Any = " ", /) -> str:
        columns = as_index(width, "a width")
        check_length(columns, "string")
        if fill.__class__ is not str or len(fill) != 1:
            raise ScriptError("The fill character must be exactly one character long", code="E0203")
        return pad(text, columns, fill)

    padded.__qualname__ = name
    METHODS[str, name] = padded


register_padding(str.ljust, "ljust")
register_padding(str.rjust, "rjust")
register_padding(str.center, "center")

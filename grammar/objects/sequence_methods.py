"""The methods of strings, lists, tuples and shapes."""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy import services
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.methods import METHODS, method
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.text import as_repr, format_string
from autodiff.grammar.objects.values import (
    ScriptFunction,
    Size,
    as_index,
    check_length,
    collect,
    is_true,
    same,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["METHODS", "extend"]


@method(Size, "numel")
def shape_numel(shape: Size) -> int:
    return math.prod(shape)


@method(tuple, "index")
@method(Size, "index")
@method(list, "index")
def index_of(values: Any, value: Any) -> int:
    for position, element in enumerate(values):
        if same(element, value):
            return position
    raise ScriptError(
        f"{as_repr(value)[:40]} is not in list"
        if values.__class__ is list
        else "tuple.index(x): x not in tuple",
        code="E0206",
    )


@method(tuple, "count")
@method(Size, "count")
@method(list, "count")
def count_of(values: Any, value: Any) -> int:
    return sum(same(element, value) for element in values)


# -- lists ------------------------------------------------------------------------------------------


@method(list, "append")
def append(values: list[Any], value: Any, /) -> None:
    values.append(value)


@method(list, "extend")
def extend(values: list[Any], more: Any, /) -> None:
    added = collect(more)
    check_length(len(values) + len(added), "list")
    values.extend(added)


@method(list, "insert")
def insert(values: list[Any], index: Any, value: Any, /) -> None:
    values.insert(as_index(index, "a position"), value)


@method(list, "pop")
def pop(values: list[Any], index: Any = -1, /) -> Any:
    at = as_index(index, "a position")
    if not values:
        raise ScriptError("pop from empty list", code="E0208")
    if not -len(values) <= at < len(values):
        raise ScriptError("pop index out of range", code="E0208")
    return values.pop(at)


@method(list, "remove")
def remove(values: list[Any], value: Any, /) -> None:
    for position, element in enumerate(values):
        if same(element, value):
            del values[position]
            return
    raise ScriptError("list.remove(x): x not in list", code="E0206")


@method(list, "reverse")
def reverse(values: list[Any], /) -> None:
    values.reverse()


@method(list, "clear")
def clear(values: list[Any], /) -> None:
    values.clear()


@method(list, "copy")
def copy(values: list[Any], /) -> list[Any]:
    return values[:]


def call_back(function: Any, value: Any) -> Any:
    """Call a function the script gave us; from Python code that costs its stack."""
    if function.__class__ is ScriptFunction:
        return function(value)
    return services["calls"].call(function, (value,), {})


def sorted_values(x: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    from functools import cmp_to_key

    values = collect(x)
    keys = values if key is None else [call_back(key, value) for value in values]

    def before(a: tuple[Any, int], b: tuple[Any, int]) -> int:
        runtime.spend(1)
        if is_true(operators.COMPARISON["<"](a[0], b[0])):
            return -1
        return 1 if is_true(operators.COMPARISON["<"](b[0], a[0])) else 0

    pairs = [(k, position) for position, k in enumerate(keys)]
    pairs.sort(key=cmp_to_key(before), reverse=is_true(reverse))
    return [values[position] for _, position in pairs]


@method(list, "sort")
def sort(values: list[Any], *, key: Any = None, reverse: Any = False) -> None:
    values[:] = sorted_values(values, key=key, reverse=reverse)


# -- strings ----------------------------------------------------------------------------------------

METHODS[str, "format"] = format_string


@method(str, "join")
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


def text_method(name: str, function: Callable[..., Any], *kinds: type) -> None:
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


text_method("upper", str.upper)
text_method("lower", str.lower)
text_method("title", str.title)
text_method("capitalize", str.capitalize)
text_method("strip", str.strip, str)
text_method("lstrip", str.lstrip, str)
text_method("rstrip", str.rstrip, str)
text_method("split", str.split, str, int)
text_method("startswith", str.startswith, str)
text_method("endswith", str.endswith, str)
text_method("find", str.find, str)
text_method("count", str.count, str)
text_method("isdigit", str.isdigit)
text_method("isalpha", str.isalpha)


@method(str, "replace")
def replace(text: str, old: Any, new: Any, /) -> str:
    if old.__class__ is not str or new.__class__ is not str:
        wrong = old if old.__class__ is not str else new
        raise ScriptError(f"replace() argument must be str, not {type_name(wrong)}", code="E0203")
    times = text.count(old)
    check_length(len(text) + times * max(0, len(new) - len(old)), "string")
    return text.replace(old, new)


def padding(pad: Callable[..., str], name: str) -> None:
    def padded(text: str, width: Any, fill: Any = " ", /) -> str:
        columns = as_index(width, "a width")
        check_length(columns, "string")
        if fill.__class__ is not str or len(fill) != 1:
            raise ScriptError("The fill character must be exactly one character long", code="E0203")
        return pad(text, columns, fill)

    padded.__qualname__ = name
    METHODS[str, name] = padded


padding(str.ljust, "ljust")
padding(str.rjust, "rjust")
padding(str.center, "center")

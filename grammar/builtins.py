"""The functions a script finds without an import and core does not have: Python's few, grad modes.

``sum max min abs round pow all any`` are torch's when their first argument is a tensor and Python's
otherwise.
"""

from __future__ import annotations

import math

from autodiff.core.errors import ScriptError
from autodiff.core.functions import Function, find
from autodiff.core.mode import mode
from autodiff.core.tensors import LOSES_GRADIENT, Tensor
from autodiff.grammar import arithmetic
from autodiff.grammar.runtime import runtime
from autodiff.grammar.text import as_repr, in_words
from autodiff.grammar.values import (
    NAMED_RESULTS,
    NUMBERS,
    SIZED,
    UNBOUND,
    Builtin,
    FunctionBase,
    GradMode,
    Math,
    ScriptFunction,
    Size,
    as_index,
    collect,
    is_true,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BUILTINS: dict[str, Any] = {}
MISSING: Any = UNBOUND


def builtin_function(name: str, classes: tuple[type, ...] | None = None) -> Callable[[Any], Any]:
    """Enter a function under the name scripts call it by."""

    def enter(function: Any) -> Any:
        BUILTINS[name] = Builtin(name, function, classes)
        return function

    return enter


def shared(name: str) -> Callable[[Any], Any]:
    """A name that is torch's for tensors and Python's for anything else."""

    def enter(pythons: Any) -> Any:
        def either(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get("input")
            if first.__class__ is Tensor:
                torchs = find(name)
                if torchs is not None:
                    return torchs(*args, **kwargs)
            return pythons(*args, **kwargs)

        BUILTINS[name] = Builtin(name, either)
        pythons.__qualname__ = name
        return pythons

    return enter


# -- numbers ----------------------------------------------------------------------------------------


@builtin_function("int", (int,))
def to_int(x: Any = 0, /, base: Any = None) -> int:
    if x.__class__ is Tensor:
        x = only_entry(x)
    if x.__class__ is str:
        digits = x.strip()
        if len(digits) > 100:
            raise arithmetic.overflow()
        made = int(digits) if base is None else int(digits, as_index(base, "a base"))
        return arithmetic.checked(made)  # type: ignore[no-any-return]
    if x.__class__ not in NUMBERS:
        raise ScriptError(
            f"int() argument must be a string, a bytes-like object or a real number, not '{type_name(x)}'",
            code="E0203",
        )
    return arithmetic.checked(int(x))  # type: ignore[no-any-return]


def only_entry(x: Tensor) -> Any:
    """The number a tensor holds, in the words of ``float()`` and ``int()`` where it holds several."""
    if x.size != 1:
        raise ScriptError(
            "only one element tensors can be converted to Python scalars",
            code="E0305",
            caret=f"this has shape {x.shape}: {x.size} numbers where one is wanted",
            operands=(x,),
        )
    return x.item()


def converted(x: Tensor) -> Any:
    """The number a tensor holds, with torch's warning where its gradient is lost on the way."""
    number = only_entry(x)
    if x.requires_grad:
        runtime.tell(LOSES_GRADIENT)
    return number


@builtin_function("float", (float,))
def to_float(x: Any = 0.0, /) -> float:
    if x.__class__ is Tensor:
        return float(converted(x))
    if x.__class__ is str:
        if len(x) > 1000:
            raise ScriptError(f"could not convert string to float: {x[:20]!r}...", code="E0206")
        return float(x)
    if x.__class__ not in NUMBERS:
        raise ScriptError(
            f"float() argument must be a string or a real number, not '{type_name(x)}'", code="E0203"
        )
    return float(x)


@builtin_function("bool", (bool,))
def to_bool(x: Any = False, /) -> bool:
    return is_true(x)


@shared("abs")
def absolute(x: Any, /) -> Any:
    if x.__class__ not in NUMBERS:
        raise ScriptError(f"bad operand type for abs(): '{type_name(x)}'", code="E0203")
    return arithmetic.checked(abs(x))


@shared("round")
def rounded(number: Any, ndigits: Any = None) -> Any:
    if number.__class__ not in NUMBERS:
        raise ScriptError(f"type {type_name(number)} doesn't define __round__ method", code="E0203")
    if ndigits is None:
        return arithmetic.checked(round(number))
    digits = as_index(ndigits, "the number of digits")
    if number.__class__ is not float:
        return number if digits >= 0 else arithmetic.checked(round(number, max(digits, -20)))
    return round(number, max(-400, min(400, digits)))


@shared("pow")
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return arithmetic.power(base, exp)
    if any(n.__class__ is not int for n in (base, exp, mod)):
        raise ScriptError("pow() 3rd argument not allowed unless all arguments are integers", code="E0203")
    return pow(base, exp, mod)


@builtin_function("divmod")
def quotient_and_rest(x: Any, y: Any, /) -> Any:
    return arithmetic.floordiv(x, y), arithmetic.mod(x, y)


# -- sequences --------------------------------------------------------------------------------------


@builtin_function("len")
def length(x: Any, /) -> int:
    if x.__class__ is Tensor and not x.shape:
        raise ScriptError("len() of a 0-d tensor", code="E0203", caret="this is a single number")
    if x.__class__ in SIZED or x.__class__ is Tensor or x.__class__ in NAMED_RESULTS:
        return len(x)
    raise ScriptError(f"object of type '{type_name(x)}' has no len()", code="E0203")


@builtin_function("range", (range,))
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


def call_back(function: Any, value: Any) -> Any:
    """Call a function the script gave us; from Python code that costs its stack."""
    from autodiff.grammar.calls import call

    return function(value) if function.__class__ is ScriptFunction else call(function, (value,), {})


@builtin_function("list", (list,))
def to_list(x: Any = (), /) -> list[Any]:
    return collect(x)


@builtin_function("tuple", (tuple, *NAMED_RESULTS))
def to_tuple(x: Any = (), /) -> tuple[Any, ...]:
    return tuple(collect(x))


@builtin_function("zip", (zip,))
def zipped(*rows: Any, strict: Any = False) -> Any:
    parts = [iterate(row) for row in rows]
    return zip(*parts, strict=is_true(strict))


@builtin_function("enumerate", (enumerate,))
def enumerated(iterable: Any, start: Any = 0) -> Any:
    return enumerate(iterate(iterable), as_index(start, "the start"))


@builtin_function("reversed")
def backwards(x: Any, /) -> Any:
    if x.__class__ in (zip, enumerate) or x.__class__ not in SIZED:
        raise ScriptError(f"'{type_name(x)}' object is not reversible", code="E0203")
    return reversed(collect(x))


@builtin_function("sorted")
def sorted_values(x: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    from functools import cmp_to_key

    values = collect(x)
    keys = values if key is None else [call_back(key, value) for value in values]

    def before(a: tuple[Any, int], b: tuple[Any, int]) -> int:
        runtime.spend(1)
        if is_true(arithmetic.COMPARISON["<"](a[0], b[0])):
            return -1
        return 1 if is_true(arithmetic.COMPARISON["<"](b[0], a[0])) else 0

    pairs = [(k, position) for position, k in enumerate(keys)]
    pairs.sort(key=cmp_to_key(before), reverse=is_true(reverse))
    return [values[position] for _, position in pairs]


@shared("sum")
def summed(x: Any, /, start: Any = 0) -> Any:
    if start.__class__ is str:
        raise ScriptError("sum() can't sum strings [use ''.join(seq) instead]", code="E0203")
    total = start
    for value in iterate(x):
        runtime.spend(1)
        total = arithmetic.add(total, value)
    return total


def extreme(name: str, op: str) -> None:
    compare = arithmetic.COMPARISON[op]

    @shared(name)
    def pick(*values: Any, key: Any = None, default: Any = MISSING) -> Any:
        if not values:
            raise ScriptError(f"{name} expected at least 1 argument, got 0", code="E0310")
        candidates = collect(values[0]) if len(values) == 1 else values
        best = best_key = MISSING
        for value in candidates:
            runtime.spend(1)
            this = value if key is None else call_back(key, value)
            if best is MISSING or is_true(compare(this, best_key)):
                best, best_key = value, this
        if best is not MISSING:
            return best
        if default is MISSING:
            raise ScriptError(f"{name}() arg is an empty sequence", code="E0206")
        return default


extreme("max", ">")
extreme("min", "<")


@shared("all")
def every(x: Any, /) -> bool:
    return all(is_true(value) for value in iterate(x))


@shared("any")
def some(x: Any, /) -> bool:
    return any(is_true(value) for value in iterate(x))


# -- text and kinds ---------------------------------------------------------------------------------


@builtin_function("str", (str,))
def to_str(x: Any = "", /) -> str:
    return in_words(x)


@builtin_function("repr")
def to_repr(x: Any, /) -> str:
    return as_repr(x)


@builtin_function("print")
def print_(*values: Any, sep: Any = " ", end: Any = "\n", flush: Any = False) -> None:
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    for name, text in (("sep", sep), ("end", end)):
        if text.__class__ is not str:
            raise ScriptError(f"{name} must be None or a string, not {type_name(text)}", code="E0203")
    runtime.write(sep.join([in_words(value) for value in values]) + end)


@builtin_function("display")
def display(*values: Any) -> None:
    for value in values:
        runtime.write(as_repr(value) + "\n")


@builtin_function("Math")
def make_math(data: Any) -> Math:
    return Math(in_words(data))


@builtin_function("isinstance")
def is_instance(x: Any, kind: Any, /) -> bool:
    kinds = kind if kind.__class__ is tuple else (kind,)
    for wanted in kinds:
        classes: tuple[type, ...] | None = None
        if wanted.__class__ is Builtin:
            classes = wanted.classes
        elif wanted.__class__ is Function:
            classes = (Tensor,) if wanted.name == "Tensor" else None
        if classes is None:
            raise ScriptError(
                "isinstance() arg 2 must be a type, a tuple of types, or a union",
                code="E0203",
                caret="the types here are int, float, bool, str, list, tuple, range and torch.Tensor",
            )
        if isinstance(x, classes):
            return True
    return False


def no_constructor(*args: Any, **kwargs: Any) -> None:
    raise ScriptError("cannot create instances of this type", code="E0203")


KINDS: dict[str, Any] = {}


@builtin_function("type")
def type_of(x: Any, /) -> Any:
    """The class of a value: what ``isinstance`` takes, or a name to print."""
    if x.__class__ is Tensor:
        return find("Tensor")
    name = type_name(x)
    known = BUILTINS.get(name)
    if known.__class__ is Builtin and known.classes == (x.__class__,):
        return known
    if name not in KINDS:
        KINDS[name] = Builtin(name, no_constructor, (x.__class__,))
    return KINDS[name]


@builtin_function("id")
def identity(x: Any, /) -> int:
    """A number that no other value has, the same in every run of the script."""
    # The value is kept, for otherwise a later one could come to lie at its address.
    return runtime.numbered.setdefault(id(x), (x, len(runtime.numbered) + 1))[1]


# -- grad modes -------------------------------------------------------------------------------------


@builtin_function("no_grad")
def no_grad(function: Any = None) -> Any:
    return switched(GradMode("no_grad", False), function)


@builtin_function("enable_grad")
def enable_grad(function: Any = None) -> Any:
    return switched(GradMode("enable_grad", True), function)


@builtin_function("inference_mode")
def inference_mode(mode: Any = True) -> Any:
    return GradMode("inference_mode", not is_true(mode))


def switched(switch: GradMode, function: Any) -> Any:
    if function is None:
        return switch
    from autodiff.grammar.calls import decorate

    return decorate(switch, function)


@builtin_function("set_grad_enabled")
def set_grad_enabled(mode_: Any, /) -> GradMode:
    switch = GradMode("set_grad_enabled", is_true(mode_))
    mode.enabled = switch.switch  # at once, as torch does; `with` puts it back at the end
    return switch


@builtin_function("is_grad_enabled")
def is_grad_enabled() -> bool:
    return mode.enabled


@builtin_function("is_tensor")
def is_tensor(obj: Any) -> bool:
    return obj.__class__ is Tensor


@builtin_function("Size")
def make_size(sizes: Any = (), /) -> Any:
    return Size(as_index(n, "a size") for n in iterate(sizes))


# -- constants --------------------------------------------------------------------------------------

BUILTINS |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "Function": FunctionBase()}

"""The functions that scripts use without an import and that core lacks: Python's builtins and grad modes.

``sum max min abs round pow all any`` are torch's when their first argument is a tensor and Python's
otherwise.
"""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule, services
from autodiff.core.engine.public_functions import PublicFunction, find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DTYPE_CLASSES, bool_, float64, int64, uint8
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.number_conversions import to_float, to_int
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    NUMBER_CLASSES,
    SIZED,
    UNBOUND,
    Builtin,
    FunctionBase,
    GradMode,
    Math,
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

matching = LazyModule("autodiff.grammar.objects.matched_arguments")
plain_text = LazyModule("autodiff.grammar.objects.plain_text")
sequence_methods = LazyModule("autodiff.grammar.objects.sequence_methods")
texts = LazyModule("autodiff.grammar.objects.value_text")

#: The value of each name; the decorators below enter the functions.
BUILTINS: dict[str, Any] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "Function": FunctionBase(),
}


def register_builtin(name: str, classes: tuple[type, ...] | None = None) -> Callable[[Any], Any]:
    """Return a decorator that registers a function under its name in scripts; ``classes`` as in Builtin."""

    def enter(function: Any) -> Any:
        BUILTINS[name] = Builtin(name, function, classes)
        return function

    return enter


def register_shared_builtin(
    name: str, uses_python: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None
) -> Callable[[Any], Any]:
    """Return a decorator for a builtin that calls torch's function for tensors and Python's otherwise.

    ``uses_python`` decides from the arguments whether a call whose first argument is a tensor is Python's
    too.
    """

    def enter(pythons: Any) -> Any:
        def either(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get("input")
            if first.__class__ is Tensor and (uses_python is None or not uses_python(args, kwargs)):
                torchs = find_function(name)
                if torchs is not None:
                    return torchs(*args, **kwargs)
            return pythons(*args, **kwargs)

        BUILTINS[name] = Builtin(name, either)
        pythons.__qualname__ = name
        return pythons

    return enter


# -- numbers ------------------------------------------------------------------------------------------

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


# Scripts may write dtype=float.
DTYPE_CLASSES.extend([(BUILTINS["float"], float64), (BUILTINS["int"], int64), (BUILTINS["bool"], bool_)])


# -- sequences ----------------------------------------------------------------------------------------


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


@register_builtin("sorted")
def make_sorted(x: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    return sequence_methods.sorted_values(x, key=key, reverse=reverse)  # type: ignore[no-any-return] # a list


def goes_round(values: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a call of ``sum`` adds up bytes of numpy one by one, where ``np.sum`` takes larger numbers."""
    return runtime.prints_numbers and values[0].dtype is uint8


@register_shared_builtin("sum", goes_round)
def summed(x: Any, /, start: Any = 0) -> Any:
    if start.__class__ is str:
        raise ScriptError("sum() can't sum strings [use ''.join(seq) instead]", code="E0203")
    total = start
    for value in iterate(x):
        runtime.spend(1)
        total = operators.add(total, value)
    return total


def are_single_numbers(values: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a call of ``max`` or ``min`` compares single numbers or tensors of one number, or by a key.

    A call with torch's ``dim`` must name it to be recognised as torch's.
    """
    return "key" in options or (
        len(values) > 1
        and not options
        and all(
            x.__class__ in NUMBER_CLASSES or (x.__class__ is Tensor and (not x.shape or runtime.in_rows))
            for x in values
        )
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
            this = value if key is None else sequence_methods.call_argument(key, value)
            is_better = best is UNBOUND or compare(this, best_key)
            if runtime.in_rows and is_better.__class__ is Tensor and is_better.shape:
                choose = find_function("where")
                assert choose is not None
                best = best_key = choose(is_better, value, best)  # for each row by itself
            elif is_true(is_better):
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


# -- text, types and identity -------------------------------------------------------------------------


@register_builtin("str", (str,))
def to_str(x: Any = "", /) -> str:
    return texts.as_str(x)  # type: ignore[no-any-return] # a string


@register_builtin("repr")
def to_repr(x: Any, /) -> str:
    return texts.as_repr(x)  # type: ignore[no-any-return] # a string


@register_builtin("print")
def print_(*values: Any, sep: Any = " ", end: Any = "\n", flush: Any = False) -> None:
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    for name, text in (("sep", sep), ("end", end)):
        if text.__class__ is not str:
            raise ScriptError(f"{name} must be None or a string, not {type_name(text)}", code="E0203")
    runtime.write(sep.join([texts.as_str(value) for value in values]) + end)


@register_builtin("display")
def display(*values: Any) -> None:
    for value in values:
        runtime.write(texts.as_repr(value) + "\n")


@register_builtin("Math")
def make_math(data: Any) -> Math:
    return Math(texts.as_str(data))


@register_builtin("isinstance")
def is_instance(x: Any, kind: Any, /) -> bool:
    kinds = kind if kind.__class__ is tuple else (kind,)
    for wanted in kinds:
        classes: tuple[type, ...] | None = None
        if wanted.__class__ is Builtin:
            classes = wanted.classes
        elif wanted.__class__ is PublicFunction:
            classes = (Tensor,) if wanted.name == "Tensor" else None
        if classes is None:
            raise ScriptError(
                "isinstance() arg 2 must be a type, a tuple of types, or a union",
                code="E0203",
                caret="the types here are int, float, bool, str, list, tuple, range and torch.Tensor",
            )
        if isinstance(x, classes) or not class_in_python(x).isdisjoint(classes):
            return True
    return False


def class_in_python(x: Any) -> frozenset[type]:
    """Return the classes that an input has in Python, in a script without tensors: a number or a list."""
    if not runtime.without_tensors or x.__class__ is not Tensor:
        return frozenset()
    if x.shape:
        return frozenset([list])
    return frozenset([float, int] if float(x.item()).is_integer() else [float])


def no_constructor(*args: Any, **kwargs: Any) -> None:
    raise ScriptError("cannot create instances of this type", code="E0203")


TYPE_BUILTINS: dict[str, Any] = {}


@register_builtin("type")
def type_of(x: Any, /) -> Any:
    """Return the class of a value: the builtin that ``isinstance`` accepts, or a named class to print."""
    if x.__class__ is Tensor and runtime.prints_numbers:
        x = plain_text.python_value(x)
        if type_name(x) == "ndarray":
            return TYPE_BUILTINS.setdefault("ndarray", Builtin("numpy.ndarray", no_constructor, (Tensor,)))
    if x.__class__ is Tensor:
        return find_function("Tensor")
    name = type_name(x)
    known = BUILTINS.get(name)
    if known.__class__ is Builtin and known.classes == (x.__class__,):
        return known
    if name not in TYPE_BUILTINS:
        TYPE_BUILTINS[name] = Builtin(name, no_constructor, (x.__class__,))
    return TYPE_BUILTINS[name]


@register_builtin("id")
def object_number(x: Any, /) -> int:
    """Return a number unique to the value, the same in every run of the script."""
    # The value is kept alive: otherwise a later one could be allocated at its address.
    return runtime.id_numbers.setdefault(id(x), (x, len(runtime.id_numbers) + 1))[1]


# -- grad modes, and what else torch has --------------------------------------------------------------


@register_builtin("no_grad")
def no_grad(function: Any = None) -> Any:
    return mode_or_decorated(GradMode("no_grad", False), function)


@register_builtin("enable_grad")
def enable_grad(function: Any = None) -> Any:
    return mode_or_decorated(GradMode("enable_grad", True), function)


@register_builtin("inference_mode")
def inference_mode(mode: Any = True) -> Any:
    return GradMode("inference_mode", not is_true(mode))


def mode_or_decorated(switch: GradMode, function: Any) -> Any:
    if function is None:
        return switch
    return services["calls"].decorate(switch, function)


@register_builtin("set_grad_enabled")
def set_grad_enabled(*args: Any, **kwargs: Any) -> GradMode:
    names = {"mode": matching.REQUIRED}
    [flag] = matching.match_arguments("set_grad_enabled.__init__()", names, 1, args, kwargs).values()
    if flag.__class__ is not bool:
        raise ScriptError(
            f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(flag)}",
            code="E0310",
            caret="write True or False",
        )
    mode.record(flag)  # at once, as in torch; `with` restores it at the end
    return GradMode("set_grad_enabled", flag)


@register_builtin("is_grad_enabled")
def is_grad_enabled() -> bool:
    return mode.enabled


@register_builtin("is_tensor")
def is_tensor(obj: Any) -> bool:
    return obj.__class__ is Tensor


@register_builtin("Size")
def make_size(sizes: Any = (), /) -> Any:
    return Size(as_index(n, "a size") for n in iterate(sizes))

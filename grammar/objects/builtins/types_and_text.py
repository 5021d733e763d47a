"""The builtins for text, types and identity: ``str repr print display isinstance type id``."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.public_functions import PublicFunction, find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.builtins.table import BUILTINS, register_builtin
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    Builtin,
    Math,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

texts = LazyModule("autodiff.grammar.objects.value_text")


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
        if isinstance(x, classes):
            return True
    return False


def no_constructor(*args: Any, **kwargs: Any) -> None:
    raise ScriptError("cannot create instances of this type", code="E0203")


TYPE_BUILTINS: dict[str, Any] = {}


@register_builtin("type")
def type_of(x: Any, /) -> Any:
    """Return the class of a value: the builtin that ``isinstance`` accepts, or a named class to print."""
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

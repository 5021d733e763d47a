"""torch's error messages for arguments that a function rejects.

``objects.argument_types`` checks a call with them before core is called. ``torch_signatures.txt`` has the
signatures of torch's functions and methods; ``tests/tools/make_torch_signatures.py`` writes it. Functions in
C++ share one argument parser with one or several typed overloads. Functions in Python report names and
numbers of arguments as Python does; their type errors come from whatever fails first inside, and are not
reproduced.
"""

from __future__ import annotations

import os
from functools import cache

from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import Device
from autodiff.core.graph.dtypes import dtype_from
from autodiff.grammar.objects.python_argument_errors import (
    NON_TENSOR_PREFIX,
    UNKNOWN,
    ArgumentMistake,
    PythonSignature,
    count_phrase,
    non_tensor_mistake,
    python_mistake,
)
from autodiff.grammar.objects.values import type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: The argument of an error that is about all overloads and no single argument.
NO_SINGLE_ARGUMENT: Any = object()

#: numpy's parameter names that torch's parser also accepts.
NUMPY_NAMES = {
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
}
#: Functions that accept a number wherever they accept a tensor.
TAKE_NUMBERS = frozenset("add sub subtract mul multiply div divide true_divide floor_divide copy to".split())
#: The type of the entries, by torch's name of a list type.
ENTRY_KINDS = {"ints": "int", "floats": "float", "Scalars": "Number", "Tensors": "Tensor"}


class TypedParameter:
    """One parameter of an overload. ``kind`` is torch's name of its type."""

    __slots__ = ("accepts_single", "has_default", "kind", "may_be_none", "name")

    def __init__(self, text: str) -> None:
        declared, equals, default = text.partition(" = ")
        kind, _, self.name = declared.rpartition(" ")
        self.may_be_none = kind.endswith("?") or default == "None"
        self.accepts_single = kind.rstrip("?").endswith("#")
        self.kind = kind.rstrip("?#")
        self.has_default = bool(equals)

    def takes(self, value: Any, numbers: bool) -> bool:
        """Whether torch's parser accepts the value; ``numbers`` is whether numbers pass for tensors."""
        if value is UNKNOWN or self.kind == "object" or (value is None and self.may_be_none):
            return True
        if self.kind == "Tensor" and numbers and value.__class__ in (int, float, bool):
            return True
        if self.kind.startswith("tuple of "):
            if isinstance(value, (tuple, list)):
                entry = ENTRY_KINDS[self.kind[9:]]
                return entry == "Tensor" or not value or value[0] is UNKNOWN or is_of_kind(entry, value[0])
            return self.accepts_single and is_of_kind("float" if "floats" in self.kind else "int", value)
        return is_of_kind(self.kind, value)


def is_of_kind(kind: str, value: Any) -> bool:
    """Whether a value is of torch's type ``kind``, where a tensor of one number may count as a number."""
    if value.__class__ is Tensor:
        if kind == "Tensor":
            return True
        if value.requires_grad or value.ndim:
            return False
        return kind in ("Number", "float") or (kind == "int" and value.dtype.name.startswith("int"))
    if kind == "torch.dtype":
        return dtype_from(value) is not None
    return value.__class__ in KIND_CLASSES.get(kind, ())


#: core's names of torch's types.
OUR_KINDS = {
    "Tensor": "tensor",
    "Number": "float",
    "float": "float",
    "int": "int",
    "bool": "bool",
    "str": "str",
    "torch.dtype": "dtype",
    "tuple of ints": "ints",
    "tuple of Tensors": "tensors",
}
#: The classes of each type, besides tensors.
KIND_CLASSES: dict[str, tuple[type, ...]] = {
    "Number": (int, float, bool),
    "float": (int, float, bool),
    "int": (int,),
    "bool": (bool,),
    "str": (str,),
    "torch.device": (str, int, Device),
}


class Overload:
    """One overload of a function in C++, parsed from the text of its signature."""

    __slots__ = ("is_variadic", "least", "parameters", "positional", "short", "text")

    def __init__(self, text: str) -> None:
        self.text = text.replace("#", "").replace("?", "")
        without_out = self.text.removesuffix(", Tensor out = None)")
        self.short = self.text if without_out == self.text else without_out.removesuffix(", *") + ")"
        parts = [part for part in text[1:-1].split(", ") if part]
        self.positional = parts.index("*") if "*" in parts else len(parts)
        self.parameters = [TypedParameter(part) for part in parts if part != "*"]
        self.least = sum(not p.has_default for p in self.parameters)
        self.is_variadic = self.positional == 1 and self.parameters[0].kind == "tuple of ints"

    def recognised_names(self, count: int) -> list[str]:
        """Return the names that torch recognises among ``count`` keywords.

        It looks only at the last ``count`` parameters, and among these only at those without a default.
        """
        names = ["" if p.has_default else p.name for p in self.parameters]
        if "*" in self.text:
            names.insert(self.positional, "*")
        return names[max(len(names) - count, 0) :]

    @property
    def words(self) -> int:
        """The number of entries in the signature, where torch counts the star and not ``out``."""
        return len(self.parameters) + ("*" in self.text) - ("Tensor out" in self.text)

    def marked_type(self, at: int, value: Any) -> str:
        """Return the type of a value, in exclamation marks if another type is listed at that place."""
        part = self.text[1:-1].split(", ")[at].rpartition(" ")[0]
        given = type_name(value)
        if isinstance(value, (tuple, list)):
            listed = ", ".join(map(type_name, value))
            comma = "," * (len(value) == 1)
            given += f" of ({listed}{comma})" if value.__class__ is tuple else f" of [{listed}]"
        return given if part == given or (part, given) == ("float", "int") else f"!{given}!"

    @property
    def is_usable(self) -> bool:
        """Whether scripts have values for all parameters; torch's dimension names do not exist here."""
        return not any("name" in p.kind.split() or "names" in p.kind.split() for p in self.parameters)


@cache
def parse_overloads(signature: str) -> list[Overload]:
    return [Overload(text) for text in signature.split(" | ")]


def find_mistake(
    key: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    is_method: bool = False,
) -> ArgumentMistake | None:
    """Return torch's error for a call of ``key``, such as ``F.relu`` or ``Tensor.sum``.

    Return None if torch has no such function or accepts the arguments. The arguments of a method begin with
    its tensor.
    """
    entry = signature_entry(key)
    if entry is None:
        return None
    called, kind, signature = entry
    if kind == "python":
        called = function_by_flags(called, args, kwargs)
        return python_mistake(called, PythonSignature(signature.partition(" | ")[0]), args, kwargs)
    args = args[is_method:]
    if kind == "none":
        if kwargs:
            return ArgumentMistake(f"{called}() takes no keyword arguments", next(iter(kwargs)))
        return ArgumentMistake(f"{called}() takes no arguments ({len(args)} given)", 1) if args else None
    forms = parse_overloads(signature)
    reader = ArgumentParser(called, args, kwargs, is_method)
    if kind == "form":
        return reader.read(forms[0]) or reader.wrong_entry(forms[0])
    for form in forms:
        found = reader.read(form)
        if found is None:
            return reader.wrong_entry(form)
        if found.message.startswith(NON_TENSOR_PREFIX):  # torch raises this without trying other overloads
            return found
    given = len(args) + len(kwargs)
    plausible = [form for form in forms if form.least <= given <= len(form.parameters)]
    if len(plausible) == 1:
        return reader.read(plausible[0])
    return reader.no_overload(forms)


def function_by_flags(called: str, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """Return the function that a call reaches, if flags choose between several functions.

    ``return_indices=6:_max_pool1d,max_pool1d_with_indices`` has the name and the position of each flag, and
    one function for each binary number that the flags form as digits.
    """
    flags, _, names = called.rpartition(":")
    number = 0
    for flag in filter(None, flags.split(",")):
        name, _, position = flag.partition("=")
        at = int(position)
        value = kwargs[name] if name in kwargs else at < len(args) and args[at]
        number = 2 * number + bool(
            value.item() if value.__class__ is Tensor and value.entry_count == 1 else value
        )
    return names.split(",")[number]


def inner_message(key: str, name: str, value: Any, in_place: bool) -> str | None:
    """Return the error for the value of the parameter ``name`` of a function in Python.

    The error is that of the C++ function inside, or of its ``in_place`` variant, which is the first to read
    the value; None if there is none. A method calls the function of its name.
    """
    entry = signature_entry(key.replace("Tensor.", "torch."))
    for part in entry[2].split(" | ")[1:] if entry is not None and entry[1] == "python" else ():
        parameter, called, argument, position, kind = part.split(" ", 4)
        if parameter == name:
            place = int(position) - 1 if position != "0" else None
            reader, typed = (
                ArgumentParser(called + "_" * in_place, (), {}, False),
                TypedParameter(f"{kind} {argument}"),
            )
            wrong = reader.non_int_mistake(typed, value, 0) if typed.takes(value, False) else None
            return (wrong or reader.rejected(typed, value, place)).message
    return None


def torch_message_name(key: str) -> str | None:
    """Return torch's name of a C++ function in error messages, such as ``linalg_det``; None for others."""
    entry = signature_entry(key)
    return None if entry is None or entry[1] == "python" else entry[0]


@cache
def signature_entry(key: str) -> tuple[str, str, str] | None:
    """Return the entry of a function: its name in torch's messages, the kind of its parser, its signature."""
    start = signatures().find(f"\n{key} ") + 1
    if not start:
        return None
    _, called, kind, signature = signatures()[start : signatures().index("\n", start)].split(" ", 3)
    return called, kind, signature


@cache
def signatures() -> str:
    """Return the text of the file, after a line break."""
    # pathlib and re are avoided: a script imports them for nothing else.
    with open(os.path.join(os.path.dirname(__file__), "torch_signatures.txt"), encoding="utf-8") as lines:
        return "\n" + lines.read()


class ArgumentParser:
    """torch's C++ argument parser: finds its first error in the arguments of one call."""

    __slots__ = ("args", "called", "kwargs", "position_offset")

    def __init__(
        self,
        called: str,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        is_method: bool,
    ) -> None:
        self.called = called
        self.args = args
        self.kwargs = kwargs
        self.position_offset = int(is_method)

    def read(self, form: Overload) -> ArgumentMistake | None:
        count = len(self.args)
        side_by_side = form.is_variadic and form.parameters[0].takes(list(self.args), False)
        if count > form.positional and not side_by_side:
            return self.too_many(form)
        numbers = self.called.rstrip("_") in TAKE_NUMBERS
        position = used = 0
        for number, parameter in enumerate(form.parameters):
            if position < count and number >= form.positional:
                return self.too_many(form)
            is_named = position >= count
            value = self.named(parameter) if is_named else self.args[position]
            if value is MISSING:
                if not parameter.has_default:
                    return self.missing(form, number)
            elif not parameter.takes(value, numbers):
                if side_by_side and not is_named and not position:
                    position = count
                    continue
                return self.rejected(parameter, value, None if is_named else position)
            elif parameter.kind == "tuple of Tensors":
                found = non_tensor_mistake(value, number)
                if found is not None:
                    return found
            if not is_named:
                position += 1
            elif value is not MISSING:
                used += 1
        return self.unexpected(form) if used < len(self.kwargs) else None

    def wrong_entry(self, form: Overload) -> ArgumentMistake | None:
        """Return the error for an entry of a list. torch reads these last, beginning with the last list."""
        for number, parameter in reversed([*enumerate(form.parameters)]):
            value = self.args[number] if number < len(self.args) else self.named(parameter)
            if form.is_variadic and not number and len(self.args) > 1:
                value = tuple(self.args)
            found = None
            if parameter.kind == "tuple of Tensors":
                found = non_tensor_mistake(value, number)
            elif parameter.kind == "tuple of ints":
                found = self.non_int_mistake(parameter, value, number)
            if found is not None:
                return found
        return None

    def non_int_mistake(self, parameter: TypedParameter, values: Any, number: int) -> ArgumentMistake | None:
        """Return the error for an entry that is no integer in a list of sizes or dimensions."""
        if isinstance(values, (tuple, list)):
            for at, value in enumerate(values):
                if not (value is UNKNOWN or is_of_kind("int", value) or value.__class__ is bool):
                    return ArgumentMistake(
                        f"{self.called}(): argument '{parameter.name}' failed to unpack the object at pos"
                        f' {at + 1} with error "type must be tuple of ints,but got {type_name(value)}"',
                        number + self.position_offset if number < len(self.args) else parameter.name,
                        values,
                        "ints",
                    )
        return None

    def named(self, parameter: TypedParameter) -> Any:
        for name in (parameter.name, *NUMPY_NAMES.get(parameter.name, ())):
            if name in self.kwargs:
                return self.kwargs[name]
        return MISSING

    def too_many(self, form: Overload) -> ArgumentMistake:
        count, most = len(self.args), form.positional
        return ArgumentMistake(
            f"{self.called}() {count_phrase(form.least, most, count)}", most + self.position_offset
        )

    def missing(self, form: Overload, number: int) -> ArgumentMistake:
        """Return the error for missing arguments: as in torch it has the plural with one name only."""
        names = [f'"{p.name}"' for p in form.parameters[number:] if not p.has_default]
        plural = "s" * (len(names) == 1)
        return ArgumentMistake(
            f"{self.called}() missing {len(names)} required positional argument{plural}: {', '.join(names)}"
        )

    def rejected(self, parameter: TypedParameter, value: Any, position: int | None) -> ArgumentMistake:
        place = "" if position is None else f" (position {position + 1})"
        what = f"not {type_name(value)}"
        if position is not None and parameter.kind == "tuple of ints" and isinstance(value, (tuple, list)):
            what = f"but found element of type {type_name(value[0])} at pos 0"
        return ArgumentMistake(
            f"{self.called}(): argument '{parameter.name}'{place} must be {parameter.kind}, {what}",
            parameter.name if position is None else position + self.position_offset,
            value,
            OUR_KINDS.get(parameter.kind, "any"),
        )

    def unexpected(self, form: Overload) -> ArgumentMistake:
        names = [p.name for p in form.parameters]
        for name in self.kwargs:
            if name not in names:
                return ArgumentMistake(f"{self.called}() got an unexpected keyword argument '{name}'", name)
            if names.index(name) < len(self.args):
                return ArgumentMistake(f"{self.called}() got multiple values for argument '{name}'", name)
        return ArgumentMistake(f"{self.called}() got invalid keyword arguments")

    def no_overload(self, forms: list[Overload]) -> ArgumentMistake | None:
        """Return torch's error for arguments that fit no overload; it lists the overloads scripts can use."""
        given = [type_name(value) for value in self.args]
        given += [f"{name}={type_name(value)}" for name, value in reversed(self.kwargs.items())]
        said = f"{self.called}() received an invalid combination of arguments - got"
        others = [
            name for name in reversed(self.kwargs) if name not in forms[0].recognised_names(len(self.kwargs))
        ]
        if len(forms) == 1 and others:
            return ArgumentMistake(
                f"{said} unrecognized keyword arguments: {', '.join(others)}", NO_SINGLE_ARGUMENT
            )
        if len(forms) == 1 and not self.kwargs and len(given) == forms[0].words:
            given = [forms[0].marked_type(at, value) for at, value in enumerate(self.args)]
        only_named = ", " * (bool(given) and not self.args)  # torch leaves this separator
        said = f"{said} ({', '.join(given)}{only_named}), but expected"
        if len(forms) == 1:
            return ArgumentMistake(f"{said} {forms[0].text}", NO_SINGLE_ARGUMENT)
        listed = [f" * {form.short}" for form in forms if form.is_usable]
        return ArgumentMistake("\n".join([f"{said} one of:", *listed]), NO_SINGLE_ARGUMENT)


MISSING: Any = object()


__all__ = [
    "NO_SINGLE_ARGUMENT",
    "UNKNOWN",
    "ArgumentMistake",
    "find_mistake",
    "inner_message",
    "torch_message_name",
]

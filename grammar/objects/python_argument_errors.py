"""Argument errors of the torch functions written in Python, and error parts shared with its C++ parser."""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.values import type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Stands for an argument of unknown value: every parameter accepts it.
UNKNOWN: Any = object()


class ArgumentMistake:
    """An argument error: its message, the argument by position or name, and the rejected value."""

    __slots__ = ("argument", "kind", "message", "value")

    def __init__(self, message: str, argument: Any = None, value: Any = UNKNOWN, kind: str = "any") -> None:
        self.message = message
        self.argument = argument
        self.value = value
        self.kind = kind


#: Functions in Python that take their tensors as separate arguments or as one list.
TAKE_LISTS = frozenset(["atleast_1d", "atleast_2d", "atleast_3d", "meshgrid"])


NON_TENSOR_PREFIX = "expected Tensor as element "


def count_phrase(least: int, most: int, given: int) -> str:
    """Return Python's phrase for a wrong number of arguments, which torch repeats."""
    wanted = f"from {least} to {most}" if least != most else str(most)
    plural = "s" * (least != most or most != 1)
    were = "was" if given == 1 and least == most else "were"
    return f"takes {wanted} positional argument{plural} but {given} {were} given"


def non_tensor_mistake(values: Any, number: int) -> ArgumentMistake | None:
    """Return the error for an entry that is no tensor, in the list that is argument ``number``."""
    if isinstance(values, (tuple, list)):
        for at, value in enumerate(values):
            if value is not UNKNOWN and value.__class__ is not Tensor:
                what = f"{NON_TENSOR_PREFIX}{at} in argument {number}, but got {type_name(value)}"
                return ArgumentMistake(what, number, values, "tensors")
    return None


class PythonSignature:
    """A parsed signature, from the text that ``inspect`` writes with None for every default."""

    __slots__ = (
        "has_kwargs",
        "has_tensor_varargs",
        "has_varargs",
        "keyword_only",
        "positional",
        "positional_only",
        "required",
    )

    def __init__(self, text: str) -> None:
        self.positional: list[str] = []
        self.keyword_only: list[str] = []
        self.required: set[str] = set()
        self.positional_only: tuple[str, ...] = ()
        self.has_varargs = self.has_kwargs = self.has_tensor_varargs = False
        names = self.positional
        for part in filter(None, text[1:-1].split(", ")):
            name, equals, _ = part.partition("=")
            if part.startswith("**"):
                self.has_kwargs = True
            elif part.startswith("*"):
                self.has_varargs = part != "*"
                self.has_tensor_varargs = part in ("*tensors", "*matrices")
                names = self.keyword_only
            elif part == "/":
                self.positional_only = tuple(names)
            else:
                names.append(name)
                if not equals:
                    self.required.add(name)


def python_mistake(
    called: str, signature: PythonSignature, args: Sequence[Any], kwargs: dict[str, Any]
) -> ArgumentMistake | None:
    """Return the first error that Python finds in a call, or None."""
    names, count = signature.positional, len(args)
    refused = [name for name in signature.positional_only if name in kwargs]
    if refused:
        what = "got some positional-only arguments passed as keyword arguments"
        return ArgumentMistake(f"{called}() {what}: '{', '.join(refused)}'", refused[0])
    for name in kwargs:
        if name not in names and name not in signature.keyword_only and not signature.has_kwargs:
            return ArgumentMistake(f"{called}() got an unexpected keyword argument '{name}'", name)
        if name in names[:count]:
            return ArgumentMistake(f"{called}() got multiple values for argument '{name}'", name)
    if count > len(names) and not signature.has_varargs:
        least = sum(name in signature.required for name in names)
        said = count_phrase(least, len(names), count)
        by_name = sum(name in kwargs for name in signature.keyword_only)
        if by_name:
            given = f"{count} positional argument{'s' * (count > 1)}"
            by_names = f"(and {by_name} keyword-only argument{'s' * (by_name > 1)})"
            said = f"{said.partition(' but ')[0]} but {given} {by_names} were given"
        return ArgumentMistake(f"{called}() {said}", len(names))
    for among, how in ((names[count:], "positional"), (signature.keyword_only, "keyword-only")):
        missing = [f"'{n}'" for n in among if n in signature.required and n not in kwargs]
        if missing:
            plural = "s" * (len(missing) > 1)
            return ArgumentMistake(
                f"{called}() missing {len(missing)} required {how} argument{plural}: {join_missing(missing)}"
            )
    if signature.has_tensor_varargs:
        is_list = count == 1 and isinstance(args[0], (tuple, list))
        is_else = count == 1 and not is_list and args[0] is not UNKNOWN and args[0].__class__ is not Tensor
        if is_else and called.startswith("atleast_"):
            # These functions pass a single argument unchanged to a C++ function with two overloads.
            said = f"{called}() received an invalid combination of arguments - got ({type_name(args[0])})"
            forms = " * (Tensor input)\n * (tuple of Tensors tensors)"
            return ArgumentMistake(f"{said}, but expected one of:\n{forms}", 0, args[0], "tensors")
        return non_tensor_mistake(args[0] if is_list and called in TAKE_LISTS else args, 0)
    at = names.index("out") if "out" in names else count
    out = kwargs.get("out", args[at] if at < count else None)
    if not (out is None or out is UNKNOWN or out.__class__ is Tensor):
        argument = "out" if "out" in kwargs else at
        return ArgumentMistake(
            f"{called}(): argument 'out' must be Tensor, not {type_name(out)}", argument, out
        )
    return None


def join_missing(names: list[str]) -> str:
    """Return the names as Python lists missing arguments: ``'a', 'b', and 'c'``."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


__all__ = [
    "UNKNOWN",
    "ArgumentMistake",
    "PythonSignature",
    "count_phrase",
    "non_tensor_mistake",
    "python_mistake",
]

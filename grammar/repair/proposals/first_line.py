"""The first line about arguments that do not fit, as torch has it for the call that is written."""

from __future__ import annotations

from autodiff.core.engine.argument_kinds import MISSING
from autodiff.core.engine.public_functions import METHODS, Function, Parameter
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.argument_types import key_of
from autodiff.grammar.objects.torch_argument_errors import (
    ANY_FORM,
    UNKNOWN,
    blame,
    name_in_torch,
    said_inside,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.grammar.repair.proposals.arguments import CallScene


def say_as_torch(made: CallScene) -> str:
    """Put torch's first line in place of core's, and give the line that says what to repair.

    That is torch's, too, but where torch leaves open which argument of a function of several forms it was.
    """
    error = made.scene.error
    own = error.message
    if not error.about and made.owner.__class__ is Tensor:
        return say_of_method(made)
    if made.function.__class__ is not Function or len(error.about) < 5:
        return own
    function, at, refused, args, kwargs = error.about
    key = torch_key(made)
    name = key.partition(".")[2]
    if made.is_method and function not in (METHODS.get(name), METHODS.get(name.removesuffix("_"))):
        args = (made.owner, *args)  # the method of a tensor that calls the function: new_zeros
    found = blame(key, args, kwargs, made.is_method)
    if found is None or (found.argument is ANY_FORM and is_unknown(args, kwargs)):
        called = name_in_torch(key)
        if refused is not None:
            is_changed = is_in_place(function, args, kwargs)
            said = said_inside(key, refused[0].name, refused[1], is_changed)
            error.message = said or as_counted(own, made, at, refused[0])
        elif called is not None and own.startswith(f"{function.name}()"):
            error.message = called + own.removeprefix(function.name)
        return error.message
    error.message = found.message
    if found.argument is ANY_FORM:
        return own
    refused = None
    if found.value is not UNKNOWN:
        refused = (parameter_at(function, found.argument, found.kind), found.value)
    error.about = (function, found.argument, refused, args, kwargs)
    return found.message


def is_in_place(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether the call asks for ``inplace``."""
    names = [parameter.name for parameter in function.parameters]
    by_position = dict(zip(names, args, strict=False))
    return bool((by_position | kwargs).get("inplace"))


def as_counted(message: str, made: CallScene, at: int, parameter: Parameter) -> str:
    """Core's line about an argument, with its position as torch counts it, which has none for names."""
    where = made.argument(at)
    if parameter.keyword_only or (where is not None and where.keyword is not None):
        return message.replace(f" (position {at + 1})", "")
    return message.replace(f"(position {at + 1})", f"(position {at})") if made.is_method else message


def say_of_method(made: CallScene) -> str:
    """The same for methods of tensors that are no functions of core, by how many arguments there are."""
    error, given = made.scene.error, made.call.arguments
    if not any(argument.star for argument in given):
        positional = [UNKNOWN for argument in given if argument.keyword is None]
        named = {argument.keyword: UNKNOWN for argument in given if argument.keyword is not None}
        found = blame(torch_key(made), [made.owner, *positional], named, is_method=True)
        if found is not None and found.argument is not ANY_FORM:
            error.message = found.message
    return error.message


def is_unknown(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether types of arguments are not known, as in a script that does not run."""
    return any(x is UNKNOWN for x in (*args, *kwargs.values()))


def torch_key(made: CallScene) -> str:
    """The function's key in core's table, by the name it is called by: ``F.relu``, ``Tensor.relu``."""
    name = made.scene.text(made.call.function).rpartition(".")[2]
    if made.is_method:
        return f"Tensor.{name}"
    owner = getattr(made.owner, "name", "").rpartition(".")[2]
    return key_of(made.function, name, {"functional": "F"}.get(owner, owner))


def parameter_at(function: Function, at: int | str, kind: str) -> Parameter:
    """The parameter at a position or of a name, or else one of the kind that torch takes there."""
    for number, parameter in enumerate(function.parameters):
        if at in (number, parameter.name) or (parameter.variadic and at.__class__ is int):
            return parameter
    return Parameter(str(at), kind, MISSING, False, False)


__all__ = ["say_as_torch"]

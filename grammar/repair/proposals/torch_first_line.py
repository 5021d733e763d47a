"""Writes the first line of an error about arguments as torch has it for the same call.

What torch says is computed by ``grammar.help.torch_argument_errors``.
"""

from __future__ import annotations

from autodiff.core.engine.public_functions import METHODS, MISSING, Parameter, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.argument_check import function_key
from autodiff.grammar.objects.torch_argument_errors import (
    NO_SINGLE_ARGUMENT,
    UNKNOWN,
    find_mistake,
    inner_message,
    torch_message_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.grammar.repair.proposals.arguments import CallScene


def use_torch_message(made: CallScene) -> str:
    """Put torch's first line in place of core's, and return the line that says what to repair.

    It is torch's line too, unless torch leaves open which argument of a function with overloads it was.
    """
    error = made.scene.error
    own = error.message
    if not error.repair_context and made.owner.__class__ is Tensor:
        return say_of_method(made)
    if made.function.__class__ is not PublicFunction or len(error.repair_context) < 5:
        return own
    function, at, refused, args, kwargs = error.repair_context
    key = torch_key(made)
    name = key.partition(".")[2]
    if made.is_method and function not in (METHODS.get(name), METHODS.get(name.removesuffix("_"))):
        args = (made.owner, *args)  # a tensor method that calls the function, such as new_zeros
    found = find_mistake(key, args, kwargs, made.is_method)
    if found is None or (found.argument is NO_SINGLE_ARGUMENT and has_unknown_types(args, kwargs)):
        called = torch_message_name(key)
        if refused is not None:
            is_changed = is_in_place(function, args, kwargs)
            said = inner_message(key, refused[0].name, refused[1], is_changed)
            error.message = said or with_torch_position(own, made, at, refused[0])
        elif called is not None and own.startswith(f"{function.name}()"):
            error.message = called + own.removeprefix(function.name)
        return error.message
    error.message = found.message
    if found.argument is NO_SINGLE_ARGUMENT:
        return own
    refused = None
    if found.value is not UNKNOWN:
        refused = (parameter_at(function, found.argument, found.kind), found.value)
    error.repair_context = (function, found.argument, refused, args, kwargs)
    return found.message


def is_in_place(function: PublicFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether the call passes a true ``inplace``."""
    names = [parameter.name for parameter in function.parameters]
    by_position = dict(zip(names, args, strict=False))
    return bool((by_position | kwargs).get("inplace"))


def with_torch_position(message: str, made: CallScene, at: int, parameter: Parameter) -> str:
    """Return core's line with the argument's position as torch counts it, and none for keywords."""
    where = made.argument(at)
    if parameter.keyword_only or (where is not None and where.keyword is not None):
        return message.replace(f" (position {at + 1})", "")
    return message.replace(f"(position {at + 1})", f"(position {at})") if made.is_method else message


def say_of_method(made: CallScene) -> str:
    """Do the same for tensor methods that core does not have as functions, by the number of arguments."""
    error, given = made.scene.error, made.call.arguments
    if not any(argument.star for argument in given):
        positional = [UNKNOWN for argument in given if argument.keyword is None]
        named = {argument.keyword: UNKNOWN for argument in given if argument.keyword is not None}
        found = find_mistake(torch_key(made), [made.owner, *positional], named, is_method=True)
        if found is not None and found.argument is not NO_SINGLE_ARGUMENT:
            error.message = found.message
    return error.message


def has_unknown_types(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether types of some arguments are not known, as in a script that does not run."""
    return any(x is UNKNOWN for x in (*args, *kwargs.values()))


def torch_key(made: CallScene) -> str:
    """Return the function's key in core's table by the name in the call: ``F.relu``, ``Tensor.relu``."""
    name = made.scene.text(made.call.function).rpartition(".")[2]
    if made.is_method:
        return f"Tensor.{name}"
    owner = getattr(made.owner, "name", "").rpartition(".")[2]
    return function_key(made.function, name, {"functional": "F"}.get(owner, owner))


def parameter_at(function: PublicFunction, at: int | str, kind: str) -> Parameter:
    """Return the parameter at a position or of a name, else a new one of the kind that torch takes there."""
    for number, parameter in enumerate(function.parameters):
        if at in (number, parameter.name) or (parameter.variadic and at.__class__ is int):
            return parameter
    return Parameter(str(at), kind, MISSING, False, False)

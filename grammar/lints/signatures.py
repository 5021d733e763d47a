"""Checks the names and the number of a call's arguments against its function; argument values are unknown.

Functions of core and of the script bind placeholder arguments the way they do at run time. For functions
written in Python the signature is read, and the errors have Python's wording.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import NUMPY_NAMES, Parameter, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.interpret.script_functions import bind_arguments
from autodiff.grammar.objects.matched_arguments import listing
from autodiff.grammar.objects.methods import DRAWING_FUNCTIONS, METHODS
from autodiff.grammar.objects.plain_arrays import SELECTIVE
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.torch_argument_errors import NO_SINGLE_ARGUMENT, UNKNOWN, find_mistake
from autodiff.grammar.objects.values import BoundMethod, Builtin, ScriptFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.syntax import tree

VARIADIC, KEYWORDS = 0x04, 0x08  # flags of a code object: has *args, has **kwargs


def check_arguments(function: Any, call: tree.Call, of: str = "") -> None:
    """Raise the ScriptError that a call would raise for its arguments, whatever their values.

    ``function`` is the callee. With ``of`` it is the function behind the method of that name, which takes the
    owner as its first argument. Calls with ``*`` are not checked.
    """
    if any(argument.star for argument in call.arguments):
        return
    count = sum(argument.keyword is None for argument in call.arguments) + bool(of)
    keywords = [argument.keyword for argument in call.arguments if argument.keyword is not None]
    if len(set(keywords)) < len(keywords):
        return  # a repeated keyword is a separate error
    if runtime.prints_numbers and not isinstance(function, ScriptFunction):
        is_selective = isinstance(function, PublicFunction) and function.name in SELECTIVE
        taken = {"out"} | ({"where"} if is_selective and "out" in keywords else set())
        keywords = [keyword for keyword in keywords if keyword not in taken]
    if isinstance(function, BoundMethod):
        function, count = function.function, count + 1
    if isinstance(function, PublicFunction):
        if function.name in DRAWING_FUNCTIONS:
            keywords = [keyword for keyword in keywords if keyword != "generator"]
        bind_unknown(function, count, keywords)
    elif isinstance(function, ScriptFunction):
        bind_arguments(function, (None,) * count, dict.fromkeys(keywords))
    elif isinstance(function, Builtin):
        fit_python(function.name, function.function, count, keywords)
    else:
        try:
            fit_python(of or function.__name__, function, count, keywords)
        except ScriptError as error:
            if METHODS.get((Tensor, of)) is function:
                unknown = dict.fromkeys(keywords, UNKNOWN)
                found = find_mistake(f"Tensor.{of}", (UNKNOWN,) * count, unknown, True)
                if found is not None and found.argument is not NO_SINGLE_ARGUMENT:
                    error.message = found.message
            raise


def bind_unknown(function: PublicFunction, count: int, keywords: list[str]) -> None:
    """Bind arguments with unknown values."""
    named = {NUMPY_NAMES.get(keyword, keyword) for keyword in keywords}
    parameters = tuple(
        [
            Parameter(one.name, "any", one.default, one.variadic and one.name not in named, one.keyword_only)
            for one in function.parameters
        ]
    )
    twin = function.with_parameters(parameters)
    given = {name: "cpu" if name == "device" else None for name in keywords}
    try:
        twin.bind((None,) * count, given)
    except ScriptError as error:
        arguments = (UNKNOWN,) * count, dict.fromkeys(keywords, UNKNOWN)
        error.repair_context = (function, *error.repair_context[1:], *arguments)
        raise


def fit_python(name: str, function: Callable[..., Any], count: int, keywords: list[str]) -> None:
    """Raise the error that Python raises for arguments that do not fit, in Python's order of checks."""
    given = len(function.args) if isinstance(function, partial) else 0
    function = function.func if isinstance(function, partial) else function
    code = function.__code__
    names = code.co_varnames[given : code.co_argcount]
    only_by_name = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    by_name = (*names[max(code.co_posonlyargcount - given, 0) :], *only_by_name)
    taken = set(names[:count])
    for keyword in keywords:
        if keyword in by_name and keyword in taken:
            raise refusal(f"{name}() got multiple values for argument '{keyword}'")
        if keyword not in by_name and not code.co_flags & KEYWORDS:
            raise refusal(f"{name}() got an unexpected keyword argument '{keyword}'")
        taken.add(keyword)
    optional = len(function.__defaults__ or ())
    if count > len(names) and not code.co_flags & VARIADIC:
        takes = f"from {len(names) - optional} to {len(names)}" if optional else str(len(names))
        plural = "s" * (bool(optional) or len(names) != 1)
        was = "was" if count == 1 else "were"
        raise refusal(f"{name}() takes {takes} positional argument{plural} but {count} {was} given")
    missing = [f"'{one}'" for one in names[: len(names) - optional] if one not in taken]
    if missing:
        plural = "s" * (len(missing) > 1)
        raise refusal(
            f"{name}() missing {len(missing)} required positional argument{plural}: {listing(missing)}"
        )


def refusal(message: str) -> ScriptError:
    return ScriptError(message, code="E0310")


__all__ = ["check_arguments"]

"""Public functions and methods as functions of Python, with a name, a signature and a docstring."""

from __future__ import annotations

import inspect
from inspect import Parameter
from keyword import iskeyword

from autodiff.core.engine.public_functions import MISSING, PublicFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def python_function(function: PublicFunction, name: str, module: str) -> Callable[..., Any]:
    """Return the Python function ``module.name`` that calls ``function``."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return described(call, function, name, module, signature_of(function))


def python_method(
    function: PublicFunction, call: Callable[..., Any], name: str, owner: type
) -> Callable[..., Any]:
    """Return the method ``owner.name``; ``call`` runs it and takes the tensor first.

    The tensor takes the place of the first parameter of ``function``.
    """

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(self, *args, **kwargs)

    described(method, function, name, owner.__module__, as_method(signature_of(function)))
    method.__qualname__ = f"{owner.__name__}.{name}"
    return method


def as_method(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature with ``self`` for the first parameter."""
    first, *others = signature.parameters.values()
    return inspect.Signature([Parameter("self", first.kind), *others])


def described(
    call: Callable[..., Any], function: PublicFunction, name: str, module: str, signature: inspect.Signature
) -> Callable[..., Any]:
    """Give ``call`` what ``help()`` shows: name, module, docstring and signature. Return it."""
    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = function.doc or None
    call.__signature__ = signature  # type: ignore[attr-defined] # read by inspect
    return call


def signature_of(function: PublicFunction) -> inspect.Signature:
    """Return the signature of Python for a public function.

    A name that is a keyword of Python, such as ``from``, can only be passed by position, and so can those
    before it.
    """
    made: list[Parameter] = []
    for parameter in function.parameters:
        if parameter.variadic:
            made.append(Parameter(parameter.name, Parameter.VAR_POSITIONAL))
            continue
        is_after = any(before.kind is Parameter.VAR_POSITIONAL for before in made)
        if iskeyword(parameter.name):
            made = [before.replace(kind=Parameter.POSITIONAL_ONLY) for before in made]
        kind = (
            Parameter.POSITIONAL_ONLY
            if iskeyword(parameter.name)
            else Parameter.KEYWORD_ONLY
            if parameter.keyword_only or is_after
            else Parameter.POSITIONAL_OR_KEYWORD
        )
        default = Parameter.empty if parameter.default is MISSING else parameter.default
        made.append(Parameter(parameter.name, kind, default=default))
    if "device: device" in function.signature:  # which the implementation does not take
        made.append(Parameter("device", Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(made)

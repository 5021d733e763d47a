"""The table of builtins, and the decorators that register functions in it."""

from __future__ import annotations

from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BUILTINS: dict[str, Any] = {}


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

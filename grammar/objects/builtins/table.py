"""The table of builtins, and the decorators that register functions in it."""

from __future__ import annotations

from autodiff.core.engine.public_functions import find
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BUILTINS: dict[str, Any] = {}


def builtin_function(name: str, classes: tuple[type, ...] | None = None) -> Callable[[Any], Any]:
    """Return a decorator that registers a function under its name in scripts; ``classes`` as in Builtin."""

    def enter(function: Any) -> Any:
        BUILTINS[name] = Builtin(name, function, classes)
        return function

    return enter


def shared(
    name: str, is_pythons: Callable[[tuple[Any, ...], dict[str, Any]], bool] | None = None
) -> Callable[[Any], Any]:
    """Return a decorator for a builtin that calls torch's function for tensors and Python's otherwise.

    ``is_pythons`` decides from the arguments whether a call whose first argument is a tensor is Python's too.
    """

    def enter(pythons: Any) -> Any:
        def either(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get("input")
            if first.__class__ is Tensor and (is_pythons is None or not is_pythons(args, kwargs)):
                torchs = find(name)
                if torchs is not None:
                    return torchs(*args, **kwargs)
            return pythons(*args, **kwargs)

        BUILTINS[name] = Builtin(name, either)
        pythons.__qualname__ = name
        return pythons

    return enter

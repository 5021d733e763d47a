"""The table of builtins, and how functions are entered in it."""

from __future__ import annotations

from autodiff.core.functions import find
from autodiff.core.tensors import Tensor
from autodiff.grammar.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BUILTINS: dict[str, Any] = {}


def builtin_function(name: str, classes: tuple[type, ...] | None = None) -> Callable[[Any], Any]:
    """Enter a function under the name scripts call it by."""

    def enter(function: Any) -> Any:
        BUILTINS[name] = Builtin(name, function, classes)
        return function

    return enter


def shared(name: str) -> Callable[[Any], Any]:
    """A name that is torch's for tensors and Python's for anything else."""

    def enter(pythons: Any) -> Any:
        def either(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get("input")
            if first.__class__ is Tensor:
                torchs = find(name)
                if torchs is not None:
                    return torchs(*args, **kwargs)
            return pythons(*args, **kwargs)

        BUILTINS[name] = Builtin(name, either)
        pythons.__qualname__ = name
        return pythons

    return enter

"""The names of ``autodiff.core`` and of the modules of functions below it, looked up on first use.

A name of ``autodiff.core`` is what the bare name is in a script: a function of ``torch``, else of ``F``, else
of ``linalg``, else of ``special``. Beside these are the class of tensors, the modes and the dtypes.
"""

from __future__ import annotations

import sys

from autodiff.core.engine import backward, custom_function, tensor
from autodiff.core.engine.public_functions import FUNCTIONS, NAMESPACES
from autodiff.core.graph import state
from autodiff.core.graph.dtypes import DTYPES
from autodiff.core.graph.registry import names_in
from autodiff.core.interface.functions import python_function
from autodiff.core.interface.methods import install_methods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The modules of functions, and the namespaces of the registry in which each looks for a name.
SEARCHED: dict[str, tuple[str, ...]] = {
    "core": NAMESPACES,
    "core.linalg": ("linalg",),
    "core.special": ("special",),
    "core.nn.functional": ("F",),
}

#: The names of ``autodiff.core`` that the registry does not have or has for scripts only.
DEFINED: dict[str, Any] = {
    "Function": custom_function.Function,
    "Tensor": tensor.Tensor,
    "enable_grad": state.enable_grad,
    "grad": backward.grad,
    "no_grad": state.no_grad,
    "set_grad_enabled": state.set_grad_enabled,
    "tensor": tensor.tensor,
    **DTYPES,
}


def public_names(module: str) -> list[str]:
    """Return the names of a module of functions, sorted. No op is imported where there is an index."""
    parts = [name.partition(".") for name in names_in(FUNCTIONS)]
    names = {name for namespace, _, name in parts if namespace in SEARCHED[module]}
    return sorted(names | DEFINED.keys() if module == "core" else names)


def public_value(module: str, name: str) -> Any:
    """Return what ``name`` is in a module of functions; AttributeError if it is nothing."""
    install_methods()
    if module == "core" and name in DEFINED:
        return DEFINED[name]
    for namespace in SEARCHED[module]:
        function = FUNCTIONS.get(f"{namespace}.{name}")
        if function is not None:
            return python_function(function, name, f"autodiff.{module}")
    raise AttributeError(f"module 'autodiff.{module}' has no attribute {name!r}")


def lazy_names(full_name: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of the module of functions called ``full_name``."""
    module = full_name.removeprefix("autodiff.")

    def find(name: str) -> Any:
        if name == "__all__":
            return public_names(module)
        if name[:2] == "__":
            raise AttributeError(f"module {full_name!r} has no attribute {name!r}")
        value = vars(sys.modules[full_name])[name] = public_value(module, name)
        return value

    return find, lambda: sorted({*vars(sys.modules[full_name]), *public_names(module)})

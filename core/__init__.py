"""The engine: tensors, the graph they record, and gradients of any order. Knows nothing of text.

A Python program finds here the functions of the language by name, and their methods on tensors. Names load
when they are first used: whoever only wants an error class does not pay for every op.

May import core.base, core.fused, core.interface and core.symbolic. Imported by nothing: it is the top.

>>> from autodiff.core import tensor
>>> w = tensor(3.0, requires_grad=True)
>>> (w * w).backward()
>>> w.grad.item()
6.0
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule, services

#: What upper rooms do for lower ones. It loads when it is needed.
services["fused ops"] = LazyModule("autodiff.core.fused.deferred")
services["values read by rules"] = LazyModule("autodiff.core.symbolic.symbol")

#: The modules of functions below this one.
MODULES = ("linalg", "nn", "special")


def __getattr__(name: str) -> object:
    if name in MODULES:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name[:2] == "__" and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autodiff.core.interface.names import lazy_names

    return lazy_names(__name__)[0](name)


def __dir__() -> list[str]:
    from autodiff.core.interface.names import lazy_names

    return sorted({*lazy_names(__name__)[1](), *MODULES})

"""The engine: tensors, the graph they record, and gradients of any order. Knows nothing of text.

Names load when they are first used: whoever only wants an error class does not pay for every op.

May import core.base, core.engine, core.fused, core.graph and core.symbolic. Imported by nothing: it
is the top.

>>> from autodiff.core import tensor
>>> w = tensor(3.0, requires_grad=True)
>>> (w * w).backward()
>>> w.grad.item()
6.0
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule, services

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.engine.backward import grad
    from autodiff.core.engine.custom_function import Function
    from autodiff.core.engine.tensor import Tensor, tensor
    from autodiff.core.graph.state import enable_grad, no_grad, set_grad_enabled

#: What upper rooms do for lower ones. It loads when it is needed.
services["fused ops"] = LazyModule("autodiff.core.fused.deferred")
services["values read by rules"] = LazyModule("autodiff.core.symbolic.symbol")

__all__ = ["Function", "Tensor", "enable_grad", "grad", "no_grad", "set_grad_enabled", "tensor"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'autodiff.core' has no attribute {name!r}")
    from autodiff.core.engine import backward, custom_function
    from autodiff.core.engine import tensor as tensors
    from autodiff.core.graph import state

    return next(
        vars(module)[name] for module in (backward, custom_function, state, tensors) if name in vars(module)
    )

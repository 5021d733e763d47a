"""The engine: tensors, the graph they record, and gradients of any order. It does not parse or print scripts.

The public names are imported on first use, so importing an error class does not load every op.

>>> w = tensor(3.0, requires_grad=True)
>>> (w * w).backward()
>>> w.grad.item()
6.0
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.engine.backward import grad
    from autodiff.core.engine.custom_function import Function
    from autodiff.core.engine.tensor import Tensor, tensor
    from autodiff.core.graph.state import enable_grad, no_grad, set_grad_enabled

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

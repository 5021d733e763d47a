"""The engine: tensors, the graph they record, and gradients of any order. Knows nothing of text.

>>> w = tensor(3.0, requires_grad=True)
>>> (w * w).backward()
>>> w.grad.item()
6.0
"""

from autodiff.core import ops
from autodiff.core.backward import grad
from autodiff.core.function import Function
from autodiff.core.mode import enable_grad, no_grad, set_grad_enabled
from autodiff.core.tensor import Tensor, tensor

__all__ = ["Function", "Tensor", "enable_grad", "grad", "no_grad", "ops", "set_grad_enabled", "tensor"]

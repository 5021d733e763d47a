"""The methods, attributes and operators of scripts, installed on the class Tensor for Python programs.

They are entered in the class once, each as a descriptor that looks its function up on first use. The class
has no ``__getattr__``: that would make every attribute slower that the engine reads.
"""

from __future__ import annotations

from autodiff.core.engine.public_functions import IN_PLACE, METHODS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.registry import names_in
from autodiff.core.interface.functions import python_method
from autodiff.core.interface.operators import OPERATORS
from autodiff.core.methods.bookkeeping import TENSOR_ATTRIBUTES
from autodiff.core.methods.lookup import TENSOR_METHODS, find_tensor_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class LazyMethod:
    """A method that takes its own place in the class when it is first read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Tensor | None, owner: type) -> Callable[..., Any]:
        call = find_tensor_method(self.name)
        function = METHODS.get(self.name) or IN_PLACE[self.name]
        assert call is not None
        setattr(Tensor, self.name, python_method(function, call, self.name, Tensor))
        method: Callable[..., Any] = getattr(owner if instance is None else instance, self.name)
        return method


def install_methods() -> None:
    """Enter the methods, attributes and operators that the class Tensor lacks, unless it has been done."""
    if "__iadd__" in vars(Tensor):
        return
    own = {*vars(Tensor)}
    for name in (names_in(METHODS) | names_in(IN_PLACE)) - own - TENSOR_METHODS.keys():
        setattr(Tensor, name, LazyMethod(name))
    for name in TENSOR_METHODS.keys() - own:
        setattr(Tensor, name, TENSOR_METHODS[name])
    for name, read in TENSOR_ATTRIBUTES.items():
        setattr(Tensor, name, property(read))
    for name, operate in OPERATORS.items():
        setattr(Tensor, name, operate)

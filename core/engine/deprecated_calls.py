"""Calls in a deprecated argument order, with numbers before tensors: ``p.add_(-0.1, p.grad)``.

PyTorch still accepts these with a warning; its ``tools/autograd/deprecated.yaml`` lists them.
"""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import PLAIN_NUMBERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.engine.public_functions import PublicFunction

#: The parameters that take numbers; all others take tensors.
NUMBER_PARAMETERS = frozenset(["alpha", "beta", "value"])
#: For each function, its deprecated orders with one number.
ONE_NUMBER_ORDERS: dict[str, list[tuple[str, ...]]] = {
    "add": [("input", "alpha", "other")],
    "sub": [("input", "alpha", "other")],
    "addcmul": [("input", "value", "tensor1", "tensor2")],
    "addcdiv": [("input", "value", "tensor1", "tensor2")],
}
MATRIX_OPERANDS = {
    "addmm": ("mat1", "mat2"),
    "addmv": ("mat", "vec"),
    "addr": ("vec1", "vec2"),
    "addbmm": ("batch1", "batch2"),
    "baddbmm": ("batch1", "batch2"),
}


def deprecated_orders(name: str, is_method: bool) -> Iterator[tuple[str, ...]]:
    """Yield the deprecated parameter orders of a function; for a method, ``input`` comes first.

    >>> list(deprecated_orders("addmv", is_method=True))
    [('input', 'beta', 'alpha', 'mat', 'vec'), ('input', 'beta', 'mat', 'vec')]
    """
    name = name.removesuffix("_")
    yield from ONE_NUMBER_ORDERS.get(name, ())
    if name in MATRIX_OPERANDS:
        for scales in (("beta", "input", "alpha"), ("beta", "input")):
            first = tuple(sorted(scales, key="input".__ne__)) if is_method else scales
            yield (*first, *MATRIX_OPERANDS[name])


def match_deprecated_order(
    name: str, args: Sequence[Any], kwargs: dict[str, Any], is_method: bool
) -> dict[str, Any] | None:
    """Return the arguments by parameter name if they match a deprecated order, else None."""
    for order in deprecated_orders(name, is_method):
        given = dict(zip(order, args, strict=False))
        if len(args) + len(kwargs) != len(order) or given.keys() | kwargs.keys() != set(order):
            continue
        given.update(kwargs)
        if all(accepts_argument(parameter, given[parameter], len(order) == 3) for parameter in order):
            return {parameter: given[parameter] for parameter in order}
    return None


def accepts_argument(parameter: str, value: Any, takes_numbers: bool) -> bool:
    """Whether a value is valid for a parameter. A 0-d tensor without gradient is valid as a number.

    With ``takes_numbers`` (the orders of three parameters), plain numbers are valid as tensors too.
    """
    is_tensor = value.__class__ is Tensor
    if parameter in NUMBER_PARAMETERS:
        return value.__class__ in PLAIN_NUMBERS or (
            is_tensor and not value.ndim and not value.requires_grad_flag
        )
    return is_tensor or (takes_numbers and value.__class__ in PLAIN_NUMBERS)


def call_in_deprecated_order(function: PublicFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result of the call, or NotImplemented if no deprecated order matches the arguments."""
    for is_method in (False, True):
        given = match_deprecated_order(function.name, args, kwargs, is_method)
        if given is not None:
            numbers = {
                name: x.item()
                for name, x in given.items()
                if name in NUMBER_PARAMETERS and x.__class__ is Tensor
            }
            return function.implementation(*function.bind((), given | numbers))
    return NotImplemented

"""Calls whose numbers stand between the tensors, as old programs have them: ``p.add_(-0.1, p.grad)``.

PyTorch still takes these, with a warning (its ``tools/autograd/deprecated.yaml`` lists them).
"""

from __future__ import annotations

from autodiff.core.functions import MISSING
from autodiff.core.mode import mode
from autodiff.core.op import PLAIN_NUMBERS
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.functions import Function

#: The names that stand for numbers; all others stand for tensors.
NUMBERS = frozenset(["alpha", "beta", "value"])
#: Of functions, and of methods where their tensor does not come first.
ONE_NUMBER: dict[str, list[tuple[str, ...]]] = {
    "add": [("input", "alpha", "other")],
    "sub": [("input", "alpha", "other")],
    "addcmul": [("input", "value", "tensor1", "tensor2")],
    "addcdiv": [("input", "value", "tensor1", "tensor2")],
}
FACTORS = {
    "addmm": ("mat1", "mat2"),
    "addmv": ("mat", "vec"),
    "addr": ("vec1", "vec2"),
    "addbmm": ("batch1", "batch2"),
    "baddbmm": ("batch1", "batch2"),
}


def orders_of(name: str, is_method: bool) -> Iterator[tuple[str, ...]]:
    """The older orders of a function, each with the tensor of a method in front.

    >>> list(orders_of("addmv", is_method=True))
    [('input', 'beta', 'alpha', 'mat', 'vec'), ('input', 'beta', 'mat', 'vec')]
    """
    name = name.removesuffix("_")
    yield from ONE_NUMBER.get(name, ())
    if name in FACTORS:
        for scales in (("beta", "input", "alpha"), ("beta", "input")):
            first = tuple(sorted(scales, key="input".__ne__)) if is_method else scales
            yield (*first, *FACTORS[name])


def in_present_order(
    name: str, args: Sequence[Any], kwargs: dict[str, Any], is_method: bool
) -> dict[str, Any] | None:
    """The arguments by name where they stand in an older order, else None."""
    for order in orders_of(name, is_method):
        given = dict(zip(order, args, strict=False))
        if len(args) + len(kwargs) != len(order) or given.keys() | kwargs.keys() != set(order):
            continue
        given.update(kwargs)
        if all(given[name].__class__ in (PLAIN_NUMBERS if name in NUMBERS else (Tensor,)) for name in order):
            return given
    return None


def call_in_older_order(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What the call answers, with torch's warning; NotImplemented where no older order fits."""
    for is_method in (False, True):
        given = in_present_order(function.name, args, kwargs, is_method)
        if given is not None:
            break
    else:
        return NotImplemented
    kept = [name for name in given if name != "input" or not (is_method or function.name.endswith("_"))]
    older = ", ".join(f"{'Number' if name in NUMBERS else 'Tensor'} {name}" for name in kept)
    present = [
        f"Tensor {p.name}" if p.default is MISSING else f"Number {p.name} = 1"
        for p in function.parameters
        if p.name in kept or p.default is not MISSING
    ]
    present.insert(sum(text.startswith("Tensor") for text in present), "*")
    mode.warn(
        f"This overload of {function.name} is deprecated:\n    {function.name}({older})\nConsider using"
        f" one of the following signatures instead:\n    {function.name}({', '.join(present)})"
    )
    return function(**given)

"""The operators and conversions of tensors that only Python programs need: the interpreter has its own.

Without them ``w -= step`` would bind ``w`` to a new tensor, and ``if x > 0`` would be true of any tensor.
"""

from __future__ import annotations

import operator

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.in_place import change_by_operator
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import TO_SCALAR_WARNING, Tensor
from autodiff.core.engine.value_checks import is_true, only_entry
from autodiff.core.graph.op import PLAIN_NUMBERS
from autodiff.core.graph.state import mode
from autodiff.core.methods.bookkeeping import numpy, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def call(name: str, *operands: Any) -> Any:
    """Return what the public function ``name`` gives; NotImplemented if an operand is no tensor or number."""
    if any(x.__class__ is not Tensor and x.__class__ not in PLAIN_NUMBERS for x in operands):
        return NotImplemented
    function = find_function(name)
    assert function is not None
    return function(*operands)


def shift_left(x: Any, other: Any) -> Any:
    return call("bitwise_left_shift", x, other)


def shift_right(x: Any, other: Any) -> Any:
    return call("bitwise_right_shift", x, other)


def in_place(operate: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """Return the method for ``op=`` of an operator."""

    def change(x: Tensor, other: Any) -> Any:
        if other.__class__ is not Tensor and other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented
        return change_by_operator(x, other, operate)

    return change


def set_item(x: Tensor, index: Any, value: Any) -> None:
    """Assign ``x[index] = value`` in place."""
    from autodiff.core.ops.select.indexing import assign_item

    assign_item(x, index, value)


def contains(x: Tensor, value: Any) -> bool:
    """Whether an entry is equal to ``value``."""
    found = call("eq", x, value)
    if found is NotImplemented:
        raise TypeError(f"`in` looks for a number or a tensor in a tensor, not for {type(value).__name__}")
    return is_true(call("any", found))


def to_float(x: Tensor) -> float:
    """Return the only entry as a float."""
    return float(number_of(x))


def to_int(x: Tensor) -> int:
    """Return the only entry as an int, rounded towards 0."""
    return int(number_of(x))


def number_of(x: Tensor) -> Any:
    """Return the only entry, with torch's warning if its gradient is lost."""
    if x.requires_grad:
        mode.warn(TO_SCALAR_WARNING)
    return only_entry(x)


def to_index(x: Tensor) -> int:
    """Return the only entry of a tensor of integers, for a position or a count."""
    if x.entry_count != 1 or x.dtype.kind == "f":
        raise ScriptError(
            "only integer tensors of a single element can be converted to an index",
            code="E0203",
            operands=(x,),
            help=("write `int(x)` to round towards 0",) if x.entry_count == 1 else (),
        )
    return int(x.item())


def formatted(x: Tensor, spec: str) -> str:
    """Return the text of a single number by ``spec``; without a spec, that of any tensor."""
    if not x.shape:
        return format(x.item(), spec)
    if spec:
        raise TypeError(f"`{spec}` formats one number: take one out first, as in `x[0].item()`")
    return str(x)


def to_array(x: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """Return the entries for ``numpy.asarray``; GradientError if ``requires_grad``."""
    return np.array(numpy(x), dtype=dtype, copy=copy)


#: The functions by the names that Python gives to the methods.
OPERATORS: dict[str, Callable[..., Any]] = {
    "__iadd__": in_place(operator.add),
    "__isub__": in_place(operator.sub),
    "__imul__": in_place(operator.mul),
    "__itruediv__": in_place(operator.truediv),
    "__ifloordiv__": in_place(operator.floordiv),
    "__imod__": in_place(operator.mod),
    "__ipow__": in_place(operator.pow),
    "__iand__": in_place(operator.and_),
    "__ior__": in_place(operator.or_),
    "__ixor__": in_place(operator.xor),
    "__ilshift__": in_place(shift_left),
    "__irshift__": in_place(shift_right),
    "__lshift__": shift_left,
    "__rlshift__": lambda x, other: shift_left(other, x),
    "__rshift__": shift_right,
    "__rrshift__": lambda x, other: shift_right(other, x),
    "__abs__": lambda x: call("abs", x),
    "__pos__": lambda x: call("positive", x),
    "__setitem__": set_item,
    "__iter__": rows,
    "__contains__": contains,
    "__bool__": is_true,
    "__float__": to_float,
    "__int__": to_int,
    "__index__": to_index,
    "__format__": formatted,
    "__array__": to_array,
}

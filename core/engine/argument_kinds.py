"""The argument kinds used in signatures: which values each accepts, and how it converts them."""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import dtype_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MISSING: Any = object()


def as_tensor(value: Any) -> Any:
    return value if value.__class__ is Tensor else MISSING


def as_tensor_or_number(value: Any) -> Any:
    return value if value.__class__ is Tensor or value.__class__ in (float, int, bool) else MISSING


def as_int(value: Any) -> Any:
    if value.__class__ is int:
        return value
    # In a script without tensors every number is a leaf; an integral one is accepted as an int.
    if value.__class__ is Tensor and value.entry_count == 1 and float(value.item()).is_integer():
        return int(value.item())
    return MISSING


def as_float(value: Any) -> Any:
    if value.__class__ in (float, int, bool):
        return value
    return value.item() if value.__class__ is Tensor and value.entry_count == 1 else MISSING


def as_bool(value: Any) -> Any:
    return value if value.__class__ is bool else MISSING


def as_ints(value: Any) -> Any:
    """Return a tuple of ints made from one int, several ints, or a tuple or list of ints."""
    if value.__class__ is int:
        return (value,)
    if value.__class__ is tuple and len(value) == 1 and isinstance(value[0], (tuple, list)):
        value = value[0]
    if not isinstance(value, (tuple, list)):
        value = (value,)
    # torch checks only the type of the first: a later True counts as 1.
    ints = tuple(int(n) if at and n.__class__ is bool else as_int(n) for at, n in enumerate(value))
    return MISSING if any(n is MISSING for n in ints) else ints


def as_tensors(value: Any) -> Any:
    if value.__class__ is tuple and len(value) == 1 and isinstance(value[0], (tuple, list)):
        value = value[0]
    if isinstance(value, (tuple, list)) and all(v.__class__ is Tensor for v in value):
        return list(value)
    return MISSING


def as_dtype(value: Any) -> Any:
    dtype = dtype_from(value)
    return MISSING if dtype is None else dtype


def as_str(value: Any) -> Any:
    return value if value.__class__ is str else MISSING


#: For each kind, a description of the accepted values and a conversion that returns MISSING for others.
ARGUMENT_KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "value": ("Tensor or Number", as_tensor_or_number),
    "tensor": ("Tensor", as_tensor),
    "tensors": ("tuple of Tensors", as_tensors),
    "int": ("int", as_int),
    "float": ("Number", as_float),
    "bool": ("bool", as_bool),
    "ints": ("tuple of ints", as_ints),
    "size": ("tuple of ints", lambda value: as_ints(value) if isinstance(value, (tuple, list)) else MISSING),
    "sizes": (
        "tuple of ints",
        lambda value: (as_ints if isinstance(value, (tuple, list)) else as_int)(value),
    ),
    "dtype": ("torch.dtype", as_dtype),
    "str": ("str", as_str),
    "any": ("anything", lambda value: value),
}


#: For each kind, the classes whose values the conversion returns unchanged.
UNCONVERTED_CLASSES: dict[str, frozenset[type]] = {
    kind: frozenset(classes)
    for kind, classes in {
        **dict.fromkeys(ARGUMENT_KINDS, ()),
        "value": (Tensor, float, int, bool),
        "tensor": (Tensor,),
        "int": (int,),
        "float": (float, int, bool),
        "bool": (bool,),
        "str": (str,),
    }.items()
}

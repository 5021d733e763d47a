"""Numbers of Python from the values of a script: what ``int()`` and ``float()`` answer."""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import TO_SCALAR_WARNING, Tensor
from autodiff.core.fast.array_operators import is_tracked_tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES, as_index, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

value_checks = LazyModule("autodiff.core.engine.value_checks")


def is_recorded_number(x: Any) -> bool:
    """Whether a value stands for a number of a script without tensors that gradients flow to."""
    return (
        runtime.without_tensors
        and x.__class__ is Tensor
        and not x.shape
        and mode.enabled
        and is_tracked_tensor(x)
    )


def to_int(x: Any = 0, /, base: Any = None) -> int:
    if x.__class__ is Tensor:
        x = value_checks.only_entry(x)
    if x.__class__ is str:
        digits = x.strip()
        if len(digits) > 100:
            raise operators.overflow_error()
        made: int = operators.checked_int(
            int(digits) if base is None else int(digits, as_index(base, "a base"))
        )
        return made
    if x.__class__ not in NUMBER_CLASSES:
        raise ScriptError(
            f"int() argument must be a string, a bytes-like object or a real number, not '{type_name(x)}'",
            code="E0203",
        )
    whole: int = operators.checked_int(int(x))
    return whole


def to_number(x: Tensor) -> Any:
    """Return the number in a tensor of one entry, with torch's warning if its gradient is lost."""
    if x.requires_grad:
        runtime.tell(TO_SCALAR_WARNING)
    return value_checks.only_entry(x)


def same_number(x: Tensor) -> Tensor:
    """Return a recorded number as ``float()`` does: the same one, which is printed as a number."""
    made = Tensor.of(x.value, x.stored_node, x.requires_grad_flag)
    made.grad_slot = x.grad_slot
    if x.stored_node is None and x.tape is not None:  # a leaf has no place on the tape of its own
        made.tape, made.tape_position, made.array_spec = x.tape, x.tape_position, x.array_spec
    runtime.floats[id(made)] = ref(made)
    return made


def to_float(x: Any = 0.0, /) -> Any:
    """Return ``float(x)``, which in a script without tensors keeps a recorded number in the graph."""
    if runtime.prints_numbers and x.__class__ is Tensor and x.shape and x.entry_count == 1:
        x = FUNCTIONS["torch.reshape"](x, ())  # an array of one entry
    if is_recorded_number(x):
        return same_number(x)
    if x.__class__ is Tensor:
        return float(to_number(x))
    if x.__class__ is str:
        if len(x) > 1000:
            raise ScriptError(f"could not convert string to float: {x[:20]!r}...", code="E0206")
        return float(x)
    if x.__class__ not in NUMBER_CLASSES:
        raise ScriptError(
            f"float() argument must be a string or a real number, not '{type_name(x)}'", code="E0203"
        )
    return float(x)

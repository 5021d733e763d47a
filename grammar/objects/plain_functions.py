"""Calls of core's functions in scripts without tensors, where numbers stand beside the leaves.

``sqrt(2)`` is a number there, as in ``math``, and ``stack([c[0], 0])`` and ``hypot(x, 3)`` take the number as
a constant. A script that is written as torch keeps torch's refusal.
"""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.apply import cast
from autodiff.core.engine.public_functions import Parameter, PublicFunction, find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import float64, int64
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.core.methods.lookup import find_tensor_method
from autodiff.grammar.objects import plain_text
from autodiff.grammar.objects.argument_check import takes_base
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.dtypes import DType


def call_plain(function: PublicFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function of core with numbers and lists in place of tensors.

    The result is a number where all arguments are numbers. ``log`` takes a base, as in ``math``.
    """
    of_numbers = not any(map(holds_tensor, (*args, *kwargs.values())))
    if takes_base(function, len(args)):
        from autodiff.grammar.objects.math_functions import logarithm

        made = logarithm(*[as_tensor(x, True) for x in args])
    else:
        are_floats = not (runtime.prints_numbers or function.name.startswith("bitwise"))
        fitted = fit_all(function, args, kwargs, of_numbers, are_floats)
        try:
            made = function(*fitted[0], **fitted[1])
        except ScriptError as error:
            if error.code != "E0312" or not runtime.prints_numbers:
                raise
            # numpy takes whole numbers and truth values as floats where torch refuses them.
            placed, named = fitted
            made = function(*map(as_floats, placed), **{name: as_floats(x) for name, x in named.items()})
    if not of_numbers or made.__class__ is not Tensor or made.shape:
        return whole_as(made, (*args, *kwargs.values())) if function.name in JOINED else made
    number = made.item()
    return int(number) if function.name in WHOLE and math.isfinite(number) else number


def fit_all(
    function: PublicFunction, args: Sequence[Any], kwargs: dict[str, Any], of_numbers: bool, are_floats: bool
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call with tensors where the function needs them."""
    parameters = function.parameters
    by_name = {parameter.name: parameter for parameter in parameters}
    placed = [
        fit(x, parameters[min(at, len(parameters) - 1)], of_numbers, are_floats) for at, x in enumerate(args)
    ]
    named = {
        name: fit(x, by_name[name], of_numbers, are_floats) if name in by_name else x
        for name, x in kwargs.items()
    }
    return placed, named


def as_floats(x: Any) -> Any:
    """Return arrays of whole numbers or truth values, also those in a list, as arrays of floats."""
    if x.__class__ in (list, tuple):
        return [as_floats(entry) for entry in x]
    return cast(x, float64) if x.__class__ is Tensor and not x.dtype.is_floating_point else x


def of_one_type(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """Return the operands of a product of matrices in the type of numpy's result."""
    if x.dtype is y.dtype:
        return x, y
    common = float64 if "f" in (x.dtype.kind, y.dtype.kind) else int64
    return tuple([z if z.dtype is common else cast(z, common) for z in (x, y)])


def dot(a: Any, b: Any) -> Any:
    """Return numpy's ``dot``: the product of numbers, the dot product of vectors, or that of matrices."""
    x, y = of_one_type(as_tensor(a, False), as_tensor(b, False))
    name = "mul" if not (x.ndim and y.ndim) else "dot" if x.ndim == y.ndim == 1 else "matmul"
    if y.ndim > 2:
        return call_plain(find("tensordot"), (x, y), {"dims": ([x.ndim - 1], [y.ndim - 2])})
    return call_plain(find(name), (x, y), {})


def find(name: str) -> PublicFunction:
    function = find_function(name)
    assert isinstance(function, PublicFunction)
    return function


def copy_array(a: Any) -> Any:
    """Return a copy of an array, or of a number or lists as an array."""
    return call_plain(find("clone"), (as_tensor(a, True),), {})


def converted(x: Tensor, dtype: DType) -> Tensor:
    """Return an array with entries of another type."""
    convert = find_tensor_method("to")
    assert convert is not None
    made: Tensor = convert(x, dtype)
    return made


#: The methods of numpy's arrays that torch's tensors lack, or that do something else there.
ARRAY_METHODS = {"copy": copy_array, "dot": dot}

#: Parameters that also take no number that gradients flow to, though their kind is not "float".
CONSTANTS = frozenset(["n", "ord", "p", "start", "end"])

#: Functions whose result is whole if all that they get is; core makes the whole constants floats before.
JOINED = frozenset(
    ["cat", "column_stack", "conv1d", "dstack", "hstack", "kron", "stack", "tensordot", "vstack"]
)
#: The functions whose result is a whole number in Python.
WHOLE = frozenset(["floor", "ceil", "trunc"])


def holds_tensor(x: Any) -> bool:
    return x.__class__ is Tensor or (x.__class__ in (list, tuple) and any(map(holds_tensor, x)))


def fit(x: Any, parameter: Parameter, of_numbers: bool, are_floats: bool) -> Any:
    """Return an argument as a tensor where the parameter needs one.

    Beside a tensor core's operators take a number as it is; in a call ``of_numbers`` there is none.
    """
    kind = parameter.kind
    if kind == "tensors" and x.__class__ in (list, tuple):
        return [as_tensor(entry, are_floats) for entry in x]
    if kind in ("tensor", "tensors") or (kind == "value" and (of_numbers or x.__class__ in (list, tuple))):
        return as_tensor(x, are_floats)
    if (kind == "float" or parameter.name in CONSTANTS) and is_tracked(x):
        runtime.tell(f"`{parameter.name}` is used as a constant here: no gradient flows to it")
    return x


def is_tracked(x: Any) -> bool:
    """Whether gradients flow to a value or to an entry of a list."""
    if x.__class__ in (list, tuple):
        return any(map(is_tracked, x))
    return x.__class__ is Tensor and mode.enabled and x.requires_grad


def as_tensor(x: Any, are_floats: bool) -> Any:
    """Return a number, or nested lists of numbers and tensors, as a tensor; other values unchanged.

    ``are_floats``: whole numbers become floats, as the leaves are.
    """
    if x.__class__ in NUMBER_CLASSES:
        if x.__class__ is float or (are_floats and x.__class__ is int):
            return Tensor.of(float(x))
        return Tensor.of(as_stored(np.asarray(x)))
    if x.__class__ not in (list, tuple) or not x:
        return x
    entries = [as_tensor(entry, are_floats) for entry in x]
    if any(entry.__class__ is not Tensor for entry in entries):
        return x
    stack: Any = find_function("stack")
    return whole_as(stack(entries), entries)


def whole_as(made: Any, parts: Any) -> Any:
    """Return an array made of ``parts`` as one of whole numbers where all of them are whole in numpy."""
    is_of_floats = runtime.prints_numbers and made.__class__ is Tensor and made.dtype.is_floating_point
    return plain_text.as_whole(made) if is_of_floats and are_whole(parts) else made


def are_whole(x: Any) -> bool:
    """Whether arrays, numbers and lists of them hold whole numbers alone."""
    if x.__class__ in (list, tuple):
        return all(map(are_whole, x))
    return plain_text.is_whole(x) if x.__class__ is Tensor else x.__class__ is int

"""Arrays that do not change in place: JAX's, and those that autograd follows through a function.

``b += 1`` gives ``b`` a new array there, and other names keep the old one; ``x[0] = 5`` is refused. JAX has
``x.at[0].set(5)`` for it, which returns a new array.
"""

from __future__ import annotations

from autodiff.core.base.errors import TYPE_NAMES, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import operators, plain_arrays
from autodiff.grammar.objects.attributes import METHODS
from autodiff.grammar.objects.numpy_functions import array_of, call
from autodiff.grammar.objects.plain_functions import converted, is_tracked
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


FROM_ENTRIES = "put the array together from its entries: `np.array([...])`, `np.where` or `np.concatenate`"


class ArrayAt:
    """``x.at`` of an array; with an index it is the entries there."""

    __slots__ = ("array",)

    def __init__(self, array: Tensor) -> None:
        self.array = array


class EntriesAt:
    """``x.at[index]``: entries, of which the methods return a changed copy of the array."""

    __slots__ = ("array", "index")

    def __init__(self, array: Tensor, index: Any) -> None:
        self.array = array
        self.index = index

    def places(self) -> Any:
        """The numbers of the entries in the flat array. Error: an index that does not fit."""
        parts = self.index if self.index.__class__ is tuple else (self.index,)
        numbered = np.arange(self.array.entry_count).reshape(self.array.shape)
        try:
            return numbered[tuple([plain_arrays.as_numbers(part) for part in parts])]
        except IndexError as error:
            raise ScriptError(str(error), code="E0307", caret="the array has no such entries") from None


TYPE_NAMES[ArrayAt] = "_IndexUpdateHelper"
TYPE_NAMES[EntriesAt] = "_IndexUpdateRef"


def is_fixed(x: Tensor) -> bool:
    """Whether an array does not change in place: any of JAX, else those that a derivative follows."""
    return runtime.fixed_arrays == "jax" or (runtime.followed > 0 and is_tracked(x))


def check_assignment(x: Tensor, value: Any) -> None:
    """Raise ScriptError for ``x[index] = value`` of an array or a value of the library, in its words."""
    if is_fixed(x):
        raise refused_assignment()
    if value.__class__ is Tensor and is_fixed(value):
        raise ScriptError(
            "setting an array element with a sequence.",
            code="E0203",
            caret="an array of numpy takes no value that a derivative follows",
            help=(FROM_ENTRIES,),
        )


def refused_assignment() -> ScriptError:
    if runtime.fixed_arrays == "autograd":
        return ScriptError(
            "'ArrayBox' object does not support item assignment",
            code="E0203",
            caret="autograd follows this array, which does not change",
            help=(FROM_ENTRIES,),
        )
    return ScriptError(
        "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use"
        " x = x.at[idx].set(y) or another .at[] method",
        code="E0203",
        caret="arrays of JAX do not change",
        help=("`x.at[idx].set(y)` is a new array: write `x = x.at[idx].set(y)`; for `+=` it is `.add(y)`",),
    )


def written(at: EntriesAt, values: Any, accumulate: bool = False) -> Any:
    """Return the array with other values at the entries, or with values added to them."""
    places = at.places()
    x = at.array
    if plain_arrays.takes_no_fractions(x):
        values = plain_arrays.whole_for(x, values)
    spread = call("broadcast_to", array_of(values), places.shape)
    flat, new = call("reshape", x, (-1,)), call("reshape", spread, (-1,))
    new = new if new.dtype is x.dtype else converted(new, x.dtype)
    index = (Tensor.of(places.reshape(-1)),)
    return call("reshape", call("index_put", flat, index, new, accumulate), tuple(x.shape))


def by_operator(operate: Callable[[Any, Any], Any]) -> Callable[[EntriesAt, Any], Any]:
    """Return a method that puts ``operate(entry, value)`` at each of the entries."""

    def method(at: EntriesAt, values: Any) -> Any:
        places = at.places()
        if len(np.unique(places)) < places.size:
            raise ScriptError(
                "an index that names an entry twice can only be set or added to here",
                code="E0203",
                caret="JAX would take each of the values in turn",
                help=("name each entry once",),
            )
        return written(at, operate(entries(at), values))

    return method


def entries(at: EntriesAt) -> Any:
    """Return the entries themselves."""
    taken = at.places()
    flat = call("reshape", at.array, (-1,))
    return call("reshape", call("index_select", flat, 0, Tensor.of(taken.reshape(-1))), taken.shape)


AT_METHODS: dict[str, Callable[..., Any]] = {
    "add": lambda at, values: written(at, values, True),
    "apply": lambda at, function: written(at, function(entries(at))),
    "divide": by_operator(operators.truediv),
    "get": entries,
    "max": by_operator(lambda x, y: call("maximum", x, array_of(y))),
    "min": by_operator(lambda x, y: call("minimum", x, array_of(y))),
    "mul": by_operator(operators.mul),
    "multiply": by_operator(operators.mul),
    "power": by_operator(operators.power),
    "set": written,
    "subtract": lambda at, values: written(at, operators.negative(array_of(values)), True),
}
METHODS.update({(EntriesAt, name): Builtin(name, method) for name, method in AT_METHODS.items()})

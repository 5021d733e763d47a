"""What numpy has behind functions of two arrays: ``np.add.reduce``, ``accumulate``, ``outer`` and ``at``."""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import operators, plain_arrays, plain_text, subscripts
from autodiff.grammar.objects.numpy_functions import array_of, call
from autodiff.grammar.objects.plain_functions import call_plain, converted
from autodiff.grammar.objects.values import Builtin, as_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: By the function: the one that reduces an array, and the one that gives all results on the way.
REDUCTIONS = {
    "add": ("sum", "cumsum"),
    "mul": ("prod", "cumprod"),
    "multiply": ("prod", "cumprod"),
    "maximum": ("amax", "cummax"),
    "minimum": ("amin", "cummin"),
}
#: Where several values for one entry are added up.
SUMS = {"add": 1, "sub": -1, "subtract": -1}


def ufunc_method(function: PublicFunction, name: str) -> Builtin | None:
    """Return ``np.add.reduce`` or the like; None for what numpy has not, or the language."""
    if len(function.parameters) < 2 or function.parameters[1].keyword_only:
        return None
    whole = f"{function.name}.{name}"
    if name == "outer":
        return Builtin(whole, partial(outer, function))
    if name == "at":
        sign = SUMS.get(function.name)
        return Builtin(whole, partial(changed_at, function) if sign is None else partial(added_at, sign))
    if function.name not in REDUCTIONS:
        return None
    over, along = REDUCTIONS[function.name]
    return Builtin(whole, partial(reduced, over) if name == "reduce" else partial(accumulated, along))


def reduced(name: str, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False) -> Any:
    """Return numpy's ``add.reduce`` and its like, which go along the first axis where none is named."""
    x = array_of(array)
    if name == "prod" and (axis is None or axis.__class__ is tuple):
        x, axis = call("reshape", x, (-1,)) if axis is None else x, 0 if axis is None else axis
    given = {} if axis is None else {"dim": axis, "keepdim": keepdims}
    return call(name, x, **given)


def accumulated(name: str, array: Any, axis: Any = 0) -> Any:
    """Return numpy's ``add.accumulate`` and its like: the results of more and more entries."""
    made = call(name, array_of(array), as_index(axis, "an axis"))
    return made if made.__class__ is Tensor else made[0]


def outer(function: PublicFunction, a: Any, b: Any) -> Any:
    """Return a function of each entry of one array and each of another."""
    x, y = array_of(a), array_of(b)
    return call_plain(function, (call("reshape", x, (*x.shape, *[1] * y.ndim)), y), {})


def added_at(sign: int, a: Any, indices: Any, b: Any) -> None:
    """Add to entries, or subtract with the sign -1: to one that an index names several times each value."""
    places, values = places_and_values(a, indices, b)
    terms = call("reshape", operators.mul(values, float(sign)), (-1,))
    zeros = call("zeros_like", call("reshape", a, (-1,)))
    change = call("index_add", zeros, 0, call("reshape", places, (-1,)), converted(terms, zeros.dtype))
    write_all(a, operators.add(a, call("reshape", change, a.shape)), b)


def changed_at(function: PublicFunction, a: Any, indices: Any, b: Any) -> None:
    """Give entries the function of themselves and a value, once for each time that an index names them."""
    places, values = places_and_values(a, indices, b)
    flat, terms = call("clone", call("reshape", a, (-1,))), call("reshape", values, (-1,))
    todo = np.arange(places.entry_count)
    while todo.size:
        _, firsts = np.unique(places.data.reshape(-1)[todo], return_index=True)
        now, todo = todo[firsts], np.delete(todo, firsts)
        at = Tensor.of(places.data.reshape(-1)[now])
        subscripts.set_item(flat, at, call_plain(function, (flat[at], terms[Tensor.of(now)]), {}))
    write_all(a, call("reshape", flat, a.shape), b)


def places_and_values(a: Any, indices: Any, b: Any) -> tuple[Tensor, Any]:
    """Return the places that an index names, by number, and a value for each of them."""
    places = subscripts.get_item(Tensor.of(np.arange(a.entry_count).reshape(a.shape)), indices)
    return places, operators.add(call("zeros_like", subscripts.get_item(a, indices)), array_of(b))


def write_all(a: Any, made: Tensor, b: Any) -> None:
    """Give an array new entries, which are whole where it and the values ``b`` are."""
    is_whole = plain_text.is_array_of_whole(a) and plain_arrays.takes_no_fractions(array_of(b))
    subscripts.set_item(a, ..., plain_text.as_whole(made) if is_whole else made)

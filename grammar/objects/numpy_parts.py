"""Functions of numpy that take arrays apart, put them together, or pick and fill entries.

They are those that core has under other arguments, or not at all.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import FUNCTIONS as PUBLIC_FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import operators, plain_arrays, plain_text, subscripts
from autodiff.grammar.objects.numpy_functions import (
    along,
    arange,
    array_of,
    call,
    constant,
    floats_of,
    is_array,
    linspace,
)
from autodiff.grammar.objects.plain_functions import call_plain
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import BracketFunction, Builtin, GradMode, as_index, is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def parts_of(must_be_equal: bool) -> Callable[..., Any]:
    """Return numpy's ``split``, or ``array_split``: into a number of parts, or at places."""

    def function(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
        x, at = along(ary, axis)
        places = indices_or_sections
        if is_array(places):
            return list(call("tensor_split", x, tuple(as_index(place, "a place") for place in places), at))
        count = as_index(places, "a number of parts")
        if must_be_equal and x.shape[at] % count:
            raise ScriptError(
                "array split does not result in an equal division",
                code="E0206",
                caret=f"{x.shape[at]} entries make no {count} equal parts",
                help=("`np.array_split` makes parts of different sizes",),
            )
        return list(call("tensor_split", x, count, at))

    return function


def taken(a: Any, indices: Any, axis: Any = None) -> Any:
    """Return numpy's ``take``: the entries at some positions along an axis."""
    x, at = along(a, axis)
    return subscripts.get_item(x, (slice(None),) * at + (indices,))


def positions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numpy that makes positions of whole arguments, as ``tril_indices`` does."""

    def of_numbers(*args: Any, **kwargs: Any) -> Any:
        made = function(
            *[as_index(x, "a size") for x in args], **{key: as_index(x, key) for key, x in kwargs.items()}
        )
        return tuple(Tensor.of(part) for part in made)

    return of_numbers


def deleted(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Return numpy's ``delete``: an array without the entries at some positions along an axis."""
    x, at = along(arr, axis)
    places = positions_in(obj)
    return entries_in_order(x, at, lambda numbers: np.delete(numbers, places))


def inserted(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Return numpy's ``insert``: an array with more entries before some positions along an axis."""
    x, at = along(arr, axis)
    places, new = positions_in(obj), array_of(values)
    if plain_text.is_whole(x):
        new = plain_text.as_whole(plain_arrays.whole_for(x, new))
    new = call("reshape", new, (1,) * (x.ndim - new.ndim) + tuple(new.shape))
    if places.__class__ is int:  # numpy takes the values for one place as rows
        new = call("movedim", new, 0, at)
    size = x.shape[at]
    count = new.shape[at] if places.__class__ is int else np.arange(size + 1)[places].size
    sizes = [count if dim == at else length for dim, length in enumerate(x.shape)]
    both = call("cat", [x, call("broadcast_to", new, sizes)], at)
    return entries_in_order(both, at, lambda numbers: np.insert(numbers[:size], places, numbers[size:]))


def positions_in(obj: Any) -> Any:
    """Return positions as numpy takes them: a whole number, or an array of numbers or truth values."""
    if not is_array(obj):
        return as_index(obj, "a place")
    x = array_of(obj).data
    return x if x.dtype.kind == "b" else np.array([as_index(place, "a place") for place in x.tolist()], int)


def entries_in_order(x: Tensor, at: int, order: Callable[[Any], Any]) -> Any:
    """Return entries of ``x`` along dimension ``at`` in the order that ``order`` puts their numbers in.

    Error: a position that the array does not have.
    """
    try:
        places = order(np.arange(x.shape[at]))
    except (IndexError, ValueError) as error:
        raise ScriptError(str(error), code="E0307", caret="the array has no such position") from None
    return call("index_select", x, at, Tensor.of(places))


def block(arrays: Any) -> Any:
    """Return numpy's ``block``: of nested lists of arrays the innermost are joined along the last axis."""
    inner, depth = arrays, 0
    while inner.__class__ is list:
        inner, depth = inner[0], depth + 1

    def joined(part: Any, level: int) -> Any:
        if part.__class__ is list:
            return call("cat", [joined(one, level - 1) for one in part], -level)
        x = array_of(part)
        return call("reshape", x, (1,) * (depth - x.ndim) + tuple(x.shape))

    return joined(arrays, depth)


def places_among(x: Any, bins: Any, right: Any = False) -> Any:
    """Return numpy's ``digitize``: between which of the bounds values lie, as positions."""
    made = np.digitize(array_of(x).data, array_of(bins).data, is_true(right))
    return Tensor.of(made) if made.shape else int(made)


def listed(axes: Any) -> Any:
    """Return the axes of ``tensordot`` as torch takes them: a number, or two lists."""
    is_pair = axes.__class__ in (list, tuple)
    return tuple([one if one.__class__ in (list, tuple) else [one] for one in axes]) if is_pair else axes


def fill_diagonal(a: Any, val: Any) -> None:
    """Write a value, or one for each place, on the diagonal of a matrix, which changes in place."""
    places = Tensor.of(np.arange(min(array_of(a).shape)))
    subscripts.set_item(a, (places, places), val)


def convolution(a: Any, v: Any, mode: Any = "full", is_flipped: bool = True) -> Any:
    """Return numpy's ``convolve``, and without the flip ``correlate``: sums of products of shifted arrays."""
    longer, shorter = array_of(a), array_of(v)
    if len(longer) < len(shorter):
        longer, shorter = shorter, longer
        if not is_flipped:  # c(a, v)[k] is c(v, a)[-k]
            return call("flip", convolution(longer, shorter, mode, False), 0)
    size = len(shorter)
    if mode not in ("full", "same", "valid"):
        raise ScriptError(f"mode must be 'full', 'same' or 'valid', not {mode!r}", code="E0206")
    kernel = call("flip", shorter, 0) if is_flipped else shorter
    whole = call_plain(
        PUBLIC_FUNCTIONS["F.conv1d"],
        (call("reshape", longer, (1, 1, -1)), call("reshape", kernel, (1, 1, -1))),
        {"padding": size - 1},
    )
    made = call("reshape", whole, (-1,))
    if mode == "full":
        return made
    count = len(longer) if mode == "same" else len(longer) - size + 1
    start = (len(made) - count) // 2
    return made[start : start + count]


def selected(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return numpy's ``select``: of each place the choice of the first condition that holds."""
    made = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        made = call("where", condition, choice, made)
    return made


def vectorized(pyfunc: Any) -> Builtin:
    """Return numpy's ``vectorize``: the function that calls ``pyfunc`` with each entry of an array."""

    def function(*args: Any) -> Any:
        arrays = call("broadcast_tensors", *map(array_of, args))
        entries = [call("reshape", x, (-1,)) for x in arrays]
        results = [pyfunc(*[subscripts.get_item(x, at) for x in entries]) for at in range(len(entries[0]))]
        return call("reshape", array_of(results), tuple(arrays[0].shape))

    return Builtin("vectorize", function)


def are_equal(a1: Any, a2: Any) -> bool:
    x, y = array_of(a1), array_of(a2)
    return x.shape == y.shape and bool(np.array_equal(x.data, y.data))


def logspace(start: Any, stop: Any, num: Any = 50, base: Any = 10.0) -> Any:
    return operators.power(base, linspace(start, stop, num))


def geomspace(start: Any, stop: Any, num: Any = 50) -> Any:
    return call("exp", linspace(call("log", start), call("log", stop), num))


def inserted_dims(count: int) -> Callable[..., Any]:
    """Return numpy's ``atleast_1d`` or ``atleast_2d``."""
    return lambda x: call(f"atleast_{count}d", array_of(x))


def place_of(a: Any, v: Any, side: Any = "left") -> Any:
    """Return numpy's ``searchsorted``: before which entries of an ordered array values belong."""
    made = np.searchsorted(array_of(a).data, array_of(v).data, side)
    return Tensor.of(made) if made.shape else int(made)


def truth_of(name: str) -> Callable[..., Any]:
    """Return numpy's ``logical_and`` or its like, of arrays and numbers."""
    return lambda *args: call(name, *[array_of(x) for x in args])


def set_printoptions(**options: Any) -> None:
    """Run ``np.set_printoptions`` until the script ends: arrays print as numpy's do."""
    before = np.get_printoptions()
    runtime.resets.append(lambda: np.set_printoptions(**before))
    np.set_printoptions(**options)


def points(part: slice) -> Any:
    """Return the numbers that a slice means in ``np.r_[...]``: ``0:1:0.5`` steps, ``0:1:5j`` that many."""
    start = 0 if part.start is None else part.start
    if part.step.__class__ is complex:
        return linspace(start, part.stop, int(abs(part.step)))
    return arange(start, part.stop, 1 if part.step is None else part.step)


def parts_of_index(index: Any) -> list[Any]:
    """Return the arrays that the parts of ``np.r_[...]`` mean. Error: a text, which chooses an axis there."""
    parts = index if index.__class__ is tuple else (index,)
    if any(part.__class__ is str for part in parts):
        raise ScriptError(
            "a text in `np.r_[...]` is not in the language",
            code="E0203",
            caret="it would choose the axis",
            help=("write the axis, as in `np.concatenate([a, b], axis=1)`",),
        )
    return [points(part) if part.__class__ is slice else array_of(part) for part in parts]


def joined_rows(index: Any) -> Any:
    """Return ``np.r_[index]``: numbers, slices and arrays one after the other."""
    return call("cat", [part if part.ndim else call("reshape", part, (1,)) for part in parts_of_index(index)])


def joined_columns(index: Any) -> Any:
    """Return ``np.c_[index]``: vectors as columns, joined along the last axis."""
    parts = [part if part.ndim else call("reshape", part, (1,)) for part in parts_of_index(index)]
    return call("cat", [part if part.ndim > 1 else call("unsqueeze", part, 1) for part in parts], -1)


def dense_grid(index: Any) -> Any:
    """Return ``np.mgrid[index]``: for each slice the coordinates of all points of the grid."""
    if index.__class__ is slice:
        return points(index)
    return call("stack", list(call("meshgrid", *parts_of_index(index), indexing="ij")))


def open_grid(index: Any) -> Any:
    """Return ``np.ogrid[index]``: for each slice its points along an axis of their own."""
    if index.__class__ is slice:
        return points(index)
    parts = parts_of_index(index)
    if not all(map(plain_text.is_whole, parts)):
        parts = [floats_of(part) for part in parts]
    return tuple(
        call("reshape", part, [-1 if dim == at else 1 for dim in range(len(parts))])
        for at, part in enumerate(parts)
    )


#: What numpy calls with brackets.
BRACKETED = {
    "c_": BracketFunction("c_", joined_columns),
    "index_exp": BracketFunction("index_exp", lambda index: index if index.__class__ is tuple else (index,)),
    "mgrid": BracketFunction("mgrid", dense_grid),
    "ogrid": BracketFunction("ogrid", open_grid),
    "r_": BracketFunction("r_", joined_rows),
    "s_": BracketFunction("s_", lambda index: index),
}
#: numpy's functions by their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "argwhere": lambda a: Tensor.of(np.argwhere(array_of(a).data)),
    "array_equal": are_equal,
    "array_split": parts_of(False),
    "atleast_1d": inserted_dims(1),
    "atleast_2d": inserted_dims(2),
    "bincount": lambda x, weights=None, minlength=0: call("bincount", array_of(x), weights, minlength),
    "block": block,
    "convolve": convolution,
    "correlate": lambda a, v, mode="valid": convolution(a, v, mode, False),
    "delete": deleted,
    "diag_indices": positions(lambda *args, **kwargs: np.diag_indices(*args, **kwargs)),
    "digitize": places_among,
    "ediff1d": lambda ary: call("diff", along(ary, None)[0]),
    "errstate": lambda **kinds: GradMode("errstate", mode.enabled),  # as for `seterr`
    "fill_diagonal": fill_diagonal,
    "geomspace": geomspace,
    "insert": inserted,
    "ix_": lambda *args: tuple(Tensor.of(at) for at in np.ix_(*[array_of(x).data for x in args])),
    "logical_and": truth_of("logical_and"),
    "logical_not": truth_of("logical_not"),
    "logical_or": truth_of("logical_or"),
    "logical_xor": truth_of("logical_xor"),
    "logspace": logspace,
    "ndim": lambda a: array_of(a).ndim,
    "nonzero": lambda a: tuple(Tensor.of(at) for at in np.nonzero(array_of(a).data)),
    "searchsorted": place_of,
    "select": selected,
    "seterr": lambda **kinds: None,  # numbers are computed without warnings
    "set_printoptions": set_printoptions,
    "shape": lambda a: array_of(a).shape,
    "size": lambda a: array_of(a).entry_count,
    "split": parts_of(True),
    "take": taken,
    "tensordot": lambda a, b, axes=2: call("tensordot", array_of(a), array_of(b), listed(axes)),
    "tri": lambda N, M=None, k=0: call("tril", constant("ones")((N, N if M is None else M)), k),
    "tril_indices": positions(lambda *args, **kwargs: np.tril_indices(*args, **kwargs)),
    "triu_indices": positions(lambda *args, **kwargs: np.triu_indices(*args, **kwargs)),
    "unravel_index": lambda at, shape: tuple(
        int(i) for i in np.unravel_index(as_index(at, "a place"), shape)
    ),
    "vander": lambda x, N=None: call("vander", array_of(x), N),
    "vectorize": vectorized,
}
NUMPY_PARTS: dict[str, Any] = {
    **BRACKETED,
    **{name: Builtin(name, function) for name, function in FUNCTIONS.items()},
}

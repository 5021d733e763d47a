"""What arrays of scripts without tensors do as numpy's do, and torch's tensors do not.

Slices may go backwards, arrays of whole numbers are positions though they hold floats here, and the zeros of
remainders have the sign of the divisor.
"""

from __future__ import annotations

import math
from weakref import ref

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import shares_memory
from autodiff.core.engine.in_place import change_by_operator
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import bool_, int64, uint8
from autodiff.grammar.objects import numpy_bytes, plain_text
from autodiff.grammar.objects.plain_functions import call_plain, converted, find, is_tracked
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.subscripts import is_backward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def read_backwards(x: Tensor, index: Any) -> Any:
    """Return ``x[index]`` for an index with slices of steps below 0: their dimensions are flipped first."""
    parts = list(index) if index.__class__ is tuple else [index]
    taken = sum(map(dimensions_taken, parts))
    dim, flipped = 0, []
    for at, part in enumerate(parts):
        if part is Ellipsis:
            dim += x.ndim - taken
            continue
        if is_backward(part) and dim < x.ndim:
            positions, last = range(*part.indices(x.shape[dim])), x.shape[dim] - 1
            flipped.append(dim)
            parts[at] = slice(0, 0)
            if positions:
                parts[at] = slice(last - positions[0], last - positions[-1] + 1, -part.step)
        dim += dimensions_taken(part)
    made: Tensor = call_plain(find("flip"), (x, tuple(flipped)), {})[tuple(parts)]
    if runtime.prints_numbers and made.shape and not plain_text.is_part_of_list(x):
        runtime.backward_parts.append((ref(made), ref(x)))
    return made


def refuse_change_behind_part(x: Tensor) -> None:
    """Raise ScriptError if numpy's change of ``x`` would show in an array that is a copy here.

    That is a part taken backwards, which numpy makes a view of its array.
    """
    runtime.backward_parts = [
        pair for pair in runtime.backward_parts if pair[0]() is not None and pair[1]() is not None
    ]
    for pair in runtime.backward_parts:
        if any(one is not None and (one is x or shares_memory(one, x)) for one in (pair[0](), pair[1]())):
            raise ScriptError(
                "an array and a part taken backwards are not changed together here, as numpy changes them",
                code="E0203",
                caret="this would change the other one too",
                help=("take a copy, as in `x[::-1].copy()`",),
            )


def dimensions_taken(part: Any) -> int:
    """Return how many dimensions a part of an index is for; of ``...`` 0."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if part.__class__ is Tensor and part.dtype is bool_ else 1


def as_positions(x: Tensor) -> Tensor:
    """Return an array of whole numbers as positions; any other array unchanged.

    A value of a script that a formula names has no literal to ask: its numbers decide.
    """
    if x.dtype is uint8:
        return converted(x, int64)  # it would be a mask in torch
    if not x.dtype.is_floating_point:
        return x
    made_here = plain_text.origin(x) is not None
    if not (plain_text.is_whole(x) if made_here else np.all(x.data == np.trunc(x.data))):
        return x
    return converted(x.detach(), int64)


def without_repeats(x: Tensor, index: Any, value: Any) -> tuple[Any, Any]:
    """Return an index of ``x`` and the values for it without those that numpy writes over.

    Of the values for one entry numpy keeps the last one, so only this one gets a gradient.
    Error: such an index of several dimensions.
    """
    if value.__class__ is not Tensor or not value.shape:
        return index, value
    parts = [as_numbers(part) for part in (index if index.__class__ is tuple else (index,))]
    if not any(isinstance(part, np.ndarray) and part.ndim and part.dtype.kind == "i" for part in parts):
        return index, value
    if len(parts) == 1 and parts[0].ndim == 1:
        places = parts[0] % x.shape[0]
        last = len(places) - 1 - np.unique(places[::-1], return_index=True)[1]
        if len(last) < len(places):
            kept = np.sort(last)
            is_spread = value.ndim < x.ndim or value.shape[0] == 1
            return Tensor.of(parts[0][kept]), value if is_spread else value[Tensor.of(kept)]
        return index, value
    numbered = np.arange(x.entry_count).reshape(x.shape)[tuple(parts)]
    if len(np.unique(numbered)) < numbered.size:
        raise ScriptError(
            "an index that names an entry twice cannot be assigned here",
            code="E0203",
            caret="only the last of the values would stay",
            help=("name each entry once",),
        )
    return index, value


def as_numbers(part: Any) -> Any:
    """Return a part of an index as numpy takes it."""
    return part.data if part.__class__ is Tensor else np.array(part) if part.__class__ is list else part


def takes_no_fractions(x: Tensor) -> bool:
    """Whether numpy has an array of whole numbers or truth values here."""
    return not x.dtype.is_floating_point or plain_text.is_array_of_whole(x)


def change_whole(x: Tensor, other: Any, op: str, operate: Callable[[Any, Any], Any]) -> Tensor:
    """Run ``x += other`` or the like for an array of whole numbers; return it.

    Error: a result that numpy does not write into it, because it holds no whole numbers.
    """

    def changed(x: Tensor, other: Any) -> Tensor:
        made: Tensor = operate(x, other)
        if not made.dtype.is_floating_point or plain_text.is_whole(made):
            return made
        kind = "bool" if x.dtype is bool_ else "int64"
        raise ScriptError(
            f"Cannot cast ufunc '{UFUNCS[op]}' output from dtype('float64') to dtype('{kind}') with casting"
            " rule 'same_kind'",
            code="E0203",
            caret="this array holds whole numbers, and the result has fractions",
            help=("make it an array of floats first, as in `A = np.array([1.0, 2.0])` or `A.astype(float)`",),
        )

    return change_by_operator(x, other, changed)


#: numpy's names of operators.
UFUNCS = {
    **{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "remainder"},
    **{"**": "power", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"},
    **{"<<": "left_shift", ">>": "right_shift"},
}


def whole_for(x: Tensor, value: Any) -> Any:
    """Return a value as the array ``x`` of whole numbers takes it."""
    if x.dtype is uint8:
        numpy_bytes.check_entries(value)
    made = without_fraction(value)
    if made.__class__ is not Tensor:
        return made
    if made is not value and is_tracked(value):
        runtime.tell(
            "numpy cuts the fraction here, because the array holds whole numbers: no slope goes through;"
            " `dtype=float` where it is made keeps both"
        )
    return made if x.dtype.is_floating_point else converted(made.detach(), x.dtype)


def without_fraction(value: Any) -> Any:
    """Return a value without its fraction, which numpy cuts where it becomes a whole number: its slope is 0.

    Error: a number that is not finite.
    """
    if value.__class__ is Tensor:
        return value if plain_text.is_whole(value) else call_plain(find("trunc"), (value,), {})
    if value.__class__ is float and not math.isfinite(value):
        raise ScriptError(
            f"cannot convert float {'NaN' if math.isnan(value) else 'infinity'} to integer",
            code="E0206",
            caret="an array of whole numbers has no such entry",
            help=("make it an array of floats, as in `np.array([1.0, 2.0])`",),
        )
    return int(value) if value.__class__ is float else value


def with_zeros_of_divisor(rest: Tensor, y: Any) -> Tensor:
    """Return a remainder whose zeros have the divisor's sign, as in Python; torch's have the dividend's."""
    if rest.shape:
        signs = np.signbit(y.data if y.__class__ is Tensor else y)
        wrong = bool(np.any((rest.data == 0) & (np.signbit(rest.data) != signs)))
        is_negative = bool(np.all(signs))
    else:
        number, divisor = rest.item(), y.item() if y.__class__ is Tensor else y
        is_negative = math.copysign(1, divisor) < 0
        wrong = number == 0 and (math.copysign(1, number) < 0) is not is_negative
    if not wrong:
        return rest
    # Zeros of both signs add up to 0., so only those of the wrong sign change.
    return -(-rest + 0) if is_negative else rest + 0


def write_result(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a function of numpy that writes its result to the array ``out``, and return that array."""
    others = {name: value for name, value in kwargs.items() if name != "out"}
    is_public = function.__class__ is PublicFunction
    if "where" in others and is_public and function.name in SELECTIVE and kwargs["out"] is not None:
        return write_selected(function, args, others, kwargs["out"])
    made = call_plain(function, args, others) if is_public else function(*args, **others)
    return made if kwargs["out"] is None else write_to(kwargs["out"], made)


#: Functions of entries that take ``where=`` beside ``out=``. The entries left out are computed at 1, where
#: all of these have a slope.
SELECTIVE = frozenset(
    """
    add sub subtract mul multiply div divide true_divide pow exp exp2 expm1 log log2 log10 log1p sqrt square
    reciprocal maximum minimum abs absolute sin cos tan sinh cosh tanh atan2 arctan2 hypot neg negative
    """.split()
)


def write_selected(function: Any, args: Any, kwargs: dict[str, Any], out: Any) -> Any:
    """Write the results for the entries ``where`` to ``out``, and return it; the others stay as they are."""
    choose = find("where")
    mask = kwargs["where"]
    chosen = [call_plain(choose, (mask, x, 1), {}) for x in args]
    made = call_plain(function, chosen, {name: value for name, value in kwargs.items() if name != "where"})
    return write_to(out, call_plain(choose, (mask, made, out), {}))


def write_to(out: Any, made: Any) -> Any:
    """Write a result to the array ``out``, and return that array."""
    from autodiff.grammar.objects import subscripts

    subscripts.set_item(out, ..., made)
    return out

"""Functions and methods of numpy that core has under other arguments, or with another meaning.

Arrays are tensors here. Without ``axis`` numpy takes all entries, its deviations divide by the number of
entries less ``ddof``, and its median is the mean of the two in the middle.
"""

from __future__ import annotations

import math
from weakref import ref

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.engine.public_functions import FUNCTIONS as PUBLIC_FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DType, bool_, float32, float64, int32, int64, uint8
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import (
    numpy_bytes,
    operators,
    plain_arrays,
    plain_text,
    sequence_methods,
    subscripts,
)
from autodiff.grammar.objects.math_functions import MATH
from autodiff.grammar.objects.number_conversions import same_number, to_float, to_int
from autodiff.grammar.objects.plain_functions import (
    are_whole,
    as_tensor,
    call_plain,
    converted,
    copy_array,
    find,
    is_tracked,
)
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    UNBOUND,
    Builtin,
    Namespace,
    Size,
    as_index,
    collect,
    is_true,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

absent_table = LazyModule("autodiff.grammar.objects.absent_table")


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call core's function ``name`` with numbers or tensors."""
    return call_plain(find(name), args, kwargs)


def as_array(x: Any, dtype: Any = None) -> Any:
    """Return numbers as an array."""
    if x.__class__ is range:
        x = list(x)
    if x.__class__ in (list, tuple) and not x:
        x = Tensor.of(np.zeros(0))
    if x.__class__ is not Tensor and dtype is not None and is_bytes(dtype):
        numpy_bytes.check_entries(x)
    made = as_tensor(x, not (runtime.prints_numbers and are_whole(x)))
    return made if dtype is None or made.__class__ is not Tensor else as_type(made, dtype, copy=False)


def is_bytes(dtype: Any) -> bool:
    """Whether ``dtype`` means ``uint8``."""
    return ARRAY_TYPES.get(dtype if dtype.__class__ is str else getattr(dtype, "name", "")) is uint8


def array(x: Any, dtype: Any = None) -> Any:
    """Return a copy of an array, or numbers as one."""
    return as_array(copy_array(x) if x.__class__ is Tensor else x, dtype)


def array_of(a: Any) -> Tensor:
    made = as_array(a)
    if made.__class__ is not Tensor:
        raise ScriptError(f"an array is needed, not a value of type {type_name(a)}", code="E0203")
    return made


def as_shape(size: Any) -> tuple[int, ...]:
    sizes = size if size.__class__ in (list, tuple, Size) else (size,)
    return tuple([as_index(n, "a size") for n in sizes])


def is_array(a: Any) -> bool:
    return a.shape != () if a.__class__ is Tensor else a.__class__ in (list, tuple)


def floats_of(a: Any) -> Tensor:
    """Return an array of floats: of truth values and whole numbers numpy takes means."""
    x = array_of(a)
    return x if x.dtype.is_floating_point else converted(x, float64)


def along(a: Any, axis: Any) -> tuple[Tensor, int]:
    """Return an array and the dimension that ``axis`` means; without one, all entries in one dimension."""
    x = array_of(a)
    if axis is None:
        return call("reshape", x, (-1,)), 0
    at = as_index(axis, "an axis")
    return x, at + x.ndim if at < 0 else at


def spread(name: str) -> Callable[..., Any]:
    """Return numpy's ``var`` or ``std``."""

    def function(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        return call(name, floats_of(a), dim=axis, correction=ddof, keepdim=keepdims)

    return function


def mean(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return call("mean", floats_of(a), dim=axis, keepdim=keepdims)


def over_all(name: str) -> Callable[..., Any]:
    """Return a function such as ``cumsum``, which without ``axis`` takes all entries."""

    def function(a: Any, axis: Any = None) -> Any:
        return call(name, *along(a, axis))

    return function


def extreme(name: str) -> Callable[..., Any]:
    """Return numpy's ``max`` or ``min``, which returns values without their places."""

    def function(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return call(name, array_of(a)) if axis is None else call(name, array_of(a), axis, keepdim=keepdims)

    return function


def extreme_number(name: str, bound: float) -> Callable[..., Any]:
    """Return numpy's ``nanmax`` or ``nanmin``: of the entries that are numbers; nan if there are none."""

    def function(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        x = array_of(a)
        is_nan = np.isnan(x.data)
        if not is_nan.any():
            return extreme(name)(x, axis, keepdims)
        made = extreme(name)(call("where", Tensor.of(is_nan), bound, x), axis, keepdims)
        lost = is_nan.all(axis=axis, keepdims=keepdims and axis is not None)
        return call("where", Tensor.of(np.asarray(lost)), math.nan, made)

    return function


def median(a: Any, axis: Any = None) -> Any:
    x, at = along(floats_of(a), axis)
    ordered = call("sort", x, at).values
    count = x.shape[at]
    low, high = (call("select", ordered, at, place) for place in ((count - 1) // 2, count // 2))
    return operators.mul(operators.add(low, high), 0.5)


def quantile(a: Any, q: Any, axis: Any = None) -> Any:
    """Return numpy's ``quantile``, which lies on straight lines between the entries in order."""
    x, at = along(floats_of(a), axis)
    if not is_tracked(q):
        return call("quantile", x, q if q.__class__ in NUMBER_CLASSES else array_of(q), at)
    fractions = array_of(q)
    call("quantile", x, fractions.detach(), at)  # raises for a fraction outside of 0 to 1
    entries, last = call("sort", x, at).values, x.shape[at] - 1

    def at_place(place: Any) -> Any:
        low = min(int(place.item()), max(last - 1, 0))
        first, second = (call("select", entries, at, end) for end in (low, min(low + 1, last)))
        return operators.add(first, operators.mul(operators.sub(place, low), operators.sub(second, first)))

    places = operators.mul(fractions, last)
    if not places.ndim:
        return at_place(places)
    return call("stack", [at_place(call("select", places, 0, at)) for at in range(len(places))])


def percentile(a: Any, q: Any, axis: Any = None) -> Any:
    return quantile(a, operators.truediv(q if q.__class__ in NUMBER_CLASSES else array_of(q), 100), axis)


def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return mean(a, axis)
    x, at = along(a, axis)
    w, _ = along(weights, axis)
    if w.ndim == 1 < x.ndim:  # one weight for each place along the axis
        w = call("reshape", w, [-1 if dim == at else 1 for dim in range(x.ndim)])
    return operators.truediv(call("sum", operators.mul(x, w), at), call("sum", w, at))


def of_floats(name: str) -> Callable[..., Any]:
    """Return a function such as ``rint``, which gives floats for whole numbers as well."""

    def function(x: Any) -> Any:
        made = call(name, x)
        if made.__class__ is Tensor:
            return operators.mul(made, 1.0) if plain_text.is_whole(made) else made
        return float(made)

    return function


def whole_part(name: str) -> Callable[..., Any]:
    """Return numpy's ``floor`` or its like, which gives a float for a float."""
    return lambda x: float(call(name, x)) if x.__class__ is float else call(name, x)


def rounded(a: Any, decimals: Any = 0) -> Any:
    return call("round", array_of(a), decimals=decimals)


def ordered(a: Any, axis: Any = -1) -> Any:
    return call("sort", *along(a, axis)).values


def places_in_order(a: Any, axis: Any = -1) -> Any:
    return call("argsort", *along(a, axis))


def transposed(a: Any, *axes: Any) -> Any:
    x = array_of(a)
    if len(axes) == 1 and axes[0].__class__ in (list, tuple):
        axes = tuple(axes[0])
    return call("permute", x, axes or tuple(range(x.ndim))[::-1])


def flipped(a: Any, axis: Any = None) -> Any:
    x = copy_array(a)  # `v[::-1]` of a list is a list, but this is an array
    made = call("flip", x, tuple(range(x.ndim)) if axis is None else axis)
    if a.__class__ is Tensor and made.shape and not plain_text.is_part_of_list(a):
        runtime.backward_parts.append((ref(made), ref(a)))  # a view in numpy
    return made


def rolled(a: Any, shift: Any, axis: Any = None) -> Any:
    return call("roll", array_of(a), shift, *[axis] * (axis is not None))


def repeated(a: Any, repeats: Any, axis: Any = None) -> Any:
    x, at = along(a, axis)
    counts = [as_index(n, "a number of repeats") for n in (repeats if is_array(repeats) else [repeats])]
    if len(counts) not in (1, x.shape[at]):
        raise ScriptError(
            "operands could not be broadcast together",
            code="E0302",
            caret=f"there are {len(counts)} numbers of repeats for {x.shape[at]} entries",
        )
    return call("index_select", x, at, Tensor.of(np.repeat(np.arange(x.shape[at]), counts)))


def tiled(a: Any, reps: Any) -> Any:
    return call("tile", array_of(a), reps if reps.__class__ in (list, tuple) else (reps,))


def appended(a: Any, values: Any) -> Any:
    return call("cat", [along(a, None)[0], along(values, None)[0]])


def clipped(a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None) -> Any:
    bounds = [a_min if min is None else min, a_max if max is None else max]
    if any(bound.__class__ not in NUMBER_CLASSES for bound in bounds if bound is not None):
        bounds = [bound if bound is None else array_of(bound) for bound in bounds]  # core takes no mixture
    return call("clamp", array_of(a), *bounds)


def typed(made: Tensor, dtype: Any) -> Tensor:
    """Return a new array with entries of a type; unchanged for None."""
    return made if dtype is None else as_type(made, dtype)


def type_of_entries(a: Tensor) -> DType:
    """Return the type that numpy's array has: of whole numbers that are tracked the entries are floats."""
    return int64 if a.dtype.is_floating_point and plain_text.is_whole(a) else a.dtype


def constant(name: str) -> Callable[..., Any]:
    """Return numpy's ``zeros``, ``ones`` or ``empty``."""
    return lambda shape, dtype=None: typed(call(name, as_shape(shape)), dtype)


def constant_like(name: str) -> Callable[..., Any]:
    """Return numpy's ``zeros_like`` or its like: without ``dtype``, whole numbers for whole numbers."""

    def function(a: Any, dtype: Any = None) -> Any:
        x = array_of(a)
        return typed(call(name, tuple(x.shape)), type_of_entries(x) if dtype is None else dtype)

    return function


def unit_matrix(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Return numpy's ``eye``: ones on the diagonal ``k`` places above the main one."""
    rows, above = as_index(N, "a size"), as_index(k, "a diagonal")
    columns = rows if M is None else as_index(M, "a size")
    return typed(Tensor.of(np.eye(rows, columns, above)), dtype)


def filled(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return numpy's ``full``, whose entries have the type of the value."""
    value = as_array(fill_value, uint8) if dtype is not None and is_bytes(dtype) else array_of(fill_value)
    ones = typed(call("ones", as_shape(shape)), type_of_entries(value) if dtype is None else dtype)
    if ones.dtype is bool_:
        return call("logical_and", ones, value)
    if ones.dtype is uint8 or not plain_text.is_whole(ones):
        return operators.mul(ones, value)
    return plain_text.as_whole(operators.mul(ones, plain_arrays.without_fraction(value)))


def filled_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    x = array_of(a)
    return filled(tuple(x.shape), fill_value, type_of_entries(x) if dtype is None else dtype)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None
) -> Any:
    count = as_index(num, "a number of points")
    gaps = max(count - is_true(endpoint), 1)
    step = operators.truediv(operators.sub(stop, start), gaps)
    if is_tracked(step):
        made = operators.add(start, operators.mul(step, call("arange", float(count))))
    else:
        last = stop if is_true(endpoint) else operators.add(start, operators.mul(step, count - 1))
        made = call("linspace", start, last, count)
    made = typed(made, dtype)
    return (made, step) if is_true(retstep) else made


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Return numpy's ``arange``. The number of entries is a constant, so ``stop`` has no slope."""
    if stop is None:
        start, stop = 0, start
    if stop.__class__ is Tensor:
        mode.count(stop)
    numbers = [plain_text.python_value(x) if x.__class__ is Tensor else x for x in (start, stop, step)]
    made = call("arange", *map(float, numbers))
    if dtype is not None:
        return as_type(made, dtype)
    if not (is_tracked(start) or is_tracked(step)):
        return plain_text.as_whole(made) if all(map(plain_text.all_whole, numbers)) else made
    return operators.add(start, operators.mul(step, call("arange", float(len(made)))))


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    if x is not None:
        return call("trapezoid", y, x, dim=axis)
    return operators.mul(call("trapezoid", y, dim=axis), dx)


def without_nan(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    x = array_of(x)
    return call("clone", x) if plain_text.is_whole(x) else call("nan_to_num", x, nan, posinf, neginf)


def polynomial(p: Any, x: Any) -> Any:
    """Return numpy's ``polyval``: the polynomial with the coefficients ``p``, the highest power first."""
    value: Any = 0
    for coefficient in (
        p if p.__class__ in (list, tuple) else (call("select", p, 0, at) for at in range(len(p)))
    ):
        value = operators.add(operators.mul(value, x), coefficient)
    return value


def polynomial_derivative(p: Any, m: Any = 1) -> Any:
    """Return numpy's ``polyder``: the coefficients of the derivative ``m`` times, the highest power first."""
    made = array_of(p)
    for _ in range(as_index(m, "an order")):
        powers = np.arange(len(made) - 1, 0, -1)
        made = operators.mul(call("narrow", made, 0, 0, len(powers)), Tensor.of(powers))
    return made


def interpolated(x: Any, xp: Any, fp: Any) -> Any:
    """Return numpy's ``interp``: straight lines between the points, constant outside of them."""
    at, given, made = array_of(x), array_of(xp), array_of(fp)
    right = np.clip(np.searchsorted(given.data, at.data, side="right"), 1, len(given.data) - 1)
    flat = np.ravel(right)

    def taken(values: Tensor, places: Any) -> Any:
        return call("reshape", call("index_select", values, 0, Tensor.of(places)), tuple(at.shape))

    x0, x1, y0, y1 = taken(given, flat - 1), taken(given, flat), taken(made, flat - 1), taken(made, flat)
    share = call("clamp", operators.truediv(operators.sub(at, x0), operators.sub(x1, x0)), 0.0, 1.0)
    return operators.add(y0, operators.mul(share, operators.sub(y1, y0)))


def range_of(a: Any, axis: Any = None) -> Any:
    """Return numpy's ``ptp``: the largest less the smallest entry."""
    return operators.sub(extreme("amax")(a, axis), extreme("amin")(a, axis))


def variables(m: Any, y: Any, rowvar: Any) -> Tensor:
    """Return the variables of ``m``, and of ``y`` below them, as rows; without ``rowvar`` from columns."""
    rows = [array_of(one) for one in (m, y) if one is not None]
    rows = [transposed(x) if x.ndim == 2 and not is_true(rowvar) else x for x in rows]
    if y is None:
        return rows[0]
    made: Tensor = call("cat", [x if x.ndim == 2 else call("unsqueeze", x, 0) for x in rows])
    return made


def covariance(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    """Return numpy's ``cov``: of the variables of ``m``, and of those of ``y``."""
    correction = int(not is_true(bias)) if ddof is None else as_index(ddof, "ddof")
    return call("cov", variables(m, y, rowvar), correction=correction)


def correlation(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """Return numpy's ``corrcoef``: of the variables of ``x``, and of those of ``y``."""
    return call("corrcoef", variables(x, y, rowvar))


def padded(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """Return numpy's ``pad`` with one value around: a width for all ends, or pairs of them for each axis."""
    if mode != "constant":
        raise ScriptError(f"pad() knows mode 'constant' here, not {mode!r}", code="E0203")
    x = array_of(array)
    pairs = list(pad_width) if pad_width.__class__ in (list, tuple) else [pad_width]
    if len(pairs) == 2 and not any(one.__class__ in (list, tuple) for one in pairs):
        pairs = [pairs]
    pairs = [one if one.__class__ in (list, tuple) else (one, one) for one in pairs]
    pairs = pairs * x.ndim if len(pairs) == 1 else pairs
    widths = [as_index(width, "a width") for pair in reversed(pairs) for width in pair]
    made = call_plain(PUBLIC_FUNCTIONS["F.pad"], (x, widths), {"value": constant_values})
    is_whole = plain_text.is_whole(x) and plain_text.all_whole(constant_values)
    return plain_text.as_whole(made) if is_whole else made


def grid(*axes: Any, indexing: Any = "xy") -> tuple[Any, ...]:
    made = call("meshgrid", *[array_of(one) for one in axes], indexing=indexing)
    return tuple(call("clone", one) for one in made)  # torch gives views of the axes


def unique(a: Any) -> Any:
    """Return numpy's ``unique``: the entries in order, each once."""
    x, at = along(a, None)
    values = call("sort", x, at).values
    is_new = np.append(True, values.data[1:] != values.data[:-1])[: len(values.data)]
    made = values[Tensor.of(is_new)]
    return plain_text.as_whole(made) if plain_text.is_whole(array_of(a)) else made


def slopes(f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Return numpy's ``gradient``: central differences, one-sided ones at the ends; a tuple for several axes.

    ``spacing`` is one distance for all axes, or for each axis a distance or the places of the entries.
    """
    y = array_of(f)
    axes = tuple(range(y.ndim)) if axis is None else axis if axis.__class__ in (list, tuple) else (axis,)
    if len(spacing) != len(axes) and (len(spacing) > 1 or any(map(is_array, spacing))):
        raise ScriptError(
            "np.gradient() takes one distance for all axes, or for each axis a distance or places",
            code="E0203",
            caret=f"the differences are along {len(axes)} axes",
            help=("choose the axis: `np.gradient(f, places, axis=0)`",),
        )
    steps = spacing if len(spacing) == len(axes) else (spacing or (1.0,)) * len(axes)
    made = tuple(
        call(
            "gradient",
            y,
            spacing=(array_of(step),) if is_array(step) else step,
            dim=at,
            edge_order=edge_order,
        )[0]
        for at, step in zip(axes, steps, strict=True)
    )
    return made[0] if len(made) == 1 else made


def polynomial_fit(x: Any, y: Any, deg: Any) -> Any:
    """Return numpy's ``polyfit``: the coefficients of least squares, the highest power first."""
    given = array_of(x)
    powers = [operators.power(given, n) for n in range(as_index(deg, "a degree"), -1, -1)]
    solve = call_plain(
        PUBLIC_FUNCTIONS["linalg.lstsq"], (call("stack", powers, 1), call("unsqueeze", y, 1)), {}
    )
    return call("squeeze", solve.field("solution"), 1)


def as_list(a: Any) -> Any:
    """Return numpy's ``tolist``: numbers in nested lists, which stay in the graph."""
    if mode.enabled and is_tracked(a):
        return [as_list(call("select", a, 0, at)) for at in range(len(a))] if a.shape else item(a)
    found = plain_text.python_value(a)
    return found.tolist() if hasattr(found, "tolist") else found


def item(a: Any, *index: Any) -> Any:
    """Return numpy's ``item``: the only entry, or the one at an index. The number stays in the graph."""
    if index:
        at = index[0] if len(index) == 1 else index
        flat = a if at.__class__ is tuple else call("reshape", a, (-1,))
        return item(subscripts.get_item(flat, at))
    if not (mode.enabled and is_tracked(a)) or a.entry_count != 1:
        return a.item()
    number = call("reshape", a, ()) if a.shape else a
    return number if plain_text.is_whole(number) else same_number(number)


def as_type(a: Any, dtype: Any, copy: Any = True) -> Any:
    """Return numpy's ``astype``: of floats as whole numbers the numbers without their fractions.

    Without ``copy`` an array of this type is returned as it is.
    """
    name = dtype if dtype.__class__ is str else getattr(dtype, "name", "")
    wanted, x = ARRAY_TYPES.get(name), array_of(a)
    if wanted in (int32, int64) and x.dtype.is_floating_point:
        # Still an array of floats, so that its slope by the inputs is 0.
        return plain_text.as_whole(call("trunc", x))
    if wanted is not None:
        if x.dtype is not wanted:
            return converted(x, wanted)
        if plain_text.is_whole(x) and wanted.is_floating_point:
            return operators.mul(x, 1.0)  # it holds floats here already, and is one of floats in numpy then
        return call("clone", x) if copy else x
    if dtype.__class__ in NUMBER_CLASSES:
        advice = "several numbers go in a list: `np.array([1.0, 2.0])`"
        raise ScriptError(f"Cannot interpret '{dtype!r}' as a data type", code="E0203", help=(advice,))
    missing = absent_table.absence_error(f"numpy.{name}")
    if missing is not None:
        raise missing
    asked = repr(dtype) if dtype.__class__ is str else type_name(dtype)
    raise ScriptError(f"an array holds float, int or bool here, not {asked}", code="E0203")


def convert(dtype: DType, x: Any = 0.0) -> Any:
    """Return ``np.float64(x)`` and its like: a number for a number, an array for an array."""
    if dtype is uint8:
        numpy_bytes.check_entries(x)
    if is_array(x) or dtype in (float32, uint8):
        return as_type(x, dtype)
    convert_number: Any = to_float if dtype.is_floating_point else to_int
    return convert_number(x)


def limits_of(dtype: Any, of_floats: bool) -> Namespace:
    """Return ``np.finfo(dtype)`` or ``np.iinfo(dtype)``: the smallest and largest numbers of a type."""
    name = dtype if dtype.__class__ is str else getattr(dtype, "name", "")
    kind = ARRAY_TYPES.get(name)
    if kind is None or kind is bool_ or kind.is_floating_point is not of_floats:
        what, example = ("float", "finfo(float)") if of_floats else ("int", "iinfo(int)")
        raise ScriptError(f"this is no {what} type", code="E0203", help=(f"write one, as in `np.{example}`",))
    found: Any = (np.finfo if of_floats else np.iinfo)(kind.name)
    members = {"min": found.min, "max": found.max, "bits": found.bits}
    if of_floats:
        members |= {"eps": found.eps, "tiny": found.tiny, "resolution": found.resolution}
    numbers = {one: np.asarray(value).item() for one, value in members.items()}
    return Namespace(f"np.finfo('{kind.name}')", lambda one: numbers.get(one, UNBOUND), lambda: list(numbers))


def cube_root(a: Any) -> Any:
    """Return numpy's ``cbrt``: ±|x|**(1/3), with the signs as constants."""
    if not is_array(a):
        return MATH["cbrt"](a)
    x = floats_of(a)
    signs = Tensor.of(np.where(x.data < 0, -1.0, 1.0))
    return operators.mul(signs, operators.power(operators.mul(signs, x), 1 / 3))


def remainder(x: Any, y: Any) -> Any:
    return operators.mod(*[a if a.__class__ in NUMBER_CLASSES else array_of(a) for a in (x, y)])


def fill(a: Any, value: Any) -> None:
    subscripts.set_item(a, ..., value)


def sort_in_place(a: Any, axis: Any = -1) -> None:
    """Run ``x.sort()``: the slopes are those of the entries that go to each place."""
    subscripts.set_item(a, ..., ordered(a, axis))


#: What ``astype`` takes, by the names of Python and numpy.
ARRAY_TYPES = {
    **{dtype.name: dtype for dtype in (float32, float64, int32, int64, uint8, bool_)},
    **dict.fromkeys(["float", "double", "d", "f8"], float64),
    **dict.fromkeys(["single", "f", "f4"], float32),
    **dict.fromkeys(["int", "int_", "intp", "long", "longlong", "l", "q", "i8"], int64),
    **dict.fromkeys(["intc", "i", "i4"], int32),
    **dict.fromkeys(["ubyte", "B", "u1"], uint8),
    **dict.fromkeys(["bool_", "?"], bool_),
}

#: numpy's functions by their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "append": appended,
    "arange": arange,
    "array": array,
    "asarray": as_array,
    "argsort": places_in_order,
    "around": rounded,
    "average": average,
    "cbrt": cube_root,
    "ceil": whole_part("ceil"),
    "clip": clipped,
    "corrcoef": correlation,
    "cov": covariance,
    "cross": lambda a, b: call("cross", array_of(a), array_of(b), dim=-1),
    "cumprod": over_all("cumprod"),
    "cumsum": over_all("cumsum"),
    "einsum": lambda subscripts, *operands: call("einsum", subscripts, *map(array_of, operands)),
    "empty": constant("zeros"),
    "empty_like": constant_like("zeros"),
    "expand_dims": lambda a, axis: call("unsqueeze", array_of(a), axis),
    "eye": unit_matrix,
    "fabs": of_floats("abs"),
    "finfo": lambda dtype: limits_of(dtype, True),
    "fix": whole_part("trunc"),
    "flip": flipped,
    "floor": whole_part("floor"),
    "full": filled,
    "full_like": filled_like,
    "gradient": slopes,
    "identity": unit_matrix,
    "iinfo": lambda type: limits_of(type, False),
    "interp": interpolated,
    "linspace": linspace,
    "mean": mean,
    "median": median,
    "meshgrid": grid,
    "mod": remainder,
    "nan_to_num": without_nan,
    "nanmax": extreme_number("amax", -math.inf),
    "nanmin": extreme_number("amin", math.inf),
    "pad": padded,
    "ones": constant("ones"),
    "ones_like": constant_like("ones"),
    "percentile": percentile,
    "polyder": polynomial_derivative,
    "polyfit": polynomial_fit,
    "polyval": polynomial,
    "positive": operators.unary_plus,
    "ptp": range_of,
    "quantile": quantile,
    "remainder": remainder,
    "repeat": repeated,
    "rint": of_floats("round"),
    "roll": rolled,
    "round": rounded,
    "sort": ordered,
    "std": spread("std"),
    "tile": tiled,
    "transpose": transposed,
    "trapezoid": trapezoid,
    "trapz": trapezoid,
    "trunc": whole_part("trunc"),
    "unique": unique,
    "var": spread("var"),
    "zeros": constant("zeros"),
    "zeros_like": constant_like("zeros"),
}
#: The methods of arrays that torch's tensors lack, or that do something else there.
METHODS: dict[str, Callable[..., Any]] = {
    "argsort": places_in_order,
    "astype": as_type,
    "clip": clipped,
    "count": lambda values, value: sequence_methods.count_of(collect(values), value),  # of a list
    "cumprod": over_all("cumprod"),
    "cumsum": over_all("cumsum"),
    "fill": fill,
    "flatten": lambda a: call("clone", call("reshape", a, (-1,))),  # numpy's is a copy
    "item": item,
    "index": lambda values, value: sequence_methods.index_of(collect(values), value),  # of a list
    "max": extreme("amax"),
    "mean": mean,
    "min": extreme("amin"),
    "nonzero": lambda a: tuple(Tensor.of(at) for at in np.nonzero(array_of(a).data)),
    "ptp": range_of,
    "repeat": repeated,
    "round": rounded,
    "sort": sort_in_place,
    "std": spread("std"),
    "tolist": as_list,
    "transpose": transposed,
    "var": spread("var"),
}
NUMPY_FUNCTIONS = {name: Builtin(name, function) for name, function in FUNCTIONS.items()}
NUMPY_METHODS = {name: Builtin(name, function) for name, function in METHODS.items()}

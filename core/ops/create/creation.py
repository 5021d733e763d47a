"""New tensors from numbers, lists, fill values and ranges; all are leaves.

Dtypes follow torch: floats get the default dtype, ints int64, truth values bool, and a mixture the widest.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import TO_SCALAR_WARNING, Tensor
from autodiff.core.engine.value_checks import checked_integer, require_floating_dtype
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.core.ops.shape.dims import Shape, check_sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ITEM_SIZES = {"bool": 1, "uint8": 1, "int32": 4, "float32": 4, "int64": 8, "float64": 8}
KEYWORD_PARAMETERS = "*, dtype: dtype = None, device: device = None, requires_grad: bool = False"
COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or"
    " sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
MAX_DIMS = 64  # numpy's limit


def make_leaf(value: Any, requires_grad: bool = False) -> Tensor:
    """Return a new leaf from an array or a float."""
    made = Tensor.of(as_stored(value))
    if requires_grad:
        require_grad(made)
    return made


def require_grad(made: Tensor) -> None:
    """Let a new leaf require a gradient, with the error message of torch's creation functions."""
    require_floating_dtype(made, "Only Tensors of floating point and complex dtype can require gradients")
    made.set_requires_grad()


def check_shape_allocation(shape: Shape, dtype: DType) -> str:
    """Check that a tensor of this size may be allocated; return numpy's name of the dtype."""
    check_allocation(shape, ITEM_SIZES[dtype.name])
    if len(shape) > MAX_DIMS:
        raise ShapeError(f"a tensor can have {MAX_DIMS} dimensions, not {len(shape)}", code="E0308")
    return dtype.name


# -- from data ----------------------------------------------------------------------------------------


def nested_shape(data: Any) -> Shape:
    """Return the sizes of nested lists, read from their first entries."""
    sizes: list[int] = []
    while isinstance(data, (list, tuple, range)):
        sizes.append(len(data))
        if len(sizes) > MAX_DIMS:
            raise ShapeError(f"too many dimensions: lists can be nested {MAX_DIMS} deep", code="E0308")
        if not data:
            break
        data = data[0]
    return tuple(sizes)


def nested_entries(data: Any, sizes: Shape) -> list[Any]:
    """Return the innermost entries in order; lists of unequal lengths are an error."""
    entries = [data]
    for dim, size in enumerate(sizes):
        inner: list[Any] = []
        for part in entries:
            if not isinstance(part, (list, tuple, range)):
                text = "new(): invalid data type 'str'" if part.__class__ is str else "not a sequence"
                raise ScriptError(text, code="E0308", caret="numbers and lists are mixed here")
            if len(part) != size:
                raise ShapeError(
                    f"expected sequence of length {size} at dim {dim} (got {len(part)})",
                    code="E0308",
                    caret="the rows of a tensor must be equally long",
                )
            inner.extend(part)
        entries = inner
    return entries


def number_and_dtype(entry: Any, asked: DType | None = None) -> tuple[float, DType]:
    """Return one entry as a Python number and its own dtype; ``asked`` is the dtype that the caller wants."""
    kind = entry.__class__
    if kind is float:
        return entry, dtypes.default_dtype()
    if kind is bool:
        return entry, dtypes.bool_
    if kind is int:
        if not -(2**63) <= entry < 2**63:
            raise ScriptError(
                "Overflow when unpacking long long", code="E0308", help=("write it as a float",)
            )
        return entry, dtypes.int64
    if kind is Tensor:
        if entry.entry_count != 1:
            raise ScriptError(
                "only one element tensors can be converted to Python scalars"
                if entry.dtype.is_floating_point
                else "only integer tensors of a single element can be converted to an index",
                code="E0308",
                operands=(entry,),
                caret="the entries of a new tensor are numbers; these are tensors",
            )
        if entry.requires_grad_flag:
            mode.warn(TO_SCALAR_WARNING)
        return entry.item(), entry.dtype
    if isinstance(entry, (list, tuple, range)):
        raise ScriptError(
            f"must be real number, not {kind.__name__}",
            code="E0308",
            caret="numbers and lists are mixed here",
        )
    if kind is str:
        raise ScriptError(
            "new(): invalid data type 'str'",
            code="E0308",
            caret="a string is no number; leave out its quotes",
        )
    message = f"Could not infer dtype of {type_name(entry)}"
    if asked is not None and asked.is_floating_point:
        message = f"must be real number, not {type_name(entry)}"
    elif asked is not None:
        message = f"'{type_name(entry)}' object cannot be interpreted as an integer"
    raise ScriptError(message, code="E0308")


def numbers_to_array(numbers: list[float], dtype: DType) -> Any:
    """Return the numbers as an array of ``dtype``; for ints they are truncated towards zero, as in torch."""
    if dtype.kind == "i":
        try:
            numbers = [int(n) for n in numbers]
        except (OverflowError, ValueError) as error:
            raise ScriptError(str(error), code="E0308") from None
        lowest, highest = (-255, 255) if dtype is dtypes.uint8 else INT_RANGES[dtype.name]
        if any(not lowest <= n <= highest for n in numbers):
            raise ScriptError(
                f"value cannot be converted to type {C_INT_NAMES[dtype.name]} without overflow", code="E0308"
            )
        return np.asarray(numbers, dtype="int64").astype(dtype.name)
    with np.errstate(all="ignore"):
        return np.asarray(numbers, dtype="float64" if dtype.kind == "f" else "bool").astype(dtype.name)


INT_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
C_INT_NAMES = {"uint8": "uint8", "int32": "int32", "int64": "int64_t"}


def data_as_array(data: Any, dtype: DType | None) -> Any:
    """Return the value of a tensor made from a number, nested lists, a tensor or an array."""
    if data.__class__ is Tensor or isinstance(data, np.ndarray):
        array = np.asarray(data.value if data.__class__ is Tensor else data)
        return array if dtype is None else array.astype(dtype.name)
    sizes = nested_shape(data)
    check_allocation(sizes, 64)  # the entries are Python numbers first
    entries = nested_entries(data, sizes)
    if entries and entries[0].__class__ is int and any(entry.__class__ is list for entry in entries):
        raise ScriptError(
            "'list' object cannot be interpreted as an integer",
            code="E0308",
            caret="numbers and lists are mixed here",
        )
    if entries and sizes and entries[0].__class__ is str:
        raise ScriptError("too many dimensions 'str'", code="E0308", caret="a string is no number")
    pairs = [number_and_dtype(entry, dtype) for entry in entries]
    if dtype is None:
        found = [asked for _, asked in pairs]
        dtype = max(found, key=lambda asked: asked.rank) if found else dtypes.default_dtype()
    return numbers_to_array([number for number, _ in pairs], dtype).reshape(sizes)


@public(f"tensor(data: any, {KEYWORD_PARAMETERS})", method=False)
def make_tensor(data: Any, dtype: DType | None, requires_grad: bool) -> Tensor:
    """A tensor from a number or nested lists of numbers."""
    if data.__class__ is float and (dtype or dtypes.default_dtype()) is dtypes.float64:
        return make_leaf(data, requires_grad)
    if data.__class__ is Tensor:
        mode.warn(COPY_WARNING)
    return make_leaf(data_as_array(data, dtype), requires_grad)


@public("as_tensor(data: any, dtype: dtype = None, *, device: device = None)", method=False)
def as_tensor(data: Any, dtype: DType | None) -> Tensor:
    """The tensor itself if it has that dtype already, else a new one."""
    if data.__class__ is Tensor and dtype in (None, data.dtype):
        return data
    return make_leaf(data_as_array(data, dtype))


# -- fill values --------------------------------------------------------------------------------------


def cast_number(value: float, dtype: DType) -> float:
    """Return a number converted to ``dtype``, which must be able to hold it."""
    if dtype.is_floating_point:
        return value
    return bool(value) if dtype.kind == "b" else checked_integer(value, dtype)


def filled_tensor(shape: Shape, fill: float, dtype: DType, requires_grad: bool) -> Tensor:
    """Return a tensor with the same number everywhere."""
    name = check_shape_allocation(shape, dtype)
    return make_leaf(
        np.full(shape, numbers_to_array([cast_number(fill, dtype)], dtype)[0], dtype=name), requires_grad
    )


def declare_filler(name: str, fill: float) -> Callable[..., Tensor]:
    """Declare ``name`` and ``name_like``, which make tensors full of one number; return the first."""

    @public(f"{name}(*size: ints, {KEYWORD_PARAMETERS})", method=False)
    def fill_shape(size: Shape, dtype: DType | None, requires_grad: bool) -> Tensor:
        if name == "zeros" and any(n < 0 for n in size):
            raise ShapeError(
                "zeros: Dimension size must be non-negative.",
                code="E0304",
                caret=f"the sizes are {list(size)}",
            )
        return filled_tensor(check_sizes(size), fill, dtype or dtypes.default_dtype(), requires_grad)

    @public(f"{name}_like(input: tensor, {KEYWORD_PARAMETERS})", method=False)
    def fill_like(x: Tensor, dtype: DType | None, requires_grad: bool) -> Tensor:
        return filled_tensor(x.shape, fill, dtype or x.dtype, requires_grad)

    return fill_shape


zeros = declare_filler("zeros", 0)
ones = declare_filler("ones", 1)
empty = declare_filler("empty", 0)


@public(f"full(size: size, fill_value: float, {KEYWORD_PARAMETERS})", method=False)
def full(size: Shape, fill_value: float, dtype: DType | None, requires_grad: bool) -> Tensor:
    """A tensor with ``fill_value`` everywhere; the type is the value's own."""
    shape = check_sizes(size)
    return filled_tensor(shape, fill_value, dtype or number_and_dtype(fill_value)[1], requires_grad)


@public(f"full_like(input: tensor, fill_value: float, {KEYWORD_PARAMETERS})", method=False)
def full_like(x: Tensor, fill_value: float, dtype: DType | None, requires_grad: bool) -> Tensor:
    """``full`` with the shape and type of another tensor."""
    return filled_tensor(x.shape, fill_value, dtype or x.dtype, requires_grad)


@public(f"eye(n: int, m: int = None, {KEYWORD_PARAMETERS})", method=False)
def eye(n: int, m: int | None, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    m = n if m is None else m
    for name, size in (("n", n), ("m", m)):
        if size < 0:
            raise ShapeError(f"{name} must be greater or equal to 0, got {size}", code="E0304")
    return make_leaf(
        np.eye(n, m, dtype=check_shape_allocation((n, m), dtype or dtypes.default_dtype())), requires_grad
    )


# -- ranges -------------------------------------------------------------------------------------------


@public(
    f"arange(start: float = None, end: float = None, step: float = 1, {KEYWORD_PARAMETERS})", method=False
)
def arange(
    start: float | None, end: float | None, step: float, dtype: DType | None, requires_grad: bool
) -> Tensor:
    """``start``, ``start + step``, ... up to but not including ``end``; from 0 where one number is given."""
    if start is None and end is None:
        raise ArgumentError(
            "arange() received an invalid combination of arguments - got (), but expected one of:",
            caret="it is not said how far to count",
            help=("write `torch.arange(5)` for the numbers from 0 to 4",),
        )
    if end is None:
        start, end = 0, start
    if start is None:
        start = 0
    assert end is not None
    if not step or step != step:
        raise ScriptError("step must be nonzero", code="E0308")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise ScriptError(f"unsupported range: {start} -> {end}", code="E0308")
    if (end - start) * step < 0:
        raise ScriptError(
            "upper bound and lower bound inconsistent with step sign",
            code="E0308",
            caret=f"{start} to {end} in steps of {step} goes the wrong way",
        )
    integral = float not in (start.__class__, end.__class__, step.__class__)
    dtype = dtype or (dtypes.int64 if integral else dtypes.default_dtype())
    if integral:
        start, end, step = int(start), int(end), int(step)
        count = -((start - end) // step)
    else:
        count = math.ceil((end - start) / step)
    name = check_shape_allocation((count,), dtype)
    return make_leaf((start + step * np.arange(count)).astype(name), requires_grad)


def range_ends(start: Any, end: Any, name: str) -> tuple[float, float]:
    """Return the ends of a range as numbers; each may be a tensor without dimensions."""
    tensors = [(what, t) for what, t in (("start", start), ("end", end)) if t.__class__ is Tensor]
    if any(t.ndim for _, t in tensors):
        got = " and ".join([f"{what} with {t.ndim} dimension(s)" for what, t in tensors])
        raise ShapeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {got}.",
            code="E0308",
            operands=tuple(t for _, t in tensors),
        )
    low, high = (t.item() if t.__class__ is Tensor else t for t in (start, end))
    return low, high


def evenly_spaced(start: float, end: float, steps: int, name: str) -> Any:
    """Return the numbers of ``linspace``. Single precision is rounded as in torch: each half from its end."""
    if name != "float32" or steps < 2:
        return np.linspace(start, end, steps).astype(name)
    low, high = np.float32(start), np.float32(end)
    step = np.float64((high - low) / np.float32(steps - 1))
    positions = np.arange(steps)
    upwards, downwards = (
        low + step * positions,
        high - step * (steps - 1 - positions),
    )  # in double precision, rounded once
    return np.where(positions < steps // 2, upwards, downwards).astype(name)


@public(f"linspace(start: value, end: value, steps: int, {KEYWORD_PARAMETERS})", method=False)
def linspace(start: Any, end: Any, steps: int, dtype: DType | None, requires_grad: bool) -> Tensor:
    """``steps`` numbers at equal distances from ``start`` to ``end``, both included."""
    start, end = range_ends(start, end, "linspace")
    if steps < 0:
        raise ScriptError("number of steps must be non-negative", code="E0308")
    name = check_shape_allocation((steps,), dtype or dtypes.default_dtype())
    return make_leaf(evenly_spaced(start, end, steps, name), requires_grad)


@public(
    f"logspace(start: value, end: value, steps: int, base: float = 10.0, {KEYWORD_PARAMETERS})", method=False
)
def logspace(
    start: Any, end: Any, steps: int, base: float, dtype: DType | None, requires_grad: bool
) -> Tensor:
    """``base`` to the powers that ``linspace`` gives."""
    start, end = range_ends(start, end, "logspace")
    if steps < 0:
        raise ScriptError("number of steps must be non-negative", code="E0308")
    name = check_shape_allocation((steps,), dtype or dtypes.default_dtype())
    return make_leaf(np.power(float(base), np.linspace(start, end, steps)).astype(name), requires_grad)


expose("set_default_dtype(d: dtype)", dtypes.set_default_dtype, method=False)
expose("get_default_dtype()", dtypes.default_dtype, method=False)

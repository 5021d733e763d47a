"""The dtypes: their names, their properties, and type promotion.

Only real types are supported. The default dtype is float64; ``set_default_dtype`` changes the dtype of
float literals.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Array = np.ndarray[Any, Any]


class DType:
    """One number type. ``kind`` is "b", "i" or "f", in rising order; ``rank`` orders types within a kind."""

    __slots__ = ("c_name", "kind", "long_name", "name", "rank")

    def __init__(self, name: str, long_name: str, c_name: str, kind: str, rank: int) -> None:
        self.name = name
        self.c_name = c_name
        self.long_name = long_name
        self.kind = kind
        self.rank = rank

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    @property
    def tensor_type_name(self) -> str:
        """The name that torch's errors give to a tensor of this type."""
        return "CPUBoolType" if self.kind == "b" else f"torch.{self.long_name}Tensor"

    @property
    def is_floating_point(self) -> bool:
        return self.kind == "f"


bool_ = DType("bool", "Bool", "bool", "b", 0)
uint8 = DType("uint8", "Byte", "unsigned char", "i", 1)
int32 = DType("int32", "Int", "int", "i", 2)
int64 = DType("int64", "Long", "long int", "i", 3)
float32 = DType("float32", "Float", "float", "f", 4)
float64 = DType("float64", "Double", "double", "f", 5)

DTYPES = {d.name: d for d in (bool_, uint8, int32, int64, float32, float64)}
# torch's aliases of the same types.
DTYPES.update({"double": float64, "float": float32, "long": int64, "int": int32})
#: Classes that may be passed as a dtype, as in ``dtype=float``: Python's, and their equivalents in scripts.
DTYPE_CLASSES: list[tuple[object, DType]] = [(float, float64), (int, int64), (bool, bool_)]


def dtype_from(value: object) -> DType | None:
    """Return the dtype that ``dtype=value`` means, or None if ``value`` is no dtype."""
    if value.__class__ is DType:
        return meant(value)
    return next((dtype for kind, dtype in DTYPE_CLASSES if kind is value), None)


class _DefaultDtype:
    """``dtype`` is that of float literals. ``is_single``: a script that says float32 means the default."""

    __slots__ = ("dtype", "is_single")

    def __init__(self) -> None:
        self.dtype = float64
        self.is_single = False


_default = _DefaultDtype()


def meant(dtype: DType) -> DType:
    """Return the dtype that a script means by one that it names."""
    return _default.dtype if dtype is float32 and _default.is_single else dtype


def read_single_as_default(flag: bool) -> bool:
    """Say whether float32 means the default dtype, as in PyTorch; return what held before."""
    before, _default.is_single = _default.is_single, flag
    return before


def default_dtype() -> DType:
    """Return the dtype of float literals."""
    return _default.dtype


def set_default_dtype(dtype: DType) -> None:
    """Set the dtype of float literals; only floating-point types are accepted."""
    if not dtype.is_floating_point:
        raise ScriptError(
            "only floating-point types are supported as the default type",
            help=("choose float64 or float32",),
        )
    _default.dtype = dtype


#: Cache by numpy dtype. numpy recomputes ``dtype.name`` each time, which takes longer than a small product.
_DTYPE_CACHE: dict[object, DType] = {}


def dtype_of(value: object) -> DType:
    """Return the dtype of a tensor's value: float64 for a Python float, else the array's own."""
    if value.__class__ is float:
        return float64
    dtype = value.dtype  # type: ignore[attr-defined] # annotated as object: numpy may not be imported yet
    known = _DTYPE_CACHE.get(dtype)
    if known is None:
        known = _DTYPE_CACHE[dtype] = DTYPES[dtype.name]
    return known


class Ones(dict[object, "Array"]):
    """The number 1 as a 0-d array, by numpy dtype.

    Passing a plain number doubles the time of a numpy call, because numpy converts it to an array first.
    """

    def __missing__(self, dtype: Any) -> Array:
        one = self[dtype] = np.ones((), dtype)
        return one


ONES = Ones()


def promote(dtypes: list[tuple[DType, int]]) -> DType:
    """Return the common dtype of operands. Tensors are given as (dtype, ndim), numbers as (dtype, -1).

    torch's rule: the highest kind wins. Within a kind, tensors with dimensions take precedence over 0-d
    tensors, and those over plain numbers.
    """
    best: dict[str, dict[int, DType]] = {}
    for dtype, ndim in dtypes:
        level = 2 if ndim > 0 else 1 if ndim == 0 else 0
        levels = best.setdefault(dtype.kind, {})
        if level not in levels or levels[level].rank < dtype.rank:
            levels[level] = dtype
    for kind in "fib":
        if kind in best:
            return best[kind][max(best[kind])]
    return float64

"""Number types: what a script calls ``float32``, which ones there are, and how they mix.

Real types only. The default type is float64; ``set_default_dtype`` changes what literals become.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Array = np.ndarray[Any, Any]


class DType:
    """One number type. ``rank`` orders the types of one kind, ``kind`` the kinds (b < i < f)."""

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
    def kind_of_tensor(self) -> str:
        """What torch's errors call a tensor of this type."""
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
# torch's other spellings of the same types.
DTYPES.update({"double": float64, "float": float32, "long": int64, "int": int32})
#: Classes of numbers that stand for a type, as in ``dtype=float``: Python's, and what scripts have for them.
CLASSES: list[tuple[object, DType]] = [(float, float64), (int, int64), (bool, bool_)]


def dtype_meant(value: object) -> DType | None:
    """The type that ``dtype=value`` asks for; None where the value names none."""
    if value.__class__ is DType:
        return value
    return next((dtype for kind, dtype in CLASSES if kind is value), None)


class _Default:
    __slots__ = ("dtype",)

    def __init__(self) -> None:
        self.dtype = float64


_default = _Default()


def default_dtype() -> DType:
    """The type of float literals."""
    return _default.dtype


def set_default_dtype(dtype: DType) -> None:
    """Make ``dtype`` the type of float literals; only floating types can be."""
    if not dtype.is_floating_point:
        raise ScriptError(
            "only floating-point types are supported as the default type",
            help=("choose float64 or float32",),
        )
    _default.dtype = dtype


#: numpy's types met so far: numpy works a name out anew each time, which takes longer than a small product.
_MET: dict[object, DType] = {}


def dtype_of(value: object) -> DType:
    """The type of a tensor's value: a Python float is a float64, an array says its own."""
    if value.__class__ is float:
        return float64
    dtype = value.dtype  # type: ignore[attr-defined] # numpy's types are not named before numpy is needed
    met = _MET.get(dtype)
    if met is None:
        met = _MET[dtype] = DTYPES[dtype.name]
    return met


class Ones(dict[object, "Array"]):
    """1 in each of numpy's types: of a plain number numpy makes an array first, which takes as long again."""

    def __missing__(self, dtype: Any) -> Array:
        one = self[dtype] = np.ones((), dtype)
        return one


ONES = Ones()


def promote(dtypes: list[tuple[DType, int]]) -> DType:
    """The common type of tensors given as (type, ndim) and numbers given as (type, -1).

    torch's rule: the highest kind wins; within a kind, tensors with dimensions go before 0-d tensors,
    and those before plain numbers.
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

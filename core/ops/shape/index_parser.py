"""Parse the index of ``x[index]`` part by part: ints, slices, None, ``...``, lists and tensors."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.ops.shape.dims import dimensions_phrase
from autodiff.core.ops.shape.picking_ops import FULL_SLICE, select, slice_dim
from autodiff.core.ops.shape.reshape import unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def index_as_tuple(index: Any) -> tuple[Any, ...]:
    """Return the index as a tuple; as in torch, a short list with lists, tensors or slices counts as one."""
    if index.__class__ is list and len(index) < 32:
        for part in index:
            if part is None or part is Ellipsis or part.__class__ in (list, tuple, slice, Tensor):
                return tuple(index)
    return index if isinstance(index, tuple) else (index,)


def check_index_count(x: Tensor, count: int) -> None:
    """Refuse an index for more dimensions than ``x`` has."""
    if count > x.ndim:
        raise ShapeError(
            f"too many indices for tensor of dimension {x.ndim}",
            code="E0208",
            operands=(x,),
            caret=f"{count} indices for a tensor of {dimensions_phrase(x.ndim)}"
            if x.ndim
            else SINGLE_NUMBER_CARET,
        )


def refuse_scalar_index(x: Tensor, key: Any) -> None:
    """Refuse an int or a slice as the index of a tensor without dimensions."""
    if x.ndim:
        return
    if key.__class__ is int and key:
        wrap_position(x, key, 0, 0)
    message = (
        "slice() cannot be applied to a 0-dim tensor."
        if key.__class__ is slice
        else "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to"
        " convert a 0-dim tensor to a number"
    )
    raise ShapeError(
        message,
        code="E0208",
        operands=(x,),
        caret=SINGLE_NUMBER_CARET,
        help=("leave the index out, or use `.item()`",),
    )


SINGLE_NUMBER_CARET = "this is a single number and has no dimensions"


def wrap_position(x: Tensor, index: int, dim: int, size: int, reported_dim: int | None = None) -> int:
    """Return a position counted from 0; a negative one counts from the end.

    ``counted`` is the dimension that torch's message names: the place of an int among the parts of the index,
    or the place of an array among its arrays.
    """
    if not -size <= index < size:
        last = "it is empty" if not size else f"its positions are 0 to {size - 1}"
        raise ShapeError(
            f"index {index} is out of bounds for dimension"
            f" {dim if reported_dim is None else reported_dim} with size"
            f" {size}",
            code="E0208",
            operands=(x,),
            caret=f"dimension {dim} has size {size}: {last}",
        )
    return index % size


def slice_end(value: Any) -> int | None:
    """Return one end of a slice as an int or None."""
    if value is None or value.__class__ is int:
        return value
    if value.__class__ is bool:
        return int(value)
    if value.__class__ is Tensor:
        if value.entry_count == 1 and not value.dtype.is_floating_point:
            return int(value.item())
        raise ScriptError(
            "only integer tensors of a single element can be converted to an index",
            code="E0307",
            operands=(value,),
        )
    raise ScriptError(
        "slice indices must be integers or None or have an __index__ method",
        code="E0307",
        caret="the ends of a slice are ints",
    )


def slice_bounds(key: slice, size: int) -> tuple[int, int, int]:
    """Return start, stop and step of a slice as non-negative numbers within ``size``."""
    step = slice_end(key.step)
    if step == 0:
        raise ScriptError("slice step cannot be zero", code="E0307")
    if step is not None and step < 0:
        raise ScriptError(
            "step must be greater than zero",
            code="E0307",
            caret="slices of tensors go forwards only",
            help=("reverse with `x.flip(0)`",),
        )
    start, stop, step = slice(slice_end(key.start), slice_end(key.stop), step).indices(size)
    return start, max(start, stop), step


def index_as_array(key: Any) -> Any:
    """Return a list or tensor of an index as an array: bool for masks, int64 for positions."""
    if key.__class__ is not Tensor:
        if starts_with_string(key):
            raise ScriptError("new(): invalid data type 'str'", code="E0307", caret="a string is no position")
        key = FUNCTIONS["torch.tensor"].implementation(list(key), None, False)
        if not key.entry_count:
            return key.data.astype("int64")
        if key.dtype.is_floating_point:  # torch truncates floats in lists, but refuses float tensors
            return key.data.astype("int64")
    if key.dtype.is_floating_point:
        raise ScriptError(
            "tensors used as indices must be long, int, byte or bool tensors",
            code="E0307",
            operands=(key,),
            caret=f"this tensor holds {key.dtype.name} numbers",
            help=("convert it: `i.long()`",),
        )
    return key.data.astype("bool" if key.dtype.name in ("bool", "uint8") else "int64")


def starts_with_string(key: Any) -> bool:
    """Whether the first entry of nested lists is a string."""
    while isinstance(key, (list, tuple)) and key:
        key = key[0]
    return key.__class__ is str


def spanned_dims(key: Any) -> int:
    """Return how many dimensions of the tensor one part of an index uses."""
    if key is None or key is Ellipsis or key.__class__ is bool:
        return 0
    return key.ndim if key.__class__ in (np.ndarray, Tensor) and key.dtype.kind == "b" else 1


class ParsedIndex:
    """A parsed index of a tensor.

    ``steps`` are the ops for its ints, slices and Nones, in torch's order. ``basic`` is the same as one numpy
    index, ``shape`` the shape of the result. ``advanced`` is the index of arrays to apply to that result.
    """

    def __init__(self, x: Tensor, index: tuple[Any, ...]) -> None:
        self.x = x
        self.keys = index
        self.steps: list[tuple[Any, dict[str, Any]]] = []
        self.shape = x.shape
        self._basic: list[Any] = []
        self._arrays: dict[int, Any] = {}
        self._given: dict[int, Any] = {}
        self._result_dim = 0
        self._is_single_bool = [key.__class__ for key in index] == [bool]
        keys = [self.simplified(key) for key in index]
        arrays = [key for key in keys if key.__class__ is bool or key.__class__ is np.ndarray]
        masks = [key for key in keys if isinstance(key, np.ndarray) and key.dtype == bool]
        self._is_mask = len(arrays) == len(masks) == 1
        count = sum(spanned_dims(key) for key in keys)
        check_index_count(x, count)
        for self._key_position, key in enumerate(keys):
            if key is Ellipsis:
                self.keep_whole(x.ndim - count)
            else:
                self.add(key)
        # As in torch, arrays are checked after the ints and slices between them have been applied.
        for dim, array in self._given.items():
            self._arrays |= self.mask_positions(dim, array) if array.dtype == bool else {dim: array}
        if self._arrays:
            self.wrap_arrays()

    def simplified(self, key: Any) -> Any:
        """Return one part of the index as int, bool, slice, None, Ellipsis or array."""
        if key is None or key is Ellipsis or key.__class__ in (int, bool, slice):
            return key
        if key.__class__ is Tensor or isinstance(key, (list, tuple, range)):
            positions = index_as_array(key)
            if not positions.ndim:
                return bool(positions) if positions.dtype == bool else int(positions)
            return positions
        raise ScriptError(
            "new(): invalid data type 'str'"
            if key.__class__ is str
            else "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid"
            f" indices (got {type_name(key)})",
            code="E0307",
            operands=(self.x,),
        )

    def casts_value(self, value: Tensor) -> bool:
        """Whether torch converts a value of another dtype, as it does where one number fills a mask."""
        return self._is_single_bool or (self._is_mask and value.entry_count == 1)

    @property
    def basic(self) -> tuple[Any, ...]:
        return tuple(self._basic)

    @property
    def advanced(self) -> tuple[Any, ...]:
        """The arrays as a numpy index, with whole dimensions between them."""
        if not self._arrays:
            return ()
        return tuple(self._arrays.get(dim, FULL_SLICE) for dim in range(max(self._arrays) + 1))

    def keep_whole(self, dims: int) -> None:
        """Keep the next ``dims`` dimensions whole."""
        self._basic += [FULL_SLICE] * dims
        self._result_dim += dims

    def step(self, op: Any, key: Any, shape: tuple[int, ...], **params: Any) -> None:
        """Record one of torch's ops, its part of the numpy index and the shape after it."""
        self._basic.append(key)
        self.shape = shape
        self.steps.append((op, {"dim": self._result_dim, **params}))

    def add(self, key: Any) -> None:
        """Apply the next part of the index."""
        shape, dim = self.shape, self._result_dim
        size = shape[dim] if dim < len(shape) else 0
        if key is None or key.__class__ is bool:
            self.step(unsqueeze, None, (*shape[:dim], 1, *shape[dim:]))
            if key is not None:
                self._given[dim] = np.zeros(int(key), dtype="int64")
            self._result_dim += 1
        elif key.__class__ is int:
            place = wrap_position(self.x, key, self.source_dim, size, self._key_position)
            self.step(select, place, (*shape[:dim], *shape[dim + 1 :]), index=place)
        elif key.__class__ is slice:
            start, stop, step = slice_bounds(key, size)
            # As in torch, `x[-2:]` records a node even where it covers the whole dimension.
            if (start, stop, step) == (0, size, 1) and key.start in (None, 0):
                self._basic.append(FULL_SLICE)
            else:
                count = len(range(start, stop, step))
                left = (*shape[:dim], count, *shape[dim + 1 :])
                self.step(slice_dim, slice(start, stop, step), left, start=start, stop=stop, step=step)
            self._result_dim += 1
        else:
            self._given[dim] = key
            self.keep_whole(spanned_dims(key))

    def mask_positions(self, dim: int, mask: Any) -> dict[int, Any]:
        """Return the positions where a mask holds: one array per dimension, by dimension."""
        for axis, n in enumerate(mask.shape):
            if self.shape[dim + axis] != n:
                raise ShapeError(
                    f"The shape of the mask {list(mask.shape)} at index {axis} does not match the shape of"
                    f" the indexed tensor {list(self.shape)} at index {dim + axis}",
                    code="E0208",
                    operands=(self.x,),
                    caret="a mask has the shape of the dimensions it stands for",
                )
        return {dim + axis: positions for axis, positions in enumerate(mask.nonzero())}

    def wrap_arrays(self) -> None:
        """Count all positions from 0; refuse the first one out of range in broadcast order."""
        try:
            shape = np.broadcast_shapes(*(array.shape for array in self._arrays.values()))
        except ValueError:
            listed = ", ".join(str(list(array.shape)) for array in self._arrays.values())
            raise ShapeError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}",
                code="E0208",
                operands=(self.x,),
            ) from None
        out_of_range = []
        for array_number, (dim, array) in enumerate(sorted(self._arrays.items())):
            size = self.shape[dim]
            if ((array < -size) | (array >= size)).any():
                rows = (np.broadcast_to(array, shape) if 0 not in shape else array).ravel()
                first = int(np.argmax((rows < -size) | (rows >= size)))
                out_of_range.append((first, array_number, dim, int(rows[first]), size))
            elif (array < 0).any():
                self._arrays[dim] = np.where(array < 0, array + size, array)
        if out_of_range:
            _, array_number, dim, index, size = min(out_of_range)
            wrap_position(self.x, index, dim, size, array_number)

    @property
    def source_dim(self) -> int:
        """The next dimension of the original tensor, for error messages."""
        return sum(key is not None for key in self._basic)

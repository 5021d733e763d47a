"""torch's old tensor classes, which make a tensor from data, from another tensor or from sizes."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, no_matching_overload, type_name
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType
from autodiff.core.ops.create.creation import data_as_array, make_leaf, require_grad, zeros
from autodiff.core.ops.shape.dims import check_sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def declare_constructor(name: str, dtype: DType | None) -> None:
    """Declare one of torch's old constructors, which takes lists, another tensor or the sizes of zeros."""

    @public(f"{name}(*data: any = 0)", method=False)
    def construct(data: Any) -> Tensor:
        kind = dtypes.default_dtype() if dtype is None else dtypes.meant(dtype)
        data = data if isinstance(data, tuple) else (data,)
        if len(data) == 1:
            (only,) = data
            is_leaf_number = only.__class__ is Tensor and only.requires_grad_flag and not only.ndim
            if only.__class__ is Tensor and not is_leaf_number:
                return detach_same_dtype(only, only.dtype if dtype is None else kind)
            if isinstance(only, (list, tuple, range)) and not is_size(only):
                return make_leaf(data_as_array(only, kind))
            if is_size(only):
                data = only
            elif only.__class__ is not int and not is_leaf_number:
                raise ArgumentError(
                    "new(): invalid data type 'str'"
                    if only.__class__ is str
                    else f"new(): data must be a sequence (got {type_name(only)})",
                    help=("write `torch.tensor(...)` around numbers",),
                )
        sizes = [int(n.item()) if n.__class__ is Tensor and n.entry_count == 1 else n for n in data]
        if any(n.__class__ not in (int, bool) for n in sizes):
            raise no_matching_overload("new", *data)
        return zeros(check_sizes([int(n) for n in sizes]), kind, False)

    construct.__doc__ = f"``{name}(2, 3)`` is zeros; ``{name}([1, 2])`` holds these numbers."


def is_size(value: Any) -> bool:
    """Whether ``value`` is a torch.Size, which is a shape and not data."""
    return isinstance(value, tuple) and value.__class__ is not tuple


def detach_same_dtype(x: Tensor, dtype: DType) -> Tensor:
    """Return ``x.detach()``; the dtype of ``x`` must be that of the class."""
    if x.dtype is not dtype:
        wanted, given = (
            f"TensorOptions(dtype={kind.c_name}, device=cpu, layout=Strided, requires_grad=false (default),"
            " pinned_memory=false (default), memory_format=(nullopt))"
            for kind in (dtype, x.dtype)
        )
        raise ArgumentError(
            f"expected {wanted} (got {given})",
            operands=(x,),
            caret=f"this tensor holds {x.dtype.name} numbers",
            help=(f"convert it: `x.to(torch.{dtype.name})`",),
        )
    return x.detach()


declare_constructor("Tensor", None)
declare_constructor("FloatTensor", dtypes.float32)
declare_constructor("DoubleTensor", dtypes.float64)
declare_constructor("LongTensor", dtypes.int64)
declare_constructor("IntTensor", dtypes.int32)
declare_constructor("ByteTensor", dtypes.uint8)
declare_constructor("BoolTensor", dtypes.bool_)


@public("Variable(data: tensor, requires_grad: bool = False)", method=False)
def variable(data: Tensor, requires_grad: bool) -> Tensor:
    """torch's old constructor of leaves: a new leaf with the value of ``data``."""
    made = data.detach()
    if requires_grad:
        require_grad(made)
    return made

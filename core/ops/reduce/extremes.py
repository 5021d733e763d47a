"""The largest, smallest, middle and k-th smallest entries: their values and positions.

Ties are the kinks, as in torch: ``amax``, ``amin`` and functions of all entries share the gradient among tied
entries; functions that also return indices along a dimension give it to the picked entry alone.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, ShapeError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import values_and_indices
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.elementwise.selection import maximum, minimum
from autodiff.core.ops.reduce.reduction import (
    Dims,
    check_not_empty,
    expand_reduced,
    reduction_dims,
    share_among_ties,
)
from autodiff.core.ops.shape.dims import size_along, wrap_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SHARED_TIES_KINK = "entries that tie share the gradient equally"
PICKED_TIE_KINK = "of entries that tie the one that was picked gets the whole gradient"


def empty_median(x: Any) -> Any:
    """Return torch's median of an empty tensor: nan, the smallest integer of the dtype, or True."""
    if x.dtype.kind == "b":
        return np.asarray(True)
    return np.asarray(math.nan if x.dtype.kind == "f" else np.iinfo(x.dtype).min, x.dtype)


def median_forward(x: Any, *, dim: Dims, keepdim: bool) -> Any:
    """Return the lower of the two middle entries, or nan if any entry is nan."""
    if not x.size:
        return empty_median(x)
    ordered = np.sort(x, axis=None)
    is_nan = x.dtype.kind == "f" and np.isnan(ordered[-1])
    return ordered[-1] if is_nan else ordered[(ordered.size - 1) // 2]


def pick_forward(x: Any, *, index: Any, dim: int, keepdim: bool) -> Any:
    if not x.ndim:
        return x
    picked = np.take_along_axis(x, index, axis=dim)
    return picked if keepdim else np.squeeze(picked, axis=dim)


def pick_vjp(g: Any, out: Any, x: Any, *, index: Any, dim: int, keepdim: bool) -> Any:
    """Send g to the picked entry."""
    if not x.shape:
        return g
    places = np.arange(x.shape[dim]).reshape((-1,) + (1,) * (len(x.shape) - dim - 1))
    return where(index == places, expand_reduced(g, x, (dim,), keepdim), 0.0)


amax: Op = primitive(
    "amax", lambda x, dim, keepdim: x.max(axis=dim, keepdims=keepdim), share_among_ties, kink=SHARED_TIES_KINK
)
amin: Op = primitive(
    "amin", lambda x, dim, keepdim: x.min(axis=dim, keepdims=keepdim), share_among_ties, kink=SHARED_TIES_KINK
)
median: Op = primitive("median", median_forward, share_among_ties, kink=SHARED_TIES_KINK)
pick: Op = primitive(
    "pick",
    pick_forward,
    pick_vjp,
    saves_params=True,
    grad_fn="MaxBackward0",
    kink="of entries that tie the first gets the whole gradient",
)


# Positions have no gradient.
argmax = primitive("argmax", lambda x, dim, keepdim: np.argmax(x, axis=dim, keepdims=keepdim))
argmin = primitive("argmin", lambda x, dim, keepdim: np.argmin(x, axis=dim, keepdims=keepdim))


# -- the functions ------------------------------------------------------------------------------------


def nonempty_dims(x: Tensor, name: str, dim: Dims) -> Dims:
    """Return the dimensions to reduce, after refusing those without entries.

    torch checks for empty dimensions before it checks for repeated ones.
    """
    if not x.entry_count:
        if not dim:
            check_not_empty(x, name, None)
        for given in dim or ():
            if not size_along(x, given):
                check_not_empty(x, name, (given,))
    return reduction_dims(x, dim, keepdim=True)


@public("amax(input: tensor, dim: ints = None, keepdim: bool = False)")
def amax_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The largest of all entries, or over dimensions."""
    return amax(x, dim=nonempty_dims(x, "amax", dim), keepdim=keepdim)


@public("amin(input: tensor, dim: ints = None, keepdim: bool = False)")
def amin_over(x: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The smallest of all entries, or over dimensions."""
    return amin(x, dim=nonempty_dims(x, "amin", dim), keepdim=keepdim)


@public("aminmax(input: tensor, *, dim: int = None, keepdim: bool = False)")
def aminmax(x: Tensor, dim: int | None, keepdim: bool) -> NamedResult:
    """The smallest and the largest of all entries, or along a dimension."""
    dims = reduction_dims(x, None if dim is None else (dim,), keepdim)
    for axis in dims or ():
        if not x.shape[axis]:
            raise ShapeError(
                f"aminmax: Expected reduction dim {axis} to have non-zero size.", code="E0200", operands=(x,)
            )
    if dim is None and not x.entry_count:
        raise ShapeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
            code="E0200",
            operands=(x,),
        )
    dims = reduction_dims(x, dims, keepdim=True)
    least, most = (op.named("AminmaxBackward0")(x, dim=dims, keepdim=keepdim) for op in (amin, amax))
    return NamedResult("torch.return_types.aminmax", ("min", "max"), (least, most))


def pick_along_dim(
    x: Tensor, name: str, dim: int, keepdim: bool, grad_fn: str, choose: Callable[[Any, int], Any]
) -> NamedResult:
    """Return the entries at the positions that ``choose`` finds along ``dim``, and these positions."""
    axis = wrap_dim(x, dim)
    check_not_empty(x, name.removeprefix("nan"), (axis,) if x.ndim else None)
    index = choose(x.data, axis) if x.ndim else np.zeros((), np.int64)
    kink = pick.kink if name in ("max", "min") else PICKED_TIE_KINK
    values = pick.named(grad_fn, kink=kink)(x, index=index, dim=axis, keepdim=keepdim)
    places = index if keepdim or not x.ndim else np.squeeze(index, axis=axis)
    return values_and_indices(name, values, Tensor.of(places))


def max_or_min(
    x: Tensor, name: str, dim: Any, keepdim: bool, other: Any, pair: Op, whole: Op, places: Op
) -> Any:
    """Call the form of max (or min) that the arguments ask for.

    ``pair`` is the op of two tensors, ``places`` finds the positions along a dimension, and ``whole`` reduces
    all entries.
    """
    other = dim if dim.__class__ is Tensor else other
    if other is not None and not keepdim and (dim is None or dim is other):
        return pair(x, other)
    if other is not None:
        extra = "keepdim" if keepdim else "other"
        raise ArgumentError(f"{name}() got an unexpected keyword argument '{extra}'")
    if dim is None and keepdim:
        raise ArgumentError(f'{name}() missing 1 required positional arguments: "dim"')
    title = name.capitalize()
    if dim is None:
        check_not_empty(x, name, None)
        return whole.named(f"{title}Backward1")(x, dim=None, keepdim=False)
    if dim.__class__ is not int:
        raise ArgumentError(f"{name}(): argument 'dim' must be int, not {type_name(dim)}")
    return pick_along_dim(
        x, name, dim, keepdim, f"{title}Backward0", lambda a, axis: places.forward(a, dim=axis, keepdim=True)
    )


@public("max(input: tensor, dim: any = None, keepdim: bool = False, other: tensor = None)")
def max_over(x: Tensor, dim: Any, keepdim: bool, other: Any) -> Any:
    """The largest entry; with ``dim``, values and indices along it; of two tensors, the larger entries."""
    return max_or_min(x, "max", dim, keepdim, other, maximum, amax, argmax)


@public("min(input: tensor, dim: any = None, keepdim: bool = False, other: tensor = None)")
def min_over(x: Tensor, dim: Any, keepdim: bool, other: Any) -> Any:
    """The smallest entry; with ``dim``, values and indices along it; of two tensors, the smaller entries."""
    return max_or_min(x, "min", dim, keepdim, other, minimum, amin, argmin)


def kth_smallest(a: Any, axis: int, k: int) -> Any:
    return np.take(np.argsort(a, axis=axis, kind="stable"), [k], axis=axis)


def lower_median_index(a: Any, axis: int) -> Any:
    """Return the position of the lower of the two middle entries, or of the first nan if there is one."""
    middle = kth_smallest(a, axis, (a.shape[axis] - 1) // 2)
    if a.dtype.kind != "f":
        return middle
    is_nan = np.isnan(a)
    first = np.argmax(is_nan, axis=axis, keepdims=True)
    return np.where(np.any(is_nan, axis=axis, keepdims=True), first, middle)


def check_median(x: Tensor, dim: int | None) -> None:
    """Refuse an empty dimension, and dtypes without a kernel.

    As in torch, the dimension is checked before the dtype, and the median of no entries needs no kernel.
    """
    if dim is None:
        if x.entry_count:
            require_kind(x, "median_cpu", "if")
        return
    if x.ndim:
        check_not_empty(x, "median", (wrap_dim(x, dim),))
    require_kind(x, "median_out", "if")


@public("median(input: tensor, dim: int = None, keepdim: bool = False)")
def median_over(x: Tensor, dim: int | None, keepdim: bool) -> Any:
    """The lower of the two middle entries; with ``dim``, values and indices along it."""
    check_median(x, dim)
    if dim is None:
        return median(x, dim=None, keepdim=False)
    return pick_along_dim(x, "median", dim, keepdim, "MedianBackward1", lower_median_index)


@public("kthvalue(input: tensor, k: int, dim: int = -1, keepdim: bool = False)")
def kthvalue(x: Tensor, k: int, dim: int, keepdim: bool) -> NamedResult:
    """The k-th smallest entry along a dimension and its index; ``k`` starts at 1."""
    if x.ndim:
        check_not_empty(x, "kthvalue", (wrap_dim(x, dim),))
    if not 1 <= k <= (x.shape[wrap_dim(x, dim)] if x.ndim else 1):
        raise ScriptError(
            f"kthvalue(): selected number k out of range for dimension {wrap_dim(x, dim)}", operands=(x,)
        )
    require_kind(x, "kthvalue_cpu", "if")
    return pick_along_dim(
        x, "kthvalue", dim, keepdim, "KthvalueBackward0", lambda a, axis: kth_smallest(a, axis, k - 1)
    )


def make_index_function(op: Op, name: str) -> Callable[..., Tensor]:
    def find(x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
        if x.dtype.kind == "b":
            raise DtypeError(
                f"{name}(): does not support bool input",
                operands=(x,),
                help=("convert it first, as in `x.int()`",),
            )
        axis = None if dim is None else wrap_dim(x, dim)
        check_not_empty(x, name, None if axis is None or not x.ndim else (axis,))
        return op(x, dim=axis if x.ndim else None, keepdim=keepdim and x.ndim > 0)

    find.__doc__ = (
        f"Where the {'largest' if name == 'argmax' else 'smallest'} entry stands, the first if several tie."
    )
    return find


public("argmax(input: tensor, dim: int = None, keepdim: bool = False)")(make_index_function(argmax, "argmax"))
public("argmin(input: tensor, dim: int = None, keepdim: bool = False)")(make_index_function(argmin, "argmin"))

"""Running sums, products and log-sum-exp, differences, slopes of samples, and the trapezoidal rule."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import (
    ArgumentError,
    DimError,
    DtypeError,
    ScriptError,
    ShapeError,
    type_name,
)
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add, div, mul, sub
from autodiff.core.ops.elementwise.comparison import ne, where
from autodiff.core.ops.elementwise.transcendental import exp, log
from autodiff.core.ops.reduce.reduction import cumprod, cumsum, sum
from autodiff.core.ops.shape.dims import size_along, wrap_dim, wrap_dims
from autodiff.core.ops.shape.join import cat_tensors
from autodiff.core.ops.shape.picking_ops import select, slice_dim
from autodiff.core.ops.shape.reshape import clone, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.dtypes import DType

# -- running sums and products --------------------------------------------------------------------------


def apply_scan(op: Op, x: Tensor, dim: int, dtype: DType | None, **params: bool) -> Tensor:
    """Return a running sum or product.

    torch takes bool as ``dtype`` only of an empty tensor or of a single number.
    """
    axis = wrap_dim(x, dim)
    x = cast(x, dtype)
    if dtype is not None and x.entry_count and x.ndim:
        require_kind(x, f"{op.name}_out_cpu", "if")
    return cast(op(x, dim=axis, **params), dtype)


@public("cumsum(input: tensor, dim: int, *, dtype: dtype = None)", in_place=True)
def cumsum_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The running sums along a dimension."""
    return apply_scan(cumsum, x, dim, dtype, reverse=False)


@public("cumprod(input: tensor, dim: int, *, dtype: dtype = None)", in_place=True)
def cumprod_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The running products along a dimension."""
    return apply_scan(cumprod, x, dim, dtype)


# -- running log-sum-exp --------------------------------------------------------------------------------

#: The logarithm used for a cotangent of 0: finite, so that inf is never subtracted from inf.
LOG_ZERO = -1e38


def logcumsumexp_forward(x: Any, *, dim: int, reverse: bool) -> Any:
    if not x.ndim:
        return x
    if reverse:
        return np.flip(logcumsumexp_forward(np.flip(x, dim), dim=dim, reverse=False), dim)
    totals = np.logaddexp.accumulate(x, axis=dim, dtype=np.float64) + 0  # torch turns -0 into 0
    return totals.astype(x.dtype, copy=False)


def logcumsumexp_vjp(g: Any, out: Any, x: Any, *, dim: int, reverse: bool) -> Any:
    """Σ over i ≥ k of gᵢ exp(xₖ - outᵢ), in logarithms, for positive and negative gᵢ separately."""
    received = []
    for part in (g, -g):
        size = where(part > 0, log(where(part > 0, part, 1.0)), LOG_ZERO)
        received.append(exp(logcumsumexp(size - out, dim=dim, reverse=not reverse) + x))
    return received[0] - received[1]


logcumsumexp: Op = primitive("logcumsumexp", logcumsumexp_forward, logcumsumexp_vjp)


@public("logcumsumexp(input: tensor, dim: int)")
def logcumsumexp_along(x: Tensor, dim: int) -> Tensor:
    """The running log(Σ exp(x)) along a dimension, without overflow."""
    axis = wrap_dim(x, dim)
    require_kind(x, "logcumsumexp_out_cpu", "f")
    return logcumsumexp(x, dim=axis, reverse=False)


# -- differences ----------------------------------------------------------------------------------------


def slice_along(x: Tensor, dim: int, start: int, stop: int) -> Tensor:
    """Return the entries from ``start`` up to ``stop`` along ``dim``; both count from 0."""
    return slice_dim(x, dim=dim, start=start, stop=stop, step=1)


def check_diff_operand(x: Tensor, beside: Tensor, axis: int) -> None:
    """Refuse a tensor to prepend or append whose shape does not fit ``x``."""
    if beside.ndim != x.ndim:
        raise ShapeError(
            "diff expects prepend or append to be the same dimension as input",
            operands=(x, beside),
            caret=f"shapes {x.shape} and {beside.shape} have not as many dimensions",
        )
    for dim, (own, other) in enumerate(zip(x.shape, beside.shape, strict=True)):
        if dim != axis and own != other:
            raise ShapeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along"
                f" the differencing dimension; input.size({dim}) = {own}, but got tensor.size({dim}) ="
                f" {other}",
                operands=(x, beside),
            )


@public("diff(input: tensor, n: int = 1, dim: int = -1, prepend: tensor = None, append: tensor = None)")
def diff(x: Tensor, n: int, dim: int, before: Tensor | None, after: Tensor | None) -> Tensor:
    """Each entry minus the one before it along a dimension, applied ``n`` times."""
    if not x.ndim:
        raise ShapeError(
            "diff expects input to be at least one-dimensional",
            operands=(x,),
            caret="a single number has no entries to subtract from one another",
        )
    if n < 0:
        raise ScriptError(f"order must be non-negative but got {n}")
    for beside in (before, after):
        if beside is not None:
            check_diff_operand(x, beside, wrap_dim(x, dim))
    if not n:
        return clone.named("CopyBackwards")(x)
    axis = wrap_dim(x, dim)
    parts = [part for part in (before, x, after) if part is not None]
    whole = cat_tensors(parts, axis) if len(parts) > 1 else x
    difference = ne if x.dtype.name == "bool" else sub
    for _ in range(min(n, whole.shape[axis])):
        size = whole.shape[axis]
        whole = difference(slice_along(whole, axis, 1, size), slice_along(whole, axis, 0, size - 1))
    return whole


# -- slopes of samples ----------------------------------------------------------------------------------

SPACING_ERROR = "torch.gradient expected spacing to be unspecified, a scalar"


def sample_spacings(x: Tensor, spacing: Any, count: int, is_dim_given: bool) -> list[Any]:
    """Return for each dimension the distance between neighbours, or a tensor of coordinates."""
    if spacing.__class__ is Tensor and not spacing.ndim:
        spacing = spacing.item()
    spacing = 1 if spacing is None else spacing
    if spacing.__class__ in (int, float, bool):
        return [spacing] * count
    if not isinstance(spacing, (list, tuple)):
        raise ArgumentError(
            "gradient() received an invalid combination of arguments - got (Tensor,"
            f" spacing={type_name(spacing)}), but expected one of:",
            caret="a distance is a number; coordinates are a list with a tensor for each dimension",
        )
    if len(spacing) != count and is_dim_given:
        raise ScriptError(
            f"{SPACING_ERROR} or it's spacing and dim arguments to have the same length, but got"
            " a spacing argument"
            f" of length {len(spacing)} and a dim argument of length {count}.",
        )
    if len(spacing) != count:
        raise ScriptError(
            f"{SPACING_ERROR}, or a list of length equal to 'self.dim() = {x.ndim}', since dim"
            " argument was not"
            f" given, but got a list of length {len(spacing)}",
        )
    is_tensor = [entry.__class__ is Tensor for entry in spacing]
    if any(is_tensor) and not all(is_tensor):
        first = is_tensor.index(False)
        kind = type_name(spacing[first])
        raise ArgumentError(f"expected Tensor as element {first} in argument 1, but got {kind}")
    for entry in spacing:
        if entry.__class__ is Tensor and entry.ndim != 1:
            raise ShapeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element"
                f" with {entry.ndim} dimensions!",
                operands=(entry,),
            )
    return list(spacing)


def even_gradient(x: Tensor, dim: int, step: float, edge_order: int) -> Tensor:
    """Return central differences, and at the edges one-sided differences of two or three samples."""
    n = x.shape[dim]

    def sample(i: int) -> Tensor:
        return slice_along(x, dim, i, i + 1)

    middle = (slice_along(x, dim, 2, n) - slice_along(x, dim, 0, n - 2)) / (2 * step)
    if edge_order == 1:
        first, last = (sample(1) - sample(0)) / step, (sample(n - 1) - sample(n - 2)) / step
    else:
        first = (sample(0) * -1.5 + sample(1) * 2 + sample(2) * -0.5) / step
        last = (sample(n - 3) * 0.5 + sample(n - 2) * -2 + sample(n - 1) * 1.5) / step
    return cat_tensors([first, middle, last], dim)


def uneven_gradient(x: Tensor, dim: int, coordinates: Tensor, edge_order: int) -> Tensor:
    """Return the slopes of samples at uneven coordinates, from parabolas through three neighbours each."""
    n = x.shape[dim]
    if coordinates.entry_count != n:
        raise ShapeError(
            f"The size of tensor a ({coordinates.entry_count}) must match the size of tensor b ({n}) at"
            " non-singleton"
            f" dimension {dim}",
            operands=(coordinates, x),
            caret=f"there are {n} samples along dimension {dim} and {coordinates.entry_count} coordinates",
        )
    gaps = diff(coordinates, 1, 0, None, None)
    shape = tuple(-1 if axis == dim else 1 for axis in range(x.ndim))

    def samples(start: int, count: int = 1) -> Tensor:
        return slice_along(x, dim, start, start + count)

    def gap(start: int, count: int = 1) -> Tensor:
        return reshape(slice_along(gaps, 0, start, start + count), shape=shape)

    inner = n - 2
    h, k = gap(0, inner), gap(1, inner)
    middle = (
        samples(0, inner) * (-k / (h * (h + k)))
        + samples(1, inner) * ((k - h) / (h * k))
        + samples(2, inner) * (h / (k * (h + k)))
    )
    if edge_order == 1:
        first, last = (samples(1) - samples(0)) / gap(0), (samples(n - 1) - samples(n - 2)) / gap(n - 2)
    else:
        h, k = gap(0), gap(1)
        first = (
            samples(0) * (-(2 * h + k) / (h * (h + k)))
            + samples(1) * ((h + k) / (h * k))
            - samples(2) * (h / (k * (h + k)))
        )
        h, k = gap(n - 3), gap(n - 2)
        last = (
            samples(n - 3) * (k / (h * (h + k)))
            - samples(n - 2) * ((h + k) / (h * k))
            + samples(n - 1) * ((2 * k + h) / (k * (h + k)))
        )
    return cat_tensors([first, middle, last], dim)


@public("gradient(input: tensor, *, spacing: any = 1, dim: any = None, edge_order: int = 1)", method=False)
def gradient(x: Tensor, spacing: Any, dim: Any, edge_order: int) -> tuple[Tensor, ...]:
    """The slopes of a sampled function along each dimension, by differences of neighbours."""
    given_dims = (dim,) if dim.__class__ is int else dim
    if x.dtype.name == "uint8":
        raise DtypeError(
            "torch.gradient does not support uint8 input.",
            operands=(x,),
            caret="differences of these can be less than 0",
            help=("convert it with .float() or .double()",),
        )
    steps = sample_spacings(
        x, spacing, x.ndim if given_dims is None else len(given_dims), given_dims is not None
    )
    dims = tuple(range(x.ndim)) if given_dims is None else wrap_dims(x, given_dims)
    for axis in dims:
        size_along(x, axis)
    if edge_order not in (1, 2):
        raise ScriptError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for axis in dims:
        if x.shape[axis] <= edge_order:
            raise ShapeError(
                "torch.gradient expected each dimension size to be at least edge_order+1",
                operands=(x,),
                caret=f"dimension {axis} of shape {x.shape} has fewer than {edge_order + 1} samples",
            )
    return tuple(
        (uneven_gradient if step.__class__ is Tensor else even_gradient)(x, axis, step, edge_order)
        for axis, step in zip(dims, steps, strict=True)
    )


# -- the trapezoidal rule -------------------------------------------------------------------------------

TRAPEZOID_SIGNATURE = "(y: tensor, x: tensor = None, *, dx: float = None, dim: int = -1)"


def check_samples(y: Tensor, x: Tensor | None, dx: float | None, name: str) -> None:
    if dx.__class__ is bool and x is None:
        raise ScriptError(f"{name}: Currently, we only support dx as a real number.", code="E0308")
    for tensor in (y, x):
        if tensor is not None and tensor.dtype.name == "bool":
            which = "`y`" if x is None else "`x` or `y`"
            raise ScriptError(
                f"{name}: received a bool input for {which}, but bool is not supported", operands=(tensor,)
            )
    if x is not None and dx is not None:
        raise ArgumentError(
            f"{name}() received an invalid combination of arguments - got (Tensor, Tensor,"
            f" dx={type_name(dx)}), but expected one of:",
            caret="give the places of the samples or their distance, not both",
        )


def interval_widths(y: Tensor, x: Tensor, axis: int, name: str) -> Tensor:
    """Return the distances between neighbouring samples, shaped to broadcast with ``y``."""
    if x.ndim == 1:
        if x.entry_count != y.shape[axis]:
            raise ShapeError(
                f"{name}: There must be one `x` value for each sample point",
                operands=(y, x),
                caret=f"there are {y.shape[axis]} samples and {x.entry_count} places",
            )
        x = reshape(x, shape=tuple(-1 if dim == axis else 1 for dim in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = reshape(x, shape=(1,) * (y.ndim - x.ndim) + x.shape)
    return diff(x, 1, axis, None, None)


def neighbour_sums(y: Tensor, axis: int) -> Tensor:
    """Return the sum of each entry and the next."""
    n = y.shape[axis]
    return add(slice_along(y, axis, 1, n), slice_along(y, axis, 0, max(n - 1, 0)))


@public(f"trapezoid{TRAPEZOID_SIGNATURE}", method=False)
def trapezoid(y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> Tensor:
    """The integral of samples along a dimension, by the trapezoidal rule."""
    axis = dim if x is None else wrap_dim(y, dim)
    if not y.ndim:
        raise DimError(f"Dimension specified as {axis} but tensor has no dimensions", operands=(y,))
    axis = wrap_dim(y, dim)
    check_samples(y, x, dx, "trapezoid")
    if not y.shape[axis]:
        return Tensor.of(np.zeros(y.shape[:axis] + y.shape[axis + 1 :], y.data.dtype))
    if x is not None:
        areas = neighbour_sums(y, axis) * interval_widths(y, x, axis, "trapezoid")
        return div.named("DivBackward1")(sum(areas, dim=(axis,), keepdim=False), 2.0)
    ends = select(y, dim=axis, index=0) + select(y, dim=axis, index=y.shape[axis] - 1)
    total = sum(y, dim=(axis,), keepdim=False)
    return mul.named("MulBackward1")(total - ends * 0.5, 1.0 if dx is None else dx)


@public(f"trapz{TRAPEZOID_SIGNATURE}", method=False)
def trapz(y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> Tensor:
    """The older name of ``trapezoid``, which also takes a bool as ``dx``."""
    return trapezoid(y, x, float(dx) if dx.__class__ is bool else dx, dim)


@public(f"cumulative_trapezoid{TRAPEZOID_SIGNATURE}", method=False)
def cumulative_trapezoid(y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> Tensor:
    """The integrals up to each sample except the first, by the trapezoidal rule."""
    if not y.ndim:
        raise DimError("slice() cannot be applied to a 0-dim tensor.", operands=(y,))
    axis = wrap_dim(y, dim)
    check_samples(y, x, dx, "cumulative_trapezoid")
    if x is not None:
        areas = neighbour_sums(y, axis) * interval_widths(y, x, axis, "cumulative_trapezoid")
        return div.named("DivBackward1")(cumsum(areas, dim=axis, reverse=False), 2.0)
    return cumsum((1.0 if dx is None else dx) / 2.0 * neighbour_sums(y, axis), dim=axis, reverse=False)

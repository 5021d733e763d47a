"""Images sampled at positions that a grid gives: ``grid_sample``, and the grids of affine maps.

A grid counts positions from -1 to 1 along each dimension, the last dimension of the image first. The sample
at a position is a mean of the entries around it. The weights are polynomials in the position, so
gradients reach the grid as well as the image.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from itertools import product
from math import prod

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.state import mode as graph_mode
from autodiff.core.ops.elementwise.rounding import floor, round_
from autodiff.core.ops.linalg.products import matmul, mT
from autodiff.core.ops.nn.resizing import CUBIC_SLOPE
from autodiff.core.ops.shape.dims import size_along
from autodiff.core.ops.shape.picking_ops import gather, select
from autodiff.core.ops.shape.reshape import reshape, unsqueeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Sizes = tuple[int, ...]

MODES = ("bilinear", "nearest", "bicubic")
PADDING_MODES = ("zeros", "border", "reflection")


def warn_of_corners(align_corners: bool | None) -> bool:
    """Return whether corners are aligned; torch warns where nothing says so."""
    if align_corners is None:
        graph_mode.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0."
            " Please specify align_corners=True if the old behavior is desired. See the documentation of"
            " grid_sample for details."
        )
    return bool(align_corners)


# -- grids of affine maps -------------------------------------------------------------------------------


def centred_steps(n: int, align_corners: bool) -> Any:
    """Return ``n`` positions from -1 to 1: of the centres of pixels, or from corner to corner."""
    if n <= 1:
        return np.zeros(n)
    steps = np.linspace(-1.0, 1.0, n)
    return steps if align_corners else steps * (n - 1) / n


@public("F.affine_grid(theta: tensor, size: ints, align_corners: bool = None)", method=False)
def affine_grid(theta: Tensor, size: Sizes, align_corners: bool | None) -> Tensor:
    """The grid (N, *sizes, dims) of affine maps (N, dims, dims + 1), for ``grid_sample``."""
    dims = len(size) - 2
    if not theta.dtype.is_floating_point:
        raise DtypeError(
            f"Expected theta to have floating point type, but got {theta.dtype}", operands=(theta,)
        )
    if dims not in (2, 3):
        raise ShapeError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got"
            f" size {size}."
        )
    if theta.ndim != 3 or theta.shape[-2:] != (dims, dims + 1):
        raise ShapeError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got"
            f" torch.Size({list(theta.shape)}).",
            operands=(theta,),
        )
    aligned = warn_of_corners(align_corners)
    if min(size) <= 0:
        raise ShapeError(f"Expected non-zero, positive output size. Got {size}")
    count = prod(size[2:])
    if theta.shape[0] != size[0]:
        raise ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be:"
            f" [{size[0]}, {dims + 1}] but got: [{theta.shape[0]}, {dims + 1}].",
            operands=(theta,),
        )
    axes = np.meshgrid(*(centred_steps(n, aligned) for n in size[2:]), indexing="ij")
    points = np.stack([*reversed(axes), np.ones_like(axes[0])], axis=-1).reshape(count, dims + 1)
    mapped = matmul(Tensor.of(points.astype(theta.data.dtype)), mT(theta))
    shape = (size[0], *size[2:], dims)
    return reshape.named("AffineGridGeneratorBackward0", is_view=False)(mapped, shape=shape)


# -- positions ------------------------------------------------------------------------------------------


def pixel_positions(grid: Tensor, axis: int, size: int, align_corners: bool) -> Tensor:
    """Return the positions along one dimension of the image, counted in pixels."""
    x = select(grid, dim=grid.ndim - 1, index=axis)
    return (x + 1.0) * ((size - 1) / 2) if align_corners else ((x + 1.0) * size - 1.0) * 0.5


def padding_map(x: Any, size: int, padding: str, align_corners: bool) -> tuple[Any, Any]:
    """Return ``slope`` and ``offset`` so that ``slope · x + offset`` lies where the padding moves ``x``.

    The slope is 1, -1 where the image is reflected, or 0 at and beyond the border.
    """
    slope = np.ones_like(x)
    moved = x
    if padding == "reflection":
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        if high == low:
            return np.zeros_like(x), np.zeros_like(x)
        distance = np.abs(x - low)
        turns, rest = np.divmod(distance, high - low)
        is_odd = turns % 2 == 1
        moved = np.where(is_odd, high - rest, rest + low)
        slope = np.where(x < low, -1.0, 1.0) * np.where(is_odd, -1.0, 1.0)
    if padding != "zeros":
        slope = np.where((moved > 0) & (moved < size - 1), slope, 0.0)
        moved = np.clip(moved, 0, size - 1)
    return slope, moved - slope * x


def pad_positions(x: Tensor, size: int, padding: str, align_corners: bool) -> Tensor:
    """Return the positions moved into the image by the padding; with zeros they stay."""
    if padding == "zeros":
        return x
    slope, offset = (part.astype(x.data.dtype) for part in padding_map(x.data, size, padding, align_corners))
    return x * Tensor.of(slope) + Tensor.of(offset)


Weighted = list[tuple["Any", Tensor]]


def nearest_entry(x: Tensor) -> Weighted:
    """Return the nearest entry with weight 1. The weight is made of ``x``, whose gradient is 0, not None."""
    rounded = round_(x)
    return [(rounded.data, rounded - Tensor.of(rounded.data) + 1.0)]


def linear_entries(x: Tensor) -> Weighted:
    """Return the two entries around each position with their weights."""
    low = np.floor(x.data)
    beyond = x - Tensor.of(low)
    return [(low, 1.0 - beyond), (low + 1, beyond)]


def cubic_entries(x: Tensor) -> Weighted:
    """Return the four entries around each position, weighted by Keys' cubic (1981)."""
    a = CUBIC_SLOPE
    t = x - floor(x)
    s, low = 1.0 - t, np.floor(x.data)
    near = [((a + 2) * d - (a + 3)) * d * d + 1.0 for d in (t, s)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1.0, s + 1.0)]
    return [(low - 1, far[0]), (low, near[0]), (low + 1, near[1]), (low + 2, far[1])]


ENTRIES = {"nearest": nearest_entry, "bilinear": linear_entries, "bicubic": cubic_entries}

# -- samples --------------------------------------------------------------------------------------------


def sample(x: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool) -> Tensor:
    """Return (N, C, *grid sizes): the weighted sums of the entries around each position."""
    sizes, dims = x.shape[2:], x.ndim - 2
    per_axis = []
    for axis, size in enumerate(sizes):
        position = pixel_positions(grid, dims - 1 - axis, size, align_corners)
        if mode != "bicubic":
            position = pad_positions(position, size, padding, align_corners)
        per_axis.append(ENTRIES[mode](position))
    planes = reshape(x, shape=(*x.shape[:2], prod(sizes)))
    shape = (*x.shape[:2], *grid.shape[1:-1])
    total = None
    for corner in product(*per_axis):
        places, weights = zip(*corner, strict=True)
        flat, is_inside = flat_places(places, sizes, mode, padding, align_corners)
        index = np.broadcast_to(flat.reshape(len(flat), 1, -1), (*x.shape[:2], prod(shape[2:])))
        weight = weights[0]
        for factor in weights[1:]:
            weight = weight * factor
        if not is_inside.all():
            weight = weight * Tensor.of(is_inside.astype(x.data.dtype))
        entries = reshape(gather(planes, dim=2, index=index), shape=shape)
        term = entries * unsqueeze(weight, dim=1)
        total = term if total is None else total + term
    return reshape.named(f"GridSampler{dims}DBackward0", is_view=False)(total, shape=shape)


def flat_places(
    places: tuple[Any, ...], sizes: Sizes, mode: str, padding: str, align_corners: bool
) -> tuple[Any, Any]:
    """Return positions in the flattened image, and which lie inside; those outside become 0."""
    flat: Any = np.zeros(places[0].shape, np.int64)
    is_inside: Any = np.ones(places[0].shape, bool)
    for place, size in zip(places, sizes, strict=True):
        if mode == "bicubic" and padding != "zeros":
            slope, offset = padding_map(place, size, padding, align_corners)
            place = slope * place + offset
        is_inside = is_inside & (place >= 0) & (place <= size - 1)
        flat = flat * size + np.where((place >= 0) & (place <= size - 1), place, 0).astype(np.int64)
    return flat, is_inside


def check_sampling(x: Tensor, grid: Tensor, mode: str, dims: int | None = None) -> None:
    """Make torch's checks of ``grid_sampler``, in its order."""
    sizes = f"got input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
    if size_along(x, 0) != size_along(grid, 0):
        raise ShapeError(
            f"grid_sampler(): expected grid and input to have same batch size, but {sizes}",
            operands=(x, grid),
        )
    if grid.shape[-1:] != (x.ndim - 2,):
        raise ShapeError(
            f"grid_sampler(): expected grid to have size {x.ndim - 2} in last dimension, but got grid with"
            f" sizes {list(grid.shape)}",
            operands=(grid,),
        )
    for dim in range(2, x.ndim):
        if not x.shape[dim]:
            raise ShapeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes"
                f" {list(x.shape)} with dimension {dim} being empty",
                operands=(x,),
            )
    if x.ndim not in ((4, 5) if dims is None else (dims + 2,)) or grid.ndim != x.ndim:
        wanted = "4D or 5D" if x.ndim not in (4, 5) else f"{x.ndim}D"
        raise ShapeError(
            f"grid_sampler(): expected {wanted} input and grid with same number of dimensions, but {sizes}",
            operands=(x, grid),
        )
    if mode == "bicubic" and x.ndim == 5:
        raise ScriptError("grid_sampler(): bicubic interpolation only supports 4D input", operands=(x,))
    require_kind(x, "grid_sampler_2d_cpu_kernel_impl" if x.ndim == 4 else "grid_sampler3d_cpu", "f")
    if x.dtype is not grid.dtype:
        raise DtypeError(
            f"expected scalar type {x.dtype.long_name} but found {grid.dtype.long_name}", operands=(x, grid)
        )


@public(
    "F.grid_sample(input: tensor, grid: tensor, mode: str = 'bilinear', padding_mode: str = 'zeros',"
    " align_corners: bool = None)",
    method=False,
)
def grid_sample(x: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool | None) -> Tensor:
    """Images (N, C, H, W) or (N, C, D, H, W) at the positions of a grid (N, ..., 2 or 3)."""
    if mode not in MODES:
        raise ScriptError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got:"
            f" '{mode}'",
            code="E0206",
        )
    if padding not in PADDING_MODES:
        raise ScriptError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but"
            f" got: '{padding}'",
            code="E0206",
        )
    aligned = warn_of_corners(align_corners)
    check_sampling(x, grid, mode)
    return sample(x, grid, mode, padding, aligned)


def expose_sampler(name: str, dims: int | None) -> None:
    def sampler(x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
        for number, names, what in (
            (mode, MODES, "interpolation_mode"),
            (padding, PADDING_MODES, "padding_mode"),
        ):
            if not 0 <= number < len(names):
                raise ScriptError(
                    f"{name}: {what} must be from 0 to {len(names) - 1}, not {number}", code="E0206"
                )
        check_sampling(x, grid, MODES[mode], dims)
        return sample(x, grid, MODES[mode], PADDING_MODES[padding], align_corners)

    sampler.__doc__ = "As ``grid_sample``, with numbers for the modes in their order there."
    public(
        f"{name}(input: tensor, grid: tensor, interpolation_mode: int, padding_mode: int,"
        " align_corners: bool)",
        method=False,
    )(sampler)


for name, dims in (("grid_sampler", None), ("grid_sampler_2d", 2), ("grid_sampler_3d", 3)):
    expose_sampler(name, dims)

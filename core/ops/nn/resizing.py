"""Resizing images: interpolation, and moving channels to pixels and back.

Every interpolation is a linear map along one dimension after another, each with a small matrix of weights.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ArgumentError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import FUNCTIONS, public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.ops.nn.pooling import INT32_LIMIT, mix
from autodiff.core.ops.shape.reshape import permute, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]

UPSAMPLE_NAMES = {
    "nearest": {3: "UpsampleNearest1D", 4: "UpsampleNearest2D", 5: "UpsampleNearest3D"},
    "nearest-exact": {3: "UpsampleNearestExact1D", 4: "UpsampleNearestExact2D", 5: "UpsampleNearestExact3D"},
    "area": {3: "adaptive_avg_pool1d", 4: "adaptive_avg_pool2d", 5: "adaptive_avg_pool3d"},
    "linear": {3: "UpsampleLinear1D"},
    "bilinear": {4: "UpsampleBilinear2D"},
    "bicubic": {4: "UpsampleBicubic2D"},
    "trilinear": {5: "UpsampleTrilinear3D"},
}
#: torch's slope parameter of the cubic, without and with antialiasing.
CUBIC_SLOPE, ANTIALIAS_CUBIC_SLOPE = -0.75, -0.5


@public(
    "F.interpolate(input: tensor, size: any = None, scale_factor: any = None, mode: str = 'nearest',"
    " align_corners: bool = None, recompute_scale_factor: bool = None, antialias: bool = False)",
    method=False,
)
def interpolate(
    x: Tensor,
    size: Any,
    scale: Any,
    mode: str,
    align_corners: bool | None,
    recompute: bool | None,
    antialias: bool,
) -> Tensor:
    """Images resized: each entry is the nearest one, or a mean of neighbours weighted by distance."""
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ScriptError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic |"
            " trilinear",
            code="E0206",
        )
    if (size is None) == (scale is None):
        raise ScriptError(
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined",
            code="E0206",
        )
    if recompute and size is not None:
        raise ScriptError(
            "recompute_scale_factor is not meaningful with an explicit size.", code="E0206", operands=(x,)
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ScriptError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D"
            " tensor as input",
            code="E0206",
            operands=(x,),
        )
    values = size_or_scale_per_dim(x, size, scale)
    check_mode(x, mode)
    check_resize(x, size, values, mode)
    if size is None and (recompute or mode == "area"):
        size = values = tuple(int(n * v) for n, v in zip(x.shape[2:], values, strict=True))
    if mode == "area":
        return FUNCTIONS[f"F.{UPSAMPLE_NAMES[mode][x.ndim]}"](x, values)
    grad_fn = f"{UPSAMPLE_NAMES[mode][x.ndim]}{'Aa' * antialias}Backward0"
    for axis, value in enumerate(values):
        n = x.shape[axis + 2]
        count = int(value) if size is not None else math.floor(n * float(value))
        ratio = n / count if size is not None else 1 / float(value)
        weights = interpolation_weights(mode, n, count, ratio, bool(align_corners), antialias)
        x = mix.named(grad_fn)(x, weights=weights, dim=axis + 2)
    return x


def check_mode(x: Tensor, mode: str) -> None:
    """Refuse an unknown mode, or one for another number of dimensions.

    torch's message for bicubic does not tell the number of dimensions it needs.
    """
    wanted = " or ".join(f"{n}D" for n in UPSAMPLE_NAMES.get(mode, ()))
    if mode not in UPSAMPLE_NAMES or x.ndim not in (3, 4, 5) or (mode == "bicubic" and x.ndim != 4):
        caret = (
            f"{mode} mode needs {wanted} input"
            if wanted
            else f"interpolate() knows {', '.join(UPSAMPLE_NAMES)}"
        )
        raise ShapeError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {x.ndim}D) for the modes:"
            " nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
            f" (got {mode})",
            operands=(x,),
            caret=caret,
        )
    if x.ndim not in UPSAMPLE_NAMES[mode]:
        raise ShapeError(
            f"Got {x.ndim}D input, but {mode} mode needs {wanted} input",
            operands=(x,),
            caret=f"{mode} mode needs {wanted} input",
        )


def interpolation_weights(
    mode: str, n: int, count: int, ratio: float, align_corners: bool, antialias: bool
) -> Any:
    """Return the weights that map ``n`` entries to ``count``, a row for each; nan leaves an entry out."""
    if mode.startswith("nearest"):
        return nearest_weights(n, count, ratio, 0.5 if mode == "nearest-exact" else 0.0)
    if align_corners:
        ratio = (n - 1) / (count - 1) if count > 1 else 0.0
    if antialias:
        return antialias_weights(n, count, ratio, keys_cubic if mode == "bicubic" else hat_weight)
    positions = np.arange(count) * ratio if align_corners else (np.arange(count) + 0.5) * ratio - 0.5
    return cubic_weights(n, positions) if mode == "bicubic" else linear_weights(n, np.maximum(positions, 0.0))


def size_or_scale_per_dim(x: Tensor, size: Any, scale: Any) -> tuple[Any, ...]:
    """Return a size or a scale factor for each dimension."""
    given, dims = scale if size is None else size, x.ndim - 2
    values = tuple(given) if isinstance(given, (tuple, list)) else (given,) * dims
    if isinstance(given, (tuple, list)) and len(values) != dims:
        what, how, letter = ("scale_factor", "scale_factor of shape", "s")
        if size is not None:
            what, how, letter = ("output", "output size of", "o")
        raise ScriptError(
            f"Input and {what} must have the same number of spatial dimensions, but got input with spatial"
            f" dimensions of {list(x.shape[2:])} and {how} {given}. Please provide input tensor in"
            f" (N, C, d1, d2, ...,dK) format and {how.removesuffix(' of').removesuffix(' of shape')} in"
            f" ({letter}1, {letter}2, ...,{letter}K) format.",
            code="E0206",
            operands=(x,),
        )
    return values


def check_resize(x: Tensor, size: Any, values: tuple[Any, ...], mode: str) -> None:
    what = "scale_factor" if size is None else "size"
    for value in values:
        if value.__class__ not in ((int, float) if size is None else (int,)):
            number = "Number" if size is None else "int"
            message = f"interpolate(): argument '{what}' must be {number}, not {type(value).__name__}"
            raise ArgumentError(message)
    if not all(abs(value) < INT32_LIMIT for value in values):
        raise ShapeError(f"interpolate(): {what} {max(values)} is too large", operands=(x,))
    counts = [int(n * v) if size is None else v for n, v in zip(x.shape[2:], values, strict=True)]
    if mode == "area":
        check_allocation((*x.shape[:2], *(max(count, 0) for count in counts)))
        return
    if min(*counts, *x.shape[2:]) < 1:
        letters = "DHW"[-len(counts) :]
        sizes = [", ".join(map("{}: {}".format, letters, each)) for each in (x.shape[2:], counts)]
        raise ShapeError(
            f"Input and output sizes should be greater than 0, but got input ({sizes[0]})"
            f"{' and' * (len(counts) == 1)} output ({sizes[1]})",
            operands=(x,),
        )
    if 0 in x.shape[1:]:
        raise ShapeError(
            f"Non-empty {x.ndim}D data tensor expected but got a tensor with sizes {list(x.shape)}",
            operands=(x,),
        )
    if not x.dtype.is_floating_point and x.dtype.name != "uint8":
        plane = f"upsample_{'nearest' if 'nearest' in mode else mode}2d_channels_last"
        shape = "nearest" if "nearest" in mode else "cubic" if mode == "bicubic" else "linear"
        require_kind(
            x, plane if x.ndim == 4 and shape != "cubic" else f"compute_indices_weights_{shape}", "f"
        )
    for n, count in zip(x.shape[2:], counts, strict=True):
        check_allocation((n, count))
    check_allocation((*x.shape[:2], *counts))


def nearest_weights(n: int, count: int, ratio: float, offset: float) -> Any:
    """Return weights that pick the entry at floor((i + offset) · ratio) in row i."""
    positions = np.floor((np.arange(count) + offset) * ratio).astype(int)
    return weight_rows(n, np.minimum(positions, n - 1)[:, None], np.ones((count, 1)))


def linear_weights(n: int, positions: Any) -> Any:
    """Return weights that mix the two entries around each position."""
    low = np.minimum(np.floor(positions).astype(int), n - 1)
    return weight_rows(
        n,
        np.stack([low, np.minimum(low + 1, n - 1)], 1),
        np.stack([1 - (positions - low), positions - low], 1),
    )


def cubic_weights(n: int, positions: Any) -> Any:
    """Return weights that mix the four entries around each position by Keys' cubic (1981); edges repeat."""
    low = np.floor(positions).astype(int)[:, None]
    around = low + np.arange(-1, 3)
    return weight_rows(n, np.clip(around, 0, n - 1), keys_cubic(around - positions[:, None], CUBIC_SLOPE))


def weight_rows(n: int, places: Any, weights: Any) -> Any:
    """Return rows of ``n`` weights, nan except at ``places``; weights of the same place add up."""
    rows = np.full((len(places), n), math.nan)
    numbers = np.arange(len(places))[:, None]
    rows[numbers, places] = 0.0
    np.add.at(rows, (numbers, places), weights)
    return rows


def keys_cubic(distance: Any, a: float = ANTIALIAS_CUBIC_SLOPE) -> Any:
    """Return Keys' cubic: 1 at 0, 0 from 2 on."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = a * (((d - 5) * d + 8) * d - 4)
    return np.where(d < 1, near, np.where(d < 2, far, 0.0))


def hat_weight(distance: Any) -> Any:
    """Return the hat function: 1 at 0, 0 from 1 on, linear between."""
    return np.maximum(1 - np.abs(distance), 0.0)


def antialias_weights(n: int, count: int, ratio: float, weight: Callable[[Any], Any]) -> Any:
    """Return antialiasing weights: rows that add up to 1, widened by as much as the image shrinks."""
    reach = max(ratio, 1.0)
    support = reach * (2 if weight is keys_cubic else 1)
    rows = np.full((count, n), math.nan)
    for row in range(count):
        centre = ratio * (row + 0.5)
        first, last = max(int(centre - support + 0.5), 0), min(int(centre + support + 0.5), n)
        weights = weight((np.arange(first, last) - centre + 0.5) / reach)
        rows[row, first:last] = weights / weights.sum()
    return rows


@public(
    "F.upsample(input: tensor, size: any = None, scale_factor: any = None, mode: str = 'nearest',"
    " align_corners: bool = None)",
    method=False,
)
def upsample(x: Tensor, size: Any, scale: Any, mode: str, align_corners: bool | None) -> Tensor:
    """As ``interpolate``, by its older name."""
    return interpolate(x, size, scale, mode, align_corners, None, False)


@public("F.upsample_nearest(input: tensor, size: any = None, scale_factor: any = None)", method=False)
def upsample_nearest(x: Tensor, size: Any, scale: Any) -> Tensor:
    """As ``interpolate`` in the mode "nearest"."""
    return interpolate(x, size, scale, "nearest", None, None, False)


@public("F.upsample_bilinear(input: tensor, size: any = None, scale_factor: any = None)", method=False)
def upsample_bilinear(x: Tensor, size: Any, scale: Any) -> Tensor:
    """As ``interpolate`` in the mode "bilinear" with aligned corners."""
    return interpolate(x, size, scale, "bilinear", True, None, False)


@public("F.channel_shuffle(input: tensor, groups: int)", also=("channel_shuffle",), method=False)
def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """The channels, dimension 1, of several groups taken in turn."""
    if x.ndim < 3:
        raise ShapeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(x.shape)}",
            operands=(x,),
        )
    if groups <= 0:
        raise ScriptError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}",
            operands=(x,),
        )
    batch, channels, *rest = x.shape
    if channels % groups:
        raise ShapeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups.",
            operands=(x,),
        )
    apart = reshape(x, shape=(batch, groups, channels // groups, *rest))
    woven = permute(apart, dims=(0, 2, 1, *range(3, apart.ndim)))
    return reshape.named("ChannelShuffleBackward0", is_view=False)(woven, shape=x.shape)


@public("F.pixel_shuffle(input: tensor, upscale_factor: int)", also=("pixel_shuffle",), method=False)
def pixel_shuffle(x: Tensor, factor: int) -> Tensor:
    """Channels rearranged to pixels: (..., C r², H, W) to (..., C, H r, W r)."""
    *lead, channels, height, width = image_shape(x, "pixel_shuffle", factor)
    if channels % factor**2:
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of"
            f" upscale_factor, but input.size(-3)={channels} is not divisible by {factor**2}",
            operands=(x,),
        )
    apart = reshape(x, shape=(*lead, channels // factor**2, factor, factor, height, width))
    n = len(lead)
    woven = permute(apart, dims=(*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    shape = (*lead, channels // factor**2, height * factor, width * factor)
    return reshape.named("PixelShuffleBackward0")(woven, shape=shape)


@public("F.pixel_unshuffle(input: tensor, downscale_factor: int)", also=("pixel_unshuffle",), method=False)
def pixel_unshuffle(x: Tensor, factor: int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
    *lead, channels, height, width = image_shape(x, "pixel_unshuffle", factor)
    for name, size in (("height", height), ("width", width)):
        if size % factor:
            raise ShapeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but"
                f" input.size({-2 if name == 'height' else -1})={size} is not divisible by {factor}",
                operands=(x,),
            )
    apart = reshape(x, shape=(*lead, channels, height // factor, factor, width // factor, factor))
    n = len(lead)
    woven = permute(apart, dims=(*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    shape = (*lead, channels * factor**2, height // factor, width // factor)
    return reshape.named("PixelUnshuffleBackward0")(woven, shape=shape)


def image_shape(x: Tensor, name: str, factor: int) -> Sizes:
    if not 0 < factor < INT32_LIMIT:
        direction = "upscale" if name == "pixel_shuffle" else "downscale"
        raise ScriptError(f"{name} expects a positive {direction}_factor, but got {factor}")
    if x.ndim < 3:
        raise ShapeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)",
            operands=(x,),
        )
    return x.shape

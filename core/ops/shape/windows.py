"""Windows that slide over the last dimensions, and padding: the basis of convolutions and pooling.

``windows`` copies nothing: it returns a view whose dimensions are the positions of the windows and the places
inside them. Its adjoint ``add_windows`` adds windows up, as a transposed convolution does.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from itertools import product
from math import prod

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.shape.dims import size_along
from autodiff.core.ops.shape.picking_ops import index_select, slice_dim
from autodiff.core.ops.shape.reshape import permute, reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Sizes = tuple[int, ...]
    Pads = tuple[tuple[int, int], ...]


# -- sliding --------------------------------------------------------------------------------------------


def window_count(size: int, kernel: int, stride: int, dilation: int) -> int:
    """Return the number of windows that fit along a dimension."""
    return (size - dilation * (kernel - 1) - 1) // stride + 1


def windows_forward(x: Any, *, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """Return a view of x, from (..., s1, s2) to (..., positions 1, positions 2, kernel 1, kernel 2)."""
    dims = range(-len(kernel), 0)
    spans = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
    every = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(dims))
    steps: Any = (Ellipsis, *(slice(None, None, step) for step in (*stride, *dilation)))
    return every[steps]


def add_windows_forward(g: Any, *, shape: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """Return zeros of ``shape`` with every window added at its position."""
    out = np.zeros(shape, g.dtype)
    counts = g.shape[-2 * len(kernel) : -len(kernel)]
    for place in product(*map(range, kernel)):
        starts = [d * i for i, d in zip(place, dilation, strict=True)]
        reached: Any = tuple(slice(a, a + s * n, s) for a, s, n in zip(starts, stride, counts, strict=True))
        out[(Ellipsis, *reached)] += g[(Ellipsis, *place)]
    return out


def add_windows_vjp(
    g: Any, out: Any, x: Any, *, shape: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> Any:
    """The windows of g. Where the output is padded, more windows fit into it than were added up."""
    seen = windows(g, kernel=kernel, stride=stride, dilation=dilation)
    for dim in range(len(x.shape) - 2 * len(kernel), len(x.shape) - len(kernel)):
        if seen.shape[dim] > x.shape[dim]:
            seen = slice_dim(seen, dim=dim, start=0, stop=x.shape[dim], step=1)
    return seen


windows: Op = primitive(
    "windows",
    windows_forward,
    lambda g, out, x, kernel, stride, dilation: add_windows(
        g, shape=x.shape, kernel=kernel, stride=stride, dilation=dilation
    ),
    grad_fn="UnfoldBackward0",
)
add_windows: Op = primitive(
    "add_windows",
    add_windows_forward,
    add_windows_vjp,
    grad_fn="Col2ImBackward0",
)

# -- padding --------------------------------------------------------------------------------------------


def pad_forward(x: Any, *, pads: Pads, value: float) -> Any:
    """Pad the last dimensions by the (before, after) entries in ``pads``; negative numbers cut off."""
    lead = x.ndim - len(pads)
    kept = tuple(
        slice(max(-before, 0), n - max(-after, 0))
        for n, (before, after) in zip(x.shape[lead:], pads, strict=True)
    )
    wider = ((0, 0),) * lead + tuple((max(before, 0), max(after, 0)) for before, after in pads)
    return np.pad(x[(Ellipsis, *kept)], wider, constant_values=value)


constant_pad: Op = primitive(
    "constant_pad",
    pad_forward,
    lambda g, out, x, pads, value: constant_pad(
        g, pads=tuple((-before, -after) for before, after in pads), value=0.0
    ),
    grad_fn="ConstantPadNdBackward0",
)


def padding_sources(n: int, before: int, after: int, mode: str) -> Any:
    """Return the source entry of each position of a padded dimension."""
    places = np.arange(-before, n + after)
    if mode == "replicate":
        return np.clip(places, 0, n - 1)
    if mode == "circular":  # entries that negative padding cuts off do not reappear at the other end
        kept = np.arange(max(-before, 0), n - max(-after, 0))
        return kept[np.arange(-max(before, 0), len(kept) + max(after, 0)) % len(kept)]
    turned = np.abs(places)  # reflect: the edge itself is not repeated
    return np.where(turned >= n, 2 * (n - 1) - turned, turned)


#: The padding modes other than "constant", and torch's names of their kernels.
PADDING_KERNELS = {"reflect": "reflection", "replicate": "replication", "circular": "circular"}
PADDING_GRAD_FNS = {"reflect": "ReflectionPad{}DBackward0", "replicate": "ReplicationPad{}DBackward0"}


@public("F.pad(input: tensor, pad: size, mode: str = 'constant', value: float = None)", method=False)
def pad(x: Tensor, sizes: Sizes, mode: str, value: float | None) -> Tensor:
    """Entries added around the last dimensions; ``pad`` holds (before, after) per dimension, last first."""
    if mode not in ("constant", *PADDING_KERNELS):
        raise ScriptError(f"Unrecognised padding mode {mode}")
    if len(sizes) % 2:
        raise ShapeError("Padding length must be divisible by 2")
    if len(sizes) // 2 > x.ndim:
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got padding"
            f" length {len(sizes)} and input of dimension {x.ndim}",
            operands=(x,),
        )
    pads = tuple(zip(sizes[-2::-2], sizes[-1::-2], strict=True))
    if mode == "constant":
        check_cropping(x, pads)
        return constant_pad(x, pads=pads, value=0.0 if value is None else float(value))
    if value:
        raise ScriptError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if x.ndim - len(pads) not in (1, 2) or len(pads) > 3:  # channels, and maybe a batch of them
        raise ShapeError(
            f"Padding size {len(sizes)} is not supported for {x.ndim}D input tensor.", operands=(x,)
        )
    if mode == "circular":
        check_circular_padding(x, pads)
    else:
        check_edge_padding(x, pads, mode)
    first = x.ndim - len(pads)
    for offset, (before, after) in enumerate(pads):
        dim = first + offset
        name = PADDING_GRAD_FNS.get(mode, "CopySlices").format(len(pads))
        padded = index_select.named(name, reads_input=mode != "circular")
        x = padded(x, dim=dim, index=padding_sources(x.shape[dim], before, after, mode))
    return x


@public("constant_pad_nd(input: tensor, pad: size, value: float = 0.0)", method=False)
def constant_pad_nd(x: Tensor, sizes: Sizes, value: float) -> Tensor:
    """As ``F.pad`` in the mode "constant"."""
    if len(sizes) % 2:
        raise ShapeError(f"Length of pad must be even but instead it equals {len(sizes)}")
    if len(sizes) // 2 > x.ndim:
        raise ShapeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is"
            f" {len(sizes)}while the input has {x.ndim}dimensions.",
            operands=(x,),
        )
    return pad(x, sizes, "constant", value)


def check_cropping(x: Tensor, pads: Pads) -> None:
    """Refuse to cut off more entries than there are; torch cuts before it adds."""
    first = x.ndim - len(pads)
    shape = [*x.shape]
    for offset, (before, after) in enumerate(pads):
        dim = first + offset
        if shape[dim] + min(before, 0) + min(after, 0) < 0:
            raise ShapeError(
                "narrow(): length must be non-negative.",
                code="E0208",
                operands=(x,),
                caret=f"dimension {dim} has {shape[dim]} entries, fewer than are cut off",
            )
        shape[dim] += before + after
    check_allocation(tuple(shape))


def check_circular_padding(x: Tensor, pads: Pads) -> None:
    """Refuse circular padding that removes more than there is or wraps around more than once."""
    for size, (before, after) in zip(x.shape[-len(pads) :], pads, strict=True):
        if size + before + after < 0:
            raise ShapeError("Negative padding value is resulting in an empty dimension", operands=(x,))
        if max(before, after) > size + min(before, 0) + min(after, 0):
            raise ShapeError("Padding value causes wrapping around more than once.", operands=(x,))


def check_edge_padding(x: Tensor, pads: Pads, mode: str) -> None:
    """Refuse to reflect or replicate empty dimensions, and to reflect more entries than there are."""
    dims = len(pads)
    if 0 in x.shape[x.ndim - dims - 1 :]:
        raise ShapeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other"
            f" non-zero dimensions for input, but got: {list(x.shape)}",
            operands=(x,),
        )
    for place, (before, after) in enumerate(reversed(pads)):
        if mode == "reflect" and max(before, after) >= x.shape[-1 - place]:
            raise ShapeError(
                f"Argument #{4 + 2 * place}: Padding size should be less than the corresponding input"
                f" dimension, but got: padding ({before}, {after}) at dimension {x.ndim - 1 - place} of input"
                f" {list(x.shape)}",
                operands=(x,),
            )
    lead, sizes = x.shape[:-dims], x.shape[-dims:]
    padded = [size + before + after for size, (before, after) in zip(sizes, pads, strict=True)]
    if max(padded) < 1:
        letters = "DHW"[-dims:]
        now = ", ".join([f"{letter}: {size}" for letter, size in zip(letters, sizes, strict=True)])
        then = " ".join([f"{letter}: {size}" for letter, size in zip(letters, padded, strict=True)])
        raise ShapeError(f"input ({now}) is too small. Calculated output {then}", operands=(x,))
    if min(padded) < 0:
        raise ShapeError(
            f"Trying to create tensor with negative dimension {min(padded)}: {[*lead, *padded]}",
            operands=(x,),
        )
    require_kind(x, f"{PADDING_KERNELS[mode]}_pad{dims}d", "if")


# -- columns --------------------------------------------------------------------------------------------


COUNT_WORDS = ("no", "one", "two", "three")


def repeat_per_dim(value: Any, dims: int) -> Sizes:
    """Return a size for each dimension; one number stands for all."""
    sizes = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(sizes) not in (1, dims):
        raise ShapeError(
            f"kernel_size must either be a single int, or a tuple of {COUNT_WORDS[dims]} ints",
            caret=f"these are {len(sizes)} sizes for {dims} dimension{'s' * (dims > 1)}",
        )
    return sizes * dims if len(sizes) == 1 else sizes


def check_images(x: Tensor) -> None:
    """Require one image or a batch of images, with entries."""
    for dim in (1, 2):  # torch reads these sizes before it checks the rank
        if dim == 1 or x.shape[1]:
            size_along(x, dim)
    if x.ndim not in (3, 4) or 0 in x.shape[-3:]:
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions"
            f" for input, but got: {list(x.shape)}",
            operands=(x,),
        )


def size_pairs(**given: Any) -> list[Sizes]:
    """Return a pair of sizes for each argument; a number stands for both, but a list of one does not."""
    pairs = {name: n if isinstance(n, tuple) else (n, n) for name, n in given.items()}
    for name, sizes in pairs.items():
        if len(sizes) != 2:
            raise ShapeError(
                f"It is expected {name} equals to 2, but got size {len(sizes)}",
                caret=f"`{name}` is one number, or one for the height and one for the width",
            )
    return [*pairs.values()]


def check_window_sizes(kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> None:
    """Refuse sizes, strides and dilations that are not positive, and negative padding, as torch does."""
    for name, sizes in (("kernel size", kernel), ("stride", stride), ("dilation", dilation)):
        if min(sizes) <= 0:
            short = name.split()[0]
            raise ScriptError(
                f"{name} should be greater than zero, but got {short}_height: {sizes[0]} {short}_width:"
                f" {sizes[1]}"
            )
    if min(padding) < 0:
        raise ScriptError(
            f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}"
        )


def check_columns(x: Tensor, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> None:
    full = tuple(n + 2 * p for n, p in zip(x.shape[-2:], padding, strict=True))
    counts = tuple(map(window_count, full, kernel, stride, dilation))
    if min(counts) < 1:
        raise ShapeError(
            f"Given input with spatial size {spell_sizes(x.shape[-2:])}, kernel_size={spell_sizes(kernel)},"
            f" dilation={spell_sizes(dilation)}, padding={spell_sizes(padding)}, calculated"
            " shape of the array of"
            f" sliding blocks as {spell_sizes(counts)}, but its components must be at least one.",
            operands=(x,),
        )


UNFOLD_SIGNATURE = "kernel_size: sizes, dilation: sizes = 1, padding: sizes = 0, stride: sizes = 1"


@public(f"F.unfold(input: tensor, {UNFOLD_SIGNATURE})", method=False)
def unfold(x: Tensor, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """The windows of images as columns: from (N, C, H, W) to (N, C · kernel, windows)."""
    kernel, dilation, padding, stride = size_pairs(
        kernel_size=kernel, dilation=dilation, padding=padding, stride=stride
    )
    check_window_sizes(kernel, dilation, padding, stride)
    check_images(x)
    check_columns(x, kernel, dilation, padding, stride)
    require_kind(x, "im2col_out_cpu", "bf")
    padded = constant_pad(x, pads=tuple((p, p) for p in padding), value=0.0)
    patches = windows(padded, kernel=kernel, stride=stride, dilation=dilation)
    lead = x.ndim - 2
    order = (*range(lead), lead + 2, lead + 3, lead, lead + 1)
    columns = (*x.shape[: lead - 1], x.shape[lead - 1] * prod(kernel), prod(patches.shape[lead : lead + 2]))
    return reshape.named("Im2ColBackward0")(permute(patches, dims=order), shape=columns)


@public(f"F.fold(input: tensor, output_size: sizes, {UNFOLD_SIGNATURE})", method=False)
def fold(x: Tensor, output: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """Columns added up to images; the adjoint of ``unfold``."""
    output, kernel, dilation, padding, stride = size_pairs(
        output_size=output, kernel_size=kernel, dilation=dilation, padding=padding, stride=stride
    )
    check_window_sizes(kernel, dilation, padding, stride)
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise ShapeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero"
            f" dimensions for input, but got: {list(x.shape)}",
            operands=(x,),
        )
    if x.shape[-2] % prod(kernel):
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got"
            f" input.size(1)={x.shape[-2]} and kernel_size={spell_sizes(kernel)}.",
            operands=(x,),
        )
    full = tuple(n + 2 * p for n, p in zip(output, padding, strict=True))
    counts = tuple(map(window_count, full, kernel, stride, dilation))
    channels = x.shape[-2] // prod(kernel)
    if min(counts) < 1 or x.shape[-1] != prod(counts):
        raise ShapeError(
            f"Given output_size={spell_sizes(output)}, kernel_size={spell_sizes(kernel)},"
            f" dilation={spell_sizes(dilation)}, padding={spell_sizes(padding)},"
            f" stride={spell_sizes(stride)}, expected"
            f" size of input's dimension 2 to match the calculated number of sliding blocks"
            f" {' * '.join(map(str, counts))} = {prod(counts)}, but got input.size(2)={x.shape[-1]}.",
            operands=(x,),
        )
    require_kind(x, "col2im_out_cpu", "bf")
    lead = (*x.shape[:-2], channels)
    apart = reshape(x, shape=(*lead, *kernel, *counts))
    n = len(lead)
    ordered = permute(apart, dims=(*range(n), n + 2, n + 3, n, n + 1))
    summed = add_windows(ordered, shape=(*lead, *full), kernel=kernel, stride=stride, dilation=dilation)
    return constant_pad.named("Col2ImBackward0")(summed, pads=tuple((-p, -p) for p in padding), value=0.0)


def spell_sizes(sizes: Sizes) -> str:
    return f"({', '.join(map(str, sizes))})"

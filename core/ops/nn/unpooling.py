"""The reverse of max pooling: each entry goes back to the position that it was taken from."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.ops.shape.picking_ops import scatter
from autodiff.core.ops.shape.reshape import reshape
from autodiff.core.ops.shape.windows import repeat_per_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sizes = tuple[int, ...]


def unpooled_sizes(x: Tensor, kernel: Sizes, stride: Sizes, padding: Sizes, output: Any) -> Sizes:
    """Return the sizes of the unpooled dimensions; ``output`` chooses among those that pool to ``x``."""
    dims = len(kernel)
    sizes = zip(x.shape[-dims:], kernel, stride, padding, strict=False)
    default = tuple((n - 1) * s + k - 2 * p for n, k, s, p in sizes)
    if output is None:
        return default
    asked = tuple(output)[2:] if len(output) == dims + 2 else tuple(output)
    if len(asked) != dims:
        raise ShapeError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length"
            f" of '{len(asked)}'",
            code="E0206",
        )
    for dim, (size, middle, step) in enumerate(zip(asked, default, stride, strict=True)):
        if not middle - step < size < middle + step:
            raise ShapeError(
                f'invalid output_size "{asked}" (dim {dim} must be between {middle - step} and'
                f" {middle + step})",
                code="E0206",
            )
    return asked


def check_unpooling(x: Tensor, indices: Tensor, dims: int, sizes: Sizes) -> None:
    """Make torch's checks of ``max_unpool``. In one dimension it unpools images of width 1."""
    shown = max(dims, 2)
    if indices.dtype.name != "int64":
        raise ScriptError(
            f"elements in indices should be type int64 but got: {indices.dtype.long_name}",
            code="E0307",
            operands=(indices,),
        )
    if x.ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Input to max_unpooling{shown}d should be a {shown + 1}d or {shown + 2}d Tensor, but got a"
            f" tensor with {x.ndim + shown - dims} dimensions.",
            operands=(x,),
        )
    if indices.shape != x.shape:
        raise ShapeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got"
            f" indices tensor with shape: {list(indices.shape)}",
            operands=(x, indices),
        )
    require_kind(x, f"max_unpool{shown}d", "f")
    check_allocation((*x.shape[:-dims], *sizes), 8)
    outside = indices.data[(indices.data < 0) | (indices.data >= math.prod(sizes))]
    if outside.size:
        spelled = "x".join(map(str, (*sizes, 1) if dims == 1 else sizes))
        raise ShapeError(
            f"Found an invalid max index: {outside.flat[0]} (output volumes are of size {spelled})",
            code="E0208",
            operands=(x, indices),
        )


def make_max_unpool(dims: int) -> Callable[..., Tensor]:
    grad_fn = "SqueezeBackward1" if dims == 1 else f"MaxUnpool{dims}DBackward0"

    def unpool(x: Tensor, indices: Tensor, kernel: Any, stride: Any, padding: Any, output: Any) -> Tensor:
        steps = kernel if stride is None else stride
        kernel, steps, padding = (repeat_per_dim(part, dims) for part in (kernel, steps, padding))
        sizes = unpooled_sizes(x, kernel, steps, padding, output)
        check_unpooling(x, indices, dims, sizes)
        lead = x.shape[:-dims]
        zeros = Tensor.of(np.zeros((*lead, math.prod(sizes)), x.data.dtype))
        entries = reshape(x, shape=(*lead, math.prod(x.shape[-dims:])))
        spread = scatter(zeros, entries, dim=len(lead), index=indices.data.reshape(entries.shape))
        return reshape.named(grad_fn, is_view=False)(spread, shape=(*lead, *sizes))

    unpool.__doc__ = "Zeros, with each entry at the position from which ``max_pool`` took it."
    return unpool


for dims in (1, 2, 3):
    public(
        f"F.max_unpool{dims}d(input: tensor, indices: tensor, kernel_size: ints, stride: ints = None,"
        " padding: ints = 0, output_size: any = None)",
        method=False,
    )(make_max_unpool(dims))

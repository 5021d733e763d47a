"""Losses with a margin: between classes, on one side of 0, between similar and dissimilar pairs."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import saves_arguments
from autodiff.core.engine.in_place_checks import check_same_shape
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_castable, require_kind
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.op import Op
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add, div, missing_derivative_rule
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.elementwise.selection import clamp_min, minimum, relu
from autodiff.core.ops.elementwise.transcendental import exp, sqrt
from autodiff.core.ops.losses.regression import (
    REDUCTION_SIGNATURE,
    broadcast_pair,
    entrywise_loss,
    reduce_tensor,
    resolve_reduction,
)
from autodiff.core.ops.nn.activations import logsigmoid
from autodiff.core.ops.nn.layers import pairwise_distance
from autodiff.core.ops.reduce.reduction import check_floating, sum
from autodiff.core.ops.shape.dims import size_along
from autodiff.core.ops.shape.picking_ops import gather
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def spell_size(x: Tensor) -> str:
    return f"torch.Size({list(x.shape)})"


#: Added to squared lengths to keep them above 0: torch's 1e-12 in single precision.
SQUARE_EPS = 9.999999960041972e-13


def reduce_floating(losses: Tensor, reduction: str) -> Tensor:
    """Return the reduced losses; a mean needs a floating dtype."""
    if reduction == "mean":
        check_floating(losses, "mean")
    return reduce_tensor(losses, reduction)


# -- targets of 1 and -1 --------------------------------------------------------------------------------


def soft_margin_partial(x: Any, y: Any) -> Any:
    """-y z / (1 + z), where z = exp(-y x)."""
    z = exp(-y * x)
    return -y * z / (z + 1)


soft_margin_loss_op: Op = entrywise_loss(
    "soft_margin_loss",
    lambda x, y: np.log1p(np.exp(-y * x)),
    soft_margin_partial,
    missing_derivative_rule("the derivative for 'target' is not implemented."),
    fused_backward="SoftMarginLossBackwardBackward0",
)


@public(f"F.soft_margin_loss(input: tensor, target: tensor, {REDUCTION_SIGNATURE})", method=False)
def soft_margin_loss(x: Tensor, y: Tensor, size_average: Any, reduce: Any, reduction: str) -> Tensor:
    """log(1 + exp(-target · input)), averaged; targets are 1 and -1."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    if x.dtype.name == "bool":
        -x  # noqa: B018 - torch negates the input first, and refuses that for bools
    if x.shape != y.shape:
        broadcast_shape((x, y))
        check_same_shape(x, np.broadcast_shapes(x.shape, y.shape))
    require_castable(x, y)
    if not x.dtype.is_floating_point:
        require_castable(x, Tensor.of(0.5))
    return soft_margin_loss_op(*broadcast_pair(x, y), reduction=reduction)


@public(
    f"F.hinge_embedding_loss(input: tensor, target: tensor, margin: float = 1.0, {REDUCTION_SIGNATURE})",
    method=False,
)
def hinge_embedding_loss(
    x: Tensor, y: Tensor, margin: float, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """``input`` where the target is 1, max(0, margin - input) where it is -1, averaged."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    apart = cast(Tensor.of(float(margin)), x.dtype) - x  # torch casts the margin to the input's dtype
    far = where(y != 1, clamp_min(apart, 0), 0)
    return reduce_floating(add(far, where(y != -1, x, 0)), reduction)


@public(
    "F.margin_ranking_loss(input1: tensor, input2: tensor, target: tensor, margin: float = 0,"
    f" {REDUCTION_SIGNATURE})",
    method=False,
)
def margin_ranking_loss(
    x: Tensor, y: Tensor, target: Tensor, margin: float, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), averaged; a target of 1 asks for a larger input1."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    if x.ndim != y.ndim or x.ndim != target.ndim:
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1:"
            f" {spell_size(x)}, input2: {spell_size(y)}, target: {spell_size(target)} ",
            operands=(x, y, target),
        )
    apart = x - y
    return reduce_floating(clamp_min(-target * apart + float(margin), 0), reduction)


@public(
    "F.cosine_embedding_loss(input1: tensor, input2: tensor, target: tensor, margin: float = 0,"
    f" {REDUCTION_SIGNATURE})",
    method=False,
)
def cosine_embedding_loss(
    x: Tensor, y: Tensor, target: Tensor, margin: float, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1, averaged."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    if target.ndim > 1:
        raise ShapeError("0D or 1D target tensor expected, multi-target not supported", operands=(target,))
    if x.ndim != target.ndim + 1 or y.ndim != target.ndim + 1:
        raise ShapeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with"
            f" sizes {list(x.shape)} and {list(y.shape)}.",
            operands=(x, y, target),
            caret="there is one target for each pair of vectors",
        )
    dot, of_x, of_y = (sum(a * b, dim=(target.ndim,), keepdim=False) for a, b in ((x, y), (x, x), (y, y)))
    cos = dot / sqrt((of_x + SQUARE_EPS) * (of_y + SQUARE_EPS))
    alike = where(target == 1, 1 - cos, 0)
    return reduce_floating(add(alike, where(target == -1, clamp_min(cos - float(margin), 0), 0)), reduction)


# -- one right class, or several --------------------------------------------------------------------------


def check_scores(x: Tensor) -> None:
    """Refuse scores that are neither a vector nor a matrix with a row for each sample."""
    if x.ndim > 2 or (x.ndim and not x.shape[-1]):
        raise ShapeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}",
            operands=(x,),
            caret="scores are a vector, or a row for each sample",
        )


def check_scalar_type(x: Tensor, wanted: str) -> None:
    if x.dtype.long_name != wanted:
        raise DtypeError(f"expected scalar type {wanted} but found {x.dtype.long_name}", operands=(x,))


def check_class_range(target: Tensor, least: int, classes: int, message: str) -> None:
    if ((target.data < least) | (target.data >= classes)).any():
        raise ScriptError(
            message,
            operands=(target,),
            caret=f"there are {classes} classes, numbered from 0 to {classes - 1}",
        )


def reduce_samples(losses: Tensor, classes: int, x: Tensor, reduction: str, grad_fn: str) -> Tensor:
    """Divide the sum of each sample by the number of classes, and reduce under the loss's node name."""
    if reduction != "none":
        return reduce_tensor(losses / classes, reduction, grad_fn)
    shape = losses.shape if x.ndim == 2 else ()
    return reshape.named(grad_fn)(losses / classes, shape=shape)


def relu_without_nan(x: Tensor) -> Tensor:
    """Return the entries above 0, and 0 for all others, including nan."""
    is_nan = np.isnan(x.data)
    return relu(where(is_nan, 0.0, x) if is_nan.any() else x)


@public(
    "F.multi_margin_loss(input: tensor, target: tensor, p: int = 1, margin: float = 1.0,"
    f" weight: tensor = None, {REDUCTION_SIGNATURE})",
    method=False,
)
@saves_arguments("target", "weight")
def multi_margin_loss(
    x: Tensor,
    target: Tensor,
    p: int,
    margin: float,
    weight: Tensor | None,
    size_average: Any,
    reduce: Any,
    reduction: str,
) -> Tensor:
    """max(0, margin - input[target] + input[class]) ** p, summed over the other classes, averaged."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ScriptError("only p == 1 and p == 2 supported", code="E0206")
    if weight is not None and weight.ndim != 1:
        raise ShapeError("weight must be one-dimensional", code="E0206", operands=(weight,))
    check_scores(x)
    rows = x if x.ndim == 2 else reshape(x, shape=(1, x.entry_count))
    count, classes = rows.shape
    if target.ndim > 1 or target.entry_count != count:
        raise ShapeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples"
            f" (batch size). Expected target size [{count}], but got {list(target.shape)}. Input has shape"
            f" {list(x.shape)}.",
            operands=(x, target),
        )
    if weight is not None and weight.entry_count != classes:
        raise ShapeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}",
            operands=(weight,),
            caret=f"there are {classes} classes, and each needs one weight",
        )
    require_kind(x, "multi_margin_loss_cpu_kernel", "f")
    check_scalar_type(target, "Long")
    check_class_range(target, 0, classes, "target out of range")
    right = target.data.reshape(-1, 1)
    hinge = relu_without_nan(float(margin) - gather(rows, dim=1, index=right) + rows)
    if p == 2:
        hinge = hinge * hinge
    if weight is not None:
        check_scalar_type(weight, x.dtype.long_name)
        hinge = hinge * Tensor.of(weight.data[right])
    others = where(right == np.arange(classes), 0.0, hinge)
    losses = sum(others, dim=(1,), keepdim=False)
    grad_fn = "MultiMarginLossBackward0"
    if reduction == "none" and target.ndim:
        return div.named(grad_fn)(losses, classes)
    return reduce_samples(losses, classes, x, reduction, grad_fn)


@public(f"F.multilabel_margin_loss(input: tensor, target: tensor, {REDUCTION_SIGNATURE})", method=False)
@saves_arguments("target")
def multilabel_margin_loss(
    x: Tensor, target: Tensor, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """``multi_margin_loss`` with several right classes per sample, which end at the first -1 of a target."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    check_scores(x)
    if target.shape != x.shape:
        raise ShapeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(x.shape)}",
            operands=(x, target),
        )
    classes = x.shape[-1] if x.ndim else 1
    check_class_range(target, -1, classes, "argument #2 'target' is out of range")
    require_kind(x, "multilabel_margin_loss_forward_out_frame", "f")
    check_scalar_type(target, "Long")
    rows = x if x.ndim == 2 else reshape(x, shape=(1, x.entry_count))
    labels = target.data.reshape(-1, classes)
    counts = np.logical_and.accumulate(labels != -1, axis=1)
    right = np.where(counts, labels, 0)
    is_right = ((labels[:, :, None] == np.arange(classes)) & counts[:, :, None]).any(axis=1)
    wanted = reshape(gather(rows, dim=1, index=right), shape=(*rows.shape, 1))
    hinge = relu_without_nan(1 - wanted + reshape(rows, shape=(rows.shape[0], 1, classes)))
    compared = counts[:, :, None] & ~is_right[:, None, :]
    losses = sum(where(compared, hinge, 0.0), dim=(1, 2), keepdim=False)
    return reduce_samples(losses, classes, x, reduction, "MultilabelMarginLossBackward0")


@public(
    "F.multilabel_soft_margin_loss(input: tensor, target: tensor, weight: tensor = None,"
    " size_average: any = None, reduce: any = None, reduction: str = 'mean')",
    method=False,
)
def multilabel_soft_margin_loss(
    x: Tensor, y: Tensor, weight: Tensor | None, size_average: Any, reduce: Any, reduction: str
) -> Tensor:
    """binary_cross_entropy of sigmoid(x), averaged over the classes and then over the samples."""
    if size_average is not None or reduce is not None:
        reduction = resolve_reduction(size_average, reduce, reduction)
    require_kind(x, "log_sigmoid_cpu", "f")
    losses = -(y * logsigmoid(x) + (1 - y) * logsigmoid(-x))
    if weight is not None:
        losses = losses * weight
    size_along(x, -1)
    if reduction not in ("none", "mean", "sum"):
        raise ScriptError(f"{reduction} is not valid", code="E0206")
    losses = sum(losses, dim=(x.ndim - 1,), keepdim=False)
    return reduce_tensor(div(losses, x.shape[-1]), reduction)


# -- triplets: an anchor, a positive and a negative -------------------------------------------------------

TRIPLET_SIGNATURE = "anchor: tensor, positive: tensor, negative: tensor"


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    if margin <= 0:
        raise ScriptError(f"margin must be greater than 0, got {margin}", code="E0206")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions,"
            f" but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D"
            " inputs",
            operands=(anchor, positive, negative),
        )


def triplet_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce_tensor(clamp_min(margin + near - far, 0), reduction)


@public(
    f"F.triplet_margin_loss({TRIPLET_SIGNATURE}, margin: float = 1.0, p: float = 2, eps: float = 1e-06,"
    f" swap: bool = False, {REDUCTION_SIGNATURE})",
    method=False,
)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    size_average: Any,
    reduce: Any,
    reduction: str,
) -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), averaged, with the p-norm as distance d."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    check_triplet(anchor, positive, negative, margin)

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, eps, False)

    return triplet_loss(anchor, positive, negative, distance, margin, swap, reduction)


@public(
    f"F.triplet_margin_with_distance_loss({TRIPLET_SIGNATURE}, *, distance_function: any = None,"
    " margin: float = 1.0,"
    " swap: bool = False, reduction: any = 'mean')",
    method=False,
)
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Any,
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """``triplet_margin_loss`` with a function of two tensors as the distance."""
    reduction = resolve_reduction(None, None, reduction)
    check_triplet(anchor, positive, negative, margin)
    if distance is None:
        return triplet_margin_loss(anchor, positive, negative, margin, 2, 1e-6, swap, None, None, reduction)
    if not callable(distance):
        raise ScriptError(
            f"'{'torch.dtype' if distance.__class__ is DType else type(distance).__name__}' object is not"
            " callable",
            code="E0209",
            caret="the distance is a function of two tensors",
        )
    return triplet_loss(anchor, positive, negative, distance, margin, swap, reduction)

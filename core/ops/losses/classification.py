"""Classification losses: minus the logarithm of the probability that a classifier gives the right class."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import BroadcastError, DimError, DtypeError, ScriptError, ShapeError
from autodiff.core.base.fast_paths import fusion_settings, is_fast
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import register_saved_params, saves_arguments
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.small_products import SMALL_SIZE
from autodiff.core.graph.op import Op, primitive
from autodiff.core.ops.elementwise.arithmetic import div
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.losses.checks import check_any_floating
from autodiff.core.ops.losses.regression import resolve_reduction
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.reduce.softmax import apply_softmax, log_softmax
from autodiff.core.ops.shape.dims import wrap_dim
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

NO_CLASSES_CARET = "this is a single number; there should be one per class"


def class_axis(shape: tuple[int, ...]) -> int:
    return 0 if len(shape) == 1 else 1


def nll_forward(x: Any, *, target: Any, weight: Any, total: float, reduction: str) -> Any:
    """Return -weight · x[target] for every row, reduced; ``total`` is the divisor of a mean."""
    axis = class_axis(x.shape)
    if x.ndim == 2:
        picked = x[np.arange(len(x)), target[:, 0]][:, None]
    else:
        picked = np.take_along_axis(x, target, axis=axis)
    return reduce_nll(picked, axis, weight, total, reduction)


def reduce_nll(picked: Any, axis: int, weight: Any, total: float, reduction: str) -> Any:
    """Return the reduced loss, given the log probability at the target of each row."""
    losses = np.where(weight == 0, 0, -weight * picked).astype(picked.dtype, copy=False)
    losses = np.squeeze(losses, axis=axis)
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else np.true_divide(losses.sum(), total)


def nll_transposed_forward(
    g: Any, *, shape: tuple[int, ...], target: Any, weight: Any, total: float, reduction: str
) -> Any:
    """Return -weight · g at the target of each row, 0 elsewhere."""
    axis = class_axis(shape)
    if reduction == "none":
        g = np.expand_dims(g, axis)
    if reduction == "mean":
        g = np.true_divide(g, total)
    out = np.zeros(shape, g.dtype)
    slopes = np.where(weight == 0, 0, -weight * g)
    if len(shape) == 2:
        out[np.arange(len(out)), target[:, 0]] = slopes[:, 0]
    else:
        np.put_along_axis(out, target, slopes, axis=axis)
    return out


def nll_grad_fn(node: Node) -> str:
    """Return the name of the node.

    torch reshapes inputs of three dimensions to four and, if nothing is reduced, the losses back.
    """
    ndim, reduction = node.params["target"].ndim, node.params["reduction"]
    if ndim <= 2:
        return "NllLossBackward0"
    return "ViewBackward0" if ndim == 3 and reduction == "none" else "NllLoss2DBackward0"


nll_loss_op: Op = primitive(
    "nll_loss",
    nll_forward,
    lambda g, out, x, **params: nll_transposed(g, shape=x.shape, **params),
    saved=((0,),),
    saves_params=True,
    grad_fn=nll_grad_fn,
    reads_input=True,
)
nll_transposed: Op = primitive(
    "nll_transposed",
    nll_transposed_forward,
    lambda g, out, x, shape, **params: nll_loss_op(g, **params),
    saves_params=True,
    grad_fn="NllLossBackwardBackward0",
)


def early_shape_message(shape: tuple[int, ...], target_shape: tuple[int, ...]) -> str | None:
    """Return torch's message for target shapes that it refuses before it checks the dtype, or None."""
    rows = target_shape[0] if target_shape else 0
    if len(shape) > 1 and shape[0] != rows:
        return f"Expected input batch_size ({shape[0]}) to match target batch_size ({rows})."
    if len(shape) <= 2 and len(target_shape) > 1:
        return "0D or 1D target tensor expected, multi-target not supported"
    if len(shape) == 4 and len(target_shape) != 3:
        return (
            "only batches of spatial targets supported (3D tensors) but got targets of dimension:"
            f" {len(target_shape)}"
        )
    if len(shape) not in (1, 4):
        return f"Expected target size {[shape[0], *shape[2:]]}, got {list(target_shape)}"
    return None


def late_shape_message(shape: tuple[int, ...], target_shape: tuple[int, ...]) -> str:
    """Return torch's message for the other wrong target shapes, which it refuses after the dtype."""
    if len(shape) == 1:
        return f"For 1D input, 1D target must have size 1, but got target size: {target_shape[0]}"
    return f"size mismatch (got input: {list(shape)} , target: {list(target_shape)}"


#: A cache of one result for loops that pass the same targets again: target value, key, result.
LAST_TARGETS: list[Any] = [None, None, None]


def nll_params(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> dict[str, Any]:
    """Return the parameters of ``nll_loss_op``: every row's class, its weight and the sum of the weights."""
    given, key = target.value, (x.shape, x.dtype, ignore_index)
    if given is LAST_TARGETS[0] and key == LAST_TARGETS[1] and weight is None:
        known: dict[str, Any] = LAST_TARGETS[2]
        return known
    found = compute_nll_params(x, target, weight, ignore_index)
    if is_fast and weight is None and given.size <= SMALL_SIZE:
        LAST_TARGETS[:] = given, key, found
    return found


def check_class_targets(x: Tensor, target: Tensor, weight: Tensor | None, axis: int) -> None:
    """Check shapes and dtypes of class numbers and of the weights of classes, in torch's order."""
    wanted = x.shape[:axis] + x.shape[axis + 1 :]
    fits = target.shape == wanted
    wrong = None if fits else early_shape_message(x.shape, target.shape)
    if wrong is None and target.dtype.name not in ("int64", "uint8"):
        raise DtypeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype.long_name}",
            operands=(target,),
            caret=f"class numbers are whole, and these are {target.dtype.name} numbers",
        )
    if not fits:
        raise ShapeError(
            wrong or late_shape_message(x.shape, target.shape),
            operands=(x, target),
            caret=f"an input of shape {x.shape} needs targets of shape {wanted}, one class number per row",
        )
    if weight is not None and weight.shape != (x.shape[axis],):
        raise BroadcastError(
            "weight tensor should be defined either for all or no classes"
            if x.ndim > 2
            else f"weight tensor should be defined either for all {x.shape[axis]} classes or no classes but"
            f" got weight tensor of shape: {list(weight.shape)}",
            operands=(weight, x),
            caret=f"there are {x.shape[axis]} classes, and each needs one weight",
        )
    check_any_floating("nll_loss2d_forward_out_frame" if x.ndim > 2 else "nll_loss_out_frame", x)
    if weight is not None and weight.dtype is not x.dtype:
        raise DtypeError(
            f"expected scalar type {x.dtype.long_name} but found {weight.dtype.long_name}",
            operands=(x, weight),
            caret=f"one holds {x.dtype.name} numbers, the weight {weight.dtype.name}",
        )
    if x.ndim > 2 and target.dtype.name == "uint8":
        raise DtypeError(
            "expected scalar type Long but found Byte",
            operands=(target,),
            caret="of more than one place per row, class numbers are int64 numbers",
        )


def compute_nll_params(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> dict[str, Any]:
    """Compute these parameters after torch's checks of shapes, dtypes and class numbers."""
    if not x.ndim:
        raise ShapeError("Expected 1 or more dimensions (got 0)", operands=(x,), caret=NO_CLASSES_CARET)
    axis = class_axis(x.shape)
    if x.ndim == 1 and target.shape == (1,):
        target = reshape(target, shape=())
    check_class_targets(x, target, weight, axis)
    index = np.expand_dims(np.asarray(target.data), axis)
    counted = index != ignore_index
    if not counted.all():
        index = np.where(counted, index, 0)
    if index.size and not 0 <= index.min() <= index.max() < x.shape[axis]:
        bad = index[(index < 0) | (index >= x.shape[axis])]
        raise ScriptError(
            f"Target {bad[0]} is out of bounds.",
            code="E0208",
            operands=(x, target),
            caret=f"there are {x.shape[axis]} classes, numbered from 0 to {x.shape[axis] - 1}",
        )
    weights = counted * (1.0 if weight is None else weight.data[index])
    return {"target": index, "weight": weights, "total": float(weights.sum())}


@public(
    "F.nll_loss(input: tensor, target: tensor, weight: tensor = None, size_average: any = None,"
    " ignore_index: int = -100, reduce: any = None, reduction: any = 'mean')",
    method=False,
)
@saves_arguments("target", "weight")
def nll_loss(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: Any,
    ignore_index: int,
    reduce: Any,
    reduction: str,
) -> Tensor:
    """Minus the log probability of the right class, averaged; ``input`` holds log probabilities."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    classes = nll_params(x, target, weight, ignore_index)
    return nll_loss_op(x, **classes, reduction=reduction)


@public(
    "F.cross_entropy(input: tensor, target: tensor, weight: tensor = None, size_average: any = None,"
    " ignore_index: int = -100, reduce: any = None, reduction: any = 'mean', label_smoothing: float = 0.0)",
    method=False,
)
def cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    size_average: Any,
    ignore_index: int,
    reduce: Any,
    reduction: str,
    label_smoothing: float,
) -> Tensor:
    """nll_loss of log_softmax; ``target`` holds class numbers, or one probability per class."""
    reduction = resolve_reduction(size_average, reduce, reduction)
    label_smoothing = max(label_smoothing, 0.0)  # torch ignores numbers below 0
    if label_smoothing > 1:
        raise ScriptError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    check_target_kind(x, target, ignore_index)
    axis = class_axis(x.shape)
    if x.dtype.kind != "f":
        apply_softmax(log_softmax, x, axis, None)
    if target.shape == x.shape:
        return soft_cross_entropy(log_softmax(x, dim=axis), target, weight, reduction, label_smoothing)
    classes = nll_params(x, target, weight, ignore_index)
    if fusion_settings.has_begun and not label_smoothing:
        from autodiff.core.fused.cross_entropy import deferred_cross_entropy

        params = {**classes, "reduction": reduction}
        fused = deferred_cross_entropy(log_softmax, nll_loss_op, reduce_nll, x, params)
        if fused is not None:
            register_saved_params(fused, (target, weight))
            return fused
    logs = log_softmax(x, dim=axis)
    loss = nll_loss_op(logs, **classes, reduction=reduction)
    register_saved_params(loss, (target, weight))
    if not label_smoothing:
        return loss
    smooth = smoothing_loss(logs, target != ignore_index, weight, reduction, classes["total"])
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / x.shape[axis])


def check_target_kind(x: Tensor, target: Tensor, ignore_index: int) -> None:
    """Refuse targets that are neither class numbers nor probabilities; the latter have the shape of ``x``."""
    if not x.ndim:
        if target.ndim:
            wrap_dim(x, 1)
        if target.dtype.kind != "f":
            message = "Expected floating point type for target with class probabilities, got"
            raise ScriptError(
                f"{message} {target.dtype.long_name}",
                code="E0302",
                operands=(x, target),
                caret=NO_CLASSES_CARET,
            )
        raise DimError(
            "Dimension specified as 1 but tensor has no dimensions",
            operands=(x, target),
            caret=NO_CLASSES_CARET,
        )
    is_soft = target.shape == x.shape
    if is_soft and target.dtype.kind != "f":
        raise DtypeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.long_name}",
            operands=(x, target),
            caret="targets of the input's shape are probabilities, one per class",
        )
    if is_soft and ignore_index >= 0:
        raise ScriptError(
            "ignore_index is not supported for floating point target",
            operands=(target,),
            caret="these are probabilities, and no class number is among them",
        )


def smoothing_loss(
    logs: Tensor, counted: Tensor, weight: Tensor | None, reduction: str, total: float
) -> Tensor:
    """Return minus the logarithms of all classes, reduced as the loss over the ``counted`` rows."""
    axis = class_axis(logs.shape)
    weighted_logs = logs if weight is None else logs * reshape_class_weight(weight, logs, axis)
    smooth = -sum(weighted_logs, dim=(axis,), keepdim=False)
    smooth = where(counted, smooth, 0.0)
    if reduction != "none":
        smooth = sum(smooth, dim=None, keepdim=False)
    if reduction == "mean":
        smooth = smooth / total
    return smooth


def reshape_class_weight(weight: Tensor, x: Tensor, axis: int) -> Tensor:
    """Return the class weights, shaped to broadcast with ``x``."""
    return reshape(weight, shape=(-1,) + (1,) * (x.ndim - axis - 1))


def soft_cross_entropy(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float
) -> Tensor:
    """Return -Σ target · logs over the classes, reduced."""
    axis = class_axis(logs.shape)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / (logs.shape[axis] or math.nan)
    products = logs * target
    if weight is not None:
        count = logs.shape[axis]
        if weight.shape != (count,):
            raise BroadcastError(
                f"cross_entropy: weight tensor should be defined either for all {count} classes or no classes"
                f" but got weight tensor of shape: {list(weight.shape)}",
                operands=(weight, logs),
                caret=f"there are {count} classes, and each needs one weight",
            )
        products = products * reshape_class_weight(weight, logs, axis)
    if reduction == "none":
        return -sum(products, dim=(axis,), keepdim=False)
    total = -sum(products, dim=None, keepdim=False)
    # Without classes torch does not know the number of rows: the mean is nan.
    rows = math.prod(logs.shape[:axis] + logs.shape[axis + 1 :]) if logs.shape[axis] else math.nan
    return total if reduction == "sum" else div.named("DivBackward1")(total, rows)

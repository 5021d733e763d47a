"""Cross entropy of large tables that stores the exponentials and no table of logarithms.

The graph is the usual one, ``log_softmax`` and then ``nll_loss``. The logarithms are computed only when read.
A backward pass skips them unless their gradient is retained, and writes the gradient over the exponentials.
"""

from __future__ import annotations

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.softmax_rows import FEW_COLUMNS, are_large_rows, row_maxima, row_sums
from autodiff.core.fast.tiles import run_in_tiles
from autodiff.core.fused.deferred import deferred_node
from autodiff.core.fused.fused_backward import has_no_retained_grad
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import ArrayNode, Node
    from autodiff.core.graph.op import Op


class Exponentials:
    """``exponentials`` of x - max of the row, their ``sums`` by row, and ``target_log_probs``."""

    __slots__ = ("exponentials", "sums", "target_log_probs")

    def __init__(self, x: Any, target: Any) -> None:
        count, width = x.shape
        self.exponentials = np.empty_like(x)
        self.sums = np.empty((count, 1), x.dtype)
        self.target_log_probs = np.empty((count, 1), x.dtype)

        def work(start: int, stop: int, step: int) -> None:
            for low in range(start, stop, step):
                here = slice(low, min(low + step, stop))
                shares = self.exponentials[here]
                np.subtract(x[here], row_maxima(x[here]), out=shares)
                picked = np.take_along_axis(shares, target[here], axis=1)
                np.exp(shares, out=shares)
                self.sums[here] = row_sums(shares)
                np.subtract(picked, np.log(self.sums[here]), out=self.target_log_probs[here])

        run_in_tiles(work, count, width)

    def cotangent(self, received: Any, target: Any) -> Any:
        """The cotangent of x from the column ``received`` by the targets; overwrites the exponentials."""
        shares, factors = self.exponentials, -received / self.sums

        def work(start: int, stop: int, step: int) -> None:
            for low in range(start, stop, step):
                here = slice(low, min(low + step, stop))
                part = shares[here]
                part *= factors[here]
                at = (np.arange(len(part))[:, None], target[here])
                part[at] += received[here]

        run_in_tiles(work, *shares.shape)
        return shares


class TransposedExponentials:
    """As ``Exponentials``, transposed to one row per class: numpy's loops along short rows are slow to start.

    ``places`` are the flat indices of the targets in the transposed table.
    """

    __slots__ = ("exponentials", "places", "sums", "target_log_probs")

    def __init__(self, x: Any, target: Any) -> None:
        count, width = x.shape
        self.exponentials = np.empty((width, count), x.dtype)
        self.sums = np.empty(count, x.dtype)
        self.target_log_probs = np.empty((count, 1), x.dtype)
        self.places = target[:, 0].astype(np.intp, copy=False) * count  # bytes would overflow
        self.places += np.arange(count)
        flat, column = self.exponentials.reshape(-1), self.target_log_probs[:, 0]

        def work(start: int, stop: int, step: int) -> None:
            for low in range(start, stop, step):
                here = slice(low, min(low + step, stop))
                shares = self.exponentials[:, here]
                np.copyto(shares, x[here].T)
                shares -= np.maximum.reduce(shares, axis=0)
                picked = flat.take(self.places[here])
                np.exp(shares, out=shares)
                sums = np.add.reduce(shares, axis=0, out=self.sums[here])
                np.subtract(picked, np.log(sums), out=column[here])

        run_in_tiles(work, count, width)

    def cotangent(self, received: Any, target: Any) -> Any:
        """As ``Exponentials.cotangent``, in a new table with the layout of x."""
        width, count = self.exponentials.shape
        check_allocation((count, width), 8)
        slopes = np.empty((count, width), self.exponentials.dtype)
        shares, flat, column = self.exponentials, self.exponentials.reshape(-1), received[:, 0]
        factors = -column / self.sums

        def work(start: int, stop: int, step: int) -> None:
            for low in range(start, stop, step):
                here = slice(low, min(low + step, stop))
                part = shares[:, here]
                part *= factors[here]
                flat[self.places[here]] += column[here]
                np.copyto(slopes[here], part.T)

        run_in_tiles(work, count, width)
        return slopes


class LazyLogSoftmax:
    """The deferred result of ``log_softmax``, computed when it is read."""

    __slots__ = ("dtype", "known", "ndim", "op", "shape", "x")

    def __init__(self, op: Op, x: Any) -> None:
        self.op = op
        self.x = x
        self.shape, self.ndim, self.dtype = x.shape, 2, x.dtype
        self.known: Any = None

    def value(self) -> Any:
        if self.known is None:
            with np.errstate(all="ignore"):
                self.known = self.op.forward(self.x, dim=1)
        return self.known

    value_with_intermediates = value

    def values(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        return operands

    def pass_back(self, root: ArrayNode, g: Any, cotangents: dict[Node, Any]) -> bool:
        return False


class LazyLoss:
    """The ``lazy_value`` of the ``nll_loss`` node: its value is known, that of its operand is deferred."""

    __slots__ = ("dtype", "exponentials", "known", "ndim", "shape")

    def __init__(self, known: Any, kept: Exponentials | TransposedExponentials) -> None:
        self.known = known
        self.exponentials: Exponentials | TransposedExponentials | None = kept
        self.shape = np.shape(known)
        self.ndim = len(self.shape)
        self.dtype = kept.target_log_probs.dtype

    def value(self) -> Any:
        return self.known

    value_with_intermediates = value

    def values(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(x.value() for x in operands)

    def pass_back(self, root: ArrayNode, g: Any, cotangents: dict[Node, Any]) -> bool:
        """Pass the cotangent of the loss straight to x; False if that of the logarithms is retained."""
        logs: Any = root.inputs[0]
        kept = self.exponentials
        if kept is None or not has_no_retained_grad(logs):
            return False
        root.check_saved()
        logs.check_saved()
        self.exponentials = None
        params = root.params
        g, weight = np.asarray(g), params["weight"]
        if params["reduction"] == "mean":
            g = np.true_divide(g, params["total"])
        elif params["reduction"] == "none":
            g = g[:, None]
        received = np.where(weight == 0, 0, -weight * g).astype(self.dtype, copy=False)
        slopes = kept.cotangent(received, params["target"])
        below = logs.inputs[0]
        before = cotangents.get(below)
        cotangents[below] = slopes if before is None else before + slopes
        return True


def deferred_cross_entropy(
    log_softmax: Op, nll_loss: Op, put_together: Callable[..., Any], x: Tensor, params: dict[str, Any]
) -> Tensor | None:
    """The loss of a large table of scores that requires gradients; None in other cases."""
    if (
        not mode.enabled
        or x.node is None
        or not x.node.tracked
        or x.ndim != 2
        or x.entry_count < fusion_settings.least
    ):
        return None
    if not are_large_rows(1, x.value):
        return None
    check_allocation(x.shape, 8)
    kind = TransposedExponentials if x.shape[1] <= FEW_COLUMNS else Exponentials
    kept = kind(x.value, params["target"])
    known = as_stored(
        put_together(kept.target_log_probs, 1, params["weight"], params["total"], params["reduction"])
    )
    logarithms = LazyLogSoftmax(log_softmax, x.value)
    logs = deferred_node(log_softmax, (x.node,), (x.value,), {"dim": 1}, logarithms)
    loss = deferred_node(nll_loss, (logs,), (logarithms,), params, LazyLoss(known, kept))
    return Tensor.of(known, loss, x.requires_grad_flag)

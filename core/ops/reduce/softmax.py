"""softmax, softmin and log_softmax: exponentials divided by their sum along a dimension."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.fast import softmax_rows
from autodiff.core.graph.op import Op, primitive
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.transcendental import exp
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.shape.dims import wrap_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.dtypes import DType


def softmax_forward(x: Any, *, dim: int) -> Any:
    """Return exp(x) / Σ exp(x), shifted by the largest entry so that no exponential overflows."""
    if not x.size:
        return x
    if softmax_rows.are_large_rows(dim, x):
        return softmax_rows.by_rows(softmax_rows.softmax, x)
    e = np.exp(x - x.max(axis=dim, keepdims=True)) if x.ndim else np.exp(x - x)
    return e / (e.sum(axis=dim, keepdims=True) if x.ndim else e)


def log_softmax_forward(x: Any, *, dim: int) -> Any:
    if not x.size:
        return x
    if not x.ndim:
        return x - x
    if softmax_rows.are_large_rows(dim, x):
        return softmax_rows.by_rows(softmax_rows.log_softmax, x)
    shifted = x - x.max(axis=dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def sum_along(x: Any, dim: int) -> Any:
    return sum(x, dim=(dim,) if x.shape else (), keepdim=True)


softmax = primitive(
    "softmax",
    softmax_forward,
    lambda g, out, x, dim: out * (g - sum_along(g * out, dim)),
    fast_vjps=(softmax_rows.row_vjp(softmax_rows.softmax_vjp),),
    fused_backward="SoftmaxBackwardDataBackward0",
)
log_softmax = primitive(
    "log_softmax",
    log_softmax_forward,
    lambda g, out, x, dim: g - exp(out) * sum_along(g, dim),
    fast_vjps=(softmax_rows.row_vjp(softmax_rows.log_softmax_vjp),),
    fused_backward="LogSoftmaxBackwardDataBackward0",
)


def apply_softmax(op: Op, x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """Apply softmax or log_softmax after torch's checks."""
    x = cast(x, dtype)
    dim = wrap_dim(x, dim)
    if not x.dtype.is_floating_point and x.entry_count:
        place = "lastdim_" if dim == max(x.ndim, 1) - 1 else ""
        require_kind(x, f"{op.name}_{place}kernel_impl", "f")
    return op(x, dim=dim)


def implicit_dim(x: Tensor, dim: int | None, name: str) -> int:
    """Return ``dim``, or torch's deprecated default with its warning if ``dim`` is None."""
    if dim is not None:
        return dim
    mode.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an"
        " argument."
    )
    return 0 if x.ndim in (0, 1, 3) else 1


@public("softmax(input: tensor, dim: int, dtype: dtype = None)", also=("special.softmax",))
def softmax_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """exp(x) / Σ exp(x) along a dimension."""
    return apply_softmax(softmax, x, dim, dtype)


@public("F.softmax(input: tensor, dim: int = None, _stacklevel: any = 3, dtype: dtype = None)", method=False)
def functional_softmax(x: Tensor, dim: int | None, _: Any, dtype: DType | None) -> Tensor:
    """exp(x) / Σ exp(x) along a dimension; leaving ``dim`` out is deprecated."""
    return apply_softmax(softmax, x, implicit_dim(x, dim, "softmax"), dtype)


@public("F.softmin(input: tensor, dim: int = None, _stacklevel: any = 3, dtype: dtype = None)", method=False)
def softmin(x: Tensor, dim: int | None, _: Any, dtype: DType | None) -> Tensor:
    """softmax of the negated entries."""
    return apply_softmax(softmax, -cast(x, dtype), implicit_dim(x, dim, "softmin"), None)


@public("log_softmax(input: tensor, dim: int, dtype: dtype = None)", also=("special.log_softmax",))
def log_softmax_along(x: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """The logarithm of softmax, computed so that small probabilities do not round to 0 first."""
    return apply_softmax(log_softmax, x, dim, dtype)


@public(
    "F.log_softmax(input: tensor, dim: int = None, _stacklevel: any = 3, dtype: dtype = None)", method=False
)
def functional_log_softmax(x: Tensor, dim: int | None, _: Any, dtype: DType | None) -> Tensor:
    """The logarithm of softmax along a dimension; leaving ``dim`` out is deprecated."""
    return apply_softmax(log_softmax, x, implicit_dim(x, dim, "log_softmax"), dtype)

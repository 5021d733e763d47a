"""torch's checks of in-place calls, for the functions that have their own error messages.

``ARGUMENT_CHECKS`` holds the checks of the arguments, ``RESULT_CHECKS`` those of the result.
"""

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, DtypeError, ScriptError, ShapeError
from autodiff.core.engine.in_place_checks import check_same_shape
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_bool_mask
from autodiff.core.graph.dtypes import promote
from autodiff.core.ops.shape.dims import expanded_shape, wrap_dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from autodiff.core.graph.dtypes import DType


def in_place_cast_error(message: str, *operands: Tensor) -> ScriptError:
    x = operands[0]
    return DtypeError(
        message,
        operands=operands,
        caret=f"this holds {x.dtype.name} numbers, the result others",
        help=("write the result to a new name, without the `_`",),
    )


def shape_mismatch_error(x: Tensor, shape: Sequence[int]) -> ShapeError:
    return BroadcastError(
        f"Bad in-place call: input tensor size {list(x.shape)} and output tensor size {list(shape)} should"
        " match",
        operands=(x,),
        caret=f"shape {tuple(shape)} does not fit into shape {x.shape}",
    )


# -- checks of the arguments ------------------------------------------------------------------------------


def check_broadcasts_to_input(x: Tensor, *others: Any) -> None:
    """Refuse a common shape that is not the shape of ``x``. torch checks it before the dtypes."""
    check_same_shape(x, broadcast_shape((x, *others)))


def check_common_type(x: Tensor, other: Any, *rest: Any) -> None:
    """Refuse a common shape, then a common dtype, that does not fit ``x``, before the kernel is looked up."""
    check_broadcasts_to_input(x, other)
    if other.__class__ is Tensor:
        common = promote([(x.dtype, x.ndim), (other.dtype, other.ndim)])
    else:
        common = promote([]) if other.__class__ is float else x.dtype
    if is_wider(x, common):
        raise in_place_cast_error(
            f"result type {common.long_name} can't be cast to the desired output type {x.dtype.long_name}", x
        )


def check_div(x: Tensor, other: Any, rounding_mode: str | None = None) -> None:
    if rounding_mode in (None, "floor", "trunc"):
        check_broadcasts_to_input(x, other)


def check_ldexp(x: Tensor, other: Tensor) -> None:
    if not x.dtype.is_floating_point:
        raise in_place_cast_error(f"ldexp can't be cast to the desired output type {x.dtype.long_name}", x)
    check_broadcasts_to_input(x, other)


def check_float_power(x: Tensor, *rest: Any) -> None:
    if x.dtype.name != "float64":
        raise in_place_cast_error(
            f"the base given to float_power_ has dtype {x.dtype.long_name} but the operation's result"
            " requires dtype Double",
            x,
        )


def check_cumulative_dtype(x: Tensor, dim: int, dtype: DType | None) -> dict[str, DType]:
    """Refuse a ``dtype`` other than that of ``x``; return the dtype of ``x`` as the argument to use."""
    wrap_dim(x, dim)
    if dtype is not None and dtype is not x.dtype:
        raise in_place_cast_error(type_mismatch_message(x, dtype), x)
    return {"dtype": x.dtype}


def check_lerp(x: Tensor, end: Tensor, weight: Any) -> None:
    others = [t for t in (end, weight) if t.__class__ is Tensor]
    if all(t.dtype is x.dtype for t in others):
        check_broadcasts_to_input(x, *others)


def check_addmm(x: Tensor, first: Tensor, second: Tensor, *rest: Any) -> None:
    is_one_type = x.dtype is first.dtype is second.dtype
    if is_one_type and first.ndim == second.ndim == 2 and first.shape[1] == second.shape[0]:
        shape = (first.shape[0], second.shape[1])
        if x.shape != shape:
            raise shape_mismatch_error(x, shape)


def check_addbmm(x: Tensor, first: Tensor, second: Tensor, *rest: Any) -> None:
    """Refuse a smaller ``x``, which torch would enlarge to the shape of the sum."""
    fits = first.ndim == second.ndim == 3 and first.shape[2] == second.shape[1]
    fits = fits and first.shape[0] == second.shape[0] and x.dtype is first.dtype is second.dtype
    fits = fits and x.dtype.kind != "b"
    shape = (*first.shape[1:2], *second.shape[2:])
    if fits and expanded_shape(x, shape) != x.shape:
        raise BroadcastError(
            "addbmm_() does not change the shape of a tensor here",
            operands=(x,),
            caret=f"the sum has shape {shape}, this has {x.shape}",
            help=("write the result to a new name, without the `_`",),
        )


def check_baddbmm(x: Tensor, first: Tensor, second: Tensor, *rest: Any) -> None:
    fits = first.ndim == second.ndim == 3 and first.shape[2] == second.shape[1]
    fits = fits and first.shape[0] == second.shape[0]
    if fits and first.dtype is x.dtype and second.dtype is not x.dtype:
        raise in_place_cast_error(type_mismatch_message(x, second.dtype), x, second)
    shape = (*first.shape[:2], *second.shape[2:])
    are_bools = all(t.dtype.kind == "b" for t in (x, first, second))  # torch has no kernel for bools
    if fits and are_bools and expanded_shape(x, shape) != x.shape:
        raise shape_mismatch_error(x, shape)


def check_addmv(x: Tensor, matrix: Tensor, vector: Tensor, *rest: Any) -> None:
    fits = (matrix.ndim, vector.ndim) == (2, 1) and x.ndim < 2 and x.dtype is matrix.dtype is vector.dtype
    rows = matrix.shape[:1]
    if fits and matrix.shape[1:] == vector.shape and (x.entry_count,) in ((1,), rows) and x.shape != rows:
        raise shape_mismatch_error(x, rows)


def check_addr(x: Tensor, first: Tensor, second: Tensor, *rest: Any) -> None:
    if first.ndim != 1 or second.ndim != 1:
        return
    if x.ndim != 2:
        raise BroadcastError(f"2D tensor expected, got {x.ndim}D tensor for input", operands=(x,))
    if x.shape != (first.entry_count, second.entry_count):
        raise ShapeError(
            f"size mismatch, input: {list(x.shape)}, v1: {list(first.shape)}, v2: {list(second.shape)}",
            operands=(x, first, second),
            caret=f"the product has shape {(first.entry_count, second.entry_count)}",
        )


def check_masked_fill(x: Tensor, mask: Tensor, *rest: Any) -> None:
    require_bool_mask(mask)
    broadcast_shape((x, mask))


def check_masked_scatter(x: Tensor, mask: Tensor, *rest: Any) -> None:
    expanded_shape(mask, x.shape)


# -- checks of the result ---------------------------------------------------------------------------------


def is_wider(x: Tensor, result: DType) -> bool:
    return "bif".index(result.kind) > "bif".index(x.dtype.kind)


def type_mismatch_message(x: Tensor, dtype: DType) -> str:
    return (
        f"Bad in-place call: input tensor dtype {x.dtype.c_name} and output tensor dtype"
        f" {dtype.c_name} should match"
    )


def check_clamped(x: Tensor, result: Tensor, args: Any) -> None:
    if is_wider(x, result.dtype):
        has_tensors = any(bound.__class__ is Tensor for bound in args[1:])
        name = x.dtype.long_name if has_tensors else x.dtype.c_name
        message = f"result type {result.dtype.long_name} can't be cast to the desired output type {name}"
        raise in_place_cast_error(message, x)


def check_mvlgamma(x: Tensor, result: Tensor, args: Any) -> None:
    if is_wider(x, result.dtype):
        raise in_place_cast_error(
            f"mvlgamma: result type {x.dtype.long_name} can't be cast to the desired output type"
            f" {result.dtype.long_name}",
            x,
        )


def check_result_shape(x: Tensor, result: Tensor, args: Any) -> None:
    if result.shape != x.shape:
        raise shape_mismatch_error(x, result.shape)


COMMON_TYPE_FUNCTIONS = (
    "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor floor_divide fmod gcd hypot"
    " igamma igammac lcm nextafter pow remainder"
).split()
#: Checks of the arguments by function. A returned dict replaces arguments by name.
ARGUMENT_CHECKS: dict[str, Callable[..., dict[str, Any] | None]] = {
    **dict.fromkeys(COMMON_TYPE_FUNCTIONS, check_common_type),
    **dict.fromkeys(("clamp", "clamp_max", "clamp_min"), check_broadcasts_to_input),
    "addbmm": check_addbmm,
    "addmm": check_addmm,
    "addmv": check_addmv,
    "addr": check_addr,
    "baddbmm": check_baddbmm,
    "cumprod": check_cumulative_dtype,
    "cumsum": check_cumulative_dtype,
    "div": check_div,
    "float_power": check_float_power,
    "ldexp": check_ldexp,
    "lerp": check_lerp,
    "masked_fill": check_masked_fill,
    "masked_scatter": check_masked_scatter,
}
#: Checks of the result by function; they get the arguments too.
RESULT_CHECKS: dict[str, Callable[[Tensor, Tensor, Any], None]] = {
    "baddbmm": check_result_shape,
    "clamp": check_clamped,
    "clamp_max": check_clamped,
    "clamp_min": check_clamped,
    "mvlgamma": check_mvlgamma,
}


__all__ = ["ARGUMENT_CHECKS", "RESULT_CHECKS"]

"""Checks of dtypes, shapes and flags of tensors, with torch's wording of the errors."""

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, GradientError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.dtypes import DType
    from autodiff.core.graph.op import Op


def require_kind(x: Tensor, kernel: str, kinds: str) -> None:
    """Raise ScriptError if the kind of ``x`` is not one of ``kinds``, those that torch's kernel supports."""
    if x.dtype.kind not in kinds:
        caret = f"this tensor holds {x.dtype.name} numbers"
        help = "convert it with .float() or .double()"
        raise missing_kernel_error(kernel, x.dtype, x, caret=caret, help=help)


def missing_kernel_error(
    kernel: str, dtype: DType, *operands: Tensor, code: str = "E0312", caret: str = "", help: str = ""
) -> ScriptError:
    """Return the error for a dtype that torch's kernel does not support."""
    return ScriptError(
        f"\"{kernel}\" not implemented for '{dtype.long_name}'",
        code=code,
        operands=operands,
        caret=caret,
        help=(help,) if help else (),
    )


def require_bool_mask(mask: Tensor) -> None:
    """Raise ScriptError if the mask of ``masked_fill`` is not boolean."""
    if mask.dtype.kind != "b":
        raise ScriptError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.c_name}",
            code="E0307",
            operands=(mask,),
            help=("compare to get a mask, as in `x > 0`",),
        )


def checked_integer(value: float, dtype: DType, operands: tuple[Tensor, ...] = ()) -> int:
    """Return ``value`` as an integer of ``dtype``; ScriptError if it does not fit.

    As in torch, a negative int wraps around in uint8: -2 becomes 254.
    """
    most = int(np.iinfo(dtype.name).max)
    least = -most if dtype.name == "uint8" and value.__class__ is int else int(np.iinfo(dtype.name).min)
    if not least <= value < most + 1:
        message = f"value cannot be converted to type {c_integer_name(dtype)} without overflow"
        raise ScriptError(message, code="E0206", operands=operands)
    return int(np.asarray(int(value)).astype(dtype.name))


def c_integer_name(dtype: DType) -> str:
    """Return torch's name of an integer type in the error for a number that is too large."""
    return {"int64": "int64_t", "uint8": "uint8_t"}.get(dtype.name, dtype.c_name)


def require_matching_grad(x: Tensor, grad: Tensor) -> None:
    """Raise an error if ``grad``, assigned to ``.grad``, has not the shape and dtype of ``x``."""
    if grad.shape != x.shape:
        raise ShapeError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size"
            f" '{list(x.shape)}'. Please ensure that the gradient and the tensor are the same size",
            operands=(x, grad),
            caret="a gradient has one entry for each entry of its tensor",
        )
    if grad.dtype is not x.dtype:
        raise DtypeError(
            f"attempting to assign a gradient with dtype '{grad.dtype.c_name}' to a tensor with"
            f" grad_dtype '{x.dtype.long_name}'. The gradient must match the tensor's grad_dtype"
            " (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a"
            " specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the"
            " dtypes of a tensor and its gradient may break downstream systems that assume they match.",
            operands=(x, grad),
            caret=f"the tensor holds {x.dtype.name} numbers, the gradient {grad.dtype.name}",
        )


def require_floating_dtype(x: Tensor, message: str) -> None:
    """Raise GradientError with ``message`` if ``x`` is not floating-point; torch has three wordings."""
    if not x.dtype.is_floating_point:
        raise GradientError(
            message,
            code="E0404",
            caret=f"this tensor holds {x.dtype.name} numbers, which cannot change by a little",
            operands=(x,),
            help=("write its numbers with a decimal point, as in 1.0, or pass dtype=torch.float64",),
        )


def require_castable(x: Tensor, result: Tensor) -> None:
    """Raise ScriptError if ``result`` has a higher kind than ``x``: floats cannot be stored in integers."""
    if "bif".index(result.dtype.kind) > "bif".index(x.dtype.kind):
        raise DtypeError(
            f"result type {result.dtype.long_name} can't be cast to the desired output type"
            f" {x.dtype.long_name}",
            operands=(x,),
            caret=f"the result holds {result.dtype.name} numbers, for which this has no room",
        )


def is_true(x: Tensor) -> bool:
    """Return the truth of the only entry; ScriptError if there are several entries or none."""
    if x.entry_count != 1:
        what = "no values" if x.entry_count == 0 else "more than one value"
        raise ScriptError(
            f"Boolean value of Tensor with {what} is ambiguous",
            code="E0306",
            caret=f"this has {x.entry_count} entries: which of them should decide?",
            operands=(x,),
            help=("ask for `.all()` or `.any()` of the entries, or for one of them with `.item()`",),
        )
    return bool(x.item())


def only_entry(x: Tensor) -> Any:
    """Return the number in a tensor of one entry; otherwise raise the error of ``float()`` and ``int()``."""
    if x.entry_count != 1:
        raise ScriptError(
            "only one element tensors can be converted to Python scalars",
            code="E0305",
            caret=f"this has shape {x.shape}: {x.entry_count} numbers where one is wanted",
            operands=(x,),
        )
    return x.item()


def require_one_entry(x: Tensor) -> None:
    """Raise ScriptError if ``x`` does not have exactly one entry."""
    if x.entry_count != 1:
        raise ScriptError(
            f"a Tensor with {x.entry_count} elements cannot be converted to Scalar",
            code="E0305",
            operands=(x,),
            caret=f"this has shape {x.shape}: {x.entry_count} numbers where one is wanted",
        )


def require_retainable(x: Tensor) -> None:
    """Raise GradientError for ``retain_grad()`` on a tensor that does not require a gradient."""
    if not x.requires_grad_flag:
        raise GradientError(
            "can't retain_grad on Tensor that has requires_grad=False",
            code="E0406",
            operands=(x,),
            help=("make something it depends on require a gradient first",),
        )


def non_leaf_flag_error(x: Tensor) -> GradientError:
    """Return the error for ``requires_grad = False`` on a tensor that is not a leaf."""
    return GradientError(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed"
        " variable in a subgraph that doesn't require differentiation use"
        " var_no_grad = var.detach().",
        code="E0405",
        operands=(x,),
        help=("use `x.detach()` where the gradient should stop",),
    )


NUMBER_KINDS: dict[Any, str] = {bool: "b", int: "i", float: "f"}


def number_kind(x: Any) -> str:
    """Return the kind of a number or tensor: one of "bif"."""
    return NUMBER_KINDS.get(x.__class__) or x.dtype.kind


def require_not_bool(sub: Op, x: Any, y: Any) -> None:
    """Raise ScriptError if an operand of a subtraction is boolean, whatever it is scaled by.

    numpy refuses only two truth values: ``1 - mask`` is an array of numbers there.
    """
    kinds = (number_kind(x), number_kind(y))
    if kinds == ("b", "b") or ("b" in kinds and not mode.follows_numpy):
        from autodiff.core.engine.apply import boolean_operand_error

        raise boolean_operand_error(sub, (x, y))


def require_scale_factor(x: Any, y: Any, name: str, factor: Any) -> None:
    """Raise ScriptError for a boolean factor of numbers, or a float factor of integers.

    ``name`` is the parameter that holds the factor, such as ``alpha``.
    """
    kinds = [number_kind(z) for z in (x, y)]
    if factor.__class__ is float and "f" not in kinds:
        raise DtypeError(
            f"For integral input tensors, argument {name} must not be a floating point number.",
            caret=f"`{name}` has a decimal point, and what it scales are whole numbers",
        )
    if factor.__class__ is bool and kinds != ["b", "b"]:
        raise DtypeError(
            f"Boolean {name} only supported for Boolean results.",
            caret=f"`{name}` is a truth value where a number is meant",
        )

"""The methods of a script's ``class Name(Function)`` and of its ``ctx``."""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.engine.custom_function import Context, apply_custom_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode, no_grad
from autodiff.grammar.objects.methods import script_method
from autodiff.grammar.objects.values import Builtin, FunctionClass, is_true, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FORWARD = "You must implement the forward function for custom autograd.Function."
BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with"
    " backward mode AD."
)


@script_method(FunctionClass, "apply")
def apply(custom: FunctionClass, *operands: Any) -> Any:
    forward, backward = custom.methods.get("forward"), custom.methods.get("backward")
    if forward is None:
        raise missing_method_error(custom, "forward", FORWARD)
    if backward is None:
        backward = missing_backward(custom)
    return apply_custom_function(
        custom.name, forward, backward, operands, custom.methods.get("setup_context")
    )


def missing_backward(custom: FunctionClass) -> Callable[..., Any]:
    """Return a substitute for a missing ``backward``, which raises when a backward pass calls it."""
    site = mode.site

    def refuse(ctx: Context, *grad_outputs: Any) -> None:
        error = missing_method_error(custom, "backward", BACKWARD)
        error.span = site
        raise error

    return refuse


def missing_method_error(custom: FunctionClass, name: str, message: str) -> ScriptError:
    return ScriptError(
        message,
        caret=f"`{custom.name}` has no `{name}`",
        code="E0412",
        help=(f"add `@staticmethod` and `def {name}(ctx, ...)` to the class",),
    )


def once_differentiable(backward: Callable[..., Any]) -> Builtin:
    """Return ``backward`` as a function whose results are constants: nothing in it is recorded.

    As in torch, a further derivative through a gradient that requires one raises GradientError.
    """

    def constant(ctx: Context, *grad_outputs: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grad_outputs)
        is_recorded = mode.enabled and any(g.__class__ is Tensor and g.requires_grad for g in grad_outputs)
        if not is_recorded:
            return results
        several = results if isinstance(results, tuple) else (results,)
        kept = tuple(None if g is None else g.detach().set_requires_grad(True) for g in several)
        return apply_custom_function("Error", lambda ctx, *values: values, refuse_second_derivative, kept)

    return Builtin("backward", constant)


def refuse_second_derivative(ctx: Context, *grad_outputs: Any) -> None:
    raise GradientError(
        "trying to differentiate twice a function that was marked with @once_differentiable",
        code="E0412",
        caret="this passes through a gradient that @once_differentiable made a constant",
        help=("leave @once_differentiable out, and compute in `backward` with operations on tensors",),
    )


ONCE_DIFFERENTIABLE = Builtin("once_differentiable", once_differentiable)


# -- ctx --------------------------------------------------------------------------------------------


@script_method(Context, "save_for_backward")
def save_for_backward(ctx: Context, *tensors: Any) -> None:
    for position, value in enumerate(tensors):
        if value is not None and value.__class__ is not Tensor:
            raise ScriptError(
                f"save_for_backward can only save variables, but argument {position} is of type"
                f" {type_name(value)}",
                code="E0412",
                caret="only tensors are saved this way",
                help=("keep other values as attributes: `ctx.n = n`",),
            )
    ctx.save_for_backward(*tensors)


def need_tensors(name: str, values: tuple[Any, ...]) -> None:
    """Raise ScriptError unless all values are tensors, for the ctx method ``name``."""
    for position, value in enumerate(values):
        if value.__class__ is not Tensor:
            raise ScriptError(
                f"{name} can only accept variable arguments, but argument {position} is of type"
                f" {type_name(value)}",
                code="E0412",
                caret="only tensors are marked this way",
            )


@script_method(Context, "mark_dirty")
def mark_dirty(ctx: Context, *tensors: Any) -> None:
    need_tensors("mark_dirty", tensors)
    ctx.mark_dirty(*tensors)


@script_method(Context, "mark_non_differentiable")
def mark_non_differentiable(ctx: Context, *tensors: Any) -> None:
    need_tensors("mark_non_differentiable", tensors)
    ctx.mark_non_differentiable(*tensors)


@script_method(Context, "set_materialize_grads")
def set_materialize_grads(ctx: Context, value: Any) -> None:
    ctx.set_materialize_grads(is_true(value))

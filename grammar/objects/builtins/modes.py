"""Grad modes such as ``no_grad``, and ``is_grad_enabled``, ``is_tensor``, ``Size``."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import services
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.builtins.table import register_builtin
from autodiff.grammar.objects.matched_arguments import REQUIRED, match_arguments
from autodiff.grammar.objects.values import (
    GradMode,
    Size,
    as_index,
    is_true,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@register_builtin("no_grad")
def no_grad(function: Any = None) -> Any:
    return mode_or_decorated(GradMode("no_grad", False), function)


@register_builtin("enable_grad")
def enable_grad(function: Any = None) -> Any:
    return mode_or_decorated(GradMode("enable_grad", True), function)


@register_builtin("inference_mode")
def inference_mode(mode: Any = True) -> Any:
    return GradMode("inference_mode", not is_true(mode))


def mode_or_decorated(switch: GradMode, function: Any) -> Any:
    if function is None:
        return switch
    return services["calls"].decorate(switch, function)


@register_builtin("set_grad_enabled")
def set_grad_enabled(*args: Any, **kwargs: Any) -> GradMode:
    [flag] = match_arguments("set_grad_enabled.__init__()", {"mode": REQUIRED}, 1, args, kwargs).values()
    if flag.__class__ is not bool:
        raise ScriptError(
            f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(flag)}",
            code="E0310",
            caret="write True or False",
        )
    mode.record(flag)  # at once, as in torch; `with` restores it at the end
    return GradMode("set_grad_enabled", flag)


@register_builtin("is_grad_enabled")
def is_grad_enabled() -> bool:
    return mode.enabled


@register_builtin("is_tensor")
def is_tensor(obj: Any) -> bool:
    return obj.__class__ is Tensor


@register_builtin("Size")
def make_size(sizes: Any = (), /) -> Any:
    return Size(as_index(n, "a size") for n in iterate(sizes))

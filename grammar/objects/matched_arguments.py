"""Matching the arguments of a call to the parameters of a builtin, with Python's error messages."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.grammar.objects.values import UNBOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REQUIRED: Any = UNBOUND


def listing(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + ", and " + names[-1]


def match_arguments(
    callee: str,
    parameters: dict[str, Any],
    max_positional: int,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> dict[str, Any]:
    """Return the arguments of a method by parameter name; raise Python's errors if they do not fit.

    ``names`` maps parameters to defaults, or to REQUIRED. The first ``max_positional`` may be passed by
    position.
    """
    required = sum(default is REQUIRED for default in parameters.values())
    if len(args) > max_positional:
        takes = (
            f"from {required + 1} to {max_positional + 1}"
            if required < max_positional
            else str(max_positional + 1)
        )
        raise ScriptError(
            f"{callee} takes {takes} positional argument{'s' * (max_positional > 0)} but"
            f" {len(args) + 1} were given",
            code="E0310",
            caret="these are too many" if len(args) - max_positional > 1 else "this is one too many",
        )
    found = dict(zip(parameters, args, strict=False))
    for name, value in kwargs.items():
        if name not in parameters:
            raise ScriptError(f"{callee} got an unexpected keyword argument '{name}'", code="E0310")
        if name in found:
            raise ScriptError(f"{callee} got multiple values for argument '{name}'", code="E0310")
        found[name] = value
    missing = [
        f"'{name}'" for name, default in parameters.items() if default is REQUIRED and name not in found
    ]
    if missing:
        plural = "s" * (len(missing) > 1)
        raise ScriptError(
            f"{callee} missing {len(missing)} required positional argument{plural}: {listing(missing)}",
            code="E0310",
        )
    return {name: found.get(name, default) for name, default in parameters.items()}

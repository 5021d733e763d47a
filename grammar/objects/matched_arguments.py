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


def matched(
    called: str, names: dict[str, Any], most: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a method by parameter name; raise Python's errors if they do not fit.

    ``names`` maps parameters to defaults, or to REQUIRED. The first ``most`` may be passed by position.
    """
    required = sum(default is REQUIRED for default in names.values())
    if len(args) > most:
        takes = f"from {required + 1} to {most + 1}" if required < most else str(most + 1)
        raise ScriptError(
            f"{called} takes {takes} positional argument{'s' * (most > 0)} but {len(args) + 1} were given",
            code="E0310",
            caret="these are too many" if len(args) - most > 1 else "this is one too many",
        )
    found = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise ScriptError(f"{called} got an unexpected keyword argument '{name}'", code="E0310")
        if name in found:
            raise ScriptError(f"{called} got multiple values for argument '{name}'", code="E0310")
        found[name] = value
    missing = [f"'{name}'" for name, default in names.items() if default is REQUIRED and name not in found]
    if missing:
        plural = "s" * (len(missing) > 1)
        raise ScriptError(
            f"{called} missing {len(missing)} required positional argument{plural}: {listing(missing)}",
            code="E0310",
        )
    return {name: found.get(name, default) for name, default in names.items()}

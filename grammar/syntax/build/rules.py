"""The table of builders, and the error they raise for mistakes that the grammar does not reject."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BUILDERS: dict[str, Callable[..., object]] = {}


def builder(function: Callable[..., object]) -> Callable[..., object]:
    BUILDERS[function.__name__] = function
    return function


def syntax_error(code: str, message: str, caret: str, way_out: str, span: Span) -> CompileError:
    return CompileError(message, code=code, caret=caret, help=(way_out,), span=span)

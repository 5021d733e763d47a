"""Errors about the lines of a derivation, with their places in its file."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.formula import NotJudgedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.source import Source


def not_judged(number: int, name: str) -> NotJudgedError:
    """Return the error about a line that needs a name which the unreadable line ``number`` changes."""
    return NotJudgedError(f"not judged: line {number} changes `{name}` and cannot be read", code="E0610")


def like(error: UsageError, message: str, kind: type[UsageError]) -> UsageError:
    """Return an error of a kind with another message and the advice and the place of this one."""
    made = kind(message, code=error.code, help=error.advice)
    made.source, made.span, made.caret = error.source, error.span, error.caret
    return made


def in_step(error: UsageError, name: str, line: int, given: Source) -> UsageError:
    """Return an error about a formula as one about a line of the file ``name`` with the text ``given``."""
    if error.message.startswith(f"{name}:"):
        return error  # about a line before that it needs
    message = error.message.removeprefix("--formula: ")
    if error.span is not None and error.source is given:
        line = given.position(error.span.start)[0]  # a line inside the loop or the function of the step
    made = like(error, f"{name}:{line}: {message}", type(error))
    if made.span is None:
        made.source, made.span = given, given.line_span(line)
    return made

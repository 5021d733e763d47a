"""What to say when no rule of the grammar fits the next word."""

from __future__ import annotations

from autodiff.core.errors import CompileError
from autodiff.core.span import Span
from autodiff.grammar.layout import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.parser import Reader


def diagnose(reader: Reader, words: Words, at: int, start: str) -> CompileError:
    """The error for a text whose word number ``at`` does not fit."""
    if words.kinds[at] == "ERROR" and words.error is not None:
        return words.error
    return CompileError(
        "this does not fit here", code="E0102", caret="here", span=Span(words.starts[at], words.ends[at])
    )

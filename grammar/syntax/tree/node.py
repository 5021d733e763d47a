"""What every construct of the syntax tree has."""

from __future__ import annotations

from autodiff.core.base.source import Span


class Syntax:
    """Anything the parser makes. ``span`` covers its text, without a trailing newline."""

    __slots__ = ("span",)

    def __init__(self, span: Span) -> None:
        self.span = span

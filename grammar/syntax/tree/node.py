"""The base class of all syntax nodes."""

from __future__ import annotations

from autodiff.core.base.source import Span


class SyntaxNode:
    """A node that the parser makes. ``span`` covers its text, without a trailing newline."""

    __slots__ = ("span",)

    def __init__(self, span: Span) -> None:
        self.span = span

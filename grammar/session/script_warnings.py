"""The warnings of a running script: each is told once a line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.base.source import Span
    from autodiff.grammar.session.run import Execution


class WarningLog:
    """The warnings of a script, each once per line. They are passed on at once, even if an error follows."""

    __slots__ = ("emit", "execution", "told")

    def __init__(self, execution: Execution, teller: Callable[[str, Span], None]) -> None:
        self.execution = execution
        self.emit = teller
        self.told: set[tuple[str, int]] = set()

    def tell(self, text: str, span: Span) -> None:
        """Warn, unless this line has had the same warning: as in Python, a loop warns once."""
        line = self.execution.source.position(span.start)[0]
        if (text, line) in self.told:
            return
        self.told.add((text, line))
        self.execution.warnings.append((text, span))
        self.emit(text, span)

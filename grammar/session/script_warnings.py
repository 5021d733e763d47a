"""The warnings of a running script: each is shown once per line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.base.source import Span
    from autodiff.grammar.session.run import Execution


class WarningLog:
    """The warnings of a script, each once per line. They are passed on at once, even if an error follows."""

    __slots__ = ("emit", "execution", "seen")

    def __init__(self, execution: Execution, emit: Callable[[str, Span], None]) -> None:
        self.execution = execution
        self.emit = emit
        self.seen: set[tuple[str, int]] = set()

    def tell(self, text: str, span: Span) -> None:
        """Warn, unless this line has had the same warning: as in Python, a loop warns once."""
        line = self.execution.source.position(span.start)[0]
        if (text, line) in self.seen:
            return
        self.seen.add((text, line))
        self.execution.warnings.append((text, span))
        self.emit(text, span)

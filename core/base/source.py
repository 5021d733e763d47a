"""Positions in a source text. A Span is a pair of offsets; a Source converts offsets to lines and columns.

Offsets are cheap to store on every token, syntax node and graph node. Lines and columns are computed only
when a message needs them.
"""

from __future__ import annotations

from bisect import bisect_right


class Span:
    """A half-open range of character offsets, ``text[start:end]``."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and self.start == other.start and self.end == other.end

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def extend_to(self, other: Span) -> Span:
        """Return the span from the start of this span to the end of ``other``."""
        return Span(self.start, other.end)


class NamedSpan(Span):
    """The span of an expression whose result is assigned directly to the variable ``name``."""

    __slots__ = ("name",)

    def __init__(self, span: Span, name: str) -> None:
        super().__init__(span.start, span.end)
        self.name = name


class Source:
    """A script's text and file name. In the text, the lone ``\\r`` that ended lines in old files is ``\\n``.

    >>> source = Source("w = 3\\nL = w**2\\n", "square.ad")
    >>> source.position(10)
    (2, 5)
    >>> source.line(2)
    'L = w**2'

    ``caret_is_power`` says that ``^`` is read as ``**``.
    """

    __slots__ = ("_starts", "caret_is_power", "name", "text")

    def __init__(self, text: str, name: str = "<script>") -> None:
        if "\r" in text:  # the replacement keeps the length, so that offsets hold for both texts
            text = "\r\n".join([part.replace("\r", "\n") for part in text.split("\r\n")])
        self.text = text
        self.name = name
        self.caret_is_power = False
        self._starts: list[int] | None = None

    @property
    def _line_starts(self) -> list[int]:
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1, in characters."""
        line = self.line_number(offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_number(self, offset: int) -> int:
        """Return the line of an offset, counted from 1."""
        return bisect_right(self._starts or self._line_starts, offset)

    def line_start(self, number: int) -> int:
        """Return the offset at which a line begins; the end of the text for a line after the last."""
        starts = self._line_starts
        return starts[number - 1] if number <= len(starts) else len(self.text)

    def line(self, number: int) -> str:
        """Return the text of a line (counted from 1) without its line ending."""
        return self.text[self.line_start(number) : self.line_start(number + 1)].rstrip("\r\n")

    def line_span(self, number: int) -> Span:
        """Return the span of a line without its line ending, and without its indentation."""
        text, start = self.line(number), self.line_start(number)
        return Span(start + len(text) - len(text.lstrip()), start + len(text))

    def excerpt(self, span: Span) -> str:
        """Return the text that a span covers."""
        return self.text[span.start : span.end]

    def excerpt_lines(self, span: Span) -> list[str]:
        """Return the lines of the text that a span covers, without their line endings."""
        return self.excerpt(span).replace("\r\n", "\n").split("\n")

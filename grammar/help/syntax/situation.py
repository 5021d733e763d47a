"""What a rule of the diagnosis looks at: the word that does not fit, and what could stand in its place."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Edit, Fix
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.words import CLOSES, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import Reader

LINE_ENDS = ("_NEWLINE", "_DEDENT", "$END")
LINE_STARTS = ("_NEWLINE", "_INDENT", "_DEDENT")


def fix(text: str, *edits: tuple[int, int, str]) -> Fix:
    """A repair from (start, end, new text)."""
    return Fix(text, *[Edit(Span(start, end), new) for start, end, new in edits])


def line_around(text: str, at: int) -> Span:
    """The line of the text a place is on, without its break."""
    start = text.rfind("\n", 0, at) + 1
    start = max(start, text.rfind("\r", start, at) + 1)
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    carriage = text.find("\r", at, end)
    return Span(start, end if carriage < 0 else carriage)


class Situation:
    """The word that does not fit, what stands around it and what could have stood in its place."""

    __slots__ = (
        "at", "before", "brackets", "expected", "is_field", "kind", "kinds", "line", "table", "text", "words",
    )  # fmt: skip

    def __init__(self, reader: Reader, words: Words, at: int, start: str) -> None:
        self.text = reader.text
        self.table = reader.table
        self.words = words
        self.kinds = words.kinds
        self.at = at
        self.kind = words.kinds[at]
        self.line = at  # the first word of the statement's line
        while self.line and words.kinds[self.line - 1] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            self.line -= 1
        self.before = words.kinds[at - 1] if at > self.line else ""
        self.brackets: list[int] = []
        for index in range(self.line, at):
            if words.kinds[index] in ("(", "[", "{"):
                self.brackets.append(index)
            elif words.kinds[index] in CLOSES and self.brackets:
                self.brackets.pop()
        self.is_field = start == "expression" and words.ends[-1] < len(reader.text)
        self.expected = could_follow(reader, words, at, start)

    @property
    def keywords(self) -> frozenset[str]:
        return self.table.keywords

    @property
    def wants_value(self) -> bool:
        """Whether an expression could begin here."""
        return "NUMBER" in self.expected

    def word(self, index: int) -> str:
        return self.text[self.words.starts[index] : self.words.ends[index]]

    def span(self, index: int | None = None) -> Span:
        index = self.at if index is None else index
        return Span(self.words.starts[index], self.words.ends[index])

    @property
    def gap(self) -> Span:
        """Right behind the word before, where something is missing."""
        end = self.words.ends[self.at - 1] if self.at else self.words.starts[0]
        return Span(end, end)

    @property
    def first(self) -> str:
        """The word the line begins with."""
        return self.word(self.line)

    def name(self, index: int | None = None) -> str:
        """How a message calls a word."""
        index = self.at if index is None else index
        kind = self.kinds[index]
        if kind in LINE_ENDS or kind == "_INDENT":
            return "the end of the field" if self.is_field else "the end of the line"
        if kind == "STRING":
            return "a string"
        return f"`{shorten(self.word(index))}`"

    def error(
        self, code: str, message: str, caret: str, *ways_out: str | Fix, span: Span | None = None
    ) -> CompileError:
        return CompileError(
            message,
            code=code,
            caret=caret,
            help=tuple([way_out for way_out in ways_out if isinstance(way_out, str)]),
            fixes=tuple([way_out for way_out in ways_out if isinstance(way_out, Fix)]),
            span=span or self.span(),
        )

    def line_span(self) -> Span:
        """The line of the script that holds the word, without its break."""
        return line_around(self.text, self.span().start)

    def line_number(self, at: int) -> int:
        return Source(self.text).position(at)[0]

    def last_of_line(self) -> int:
        """The number of the last word before the line ends."""
        index = self.at
        while self.kinds[index] not in (*LINE_ENDS, "ERROR"):
            index += 1
        return index - 1


def could_follow(reader: Reader, words: Words, at: int, start: str) -> set[str]:
    """Every kind that could stand in place of word ``at``.

    The words before are read again, without building anything: on the way to the mistake the driver
    has applied rules that only fit if the mistake had not come.
    """
    table = reader.table
    states = [table.starts[start]]
    for kind in words.kinds[:at]:
        _advance(reader, states, kind)
    kinds = [kind for kind in table.actions[states[-1]] if not kind.islower() or kind in table.keywords]
    return {kind for kind in kinds if _advance(reader, states[:], kind)}


def _advance(reader: Reader, states: list[int], kind: str) -> bool:
    table = reader.table
    while True:
        action = table.actions[states[-1]].get(kind)
        if action is None:
            return False
        if action >= 0:
            states.append(action)
            return True
        rule = table.rules[-action]
        if rule.takes:
            del states[-rule.takes :]
        states.append(table.actions[states[-1]][rule.makes])

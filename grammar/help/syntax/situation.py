"""The input of the diagnosis rules: the token that does not fit, and the tokens that could replace it."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Edit, Fix
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.tokenizer import OPENING_BRACKETS, Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import ScriptParser

LINE_ENDS = ("_NEWLINE", "_DEDENT", "$END")
LINE_STARTS = ("_NEWLINE", "_INDENT", "_DEDENT")


def fix(text: str, *edits: tuple[int, int, str]) -> Fix:
    """Return a repair with the advice ``text`` and edits of (start, end, new text)."""
    return Fix(text, *[Edit(Span(start, end), new) for start, end, new in edits])


def line_around(text: str, at: int) -> Span:
    """Return the span of the line around a position, without its line break."""
    start = text.rfind("\n", 0, at) + 1
    start = max(start, text.rfind("\r", start, at) + 1)
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    carriage = text.find("\r", at, end)
    return Span(start, end if carriage < 0 else carriage)


class Situation:
    """The token ``at`` that does not fit, its surroundings and the tokens ``expected`` in its place.

    ``kind`` is its kind, ``before`` the kind of the token before it on the line, ``line`` the index of the
    line's first token, ``brackets`` the indices of the open brackets. ``is_field`` is whether the text is a
    replacement field of an f-string.
    """

    __slots__ = (
        "at", "before", "brackets", "expected", "is_field", "kind", "kinds", "line", "table", "text", "words",
    )  # fmt: skip

    def __init__(self, reader: ScriptParser, words: Tokens, at: int, start: str) -> None:
        self.text = reader.text
        self.table = reader.table
        self.words = words
        self.kinds = words.kinds
        self.at = at
        self.kind = words.kinds[at]
        self.line = at  # the first token of the statement's line
        while self.line and words.kinds[self.line - 1] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            self.line -= 1
        self.before = words.kinds[at - 1] if at > self.line else ""
        self.brackets: list[int] = []
        for index in range(self.line, at):
            if words.kinds[index] in ("(", "[", "{"):
                self.brackets.append(index)
            elif words.kinds[index] in OPENING_BRACKETS and self.brackets:
                self.brackets.pop()
        self.is_field = start == "expression" and words.ends[-1] < len(reader.text)
        self.expected = expected_kinds(reader, words, at, start)

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
        """The empty span after the token before, where something is missing."""
        end = self.words.ends[self.at - 1] if self.at else self.words.starts[0]
        return Span(end, end)

    @property
    def first(self) -> str:
        """The first token of the line."""
        return self.word(self.line)

    def name(self, index: int | None = None) -> str:
        """Return the name of a token in messages."""
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
        """Return the span of the script line with the token, without its line break."""
        return line_around(self.text, self.span().start)

    def line_number(self, at: int) -> int:
        return Source(self.text).position(at)[0]

    def last_of_line(self) -> int:
        """Return the index of the last token before the line ends."""
        index = self.at
        while self.kinds[index] not in (*LINE_ENDS, "ERROR"):
            index += 1
        return index - 1


def expected_kinds(reader: ScriptParser, words: Tokens, at: int, start: str) -> set[str]:
    """Return every kind of token that is valid in place of the token ``at``.

    The tokens before it are parsed again, without building a tree: the driver has already applied reductions
    that are only right for the token that was found.
    """
    table = reader.table
    states = [table.starts[start]]
    for kind in words.kinds[:at]:
        _advance(reader, states, kind)
    kinds = [kind for kind in table.actions[states[-1]] if not kind.islower() or kind in table.keywords]
    return {kind for kind in kinds if _advance(reader, states[:], kind)}


def _advance(reader: ScriptParser, states: list[int], kind: str) -> bool:
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
        states.append(table.actions[states[-1]][rule.symbol])

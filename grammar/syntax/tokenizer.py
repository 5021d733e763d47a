"""The tokenizer: turns a text into words (tokens), each with a kind and its start and end offset.

The kind of a keyword or sign is its text (``if``, ``+=``); the other kinds are NAME, NUMBER, STRING and
MAGIC, and _NEWLINE, _INDENT and _DEDENT for lines and blocks. Line breaks inside brackets are ignored. The
first mistake ends the words with one of kind ERROR, so that a grammar mistake before it is reported first.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError, Label, LimitError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax.characters import check_characters, check_name, check_number, stray_character

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import ParseTable

MAX_TOKENS = 5_000_000

# Signs that the language does not have. They are read as one word so that the error can name them.
FOREIGN_SIGNS = ("{", "}", ":=")
OPENING_BRACKETS = {")": "(", "]": "[", "}": "{"}

_BLANK_LINES = re.compile(r"(?:[ \t\f]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+")
_INDENTATION = re.compile(r"[ \t\f]*+")
_COMMENT = re.compile(r"#[^\r\n]*+")


def token_pattern(patterns: dict[str, str], signs: list[str]) -> re.Pattern[str]:
    """Return the pattern of one word and the space before it; the name of the matched group is its sort.

    Without a pattern ``STRING`` it reads texts that have no quotes.
    """
    longest_first = sorted([*signs, *FOREIGN_SIGNS], key=lambda sign: (-len(sign), sign))
    # Numbers come before signs, because a number may begin with a dot.
    sorts = [
        "(?P<n>" + patterns["NAME"] + ")",
        "(?P<d>" + patterns["NUMBER"] + ")",
        "(?P<l>" + patterns["_NEWLINE"] + ")",
        "(?P<o>" + "|".join(re.escape(sign) for sign in longest_first) + ")",
    ]
    if "STRING" in patterns:  # before names, because a string's prefix looks like a name
        sorts.insert(0, "(?P<s>" + patterns["STRING"] + ")")
    skipped = "(?:" + patterns["SPACE"] + "|" + patterns["COMMENT"] + ")*+"
    return re.compile(skipped + "(?:" + "|".join(sorts) + ")?")


class Tokens:
    """The words of a text in three parallel lists; ``error`` is the error of a last word of kind ERROR."""

    __slots__ = ("ends", "error", "kinds", "starts")

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.error: CompileError | None = None

    def add(self, kind: str, start: int, end: int) -> None:
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)


def read_words(
    source: Source,
    table: ParseTable,
    start: int = 0,
    end: int | None = None,
    *,
    has_lines: bool = True,
) -> Tokens:
    """Return the words of ``source.text[start:end]``; without ``lines``, line breaks are ignored."""
    words = Tokens()
    reader = _Tokenizer(source, table, len(source.text) if end is None else end, words)
    try:
        check_characters(source.text)
        if start == 0 and source.text.startswith("\ufeff"):
            start = 1
        reader.read(start, has_lines)
    except CompileError as error:
        words.error = error
        at = error.span.start if error.span else reader.end
        words.add("ERROR", at, at)
    if source.caret_is_power:
        words.kinds = ["**" if kind == "^" else kind for kind in words.kinds]
    return words


class _Tokenizer:
    """Reads one text; holds the brackets and blocks that are open."""

    __slots__ = ("blocks", "brackets", "end", "source", "table", "text", "words")

    def __init__(self, source: Source, table: ParseTable, end: int, words: Tokens) -> None:
        self.source = source
        self.text = source.text
        self.table = table
        self.end = end
        self.words = words
        self.brackets: list[tuple[str, int]] = []
        # For each open block: its width with tabs to multiples of eight, its width with tabs as one column,
        # and its offset. If the two widths disagree on which line is deeper, tabs and spaces are mixed.
        self.blocks: list[tuple[int, int, int]] = [(0, 0, 0)]

    def read(self, at: int, lines: bool) -> None:
        text, end, match = self.text, self.end, self.table.word_pattern(self.text).match
        keywords, brackets, words = self.table.keywords, self.brackets, self.words
        kinds, starts, ends = words.kinds, words.starts, words.ends
        line_begins = lines
        while True:
            if line_begins:
                at = self.begin_line(at)
                line_begins = False
                if at >= end:
                    break
            found = match(text, at, end)
            assert found is not None  # every part of the pattern may be empty
            sort, at = found.lastgroup, found.end()
            if sort is None:
                if at >= end:
                    break
                raise stray_character(text, at, end)
            begin = found.start(sort)
            if sort == "n":
                kind = text[begin:at]
                if kind not in keywords:
                    if kind[0] == "_" or not kind.isascii():
                        check_name(kind, begin, kinds, keywords)
                    kind = "NAME"
            elif sort == "o":
                kind = text[begin:at]
                if kind in "([{":
                    brackets.append((kind, begin))
                elif kind in OPENING_BRACKETS:
                    self.close_bracket(kind, begin)
            elif sort == "d":
                kind = "NUMBER"
                check_number(text, begin, at, end)
            elif sort == "s":
                kind = "STRING"
            elif lines and not brackets:
                kind = "_NEWLINE"
                line_begins = True
                if not kinds or kinds[-1] in ("_NEWLINE", "_INDENT", "_DEDENT"):
                    continue  # only a blank line that a backslash continued
            else:
                continue
            kinds.append(kind)
            starts.append(begin)
            ends.append(at)
            if len(kinds) > MAX_TOKENS:
                raise too_many_tokens_error(begin, at)
        self.finish(lines)

    def begin_line(self, at: int) -> int:
        """Skip blank lines, open or close blocks, and return the offset of the line's first word."""
        text, end = self.text, self.end
        blank = _BLANK_LINES.match(text, at, end)
        assert blank is not None
        at = blank.end()
        margin = _INDENTATION.match(text, at, end)
        assert margin is not None
        begin, at = at, margin.end()
        comment = _COMMENT.match(text, at, end)
        if comment is not None:  # the last line: _BLANK_LINES has skipped all others
            return comment.end()
        if at >= end:
            return end
        self.set_indentation(begin, at)
        if text[at] == "%":
            line = self.table.magic.match(text, at, end)
            assert line is not None
            self.words.add("MAGIC", at, line.end())
            return line.end()
        return at

    def set_indentation(self, begin: int, at: int) -> None:
        wide = narrow = at - begin
        blocks = self.blocks
        if wide and self.text[begin:at].strip(" "):
            wide, narrow = widths(self.text[begin:at])
        if wide == blocks[-1][0] and narrow == blocks[-1][1]:
            return
        if wide > blocks[-1][0]:
            if narrow <= blocks[-1][1]:
                raise mixed_indentation(begin, at, blocks[-1][2])
            blocks.append((wide, narrow, begin))
            self.words.add("_INDENT", at, at)
            return
        open_lines = [block[2] for block in blocks]
        while wide < blocks[-1][0]:
            blocks.pop()
            self.words.add("_DEDENT", at, at)
        if wide != blocks[-1][0]:
            raise bad_dedent(self.source, begin, at, open_lines)
        if narrow != blocks[-1][1]:
            raise mixed_indentation(begin, at, blocks[-1][2])

    def close_bracket(self, closing: str, at: int) -> None:
        if not self.brackets:
            raise CompileError(
                f"this `{closing}` closes nothing",
                code="E0103",
                caret=f"no `{OPENING_BRACKETS[closing]}` is open here",
                help=(
                    f"delete the `{closing}`, or add a `{OPENING_BRACKETS[closing]}` where the"
                    " bracket should open",
                ),
                span=Span(at, at + 1),
            )
        opening, where = self.brackets.pop()
        if OPENING_BRACKETS[closing] != opening:
            wanted = next(sign for sign, opener in OPENING_BRACKETS.items() if opener == opening)
            error = CompileError(
                f"`{closing}` does not close `{opening}`",
                code="E0103",
                caret=f"`{wanted}` should stand before this",
                help=(f"close the `{opening}` with `{wanted}` first",),
                span=Span(at, at + 1),
            )
            error.labels.append(Label(Span(where, where + 1), f"this `{opening}` is still open"))
            raise error

    def finish(self, lines: bool) -> None:
        """Check that all brackets are closed, then end the last line and the open blocks."""
        if self.brackets:
            raise unclosed_bracket(*self.brackets[-1])
        words, end = self.words, self.end
        if lines:
            if words.kinds and words.kinds[-1] not in ("_NEWLINE", "_DEDENT"):
                words.add("_NEWLINE", end, end)
            for _ in self.blocks[1:]:
                words.add("_DEDENT", end, end)
        words.add("$END", end, end)


def widths(indentation: str) -> tuple[int, int]:
    """Return the width with tabs to the next multiple of eight, and the width with tabs as one column."""
    wide = narrow = 0
    for character in indentation:
        if character == " ":
            wide += 1
            narrow += 1
        elif character == "\t":
            wide = (wide // 8 + 1) * 8
            narrow += 1
        else:  # after a form feed the indentation counts from 0
            wide = narrow = 0
    return wide, narrow


# -- errors of brackets, lines and blocks ------------------------------------------------------------


def unclosed_bracket(opening: str, at: int) -> CompileError:
    closing = next(sign for sign, opener in OPENING_BRACKETS.items() if opener == opening)
    return CompileError(
        f"this `{opening}` is never closed",
        code="E0103",
        caret=f"no `{closing}` follows that belongs to it",
        help=(f"add the `{closing}` where the bracket should end",),
        span=Span(at, at + 1),
    )


def mixed_indentation(begin: int, at: int, above: int) -> CompileError:
    error = CompileError(
        "tabs and spaces are mixed in the indentation",
        code="E0104",
        caret="how deep this line stands depends on the width of a tab",
        help=("indent every line with four spaces",),
        span=Span(begin, at) if at > begin else Span(at, at),
    )
    if above < begin and above > 0:
        error.labels.append(Label(Span(above, above), "compare with this line"))
    return error


def bad_dedent(source: Source, begin: int, at: int, blocks: list[int]) -> CompileError:
    lines = [f"line {source.position(block)[0]}" for block in reversed(blocks[-3:]) if block]
    known = " or ".join([*lines, "the left margin"])
    return CompileError(
        "this line is indented like no block above it",
        code="E0104",
        caret="the indentation does not match any open block",
        help=(f"line it up with {known}",),
        span=Span(begin, at) if at > begin else Span(at, at),
    )


def too_many_tokens_error(start: int, end: int) -> LimitError:
    return LimitError(
        f"the script has more than {MAX_TOKENS:,} words and signs",
        code="E0612",
        caret="reading stopped here",
        help=("write a loop, or give the numbers with `--set`",),
        span=Span(start, end),
    )

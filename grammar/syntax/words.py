"""Turns a text into words: kinds and offsets, with _NEWLINE, _INDENT and _DEDENT where lines and blocks end.

A fixed word or sign is its own kind (``if``, ``+=``); the others are NAME, NUMBER, STRING and MAGIC.
Inside brackets lines do not end. The first mistake found here ends the words with one of kind ERROR, so
that a mistake of grammar further up in the file is still reported first.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError, Label, LimitError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax.characters import check_name, check_number, check_text, stray_character

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import Table

MAX_TOKENS = 5_000_000

# Signs that are not in the language but are read whole, for the sake of the error they get.
FOREIGN_SIGNS = ("{", "}", ":=")
CLOSES = {")": "(", "]": "[", "}": "{"}

_BLANK_LINES = re.compile(r"(?:[ \t\f]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+")
_INDENTATION = re.compile(r"[ \t\f]*+")
_COMMENT = re.compile(r"#[^\r\n]*+")


def word_pattern(patterns: dict[str, str], signs: list[str]) -> re.Pattern[str]:
    """One pattern for a word and the space before it; the number of its group says which sort it is."""
    longest_first = sorted([*signs, *FOREIGN_SIGNS], key=lambda sign: (-len(sign), sign))
    sorts = [
        # The string comes first: its prefix would pass for a name, and a dot may begin a number.
        "(?P<s>" + patterns["STRING"] + ")",
        "(?P<n>" + patterns["NAME"] + ")",
        "(?P<d>" + patterns["NUMBER"] + ")",
        "(?P<l>" + patterns["_NEWLINE"] + ")",
        "(?P<o>" + "|".join(re.escape(sign) for sign in longest_first) + ")",
    ]
    skipped = "(?:" + patterns["SPACE"] + "|" + patterns["COMMENT"] + ")*+"
    return re.compile(skipped + "(?:" + "|".join(sorts) + ")?")


class Words:
    """The words of a text in three parallel lists; ``error`` belongs to the last one if that is an ERROR."""

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
    table: Table,
    start: int = 0,
    end: int | None = None,
    *,
    lines: bool = True,
) -> Words:
    """The words of ``source.text[start:end]``; with ``lines`` off they are read as if inside brackets."""
    words = Words()
    reader = _Reader(source, table, len(source.text) if end is None else end, words)
    try:
        check_text(source.text)
        if start == 0 and source.text.startswith("\ufeff"):
            start = 1
        reader.read(start, lines)
    except CompileError as error:
        words.error = error
        at = error.span.start if error.span else reader.end
        words.add("ERROR", at, at)
    return words


class _Reader:
    """The open brackets and blocks while one text is read."""

    __slots__ = ("blocks", "brackets", "end", "source", "table", "text", "words")

    def __init__(self, source: Source, table: Table, end: int, words: Words) -> None:
        self.source = source
        self.text = source.text
        self.table = table
        self.end = end
        self.words = words
        self.brackets: list[tuple[str, int]] = []
        # For each open block: its width with tabs to multiples of eight, its width with tabs as one
        # column (the two must agree on what is deeper, or tabs and spaces are mixed), and where it is.
        self.blocks: list[tuple[int, int, int]] = [(0, 0, 0)]

    def read(self, at: int, lines: bool) -> None:
        text, end, match = self.text, self.end, self.table.word.match
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
            at = found.end()
            sort = found.lastgroup
            if sort is None:
                if at >= end:
                    break
                raise stray_character(text, at, end)
            begin = found.start(sort)
            if sort == "n":
                kind = found[sort]
                if kind not in keywords:
                    if kind[0] == "_" or not kind.isascii():
                        check_name(kind, begin, kinds, keywords)
                    kind = "NAME"
            elif sort == "o":
                kind = found[sort]
                if kind in "([{":
                    brackets.append((kind, begin))
                elif kind in CLOSES:
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
                    continue  # nothing but a continued blank line
            else:
                continue
            kinds.append(kind)
            starts.append(begin)
            ends.append(at)
            if len(kinds) > MAX_TOKENS:
                raise too_long(begin, at)
        self.finish(lines)

    def begin_line(self, at: int) -> int:
        """Skip blank lines, open or close blocks, and return where the words of the line begin."""
        text, end = self.text, self.end
        blank = _BLANK_LINES.match(text, at, end)
        assert blank is not None
        at = blank.end()
        margin = _INDENTATION.match(text, at, end)
        assert margin is not None
        begin, at = at, margin.end()
        comment = _COMMENT.match(text, at, end)
        if comment is not None:  # the last line, or the pattern above would have had it
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
                caret=f"no `{CLOSES[closing]}` is open here",
                help=(f"delete the `{closing}`, or add a `{CLOSES[closing]}` where the bracket should open",),
                span=Span(at, at + 1),
            )
        opening, where = self.brackets.pop()
        if CLOSES[closing] != opening:
            wanted = next(sign for sign, opener in CLOSES.items() if opener == opening)
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
        """The text is over: close the last line and the blocks, if all brackets are closed."""
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
    """The width with tabs to the next multiple of eight, and with tabs as one column."""
    wide = narrow = 0
    for character in indentation:
        if character == " ":
            wide += 1
            narrow += 1
        elif character == "\t":
            wide = (wide // 8 + 1) * 8
            narrow += 1
        else:  # a form feed starts the line afresh
            wide = narrow = 0
    return wide, narrow


# -- what can be wrong with brackets, lines and blocks -----------------------------------------------


def unclosed_bracket(opening: str, at: int) -> CompileError:
    closing = next(sign for sign, opener in CLOSES.items() if opener == opening)
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


def too_long(start: int, end: int) -> LimitError:
    return LimitError(
        f"the script has more than {MAX_TOKENS:,} words and signs",
        code="E0612",
        caret="reading stopped here",
        help=("write a loop, or give the numbers with `--set`",),
        span=Span(start, end),
    )

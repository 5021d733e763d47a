"""Error recovery: finds further independent errors in a script that does not parse.

A line with an error is replaced by one that does nothing, or by a header for its block, and the rest is
parsed again. If the extent of an error is unclear, as with an unclosed bracket or a wrong indentation, all
lines up to a safe place are removed: missing an error is better than reporting a false one.
"""

from __future__ import annotations

from autodiff.core.base.did_you_mean import similar_names
from autodiff.core.base.errors import AutodiffError, CompileError, Fix
from autodiff.core.base.source import Source
from autodiff.grammar.help.syntax.lines import (
    indent_width,
    is_blank,
    line_end,
    next_line,
    next_outer_line,
    next_statement,
)
from autodiff.grammar.help.syntax.situation import LINE_STARTS, line_around
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import ScriptParser
from autodiff.grammar.syntax.prompts import strip_prompts
from autodiff.grammar.syntax.tokenizer import Tokens, read_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ERRORS = 10
MAX_REMOVALS = 30
#: In a longer script only the first error is reported: every further one means parsing the rest again.
MAX_SCRIPT_LENGTH = 5_000_000
#: Errors after which no others are searched: text was copied along with the script.
FINAL_CODES = ("E0135", "E0136")


def find_further_errors(error: CompileError, source: Source, given: Iterable[str] = ()) -> None:
    """Set ``error.other_errors`` to the other errors in a script that ``error`` kept from parsing."""
    if error.span is None or len(source.text) > MAX_SCRIPT_LENGTH or error.code in FINAL_CODES:
        return
    source = strip_prompts(source)
    search = ErrorSearch(source)
    search.leave_out(error)
    script = search.run()
    found: list[AutodiffError] = [*search.errors]
    if script is not None:
        unknown = unknown_names(script, source, {*given, *search.names})
        found += [one for one in unknown if not search.may_bind(one)]
    found.sort(key=lambda one: one.span.start if one.span else 0)
    error.other_errors = found[:MAX_ERRORS]


def unknown_names(script: tree.Script, source: Source, known: set[str]) -> list[AutodiffError]:
    """Return the errors for unbound names in the remaining script, except for the names ``known``."""
    from autodiff.grammar.interpret.scope import check_names, resolve
    from autodiff.grammar.interpret.script_kind import name_finder

    try:
        is_builtin = name_finder(resolve(script))
        check_names(resolve(script, sorted(known)), script, source, is_builtin)
    except CompileError as error:
        further, error.other_errors = error.other_errors, []
        return [error, *further]
    return []


class ErrorSearch:
    """The tokens of a script in which the lines of the errors found so far are replaced."""

    __slots__ = ("errors", "last", "lines", "masked", "names", "reader", "source", "start", "text", "words")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.reader = ScriptParser(source)
        self.words = read_words(source, self.reader.table)
        self.start = 0  # the token from which the rest is parsed: the first of a statement
        self.masked = source.text  # the text with the removed lines overwritten, at the same length
        self.errors: list[CompileError] = []
        self.last: CompileError | None = None  # the error removed last
        self.names: set[str] = set()
        self.lines: set[int] = set()  # the starts of the lines that an error or its repair affects

    def run(self) -> tree.Script | None:
        """Collect errors up to the end of the text; return the tree of the remaining script.

        Return None if the search stopped early or the remaining script does not parse.
        """
        for _ in range(MAX_REMOVALS):
            try:
                self.drive(self.start)
            except CompileError as error:
                if error.span is None or error.code in FINAL_CODES:
                    return None
                line = line_around(self.text, error.span.start).start
                if line not in self.lines and not self.is_consequence(error):
                    if len(self.errors) + 1 >= MAX_ERRORS:
                        return None
                    keep_working_repair(error, self.masked, self.statement_at(error.span.start))
                    self.errors.append(error)
                if not self.leave_out(error):
                    return None
                continue
            try:
                script = self.drive(0)
            except CompileError:
                return None
            assert isinstance(script, tree.Script)
            return script
        return None

    def drive(self, first: int) -> object:
        words = self.words
        rest = Tokens()
        rest.kinds, rest.starts, rest.ends = words.kinds[first:], words.starts[first:], words.ends[first:]
        rest.error = words.error
        return self.reader.drive(rest, "script")

    def is_consequence(self, error: CompileError) -> bool:
        """Whether an earlier error caused this one, as for handlers without `try` or the rest of a line."""
        assert error.span is not None
        at = error.span.start
        if self.text.startswith(("except", "finally"), at):
            return True
        if error.code == "E0130" and self.text.startswith("case", at):
            return True
        above = line_around(self.text, at).start
        while above:
            above = line_around(self.text, above - 1).start
            if above in self.lines or not is_blank(self.text, above):
                break
        if above in self.lines:
            begins_oddly = error.code == "E0101" and "begin" in error.message
            line = line_around(self.text, at).start
            is_deeper = indent_width(self.text, line) > indent_width(self.source.text, above)
            is_rest = is_deeper or (self.last is not None and self.last.code == error.code == "E0103")
            begins_oddly = begins_oddly or (self.last is not None and self.last.code == error.code == "E0106")
            return (
                error.code == "E0104"
                or (error.code == "E0105" and bool(error.labels))
                or begins_oddly
                or (is_rest and "closes nothing" in error.message)
            )
        begin, end = self.statement_at(at)
        return error.code == "E0104" and any(begin <= line < end for line in self.lines)

    def may_bind(self, error: AutodiffError) -> bool:
        """Whether a removed line may bind the unknown name."""
        assert error.span is not None
        name = self.source.excerpt(error.span)
        if any(self.source.text.startswith("from", line) for line in self.lines):
            return True  # `from math import *` binds unknown names
        if self.source.text[: error.span.start].rstrip().endswith("."):  # the rest of the line above
            return True
        if len(name) <= 2 or name in self.names or similar_names(name, self.names):
            return True
        letters = without_digits(name)
        return any(name in word for word in self.names) or any(
            name in line or (len(letters) > 2 and letters in without_digits(line))
            for line in self.removed_text()
        )

    def removed_text(self) -> list[str]:
        """Return the removed lines without the characters between their words."""
        lines = [self.source.text[line : line_end(self.source.text, line)] for line in self.lines]
        return ["".join([c for c in line if c.isalnum() or c == "_"]) for line in lines]

    def leave_out(self, error: CompileError) -> bool:
        """Remove the lines of an error from the tokens; return False if no safe place follows it."""
        assert error.span is not None
        self.last = error
        if error.fixes and len(error.fixes[0].edits) > MAX_REMOVALS:
            return False  # the error affects the whole script
        for fix in error.fixes[:1]:
            for edit in fix.edits:
                self.lines.add(line_around(self.text, edit.span.start).start)
        at = error.span.start
        self.lines.add(line_around(self.text, at).start)
        first, last = self.line_of(at)
        words = self.words
        if error.code == "E0104":
            return self.remove_lines(*self.statement_at(at))
        if error.code == "E0105" and error.labels:  # no block: the header is removed
            begin, end = self.statement_at(error.labels[0].span.start)
            line = line_around(self.text, at).start
            return self.remove_lines(
                begin, line if begin < line and not indent_width(self.text, line) else end
            )
        if error.code == "E0128":
            line = line_around(self.text, at).start
            return self.remove_lines(line, next_outer_line(self.text, line, indent_width(self.text, line)))
        ends_here = last < len(words.kinds) and words.kinds[last] == "_NEWLINE"
        if not ends_here or error.code == "E0103":
            return self.remove_untokenized(first, at, error)
        self.replace_line(first, last)
        return True

    def opens_block(self, newline: int) -> bool:
        return self.words.kinds[newline + 1 : newline + 2] == ["_INDENT"]

    def line_of(self, at: int) -> tuple[int, int]:
        """Return the indices of the first token and of the _NEWLINE of the statement's line around ``at``."""
        from bisect import bisect_right

        words = self.words
        index = max(bisect_right(words.starts, at) - 1, 0)
        while index and words.kinds[index] in (*LINE_STARTS, "$END") and words.ends[index] >= at:
            index -= 1
        if words.kinds[index] in LINE_STARTS and words.starts[index] < at:
            index += 1
        first = index
        while first and words.kinds[first - 1] not in LINE_STARTS:
            first -= 1
        last = index
        while last < len(words.kinds) - 1 and words.kinds[last] != "_NEWLINE":
            last += 1
        return first, last

    def replace_line(self, first: int, last: int) -> None:
        """Replace the tokens from ``first`` to the _NEWLINE at ``last``, by a header if a block follows."""
        words = self.words
        self.names.update(
            self.text[words.starts[index] : words.ends[index]]
            for index in range(first, last)
            if words.kinds[index] == "NAME"
        )
        kinds = ["if", "True", ":"] if self.opens_block(last) else ["pass"]
        if kinds == ["pass"] and self.may_take_else(first):
            kinds = ["if", "True", ":", "pass"]
        place, end = words.starts[first], words.starts[last]
        filler = "if 1:" if kinds[0] == "if" else "0"
        if len(filler) <= end - place and "\n" not in self.masked[place:end]:
            self.masked = self.masked[:place] + filler.ljust(end - place) + self.masked[end:]
        words.kinds[first:last] = kinds
        words.starts[first:last] = [place] * len(kinds)
        words.ends[first:last] = [place] * len(kinds)
        self.start = self.statement_word(first)

    def may_take_else(self, first: int) -> bool:
        """Whether the token begins a one-line `if`, `for` or `while`, which an `else` may follow."""
        return self.words.kinds[first] in ("if", "elif", "for", "while")

    def statement_word(self, index: int) -> int:
        """Return the first token of the unindented statement that contains a token."""
        words = self.words
        while index and not (
            words.kinds[index - 1] in ("_NEWLINE", "_DEDENT") and self.begins_statement(index)
        ):
            index -= 1
        return index

    def begins_statement(self, index: int) -> bool:
        words = self.words
        if words.kinds[index] in ("_DEDENT", "_INDENT", "else", "elif", "$END"):
            return False
        start = words.starts[index]
        return line_around(self.text, start).start == start

    def statement_at(self, at: int) -> tuple[int, int]:
        """Return the start and the end of the unindented statement around ``at``, including its block."""
        text = self.text
        begin = line_around(text, at).start
        while begin and (is_blank(text, begin) or indent_width(text, begin) or self.continues_block(begin)):
            begin = line_around(text, begin - 1).start
        return begin, next_outer_line(text, line_around(text, at).start, 0)

    def continues_block(self, line: int) -> bool:
        return self.text.startswith(("else", "elif", "except", "finally", ")", "]", "}"), line)

    def remove_untokenized(self, first: int, at: int, error: CompileError) -> bool:
        """Remove a line that is not completely tokenized, because the tokenizer stopped in it."""
        words, text = self.words, self.text
        begin = words.starts[first]
        line = line_around(text, begin).start
        if text.startswith(('"""', "'''"), at) and error.code == "E0106":
            return False
        opened = 0
        for index in range(first, len(words.kinds)):
            if words.starts[index] >= at or words.kinds[index] == "ERROR":
                break
            opened += (words.kinds[index] in ("(", "[", "{")) - (words.kinds[index] in (")", "]", "}"))
        if opened > 0 or error.code == "E0103":
            stop = next_statement(text, at, indent_width(text, line))
            if opened <= 0 and "closes nothing" in error.message and not opens_bracket(text, at):
                stop = next_line(text, at)
        else:
            stop = next_line(text, at)
        return self.remove_lines(line, stop)

    def remove_lines(self, line: int, stop: int) -> bool:
        """Remove the lines from ``line`` to ``stop``, and tokenize again from the statement around them."""
        import re

        text = self.text
        self.names.update(re.findall(r"[^\W\d]\w*", text[line:stop]))
        at = line
        while at < stop:
            self.lines.add(at)
            at = next_line(text, at)
        # The lines become blank, except for one digit where the first began.
        begin = line + indent_width(text, line)
        kept = "".join(character if character in "\r\n" else " " for character in text[begin + 1 : stop])
        self.text = text = text[:begin] + "0" + kept + text[stop:]
        self.masked = self.masked[:begin] + "0" + kept + self.masked[stop:]
        self.reader = ScriptParser(Source(text, self.source.name))
        from_, _ = self.statement_at(begin)
        words = self.words
        index = 0
        from bisect import bisect_left

        index = bisect_left(words.starts, from_)
        while index and words.kinds[index - 1] == "_INDENT":
            index -= 1
        while index < len(words.kinds) and words.kinds[index] == "_DEDENT" and words.starts[index] <= from_:
            index += 1
        fresh = read_words(Source(text, self.source.name), self.reader.table, from_)
        words.kinds[index:] = fresh.kinds
        words.starts[index:] = fresh.starts
        words.ends[index:] = fresh.ends
        words.error = fresh.error
        first, _last = self.line_of(begin)
        if (
            first < len(words.kinds)
            and words.kinds[first] == "NUMBER"
            and words.kinds[first + 1] == "_NEWLINE"
        ):
            self.replace_line(first, first + 1)
        self.start = self.statement_word(first)
        return stop < len(text) or words.kinds[-1] == "$END"


def without_digits(word: str) -> str:
    """Return a word without its digits, to recognise a name with a misplaced digit."""
    return "".join([c for c in word if not c.isdigit()])


def opens_bracket(text: str, at: int) -> bool:
    """Whether the rest of a line opens more brackets than it closes."""
    rest = text[at + 1 : line_end(text, at)]
    return sum(rest.count(sign) for sign in "([{") > sum(rest.count(sign) for sign in ")]}")


def keep_working_repair(error: CompileError, text: str, around: tuple[int, int]) -> None:
    """Keep only the first repair with which the statement ``around`` the error parses or fails later on."""
    from autodiff.grammar.syntax.parser import parse_to_first_error

    begin, end = around
    kept: list[Fix] = []
    for fix in error.fixes:
        if any(edit.span.start < begin or edit.span.end > end for edit in fix.edits):
            continue
        mended = fix.apply(text[:end])
        blanked = "".join(c if c in "\r\n" else " " for c in mended[:begin])
        assert error.span is not None
        try:
            parse_to_first_error(Source(blanked + mended[begin:]))
        except CompileError as other:
            if other.span is None or other.span.start <= fix.moves(error.span.start):
                is_earlier = other.span is not None and other.span.start < repaired_line_start(
                    mended, error, fix
                )
                if not (is_earlier and parses_alone(mended, error, fix)):
                    continue
        kept.append(fix)
        break
    error.fixes = tuple(kept)


def repaired_line_start(mended: str, error: CompileError, fix: Fix) -> int:
    """Return where the line of an error begins after its repair."""
    assert error.span is not None
    return line_around(mended, min(fix.moves(error.span.start), len(mended))).start


def parses_alone(mended: str, error: CompileError, fix: Fix) -> bool:
    """Whether the repaired line parses on its own, if an error above it keeps the statement from parsing."""
    from autodiff.grammar.syntax.parser import parse_to_first_error

    begin = repaired_line_start(mended, error, fix)
    try:
        parse_to_first_error(Source(mended[begin : line_end(mended, begin)].strip()))
    except CompileError:
        return False
    return True

"""Rules for unpaired brackets, and guesses of where the missing one belongs."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Fix
from autodiff.grammar.help.syntax import tokens
from autodiff.grammar.help.syntax.lines import code_end, indent_width, line_end, next_line, next_statement
from autodiff.grammar.help.syntax.situation import Situation, fix, line_around
from autodiff.grammar.syntax.tokenizer import OPENING_BRACKETS, Tokens, unclosed_bracket
from autodiff.grammar.syntax.vocabulary import BLOCK_WORDS

CLOSER_OF = {opening: closing for closing, opening in OPENING_BRACKETS.items()}


def invalid_token(here: Situation) -> CompileError | None:
    """An error of the tokenizer, with repairs; those for brackets depend on the tokens around them."""
    if here.kind != "ERROR":
        return None
    error = here.words.error
    if error is not None and not error.fixes:
        error.fixes = (
            bracket_repairs(here, error) if error.code == "E0103" else tokens.token_repairs(here.text, error)
        )
        error.help = () if error.fixes else error.help
    return error


def unclosed_bracket_before(here: Situation) -> CompileError | None:
    """A bracket that is never closed; it makes every error after it meaningless."""
    if not here.brackets:
        return None
    opening = here.brackets[-1]
    begin = here.words.starts[opening]
    if (
        next_statement(here.text, begin, indent_width(here.text, line_around(here.text, begin).start))
        > here.span().start
    ):
        error = here.words.error
        if error is None or error.code != "E0103":
            return None
    else:  # a statement begins before the bracket is closed, so that closing bracket belongs to another
        return unclosed_error(here, opening)
    depth = 0
    for kind in here.kinds[opening:]:
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in OPENING_BRACKETS:
            depth -= 1
            if depth == 0:
                return None
    return unclosed_error(here, opening)


def unclosed_error(here: Situation, opening: int) -> CompileError:
    ours = unclosed_bracket(here.kinds[opening], here.words.starts[opening])
    ours.fixes = bracket_repairs(here, ours)
    ours.help = () if ours.fixes else ours.help
    return ours


def bracket_repairs(here: Situation, error: CompileError) -> tuple[Fix, ...]:
    """Return repairs that close an open bracket, or correct or delete a surplus one."""
    assert error.span is not None
    text, span = here.text, error.span
    sign = text[span.start : span.end]
    if sign in CLOSER_OF:
        return _closing_repairs(here, span.start)
    if error.labels:  # `(1]`: a closing bracket of another kind than the open one
        wanted = CLOSER_OF[text[error.labels[0].span.start]]
        return (
            fix(f"write `{wanted}` instead of `{sign}`", (span.start, span.end, wanted)),
            fix(f"write `{wanted}` before the `{sign}`", (span.start, span.start, wanted)),
        )
    ways_out = [fix(f"delete the `{sign}`", (span.start, span.end, ""))]
    if text[span.end : span.end + 1] in (".", " ") and text[span.end : line_end(text, span.end)].strip():
        begin = here.words.starts[here.line]
        signs = [
            index for index in range(here.line, here.at) if here.kinds[index] in ("=", "return", "+=", "-=")
        ]
        begin = here.words.starts[signs[-1] + 1] if signs and signs[-1] + 1 < here.at else begin
        opening = next(opener for closing, opener in OPENING_BRACKETS.items() if closing == sign)
        ways_out.insert(0, fix(f"write `{opening}` where the bracket should open", (begin, begin, opening)))
    return tuple(ways_out)


def _closing_repairs(here: Situation, opening: int) -> tuple[Fix, ...]:
    """Return the repair that closes a bracket at the end of its line, or before the next statement."""
    text = here.text
    line = line_around(text, opening).start
    first = here.words.starts[here.line] if here.words.starts[here.line] <= opening else line
    following = next_statement(text, opening, indent_width(text, line_around(text, first).start))
    place = code_end(text, line)
    header_ends = here.first in BLOCK_WORDS and text[place - 1] == ":"
    if header_ends:
        pass  # the lines below are its block, and the bracket belongs to the header
    elif text[place - 1] in "([{," or following >= len(text) or following > next_line(text, line):
        last = line_around(text, max(following - 1, 0)).start
        while last > line and not text[last : line_end(text, last)].strip():
            last = line_around(text, last - 1).start
        place = max(place, code_end(text, last))
    if here.first in BLOCK_WORDS and text[place - 1] == ":":
        place -= 1
    closers = _missing_closers(here.words, here.line, place)
    if not 0 < len(closers) < 20:
        return ()
    if here.first in BLOCK_WORDS and text[place : place + 1] != ":":
        closers += ":"
    where = "at the end of the line"
    if text[place : place + 1] == ":":
        where = "before the `:`"
    elif place > line_end(text, line):
        where = f"at the end of line {here.line_number(place)}"
    return (fix(f"write `{closers}` {where}", (place, place, closers)),)


def _missing_closers(words: Tokens, first: int, end: int) -> str:
    """Return the closing brackets for those open at ``end``, from token ``first`` on."""
    opened: list[str] = []
    for index in range(first, len(words.kinds)):
        if words.starts[index] >= end:
            break
        kind = words.kinds[index]
        if kind in CLOSER_OF:
            opened.append(CLOSER_OF[kind])
        elif kind in OPENING_BRACKETS and opened:
            opened.pop()
    return "".join(reversed(opened))

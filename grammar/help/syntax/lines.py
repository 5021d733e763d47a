"""Estimates of where statements begin and end in a text that does not parse, from its lines alone.

They serve to guess where a bracket should have been closed, and where a damaged script is intact again.
The estimates are cautious: a line counts as a beginning only if it can hardly be anything else.
"""

from __future__ import annotations

import re

_NAMES = r"[^\W\d]\w*(?:\.\w+|\[[^\]\r\n]*\])*"
_BEGINNING = re.compile(
    r"(?:(?:if|elif|else|for|while|def|class|with|return|import|from|assert|del|pass|break|continue|print)\b|@"
    rf"|{_NAMES}(?:[ \t]*,[ \t]*{_NAMES})*[ \t]*(?://|\*\*|[-+*/@%&|^])?=(?!=)"
    rf"|{_NAMES}[ \t]*\()"
)
_MARGIN = re.compile(r"[ \t\f]*+")
_BREAK = re.compile(r"\r\n|\r|\n")
_CONTINUATION = re.compile(r"(?:else|elif|except|finally)\b")


def indent_width(text: str, line: int) -> int:
    """Return the indentation, in characters, of the line that begins at ``line``."""
    found = _MARGIN.match(text, line)
    assert found is not None
    return found.end() - line


def is_blank(text: str, line: int) -> bool:
    """Whether a line is empty or has only a comment."""
    at = line + indent_width(text, line)
    return at >= len(text) or text[at] in "#\r\n"


def line_end(text: str, at: int) -> int:
    found = _BREAK.search(text, at)
    return found.start() if found else len(text)


def next_line(text: str, at: int) -> int:
    """Return where the line after the line of ``at`` begins."""
    found = _BREAK.search(text, at)
    return found.end() if found else len(text)


def next_statement(text: str, at: int, deepest: int) -> int:
    """Return the next line after ``at`` that begins a statement indented at most by ``deepest``."""
    line = next_line(text, at)
    while line < len(text):
        width = indent_width(text, line)
        if width <= deepest and _BEGINNING.match(text, line + width):
            written = text[line : line_end(text, line)].split("#")[0].rstrip()
            if not written.endswith(","):
                return line
        line = next_line(text, line)
    return len(text)


def next_outer_line(text: str, at: int, deepest: int) -> int:
    """Return the next line after ``at`` that is indented at most by ``deepest`` and continues nothing."""
    line = next_line(text, at)
    while line < len(text):
        width = indent_width(text, line)
        if width <= deepest and not is_blank(text, line) and not _CONTINUATION.match(text, line + width):
            return line
        line = next_line(text, line)
    return len(text)


def code_end(text: str, line: int) -> int:
    """Return the end of a line without its comment and trailing space, judged by quotes and ``#`` alone."""
    end = line_end(text, line)
    quote = ""
    at = line
    while at < end:
        character = text[at]
        if quote:
            if character == "\\":
                at += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        elif character == "#":
            end = at
            break
        at += 1
    while end > line and text[end - 1] in " \t\f\r\n":
        end -= 1
    return end

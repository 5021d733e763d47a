"""Rules for comments of other languages: `// text` and `/* text */`."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.situation import LINE_STARTS, Situation, fix, line_around

MESSAGE = "a comment begins with `#`"


def foreign_comment(here: Situation) -> CompileError | None:
    """A foreign comment sign that is the token or stands before it on the line."""
    line, text = here.line_span(), here.text
    first = text[line.start : line.end].strip()
    if first.startswith("/*"):
        return block_comment(here)
    marks = [index for index in range(first_on_line(here, line), here.at + 1) if here.kinds[index] == "//"]
    if not marks:
        return None
    mark = here.span(marks[0])
    is_line = not text[line.start : mark.start].strip()
    # `//` between two values divides; only words side by side after it cannot be an expression.
    if not is_line and (
        here.at - marks[0] < 2 or here.before != "NAME" or here.kind not in ("NAME", "in", "is")
    ):
        return None
    repair = fix("write `#` instead of `//`", (mark.start, mark.end, "#"))
    return here.error("E0102", MESSAGE, "this is integer division", repair, span=mark)


def first_on_line(here: Situation, line: Span) -> int:
    index = here.at
    while index and here.words.starts[index - 1] >= line.start and here.kinds[index - 1] not in LINE_STARTS:
        index -= 1
    return index


def block_comment(here: Situation) -> CompileError | None:
    """`/* text */` on one or several lines; the repair writes `#` before each of them."""
    begin = here.text.index("/*", here.line_span().start)
    close = here.text.find("*/", begin)
    if close < 0:
        return None
    edits = [(begin, begin + 2, "#"), (close, close + 2, "")]
    at = line_around(here.text, begin).end + 1
    while at <= close:
        edits.append((at, at, "# "))
        at = line_around(here.text, at).end + 1
    repair = fix("write `#` before each line of it", *edits)
    return here.error("E0102", MESSAGE, "begins nothing here", repair, span=Span(begin, begin + 2))

"""Sessions that were pasted with their prompts: the same text with prompts and answers out of the way.

A script whose first line begins with ``>>>`` or ``In [1]:`` is one. Every character keeps its place, so
lines and columns of errors are those of what was pasted: a prompt becomes spaces that end in a form feed,
after which indentation counts from 0, and an answer becomes a comment.
"""

from __future__ import annotations

import re

from autodiff.core.base.source import Source

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?:[ ]|$)")
_CELL = re.compile(r"[ \t]*(?:In[ ]?\[[ \d]*\]:|[ \t]+\.\.\.:)[ ]?")
_ANSWER = re.compile(r"[ \t]*Out[ ]?\[[ \d]*\]:")
#: ``%time`` before a statement runs it, and ``%%time`` the lines below: what they add is a line of output.
_TIMED = re.compile(r"%%?time(?:[ \t]+|$)")
_PYTHON = re.compile(r"[ \t]*>>>")
_NOTEBOOK = re.compile(r"[ \t]*In[ ]?\[[ \d]*\]:")
_ABOVE = re.compile(r"\ufeff?(?:[ \t\f]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+")
_LINES = re.compile(r"[^\r\n]+")


def as_script(source: Source) -> Source:
    """The source without prompts, answers and ``%time``; itself where there are none."""
    text = source.text
    if "%time" in text:
        text = _LINES.sub(lambda line: emptied(line[0], _TIMED), text)
    if ">>>" in text and begins(text, _PYTHON):
        text = _LINES.sub(lambda line: session_line(line[0]), text)
    elif "]:" in text and begins(text, _NOTEBOOK):
        text = of_cells(text)
    return source if text is source.text else Source(text, source.name)


def begins(text: str, prompt: re.Pattern[str]) -> bool:
    """Whether the first line that is no comment has this prompt."""
    above = _ABOVE.match(text)
    assert above is not None
    return prompt.match(text, above.end()) is not None


def emptied(line: str, prompt: re.Pattern[str]) -> str:
    """The line with its prompt as empty space; unchanged where it has none."""
    found = prompt.match(line)
    return line if found is None else " " * (found.end() - 1) + "\f" + line[found.end() :]


def session_line(line: str) -> str:
    """A line of Python's session: what has no prompt is an answer."""
    return emptied(line, _PROMPT) if _PROMPT.match(line) or not line.strip() else comment(line)


def comment(line: str) -> str:
    return "#" * len(line)


def of_cells(text: str) -> str:
    """A notebook's session: what follows ``Out[1]:`` up to the next ``In [2]:`` is an answer."""
    is_answer = False

    def line_of(found: re.Match[str]) -> str:
        nonlocal is_answer
        line = found[0]
        if _CELL.match(line):
            is_answer = False
            return emptied(line, _CELL)
        is_answer = is_answer or _ANSWER.match(line) is not None
        return comment(line) if is_answer else line

    return _LINES.sub(line_of, text)

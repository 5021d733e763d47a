"""Removes the prompts and outputs from a pasted interactive session.

A script is a session if its first line begins with ``>>>`` or ``In [1]:``. Every character keeps its
place, so that errors point into the pasted text: a prompt becomes spaces that end in a form feed, after
which indentation counts from 0, and an output becomes a comment.
"""

from __future__ import annotations

import re

from autodiff.core.base.source import Source

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?:[ ]|$)")
_CELL = re.compile(r"[ \t]*(?:In[ ]?\[[ \d]*\]:|[ \t]+\.\.\.:)[ ]?")
_ANSWER = re.compile(r"[ \t]*Out[ ]?\[[ \d]*\]:")
#: ``%time`` runs the statement after it and ``%%time`` the lines below it; both only add a line of output.
_TIMED = re.compile(r"%%?time(?:[ \t]+|$)")
_PYTHON = re.compile(r"[ \t]*>>>")
_NOTEBOOK = re.compile(r"[ \t]*In[ ]?\[[ \d]*\]:")
_ABOVE = re.compile(r"\ufeff?(?:[ \t\f]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+")
_LINES = re.compile(r"[^\r\n]+")


def as_script(source: Source) -> Source:
    """Return the source without prompts, outputs and ``%time``; ``source`` itself if it has none."""
    text = source.text
    if "%time" in text:
        text = _LINES.sub(lambda line: emptied(line[0], _TIMED), text)
    if ">>>" in text and begins(text, _PYTHON):
        text = _LINES.sub(lambda line: session_line(line[0]), text)
    elif "]:" in text and begins(text, _NOTEBOOK):
        text = of_cells(text)
    return source if text is source.text else Source(text, source.name)


def begins(text: str, prompt: re.Pattern[str]) -> bool:
    """Whether the first line that is neither blank nor a comment has this prompt."""
    above = _ABOVE.match(text)
    assert above is not None
    return prompt.match(text, above.end()) is not None


def emptied(line: str, prompt: re.Pattern[str]) -> str:
    """Return the line with its prompt replaced by space; unchanged if it has none."""
    found = prompt.match(line)
    return line if found is None else " " * (found.end() - 1) + "\f" + line[found.end() :]


def session_line(line: str) -> str:
    """Return a line of a Python session as script text: a line without a prompt is output, and a comment."""
    return emptied(line, _PROMPT) if _PROMPT.match(line) or not line.strip() else comment(line)


def comment(line: str) -> str:
    return "#" * len(line)


def of_cells(text: str) -> str:
    """Return a notebook session as script text: from ``Out[1]:`` to the next ``In [2]:`` is output."""
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

"""Removes the prompts and outputs from a pasted interactive session.

A script is a session if its first line begins with ``>>>`` or ``In [1]:``. Every character keeps its
place, so that errors point into the pasted text: a prompt becomes spaces that end in a form feed, after
which indentation counts from 0, and an output becomes a comment.
"""

from __future__ import annotations

import re

from autodiff.core.base.source import Source

_PYTHON_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?:[ ]|$)")
_CELL_PROMPT = re.compile(r"[ \t]*(?:In[ ]?\[[ \d]*\]:|[ \t]+\.\.\.:)[ ]?")
_ANSWER = re.compile(r"[ \t]*Out[ ]?\[[ \d]*\]:")
#: ``%time`` runs the statement after it and ``%%time`` the lines below it; both only add a line of output.
_TIMED = re.compile(r"%%?time(?:[ \t]+|$)")
_PYTHON_START = re.compile(r"[ \t]*>>>")
_NOTEBOOK_START = re.compile(r"[ \t]*In[ ]?\[[ \d]*\]:")
_ABOVE = re.compile(r"\ufeff?(?:[ \t\f]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+")
_LINES = re.compile(r"[^\r\n]+")


def strip_prompts(source: Source) -> Source:
    """Return the source without prompts, outputs and ``%time``; ``source`` itself if it has none."""
    text = source.text
    if "%time" in text:
        text = _LINES.sub(lambda line: blank_prompt(line[0], _TIMED), text)
    if ">>>" in text and begins_with(text, _PYTHON_START):
        text = _LINES.sub(lambda line: convert_python_line(line[0]), text)
    elif "]:" in text and begins_with(text, _NOTEBOOK_START):
        text = convert_notebook(text)
    return source if text is source.text else Source(text, source.name)


def begins_with(text: str, prompt: re.Pattern[str]) -> bool:
    """Whether the first line that is neither blank nor a comment has this prompt."""
    above = _ABOVE.match(text)
    assert above is not None
    return prompt.match(text, above.end()) is not None


def blank_prompt(line: str, prompt: re.Pattern[str]) -> str:
    """Return the line with its prompt replaced by space; unchanged if it has none."""
    found = prompt.match(line)
    return line if found is None else " " * (found.end() - 1) + "\f" + line[found.end() :]


def convert_python_line(line: str) -> str:
    """Return a line of a Python session as script text: a line without a prompt is output, and a comment."""
    return (
        blank_prompt(line, _PYTHON_PROMPT)
        if _PYTHON_PROMPT.match(line) or not line.strip()
        else as_comment(line)
    )


def as_comment(line: str) -> str:
    return "#" * len(line)


def convert_notebook(text: str) -> str:
    """Return a notebook session as script text: from ``Out[1]:`` to the next ``In [2]:`` is output."""
    is_answer = False

    def line_of(found: re.Match[str]) -> str:
        nonlocal is_answer
        line = found[0]
        if _CELL_PROMPT.match(line):
            is_answer = False
            return blank_prompt(line, _CELL_PROMPT)
        is_answer = is_answer or _ANSWER.match(line) is not None
        return as_comment(line) if is_answer else line

    return _LINES.sub(line_of, text)

"""Rules for text that is copied along with a script: prompts, Markdown fences, notebook commands.

It is found line by line, and one repair deletes all of it.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.lines import line_end, next_line
from autodiff.grammar.help.syntax.situation import Situation, fix, line_around

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?:[ ]|(?=[\r\n])|\Z)")
_CELL_IN = re.compile(r"[ \t]*(?:In[ ]?\[[ \d]*\]:|[ \t]+\.\.\.:)[ ]?")
_CELL_OUT = re.compile(r"[ \t]*Out[ ]?\[[ \d]*\]:")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[^\r\n`]*")
#: Comments and strings. The first group is a string of several lines: a fence in a docstring is script text.
_QUOTED = re.compile(
    r"""#[^\r\n]*|(\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3})|"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*'""",
    re.DOTALL,
)
_SHELL = re.compile(r"[ \t]*(?:![ \t]*|\$[ \t]+)(?=[A-Za-z])")  # `$x` is a variable of other languages


def pasted(here: Situation) -> CompileError | None:
    """A line that begins with text that is not part of the script."""
    line = here.line_span()
    text = here.text
    if _PROMPT.match(text, line.start) and re.search(r"^[ \t]*>>>", text, re.MULTILINE):
        return prompt_error(text, line.start)
    if _CELL_IN.match(text, line.start) or _CELL_OUT.match(text, line.start):
        return cell_error(text, line.start)
    if _SHELL.match(text, line.start):
        return shell_error(text, line.start)
    return fence_error(text, line.start) if "```" in text or "~~~" in text else None


def lines_of(text: str) -> list[Span]:
    spans, at = [], 0
    while at < len(text):
        spans.append(Span(at, line_end(text, at)))
        at = next_line(text, at)
    return spans


def prompt_error(text: str, at: int) -> CompileError:
    """`>>> x = 1`: the repair deletes the prompts and the interpreter's output between them."""
    edits, asked = [], False
    for line in lines_of(text):
        found = _PROMPT.match(text, line.start)
        if found:
            asked = True
            edits.append((line.start, found.end(), ""))
        elif asked and text[line.start : line.end].strip():
            edits.append((line.start, line.end, ""))
    found = _PROMPT.match(text, at)
    assert found is not None
    sign = found[0].strip()
    return CompileError(
        f"`{sign}` is the prompt of Python, not part of the script",
        code="E0135",
        caret="printed by Python, not typed",
        fixes=(fix("delete the prompts and the answers between them, and keep what was typed", *edits),),
        span=Span(found.end() - len(found[0].lstrip()), found.start() + len(found[0].rstrip())),
    )


def cell_error(text: str, at: int) -> CompileError:
    """`In [1]: x = 1`: the repair deletes the labels and the output after `Out[1]:`."""
    edits: list[tuple[int, int, str]] = []
    answering = False
    for line in lines_of(text):
        if found := _CELL_IN.match(text, line.start):
            answering = False
            edits.append((line.start, found.end(), ""))
        elif _CELL_OUT.match(text, line.start):
            answering = True
        if answering:
            edits.append((line.start, line.end, ""))
    label = text[at : line_end(text, at)].split(":")[0].strip()
    begin = text.index(label, at)
    return CompileError(
        f"`{label}:` is the label of a notebook cell, not part of the script",
        code="E0135",
        caret="printed by the notebook, not typed",
        fixes=(fix("delete the labels and the answers, and keep what was typed", *edits),),
        span=Span(begin, begin + len(label) + 1),
    )


def shell_error(text: str, at: int) -> CompileError:
    """`!pip install torch`: the repair deletes all shell commands."""
    lines = [line for line in lines_of(text) if _SHELL.match(text, line.start)]
    found = _SHELL.match(text, at)
    assert found is not None
    several = "these lines" if len(lines) > 1 else "the line"
    way_out = f"delete {several}: nothing has to be installed"
    repair: Fix = fix(way_out, *[(line.start, line.end, "") for line in lines])
    begin = found.end() - len(found[0].lstrip())
    return CompileError(
        "a command of the shell cannot stand in a script",
        code="E0134",
        caret="only a notebook runs this" if text[begin] == "!" else "typed at the prompt of a shell",
        fixes=(repair,),
        span=Span(begin, line_around(text, at).end),
    )


def fence_error(text: str, at: int) -> CompileError | None:
    """Markdown fences around the script: the repair deletes them and the text outside them."""
    inside = False
    edits, fences = [], []
    on_fence = outside = False
    docstrings = [found.span(1) for found in _QUOTED.finditer(text) if found[1]]
    for line in lines_of(text):
        is_fence = _FENCE.match(text, line.start) is not None
        is_fence = is_fence and not any(begin < line.start < end for begin, end in docstrings)
        if is_fence:
            inside = not inside
            fences.append(line)
        if is_fence or not inside:
            edits.append((line.start, line.end, ""))
        if line.start == at:
            on_fence, outside = is_fence, not inside and not is_fence
    if not fences:
        return None
    if len(fences) == 1:  # a fence at one end only: all other lines are the script
        edits, outside = [(fences[0].start, fences[0].end, "")], False
    if not (on_fence or outside):
        return None
    mark = fences[0] if not on_fence else line_around(text, at)
    word = text[mark.start : mark.end].strip()[:3]
    called = "three backticks belong" if word == "```" else f"`{word}` belongs"
    error = CompileError(
        f"{called} to the text around the script",
        code="E0136",
        caret="marks where code begins and ends in a chat or a README",
        fixes=(fix("keep only what stands between the marks" if len(fences) > 1 else "delete it", *edits),),
        span=Span(mark.start, mark.end),
    )
    return error

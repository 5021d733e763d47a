"""Rules for lines as mathematics writes them: a prime for a derivative, a choice with `then`."""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.situation import Situation, fix
from autodiff.grammar.syntax.characters import shorten

_PRIME = re.compile(r"[ \t]*(?P<name>[^\W\d]\w*)(?P<prime>'+)(?:\(\w+\))?[ \t]*=(?!=)")
_CHOICE = re.compile(
    r"(?P<begin>[^=#'\"\r\n]*=[ \t]*|[ \t]*return[ \t]+)"
    r"if[ \t]+(?P<test>[^:#\r\n]+?)[ \t]+then[ \t]+(?P<value>[^:#\r\n]+?)"
    r"[ \t]+else[ \t]+(?P<other>[^:#\r\n]+?)[ \t]*(?=#|$)"
)


def primed_name(here: Situation) -> CompileError | None:
    """`y' = 2*x` for a derivative."""
    line = here.line_span()
    found = _PRIME.match(here.text, line.start, line.end)
    if found is None:
        return None
    name = "d" * len(found["prime"]) + found["name"]
    begin, end = found.start("name"), found.end("prime")
    return here.error(
        "E0106",
        "a name has no prime",
        "a ' begins a string",
        fix(f"write `{shorten(name)}`", (begin, end, name)),
        span=Span(*found.span("prime")),
    )


def choice_with_then(here: Situation) -> CompileError | None:
    """`y = if x > 1 then x else 0`."""
    line = here.line_span()
    found = _CHOICE.match(here.text, line.start, line.end)
    if found is None:
        return None
    written = f"{found['value']} if {found['test']} else {found['other']}"
    begin = found.end("begin")
    return here.error(
        "E0101",
        "a choice begins with its first value",
        "the value comes before the condition",
        fix(f"write `{shorten(written, 60)}`", (begin, found.end("other"), written)),
        span=Span(begin, begin + 2),
    )

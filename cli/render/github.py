"""Diagnostics as workflow commands of GitHub Actions, which turn them into annotations of the source."""

from __future__ import annotations

import re

from autodiff.cli.process.streams import harmless
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source, Span

#: A line of the script in a note; those of data files have the name of the file before them.
LINE = re.compile(r"(?:^|\b[io][nf] )line (\d+)\b")
COMMANDS = {"error": "error", "warning": "warning", "note": "notice", "help": "notice"}


def span_of_line_in(text: str, source: Source) -> Span | None:
    """The first line of the script that a note names, as ``in line 4``; None without one."""
    found = LINE.search(text)
    return source.line_span(int(found[1])) if found else None


def github_line(error: AutodiffError, source: Source | None, severity: str) -> str:
    """One command, such as ``::error file=a.ad,line=1,col=5,endLine=1,endColumn=6,title=E0201::...``.

    The title of an error or a warning without a code is how its message begins: ``wrong gradient``.
    """
    properties: list[tuple[str, object]] = []
    if source is not None:
        properties.append(("file", source.name))
        if error.span is not None:
            (line, column), (end_line, end_column) = map(source.position, (error.span.start, error.span.end))
            properties += [("line", line), ("col", column), ("endLine", end_line), ("endColumn", end_column)]
            if end_line != line:  # columns are only allowed within one line
                properties = [entry for entry in properties if "ol" not in entry[0]]
    if error.code or severity in ("error", "warning"):
        properties.append(("title", error.code or error.message.partition(";")[0].partition(": ")[0]))
    spelled = ",".join(f"{name}={escape_property(str(value))}" for name, value in properties)
    message = "\n".join([error.message, *filter(None, [error.caret]), *error.advice])
    return f"::{COMMANDS[severity]} {spelled}::{escape_data(message)}\n"


def escape_data(text: str) -> str:
    """A message as one line: line ends and the escape character are escaped."""
    return harmless(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def escape_property(text: str) -> str:
    """The escaped value of a property, which a comma or a colon would end."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")

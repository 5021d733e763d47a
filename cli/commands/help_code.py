"""``autodiff help CODE``: the cause, the remedy, an example with its diagnostic, and the corrected example.

The diagnostic of an example is not stored: the example is run, and its real diagnostic is shown.
"""

from __future__ import annotations

from autodiff.cli.codes import CODES, Code
from autodiff.cli.render.diagnostic import diagnostic_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.lints.finding import Lint

#: Examples with one of these need a shell or a clock; they are shown without a diagnostic.
NEEDS_A_PROCESS = ("|", ">", "--timeout")


def explain_code(code: str, width: int = 80) -> str:
    """The help text of an error code."""
    entry = CODES[code]
    text = f"{code}: {entry.title}\n\n{wrapped(entry.cause, width)}\n{wrapped(entry.remedy, width)}\n"
    if not entry.example:
        return text
    what = "this command" if entry.is_command else "this script"
    return text + in_parts(
        (what, entry.example), *diagnostic_part(what_it_gives(entry, width - 4)), ("write", entry.mended)
    )


def explain_lint(lint: Lint, width: int = 80) -> str:
    """The help text of a lint; the corrected example is made with the lint's own repair, if it has one."""
    from autodiff.grammar.lint import lint as find

    source = Source(lint.example, "script.ad")
    found = next(made for made in find(source) if made.code == lint.code)
    finding = list(diagnostic_lines(found, source, width - 4, kind="warning", folded=True))
    mended = [("write", found.fixes[0].apply(lint.example))] if found.fixes else []
    return f"{lint.code}: {lint.title}\n\n{wrapped(lint.reason, width)}\n" + in_parts(
        ("this script", lint.example), *diagnostic_part(finding), *mended
    )


def diagnostic_part(lines: list[str]) -> list[tuple[str, str]]:
    return [("gives", "\n".join(lines))] if lines else []


def wrapped(text: str, width: int) -> str:
    from textwrap import fill

    return fill(text, min(width, 100), break_long_words=False, break_on_hyphens=False)


def in_parts(*parts: tuple[str, str]) -> str:
    return "".join(f"\n{heading}\n\n{indented(text)}" for heading, text in parts)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip("\n").split("\n"))


def what_it_gives(entry: Code, width: int) -> list[str]:
    """The lines of the diagnostic that an example causes."""
    if entry.is_command:
        return [] if any(sign in entry.example for sign in NEEDS_A_PROCESS) else of_command(entry, width)
    from autodiff.grammar.execution import execute
    from autodiff.grammar.help.warnings import warning_help
    from autodiff.grammar.session.run import Settings

    source = Source(entry.example, "script.ad")
    warnings: list[AutodiffError] = []

    def remember(text: str, span: Span) -> None:
        warnings.append(AutodiffError(text, code="W0100", span=span, help=warning_help(text)))

    try:
        execute(source, Settings(), lambda text: None, remember)
    except AutodiffError as error:
        return list(diagnostic_lines(error, source, width, folded=True))
    return [
        line
        for warning in warnings
        for line in diagnostic_lines(warning, source, width, kind="warning", folded=True)
    ]


def of_command(entry: Code, width: int) -> list[str]:
    """The diagnostic of an example command, which is run in this process with its own session."""
    import shlex

    from autodiff.cli.command_line.click_parser import read_with_click
    from autodiff.cli.command_line.fast_parser import Request, read_arguments
    from autodiff.cli.commands import command
    from autodiff.cli.process.exit_codes import as_autodiff_error
    from autodiff.cli.requests.session import SILENT, Session

    words = shlex.split(entry.example)[1:]
    session = None
    try:
        request = read_arguments(words) or read_with_click(words, width)
        assert isinstance(request, Request)
        request.values["quiet"] = SILENT  # what the example prints is no part of the help text
        session = Session(request)
        command(request.command)(session)
    except Exception as failure:
        error = as_autodiff_error(failure)
        if error is None:
            raise
        script = None if session is None else session.script
        source = None if script is None or error.span is None else script.source
        return list(diagnostic_lines(error, source, width, folded=True))
    return []

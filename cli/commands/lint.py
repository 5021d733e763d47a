"""``autodiff lint``: finds likely mistakes in scripts without running them.

The findings are the result and go to standard output in every format. Errors that prevent reading a file go
to standard error.
"""

from __future__ import annotations

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.script_source import STDIN, NoScript, read_script
from autodiff.cli.process.exit_codes import COMPILE, NO, OK, USAGE
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import AutodiffError, CompileError, UsageError


def command(session: Session) -> int:
    """Lint the scripts one by one; the worst result decides the exit code."""
    request = session.request
    check_readable_once(request)
    scripts = (request.argument, *request.others)
    statuses = {OK}
    errors = warnings = 0
    for argument in scripts:
        try:
            session.script = read_script(Request(request.command, argument, request.values))
        except UsageError as error:
            if isinstance(error, NoScript) or len(scripts) == 1:
                raise
            session.script = None
            if not session.is_silent:
                session.say(error)
            statuses.add(USAGE)
            continue
        for diagnostic, severity in find_diagnostics(session):
            show_diagnostic(session, diagnostic, severity, errors + warnings == 0)
            errors += severity == "error"
            warnings += severity == "warning"
            statuses.add(COMPILE if severity == "error" else NO)
    if session.diagnostics == "text" and not session.is_quiet:
        session.show_text(summary(errors, warnings, len(scripts)))
    return next(status for status in (USAGE, COMPILE, NO, OK) if status in statuses)


def find_diagnostics(session: Session) -> list[tuple[AutodiffError, str]]:
    """The findings in the session's script with their severities; what keeps it from running is an error."""
    from autodiff.grammar.lint import is_error, lint

    assert session.script is not None
    try:
        found = lint(session.script.source)
    except CompileError as error:
        found = sorted((error, *error.other_errors), key=lambda one: one.span.start if one.span else 0)
    return [(one, "error" if is_error(one) else "warning") for one in found]


def show_diagnostic(session: Session, diagnostic: AutodiffError, severity: str, is_first: bool) -> None:
    if session.is_silent:
        return
    if not is_first and session.diagnostics == "text":
        session.out.write("\n")
    session.say(diagnostic, severity, session.out)


def summary(errors: int, warnings: int, scripts: int) -> str:
    """The summary line; "" where nothing was found."""
    counts = [
        f"{count:,} {what}{'s' * (count != 1)}"
        for count, what in ((errors, "mistake"), (warnings, "likely mistake"))
        if count
    ]
    if not counts:
        return ""
    where = f" in {scripts:,} scripts" if scripts > 1 else ""
    return f"\nfound {' and '.join(counts)}{where}; `autodiff help CODE` explains each\n"


def check_readable_once(request: Request) -> None:
    """Raise UsageError for ``-e`` with several files, or standard input given twice."""
    if request.others and request.texts("e"):
        raise UsageError(
            "-e continues one script, and several are given",
            code="E0610",
            help=("lint the code alone, or name one file",),
        )
    if (request.argument, *request.others).count(STDIN) > 1:
        raise UsageError(
            "standard input can be read only once, and it is wanted for two scripts",
            code="E0610",
            help=("give `-` once",),
        )

"""``autodiff lint``: finds likely mistakes in scripts without running them.

The findings are the result and go to standard output in every format. Errors that prevent reading a file go
to standard error.
"""

from __future__ import annotations

from autodiff.cli.process.exit_codes import COMPILE, NO, OK
from autodiff.cli.requests.session import Session
from autodiff.cli.requests.several_scripts import Outcome, work_on_each
from autodiff.core.base.errors import AutodiffError, CompileError


def command(session: Session) -> int:
    """Lint the scripts one by one; the worst result decides the exit code."""
    return work_on_each(session, lint_script, bad="with likely mistakes")


def lint_script(session: Session) -> Outcome:
    """Lint the script of the session."""
    found = find_diagnostics(session)
    errors = sum(severity == "error" for _, severity in found)
    counted = count_findings(errors, len(found) - errors)

    def show() -> None:
        for at, (diagnostic, severity) in enumerate(found):
            show_diagnostic(session, diagnostic, severity, not at)
        if not found and not session.has_several:
            session.hint("no likely mistake found; what only a run shows is not looked for")

    closing = ""
    if found and session.diagnostics == "text" and not session.is_quiet:
        closing = f"\nfound {counted}; `autodiff help CODE` explains each\n"
    return Outcome(COMPILE if errors else NO if found else OK, counted or "ok", not found, show, closing)


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


def count_findings(errors: int, warnings: int) -> str:
    """The numbers of findings, as in ``1 mistake and 2 likely mistakes``."""
    counts = ((errors, "mistake"), (warnings, "likely mistake"))
    return " and ".join(f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts if count)

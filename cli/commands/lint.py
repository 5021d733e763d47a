"""``autodiff lint``: likely mistakes in scripts, found without running them.

The findings are the result, so they go to standard output in every format; what keeps a file from being
read goes to standard error.
"""

from __future__ import annotations

from autodiff.cli.arguments import Request
from autodiff.cli.exit_codes import COMPILE, NO, OK, USAGE
from autodiff.cli.inputs import NoScript, read_script
from autodiff.cli.session import Session
from autodiff.core.errors import CompileError, UsageError


def lint_scripts(session: Session) -> int:
    """Lint one script after the other; the worst of them decides the exit code."""
    request = session.request
    check_code_is_for_one(request)
    statuses = []
    findings = 0
    for argument in (request.argument, *request.others):
        one = Request(request.command, argument, request.values)
        try:
            session.script = read_script(one)
        except NoScript:
            raise
        except UsageError as error:
            if not request.others:
                raise
            session.script = None
            session.say(error)
            statuses.append(USAGE)
            continue
        count, status = lint_one(session)
        findings += count
        statuses.append(status)
    if session.diagnostics == "text":
        conclude_for_people(session, findings, len(statuses))
    return next((status for status in (USAGE, COMPILE, NO) if status in statuses), OK)


def lint_one(session: Session) -> tuple[int, int]:
    """Show what is found in the session's script; how much it is, and the exit code for it."""
    from autodiff.grammar.lints import lint

    assert session.script is not None
    stream = None if session.is_silent else session.out
    try:
        found = lint(session.script.source)
    except CompileError as error:
        if stream is not None:
            session.say_all(error, stream)
        return 0, COMPILE
    if stream is not None:
        for finding in found:
            session.say(finding, "warning", stream)
    return len(found), NO if found else OK


def conclude_for_people(session: Session, findings: int, scripts: int) -> None:
    """The line at the end."""
    if session.is_quiet:
        return
    where = f" in {scripts:,} scripts" if scripts > 1 else ""
    if findings:
        plural = "" if findings == 1 else "s"
        session.out.write(
            f"found {findings:,} likely mistake{plural}{where}; `autodiff help CODE` explains\n"
        )


def check_code_is_for_one(request: Request) -> None:
    """Refuse ``-e`` behind several files, and standard input read twice."""
    if request.others and request.texts("e"):
        raise UsageError(
            "-e continues one script, and several are given",
            code="E0610",
            help=("lint the code alone, or name one file",),
        )
    if (request.argument, *request.others).count("-") > 1:
        raise UsageError(
            "standard input can be read only once, and it is wanted for two scripts",
            code="E0610",
            help=("give `-` once",),
        )

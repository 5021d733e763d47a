"""The entry point: reads the command line, runs the command under supervision, sets the exit code.

``conclude`` handles every exception of every command. Commands are imported when they are called.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

from autodiff.cli.command_line.fast_parser import Request, read_arguments
from autodiff.cli.commands import command
from autodiff.cli.process.exit_codes import (
    NO,
    OK,
    TIMEOUT,
    OutputError,
    TimeOutError,
    as_autodiff_error,
    exit_code,
)
from autodiff.cli.process.streams import visible_lines
from autodiff.cli.process.supervisor import settle_signals, supervise
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import AutodiffError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from autodiff.cli.process.chores import Chore


def main() -> NoReturn:
    """Run the program ``autodiff``."""
    settle_signals()
    arguments = sys.argv[1:]
    request = read_arguments(arguments)
    session = Session(request or Request("", "", {}))
    if request is None:
        session.peek(arguments)
    began = monotonic()
    supervise(
        lambda: attempt(session, lambda: dispatch(session, arguments)),
        lambda: time_over(session),
        (lambda: progress(session, began)) if session.err.is_terminal else None,
        lambda: ends_a_part(session),
    )


def progress(session: Session, began: float) -> list[Chore]:
    """What shows how far the work is, on a terminal that can erase it, unless ``-q`` is given.

    Nothing does where the result goes into a pipe, whose reader may be using the terminal.
    """
    is_wanted = not session.is_quiet and session.diagnostics == "text" and not session.out.is_pipe
    if not is_wanted or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return []
    from autodiff.cli.requests.progress import progress_of

    return [progress_of(session, began)]


def dispatch(session: Session, arguments: list[str]) -> int | None:
    """Run the command. Return its exit code, or None if it has none."""
    if arguments == ["--version"]:
        from importlib.metadata import version

        session.show_text("autodiff " + version("autodiff") + "\n")
    elif session.request.command:
        session.open_output()
        return run_command(session)
    else:
        from autodiff.cli.command_line.click_parser import read_with_click

        made = read_with_click(arguments, session.out.width)
        if isinstance(made, Request):
            session.adopt(made)
            session.open_output()
            return run_command(session)
        if made:
            session.show_text(made.rstrip("\n") + "\n")
    return OK


def run_command(session: Session) -> int:
    """Run the command. Return its exit code, which is 1 if ``--fail-on`` asks for it."""
    status = command(session.request.command)(session)
    session.tell_of_ended()
    return status or (NO if session.failures else OK)


def attempt(session: Session, work: Callable[[], int | None]) -> int:
    """Do the work and flush the output. Return an exit code whatever happens."""
    try:
        status = work()
        session.finish()
    except BaseException as error:
        return conclude(session, error)
    return status or OK


def conclude(session: Session, error: BaseException) -> int:
    """Report the error on stderr and return its exit code."""
    try:
        shown = as_autodiff_error(error) or describe_bug(error)
        if session.columns:
            from autodiff.cli.requests.row_sources import tell_columns

            tell_columns(session, shown)
        if not isinstance(error, OutputError):
            session.show_failure(shown)
            if session.format in ("json", "verdict") and not session.is_silent:
                session.finish()  # the file of -o gets the failure too
            session.out.flush()
    except OutputError as unwritten:
        error = unwritten
    session.out.drop()
    try:
        if not session.is_silent:
            explain_failure(session, error)
        session.err.flush()
    except OutputError:
        session.err.drop()  # stderr is closed too; only the exit code remains
    return exit_code(error)


def explain_failure(session: Session, error: BaseException) -> None:
    from autodiff.cli.command_line.script_source import NoScript

    if isinstance(error, NoScript) and session.diagnostics == "text":
        from autodiff.cli.command_line.click_parser import read_with_click

        text = read_with_click([session.request.command, "--help"], session.err.width)
        session.err.write(str(text).rstrip("\n") + "\n\n")
    shown = as_autodiff_error(error) or describe_bug(error)
    session.say_all(shown)
    if exit_code(error) != TIMEOUT:
        session.tell_of_ended()
    if os.environ.get("AUTODIFF_DEBUG") and shown is not error:
        from traceback import format_exception

        session.err.write(visible_lines("".join(format_exception(error))))


def describe_bug(error: BaseException) -> AutodiffError:
    """The error to show for an unexpected exception: a bug in autodiff."""
    traceback = error.__traceback__
    place = ""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{traceback.tb_lineno}, in {code.co_name}"
        traceback = traceback.tb_next
    words = str(error).partition("\n")[0][:200]
    return AutodiffError(
        f"this is a mistake in autodiff, not in your script: {type(error).__name__}"
        + (f": {words}" if words else ""),
        help=(
            f"it happened at {place}",
            "please report it with the script; AUTODIFF_DEBUG=1 shows the traceback",
        ),
    )


def time_over(session: Session) -> int:
    """Report that the time limit is over. Return the exit code; the work is abandoned.

    What was answered until then is shown first.
    """
    if session.show_so_far is not None and session.format not in ("json", "verdict"):
        session.show_so_far()  # in these formats a failure has its own form
    if session.scripts_left:
        others = "1 script" if session.scripts_left == 1 else f"{session.scripts_left:,} scripts"
        session.note(f"what runs cannot be interrupted, and {others} after it had no turn", "warning")
    return conclude(session, session.time_out or time_out_error(session))


def ends_a_part(session: Session) -> bool:
    """Whether the time that is over ends extra work alone, or one of several scripts; the rest goes on."""
    from autodiff.core.base.extra_work import end_extra_work

    if end_extra_work():
        session.has_ended_extra = True
        return True
    if session.has_several and session.time_out is None:
        session.time_out = time_out_error(session)
        return True
    return False


def time_out_error(session: Session) -> TimeOutError:
    """The error for a script whose time is over, with the place where it is."""
    limit = session.request.seconds("timeout")
    caret, advice = "it was still running here", "check that the loop ends"
    own, place = session.time_help, session.time_place()
    if place and own is not None:
        advice = own()
    elif session.has_run:
        caret = "the script had ended, its answer had not"
        advice = "ask about fewer inputs with --wrt" if own is None else own()
    return TimeOutError(
        f"stopped after {limit:g} second{'s' * (limit != 1)}"
        + (f" at {place}" if place else f": {caret}" * session.has_run),
        caret=caret,
        help=(f"{advice}, or give it more time: --timeout {10 * limit:g}, 0 for no limit",),
        span=session.place_of_run(),
    )

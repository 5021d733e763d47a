"""Commands that take several scripts: files and folders become scripts, and the worst result counts."""

from __future__ import annotations

import os
import re

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.script_source import STDIN, NoScript, read_script
from autodiff.cli.process.exit_codes import (
    COMPILE,
    LIMIT,
    NO,
    OK,
    SCRIPT,
    USAGE,
    OutputError,
    as_autodiff_error,
    exit_code,
)
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SUFFIX, PYTHON_SUFFIX = ".ad", ".py"
#: What a Python file imports if it is a script: torch, and modules that scripts have.
SCRIPT_MODULES = frozenset(["torch", "numpy", "math", "random", "typing", "__future__"])
IMPORTED = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
LARGEST_PYTHON_FILE = 1 << 20
#: Exit codes from the worst to the best, and what the scripts with each are called in the last line.
OUTCOMES = {
    USAGE: "unreadable",
    COMPILE: "with errors",
    SCRIPT: "failed",
    LIMIT: "stopped by a limit",
    NO: "",
    OK: "ok",
}
#: What scripts are called that are neither well nor bad, such as those that end at a kink.
UNDECIDED = "undecided"


class Outcome:
    """What came of one script: its exit code, a few words for its line, and what shows the whole result.

    The result of one of several scripts is not shown if it ``is_well``; one that is neither well nor bad is
    counted as undecided. ``closing`` ends the result of a single script.
    """

    __slots__ = ("closing", "is_well", "show", "status", "words")

    def __init__(
        self, status: int, words: str, is_well: bool, show: Callable[[], None], closing: str = ""
    ) -> None:
        self.status = status
        self.words = words
        self.is_well = is_well
        self.show = show
        self.closing = closing


def work_on_each(session: Session, work: Callable[[Session], Outcome], bad: str) -> int:
    """Do the work for every script of the request and return the worst exit code.

    One script is shown as if the command took no more. Of several each has a line, with the result below it
    if it is not well, and the last line counts; what the scripts print is left out. ``bad`` is what those
    with exit code 1 are called there. Where another program reads the output, there are only the results,
    JSON documents each on its own line.
    """
    request = session.request
    paths = find_scripts(request)
    if paths == [request.argument]:
        session.script = read_script(request)
        outcome = work(session)
        outcome.show()
        session.show_text(outcome.closing)
        return outcome.status
    results = []
    session.shows_prints, session.has_several = False, True
    for path in paths:
        session.request = Request(request.command, path, request.values)
        session.script, session.warnings, session.has_run = None, [], False
        results.append(work_on_one(session, work))
        session.flush()
    if is_for_reading(session):
        names = [OUTCOMES[status] or bad if is_well or status else UNDECIDED for status, is_well in results]
        order = (OUTCOMES[OK], UNDECIDED, *(name or bad for name in reversed(OUTCOMES.values())))
        told = ", ".join(f"{names.count(name):,} {name}" for name in dict.fromkeys(order) if name in names)
        session.show_text(f"{len(paths):,} script{'s' * (len(paths) != 1)}: {told}\n")
    return next(status for status in OUTCOMES if any(status == found for found, _ in results))


def work_on_one(session: Session, work: Callable[[Session], Outcome]) -> tuple[int, bool]:
    """Work on one script of several, and show what came of it; an error does not end the others.

    Return its exit code, and whether its result is well.
    """
    try:
        session.script = read_script(session.request)
        outcome = work(session)
    except Exception as error:
        shown = as_autodiff_error(error)
        if shown is None or isinstance(error, (OutputError, NoScript)):
            raise
        show_line(session, f"error[{shown.code}]")  # the message stands on stderr, with its place
        session.show_failure(shown)
        if not session.is_silent:
            session.flush()
            session.say_all(shown)
        return exit_code(shown), False
    show_line(session, outcome.words)
    if not is_for_reading(session):
        outcome.show()
    elif not outcome.is_well:
        session.show_text("\n")
        outcome.show()
        session.show_text("\n")
    return outcome.status, outcome.is_well


def show_line(session: Session, words: str) -> None:
    """Write the line of one script of several."""
    if is_for_reading(session):
        session.show_text(f"{visible(session.request.argument)}: {visible(words)}\n")


def is_for_reading(session: Session) -> bool:
    """Whether lines about scripts may stand between the results."""
    results_are_diagnostics = session.request.command == "lint" and session.diagnostics != "text"
    return session.format != "json" and not results_are_diagnostics


def find_scripts(request: Request) -> list[str]:
    """The scripts of a request: files as given, and those in folders."""
    given = (request.argument, *request.others)
    if given.count(STDIN) > 1:
        raise UsageError(
            "standard input can be read only once, and it is wanted for two scripts",
            code="E0610",
            help=("give `-` once",),
        )
    paths = [path for one in given for path in (in_folder(one) if os.path.isdir(one) else [one])]
    for option, values in (("-e", request.texts("e")), ("--formula", request.texts("formula"))):
        if values and len(paths) > 1:
            raise UsageError(
                f"{option} belongs to one script, and several are given",
                code="E0610",
                help=("name one file",),
            )
    return paths


def in_folder(folder: str) -> list[str]:
    """The scripts in a folder and in the folders in it, except hidden ones."""
    found = sorted(scripts_below(folder))
    if not found:
        raise UsageError(
            f"there is no script in {visible(folder)}",
            code="E0611",
            help=(
                f"the scripts of a folder are its {SUFFIX} files, and its {PYTHON_SUFFIX} files that import"
                " torch and nothing that scripts lack; name others one by one",
            ),
        )
    return found


def scripts_below(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [os.path.normpath(os.path.join(parent, name)) for name in files if not name.startswith(".")]
        yield from (path for path in paths if path.endswith(SUFFIX) or is_torch_script(path))


def is_torch_script(path: str) -> bool:
    """Whether a Python file imports torch and no module that scripts lack, as programs and tests do."""
    if not path.endswith(PYTHON_SUFFIX):
        return False
    try:
        with open(path, encoding="utf-8") as file:
            imported = set(IMPORTED.findall(file.read(LARGEST_PYTHON_FILE)))
    except (OSError, UnicodeDecodeError):
        return False
    return "torch" in imported and imported <= SCRIPT_MODULES

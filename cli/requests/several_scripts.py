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
    TIMEOUT,
    USAGE,
    OutputError,
    as_autodiff_error,
    exit_code,
)
from autodiff.cli.process.streams import visible
from autodiff.cli.process.supervisor import clock
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import AutodiffError, PartOverError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SUFFIX, PYTHON_SUFFIX = ".ad", ".py"
#: The libraries one of which a Python file in a folder imports if it is a script.
LIBRARIES = frozenset(["torch", "numpy"])
#: Modules that scripts have beside these and beside what draws and the like.
SCRIPT_MODULES = LIBRARIES | {"math", "random", "typing", "__future__"}
#: The error that nothing is computed: of a script found in a folder it is no mistake.
NOTHING_COMPUTED = "E0604"
IMPORTED = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
#: A gradient that is given to an optimizer of scipy, which its steps need not.
OPTIMIZED = re.compile(r"\b(?:jac|fprime)\s*=|\bfmin_\w+\(|\bcheck_grad\(")
LARGEST_PYTHON_FILE = 1 << 20
#: The most files that the note on files left out names.
MOST_LEFT_OUT = 3
#: Exit codes from the worst to the best, and what the scripts with each are called in the last line.
OUTCOMES = {
    USAGE: "unreadable",
    COMPILE: "with errors",
    SCRIPT: "failed",
    TIMEOUT: "out of time",
    LIMIT: "stopped by a limit",
    NO: "",
    OK: "ok",
}
#: What scripts are called that are neither well nor bad, such as those that end at a kink.
UNDECIDED = "undecided"
#: What scripts are called in which there is nothing to check.
NOTHING = "with nothing to check"
#: What scripts are called whose result is right and that ``--fail-on`` makes fail.
FAILED_ON = "failed by --fail-on"


class Outcome:
    """What came of one script: its exit code, a few words for its line, and what shows the whole result.

    The result of one of several scripts is not shown if it ``is_well``; one that is neither well nor bad is
    counted as undecided. ``closing`` ends the result of a single script. ``called`` is what a script is
    counted as, if not what its exit code says.
    """

    __slots__ = ("called", "closing", "is_well", "show", "status", "words")

    def __init__(
        self,
        status: int,
        words: str,
        is_well: bool,
        show: Callable[[], None],
        closing: str = "",
        called: str = "",
    ) -> None:
        self.called = called
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
    paths, found = find_scripts(session)
    if paths == [request.argument]:
        session.script = read_script(request)
        outcome = work(session)
        outcome.show()
        session.show_text(outcome.closing)
        return outcome.status
    results = []
    session.shows_prints, session.has_several = False, True
    for at, path in enumerate(paths):
        session.scripts_left = len(paths) - at - 1
        session.request = Request(request.command, path, request.values)
        session.script, session.warnings, session.has_run, session.failures = None, [], False, []
        session.show_so_far = session.time_out = None
        results.append(work_on_one(session, work, path in found))
        session.tell_of_ended()
        session.flush()
    if is_for_reading(session):
        names = [
            outcome.called or OUTCOMES[outcome.status] or bad
            if outcome.is_well or outcome.status
            else UNDECIDED
            for outcome in results
        ]
        order = (
            OUTCOMES[OK],
            UNDECIDED,
            NOTHING,
            FAILED_ON,
            *(name or bad for name in reversed(OUTCOMES.values())),
        )
        counts = ", ".join(f"{names.count(name):,} {name}" for name in dict.fromkeys(order) if name in names)
        session.show_text(f"{len(paths):,} script{'s' * (len(paths) != 1)}: {counts}\n")
    if all(outcome.called == NOTHING for outcome in results):
        return USAGE
    return next(status for status in OUTCOMES if any(status == outcome.status for outcome in results))


def work_on_one(session: Session, work: Callable[[Session], Outcome], is_found: bool) -> Outcome:
    """Work on one script of several, and show what came of it; an error does not end the others.

    ``is_found`` says that the script is one of a folder.
    """
    try:
        session.script = read_script(session.request)
        outcome = work(session)
        clock.start(0)  # showing it takes no time to speak of, and is not interrupted
    except (Exception, PartOverError) as error:
        clock.start(0)
        shown = session.time_out if isinstance(error, PartOverError) else as_autodiff_error(error)
        if shown is None or isinstance(error, (OutputError, NoScript)):
            raise
        if not (is_found and shown.code == NOTHING_COMPUTED):
            return show_error(session, shown)
        session.note(f"{session.request.argument}: nothing to check: {shown.message}")
        outcome = Outcome(OK, "nothing to check", True, lambda: None, called=NOTHING)
    show_line(session, outcome.words)
    if not is_for_reading(session):
        outcome.show()
    elif not outcome.is_well:
        session.show_text("\n")
        outcome.show()
        session.show_text("\n")
    return outcome


def show_error(session: Session, error: AutodiffError) -> Outcome:
    """Show what ended one script of several; the message stands on stderr, with its place."""
    status = exit_code(error)
    show_line(session, f"error[{error.code}]")
    session.show_failure(error)
    if not session.is_silent:
        session.flush()
        session.say_all(error)
    return Outcome(status, "", False, lambda: None)


def failure_line(session: Session, error: AutodiffError) -> str:
    """The line of ``--format verdict`` for a script that ends with an error."""
    from autodiff.cli.render.verdicts import lines_of

    name = session.request.argument if session.has_several else None
    return lines_of([("", "", OUTCOMES[exit_code(error)])], name, has_files_of_formulas(session.request))


def has_files_of_formulas(request: Request) -> bool:
    return any(text.startswith("@") for text in request.texts("formula"))


def show_line(session: Session, words: str) -> None:
    """Write the line of one script of several."""
    if is_for_reading(session):
        session.show_text(f"{visible(session.request.argument)}: {visible(words)}\n")


def is_for_reading(session: Session) -> bool:
    """Whether lines about scripts may stand between the results."""
    results_are_diagnostics = session.request.command == "lint" and session.diagnostics != "text"
    return session.format not in ("json", "verdict") and not results_are_diagnostics


def find_scripts(session: Session) -> tuple[list[str], set[str]]:
    """The scripts of a request, files as given and those in folders, and which are of folders.

    A note says what was left out there.
    """
    request = session.request
    given = (request.argument, *request.others)
    if given.count(STDIN) > 1:
        raise UsageError(
            "standard input can be read only once, and it is wanted for two scripts",
            code="E0610",
            help=("give `-` once",),
        )
    is_by_hand = "@" in request.texts("formula")
    folders = {one: in_folder(one, is_by_hand) for one in given if os.path.isdir(one)}
    paths = [path for one in given for path in (folders[one].scripts if one in folders else [one])]
    left_out = {path: module for folder in folders.values() for path, module in folder.left_out.items()}
    for path in paths:
        left_out.pop(os.path.normpath(path), None)
    if left_out:
        session.note(left_out_sentence(left_out))
    if request.texts("e") and len(paths) > 1:
        raise UsageError(
            "-e belongs to one script, and several are given", code="E0610", help=("name one file",)
        )
    if f"@{STDIN}" in request.texts("formula") and len(paths) > 1:
        raise UsageError(
            "standard input can be read only once, and several scripts are given",
            code="E0610",
            help=("write the formulas to a file, and name it: --formula @FILE",),
        )
    return paths, {path for folder in folders.values() for path in folder.scripts}.difference(given)


class Folder:
    """The scripts in a folder, and the files left out, each with a module it imports that scripts lack."""

    __slots__ = ("left_out", "scripts")

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.left_out: dict[str, str] = {}


def in_folder(folder: str, is_by_hand: bool) -> Folder:
    """The scripts in a folder and in the folders in it, except hidden ones.

    ``is_by_hand`` says that the steps of the scripts are judged.
    """
    from autodiff.grammar.objects.side_modules import DRAWING_MODULES, MODULES

    found, of_scripts = Folder(), SCRIPT_MODULES | DRAWING_MODULES | MODULES.keys()
    for path in sorted(files_below(folder)):
        if path.endswith(SUFFIX):
            found.scripts.append(path)
        elif path.endswith(PYTHON_SUFFIX):
            imported = imports_of(path, is_by_hand)
            foreign = min(imported - of_scripts, default=None)
            if imported & LIBRARIES and foreign is None:
                found.scripts.append(path)
            elif imported & LIBRARIES and foreign is not None:
                found.left_out[path] = foreign
    if not found.scripts:
        left_out = (left_out_sentence(found.left_out),) if found.left_out else ()
        raise UsageError(
            f"there is no script in {visible(folder)}",
            code="E0611",
            help=(
                f"the scripts of a folder are its {SUFFIX} files, and its {PYTHON_SUFFIX} files that import"
                " torch or numpy and nothing that scripts lack; name others one by one",
                *left_out,
            ),
        )
    return found


def left_out_sentence(files: dict[str, str]) -> str:
    """Which files of folders were left out, each with the module that scripts lack."""
    shown = [f"{path} ({module})" for path, module in list(files.items())[:MOST_LEFT_OUT]]
    if len(files) > MOST_LEFT_OUT:
        shown.append(f"{len(files) - MOST_LEFT_OUT:,} more")
    count = (
        "1 file of torch or numpy was" if len(files) == 1 else f"{len(files):,} files of torch or numpy were"
    )
    return (
        f"{count} left out for another import: {', '.join(shown)};"
        f" name {'it' if len(files) == 1 else 'them'} to have {'it' if len(files) == 1 else 'them'} read too"
    )


def files_below(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (
            os.path.normpath(os.path.join(parent, name)) for name in files if not name.startswith(".")
        )


def imports_of(path: str, is_by_hand: bool) -> set[str]:
    """The modules that a Python file imports; none if it cannot be read.

    Where the steps of a script are judged, scipy is none if it gets a gradient from the script.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LARGEST_PYTHON_FILE)
    except (OSError, UnicodeDecodeError):
        return set()
    found = set(IMPORTED.findall(text))
    return found - {"scipy"} if is_by_hand and OPTIMIZED.search(text) else found

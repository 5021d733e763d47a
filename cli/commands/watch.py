"""``autodiff watch``: runs another command again whenever one of its files changes, until Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys

from autodiff.cli.command_line.fast_parser import Request, read_arguments
from autodiff.cli.command_line.script_source import STDIN
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The package that runs as the program: that of the room of commands.
PROGRAM = __name__.rpartition(".commands.")[0]
CLEAR = "\x1b[2J\x1b[H"
INTERVAL = 100  # milliseconds after which a look at the changes ends without one


def command(session: Session) -> None:
    """Run the command, and anew after each change; a run that has not ended by then is stopped."""
    words = [session.request.argument, *session.request.others]
    files = watched_files(read_request(session, words))
    if not files:
        raise UsageError(
            "there is no file to watch",
            code="E0610",
            help=("name the command and its script, as in: autodiff watch grad net.ad",),
        )
    watch = import_watch()
    names = {os.path.realpath(path) for path in files}
    changes = watch(
        *sorted({os.path.dirname(name) for name in names}),
        watch_filter=lambda change, path: os.path.realpath(path) in names,
        recursive=False,
        rust_timeout=INTERVAL,
        yield_on_timeout=True,
    )
    next(changes)  # the first look starts the watcher: later changes wait there until they are asked for
    while True:
        if session.out.is_terminal and os.environ.get("TERM", "dumb") not in ("", "dumb"):
            session.out.write(CLEAR)
        session.flush()
        running = subprocess.Popen([sys.executable, "-P", "-m", PROGRAM, *words])
        next(found for found in changes if found)
        running.terminate()
        running.wait()


def read_request(session: Session, words: list[str]) -> Request:
    """The request of the command that is to run. Raises UsageError where its line is wrong."""
    made: Request | str | None = read_arguments(words)
    if made is None and words != [""]:
        from autodiff.cli.command_line.click_parser import read_with_click

        made = read_with_click(words, session.out.width)
    if not isinstance(made, Request) or made.command == "watch":
        raise UsageError(
            f"`autodiff watch` takes a command with its script, not `{' '.join(words)}`"
            if words != [""]
            else "`autodiff watch` takes a command with its script",
            code="E0610",
            help=("as in: autodiff watch grad net.ad",),
        )
    return made


def watched_files(request: Request) -> list[str]:
    """The files that a request reads: scripts and files of numbers."""
    texts = [request.argument, *request.others]
    for name in ("data", "each", "cov"):
        value = request.values.get(name)
        texts += value if isinstance(value, tuple) else [str(value)] if value else []
    for name in ("set", "sigma", "vector", "formula"):
        texts += [text.partition("@")[2] for text in request.texts(name)]
    return [text for text in texts if text not in ("", STDIN) and os.path.isfile(text)]


def import_watch() -> Callable[..., Any]:
    """The function of the library that waits for changes."""
    try:
        from watchfiles import watch
    except ImportError:
        raise UsageError(
            "`autodiff watch` needs the library watchfiles, which is not installed",
            code="E0620",
            help=("in autodiff's own folder, this installs it: python -m pip install '.[watch]'",),
        ) from None
    return watch

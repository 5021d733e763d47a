"""Plays a story on a terminal. rich draws it; keys are read as they are pressed.

The terminal gets back its settings whatever ends the program: the main thread restores them before a signal
does (``cli/process/chores.py``).
"""

from __future__ import annotations

import os
import re
import sys
from threading import Event

from autodiff.cli.process.streams import (
    DEFAULT_WIDTH,
    find_height,
    find_width,
    is_in_foreground,
    status_line,
)
from autodiff.cli.process.supervisor import clock, request_chore
from autodiff.cli.render.roles import paint
from rich.console import Console, ConsoleDimensions
from rich.live import Live
from rich.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.render.trace_frame import Frames
    from autodiff.cli.requests.session import Session

SPACE, LEFT, RIGHT, HOME, END, QUIT = " ", "left", "right", "home", "end", "q"
#: The sequences that terminals send for keys.
SEQUENCES = {
    **{"\x1b[D": LEFT, "\x1bOD": LEFT, "\x1b[C": RIGHT, "\x1bOC": RIGHT},
    **{"\x1b[H": HOME, "\x1bOH": HOME, "\x1b[1~": HOME, "\x1b[F": END, "\x1bOF": END, "\x1b[4~": END},
}
SHOW_CURSOR = "\x1b[?25h"
#: What a key sends: a sequence, or one character.
KEY = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|[^\x1b]|\x1b(?!$|[\[O][\d;]*$)")
MOST_BYTES = 1024  # in one read: a key that is held sends many sequences


class Keyboard:
    """The keys of the terminal, without echo and without waiting for the end of a line.

    It is a chore of the main thread: while there is one, signals wait until ``write_some`` has restored the
    terminal. ``fd`` is None if there is no terminal to read from, and nothing is changed then.
    """

    def __init__(self, screen: int) -> None:
        self.fd = terminal_to_read()
        self._screen = screen
        self._saved: Any = None
        self._is_open = True
        self._begun = Event()
        self._typed = ""  # and not followed yet

    def open(self) -> None:
        """Change the settings, once signals are caught."""
        request_chore(self)
        self._begun.wait(1)
        if self.fd is None:
            return
        import termios

        self._saved = termios.tcgetattr(self.fd)
        settings = termios.tcgetattr(self.fd)
        settings[3] &= ~(termios.ECHO | termios.ICANON)
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        settings[6][termios.VSUSP] = os.fpathconf(self.fd, "PC_VDISABLE").to_bytes(1, "little")
        termios.tcsetattr(self.fd, termios.TCSADRAIN, settings)

    def close(self) -> None:
        """Restore the settings; a second call does nothing."""
        self._is_open = False
        if self._saved is not None and self.fd is not None:
            import termios

            saved, self._saved = self._saved, None
            termios.tcsetattr(self.fd, termios.TCSADRAIN, saved)

    def read(self, seconds: float | None) -> str | None:
        """The next key, or None if there is none in this time; ``q`` if the terminal is gone.

        Keys that came together are given one by one. A part of a sequence waits for its rest, and is no key.
        """
        import select

        if self.fd is None:
            self._begun.clear()
            self._begun.wait(seconds)
            return None
        found = KEY.match(self._typed)
        if found is None:
            if not select.select([self.fd], [], [], seconds)[0]:
                return None
            data = os.read(self.fd, MOST_BYTES).decode("latin-1")
            if not data:
                return QUIT
            self._typed += data
            found = KEY.match(self._typed)
        if found is None:
            return ""
        self._typed = self._typed[found.end() :]
        return SEQUENCES.get(found[0], found[0][:1].lower())

    # -- as a chore, on the main thread ------------------------------------------------

    def begin(self) -> None:
        """Signals are caught from now on."""
        self._begun.set()

    def run_once(self) -> bool:
        """Nothing to do while the terminal is in use."""
        return self._is_open

    def end(self) -> None:
        """Nothing is left to do: the player has closed the keyboard."""

    def write_some(self, seconds: float) -> None:
        """Restore the terminal before the process ends."""
        if self._is_open:
            os.write(self._screen, f"{SHOW_CURSOR}\r\n".encode())
        self.close()


def terminal_to_read() -> int | None:
    """The terminal for keys: standard input, or the controlling terminal if a script came that way."""
    try:
        import termios

        if sys.stdin is not None and os.isatty(sys.stdin.fileno()):
            fd = sys.stdin.fileno()
        else:
            fd = os.open("/dev/tty", os.O_RDONLY)
        termios.tcgetattr(fd)
    except (ImportError, OSError, ValueError):
        return None
    return fd if is_in_foreground(fd) else None


def play(session: Session, frames: Frames, steps_a_minute: int) -> None:
    """Show the frames one after another, as keys say, until ``q`` or without keys until the end."""
    out = session.out
    assert out.fd is not None
    clock.start(0)  # the time limit is for the script
    out.flush()
    with status_line.lock:
        status_line.erase()
    keyboard = Keyboard(out.fd)
    keyboard.open()
    try:
        with open(out.fd, "w", encoding=out.encoding, errors="backslashreplace", closefd=False) as file:
            console = Console(file=file, force_terminal=True, legacy_windows=False, color_system="truecolor")
            with Live(
                console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
            ) as live:
                show_all(session, frames, keyboard, live, 60 / steps_a_minute)
    finally:
        keyboard.close()


def show_all(session: Session, frames: Frames, keyboard: Keyboard, live: Live, pause: float) -> None:
    """Draw frames and follow the keys."""
    at, is_playing = 0, True
    while True:
        live.update(screen_of(session, frames, at, live.console, keyboard.fd is not None), refresh=True)
        is_over = at == frames.last
        if is_over and keyboard.fd is None:
            return
        key = keyboard.read(pause if is_playing and not is_over else None)
        if key == QUIT:
            return
        at, is_playing = follow(key, at, is_playing and not is_over, frames.last)


def follow(key: str | None, at: int, is_playing: bool, last: int) -> tuple[int, bool]:
    """The next frame and whether it plays on, after a key; None for the pause between two frames.

    >>> follow(None, 3, True, 9), follow("right", 3, True, 9), follow("left", 0, False, 9)
    ((4, True), (4, False), (0, False))
    >>> follow(" ", 3, True, 9), follow(" ", 3, False, 9), follow(" ", 9, False, 9)
    ((3, False), (4, True), (0, True))
    """
    if key is None:
        return min(at + 1, last), is_playing
    if key == SPACE:
        if is_playing:
            return at, False
        return (0, True) if at == last else (at + 1, True)
    if key in (LEFT, RIGHT):
        return min(max(at + (1 if key == RIGHT else -1), 0), last), False
    if key in (HOME, END):
        return (0 if key == HOME else last), False
    return at, is_playing


def screen_of(session: Session, frames: Frames, at: int, console: Console, has_keys: bool) -> Text:
    """A frame as rich draws it, for the size that the terminal has now."""
    fd = session.out.fd
    width = find_width(os.environ, fd, True) or DEFAULT_WIDTH
    height = find_height(os.environ, fd, True)
    console.size = ConsoleDimensions(width, height)
    lines = frames.lines(at, width, height, has_keys)
    painted = ["".join(paint(session.styles, role, text) for role, text in line) for line in lines]
    return Text.from_ansi("\n".join(painted), no_wrap=True, overflow="crop")

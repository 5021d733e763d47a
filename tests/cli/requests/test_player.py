"""``trace`` on a terminal: it plays, follows keys, and leaves the terminal as it was, whatever ends it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from contextlib import contextmanager

import pytest
from autodiff.cli.requests import player
from conftest import HANGS, REPOSITORY

from tests.cli.conftest import PROGRAM, environment

SEED = REPOSITORY / "examples" / "seeds" / "1_autograd.ad"
SEQUENCE = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
#: Makes the terminal of standard output the controlling one, then becomes the program.
ON_TERMINAL = """\
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background ignores it
fcntl.ioctl(1, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A terminal with the program on it: what it shows, the keys typed, its settings."""

    def __init__(self, ours, theirs, process):
        self.ours, self.theirs, self.process = ours, theirs, process
        self.seen = ""

    def wait_for(self, text):
        """Read until a screen shows the text, and forget what came before."""
        while text not in SEQUENCE.sub("", self.seen):
            try:
                self.seen += os.read(self.ours, 65536).decode()
            except OSError:
                pytest.fail(f"{text!r} was not shown in {self.seen[-2000:]!r}")
        shown, self.seen = SEQUENCE.sub("", self.seen), ""
        return shown

    def press(self, keys):
        os.write(self.ours, keys.encode())

    @property
    def settings(self):
        return termios.tcgetattr(self.theirs)


@contextmanager
def terminal(*arguments, stdin=None, env=None):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", ON_TERMINAL, *PROGRAM, *map(str, arguments)],
        stdin=theirs if stdin is None else stdin,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=environment(**{"TERM": "xterm-256color", **(env or {})}),
    )
    watchdog = threading.Timer(HANGS, process.kill)
    watchdog.start()
    try:
        yield Terminal(ours, theirs, process)
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def test_keys_pause_step_and_end():
    with terminal("trace", SEED, "--speed", "1") as screen:  # a step a minute: only keys move it
        before = screen.settings
        screen.wait_for("q: end")
        assert screen.settings != before
        screen.press("\x1b[C")
        assert "x1 is 1, an input: nothing made it" in screen.wait_for("q: end")
        for _ in range(6):
            screen.press("\x1bOC")
            shown = screen.wait_for("q: end")
        assert "x4 is 2 = mul(w1, x2)" in shown or "x3 is 1 = mul(w1, x1)" in shown
        screen.press("\x1b[D")
        screen.wait_for("q: end")
        screen.press("\x1b[D" * 4)
        screen.wait_for("step 2 of 11")
        screen.press("\x1b[F")
        assert "the path to w3 gives -x4: (-1) * 1 * 2 = -2" in screen.wait_for("the end")
        screen.press(" ")
        assert "step 0 of 11" in screen.wait_for("q: end")
        screen.press("q")
        assert screen.process.wait() == 0
        assert screen.settings == before


@pytest.mark.parametrize(
    ("chunks", "keys"),
    [
        (["\x1b[C\x1b[C\x1bOC"], ["right", "right", "right"]),
        (["\x1b[D\x1b[4~ Q"], ["left", "end", " ", "q"]),
        (["\x1b[C\x1b", "[D\x1b[1", "~"], ["right", "left", "home"]),
        (["\x1b", "q"], ["", "\x1b", "q"]),
        (["\x1b[5~\x1b[1;5C\x1b[C"], ["\x1b", "\x1b", "right"]),
        (["\x1b[C" * 300], ["right"] * 300),
    ],
)
def test_every_key_that_comes_in_one_piece_counts(chunks, keys, monkeypatch):
    source, target = os.pipe()
    monkeypatch.setattr(player, "terminal_to_read", lambda: source)
    keyboard = player.Keyboard(1)
    read = []
    for chunk in chunks:
        os.write(target, chunk.encode())
        while (key := keyboard.read(0)) is not None:
            read.append(key)
    os.close(target)
    assert (read, keyboard.read(0)) == (keys, "q")
    os.close(source)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_terminal_as_it_was(number):
    with terminal("trace", SEED, "--speed", "1") as screen:
        before = screen.settings
        screen.wait_for("q: end")
        if number == signal.SIGINT:
            screen.press("\x03")
        else:
            screen.process.send_signal(number)
        assert screen.process.wait() == -number
        assert screen.settings == before
        os.set_blocking(screen.ours, False)
        assert "\x1b[?25h" in os.read(screen.ours, 65536).decode(), "the cursor is shown again"


def test_it_plays_by_itself_and_stays_at_the_end():
    with terminal("trace", "-e", "x = 2; L = x*x", "--speed", "6000") as screen:
        shown = screen.wait_for("the end")
        steps = re.findall(r"(forward|backward|paths)  step (\d)", shown)
        assert steps == [("forward", str(n)) for n in range(3)] + [
            *(("backward", str(n)) for n in range(1, 4)),
            *(("paths", str(n)) for n in range(1, 3)),
        ]
        screen.press("q")
        assert screen.process.wait() == 0


def test_a_script_may_come_through_a_pipe():
    with terminal("trace", "-", "--speed", "1", stdin=subprocess.PIPE) as screen:
        screen.process.stdin.write(b"x = 2; L = x*x")
        screen.process.stdin.close()
        screen.wait_for("q: end")
        screen.press("q")
        assert screen.process.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (("--color", "never"), {}),
        ((), {"TERM": "dumb"}),
        (("--format", "plain"), {}),
        ((), {"NO_COLOR": "1"}),
    ],
)
def test_where_it_cannot_play_there_are_tables(arguments, env):
    with terminal("trace", "-e", "x = 2; L = x*x", *arguments, env=env) as screen:
        assert "forward" in screen.wait_for("sum so far")
        assert screen.process.wait() == 0

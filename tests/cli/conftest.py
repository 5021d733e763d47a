"""The program as a process: most of what is promised here is about the process boundary."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time

import pytest

PROGRAM = [sys.executable, "-m", "autodiff.cli"]
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}


def environment(**changes):
    return {**ENVIRONMENT, **changes}


@pytest.fixture
def autodiff(tmp_path):
    """Run the program to its end: ``autodiff("grad", "--wrt", "w", input="w = 3")``."""

    def run(*arguments, input=None, env=None, **options):
        given = {} if input is None else {"input": input.encode() if isinstance(input, str) else input}
        if input is None and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        for stream in ("stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        done = subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            cwd=options.pop("cwd", tmp_path),
            env=environment(**(env or {})),
            timeout=60,
            check=False,
            **given,
            **options,
        )
        done.out = (done.stdout or b"").decode("utf-8", "replace")
        done.err = (done.stderr or b"").decode("utf-8", "replace")
        assert "Traceback" not in done.err
        return done

    return run


@pytest.fixture
def write(tmp_path):
    """Write a script and give its path."""

    def write_file(text, name="script.ad"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


@pytest.fixture
def on_terminal(tmp_path):
    """Run the program with a terminal for its output; gives (exit code, what the terminal saw)."""

    def run(*arguments, columns=80, env=None, stdin=subprocess.DEVNULL):
        ours, theirs = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            stdin=theirs if stdin == "terminal" else stdin,
            stdout=theirs,
            stderr=theirs,
            cwd=tmp_path,
            env=environment(**{"TERM": "xterm-256color", **(env or {})}),
        )
        os.close(theirs)
        seen = b""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other side is closed: Linux says so with EIO
                break
            if not data:
                break
            seen += data
        os.close(ours)
        return process.wait(60), seen.decode("utf-8", "replace").replace("\r\n", "\n")

    return run

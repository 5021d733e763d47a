"""The program as a process: most of what is promised here is about the process boundary."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading

import pytest
from conftest import HANGS
from json_documents import CAN_CHECK, check_document, documents
from program import PROGRAM, environment, quick_program, run_program


@pytest.fixture
def autodiff(tmp_path):
    """Run the program to its end: ``autodiff("grad", "--wrt", "w", input="w = 3")``."""

    def run(*arguments, input=None, env=None, cwd=tmp_path, **options):
        given = input.encode() if isinstance(input, str) else input
        # What else a process inherits, such as its mask, does not reach a fork of another process.
        if options:
            options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
            options |= {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
            done = subprocess.run(
                [*PROGRAM, *map(str, arguments)],
                cwd=cwd,
                env=environment(**(env or {})),
                timeout=HANGS,
                check=False,
                **options,
            )
        else:
            done = run_program(*arguments, input=given, cwd=cwd, **(env or {}))
        done.out = (done.stdout or b"").decode("utf-8", "replace")
        done.err = (done.stderr or b"").decode("utf-8", "replace")
        assert "Traceback" not in done.err
        is_json = "--format" in arguments and {"json", "jsonl"} & {*arguments}
        if CAN_CHECK and is_json and done.out.startswith("{"):
            for document in documents(done.out):
                check_document(document)
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


#: Sets the action of the signals that a terminal sends, then becomes the program. Whoever runs the tests may
#: ignore them, as a shell does for a command in the background, and a new process would ignore them too.
WITH_SIGNALS = """\
import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, getattr(signal, sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def start(tmp_path):
    """Start the program and go on: ``start("run", "a.ad", signals="SIG_IGN")``. It ends with the test.

    It is killed where it hangs, so nobody has to wait for its output with a time limit.
    """
    started = []

    def start_program(*arguments, signals="SIG_DFL", stdin=subprocess.DEVNULL, **streams):
        begins = [sys.executable, "-c", WITH_SIGNALS, signals, *PROGRAM]
        process = subprocess.Popen(
            [*streams.pop("program", begins), *map(str, arguments)],
            stdin=stdin,
            stdout=streams.pop("stdout", subprocess.PIPE),
            stderr=streams.pop("stderr", subprocess.PIPE),
            cwd=tmp_path,
            env=environment(**streams.pop("env", {})),
        )
        watchdog = threading.Timer(HANGS, process.kill)
        watchdog.start()
        started.append((process, watchdog))
        return process

    yield start_program
    for process, watchdog in started:
        watchdog.cancel()
        process.kill()
        process.communicate()


@pytest.fixture
def on_terminal(start):
    """Run the program with a terminal for its output; gives (exit code, what the terminal saw)."""

    def run(*arguments, columns=80, env=None, stdin=subprocess.DEVNULL):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = start(
            *arguments,
            stdin=theirs if stdin == "terminal" else stdin,
            stdout=theirs,
            stderr=theirs,
            program=quick_program(),
            env={"TERM": "xterm-256color", **(env or {})},
        )
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 65536):
                seen += data
        except OSError:  # the other side is closed: Linux says so with EIO
            pass
        os.close(ours)
        return process.wait(), seen.decode("utf-8", "replace").replace("\r\n", "\n")

    return run

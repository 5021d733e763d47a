"""Runs command lines as the program does, but in this process: a thousand of them take seconds.

What only a process has is left out: signals, ``--timeout``, and the limit on the memory of the whole process.
"""

from __future__ import annotations

import ctypes
import gc
import io
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from autodiff.cli.command_line.fast_parser import Request, read_arguments
from autodiff.cli.main import attempt, dispatch
from autodiff.cli.process.supervisor import requested, start_worker, woken
from autodiff.cli.requests import make_report
from autodiff.cli.requests.session import Session
from autodiff.core.base.limits import limits
from autodiff.core.graph import dtypes
from autodiff.core.graph.state import mode


class Stuck(BaseException):
    """Raised in a run that takes too long; no ``except Exception`` may catch it."""


@dataclass(frozen=True)
class CommandLine:
    """The arguments after ``autodiff``, what stands on stdin (None: it is closed), and the files."""

    arguments: tuple[str, ...]
    stdin: bytes | None = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    on_terminal: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a command line wrote and returned; the code is None where it did not end.

    Bytes that are not UTF-8 are lone surrogates, as in the arguments.
    """

    out: str
    err: str
    code: int | None


class Runner:
    """Runs command lines in a folder of its own, each for at most ``seconds`` of processor time."""

    def __init__(self, folder: Path, seconds: float = 10.0) -> None:
        self.folder = folder
        self.seconds = seconds

    def run(self, line: CommandLine) -> Outcome:
        for name, data in line.files.items():
            (self.folder / name).write_bytes(data)
        with ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile("w+b")) for _ in range(2)]
            with replaced_streams(line, streams, self.folder), kept_state():
                code = self.ended(list(line.arguments))
            texts = []
            for stream in streams:
                stream.seek(0)
                texts.append(stream.read().decode("utf-8", "surrogateescape"))
        for name in os.listdir(self.folder):
            (self.folder / name).unlink()
        return Outcome(texts[0], texts[1], code)

    def ended(self, arguments: list[str]) -> int | None:
        """The exit code, or None where the time is over."""
        codes: list[int] = []
        threads: list[tuple[int, int]] = []
        begun = threading.Event()
        done = threading.Event()

        def work() -> None:
            # Of itself only: the system does not look whether another thread still exists.
            threads.append((threading.get_ident(), time.pthread_getcpuclockid(threading.get_ident())))
            begun.set()
            try:
                codes.append(call(arguments))
            finally:
                done.set()

        start_worker(work)
        begun.wait()
        [(thread, clock)] = threads
        while not done.wait(1.0):
            try:
                used = time.clock_gettime(clock)
            except OSError:
                continue  # the thread has just ended
            if used > self.seconds:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stuck))
                done.wait(self.seconds)
                return None
        requested.clear()
        woken.clear()
        return codes[0] if codes else None


def call(arguments: list[str]) -> int:
    """What ``main`` does without signals and limits of the process."""
    request = read_arguments(arguments)
    session = Session(request or Request("", "", {}))
    if request is None:
        session.peek(arguments)
    return attempt(session, lambda: dispatch(session, arguments))


@contextmanager
def replaced_streams(line: CommandLine, streams: list[Any], folder: Path) -> Iterator[None]:
    """The streams are the given files, the folder is the working directory."""
    before = sys.stdin, sys.stdout, sys.stderr, os.getcwd()
    os.chdir(folder)
    sys.stdin = None if line.stdin is None else io.TextIOWrapper(io.BytesIO(line.stdin), encoding="utf-8")
    sys.stdout, sys.stderr = (io.TextIOWrapper(one, encoding="utf-8", write_through=True) for one in streams)
    try:
        with ExitStack() as stack:
            if line.on_terminal:
                stack.enter_context(patch("os.isatty", lambda fd: True))
                stack.enter_context(patch.dict(os.environ, {"TERM": "xterm-256color"}))
                # The player shows its frames without the pauses, which `--speed 1` makes a minute long.
                stack.enter_context(patch("autodiff.cli.requests.player.Keyboard.read", return_value=None))
            yield
    finally:
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = before[:3]
        os.chdir(before[3])


@contextmanager
def kept_state() -> Iterator[None]:
    """Nothing that a run sets for its process stays: limits, modes, the size of stacks."""
    names = ("steps", "nodes", "memory", "depth", "paths", "digits")
    values = [getattr(limits, name) for name in names]
    stack, depth, number = threading.stack_size(), sys.getrecursionlimit(), mode.number
    mode.number = 0  # printed nodes have it in their addresses
    gc.disable()  # as the program does; a search for cycles would swallow what stops a run
    with patch.object(make_report, "set_wall", lambda memory: None), warnings.catch_warnings(action="ignore"):
        try:
            yield
        finally:
            gc.enable()
            threading.stack_size(stack)
            sys.setrecursionlimit(depth)
            for name, value in zip(names, values, strict=True):
                setattr(limits, name, value)
            mode.close_tape()
            mode.enabled, mode.site, mode.recorder, mode.probe, mode.number = True, None, None, None, number
            dtypes.set_default_dtype(dtypes.float64)

"""How tests start the program, and its environment, which is the same wherever the tests run."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread

import fork_server
from conftest import HANGS

#: The program in an interpreter of its own.
PROGRAM = (sys.executable, "-m", "autodiff.cli")
KEPT = ("PATH", "HOME", "AUTODIFF_FAST")


def environment(**changes: str) -> dict[str, str]:
    """The environment of a program that a test starts."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, **fork_server.OF_SERVER, **changes}


@cache
def quick_program() -> tuple[str, ...]:
    """The program in a fork of a process that has imported it, which ends with the tests."""
    folder = tempfile.mkdtemp(prefix="autodiff-")
    path = folder + fork_server.socket_name(os.environ)
    server = subprocess.Popen(
        [sys.executable, fork_server.__file__, "serve", path],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    def stop() -> None:
        server.communicate()
        shutil.rmtree(folder)

    atexit.register(stop)
    return (sys.executable, "-I", "-S", fork_server.__file__, "run", path)


def run_program(
    *arguments: object, input: bytes | None = None, cwd: Path | None = None, **changes: str
) -> subprocess.CompletedProcess[bytes]:
    """The program with these arguments, pipes for its output, and ``changes`` of its environment.

    Its folder is ``cwd``, its stdin a pipe with ``input``, or nothing. It runs in a fork of the server,
    without the client that ``quick_program`` is, which takes as long as most commands.
    """
    command, env = [*map(str, arguments)], environment(**changes)
    path = quick_program()[-1]
    if not fork_server.starts_alike(path, env):
        stdin = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
        return subprocess.run(
            [*PROGRAM, *command], cwd=cwd, env=env, timeout=HANGS, check=False, capture_output=True, **stdin
        )
    (reads, input_end), (out_end, writes), (err_end, warns) = (os.pipe() for _ in range(3))
    if input is None:
        os.close(reads)
        reads = os.open(os.devnull, os.O_RDONLY)
    texts = {}

    def read(end: int) -> None:
        with open(end, "rb") as pipe:
            texts[end] = pipe.read()

    def write(end: int) -> None:
        with suppress(BrokenPipeError), open(end, "wb", buffering=0) as pipe:
            pipe.write(input or b"")

    threads = [Thread(target=read, args=(end,)) for end in (out_end, err_end)]
    threads.append(Thread(target=write, args=(input_end,)))
    for thread in threads:
        thread.start()
    streams = [reads, writes, warns]
    try:
        code = fork_server.ask(path, command, str(cwd or os.getcwd()), env, streams, HANGS)
    finally:
        for stream in streams:
            os.close(stream)
        for thread in threads:
            thread.join()
    return subprocess.CompletedProcess(command, code, texts[out_end], texts[err_end])

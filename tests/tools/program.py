"""How tests start the program, and its environment, which is the same wherever the tests run."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache

import fork_server

#: The program in an interpreter of its own.
PROGRAM = (sys.executable, "-m", "autodiff.cli")
KEPT = ("PATH", "HOME", "AUTODIFF_FAST")


def environment(**changes: str) -> dict[str, str]:
    """The environment of a program that a test starts."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, **fork_server.OF_SERVER, **changes}


@cache
def quick_program() -> tuple[str, ...]:
    """The program in a fork of a process that has imported it, which ends with the tests.

    Without the fast paths it has an interpreter of its own, so that both ways to start it are tested.
    """
    if "AUTODIFF_FAST" in os.environ:
        return PROGRAM
    folder = tempfile.mkdtemp(prefix="autodiff-")
    path = f"{folder}/socket"
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

"""README is run: its console sessions, its Python, and the two commands the checks start with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from documents import blocks, check_session, sessions

README = REPOSITORY / "README.md"


SESSIONS = sessions(README.read_text())


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_console_sessions_show_what_happens(
    command: str, output: str, tmp_path: Path, update_golden: bool
) -> None:
    check_session(README, command, output, tmp_path, update_golden)


def test_python_examples_run() -> None:
    for block in blocks(README.read_text(), "python"):
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split("\n") == [*re.findall(r"print\(.*# (.*)", block), ""]


def test_it_opens_with_two_commands() -> None:
    first = blocks(README.read_text(), "sh")[0].splitlines()
    assert len(first) == 2
    assert "autodiff run examples/" in first[0]
    assert (REPOSITORY / first[0].rpartition(" ")[2]).exists()
    assert first[1].endswith("-m pytest -q -n auto")

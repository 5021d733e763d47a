"""README is run: its console sessions, its Python, and the two commands the checks start with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

README = REPOSITORY / "README.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def sessions() -> list[tuple[str, str]]:
    """Every command of the console blocks with the output that follows it."""
    found: list[tuple[str, str]] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shell(command: str, tmp_path: Path) -> str:
    """What a shell shows for a command, with ``autodiff`` being the one under test."""
    stub = tmp_path / "autodiff"
    stub.write_text(f'#!/bin/sh\nexec {sys.executable} -m autodiff.cli "$@"\n')
    stub.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


@pytest.mark.parametrize(("command", "output"), sessions(), ids=[command for command, _ in sessions()])
def test_console_sessions_show_what_happens(
    command: str, output: str, tmp_path: Path, update_golden: bool
) -> None:
    shown = shell(command, tmp_path)
    if update_golden:
        text = README.read_text()
        README.write_text(text.replace(f"$ {command}\n{output}", f"$ {command}\n{shown}", 1))
        return
    assert shown == output


def test_python_examples_run() -> None:
    for block in blocks("python"):
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split("\n") == [*re.findall(r"print\(.*# (.*)", block), ""]


def test_it_opens_with_two_commands() -> None:
    first = blocks("sh")[0].splitlines()
    assert len(first) == 2
    assert "autodiff run examples/" in first[0]
    assert (REPOSITORY / first[0].rpartition(" ")[2]).exists()
    assert first[1].endswith("-m pytest -q")

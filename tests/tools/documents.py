"""Documents that are run: their fenced blocks, the console sessions in them, the tests they name."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

from conftest import REPOSITORY, TESTS
from program import environment, quick_program

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A test as a table names it: `test_seeds.py::test_prints_what_torch_prints[1_autograd-float64]`.
REFERENCE = re.compile(r"`([\w/]+\.py)::(\w+)(?:\[([^\]]*)\])?`")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language.

    >>> blocks("Run\\n```sh\\nls\\n```\\n", "sh")
    ['ls\\n']
    """
    return [found[2] for found in FENCE.finditer(text) if found[1] == language]


def sessions(text: str) -> list[tuple[str, str]]:
    """Every command of the console blocks with the output that follows it."""
    found: list[tuple[str, str]] = []
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def with_autodiff(folder: Path) -> dict[str, str]:
    """An environment in which ``autodiff`` is the program under test; it is written to the folder."""
    stub = folder / "autodiff"
    stub.write_text(f'#!/bin/sh\nexec {" ".join(quick_program())} "$@"\n')
    stub.chmod(0o755)
    return environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}", COLUMNS="80")


def shell(command: str, tmp_path: Path) -> str:
    """What a shell shows for a command, with ``autodiff`` being the one under test.

    It sees the files of the repository, and what it writes beside them is not written there.
    """
    folder = tmp_path / "checkout"
    folder.mkdir()
    for path in REPOSITORY.iterdir():
        (folder / path.name).symlink_to(path)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=with_autodiff(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def check_session(document: Path, command: str, output: str, tmp_path: Path, update: bool) -> None:
    """A console session shows what happens; or, to update it, is made to."""
    shown = shell(command, tmp_path)
    if update:
        text = document.read_text()
        document.write_text(text.replace(f"$ {command}\n{output}", f"$ {command}\n{shown}", 1))
    else:
        assert shown == output


def functions_in(path: str) -> set[str]:
    """The names of the test functions in a file under ``tests``."""
    body = ast.parse((TESTS / path).read_text()).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def missing_tests(text: str) -> list[str]:
    """The tests a document names that do not exist."""
    named = {(path, name) for path, name, _ in REFERENCE.findall(text)}
    return sorted(
        f"{path}::{name}"
        for path, name in named
        if not (TESTS / path).exists() or name not in functions_in(path)
    )

"""Cases as users type them: a script in a file, a command of the shell, and what is right.

A module of ``tests/cases/`` lists cases of one kind and checks them with ``pytest.mark.parametrize``::

    @each_of(CASES)
    def test_case(case, tmp_path):
        case.check(tmp_path)
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import HANGS
from program import environment, quick_program, run_program

#: In a case's command ``autodiff`` is the program of this environment, and ``of_json 'r["output"]'`` prints
#: an expression of the JSON on its stdin, as ``jq`` would. A variable whose name begins as one of
#: ``fork_server.READ_AT_START`` would give every case an interpreter of its own.
PRELUDE = """
autodiff() { $AUTODIFF "$@"; }
of_json() { "$INTERPRETER" -ISc 'import json, sys; r = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
"""
#: The program alone with words that no shell changes.
ALONE = re.compile(r"""autodiff( +('[^']*'|"[^"$`\\!]*"|[-\w./=:,+@%])+)+""")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)(?![\w.])")


@dataclass
class Answer:
    """What a command printed (``out``), said on stderr (``err``) and returned (``code``)."""

    out: str
    err: str
    code: int

    @property
    def numbers(self) -> list[float]:
        """All numbers of ``out`` in order; digits of a name, as in ``x1``, are none."""
        return [float(text) for text in NUMBER.findall(self.out)]


def shell_environment() -> dict[str, str]:
    """What a case's bash knows: how to call the program, and an interpreter."""
    return environment(AUTODIFF=" ".join(quick_program()), INTERPRETER=sys.executable)


def answer(script: str, command: str, directory: Path, files: Mapping[str, str] | None = None) -> Answer:
    """Run a ``command`` of bash in ``directory``, where ``script.ad`` holds the script."""
    for name, text in {"script.ad": script, **(files or {})}.items():
        (directory / name).write_text(text, encoding="utf-8")
    if ALONE.fullmatch(command):
        done = run_program(*shlex.split(command)[1:], cwd=directory)
    else:
        done = subprocess.run(
            ["bash", "-c", PRELUDE + command],
            cwd=directory,
            env=shell_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=HANGS,
            check=False,
        )
    got = Answer(done.stdout.decode(), done.stderr.decode(), done.returncode)
    assert "Traceback" not in got.err, got.err
    return got


@dataclass(frozen=True)
class Case:
    """A ``script``, a ``command`` for bash that reads it from ``script.ad``, and what is right.

    ``numbers`` are those on stdout in order, to ``tolerance`` relative; ``prints`` is stdout to the letter.
    ``says`` are texts that stderr has, ``never`` texts that neither stdout nor stderr has. ``shows`` are
    texts on stdout. ``code`` is the exit code of the command's last program.
    """

    name: str
    script: str
    command: str
    numbers: Sequence[float] | None = None
    prints: str | None = None
    shows: Sequence[str] = ()
    says: Sequence[str] = ()
    never: Sequence[str] = ()
    code: int = 0
    tolerance: float = 1e-9
    files: Mapping[str, str] = field(default_factory=dict)

    def check(self, directory: Path) -> None:
        """Run the command and compare everything that the case says."""
        got = answer(self.script, self.command, directory, self.files)
        whole = f"\n$ {self.command}\n{got.out}--- stderr, exit {got.code}\n{got.err}"
        if self.numbers is not None:
            expected = pytest.approx(list(self.numbers), rel=self.tolerance, abs=1e-12, nan_ok=True)
            assert got.numbers == expected, whole
        if self.prints is not None:
            assert got.out == self.prints, whole
        for text in self.shows:
            assert text in got.out, f"{text!r} is missing on stdout{whole}"
        for text in self.says:
            assert text in got.err, f"{text!r} is missing on stderr{whole}"
        for text in self.never:
            assert text not in got.out + got.err, f"{text!r} is there{whole}"
        assert got.code == self.code, whole


def each_of(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """The mark that gives a test each of the cases as ``case``; no two may have the same name."""
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), "two cases have the same name"
    return pytest.mark.parametrize("case", cases, ids=names)

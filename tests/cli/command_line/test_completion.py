"""A shell asks for completions through click, and gets what fits at the cursor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """\
import torch
w1, w2 = torch.tensor(
    3.,
    requires_grad=True,
), 4.
bias: float = 2.
def f(x):
    weight = x * 2
    return weight
L = w1*bias + w2
if L == 2: pass
"""


def complete(line: str, cwd: Path) -> list[str]:
    """What is offered for the last word of a line, as click's script for bash reads it."""
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-m", "autodiff.cli"],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={
            **os.environ,
            "HOME": str(cwd),
            "_AUTODIFF_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        },
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("autodiff gr", ["plain,grad", "plain,graph"]),
        ("autodiff grad --wr", ["plain,--wrt"]),
        ("autodiff grad s.ad --wrt w", ["plain,w1", "plain,w2"]),
        ("autodiff explain s.ad --of ", ["plain,w1", "plain,w2", "plain,bias", "plain,f", "plain,L"]),
        ("autodiff grad --all s.ad --set b", ["plain,bias="]),
        ("autodiff grad ~/s.ad --wrt w", ["plain,w1", "plain,w2"]),
        ("autodiff grad missing.ad --wrt w", []),
        ("autodiff grad broken.ad --wrt w", []),
        ("autodiff graph s.ad --format d", ["plain,dot"]),
        ("autodiff grad s", ["file,s"]),
        ("autodiff lint s.ad s", ["file,s"]),
        ("autodiff ops s", []),
    ],
)
def test_what_fits_is_offered(tmp_path: Path, line: str, offered: list[str]) -> None:
    (tmp_path / "s.ad").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "broken.ad").write_text("w1 = (\n", encoding="utf-8")
    assert complete(line, tmp_path) == offered


def test_a_shell_that_is_not_known_is_told_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "autodiff.cli"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "_AUTODIFF_COMPLETE": "tcsh_source"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "there are no completions for `tcsh_source`" in done.stderr
    assert "bash_source, zsh_source and fish_source" in done.stderr


def test_a_file_that_is_no_text_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.ad").write_bytes(b"w1 = 1\n\xff\xfe")
    assert complete("autodiff grad s.ad --wrt w", tmp_path) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there to ask")
def test_readmes_line_sets_it_up(tmp_path: Path) -> None:
    program = tmp_path / "autodiff"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m autodiff.cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    asked = (
        'eval "$(_AUTODIFF_COMPLETE=bash_source autodiff)"\n'
        "COMP_WORDS=(autodiff gra); COMP_CWORD=1\n_autodiff_completion autodiff\n"
        'echo "${COMPREPLY[@]}"\n'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", asked], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert (done.stdout, done.stderr) == ("grad graph\n", "")

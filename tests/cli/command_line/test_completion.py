"""A shell asks for completions through click, and gets what fits at the cursor."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import HANGS
from documents import with_autodiff

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


WRT = ["plain,w1", "plain,w2", "plain,bias", "plain,f", "plain,L"]


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
        ("autodiff explain s.ad --of ", WRT),
        ("autodiff grad --all s.ad --set b", ["plain,bias="]),
        ("autodiff grad ~/s.ad --wrt w", ["plain,w1", "plain,w2"]),
        ("autodiff grad missing.ad --wrt w", []),
        ("autodiff grad broken.ad --wrt w", []),
        ("autodiff graph s.ad --format d", ["plain,dot"]),
        ("autodiff grad s", ["file,s"]),
        ("autodiff lint s.ad s", ["file,s"]),
        ("autodiff ops sigmoi", ["plain,sigmoid", "plain,sigmoid_"]),
        ("autodiff help exit", ["plain,exit-codes"]),
        ("autodiff help E0401", ["plain,E0401"]),
        ("autodiff help L001", ["plain,L001"]),
        ("autodiff examples 1_", ["plain,1_autograd"]),
        ("autodiff completion z", ["plain,zsh"]),
        ("autodiff run s.ad --show g", ["plain,gradients", "plain,graph"]),
        ("autodiff run s.ad --show gradients,g", ["plain,gradients,graph"]),
        (
            "autodiff grad s.ad --fail-on nan,",
            ["plain,nan,zero", "plain,nan,zero-entry", "plain,nan,warning"],
        ),
        ("autodiff grad s.ad --wrt w1,w", ["plain,w1,w2"]),
        ("autodiff grad s.ad --wrt=w", ["plain,w1", "plain,w2"]),
        ("autodiff grad s.ad --wrt = w", ["plain,w1", "plain,w2"]),
        ("autodiff grad s.ad --wrt =", WRT),
        ("autodiff grad --wrt w -e w9=1", []),
        ("autodiff grad -e w9=1 --wrt w", ["plain,w9"]),
        ("autodiff grad -e 'x=2;w8=1' --wrt w", ["plain,w8"]),
        ("autodiff grad s.ad -e w8=w1*2 --wrt w", ["plain,w1", "plain,w2", "plain,w8"]),
        ("autodiff grad -e w8=( --wrt w", []),
        ("autodiff grad s.ad -o grads", ["file,grads"]),
        ("autodiff minimize s.ad --method n", ["plain,newton"]),
        ("autodiff watch gra", ["plain,grad", "plain,graph"]),
        ("autodiff watch wat", []),
        ("autodiff watch grad s.ad --wrt w", ["plain,w1", "plain,w2"]),
        ("autodiff watch graph s.ad --format d", ["plain,dot"]),
    ],
)
def test_what_fits_is_offered(tmp_path: Path, line: str, offered: list[str]) -> None:
    (tmp_path / "s.ad").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "broken.ad").write_text("w1 = (\n", encoding="utf-8")
    assert complete(line, tmp_path) == offered


def test_a_shell_that_is_not_known_is_told_so(autodiff, tmp_path: Path) -> None:
    done = autodiff("--help", env={"_AUTODIFF_COMPLETE": "tcsh_source"})
    assert (done.returncode, done.out) == (2, "")
    assert "there are no completions for `tcsh_source`" in done.err
    assert "`autodiff completion bash`, zsh or fish" in done.err
    done = autodiff("completion", "tcsh")
    assert (done.returncode, done.out) == (2, "")
    assert "completion takes one of bash, zsh, fish, not `tcsh`" in done.err
    assert "which shell: bash, zsh, fish?" in autodiff("completion").err


def test_a_file_that_is_no_text_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.ad").write_bytes(b"w1 = 1\n\xff\xfe")
    assert complete("autodiff grad s.ad --wrt w", tmp_path) == []


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


def in_shell(shell: str, code: str, tmp_path: Path) -> str:
    """What a shell prints that has read the script of ``autodiff completion``."""
    (tmp_path / "s.ad").write_text(SCRIPT, encoding="utf-8")
    source = {
        "bash": "source <(autodiff completion bash)",
        "zsh": "compdef() {}; source <(autodiff completion zsh)",
        "fish": "autodiff completion fish | source",
    }[shell]
    done = subprocess.run(
        [shell, *(["-f"] if shell == "zsh" else []), "-c", f"{source}\n{code}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**with_autodiff(tmp_path), "HOME": str(tmp_path)},
        timeout=HANGS,
    )
    assert done.stderr == ""
    return done.stdout


@needs("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("autodiff gra", "grad graph"),
        ("autodiff grad s.ad --wrt w", "w1 w2"),
        ("autodiff grad s.ad --wrt = w", "w1 w2"),
        ("autodiff grad s.ad --wrt w1,w", "w1,w2"),
        ("autodiff run s.ad --show graph,ten", "graph,tensors"),
        ("autodiff ops sigmoi", "sigmoid sigmoid_"),
    ],
)
def test_bash_completes(tmp_path: Path, words: str, offered: str) -> None:
    code = f"COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))\n_autodiff_completion autodiff\n"
    assert in_shell("bash", f'{code}echo "${{COMPREPLY[@]}}"', tmp_path) == f"{offered}\n"


@needs("fish")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("autodiff gra", ["grad", "graph"]),
        ("autodiff grad s.ad --wrt w", ["w1", "w2"]),
        ("autodiff grad s.ad --wrt=w", ["--wrt=w1", "--wrt=w2"]),
        ("autodiff grad s.ad --wrt w1,w", ["w1,w2"]),
        ("autodiff run s.ad --show graph,ten", ["graph,tensors"]),
        ("autodiff grad -e w7=2 --wrt w", ["w7"]),
    ],
)
def test_fish_completes(tmp_path: Path, line: str, offered: list[str]) -> None:
    shown = in_shell("fish", f"complete -C '{line}'", tmp_path)
    assert sorted(row.partition("\t")[0] for row in shown.splitlines()) == offered


@needs("zsh")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("autodiff examples 1_", ["1_autograd"]),
        ("autodiff grad s.ad --wrt w", ["w1", "w2"]),
        ("autodiff grad s.ad --wrt=w", ["--wrt=w1", "--wrt=w2"]),
        ("autodiff grad s.ad --wrt w1,w", ["w1,w2"]),
        ("autodiff run s.ad --show graph,ten", ["graph,tensors"]),
    ],
)
def test_zsh_completes(tmp_path: Path, words: str, offered: list[str]) -> None:
    """The function is called as zsh calls it; what it gives to `compadd` is printed."""
    code = (
        f"compadd() {{ print -l -- ${{(P)@[-1]}} }}\nwords=({words}); CURRENT=$#words\n_autodiff_completion\n"
    )
    assert in_shell("zsh", code, tmp_path).splitlines() == offered


@needs("zsh")
def test_zsh_completes_at_its_prompt(tmp_path: Path) -> None:
    """A word is typed, completed by the tab key, and the command runs."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["zsh", "-f", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**with_autodiff(tmp_path), "HOME": str(tmp_path), "TERM": "dumb"},
        start_new_session=True,
    )
    os.close(theirs)
    watchdog = threading.Timer(HANGS, process.kill)
    watchdog.start()
    (tmp_path / "s.ad").write_text("weight = 3\nL = weight**2\n", encoding="utf-8")
    setup = "autoload -Uz compinit; compinit -u -D; source <(autodiff completion zsh); print rea''dy\n"
    seen = b""
    for typed, until in (
        (setup, b"ready"),
        ("autodiff grad --of L s.ad --wrt=wei\t", b"weight"),
        ("\n", b"6"),
    ):
        os.write(ours, typed.encode())
        start = len(seen)
        while until not in seen[start:]:
            seen += os.read(ours, 4096)
    process.kill()
    process.wait()
    watchdog.cancel()
    os.close(ours)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("words", [{}, {"COMP_WORDS": "autodiff grad"}, {"COMP_CWORD": "1"}])
def test_a_request_without_a_line_is_refused(autodiff, shell, words):
    done = autodiff(env={"_AUTODIFF_COMPLETE": f"{shell}_complete", **words})
    assert (done.returncode, done.out) == (2, "")
    assert "needs the line in COMP_WORDS" in done.err


@pytest.mark.parametrize("number", ["", "x", "-1", "٣", "1.0"])
def test_the_number_of_the_last_word_is_a_number(autodiff, number):
    words = {"COMP_WORDS": "autodiff grad", "COMP_CWORD": number}
    done = autodiff(env={"_AUTODIFF_COMPLETE": "bash_complete", **words})
    assert (done.returncode, done.out) == (2, "")
    assert "COMP_CWORD" in done.err

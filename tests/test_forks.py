"""Programs in forks of a loaded process do what they do in an interpreter of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cases import ALONE, shell_environment
from fork_server import starts_alike
from program import PROGRAM, environment, quick_program, run_program

ROWS = b"x\n" + b"2\n" * 50_000  # more than a pipe holds


def test_cases_run_in_forks() -> None:
    assert starts_alike(quick_program()[-1], shell_environment())


@pytest.mark.parametrize("changes", [{"PYTHONHASHSEED": "1"}, {"LANG": "C"}, {"AUTODIFF_FAST": "another"}])
def test_what_is_read_at_the_start_starts_anew(changes: dict[str, str]) -> None:
    assert not starts_alike(quick_program()[-1], environment(**changes))


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (("grad", "script.ad"), None),
        (("grad", "script.ad", "--format", "json"), None),
        (("grad", "-"), b"w = 3; L = w*w"),
        (("grad", "-"), None),
        (("grad", "-e", "x = 1; L = x**2", "--each", "-"), ROWS),
        (("grad", "-e", "x = 1; L = y", "--each", "-"), ROWS),  # ends before it has read them
        (("run", "missing.ad"), None),
    ],
)
def test_a_fork_does_the_same(arguments: tuple[str, ...], given: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "script.ad").write_text("w = 3\nL = w**2\n")
    done = run_program(*arguments, input=given, cwd=tmp_path)
    expected = subprocess.run(
        [*PROGRAM, *arguments], input=given or b"", cwd=tmp_path, env=environment(), capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )


@pytest.mark.parametrize(
    ("command", "is_alone"),
    [
        ("autodiff grad script.ad --wrt 'w[0]' --set \"x=1\"", True),
        ("autodiff grad script.ad | tail -1", False),
        ("autodiff grad script.ad; autodiff run script.ad", False),
        ("autodiff grad *.ad", False),
        ('autodiff grad "$script"', False),
        ("autodiff grad ~/script.ad", False),
        ("autodiff grad {a,b}.ad", False),
        ("autodiff grad a.ad > out", False),
        ("X=1 autodiff grad a.ad", False),
        ("autodiff grad w\\ .ad", False),
    ],
)
def test_a_shell_runs_what_only_a_shell_can(command: str, is_alone: bool) -> None:
    assert bool(ALONE.fullmatch(command)) == is_alone

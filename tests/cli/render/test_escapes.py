"""No byte of a name, a string or a path steers a terminal: nothing but text and line ends comes out."""

from __future__ import annotations

import json

import pytest

ESCAPE = "\x1b[31m"
IN_A_NAME = f"x{ESCAPE} = 3\n"
IN_A_STRING = f'y = "{ESCAPE}" + 3\n'
ASSERTION = 'assert 1 == 2, "a\\x1b[31mb"\n'


def is_harmless(data: bytes) -> bool:
    return all(byte >= 32 or byte in b"\n\t" for byte in data) and b"\x7f" not in data


@pytest.mark.parametrize("diagnostics", ["text", "json", "github"])
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", "-e", IN_A_NAME], 3),
        (["run", "-e", IN_A_STRING], 4),
        (["run", "-e", ASSERTION], 4),
        (["lint", "-e", IN_A_NAME], 3),
        (["run", f"{ESCAPE}.ad"], 2),
        (["run", f"--{ESCAPE}"], 2),
        (["run", "--show", ESCAPE], 2),
        (["run", "--color", ESCAPE], 2),
        (["grad", "-e", "w = 3\nL = w**2", "--wrt", ESCAPE], 2),
        (["grad", "-e", "w = 3\nL = w**2", "--of", ESCAPE], 2),
        (["grad", "-e", "w = 3\nL = w**2", "--set", f"{ESCAPE}=3"], 2),
        (["grad", "-e", "w = 3\nL = w**2", "--set", f"w={ESCAPE}"], 2),
        (["grad", "-e", "w = 3\nL = w**2", "--grad-output", ESCAPE], 2),
        ([ESCAPE], 2),
        (["help", ESCAPE], 2),
    ],
)
def test_diagnostics_are_text(autodiff, arguments, status, diagnostics):
    has_option = arguments[0] in ("run", "grad", "lint")
    done = autodiff(*arguments, *(["--diagnostics", diagnostics] if has_option else []))
    assert done.returncode == status
    assert is_harmless(done.stdout)
    assert is_harmless(done.stderr)
    assert "E0" in done.out + done.err


@pytest.mark.parametrize("diagnostics", ["text", "github"])
def test_the_name_of_a_file_is_text(autodiff, write, diagnostics):
    path = write(ASSERTION, f"q{ESCAPE}.ad")
    done = autodiff("run", path.name, "--diagnostics", diagnostics)
    assert done.returncode == 4
    assert is_harmless(done.stderr)
    assert "q\\x1b[31m.ad" in done.err


def test_a_report_about_such_a_file_is_text(autodiff, write):
    path = write("w = 3\nL = w**2\n", f"q{ESCAPE}.ad")
    done = autodiff("run", path.name)
    assert done.returncode == 0
    assert is_harmless(done.stdout)
    assert "q\\x1b[31m.ad, line 2" in done.out


def test_a_json_document_escapes_them(autodiff):
    done = autodiff("run", "-e", ASSERTION, "--format", "json")
    assert is_harmless(done.stdout)
    assert json.loads(done.out)["diagnostics"][0]["message"] == f"a{ESCAPE}b"

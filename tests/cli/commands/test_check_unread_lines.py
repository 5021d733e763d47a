"""Lines of steps that cannot be read: what they change is not judged, and all are told."""

from __future__ import annotations

import subprocess

import pytest

NETWORK = """\
import numpy as np
x = np.array([[0.5, -1.0], [1.5, 2.0]])
w = np.array([[0.3], [0.8]])
z = x @ w
h = np.tanh(z)
loss = (h**2).sum()
"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("np.nowhere(dz, 1 - h**2, out=dz)", "module 'numpy' has no attribute 'nowhere'"),
        ("dz *= = 1 - h**2", "steps.py:2: not judged: line 3 changes `dz` and cannot be read"),
        (
            "np.multiply(dz, 1 - h**2, out=dz",
            "steps.py:2: not judged: line 3 changes `dz` and cannot be read",
        ),
    ],
)
def test_what_a_line_changes_that_cannot_be_read_is_not_judged(
    autodiff, tmp_path, line: str, says: str
) -> None:
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(NETWORK)
    steps.write_text(f"dh = 2*h\ndz = dh.copy()\n{line}\ndw = x.T @ dz\n")
    done = autodiff("check", script, "--formula", f"@{steps}")
    assert done.returncode == 2
    assert "wrong" not in done.out
    told = " ".join(done.out.split())
    assert "dloss/dh right" in told
    assert "dloss/dw right" in told
    assert says in done.err


@pytest.mark.parametrize(
    ("steps", "verdicts"),
    [
        ("dh = 2*h\nh = 1 - h**2 if\ndz = dh*h\ndw = x.T @ dz\n", "right|cannot be read|not judged|right"),
        ("dh = 2*h\nm = nowhere(h)\ndz = dh*m\ndw = x.T @ dz\n", "right|cannot be read|not judged|right"),
        (
            "dh = 2*h\nm = h +\nk = 2*m\ndz = dh*k\ndw = dz\n",
            "right|cannot be read|not judged|not judged|wrong",
        ),
    ],
)
def test_a_step_that_needs_an_unread_line_is_not_judged(
    autodiff, tmp_path, steps: str, verdicts: str
) -> None:
    """It can be read itself: the table, programs and the last line tell the two apart."""
    script, file = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(NETWORK)
    file.write_text(steps)
    done = autodiff("check", script, "--formula", f"@{file}", "--format", "verdict")
    assert done.returncode == 2
    assert [line.rpartition("\t")[2] for line in done.out.splitlines()] == verdicts.split("|")
    table = autodiff("check", script, "--formula", f"@{file}").out
    count = verdicts.count("|") + 1
    are = f"{count - 3} {'is' if count == 4 else 'are'} not judged"
    assert f"1 of {count} steps cannot be read, {are}" in " ".join(table.split())


def test_a_name_of_a_line_that_cannot_be_read_has_no_other_value(autodiff, tmp_path) -> None:
    """``h`` would have the script's value where the line that gives it another is left out."""
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(NETWORK)
    steps.write_text("dh = 2*h\nh = 1 - h**2 if\ndz = dh*h\ndw = x.T @ dz\n")
    done = autodiff("check", script, "--formula", f"@{steps}")
    assert (done.returncode, "wrong" in done.out) == (2, False)
    assert "not judged: line 2 changes `h` and cannot be read" in done.err


def test_lines_behind_the_last_step_that_cannot_be_run_are_told(autodiff, tmp_path) -> None:
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(NETWORK)
    steps.write_text("dh = 2*h\nnp.no_such_function(dh)\n")
    done = autodiff("check", script, "--formula", f"@{steps}")
    assert done.returncode == 2
    assert "steps.py:2: module 'numpy' has no attribute 'no_such_function'" in done.err


#: The factor 1/2 of the mean is in the lines behind: ``dz`` is twice its gradient.
HALVED = """\
import numpy as np
x = np.array([[0.5, -1.0], [1.5, 2.0]])
w = np.array([[0.3], [0.8]])
v = np.array([[0.7]])
h = np.tanh(x @ w)
z = h @ v
loss = (z**2).sum()/2 + (v**2).sum()
"""


@pytest.mark.parametrize("first", ["dz = 2*z.nowhere()", "dz = 2*z +", "dz = (z > 0) - (z < 0)"])
def test_steps_behind_one_that_cannot_be_read_are_not_wrong_by_its_right_value(
    autodiff, tmp_path, first: str
) -> None:
    """They may divide by a factor that its own value has, and so may those behind them."""
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(HALVED)
    steps.write_text(f"{first}\ndv = h.T @ dz/2 + 2*v\ndh = dz @ v.T\ndw = x.T @ (dh*(1 - h**2))/2\n")
    done = autodiff("check", script, "--formula", f"@{steps}", "--format", "verdict")
    assert done.returncode == 2
    verdicts = [line.rpartition("\t")[2] for line in done.out.splitlines()]
    assert verdicts == ["cannot be read", "not judged", "right", "not judged"]
    assert "not judged: line 1 changes `dz` and cannot be read" in done.err


@pytest.mark.parametrize("step", ["dv = h.T @ z/2 + 2*v", "dv = h.T @ dz/2 + v", "dv = h @ dz"])
def test_a_step_behind_one_that_cannot_be_read_is_wrong_where_no_multiple_of_it_makes_it_right(
    autodiff, tmp_path, step: str
) -> None:
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(HALVED)
    steps.write_text(f"dz = 2*z.nowhere()\n{step}\n")
    done = autodiff("check", script, "--formula", f"@{steps}", "--format", "verdict")
    verdicts = [line.rpartition("\t")[2] for line in done.out.splitlines()]
    assert verdicts == ["cannot be read", "wrong"]


def test_an_error_inside_a_loop_is_told_of_its_own_line(autodiff, tmp_path) -> None:
    script, steps = tmp_path / "net.py", tmp_path / "steps.py"
    script.write_text(NETWORK)
    steps.write_text("dw = np.zeros((2, 1))\nfor i in range(2):\n    g = 2*h\n    dw += g.nowhere()\n")
    done = autodiff("check", script, "--formula", f"@{steps}")
    assert done.returncode == 2
    assert "steps.py:4: " in done.err
    assert "steps.py:4:11" in done.err


def test_the_table_stands_last_and_alone_with_q(autodiff, tmp_path) -> None:
    (tmp_path / "steps.txt").write_text("da = 2a\nda = sin a^2 a\nda = cos a^2 a\n")
    command = ("check", "-e", "a = 0.5; y = a**2", "--formula", "@steps.txt")
    quiet = autodiff(*command, "-q")
    assert (quiet.err, quiet.returncode) == ("", 2)
    done = autodiff(*command, stderr=subprocess.STDOUT)
    assert done.out.count("error[E0610]") == 2
    assert done.out.endswith("\n\n" + quiet.out)
    assert autodiff(*command, "-q", "--diagnostics", "json").err.count('"E0610"') == 2

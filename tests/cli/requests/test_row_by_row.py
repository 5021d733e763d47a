"""Rows of --data that a script mixes are noted, and the command that is named runs each row by itself."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

LENGTHS = (0.4, 0.3, 0.15)
ARM = f"import numpy as np\nl = np.array({list(LENGTHS)})\nq1 = 30.0\nx = np.sum(l * np.cos(q1))\n"
Q = (0.1, 0.2, 0.3)
ROWS = [(sum(LENGTHS) * math.cos(q), sum(LENGTHS) * math.sin(q) * 0.01) for q in Q]


def run_advice(err: str, folder: Path) -> list[list[float]]:
    """Run the command that a message names, in the folder of the script, and return the numbers it prints."""
    (command,) = re.findall(r"`(tail .*)`", err)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [[float(text) for text in line.split("\t")] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("sigma", "table", "end"),
    [
        ("q1=0.01", "q1\n0.1\n0.2\n0.3", "\n"),
        ("q1=s", "name of it,q1,s\na,0.1,0.01\nb,0.2,0.01\nc,0.3,0.01", ""),
        ("q1=s", "q1,s\r\n0.1,0.01\r\n0.2,0.01\r\n0.3,0.01", "\r\n"),
    ],
)
def test_rows_that_meet_an_array_of_the_script_are_noted(autodiff, write, sigma, table, end):
    script, data = write(ARM, "arm.py"), write(table + end, "q.csv")
    done = autodiff("propagate", str(script), "--data", str(data), "--sigma", sigma)
    assert done.returncode == 0
    assert "note: line 4 takes 3 rows and no other number of them: each row meets one entry of an" in done.err
    found = run_advice(done.err, script.parent)
    assert found == [pytest.approx(row, rel=1e-12) for row in ROWS]


def test_an_output_of_all_rows_is_noted(autodiff, write):
    script = write("import numpy as np\nq1 = 1.; q2 = 2.\nx = np.sum([q1, 2*q2])\n", "s.py")
    data = write("q1,q2\n1,2\n3,4\n", "q.csv")
    done = autodiff("jacobian", str(script), "--data", str(data))
    assert "note: `x` has no entry for each of the 2 rows of q1, q2: it is " in done.err
    assert run_advice(done.err, script.parent) == [[1, 2], [1, 2]]


@pytest.mark.parametrize(
    ("script", "table"),
    [
        ("q1 = 30.0\nx = 2*cos(q1)\n", "q1\n0.1\n0.2\n0.3\n"),
        ("l = tensor([1., 2., 3.])\nq1 = 30.0\nx = sum(l * cos(q1))\n", "q1\n0.1\n"),
        ("a = 2.\nL = sum((a*t - 1)**2)\n", "t\n1\n2\n3\n"),
    ],
)
def test_rows_with_entries_of_their_own_are_not_noted(autodiff, write, script, table):
    done = autodiff("jacobian", str(write(script, "s.ad")), "--data", str(write(table, "q.csv")))
    assert (done.returncode, done.err) == (0, "")


def test_the_vector_of_a_fit_has_no_rows(autodiff, write):
    fit = write("w = tensor([0., 0.])\nr = w - tensor([1., 2.])\n", "fit.ad")
    found = str(fit.parent / "fit.json")
    assert autodiff("minimize", str(fit), "-o", found).returncode == 0
    done = autodiff("jacobian", "-e", "y = sum(tensor([3., 4.])*w)", "--data", found)
    assert (done.out.split(), done.err) == (["3", "4"], "")


def test_several_outputs_for_each_row(autodiff, write):
    """Every refusal on the way leads to a command that works."""
    write("q1,q2\n0,0\n1,2\n3,-1\n", "poses.csv")
    script = write(
        "import numpy as np\nl = np.array([2., 1.])\nq1 = 1.; q2 = 2.\na = np.cumsum([q1, q2])\n"
        "tip = np.array([np.sum(l*a), np.sum(l*a**2)])\n",
        "arm.py",
    )
    data = str(script.parent / "poses.csv")
    done = autodiff("jacobian", str(script), "--wrt", "q*", "--data", data)
    assert done.returncode == 2
    by_hand = [[[3, 1], [6 * q1 + 2 * q2, 2 * (q1 + q2)]] for q1, q2 in ((0, 0), (1, 2), (3, -1))]
    assert run_advice(done.err, script.parent) == [row for matrix in by_hand for row in matrix]
    done = autodiff("grad", str(script), "--wrt", "q*", "--each", data)
    assert done.err.count("= help: or take one entry, a row of the Jacobian: --of 'tip[0]'") == 1
    for at in (0, 1):
        done = autodiff("grad", str(script), "--wrt", "q*", "--each", data, "--of", f"tip[{at}]")
        found = [[float(text) for text in line.split("\t")] for line in done.out.splitlines()]
        assert found == [matrix[at] for matrix in by_hand]


def test_columns_that_no_shell_reads_simply_are_given_by_name(autodiff, write):
    script = write("T = 2.\ny = T**2 if T > 1 else T\n", "s.py")
    done = autodiff(
        "propagate", str(script), "--data", str(write("T;U\n1;2\n3;4\n", "t.csv")), "--sigma", "T=1"
    )
    assert "run the script once for every row, with its values in place of --data: --set T=..." in done.err

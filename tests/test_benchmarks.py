"""The benchmarks' commands run, at sizes too small to measure anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def test_parsing_beside_python():
    command = [sys.executable, "-m", "benchmarks.parsing", "--sizes", "10", "40", "--rounds", "1", "--print"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| ")][2:]
    assert [row[1].strip() for row in rows[::2]] == [
        "statements",
        "mistake in the last line",
        "nested brackets",
        "one long sum",
    ]
    assert all(len(row) == 10 for row in rows)

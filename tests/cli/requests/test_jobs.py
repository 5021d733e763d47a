"""``--jobs``: rows answered by several processes, with the bytes of one; processes that die, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

#: A script whose rows are run one by one, and one whose rows are run in blocks.
ONE_BY_ONE = "x = 1.; y = 2.; L = x\nfor i in range(int(y)): L = L*x + sin(y)"
TOGETHER = "x = 1.; y = 2.; k = 0.1; L = exp(-k*x)*sqrt(y)"
ROWS = "".join(f"r{i},{i % 17 / 8},{i % 9}\n" for i in range(150))
BAD = "odd\nr,1,oops\n# none\n\nq,2,4\n"


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("code", "words", "text"),
    [
        (ONE_BY_ONE, ["--value", "--keep", "--format", "csv"], "id,x,y\n" + ROWS + BAD + ROWS),
        (TOGETHER, ["--format", "jsonl", "--dtype", "float32"], "id,x,y\nz,1\n" + ROWS + BAD + ROWS),
        (ONE_BY_ONE, ["--fail-fast"], "id,x,y\n" + ROWS + BAD + ROWS),
        (ONE_BY_ONE + "\nassert y < 8 or x != 2", ["-q"], "id,x,y\n" + ROWS),
        (TOGETHER, ["--sweep", "x=0:30:1", "--sweep", "y=1:40:0.5"], ""),
        (ONE_BY_ONE, ["--max-steps", "12"], "id,x,y\nz,1,2\nz,1,30\n"),
        (ONE_BY_ONE.replace("x*x", "x^2"), ["--set", "z=[1, 2]", "--of", "L*z[1]"], "id,x,y\n" + ROWS),
    ],
)
def test_any_number_of_processes_gives_the_same_bytes(autodiff, code, words, text):
    each = ["--each", "-"] * bool(text)
    code = code.replace("x = 1.", "z = [1., 2.]; x = 1.") if "z=[1, 2]" in words else code
    one, several = (
        autodiff("grad", "-e", code, *each, *words, "--jobs", jobs, input=text) for jobs in (1, 3)
    )
    assert (several.returncode, several.out, several.err) == (one.returncode, one.out, one.err)
    assert one.out


def test_a_process_that_dies_is_replaced_and_its_rows_are_done_again(start):
    process = start(
        *("grad", "-e", ONE_BY_ONE, "--each", "-", "--columns", "x,y", "--jobs", 2), stdin=subprocess.PIPE
    )

    def answer(row: str) -> bytes:
        process.stdin.write(row.encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline()

    first = answer("2,3")
    assert answer("2,3") == first
    (child,) = children(process.pid)
    os.kill(child, signal.SIGKILL)
    while is_alive(child):
        time.sleep(0.01)
    for _ in range(3):
        assert answer("2,3") == first
    rest, told = process.communicate()
    assert (process.returncode, rest) == (0, b"")
    assert b"ended by signal 9; its rows are done again" in told


def test_ctrl_c_leaves_whole_lines_and_no_process(start):
    code = "x = 1.; L = x\nwhile True: L = L*x"
    process = start(
        *("grad", "-e", code.replace("True", "x > 5"), "--each", "-", "--columns", "x", "--jobs", 2),
        stdin=subprocess.PIPE,
    )
    process.stdin.write(b"1\n2\n3\n9\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"1\n"
    while not children(process.pid):
        time.sleep(0.01)
    started = children(process.pid)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait() == -signal.SIGINT
    assert process.stdout.read() in (b"", b"1\n", b"1\n1\n")
    while any(map(is_alive, started)):  # a test that hangs here is ended by the fixture's clock
        time.sleep(0.01)


def test_a_row_that_takes_too_long_ends_it(autodiff):
    code = "x = 1.; L = x\nwhile x > 5: L = L*x"
    done = autodiff("grad", "-e", code, "--each", "-", "--jobs", 2, "--timeout", 0.5, input="x\n1\n9\n")
    assert done.returncode == 124
    assert done.out in ("", "1\n")  # the clock may end it before the first row
    assert "error[E0505]: stopped after 0.5 seconds" in done.err


def test_processes_are_for_rows(autodiff):
    done = autodiff("grad", "-e", "x = 1; L = x**2", "--jobs", 2)
    assert done.returncode == 2
    assert "--jobs says who answers rows, and there are none" in done.err

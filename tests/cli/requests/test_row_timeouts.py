"""A row at which a script does not end: its values are named, and the rows before it are shown."""

from __future__ import annotations

import pytest

HANGS_AT_0 = """\
a = torch.tensor(0.5, requires_grad=True)
b = a*2
while b.norm() < 1000:
    b = b*2
d = b.sum()
d.backward()
"""
LIMIT = ("--timeout", "3")


@pytest.mark.parametrize(
    ("given", "lines", "way"),
    [
        (("grad", "--sweep", "a=-1:1:0.25", "--value"), 4, ": --sweep a=0.25:1:0.25,"),
        (("grad", "--sweep", "a=0:2:1"), 0, ": --sweep a=1:2:1,"),
        (("grad", "--sweep", "a=[1, 3, 0, 2]"), 2, "leave it out, or"),
        (("grad", "--sweep", "a=[1, 0]"), 1, "leave it out, or"),
        (("plot", "--of", "d", "--over", "a=-2:2"), 0, ": --over a=0.02:2,"),
    ],
)
def test_the_value_is_named_and_the_lines_before_it_are_shown(autodiff, write, given, lines, way):
    command, *options = given
    done = autodiff(command, write(HANGS_AT_0), *options, *LIMIT)
    assert done.returncode == 124
    assert len(done.out.splitlines()) == lines
    assert done.err.startswith("error[E0505]: stopped after 3 seconds at a = 0\n")
    assert "help: check that the loop ends there, or leave it out" in done.err
    assert way in done.err


def test_the_way_out_works(autodiff, write):
    script = write(HANGS_AT_0)
    done = autodiff("grad", script, "--sweep", "a=0.25:1:0.25", "--value")
    assert (done.returncode, len(done.out.splitlines())) == (0, 4)


def test_the_row_of_a_file_is_named(autodiff, write):
    rows = write("a\n1\n0\n2\n", "rows.csv").name
    done = autodiff("grad", write(HANGS_AT_0), "--each", rows, *LIMIT)
    assert (done.returncode, len(done.out.splitlines())) == (124, 1)
    assert done.err.startswith("error[E0505]: stopped after 3 seconds at a = 0\n")
    assert "leave the row out, or give it more time" in done.err


def test_a_script_without_rows_is_told_as_before(autodiff, write):
    done = autodiff("grad", write(HANGS_AT_0), "--set", "a=0", "--timeout", "1")
    assert done.err.startswith("error[E0505]: stopped after 1 second\n")
    assert "help: check that the loop ends, or give it more time: --timeout 10" in done.err

"""Reports on a name that was given many values: its versions and the paths through them are told apart."""

from __future__ import annotations

import re

LOOP = "x = torch.tensor(2., requires_grad=True)\nfor i in range({}):\n    x = x * 0.5 + x * 0.5\n"


def paths_of(text: str) -> list[str]:
    """The rows of the table of paths, each on one line."""
    [table] = re.findall(r"^paths( .*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return re.split(r"\n *[-\d.e]+ +[-\d.e]+ % +", re.sub(r"\n {20,}(?=<-)", " ", "\n" + table))[1:]


def test_the_quotient_has_different_names_above_and_below(autodiff, write) -> None:
    done = autodiff("explain", write(LOOP.format(3)))
    assert done.out.startswith("dx'4/dx = 1 ")
    assert "8 paths from x'4 (line 3) to x (line 1)\n" in done.out


def test_short_paths_are_written_out(autodiff, write) -> None:
    rows = paths_of(autodiff("explain", write(LOOP.format(3))).out)
    assert rows[1] == "x'4 <- x'3*0.5 <- x'3 <- x'2*0.5 <- x'2 <- x*0.5 (2nd) <- x"
    assert len(rows) == len(set(rows)) == 8


def test_long_paths_are_told_apart(autodiff, write) -> None:
    rows = paths_of(autodiff("explain", write(LOOP.format(20))).out)
    assert len(rows) == len(set(rows)) == 10
    assert all(row.startswith("x'21 <- ") and row.endswith(" <- x") for row in rows)

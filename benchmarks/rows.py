"""P16 to P20: rows of values, whole processes from the file to the lines of the answers.

Tables have the columns ``id,m,r``; every side reads the whole file and writes both gradients of each row.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.cases import BYTES, Case, Side, sized
from benchmarks.scripts import FOLDER
from benchmarks.startup import ours, python

FORMULA = "m*exp(-r*k)/r**2 + sqrt(m)"
SCRIPT = f"m = 1.; r = 2.; k = 0.5; L = {FORMULA}"
BRANCH = f"{SCRIPT} if r > 0 else 0"
#: Some milliseconds a row, which is run by itself.
COSTLY = "m = 1.; r = 2.\nx = m\nfor _ in range(3000): x = x - 0.001*sin(x*r)\nL = x"

READ = """\
import csv, sys
with open(sys.argv[1], newline="") as file:
    rows = csv.reader(file)
    next(rows)
    table = [(float(m), float(r)) for _, m, r in rows]
"""
WRITE = 'sys.stdout.write("".join(f"{a!r}\\t{b!r}\\n" for a, b in zip(of_m, of_r)))\n'
TORCH = f"""\
{READ}
import torch
from torch import exp, sqrt
k = 0.5
def f(m, r):
    return {FORMULA}
columns = torch.tensor(table, dtype=torch.float64).T
of_m, of_r = (x.tolist() for x in torch.func.vmap(torch.func.grad(f, argnums=(0, 1)))(*columns))
{WRITE}"""
AUTOGRAD = f"""\
{READ}
from autograd import grad
from autograd.numpy import exp, sqrt
k = 0.5
def f(m, r):
    return {FORMULA}
slope = grad(f, (0, 1))
of_m, of_r = zip(*[map(float, slope(m, r)) for m, r in table])
{WRITE}"""
BY_HAND = f"""\
import sys
import numpy as np
m, r = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(1, 2), unpack=True)
k = 0.5
e = np.exp(-r*k)/r**2
of_m, of_r = (e + 0.5/np.sqrt(m)).tolist(), (-m*e*(k + 2/r)).tolist()
{WRITE}"""

SIZES = (10_000, 100_000, 1_000_000)
#: Where all sides save their answers, which are compared.
COMPARED = SIZES[0]


def path_of(rows: int) -> Path:
    return FOLDER / f"rows_{rows}.csv"


def write_table(rows: int) -> None:
    """Write the table of so many rows, unless it is there. Line by line: this process must stay small."""
    if path_of(rows).exists():
        return
    FOLDER.mkdir(exist_ok=True)
    part = path_of(rows).with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.writelines(lines(rows))
    part.rename(path_of(rows))


def lines(rows: int) -> Iterator[str]:
    draw = random.Random(0).uniform
    yield "id,m,r\n"
    yield from (f"a{row},{draw(0.5, 3):.6g},{draw(0.5, 3):.6g}\n" for row in range(rows))


def each(rows: int, script: str, *more: str, answers: bool = False) -> Side:
    """Our side: the gradients by both columns, a line for each row."""
    made = ours("grad", "-e", script, "--wrt", "m,r", "--each", str(path_of(rows)), *more, answers=answers)
    return replace(made, units=rows)


def peer(program: str, rows: int, needs: str = "", answers: bool = False) -> Side:
    side = python(program, needs, answers)
    return replace(side, command=(*side.command, str(path_of(rows))), units=rows)


def cases(scale: float) -> list[Case]:
    made = []
    for size in SIZES:
        rows = sized(size, scale)
        answers = size == COMPARED
        mine = each(rows, SCRIPT, answers=answers)
        work = f"`grad --each`, {rows:,} rows of a CSV, time per row"
        theirs = peer(TORCH, rows, "torch", answers)
        slow = {"autograd, row by row": peer(AUTOGRAD, rows, "autograd", answers)} if size < SIZES[-1] else {}
        table = partial(write_table, rows)
        made.append(Case("P16", work, 1, mine, theirs, "torch.func.vmap", slow, prepare=table))
        numpy = peer(BY_HAND, rows, "numpy", answers)
        made.append(Case("P17", work, 1.3, mine, numpy, "numpy by hand", prepare=table))
    made += [of_a_hundred(SCRIPT, "in blocks"), of_a_hundred(BRANCH, "row by row")]
    few, many = sized(100_000, scale), sized(10_000_000, scale)
    made.append(
        Case(
            "P19",
            f"`grad --each`, {many:,} rows of a CSV, peak memory",
            1.2,
            replace(each(many, SCRIPT), units=1),
            replace(each(few, SCRIPT), units=1),
            f"{few:,} rows",
            quantity=BYTES,
            prepare=lambda: [write_table(rows) for rows in (few, many)],
        )
    )
    rows = sized(1000, scale)
    made.append(
        Case(
            "P20",
            f"`grad --each --jobs 2`, {rows:,} rows of some milliseconds",
            0.625,
            each(rows, COSTLY, "--jobs", "2"),
            each(rows, COSTLY),
            "one process",
            prepare=partial(write_table, rows),
        )
    )
    return made


def of_a_hundred(script: str, how: str) -> Case:
    """A plain script in one process, beside the start of a program that uses numpy."""
    return Case(
        "P18",
        f"`grad --each`, 100 rows {how}, whole process",
        1.7,
        replace(each(100, script), units=1),
        python("import numpy", answers=False),
        "import numpy",
        starts=10,
        prepare=partial(write_table, 100),
    )

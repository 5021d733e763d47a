"""P3: the same script of many scalar ops, run by us and by Python with torch, whole processes.

The file is the same for both; torch's has the two lines that the command ``grad`` stands for at its end.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from textwrap import indent

from benchmarks.cases import Case, Side, sized
from benchmarks.startup import ours

LEAVES = """\
import torch
x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
a = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
p = x
q = b
"""
LOOP = "for _ in range({steps}):\n"
STEP = """\
t = torch.sin(p)
p = t * a + q
q = t
"""
LAST = "L = p + q\n"
ASK = """\
L.backward()
print("x", x.grad.item(), "a", a.grad.item(), "b", b.grad.item())
"""
FOLDER = Path(tempfile.gettempdir()) / "autodiff-benchmarks"


def spelled_out(lines: int) -> str:
    """A script of so many lines that takes the steps one by one."""
    fixed = LEAVES.count("\n") + LAST.count("\n")
    steps, rest = divmod(lines - fixed, STEP.count("\n"))
    return LEAVES + STEP * steps + "p = -p\n" * rest + LAST


def written(name: str, script: str) -> tuple[Path, Path]:
    """The script, and the same for torch."""
    FOLDER.mkdir(exist_ok=True)
    ours, torchs = FOLDER / f"{name}.ad", FOLDER / f"{name}.py"
    ours.write_text(script, encoding="utf-8")
    torchs.write_text(script + ASK, encoding="utf-8")
    return ours, torchs


def cases(scale: float) -> list[Case]:
    made = []
    for size in (100_000, 1_000_000):
        n = sized(size, scale)
        steps = n // 3
        mine, theirs = written(
            f"dag_{steps}", LEAVES + LOOP.format(steps=steps) + indent(STEP, "    ") + LAST
        )
        sides = ours("grad", str(mine)), Side((str(theirs),), "torch", whole=True)
        work = f"scalar script of {n:,} ops, whole process"
        made.append(Case("P3", f"{work}, wall", 0.05, *sides).with_peak(f"{work}, peak memory", 0.15))
    return made


def growth(scale: float) -> list[Case]:
    """The same ops written out, so that there is a line for each: what reading them costs is in it."""
    made = []
    for size in (1_000, 10_000, 100_000):
        lines = sized(size, scale, least=12)
        mine, theirs = written(f"lines_{lines}", spelled_out(lines))
        sides = (
            replace(side, units=lines)
            for side in (ours("grad", str(mine)), Side((str(theirs),), "torch", whole=True))
        )
        work = f"script of {lines:,} lines, whole process"
        made.append(
            Case("lines", f"{work}, time per line", None, *sides).with_peak(
                f"{work}, peak memory per line", None
            )
        )
    return made

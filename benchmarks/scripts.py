"""P3: the same script of many scalar ops, run by us and by Python with torch, whole processes.

The file is the same for both; torch's has the two lines that the command ``grad`` stands for at its end.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.cases import BYTES, Case, Side, sized
from benchmarks.startup import ours

SCRIPT = """\
import torch
x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
a = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
p = x
q = b
for _ in range({steps}):
    t = torch.sin(p)
    p = t * a + q
    q = t
L = p + q
"""
ASK = """\
L.backward()
print("x", x.grad.item(), "a", a.grad.item(), "b", b.grad.item())
"""
FOLDER = Path(tempfile.gettempdir()) / "autodiff-benchmarks"


def written(steps: int) -> tuple[Path, Path]:
    """The script, and the same for torch."""
    FOLDER.mkdir(exist_ok=True)
    ours, torchs = FOLDER / f"dag_{steps}.ad", FOLDER / f"dag_{steps}.py"
    ours.write_text(SCRIPT.format(steps=steps), encoding="utf-8")
    torchs.write_text(SCRIPT.format(steps=steps) + ASK, encoding="utf-8")
    return ours, torchs


def cases(scale: float) -> list[Case]:
    made = []
    for size in (100_000, 1_000_000):
        n = sized(size, scale)
        mine, theirs = written(n // 3)
        sides = ours("grad", str(mine)), Side((str(theirs),), "torch", whole=True)
        made += [
            Case("P3", f"scalar script of {n:,} ops, whole process, wall", 0.05, *sides),
            Case(
                "P3", f"scalar script of {n:,} ops, whole process, peak memory", 0.15, *sides, quantity=BYTES
            ),
        ]
    return made

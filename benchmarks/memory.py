"""P7: the bytes a node of a scalar graph takes, from what the system says before and after building one."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BYTES, Case, Side, sized
from benchmarks.scalars import STARTS, program
from benchmarks.worker import memory_now


def cases(scale: float) -> list[Case]:
    n = sized(1_000_000, scale, least=30_000)  # fewer fit into what is in use already
    ours, torchs = (
        Side(("-m", "benchmarks.memory", side, str(n)), "" if side == "ours" else side, answers=False)
        for side in ("ours", "torch")
    )
    return [Case("P7", f"bytes per scalar node, a graph of {n:,} ops", 0.2, ours, torchs, quantity=BYTES)]


def ours() -> tuple[list[Any], Callable[[Any], Any]]:
    from autodiff.core import tensor
    from autodiff.core.graph.op import OPS

    return [tensor(value, requires_grad=True) for value in STARTS["dag"]], OPS["sin"]


def torchs() -> tuple[list[Any], Callable[[Any], Any]]:
    import torch

    leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in STARTS["dag"]]
    return leaves, torch.sin


SIDES = {"ours": ours, "torch": torchs}


def bytes_per_op(side: str, size: int) -> float:
    leaves, sin = SIDES[side]()
    program("dag", 3_000, *leaves, sin).backward()  # whatever is made once is made now
    gc.disable()
    before = memory_now()
    out = program("dag", size, *leaves, sin)
    grown = memory_now() - before
    del out
    return grown / size


if __name__ == "__main__":
    print(json.dumps({"bytes": bytes_per_op(sys.argv[1], int(sys.argv[2])), "runs": 1}))

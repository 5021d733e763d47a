"""P4, P7: graphs of scalars, built op by op and swept: a chain, and one where every node is used twice.

P4 drives the engine from Python, so that no script is read. P7 asks what a node costs in memory, and
whether an op still costs at 5*10^6 what it costs at 10^4.
"""

from __future__ import annotations

from typing import Any

from benchmarks.cases import Case, sized, worker
from benchmarks.worker import Run, answer

STARTS = {"chain": (0.5, 1.0, 0.0), "dag": (0.5, 0.7, 0.3)}


def cases(scale: float) -> list[Case]:
    made = []
    for kind in STARTS:
        for size in (100_000, 1_000_000):
            n = sized(size, scale)
            # The slower ones are measured at the smaller size only.
            names = ("autograd", "mygrad", "micrograd", "micrograd, gc") if size == 100_000 else ()
            made.append(
                Case(
                    "P4",
                    f"scalar {kind}, {n:,} ops, forward and backward",
                    0.06,
                    worker("scalars", "ours", kind, n),
                    worker("scalars", "torch", kind, n),
                    peers={name: worker("scalars", name, kind, n) for name in names},
                )
            )
    many, few = sized(5_000_000, scale), sized(10_000, scale)
    made.append(
        Case(
            "P7",
            f"time per op at {many:,} ops",
            1.3,
            worker("scalars", "ours", "chain", many, units=many, answers=False),
            worker("scalars", "ours", "chain", few, units=few, answers=False),
            anchor_name=f"ours at {few:,}",
        )
    )
    return made


def growth(scale: float) -> list[Case]:
    made = []
    for size in (1_000, 10_000, 100_000, 1_000_000, 5_000_000):
        n = sized(size, scale)
        sides = [worker("scalars", side, "dag", n, units=n) for side in ("ours", "torch")]
        case = Case("ops", f"{n:,} ops, time per op", None, *sides)
        if size >= 100_000:
            case = case.with_peak(f"{n:,} ops, peak memory of the process per op", None)
        made.append(case)
    return made


def program(kind: str, size: int, x: Any, a: Any, b: Any, sin: Any) -> Any:
    """``size`` ops in all."""
    if kind == "chain":
        for _ in range(size // 3):
            x = sin(x)
            x = x * a
            x = x + b
        return x
    p, q = x, b
    for _ in range(size // 3):
        t = sin(p)
        p, q = t * a + q, t
    return p + q


def ours(kind: str, size: int) -> Run:
    from autodiff.core import tensor
    from autodiff.core.graph.op import OPS

    sin = OPS["sin"]

    def run() -> list[Any]:
        leaves = [tensor(value, requires_grad=True) for value in STARTS[kind]]
        program(kind, size, *leaves, sin).backward()
        return [leaf.grad.item() for leaf in leaves]

    return run


def torchs(kind: str, size: int) -> Run:
    import torch

    def run() -> list[Any]:
        leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in STARTS[kind]]
        program(kind, size, *leaves, torch.sin).backward()
        return [leaf.grad.item() for leaf in leaves]

    return run


def autograds(kind: str, size: int) -> Run:
    import autograd
    import autograd.numpy as anp

    slopes = autograd.grad(lambda x, a, b: program(kind, size, x, a, b, anp.sin), (0, 1, 2))
    return lambda: list(slopes(*STARTS[kind]))


def mygrads(kind: str, size: int) -> Run:
    import mygrad as mg

    def run() -> list[Any]:
        leaves = [mg.tensor(value) for value in STARTS[kind]]
        program(kind, size, *leaves, mg.sin).backward()
        return [leaf.grad for leaf in leaves]

    return run


def micrograds(kind: str, size: int) -> Run:
    from math import cos
    from math import sin as sin_of

    from micrograd.engine import Value

    def sin(x: Any) -> Any:
        """micrograd has none; written as its own functions are."""
        out = Value(sin_of(x.data), (x,), "sin")

        def _backward() -> None:
            x.grad += cos(x.data) * out.grad

        out._backward = _backward
        return out

    def run() -> list[Any]:
        leaves = [Value(value) for value in STARTS[kind]]
        program(kind, size, *leaves, sin).backward()
        return [leaf.grad for leaf in leaves]

    return run


SIDES = {
    "ours": ours,
    "torch": torchs,
    "autograd": autograds,
    "mygrad": mygrads,
    "micrograd": micrograds,
    "micrograd, gc": micrograds,
}

if __name__ == "__main__":
    answer(SIDES)

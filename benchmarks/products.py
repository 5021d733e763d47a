"""P11: the sum of a product of four square matrices, and its gradient by each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Case, sized, worker
from benchmarks.leaves import gradients, leaf
from benchmarks.worker import Run, answer


def cases(scale: float) -> list[Case]:
    n = sized(1_000, scale)
    return [
        Case(
            "P11",
            f"`(A@B@C@D).sum()`, {n:,} x {n:,}",
            0.6,
            worker("products", "ours", n),
            worker("products", "torch", n),
            peers={"autograd": worker("products", "autograd", n)},
        )
    ]


def inputs(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(0, n**-0.5, (n, n)) for _ in range(4)]


def ours(n: int) -> Run:
    from autodiff.core.engine.public_functions import FUNCTIONS

    arrays, total = inputs(n), FUNCTIONS["torch.sum"]

    def run() -> list[Any]:
        a, b, c, d = leaves = [leaf(array) for array in arrays]
        total(a @ b @ c @ d).backward()
        return gradients(leaves)

    return run


def torchs(n: int) -> Run:
    import torch

    arrays = inputs(n)

    def run() -> list[Any]:
        a, b, c, d = leaves = [torch.from_numpy(array).requires_grad_() for array in arrays]
        (a @ b @ c @ d).sum().backward()
        return [leaf.grad.numpy() for leaf in leaves]

    return run


def autograds(n: int) -> Run:
    import autograd
    import autograd.numpy as anp

    arrays = inputs(n)
    slopes = autograd.grad(lambda leaves: anp.sum(leaves[0] @ leaves[1] @ leaves[2] @ leaves[3]))
    return lambda: slopes(arrays)


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds}

if __name__ == "__main__":
    answer(SIDES)

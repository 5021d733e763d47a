"""P6: many ops on tensors so small that what surrounds the arithmetic decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Case, sized, worker
from benchmarks.leaves import gradients
from benchmarks.worker import Run, answer

TARGETS = {1: 0.35, 16: 0.35, 256: 0.5, 4096: 0.9}


def cases(scale: float) -> list[Case]:
    steps = sized(1_000, scale)
    return [
        Case(
            "P6",
            f"{3 * steps:,} ops on tensors of {n} entries",
            target,
            worker("tiny_tensors", "ours", n, steps),
            worker("tiny_tensors", "torch", n, steps),
            peers={"autograd": worker("tiny_tensors", "autograd", n, steps)},
        )
        for n, target in TARGETS.items()
    ]


def inputs(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, n), rng.uniform(0.5, 1, n), rng.uniform(-0.1, 0.1, n)]


def program(h: Any, a: Any, b: Any, steps: int, tanh: Any) -> Any:
    for _ in range(steps):
        h = tanh(h * a + b)
    return h


def ours(n: int, steps: int) -> Run:
    from autodiff.core import tensor
    from autodiff.core.engine.public_functions import FUNCTIONS
    from autodiff.core.graph.op import OPS

    arrays = inputs(n)
    total, tanh = FUNCTIONS["torch.sum"], OPS["tanh"]

    def run() -> list[Any]:
        leaves = [tensor(array, requires_grad=True) for array in arrays]
        total(program(*leaves, steps, tanh)).backward()
        return gradients(leaves)

    return run


def torchs(n: int, steps: int) -> Run:
    import torch

    arrays = inputs(n)

    def run() -> list[Any]:
        leaves = [torch.from_numpy(array).requires_grad_() for array in arrays]
        program(*leaves, steps, torch.tanh).sum().backward()
        grads = [leaf.grad.numpy() for leaf in leaves]
        return grads

    return run


def autograds(n: int, steps: int) -> Run:
    import autograd
    import autograd.numpy as anp

    arrays = inputs(n)
    slopes = autograd.grad(lambda h, a, b: anp.sum(program(h, a, b, steps, anp.tanh)), (0, 1, 2))
    return lambda: list(slopes(*arrays))


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds}

if __name__ == "__main__":
    answer(SIDES)

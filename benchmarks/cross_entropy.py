"""P12: softmax cross entropy of scores and classes, many rows of few classes and the other way round."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Case, sized, worker
from benchmarks.leaves import gradients, leaf
from benchmarks.worker import Run, answer


def cases(scale: float) -> list[Case]:
    return [
        Case(
            "P12",
            f"cross entropy, {sized(rows, scale):,} x {classes:,}",
            target,
            worker("cross_entropy", "ours", sized(rows, scale), classes),
            worker("cross_entropy", "torch", sized(rows, scale), classes),
            peers={"autograd": worker("cross_entropy", "autograd", sized(rows, scale), classes)},
        )
        for rows, classes, target in ((100_000, 10, 0.45), (4_096, 1_000, 1.5))
    ]


def inputs(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, classes)), rng.integers(0, classes, rows)


def ours(rows: int, classes: int) -> Run:
    from autodiff.core import tensor
    from autodiff.core.engine.public_functions import FUNCTIONS

    scores, targets = inputs(rows, classes)
    y, cross_entropy = tensor(targets), FUNCTIONS["F.cross_entropy"]

    def run() -> list[Any]:
        x = leaf(scores)
        cross_entropy(x, y).backward()
        return gradients([x])

    return run


def torchs(rows: int, classes: int) -> Run:
    import torch
    import torch.nn.functional as F

    scores, targets = map(torch.from_numpy, inputs(rows, classes))

    def run() -> list[Any]:
        x = scores.detach().requires_grad_()
        F.cross_entropy(x, targets).backward()
        return [x.grad.numpy()]

    return run


def autograds(rows: int, classes: int) -> Run:
    import autograd
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    scores, targets = inputs(rows, classes)
    every = np.arange(rows)
    slopes = autograd.grad(lambda x: anp.mean(logsumexp(x, axis=1) - x[every, targets]))
    return lambda: [slopes(scores)]


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds}

if __name__ == "__main__":
    answer(SIDES)

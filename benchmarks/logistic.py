"""P11: logistic regression: the loss of 10^5 rows of 100 features and its gradient by weights and bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Case, sized, worker
from benchmarks.leaves import gradients
from benchmarks.worker import Run, answer

FEATURES = 100


def cases(scale: float) -> list[Case]:
    n = sized(100_000, scale)
    return [
        Case(
            "P11",
            f"logistic regression, {n:,} x {FEATURES}",
            1.4,
            worker("logistic", "ours", n),
            worker("logistic", "torch", n),
            peers={"autograd": worker("logistic", "autograd", n)},
        )
    ]


def inputs(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels, weights, bias."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(rows, FEATURES)), rng.normal(size=FEATURES)
    return x, (x @ w + rng.normal(size=rows) > 0).astype(float), 0.1 * rng.normal(size=FEATURES), np.zeros(1)


def ours(rows: int) -> Run:
    from autodiff.core import tensor
    from autodiff.core.engine.public_functions import FUNCTIONS

    loss = FUNCTIONS["F.binary_cross_entropy_with_logits"]
    features, labels, weights, bias = inputs(rows)
    x, y = tensor(features), tensor(labels)

    def run() -> list[Any]:
        w, b = tensor(weights, requires_grad=True), tensor(bias, requires_grad=True)
        loss(x @ w + b, y).backward()
        return gradients([w, b])

    return run


def torchs(rows: int) -> Run:
    import torch
    import torch.nn.functional as F

    features, labels, weights, bias = map(torch.from_numpy, inputs(rows))

    def run() -> list[Any]:
        w, b = weights.clone().requires_grad_(), bias.clone().requires_grad_()
        F.binary_cross_entropy_with_logits(features @ w + b, labels).backward()
        return [w.grad.numpy(), b.grad.numpy()]

    return run


def autograds(rows: int) -> Run:
    import autograd
    import autograd.numpy as anp

    x, y, weights, bias = inputs(rows)

    def loss(w: Any, b: Any) -> Any:
        z = anp.dot(x, w) + b
        return anp.mean(anp.logaddexp(0, z) - y * z)

    slopes = autograd.grad(loss, (0, 1))
    return lambda: list(slopes(weights, bias))


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds}

if __name__ == "__main__":
    answer(SIDES)

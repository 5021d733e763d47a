"""P10: a perceptron of 784, 512, 512 and 10 units with relu and cross entropy, forward and backward."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.cases import ADDED, Case, sized, worker
from benchmarks.leaves import gradients, leaf
from benchmarks.worker import Run, answer

WIDTHS = (784, 512, 512, 10)


def cases(scale: float) -> list[Case]:
    made = []
    for dtype in ("float32", "float64"):
        for batch in (256, 1024, 4096):
            n = sized(batch, scale)
            names = ("autograd", "mygrad", "jax") if batch == 256 else ("jax",)
            case = Case(
                "P10",
                f"MLP 784-512-512-10, batch {n:,}, {dtype}",
                1.25,
                worker("perceptron", "ours", n, dtype),
                worker("perceptron", "torch", n, dtype),
                peers={name: worker("perceptron", name, n, dtype) for name in names},
                tolerance=1e-4 if dtype == "float32" else 1e-9,
            )
            if batch == 4096:
                case = case.with_peak(f"{case.work}, memory", 1.0, ADDED)
            made.append(case)
    return made


def inputs(batch: int, dtype: str) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Data, classes, and the parameters: weights and biases in turn."""
    rng = np.random.default_rng(0)
    parameters = []
    for m, n in pairwise(WIDTHS):
        parameters += [rng.normal(0, m**-0.5, (m, n)).astype(dtype), np.zeros(n, dtype)]
    return rng.normal(size=(batch, WIDTHS[0])).astype(dtype), rng.integers(0, WIDTHS[-1], batch), parameters


def logits(x: Any, parameters: list[Any], relu: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = parameters
    return relu(relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def ours(batch: int, dtype: str) -> Run:
    from autodiff.core import tensor
    from autodiff.core.engine.public_functions import FUNCTIONS

    data, classes, arrays = inputs(batch, dtype)
    x, y = tensor(data), tensor(classes)
    relu, cross_entropy = FUNCTIONS["torch.relu"], FUNCTIONS["F.cross_entropy"]

    def run() -> list[Any]:
        parameters = [leaf(array) for array in arrays]
        cross_entropy(logits(x, parameters, relu), y).backward()
        return gradients(parameters)

    return run


def torchs(batch: int, dtype: str) -> Run:
    import torch
    import torch.nn.functional as F

    data, classes, arrays = inputs(batch, dtype)
    x, y = torch.from_numpy(data), torch.from_numpy(classes)

    def run() -> list[Any]:
        parameters = [torch.from_numpy(array).requires_grad_() for array in arrays]
        F.cross_entropy(logits(x, parameters, torch.relu), y).backward()
        return [parameter.grad.numpy() for parameter in parameters]

    return run


def autograds(batch: int, dtype: str) -> Run:
    import autograd
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    x, y, arrays = inputs(batch, dtype)
    rows = np.arange(batch)

    def loss(parameters: list[Any]) -> Any:
        scores = logits(x, parameters, lambda h: anp.maximum(h, 0))
        return anp.mean(logsumexp(scores, axis=1) - scores[rows, y])

    slopes = autograd.grad(loss)
    return lambda: slopes(arrays)


def mygrads(batch: int, dtype: str) -> Run:
    import mygrad as mg
    from mygrad.nnet.activations import relu
    from mygrad.nnet.losses import softmax_crossentropy

    x, y, arrays = inputs(batch, dtype)

    def run() -> list[Any]:
        parameters = [mg.tensor(array, copy=False) for array in arrays]
        softmax_crossentropy(logits(x, parameters, relu), y).backward()
        return [parameter.grad for parameter in parameters]

    return run


def jaxs(batch: int, dtype: str) -> Run:
    import jax

    jax.config.update("jax_enable_x64", True)
    data, classes, arrays = inputs(batch, dtype)
    x, y, parameters = (
        jax.numpy.asarray(data),
        jax.numpy.asarray(classes),
        list(map(jax.numpy.asarray, arrays)),
    )

    def loss(parameters: list[Any]) -> Any:
        chances = jax.nn.log_softmax(logits(x, parameters, jax.nn.relu))
        return -jax.numpy.take_along_axis(chances, y[:, None], axis=1).mean()

    slopes = jax.jit(jax.grad(loss))
    jax.block_until_ready(slopes(parameters))  # compiled now, which is not what is measured
    return lambda: jax.block_until_ready(slopes(parameters))


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds, "mygrad": mygrads, "jax": jaxs}

if __name__ == "__main__":
    answer(SIDES)

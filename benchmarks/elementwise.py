"""P8, P9: sums of elementwise formulas of large arrays, which memory traffic decides more than arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.cases import ADDED, Case, sized, worker
from benchmarks.leaves import gradients, leaf
from benchmarks.worker import Run, answer

#: A formula of (functions, arrays), and how many arrays it takes.
FORMULAS: dict[str, tuple[Callable[..., Any], int]] = {
    "tanh": (lambda f, x, a, b: f.sum(f.tanh(a * x + b) ** 2 * f.exp(-x)), 3),
    "quotient": (lambda f, x, y, z: f.sum((x * y + z) ** 2 / (1 + f.exp(-x))), 3),
    "sin and log": (lambda f, x, y, z: f.sum(f.sin(x) * y + f.log(1 + x * x) * z), 3),
}
SPELLED = {
    "tanh": "sum(tanh(a*x+b)**2*exp(-x))",
    "quotient": "sum((x*y+z)**2/(1+exp(-x)))",
    "sin and log": "sum(sin(x)*y + log(1+x*x)*z)",
}
PEERS = ("autograd", "mygrad", "jax")


def case(
    row: str, formula: str, size: int, target: float | None, peers: tuple[str, ...], units: float = 1
) -> Case:
    ours, torchs = (worker("elementwise", side, formula, size, units=units) for side in ("ours", "torch"))
    unit = "" if units == 1 else ", time per element"
    return Case(
        row,
        f"`{SPELLED[formula]}`, n = {size:,}{unit}",
        target,
        ours,
        torchs,
        peers={name: worker("elementwise", name, formula, size, units=units) for name in peers},
    )


def cases(scale: float) -> list[Case]:
    few, many = sized(1_000_000, scale), sized(10_000_000, scale)
    made = []
    for formula in ("tanh", "quotient"):
        large = case("P8", formula, many, 0.3, ("jax",))
        made += [
            case("P8", formula, few, 0.6, PEERS),
            large.with_peak(f"{large.work}, memory", 1.0, ADDED),
        ]
    return [*made, case("P9", "sin and log", few, 1.3, PEERS)]


def growth(scale: float) -> list[Case]:
    sizes = [sized(10**power, scale) for power in range(3, 8)]
    return [case("elements", "quotient", size, None, (), size) for size in sizes]


def inputs(formula: str, n: int) -> list[Any]:
    """Arrays of ``n``; the a and b of the first formula are single numbers."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, n)
    if formula == "tanh":
        return [x, np.asarray(0.7), np.asarray(0.2)]
    return [x, rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)]


def ours(formula: str, n: int) -> Run:
    from autodiff.core.engine.public_functions import FUNCTIONS

    arrays, work = inputs(formula, n), FORMULAS[formula][0]
    names = ("sum", "tanh", "exp", "sin", "log")
    functions = SimpleNamespace(**{name: FUNCTIONS[f"torch.{name}"] for name in names})

    def run() -> list[Any]:
        leaves = [leaf(array) for array in arrays]
        work(functions, *leaves).backward()
        return gradients(leaves)

    return run


def torchs(formula: str, n: int) -> Run:
    import torch

    arrays, work = inputs(formula, n), FORMULAS[formula][0]

    def run() -> list[Any]:
        leaves = [torch.from_numpy(array).requires_grad_() for array in arrays]
        work(torch, *leaves).backward()
        return [leaf.grad.numpy() for leaf in leaves]

    return run


def autograds(formula: str, n: int) -> Run:
    import autograd
    import autograd.numpy as anp

    arrays, (work, count) = inputs(formula, n), FORMULAS[formula]
    slopes = autograd.grad(lambda *leaves: work(anp, *leaves), tuple(range(count)))
    return lambda: list(slopes(*arrays))


def mygrads(formula: str, n: int) -> Run:
    import mygrad as mg

    arrays, work = inputs(formula, n), FORMULAS[formula][0]

    def run() -> list[Any]:
        leaves = [mg.tensor(array, copy=False) for array in arrays]
        work(mg, *leaves).backward()
        return [leaf.grad for leaf in leaves]

    return run


def jaxs(formula: str, n: int) -> Run:
    import jax

    jax.config.update("jax_enable_x64", True)
    work, count = FORMULAS[formula]
    arrays = [jax.numpy.asarray(array) for array in inputs(formula, n)]
    slopes = jax.jit(jax.grad(lambda *leaves: work(jax.numpy, *leaves), tuple(range(count))))
    jax.block_until_ready(slopes(*arrays))  # compiled now, which is not what is measured
    return lambda: list(jax.block_until_ready(slopes(*arrays)))


SIDES = {"ours": ours, "torch": torchs, "autograd": autograds, "mygrad": mygrads, "jax": jaxs}

if __name__ == "__main__":
    answer(SIDES)

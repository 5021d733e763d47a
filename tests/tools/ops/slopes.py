"""Gradients of autodiff against differences of its own values, along one direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.engines import Answers, Run, leaf_of, weights
from ops.operands import Call

#: Step widths, and how well the fourth-order difference then agrees with a slope. The wide step is exact for
#: smooth functions; the narrow one is for those with a kink near by.
STEPS = ((1e-3, 1e-8), (2e-5, 1e-6))


def check_slopes(function: Any, call: Call, answers: Answers) -> None:
    """Both gradients are slopes of what they are gradients of.

    Not asked where numbers are spelled out or equal, which is done for kinks, in single precision, of nan.
    """
    leaves = [x.array for x in call.operands if x.is_leaf]
    if not all(x.is_generic for x in call.operands if x.is_leaf):
        return
    if any(np.isnan(part).any() for part in (*answers.values, *answers.first)):
        return
    if not answers.first or not sum(x.size for x in leaves) or np.float32 in {x.dtype.type for x in leaves}:
        return
    rng = np.random.default_rng(len(call.expression))
    ways = [rng.normal(size=x.shape) for x in leaves]

    def weighed_value(t: float) -> float:
        run = Run(function, call, moved(leaves, ways, t))
        values = [np.where(np.isfinite(out.data), out.data, 0.0) for out in run.differentiable]
        return total(weights(value.shape, float, 1.0) * value for value in values)

    check_slope(weighed_value, total(map(np.multiply, answers.first, ways)), "gradient")
    if answers.second is None:
        return
    with np.errstate(all="ignore"):
        outputs = Run(function, call).differentiable
    seeds = [weights(out.shape, float, 1.0) for out in outputs]
    ways_of_seeds = [rng.normal(size=seed.shape) for seed in seeds]

    def weighed_gradient(t: float) -> float:
        run = Run(function, call, moved(leaves, ways, t))
        gradients = run.first([leaf_of(seed, False) for seed in moved(seeds, ways_of_seeds, t)])
        return total(
            weights(g.shape, float, 2.0 + i) * g.data for i, g in enumerate(gradients) if g is not None
        )

    exact = total(map(np.multiply, answers.second, ways + ways_of_seeds))
    check_slope(weighed_gradient, exact, "second gradient")


def moved(arrays: list[np.ndarray], ways: list[np.ndarray], t: float) -> list[np.ndarray]:
    return [np.asarray(x + t * way) for x, way in zip(arrays, ways, strict=True)]


def total(parts: Any) -> float:
    return float(sum(np.sum(part) for part in parts))


def check_slope(f: Callable[[float], float], exact: float, what: str) -> None:
    """``exact`` is the slope of ``f`` at 0, by a difference of fourth order with one of the step widths."""
    tried = []
    for step, tolerance in STEPS:
        with np.errstate(all="ignore"):
            near, far = f(step) - f(-step), f(2 * step) - f(-2 * step)
            slope = (8 * near - far) / (12 * step)
            if abs(slope - exact) <= tolerance * (1 + abs(exact) + abs(f(0.0))):
                return
        tried.append(slope)
    raise AssertionError(f"{what} along a direction: {exact}, differences {tried}")

"""Second derivatives of sums and products of numbers, with the fast path and with the rules alone."""

from __future__ import annotations

import random

import pytest
from autodiff.core import tensor
from autodiff.core.engine import sweep
from autodiff.core.engine.backward import grad
from autodiff.core.graph.topological_order import newest_first


def second_derivatives(seed: int) -> tuple[list[float], list[tuple[str, float]]]:
    """The Hessian of a random sum of products, and the nodes of the pass that was recorded."""
    chance = random.Random(seed)
    leaves = [tensor(chance.uniform(-2, 2), requires_grad=True) for _ in range(3)]
    values = [*leaves, tensor(1.5), 0.5, 2]
    for _ in range(12):
        x, y = chance.choice(values), chance.choice(values[:3] + values[6:])
        values.append(chance.choice([x * y, x + y, x - y, y.exp() * 0.1]))
    total = values[-1] * values[-2] + leaves[0] * leaves[1] + leaves[2] * leaves[2]
    slopes = grad(total, leaves, create_graph=True, allow_unused=True)
    recorded = newest_first([slope.node for slope in slopes])
    rows = [grad(slope, leaves, retain_graph=True, allow_unused=True) for slope in slopes]
    entries = [0.0 if x is None else x.value for row in rows for x in row]
    return entries, [(node.grad_fn_name, node.out) for node in recorded]


@pytest.mark.parametrize("seed", range(20))
def test_the_fast_path_records_what_the_rules_do(monkeypatch, seed) -> None:
    fast = second_derivatives(seed)
    monkeypatch.setattr(sweep, "is_fast", False)
    assert second_derivatives(seed) == fast
    assert any(fast[0])

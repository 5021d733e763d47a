"""The strongest paths against all paths, where there are few enough to follow them all."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from autodiff.core import Tensor, tensor
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.graph.node import Node
from autodiff.core.graph.op import OPS
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.path_sum import count_paths, paths_with_contributions
from autodiff.core.paths.strongest_paths import ScalarEdges
from graph_builder import random_scalar_graph
from seeds import seeds


def edges_below(root: Node) -> ScalarEdges:
    return ScalarEdges(newest_first([root]))


def node_of(x: Tensor) -> Node:
    assert x.node is not None
    return x.node


@pytest.mark.parametrize("seed", seeds(40))
def test_the_strongest_are_those_enumeration_finds(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 9)
    edges = edges_below(root)
    assert edges.are_finite
    for leaf in leaves:
        every = [(path, c) for path, c in paths_with_contributions(root, leaf, 1.5) if c]
        sizes = sorted((abs(c) for _, c in every), reverse=True)
        found = edges.strongest(leaf, 1.5, 10**6)
        assert [abs(c) for _, c in found] == pytest.approx(sizes, rel=1e-12)
        assert {path for path, _ in found} == {path for path, _ in every}
        few = edges.strongest(leaf, 1.5, 3)
        assert [abs(c) for _, c in few] == pytest.approx(sizes[:3], rel=1e-12)
        assert edges.magnitude(leaf, 1.5) == pytest.approx(sum(sizes), rel=1e-12)


def test_what_a_path_carries_is_the_product_of_its_derivatives() -> None:
    x = tensor(0.5, requires_grad=True)
    y = OPS["sin"](x) * 3.0 + x * x * -7.0
    edges = edges_below(node_of(y))
    for path, carried in edges.strongest(node_of(x), 2.0, 10):
        followed = dict(paths_with_contributions(node_of(y), node_of(x), 2.0))
        assert carried == pytest.approx(followed[path], rel=1e-15)


@pytest.mark.parametrize("shaped", [float, lambda value: [value]], ids=["numbers", "tensors of one entry"])
def test_derivatives_next_to_nothing_are_told_apart(shaped: Callable[[float], Any]) -> None:
    """The product decides, however small a factor of it is: 1e-200 * 1e190 is less than 1e-9."""
    x, small = tensor(shaped(2.0), requires_grad=True), tensor(shaped(1e-200), requires_grad=True)
    for large, strongest in ((1e190, 1e-9), (1e195, 1e-5)):
        y = x * small * large + x * 1e-9
        [(_, carried)] = edges_below(node_of(y)).strongest(node_of(x), 1.0, 1)
        assert carried == pytest.approx(strongest, rel=1e-12)


def test_constant_derivatives_of_zero_carry_nothing() -> None:
    x = tensor(2.5, requires_grad=True)
    y = OPS["floor"](x) + x * 3.0
    edges = edges_below(node_of(y))
    assert [c for _, c in edges.strongest(node_of(x), 1.0, 10)] == [3.0]
    assert edges_below(node_of(OPS["floor"](x) * 2.0)).strongest(node_of(x), 1.0, 10) == []


@pytest.mark.parametrize("seed", seeds(20))
def test_larger_contributions_come_first_where_lengths_are_as_good_as_equal(seed: int) -> None:
    """Sums of logarithms are rounded: among almost equal paths they give another order than the products."""
    draw = random.Random(seed)
    x = tensor(1.0, requires_grad=True)
    y = x * 0.0
    for _ in range(60):
        factors = [draw.uniform(0.5, 2.0) for _ in range(6)]
        z = x * 1.0
        for factor in (*factors, *(1 / factor for factor in factors)):
            z = z * factor
        y = y + z
    sizes = [abs(c) for _, c in edges_below(node_of(y)).strongest(node_of(x), 1.0, 60)]
    assert len(set(sizes)) > 1
    assert sizes == sorted(sizes, reverse=True)


def test_paths_that_share_stretches_are_walked_as_they_are() -> None:
    """Many detours, each off and on the ways of others, in a graph with all its paths known."""
    draw = random.Random(3)
    x = tensor(1.0, requires_grad=True)
    nodes = [x, x * 0.9]
    for _ in range(24):
        one, other = nodes[-1] * draw.uniform(0.5, 1.5), nodes[-2] * draw.uniform(-1.5, 1.5)
        nodes.append(one - other if draw.random() < 0.5 else other - one)
    every = dict(paths_with_contributions(node_of(nodes[-1]), node_of(x), -2.0))
    found = edges_below(node_of(nodes[-1])).strongest(node_of(x), -2.0, 5_000)
    assert len(found) == 5_000 < len(every)
    for path, carried in found:
        assert carried == pytest.approx(every[path], rel=1e-12)
    assert [abs(c) for _, c in found] == pytest.approx(
        sorted(map(abs, every.values()), reverse=True)[:5_000], rel=1e-12
    )


def test_rules_that_give_up_on_python_numbers_are_followed_in_numpy() -> None:
    """``math`` overflows where IEEE arithmetic goes on: the derivative is still a number."""
    x = tensor(800.0, requires_grad=True)
    y = OPS["sigmoid"](x * -1.0)
    edges = edges_below(node_of(y))
    assert edges.are_finite
    assert [c for _, c in edges.strongest(node_of(x), 1.0, 2)] == [
        c for _, c in paths_with_contributions(node_of(y), node_of(x), 1.0) if c
    ]


def test_paths_that_give_nothing_are_left_out() -> None:
    x, zero = tensor(2.0, requires_grad=True), tensor(0.0, requires_grad=True)
    y = x * zero + x * 3.0
    found = edges_below(node_of(y)).strongest(node_of(x), 1.0, 10)
    assert [c for _, c in found] == [3.0]


def test_a_target_nothing_leads_to_has_no_paths() -> None:
    x, alone = tensor(2.0, requires_grad=True), tensor(1.0, requires_grad=True)
    edges = edges_below(node_of(x * 3.0))
    assert edges.strongest(node_of(alone), 1.0, 10) == []
    assert edges.magnitude(node_of(alone), 1.0) == 0.0


def test_derivatives_that_are_not_finite_are_told() -> None:
    x = tensor(0.0, requires_grad=True)
    assert not edges_below(node_of(OPS["sqrt"](x) * 2.0)).are_finite


def test_tensors_of_one_entry_count_as_numbers_and_larger_ones_do_not() -> None:
    x = tensor([2.0], requires_grad=True)
    y = x * x
    assert [c for _, c in edges_below(node_of(y)).strongest(node_of(x), 1.0, 9)] == [2.0, 2.0]
    pair = tensor([2.0, 3.0], requires_grad=True)
    total = METHODS["sum"](pair * pair)
    assert edges_below(node_of(total)).edges_from(node_of(total)) == []


def test_ten_of_very_many_paths_in_a_large_graph() -> None:
    """The graph has more paths than could ever be followed; which are strongest is known by construction."""
    x = y = tensor(1.0, requires_grad=True)
    randomly = random.Random(7)
    weights = []
    for _ in range(34_000):
        weak = randomly.uniform(0.1, 0.9)
        weights.append(weak)
        y = y * 1.0 + y * weak
    order = newest_first([node_of(y)])
    assert len(order) > 100_000
    count = count_paths(node_of(y), [node_of(x)], order)[node_of(x)]
    assert count == 2**34_000
    found = [c for _, c in ScalarEdges(order).strongest(node_of(x), 1.0, 10)]
    largest = sorted(weights, reverse=True)[:10]
    products = [1.0] + largest + [a * b for a, b in itertools.combinations(largest, 2)]
    assert found == pytest.approx(sorted(products, reverse=True)[:10], rel=1e-12)

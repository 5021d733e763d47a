"""The strongest paths against all paths, where there are few enough to follow them all."""

from __future__ import annotations

import itertools
import random

import pytest
from autodiff.core import Tensor, tensor
from autodiff.core.functions import METHODS
from autodiff.core.node import Node
from autodiff.core.op import OPS
from autodiff.core.paths import count_paths, follow
from autodiff.core.strongest import ScalarEdges
from autodiff.core.sweep import newest_first
from graph_builder import random_scalar_graph


def edges_below(root: Node) -> ScalarEdges:
    return ScalarEdges(newest_first([root]))


def node_of(x: Tensor) -> Node:
    assert x.node is not None
    return x.node


@pytest.mark.parametrize("seed", range(40))
def test_the_strongest_are_those_enumeration_finds(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 9)
    edges = edges_below(root)
    assert edges.are_finite
    for leaf in leaves:
        every = [(path, c) for path, c in follow(root, leaf, 1.5) if c]
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
        followed = dict(follow(node_of(y), node_of(x), 2.0))
        assert carried == pytest.approx(followed[path], rel=1e-15)


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
    assert edges_below(node_of(total)).of(node_of(total)) == []


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

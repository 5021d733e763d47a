"""Paths: exact counts, enumeration in order, and that what they carry adds up to the gradient."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from autodiff.core import Tensor, tensor
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.graph.node import Node
from autodiff.core.paths.path_sum import count_paths, paths_between, paths_with_contributions
from graph_builder import random_scalar_graph, random_tensor_graph, subject_of
from seeds import seeds


def node_of(x: Tensor) -> Node:
    assert x.node is not None
    return x.node


def brute_force_count(root: Node, target: Node) -> int:
    if root is target:
        return 1
    return sum(brute_force_count(x, target) for x in root.inputs if x is not None and x.tracked)


def test_parallel_edges_are_two_paths() -> None:
    x = tensor(3.0, requires_grad=True)
    y = x * x
    assert count_paths(node_of(y), [node_of(x)]) == {node_of(x): 2}
    assert [path[0][1] for path in paths_between(node_of(y), node_of(x))] == [0, 1]


def test_untracked_operands_end_no_path() -> None:
    x, c = tensor(3.0, requires_grad=True), tensor(2.0)
    y = x * c + 1
    assert count_paths(node_of(y), [c.source(), node_of(x)]) == {c.source(): 0, node_of(x): 1}
    assert list(paths_between(node_of(y), c.source())) == []


def test_the_output_itself_is_reached_by_the_empty_path() -> None:
    y = node_of(tensor(3.0, requires_grad=True) * 2)
    assert count_paths(y, [y]) == {y: 1}
    assert list(paths_with_contributions(y, y, 1.0)) == [((), 1.0)]


def test_paths_come_in_source_order() -> None:
    a, b = tensor(3.0, requires_grad=True), tensor(1.0, requires_grad=True)
    e = (a + b) * (b + 1)
    contributions = [g for _, g in paths_with_contributions(node_of(e), node_of(b), 1.0)]
    assert contributions == [2.0, 4.0]


@pytest.mark.parametrize("seed", seeds(25))
def test_counts_equal_brute_force_on_scalars(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 10)
    counts = count_paths(root, leaves)
    for leaf in leaves:
        assert counts[leaf] == brute_force_count(root, leaf) == len(list(paths_between(root, leaf)))


@pytest.mark.parametrize("seed", seeds(25))
def test_contributions_of_scalars_add_up_to_backward(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 12)
    subject = subject_of(root, {})
    for leaf in leaves:
        total = sum(g for _, g in paths_with_contributions(root, leaf, 1.0))
        assert total == pytest.approx(subject.cotangents.get(leaf, 0.0), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(25))
def test_contributions_of_tensors_add_up_to_backward(seed: int) -> None:
    root, leaves = random_tensor_graph(seed, 6)
    subject = subject_of(root, {})
    for leaf in leaves:
        total = sum(
            (g for _, g in paths_with_contributions(root, leaf, subject.seed)), start=np.zeros(leaf.shape)
        )
        np.testing.assert_allclose(total, subject.cotangents.get(leaf, 0.0), rtol=1e-12, atol=1e-12)


def test_more_paths_than_anybody_could_follow() -> None:
    x = y = tensor(1.0, requires_grad=True)
    for _ in range(1000):
        y = y + y
    assert count_paths(node_of(y), [node_of(x)]) == {node_of(x): 2**1000}
    first = list(islice(paths_with_contributions(node_of(y), node_of(x), 1.0), 3))
    assert [(len(path), g) for path, g in first] == [(1000, 1.0)] * 3
    assert [path[-1][1] for path, _ in first] == [0, 1, 0]


def test_long_chains_do_not_recurse() -> None:
    x = y = tensor(1.0, requires_grad=True)
    for _ in range(100_000):
        y = y * 1.0
    [(path, g)] = paths_with_contributions(node_of(y), node_of(x), 1.0)
    assert (len(path), g) == (100_000, 1.0)
    assert count_paths(node_of(y), [node_of(x)]) == {node_of(x): 1}


def test_2_to_the_100000_paths_are_counted() -> None:
    x = y = tensor(1.0, requires_grad=True)
    for _ in range(100_000):
        y = y + y
    [count] = count_paths(node_of(y), [node_of(x)]).values()
    assert count.bit_length() == 100_001


def test_paths_around_an_unrelated_branch_are_not_searched() -> None:
    y = tensor(1.0, requires_grad=True)
    z = tensor(2.0, requires_grad=True)
    for _ in range(200):
        y = y + y
    [(path, g)] = paths_with_contributions(node_of(METHODS["sin"](y) + z), node_of(z), 1.0)
    assert (len(path), g) == (1, 1.0)

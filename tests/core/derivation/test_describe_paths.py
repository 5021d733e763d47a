"""Derivations over many paths: the strongest are written out, and all agree with backward."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core import tensor
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.paths.path_sum import count_paths
from autodiff.core.symbolic.evaluate import value_of
from described import FIRST, derive, describe_derivation, names_of
from expression_reader import parse
from graph_builder import random_scalar_graph, random_tensor_graph, run, subject_of
from seeds import seeds


def doubling(steps: int) -> tuple[Any, Source]:
    x = y = tensor(1.0, requires_grad=True)
    x.source().name = "x"
    for _ in range(steps):
        y = y + y
    assert y.node is not None
    assert x.node is not None
    return subject_of(y.node, {"x": x.node}), Source("")


def test_of_very_many_paths_the_strongest_are_written_out() -> None:
    subject, source = doubling(1000)
    [d] = describe(subject, source, max_paths=5, top=3).derivations
    assert (d.count, d.followed, len(d.paths), d.difference) == (2**1000, 3, 3, None)
    assert d.are_strongest
    assert [path.contribution for path in d.paths] == [1.0, 1.0, 1.0]
    assert d.magnitude == d.value == 2.0**1000
    assert float(d.complete.text) == 2.0**1000


def test_a_path_that_is_too_long_is_shown_by_its_ends() -> None:
    x = y = tensor(1.0, requires_grad=True)
    x.source().name = "x"
    for _ in range(2000):
        y = y * x
    assert y.node is not None
    assert x.node is not None
    d = describe_derivation(subject_of(y.node, {"x": x.node}), Source(""), 0, 3)
    assert d.count == 2001
    # The first path runs through the whole chain, the paths after it leave it earlier.
    assert "..." in d.paths[0].chain
    assert len(d.paths[0].nodes) == 2001
    # What is left out of the product stands in it as a number, so the formula still has the gradient's value.
    assert "..." not in d.paths[0].symbol


@pytest.mark.parametrize("seed", seeds(20))
def test_scalar_derivations_agree_with_backward(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 8)
    subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
    values = {f"{node.name}": node.out for node in subject.order if node.name is not None}
    for d in describe(subject, Source(""), max_paths=10_000, top=10_000).derivations:
        sizes = sum(abs(path.contribution) for path in d.paths)
        assert (d.followed, len(d.paths)) == (d.count, d.count)
        assert d.difference == pytest.approx(0.0, abs=1e-12 * max(sizes, 1.0))
        assert d.magnitude is None or d.magnitude == pytest.approx(sizes, rel=1e-12)
        assert sum(use.contribution for use in d.uses) == pytest.approx(
            d.backward if d.uses else 0.0, rel=1e-9
        )
        # The formula itself, read back, gives the gradient.
        computed = float(value_of(parse(d.complete.text), values))
        assert computed == pytest.approx(d.backward, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(20))
def test_the_factored_formula_is_the_gradient_too(seed: int) -> None:
    root, leaves = random_scalar_graph(seed, 12)
    subject = subject_of(root, {f"x{at}": leaf for at, leaf in enumerate(leaves)})
    values = {f"{node.name}": node.out for node in subject.order if node.name is not None}
    for d in describe(subject, Source(""), max_paths=1, top=1).derivations:
        computed = float(value_of(parse(d.complete.text), values))
        assert computed == pytest.approx(d.backward, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(20))
def test_tensor_derivations_agree_with_backward(seed: int) -> None:
    root, leaves = random_tensor_graph(seed, 5)
    subject = subject_of(root, {f"X{at}": leaf for at, leaf in enumerate(leaves)})
    for d in describe(subject, Source(""), max_paths=10_000).derivations:
        assert d.difference == pytest.approx(0.0, abs=1e-12)
        assert "vjp" not in d.simplified


def test_a_remainder_has_its_place_among_the_signs() -> None:
    assert names_of("x = leaf(2.)\nL = (x % 1.5) * 3") == ["x", "x % 1.5", "L"]


def test_versioned_names_inside_an_expression_keep_their_brackets() -> None:
    code = "x = leaf(3.)\nx = x*2\nL = (x - 1)**2"
    (path,) = derive(code, "x").paths
    assert path.chain[0] == "dL/d(x_1 - 1)"


def test_the_check_sees_a_path_that_was_followed_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths and backward share their rules, so the check is about the walk; this breaks the walk."""
    from autodiff.core.paths import path_sum

    right = path_sum.edge_pullback
    monkeypatch.setattr(path_sum, "edge_pullback", lambda node, index, g: right(node, index, g) * 1.5)
    assert derive("x = leaf(3.)\nL = x*x", "x").difference == pytest.approx(3.0)
    assert derive("x = leaf([1., 2.])\nL = x.sum()", "x").difference == pytest.approx(0.5)


def test_zero_follows_every_path() -> None:
    code = "x = leaf(3.)\nL = x*x + x"
    subject, source = run(code, "x", "L")
    assert len(describe_derivation(subject, source, 0, max_paths=0).paths) == 3


def test_paths_are_counted_when_first_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph of a million nodes can have a count of a hundred thousand digits: bare gradients need none."""
    counted = []

    def count(*arguments: Any) -> dict[Any, int]:
        counted.append(arguments)
        return count_paths(*arguments)

    monkeypatch.setattr("autodiff.core.paths.path_sum.count_paths", count)
    report = describe(*run(FIRST, "w1", "L"), graph=False, derivations=False)
    assert [variable.grad for variable in report.gradients] == [-8.0]
    assert not counted
    assert [report.gradients[0].paths for _ in range(2)] == [2, 2]
    assert len(counted) == 1


def test_bare_gradients_name_no_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Naming takes longer than the pass; only the graph and derivations show names."""
    monkeypatch.setattr("autodiff.core.paths.node_names.NodeNames", None)
    (variable,) = describe(*run(FIRST, "w1", "L"), graph=False, derivations=False).gradients
    assert (variable.name, variable.grad) == ("w1", -8.0)
    with pytest.raises(TypeError):
        describe(*run(FIRST, "w1", "L"), derivations=False)

"""Scripts with loops run twice, from lists of instructions and turn by turn, and what came out compared."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fused.loop_program import LoopProgram
from autodiff.core.graph.node import Leaf, ScalarNode
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.values import LAZY_CLASSES, ScriptFunction
from autodiff.grammar.session.run import Settings

#: What prints an address, or tensors with theirs.
HOLDERS = {ScriptFunction, list, tuple, *LAZY_CLASSES}


@pytest.fixture(autouse=True)
def short_loops_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodiff.grammar.interpret.fast_loop_compiler.MIN_STEPS", 0)
    monkeypatch.setattr("autodiff.grammar.interpret.fast_loop_compiler.MIN_TURNS", 2)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many turns each run of a program has taken."""
    told: list[int] = []
    run = LoopProgram.run

    def counting(self: LoopProgram, *args: Any) -> tuple[int, tuple[Any, ...]]:
        taken, back = run(self, *args)
        told.append(taken)
        return taken, back

    monkeypatch.setattr(LoopProgram, "run", counting)
    return told


def ran(script: str, **settings: Any) -> dict[str, Any]:
    try:
        execution = execute(Source(script), Settings(**settings))
    except AutodiffError as error:
        return {"error": (error.message, error.span, [(turn.number, turn.where) for turn in error.turns])}
    return {**execution.names, "the last": execution.last_assigned}


def turn_by_turn(script: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        patch.setattr(LoopProgram, "run", lambda *args: (0, ()))
        return ran(script, **settings)


def same_tensors(names: dict[str, Any]) -> set[frozenset[str]]:
    """Which names share a tensor, or a number."""
    tensors = {name: value for name, value in names.items() if isinstance(value, (Tensor, float))}
    return {frozenset(n for n, other in tensors.items() if other is value) for value in tensors.values()}


def changes(x: Tensor) -> tuple[Any, ...] | None:
    """How often a tensor was changed in place, and by what and where last."""
    versions = x.version_counter
    if versions is None or not versions.count:
        return None
    return versions.count, versions.changed_by, versions.changed_at


def passed_back(names: dict[str, Any]) -> str:
    """What a backward pass says that is refused, as where something was changed that a rule reads."""
    try:
        names["L"].backward()
    except AutodiffError as error:
        return error.message
    return ""


def graph(names: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The graph of L, node by node, their numbers counted from that of the first leaf."""
    first = names["a"].node.number
    found: dict[Any, tuple[Any, ...]] = {}
    waiting = [names["L"].node]
    while waiting:
        node = waiting.pop()
        if node in found or node is None:
            continue
        if isinstance(node, Leaf):
            found[node] = node.number - first, node.name, node.site
            continue
        assert isinstance(node, ScalarNode)
        below = [None if one is None else one.number - first for one in (node.a, node.b)]
        found[node] = (
            node.number - first,
            node.op.name,
            *below,
            repr((node.constant, node.out)),
            node.name,
            node.site,
        )
        waiting += [node.a, node.b]
    return sorted(found.values(), key=lambda row: row[0])


def compared(script: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
    mine, its = ran(script, **settings), turn_by_turn(script, monkeypatch, **settings)
    assert list(mine) == list(its)
    if "error" in its:
        assert mine == its
        return
    assert same_tensors(mine) == same_tensors(its)
    for name, value in its.items():
        if not isinstance(value, Tensor):
            assert value.__class__ is mine[name].__class__
            assert repr(value) == repr(mine[name]) or value.__class__ in HOLDERS
        else:
            assert repr(mine[name].value) == repr(value.value)
            assert mine[name].requires_grad == value.requires_grad
            assert mine[name].is_leaf == value.is_leaf
            assert changes(mine[name]) == changes(value)
    assert graph(mine) == graph(its)
    if not its["L"].requires_grad:
        return
    mine, its = ran(script), turn_by_turn(script, monkeypatch)  # this time without nodes
    assert passed_back(mine) == passed_back(its)
    for name in "ab":
        received, expected = mine[name].grad, its[name].grad
        assert (received is None) == (expected is None)
        assert received is None or repr(received.value) == repr(expected.value)


def failed(script: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[Any]]:
    """What is said of a script that fails, the same with programs and turn by turn."""
    mine, its = ran(script), turn_by_turn(script, monkeypatch)
    assert mine == its
    message, _, turns = mine["error"]
    return message, turns

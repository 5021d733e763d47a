"""Loops that are run from a list of instructions: the same numbers, graphs and tensors as turn by turn."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core.errors import AutodiffError, LimitError, ScriptError
from autodiff.core.fast import is_fast
from autodiff.core.limits import limits
from autodiff.core.loop_program import LoopProgram
from autodiff.core.node import Leaf, ScalarNode
from autodiff.core.span import Source
from autodiff.core.tensors import Tensor
from autodiff.grammar.run import execute
from autodiff.grammar.values import ScriptFunction
from loop_scripts import loop_script

pytestmark = pytest.mark.skipif(not is_fast, reason="there are no such programs without the tape")

SEEDS = 400


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many turns each run of a program has taken."""
    told: list[int] = []
    run = LoopProgram.run

    def counting(self: LoopProgram, *args: Any) -> int:
        told.append(run(self, *args))
        return told[-1]

    monkeypatch.setattr(LoopProgram, "run", counting)
    return told


def ran(script: str) -> dict[str, Any]:
    execution = execute(Source(script))
    return {**execution.names, "the last": execution.last_assigned}


def turn_by_turn(script: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        patch.setattr(LoopProgram, "run", lambda *args: 0)
        return ran(script)


def same_tensors(names: dict[str, Any]) -> set[frozenset[str]]:
    """Which names share a tensor."""
    tensors = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    return {frozenset(n for n, other in tensors.items() if other is value) for value in tensors.values()}


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
            found[node] = node.number - first, node.name
            continue
        assert isinstance(node, ScalarNode)
        below = [None if one is None else one.number - first for one in (node.a, node.b)]
        found[node] = node.number - first, node.op.name, *below, node.constant, node.out, node.name, node.site
        waiting += [node.a, node.b]
    return sorted(found.values(), key=lambda row: row[0])


def compared(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, its = ran(script), turn_by_turn(script, monkeypatch)
    assert list(mine) == list(its)
    assert same_tensors(mine) == same_tensors(its)
    for name, value in its.items():
        if not isinstance(value, Tensor):
            assert value == mine[name] or isinstance(value, ScriptFunction)
        else:
            assert mine[name].value == value.value
            assert mine[name].requires_grad == value.requires_grad
            assert mine[name].is_leaf == value.is_leaf
    assert graph(mine) == graph(its)
    mine, its = ran(script), turn_by_turn(script, monkeypatch)  # this time without nodes
    for names in (mine, its):
        names["L"].backward()
    for name in "ab":
        received, expected = mine[name].grad, its[name].grad
        assert (received is None) == (expected is None)
        assert received is None or received.value == expected.value


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_loops_do_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(loop_script(seed), monkeypatch)


def test_most_random_loops_are_programs(taken: list[int]) -> None:
    took = 0
    for seed in range(SEEDS):
        del taken[:]
        ran(loop_script(seed))
        took += any(taken)
    assert took > SEEDS // 3


ALIASES = """\
a = torch.tensor(0.5, requires_grad=True)
p = a * 1.0
q = a * 2.0
for i in range(50):
    {body}
"""


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("p = sin(p); q = p", ["pq"]),
        ("q = p; p = sin(p)", []),
        ("p, q = q, p", []),
        ("s = q; q = p * a; p = sin(s)", []),
        ("p = sin(p); q = p; s = q", ["pqs"]),
        ("s = a; p = p * s", ["as"]),
    ],
)
def test_names_of_one_tensor_stay_names_of_one_tensor(body: str, shared: list[str], taken: list[int]) -> None:
    names = ran(ALIASES.format(body=body.replace("; ", "\n    ")))
    assert any(taken) or body == "p, q = q, p"
    assert {"".join(sorted(n)) for n in same_tensors(names) if len(n) > 1} == set(shared)


def failed(script: str, kind: type[AutodiffError], **limited: int) -> list[Any]:
    """What is said of a script that fails, with programs and turn by turn."""
    told = []
    for program in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not program:
                patch.setattr(LoopProgram, "run", lambda *args: 0)
            for name, value in limited.items():
                patch.setattr(limits, name, value)
            with pytest.raises(kind) as caught:
                ran(script)
        turns = [(turn.number, turn.where) for turn in caught.value.turns]
        told.append((caught.value.message, caught.value.span, turns))
    return told


def test_a_loop_that_is_stopped_has_taken_as_many_steps(taken: list[int]) -> None:
    mine, its = failed(ALIASES.format(body="p = sin(p) * a").replace("50", "1002"), LimitError, steps=1000)
    assert sum(taken) == 999
    assert mine == its
    assert mine[2] == [(1001, "i = 1000")]


TOO_LARGE = """\
a = torch.tensor(0.5, requires_grad=True)
p = a * 1.0
for i in range(50):
    p = sin(p)
    if i * 1000000000000000000 > 5:
        q = p * a
    else:
        q = p + a
    r = q * 2
"""


def test_a_test_that_fails_is_told_with_its_turn() -> None:
    mine, its = failed(TOO_LARGE, ScriptError)
    assert "integer overflow" in mine[0]
    assert mine == its
    assert mine[2] == [(11, "i = 10")]


def test_a_loop_over_arrays_is_given_up_soon(taken: list[int]) -> None:
    ran(ALIASES.format(body="p = sin(p) * a").replace("0.5", "[0.5, 1.0]"))
    assert taken == [0] * 8


@pytest.mark.parametrize(
    "body",
    [
        "p = a.detach() * 2",
        "p = torch.sum(p) * a",
        "p = p * a if i else p + a",
        "p = sin(p); p.retain_grad()",
        "p += a",
        "p = sin(p) * (i * 0.5)",
        "p = 2.0",
        "p = p * 99999999999999999",
        "p = p" + " * a" * 3000,
        "p = " + "sin(" * 150 + "p" + ")" * 150,
        "if p > 0: p = p * a",
        "if i: p = p * a",
        "if i % 2: s = p * a\n    else: t = p * a",
        "i = p * a",
    ],
)
def test_other_bodies_go_turn_by_turn(body: str, taken: list[int]) -> None:
    ran(ALIASES.format(body=body.replace("; ", "\n    ")))
    assert not any(taken)

"""The modules that exist for speed give what the plain engine gives, and what plain floats give."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fast_programs
import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine import apply, sweep
from autodiff.core.engine.custom_function import apply_custom_function
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.graph.node import ArrayNode, ScalarNode
from autodiff.core.graph.state import enable_grad
from autodiff.grammar.lints.signatures import bind_unknown
from one_test import in_one_test

PROGRAMS = 200

Write = Callable[[int], tuple[list[float], list[fast_programs.Step]]]


@pytest.mark.skipif(not is_fast, reason="the array path rounds math's functions differently")
@pytest.mark.parametrize("write", [fast_programs.program, fast_programs.wide])
@in_one_test("seed", range(PROGRAMS))
def test_numbers_are_those_of_plain_floats_to_the_last_bit(write: Write, seed: int) -> None:
    leaves, steps = write(seed)
    value, gradients = fast_programs.by_hand(leaves, steps)
    assert fast_programs.by_engine(leaves, steps) == (value, gradients)


def lines(fast: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, Path(fast_programs.__file__), str(PROGRAMS)],
        env={**os.environ, "AUTODIFF_FAST": fast},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def flat(texts: list[str]) -> np.ndarray:
    """The value and all entries of all gradients."""
    value, gradients = map(ast.literal_eval, texts)
    return np.concatenate([np.ravel(x) for x in (value, *gradients)])


def test_gradients_are_the_same_with_and_without() -> None:
    fast, plain = lines("1"), lines("0")
    assert len(fast) == len(plain) == (1 + 2 * (1 + len(fast_programs.SHAPES))) * PROGRAMS
    for mine, its in zip(fast, plain, strict=True):
        assert mine[:2] == its[:2]
        # Four units in the last place per op, over the ops of a program.
        rounding = 4 * fast_programs.STEPS * (2.0**-23 if mine[1] == "float32" else 2.0**-52)
        a, b = flat(mine[2:]), flat(its[2:])
        np.testing.assert_allclose(a, b, rtol=rounding, atol=rounding * np.abs(b).max())


@pytest.mark.skipif(not is_fast, reason="these are the nodes of the short ways")
def test_the_short_ways_are_taken() -> None:
    x = tensor(0.5, requires_grad=True)
    assert isinstance((2.0 * FUNCTIONS["torch.sin"](x) - x / 3).node, ScalarNode)
    h = tensor(np.ones(3), requires_grad=True)
    assert isinstance((h * h).node, ArrayNode)
    assert (h * h).node.params is (2.0 / h).node.params, "by their params one sees that operands are alike"
    row, number = tensor(np.ones((2, 3)), requires_grad=True), tensor(0.5, requires_grad=True)
    broadcast = [(row + h).node, (h * row).node, (row * number).node, (number - row).node]
    assert all(node.params is broadcast[0].params is not (h * 2).node.params for node in broadcast)
    column = tensor(np.ones((3, 1)), requires_grad=True)
    assert (h * column).node.params is not broadcast[0].params


@pytest.mark.skipif(not is_fast, reason="these are the short ways")
def test_nothing_is_asked_twice_of_small_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values and rules of arrays of floats come without the questions of the general way."""
    asked: list[str] = []
    monkeypatch.setattr(apply, "_promote_operands", lambda op, _: asked.append(op.name))
    monkeypatch.setattr(sweep, "node_contributions", lambda node, _: asked.append(node.op.name))
    monkeypatch.setattr(sweep, "edge_pullback_or_none", lambda node, *_: asked.append(node.op.name))
    x, w = (tensor(np.ones((3, 3)), requires_grad=True) for _ in range(2))
    h = FUNCTIONS["torch.where"](x > 0, x @ w, FUNCTIONS["torch.maximum"](x, w))
    h = FUNCTIONS["torch.relu"](h.T + h[0]) ** 2
    FUNCTIONS["torch.mean"](FUNCTIONS["torch.sum"](h, dim=0)).backward()
    assert asked == []
    assert x.grad is not None
    assert w.grad is not None


def test_a_call_that_has_fitted_is_still_converted_and_refused() -> None:
    total, x = FUNCTIONS["torch.sum"], tensor(np.ones((2, 3)))
    assert total(x, dim=1).tolist() == [3.0, 3.0]
    assert total(x, dim=[0]).tolist() == [2.0, 2.0, 2.0]
    assert total(x, axis=0).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ScriptError, match=r"argument 'dim' \(position 2\) must be tuple of ints, not float"):
        total(x, dim=0.5)
    with pytest.raises(ScriptError, match="unexpected keyword argument 'dims'"):
        total(x, dims=0)
    with pytest.raises(ScriptError, match="multiple values for argument 'dim'"):
        total(x, 0, dim=0)


def test_what_may_be_anything_in_a_twin_is_refused_by_the_function_itself() -> None:
    total, x = FUNCTIONS["torch.sum"], tensor(np.ones((2, 3)))
    bind_unknown(total, 3, [])
    with pytest.raises(ScriptError, match=r"argument 'keepdim' .* must be bool, not str"):
        total(x, 0, "yes")


def test_a_pass_for_leaves_lets_go_of_what_inner_nodes_received() -> None:
    x = tensor(np.ones(3), requires_grad=True)
    h = x * 2.0
    total = FUNCTIONS["torch.sum"](h * h)
    inner, outer = grad(total, [h, x], retain_graph=True)
    assert (inner.tolist(), outer.tolist()) == ([4.0] * 3, [8.0] * 3)
    h.retain_grad()
    total.backward()
    assert (h.grad.tolist(), x.grad.tolist()) == ([4.0] * 3, [8.0] * 3)


def test_walking_leaves_no_trace_on_the_nodes() -> None:
    x = tensor(0.5, requires_grad=True)
    y = x * x
    (y + FUNCTIONS["torch.sum"](tensor(np.ones(2)) * y)).backward(retain_graph=True)
    assert [y.node.scratch, x.node.scratch] == [None, None]
    y.backward(retain_graph=True)
    assert [y.node.scratch, x.node.scratch] == [None, None]
    assert x.grad.item() == 4.0


def test_a_pass_for_one_leaf_leaves_no_trace_on_the_others() -> None:
    x, w = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    v = w * 2.0
    y = x * v + w
    grad(y, [x], retain_graph=True)
    assert [w.node.scratch, v.node.scratch] == [None, None]
    y.backward()
    assert [x.grad.item(), w.grad.item()] == [6.0, 5.0]


def test_a_pass_that_fails_on_the_way_leaves_no_trace() -> None:
    x = tensor(np.ones(2), requires_grad=True)
    h = x * 3.0
    y = FUNCTIONS["torch.sum"](FUNCTIONS["torch.exp"](h) * h)
    h.assign_in_place(h + 1.0)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        y.backward(retain_graph=True)
    assert [z.node.scratch for z in (x, h, y)] == [None] * 3
    FUNCTIONS["torch.sum"](h).backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_rule_of_a_script_may_start_a_pass_to_the_same_leaves() -> None:
    w = tensor(3.0, requires_grad=True)
    received: list[float] = []

    def backward(context: Any, g: Any) -> Any:
        (x,) = context.saved_tensors
        with enable_grad():
            again = tensor(x.item(), requires_grad=True)
            (again * again * w).backward()
        received.append(w.grad.item())
        return g * again.grad

    def forward(context: Any, x: Any) -> Any:
        context.save_for_backward(x)
        return x * x * w.detach()

    x = tensor(2.0, requires_grad=True)
    y = apply_custom_function("Again", forward, backward, (x * w,)) + w * 5.0
    slopes = grad(y * 2.0, [x, w], retain_graph=True)
    assert [slope.item() for slope in slopes] == [2 * 108.0, 2 * (5.0 + 72.0)]
    assert received == [36.0]
    w.grad, received[:] = None, []
    (y * 1.0).backward()
    assert received == [36.0]
    assert x.grad.item() == 2 * 6.0 * 3.0 * 3.0
    assert w.grad.item() == 36.0 + 5.0 + 2 * 6.0 * 3.0 * 2.0

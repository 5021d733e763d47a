"""Ops of any number of operands answer for all of them at once, as their rules do one by one."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.graph.op import OPS, VariadicRules
from autodiff.core.ops.shape.join import variadic


@pytest.mark.parametrize(
    ("name", "shapes", "dim"),
    [
        ("cat", [(3,), (1,), (2,)], 0),
        ("cat", [(2, 3), (2, 1)], 1),
        ("cat", [(0, 2), (3, 2)], 0),
        ("cat", [(1, 2, 3), (1, 2, 2)], 2),
        ("stack", [(), (), ()], 0),
        ("stack", [(2, 3), (2, 3)], 0),
        ("stack", [(2, 3), (2, 3), (2, 3)], 1),
        ("stack", [(2,), (2,)], 1),
    ],
)
def test_pieces_are_what_the_rules_give(name: str, shapes: list[tuple[int, ...]], dim: int) -> None:
    op = OPS[name]
    assert isinstance(op.vjps, VariadicRules)
    assert op.vjps.all_at_once is not None
    operands = tuple(np.ones(shape) for shape in shapes)
    out = op.forward(*operands, dim=dim)
    g = np.arange(out.size, dtype=float).reshape(out.shape)
    pieces = [np.asarray(piece) for piece in op.vjps.all_at_once(g, operands, dim=dim)]
    rules = [np.asarray(op.vjps[k](g, out, *operands, dim=dim)) for k in range(len(operands))]
    assert [(p.shape, p.tolist()) for p in pieces] == [(r.shape, r.tolist()) for r in rules]


@pytest.mark.skipif(not is_fast, reason="the plain engine follows the rules")
def test_many_operands_are_answered_at_once() -> None:
    def refuse(index: int, *_: object) -> None:
        raise AssertionError(f"the rule of operand {index} was called")

    op = variadic(
        "joined_for_test", lambda *xs: np.concatenate(xs), refuse, lambda g, xs: np.split(g, len(xs))
    )
    try:
        xs = [tensor(np.ones(2), requires_grad=k != 1) for k in range(3)]
        op(*xs).backward(tensor(np.arange(6.0)))
    finally:
        del OPS["joined_for_test"]
    assert [None if x.grad is None else x.grad.tolist() for x in xs] == [[0.0, 1.0], None, [4.0, 5.0]]


def test_empty_vectors_between_others_are_skipped() -> None:
    x, nothing = tensor(np.ones((2, 2)), requires_grad=True), tensor(np.ones(0))
    joined = FUNCTIONS["torch.cat"]([nothing, x, nothing, x], 1)
    joined.backward(tensor(np.arange(8.0).reshape(2, 4)))
    assert joined.shape == (2, 4)
    assert x.grad is not None
    assert x.grad.tolist() == [[2.0, 4.0], [10.0, 12.0]]

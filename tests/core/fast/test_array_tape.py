"""Operations on small arrays stand on the tape as well, and passes along it give what nodes give."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
import pytest
from autodiff.core import grad, no_grad, tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import MAX_TAPE_ENTRIES, is_tape_entry
from autodiff.core.graph.node import SMALL_BYTES, ArrayNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import LINKS_BEFORE_CHECK, mode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from seeds import blocks

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine makes a node at every operation")

total, mean, tanh = FUNCTIONS["torch.sum"], FUNCTIONS["torch.mean"], FUNCTIONS["torch.tanh"]


@pytest.fixture(autouse=True)
def unwatched() -> None:
    """Hooks of tests before this one would be seen."""
    pass_watch.start()


def leaf(*entries: Any, dtype: str = "float64") -> Tensor:
    return tensor(np.array(entries, dtype), requires_grad=True)


def of(x: Tensor) -> list[float]:
    assert x.grad is not None
    return x.grad.tolist()  # type: ignore[no-any-return] # a list


def test_neither_operations_nor_a_pass_make_a_node() -> None:
    w, x = leaf(2.0, 3.0), tensor(np.array([1.0, -1.0]))
    h = tanh(w * x + 0.5)
    loss = mean((h - 1.0) ** 2)
    loss.backward()
    assert is_tape_entry(h)
    assert loss.tape is not None
    assert loss.tape[0].nodes is None
    kept = np.tanh(np.array([2.5, -2.5]))
    assert of(w) == pytest.approx((kept - 1) * (1 - kept**2) * np.array([1.0, -1.0]))


# -- the same as nodes --------------------------------------------------------------------------------

OF_ONE: list[Callable[[Any], Any]] = [
    *[FUNCTIONS[f"torch.{name}"] for name in ("tanh", "sigmoid", "sin", "relu", "exp", "abs", "square")],
    lambda x: -x,
    lambda x: x * 0.5,
    lambda x: 2 - x,
    lambda x: x / 3,
    lambda x: 1.5 / (x * x + 1.0),
    lambda x: (x * x + 0.1) ** 1.5,
    lambda x: x.data_alias() * x,
    lambda x: METHODS["clone"](x),
]
OF_TWO: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (y * y + 1.0),
    FUNCTIONS["torch.maximum"],
    FUNCTIONS["torch.hypot"],
]


def fit(x: Tensor, y: Tensor) -> bool:
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return True


def build(seed: int, dtype: str, numbers: str, look: bool) -> tuple[float, list[Any]]:
    """A program of numbers, rows and matrices, all nodes looked at or none: its value and the gradients."""
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    shapes: list[tuple[int, ...]] = [(), (4,), (3, 4), (3, 4), (1,), (4, 3)]
    leaves = [tensor(rng.uniform(-1, 1, shape).astype(dtype if shape else numbers)) for shape in shapes]
    for x in leaves:
        if choose.random() < 0.8:
            x.set_requires_grad()
    known = list(leaves)
    for _ in range(choose.randrange(3, 25)):
        x, y = choose.choice(known), choose.choice(known)
        kind = choose.randrange(8)
        if kind < 3:
            made = choose.choice(OF_ONE)(x)
        elif kind < 6:
            made = choose.choice(OF_TWO)(x, y if fit(x, y) else x)
        elif kind == 6 and x.ndim:
            made = choose.choice([total, mean])(x, choose.randrange(x.ndim))
        elif x.ndim == 2:
            others = [z for z in known if z.shape[:1] == x.shape[1:] and z.dtype is x.dtype]
            made = tanh(x @ choose.choice(others)) if others else total(x)
        else:
            made = tanh(total(x))
        if look and made.requires_grad:
            assert made.node is not None
        if made.dtype.kind == "f":
            known.append(made)
    loss = leaves[0] * 1.0
    for x in known[-4:]:
        loss = loss + OPS["to"](mean(x), dtype="float64")
    if look and loss.requires_grad:
        assert loss.node is not None
    if loss.requires_grad:
        loss.backward()
    return loss.item(), [None if x.grad is None else x.grad.tolist() for x in leaves]


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", blocks(120, 60), ids=str)
def test_passes_along_tapes_give_what_nodes_give(block: range, dtype: str, numbers: str) -> None:
    with np.errstate(all="ignore"):
        for seed in block:
            written, made = (build(seed, dtype, numbers, look) for look in (False, True))
            assert repr(written) == repr(made), seed


@pytest.mark.parametrize("steps", [1, MAX_TAPE_ENTRIES // 2, 2 * MAX_TAPE_ENTRIES])
def test_long_programs_go_on_on_another_tape(steps: int) -> None:
    x, a = leaf(0.3, -0.2), leaf(0.9, 1.1)
    y, h, slope = x, np.array([0.3, -0.2]), np.ones(2)
    for _ in range(steps):
        y = tanh(y) * a
        slope *= (1 - np.tanh(h) ** 2) * np.array([0.9, 1.1])
        h = np.tanh(h) * np.array([0.9, 1.1])
    loss = total(y)
    loss.backward()
    assert is_tape_entry(y)
    assert is_tape_entry(loss)
    assert of(x) == pytest.approx(slope)


def test_a_long_chain_of_larger_arrays_is_kept_on_tapes() -> None:
    x = tensor(np.ones(SMALL_BYTES // 8), requires_grad=True)
    y = x
    for _ in range(MAX_TAPE_ENTRIES):
        y = y * 1.0
    assert is_tape_entry(y)
    assert y.tape is not None
    assert y.tape[0].depth > LINKS_BEFORE_CHECK
    total(y).backward()
    assert of(x) == [1.0] * (SMALL_BYTES // 8)


def test_nodes_made_afterwards_are_those_of_arrays() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    product = x * y
    loss = total(product)
    loss.backward(retain_graph=True)
    once = of(x)
    root = loss.node
    assert root.__class__ is ArrayNode
    assert root.inputs[0] is product.node
    assert root.params == {"dim": None, "keepdim": False}
    assert [list(value) for value in product.node.operands] == [[1.0, 2.0], [3.0, 4.0]]  # type: ignore[union-attr]
    loss.backward()
    assert of(x) == [2 * g for g in once]


# -- what takes nodes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "is_on_tape"),
    [
        (lambda x: x * x, True),
        (lambda x: METHODS["sum"](x, 0), True),
        (lambda x: METHODS["reshape"](x, (1, 2)), False),  # a view: changes of either find the node
        (lambda x: OPS["to"](x, dtype="float32"), False),  # a cast has no name of its own
        (lambda x: FUNCTIONS["torch.lerp"](x, x, x), False),
    ],
)
def test_some_results_have_nodes_at_once(make: Callable[[Tensor], Tensor], is_on_tape: bool) -> None:
    assert is_tape_entry(make(leaf(1.0, 2.0))) == is_on_tape


@pytest.mark.parametrize(("n", "is_on_tape"), [(SMALL_BYTES // 8, True), (SMALL_BYTES // 8 + 1, False)])
def test_large_arrays_have_nodes(n: int, is_on_tape: bool) -> None:
    x = tensor(np.ones(n), requires_grad=True)
    assert is_tape_entry(x * 2.0) == is_on_tape
    assert is_tape_entry(total(x)) == is_on_tape


# -- changes in place ---------------------------------------------------------------------------------


def refused(y: Tensor) -> str:
    with pytest.raises(GradientError) as info:
        total(y).backward()
    return info.value.message


def test_a_value_that_a_rule_reads_is_not_changed_unseen() -> None:
    x, w = tensor(np.ones(2)), leaf(2.0, 3.0)
    y = x * w
    x.assign_in_place(x + 1.0)
    assert "[torch.DoubleTensor [2]] is at version 1; expected version 0" in refused(y)


def test_a_value_that_no_rule_reads_may_be_changed() -> None:
    x, w = tensor(np.ones(2)), leaf(2.0, 3.0)
    y = x + w
    x.assign_in_place(x + 1.0)
    total(y).backward()
    assert of(w) == [1.0, 1.0]


@pytest.mark.parametrize("make", [lambda w: w * 2.0, total, lambda w: FUNCTIONS["torch.norm"](w)])
def test_a_change_through_an_alias_is_seen_when_the_tensor_is_gone(make: Callable[[Tensor], Tensor]) -> None:
    h = make(leaf(2.0, 3.0))
    alias = h.detach()
    y = h * h
    del h
    alias.assign_in_place(alias + 1.0)
    assert "is at version 1; expected version 0" in refused(y)


def test_a_result_changed_in_place_goes_on() -> None:
    w = leaf(2.0, 3.0)
    h = w * 2.0
    h.assign_in_place(h * w)
    total(h).backward()
    assert of(w) == [8.0, 12.0]


def test_a_pass_uses_up_what_it_came_by() -> None:
    w = leaf(2.0, 3.0)
    loss = total(w * w)
    loss.backward()
    with pytest.raises(GradientError, match="second time"):
        loss.backward()


# -- passes -------------------------------------------------------------------------------------------


def test_passes_begin_with_any_cotangent() -> None:
    w = leaf(2.0, 3.0)
    (w * w).backward(tensor(np.array([1.0, 10.0])))
    assert of(w) == [4.0, 60.0]
    with pytest.raises(GradientError, match="implicitly created only for scalar outputs"):
        (w * w).backward()


def test_grad_of_leaves_leaves_others_alone() -> None:
    w, v = leaf(2.0, 3.0), leaf(1.0, 1.0)
    (slope,) = grad(total(w * w * v), w)
    assert slope.tolist() == [4.0, 6.0]
    loss = total(w * v)
    assert [g.tolist() for g in grad(loss, [v, w]) if g is not None] == [[2.0, 3.0], [1.0, 1.0]]
    assert is_tape_entry(loss)  # all leaves were asked for
    assert w.grad is None
    assert v.grad is None


def test_second_derivatives_take_nodes() -> None:
    w = leaf(2.0, 3.0)
    loss = total(w**3)
    (slope,) = grad(loss, w, create_graph=True)
    assert not is_tape_entry(loss)
    (second,) = grad(total(slope), w)
    assert second.tolist() == [12.0, 18.0]


def test_nothing_is_recorded_where_recording_is_off() -> None:
    w = leaf(2.0, 3.0)
    h = w * 2.0
    with no_grad():
        assert not (h * 2.0).requires_grad
        assert not tanh(h).requires_grad
    total(h * 3.0).backward()
    assert of(w) == [6.0, 6.0]


def test_numpy_does_not_warn_in_a_pass(recwarn: pytest.WarningsRecorder) -> None:
    w = leaf(0.0, 4.0)
    total(FUNCTIONS["torch.sqrt"](w)).backward()
    assert of(w) == [float("inf"), 0.25]
    assert not list(recwarn)


@pytest.mark.parametrize(
    ("n", "steps"), [(4, LINKS_BEFORE_CHECK * MAX_TAPE_ENTRIES), (SMALL_BYTES // 8, 2 * MAX_TAPE_ENTRIES)]
)
def test_what_nobody_uses_is_let_go_of(n: int, steps: int) -> None:
    """Of a loop that looks back one step; where arrays are larger also if a result is kept now and then."""
    w = tensor(np.ones(n), requires_grad=True)
    before, kept, gone = w * 1.0, [], []
    for step in range(steps):
        if step % 50 == 0:
            w = tensor(np.ones(n), requires_grad=True)
            gone.append(ref(w.node))
        now = tanh(w)
        difference = now - before
        before = now
        if step % 500 == 0 and n > 4:
            kept.append(total(difference))
    assert sum(node() is not None for node in gone) < len(gone) / 2


def test_names_are_those_of_the_script() -> None:
    text = (
        "w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"
        "x = torch.tensor([1.0, 2.0])\n"
        "h = w @ x\n"
        "k = h * x + x\n"
        "loss = torch.sum(k)\n"
    )
    execution = execute(Source(text), Settings())
    names = execution.names
    assert is_tape_entry(names["k"])
    product = names["k"].node.inputs[0]
    assert [names["h"].node.name, product.name, names["k"].node.name] == ["h", None, "k"]
    assert names["loss"].node.name == "loss"


def test_bare_gradients_make_no_node() -> None:
    text = "w = torch.tensor([1.0, 2.0], requires_grad=True)\nloss = torch.sum(w * w)\n"
    execution = execute(Source(text), Settings())
    subject = differentiate(execution, Settings())
    assert [g.tolist() for g in subject.received.values()] == [[2.0, 4.0]]
    assert is_tape_entry(execution.names["loss"])


def test_leaves_may_take_the_last_places_of_a_tape() -> None:
    for filled in range(MAX_TAPE_ENTRIES - 3, MAX_TAPE_ENTRIES + 1):
        mode.close_tape()
        w = leaf(2.0, 3.0)
        h = w * 1.0
        assert h.tape is not None
        while len(h.tape) < filled:
            h = h * 1.0
        v, z = leaf(1.0, 10.0), h
        total(FUNCTIONS["torch.dot"](v, z) * 2.0).backward()
        assert (of(w), of(v)) == ([2.0, 20.0], [4.0, 6.0])


def test_nodes_have_the_numbers_that_they_would_have_had() -> None:
    text = (
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "y = x * 2\n"
        "z = y + 1\n"
        "s = (x * torch.tensor([1.0, 2.0])).sum() * 2 + z[0]\n"
        "print(y.grad_fn, z.grad_fn, s.grad_fn)\n"
    )
    printed = []
    for fast in "01":
        done = subprocess.run(
            [sys.executable, "-m", "autodiff.cli", "run", "-q", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"AUTODIFF_FAST": fast},
        )
        printed.append(done.stdout.splitlines()[0])
    assert printed[0] == printed[1]


def test_numbers_in_single_precision_stand_on_the_tape() -> None:
    w = tensor(np.array(1.5, "float32"), requires_grad=True)
    h = tanh(w * 0.5 + w) / 2 - w
    loss = 1 - h**2
    loss.backward()
    for x in (h, loss):
        assert is_tape_entry(x)
        assert x.tape is not None
        assert x.tape[0].nodes is None
        assert (type(x.value), x.value.dtype, x.shape) == (np.ndarray, np.dtype("float32"), ())
    assert w.grad is not None
    assert (type(w.grad.value), w.grad.value.dtype, w.grad.shape) == (np.ndarray, np.dtype("float32"), ())
    slope = -2 * (np.tanh(2.25) / 2 - 1.5) * (1.5 / 2 * (1 - np.tanh(2.25) ** 2) - 1)
    assert w.grad.item() == pytest.approx(slope, rel=1e-6)

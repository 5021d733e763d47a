"""Programs of numbers are written on a tape; nodes are made when somebody asks, and say the same."""

from __future__ import annotations

import math
from weakref import ref

import numpy as np
import pytest
from autodiff.core import grad, no_grad, tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import MAX_TAPE_ENTRIES, is_tape_entry
from autodiff.core.graph.node import Leaf, ScalarNode
from autodiff.core.graph.state import LINKS_BEFORE_CHECK, NO_TAPE, mode, set_grad_enabled
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.execution import execute
from autodiff.grammar.execution import run as run_script
from autodiff.grammar.session.run import Settings, differentiate

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine makes a node at every operation")

sin, exp = FUNCTIONS["torch.sin"], FUNCTIONS["torch.exp"]


@pytest.fixture(autouse=True)
def unwatched() -> None:
    """Hooks of tests before this one would be seen."""
    pass_watch.start()


def leaf(value: float) -> Tensor:
    return tensor(value, requires_grad=True)


def of(x: Tensor) -> float:
    assert x.grad is not None
    return float(x.grad.item())


def chain(x: Tensor, a: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        x = sin(x) * a
        x = x + 0.5
    return x


def chain_by_hand(x: float, a: float, steps: int) -> tuple[float, float]:
    """The gradients, in the order of operations that a pass has."""
    values = []
    for _ in range(steps):
        values.append((x, math.sin(x)))
        x = math.sin(x) * a + 0.5
    g, of_a = 1.0, 0.0
    for x, s in reversed(values):
        of_a = g * s + of_a
        g = g * a * math.cos(x)
    return g, of_a


def test_neither_operations_nor_a_pass_make_a_node() -> None:
    x, w = leaf(2.0), leaf(3.0)
    y = w * x
    z = sin(y) / x
    z.backward()
    assert is_tape_entry(y)
    assert is_tape_entry(z)
    assert z.tape is not None
    assert z.tape[0].nodes is None
    assert of(w) == math.cos(6.0) * (1.0 / 2.0) * 2.0


@pytest.mark.parametrize("steps", [1, MAX_TAPE_ENTRIES // 3, MAX_TAPE_ENTRIES, 3 * MAX_TAPE_ENTRIES])
def test_long_programs_go_on_on_another_tape(steps: int) -> None:
    x, a = leaf(0.3), leaf(1.1)
    y = chain(x, a, steps)
    y.backward()
    g, of_a = chain_by_hand(0.3, 1.1, steps)
    assert of(x) == g
    assert of(a) == pytest.approx(of_a, rel=1e-13)
    assert y.tape is not None
    assert len(y.tape) <= MAX_TAPE_ENTRIES


@pytest.mark.parametrize("steps", [2, 2 * MAX_TAPE_ENTRIES])
def test_nodes_made_afterwards_give_the_same_gradients(steps: int) -> None:
    x, a = leaf(0.3), leaf(1.1)
    y = chain(x, a, steps)
    y.backward(retain_graph=True)
    written = of(x), of(a)
    x.grad = a.grad = None
    root = y.node
    assert not is_tape_entry(y)
    assert root is not None
    order = newest_first([root])
    assert len(order) == 3 * steps + 2
    assert all(isinstance(node, ScalarNode | Leaf) for node in order)
    assert [node.number for node in order] == sorted({node.number for node in order}, reverse=True)
    y.backward()
    assert (of(x), of(a)) == written


def test_what_is_computed_with_a_node_goes_on_with_nodes() -> None:
    x = leaf(0.3)
    y = x * x
    assert y.node is not None
    z = y * x + x
    assert not is_tape_entry(z * 1.0)
    z.backward()
    assert of(x) == pytest.approx(0.3 * 0.3 + 0.3 * 0.6 + 1.0)


def test_numbers_and_arrays_meet() -> None:
    x, v = leaf(2.0), tensor(np.array([1.0, 2.0]), requires_grad=True)
    number = x * x
    total = FUNCTIONS["torch.sum"](v * number) * number
    total.backward()
    assert of(x) == pytest.approx(3 * 4 * 2.0**3)
    assert v.grad is not None
    assert v.grad.tolist() == [16.0, 16.0]


def test_numbers_of_nodes_are_in_the_order_of_creation() -> None:
    x = leaf(2.0)
    first = x * x
    between, array = leaf(3.0), tensor(np.ones(2), requires_grad=True) * 2.0
    second = first * between
    after = leaf(4.0)
    made = [x.node, first.node, between.node, array.node, second.node, after.node]
    numbers = [node.number for node in made if node is not None]
    assert len(numbers) == len(set(numbers)) == 6
    assert numbers == sorted(numbers)


def test_a_graph_that_nobody_holds_is_let_go_of() -> None:
    gone = []
    kept = leaf(1.0)
    for _ in range(3):
        x = leaf(0.5)
        gone.append(ref(x.node))
        chain(x, kept, 2 * MAX_TAPE_ENTRIES)
        del x
    mode.close_tape()
    assert [node() for node in gone] == [None] * 3


def test_links_keep_no_more_than_is_needed() -> None:
    """Operations that are begun on one tape and ended on the next link all tapes there are."""
    kept = leaf(0.5)
    gone = []
    for turn in range(4 * LINKS_BEFORE_CHECK * MAX_TAPE_ENTRIES // 7):
        first = leaf(1.0) if turn % 1000 == 0 else kept
        if first is not kept:
            gone.append(ref(first.node))
        p = sin(first * 3.0) + sin(first) * kept - exp(first * kept)
    del p, first
    mode.close_tape()
    kept * 1.0
    assert sum(node() is not None for node in gone) < len(gone) / 2


def test_a_long_chain_is_kept_on_tapes() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(2 * LINKS_BEFORE_CHECK * MAX_TAPE_ENTRIES):
        y = y * 1.0
    assert is_tape_entry(y)
    assert y.tape is not None
    assert y.tape[0].depth >= 2 * LINKS_BEFORE_CHECK
    y.backward()
    assert of(x) == 1.0


def test_sums_over_tapes_are_added_up_in_the_order_of_the_nodes() -> None:
    def total(w: Tensor) -> Tensor:
        s = tensor(0.0)
        for i in range(5000):
            s = s + sin(w * (0.1 * i))
        return s

    w = leaf(0.37)
    total(w).backward()
    along_the_tape = of(w)
    w.grad = None
    y = total(w)
    assert y.node is not None
    y.backward()
    assert of(w) == along_the_tape


def test_entries_that_nobody_uses_do_not_gather() -> None:
    x = leaf(0.5)
    for _ in range(5 * MAX_TAPE_ENTRIES):
        x * x
    assert len(mode.tape) <= MAX_TAPE_ENTRIES


def test_a_pass_uses_up_what_it_came_by() -> None:
    x = leaf(0.5)
    inner = exp(x)
    y = inner * x
    y.backward()
    with pytest.raises(GradientError, match="backward through the graph a second time"):
        y.backward()
    with pytest.raises(GradientError, match="backward through the graph a second time"):
        (inner * 2.0).backward()
    (x * 2.0).backward()
    assert of(x) == math.exp(0.5) * 0.5 + math.exp(0.5) + 2.0


def test_what_saves_nothing_may_be_passed_again() -> None:
    x = leaf(0.5)
    y = x + 1.0
    y.backward()
    y.backward()
    assert of(x) == 2.0


def test_what_a_pass_did_not_come_by_is_not_used_up() -> None:
    x = leaf(0.5)
    one, other = x * x, exp(x)
    one.backward()
    other.backward()
    assert of(x) == 1.0 + math.exp(0.5)


def test_sums_in_place_stay_on_the_tape() -> None:
    x, total = leaf(0.5), tensor(0.0)
    for _ in range(3):
        term = x * x
        total.assign_in_place(total + term)
    assert is_tape_entry(total)
    assert total.version_counter is not None
    assert total.version_counter.count == 3
    total.backward()
    assert is_tape_entry(total)
    assert of(x) == 3.0


def test_a_value_that_a_rule_reads_is_not_changed_unseen() -> None:
    x = leaf(0.5)
    y = x + 1.0
    z = y * y
    y.assign_in_place(y + 1.0)
    assert of_error(z) == "E0403"
    y = exp(x)
    y.assign_in_place(y + 1.0)
    assert of_error(y) == "E0403"
    data = tensor(2.0)
    z = x * data
    data.assign_in_place(data + x)
    assert of_error(z) == "E0403"


def of_error(y: Tensor) -> str | None:
    with pytest.raises(GradientError) as caught:
        y.backward()
    return caught.value.code


def test_nothing_is_recorded_where_recording_is_off() -> None:
    x = leaf(0.5)
    y = x * x
    with no_grad():
        assert mode.tape is NO_TAPE
        assert not (y * x).requires_grad
        assert (y * x).node is None
    with set_grad_enabled(False):
        assert not (x + y).requires_grad
    (y * x).backward()
    assert of(x) == pytest.approx(0.75)


def test_tensors_without_gradients_are_operands_and_nothing_more() -> None:
    x, data = leaf(0.5), tensor(3.0)
    y = x * data
    assert not (data * data).requires_grad
    assert (data * 2.0).node is None
    y.backward()
    assert data.grad is None
    assert of(x) == 3.0


def test_hooks_and_retained_gradients_are_seen() -> None:
    x = leaf(0.5)
    y = x * 2.0
    y.retain_grad()
    z = y * y
    z.backward()
    assert of(y) == 2.0
    seen = []
    a = leaf(1.0)
    b = a * 3.0
    from autodiff.core.engine.hooks import register_hook

    try:
        register_hook(b, lambda g: seen.append(g.item()))
        (b * b).backward()
    finally:
        pass_watch.start()
    assert seen == [6.0]


def test_grad_asks_for_some_of_the_leaves() -> None:
    x, w = leaf(0.5), leaf(3.0)
    y = x * w
    (gx,) = grad(y, [x], retain_graph=True)
    assert gx is not None
    assert gx.item() == 3.0
    assert x.grad is None
    gx, gw = grad(y, [x, w])
    assert gw is not None
    assert gw.item() == 0.5
    z = exp(x) * exp(w)
    (gx,) = grad(z, [x])  # leaves the part of w for another pass
    assert gx is not None
    with pytest.raises(GradientError, match="not have been used"):
        grad(x * x, [leaf(1.0)])


def test_second_derivatives_take_nodes() -> None:
    x = leaf(2.0)
    (slope,) = grad(x * x * x, [x], create_graph=True)
    assert slope is not None
    (curvature,) = grad(slope, [x])
    assert curvature is not None
    assert curvature.item() == 12.0


def test_infinities_and_numbers_beyond_math_are_those_of_ieee() -> None:
    x = leaf(0.0)
    y = FUNCTIONS["torch.log"](x)
    y.backward()
    assert (y.item(), of(x)) == (-math.inf, math.inf)
    x = leaf(1000.0)
    exp(x).backward()
    assert of(x) == math.inf
    x = leaf(1e300)
    y = x * 1e300
    y.backward()
    assert (y.item(), of(x)) == (math.inf, 1e300)


def test_a_change_in_place_is_named_in_messages() -> None:
    x = leaf(2.0)
    y = tensor(1.0)
    z = y * x
    y.assign_in_place(y - x)
    held = y
    with pytest.raises(GradientError, match="output 0 of Sub"):
        z.backward()
    assert held.version_counter is not None


def test_names_given_after_the_nodes_were_made_are_those_of_the_nodes() -> None:
    names = run_script(
        "x = torch.tensor(2., requires_grad=True)\nl = [x * 2, x * 3]\nmade = l[0].grad_fn\na = l[1]\n"
    )
    assert names["a"].node.name == "a"


def test_a_report_names_the_line_of_an_error_on_the_tape() -> None:
    text = "x = torch.tensor(2.5, requires_grad=True)\ny = x * 2\nz = y // 2\nL = z * 3\n"
    with pytest.raises(GradientError) as caught:
        differentiate(execute(Source(text), Settings()), Settings())
    assert caught.value.code == "E0414"
    assert caught.value.labels or caught.value.span is not None


@pytest.mark.parametrize("between", ["", "L.backward()\n"])
def test_a_report_refuses_what_was_changed_as_a_pass_does(between: str) -> None:
    text = f"w = torch.tensor(2., requires_grad=True)\nt = torch.tensor(3.)\nL = w * t\n{between}t += 1\n"
    with pytest.raises(GradientError) as caught:
        differentiate(execute(Source(text), Settings()), Settings())
    assert caught.value.code == "E0403"


def test_new_data_are_what_is_computed_with() -> None:
    names = run_script(
        "a = torch.tensor(1.5, requires_grad=True)\ny = a * 3\ny.data = torch.tensor(2.)\n"
        "z = torch.sin(y)\nz.backward()\n"
    )
    assert names["a"].grad.item() == pytest.approx(3 * math.cos(2.0))


def test_names_are_those_of_the_script() -> None:
    names = run_script(
        "w = torch.tensor(2., requires_grad=True)\n"
        "y = w * 3\n"
        "z = u = y\n"
        "def f(a):\n    inside = a + 1\n    return inside\n"
        "v = f(y)\n"
        "h = [w * 4][0]\n"
        "y += w\n"
    )
    found = {name: names[name].node.name for name in ("w", "y", "z", "v", "h")}
    assert found == {"w": "w", "y": "y", "z": "y", "v": "inside", "h": "h"}

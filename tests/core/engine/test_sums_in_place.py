"""Sums that are added up in place over several tapes make no nodes, and what was read stays protected."""

from __future__ import annotations

from weakref import ref

import pytest
from autodiff.core import no_grad, tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import (
    MAX_SEARCH_DISTANCE,
    MAX_TAPE_ENTRIES,
    allows_in_place_sums,
    existing_node,
    is_tape_entry,
)
from autodiff.core.graph.node import VersionCounter
from autodiff.core.graph.state import mode
from autodiff.grammar import run

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine makes a node at every operation")


exp = FUNCTIONS["torch.exp"]


def leaf(value: float) -> Tensor:
    return tensor(value, requires_grad=True)


def slope(x: Tensor) -> float:
    assert x.grad is not None
    return float(x.grad.item())


def begun(w: Tensor) -> Tensor:
    """A sum that was added up once, on a tape that is closed."""
    total = tensor(0.0)
    total.assign_in_place(total + w)
    mode.close_tape()
    return total


def add_up(total: Tensor, term: Tensor) -> None:
    total.assign_in_place(total + term)


def test_a_long_sum_goes_on_from_tape_to_tape() -> None:
    w, total = leaf(2.0), tensor(0.0)
    for step in range(MAX_TAPE_ENTRIES):
        add_up(total, w * 0.5)
        if step % 1000 == 999:
            mode.close_tape()
        assert is_tape_entry(total)
    assert total.version_counter is not None
    assert total.version_counter.count == MAX_TAPE_ENTRIES
    total.backward()
    assert (total.item(), slope(w)) == (MAX_TAPE_ENTRIES, MAX_TAPE_ENTRIES / 2)


@pytest.mark.parametrize("statement", ["total += e * e", "total -= e * e", "total += e"])
@pytest.mark.parametrize("factor", ["i", "torch.tensor(2.)", "torch.tensor(float(i)).sqrt()"])
def test_loops_of_scripts_make_no_node(statement: str, factor: str) -> None:
    """Tensors that are made while no tape is open, as at the head of a turn, make no difference."""
    lines = ["w = torch.tensor(2., requires_grad=True)", "total = torch.tensor(0.)", "for i in range(3000):"]
    names = run("\n".join([*lines, f"    e = {factor} * w", f"    {statement}"]))
    assert existing_node(names["total"]) is None


def test_long_loops_make_none_either() -> None:
    """The limits are looked at every 8,192 turns, which falls together with the end of a tape at times."""
    lines = ["w = torch.tensor(2., requires_grad=True)", "total = 0", "for i in range(60000):"]
    names = run("\n".join([*lines, "    total += (w * i - 1)**2"]))
    assert existing_node(names["total"]) is None


def test_the_sum_keeps_its_name() -> None:
    text = "w = torch.tensor(2., requires_grad=True)\ntotal = torch.tensor(0.)\nfor i in range(3000):\n"
    names = run(text + "    total += w * i\n")
    node = names["total"].node
    assert node is not None
    assert {node.name, node.inputs[0].name, node.inputs[0].inputs[0].name} == {"total"}


def test_what_the_tape_before_read_cannot_be_used_any_more() -> None:
    w, total = leaf(2.0), tensor(0.0)
    add_up(total, w)
    squared = total * total
    mode.close_tape()
    add_up(total, w)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        squared.backward()


def test_nor_what_a_tape_in_between_read() -> None:
    w = leaf(2.0)
    total = begun(w)
    squared = total * total
    mode.close_tape()
    add_up(total, w)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        squared.backward()


def test_nor_what_this_tape_read() -> None:
    w = leaf(2.0)
    total = begun(w)
    squared = total * total
    add_up(total, w)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        squared.backward()


def test_nor_the_value_of_an_op_that_reads_its_own() -> None:
    w = leaf(2.0)
    grown = exp(w)
    mode.close_tape()
    before = grown + 0.0
    add_up(grown, w)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        before.backward()


def test_far_back_it_is_right_as_well() -> None:
    w = leaf(2.0)
    total = tensor(0.0)
    add_up(total, w)
    for _ in range(MAX_SEARCH_DISTANCE + 5):
        w * 2.0
    mode.close_tape()
    add_up(total, w)
    total.backward()
    assert slope(w) == 2.0


def test_passes_in_between_add_up() -> None:
    w = leaf(2.0)
    total = begun(w)
    total.backward(retain_graph=True)
    add_up(total, w)
    total.backward()
    assert slope(w) == 3.0


def test_under_no_grad_nothing_is_recorded() -> None:
    w = leaf(2.0)
    total = begun(w)
    with no_grad():
        add_up(total, w)
    assert total.item() == 4.0
    total.backward()
    assert slope(w) == 1.0


def test_what_may_take_on_sums_of_itself() -> None:
    w = leaf(2.0)
    total = w + 1.0
    shared, read, of_itself = w + 1.0, w + 1.0, exp(w)
    shared.detach()
    read * read
    constant = tensor(1.0)
    w * constant
    row = tensor([1.0, 2.0], requires_grad=True) + 1.0
    assert allows_in_place_sums(total, mode.tape)
    for other in (shared, read, of_itself, constant, w):
        assert other.tape is mode.tape
        assert not allows_in_place_sums(other, mode.tape)
    assert row.tape is mode.tape
    assert not allows_in_place_sums(row, mode.tape)
    assert total.version_counter is None
    total.version_counter = VersionCounter()
    assert allows_in_place_sums(total, mode.tape)
    total.version_counter.users.append((ref(w), ()))  # as an op that keeps it for its derivative
    assert not allows_in_place_sums(total, mode.tape)

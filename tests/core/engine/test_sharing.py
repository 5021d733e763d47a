"""What shares memory in torch changes together here: data, detach and views, read and written."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import no_grad, tensor
from autodiff.core.base.errors import GradientError
from autodiff.core.engine.public_functions import METHODS
from autodiff.core.ops.select.indexing import getitem, value_after_assignment


def call(name, x, *args):
    return METHODS[name](x, *args)


def changed(x):
    """``x`` with every entry ten larger, in place, outside any recording."""
    with no_grad():
        x.assign_in_place(x + 10)


VIEWS = {
    "row": lambda x: getitem(x, 0),
    "entry": lambda x: getitem(x, (1, 2)),
    "columns": lambda x: getitem(x, (slice(None), slice(1, 3))),
    "everything": lambda x: getitem(x, slice(None)),
    "transposed": lambda x: call("t", x),
    "flat": lambda x: call("view", x, 6),
    "column of a transposed": lambda x: getitem(call("transpose", x, 0, 1), 1),
    "expanded row": lambda x: call("expand", getitem(x, slice(0, 1)), 4, 3),
    "unsqueezed": lambda x: call("unsqueeze", x, 0),
}


@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS)
def test_views_see_a_change_of_their_base(make) -> None:
    x = tensor(np.arange(6.0).reshape(2, 3))
    before = make(x)
    expected = before.data + 10
    changed(x)
    assert np.array_equal(before.data, expected)


@pytest.mark.parametrize("make", [make for name, make in VIEWS.items() if name != "expanded row"])
def test_a_base_sees_a_change_through_a_view(make) -> None:
    array = np.arange(6.0).reshape(2, 3)
    x = tensor(array)
    view = make(x)
    shown = view.data.copy()
    changed(view)
    expected = np.where(np.isin(array, shown), array + 10, array)
    assert np.array_equal(x.data, expected)
    assert np.array_equal(view.data, shown + 10)


def test_copies_do_not_share() -> None:
    x = tensor([1.0, 2.0, 3.0])
    for copied in (call("clone", x), getitem(x, [0, 1]), x * 1):
        kept = copied.tolist()
        changed(x)
        assert copied.tolist() == kept


def test_data_writes_go_through_to_the_leaf_and_its_views() -> None:
    w = tensor([1.0, 2.0, 3.0], requires_grad=True)
    part = getitem(w, slice(0, 2))
    data = w.data_alias()
    data.assign_in_place(value_after_assignment(data, 0, 7.0))
    assert w.tolist() == [7.0, 2.0, 3.0]
    assert part.tolist() == [7.0, 2.0]


def test_a_remade_view_sends_its_gradient_to_the_changed_leaf() -> None:
    w = tensor([1.0, 2.0, 3.0], requires_grad=True)
    part = getitem(w, slice(0, 2))
    changed(w)
    (part * part).backward(tensor([1.0, 1.0]))
    assert w.grad.tolist() == [22.0, 24.0, 0.0]


def test_a_saved_view_of_a_changed_base_is_refused() -> None:
    w = tensor([1.0, 2.0], requires_grad=True)
    entry = getitem(w, 0)
    square = entry * entry
    changed(w)
    with pytest.raises(GradientError, match="modified by an inplace operation"):
        square.backward()


def test_a_view_of_a_leaf_is_as_protected_as_the_leaf() -> None:
    w = tensor([1.0, 2.0], requires_grad=True)
    row = getitem(w, slice(0, 1))
    with pytest.raises(
        GradientError, match=r"^a view of a leaf Variable that requires grad is being used in an in-place"
    ):
        row.assign_in_place(row + 1)


def test_a_change_through_a_view_is_recorded() -> None:
    base = tensor([1.0, 2.0])
    w = tensor([5.0], requires_grad=True)
    row = getitem(base, slice(0, 1))
    row.assign_in_place(row * w)
    assert base.tolist() == [5.0, 2.0]
    assert base.grad_fn is not None
    assert base.grad_fn.grad_fn_name == "CopySlices"
    assert row.grad_fn is not None
    assert row.grad_fn.grad_fn_name == "AsStridedBackward0"
    (base * tensor([3.0, 4.0])).backward(tensor([1.0, 1.0]))
    assert w.grad is not None
    assert w.grad.tolist() == [3.0]


def test_many_views_of_one_tensor_are_forgotten_as_they_go() -> None:
    x = tensor(np.arange(10.0))
    for index in range(1000):
        getitem(x, index % 10)
    assert len(x.alias.views) < 32

"""Entries changed, combined and found at positions and masks against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import grad, tensor
from op_by_name import call, call_mine, call_theirs, compare_errors, mine, theirs
from op_oracle import Case, compare_with_torch
from script_runner import run_script

rng = np.random.default_rng(29)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-2.0, 2.0, shape)


def at(*positions) -> np.ndarray:
    return np.array(positions, dtype=np.int64)


S, V, W, ONE = np.asarray(1.7), values(3), values(4), values(1)
B, C = values(3, 4), values(2, 3, 4)
MASK = B > 0.3
GRID = np.array([[0, 1, 0, 2], [1, 1, 0, 0]])
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])


def words(op: str, name: str, *args, **kwargs) -> Case:
    """A sample with keyword arguments."""
    function = call(name)
    return Case(op, lambda *given: function(*given, **kwargs), args, name=f"{name}{kwargs}")


#: What meets at the positions 0, 1, 2: entries that tie, one zero, two zeros.
MEETING = (np.array([1.0, 2.0, 0.0, 5.0]), 0, at(0, 0, 0, 1, 2, 2))


@pytest.mark.oracle
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["prod", "amax", "amin", "mean"])
@pytest.mark.parametrize("third", [0.0, 3.0])
def test_ties_and_zeros(reduce: str, include_self: bool, third: float) -> None:
    source = np.array([3.0, 3.0, third, 2.0, 0.0, 4.0])
    x, dim, index = MEETING
    x = x if include_self or reduce not in ("amax", "amin") else x + 0.25
    sample = words("scatter", "scatter_reduce", x, dim, index, source, reduce, include_self=include_self)
    compare_with_torch(sample._replace(orders=1), "plain")


@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "amax", "amin"])
def test_what_is_sent_nowhere_has_no_slope(reduce: str) -> None:
    slopes = []
    entries = values(3, 4)
    for source in (entries, entries[:2]):
        x, sent = tensor(B, requires_grad=True), tensor(source, requires_grad=True)
        out = call_mine("scatter_reduce", x, 0, tensor(GRID), sent, reduce)
        slopes.append([slope.data for slope in grad(out * out, [x, sent], tensor(np.cos(B)))])
    (whole, longer), (same, shorter) = slopes
    np.testing.assert_array_equal(whole, same)
    np.testing.assert_array_equal(longer, np.vstack([shorter, np.zeros((1, 4))]))


def test_what_was_there_takes_no_share_unless_it_takes_part() -> None:
    """torch divides by three here, and a third of the gradient is lost."""
    x, source = tensor(np.array([1.0]), requires_grad=True), tensor(np.array([1.0, 1.0]), requires_grad=True)
    out = call_mine("scatter_reduce", x, 0, tensor(at(0, 0)), source, "amax", include_self=False)
    slopes = grad(out, [x, source], tensor(np.array([6.0])))
    assert [slope.tolist() for slope in slopes] == [[0.0], [3.0, 3.0]]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("nonzero", (MASK,), {}),
        ("nonzero", (B,), {}),
        ("nonzero", (S,), {}),
        ("nonzero", (np.asarray(0.0),), {}),
        ("nonzero", (np.array([np.nan, 0.0]),), {}),
        ("nonzero", (MASK,), {"as_tuple": True}),
        ("nonzero", (S,), {"as_tuple": True}),
        ("nonzero", (np.asarray(0.0),), {"as_tuple": True}),
        ("argwhere", (MASK,), {}),
        ("argwhere", (S,), {}),
        ("torch.where", (MASK,), {}),
        ("torch.where", (B,), {}),
        ("torch.where", (np.array(True),), {}),
        ("unravel_index", (at(0, 5, 11), (3, 4)), {}),
        ("unravel_index", (np.array(5), (3, 4)), {}),
        ("unravel_index", (np.array([[1, 2]]), (2, 2, 3)), {}),
        ("unravel_index", (at(12, -1, -20), (3, 4)), {}),
        ("unravel_index", (at(5), 12), {}),
        ("unravel_index", (at(0), ()), {}),
        ("unravel_index", (at(5).astype(np.int32), [3, 4]), {}),
        ("scatter", (B, 0, GRID, values(2, 4)), {"reduce": "add"}),
        ("scatter", (B, 0, GRID, 2.0), {"reduce": "multiply"}),
        ("scatter", (B, 0, GRID, values(2, 4)), {"reduce": "multiply"}),
        ("scatter", (WHOLE, 1, np.zeros((2, 2), np.int64), 2), {"reduce": "add"}),
        ("scatter", (B, 0, GRID), {"value": 2.0}),
        ("index_add", (WHOLE, 1, at(0, 0), WHOLE[:, :2]), {}),
        ("index_add", (WHOLE, 1, at(0, 0), WHOLE[:, :2]), {"alpha": 3}),
        ("index_fill", (WHOLE, 1, at(0), 2.7), {}),
        ("index_copy", (WHOLE, 1, at(2), WHOLE[:, :1]), {}),
        ("index_reduce", (WHOLE, 1, at(0, 0), WHOLE[:, :2], "mean"), {}),
        ("scatter_reduce", (WHOLE[0], 0, at(0, 0), at(3, -6), "mean"), {}),
        ("scatter_reduce", (WHOLE[0], 0, at(0, 0), at(3, -6), "amax"), {"include_self": False}),
        ("scatter_reduce", (WHOLE[0], 0, at(0, 0), at(3, -6), "amin"), {"include_self": False}),
        ("scatter_reduce", (WHOLE[0], 0, at(0, 0), at(3, -6), "prod"), {"include_self": False}),
        ("select_scatter", (B, WHOLE[0, :1].repeat(4), 0, 1), {}),
        ("slice_scatter", (B, values(1, 4).astype(np.float32), 0, 1, 2), {}),
        ("diagonal_scatter", (B, WHOLE[0]), {}),
        ("masked_select", (WHOLE, WHOLE > 2), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter")
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_values_alone(name: str, args: tuple, kwargs: dict) -> None:
    ours, wanted = call_mine(name, *mine(args), **kwargs), call_theirs(name, *theirs(args), **kwargs)
    if not isinstance(ours, tuple):
        ours, wanted = (ours,), (wanted,)
    assert len(ours) == len(wanted)
    for x, y in zip(ours, wanted, strict=True):
        np.testing.assert_array_equal(x.data, y.numpy(), strict=True)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("index_add", (B, 0, at(0, 2), values(3, 4)), {}),
        ("index_add", (B, 0, at(0, 5, 1), values(3, 4)), {}),
        ("index_add", (B, 0, at(0, -1, 1), values(3, 4)), {}),
        ("index_add", (B, 0, values(3), values(3, 4)), {}),
        ("index_add", (B, 0, at(0, 1, 1), values(3, 4).astype(np.float32)), {}),
        ("index_add", (B, 0, np.array([[0]]), values(1, 4)), {}),
        ("index_add", (B, 0, at(0), values(1, 3)), {}),
        ("index_add", (B, 0, at(0), W), {}),
        ("index_add", (B, 3, at(0), values(1, 4)), {}),
        ("index_add", (V, 0, at(0), S), {}),
        ("index_add", (S, 0, at(0, 0), values(2)), {}),
        ("index_add", (V, 0, at(0, 0), S), {}),
        ("index_copy", (B, 0, at(0, 2), values(3, 4)), {}),
        ("index_copy", (B, 0, at(5), values(1, 4)), {}),
        ("index_copy", (B, 0, at(-1), values(1, 4)), {}),
        ("index_copy", (B, 0, at(0).astype(np.int32), values(1, 4)), {}),
        ("index_copy", (B, 0, at(0), values(1, 4).astype(np.float32)), {}),
        ("index_copy", (B, 0, np.array([[0]]), values(1, 4)), {}),
        ("index_copy", (B, 0, at(0), values(1, 3)), {}),
        ("index_copy", (B, 0, at(0), W), {}),
        ("index_copy", (V, 0, at(0, 1), S), {}),
        ("index_fill", (B, 1, at(0, 2), ONE), {}),
        ("index_fill", (B, 0, at(5), 1.0), {}),
        ("index_fill", (B, 0, at(-5), 1.0), {}),
        ("index_fill", (B, 0, ONE, 1.0), {}),
        ("index_fill", (B, 0, np.array([[0]]), 1.0), {}),
        ("index_fill", (B, 4, at(1), 2.0), {}),
        ("index_reduce", (B, 0, at(0, 2, 0), values(3, 4), "sum"), {}),
        ("index_reduce", (B, 0, at(0, 2), values(3, 4), "mean"), {}),
        ("index_reduce", (B, 0, at(0, 2, 7), values(3, 4), "mean"), {}),
        ("index_reduce", (B, 0, at(0, 2, -1), values(3, 4), "mean"), {}),
        ("index_reduce", (V, 0, at(0, 1), values(2).astype(np.float32), "amax"), {}),
        ("index_reduce", (B, 0, np.array([[0, 1]]), values(2, 4), "amax"), {}),
        ("index_reduce", (B, 0, values(2), values(2, 4), "amax"), {}),
        ("index_reduce", (B, 0, at(0, 1), values(2, 3), "amax"), {}),
        ("masked_select", (B, V > 0), {}),
        ("masked_select", (B, at(1, 0, 1, 1)), {}),
        ("masked_scatter", (B, B > -9, V), {}),
        ("masked_scatter", (B, MASK, values(12).astype(np.float32)), {}),
        ("masked_scatter", (B, at(1), values(12)), {}),
        ("masked_scatter", (B, V > 0, values(12)), {}),
        ("scatter_reduce", (B, 0, GRID, values(2, 4), "foo"), {}),
        ("scatter_reduce", (B, 0, GRID + 5, values(2, 4), "sum"), {}),
        ("scatter_reduce", (B, 0, GRID - 1, values(2, 4), "sum"), {}),
        ("scatter_reduce", (B, 0, GRID, values(2, 4).astype(np.float32), "sum"), {}),
        ("scatter_reduce", (B, 0, GRID + 0.0, values(2, 4), "sum"), {}),
        ("scatter_reduce", (B, 0, GRID, values(1, 4), "sum"), {}),
        ("scatter_reduce", (B, 0, at(0), values(2, 4), "sum"), {}),
        ("scatter_reduce", (values(3, 2), 0, GRID, values(2, 4), "sum"), {}),
        ("scatter", (B, 0, GRID, values(2, 4)), {"reduce": "foo"}),
        ("scatter", (B, 0, GRID, values(2, 4).astype(np.float32)), {"reduce": "add"}),
        ("select_scatter", (B, V, 0, 1), {}),
        ("select_scatter", (B, W, 0, 5), {}),
        ("select_scatter", (B, W, 3, 1), {}),
        ("select_scatter", (B, S, 0, 1), {}),
        ("select_scatter", (S, S, 0, 0), {}),
        ("slice_scatter", (B, values(2, 4), 0, 1, 2), {}),
        ("slice_scatter", (B, values(3, 2), 1, 0, 2, 0), {}),
        ("slice_scatter", (B, values(3, 2), 4, 0, 2), {}),
        ("slice_scatter", (S, S), {}),
        ("diagonal_scatter", (B, W), {}),
        ("diagonal_scatter", (C, values(2), 0, 1, 1), {}),
        ("diagonal_scatter", (V, values(2)), {}),
        ("put", (B, at(0, 50), values(2)), {}),
        ("put", (B, at(-50), ONE), {}),
        ("put", (B, at(0, 1), V), {}),
        ("put", (B, values(1), ONE), {}),
        ("put", (B, at(0).astype(np.int32), ONE), {}),
        ("put", (B, at(0), ONE.astype(np.float32)), {}),
        ("take_along_dim", (B, at(0, 50)), {}),
        ("take_along_dim", (B, at(-1)), {}),
        ("take_along_dim", (B, ONE), {}),
        ("take_along_dim", (B, at(0), 1), {}),
        ("take_along_dim", (B, values(1, 1), 1), {}),
        ("take_along_dim", (B, np.zeros((2, 2), np.int64), 1), {}),
        ("take_along_dim", (B, np.array([[0]]), 5), {}),
        ("unravel_index", (ONE, (3, 4)), {}),
        ("unravel_index", (at(1), (3, -4)), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(name, args, kwargs)


IN_PLACE = [
    "index_add_(0, torch.tensor([2, 0]), s, alpha=2)",
    "index_copy_(0, torch.tensor([2, 0]), s)",
    "index_fill_(0, torch.tensor([2, 0]), 1.5)",
    "index_fill_(1, torch.tensor([2, 0]), s[0, 0])",
    "index_reduce_(0, torch.tensor([2, 0]), s, 'amax')",
    "masked_scatter_(x > 0, 3 * x.detach())",
    "scatter_reduce_(0, torch.tensor([[0, 1, 0, 2], [1, 1, 0, 0]]), s, 'prod')",
    "scatter_(0, torch.tensor([[0, 1, 0, 2]]), s[:1])",
    "scatter_add_(0, torch.tensor([[0, 1, 0, 2]]), s[:1])",
    "put_(torch.tensor([3, 7]), s[0, :2])",
    "put_(torch.tensor([3, 3]), s[0, :2], accumulate=True)",
]


@pytest.mark.oracle
@pytest.mark.parametrize("method", IN_PLACE)
def test_in_place(method: str) -> None:
    from torch_prelude import run_with_torch

    text = f"""
w = torch.linspace(-1.0, 2.0, 12).reshape(3, 4).requires_grad_()
s = torch.linspace(-2.0, 1.0, 8).reshape(2, 4).requires_grad_()
x = w * 2
x.{method}
print(x)
(x * x).sum().backward()
print(w.grad + 0.0, s.grad)  # not -0
with torch.no_grad():
    w.{method}
print(w)
w.{method}
"""
    ours, theirs = run_script(text), run_with_torch(text)
    assert ours.stdout == theirs.stdout
    assert ours.error is not None
    assert ours.error.message == str(theirs.error)


@pytest.mark.oracle
def test_scatter_with_reduce_is_not_differentiated() -> None:
    from torch_prelude import run_with_torch

    text = """
w = torch.ones(3, 4, requires_grad=True)
y = w.scatter(0, torch.tensor([[0, 1, 0, 2]]), 2.0, reduce="multiply")
print(y.detach())
y.sum().backward()
"""
    ours, theirs = run_script(text), run_with_torch(text)
    assert ours.stdout == theirs.stdout
    assert ours.error is not None
    assert ours.error.message == str(theirs.error)


def test_of_two_to_choose_from_both_are_needed() -> None:
    outcome = run_script("x = torch.ones(3)\ntorch.where(x > 0, x)")
    assert outcome.error is not None
    assert outcome.error.message.startswith("where() received an invalid combination of arguments")

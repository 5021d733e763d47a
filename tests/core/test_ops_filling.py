"""Entries changed, combined and found at positions and masks against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import grad, tensor
from op_by_name import call, call_mine, call_theirs, case, compare_errors, mine, theirs, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label
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


def along_dimensions() -> list[Case]:
    table = []
    for name in ("index_add", "index_copy"):
        table += [
            case(name, name, B, 0, at(0, 2), values(2, 4)),
            case(name, name, B, 1, at(3, 0), values(3, 2)),
            case(name, name, C, -1, at(1, 2, 0), values(2, 3, 3)),
            case(name, name, C, 1, at(2), values(2, 1, 4)),
            case(name, name, V, 0, at(1, 2), values(2)),
            case(name, name, V, 0, at(), values(0)),
            case(name, name, B, 0, np.array(1), values(1, 4)),
            case(name, name, S, 0, at(0), np.asarray(0.3)),
            case(name, name, S, 0, np.array(0), np.asarray(0.3)),
        ]
    table.append(case("index_add", "index_add", B, 0, at(0, 2, 0), values(3, 4)))
    table.append(case("index_copy", "index_copy", V, 0, at(1), np.asarray(0.3)))
    table.append(words("index_add", "index_add", B, 1, at(0, 2), values(3, 2), alpha=-2.5))
    table.append(case("index_add", "index_add", B, 0, at(1, 1).astype(np.int32), values(2, 4)))
    table += [case("index_fill", "index_fill", x, 0, at(0, -1), 0.5) for x in (B, V, C)]
    for value in (1.5, np.asarray(0.3)):
        table += [case("index_fill", "index_fill", x, 0, at(0, 1), value) for x in (B, V, C)]
        table += [case("index_fill", "index_fill", B, 1, at(2, 1, 0), value)]
        table += [case("index_fill", "index_fill", S, 0, at(0), value)]
        table += [case("index_fill", "index_fill", V, 0, x, value) for x in (np.array(1), at())]
    return table


def parts() -> list[Case]:
    table = [case("index_put", "select_scatter", B, values(4), 0, i) for i in (1, -1)]
    table += [
        case("index_put", "select_scatter", C, values(2, 4), 1, -3),
        case("index_put", "select_scatter", V, S, 0, 0),
    ]
    for source, rest in (
        (values(3, 4), ()),
        (values(1, 4), (0, 1, 2)),
        (values(3, 2), (1, 0, 4, 2)),
        (values(3, 2), (-1, -2)),
        (values(0, 4), (0, 2, 1)),
        (values(3, 4), (0, None, 9999)),
    ):
        table.append(case("index_put", "slice_scatter", B, source, *rest))
    table.append(words("index_put", "slice_scatter", B, values(3, 2), dim=1, start=2))
    table.append(words("index_put", "slice_scatter", B, values(3, 2), dim=1, end=-2))
    for x, source, rest in (
        (B, values(3), ()),
        (B, values(3), (1,)),
        (B, values(2), (-1,)),
        (B, values(0), (9,)),
        (C, values(4, 2), ()),
        (C, values(2, 3), (0, 1, 2)),
        (C, values(3, 2), (1, 0, -1)),
    ):
        table.append(case("where", "diagonal_scatter", x, source, *rest))
    return table


def counted_over_all() -> list[Case]:
    table = []
    for accumulate in (False, True):
        table += [case("index_put", "put", B, at(0, 5), values(2), accumulate)]
        table += [case("index_put", "put", B, at(-1, 3), values(1, 2), accumulate)]
        table += [case("index_put", "put", B, np.array([[1, 2], [8, 4]]), values(4), accumulate)]
        table += [
            case("index_put", "put", S, at(0), ONE, accumulate),
            case("index_put", "put", V, at(), values(0)),
        ]
    table += [case("scatter_add", "put", B, at(0, 0), values(2), True)]
    table += [case("gather", "take_along_dim", x, at(0, 1, 2)) for x in (B, V, C)]
    table += [case("gather", "take_along_dim", B, x) for x in (np.array([[0, 5]]), np.array(3))]
    table += [case("gather", "take_along_dim", S, at(0)), case("gather", "take_along_dim", B, at(1), None)]
    table += [case("gather", "take_along_dim", B, np.array([[0], [1], [1]]), 1)]
    table += [case("gather", "take_along_dim", B, np.array([[0, 1]]), 1)]
    table += [case("gather", "take_along_dim", B, np.array([[0], [1]]), 0)]
    table += [case("gather", "take_along_dim", values(1, 4), np.zeros((3, 2), np.int64), 1)]
    return table


def masks() -> list[Case]:
    table = [case("part", "masked_select", x, m) for x, m in ((B, MASK), (B, W > 0), (W, MASK), (C, MASK))]
    table += [case("part", "masked_select", S, np.array(held)) for held in (True, False)]
    table += [case("part", "masked_select", S, MASK), case("part", "masked_select", B, np.array(True))]
    for x, m, source in (
        (B, MASK, values(12)),
        (B, MASK, values(4, 3)),
        (B, W > 0, values(12)),
        (W, MASK, values(12)),
        (B, B > 9, values(0)),
        (S, np.array(True), ONE),
        (S, np.array(False), ONE),
        (B, np.array(True), values(12)),
        (C, MASK, values(2, 3, 4)),
    ):
        table.append(case("index_put", "masked_scatter", x, m, source))
    return table


def reductions() -> list[Case]:
    table = []
    for reduce in ("sum", "mean", "prod", "amax", "amin"):
        for include_self in (True, False):
            more = {"include_self": include_self}
            for x, dim, index, source in (
                (B, 0, GRID, values(2, 4)),
                (B, 0, GRID, values(3, 4)),
                (B, 1, GRID.T.copy()[:3], values(3, 2)),
                (C, -2, np.array([[[0, 2, 1, 1]]]), values(2, 3, 4)),
                (V, 0, at(0, 0, 0, 2), values(4)),
                (V, 0, at(), values(0)),
                (S, 0, np.array(0), np.asarray(0.3)),
            ):
                sample = words("scatter_reduce", "scatter_reduce", x, dim, index, source, reduce, **more)
                # torch goes back only where all of the source is sent somewhere
                table.append(sample._replace(orders=2 if index.shape == source.shape else 0))
            if reduce == "sum":
                continue
            for x, dim, index, source in (
                (B, 0, at(0, 2, 0), values(3, 4)),
                (B, 1, at(1, 1), values(3, 2)),
                (C, 1, at(2, 0), values(2, 2, 4)),
                (V, 0, at(0), values(1)),
                (V, 0, at(), values(0)),
                (S, 0, at(0), np.asarray(0.3)),
            ):
                table.append(words("index_reduce", "index_reduce", x, dim, index, source, reduce, **more))
    return table


def in_torch(pair: tuple[Case, str]) -> bool:
    """torch cannot go back through take_along_dim without dim where the entries lie in another order."""
    sample, variant = pair
    return variant != "transposed" or "take_along_dim" not in str(sample) or sample.args[-1].__class__ is int


EVERY = along_dimensions() + parts() + counted_over_all() + masks() + reductions()


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("sample", "variant"), [pair for pair in cases_of(with_curved(EVERY)) if in_torch(pair)], ids=label
)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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

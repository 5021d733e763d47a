"""Reductions, extremes, spreads and norms against PyTorch, and their conventions where slopes jump."""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.errors import ScriptError
from autodiff.core.functions import FUNCTIONS
from autodiff.core.results import NamedResult
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("reduction", "extremes", "spreads")

rng = np.random.default_rng(3)
V = rng.uniform(0.3, 2.0, 3)
X = rng.uniform(-2.0, 2.0, (2, 3))
T = rng.uniform(-2.0, 2.0, (2, 3, 2))
S = np.asarray(1.7)
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
TRUTH = np.array([[True, False, True], [False, False, True]])
ZERO = np.array([[2.0, 0.0, 3.0], [1.0, 2.0, 0.5]])
ZEROS = np.array([[2.0, 0.0, 3.0], [0.0, 2.0, 0.0]])

#: op -> public functions that take (input, dim, keepdim) with one dim or several
OVER_DIMS = {
    "sum": "torch.sum",
    "mean": "torch.mean",
    "amax": "torch.amax",
    "amin": "torch.amin",
    "logsumexp": "torch.logsumexp",
    "var": "torch.var",
    "std": "torch.std",
    "all": "torch.all",
    "any": "torch.any",
}
#: ... with one dim only
ALONG_DIM = {
    "prod": "torch.prod",
    "pick": "torch.max",
    "argmax": "torch.argmax",
    "argmin": "torch.argmin",
}


def over_dims() -> list[Case]:
    cases = []
    for op, function in OVER_DIMS.items():
        for x, dims in ((V, [0, -1]), (X, [0, -1, (0, 1)]), (T, [1, (0, 2), (-1, 0)])):
            cases += [Case(op, function, (x, dim)) for dim in dims]
            cases.append(Case(op, function, (x, dims[-1]), {"keepdim": True}))
        if op not in ("logsumexp",):
            cases += [Case(op, function, (x,)) for x in (V, X, T)]
        if op not in ("std", "var", "all", "any"):
            cases.append(Case(op, function, (S, 0)))
    return cases


def along_dim() -> list[Case]:
    cases = []
    for op, function in ALONG_DIM.items():
        for x, dims in ((V, [0, -1]), (X, [0, 1, -1]), (T, [1, -2])):
            cases += [Case(op, function, (x, dim)) for dim in dims]
            cases.append(Case(op, function, (x, dims[-1]), {"keepdim": True}))
        cases.append(Case(op, function, (S, 0)))
        cases.append(Case("amax" if op == "pick" else op, function, (X,)))
    return cases


def of_method(name: str, *args):
    """The method of either kind of tensor."""

    def call(x):
        return FUNCTIONS[f"torch.{name}"](x, *args) if isinstance(x, Tensor) else getattr(x, name)(*args)

    return call


OTHERS = [
    Case("sum", "torch.sum", (WHOLE,)),
    Case("sum", "torch.sum", (TRUTH, 0)),
    Case("sum", "torch.sum", (X, ()), name="dim=()"),
    Case("sum", "torch.sum", (np.zeros((0, 3)), 0)),
    Case("mean", "torch.mean", (np.zeros((0, 3)), 0)),
    Case("sum", "torch.nansum", (np.array([1.0, np.nan, 2.0]),)),
    Case("mean", "torch.nanmean", (np.array([1.0, np.nan, 2.0]),)),
    Case("prod", "torch.prod", (ZERO,)),
    Case("prod", "torch.prod", (ZERO, 1)),
    Case("prod", "torch.prod", (ZEROS,)),
    Case("prod", "torch.prod", (ZEROS, 0)),
    Case("others", "torch.prod", (ZEROS, 1)),
    Case("prod", "torch.prod", (WHOLE,)),
    Case("cumsum", "torch.cumsum", (X, 0)),
    Case("cumsum", "torch.cumsum", (T, -1)),
    Case("cumsum", "torch.cumsum", (S, 0)),
    Case("cumsum", "torch.cumsum", (WHOLE, 1)),
    Case("cumprod", "torch.cumprod", (X, 1)),
    Case("cumprod", "torch.cumprod", (T, 0)),
    Case("cumprod", "torch.cumprod", (ZERO, 1)),
    Case("cumprod_adjoint", "torch.cumprod", (ZEROS, 1)),
    Case("cumprod", "torch.cumprod", (np.array([0.0, 0.0, 0.0, 2.0]), 0)),
    Case("amin", "torch.min", (X,)),
    Case("amax", "torch.max", (WHOLE,)),
    Case("pick", "torch.min", (X, 1)),
    Case("pick", "torch.max", (np.array([[1.0, 3.0], [1.0, 2.0]]), 0)),
    Case("pick", "torch.max", (WHOLE, 1)),
    Case("pick", "torch.median", (X, 1)),
    Case("pick", "torch.kthvalue", (X, 2, 1)),
    Case("median", "torch.median", (X,)),
    Case("median", "torch.median", (np.array([3.0, 1.0, 1.0, 2.0]),)),
    Case("amax", "torch.max", (X, X[::-1].copy()), name="of two"),
    Case("amax", "torch.aminmax", (X,), {"dim": 0}),
    Case("amax", "torch.amax", (np.array([[1.0, 3.0, 3.0], [3.0, 0.0, 1.0]]), (0, 1))),
    Case("std", "torch.std", (X, 1), {"unbiased": False}),
    Case("std", "torch.std", (X, 1), {"correction": 0}),
    Case("std", "torch.std", (X, False)),
    Case("var", "torch.var", (T, (0, 2)), {"correction": 2}),
    Case("var", "torch.var_mean", (X, 0), {"keepdim": True}),
    Case("std", "torch.std_mean", (X, 1)),
    Case("logsumexp", "torch.logsumexp", (X + 800.0, 1), float32=False),
    Case("vector_norm", "torch.norm", (X,)),
    Case("vector_norm", "torch.norm", (X, 2, 1)),
    Case("vector_norm", "torch.norm", (X,), {"dim": (0, 1), "keepdim": True}),
    Case("vector_norm", "torch.norm", (S,)),
    *[Case("vector_norm", "torch.norm", (X, p)) for p in (1, 3, 1.5, 0.5, math.inf, -math.inf)],
    *[Case("vector_norm", "torch.norm", (T, p, 1)) for p in (1, 3, 2.5, math.inf)],
    Case("vector_norm", "torch.norm", (X, 0), orders=1),
    Case("vector_norm", "linalg.vector_norm", (T,), {"dim": (0, 2)}),
    Case("vector_norm", "torch.dist", (X, T[:, :, 0].copy())),
    Case("vector_norm", "torch.dist", (X, T[:, :, 0].copy(), 3)),
    Case("any", "torch.any", (TRUTH, 1)),
    Case("all", "torch.all", (TRUTH,)),
    Case("argmax", "torch.argmax", (np.array([1.0, 3.0, 3.0]),)),
    Case("count_nonzero", "torch.count_nonzero", (ZERO,)),
    Case("count_nonzero", "torch.count_nonzero", (ZERO, 1)),
    Case("sum", of_method("sum", 0), (X,), name="x.sum(0)"),
]

TABLE = over_dims() + along_dim() + OTHERS


def test_every_op_of_the_families_has_a_sample():
    assert sorted(set(ops_of(*FAMILIES)) - {case.op for case in TABLE}) == []


@pytest.mark.oracle
@pytest.mark.parametrize(("case", "variant"), cases_of(TABLE), ids=label)
def test_agrees_with_torch(case, variant):
    pytest.importorskip("torch")
    compare_with_torch(case, variant)


NAN = math.nan

#: function, input, other arguments, gradient of the sum of the (first) result
KINKS = [
    ("torch.max", [1.0, 3.0, 3.0], (), [0.0, 0.5, 0.5]),
    ("torch.amax", [1.0, 3.0, 3.0], (0,), [0.0, 0.5, 0.5]),
    ("torch.min", [3.0, 1.0, 1.0], (), [0.0, 0.5, 0.5]),
    ("torch.max", [[3.0, 1.0], [3.0, 2.0]], (0,), [[1.0, 0.0], [0.0, 1.0]]),
    ("torch.median", [3.0, 1.0, 1.0, 2.0], (), [0.0, 0.5, 0.5, 0.0]),
    ("torch.norm", [0.0, 0.0], (), [0.0, 0.0]),
    ("torch.norm", [0.0, 0.0], (3,), [0.0, 0.0]),
    ("torch.norm", [0.0, 2.0], (1,), [0.0, 1.0]),
    ("torch.std", [1.0, 1.0], (), [0.0, 0.0]),
    ("torch.prod", [0.0, 2.0, 3.0], (), [6.0, 0.0, 0.0]),
    ("torch.prod", [0.0, 0.0, 3.0], (), [0.0, 0.0, 0.0]),
    ("torch.cumprod", [0.0, 2.0, 3.0], (0,), [9.0, 0.0, 0.0]),
    ("torch.logsumexp", [-math.inf, -math.inf], (0,), [NAN, NAN]),
    ("torch.std", [2.0], (), [NAN]),
]


@pytest.mark.parametrize("lifted", [False, True], ids=["plain", "create_graph"])
@pytest.mark.parametrize(("function", "values", "args", "wanted"), KINKS, ids=str)
def test_kinks(function, values, args, wanted, lifted):
    x = tensor(np.array(values), requires_grad=True)
    with np.errstate(all="ignore"):
        result = FUNCTIONS[function](x, *args)
        out = result.field("values") if isinstance(result, NamedResult) else result
        (g,) = grad(FUNCTIONS["torch.sum"](out), x, create_graph=lifted)
    np.testing.assert_array_equal(g.data, np.array(wanted))
    assert not np.signbit(g.data[g.data == 0]).any()


def test_third_derivative_of_a_product_with_zeros():
    """d³(abc)/da db dc = 1 wherever the zeros are."""
    x = tensor(np.zeros(3), requires_grad=True)
    g = FUNCTIONS["torch.prod"](x)
    for index in range(3):
        unit = np.zeros(3)
        unit[index] = 1.0
        (g,) = grad(g, x, create_graph=True)
        g = FUNCTIONS["torch.sum"](g * tensor(unit))
    assert g.item() == 1.0


def test_named_results_print_as_torch_prints_them():
    x = tensor(np.array([[1.0, 8.0], [3.0, 2.0]]))
    result = FUNCTIONS["torch.max"](x, 1)
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([8., 3.]),\nindices=tensor([1, 0]))"
    values, indices = result
    assert values is result[0] is result.field("values")
    assert indices.tolist() == [1, 0]
    with pytest.raises(KeyError):
        result.field("keys")


def test_choices_and_counts_are_not_recorded():
    x = tensor(np.array([1.0, 2.0]), requires_grad=True)
    for name in ("argmax", "argmin", "any", "all", "count_nonzero"):
        assert FUNCTIONS[f"torch.{name}"](x).node is None


@pytest.mark.parametrize(
    ("function", "x", "args", "message"),
    [
        ("torch.sum", np.zeros((2, 3)), (5,), "Dimension out of range"),
        ("torch.sum", np.zeros((2, 3)), ((0, 0),), "appears multiple times"),
        ("torch.mean", np.array([1, 2]), (), "could not infer output dtype"),
        ("torch.max", np.zeros(0), (), "Expected reduction dim"),
        ("torch.amax", np.zeros((0, 2)), (0,), "non-zero size"),
        ("torch.argmax", np.zeros(0), (), "Expected reduction dim"),
        ("torch.norm", np.array([1, 2]), (), "floating point"),
        ("torch.norm", np.array([1.0, 2.0]), ("nuc",), "not supported"),
        ("torch.kthvalue", np.array([1.0, 2.0]), (3,), "out of range"),
    ],
)
def test_mistakes_are_named(function, x, args, message):
    with pytest.raises(ScriptError, match=message):
        FUNCTIONS[function](tensor(x), *args)

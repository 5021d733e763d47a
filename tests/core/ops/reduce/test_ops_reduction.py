"""Reductions, extremes, spreads and norms against PyTorch, and their conventions where slopes jump."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import FUNCTIONS


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


@pytest.mark.oracle
@pytest.mark.parametrize("dim", [(), (0,)])
@pytest.mark.parametrize(
    "entries", [[0.0, 0.0, -3.0], [-0.0, 0.0, 2.0], [0.0, -2.0, 0.0, 5.0], [0.0, -2.0, 5.0], [-1.0, 2.0]]
)
@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_zeros_in_a_gradient_of_a_product_have_torchs_sign(entries, dim, weight):
    torch = pytest.importorskip("torch")
    x = tensor(np.array(entries), requires_grad=True)
    FUNCTIONS["torch.prod"](x, *dim).backward(tensor(np.array(weight)))
    theirs = torch.tensor(entries, dtype=torch.float64, requires_grad=True)
    torch.prod(theirs, *dim).backward(torch.tensor(weight, dtype=torch.float64))
    assert repr(x.grad.tolist()) == repr(theirs.grad.tolist())


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
        ("torch.norm", np.array([1.0, 2.0]), ("nuc",), "at least 2 dimensions"),
        ("torch.kthvalue", np.array([1.0, 2.0]), (3,), "out of range"),
    ],
)
def test_mistakes_are_named(function, x, args, message):
    with pytest.raises(ScriptError, match=message):
        FUNCTIONS[function](tensor(x), *args)

"""Activations, softmax, linear and losses against PyTorch, at their kinks and at extreme inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import FUNCTIONS
from op_oracle import Case, compare_with_torch

rng = np.random.default_rng(5)
V = rng.uniform(-3.0, 3.0, 3)
X = rng.uniform(-4.0, 4.0, (2, 3))
Y = rng.uniform(-2.0, 2.0, (2, 3))
P = rng.uniform(0.1, 0.9, (2, 3))


#: function, keyword arguments, input, slope there
KINKS = [
    ("F.relu", {}, 0.0, 0.0),
    ("F.leaky_relu", {}, 0.0, 0.01),
    ("F.relu6", {}, 0.0, 0.0),
    ("F.relu6", {}, 6.0, 0.0),
    ("F.hardtanh", {}, 1.0, 0.0),
    ("F.elu", {"alpha": 2.0}, 0.0, 2.0),
    ("F.hardsigmoid", {}, 3.0, 0.0),
    ("F.softshrink", {}, 0.5, 0.0),
    ("F.hardshrink", {}, -0.5, 0.0),
    ("F.threshold", {"threshold": 1.0, "value": 0.0}, 1.0, 0.0),
    ("F.softplus", {}, 800.0, 1.0),
    ("F.softplus", {}, -800.0, 0.0),
    ("F.logsigmoid", {}, -800.0, 1.0),
    ("F.sigmoid", {}, 800.0, 0.0),
    ("F.silu", {}, -800.0, 0.0),
]


@pytest.mark.parametrize("as_array", [False, True], ids=["scalar", "array"])
@pytest.mark.parametrize(("function", "kwargs", "value", "slope"), KINKS, ids=str)
def test_kinks(function, kwargs, value, slope, as_array):
    x = tensor(np.array([value]) if as_array else value, requires_grad=True)
    with np.errstate(all="ignore"):
        (g,) = grad(FUNCTIONS[function](x, **kwargs), x)
    assert abs(g.item()) == slope


@pytest.mark.oracle
@pytest.mark.parametrize(
    "function", ["F.hardswish", "F.hardsigmoid", "F.hardtanh", "F.elu", "torch.selu", "F.mish"]
)
def test_bounds_as_torch_has_them(function):
    pytest.importorskip("torch")
    compare_with_torch(
        Case("hardswish", function, (np.array([-3.0, -1.0, 0.0, 1.0, 3.0]),), orders=1, rtol=1e-7), "plain"
    )


def test_a_class_that_is_out_of_the_question_costs_infinity():
    logs = tensor(np.array([[0.0, -math.inf]]), requires_grad=True)
    loss = FUNCTIONS["F.nll_loss"](logs, tensor(np.array([1])))
    assert loss.item() == math.inf


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        ("F.cross_entropy", (X, np.array([0, 3])), "Target 3 is out of bounds"),
        ("F.cross_entropy", (X, np.array([0.0, 1.0])), "expected target dtype to be Long or Byte"),
        ("F.cross_entropy", (X, np.array([0, 1, 2])), "match target batch_size"),
        ("F.mse_loss", (X, Y, "avg"), "not a valid value for reduction"),
        ("F.mse_loss", (X, np.zeros((2, 4))), "must match the size"),
        ("F.binary_cross_entropy", (X, P), "between 0 and 1"),
        ("F.binary_cross_entropy_with_logits", (X, V), "must be the same as input size"),
        ("F.gelu", (X, "sigmoid"), "either none or tanh"),
    ],
)
def test_mistakes_are_named(function, args, message):
    bound = [tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    if function == "F.mse_loss" and len(bound) == 3:
        bound, kwargs = bound[:2], {"reduction": bound[2]}
    else:
        kwargs = {}
    with pytest.raises(ScriptError, match=message):
        FUNCTIONS[function](*bound, **kwargs)


def test_classes_that_a_loop_gives_again_are_read_for_what_else_is_given() -> None:
    loss, x = FUNCTIONS["F.nll_loss"], tensor(-np.arange(6.0).reshape(2, 3))
    target = tensor(np.array([2, 0]))
    assert [loss(x, target).item() for _ in range(2)] == [2.5, 2.5]
    assert loss(x, target, ignore_index=2).item() == 3.0
    assert loss(x, target, weight=tensor([1.0, 1.0, 3.0])).item() == 2.25
    assert loss(x, target).item() == 2.5
    target.assign_in_place(tensor(np.array([1, 1])))
    assert loss(x, target).item() == 2.5
    target.assign_in_place(tensor(np.array([1, 2])))
    assert loss(x, target).item() == 3.0
    assert loss(tensor(-np.arange(8.0).reshape(2, 4)), target).item() == 3.5
    with pytest.raises(ScriptError, match="Target 2 is out of bounds"):
        loss(tensor(np.zeros((2, 2))), target)

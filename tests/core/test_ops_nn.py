"""Activations, softmax, linear and losses against PyTorch, at their kinks and at extreme inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.errors import ScriptError
from autodiff.core.functions import FUNCTIONS
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("nn", "losses")

rng = np.random.default_rng(5)
S = np.asarray(0.7)
V = rng.uniform(-3.0, 3.0, 3)
X = rng.uniform(-4.0, 4.0, (2, 3))
Y = rng.uniform(-2.0, 2.0, (2, 3))
T = rng.uniform(-2.0, 2.0, (2, 3, 2))
P = rng.uniform(0.1, 0.9, (2, 3))
Q = rng.dirichlet(np.ones(3), 2)
EXTREME = np.array([-800.0, -50.0, -1e-9, 1e-9, 50.0, 800.0])
BOTTOM = np.array([[0.0, 800.0, -800.0], [-1e5, 1e5, 0.0]])
CLASSES = np.array([2, 0])

#: op -> (function, keyword arguments) of everything that works entry by entry
ACTIVATIONS = [
    ("relu", "F.relu", {}),
    ("gelu", "F.gelu", {}),
    ("gelu_tanh", "F.gelu", {"approximate": "tanh"}),
    ("silu", "F.silu", {}),
    ("softplus", "F.softplus", {}),
    ("softplus", "F.softplus", {"beta": 2.0, "threshold": 3.0}),
    ("logsigmoid", "F.logsigmoid", {}),
    ("mish", "F.mish", {}),
    ("leaky_relu", "F.leaky_relu", {}),
    ("leaky_relu", "F.leaky_relu", {"negative_slope": 0.2}),
    ("elu", "F.elu", {}),
    ("elu", "F.elu", {"alpha": 0.7}),
    ("elu", "torch.selu", {}),
    ("elu", "F.celu", {"alpha": 1.5}),
    ("hardtanh", "F.hardtanh", {}),
    ("hardtanh", "F.hardtanh", {"min_val": -2.0, "max_val": 0.5}),
    ("hardtanh", "F.relu6", {}),
    ("hardsigmoid", "F.hardsigmoid", {}),
    ("hardswish", "F.hardswish", {}),
    ("softshrink", "F.softshrink", {}),
    ("hardshrink", "F.hardshrink", {"lambd": 0.3}),
    ("threshold", "F.threshold", {"threshold": 0.1, "value": 20.0}),
    ("tanh", "F.tanhshrink", {}),
    ("div", "F.softsign", {}),
    ("sigmoid", "F.sigmoid", {}),
]
#: torch has no second derivative of these, or rounds differently there
FIRST_ONLY = {"hardswish", "hardsigmoid"}
#: torch holds 1/6 as a float32 here
COARSE = {"hardsigmoid": 1e-7}


def activation_cases() -> list[Case]:
    return [
        Case(op, function, (x,), kwargs, orders=1 if op in FIRST_ONLY else 2, rtol=COARSE.get(op, 1e-9))
        for op, function, kwargs in ACTIVATIONS
        for x in (S, V, X, np.zeros((0,)))
    ]


def extreme_cases() -> list[Case]:
    cases = [
        Case(op, function, (EXTREME,), kwargs, orders=1, float32=False, rtol=COARSE.get(op, 1e-9))
        for op, function, kwargs in ACTIVATIONS
        if op != "mish"
    ]
    for name in ("softmax", "log_softmax"):
        cases.append(Case(name, f"torch.{name}", (BOTTOM, 1), orders=1))
    cases += [
        Case("nll_loss", "F.cross_entropy", (BOTTOM, CLASSES)),
        Case("binary_cross_entropy_with_logits", "F.binary_cross_entropy_with_logits", (BOTTOM, P)),
        Case(
            "binary_cross_entropy",
            "F.binary_cross_entropy",
            (np.array([0.0, 1.0, 1.0, 0.0]),),
            {"target": np.array([0.0, 1.0, 0.0, 1.0])},
            orders=1,
            rtol=1e-8,  # torch holds the guard of 1e-12 as a float32
        ),
    ]
    return cases


def loss_cases() -> list[Case]:
    pairs = [
        ("mse_loss", "F.mse_loss", (X, Y), {}),
        ("soft_margin_loss", "F.soft_margin_loss", (X, np.where(Y.round() == 0, 1, -1)), {}),
        ("mse_loss", "F.mse_loss", (S, np.asarray(0.2)), {}),
        ("abs", "F.l1_loss", (X, Y), {}),
        ("smooth_l1_loss", "F.smooth_l1_loss", (X, Y), {}),
        ("smooth_l1_loss", "F.smooth_l1_loss", (X, Y), {"beta": 0.5}),
        ("huber_loss", "F.huber_loss", (X, Y), {"delta": 1.5}),
        ("binary_cross_entropy", "F.binary_cross_entropy", (P,), {"target": Q}),
        ("binary_cross_entropy_with_logits", "F.binary_cross_entropy_with_logits", (X, P), {}),
        ("exp", "F.kl_div", (np.log(P), Q), {}),
        ("exp", "F.kl_div", (np.log(P), np.log(Q)), {"log_target": True}),
        ("nll_loss", "F.nll_loss", (np.log(Q), CLASSES), {}),
        ("nll_loss", "F.cross_entropy", (X, CLASSES), {}),
        ("nll_loss", "F.cross_entropy", (V, np.asarray(1)), {}),
        ("nll_loss", "F.cross_entropy", (T, np.array([[0, 2], [1, 1]])), {}),
        ("nll_loss", "F.cross_entropy", (X, CLASSES), {"weight": np.array([1.0, 2.0, 0.5])}),
        ("nll_loss", "F.cross_entropy", (X, np.array([-100, 1])), {}),
        ("nll_loss", "F.cross_entropy", (X, CLASSES), {"label_smoothing": 0.2}),
        ("log_softmax", "F.cross_entropy", (X, Q), {}),
        ("log_softmax", "F.cross_entropy", (X,), {"target": Q, "label_smoothing": 0.1}),
    ]
    return [
        Case(op, function, args, {**kwargs, "reduction": reduction})
        for op, function, args, kwargs in pairs
        for reduction in ("mean", "sum", "none")
    ]


W = rng.uniform(-1.0, 1.0, (4, 3))
B = rng.uniform(-1.0, 1.0, 4)

OTHERS = [
    *[Case("softmax", "torch.softmax", (x, dim)) for x in (V, X, T) for dim in (0, -1)],
    *[Case("log_softmax", "F.log_softmax", (x,), {"dim": dim}) for x in (V, X, T) for dim in (0, -1)],
    Case("softmax", "torch.softmax", (S, 0)),
    Case("softmax", "F.softmin", (X,), {"dim": 1}),
    Case("prelu", "F.prelu", (X, np.array([0.1, 0.2, 0.3]))),
    Case("prelu", "F.prelu", (X, np.array([0.25]))),
    Case("nll_transposed", "F.nll_loss", (X, CLASSES), {"reduction": "none"}),
    Case("add", "F.linear", (X, W, B)),
    Case("add", "F.linear", (X, W)),
    Case("add", "F.linear", (V, W)),
    Case("add", "F.linear", (V, W, B)),
    Case("add", "F.linear", (T.reshape(2, 2, 3), W)),
    Case("add", "F.linear", (T.reshape(2, 2, 3), W, B)),
    Case("add", "F.linear", (X, V)),
    Case(
        "mse_loss",
        "F.binary_cross_entropy",
        (P,),
        {"target": Q, "weight": np.array([1.0, 2.0, 3.0])},
        float32=False,
    ),
    Case(
        "logsigmoid",
        "F.binary_cross_entropy_with_logits",
        (X,),
        {"target": P, "pos_weight": np.array([1.0, 2.0, 3.0])},
        float32=False,
    ),
]

TABLE = activation_cases() + extreme_cases() + loss_cases() + OTHERS


def test_every_op_of_the_families_has_a_sample():
    assert sorted(set(ops_of(*FAMILIES)) - {case.op for case in TABLE}) == []


@pytest.mark.oracle
@pytest.mark.parametrize(("case", "variant"), cases_of(TABLE), ids=label)
def test_agrees_with_torch(case, variant):
    pytest.importorskip("torch")
    compare_with_torch(case, variant)


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

"""Entry-by-entry ops against PyTorch, against finite differences, and at their kinks, table by table."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.graph.op import OPS
from one_test import in_one_test
from op_oracle import ops_of

FAMILIES = ("arithmetic", "rounding", "transcendental", "selection", "comparison")

#: The interval each op of one operand is sampled in.
UNARY = {
    "abs": (-2.0, 2.0),
    "acos": (-0.9, 0.9),
    "acosh": (1.2, 4.0),
    "asin": (-0.9, 0.9),
    "asinh": (-3.0, 3.0),
    "atan": (-3.0, 3.0),
    "atanh": (-0.9, 0.9),
    "bitwise_not": None,
    "ceil": (-3.0, 3.0),
    "cos": (-4.0, 4.0),
    "cosh": (-2.0, 2.0),
    "deg2rad": (-90.0, 90.0),
    "digamma": (0.3, 4.0),
    "entr": (0.1, 3.0),
    "erf": (-2.0, 2.0),
    "erfc": (-2.0, 2.0),
    "erfcx": (-1.0, 2.0),
    "erfinv": (-0.9, 0.9),
    "exp": (-2.0, 2.0),
    "exp2": (-2.0, 2.0),
    "expm1": (-2.0, 2.0),
    "floor": (-3.0, 3.0),
    "frac": (-3.0, 3.0),
    "i0": (-2.0, 2.0),
    "i1": (-2.0, 2.0),
    "isfinite": (-1.0, 1.0),
    "isinf": (-1.0, 1.0),
    "isnan": (-1.0, 1.0),
    "lgamma": (0.3, 4.0),
    "log": (0.1, 4.0),
    "log10": (0.1, 4.0),
    "log1p": (-0.8, 4.0),
    "log2": (0.1, 4.0),
    "log_ndtr": (-2.0, 2.0),
    "logical_not": (-1.0, 1.0),
    "logit": (0.1, 0.9),
    "ndtr": (-2.0, 2.0),
    "ndtri": (0.1, 0.9),
    "neg": (-2.0, 2.0),
    "rad2deg": (-3.0, 3.0),
    "reciprocal": (0.3, 3.0),
    "relu": (-2.0, 2.0),
    "round": (-3.0, 3.0),
    "rsqrt": (0.2, 4.0),
    "sigmoid": (-3.0, 3.0),
    "sign": (-2.0, 2.0),
    "sin": (-4.0, 4.0),
    "sinc": (-2.0, 2.0),
    "sinh": (-2.0, 2.0),
    "sqrt": (0.2, 4.0),
    "square": (-2.0, 2.0),
    "tan": (-1.3, 1.3),
    "tanh": (-2.0, 2.0),
    "trunc": (-3.0, 3.0),
}

#: The intervals of both operands.
BINARY = {
    "add": ((-2.0, 2.0), (-2.0, 2.0)),
    "atan2": ((-2.0, 2.0), (-2.0, 2.0)),
    "clamp_max": ((-2.0, 2.0), (-2.0, 2.0)),
    "clamp_min": ((-2.0, 2.0), (-2.0, 2.0)),
    "copysign": ((-2.0, 2.0), (-2.0, 2.0)),
    "div": ((-2.0, 2.0), (0.3, 2.0)),
    "eq": ((-2.0, 2.0), (-2.0, 2.0)),
    "fmax": ((-2.0, 2.0), (-2.0, 2.0)),
    "fmin": ((-2.0, 2.0), (-2.0, 2.0)),
    "fmod": ((-5.0, 5.0), (0.4, 2.0)),
    "ge": ((-2.0, 2.0), (-2.0, 2.0)),
    "gt": ((-2.0, 2.0), (-2.0, 2.0)),
    "hypot": ((-2.0, 2.0), (-2.0, 2.0)),
    "le": ((-2.0, 2.0), (-2.0, 2.0)),
    "logaddexp": ((-2.0, 2.0), (-2.0, 2.0)),
    "logaddexp2": ((-2.0, 2.0), (-2.0, 2.0)),
    "logical_and": ((-2.0, 2.0), (-2.0, 2.0)),
    "logical_or": ((-2.0, 2.0), (-2.0, 2.0)),
    "logical_xor": ((-2.0, 2.0), (-2.0, 2.0)),
    "lt": ((-2.0, 2.0), (-2.0, 2.0)),
    "maximum": ((-2.0, 2.0), (-2.0, 2.0)),
    "minimum": ((-2.0, 2.0), (-2.0, 2.0)),
    "mul": ((-2.0, 2.0), (-2.0, 2.0)),
    "ne": ((-2.0, 2.0), (-2.0, 2.0)),
    "pow": ((0.3, 2.0), (-2.0, 2.0)),
    "remainder": ((-5.0, 5.0), (0.4, 2.0)),
    "sub": ((-2.0, 2.0), (-2.0, 2.0)),
    "xlog1py": ((-2.0, 2.0), (0.2, 2.0)),
    "xlogy": ((-2.0, 2.0), (0.2, 2.0)),
}


# -- without torch -------------------------------------------------------------------------------------

SCALAR_OPS = [
    name
    for name in ops_of(*FAMILIES, "activations")
    if OPS[name].is_elementwise and OPS[name].scalar is not None
]
WITHOUT_INTERVAL = {
    "zero": ((-2.0, 2.0),),
    "contribution": ((-2.0, 2.0), (-2.0, 2.0)),
    "where": ((1.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)),
    "except_where": ((1.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)),
    "div_floor": ((-5.0, 5.0), (0.4, 2.0)),
    "floor_divide": ((-5.0, 5.0), (0.4, 2.0)),
    "gelu": ((-2.0, 2.0),),
    "gelu_tanh": ((-2.0, 2.0),),
    "silu": ((-2.0, 2.0),),
    "logsigmoid": ((-2.0, 2.0),),
}


def points(name: str) -> list[tuple[float, ...]]:
    if name in WITHOUT_INTERVAL:
        intervals = WITHOUT_INTERVAL[name]
    elif name in UNARY:
        intervals = (UNARY[name],)
    else:
        assert name in BINARY, f"an op with scalar= needs its interval here: {name} in UNARY or BINARY"
        intervals = BINARY[name]
    rng = np.random.default_rng(7)
    return [tuple(float(rng.uniform(low, high)) for low, high in intervals) for _ in range(8)]


@in_one_test("name", SCALAR_OPS)
def test_scalar_forward_equals_array_forward(name):
    op = OPS[name]
    for operands in points(name):
        scalar = op.evaluate_scalars(*operands)
        array = float(op.forward(*map(np.asarray, operands)))
        assert abs(scalar - array) <= 4 * np.spacing(abs(array)), operands


@in_one_test("name", [n for n in SCALAR_OPS if n != "floor_divide"])
def test_rules_equal_finite_differences(name):
    op = OPS[name]
    step = 1e-6
    for operands in points(name):
        out = op.evaluate_scalars(*operands)
        for index in range(len(operands)):
            if name.endswith("where") and index == 0:
                continue
            ahead, behind = list(operands), list(operands)
            ahead[index] += step
            behind[index] -= step
            slope = (op.evaluate_scalars(*ahead) - op.evaluate_scalars(*behind)) / (2 * step)
            for kind in (float, np.asarray):
                got = op.contribution(index, kind(1.0), kind(out), tuple(map(kind, operands)), {})
                assert float(got) == pytest.approx(slope, rel=1e-5, abs=1e-6), (operands, index, kind)


def test_floor_division_has_no_gradient():
    x = tensor(5.0, requires_grad=True)
    y = x // 2
    assert y.grad_fn.grad_fn_name == "NotImplemented"
    with pytest.raises(GradientError, match="floor_divide is not implemented"):
        y.backward()


def test_comparisons_of_numbers_are_truth_values():
    x = tensor(2.0, requires_grad=True)
    result = (x > 1) & ~(x > 3)
    assert result.dtype.name == "bool"
    assert result.item() is True
    assert result.node is None


def test_bits_of_floats_are_refused():
    with pytest.raises(ScriptError, match="not implemented for 'Double'"):
        tensor(2.0) & tensor(1.0)


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        ("torch.pow", (np.array([2]), -1), "negative integer powers"),
        ("torch.remainder", (np.array([2]), 0), "ZeroDivisionError"),
        ("torch.clamp", (np.array([2.0]),), "At least one of 'min' or 'max'"),
        ("torch.where", (np.array([1]), 1.0, 2.0), "boolean tensor"),
        ("torch.div", (np.array([2.0]), 2.0, "up"), "rounding_mode"),
    ],
)
def test_mistakes_are_named(function, args, message):
    bound = [tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    kwargs = {"rounding_mode": bound.pop()} if function == "torch.div" else {}
    with pytest.raises(ScriptError, match=message):
        FUNCTIONS[function](*bound, **kwargs)


@pytest.mark.oracle
def test_methods_exist_in_torch():
    torch = pytest.importorskip("torch")
    ours = {n for n, f in METHODS.items() if f.implementation.__module__.endswith(FAMILIES)}
    assert sorted(n for n in ours if not hasattr(torch.Tensor, n)) == []

"""Entry-by-entry ops against PyTorch, against finite differences, and at their kinks, table by table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core import Tensor, grad, tensor
from autodiff.core.errors import GradientError, ScriptError
from autodiff.core.functions import FUNCTIONS, METHODS
from autodiff.core.op import OPS
from op_oracle import Case, cases_of, compare_with_torch, label, ops_of

FAMILIES = ("arithmetic", "transcendental", "selection", "comparison")

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

NAMESPACE = dict.fromkeys(("entr", "erfcx", "i1", "log_ndtr", "ndtr", "ndtri", "xlog1py"), "special")
NO_SECOND = {"i1", "log_ndtr"}


def draw(interval: tuple[float, float], shape: tuple[int, ...], seed: int) -> np.ndarray:
    low, high = interval
    return np.asarray(np.random.default_rng(seed).uniform(low, high, shape))


def unary_cases() -> list[Case]:
    return [
        Case(name, f"{NAMESPACE.get(name, 'torch')}.{name}", (draw(interval, shape, seed),))
        for name, interval in UNARY.items()
        if interval
        for seed, shape in enumerate([(), (3,), (2, 3), (0,)])
    ]


def binary_cases() -> list[Case]:
    shapes = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), ()), ((), (2, 3))]
    return [
        Case(name, f"{NAMESPACE.get(name, 'torch')}.{name}", (draw(xs, a, seed), draw(ys, b, seed + 9)))
        for name, (xs, ys) in BINARY.items()
        for seed, (a, b) in enumerate(shapes)
    ]


X = draw((0.3, 2.5), (2, 3), 40)
Y = draw((0.3, 2.5), (2, 3), 41)
Z = draw((-2.0, 2.0), (3,), 42)
WHOLE = np.array([[5, -7, 3], [2, 9, -4]])
TRUTH = np.array([[True, False, True], [False, False, True]])


def compared_in_place(x, y):
    """What ``x.gt_(y)`` makes of a computed tensor."""
    if isinstance(x, Tensor):
        return OPS["compared"](x, y, result=(x > y).data.astype(x.data.dtype))
    return x.clone().gt_(y)


OTHERS = [
    Case("compared", compared_in_place, (X, Z), name="gt_", check_name=False),
    Case("zero", lambda x: x.sign() if hasattr(x, "sign") else FUNCTIONS["torch.sign"](x), (X,), name="sign"),
    Case("add", "torch.add", (X, Z), {"alpha": 2}),
    Case("add", lambda x: x + 1, (X,), name="x+1"),
    Case("add", lambda x: 1 + x, (X,), name="1+x"),
    Case("add", "torch.add", (WHOLE, X)),
    Case("add", "torch.add", (WHOLE, 2)),
    Case("add", "torch.add", (WHOLE, 2.5)),
    Case("sub", lambda x: x - 1, (X,), name="x-1"),
    Case("sub", lambda x: 1 - x, (X,), name="1-x"),
    Case("sub", "torch.sub", (X, Z), {"alpha": 3}),
    Case("sub", "torch.rsub", (X, Y), check_name=False),
    Case("mul", lambda x: 2 * x, (X,), name="2*x"),
    Case("mul", lambda x: x * x, (np.asarray(3.0),), name="x*x"),
    Case("div", lambda x: 1 / x, (X,), name="1/x"),
    Case("div", lambda x: x / 4, (X,), name="x/4"),
    Case("div", "torch.div", (WHOLE, 4)),
    Case("div", "torch.true_divide", (X, Y)),
    Case("div_floor", "torch.div", (X, Y), {"rounding_mode": "floor"}),
    Case("div_floor", "torch.div", (WHOLE, 4), {"rounding_mode": "floor"}),
    Case("div_trunc", "torch.div", (-X, Y), {"rounding_mode": "trunc"}),
    Case("div_trunc", "torch.div", (WHOLE, 4), {"rounding_mode": "trunc"}),
    Case("floor_divide", "torch.floor_divide", (X, Y), orders=0),
    Case("floor_divide", lambda x: x // 2, (WHOLE,), name="x//2"),
    Case("remainder", lambda x: x % 2, (X,), name="x%2"),
    Case("remainder", "torch.remainder", (WHOLE, 4)),
    Case("remainder", "torch.remainder", (WHOLE, -4)),
    Case("fmod", "torch.fmod", (X, 2)),
    Case("fmod", "torch.fmod", (WHOLE, 4)),
    Case("pow", lambda x: x**2, (X - 1,), name="x**2"),
    Case("pow", lambda x: x**3.0, (np.asarray(-1.5),), name="x**3.0"),
    Case("pow", lambda x: x**-1, (X,), name="x**-1"),
    Case("pow", lambda x: 2**x, (X,), name="2**x"),
    Case("pow", lambda x: x**0, (X - 1,), name="x**0"),
    Case("pow", "torch.pow", (WHOLE, 3)),
    Case("pow", "torch.float_power", (X, 2), float32=False),
    Case("round_to", "torch.round", (X,), {"decimals": 1}),
    Case("floor", "torch.floor", (WHOLE,)),
    Case("exp", "torch.exp", (WHOLE,), float32=False),
    Case("logit", "torch.logit", (X / 3,), {"eps": 0.3}),
    Case("polygamma", "torch.polygamma", (1, X)),
    Case("polygamma", "torch.polygamma", (2, X)),
    Case("nan_to_num", "torch.nan_to_num", (np.array([1.0, np.nan, np.inf, -np.inf]),)),
    Case("nan_to_num", "torch.nan_to_num", (np.array([1.0, np.nan, np.inf]),), {"nan": 2.0, "posinf": 5.0}),
    Case("clamp", "torch.clamp", (X, 0.5, 1.5)),
    Case("clamp", "torch.clamp", (X, 1, 2)),
    Case("clamp", "torch.clamp", (X, Y - 0.2, Y + 0.2)),
    Case("clamp", "torch.clamp", (np.asarray(0.7), 0.5, 1.5)),
    Case("clamp", "torch.clamp", (WHOLE, 0, 4)),
    Case("clamp_min", "torch.clamp", (X,), {"min": 1.0}),
    Case("clamp_max", "torch.clamp", (X,), {"max": 1.0}),
    Case("clamp_min", "torch.clamp", (X, Y)),
    Case("clamp_min", "torch.clamp_min", (X, 1.0)),
    Case("clamp_max", "torch.clamp_max", (X, 1.0)),
    Case("sign", "torch.sgn", (X,)),
    Case("sign", "torch.sign", (WHOLE,)),
    Case("abs", "torch.abs", (WHOLE,)),
    Case("maximum", "torch.maximum", (WHOLE, WHOLE.T.reshape(2, 3))),
    Case("where", "torch.where", (TRUTH, X, Y)),
    Case("where", "torch.where", (TRUTH, X, Z)),
    Case("where", "torch.where", (TRUTH, X, 0.0)),
    Case("where", "torch.where", (TRUTH, 1.0, X)),
    Case("where", "torch.where", (TRUTH, 1, 0)),
    Case("except_where", "torch.pow", (np.array([0.0, 1.0, 2.0]), np.array([2.0, 0.0, 1.0]))),
    Case("bitwise_and", lambda x, y: x & y, (TRUTH, ~TRUTH), name="x&y"),
    Case("bitwise_or", lambda x, y: x | y, (TRUTH, WHOLE > 0), name="x|y"),
    Case("bitwise_xor", lambda x, y: x ^ y, (TRUTH, WHOLE > 0), name="x^y"),
    Case("bitwise_not", lambda x: ~x, (TRUTH,), name="~x"),
    Case("bitwise_and", "torch.bitwise_and", (WHOLE, 6)),
    Case("bitwise_not", "torch.bitwise_not", (WHOLE,)),
    Case("lt", lambda x: x < 1, (X,), name="x<1"),
    Case("ge", lambda x: 1 >= x, (np.asarray(0.5),), name="1>=x"),  # noqa: SIM300
    Case("add", "torch.addcmul", (X, Y, Z), {"value": 0.5}),
    Case("add", "torch.addcdiv", (X, Y, X), {"value": 0.5}),
    Case("add", "torch.lerp", (X, Y, 0.3)),
    Case("add", "torch.lerp", (X, Y, X)),
]

TABLE = [
    case._replace(orders=1) if case.op in NO_SECOND else case
    for case in unary_cases() + binary_cases() + OTHERS
]


def test_every_op_of_the_families_has_a_sample():
    assert sorted(set(ops_of(*FAMILIES)) - {case.op for case in TABLE}) == []


@pytest.mark.oracle
@pytest.mark.parametrize(("case", "variant"), cases_of(TABLE), ids=label)
def test_agrees_with_torch(case, variant):
    pytest.importorskip("torch")
    compare_with_torch(case, variant)


# -- without torch -------------------------------------------------------------------------------------

SCALAR_OPS = [
    name for name in ops_of(*FAMILIES, "nn") if OPS[name].is_elementwise and OPS[name].scalar is not None
]
WITHOUT_INTERVAL = {
    "zero": ((-2.0, 2.0),),
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
        intervals = BINARY[name]
    rng = np.random.default_rng(7)
    return [tuple(float(rng.uniform(low, high)) for low, high in intervals) for _ in range(8)]


@pytest.mark.parametrize("name", SCALAR_OPS)
def test_scalar_forward_equals_array_forward(name):
    op = OPS[name]
    for operands in points(name):
        scalar = op.evaluate_scalars(*operands)
        array = float(op.forward(*map(np.asarray, operands)))
        assert abs(scalar - array) <= 4 * np.spacing(abs(array)), operands


@pytest.mark.parametrize("name", [n for n in SCALAR_OPS if n != "floor_divide"])
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


#: function, arguments, gradients at these points; "nan" and signs of zero count.
KINKS = [
    ("torch.abs", [0.0], [0.0]),
    ("torch.relu", [0.0], [0.0]),
    ("F.relu6", [6.0], [0.0]),
    ("F.relu6", [0.0], [0.0]),
    ("F.leaky_relu", [0.0], [0.01]),
    ("torch.maximum", [2.0, 2.0], [0.5, 0.5]),
    ("torch.minimum", [2.0, 2.0], [0.5, 0.5]),
    ("torch.fmax", [2.0, 2.0], [1.0, 0.0]),
    ("torch.sqrt", [0.0], [math.inf]),
    ("torch.reciprocal", [0.0], [-math.inf]),
    ("torch.pow", [0.0, 0.0], [0.0, 0.0]),
    ("torch.pow", [-2.0, 2.0], [-4.0, math.nan]),
    ("torch.pow", [0.0, 0.5], [math.inf, 0.0]),
    ("torch.pow", [0.0, -1.0], [-math.inf, -math.inf]),
    ("torch.div", [0.0, 0.0], [math.inf, math.nan]),
    ("torch.atan2", [0.0, 0.0], [0.0, -0.0]),
    ("torch.hypot", [0.0, 0.0], [math.nan, math.nan]),
    ("torch.xlogy", [0.0, 0.0], [0.0, math.nan]),
    ("torch.sinc", [0.0], [0.0]),
    ("torch.sigmoid", [-800.0], [0.0]),
    ("torch.acos", [1.0], [-math.inf]),
    ("torch.asin", [1.0], [math.inf]),
    ("torch.remainder", [-5.0, 3.0], [1.0, 2.0]),
    ("torch.floor", [1.0], [0.0]),
    ("torch.sign", [0.0], [0.0]),
    ("torch.round", [0.5], [0.0]),
    ("torch.log", [0.0], [math.inf]),
    ("torch.copysign", [0.0, 1.0], [0.0, 0.0]),
]

EXPRESSIONS = {
    "clamp": (lambda x: FUNCTIONS["torch.clamp"](x, 0, 1), [(0.0, 1.0), (1.0, 1.0), (2.0, 0.0), (-1.0, 0.0)]),
    "where of sqrt": (
        lambda x: FUNCTIONS["torch.where"](x > 0, FUNCTIONS["torch.sqrt"](x), 0.0),
        [(0.0, math.nan)],
    ),
    "where of log": (
        lambda x: FUNCTIONS["torch.where"](x > 0, FUNCTIONS["torch.log"](x), 0.0),
        [(-1.0, -0.0)],
    ),
    "x**-1": (lambda x: x**-1, [(0.0, -math.inf)]),
    "1/x": (lambda x: 1 / x, [(0.0, -math.inf)]),
    "x**.5": (lambda x: x**0.5, [(0.0, math.inf)]),
    "x/x": (lambda x: x / x, [(0.0, math.nan)]),
    "-floor": (lambda x: -FUNCTIONS["torch.floor"](x), [(1.5, 0.0)]),
    "-relu": (lambda x: -FUNCTIONS["torch.relu"](x), [(-1.5, 0.0)]),
}


def same(a: float, b: float) -> bool:
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def leaves_of(values: list[float], as_array: bool) -> list[Tensor]:
    made = [tensor(np.array([v])) if as_array else tensor(v) for v in values]
    for leaf in made:
        leaf.set_requires_grad()
    return made


@pytest.mark.parametrize("as_array", [False, True], ids=["scalar", "array"])
@pytest.mark.parametrize("lifted", [False, True], ids=["plain", "create_graph"])
@pytest.mark.parametrize(("function", "values", "gradients"), KINKS, ids=str)
def test_kinks(function, values, gradients, lifted, as_array):
    with np.errstate(all="ignore"):
        leaves = leaves_of(values, as_array)
        got = grad(FUNCTIONS[function](*leaves), leaves, create_graph=lifted)
    for g, wanted in zip(got, gradients, strict=True):
        assert same(g.item(), wanted), (g.item(), wanted)


@pytest.mark.parametrize("as_array", [False, True], ids=["scalar", "array"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_kinks_of_expressions(name, as_array):
    function, rows = EXPRESSIONS[name]
    for value, wanted in rows:
        with np.errstate(all="ignore"):
            (x,) = leaves_of([value], as_array)
            (g,) = grad(function(x), x)
        assert same(g.item(), wanted), (value, g.item(), wanted)


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

"""Special functions, steps, divisors and kinds of numbers against PyTorch."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from op_by_name import call, case, compare_errors
from op_oracle import compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(8)
V = rng.normal(size=5)
X = rng.normal(size=(3, 4))
POSITIVE = rng.uniform(0.3, 3.0, size=(3, 4))
ROW = rng.uniform(0.3, 3.0, size=4)
S = np.asarray(1.7)
EMPTY = np.zeros(0)
WHOLE = np.array([4, 6, -9, 0])
OTHER = np.array([6, -4, 3, 5])
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, 3.0, -2.5])
WITH_NAN = np.array([*EDGES, np.nan])
SHIFT = POSITIVE + 2.0

PLAIN = [
    "airy_ai",
    *(f"bessel_{kind}{n}" for kind in "jy" for n in (0, 1)),
    *(f"{scaled}modified_bessel_k{n}" for scaled in ("", "scaled_") for n in (0, 1)),
    *("modified_bessel_i0", "modified_bessel_i1", "spherical_bessel_j0"),
]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("x", [V, X, S, EMPTY, WITH_NAN, WHOLE, X.astype(np.float32)], ids=str)
def test_functions_without_a_derivative(name: str, x: np.ndarray) -> None:
    # torch's own approximations are good for four digits only
    compare_with_torch(case(name, f"special.{name}", x, orders=0, rtol=1e-3), "plain")


@pytest.mark.parametrize("name", ["isposinf", "isneginf", "isreal", "signbit"])
@pytest.mark.parametrize("x", [WITH_NAN, S, WHOLE, WHOLE > 0, EMPTY], ids=str)
def test_kinds_of_numbers(name: str, x: np.ndarray) -> None:
    compare_with_torch(case(name, name, x, orders=0), "plain")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("gcd", (WHOLE, OTHER)),
        ("lcm", (WHOLE, OTHER)),
        ("gcd", (WHOLE, OTHER.astype(np.int32))),
        ("gcd", (WHOLE[:, None], OTHER)),
        ("heaviside", (WITH_NAN, WITH_NAN * 2)),
        ("heaviside", (WITH_NAN, ROW[:1])),
        ("heaviside", (WHOLE, WHOLE + 7)),
        ("less", (V, 0.0)),
        ("greater_equal", (X, ROW)),
        ("not_equal", (WHOLE, OTHER)),
        ("special.zeta", (WHOLE, POSITIVE)),
    ],
    ids=str,
)
def test_values(name: str, args: tuple) -> None:
    compare_with_torch(case(name, name, *args, orders=0, check_name=False), "plain")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("mvlgamma", (X, 0)),
        ("special.gammainc", (WHOLE, WHOLE)),
        ("igammac", (WHOLE, WHOLE)),
        ("gcd", (V, V)),
        ("lcm", (WHOLE > 0, WHOLE > 0)),
        ("nextafter", (WHOLE, WHOLE)),
        ("heaviside", (V, V.astype(np.float32))),
        ("special.round", (WHOLE,)),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple) -> None:
    compare_errors(name, args)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("heaviside", (V, V)),
        ("special.zeta", (SHIFT, SHIFT)),
    ],
    ids=str,
)
def test_backward_says_that_there_is_no_derivative(name: str, args: tuple) -> None:
    import torch

    theirs = [torch.tensor(a, requires_grad=True) for a in args]
    with pytest.raises(RuntimeError) as wanted:
        reduce(getattr, name.split("."), torch)(*theirs).sum().backward()
    mine = [tensor(a, requires_grad=True) for a in args]
    with pytest.raises(Exception) as got:  # noqa: PT011 - the words are compared
        FUNCTIONS["torch.sum"](call(name)(*mine)).backward()
    assert got.value.message == str(wanted.value)


def test_ldexp_by_a_negative_whole_number_has_a_slope() -> None:
    """torch answers 0, for it takes the power of two in whole numbers."""
    x = tensor([3.0, -1.0], requires_grad=True)
    call("ldexp")(x, tensor(np.array([-2, -3]))).backward(tensor([1.0, 1.0]))
    assert x.grad.tolist() == [0.25, 0.125]


ELEMENTWISE = """
abs neg sqrt square reciprocal exp log sin cos tan tanh sigmoid relu clamp positive sign sgn rsqrt exp2
expm1 log2 log10 log1p asin acos atan sinh cosh asinh acosh atanh sinc logit erf erfc erfinv floor ceil
round trunc frac deg2rad rad2deg nan_to_num clamp_min clamp_max lgamma digamma polygamma mvlgamma
multigammaln i0 i0e i1 i1e entr ndtr ndtri log_ndtr erfcx gammaln psi expit absolute negative arcsin arccos
arctan arcsinh arccosh arctanh arctan2 fix clip multiply divide subtract true_divide add sub mul div pow
maximum minimum where float_power fmod remainder fmax fmin atan2 hypot logaddexp logaddexp2 xlogy xlog1py
lerp addcmul addcdiv masked_fill copysign ldexp dist gammainc gammaincc zeta igamma igammac nextafter gcd
lcm isposinf isneginf isreal signbit heaviside greater greater_equal less less_equal not_equal lt le gt ge
eq ne logical_and logical_or logical_not logical_xor isnan isinf isfinite
"""


@pytest.mark.parametrize("name", ELEMENTWISE.split())
def test_every_name_is_where_torch_has_it(name: str) -> None:
    import torch

    spaces = {"torch": torch, "F": torch.nn.functional, "special": torch.special}
    wanted = {space for space, module in spaces.items() if hasattr(module, name)}
    assert {space for space in spaces if f"{space}.{name}" in FUNCTIONS} == wanted
    assert (name in METHODS) == hasattr(torch.Tensor, name)
    assert (name in METHODS and METHODS[name].in_place) == hasattr(torch.Tensor, f"{name}_")

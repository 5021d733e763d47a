"""`--order N`: derivatives of any order are those that N passes of `grad(create_graph=True)` give."""

from __future__ import annotations

import json
import math

import pytest
from autodiff.core.derivation.second_order import spelled_higher

FUNCTIONS = [
    "x**5 + 2*x**3",
    "exp(-x**2/2)",
    "sin(x)*exp(x)",
    "log(1 + x)",
    "1/(1 + x**2)",
    "sqrt(x)*x**3",
    "tanh(x)",
    "x**x",
    "torch.special.expit(3*x)",
]


def by_passes(function: str, order: int) -> str:
    steps = "".join("y, = torch.autograd.grad(y, x, create_graph=True)\n" for _ in range(order))
    return f"x = torch.tensor(0.7, requires_grad=True)\ny = {function}\n{steps}print(y.item())\n"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_order_is_that_of_as_many_passes(function, autodiff):
    for order in range(2, 6):
        line = f"x = torch.tensor(0.7, requires_grad=True); y = {function}"
        expected = float(
            autodiff("run", "-q", "--show", "gradients", "-e", by_passes(function, order)).out.split()[0]
        )
        assert float(autodiff("grad", "--order", str(order), "-e", line).out) == pytest.approx(
            expected, rel=1e-12
        )
        if order <= 3:
            told = json.loads(autodiff("explain", "--order", str(order), "-e", line, "--format", "json").out)
            (derivation,) = told["derivations"]
            assert derivation["value"] == pytest.approx(expected, rel=1e-12)
            assert derivation["order"] == order
            assert derivation["difference"] < 1e-9


def test_mixed_derivatives_come_once(autodiff):
    """All 10 third derivatives of a function of three numbers, against formulas."""
    line = "x = 0.5; y = 2.0; z = 3.0; f = exp(x*y)*z**3"
    document = json.loads(autodiff("grad", "--order", "3", "-e", line, "--format", "json").out)
    found = {one["name"]: one["grad"] for one in document["gradients"]}
    e, x, y, z = math.exp(1.0), 0.5, 2.0, 3.0
    assert found == pytest.approx(
        {
            "d3f/dx3": y**3 * e * z**3,
            "d3f/dx2 dy": (2 * y + x * y**2) * e * z**3,
            "d3f/dx2 dz": y**2 * e * 3 * z**2,
            "d3f/dx dy2": (2 * x + x**2 * y) * e * z**3,
            "d3f/dx dy dz": (1 + x * y) * e * 3 * z**2,
            "d3f/dx dz2": y * e * 6 * z,
            "d3f/dy3": x**3 * e * z**3,
            "d3f/dy2 dz": x**2 * e * 3 * z**2,
            "d3f/dy dz2": x * e * 6 * z,
            "d3f/dz3": e * 6,
        }
    )


def test_the_first_order_is_the_gradient(autodiff):
    line = "x = 0.5; y = 2.0; f = x*y"
    assert autodiff("grad", "--order", "1", "-e", line).out == autodiff("grad", "-e", line).out


def test_orders_are_whole_numbers_from_1(autodiff):
    for order in ("0", "-1", "two"):
        assert autodiff("grad", "--order", order, "-e", "x = 2; f = x*x").returncode == 2


def test_names_with_digits_are_not_read_as_powers():
    assert spelled_higher("L", ["x1", "x1", "x1"]) == "d3L/dx1 dx1 dx1"


def test_weights_may_be_an_expression_and_from_the_third_order_on_are_equal(autodiff):
    line = "w = torch.tensor([1., 2.], requires_grad=True); L = (w**4).sum()"
    for weight, derivative in (
        ("ones", [12.0, 48.0]),
        ("[1, 2]", [12.0, 96.0]),
        ("1 + eye(2)[1]", [12.0, 96.0]),
    ):
        asked = ("-e", line, "--order", "2", "--format", "json", "--grad-output", weight)
        assert json.loads(autodiff("explain", *asked).out)["derivations"][0]["backward"] == derivative
    third = ("explain", "-e", line, "--order", "3", "--grad-output")
    told = json.loads(autodiff(*third, "ones", "--format", "json").out)
    assert told["derivations"][0]["backward"] == [24.0, 48.0]
    for weight in ("2", "[1, 2]", "1 + eye(2)[1]"):
        refused = autodiff(*third, weight)
        assert refused.returncode == 2
        assert "from the third order on --grad-output can only weigh them equally" in refused.err

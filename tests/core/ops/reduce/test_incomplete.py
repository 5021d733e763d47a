"""Derivatives by shapes against numbers of 20 digits, at limits, and beyond the order that is implemented.

The numbers are differences of the functions' series in arithmetic of 60 digits.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core.base.errors import GradientError
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.ops.reduce.incomplete import beta_shape_derivative, gamma_shape_derivative
from script_runner import run_script

#: a, x, and the first and second derivative of P(a, x) by a.
GAMMA = [
    (0.001, 0.5, -0.56035940010800309433, -0.5848512398697082451),
    (0.5, 0.01, -0.52251433779748299181, 2.3231900732480721496),
    (2.5, 1.3, -0.22962689833555939435, 0.15826392630864443408),
    (2.5, 9.0, -0.0047416795481938814446, -0.0062175983712570991731),
    (10.0, 10.5, -0.12264418627727564124, -0.0059306534076009208567),
    (10.0, 11.5, -0.10699720869213528976, -0.014989859249481501623),
    (150.0, 140.0, -0.023793726651202103188, 0.0016425984483329274444),
    (150.0, 175.0, -0.0046116729214101461279, -0.00071127057543020678917),
    (1000.0, 1001.5, -0.012593099868304551412, -0.000018876020284415229351),
]
#: a, b, x, and the derivatives of I_x(a, b) by a, b, twice a, a and b, twice b.
BETA = [
    (
        (0.001, 2.0, 0.5),
        (-0.19335968097167093455, 0.00021612767703389154751),
        (-0.21230672931045941137, 0.21613531056892292771, -0.00028107051173866555013),
    ),
    (
        (0.5, 0.5, 0.3),
        (-0.64281148115728385403, 0.46874458391550544711),
        (1.3451995000262816757, -0.26572975835844432771, -0.61446160578458705196),
    ),
    (
        (2.0, 3.0, 0.3),
        (-0.24609372774672350387, 0.1295450609648718869),
        (0.13180186717277770233, -0.030286638966075344701, -0.009503625625889785917),
    ),
    (
        (2.0, 3.0, 0.9),
        (-0.0037206817498923415677, 0.007619564844077964908),
        (-0.0021757392625875908587, 0.0068685458492218448027, -0.015472369841380783736),
    ),
    (
        (40.0, 60.0, 0.41),
        (-0.047501266363838339138, 0.032285900899268707872),
        (-0.00069431697063543030566, 0.00087899991057041377428, -0.00086806518262334416347),
    ),
    (
        (300.0, 5.0, 0.99),
        (-0.001708228708823134189, 0.13459185898889569674),
        (-5.4575829486883425229e-6, 0.00067348646782639391399, -0.068533535432386968431),
    ),
    (
        (0.7, 200.0, 0.004),
        (-0.49247262872990463935, 0.0014814082167843383587),
        (-0.0013814663299505121213, 0.0014745689472388379891, -8.1612820213491127601e-6),
    ),
]
ORDERS = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]


@pytest.mark.parametrize(("a", "x", "first", "second"), GAMMA)
def test_gammainc_by_its_shape(a: float, x: float, first: float, second: float) -> None:
    assert gamma_shape_derivative(a, x, n=1) == pytest.approx(first, rel=1e-11)
    assert gamma_shape_derivative(a, x, n=2) == pytest.approx(second, rel=1e-10)


@pytest.mark.parametrize(("place", "first", "second"), BETA)
def test_betainc_by_its_shapes(
    place: tuple[float, ...], first: tuple[float, ...], second: tuple[float, ...]
) -> None:
    found = [float(beta_shape_derivative(*place, i=i, j=j)) for i, j in ORDERS]
    assert found == pytest.approx([*first, *second], rel=1e-10)


def test_at_the_ends_the_slope_by_a_shape_is_0() -> None:
    a = np.array([0.5, 2.0, 2.0, -1.0, math.nan])
    x = np.array([0.0, 0.0, math.inf, 1.0, 1.0])
    np.testing.assert_array_equal(gamma_shape_derivative(a, x, n=1), [0, 0, 0, math.nan, math.nan])
    ends = beta_shape_derivative(2.0, np.array([3.0, 3.0, 0.0]), np.array([0.0, 1.0, 0.5]), i=1, j=0)
    np.testing.assert_array_equal(ends, [0, 0, math.nan])


def test_entries_below_and_above_the_middle_are_computed_together() -> None:
    x = np.array([0.1, 0.5, 3.0, 30.0])
    together = gamma_shape_derivative(2.5, x, n=1)
    assert together.tolist() == [float(gamma_shape_derivative(2.5, one, n=1)) for one in x]


def test_values_of_betainc() -> None:
    """I_x(a, b) for whole shapes is a sum of binomial probabilities."""
    value = run_script("print(special.betainc(2.0, 3.0, 0.3), special.betainc(1, 1, 0.25))").stdout
    tail = sum(math.comb(4, k) * 0.3**k * 0.7 ** (4 - k) for k in range(2, 5))
    assert [float(text) for text in value.split()] == pytest.approx([tail, 0.25], rel=1e-14)


@pytest.mark.parametrize("text", ["special.gammainc(a, x)", "special.betainc(a, 2.0, x/9)"])
def test_a_third_derivative_by_a_shape_is_refused(text: str) -> None:
    script = f"a = 2.0; x = 1.5; d = {text}\nfor k in range(3): d, = grad(d, a, create_graph=True)\n"
    error = run_script(script).error
    assert isinstance(error, GradientError)
    assert error.message == "the third derivative by a shape is not implemented"


def test_torch_has_no_betainc() -> None:
    assert "special.betainc" in FUNCTIONS
    assert not hasattr(pytest.importorskip("torch").special, "betainc")

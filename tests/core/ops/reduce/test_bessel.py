"""Bessel functions against their series in 60 digits, and against relations between the kinds."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from autodiff.core.base.errors import GradientError
from autodiff.core.ops.reduce.bessel import iv, jv, kv, yv
from one_test import in_one_test
from script_runner import printed, run_script

ORDERS = [0, 1, 2, 5, 10, 25, 50]
POINTS = [0.001, 0.1, 0.5, 1.5, 3.0, 7.25, 12.0, 30.0, 50.0]


def series(order: int, z: float, sign: int) -> float:
    """J (``sign`` -1) or I (1) of a whole order: DLMF 10.2.2 and 10.25.2."""
    with localcontext() as context:
        context.prec = 90
        half = Decimal(z) / 2
        term = half**order / math.factorial(order)
        total, k = term, 0
        while abs(term) > abs(total) * Decimal(10) ** -40:
            k += 1
            term = term * sign * half * half / (k * (k + order))
            total += term
        return float(total)


@in_one_test("order", ORDERS)
@in_one_test("z", POINTS)
def test_values_and_slopes_of_the_first_kinds(order: int, z: float) -> None:
    for op, sign in ((jv, -1), (iv, 1)):
        size = max(abs(series(order, z, sign)), abs(series(order + 1, z, sign)))
        assert float(op(float(order), z)) == pytest.approx(
            series(order, z, sign), rel=1e-13, abs=1e-13 * size
        )
        below = series(order - 1, z, sign) if order else sign * series(1, z, sign)
        slope = (below + sign * series(order + 1, z, sign)) / 2
        found = float(op.contribution(1, np.float64(1.0), None, (np.float64(order), np.float64(z)), {}))
        assert found == pytest.approx(slope, rel=1e-12, abs=1e-13 * size)


@in_one_test("order", [0.0, 0.5, 1.0, 2.25, 7.0, 12.5])
@in_one_test("z", POINTS)
def test_the_second_kinds_by_wronskians(order: float, z: float) -> None:
    """DLMF 10.5.2 and 10.28.2."""
    one, other = jv(order + 1, z) * yv(order, z), jv(order, z) * yv(order + 1, z)
    assert one - other == pytest.approx(2 / (math.pi * z), rel=1e-11, abs=1e-12 * max(abs(one), abs(other)))
    assert iv(order, z) * kv(order + 1, z) + iv(order + 1, z) * kv(order, z) == pytest.approx(
        1 / z, rel=1e-12
    )


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv"])
def test_slopes_satisfy_the_differential_equation(name: str) -> None:
    """z² w'' + z w' ± (z² ∓ v²) w = 0: DLMF 10.2.1 and 10.25.1."""
    sign = 1 if name in ("jv", "yv") else -1
    script = (
        "z = torch.tensor([0.5, 1.5, 4.0, 9.0], requires_grad=True)\n"
        f"w = torch.special.{name}(1.75, z)\n"
        "d, = torch.autograd.grad(w.sum(), z, create_graph=True)\n"
        "c, = torch.autograd.grad(d.sum(), z)\n"
        f"print((z**2*c + z*d + {sign}*(z**2 - {sign}*1.75**2)*w).abs().max().item() < 1e-11)\n"
    )
    assert printed(script) == "True\n"


def test_at_zero() -> None:
    assert [float(jv(v, 0.0)) for v in (0.0, 1.0, 2.0)] == [1.0, 0.0, 0.0]
    slopes = [
        float(jv.contribution(1, np.float64(1.0), None, (np.float64(v), np.float64(0.0)), {}))
        for v in (0.0, 1.0, 2.0)
    ]
    assert slopes == [0.0, 0.5, 0.0]


def test_there_is_no_slope_by_the_order() -> None:
    run = run_script(
        "v = torch.tensor(2., requires_grad=True)\ntorch.special.jv(v, torch.tensor(1.)).backward()\n"
    )
    assert isinstance(run.error, GradientError)
    assert run.error.code == "E0414"
    assert run.error.message == "the derivative for 'jv' by its order is not implemented."

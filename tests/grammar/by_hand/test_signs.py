"""A formula of the wrong sign: which minus is missing, superfluous, or between the wrong two."""

from __future__ import annotations

import pytest
from hand_checks import check

SQUARE = "x = 0.5\ny = 2.\nraw = x*y\nh = sigmoid(raw)\nt = 0.3\nL = (h - t)**2"
TANH = "x = 0.5\ny = 2.\nh = tanh(x*y)"
WAVE = "x = [0.5, 1.]\ny = 0.7\nf = (cos(x*y)**2).sum()"
ENTROPY = "y = [1., 0., 1.]\nz = [0.3, -1., 2.]\np = sigmoid(z)\nL = (y*log(p) + (1-y)*log(1-p)).mean()"
GATE = "h0 = 0.3\nx = 0.5\nz = sigmoid(0.2*x)\nh = (1 - z)*h0 + z*tanh(x)\nL = h**2"


@pytest.mark.parametrize(
    ("script", "formula", "says"),
    [
        (SQUARE, "dL/draw == -2*(h - t)*h*(1 - h)", "the sign is wrong: the minus of -2 is superfluous"),
        (SQUARE, "dL/draw == 2*(t - h)*h*(1 - h)", "the sign is wrong: t - h should be h - t"),
        (
            SQUARE,
            "dL/dx == 2*(h - t)*h*(1 - h)*(-y)",
            "the sign is wrong: the minus of -y is superfluous",
        ),
        (
            SQUARE,
            "dh/dx == h*(h - 1)*y",
            "the sign is wrong: a minus is missing, or h - 1 should be 1 - h",
        ),
        (TANH, "dh/dx == (h**2 - 1)*y", "the sign is wrong: h**2 - 1 should be 1 - h**2"),
        (WAVE, "df/dx == 2*cos(x*y)*sin(x*y)*y", "the sign is wrong: a minus is missing"),
        (ENTROPY, "dL/dz == dL/dp*p*(p - 1)", "the sign is wrong: p - 1 should be 1 - p"),
        (GATE, "dL/dh0 == 2*h*(z - 1)", "the sign is wrong: z - 1 should be 1 - z"),
        (
            TANH,
            "dh/dx == (1 + h**2)*y",
            "d(x*y) = 1 - h**2 = 0.419974: the sign of h**2 is wrong",
        ),
        (GATE, "dL/dh0 == 2*h*(1 + z)", "d((1 - z)*h0)/dh0 = 1 - z = 0.475021: the sign of z is wrong"),
        (
            "x = 0.5\ny = 0.7\nf = x*y - x/y",
            "df/dy == x - x/y**2",
            "which gives 1.02041: its sign is wrong, so its minus is superfluous",
        ),
    ],
)
def test_the_minus_is_named(script: str, formula: str, says: str) -> None:
    found = check(script, formula)
    assert found.verdict == "wrong"
    assert found.remarks[0].endswith(says)

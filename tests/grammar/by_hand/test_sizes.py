"""Formulas of gradients of any size: what is compared is the derivative, whatever the units on the way."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

#: Scripts with small or large results on the way, the right derivative, and wrong ones.
MOMENTUM = "m = 9.1e-31; v = 1e8; c = 2.998e8; p = m*v/sqrt(1 - v**2/c**2)"
IMPEDANCE = "R = 10.; L = 1e-3; C = 1e-9; w = 1.1e6; Z = sqrt(R**2 + (w*L - 1/(w*C))**2)"
MATRIX = """\
x = tensor([[1e-4, 2e-4], [3e-4, 5e-4]], requires_grad=True)
u = x**4
y = (log(u) + x).sum()
"""
SINGLE = """\
x = tensor([0.01, 0.02], requires_grad=True)
y = (1e-10/x**4 + 1e-5/x**2).sum()
"""
SIZES = {
    "a_mass_in_kilograms": (MOMENTUM, "dp/dv == m/(1 - v**2/c**2)**1.5", ["dp/dv == 0", "dp/dv == m"]),
    "a_small_factor": ("w = 2.; s = 1e-20; y = s*w**2 + s*w", "dy/dw == 2*s*w + s", ["dy/dw == 0"]),
    "a_potential": (
        "r = 0.01; V = 1e-24/r**12 - 1e-12/r**6",
        "dV/dr == -12e-24/r**13 + 6e-12/r**7",
        ["dV/dr == 0", "dV/dr == 12e-24/r**13"],
    ),
    "a_large_cotangent": ("x=1e-4; u = x**4; y = log(u) + x", "dy/dx == 4/x + 1", ["dy/dx == 4/x - 1"]),
    "an_impedance": (
        IMPEDANCE,
        "dZ/dw == (w*L - 1/(w*C))*(L + 1/(w**2*C))/Z",
        ["dZ/dw == (w*L - 1/(w*C))*(L - 1/(w**2*C))/Z"],
    ),
    "an_entry": (MATRIX, "dy/dx[0, 1] == 4/x[0, 1] + 1", ["dy/dx[0, 1] == 4/x[0, 1] - 1"]),
    "a_matrix": (MATRIX, "dy/dx == 4/x + 1", ["dy/dx == 4/x - 1"]),
    "single_precision": (
        SINGLE,
        "dy/dx == -4e-10/x**5 - 2e-5/x**3",
        ["dy/dx == -4e-10/x**5 + 2e-5/x**3", "dy/dx == zeros(2)"],
    ),
    "a_second_derivative": (
        "w = 2.; s = 1e-20; y = s*w**3 + s*w**2",
        "d2y/dw2 == 6*s*w + 2*s",
        ["d2y/dw2 == 0", "d2y/dw2 == 6*s*w"],
    ),
    "a_step_of_a_derivation": (MATRIX, "dx == 4*x**3*(1/u) + 1", ["dx == 4*x**3*(1/u) - 1", "dx == 3/x"]),
    "a_sum_that_cancels": ("x = 3.; u = 1e8*x; y = u - 1e8*x", "dy/dx == 0", ["dy/dx == 1e-3"]),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_wrong_formula_is_wrong_at_any_size(name: str) -> None:
    code, right, wrong = SIZES[name]
    code = code.replace("; ", "\n")
    assert check_steps(code, right)[0].is_right
    for formula in wrong:
        assert check_steps(code, formula)[0].is_right is False, formula

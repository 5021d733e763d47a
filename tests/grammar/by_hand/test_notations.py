"""Derivatives as books write them: those of one meaning are read, the others refused with what is read."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

SQUARE = "x = 3.0\nf = x**2"


@pytest.mark.parametrize(
    "left", ["f'(x)", "f’( x )", "d/dx f", "d/dx(f)", "D_x f", "D_x(f)", "∂_x f", "∂f/∂x", "df / dx"]
)
def test_a_first_derivative(left: str) -> None:
    for found in (check(SQUARE, f"{left} = 2*x"), *check_steps(SQUARE, f"{left} = 2*x  # the slope")):
        assert (found.left, found.is_right) == ("df/dx", True)
    assert check(SQUARE, f"{left} == 3*x").is_right is False


@pytest.mark.parametrize("left", ["f''(x)", 'f"(x)', "f′′(x)", "∂²f/∂x²"])
def test_a_second_derivative(left: str) -> None:
    found = check("x = 3.0\nf = x**3", f"{left} = 6*x")
    assert (found.left, found.is_right) == ("d2f/dx2", True)


@pytest.mark.parametrize("left", ["f'", "f''", "∇f", "grad f", "grad(f)", "f_x"])
def test_one_that_does_not_say_by_what_is_refused_with_what_is_read(left: str) -> None:
    with pytest.raises(UsageError, match=r"is no derivative") as raised:
        check(SQUARE, f"{left} = 2*x")
    assert raised.value.help == ("write it as in df/dx == 2*x, a formula for each input",)

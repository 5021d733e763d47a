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


@pytest.mark.parametrize("left", ["∇f", "grad f", "grad(f)", "f_q"])
def test_one_that_does_not_say_by_what_is_refused_with_what_is_read(left: str) -> None:
    with pytest.raises(UsageError, match=r"is no derivative") as raised:
        check(SQUARE, f"{left} = 2*x")
    assert raised.value.help == ("write it as in df/dx == 2*x, a formula for each input",)


def test_the_function_on_the_right_is_its_value() -> None:
    script = "a = 2.0\nx = 1.0\nf = exp(a*x)"
    for right in ("f'(x) = a*f(x)", "f''(x) = a**2*f( x )", "df/dx == a*f", "f″(x) = a*f'(x)"):
        assert check(script, right).is_right, right
    assert check(script, "f'(x) = 2*a*f(x)").remarks == [
        "it is twice what it should be: a factor 2 is superfluous"
    ]


FUNCTIONS = "def f(x):\n    return x**2\ng = lambda x: sin(x)\nx = 1.3\ny1 = f(x)\ny2 = g(f(x))"


def test_the_derivative_of_a_function_is_that_of_the_variable_with_its_value() -> None:
    for right in ("2*x", "2*f(x)/x"):
        found = check(FUNCTIONS, f"f'(x) = {right}")
        assert (found.left, found.is_right) == ("dy1/dx", True)
    with pytest.raises(
        UsageError, match=r"`g` is a function, and no variable has the value g\(x\)"
    ) as raised:
        check(FUNCTIONS, "g'(x) = cos(x)")
    assert raised.value.help == ("assign it in the script, as in y = g(x), and write dy/dx",)


def test_a_prime_without_an_argument_is_the_derivative_by_the_only_input() -> None:
    script = "x = 1.5\ny = x*exp(2*x)"
    for text in ("y' = y/x + 2*y", "y'' = 2*y' + 2*exp(2*x)", "y′ = einsum('->', y/x + 2*y)"):
        assert check(script, text).is_right, text
    assert check(script, "y' = 2*y").is_right is False
    with pytest.raises(UsageError, match="does not say by which input: there are a and x") as raised:
        check("a = 2.0\nx = 1.5\ny = exp(a*x)", "y' = 2*y")
    assert raised.value.help == ("write dy/da or dy/dx",)


SHEET = "x = 0.5\ny = x**2\nu = 2.0\nf = u**3\nz = x*u\nw = f*y\nt = f + u\nk = 3"


@pytest.mark.parametrize("label", ["", "1) ", "2a) ", "Exercise 3 (b): "])
def test_of_several_inputs_primes_are_by_the_only_one_that_the_variable_depends_on(label: str) -> None:
    for text, left in (
        ("y' = 2x", "dy/dx"),
        ("y'(0.5) = 1", "dy/dx"),
        ("f'(2) = 12", "df/du"),
        ("f''(2) = 12", "d2f/du2"),
        ("t' = 3u^2 + 1", "dt/du"),
    ):
        for found in (check(SHEET, label + text), *check_steps(SHEET, label + text)):
            assert (found.left, found.is_right) == (left, True)
    for text, ways in (("z' = 3", "dz/dx or dz/du"), ("w'' = 3", "d2w/dx2 or d2w/du2")):
        for read in (check, check_steps):
            with pytest.raises(UsageError, match="does not say by which input: there are x and u") as raised:
                read(f"a = 7.0\n{SHEET}\nb = a*a", label + text)
            assert raised.value.help == (f"write {ways}",)


def test_primes_that_cannot_be_read_are_refused_with_the_way() -> None:
    for text, told, way in (
        ("y'' = 2*y''", "on the right is the derivative that is to be checked", "write what it comes to"),
        ("y' - 2*y = exp(2*x)", "is no derivative", "solve the equation for dy/dx"),
        ("dy/dx = g'(f(x))*f'(x)", "by a variable", "assign `u = f(x)` in the script, and write g'(u)"),
        ("dy/du = 3*u**2", "`u` is a parameter of `g`", "assign the argument in the script: `u = ...`"),
    ):
        with pytest.raises(UsageError, match=told) as raised:
            check("def g(u):\n    return u**3\nx = 1.3\ny = g(sin(x))", text)
        assert way in raised.value.help[0]


@pytest.mark.parametrize("number", ["0", "-0.5", "1e-3"])
def test_a_derivative_at_another_number_is_refused_with_the_way_to_set_it(number: str) -> None:
    with pytest.raises(UsageError, match="is the derivative at another point: x = 3 in the script") as raised:
        check(SQUARE, f"f'({number}) = 3")
    assert raised.value.help == (f"write f'(x), with the name of the input, and --set x={number}",)
    assert check(SQUARE, "f'(3) = 6").verdict == "right here"

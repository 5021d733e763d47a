"""A decimal number alone on the right stands for a gradient that is rounded to the digits written."""

from __future__ import annotations

import pytest
from hand_checks import check, check_steps

LOG = "x = 3.0\nf = log(x)"


@pytest.mark.parametrize(
    ("right", "digits"),
    [
        ("0.333", 3),
        ("+0.3333", 4),
        ("(0.33333)", 5),
        ("3.33e-1", 3),
        ("333.333E-3", 6),
        (".33_33", 4),
    ],
)
def test_a_number_is_right_to_its_digits(right: str, digits: int) -> None:
    for found in (check(LOG, f"df/dx = {right}"), *check_steps(LOG, f"df/dx = {right}")):
        assert found.verdict == "right here"
        assert found.remarks[0].startswith(
            f"it is a number, right to the {digits} digits written at x = 3 and"
        )
        assert found.value == pytest.approx(1 / 3, abs=1e-3)
        assert found.value != 1 / 3


@pytest.mark.parametrize(("slope", "verdict"), [("0.10004", "right"), ("0.1", "right"), ("0.1006", "wrong")])
def test_a_derivative_that_is_the_same_everywhere_is_right_everywhere(slope: str, verdict: str) -> None:
    found = check(f"x = 2.0\nf = {slope}*x", "df/dx = 0.100")
    assert found.verdict == verdict
    assert ("it is right to the 3 digits written" in found.remarks) == (slope == "0.10004")


def test_a_derivative_that_hardly_moves_is_right_here_only() -> None:
    found = check("x = 1.0\nf = 2*x + 1e-5*x**2", "df/dx = 2.000")
    assert found.verdict == "right here"


@pytest.mark.parametrize(
    ("slope", "right"),
    [
        ("0.33333", "0.3"),
        ("0.33333", "0.33"),
        ("0.33333", "0.332"),
        ("0.33333", "0.334"),
        ("0.33333", "-0.333"),
        ("0.33333", "0.333*1"),
        ("0.33333", "0.333 + 0"),
        ("0.10004", "0.1"),
        ("0.10004", "0.10"),
        ("0.0004", "0.000"),
        ("0.0004", "0.00"),
        ("0.0004", "0"),
        ("0.00412", "0.004"),
        ("159.01", "159"),
        ("159.01", "159."),
        ("159.01", "159e0"),
        ("159.06", "159.0"),
        ("0.1587", "0.1586"),
        ("2.0", "2.0000001"),
    ],
)
def test_other_numbers_are_exact(slope: str, right: str) -> None:
    for found in (
        check(f"x = 2.0\nf = {slope}*x", f"df/dx = {right}"),
        *check_steps(f"x = 2.0\nf = {slope}*x", f"df/dx = {right}"),
    ):
        assert found.verdict == "wrong"


def test_a_formula_has_no_room_for_rounding() -> None:
    found = check("x = 2.0\nf = x**2/6", "df/dx = 0.333*x")
    assert found.verdict == "wrong"


@pytest.mark.parametrize(
    ("right", "wanted"), [("-0.16", "-0.159"), ("-0.2", "-0.159"), ("-1.6e-1", "-0.159")]
)
def test_a_number_of_few_digits_is_told_how_to_write_it(right: str, wanted: str) -> None:
    found = check("x = 2.0\nf = -0.1586313*x", f"df/dx = {right}")
    assert found.remarks == [
        "a number counts as rounded if it has a decimal point and at least 3 digits, zeros in front not"
        f" counted: {wanted}",
        f"it gives {float(right):.12g}, and the gradient is -0.1586313",
    ]
    assert check("x = 2.0\nf = -0.1586313*x", f"df/dx = {wanted}").verdict == "right"


@pytest.mark.parametrize("slope", ["123.4567", "1234.567", "0.0001234", "1.5e8", "1.5e-9"])
def test_the_number_to_write_is_one_that_is_read(slope: str) -> None:
    few = f"{float(slope):.1g}"
    found = check(f"x = 2.0\nf = {slope}*x", f"df/dx = {few if '.' in few else few.replace('e', '.0e')}")
    told = [remark.rpartition(": ")[2] for remark in found.remarks if "counts as rounded" in remark]
    for one in told:
        assert check(f"x = 2.0\nf = {slope}*x", f"df/dx = {one}").verdict == "right"


@pytest.mark.parametrize(
    ("script", "right", "gradient"),
    [
        ("f = 0.15869*x", "0.1586", "0.15869"),
        ("f = x**2/2", "2.0000001", "2"),
        ("f = x**3", "11.99999", "12"),
        ("f = x**3", "12.1", "12"),
    ],
)
def test_a_wrong_last_digit_is_told(script: str, right: str, gradient: str) -> None:
    found = check(f"x = 2.0\n{script}", f"df/dx = {right}")
    assert found.remarks == [
        "the last digit is wrong: round the gradient to the nearest number of so many digits",
        f"it gives {right}, and the gradient is {gradient}",
    ]


VECTOR = "x = tensor([1.0, 2.0, 3.0])\nf = sin(x).sum()"


@pytest.mark.parametrize(
    ("right", "verdict"),
    [
        ("[0.540, -0.416, -0.990]", "right here"),
        ("torch.tensor([0.5403, -0.416, -0.990])", "right here"),
        ("(0.540, -0.416, -0.990)", "right here"),
        ("[0.540, -0.416, -0.989]", "wrong"),
        ("[0.540, -0.42, -0.990]", "wrong"),
        ("[0.540, -0.416, -1]", "wrong"),
        ("[0.540, -0.416, 0.5 - 1.490]", "wrong"),
        ("[0.540, -0.416]", "wrong"),
    ],
)
def test_each_entry_of_a_list_is_rounded_by_itself(right: str, verdict: str) -> None:
    assert check(VECTOR, f"df/dx = {right}").verdict == verdict


def test_entries_that_are_exact_may_stand_beside_rounded_ones() -> None:
    script = "x = tensor([1.0, 2.0])\nw = tensor([2.0, 1/3])\nf = (w*x).sum()"
    assert check(script, "df/dx = [2, 0.333]").verdict == "right"
    assert check(script, "df/dx = [2, 0.33]").verdict == "wrong"


def test_entries_and_second_derivatives_are_rounded_too() -> None:
    assert check(VECTOR, "df/dx[0] = 0.540").verdict == "right here"
    assert check(LOG, "d2f/dx2 = -0.111").verdict == "right here"
    assert check(LOG, "d2f/dx2 = -0.110").verdict == "wrong"


def test_a_number_at_a_kink_is_not_right() -> None:
    assert check("x = 0.0\nf = abs(x) + 0.33333*x", "df/dx = 0.333").verdict == "undecided"

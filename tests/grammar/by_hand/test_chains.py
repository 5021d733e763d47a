"""Several equals signs in a line: each member is compared with the derivative on the left."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

CUBE = "x = 2.0\nu = x**2\nL = u**3"
SIGNS = pytest.mark.parametrize("sign", ["=", "==", "\n  =", "\n==", "  # a step\n\t= "])


@SIGNS
def test_every_member_is_right(sign: str) -> None:
    members = ["dL/du*du/dx", "3*u**2*2*x", "6*x**5", "192"]
    [found] = check_steps(CUBE, sign.join(["dL/dx ", *members]))
    assert (found.verdict, found.formula) == ("right", " == ".join(members))
    assert (found.remarks, found.step) == ([], ("steps.txt", 1))


@SIGNS
@pytest.mark.parametrize("at", range(4))
def test_the_first_member_that_is_wrong_is_named(sign: str, at: int) -> None:
    members = ["dL/du*du/dx", "3*u**2*2*x", "6*x**5", "192"]
    wrong = ["dL/du*u", "3*u**2*x", "6*x**4", "191"]
    [found] = check_steps(CUBE, sign.join(["dL/dx ", *members[:at], *wrong[at:]]))
    assert (found.verdict, found.formula) == ("wrong", wrong[at])


@pytest.mark.parametrize("sign", ["=", " == "])
def test_a_chain_on_the_command_line(sign: str) -> None:
    assert check(CUBE, f"dL/dx{sign}dL/du*du/dx{sign}6*x**5{sign}192").verdict == "right"
    assert check(CUBE, f"dL/dx{sign}dL/du*du/dx{sign}5*x**5").formula == "5*x**5"
    assert check(CUBE, f"L'(x){sign}6*x**5{sign}192").verdict == "right"
    assert check(CUBE, f"d2L/dx2{sign}30*x**4{sign}480").verdict == "right"
    assert check(CUBE, f"d2L/dx2{sign}30*x**4{sign}481").formula == "481"


def test_numbers_alone_are_right_here() -> None:
    assert check(CUBE, "dL/dx = 192 = 192.0").verdict == "right here"
    assert check("x = 3.0\nL = log(x)", "dL/dx = 1/3 = 0.333").remarks[-1] == (
        "`0.333`: it is right to the 3 digits written"
    )


def test_a_formula_of_one_branch_leaves_the_chain_right_here() -> None:
    found = check("x = 2.0\nL = x**2 if x > 1.9 else x**3", "dL/dx = 2*x = 4")
    assert found.verdict == "right here"
    assert found.remarks[0].startswith("`2*x`: ")


def test_later_steps_use_a_chain() -> None:
    found = check_steps(CUBE, "dL/du = 3*u**2\n      = 48\ndL/dx = dL/du*2*x = 192\n\n= 192.0\ndL/du == 47")
    assert [one.verdict for one in found] == ["right", "right", "wrong"]
    assert [one.step for one in found] == [("steps.txt", line) for line in (1, 3, 6)]


def test_comparisons_inside_brackets_are_no_members() -> None:
    script = "x = tensor([1.0, -2.0])\nL = relu(x).sum()"
    for right in ("[x >= 0]*1.0", "where(x == 1, 1.0, 0.0)", "(x == 1)*1.0"):
        assert check(script, f"dL/dx == {right}").is_right_here, right


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dL/dx = 6*x**5 = q", "name 'q' is not defined"),
        ("dL/dx = 6*x**5 =", "a value should stand here"),
        ("dL/dx = = 6*x**5", "a value should stand here"),
        ("dL/dx = 6*x**5 = dL/dx", "is the derivative that is to be checked"),
    ],
)
def test_a_member_that_cannot_be_read_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        check(CUBE, text)
    with pytest.raises(UsageError, match=told) as raised:
        check_steps(CUBE, text.replace(" = q", "\n = q"))
    if told.startswith("name"):
        assert raised.value.source is not None
        assert raised.value.span is not None
        assert raised.value.source.position(raised.value.span.start) == (2, 4)


def test_a_derivative_of_several_lines_has_one_equals_sign_in_each() -> None:
    with pytest.raises(UsageError, match="`dx` is changed below, and its line has more than one equals sign"):
        check_steps("x = 2.0\nL = x**2 + x", "dx == 2*x == 4\ndx += 1")


def test_an_assignment_to_several_names_is_one_as_in_python() -> None:
    found = check_steps("x = 2.0\ny = 3.0\nL = x*y + x + y", "dL = 1\ndx = y + 1\ndy = x + 1\n")
    assert [one.verdict for one in found] == ["right"] * len(found)
    found = check_steps("x = 2.0\ny = 2.0\nL = x + y", "dx = dy = 1.0")
    assert [(one.left, one.verdict) for one in found] == [("dL/dx", "right"), ("dL/dy", "right")]

"""Second derivatives on the right side, of values on the way too."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

NEURON = """\
x = torch.tensor(1.5)
y = torch.tensor(1.0)
w = torch.tensor(0.8, requires_grad=True)
b = torch.tensor(-0.2, requires_grad=True)
z = w*x + b
a = torch.sigmoid(z)
L = (a - y)**2
"""
OF_Z = ["d2L/dz2", "d^2L/dz^2", "d(dL/dz)/dz", "d2L/dz dz", "d2L/dzdz", "∂²L/∂z²", "∂(∂L/∂z)/∂z", "d2L/(dz)2"]


@pytest.mark.parametrize("second", OF_Z)
def test_one_notation_on_the_right(second: str) -> None:
    for found in (
        check(NEURON, f"d2L/dw2 = {second} * x**2"),
        *check_steps(NEURON, f"d2L/dw2 = {second} * x**2"),
    ):
        assert (found.left, found.verdict) == ("d2L/dw2", "right")
    assert check(NEURON, f"d2L/dw2 = {second} * x").verdict == "wrong"
    assert check(NEURON, f"d2L/dw2 = x*{second}*x + 0*dL/dw").verdict == "right"


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("d2L/dw db = d2L/dw2/x", "right"),
        ("d2L/dw2 = d2L/dw db*x", "right"),
        ("d2L/dw2 = d2L/dwdb*x", "right"),
        ("d2L/dw2 = d2L/db2*x", "wrong"),
        ("d2L/dz2 = d2L/da2*(da/dz)**2 + dL/da*d2a/dz2", "right"),
        ("d2L/dz2 = d2L/da2*(da/dz)**2", "wrong"),
        ("d2L/dz2 = d2L/da2*da/dz + dL/da*d2a/dz2", "wrong"),
        ("dL/db = dL/dw/x + 0*d2L/dw2", "right"),
        ("dL/db = dL/dw/x + d2L/dw2", "wrong"),
        ("d2L/db2 = d2z/db2 + d2L/dz2", "right"),
    ],
)
def test_second_derivatives_in_each_others_terms(formula: str, verdict: str) -> None:
    assert check(NEURON, formula).verdict == verdict


def test_with_primes() -> None:
    script = "x = 1.3\nf = sin(x)\ny = f**3"
    assert check(script, "d2y/dx2 = 6*f*f'(x)**2 + 3*f**2*f''(x)").verdict == "right"
    assert check(script, "d2y/dx2 = 6*f*f'(x)**2 + 3*f**2*f'(x)").verdict == "wrong"
    assert check("x = 1.3\ny = sin(x)", "dy/dx = cos(x) + y'' + y").is_right


def test_of_tensors_it_is_the_whole_matrix() -> None:
    script = "x = tensor([1.0, 2.0])\nz = 3*x\nL = (z**3).sum()"
    assert check(script, "d2L/dx2 = 9*d2L/dz2").verdict == "right"
    assert check(script, "d2L/dx2 = 3*d2L/dz2").verdict == "wrong"
    assert check(script, "d2L/dx2[0, 0] = 9*d2L/dz2[0, 0]").verdict == "right"
    assert check(script, "d2L/dx2[0, 0] = 9*d2L/dz2[1, 1]").verdict == "wrong"
    assert check(script, "d2L/dx2[0, 1] = d2L/dz2[0, 1]").is_right


def test_steps_may_use_those_before_them_and_give_them_names() -> None:
    found = check_steps(
        NEURON, "d2L/dz2 = 1.0*a\nd2L/dw2 = d2L/dz2 * x**2\ng = d2L/dz2\nd2L/db2 = g\nd2L/dw db = g*x = g"
    )
    assert [one.verdict for one in found] == ["wrong", "right", "right", "wrong"]
    assert found[-1].formula == "g"


@pytest.mark.parametrize(
    ("formula", "told", "way"),
    [
        ("d2L/dw2 = d2L/dw2", "is the derivative that is to be checked", "write what it comes to"),
        ("d2L/dw2 = d2L/dq2", "name 'd2L' is not defined", "a second derivative is written d2L/dx2"),
        ("d2L/dw2 = d2v/dw2", "each of the 2 entries of the output of `d2v/dw2`", "one number"),
        ("d2L/dw2 = d3L/dw3", "name 'd3L' is not defined", ""),
    ],
)
def test_one_that_there_is_not_is_told(formula: str, told: str, way: str) -> None:
    with pytest.raises(UsageError, match=told) as raised:
        check(NEURON + "v = torch.stack([w, b])*z\n", formula)
    assert any(way in line for line in raised.value.advice)


def test_names_that_look_like_one_are_names() -> None:
    assert check("d2L = 3.0\nx = 2.0\ndx2 = 1.5\nL = d2L*x/dx2", "dL/dx = d2L/dx2").verdict == "right"

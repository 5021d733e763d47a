"""Derivatives that stand in a hand formula: which one each text means, and the value that it gets."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.placed_text import PlacedText
from autodiff.grammar.by_hand.upstream import UpstreamDerivatives
from hand_checks import check

WORDS = {"L", "h", "z", "W", "w", "x", "params", "dz", "im"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2*dL/dh*x", [("L", "h", None)]),
        ("d(L)/d(h) + d L / d h", [("L", "h", None), ("L", "h", None)]),
        ("dL/dW[0, 1]**2", [("L", "W", (0, 1))]),
        ("h.grad @ W.T - params[1].grad", [("", "h", None), ("", "params", (1,))]),
        ("dh*dW[0]", [("", "h", None), ("", "W", (0,))]),
        ("dh/dx + dh", [("h", "x", None), ("", "h", None)]),
        ("dz*x", []),
        ("dz/dh", [("z", "h", None)]),
        ("dL/dq + x.dh + dh(3) + diag(W)", []),
        ("x.sum(dim=0)", []),
        ("where(dim == 0, 1, 2)", [("", "im", None)]),
    ],
)
def test_which_derivatives_stand_in_a_formula(text: str, meant: list[object]) -> None:
    found = UpstreamDerivatives(PlacedText(text), WORDS, (), (), {})
    sides = [(one.side.output, *one.side.by[0]) for one in found.found]
    assert sides == meant
    assert found.spell(found.placed.text).replace("(", "").replace(")", "") == text.replace("(", "").replace(
        ")", ""
    )


def test_a_quotient_of_two_names_of_the_script_is_none() -> None:
    assert UpstreamDerivatives(PlacedText("dz/dx"), WORDS | {"dx"}, (), (), {}).found == []
    assert UpstreamDerivatives(PlacedText("dz"), WORDS, ["dz"], (), {}).placed.text == "gradient_0_"


def test_what_binds_closer_than_the_slash_gets_parentheses() -> None:
    found = UpstreamDerivatives(PlacedText("dL/dh"), WORDS, (), (), {})
    assert found.spell("gradient_0_.T*gradient_0_**2 + gradient_0_*x") == "(dL/dh).T*(dL/dh)**2 + dL/dh*x"


LAYER = """\
x = tensor([[1., 2.], [0.5, -1.]])
W = tensor([[0.3, -0.2], [0.1, 0.4]], requires_grad=True)
z = x @ W
h = tanh(z)
L = (h**2).sum()
"""


@pytest.mark.parametrize(
    "formula",
    [
        "dL/dz == dL/dh*(1 - h**2)",
        "dz == h.grad*(1 - h**2)",
        "dL/dW == x.T @ dL/dz",
        "dL/dW[0,1] == dL/dz[0,1]*x[0,0] + dL/dz[1,1]*x[1,0]",
        "W.grad == x.T @ (dh*(1 - h**2))",
        "dL/dz == dL/dz[0,0]*0 + dL/dh - dL/dh*h**2",
    ],
)
def test_upstream_derivatives_have_their_right_value(formula: str) -> None:
    if "dz[0,0]" in formula:
        with pytest.raises(UsageError, match="on the right is the derivative"):
            check(LAYER, formula.replace("dL/dz[0,0]", "dL/dz"))
    found = check(LAYER, formula)
    assert found.is_right is True
    assert found.remarks == []
    assert found.points == 6


@pytest.mark.parametrize(
    ("formula", "remark"),
    [
        ("dL/dz == dL/dh*(1 - z**2)", "the factor 1 - z**2 should be dh/dz = 1 - h**2"),
        ("dL/dW == x @ dL/dz", "x must be transposed: x.T"),
        ("dL/dW == dL/dz @ x.T", "dL/dz and x.T stand in the wrong order"),
        ("dL/dz == -dh*(1 - h**2)", "the sign is wrong: the minus of -dh is superfluous"),
    ],
)
def test_mistakes_beside_upstream_derivatives(formula: str, remark: str) -> None:
    found = check(LAYER, formula)
    assert found.is_right is False
    assert found.remarks == [remark]


def test_a_derivative_between_two_numbers_of_the_graph() -> None:
    script = "a = 2.\nb = 3.\nc = a*b\ne = sin(c)\nL = e*a"
    assert check(script, "dL/da == dL/de*de/dc*dc/da + e").is_right
    [remark] = check(script, "dL/da == dL/de*de/dc*dc/da").remarks
    assert remark == "the path L <- a is missing: it gives -0.279415"
    found = check(LAYER, "dL/dz == dL/dh*dh/dz")
    told = ["the formula has the shape (2, 2, 2, 2), the gradient (2, 2)"]
    told.append("`dh/dz` is a Jacobian, of shape (2, 2, 2, 2)")
    assert (found.is_right, found.remarks[:2]) == (False, told)


def test_a_name_assigned_twice_means_its_last_version() -> None:
    script = "x = 3.\nh = x*x\nh = sin(h)\nL = h*h"
    assert check(script, "dL/dx == dL/dh*cos(x*x)*2*x").is_right

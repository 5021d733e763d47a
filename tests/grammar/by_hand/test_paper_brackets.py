"""Square brackets as on paper, indicators, and derivatives such as ``f_xy``."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

NEURON = "x = 1.5\ny = 1.0\nw = 0.8\nb = -0.2\nz = w*x + b\na = sigmoid(z)\nL = (a - y)**2"
CHOICE = "x = 1.5\ny = relu(x)*x"
LAYER = """\
x = [[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]]
t = [[1.0, 0.5], [0.2, -0.3], [0.1, 0.9]]
W = [[0.3, -0.2], [0.7, 0.4]]
z = x @ W
h = relu(z)
L = ((h - t)**2).sum()
"""
RIGHT = [
    (NEURON, "dL/dw = 2[a(1-a)(a - y)x]", "2*(a*(1-a)*(a - y)*x)"),
    (NEURON, "dL/dz = 2[(a - y) + 0b]a(1 - a)", "2*((a - y) + 0*b)*a*(1 - a)"),
    (NEURON, "dL/dw = -[2(y-a)]a(1-a)x", "-[2*(y-a)]*a*(1-a)*x"),
    (NEURON, "dL/dz = 2[a - y] a (1 - a)", "2*(a - y)*a*(1 - a)"),
    (NEURON, "dL/dw = x/[1/(2(a - y)a(1 - a))]", None),
    (NEURON, "dL/dw = 2\\left[(a - y) a \\right](1 - a)x", "2*((a - y)*a )*(1 - a)*x"),
    (NEURON, "dL/dw = [2(a - y)]*[a - a^2]*x", None),
    (CHOICE, "dy/dx = 1[x>0]x + relu(x)", "1*[x>0]*x + relu(x)"),
    (CHOICE, "dy/dx = 2·1[x > 0] x", None),
    (CHOICE, "dy/dx = x 𝟙[x>0] + relu(x)", "x *[x>0] + relu(x)"),
    (CHOICE, r"dy/dx = \mathbb{1}_{x>0} x + \max(0, x)", "[x>0]*x + max(0, x)"),
    (CHOICE, r"dy/dx = \mathbf{1}\{x > 0\} x + \operatorname{ReLU}(x)", None),
    (CHOICE, r"dy/dx = 2x\,\mathbb{1}_{\{x > 0\}}", None),
    (CHOICE, r"dy/dx = 2x\,\mathbb{I}\left(x \geq 0\right)", None),
    (CHOICE, "dy/dx = 1_{x>0}x + relu(x)", None),
    (CHOICE, "dy/dx = 1{x>0} (x + x)", None),
    (CHOICE, "dy/dx = I(x>0)(x + x)", None),
    (LAYER, "dL/dz = 2(h - t) ⊙ 1[z > 0]", None),
    (LAYER, "dL/dW = x^T (2(h - t) ⊙ 𝟙[z > 0])", None),
    (LAYER, r"dL/dW = x^\top \left(2(h - t) \odot \mathbb{1}[z > 0]\right)", None),
]


@pytest.mark.parametrize(("script", "text", "read"), RIGHT)
def test_they_are_read(script: str, text: str, read: str | None) -> None:
    for one in (check(script, text), *check_steps(script, text)):
        assert one.verdict == "right", one.formula
        assert read in (None, one.formula)
    left, _, right = text.partition(" = ")
    assert check(script, f"{left} = 1.5({right})").verdict == "wrong"


def test_what_a_script_has_keeps_its_meaning() -> None:
    script = "I = [2.0, 3.0]\nx = [1.0, -2.0]\nL = (I*x).sum()"
    assert check(script, "dL/dx = I").verdict == "right"
    assert check(script, "dL/dx = [I[0], I[1]]").verdict == "right"
    assert check("x = [2.0, 3.0]\nL = 5*x.sum()", "dL/dx = [5.0]*2").verdict == "right"
    assert check("x = [2.0, 3.0]\nL = 5*x.sum()", "dL/dx = [5] + [5]").verdict == "right"


@pytest.mark.parametrize(
    ("text", "way"),
    [("2x[a(1-a)(a - y)]", "x*(a*(1-a)*(a - y))"), ("[2(a-y)][a(1-a)]x", "2*(a-y)*(a*(1-a))")],
)
def test_an_index_that_is_none_is_refused_with_round_brackets(text: str, way: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(NEURON, f"dL/dw = {text}")
    assert raised.value.help == (f"for a product, write round brackets: {way}",)


FUNCTION = "x = 1.5\ny = 0.7\nf = x**3*y**2\nu_x = 2*f"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("f_x = 3x²y²", "df/dx"),
        (r"f_{x} = 3x^2y^2 \cdot 1", "df/dx"),
        ("f_xy = 6x² y", "d2f/dx dy"),
        ("f_{xy} = 6x^2 y", "d2f/dx dy"),
        ("f_{x,y} = f_x*2/y", "d2f/dx dy"),
        ("f_{xx} = 6x y^2 = f_x*2/x", "d2f/dx2"),
        ("∂²f/∂x∂y = 6x² y", "d2f/dx dy"),
        (r"\frac{\partial^2 f}{\partial x \, \partial y} = 6x^2 y", "d2f/dx dy"),
        (r"\nabla_x f = 3x^2y^2", "df/dx"),
        (r"\nabla_{x} f(x) = 3x^2y^2", "df/dx"),
        ("∇_x f = 3x²y²", "df/dx"),
        ("du_x/dx = 6x²y²", "du_x/dx"),
    ],
)
def test_derivatives_with_an_index(text: str, left: str) -> None:
    found = check(FUNCTION, text)
    assert (found.left, found.verdict) == (left, "right")
    before, _, right = text.partition(" = ")
    assert check(FUNCTION, f"{before} = 3({right.partition(' = ')[0]})").verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "told", "way"),
    [
        ("f'''(x) = 6y²", "`f'''(x)` is no first or second derivative", "assign the second in the script"),
        ("∂³f/∂x³ = 6y²", "`∂³f/∂x³` is no first or second derivative", "assign the second in the script"),
        ("f_q = 2", "`f_q` is no derivative", "df/dx == 2*x, a formula for each input"),
        ("∇f = [1, 2]", "`∇f` is no derivative", "df/dx == 2*x, a formula for each input"),
    ],
)
def test_others_are_refused_with_what_is_read(text: str, told: str, way: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(FUNCTION, text)
    assert told in raised.value.message
    assert way in " ".join(raised.value.help)

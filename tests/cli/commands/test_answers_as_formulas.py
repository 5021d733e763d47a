"""What an answer of ``check --formula`` prints behind its verdict is a formula again."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY
from hand_checks import check_steps

FUNCTION = "def f(x):\n    return x**3\ndef grad_f(x):\n    return 3*x**2\nx0 = 2.0"
SQUARES = "x = [1., 2.]; y = x**2"
LAYER = (
    "x = [[1., 2.], [0.5, -1.]]; W = [[0.3, -0.2], [0.7, 0.4]]; z = x @ W; h = tanh(z)\n"
    "L = ((h - 1)**2).sum()"
)
LOOP = "w = 0.5\nh = 0.2\nfor k in range(3):\n    h = tanh(w*h)\nL = h**2"
WEIGHED = "x = torch.tensor([1., 2.], requires_grad=True); y = x**2; y.backward(torch.tensor([1., 3.]))"
ANSWERS = [
    (FUNCTION, ["--of", "f(x0)", "--wrt", "x0"], "grad_f(x0)"),
    (FUNCTION, ["--of", "f(x0)*x0"], "d(f(x0)*x0)/dx0 = 3x0^3 + f(x0)"),
    (FUNCTION, ["--of", "f(f(x0) + 1)", "--wrt", "x0"], "3*(f(x0) + 1)**2*grad_f(x0)"),
    (FUNCTION + "\nL = f(x0)", [], "f'(x0) = grad_f(x0)"),
    (SQUARES, ["--of", "y.sum()", "--wrt", "x"], "2x"),
    (SQUARES, ["--of", "(y*x).sum()", "--wrt", "x"], "3*x**2"),
    (SQUARES, ["--of", "y[0]", "--wrt", "x"], "[2*x[0], 0]"),
    (SQUARES, [], "dy[1]/dx[1] = 2*x[1]"),
    (SQUARES, [], "dy/dx = diag(2*x)"),
    (WEIGHED, [], r"\frac{\partial S}{\partial x} = 2 \cdot G \odot x"),
    ("x = 2.; x**3", [], "3*x**2"),
    ("x = 2.; x**3", ["--wrt", "x", "--order", "2"], "6*x"),
    ("x = 2.; y = 3.; x**3*y", [], "d2(x**3*y)/dx dy = 3x²"),
    ("x = 2.; w = [3., 1.]; (w*x).sum()", ["--wrt", "x"], "w.sum()"),
    ("w1 = 2.; L = w1**3", [], "d2L/dw1 dw1 = 6 w1"),
    ("p = [0.5, 2.]; L = p[0]**2*p[1]", [], "dL/dp[0] = 2*p[0]*p[1]"),
    ("u = 0.5; v = 2.; L = (u*v)**2", [], "dL/d(u*v) = 2 u v"),
    ("u = 0.5; v = 2.; L = (u*v)**2", [], "dL/du = dL/d(u*v)*v"),
    ("f = 0.5; x = 2.; L = f*x**2", [], "dL/dx = 2 f x"),
    (LAYER, [], "dL/dW = x^T (2(h - 1) ⊙ (1 - h²))"),
    (LAYER, [], "dL/dz = dL/dh ⊙ (1 - h²)"),
    (LAYER, [], "dL/dz[0,1] = dL/dh[0,1] (1 - h[0,1]²)"),
    (LOOP, [], "dL/dh_2 = 2h_3 (1 - h_3²) w"),
    (LOOP, [], "dL/dh_0 = dL/dh_1 (1 - h_1^2) w"),
]


@pytest.mark.parametrize(("script", "options", "formula"), ANSWERS)
def test_titles_are_formulas(autodiff, script: str, options: list[str], formula: str) -> None:
    first = autodiff("check", "-e", script, *options, "--formula", formula).out.splitlines()[0]
    assert first.startswith("right: ")
    title = first.removeprefix("right: ")
    of = options[:2] if options[:1] == ["--of"] else []
    for given in ([], of):
        again = autodiff("check", "-e", script, *given, "--formula", title)
        assert again.out.splitlines()[0].replace("dy[0]/", "d(y[0])/") == first, again.err


DERIVATIONS = [
    ((REPOSITORY / "examples" / "batch_norm.ad").read_text(), "examples/batch_norm_steps.txt"),
    (LAYER, "r = 2*(h - 1)\ndz = r*(1 - h**2)\ndW = x.T @ dz\ndx = dz @ W.T\ndW[0, 1] = dz[0] @ x[:, 0]"),
    (LAYER, "delta = 2*(h - 1)\ndelta *= 1 - h**2\ndW = x.T @ delta"),
    (LOOP, "dh = 2*h\nfor k in range(3):\n    dh = dh\ndw = dh"),
]


@pytest.mark.parametrize(("script", "steps"), DERIVATIONS)
def test_left_sides_of_steps_are_read(autodiff, script: str, steps: str) -> None:
    if steps.endswith(".txt"):
        steps = (REPOSITORY / steps).read_text()
    lefts = {one.left for one in check_steps(script, steps)}
    assert lefts
    for left in sorted(lefts):
        found = autodiff("check", "-e", script, "--formula", f"{left} == 12345.5")
        assert found.out.startswith(f"wrong: {left} == 12345.5"), found.err


def test_formulas_about_several_expressions_are_refused(autodiff) -> None:
    found = autodiff(
        "check", "-e", SQUARES, "--formula", "d(y.sum())/dx = 2x", "--formula", "d(2*y[0])/dx[0] = 2"
    )
    assert found.returncode == 2
    assert "`y.sum()` is an expression, and other formulas are about other outputs" in found.err


@pytest.mark.parametrize(
    "script", ["x = 2.; y = 3.; f = x**2*y**3", "w1 = 2.; w2 = 3.; f = exp(w1)*w2 + w1**3"]
)
def test_a_matrix_of_second_derivatives_is_a_formula_for_each_entry(autodiff, script: str) -> None:
    matrix = autodiff("explain", "-e", script, "--order", "2", "--format", "equation").out
    assert "pmatrix" in matrix
    shown = autodiff("check", "-e", script, "--formula", matrix).out.splitlines()
    assert sum(line.startswith("right: d2f/d") for line in shown) == 4
    wrong = autodiff(
        "check", "-e", script, "--formula", matrix.replace("{pmatrix} ", r"{pmatrix} 3 \cdot ")
    ).out
    assert wrong.startswith("wrong: d2f/d")

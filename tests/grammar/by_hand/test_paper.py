"""Formulas as on paper and in LaTeX: what can mean one thing only is read, the rest is refused."""

from __future__ import annotations

import pytest
from autodiff.cli.render.latex import equation_text
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.by_hand.read_derivation import read_derivation
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
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
RIGHT = [
    ("dL/da = 2(a - y)", "2*(a - y)"),
    ("dL/da = 2 (a - y)", "2*(a - y)"),
    ("dL/da = 2a - 2y", "2*a - 2*y"),
    ("dL/da = (a - y)(1 + 1)", "(a - y)*(1 + 1)"),
    ("da/dz = a(1 - a)", "a*(1 - a)"),
    ("da/dz = a (1 - a)", "a*(1 - a)"),
    ("dL/dw = 2(a-y)a(1-a)x", "2*(a-y)*a*(1-a)*x"),
    ("dL/dw = 2x a(1-a)(a-y)", "2*x*a*(1-a)*(a-y)"),
    ("dL/dw = dL/da da/dz dz/dw", "dL/da*da/dz*dz/dw"),
    ("dL/dw = x dL/dz", "x*dL/dz"),
    ("dL/dw = dL/db x", "dL/db*x"),
    ("d2L/dw2 = d2L/dw db x", "d2L/dw db*x"),
    ("d2L/dw2 = d2L/dz2 x²", "d2L/dz2*x**2"),
    ("d2L/dw2 = x² d²L/dz²", None),
    ("da/dz = a - a²", "a - a**2"),
    ("da/dz = e^{-z}/(1 + e^{-z})^{2}", "e^(-z)/(1 + e^(-z))^(2)"),
    ("da/dz = e^(-z) (1 + e^(-z))^(-2)", "e^(-z)*(1 + e^(-z))^(-2)"),
    ("da/dz = (1 + e^{-z})⁻¹ - (1 + e^{-z})⁻²", None),
    ("da/dz = σ(z)(1 − σ(z))", "σ(z)*(1 - σ(z))"),
    ("da/dz = sigma(z)*(1 - sigma(z))", "sigma(z)*(1 - sigma(z))"),
    ("da/dz = \\sigma(z)(1 - \\sigma(z))", "sigma(z)*(1 - sigma(z))"),
    ("da/dz = σ'(z)", "(sigmoid(z)*(1 - sigmoid(z)))"),
    ("dL/dz = dL/da σ'(w x + b)", "dL/da*(sigmoid(w*x + b)*(1 - sigmoid(w*x + b)))"),
    ("da/dz = exp(-z)a²", "exp(-z)*a**2"),
    ("dL/dz = 2 · (a − y) × a · (1 − a)", None),
    ("\\frac{\\partial L}{\\partial a} = 2(a - y)", "2*(a - y)"),
    ("\\frac{dL}{da} = 2(a - y)", "2*(a - y)"),
    ("\\frac{\\partial L}{\\partial w} = \\frac{\\partial L}{\\partial a}\\frac{da}{dz} x", None),
    ("\\frac{\\partial^2 L}{\\partial w^2} = x^{2} \\frac{\\partial^2 L}{\\partial z^2}", None),
    ("\\frac{\\partial^{2}L}{\\partial w^{2}} = x^{2}\\frac{\\partial^{2}L}{\\partial z^{2}}", None),
    ("\\frac{\\partial a}{\\partial z} = \\frac{e^{-z}}{\\left(1 + e^{-z}\\right)^2}", None),
    ("$\\frac{dL}{dw}$ = 2\\cdot(a - y)\\,\\sigma'(z)\\,x", None),
    ("dL/da = \\frac{2}{\\sqrt{1}}(a - y)", None),
    ("1) dL/da = 2*(a - y)", "2*(a - y)"),
    ("1. dL/da = 2*(a - y)", "2*(a - y)"),
    ("a) dL/da = 2*(a - y)", "2*(a - y)"),
    ("(b) dL/da = 2*(a - y)", "2*(a - y)"),
    ("iv) dL/da == 2*(a - y)", "2*(a - y)"),
    ("Answer 3: dL/da = 2*(a - y)", "2*(a - y)"),
    ("3) ∂L/∂w = ∂L/∂a · ∂a/∂z · ∂z/∂w", None),
]


@pytest.mark.parametrize(("text", "read"), RIGHT)
def test_what_can_mean_one_thing_is_read(text: str, read: str | None) -> None:
    for found in (check(NEURON, text), *check_steps(NEURON, text)):
        assert found.verdict == "right"
        assert read in (None, found.formula)


@pytest.mark.parametrize("text", [text for text, _ in RIGHT if "dL/da = " in text])
def test_a_mistake_in_it_is_found(text: str) -> None:
    for wrong in (text.replace("a - y", "a + y"), text.replace("2", "3")):
        if wrong != text:
            assert check(NEURON, wrong).verdict == "wrong", wrong


@pytest.mark.parametrize("dash", ["- ", "• ", "-  ", "- 1) "])
def test_a_dash_of_a_list_in_a_file(dash: str) -> None:
    found = check_steps(NEURON, f"{dash}dL/da = 2*(a - y)\n{dash}dL/dw = dL/da*a*(1 - a)*x\n  = -0.1586\n")
    assert [one.verdict for one in found] == ["right", "right"]
    for text in ("-dL/da = 2*(y - a)", "- 2*dL/da = 2*(y - a)"):
        with pytest.raises(UsageError, match="is no derivative"):
            check_steps(NEURON, text)
    with pytest.raises(UsageError):
        check(NEURON, f"{dash}dL/da = 2*(a - y)")


def test_helper_lines_are_read_the_same_way() -> None:
    text = "s = e^{-z}\ng = 2(a - y)\ndL/dz = g s a²\ndL/dw = g σ(z)(1 - σ(z)) x"
    assert [one.verdict for one in check_steps(NEURON, text)] == ["right"] * 3
    wrong = check_steps(NEURON, text.replace("2(a", "3(a"))
    assert [one.verdict for one in wrong] == ["wrong", "right", "right"]  # the later ones use the right g


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dL/da = 2/3a", "a name stands directly after a number"),
        ("dL/da = 1/2(a - y)", "object is not callable"),
        ("dL/da = y/a x", "two values stand side by side"),
        ("da/dz = e^-2x", "a name stands directly after a number"),
        ("da/dz = e^2x", "a name stands directly after a number"),
        ("da/dz = x^y z", "two values stand side by side"),
        ("da/dz = sin z (1 - z)", "two values stand side by side"),
        ("da/dz = 2 3", "two values stand side by side"),
        ("da/dz = unknown(1 - a)", "name 'unknown' is not defined"),
    ],
)
def test_what_may_mean_two_things_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        check(NEURON, text)
    with pytest.raises(UsageError, match=told):
        check_steps(NEURON, text)


def test_names_of_the_script_keep_their_meaning() -> None:
    script = "sigma = 2.0\nx = 0.7\nL = x**2/sigma"
    assert check(script, "dL/dx = 2x/sigma").verdict == "right"
    assert check(script, "dL/dx = 2x \\sigma^{-1}").verdict == "right"
    function = "def sigma(t):\n    return t**3\nx = 0.7\nL = sigma(x)"
    assert check(function, "dL/dx = 3 sigma(x)/x").verdict == "right"
    with pytest.raises(UsageError, match="'sigma' is not defined"):
        check("x = 0.7\nL = x**2", "dL/dx = 2*x*sigma")
    found = check_steps("x = 0.7\nL = x**2", "def sigma(t):\n    return 2*t\ndL/dx = sigma(x)")
    assert found[0].verdict == "right"


def test_functions_of_the_script_are_called() -> None:
    script = "def f(t):\n    return 3*t\nx = 0.7\nL = f(x)*x"
    assert check(script, "dL/dx = f(1)x + f(x)").verdict == "right"
    assert check(script, "dL/dx = 2f(x)").verdict == "right"


def test_python_is_left_as_it_is() -> None:
    script = "import numpy as np\nx = np.array([0.5, -1.0])\nL = (np.tanh(x)**2).sum()"
    steps = (
        "act = (lambda t: np.tanh(t))(x)\nname = f'{x}^{2}'\nt = np.tanh\n"
        "dx = 2*t(x)*(1 - t(x)**2) if True else 0\n"
    )
    assert [one.verdict for one in check_steps(script, steps)] == ["right"]


@pytest.mark.parametrize(
    ("right", "ways"),
    [
        ("-0,1586", ["0.1586", "[0, 1586]"]),
        ("0,5*x", ["0.5", "[0, 5]"]),
        ("x*0,5e-3", ["0.5e-3", "[0, 5e-3]"]),
        ("sin(x, 2) + 0,5", ["0.5", "[0, 5]"]),
    ],
)
def test_a_decimal_comma_is_refused(right: str, ways: list[str]) -> None:
    for run in (check, check_steps):
        with pytest.raises(UsageError, match=r"the comma of `0,.*` separates two values") as raised:
            run(NEURON, f"dL/dw = {right}")
        assert [line.rpartition(": ")[2] for line in raised.value.help] == ways
        error = raised.value
        assert error.source is not None
        assert error.span is not None
        assert error.source.excerpt(error.span).startswith("0,")
    with pytest.raises(UsageError, match="the comma of"):
        check_steps("x = 2.0\nL = x**2/4", "dx = 0,5")


def test_commas_in_brackets_are_none() -> None:
    script = "x = tensor([[1.0, 2.0], [3.0, 4.0]])\nL = (x**2).sum()"
    assert check(script, "dL/dx[0,1] = 2*x[0,1]").verdict == "right"
    script = "x = tensor([1.0, 2.0])\nL = (x*tensor([0.0, 5.0])).sum()"
    assert check(script, "dL/dx = [0,5]").verdict == "right"


def test_two_primes_ask_for_a_second_derivative() -> None:
    for primes, ways in (("'", "dL/dw or dL/db"), ("''", "d2L/dw2 or d2L/db2"), ("″", "d2L/dw2 or d2L/db2")):
        with pytest.raises(UsageError, match="does not say by which input") as raised:
            check(NEURON, f"L{primes} = 3")
        assert raised.value.help == (f"write {ways}",)


ROWS = r"""
\begin{align*}
\frac{\partial L}{\partial a} &= 2(a - y) \\
\frac{\partial L}{\partial z} &= \frac{\partial L}{\partial a} a
   & \cdot (1 - a) \\[2pt]
\frac{\partial L}{\partial w} &= \frac{\partial L}{\partial z} \cdot x && \text{chain rule} \\
  &= \frac{\partial L}{\partial a} a(1 - a) x \\
\frac{\partial L}{\partial b} &= \frac{\partial L}{\partial z}
\end{align*}
"""


def test_rows_of_latex_are_lines() -> None:
    found = check_steps(NEURON, ROWS)
    assert [one.verdict for one in found] == ["right"] * 4
    steps = read_derivation(ROWS, "steps.txt", Source(NEURON)).formulas()
    assert [one.step and one.step[1] for one in steps] == [3, 4, 6, 8]
    wrong = check_steps(NEURON, ROWS.replace("a(1 - a) x", "a(1 + a) x"))
    assert [one.verdict for one in wrong] == ["right", "right", "wrong", "right"]


@pytest.mark.parametrize("end", [" \\\\", "\\\\[4pt]", ""])
@pytest.mark.parametrize("equals", ["=", "&=", "& ="])
def test_two_backslashes_end_a_row(equals: str, end: str) -> None:
    text = f"da {equals} 2(a - y){end}\ndz {equals} 3*a{end}\ndw {equals} dz x{end}\n"
    if "&" not in equals or end:
        assert [one.verdict for one in check_steps(NEURON, text)] == ["right", "wrong", "right"]


def test_rows_of_one_line() -> None:
    text = r"\begin{align} dL/da &= 2(a - y) \\ & dL/dz = 3*a \\ dL/dw &= dL/dz x \end{align}"
    assert [one.verdict for one in check_steps(NEURON, text)] == ["right", "wrong", "right"]


def test_code_is_no_latex() -> None:
    before = "mask = (x > -99) & (x < 99)\nmask &= w > -99\nname = 'a\\\\b & c'\n"
    steps = f"{before}dL/dw = 2*(a - y)*a*(1 - a) \\\n  *x*mask"
    assert [one.verdict for one in check_steps(NEURON, steps)] == ["right"]


LAYER = """\
x = torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]])
t = torch.tensor([[1.0, 0.5], [0.2, -0.3], [0.1, 0.9]])
W1 = torch.tensor([[0.3, -0.2], [0.7, 0.4]], requires_grad=True)
z1 = x @ W1
h = torch.relu(z1)
loss = ((h - t)**2).sum()
"""


@pytest.mark.parametrize(
    "text",
    [
        "dL/dz1 = dL/dh ⊙ [z1 > 0]",
        "dL/dz1 = 2(h - t) \\odot [z1 > 0]",
        "dL/dW1 = x^T @ dL/dz1",
        "dL/dW1 = x^T dL/dz1",
        "dL/dW1 = xᵀ dL/dz1",
        "dL/dW1 = 2x^T ((h - t) ⊙ [z1 > 0])",
        "dL/dW_{1} = x^\\top \\frac{\\partial L}{\\partial z_1}",
        "\\frac{\\partial L}{\\partial W_{1}} = x^{\\top}"
        " \\left(2(h - t) \\odot \\left[z_{1} > 0\\right]\\right)",
        "dL/dx = dL/dz1 W1^T",
        "dL/dx = (2(h - t) ⊙ [z1 > 0]) {W_{1}}^{\\top}",
        "\\frac{\\mathrm{d} \\mathrm{loss}}{\\mathrm{d} x} = \\frac{\\partial loss}{\\partial z_1} (W_1)^{T}",
    ],
)
def test_transposed_matrices_and_products_of_entries(text: str) -> None:
    text = text.replace("dL/", "dloss/").replace("partial L", "partial loss")
    for found in (check(LAYER, text), *check_steps(LAYER, text)):
        assert found.verdict == "right"
    assert check(LAYER, text.replace("= ", "= 3*", 1)).verdict == "wrong"


def test_steps_with_transposed_matrices() -> None:
    steps = "dh = 2(h - t)\ndz1 = dh ⊙ [z1 > 0]\ndW1 = x^T @ dz1\ndx = dz1 W1^T"
    assert [one.verdict for one in check_steps(LAYER, steps)] == ["right"] * 4


def test_a_variable_named_t_is_an_exponent() -> None:
    script = "x = 1.5\nT = 3.0\nL = x**T"
    assert check(script, "dL/dT = x^T*log(x)").verdict == "right"
    assert check(script, "dL/dx = T x^{T}/x").verdict == "right"


def test_a_number_that_is_about_equal() -> None:
    for found in (check(NEURON, "dL/dw ≈ -0.1586"), *check_steps(NEURON, "dL/dw \\approx -0.1586")):
        assert found.verdict == "right here"


def test_the_logarithm_is_called() -> None:
    for text in ("dL/dx = ln x + 1", "dL/dx = (\\ln x + 1)"):
        assert check("x = 2.0\nL = x*log(x)", text).verdict == "right"
    for text in ("dL/dx = ln x (1) + 1", "dL/dx = \\ln x/1 + 1"):
        with pytest.raises(UsageError, match="two values stand side by side") as raised:
            check("x = 2.0\nL = x*log(x)", text)
        assert raised.value.help == ("call it: `ln(x)`",)


@pytest.mark.parametrize(
    "script",
    [
        "x = 2.0\nloss = x**3*exp(-x)",
        "x1 = 1.0\nw1 = 2.0\nL = (w1*x1 - 1)**2/w1",
        "x = 2.0\ny = 3.0\nf = x**2*y + sin(x*y) + log(x)",
        "w_out = 2.0\nt_1 = 3.0\ns = sqrt(abs(w_out*t_1))\nL = relu(s)*sigmoid(w_out)",
        "alpha = 0.5\ntheta1 = 1.5\nL = alpha**2*atan(theta1) + 1.5e-7*log2(alpha)",
        "a = tensor([1.0, 2.0], requires_grad=True)\ndot = torch.dot(a, a)\nf = 1/(1 + exp(-dot))",
        "W1 = tensor([[1.0, 2.0], [3.0, 4.0]])\nh = tensor([1.0, 2.0])\nz = W1 @ h\nloss = (tanh(z)*h).sum()",
    ],
)
def test_equations_that_explain_prints_are_read(script: str) -> None:
    asked, source = Settings(), Source(script, "script.ad")
    subject = differentiate(execute(source, asked, lambda text: None), asked)
    equations = equation_text(describe(subject, source, graph=False)).splitlines()
    assert equations
    for text in equations:
        assert check(script, text).verdict == "right", text
        assert check(script, text.replace("= ", "= 3 \\cdot ", 1)).verdict == "wrong", text


TWO_LETTERS = "x = 0.7\ny = 1.3\nf = x**2*y + sin(x*y)\nr = f*y"


@pytest.mark.parametrize(
    "text",
    [
        "df/dx = 2xy + y cos(xy)",
        "df/dx = 2 xy + cos(xy)y",
        "df/dx = -(-xy - xy) + y cos(x y)",
        "df/dy = xx + x(e^{-xy}/e^{-xy})cos(xy)",
        "dr/dx = (2xy + y cos(xy))y",
        "dr/dx = 2xy^2 + yy cos(xy)",
    ],
)
def test_letters_side_by_side_are_a_product(text: str) -> None:
    assert check(TWO_LETTERS, text).verdict == "right"
    assert check(TWO_LETTERS, text.replace("= ", "= 3 + ", 1)).verdict == "wrong"


@pytest.mark.parametrize("text", ["1/xy", "e^xy", "e^-xy", "x^xy", "xy(1 - x)"])
def test_letters_that_may_mean_two_things_are_refused(text: str) -> None:
    for run in (check, check_steps):
        with pytest.raises(UsageError, match="name 'xy' is not defined") as raised:
            run(TWO_LETTERS, f"df/dx = {text}")
        assert raised.value.help == ("for a product, write x*y",)


def test_a_name_of_two_letters_is_no_product() -> None:
    script = "x = 0.7\ny = 1.3\nxy = 2.0\nf = x*xy"
    assert check(script, "df/dx = xy").verdict == "right"
    assert check_steps(TWO_LETTERS, "xy = 2*x*y\ndf/dx = xy + y*cos(x*y)")[0].verdict == "right"
    script = "d = 0.7\nx = 1.3\nu = 2*x\nf = d*u**2"
    assert check(script, "df/dx = 2du").verdict == "right"  # du is df/du

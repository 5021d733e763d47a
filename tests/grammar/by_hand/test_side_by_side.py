"""Products without a sign: the values of the factors say whether they are products of matrices."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

REGRESSION = """\
X = tensor([[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]])
y = tensor([1.0, 0.5, 0.2])
w = tensor([0.3, -0.2], requires_grad=True)
b = 0.1
L = ((X @ w + b - y)**2).sum()/3
"""
LAYER = """\
x = tensor([[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]])
t = tensor([[1.0, 0.5], [0.2, -0.3], [0.1, 0.9]])
W = tensor([[0.3, -0.2], [0.7, 0.4]], requires_grad=True)
z = x @ W
h = tanh(z)
L = ((h - t)**2).sum()
"""
VECTORS = """\
x = tensor([0.5, 2.0, -0.4])
y = tensor([1.0, 0.3])
W = tensor([[0.3, -0.2, 0.1], [0.7, 0.4, 0.9]], requires_grad=True)
z = W @ x
p = sigmoid(z)
L = -(y*log(p) + (1 - y)*log(1 - p)).sum()
"""
QUADRATIC = """\
A = tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
x = tensor([1.0, 0.5], requires_grad=True)
c = 0.5
L = c*(x @ A @ x)
"""
QUOTIENT = """\
B = tensor([[2.0, 0.5], [0.3, 1.0]])
A = B.T @ B
x = tensor([0.8, -0.3], requires_grad=True)
R = (x @ A @ x)/(x @ x)
"""
RIGHT = [
    (REGRESSION, "dL/dw = (2/3) X^T (X w + b - y)", "(2/3)*X.T @ (X @ w + b - y)"),
    (REGRESSION, "dL/dw = (2X^{\\top}(X w + b - y))/3", "(2*X.T @ (X @ w + b - y))/3"),
    (REGRESSION, "dL/dw = \\frac{2}{3} X^\\top (X w + b - y)", "((2)/(3))*X.T @ (X @ w + b - y)"),
    (REGRESSION, "dL/dw = (2/3)(X^T X w + b X^T ones(3) - X^T y)", None),
    (REGRESSION, "dL/dw = (2/3)((X w + b - y)^T X)^T", None),
    (LAYER, "dL/dW = x^T (2(h - t) ⊙ (1 - h²))", "x.T @ (2*(h - t) * (1 - h**2))"),
    (LAYER, "dL/dz = 2(h - t) ⊙ (1 - tanh(x W)^2)", "2*(h - t) * (1 - tanh(x @ W)^2)"),
    (LAYER, "dL/dz = 2(tanh(xW) - t) ⊙ (1 - h²)", "2*(tanh(x @ W) - t) * (1 - h**2)"),
    (LAYER, "dL/dx = dL/dz W^T", "dL/dz @ W.T"),
    (LAYER, "dL/dx = (dL/dh ⊙ (1 - h²)) W^T", "(dL/dh * (1 - h**2)) @ W.T"),
    (LAYER, "dL/dh = 2(1 - 0*z) ⊙ x W - 2(x W - h) - 2t", "2*(1 - 0*z) * (x @ W) - 2*(x @ W - h) - 2*t"),
    (LAYER, "dL/dh = 2h - 2t", "2*h - 2*t"),
    (VECTORS, "dL/dx = W^T (p - y)", "W.T @ (p - y)"),
    (VECTORS, "dL/dW = (p - y) x^T", "outer((p - y), x)"),
    (VECTORS, "dL/dW = -(y - p)xᵀ", "outer(-(y - p), x)"),
    (VECTORS, "dL/dW = 2 (p - y) x^T/2", None),
    (VECTORS, "dL/dW = (σ(W x) - y) x^T", "outer((σ(W @ x) - y), x)"),
    (VECTORS, "dL/dW = dL/dz x^T", "outer(dL/dz, x)"),
    (VECTORS, "dL/dx = (dL/dz^T W)^T", None),
    (VECTORS, "dL/dx = dL/dp dp/dz W", "dL/dp @ dp/dz @ W"),
    (VECTORS, "dL/dz = dL/dp p (1 - p)", "dL/dp*p*(1 - p)"),
    (QUADRATIC, "dL/dx = c (A + A^T) x", "c*(A + A.T) @ x"),
    (QUADRATIC, "dL/dx = c A x + c A^T x", "c*A @ x + c*A.T @ x"),
    (QUADRATIC, "dL/dA = c x x^T", "outer(c*x, x)"),
    (QUADRATIC, "dL/dc = x^T A x", "x.T @ A @ x"),
    (QUOTIENT, "dR/dx = 2(A x - R x)/(x^T x)", "2*(A @ x - R*x)/(x.T @ x)"),
    (QUOTIENT, "dR/dx = \\frac{2 A x}{x^T x} - \\frac{2 (x^T A x) x}{(x^T x)^2}", None),
]


@pytest.mark.parametrize(("script", "text", "read"), RIGHT)
def test_they_are_read(script: str, text: str, read: str | None) -> None:
    found = [check(script, text)]
    found += [] if "xW" in text else check_steps(script, text)  # letters are no product in a file
    for one in found:
        assert (one.verdict, one.remarks) == ("right", [])
        assert read in (None, one.formula)
    left, _, right = text.partition(" = ")
    assert check(script, f"{left} = 3({right})").verdict == "wrong"


@pytest.mark.parametrize(
    ("script", "text", "told"),
    [
        (REGRESSION, "dL/dw = (2/3) X (X w + b - y)", "X must be transposed: X.T"),
        (REGRESSION, "dL/dw = X^T (X w + b - y)/3", "a factor 2 is missing"),
        (LAYER, "dL/dW = dL/dz x^T", "stand in the wrong order"),
        (LAYER, "dL/dx = dL/dz W", "W must be transposed: W.T"),
        (VECTORS, "dL/dW = x (p - y)^T", "must be transposed"),
        (VECTORS, "dL/dW = x^T (p - y)", ""),
        (QUADRATIC, "dL/dx = 2 c A x", "for symmetric A"),
        (QUOTIENT, "dR/dx = 2 (A x - x)/(x^T x)", ""),
    ],
)
def test_mistakes_in_them_are_found(script: str, text: str, told: str) -> None:
    found = check(script, text)
    assert found.verdict == "wrong"
    assert told in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("script", "text", "shapes"),
    [
        (LAYER, "dL/dz = 2(h - t)(1 - h²)", "(3x2 and 3x2)"),
        (LAYER, "dL/dz = z dL/dh", "(3x2 and 3x2)"),
        (REGRESSION, "dL/dw = X y", "mat (3x2), vec (3)"),
    ],
)
def test_matrices_that_do_not_fit_are_named_with_their_shapes(script: str, text: str, shapes: str) -> None:
    found = check(script, text)
    assert found.verdict == "wrong"
    assert found.remarks[0].startswith("it cannot be computed: ")
    assert shapes in found.remarks[0]


def test_the_product_of_entries_is_proposed_where_it_is_right() -> None:
    for script in (LAYER, LAYER.replace(", [0.3, 0.7]", "").replace(", [0.1, 0.9]", "")):  # of 3x2 and 2x2
        found = check(script, "dL/dz = 2(h - t)(1 - h²)")
        assert found.verdict == "wrong"
        assert "2*(h - t) and 1 - h**2 must be multiplied entry by entry" in " ".join(found.remarks)


def test_a_written_sign_is_kept() -> None:
    assert check(LAYER, "dL/dz = 2*(h - t)*(1 - h**2)").formula == "2*(h - t)*(1 - h**2)"
    assert check(LAYER, "dL/dz = 2*(h - t) ⊙ (1 - h**2)").verdict == "right"
    assert check(LAYER, "dL/dx = dL/dz * W^T").verdict == "wrong"
    assert check(REGRESSION, "dL/dw = 2/3*X.T @ (X*w + b - y)").verdict == "wrong"


def test_a_value_of_one_entry_is_a_factor_where_it_fits_no_product() -> None:
    script = "x = tensor([[1.0, 2.0], [0.5, -1.0]])\nb = tensor([2.0])\nL = (b*x**2).sum()"
    assert check(script, "dL/dx = 2 b x").formula == "2*b*x"
    assert check(script, "dL/dx = 2 b x").verdict == "right"


def test_steps_with_them() -> None:
    steps = (
        "r = 2(h - t)\ndL/dz = r ⊙ (1 - h²)\ndL/dW = x^T dL/dz\ndx = dL/dz W^T\n"
        "g = 2(h)\ndx = ((g - 2t) ⊙ (1 - h²)) W^T = dz W.T"
    )
    found = check_steps(LAYER, steps)
    assert [one.verdict for one in found] == ["right"] * len(found)
    assert found[-2].formula == "dL/dz @ W.T"
    assert found[-1].formula == "((g - 2*t) * (1 - h**2)) @ W.T == dz @ W.T"
    wrong = check_steps(LAYER, steps.replace("dx = dL/dz W^T", "dx = dL/dz W"))
    assert [one.verdict for one in wrong].count("wrong") == 1


def test_errors_before_the_values_are_known_show_a_sign() -> None:
    script = "x = 2.0\ny = 3.0\nL = x*y"
    with pytest.raises(UsageError, match="unknown") as raised:
        check(script, "dL/dx = y unknown")
    assert "\N{INVISIBLE TIMES}" not in raised.value.message


NETWORK = """\
x = torch.tensor([0.5, -1.2, 2.0])
y = torch.tensor([0.0, 1.0])
W1 = torch.tensor([[0.1, 0.3, -0.2], [0.4, -0.5, 0.2], [0.7, 0.1, 0.3], [-0.3, 0.2, 0.1]], requires_grad=True)
b1 = torch.tensor([0.1, 0.2, -0.1, 0.0], requires_grad=True)
W2 = torch.tensor([[0.2, -0.1, 0.4, 0.3], [0.5, 0.3, -0.2, 0.1]], requires_grad=True)
z1 = W1 @ x + b1
h = torch.relu(z1)
z2 = W2 @ h
p = torch.softmax(z2, 0)
L = -(y*torch.log(p)).sum()
"""
ON_PAPER = """\
δ2 = p − y
∂L/∂W_2 = δ2 hᵀ
∂L/∂h = W_2^T δ2
δ1 = (W_2^T δ2) ⊙ 1[z1 > 0]
∂L/∂z_1 = δ1
∂L/∂W_1 = δ1 x^T
∂L/∂b_1 = δ1
∂L/∂x = W_1^T δ1
"""


def test_a_backward_pass_on_paper() -> None:
    assert [one.verdict for one in check_steps(NETWORK, ON_PAPER)] == ["right"] * 8
    wrong = ON_PAPER.replace("δ1 x^T", "x δ1^T").replace("δ2 hᵀ", "h δ2ᵀ").replace("= W_1^T δ1", "= W_1^T δ2")
    found = [one.left for one in check_steps(NETWORK, wrong) if one.verdict != "right"]
    assert found == ["dL/dW2", "dL/dW1", "dL/dx"]
    wrong = check_steps(NETWORK, ON_PAPER.replace("1[z1 > 0]", "1[z1 < 0]"))
    assert {one.left for one in wrong if one.verdict == "wrong"} >= {"dL/dz1"}

"""Formulas as textbooks and answers on the web have them, in LaTeX and in Unicode, right and wrong ones."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check

LINEAR = """\
X = [[1., 2.], [0.5, -1.], [0.3, 0.7]]
y = [1., 0.5, 0.2]
w = [0.3, -0.2]
n = 3
L = ((X @ w - y)**2).sum()/n
"""
COST = """\
X = [[1., 2.], [0.5, -1.], [0.3, 0.7]]
y = [1., 0.5, 0.2]
theta = [0.3, -0.2]
m = 3
J = ((X @ theta - y)**2).sum()/(2*m)
"""
RIDGE = """\
X = [[1., 2.], [0.5, -1.], [0.3, 0.7]]
y = [1., 0.5, 0.2]
w = [0.3, -0.2]
lam = 0.1
L = ((y - X @ w)**2).sum() + lam*(w**2).sum()
"""
LOGISTIC = """\
X = [[1., 2.], [0.5, -1.], [0.3, 0.7]]
y = [1., 0., 1.]
w = [0.3, -0.2]
z = X @ w
p = sigmoid(z)
n = 3
L = -(y*log(p) + (1 - y)*log(1 - p)).sum()/n
"""
SOFTMAX = """\
x = [0.5, 2.0, -0.4]
y = [0., 1.]
W = [[0.3, -0.2, 0.1], [0.7, 0.4, 0.9]]
b = [0.1, -0.3]
z = W @ x + b
p = softmax(z, 0)
L = -(y*log(p)).sum()
"""
RAYLEIGH = """\
B = [[2.0, 0.5], [0.3, 1.0]]
A = B.T @ B
x = [0.8, -0.3]
R = (x @ A @ x)/(x @ x)
"""
TRACE = """\
A = torch.tensor([[1., 2.], [0.5, -1.]])
X = torch.tensor([[0.3, -0.2], [0.7, 0.4]], requires_grad=True)
f = trace(A @ X)
"""
TRACE_OF_SQUARE = """\
A = torch.tensor([[1., 2.], [0.5, -1.]])
X = torch.tensor([[0.3, -0.2], [0.7, 0.4]], requires_grad=True)
f = trace(X.T @ A @ X)
"""
DETERMINANT = """\
X = torch.tensor([[1.3, -0.2], [0.7, 1.4]], requires_grad=True)
f = det(X)
g = log(det(X))
"""
INVERSE = """\
A = torch.tensor([[1.3, -0.2], [0.7, 1.4]], requires_grad=True)
b = torch.tensor([1., 2.])
f = b @ inverse(A) @ b
"""
GAUSSIAN = """\
x = [1.2, 0.7, 2.3, 1.9]
mu = 1.0
sigma = 0.8
n = 4
l = -n/2*log(2*pi*sigma**2) - ((x - mu)**2).sum()/(2*sigma**2)
"""
GAUSSIAN_OF_SEVERAL = """\
B = torch.tensor([[1.3, 0.2], [0.1, 0.9]])
S = B @ B.T
P = inverse(S)
x = torch.tensor([0.5, 1.5])
mu = torch.tensor([0.1, 0.9], requires_grad=True)
l = -0.5*(x - mu) @ P @ (x - mu)
"""
KL_OF_GAUSSIANS = """\
mu = [0.5, -0.3]
s2 = [1.2, 0.6]
KL = 0.5*(mu**2 + s2 - log(s2) - 1).sum()
"""
KL_OF_SOFTMAX = """\
z = [0.5, -0.3, 0.2]
q = [0.2, 0.5, 0.3]
p = softmax(z, 0)
D = (q*log(q/p)).sum()
"""
ATTENTION = """\
Q = [[1., 2.], [0.5, -1.], [0.3, 0.7]]
K = [[0.2, 0.4], [1.5, -1.], [0.3, 0.9]]
V = [[1., 0.3], [0.5, -1.2], [0.8, 0.7]]
d = 2
S = Q @ K.T/sqrt(d)
A = softmax(S, 1)
O = A @ V
L = (O**2).sum()
"""
RNN = """\
W = [[0.3, -0.2], [0.7, 0.4]]
U = [[0.1, 0.5], [0.2, -0.3]]
x = [0.5, 2.0]
h0 = [0.1, -0.4]
a = W @ h0 + U @ x
h = tanh(a)
L = ((h - 1)**2).sum()
"""
RIGHT = [
    (LINEAR, r"\nabla_w L = \frac{2}{n} X^\top (Xw - y)"),
    (COST, r"\nabla_\theta J(\theta) = \frac{1}{m} X^T (X\theta - y)"),
    (
        COST,
        r"\frac{\partial J}{\partial \theta} = \frac{1}{m}\left(X^{\mathsf{T}} X"
        r" \theta - X^{\mathsf{T}} y\right)",
    ),
    (LINEAR, "dL/dw = -(2/n) Xᵀ(y − Xw)"),
    (RIDGE, r"\frac{\partial L}{\partial w} = -2X^T(y - Xw) + 2\lambda w"),
    (RIDGE, "∇_w L = 2(XᵀX + lam I)w − 2Xᵀy"),
    (LOGISTIC, r"\nabla_w L = \frac{1}{n} X^\top (\sigma(Xw) - y)"),
    (LOGISTIC, r"\frac{\partial L}{\partial \mathbf{w}} = \frac1n X^\top(\mathbf{p} - \mathbf{y})"),
    (LOGISTIC, "∂L/∂z = (p − y)/n"),
    (SOFTMAX, r"\frac{\partial L}{\partial W} = (p - y) x^\top"),
    (SOFTMAX, r"\frac{\partial L}{\partial z} = p - y"),
    (SOFTMAX, "∂p/∂z = diag(p) − p pᵀ"),
    (RAYLEIGH, r"\nabla_x R = \frac{2}{x^\top x}\left(Ax - R(x)\,x\right)"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{\|x\|^2}"),
    (TRACE, r"\frac{\partial f}{\partial X} = A^\top"),
    (TRACE_OF_SQUARE, r"\frac{\partial}{\partial X} f = (A + A^T) X"),
    (DETERMINANT, r"\frac{\partial f}{\partial X} = \det(X) (X^{-1})^T"),
    (DETERMINANT, r"\frac{\partial g}{\partial X} = (X^{-1})^\top = X^{-T}"),
    (INVERSE, r"\frac{\partial f}{\partial A} = -A^{-\top} b b^\top A^{-\top}"),
    (GAUSSIAN, r"\frac{\partial \ell}{\partial \mu} = \frac{1}{\sigma^2} \sum_{i=1}^n (x_i - \mu)"),
    (
        GAUSSIAN,
        r"\frac{\partial l}{\partial \sigma} = -\frac{n}{\sigma} +"
        r" \frac{\operatorname{sum}((x - \mu)^2)}{\sigma^3}",
    ),
    (GAUSSIAN_OF_SEVERAL, r"\frac{\partial l}{\partial \mu} = S^{-1} (x - \mu)"),
    (KL_OF_GAUSSIANS, r"\frac{\partial KL}{\partial \mu} = \mu"),
    (KL_OF_GAUSSIANS, "dKL/ds2 = ½(1 − 1/s2)"),
    (KL_OF_SOFTMAX, r"\frac{\partial D}{\partial z} = p - q"),
    (ATTENTION, r"\frac{\partial L}{\partial V} = A^\top \frac{\partial L}{\partial O}"),
    (ATTENTION, r"\frac{\partial L}{\partial Q} = \frac{1}{\sqrt{d}} \frac{\partial L}{\partial S} K"),
    (
        ATTENTION,
        r"\frac{\partial L}{\partial K} = \frac{1}{\sqrt{d}} \left(\frac{\partial"
        r" L}{\partial S}\right)^\top Q",
    ),
    (
        RNN,
        r"\frac{\partial L}{\partial W} = \left(\frac{\partial L}{\partial h} \odot"
        r" (1 - h^2)\right) h_0^\top",
    ),
    (
        RNN,
        r"\frac{\partial L}{\partial h_0} = W^\top \operatorname{diag}(1 - h^2)"
        r" \frac{\partial L}{\partial h}",
    ),
    (RNN, r"\frac{\partial h}{\partial h_0} = \operatorname{diag}\left(1 - \tanh^2(a)\right) W"),
    (RNN, "∂L/∂U = (2(h − 1) ⊙ (1 − h²)) xᵀ"),
    (LINEAR, r"\nabla_w L = \frac{2}{n} \sum_{i=1}^{n} (x_i^\top w - y_i) x_i"),
    (LINEAR, r"\nabla_w L = \frac{2}{n} \sum_{i} (w^\top x_i - y_i) x_i"),
    (
        COST,
        r"\frac{\partial J}{\partial \theta} = \frac{1}{m} \sum_{i=1}^{m}"
        r" \left(\theta^T x^{(i)} - y^{(i)}\right) x^{(i)}",
    ),
    (LOGISTIC, r"\nabla_w L = \frac1n \sum_i (p_i - y_i) x_i"),
    (LOGISTIC, r"\nabla_w L = -\frac1n \sum_i (y_i - \sigma(w^\top x_i)) x_i"),
    (GAUSSIAN, r"\frac{\partial l}{\partial \mu} = \frac{1}{\sigma^2} \sum_{i=1}^n (x_i - \mu)"),
    (
        GAUSSIAN,
        r"\frac{\partial l}{\partial \sigma} = -\frac{n}{\sigma} +"
        r" \frac{1}{\sigma^3}\sum_{i=1}^n (x_i - \mu)^2",
    ),
    (
        GAUSSIAN,
        r"\frac{\partial l}{\partial \sigma} = -\frac{n}{\sigma} + \sum_{i=1}^n"
        r" \frac{(x_i - \mu)^2}{\sigma^3}",
    ),
    (
        GAUSSIAN,
        r"\frac{\partial l}{\partial \sigma} = \sum_{i=1}^n \frac{(x_i -"
        r" \mu)^2}{\sigma^3} - \frac{n}{\sigma}",
    ),
    (GAUSSIAN, "∂l/∂μ = ∑_i (x_i − μ)/σ²"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{\|x\|^2}"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{‖x‖_2^2}"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{\lVert x \rVert_2^2}"),
    (RAYLEIGH, "∇R(x) = 2(A x - R x)/||x||²"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{\left\|x\right\|_{2}^{2}}"),
    ("x = -1.5; y = abs(x)*x", "dy/dx = 2|x|"),
    ("x = -1.5; y = abs(x)", "dy/dx = x/|x|"),
    ("x = -1.5; y = abs(x)", r"dy/dx = \frac{x}{|x|}"),
    ("x = -1.5; y = abs(x)", r"dy/dx = \left|x\right|^{-1} x"),
    ("x = -1.5; y = abs(x)*abs(x - 1)", "dy/dx = |x - 1| x/|x| + |x|(x-1)/|x-1|"),
    ("x = 0.5; y = sin(x)**2*tanh(x)", r"dy/dx = 2 \sin x \cos x \tanh(x) + \sin^2(x) (1 - \tanh^2(x))"),
    ("x = 0.5; y = sin(x)**2*tanh(x)", "dy/dx = 2 sin(x) cos(x) tanh(x) + sin²(x)(1 − tanh²(x))"),
    ("x = 0.5; y = sin(x)**2", r"dy/dx = 2\sin x\cos x"),
    ("x = 0.5; y = tan(x)", r"dy/dx = 1 + \tan^2 x"),
    ("x = 0.5; y = tan(x)", r"dy/dx = \frac{1}{\cos^2 x}"),
    ("theta = 0.5; L = theta**2", "dL/dθ = 2θ"),
    ("θ = 0.5; L = θ**2", r"\frac{dL}{d\theta} = 2\theta"),
    (RIDGE, r"\frac{\partial L}{\partial w} = -2X^T(y - Xw) + 2\lambda w"),
    (RIDGE, r"\frac{\partial L}{\partial w} = 2(X^TX + \lambda I)w - 2X^Ty"),
    (RIDGE, r"\frac{\partial L}{\partial w} = 2(X^{\top}X + \lambda \mathbf{I})w - 2X^{\top}y"),
    (RIDGE, "∇_w L = 2(XᵀX + λI)w − 2Xᵀy"),
    (DETERMINANT, r"\frac{\partial g}{\partial X} = X^{-\top}"),
    (DETERMINANT, r"\frac{\partial g}{\partial X} = (X^T)^{-1} = (X^{-1})^T = \left(X^{\top}\right)^{-1}"),
    (DETERMINANT, "dg/dX = (X⁻¹)ᵀ"),
    (INVERSE, r"\frac{\partial f}{\partial b} = (A^{-1} + A^{-T}) b"),
    (INVERSE, r"\frac{\partial f}{\partial A} = -A^{-T} b b^T A^{-T}"),
    (INVERSE, r"\frac{\partial f}{\partial A} = -(A^{-T} b) (A^{-1} b)^T"),
    ("x = 2.0; y = 1/x", "dy/dx = -x^{-2} = -(x^{-1})^2"),
    ("x = [2.0, 3.0]; L = (1/x).sum()", "dL/dx = -x^{-2}"),
    ("A = [[2.0, 3.0], [1.0, 4.0]]; L = (1/A).sum()", "dL/dA = -A**-2"),
    ("A = [[2.0, 3.0], [1.0, 4.0]]; L = log(A).sum()", "dL/dA = A**-1"),
    ("A = [[2.0, 3.0], [1.0, 4.0]]; L = log(A).sum()", "dL/dA = 1/A"),
]
WRONG = [
    (LINEAR, r"\nabla_w L = 2 X^\top (Xw - y)"),
    (LINEAR, r"\nabla_w L = \frac{2}{n} (Xw - y) X^\top"),
    (RIDGE, r"\frac{\partial L}{\partial w} = -2X^T(y - Xw) + \lambda w"),
    (LOGISTIC, r"\nabla_w L = \frac{1}{n} X^\top (y - \sigma(Xw))"),
    (LOGISTIC, r"\nabla_w L = \frac{1}{n} X^\top (\sigma(Xw) - y) \sigma(Xw) (1 - \sigma(Xw))"),
    (SOFTMAX, r"\frac{\partial L}{\partial W} = x (p - y)^\top"),
    (SOFTMAX, "∂p/∂z = diag(p) − pᵀ p"),
    (RAYLEIGH, r"\nabla_x R = \frac{2}{x^\top x}\left(Ax - x\right)"),
    (TRACE, r"\frac{\partial f}{\partial X} = A"),
    (TRACE_OF_SQUARE, r"\frac{\partial f}{\partial X} = 2 A X"),
    (DETERMINANT, r"\frac{\partial f}{\partial X} = \det(X) X^{-1}"),
    (
        GAUSSIAN,
        r"\frac{\partial l}{\partial \sigma} = -\frac{n}{\sigma} +"
        r" \frac{\operatorname{sum}((x - \mu)^2)}{\sigma^2}",
    ),
    (KL_OF_GAUSSIANS, r"\frac{\partial KL}{\partial s2} = \frac{1}{2}\left(1 + \frac{1}{s2}\right)"),
    (ATTENTION, r"\frac{\partial L}{\partial V} = A \frac{\partial L}{\partial O}"),
    (
        RNN,
        r"\frac{\partial L}{\partial W} = h_0 \left(\frac{\partial L}{\partial h}"
        r" \odot (1 - h^2)\right)^\top",
    ),
    (RNN, r"\frac{\partial L}{\partial h_0} = W \operatorname{diag}(1 - h^2) \frac{\partial L}{\partial h}"),
    (LINEAR, r"\nabla_w L = \frac{2}{n} \sum_{i} (y_i - w^\top x_i) x_i"),
    (RAYLEIGH, r"\nabla R(x) = \frac{2 (A x - R x)}{\|x\|}"),
    (RIDGE, "∇_w L = 2(XᵀX - λI)w − 2Xᵀy"),
    (DETERMINANT, "dg/dX = X⁻¹"),
    (INVERSE, r"\frac{\partial f}{\partial A} = -A^{-1} b b^T A^{-1}"),
]


@pytest.mark.parametrize(("script", "text"), RIGHT)
def test_right_ones(script: str, text: str) -> None:
    found = check(script, text)
    assert found.verdict == "right", found.formula


@pytest.mark.parametrize(("script", "text"), WRONG)
def test_wrong_ones(script: str, text: str) -> None:
    found = check(script, text)
    assert found.verdict == "wrong", found.formula
    assert found.remarks


@pytest.mark.parametrize(
    "sum_of",
    [
        r"\sum_{i=2}^n (x_i - \mu)",
        r"\sum_{i=1}^n (v_i - \mu)",
        r"\sum_{i,j} x_{ij}",
        r"\sum_i x_{ij}",
        r"\sum x_i",
    ],
)
def test_sums_that_may_go_over_other_entries_are_refused(sum_of: str) -> None:
    with pytest.raises(UsageError, match="does not say over which entries") as raised:
        check(GAUSSIAN, rf"\frac{{\partial l}}{{\partial \mu}} = \frac{{1}}{{\sigma^2}} {sum_of}")
    assert "X^T (p - y)" in raised.value.help[1]


def test_a_greek_letter_that_the_script_does_not_have() -> None:
    with pytest.raises(UsageError, match="no name for"):
        check(LINEAR, r"\frac{\partial L}{\partial w} = 2\lambda w")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("x = 1.3; theta1 = 2.; f = x*theta1**2", "df/dθ1 = 2x θ1"),
        ("x = 1.3; theta1 = 2.; f = x*theta1**2", "∂f/∂θ₁ = 2x θ₁"),
        ("x = 1.3; theta_1 = 2.; f = x*theta_1**2", "∂f/∂θ₁ = 2x θ₁"),
        ("x1 = 1.3; w_2 = 2.; f = x1*w_2**2", "∂f/∂w₂ = 2 x₁ w₂"),
        ("x1 = 1.3; w_2 = 2.; f = x1*w_2**2", "∂f/∂x₁ = w₂²"),
        ("x = 1.3; theta = 2.; f = x*theta**2", "df/dθ = 2x θ"),
        ("θ = 1.3; β2 = 2.; f = θ*β2**2", "df/dβ2 = 2θ β2"),
    ],
)
def test_greek_letters_and_numbers_below(script: str, text: str) -> None:
    assert check(script, text).verdict == "right"
    assert check(script, text.replace("= ", "= 3*", 1)).verdict == "wrong"

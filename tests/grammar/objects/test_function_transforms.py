"""Derivatives of functions, as autograd and JAX write them, have the values of formulas."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from script_runner import run_script

AUTOGRAD = "import autograd.numpy as np\nfrom autograd import *\n".replace(
    "*", "elementwise_grad, grad, hessian, jacobian, value_and_grad"
)
JAX = "import jax\nimport jax.numpy as jnp\nfrom jax import grad, jit, vmap\n"
X = "x = np.array([0.5, 1.5])\n"
#: What is printed by expressions of ``x``, a function ``f`` of it and a list ``p``, and the numbers.
VALUES = {
    "grad(np.tanh)(1.0)": 1 - np.tanh(1.0) ** 2,
    "grad(grad(np.tanh))(0.5)": -2 * np.tanh(0.5) * (1 - np.tanh(0.5) ** 2),
    "grad(f)(x)": [0.75, 6.75],
    "grad(lambda a, b: a*b**2, 1)(3, 2)": 12.0,
    "grad(lambda a, b: a*b**2, argnum=(0, 1))(3.0, 2.0)": [4.0, 12.0],
    "grad(lambda q: np.sum(q[0]*q[1]) + q[2])([x, 2*x, 1.0])[1]": [0.5, 1.5],
    "grad(lambda q: 3.0)(x)": [0.0, 0.0],
    "grad(lambda q, scale=1.0: np.sum(q)*scale)(x, scale=2.0)": [2.0, 2.0],
    "value_and_grad(f)(x)[0]": 3.5,
    "elementwise_grad(np.exp)(x)": np.exp([0.5, 1.5]),
    "jacobian(lambda v: np.outer(v, v))(x)[:, 0, 0]": [1.0, 1.5],
    "hessian(f)(x)": [[3.0, 0.0], [0.0, 9.0]],
    "jacobian(grad(f))(x)": [[3.0, 0.0], [0.0, 9.0]],
}
FUNCTION = "def f(v):\n    return np.sum(v**3)\n"


def test_derivatives_of_functions_have_their_values() -> None:
    for expression, right in VALUES.items():
        outcome = run_script(f"{AUTOGRAD}{X}{FUNCTION}y = {expression}\nprint(y)\nL = x.sum()\n")
        assert outcome.error is None, expression
        y = outcome.names["y"]
        made = [getattr(part, "data", part) for part in y] if isinstance(y, tuple) else getattr(y, "data", y)
        assert np.asarray(made, float) == pytest.approx(np.asarray(right, float)), expression
        assert "tensor" not in outcome.stdout, expression


def test_rows_and_compiled_functions_of_jax() -> None:
    text = (
        JAX
        + """
@jit
def predict(params, x):
    w, b = params
    return jnp.tanh(jnp.dot(w, x) + b)

@jax.grad
def slope(v):
    return v**3

params = [jnp.array([0.1, -0.2]), 0.3]
xs = jnp.array([[1.0, 2.0], [0.5, -1.0]])
rows = vmap(predict, in_axes=(None, 0))(params, xs)
print(jax.jacfwd(lambda v: v**2)(xs[0]), slope(2.0), jit(jnp.sum)(xs))
both = vmap(lambda v: (v.sum(), v*2))(xs)
L = rows.sum() + both[0].sum()
"""
    )
    outcome = run_script(text)
    assert outcome.error is None
    assert outcome.stdout == "[[2. 0.]\n [0. 4.]] 12.0 2.5\n"
    assert outcome.names["rows"].data == pytest.approx(np.tanh([0.0, 0.55]))
    assert outcome.names["both"][1].data.tolist() == [[2.0, 4.0], [1.0, -2.0]]


@pytest.mark.parametrize("at", ["x", "np.array([0.5, 1.5])", "[x, 1.0]"])
def test_slopes_flow_through_derivatives(at: str) -> None:
    """Those by the inputs of the script; the inputs of the inner derivative are none of them."""
    inner = "v[0]" if at.startswith("[") else "v"
    entry = "[0]" if at.startswith("[") else ""
    slope = f"grad(lambda v: np.sum(a*{inner}**3))({at}){entry}"
    text = f"{AUTOGRAD}a = 2.0\n{X}g = {slope}\nL = np.sum(g**2)*x[0]\n"
    execution = execute(Source(text), Settings(), lambda text: None, lambda message, span: None)
    subject = differentiate(execution, Settings())
    slopes = {name: subject.received[node] for name, node in subject.wrt}
    assert list(slopes) == ["a", "x"]
    x = np.array([0.5, 1.5])
    g = 6 * x**2
    assert slopes["a"] == pytest.approx(np.sum(g**2) * x[0])
    through = 2 * g * 12 * x * x[0] if "x" in at else 0
    assert slopes["x"] == pytest.approx(through + np.array([np.sum(g**2), 0]))


def test_training_by_the_gradient_of_a_loss() -> None:
    text = f"""{AUTOGRAD}
inputs = np.array([[0.52, 1.12], [0.88, -1.08], [0.52, 0.06]])
targets = np.array([True, False, True])
def loss(w):
    p = 0.5*(np.tanh(np.dot(inputs, w)/2) + 1)
    return -np.sum(np.log(p*targets + (1 - p)*(1 - targets)))
w = np.zeros(2)
slope = grad(loss)
for step in range(50):
    w -= 0.1*slope(w)
final = loss(w)
"""
    outcome = run_script(text)
    assert outcome.error is None
    x, t, w = np.array([[0.52, 1.12], [0.88, -1.08], [0.52, 0.06]]), np.array([1, 0, 1]), np.zeros(2)
    for _ in range(50):
        w = w - 0.1 * x.T @ (1 / (1 + np.exp(-x @ w)) - t)
    assert outcome.names["w"].data == pytest.approx(w)


def test_only_functions_of_one_number_have_a_gradient() -> None:
    error = run_script(f"{AUTOGRAD}{X}L = grad(lambda v: v**2)(x)\n").error
    assert error is not None
    assert (
        error.message == "Grad only applies to real scalar-output functions. Try jacobian, elementwise_grad."
    )
    error = run_script("import torch\nfrom autograd import grad\n").error
    assert error is not None
    assert error.code == "E0211"

"""Derivatives of functions, as autograd and JAX write them, have the values of formulas."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.lint import lint
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


# -- arrays that do not change ----------------------------------------------------------------------

SUM_OF_BOTH = "    a = np.array([1.0, 2.0, 3.0]) * x\n    b = a\n    b += 1\n    return np.sum(a*b)\n"


@pytest.mark.parametrize(
    "imports",
    [
        "import autograd.numpy as np\nfrom autograd import grad\n",
        "import jax.numpy as np\nfrom jax import grad\n",
    ],
)
def test_what_a_derivative_follows_is_a_new_array_after_an_operator(imports: str) -> None:
    outcome = run_script(imports + "def f(x):\n" + SUM_OF_BOTH + "print(grad(f)(2.0))\n")
    assert outcome.stdout == "62.0\n"  # the derivative of the sum of a*(a + 1)


def test_arrays_outside_of_such_functions_change_as_their_library_says() -> None:
    text = "v = np.array([1.0, 2.0])\nw = v\nw += 1\nprint(v)\n"
    for library, printed in {
        "numpy": "[2. 3.]\n",
        "autograd.numpy": "[2. 3.]\n",
        "jax.numpy": "[1. 2.]\n",
    }.items():
        assert run_script(f"import {library} as np\n{text}").stdout == printed
    beside = "import jax.numpy as jnp\nimport numpy as np\nk = np.zeros(2)\nk[0] = 3.0\nprint(k)\n"
    assert run_script(beside).stdout == "[3. 0.]\n"


IN_A_FUNCTION = "def f(x):\n    y = x*2\n    y[0] = 1.0\n    return y.sum()\ngrad(f)(np.ones(2))\n"
REFUSED = {
    JAX + "x = jnp.array([1.0, 2.0])\nx[0] = 5.0\n": "x = x.at[idx].set(y)",
    JAX + "x = jnp.array([1.0, 2.0])\nx[0] += 5.0\n": "x = x.at[idx].set(y)",
    "from jax import grad, numpy as np\n" + IN_A_FUNCTION: "x = x.at[idx].set(y)",
    "import numpy as np\nfrom jax import grad\n" + IN_A_FUNCTION: "x = x.at[idx].set(y)",
    AUTOGRAD + IN_A_FUNCTION: "'ArrayBox' object does not support item assignment",
    AUTOGRAD
    + "def f(x):\n    y = np.zeros(2)\n    y[0] = x\n    return y.sum()\ngrad(f)(2.0)\n": "with a sequence",
    JAX + "x = jnp.array([1.0, 2.0])\nx.at[2].set(5.0)\n": "index 2 is out of bounds",
    JAX + "x = jnp.array([1.0, 2.0])\nx.at[[0, 0]].multiply(5.0)\n": "names an entry twice",
    "import numpy as np\nx = np.array([1.0, 2.0])\nx.at[0].set(5.0)\n": "no attribute 'at'",
}


@pytest.mark.parametrize("script", REFUSED)
def test_what_is_refused_of_arrays_that_do_not_change(script: str) -> None:
    error = run_script(script).error
    assert error is not None
    assert REFUSED[script] in error.message


#: What is computed from ``x = jnp.array([1., 2., 3.])``, its value, and the slopes of its sum.
CHANGED_COPIES = {
    "x.at[0].set(5.0)": ([5, 2, 3], [0, 1, 1]),
    "x.at[[1, 1]].add(x[0])": ([1, 4, 3], [3, 1, 1]),
    "x.at[1:].multiply(x[0])": ([1, 2, 3], [6, 1, 1]),
    "x.at[-1].subtract(1)": ([1, 2, 2], [1, 1, 1]),
    "x.at[jnp.array([2, 0])].divide(2.0)": ([0.5, 2, 1.5], [0.5, 1, 0.5]),
    "x.at[0].power(3)": ([1, 2, 3], [3, 1, 1]),
    "x.at[:2].max(1.5)": ([1.5, 2, 3], [0, 1, 1]),
    "x.at[:2].min(1.5)": ([1, 1.5, 3], [1, 0, 1]),
    "x.at[1].apply(jnp.square)": ([1, 4, 3], [1, 4, 1]),
    "x.at[x > 1.5].set(0.0)": ([1, 0, 0], [1, 0, 0]),
    "x.at[1:].get()": ([2, 3], [0, 1, 1]),
    "jnp.outer(x, x).at[0, 1].set(7.0)[0]": ([1, 7, 3], [5, 0, 1]),
}


def test_changed_copies_have_the_values_and_slopes_of_jax() -> None:
    for expression, (value, slopes) in CHANGED_COPIES.items():
        text = f"def f(x):\n    return jnp.sum({expression})\nx = jnp.array([1., 2., 3.])\n"
        outcome = run_script(f"{JAX}{text}y = {expression}\ng = grad(f)(x)\nL = x.sum()\n")
        assert outcome.error is None, expression
        assert np.asarray(outcome.names["y"].data) == pytest.approx(np.array(value)), expression
        assert np.asarray(outcome.names["g"].data) == pytest.approx(np.array(slopes)), expression
        assert np.array_equal(outcome.names["x"].data, [1, 2, 3]), expression
        assert lint(Source(JAX + text)) == []

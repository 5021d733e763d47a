"""Jacobians, Hessians and their products equal torch's functions of the same names."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session import derivative_matrices as matrices
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate

W = [[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]
X = [0.2, -0.4, 1.1]
V = np.array([1.0, -2.0, 0.5, 0.1, 0.0, 3.0, -1.0, 0.25, 2.0])
#: What is computed from W and x, in words that both languages have.
FORMULAS = {
    "linear": "W @ x",
    "layers": "(W @ x).tanh() ** 2",
    "softmax": "(W @ x).softmax(0).log()",
    "mixed": "(W * x).sum(1).sin() * x[0]",
    "one input": "x.exp() * 2",
    "no curvature of W": "W.sum(1) * x.prod()",
    "a matrix": "W * x.cos()",
}


def subject_of(formula, of_all):
    text = f"W = tensor({W}, requires_grad=True)\nx = tensor({X}, requires_grad=True)\ny = {formula}\n"
    if not of_all:
        text += "L = (y * y).sum()\n"
    settings = Settings()
    execution = execute(Source(text, "<test>"), settings)
    chosen = matrices.whole_subject if of_all else differentiate
    return chosen(execution, settings), settings


def theirs(formula, torch, function, *more):
    w, x = torch.tensor(W, dtype=torch.float64), torch.tensor(X, dtype=torch.float64)

    def value(w, x):
        return eval(formula, {"W": w, "x": x, "torch": torch})

    def loss(w, x):
        return (value(w, x) ** 2).sum()

    vectors = torch.tensor(V[:6]).reshape(2, 3), torch.tensor(V[6:])
    functional = torch.autograd.functional
    if function == "jacobian":
        blocks = functional.jacobian(value, (w, x))
        return np.hstack([block.reshape(value(w, x).numel(), -1).numpy() for block in blocks])
    if function == "hessian":
        blocks = functional.hessian(loss, (w, x))
        sizes = (6, 3)
        rows = [[blocks[i][j].reshape(sizes[i], sizes[j]).numpy() for j in (0, 1)] for i in (0, 1)]
        return np.block(rows)
    if function == "jvp":
        return functional.jvp(value, (w, x), vectors)[1].numpy()
    return np.concatenate([part.numpy().ravel() for part in functional.hvp(loss, (w, x), vectors)[1]])


def test_a_hessian_is_symmetric_to_the_last_bit_where_only_rounding_differs():
    text = "x = 0.7\ny = -1.3\nr = sqrt(x**2 + y**2)\nz = exp(-r)*sin(x*y)\n"
    made = matrices.hessian(differentiate(execute(Source(text, "<test>"), settings := Settings()), settings))
    assert made[0, 1] == made[1, 0] == pytest.approx(-0.10465180481583991, rel=1e-15)
    far = np.array([[1.0, 2.0, np.inf], [2.0 + 1e-13, 3.0, -np.inf], [np.inf, np.inf, 0.0]])
    assert np.array_equal(matrices.made_symmetric(far.copy()), far)


@pytest.mark.oracle
@pytest.mark.parametrize("function", ["jacobian", "hessian", "jvp", "hvp"])
@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_torch_gives_the_same(formula, function):
    import torch

    subject, settings = subject_of(formula, of_all=function in ("jacobian", "jvp"))
    more = (V,) if function in ("jvp", "hvp") else ()
    with EngineSetup(settings):
        ours = getattr(matrices, function)(subject, *more)
    assert np.allclose(ours, theirs(formula, torch, function), rtol=1e-10, atol=1e-12)


def test_products_agree_with_the_matrices():
    for formula in FORMULAS.values():
        subject, settings = subject_of(formula, of_all=True)
        with EngineSetup(settings):
            whole, product = matrices.jacobian(subject), matrices.jvp(subject, V)
        assert np.allclose(whole @ V, np.ravel(product), rtol=1e-12, atol=1e-14)
        subject, settings = subject_of(formula, of_all=False)
        with EngineSetup(settings):
            whole, product = matrices.hessian(subject), matrices.hvp(subject, V)
        assert np.allclose(whole @ V, product, rtol=1e-11, atol=1e-13)
        assert np.allclose(whole, whole.T, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("last", ["", "y.backward()\n", "y.backward(tensor(2.0))\n"])
def test_the_pass_of_a_number_on_a_tape_makes_no_nodes(last):
    """Only a backward() with another weight than 1 needs them: the pass is that of the output itself."""
    text = "w = tensor(3.0, requires_grad=True)\ny = w*w + w*2.0\n" + last
    settings = Settings()
    made = matrices.whole_subject(execute(Source(text, "<test>"), settings), settings)
    assert made.has_nodes == (not is_fast or "2.0))" in last)
    assert matrices.jacobian(made).tolist() == [[8.0]]
    assert settings.grad_output == 1.0

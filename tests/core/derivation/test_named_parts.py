"""Step 4 of derivations between tensors: names for matrices, and lines that fit a page of 80 columns."""

from __future__ import annotations

import re

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.named_parts import ROOM
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import expr_text
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate

NETWORK = """
X = tensor([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]])
A = tensor([[1.0], [0.0], [1.0]])
W1 = tensor([[0.1, -0.2, 0.4], [0.3, 0.5, -0.6]], requires_grad=True)
b1 = tensor([0.01, -0.02, 0.03], requires_grad=True)
W2 = tensor([[0.7], [-0.8], [0.9]], requires_grad=True)
h = tanh(X @ W1 + b1)
p = sigmoid(h @ W2 + 0.05)
L = ((p - A)**2).mean()
"""
RECURRENT = """
W = tensor([[0.5, -0.3], [0.2, 0.8]], requires_grad=True)
U = tensor([[1.0], [0.5]], requires_grad=True)
h = zeros(2, 1)
for x in [0.1, 0.2, -0.3]:
    h = tanh(W @ h + U*x)
L = (h**2).sum()
"""
ATTENTION = """
X = tensor([[1.0, 0.5], [0.2, -0.4], [0.3, 0.9]])
Wq = tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)
Wk = tensor([[0.5, -0.1], [0.2, 0.3]], requires_grad=True)
Q = X @ Wq
K = X @ Wk
B = softmax(Q @ K.T/2**0.5, dim=-1)
L = (B @ X).sum()
"""
LARGE = """
X = tensor([[0.1, 1.2, 2.3, 3.4], [4.5, 5.6, 6.7, 7.8]])
W = (arange(400.0).reshape(4, 100)/7).requires_grad_()
V = (arange(300.0).reshape(100, 3)/9).requires_grad_()
L = (tanh(X @ W) @ V * sin(X @ X.T @ X @ ones(4, 3)/1000)).sum()
"""
BATCH = """
X = (arange(18.0).reshape(6, 3).sin() - 0.3)/3
W1 = (arange(15.0).reshape(3, 5).cos()/7).requires_grad_()
W2 = (arange(10.0).reshape(5, 2).sin()/9).requires_grad_()
hidden_layer = tanh(X @ W1)
scores = exp(hidden_layer @ W2)
p = scores/scores.sum(1, keepdim=True)
L = -log(p[[0, 2, 3, 5], [0, 1, 1, 0]]).mean()
"""
SCRIPTS = {"network": NETWORK, "recurrent": RECURRENT, "attention": ATTENTION, "large": LARGE, "batch": BATCH}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_step_4_names_matrices_and_adds_up_to_the_gradient(script: str) -> None:
    source, settings = Source(script, "script.ad"), Settings()
    subject = differentiate(execute(source, settings, lambda text: None, lambda *what: None), settings)
    names: dict[str, str] = {}
    for derivation in describe(subject, source, graph=False).derivations:
        made = derivation.expressions
        assert made is not None
        for text in (*derivation.named, *derivation.numbers):
            lines = text.split("\n")
            assert max(map(len, lines)) <= ROOM, text
            assert text.count("(") == text.count(")"), text
            assert all(line.count("|") % 2 == 0 for line in lines), text
        values = dict(made.values)
        for part in made.named:
            if part.name in values:  # a variable whose entries are shown beside the formula
                continue
            assert part.name not in re.findall(r"\w+", script)
            assert names.setdefault(part.name, expr_text(part.expr)) == expr_text(part.expr)
            values[part.name] = value_of(part.expr, values)
            assert np.array_equal(values[part.name], part.value)
        if script is BATCH:  # matrices of five and six rows are drawn, in formulas and as values of parts
            assert [text for text in derivation.named if "|" not in text and "index_put" not in text] in (
                [],
                ["hidden_layer ="],  # the numbers follow
            )
            assert any(part.value.shape == (6, 5) for part in made.named) or derivation.wrt == "W2"
        total = sum(value_of(term.expr, values) for term in made.terms)
        assert np.allclose(total, derivation.value, rtol=1e-12, atol=1e-15)
    assert names or script is LARGE


def test_a_word_of_a_comment_may_be_the_name_of_a_part() -> None:
    script = "# A layer, and not 'B\nprint('# C')\n" + RECURRENT
    source, settings = Source(script, "script.ad"), Settings()
    subject = differentiate(execute(source, settings, lambda text: None, lambda *what: None), settings)
    derivations = describe(subject, source, graph=False).derivations
    named = [part.name for one in derivations if one.expressions for part in one.expressions.named]
    assert {"A", "B"} <= {*named}
    assert "C" not in named


BIAS = """
X = tensor([[1., 2.], [3., 4.], [5., 6.]])
s = tensor([2., 3.], requires_grad=True)
b = tensor([0.5, -1.], requires_grad=True)
v = tensor([1., 2.], requires_grad=True)
L = ((X*s + b)**2 @ v).sum()
"""


def numbers_of(script: str, wrt: str) -> list[str]:
    """The lines of step 4 of one derivation, those of named parts first."""
    source = Source(script, "script.ad")
    execution = execute(source, Settings(wrt=(wrt,)), lambda text: None, lambda *what: None)
    [derivation] = describe(differentiate(execution, Settings(wrt=(wrt,))), source, graph=False).derivations
    return "\n".join((*derivation.named, *derivation.numbers)).splitlines()


def test_a_vector_is_a_row_where_it_meets_the_rows_of_a_matrix_and_else_a_column() -> None:
    assert numbers_of(BIAS, "v") == [
        "  | 1  2 |",
        "((| 3  4 |*| 2  3 | + | 0.5   -1 |)**2).T @ ones(3)",
        "  | 5  6 |",
    ]
    product = (
        "A = tensor([[1., 2.], [3., 4.]])\nv = tensor([5., 6.], requires_grad=True)\nL = ((A @ v)*v).sum()\n"
    )
    assert numbers_of(product, "v") == [
        *("| 1  2 |     | 5 |", "| 3  4 |.T @ | 6 |"),
        *("| 1  2 |   | 5 |", "| 3  4 | @ | 6 |"),
    ]

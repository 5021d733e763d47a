"""Rows that do not read an entry have the slopes of a script without it, though its own are nan."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.requests.derivatives import Question
from autodiff.cli.requests.session import Session
from autodiff.core.engine.entries_read import AT_EQUAL_NUMBERS, AT_RANDOM_NUMBERS
from autodiff.core.graph.op import OPS
from autodiff.grammar.session.derivative_matrices import exact_hessian, exact_hvp, exact_jacobian, jacobian

#: Formulas of a vector ``a`` and a table ``X``, of which each row of the result reads one row of the table.
ROW_WISE = {
    "product": "X @ a",
    "product with a matrix": "(X @ outer(a, a))[:, 1]",
    "row times a vector": "(X*a).sum(1)",
    "roots": "sqrt(X*a).sum(dim=1)",
    "quotient of norms": "(a*X).norm(dim=1)/X.norm(dim=1)",
    "softmax": "softmax(X*a, dim=1)[:, 0]",
    "log of softmax": "log_softmax(X*a, dim=1)[:, 2]",
    "cross entropy": "cross_entropy(X*a, tensor([0, 2, 1, 0]), reduction='none')",
    "logsumexp": "logsumexp(X*a, dim=1)",
    "deviation": "(X*a).std(dim=1) + (X*a).var(dim=1)",
    "product of a row": "(X*a).prod(dim=1)",
    "products so far": "cumprod(X*a, dim=1)[:, 2] + cumsum(X*a, dim=1)[:, 1]",
    "columns": "exp(-X[:, 0]*a[0])*X[:, 1]**a[1]",
    "transposed": "((X*a).T*2).T.reshape(-1, 3)[:, 1]",
    "stacked": "stack([X[:, 0]*a[0], X[:, 1]/a[1]], dim=1).mean(dim=1)",
    "rows one by one": "stack([(row*a).sum()**0.5 for row in X])",
    "chosen": "where(X[:, 0] < 100, X @ a, 0)",
    "by batches": "(X.unsqueeze(1) @ outer(a, a))[:, 0, 1]",
    "picked": "cat([X[i:i+1]*a for i in range(4)])[:, 0]",
    "largest": "(X*a).max(dim=1).values + (X*a).amin(dim=1)",
    "largest norm": "linalg.norm(X*a, ord=inf, dim=1)",
    "einsum": "einsum('ij,j->i', X, a)",
    "written": "zeros(4)\nfor i in range(4): y[i] = (X[i]*a).sum()\ny",
    "sorted": "sort(X*a, dim=1).values[:, 0]",
    "convolution": "conv1d(X.unsqueeze(1), a.reshape(1, 1, 3))[:, 0, 0]",
    "loss of each": "mse_loss(X*a, X, reduction='none').sum(1)",
    "solved": "linalg.solve(eye(3)*a, X.T)[0]",
    "determinants": "linalg.det(X.unsqueeze(2)*X.unsqueeze(1) + eye(3)*a)",
    "sums so far": "logcumsumexp(X*a, dim=1)[:, 1]",
    "sigmoid network": "sigmoid(tanh(X @ outer(a, a)) @ a)",
}
#: Formulas of which every row reads all rows.
WHOLE = {
    "centred": "(X - X.mean(dim=0)) @ a",
    "softmax over rows": "softmax(X @ a, dim=0)",
    "norm of all": "(X @ a)/(X @ a).norm()",
    "sum of squares": "(X @ a)*((X @ a)**2).sum()",
}
ROWS = ("[1., 2., 0.5]", "[0.3, 1.1, 2.]", "[2., 0.7, 0.4]", "[0.9, 0.2, 3.]")
BROKEN = {"nan": "[0.3, nan, 2.]", "infinity": "[inf, 1.1, 2.]"}
BLANK = "[1., 1., 1.]"


def ask(formula, broken, wanted=""):
    """The pass of a script whose second row is ``broken``."""
    rows = ", ".join([ROWS[0], broken, *ROWS[2:]])
    code = f"a = tensor([2., 1.5, 0.7], requires_grad=True); X = tensor([{rows}]); y = {formula}"
    arguments = ["jacobian", "-q", "-e", code, "--wrt", "a", *["--of", wanted] * bool(wanted)]
    return Question(Session(read_arguments(arguments)), weighed=False).subject


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("formula", ROW_WISE.values(), ids=ROW_WISE)
def test_the_other_rows_are_those_without_it(formula, broken):
    found, _ = exact_jacobian(ask(formula, broken))
    expected = jacobian(ask(formula, BLANK))
    others = [0, 2, 3]
    assert found[others] == pytest.approx(expected[others], rel=1e-12)


@pytest.mark.parametrize("formula", ROW_WISE.values(), ids=ROW_WISE)
def test_second_derivatives_of_a_row_are_those_without_the_others(formula):
    found = exact_hessian(ask(formula, BROKEN["nan"], "y[2]"))
    assert found == pytest.approx(exact_hessian(ask(formula, BLANK, "y[2]")), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("formula", WHOLE.values(), ids=WHOLE)
def test_rows_that_read_it_stay_nan(formula):
    found, leaves_out = exact_jacobian(ask(formula, BROKEN["nan"]))
    assert np.isnan(found).any(axis=1).all()
    assert not leaves_out


@pytest.mark.parametrize("formula", ROW_WISE.values(), ids=ROW_WISE)
def test_products_with_the_second_derivatives_are_those_without_the_others(formula):
    vector = np.array([1.0, -2.0, 0.5])
    whole = ask(formula, BROKEN["nan"], "y[2]")
    assert exact_hvp(whole, vector) == pytest.approx(exact_hessian(whole) @ vector, rel=1e-9, abs=1e-12)


def test_what_replaces_nan_reads_nothing_there():
    """As nanmean does: the row has a slope, by its other entries."""
    found, _ = exact_jacobian(ask("nanmean(X*a, dim=1) + nan_to_num(X*a).sum(dim=1)", BROKEN["nan"]))
    assert found[1] == pytest.approx([1.5 * 0.3, 0, 1.5 * 2])
    assert np.isfinite(found).all()


def test_an_input_that_is_replaced_where_it_is_nan_has_the_slope_0_there():
    code = "a = 2.; x = tensor([1., nan, 3.]); y = nan_to_num(x)*a + where(isnan(x), 0, a*x)"
    arguments = ["jacobian", "-q", "-e", code, "--wrt", "a,x"]
    subject = Question(Session(read_arguments(arguments)), weighed=False).subject
    assert not np.isfinite(jacobian(subject)).all()
    assert exact_jacobian(subject)[0].tolist() == [[2, 4, 0, 0], [0, 0, 0, 0], [6, 0, 0, 4]]


def test_long_products_are_read_whole():
    """The product of random numbers between 0 and 1 would be 0."""
    code = "a = 2.; x = tensor([[1.]*3000, [nan]*3000]); y = (x**a*a**(1/3000)).prod(dim=1)"
    arguments = ["jacobian", "-q", "-e", code, "--wrt", "a"]
    found, _ = exact_jacobian(Question(Session(read_arguments(arguments)), weighed=False).subject)
    assert found[0] == pytest.approx([1])
    assert np.isnan(found[1]).all()


def test_the_ops_are_there():
    assert set(OPS) >= AT_RANDOM_NUMBERS | AT_EQUAL_NUMBERS

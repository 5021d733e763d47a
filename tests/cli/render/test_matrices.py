"""Matrices of derivatives: what is too wide becomes a list, and single precision has its own digits."""

from __future__ import annotations

import numpy as np
from autodiff.cli.render.matrices import (
    bare_matrix,
    blocks,
    latex_matrix,
    markdown_matrix,
    matrix_lines,
    matrix_records,
)
from autodiff.cli.render.page import Page
from autodiff.cli.render.records import render_records
from autodiff.cli.render.text import plain_text
from autodiff.core.report.derivative_matrix import DerivativeMatrix
from autodiff.core.report.records import GradientReport, Variable


def matrix_of(matrix, output=(), inputs=((),), order=1, is_sparse=False):
    """A matrix of an output ``y`` and inputs ``a``, ``b`` and so on, of these shapes."""
    y = Variable("y", 1, output, "float64", np.zeros(output) if output else 0.0, None, 0)
    names = "abcdefgh"
    given = tuple(
        Variable(names[at], 1, shape, "float64", np.zeros(shape) if shape else 0.0, None, 0)
        for at, shape in enumerate(inputs)
    )
    report = GradientReport("a.ad", y, None, given, None, (), ())
    return DerivativeMatrix(
        order, report, (y,) if order == 1 else given, given, np.asarray(matrix), is_sparse
    )


def shown(found, width=80, rows=0):
    return "".join(map(plain_text, matrix_lines(found, Page(width, rows=rows))))


def test_a_table_has_the_names_of_the_entries():
    found = matrix_of([[1.0, 2.5, 0.0]], inputs=((), (2,)))
    assert shown(found) == "Jacobian of y\n\n      a   b[0]   b[1]\n  y   1    2.5      0\n"


def test_what_is_too_wide_is_a_list():
    found = matrix_of(np.arange(24.0).reshape(1, 24) / 7, inputs=((24,),))
    text = shown(found, 60)
    assert text.count("\n") == 2 + 1 + 24
    assert text.splitlines()[-1].split() == ["y", "a[23]", "3.28571"]
    assert max(map(len, text.splitlines())) <= 60


def test_rows_beyond_the_limit_are_told():
    found = matrix_of(np.eye(4), output=(4,), inputs=((4,),))
    assert shown(found, rows=3).splitlines()[-1] == "  ... 1 more row (--all)"


def test_blocks_have_the_shapes_of_their_tensors():
    found = matrix_of(np.arange(10.0).reshape(2, 5), output=(2,), inputs=((), (2, 2)))
    parts = blocks(found)
    assert parts["a"].tolist() == [0, 5]
    assert parts["b"].shape == (2, 2, 2)
    assert parts["b"][1].tolist() == [[6, 7], [8, 9]]
    pairs = blocks(matrix_of(np.arange(9.0).reshape(3, 3), inputs=((), (2,)), order=2))
    assert {name: np.shape(part) for name, part in pairs.items()} == {
        "a,a": (),
        "a,b": (2,),
        "b,a": (2,),
        "b,b": (2, 2),
    }


def test_single_precision_has_the_digits_it_needs():
    found = matrix_of(np.array([[0.1, 1.0]], "float32"), inputs=((2,),))
    assert bare_matrix(found) == "0.1\t1\n"
    assert render_records(matrix_records(found), "csv", 6).splitlines()[1:] == ["y,,a,0,0.1", "y,,a,1,1"]


def test_a_matrix_of_no_entries():
    assert bare_matrix(matrix_of(np.zeros((0, 1)), output=(0,))) == ""
    assert shown(matrix_of(np.zeros((1, 0)), inputs=((0,),))).startswith("Jacobian of y\n")


def test_zeros_are_left_out_on_demand():
    matrix = [[0.0, 0.0], [0.0, 2.0], [np.nan, 0.0]]
    found = matrix_of(matrix, output=(3,), inputs=((2,),), is_sparse=True)
    assert [line.split() for line in shown(found).splitlines()[2:]] == [
        ["a[0]", "a[1]"],
        ["y[1]", "0", "2"],
        ["y[2]", "nan", "0"],
    ]
    assert render_records(matrix_records(found), "csv", 6).splitlines()[1:] == ["y,1,a,1,2", "y,2,a,0,nan"]
    assert bare_matrix(found).count("\n") == 3


def test_a_jacobian_in_a_document():
    found = matrix_of([[1.0, -2.5e-9], [0.0, 0.0], [np.inf, 1 / 3]], output=(3,), inputs=((), (1,)))
    assert latex_matrix(found, 3) == (
        "\\[\n"
        "\\frac{\\partial \\left(y_{[0]}, y_{[1]}, y_{[2]}\\right)}{\\partial \\left(a, b_{[0]}\\right)} =\n"
        "\\begin{pmatrix}\n1 & -2.5 \\times 10^{-9} \\\\\n0 & 0 \\\\\n\\infty & 0.333\n\\end{pmatrix}\n\\]\n"
    )
    assert markdown_matrix(found, 3).splitlines() == [
        "|  | a | b[0] |",
        "| --- | ---: | ---: |",
        "| y[0] | 1 | -2.5e-09 |",
        "| y[1] | 0 | 0 |",
        "| y[2] | inf | 0.333 |",
    ]


def test_a_hessian_in_a_document():
    found = matrix_of([[2.0]], order=2)
    assert latex_matrix(found, 6).splitlines()[1] == "\\nabla_{a}^{2} y ="
    found = matrix_of(np.eye(2), inputs=((), ()), order=2)
    found.report.weight = "ones(3)"
    assert latex_matrix(found, 6).splitlines()[1] == (
        "\\nabla_{\\left(a, b\\right)}^{2} \\operatorname{sum}\\left(G \\cdot y\\right) ="
    )


def test_a_large_matrix_in_a_document_has_the_names_of_its_tensors():
    found = matrix_of(np.eye(12)[:3], output=(3,), inputs=((12,),), is_sparse=True)
    lines = latex_matrix(found, 6).splitlines()
    assert lines[:3] == [
        "\\setcounter{MaxMatrixCols}{12}",
        "\\[",
        "\\frac{\\partial \\left(y_{[0]}, y_{[1]}, y_{[2]}\\right)}{\\partial a} =",
    ]
    found.matrix[1] = 0
    assert [line.count("&") for line in latex_matrix(found, 6).splitlines()] == [0, 0, 0, 0, 11, 11, 0, 0]
    assert markdown_matrix(found, 6).count("\n") == 4


def test_commands_write_matrices_for_documents(autodiff):
    code = ("-e", "x = 1; y = 2; f = x**2*y + y**3", "--format")
    assert (
        autodiff("hessian", *code, "markdown").out
        == "|  | x | y |\n| --- | ---: | ---: |\n| x | 4 | 2 |\n| y | 2 | 12 |\n"
    )
    assert autodiff("jacobian", *code, "latex").out.splitlines()[2:4] == ["\\begin{pmatrix}", "4 & 13"]

"""Matrices of derivatives: what is too wide becomes a list, and single precision has its own digits."""

from __future__ import annotations

import numpy as np
from autodiff.cli.render.matrices import bare_matrix, blocks, matrix_lines, matrix_records
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
    assert shown(found, rows=3).splitlines()[-1] == "  ... 1 more rows (--all)"


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

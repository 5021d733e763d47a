"""Gradients as records: every format holds the same numbers, exact for programs and rounded for people."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from autodiff.cli.render.records import gradient_records, render_records
from autodiff.core.base.errors import UsageError
from autodiff.core.report.records import GradientReport, Variable

THIRD = 1 / 3


def report_of(**inputs):
    output = Variable("L", 3, (), "float64", 1.0, None, 0)
    gradients = tuple(
        Variable(name, 1, np.shape(value), "float64", value, grad, 1)
        for name, (value, grad) in inputs.items()
    )
    return GradientReport("a.ad", output, None, gradients, None, (), ())


REPORT = report_of(a_1=(2.0, THIRD), W=(np.array([[1.0, 2.0]]), np.array([[math.inf, -0.0]])))


def rendered(form, report=REPORT, digits=6):
    return render_records(gradient_records(report), form, digits)


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_read_back(form, separator):
    rows = list(csv.reader(io.StringIO(rendered(form)), delimiter=separator))
    assert rows[0] == ["name", "index", "value", "gradient"]
    assert [row[:3] for row in rows[1:]] == [["a_1", "", "2"], ["W", "0 0", "1"], ["W", "0 1", "2"]]
    assert [float(row[3]) for row in rows[1:]] == [THIRD, math.inf, 0.0]


def test_json_lines_read_back():
    lines = [json.loads(line) for line in rendered("jsonl").splitlines()]
    assert lines[0] == {"name": "a_1", "index": [], "value": 2.0, "gradient": THIRD}
    assert lines[1] == {"name": "W", "index": [0, 0], "value": 1.0, "gradient": "Infinity"}
    assert len(lines) == 3


def test_numpy_archives_read_back():
    data = rendered("npz")
    found = np.load(io.BytesIO(data), allow_pickle=False)
    assert found["a_1"] == THIRD
    assert np.array_equal(found["W"], [[math.inf, 0.0]])
    assert data == rendered("npz")


def test_an_npy_file_holds_one_array():
    found = np.load(io.BytesIO(rendered("npy", report_of(W=(np.ones(2), np.array([1.0, 2.0]))))))
    assert found.tolist() == [1.0, 2.0]
    with pytest.raises(UsageError, match="there are 2: a_1, W"):
        rendered("npy")


def test_a_markdown_table():
    assert rendered("markdown", digits=3) == (
        "| name | value | gradient |\n| --- | ---: | ---: |\n"
        "| a_1 | 2 | 0.333 |\n| W[0,0] | 1 | inf |\n| W[0,1] | 2 | 0 |\n"
    )


def test_a_latex_table():
    text = rendered("latex")
    assert text.startswith("\\begin{tabular}{lrr}\nname & value & gradient \\\\\n\\hline\n")
    assert "a\\_1 & 2 & 0.333333 \\\\\n" in text
    assert text.endswith("\\end{tabular}\n")


def test_single_precision_has_the_digits_it_needs():
    report = report_of(w=(np.ones(1, "float32"), np.array([0.1], "float32")))
    assert rendered("csv", report).splitlines()[1] == "w,0,1,0.1"


def test_names_cannot_control_a_terminal():
    report = report_of(**{"a\x1b[2J|b": (1.0, 2.0)})
    for form in ("csv", "tsv", "markdown", "jsonl"):
        assert "\x1b" not in rendered(form, report)

"""``grad --data FILE --batch N``: sums and means over rows, N at a time, as if they had been read at once."""

from __future__ import annotations

import json

import numpy as np
import pytest
from autodiff.cli.requests.batch_job import Sums, SumTree

MEAN = "a = 2.; b = [0.5, -1]; L = ((a*t + b[0] - v)**2).mean() + 0.1*b[1]**2"
SUM = "a = 2.; L = (exp(-a*t)*v).sum()"


@pytest.fixture
def table(write):
    rng = np.random.default_rng(3)
    lines = [f"r{i},{t:.6f},{v:.6f}" for i, (t, v) in enumerate(rng.uniform(0.1, 3, (200, 2)))]
    write("id,t,v\n# rows\n\n" + "\n".join(lines), "t.csv")
    return "t.csv"


@pytest.mark.parametrize("code", [MEAN, SUM])
def test_blocks_of_any_size_give_what_the_whole_file_gives(autodiff, table, code):
    def numbers(*words):
        found = json.loads(autodiff("grad", "-e", code, "--data", table, "--format", "json", *words).out)
        values = [found["output"]["value"], *(one["grad"] for one in found["gradients"])]
        return np.concatenate([np.ravel(value) for value in values])

    whole = numbers()
    for rows in (1, 7, 64, 200, 900):
        asked = ["--reduce", "mean" if code == MEAN else "sum"] if rows == 1 else []
        assert numbers("--batch", rows, *asked) == pytest.approx(whole, rel=1e-13)


def test_any_number_of_processes_adds_up_in_the_same_order(autodiff, table):
    words = ["grad", "-e", MEAN, "--data", table, "--batch", "7", "--format"]
    for form in ("csv", "table", "json"):
        one, several = (autodiff(*words, form, "--jobs", jobs) for jobs in (1, 3))
        assert (several.returncode, several.out, several.err) == (0, one.out, "")


def test_the_order_of_sums_is_that_of_a_tree():
    def added(values):
        if len(values) == 1:
            return values[0]
        half = 1 << (len(values) - 1).bit_length() - 1
        return added(values[:half]) + added(values[half:])

    values = np.random.default_rng(5).normal(size=37) * 1e8
    tree = SumTree()
    for count, value in enumerate(values, 1):
        tree.add(Sums(2, [value]))
        assert (tree.total().arrays, tree.total().rows) == ([added(values[:count])], 2 * count)


def test_lists_of_json_lines_are_rows_of_a_matrix(autodiff):
    lines = [{"x": [i, i % 3], "y": i % 2} for i in range(30)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    code = "w = [0.5, 1]; w = tensor(w, requires_grad=True); L = ((x @ w - y)**2).sum()"
    done = autodiff("grad", "-e", code, "--data", "-", "--batch", "8", "--of", "L", "--wrt", "w", input=text)
    x, y = (np.array([line[name] for line in lines], float) for name in "xy")
    expected = 2 * x.T @ (x @ [0.5, 1] - y)
    assert [float(one) for one in done.out.split()] == pytest.approx(expected, rel=1e-14)


def test_float32_stays_float32(autodiff, table):
    done = autodiff("grad", "-e", SUM, "--data", table, "--batch", "64", "--dtype", "float32")
    assert done.out == str(np.float32(done.out)) + "\n"


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        ("a = 2.; L = (a*t).sum()**2", [], "neither the sum nor the mean of those of blocks of rows"),
        ("a = 0.; L = (a*a*t).sum()", [], "does not show whether the output is a sum or a mean"),
        (SUM, ["--wrt", "t"], "`t` is a column of t.csv: its gradient has an entry for each row"),
        ("a = 2.; h = a*t; L = h.sum()", ["--wrt", "h"], "the gradient of `h` has an entry for each row"),
        (SUM, ["--grad-output", "2"], "--grad-output does not go with --batch"),
        (SUM, ["--order", "2"], "--order does not go with --batch"),
        (SUM, ["--data", "t.csv"], "--batch reads the rows of one file"),
        (SUM, ["--each", "t.csv"], "--batch does not go with --each"),
    ],
)
def test_what_blocks_cannot_be(autodiff, table, code, words, says):
    done = autodiff("grad", "-e", code, "--data", table, "--batch", "64", *words)
    assert (done.returncode, done.out) == (2, "")
    assert says in done.err


def test_options_need_each_other(autodiff, table):
    assert "--reduce is about --batch" in autodiff("grad", "-e", SUM, "--reduce", "sum").err
    assert "--batch reads the rows of one file" in autodiff("grad", "-e", SUM, "--batch", 8).err
    assert (
        "does not read the rows of .npz files"
        in autodiff("grad", "-e", SUM, "--batch", 8, "--data", "t.npz").err
    )


def test_a_wrong_reduction_is_told(autodiff, table):
    done = autodiff("grad", "-e", MEAN, "--data", table, "--batch", "50", "--reduce", "sum")
    assert done.returncode == 0
    assert "warning: --reduce sum: for the first block, the output is the mean" in done.err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("field", "says"), [("x", "`x` is no number\n"), ("NA", "a value is missing, and the sum")]
)
def test_a_field_that_is_no_number_ends_it_with_its_line(autodiff, write, jobs, field, says):
    write("t,v\n" + "1,2\n" * 40 + f"1,{field}\n" + "1,2\n" * 40, "t.csv")
    done = autodiff("grad", "-e", SUM, "--data", "t.csv", "--batch", "8", "--jobs", jobs)
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith(f"error[E0619]: t.csv, line 42: column v: {says}")


def test_values_that_are_not_finite_may_fail(autodiff, write):
    write("t,v\n" + "1,2\n" * 20 + "1,nan\n", "t.csv")
    done = autodiff("grad", "-e", SUM, "--data", "t.csv", "--batch", "8", "--fail-on", "nan")
    assert (done.returncode, done.out) == (1, "nan\n")

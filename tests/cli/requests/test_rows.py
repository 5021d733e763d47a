"""``grad --each`` and ``grad --sweep``: a line for each row, the same in blocks and row by row."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from random import Random

import numpy as np
import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.requests import rows
from autodiff.cli.requests.session import Session
from autodiff.core.base.source import Source
from autodiff.core.report.records import gradient_or_zeros
from autodiff.grammar.session.rows import RowRuns
from autodiff.grammar.session.run import Settings
from seeds import seeds

FORMULA = "m = 1.; r = 2.; k = 0.5; L = m*exp(-r*k)/r**2 + sqrt(m)"
TABLE = "id,m,r\na,2,1\nb,3,0.5\nc,1.5,2\n"


def alone(autodiff, code, **values):
    """The gradients that a run of its own prints for these values."""
    sets = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    return [line.split("\t")[-1] for line in autodiff("grad", "-e", code, *sets).out.splitlines()]


@pytest.mark.parametrize(
    ("code", "how"),
    [
        (FORMULA, "in blocks"),
        ("import math\nm = 1.; r = 2.\ny = m*torch.tanh(r)\ny*pi - math.e", "in blocks"),
        ("import math\nm = 1.; r = 2.; L = math.log10(m)*math.pow(r, 2) + math.hypot(m, r)", "in blocks"),
        ("m = 1.; r = 2.; L = abs(m - 4)*r\nprint('L', L, r)", "in blocks"),
        (
            "import math\nimport torch\nm = torch.tensor(2., requires_grad=True)\nr = torch.tensor(1.)\n"
            "L = m*math.exp(m)*r",
            "row by row: line 5 has `math.exp(m)`",
        ),
        ("import math\nm = 1.; r = 2.; L = math.cbrt(m)*r", "row by row: line 2 has `math.cbrt(m)`"),
        (FORMULA + "; L = L if r > 1 else 2*L", "row by row: line 1 has a branch"),
        ("m = 1.; r = 2.; L = m\nfor i in range(3):\n    L = L*r + i", "in blocks"),
        ("m = 1.; r = 2.; L = m\nfor i in range(int(m)):\n    L = L*r", "row by row: line 2 has a loop"),
        ("m = 1.; r = 2.; n = 2; L = m\nfor i in range(n + 1):\n    L = L*r + i", "in blocks"),
        ("m = 1.; r = 2.; n = 2; L = m*n\nfor i in range(n): L = L*r + i", "row by row: line 2 has a loop"),
        (
            "m = 1.; r = 2.; n = 2; n = n + 1; L = m\nfor i in range(n): L = L*r",
            "row by row: line 2 has a loop",
        ),
        (
            "m = 1.; r = 2.; n = 3; L = m\ndef f(n): return n*r\nfor i in range(n): L = L*f(i)",
            "row by row: line 3 has a loop",
        ),
        ("m = 1.; L = m\nfor i in range(1, int(r)): L = L*m", "row by row: line 2 has a loop"),
        ("m = 1.; r = 2.; L = where(0.6 < r < 1.5, m % 2, round(m*r))*m", "in blocks"),
        ("m = 1.; r = 2.; L = (1 < m <= 2)*m//0.7*r + round(m*r, 1)*r", "in blocks"),
        ("m = 1.; r = 2.; L = m*r\nif False:\n    L = [m, r][0]\n    print(f'{L}')", "in blocks"),
        (
            "m = 1.; r = 2.; slow = False\nif slow: L = m\nelif not slow: L = m*r\nelse: L = sum([m])",
            "in blocks",
        ),
        ("m = 1.; r = 2.; slow = r > 3; L = m*r\nif slow: L = m", "row by row: line 1 has a comparison"),
        ("m = 1.; r = 2.; L = m*r\nif True: L = [m, r][0]", "row by row: line 2 has"),
        ("m = 1.; r = 2.; v = [m, r, 3]\nL = v[0]*v[1]", "row by row: line 1 has a list"),
        ("m = 1.; r = 2.; L = stack([m, r]).sum()*m", "row by row: line 1 has"),
        ("m = 1.; r = 2.; L = max(m, r)*m", "in blocks"),
        ("m = 1.; r = 2.\ndef f(a): return a*exp(r)\nL = f(m)", "in blocks"),
        (
            "m = 1.; r = 2.\ndef f(a): return a*r\ndef g(f): return f(m)\nL = g(sin)",
            "row by row: line 2 has a function",
        ),
        ("m = 1.; r = 2.; L = equal(m, 2)*r + m", "row by row: line 1 has `equal(m, 2)`"),
        ("m = 1.; r = 2.; L = ((m > 2) + (r > 0))*m", "row by row: line 1 has a comparison"),
        ("m = 1.; r = 2.; L = mean(m*r)", "row by row: line 1 has `mean(m*r)`"),
        (
            "m = torch.tensor(1., requires_grad=True); r = torch.tensor(2., requires_grad=True)\n"
            "L = m*r**2\nL.backward()",
            "row by row: line 3 has `L.backward()`",
        ),
        (
            "import torch\nm = torch.tensor(1., dtype=torch.float64, requires_grad=True)\n"
            "r = torch.tensor(-2.); s = torch.tensor(0.5)\nL = m*torch.exp(r)/s",
            "in blocks",
        ),
        ("m = 1.; r = 2.; t = tensor(m); L = m*r*t", "row by row: line 1 has `tensor(m)`"),
    ],
)
def test_every_row_has_the_gradients_of_a_run_of_its_own(autodiff, write, code, how):
    write(TABLE, "t.csv")
    done = autodiff("grad", "-e", code, "--each", "t.csv", "-v")
    assert f"note: the rows are run {how}" in done.err
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert len(rows) == 3
    for row, (m, r) in zip(rows, [(2, 1), (3, 0.5), (1.5, 2)], strict=True):
        assert [float(x) for x in row] == pytest.approx(
            [float(x) for x in alone(autodiff, code, m=m, r=r)], rel=1e-15
        )


def test_a_block_is_one_run_and_equals_the_rows():
    runs = RowRuns(Source(FORMULA, "s.ad"), Settings())
    columns = {"m": np.linspace(0.5, 4, 200), "r": np.linspace(3, 0.1, 200)}
    value, grads = runs.run_block(columns, {"k": 0.5}, ["m", "r", "k"])
    for at in (0, 77, 199):
        subject = runs.run({"m": columns["m"][at], "r": columns["r"][at]})
        assert value[at] == pytest.approx(subject.value, rel=1e-15)
        assert [grad[at] for grad in grads] == pytest.approx(
            [subject.received[node] for _, node in subject.wrt], rel=1e-14
        )


PLAIN = (
    "max({a}, {b})",
    "min({a}, {b}, {c})",
    "softplus(x + {a})",
    "maximum(x*{a}, y*{b})",
    "math.atan(x*{a})",
    "np.clip({a}, -0.5, {b})",
    "round({a})",
    "round({a}, 1)",
)
TORCH = ("torch.maximum(x*{a}, y*{b})", "(x*{a}).sin()", "F.gelu(x + {a})", "(y + {a}).clamp(min=0)")
FORMS = (
    *(
        "({a} + {b})",
        "({a} - {b})",
        "{a}*{b}",
        "abs({a})",
        "tanh(y + {a})",
        "clamp(x*{a}, -1, 1)",
        "relu(y + {a})",
    ),
    *("({a} % 2.5)", "({a} // 0.75)", "(x % (2 + abs({a})))", "where(-1 < {a} <= y != {b}, {b}, {c})"),
    *("where({compared}, {b}, {c})", "where({compared} & ({c} > y), {a}, {b})", "({compared}*{c})"),
)


def expression(chance, names, forms, depth=3):
    """A formula of numbers with choices and with values at which they tie."""
    if not depth or chance.random() < 0.15:
        return chance.choice([*names, *names, "0", "1", "-0.5", "2.5"])
    a, b, c = (expression(chance, names, forms, depth - 1) for _ in range(3))
    compared = f"({a} {chance.choice(['<', '<=', '>', '>=', '==', '!='])} x*{b})"
    return chance.choice(forms).format(a=a, b=b, c=c, compared=compared)


@pytest.mark.parametrize("forms", [FORMS + PLAIN, FORMS + TORCH], ids=["plain", "torch"])
@pytest.mark.parametrize("seed", seeds(60))
def test_programs_with_choices_and_loops_are_the_same_in_blocks(seed, forms):
    chance = Random(seed)
    turns = chance.choice(["range(3)", "range(1, 6, 2)", "[1, -2, 0.5]", "(2, 3)"])
    code = (
        f"{'' if PLAIN[0] in forms else 'import torch'}\nx = 1.; y = 2.\n"
        f"def f(a, b=0.5):\n    c = {expression(chance, 'abx', forms, 2)}\n    c += b\n    return c*a\n"
        f"u = x + {expression(chance, 'xy', forms)}\n"
        f"h = x*y\nfor t in {turns}:\n    h {chance.choice(['=', '+=', '-=', '*='])}"
        f" {expression(chance, 'xytu', forms, 2)}\n    h = h/4 + y\n"
        f"L = x*{expression(chance, 'xyhu', (*forms, 'f(x + {a})', 'f(y*{a}, b=x)'))}"
    )
    runs = RowRuns(Source(code, "s.ad"), Settings(wrt=["x", "y"]))
    columns = {
        "x": np.array([-1.5, -1, 0, 0, 0.5, 1, 1, 2, 2.5]),
        "y": np.array([0.5, 1, 0, 2, 0.5, -1, 1, 0, 2.5]),
    }
    lines = [{name: float(column[at]) for name, column in columns.items()} for at in range(9)]
    subjects = [runs.run(line) for line in lines]
    assert runs.reason_against_blocks(subjects[0], lines[0]) == "", code
    value, grads = runs.run_block(columns, {}, ["x", "y"])
    for at, subject in enumerate(subjects):
        nodes = dict(subject.wrt)
        expected = [gradient_or_zeros(subject.received, nodes[name]) for name in ("x", "y")]
        assert [value[at], *(grad[at] for grad in grads)] == pytest.approx(
            [subject.value, *expected], rel=1e-12
        ), code


def test_many_rows_that_are_run_one_by_one_are_told_why(monkeypatch, capfdbinary, write):
    monkeypatch.setattr(rows, "MANY_ROWS", 3)
    write("x\n1\n2\n3\n4\n-5\n", "t.csv")
    said = "note: the rows are run row by row: line 1 has a branch; to run in blocks, which is faster, write"
    for count, options in ((1, []), (0, ["-q"])):
        code = "x = 1.; L = x**2 if x > 0 else x"
        request = read_arguments(["grad", "-e", code, "--each", str(write("x\n1\n2\n3\n4\n-5\n")), *options])
        session = Session(request)
        assert rows.write_rows(session) == 0
        session.finish()
        assert capfdbinary.readouterr().err.decode().count(f"{said} where(condition, a, b)\n") == count


@pytest.mark.parametrize(
    "code",
    ["x = 1.; y = 2.; L = x.mean()*y", "x = 1.; y = 2.; L = (x*y).sum()", "x = 1.; y = 2.; L = cat([x, y])"],
)
def test_a_graph_that_mixes_entries_is_no_block(code):
    runs = RowRuns(Source(code, "s.ad"), Settings())
    assert runs.run_block({"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}, {}, ["x", "y"]) is None


def test_tensors_of_one_number_are_a_block():
    code = "import torch\nm = torch.tensor(1., requires_grad=True); s = torch.tensor(0.5); r = 2.; L = m*r/s"
    runs = RowRuns(Source(code, "s.ad"), Settings(wrt=["m"]))
    value, (grad,) = runs.run_block({"m": np.array([1.0, 3, 4]), "r": np.array([5.0, 6, 7])}, {}, ["m"])
    assert (value.tolist(), grad.tolist()) == ([10, 36, 56], [10, 12, 14])


def test_columns_stand_for_tensors_of_a_script_that_imports_torch(autodiff):
    code = "import torch as t\nfrom torch import tensor\nx = t.tensor(1.); y = tensor(2.); L = x**2*y"
    done = autodiff("grad", "-e", code, "--wrt", "x,y", "--each", "-", input="x,y\n3,5\n")
    assert (done.out, done.err) == ("30\t9\n", "")
    done = autodiff("grad", "-e", code, "-e", "L.sum()", "--wrt", "x", "--data", "-", input="x,y\n3,5\n1,2\n")
    assert (done.out, done.err) == ("30\t4\n", "")


def test_an_input_that_takes_no_part_has_the_gradient_0_and_constants_stay(autodiff):
    code = "a = 2.; b = 3.; L = a*x"
    done = autodiff("grad", "-e", code, "--wrt", "x,b,a", "--each", "-", "--columns", "x", input="1\n4\n")
    assert done.out == "2\t0\t1\n2\t0\t4\n"


def test_constants_that_are_not_asked_for_leave_rows_in_blocks():
    runs = RowRuns(Source(FORMULA, "s.ad"), Settings(wrt=["r"]))
    columns = {"m": np.linspace(0.5, 4, 20), "r": np.linspace(3, 0.1, 20)}
    value, (grad,) = runs.run_block(columns, {}, ["r"])
    for at in (0, 19):
        subject = runs.run({name: column[at] for name, column in columns.items()})
        assert value[at] == pytest.approx(subject.value, rel=1e-15)
        assert [grad[at]] == pytest.approx([subject.received[node] for _, node in subject.wrt], rel=1e-14)


def test_columns_are_kept_with_value_and_header(autodiff, write):
    write('name,x\n"a, b",2\n"say ""x""",3\n', "t.csv")
    done = autodiff(
        "grad", "-e", "x = 1; y = x**2", "--each", "t.csv", "--keep", "--value", "--format", "csv"
    )
    assert done.out == 'name,x,y,dy/dx\n"a, b",2,4,4\n"say ""x""",3,9,6\n'


def test_json_lines_in_and_out(autodiff):
    text = '{"id": 7, "x": [1, 2], "y": 3}\n{"id": 8, "x": [4, 5], "y": 2}\n'
    code = "x = [1, 2]; y = 1; L = (x**2).sum()*y"
    done = autodiff("grad", "-e", code, "--each", "-", "--keep", "--value", input=text)
    first, second = map(json.loads, done.out.splitlines())
    assert first == {
        "row": 1,
        "keep": {"id": 7, "x": [1, 2], "y": 3},
        "value": 15.0,
        "grad": {"x": [6.0, 12.0], "y": 5.0},
    }
    assert second["grad"] == {"x": [16.0, 20.0], "y": 41.0}


def test_a_decimal_comma_is_told(autodiff):
    done = autodiff("grad", "-e", "x = 1.; y = x**2", "--each", "-", input="x;t\n1,5;2\n")
    assert done.err.startswith(
        "error[E0619]: row 1 (line 2): column x: `1,5` is no number: fractions have a point"
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_missing_values_are_nan_and_counted(autodiff, write, jobs):
    rows = ["1,2", ",3", "4,NA", "5,6"] * 3000
    write("x,y\n" + "\n".join(rows) + "\n", "d.csv")
    done = autodiff("grad", "-e", "x = 1.; y = 2.; z = x*y", "--each", "d.csv", "--jobs", jobs)
    assert done.out.splitlines() == ["2\t1", "3\tnan", "nan\t4", "6\t5"] * 3000
    assert (done.returncode, done.err) == (0, "note: 6,000 values are missing and count as nan\n")
    text = '{"x": null}\n{"x": 3}\n'
    done = autodiff("grad", "-e", "x = 1.; z = x**2", "--each", "-", "--format", "plain", input=text)
    assert (done.out, done.err) == ("nan\n6\n", "note: 1 value is missing and counts as nan\n")


def test_bad_rows_are_told_in_place_and_counted(autodiff):
    text = "x,y\n1,2\n1,oops\n\n# none\n3\n4,5\n"
    done = autodiff("grad", "-e", "x = 1; y = 1; L = x*y", "--each", "-", input=text)
    assert (done.returncode, done.out) == (4, "2\t1\n\t\n\t\n5\t4\n")
    assert done.err.splitlines() == [
        "error[E0619]: row 2 (line 3): column y: `oops` is no number",
        "error[E0619]: row 3 (line 6): it has 1 field, and there are 2 columns",
        "note: 2 of 4 rows have no gradient",
    ]


def test_bad_rows_of_json_are_objects(autodiff):
    text = '{"x": 1}\n{"y": 1}\nx\n{"x": true}\n{"x": 9}\n'
    done = autodiff("grad", "-e", "x = 1; v = [1, 2]; L = v[int(x)]*x", "--each", "-", input=text)
    lines = list(map(json.loads, done.out.splitlines()))
    assert [("error" in line, line["row"]) for line in lines] == [
        (False, 1),
        (True, 2),
        (True, 3),
        (True, 4),
        (True, 5),
    ]
    assert [line["error"]["message"] for line in lines[1:4]] == [
        "it has no `x`",
        "it is no JSON: expecting value at column 1",
        "column x: true is no number",
    ]
    assert "row 5 (line 5), line 1 of the script: index 9 is out of bounds" in done.err


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_fields_in_quotation_marks_have_line_breaks(autodiff, write, jobs):
    """RFC 4180, section 2, as Python's csv and pandas write them."""
    rows = [("two\nlines", 2), ('a ""b"",\r\n# no\n\n, c', 3), ("5", 4)]
    text = "id,x\n" + "".join(f'"{name}",{x}\n' for name, x in rows) + "d,oops\n"
    write(text, "t.csv")
    done = autodiff("grad", "-e", "x = 1; y = x**3", "--each", "t.csv", *jobs)
    assert done.out == "12\n27\n48\n\n"
    assert done.err.splitlines()[0] == "error[E0619]: row 4 (line 9): column x: `oops` is no number"
    done = autodiff("grad", "-e", "x = 1; y = (x**3).sum()", "--data", "t.csv", "--wrt", "x")
    assert "t.csv, line 9, column 2 (`x`): `oops` is no number" in done.err
    write(text.replace("oops", "1"), "t.csv")
    done = autodiff("grad", "-e", "x = 1; y = (x**3).sum()", "--data", "t.csv", "--wrt", "x")
    assert done.out == "12\t27\t48\t3\n"


def test_line_breaks_at_the_end_of_what_is_read_are_waited_for(autodiff, write, monkeypatch):
    import autodiff.cli.data_files.row_files as row_files

    text = "id,x\n" + "".join(f'"a\nb{i}",{i}\n' for i in range(40))
    write(text, "t.csv")
    for block in (1, 7, 64):
        monkeypatch.setattr(row_files, "BLOCK", block)
        done = autodiff("grad", "-e", "x = 1; y = x**2", "--each", "t.csv")
        assert (done.out, done.err) == ("".join(f"{2 * i}\n" for i in range(40)), "")


def test_quotation_marks_that_are_not_closed_are_told_and_what_is_there_is_kept(autodiff):
    text = 'id,x\n5" pipe,3\nc,5\n"two,2\nd\n'
    code = ["-e", "x = 1; y = x**3", "--each", "-", "--keep", "--format", "csv"]
    done = autodiff("grad", *code, input=text)
    assert done.out == "id,x,dy/dx\n,,\nc,5,75\n,,\nd,,\n"
    for place in "row 1 (line 2)", "row 3 (line 4)":
        assert f"error[E0619]: {place}: a quotation mark is not closed in this row" in done.err


def test_plain_lines_have_bare_cells(autodiff):
    code = ["-e", "x = 1; y = x**3", "--each", "-", "--keep"]
    done = autodiff("grad", *code, input='id,x\n"old, ""rusty""",2\n"a\tb",1\n')
    assert done.out == 'old, "rusty"\t2\t12\na\\x09b\t1\t3\n'


def test_csv_keeps_the_texts_of_fields(autodiff):
    code = ["-e", "x = 1; y = x**3", "--each", "-", "--keep", "--format", "csv"]
    text = 'id,x\n"a\nb",2\n"c\nd ""e""",1\nf\tg,3\n'
    done = autodiff("grad", *code, input=text + "h\x1b[2Ji,1\n")
    answers = ["dy/dx", "12", "3", "27", "3"]
    kept = [*csv.reader(io.StringIO(text, newline="")), ["h\\x1b[2Ji", "1"]]
    shown = [*csv.reader(io.StringIO(done.out, newline=""))]
    assert shown == [[*row, answer] for row, answer in zip(kept, answers, strict=True)]


def test_rows_that_are_not_there_are_told(autodiff):
    for text in "", "x\n":
        done = autodiff("grad", "-e", "x = 1; y = x**3", "--each", "-", "--format", "csv", input=text)
        assert (done.out, done.returncode, done.err) == ("", 0, "note: <stdin> has no rows\n")


ROWS = np.array([[0.0, 1.0], [1.5, -3.0], [1e-300, np.pi], [2.0, np.nan]])


def rows_of_file(kind, path):
    """Write ROWS to a file of a kind, and return the options that name its columns."""
    if kind == "matrix":
        np.save(path, ROWS)
        return ("--columns", "t,v")
    if kind == "arrays":
        np.savez(path, t=ROWS[:, 0], v=ROWS[:, 1])
        return ()
    path.write_text(json.dumps([{"t": t, "id": 7, "v": v} for t, v in ROWS.tolist()], indent=1))
    return ()


@pytest.mark.parametrize(("kind", "suffix"), [("matrix", ".npy"), ("arrays", ".npz"), ("list", ".json")])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rows_of_files_that_are_read_whole(autodiff, tmp_path, kind, suffix, jobs):
    """They have the answers of the same rows as a table."""
    options = rows_of_file(kind, tmp_path / f"rows{suffix}")
    code = ("grad", "-e", "a = 2; L = (a*t - v)**2", "--format", "csv", "--value", "--jobs", jobs)
    table = "t,v\n" + "".join(f"{t!r},{v!r}\n" for t, v in ROWS.tolist())
    expected = autodiff(*code, "--each", "-", input=table)
    done = autodiff(*code, "--each", f"rows{suffix}", *options)
    assert (done.returncode, done.out, done.err) == (expected.returncode, expected.out, expected.err)
    assert len(done.out.splitlines()) == 5


def test_rows_of_arrays_may_be_arrays(autodiff, tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.arange(6.0).reshape(2, 3), y=np.array([1, 2]))
    done = autodiff("grad", "-e", "w = 2; L = (w*X).sum() - y", "--each", "rows.npz", "--wrt", "w")
    assert done.out == '{"row": 1, "grad": {"w": 3.0}}\n{"row": 2, "grad": {"w": 12.0}}\n'
    np.savez(tmp_path / "rows.npz", X=np.ones(3), y=np.ones(2))
    done = autodiff("grad", "-e", "w = 2; L = w*X - y", "--each", "rows.npz")
    assert "rows.npz: its arrays have no rows in common: `X` of (3,), `y` of (2,)\n" in done.err


def test_columns_of_a_list_keep_what_they_are(autodiff, tmp_path):
    rows_of_file("list", tmp_path / "rows.json")
    done = autodiff("grad", "-e", "L = t**2", "--each", "rows.json", "--keep", "--format", "csv")
    assert done.out.splitlines()[:2] == ["t,id,v,dL/dt", "0,7,1,0"]


@pytest.mark.parametrize(
    ("name", "text", "says", "helps"),
    [
        (
            "rows.json",
            "[[1, 2]]",
            "its list holds more than objects",
            'write objects, as in [{"x": 1}, {"x": 2}]',
        ),
        ("rows.json", "[{]", "this is no JSON", ""),
        ("rows", '[{"x": 1}]', "it is one list of JSON", "write an object a line, as jq -c '.[]' does"),
        ("rows.xlsx", "PK", "files with the suffix .xlsx are not read", "save the table as CSV"),
        ("rows.csv.gz", "PK", "files with the suffix .gz are not read", "unpack it first"),
    ],
)
def test_files_without_rows_say_what_to_write(autodiff, write, name, text, says, helps):
    write(text, name)
    done = autodiff("grad", "-e", "x = 1; y = x**2", "--each", name)
    assert (done.returncode, done.out) == (2, "")
    assert says in done.err
    assert helps in done.err


def test_a_name_with_values_from_two_options_is_refused(autodiff):
    done = autodiff("grad", "-e", "x = 1; y = x**3", "--each", "-", "--set", "x=2", input="x\n1\n")
    assert (done.returncode, "both --each and --set give `x`" in done.err) == (2, True)
    done = autodiff("grad", "-e", "x = 1; y = x**3", "--sweep", "x=0:1:1", "--set", "x=2")
    assert (done.returncode, "both --sweep and --set give `x`" in done.err) == (2, True)
    done = autodiff("grad", "-e", "x = 1; c = 1; y = c*x**3", "--each", "-", "--set", "c=2", input="x\n1\n")
    assert (done.returncode, done.out) == (0, "6\t1\n")


def test_annotations_of_bad_rows_name_the_file_of_the_rows(autodiff, write):
    write("x\n\n1\nno\n0\n", "in.csv")
    write("x = 1.\nif x == 0:\n    y = x[3]\ny = x**2\n", "s.ad")
    done = autodiff("grad", "s.ad", "--each", "in.csv", "--diagnostics", "github")
    first, second = (line for line in done.err.splitlines() if line.startswith("::error"))
    assert first.startswith(
        "::error file=in.csv,line=4,col=1,endLine=4,endColumn=3,title=E0619::row 2 (line 4)"
    )
    assert second.startswith("::error file=s.ad,line=3,")


def test_fail_fast_stops_at_the_first_bad_row(autodiff):
    done = autodiff("grad", "-e", "x = 1; L = x**2", "--each", "-", "--fail-fast", input="x\n1\nno\n3\n")
    assert (done.returncode, done.out) == (4, "2\n\n")


def test_a_header_waits_for_the_first_answer(autodiff):
    done = autodiff(
        "grad", "-e", "x = 1; L = x**2", "--each", "-", "--keep", "--format", "tsv", input="x\nno\n3\n"
    )
    assert done.out == "x\tdL/dx\nno\t\n3\t6\n"


@pytest.mark.parametrize("column", ["y", "dy/dx"])
def test_a_kept_column_is_not_called_as_an_answer(autodiff, column):
    asked = ("grad", "-e", "x = 1; y = x**2", "--each", "-", "--keep", "--value", "--format")
    text = f"{column},x\na,2\n"
    done = autodiff(*asked, "csv", input=text)
    assert (done.returncode, done.out) == (2, "")
    assert (
        f"error[E0610]: --keep: the rows have a column `{column}`, and an answer is called so too" in done.err
    )
    row = json.loads(autodiff(*asked, "jsonl", input=text).out)
    assert row == {"row": 1, "keep": {column: "a", "x": "2"}, "value": 4, "grad": {"x": 4}}


def test_many_bad_rows_have_few_messages(autodiff):
    text = "x\n1\n" + "no\n" * 50
    done = autodiff("grad", "-e", "x = 1; L = x**2", "--each", "-", input=text)
    assert done.err.count("error[E0619]") == 20
    assert "note: 50 of 51 rows have no gradient" in done.err


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["--sweep", "x=0:1:0.25"], ["0", "0.25", "0.5", "0.75", "1"]),
        (["--sweep", "x=0:0.3:0.1"], ["0", "0.1", "0.2", "0.3"]),
        (["--sweep", "x=2:1:-0.5"], ["2", "1.5", "1"]),
        (["--sweep", "x=log:1:100:3"], ["1", "10", "100"]),
        (["--sweep", "x=[3, 1]"], ["3", "1"]),
        (["--sweep", "x=0:pi/2:pi/4"], ["0", "0.7853981633974483", "1.5707963267948966"]),
        (["--sweep", "x=linspace(0, 2, 3)"], ["0", "1", "2"]),
    ],
)
def test_the_values_of_a_sweep(autodiff, words, rows):
    done = autodiff("grad", "-e", "x = 1; L = 3*x", *words)
    assert done.out == "".join(f"{row}\t3\n" for row in rows)


def test_several_sweeps_are_combined(autodiff):
    done = autodiff(
        "grad", "-e", "x = 1; y = 1; L = x*y", "--sweep", "x=1:2:1", "--sweep", "y=[5, 7]", "--value"
    )
    assert [line.split("\t") for line in done.out.splitlines()] == [
        [str(n) for n in (x, y, x * y, y, x)] for x in (1, 2) for y in (5, 7)
    ]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("plain", "9\t6\t3\t1\n"),
        ("csv", "L,dL/dw[0],dL/dw[1],dL/db\n9,6,3,1\n"),
        ("jsonl", '{"row": 1, "value": 9.0, "grad": {"w": [6.0, 3.0], "b": 1.0}}\n'),
    ],
)
def test_the_value_and_the_gradients_of_a_single_run_are_one_line(autodiff, form, text):
    asked = ("grad", "-e", "w = [1., 2.]; b = 3.; L = 3*w[0]*w[1] + b")
    assert autodiff(*asked, "--value", "--format", form).out == text
    document = autodiff(*asked, "--format", "json").out
    assert autodiff(*asked, "--value", "--format", "json").out == document


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--sweep", "x=1:2:0"], "--sweep x: `1:2:0` has no values"),
        (["--sweep", "x=1:2"], "--sweep x takes first:last:step, log:first:last:points or a list, not `1:2`"),
        (["--sweep", "x=log:0:2:3"], "--sweep x takes first:last:step"),
        (["--sweep", "x=log:1:inf:3"], "--sweep x takes first:last:step"),
        (["--sweep", "x=0:inf:1"], "--sweep x: the ends and the step of a range are finite, not `inf`"),
        (["--sweep", "x[0]=0:5:1"], "--sweep takes whole variables: `x[0]` is one entry"),
        (["--sweep", "z=1:2:1"], "there is no variable `z` in the script"),
        (["--sweep", "x=1:2:1", "--each", "-"], "--each and --sweep both give the rows"),
        (["--sweep", "x=1:2:1", "--format", "npy"], "--format npy is not for rows"),
        (["--sweep", "x=1:2:1", "--order", "2"], "--order does not go with --sweep"),
        (["--keep"], "--keep is about the rows of --each, and there are none"),
        (["--value", "--format", "npy"], "--value writes one line, and --format npy has none"),
        (["--value", "--order", "2"], "--order does not go with --value"),
        (["--each", "rows.parquet"], "--each does not read the rows of .parquet files"),
        (["--each", "none.csv"], "cannot read none.csv: there is no such file"),
    ],
)
def test_what_rows_cannot_be(autodiff, words, says):
    done = autodiff("grad", "-e", "x = 1; L = x**2", *words)
    assert (done.returncode, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q,z\n1,2\n", "the script uses none of its columns: q, z"),
        ("1,2\n", "its columns have no names"),
        ("x,x\n1,2\n", "two columns are called `x`"),
    ],
)
def test_tables_that_give_no_rows(autodiff, text, says):
    done = autodiff("grad", "-e", "x = 1; L = x**2", "--each", "-", input=text)
    assert done.returncode == 2
    assert says in done.err


def test_a_stream_is_answered_as_it_comes():
    command = [sys.executable, "-m", "autodiff.cli", "grad", "-e", "x = 1; L = x**2", "--each", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"x\n")
        for x in (1, 2, 3):
            process.stdin.write(b"%d\n" % x)
            process.stdin.flush()
            assert process.stdout.readline() == b"%d\n" % (2 * x)


def test_a_large_table_is_read_in_blocks(autodiff, write):
    count = 120_000
    write("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(count)), "t.csv")
    done = autodiff("grad", "-e", "x = 1; y = 2; L = x*y + x**2", "--wrt", "x", "--each", "t.csv")
    assert done.out.splitlines() == [str(i % 7 + 2 * i) for i in range(count)]


@pytest.mark.parametrize("column", ["M", "m [kg]", "m (kg)", "m/kg", "M / kg"])
def test_a_column_that_is_nearly_an_input_is_noted(autodiff, column):
    done = autodiff("grad", "-e", FORMULA, "--each", "-", input=f"{column},r,mass,x\n1,2,3,4\n")
    assert done.err == f"note: column `{column}` of <stdin> is not used; the script has `m`\n"
    done = autodiff("grad", "-e", FORMULA, "--each", "-", input=f"{column},r,m\n1,2,3\n")
    assert (done.returncode, done.err) == (0, "")  # another column is the input


def test_what_the_script_computes_is_noted_once(autodiff):
    done = autodiff("grad", "-e", "q = 2.; r = 1.; Q = q**2*r", "--each", "-", input="Q,r\n1,2\n")
    assert done.err == "note: column `Q` of <stdin> is not used: the script computes it\n"


def test_functions_of_math_raise_for_the_rows_where_python_does(autodiff):
    code = "import math\nx = 1.; L = 1/math.log10(x) + math.exp(x)"
    done = autodiff("grad", "-e", code, "--each", "-", "--value", input="x\n2\n0\n-1\n1000\n10\n")
    first, *bad, last = done.out.splitlines()
    assert (len(first.split("\t")), bad, len(last.split("\t"))) == (2, ["\t"] * 3, 2)
    assert done.err.count("error[") == 3


def test_titles_are_short_where_the_table_is_wider_than_the_page(autodiff) -> None:
    code = "first = 2.; second = 3.; third = 4.; product_of_all = first*second*third"
    command = ("grad", "-e", code, "--sweep", "first=1:2:1", "--format", "table")
    table = autodiff(*command, env={"COLUMNS": "80"}).out.splitlines()
    assert table[0] == "d/dfirst is short for dproduct_of_all/dfirst"
    assert table[1].split() == ["first", "d/dfirst", "d/dsecond", "d/dthird"]
    assert max(map(len, table)) <= 80
    for width in ("20", "120"):  # neither where they fit nor where short ones do not
        whole = autodiff(*command, env={"COLUMNS": width}).out.splitlines()
        assert whole[0].split()[1:] == [f"dproduct_of_all/d{name}" for name in ("first", "second", "third")]
        assert [line.split() for line in whole[1:]] == [line.split() for line in table[2:]]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("-2:2:9", "; for 9 values, write -2:2:0.5"),
        ("2:1:-3", ""),
        ("0.1:0.4:0.5", ""),
    ],
)
def test_a_step_wider_than_the_range_is_noted(autodiff, values, told):
    done = autodiff("grad", "-e", "w = 2.; L = w**2", "--sweep", f"w={values}")
    step = values.rpartition(":")[2]
    note = f"note: --sweep w: the third number is the step, and {step} is wider than the range"
    assert (done.returncode, len(done.out.splitlines())) == (0, 1)
    assert done.err == f"{note}: there is one value{told}\n"


@pytest.mark.parametrize("values", ["1:1:9", "0:9:9", "-2:2:0.5"])
def test_other_steps_are_not_noted(autodiff, values):
    assert autodiff("grad", "-e", "w = 2.; L = w**2", "--sweep", f"w={values}").err == ""

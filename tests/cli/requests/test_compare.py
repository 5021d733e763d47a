"""``diff``: values and gradients of two scripts side by side; exit code 1 if something differs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from autodiff.cli.requests.compare import distance

OLD = "x = 2; w = [1, 3]; L = x*w[0]**2 + w[1]"


@pytest.mark.parametrize(
    ("new", "options", "out", "status"),
    [
        (OLD, [], "", 0),
        ("x = 2; w = [1, 3]; L = w[0]*w[0]*x + w[1]", [], "", 0),
        ("x = 2; w = [1, 3]; L = x*w[0]**2 + w[1] + 1", [], "L\t5\t6\n", 1),
        ("x = 2; w = [1, 3]; L = x*w[0]**2 + 2*w[1]", [], "L\t5\t8\ndL/dw\t4 1\t4 2\n", 1),
        ("x = 2; w = [1, 3]; L = x*w[0]**2 + 2*w[1]", ["--wrt", "x"], "L\t5\t8\n", 1),
        ("x = 2; w = [1, 3]; L = x*w[0]**2 + 1.001*w[1]", ["--rtol", "0.01"], "", 0),
        ("x = 2; w = [1, 3]; loss = x*w[0]**2 + w[1]", [], "", 0),
        ("x = 2; w = [1, 3, 5]; L = x*w[0]**2 + w[1]", [], "dL/dw\t4 1\t4 1 0\n", 1),
        ("x = 2; L = x*1 + 3", [], "dL/dw\t4 1\t-\n", 1),
        (
            "x = 2; b = 1; M = 3*x + 4*b",
            [],
            "L, M\t5\t10\ndL/dx, dM/dx\t1\t3\ndL/dw\t4 1\t-\ndM/db\t-\t4\n",
            1,
        ),
        (
            "x = 2; w = [1, 3]; M = 2*x*w[0]**2 + w[1]",
            [],
            "L, M\t5\t7\ndL/dx, dM/dx\t1\t2\ndL/dw, dM/dw\t4 1\t8 1\n",
            1,
        ),
        ("x = 2; w = [1, 3]; b = 0; L = x*w[0]**2 + w[1] + b", [], "dL/db\t-\t1\n", 1),
    ],
)
def test_only_what_differs_is_in_a_pipe(autodiff, write, new, options, out, status):
    write(OLD, "old.ad"), write(new, "new.ad")
    done = autodiff("diff", "old.ad", "new.ad", *options)
    assert (done.out, done.returncode) == (out, status)


def test_a_table_has_everything(autodiff, write):
    write(OLD, "old.ad"), write("x = 2; w = [1, 3]; L = x*w[0]**3 + w[1]", "new.ad")
    done = autodiff("diff", "old.ad", "new.ad", "--format", "table")
    assert done.out.splitlines() == [
        "old.ad and new.ad",
        "",
        "            old     new   difference",
        "  L           5       5   same",
        "  dL/dx       1       1   same",
        "  dL/dw   [4 1]   [6 1]   33.3 %",
        "",
        "1 of 3 differ",
    ]


def test_records_and_json(autodiff, write):
    write(OLD, "old.ad"), write("x = 3; L = x", "new.ad")
    done = autodiff("diff", "old.ad", "new.ad", "--format", "csv")
    assert done.out.splitlines() == [
        "name,index,old,new,differs",
        *("L,,5,3,true", "dL/dx,,1,1,false", "dL/dw,0,4,,true", "dL/dw,1,1,,true"),
    ]
    done = autodiff("diff", "old.ad", "new.ad", "--format", "jsonl")
    first, _, third, _ = map(json.loads, done.out.splitlines())
    assert first == {"name": "L", "index": [], "old": 5, "new": 3, "differs": True}
    assert third == {"name": "dL/dw", "index": [0], "old": 4, "new": None, "differs": True}
    done = autodiff("diff", "old.ad", "new.ad", "--format", "markdown")
    assert "| dL/dw[0] | 4 |  | true |\n" in done.out
    found = json.loads(autodiff("diff", "old.ad", "new.ad", "--format", "json").out)
    assert (found["old_script"], found["script"]["path"]) == ("old.ad", "new.ad")
    assert [(one["name"], one["differs"]) for one in found["values"]] == [
        ("L", True),
        ("dL/dx", False),
        ("dL/dw", True),
    ]


def test_one_script_may_come_from_a_pipe(autodiff, write):
    write(OLD, "old.ad")
    done = autodiff("diff", "old.ad", "-", input=OLD)
    assert (done.out, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "takes two scripts, not 0"),
        (["a.ad"], "takes two scripts, not 1"),
        (["-", "-"], "standard input can be read only once"),
        (["a.ad", "a.ad", "--rtol", "much"], "--rtol takes a number from 0 on, not `much`"),
        (["a.ad", "none.ad"], "cannot read none.ad: there is no such file"),
        (["a.ad", "a.ad", "-o", "d.npz"], "cannot write npz"),
    ],
)
def test_what_cannot_be_compared(autodiff, write, words, says):
    write(OLD, "a.ad")
    done = autodiff("diff", *words)
    assert done.returncode == 2
    assert says in done.err


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1.0, 1.0, 0),
        (1.0, 2.0, 0.5),
        (float("nan"), float("nan"), 0),
        (float("nan"), 1.0, np.inf),
        (np.array([1.0, np.inf]), np.array([1.0, np.inf]), 0),
        (np.array([1.0, np.inf]), np.array([2.0, np.inf]), 0.5),
        (np.array([1.0, -np.inf]), np.array([1.0, np.inf]), np.inf),
        (np.array([1e6, 0.0]), np.array([1e6, 1.0]), 1e-6),
        (np.zeros(2), np.zeros(3), np.inf),
        (None, 1.0, np.inf),
    ],
)
def test_the_distance(old, new, expected):
    assert distance(old, new) == expected


WIDE = """W = torch.tensor([[0.25, -1.5], [1/3, 2/3]])
b = torch.tensor([1/3, 2/3])
long_name = ((W @ b + {})**2).sum()
"""


def test_a_table_that_is_too_wide_has_rows_of_matrices_and_then_a_line_for_each_script(autodiff, write):
    write(WIDE.format(0), "old.ad"), write(WIDE.format(1), "new.ad")
    for width, shows in (
        (120, ["[-0.611111 -1.22222; 0.37037 0.740741]   [0.0555556 "]),
        (80, ["| -0.611111  -1.22222 |   | 0.0555556  0.111111 |"]),
        (
            50,
            [
                "\n  dlong_name/db  ",
                "\n    old   | -0.087963 |\n          | 3.49074   |\n    new   | 1.0787  |\n",
            ],
        ),
    ):
        out = autodiff("diff", "old.ad", "new.ad", "--format", "table", env={"COLUMNS": str(width)}).out
        assert max(map(len, out.splitlines())) <= width
        assert all(one in out for one in shows), out
        assert out.endswith("\n3 of 3 differ\n")

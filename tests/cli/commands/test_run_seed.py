"""The worked example of the first article, from the file to the page."""

from __future__ import annotations

import pytest

from tests.cli.render.test_render_reports import TREE
from tests.cli.reports import SEED_1


@pytest.fixture
def seed(write):
    write(SEED_1, "seed1.ad")
    return "seed1.ad"


def test_run_shows_values_gradients_graph_and_paths(autodiff, seed):
    done = autodiff("run", seed)
    assert (done.returncode, done.err) == (0, "")
    lines = done.out.splitlines()
    assert ["L", "=", "-7", "seed1.ad,", "line", "9"] in map(str.split, lines)
    rows = [line.split(maxsplit=4) for line in lines]
    for row in [
        ["x1", "1", "-2", "1", "-w2*w1"],
        ["x2", "2", "-3", "1", "-w3*w1"],
        ["w1", "1", "-8", "2", "-w2*x1 - w3*x2"],
        ["w2", "2", "-1", "1", "-x3"],
        ["w3", "3", "-2", "1", "-x4"],
    ]:
        assert row in rows
    assert "d parent/d node" in done.out
    assert "3 simplified  -w2*x1 - w3*x2\n" in done.out
    assert "4 numbers     -2*1 - 3*2\n" in done.out
    assert "5 value       -8\n" in done.out
    assert "check: backward() gives -8, difference 0\n" in done.out


def test_the_tree_has_the_local_derivatives(autodiff, seed):
    tree = autodiff("graph", seed).out
    found = [line.split() for line in tree.splitlines()]
    wanted = [line.split() for line in TREE.splitlines()]
    # The engine calls 1 - x by torch's name for it.
    assert [[word for word in row if word not in ("sub", "rsub")] for row in found] == [
        [word for word in row if word not in ("sub", "rsub")] for row in wanted
    ]


def test_the_derivation_of_the_article(autodiff, seed):
    text = autodiff("explain", seed, "--wrt", "w1").out
    assert "2 paths from L (line 9) to w1" in text
    assert "dL/dx5 * dx5/d(w2*x3) * d(w2*x3)/dx3 * dx3/dw1\n" in text
    assert "+ dL/dx5 * dx5/d(w3*x4) * d(w3*x4)/dx4 * dx4/dw1\n" in text
    assert "(-1) * (1) * (w2) * (x1)\n" in text
    assert "+ (-1) * (1) * (w3) * (x2)\n" in text


def test_the_two_paths_add_up(autodiff, seed):
    import json

    document = json.loads(autodiff("explain", seed, "--wrt", "w1", "--format", "json").out)
    (derivation,) = document["derivations"]
    assert [path["contribution"] for path in derivation["paths"]] == [-2.0, -6.0]
    assert derivation["steps"]["value"] == -8.0


def test_the_formula_alone(autodiff, seed):
    assert autodiff("explain", seed, "--wrt", "w1", "--format", "formula").out == "-w2*x1 - w3*x2\n"


def test_parts_can_be_chosen(autodiff, seed):
    out = autodiff("run", seed, "--show", "gradients").out
    assert "dL/d leaf" in out
    assert "d parent/d node" not in out
    assert "1 chain" not in out
    out = autodiff("run", seed, "--show", "graph,paths").out
    assert "d parent/d node" in out
    assert "1 chain" in out


def test_what_the_script_prints_comes_first(autodiff):
    done = autodiff("run", "-e", "w = 3; L = w**2; print(L)")
    assert done.out.startswith("9\n") or done.out.startswith("tensor(9.")
    assert "L = 9" in done.out


def test_dot(autodiff, seed):
    out = autodiff("graph", seed, "--format", "dot").out
    assert out.startswith("digraph autodiff {\n")
    assert out.count(" -> ") == 11
    assert 'label="x1 = 1"' in out


def test_mermaid(autodiff, seed):
    lines = autodiff("graph", seed, "--format", "mermaid").out.splitlines()
    assert lines[0] == "flowchart BT"
    assert '  n0["x1<br>1<br>dL: -2"]:::leaf' in lines
    assert '  n8["w3#42;x4<br>mul<br>6<br>dL: -1"]:::function' in lines
    assert '  n2 -->|"x1 = 1"| n5' in lines
    names = autodiff("graph", "-e", "x = 2; L = x * (x if '\"`<#;]' else 1)", "--format", "mermaid").out
    assert {line.count('"') for line in names.splitlines() if "[" in line} == {2}


def test_timings_are_told_when_asked(autodiff, seed):
    assert "backward" in autodiff("grad", "-v", seed).err


def test_a_terminal_gets_a_hint(on_terminal, seed):
    seen = on_terminal("run", seed, env={"LINES": "40"})[1]
    assert "11 nodes, 11 edges.  Why -8?  autodiff explain seed1.ad --wrt w1" in seen


def test_the_second_tensor_example(autodiff):
    code = "X = full((2, 2), 2.); W = full((2, 2), 0.5); b = tensor([4.]); Y = X @ W + b"
    done = autodiff("run", "--grad-output", "ones", "--wrt", "X,W,b", "-e", code)
    assert done.returncode == 0, done.err
    assert "\nY = | 6  6 |" in done.out
    assert "| 0.5  0.5 |   | 4  4 |" in done.out

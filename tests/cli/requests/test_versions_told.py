"""Reports on a name that was given many values: its versions and the paths through them are told apart."""

from __future__ import annotations

import json
import re

import pytest

LOOP = "x = torch.tensor(2., requires_grad=True)\nfor i in range({}):\n    x = x * 0.5 + x * 0.5\n"
#: The same with paths that contribute different amounts: those that contribute the same are told once.
UNLIKE = LOOP.replace("+ x * 0.5", "+ tanh(x)")


def paths_of(text: str) -> list[str]:
    """The rows of the table of paths, each on one line."""
    [table] = re.findall(r"^paths( .*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return re.split(r"\n *[-\d.e]+ +[-\d.e]+ % +", re.sub(r"\n {20,}(?=<-)", " ", "\n" + table))[1:]


def test_the_quotient_has_different_names_above_and_below(autodiff, write) -> None:
    done = autodiff("explain", write(LOOP.format(3)))
    assert done.out.startswith("dx_3/dx = 1 ")
    assert "8 paths from x_3 (line 3) to x (line 1)\n" in done.out


def test_short_paths_are_written_out(autodiff, write) -> None:
    rows = paths_of(autodiff("explain", write(UNLIKE.format(3))).out)
    assert "x_3 <- x_2*0.5 <- x_2 <- tanh(x_1) <- x_1 <- x*0.5 <- x" in rows
    assert len(rows) == len(set(rows)) == 8


def test_long_paths_are_told_apart(autodiff, write) -> None:
    rows = paths_of(autodiff("explain", write(UNLIKE.format(20))).out)
    assert len(rows) == len(set(rows)) == 10
    assert all(row.startswith("x_20 <- ") and row.endswith(" <- x") for row in rows)


def test_values_made_in_place_are_versions_as_well(autodiff, write) -> None:
    script = "w = torch.tensor([2.])\nfor i in range(3):\n    w -= 0.1 * w\nL = (w * w).sum()\n"
    out = autodiff("graph", write(script)).out
    assert out == autodiff("graph", write(script.replace("w -= 0.1 * w", "w = w - 0.1 * w"))).out
    assert "`- w_3*w_3 " in out


def test_a_change_under_the_name_of_a_loop_keeps_the_name(autodiff, write) -> None:
    loop = "w, b = torch.ones(2), torch.ones(2)\nfor p in [w, b]:\n    p -= 0.1 * p * p\nL = (w * b).sum()\n"
    out = autodiff("graph", write(loop)).out
    assert "w_1*b_1" in out
    assert "p -=" not in out


#: The names of all results, in order: an element has its number in the last turn or call too.
OF_TURNS = [
    (
        "xs = [1., 2.]; h = 0.\nfor t in range(2): h = tanh(h + xs[t])\nL = h*2",
        ["xs[0]", "0 + xs[0]", "h_1", "xs[1]", "h_1 + xs[1]", "h_2", "L"],
    ),
    (
        "w = torch.ones(2, requires_grad=True); xs = torch.tensor([[1., 2.], [3., 4.], [3., 4.]]); L = 0.\n"
        "for t in range(3): L = L + w @ xs[t]",
        ["w @ xs[0]", "L_1", "w @ xs[1]", "L_2", "w @ xs[2]", "L_3"],
    ),
    (
        "w = torch.tensor(2., requires_grad=True); xs = torch.tensor([1., 5., 5.]); L = 0.\n"
        "for t in range(3): L = L + w*xs[t]",
        ["w*xs[0]", "L_1", "w*5", "L_2", "w*5 (2nd)", "L_3"],
    ),
    (
        "xs = [1., 2.]\ndef f(i): return tanh(xs[i])\nL = f(0) + f(1)",
        ["xs[0]", "tanh(xs[0])", "xs[1]", "tanh(xs[1])", "L"],
    ),
    (
        "X = [[1., 2.], [3., 4.]]; L = 0.\nfor t in range(2): L = L + sin(X[t, 1])\nL = L*tanh(X[1, 0])",
        [
            "X[0]",
            "X[0][1]",
            "sin(X[0][1])",
            "L_1",
            "X[1]",
            "X[1][1]",
            "sin(X[1][1])",
            "L_2",
            "X[1] (line 3)",
            "X[1, 0]",
            "tanh(X[1, 0])",
            "L_3",
        ],
    ),
]


@pytest.mark.parametrize(("code", "found"), OF_TURNS)
def test_values_of_all_turns_and_calls_are_named_alike(autodiff, code, found) -> None:
    graph = json.loads(autodiff("graph", "-e", code, "--format", "json").out)["graph"]
    assert [
        node["name"] for node in graph["nodes"] if node["op"] not in ("leaf", "constant", "untracked")
    ] == found


def test_a_formula_has_the_elements_of_constants_by_their_numbers(autodiff) -> None:
    code = OF_TURNS[1][0]
    assert autodiff("explain", "-e", code, "--format", "formula").out == "xs[2] + xs[1] + xs[0]\n"

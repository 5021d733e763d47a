"""The layouts of the tables, the tree and the derivations, line by line."""

from __future__ import annotations

import re

import numpy as np
import pytest
from autodiff.cli.render.derivation import derivation_lines
from autodiff.cli.render.dot import dot_lines
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines, formula_text, run_lines
from autodiff.cli.render.tree import tree_lines
from autodiff.core.base.errors import LimitError, UsageError
from autodiff.core.report.entry_records import EntryDerivation
from autodiff.core.report.graph_records import Graph, GraphEdge
from autodiff.core.report.records import GradientReport, StandaloneFormula, Variable

from tests.cli.reports import node, seed_1_graph, seed_1_report, texts, w1_derivation

TABLE = """\
L = -7                                                          seed1.ad, line 9

  leaf                 value       dL/d leaf     paths   formula
  x1                       1              -2         1   -w2*w1
  x2                       2              -3         1   -w3*w1
  w1                       1              -8         2   -w2*x1 - w3*x2
  w2                       2              -1         1   -x3
  w3                       3              -2         1   -x4
"""

TREE = """\
node                    op     value   d parent/d node   dL/d node
L                       sub       -7                             1
`- x5                   add        8                -1          -1
   |- w2*x3             mul        2                 1          -1
   |  |- w2             leaf       2            x3 = 1          -1
   |  `- x3             mul        1            w2 = 2          -2
   |     |- w1          leaf       1            x1 = 1          -8
   |     `- x1          leaf       1            w1 = 1          -2
   `- w3*x4             mul        6                 1          -1
      |- w3             leaf       3            x4 = 2          -2
      `- x4             mul        2            w3 = 3          -3
         |- w1 (*)      leaf       1            x2 = 2          -8
         `- x2          leaf       2            w1 = 1          -3

(*) already shown above.  w1 is reached by 2 paths; its gradient is their sum.
"""

DERIVATION = """\
dL/dw1 = -8                            2 paths from L (line 9) to w1 (line 3)

1 chain       dL/dx5 * dx5/d(w2*x3) * d(w2*x3)/dx3 * dx3/dw1
            + dL/dx5 * dx5/d(w3*x4) * d(w3*x4)/dx4 * dx4/dw1
2 local       (-1) * (1) * (w2) * (x1)
            + (-1) * (1) * (w3) * (x2)
3 simplified  -w2*x1 - w3*x2
4 numbers     -2*1 - 3*2
5 value       -8

check: backward() gives -8, difference 0
"""


def test_table_of_the_first_seed():
    assert texts(gradient_lines(seed_1_report(), Page())) == TABLE


def test_tree_of_the_first_seed():
    report = seed_1_report()
    assert texts(tree_lines(report.graph, Page(), report.gradients)) == TREE


def test_box_drawing_says_the_same():
    drawn = texts(tree_lines(seed_1_graph(), Page(box=True)))
    plain = texts(tree_lines(seed_1_graph(), Page()))
    assert drawn.replace("├─", "|-").replace("└─", "`-").replace("│", "|") == plain
    assert "└─ x5" in drawn


def test_derivation_of_the_first_seed():
    assert texts(derivation_lines(w1_derivation(), Page(77))) == DERIVATION


def test_run_shows_the_parts_in_order():
    text = texts(run_lines(seed_1_report(), Page(), ("gradients", "graph", "paths")))
    table, tree, derivation = map(text.index, ("dL/d leaf", "d parent/d node", "1 chain"))
    assert tree < derivation < table


def test_short_terms_stand_side_by_side():
    derivation = w1_derivation(
        chain=("de/dc * dc/db", "de/dd * dd/db"), local=("(d) * (1)", "(c) * (1)"), numbers=("2", "4")
    )
    text = texts(derivation_lines(derivation, Page()))
    assert "1 chain       de/dc * dc/db  +  de/dd * dd/db\n" in text
    assert "2 local       (d) * (1)  +  (c) * (1)\n" in text
    assert "4 numbers     2 + 4\n" in text


def tensor_report():
    two, half = np.full((2, 2), 2.0), np.full((2, 2), 0.5)
    ones, four = np.ones((2, 2)), np.full((2, 2), 4.0)
    return GradientReport(
        "seed5.ad",
        Variable("Y", 5, (2, 2), "float64", np.full((2, 2), 6.0), ones, 1),
        "ones(2, 2)",
        (
            Variable("X", 1, (2, 2), "float64", two, ones, 1),
            Variable("W", 2, (2, 2), "float64", half, four, 1),
            Variable("b", 4, (1,), "float64", np.array([4.0]), np.array([4.0]), 1),
        ),
        None,
        (),
        (),
    )


def test_tensors_stand_in_blocks():
    text = texts(gradient_lines(tensor_report(), Page()))
    assert text.startswith("Y = | 6  6 |")
    assert "    | 6  6 |\n" in text
    assert "gradient of sum(G*Y), G = ones(2, 2)" in text
    assert "W      2x2     | 0.5  0.5 |   | 4  4 |" in text


def test_a_page_without_room_for_the_table_gives_every_input_its_own_lines():
    assert (
        texts(gradient_lines(tensor_report(), Page(72)))
        == """\
Y = | 6  6 |                                       2x2, seed5.ad, line 5
    | 6  6 |

  leaf   shape   value          dS/d leaf   paths
  X      2x2     | 2  2 |       | 1  1 |        1
                 | 2  2 |       | 1  1 |
  W      2x2     | 0.5  0.5 |   | 4  4 |        1
                 | 0.5  0.5 |   | 4  4 |
  b      1       [4]            [4]             1
  S = sum(G*Y), G = ones(2, 2)
"""
    )
    assert (
        texts(gradient_lines(tensor_report(), Page(40)))
        == """\
Y = | 6  6 |       2x2, seed5.ad, line 5
    | 6  6 |

  X                          2x2, 1 path
    value     | 2  2 |
              | 2  2 |
    gradient  | 1  1 |
              | 1  1 |
  W                          2x2, 1 path
    value     | 0.5  0.5 |
              | 0.5  0.5 |
    gradient  | 4  4 |
              | 4  4 |
  b                      1 entry, 1 path
    value     [4]
    gradient  [4]
  S = sum(G*Y), G = ones(2, 2)
"""
    )


def test_numbers_lose_digits_before_the_table_is_given_up():
    value = np.full((2, 3), 1 / 3)
    report = seed_1_report(
        gradients=(Variable("W", 1, (2, 3), "float64", value, value, 1),), graph=None, derivations=()
    )
    assert "| 0.333333  0.333333  0.333333 |" in texts(gradient_lines(report, Page(100)))
    narrow = texts(gradient_lines(report, Page(80)))
    assert "  W      2x3     | 0.333  0.333  0.333 |   | 0.333  0.333  0.333 |       1\n" in narrow
    assert narrow.count("| 0.333  0.333  0.333 |") == 4


def test_what_is_no_name_stands_in_brackets_in_headings():
    def titles(name, width=80):
        output = Variable(name, 9, (), "float64", -7.0, 1.0, 1)
        return texts(gradient_lines(seed_1_report(output=output), Page(width)))

    assert " dloss/d leaf " in titles("loss")
    assert " d((x ** 2).sum())/d leaf " in titles("(x ** 2).sum()")
    assert " d(...)/d leaf " in titles("(x ** 2).sum() / 123456", 60)


def test_a_long_path_keeps_the_name_of_the_file():
    report = seed_1_report(script="/a/very/long/way/down/to/the/script/named/seed1.ad")
    first = texts(gradient_lines(report, Page(40))).split("\n")[0]
    assert first.endswith("/named/seed1.ad, line 9")
    assert len(first) == 40


def test_a_remark_without_room_beside_a_line_stands_below_it():
    output = Variable("loss_of_the_whole_batch", 9, (), "float64", -7.123456, 1.0, 1)
    lines = texts(gradient_lines(seed_1_report(output=output), Page(40))).split("\n")
    assert lines[0] == "loss_of_the_whole_batch = -7.12346"
    assert lines[1] == "seed1.ad, line 9".rjust(40)


def test_derivation_of_a_tensor():
    derivation = w1_derivation(
        output="Y",
        wrt="W",
        count=1,
        paths=(),
        chain=("G . dY/da . da/dW",),
        local=("da/dW: X.T @ (incoming)",),
        simplified="X.T @ G",
        numbers=("| 2  2 |T   | 1  1 |\n| 2  2 |  @ | 1  1 |",),
        value=np.full((2, 2), 4.0),
        backward=np.full((2, 2), 4.0),
        is_scalar=False,
        weight="ones(2, 2)",
        entry=EntryDerivation(
            (0, 1),
            "S",
            "W[0,1]",
            value=4.0,
            backward=4.0,
            values={},
            difference=0.0,
            formula="X[0,0]*G[0,1] + X[1,0]*G[1,1]",
            numbers=("2*1", "2*1"),
        ),
    )
    text = texts(derivation_lines(derivation, Page()))
    assert text.startswith("W gets | 4  4 |")
    assert "4 numbers     | 2  2 |T   | 1  1 |\n              | 2  2 |  @ | 1  1 |\n" in text
    assert "5 value       | 4  4 |\n              | 4  4 |\n" in text
    assert "one entry:    dS/dW[0,1] = X[0,0]*G[0,1] + X[1,0]*G[1,1] = 2*1 + 2*1 = 4\n" in text
    assert "check: backward() gives the same matrix, largest difference 0\n" in text
    assert "check: backward() gives 4 at [0,1], difference 0\n" in text


def test_large_tensors_are_summarised():
    value = np.linspace(-1, 1, 784 * 128).reshape(784, 128)
    report = GradientReport(
        "net.ad",
        Variable("L", 9, (), "float64", 1.5, 1.0, 1),
        None,
        (Variable("W", 1, value.shape, "float64", value, value, 1),),
        None,
        (),
        (),
    )
    text = texts(gradient_lines(report, Page(130)))
    assert "  W      784x128   min -1  mean " in text
    assert text.count("|g| 183") == 1  # only that of the gradient
    narrow = texts(gradient_lines(report, Page(60)))
    assert narrow.endswith(
        """
  W                                          784x128, 1 path
    value     min -1  mean -3.63e-17  max 1
    gradient  min -1  mean -3.63e-17  max 1  |g| 183
"""
    )


def test_dot_escapes_names():
    graph = Graph(
        1,
        (node(0, 'a"b\\n', "leaf", 1.0, 1.0), node(1, "L", "exp", 1.0, 1.0, (0,))),
        (GraphEdge(1, 0, 0, 1.0, "1"),),
    )
    text = "\n".join(dot_lines(graph, Page()))
    assert 'label="a\\"b\\\\n\\n1\\ndL: 1"' in text
    assert "n0 -> n1" in text
    assert "fillcolor=orange" in text


def test_formula_is_bare():
    report = seed_1_report(
        derivations=(w1_derivation(complete=StandaloneFormula(lambda: ("-w2*x1 - w3*x2", ""))),)
    )
    assert formula_text(report) == "-w2*x1 - w3*x2\n"


def test_a_formula_that_is_too_long_is_refused():
    with pytest.raises(LimitError, match="the formula of the gradient for w1 is too long"):
        formula_text(seed_1_report())


def test_a_formula_with_a_part_that_no_expression_gives_is_refused():
    derivation = w1_derivation(complete=StandaloneFormula(lambda: ("", "Half.backward")))
    with pytest.raises(UsageError, match=r"`Half\.backward`") as refusal:
        formula_text(seed_1_report(derivations=(derivation,)))
    assert refusal.value.code == "E0617"


def test_explain_writes_one_derivation_after_the_other():
    text = texts(explain_lines(seed_1_report(derivations=(w1_derivation(), w1_derivation(wrt="w2"))), Page()))
    assert text.count("5 value") == 2


def test_the_check_line_says_how_far_paths_and_backward_are_apart():
    text = texts(derivation_lines(w1_derivation(difference=0.25), Page()))
    assert text.rstrip().endswith("check: backward() gives -8, difference 0.25")


def test_dot_puts_a_compound_output_in_brackets():
    graph = Graph(0, (node(0, "x * y", "leaf", 1.0, 1.0),), ())
    assert "d(x * y): 1" in "\n".join(dot_lines(graph, Page()))


@pytest.mark.parametrize("command", [("explain",), ("run",), ("graph",), ("explain", "--format", "latex")])
def test_constants_have_as_many_digits_as_are_asked_for(autodiff, command):
    code = "m = 2.\nk = 3.\nL = 3.123456789*m**2 + 7*cos(k*1.987654321)"
    for digits, shown in ((3, "3.12"), (8, "3.1234568"), (12, "3.123456789")):
        done = autodiff(*command, "--digits", str(digits), "-e", code)
        assert re.findall(r"3\.12\d*", done.out)
        assert set(re.findall(r"3\.12\d*", done.out)) <= {shown, "3.123456789"}
        assert shown in done.out

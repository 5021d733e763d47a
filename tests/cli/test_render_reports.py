"""The layouts of the tables, the tree and the derivations, line by line."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.cli.render.derivation import derivation_lines
from autodiff.cli.render.dot import dot_lines
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.numbers import block, exact_entries, inline, short, spell_count
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import path_lines
from autodiff.cli.render.reports import explain_lines, formula_text, run_lines
from autodiff.cli.render.tree import tree_lines
from autodiff.core.entry_report import Entry
from autodiff.core.errors import LimitError, UsageError
from autodiff.core.report import Complete, GradientReport, Graph, GraphEdge, Path, Use, Variable

from tests.cli.reports import leaf, node, seed_1_graph, seed_1_report, texts, w1_derivation

TABLE = """\
L = -7                                                          seed1.ad, line 9

  leaf                 value       dL/d leaf     paths
  x1                       1              -2         1
  x2                       2              -3         1
  w1                       1              -8         2
  w2                       2              -1         1
  w3                       3              -2         1
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
    assert table < tree < derivation


def test_short_terms_stand_side_by_side():
    derivation = w1_derivation(
        chain=("de/dc * dc/db", "de/dd * dd/db"), local=("(d) * (1)", "(c) * (1)"), numbers=("2", "4")
    )
    text = texts(derivation_lines(derivation, Page()))
    assert "1 chain       de/dc * dc/db  +  de/dd * dd/db\n" in text
    assert "2 local       (d) * (1)  +  (c) * (1)\n" in text
    assert "4 numbers     2 + 4\n" in text


def path_of(contribution, *nodes):
    return Path(nodes, ("dL/da",), ("1",), "1", contribution)


def test_paths_are_listed_by_what_they_give_and_what_cancels_is_named():
    derivation = w1_derivation(
        count=5,
        paths=(path_of(2.0, "L", "a", "w"), path_of(-5.2, "L", "b", "w"), path_of(5.2, "L", "c", "w")),
        value=2.5,
        backward=2.5,
        magnitude=13.0,
    )
    assert texts(path_lines(derivation, Page())) == (
        "\n"
        "paths         -5.2    40 %  L <- b <- w\n"
        "               5.2    40 %  L <- c <- w\n"
        "                 2  15.4 %  L <- a <- w\n"
        "              -5.2 (by b) and 5.2 (by c) cancel\n"
        "              without their signs all paths add up to 13\n"
    )
    assert "... 2 more paths, together 0.5\n" in texts(derivation_lines(derivation, Page()))


def test_long_paths_whose_ends_are_alike_show_what_tells_them_apart():
    shared = ("L", "p", "q", "r"), ("s", "t", "u", "w")
    ways = [(*shared[0], *inner, *shared[1]) for inner in (("b", "c"), ("b",), ("c",))]
    other = ("L", "v", *"abcdefg", "w")
    derivation = w1_derivation(
        count=5,
        paths=(
            *(path_of(4.0 - at, *way) for at, way in enumerate(ways)),
            path_of(1.0, *other),
            path_of(0.5, *other),
        ),
        value=10.5,
        backward=10.5,
        magnitude=10.5,
    )
    shown = texts(path_lines(derivation, Page())).splitlines()[1:6]
    assert [line[line.index("L") :] for line in shown] == [
        "L <- ... <- b <- c <- ... <- w",
        "L <- ... <- b <- ... <- w",
        "L <- ... <- c <- ... <- w",
        "L <- v <- a <- b <- ... <- f <- g <- w",
        "L <- v <- a <- b <- ... <- f <- g <- w",
    ]


def test_where_paths_are_left_out_the_formula_over_all_is_marked(autodiff):
    script = "x = 2; y = x*3 + sin(x) + x**2 + x; L = y*y"
    shown = autodiff("explain", "--top", "3", "-e", script).out.splitlines()
    [at] = [at for at, line in enumerate(shown) if line.startswith("3 simplified")]
    assert shown[at - 1].endswith("steps 3 to 5 sum all 8")
    assert "sum all" not in autodiff("explain", "--top", "8", "-e", script).out


def test_the_number_of_paths_does_not_stand_between_the_rows_of_a_matrix(autodiff):
    name = "the_weight_of_this_long_name"
    shown = autodiff("explain", "-e", f"{name} = [1., 2.]; the_output = ({name}**2).sum()").out.splitlines()
    assert [line.strip() for line in shown[:3]] == [
        f"{name} gets | 2 |",
        "| 4 |",
        f"1 path from the_output (line 1) to {name} (line 1)",
    ]


def test_without_a_path_the_first_two_steps_say_so(autodiff):
    shown = autodiff("explain", "-e", "v = 2; x = 3; L = x*x", "--wrt", "v").out
    assert "\n1 chain       no path\n2 local       no path\n3 simplified  0\n" in shown


def test_paths_of_tensors_that_cancel_are_named():
    value = np.array([3.0, -1.0])
    paths = (
        path_of(value, "L", "a", "x"),
        path_of(-value, "L", "b", "x"),
        path_of(value / 2, "L", "c", "x"),
        path_of(np.zeros(2), "L", "d", "x"),
        path_of(np.zeros(2), "L", "e", "x"),
    )
    derivation = w1_derivation(count=5, paths=paths, value=value / 2, backward=value / 2, is_scalar=False)
    text = texts(path_lines(derivation, Page()))
    assert text.endswith("              up to 3 (by a) and up to 3 (by b) cancel\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 3.; u = x*2; L = 5*u - u*5 + u**3", "10 (by 5*u) and -10 (by u*5) cancel"),
        ("x = 3.; v = x*2; L = (v + 1)*7 - (v + 1)*7", "14 (by v + 1) and -14 (by v + 1 (2nd)) cancel"),
    ],
)
def test_paths_that_cancel_are_named_by_what_tells_them_apart(autodiff, code, said):
    """Both reach the input through one value, which says nothing about either."""
    assert f" {said}\n" in autodiff("explain", "-e", code, "--wrt", "x").out


def test_two_paths_cancel_one_pair_at_a_time():
    paths = (path_of(2.0, "L", "a", "w"), path_of(-2.0, "L", "b", "w"), path_of(-2.0, "L", "c", "w"))
    text = texts(path_lines(w1_derivation(count=3, paths=paths, magnitude=6.0, value=-2.0), Page()))
    assert text.count(" cancel\n") == 1
    assert "cancel" not in texts(
        path_lines(
            w1_derivation(count=2, paths=(path_of(2.0, "L", "a", "w"), path_of(-2.001, "L", "b", "w"))),
            Page(),
        )
    )


def test_uses_are_listed_where_they_say_more_than_the_paths():
    uses = (Use("w*x", 3, 1, 1, 1.0), Use("w*y", None, 0, 2**40, -3.0))
    few = w1_derivation(count=2, uses=uses, use_count=2)
    assert "uses" not in texts(path_lines(few, Page()))
    many = w1_derivation(count=2**40 + 1, uses=uses, use_count=7, magnitude=4.0)
    assert (
        "uses          -3  75 %  in w*y, 1.10e12 paths\n"
        "               1  25 %  in w*x, line 3, 1 path\n"
        "              ... 5 more uses\n"
    ) in texts(path_lines(many, Page()))


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
  b      1       | 4 |          | 4 |           1
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
  b                            1, 1 path
    value     | 4 |
    gradient  | 4 |
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
        entry=Entry(
            (0, 1),
            "S",
            "W[0,1]",
            value=4.0,
            backward=4.0,
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
    assert text.count("|g| 183") == 2
    narrow = texts(gradient_lines(report, Page(60)))
    assert narrow.endswith(
        """
  W                                          784x128, 1 path
    value     min -1  mean -3.63e-17  max 1  |g| 183
    gradient  min -1  mean -3.63e-17  max 1  |g| 183
"""
    )


def test_a_shared_inner_node_prints_its_inputs_once():
    graph = Graph(
        4,
        (
            node(0, "x", "leaf", 0.5, 5.30822),
            node(1, "z", "exp", 1.64872, 3.2196, (0,)),
            node(2, "z*z", "mul", 2.71828, 1.0, (1, 1)),
            node(3, "sin(z)", "sin", 0.996965, 1.0, (1,)),
            node(4, "L", "add", 3.71525, 1.0, (2, 3)),
        ),
        (
            GraphEdge(1, 0, 0, 1.64872, "z"),
            GraphEdge(2, 1, 0, 1.64872, "z"),
            GraphEdge(2, 1, 1, 1.64872, "z"),
            GraphEdge(3, 1, 0, -0.0778461, "cos(z)"),
            GraphEdge(4, 2, 0, 1.0, "1"),
            GraphEdge(4, 3, 1, 1.0, "1"),
        ),
    )
    text = texts(tree_lines(graph, Page()))
    assert text.count("leaf") == 1
    assert text.count("z (*)") == 2
    assert "cos(z) = -0.0778461" in text


def chain(length):
    nodes = tuple(
        node(k, f"x{k}", "exp" if k else "leaf", 1.0, 1.0, (k - 1,) * bool(k)) for k in range(length)
    )
    return Graph(length - 1, nodes, tuple(GraphEdge(k, k - 1, 0, 1.0, "1") for k in range(1, length)))


def test_a_deep_chain_neither_indents_nor_recurses():
    lines = texts(tree_lines(chain(100_000), Page())).splitlines()
    assert len(lines) == 100_001
    assert max(map(len, lines)) < 80
    assert lines[-1].lstrip().startswith("`- x0 ")


def staircase(length):
    """Every node is the sum of the next and a leaf, so that each level is one deeper."""
    nodes, edges = [], []
    for k in range(length):
        nodes.append(node(2 * k, f"a{k}", "leaf", 1.0, 1.0))
        inputs = (2 * k, 2 * k - 1) if k else (0,)
        nodes.append(node(2 * k + 1, f"s{k}", "add", 1.0, 1.0, inputs))
        edges += [GraphEdge(2 * k + 1, below, at, 1.0, "1") for at, below in enumerate(inputs)]
    return Graph(2 * length - 1, tuple(nodes), tuple(edges))


def test_indentation_stops_and_the_depth_is_a_number():
    text = texts(tree_lines(staircase(40), Page()))
    assert "[37] s2 " in text
    assert "\n[5] is the number of steps from the output: rows this deep are not indented\nfurther.\n" in text
    assert "steps from the output" not in texts(tree_lines(staircase(3), Page()))
    assert max(map(len, text.splitlines())) < 100
    for k in range(40):
        assert f" a{k} " in text
        assert f"s{k} " in text


def test_rows_left_out_are_counted():
    text = texts(tree_lines(chain(10_011), Page(rows=200)))
    assert "... 9,811 more nodes (--all)" in text
    assert len(text.splitlines()) == 202


def test_hostile_names_cannot_steer_the_terminal():
    name = "w\x1b[2J\u202e\x9b[/x][bold]"
    graph = Graph(
        1,
        (node(0, name, "leaf", 1.0, 1.0), node(1, "L", "exp", 1.0, 1.0, (0,))),
        (GraphEdge(1, 0, 0, 1.0, name),),
    )
    report = seed_1_report(
        graph=graph,
        gradients=(leaf(name, 1, 1.0, 1.0),),
        derivations=(w1_derivation(wrt=name, simplified=name),),
    )
    text = texts(run_lines(report, Page(), ("gradients", "graph", "paths"))) + "".join(
        dot_lines(graph, Page())
    )
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "w\\x1b[2J\\u202e\\x9b[/x][bold]" in text


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
    report = seed_1_report(derivations=(w1_derivation(complete=Complete(lambda: ("-w2*x1 - w3*x2", ""))),))
    assert formula_text(report) == "-w2*x1 - w3*x2\n"


def test_a_formula_that_is_too_long_is_refused():
    with pytest.raises(LimitError, match="the formula of the gradient for w1 is too long"):
        formula_text(seed_1_report())


def test_a_formula_with_a_part_that_no_expression_gives_is_refused():
    derivation = w1_derivation(complete=Complete(lambda: ("", "Half.backward")))
    with pytest.raises(UsageError, match=r"`Half\.backward`") as refusal:
        formula_text(seed_1_report(derivations=(derivation,)))
    assert refusal.value.code == "E0617"


def test_explain_writes_one_derivation_after_the_other():
    text = texts(explain_lines(seed_1_report(derivations=(w1_derivation(), w1_derivation(wrt="w2"))), Page()))
    assert text.count("5 value") == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-8.0, "-8"),
        (0.1 + 0.2, "0.3"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (-0.0, "0"),
        (123456789.0, "123456789"),
        (1234.5678, "1234.57"),
    ],
)
def test_numbers_for_people(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (-8.0, ["-8"]),
        (0.1 + 0.2, ["0.30000000000000004"]),
        (float("inf"), ["inf"]),
        (float("nan"), ["nan"]),
        (None, ["None"]),
        (np.array([0.1, 2], dtype="float32"), ["0.1", "2"]),
        (np.array(0.1, dtype="float32"), ["0.1"]),
    ],
)
def test_numbers_for_programs(value, texts):
    assert exact_entries(value) == texts


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (np.array([[1.0, 2.5], [30.0, 4.0]]), ["| 1   2.5 |", "| 30  4   |"]),
        (np.array([1.0, 2.0]), ["| 1 |", "| 2 |"]),
        (np.zeros((0, 3)), ["0x3   empty"]),
        (np.array(3.0), ["3"]),
    ],
)
def test_blocks(value, lines):
    assert block(value) == lines


def test_inline_values():
    assert inline(np.array([[1.0, 2.0], [3.0, 4.0]])) == "[1 2; 3 4]"
    assert inline(None) == "None"


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1"), (9811, "9,811"), (2**100, "1.27e30"), (10**15, "1.00e15"), (999_999_999_999_999, "1.00e15")],
)
def test_counts(count, text):
    assert spell_count(count) == text


def test_the_check_line_says_how_far_paths_and_backward_are_apart():
    text = texts(derivation_lines(w1_derivation(difference=0.25), Page()))
    assert text.rstrip().endswith("check: backward() gives -8, difference 0.25")


def test_dot_puts_a_compound_output_in_brackets():
    graph = Graph(0, (node(0, "x * y", "leaf", 1.0, 1.0),), ())
    assert "d(x * y): 1" in "\n".join(dot_lines(graph, Page()))

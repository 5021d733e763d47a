"""Graphs on a screen: shared nodes once, deep chains without recursion, hostile names made harmless."""

from __future__ import annotations

import re

import pytest
from autodiff.cli.render.dot import dot_lines
from autodiff.cli.render.numbers import short
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import run_lines
from autodiff.cli.render.tree import entries, spell_locals, tree_lines, walk
from autodiff.cli.render.tree_layout import DEEPEST_INDENT, draw, indents
from autodiff.core.report.graph_records import Graph, GraphEdge

from tests.cli.reports import leaf, node, seed_1_report, texts, w1_derivation


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


LEGEND = [
    "[7] is the number of steps from the output, of rows that are not indented",
    "further.",
]


def test_a_deep_chain_neither_indents_nor_recurses():
    lines = texts(tree_lines(chain(100_000), Page())).splitlines()
    assert lines[100_001:] == ["", *LEGEND]
    assert max(map(len, lines)) < 80
    assert lines[100_000].lstrip().startswith("[99999] x0 ")


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
    assert "\n[5] is the number of steps from the output, of rows that are not indented\nfurther.\n" in text
    assert "steps from the output" not in texts(tree_lines(staircase(3), Page()))
    assert max(map(len, text.splitlines())) < 100
    for k in range(40):
        assert f" a{k} " in text
        assert f"s{k} " in text


@pytest.mark.parametrize("graph", [chain(300), staircase(300), staircase(2)])
@pytest.mark.parametrize("deepest", [4, DEEPEST_INDENT])
def test_the_guides_are_as_wide_as_they_were_measured(graph, deepest):
    rows, _ = walk(graph, Page())
    guides, _ = draw(rows, deepest, Page())
    assert indents(rows, deepest) == [len(guide) for guide in guides]


def test_a_row_that_is_not_below_the_row_before_it_says_how_deep_it_is():
    """Chains of single inputs in a staircase: two rows at the same place would be read as siblings."""
    nodes, edges = [node(0, "x", "leaf", 1.0, 1.0)], []
    for k in range(1, 40):
        inputs = (k - 1, 0) if k % 3 == 0 else (k - 1,)
        nodes.append(node(k, f"s{k}", "add", 1.0, 1.0, inputs))
        edges += [GraphEdge(k, below, at, 1.0, "1") for at, below in enumerate(inputs)]
    rows, _ = walk(Graph(39, tuple(nodes), tuple(edges)), Page())
    guides, _ = draw(rows, DEEPEST_INDENT, Page())
    depths = rows.depths
    for at in range(1, len(guides)):
        is_below = depths[at] > depths[at - 1] and len(guides[at]) > len(guides[at - 1])
        is_marked = f"[{depths[at]}] " in guides[at]
        assert is_below or is_marked or depths[at] <= depths[at - 1]
    assert sum("[" in guide for guide in guides) > 20


def test_rows_left_out_are_counted():
    text = texts(tree_lines(chain(10_011), Page(rows=200)))
    assert "... 9,811 more nodes (--all)" in text
    assert len(text.splitlines()) == 202 + len(["", *LEGEND])


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


NUMBERS = [
    [0.1, 2.5, -3.0],
    [0.0, -0.0, 1e-310],
    [1.0, -0.0, 1e300],
    [float("nan"), 1e300],
    [1.0, float("nan"), 1e300, -1e-10],
    [float("inf"), -float("inf")],
    [999999.4, 999999.5, 1e6, 123456789.0],
    [],
]


@pytest.mark.parametrize("values", NUMBERS)
def test_numbers_in_a_tree_are_spelled_as_elsewhere(values: list[float]) -> None:
    assert entries(values, Page()) == [short(value) for value in values]
    ways = [GraphEdge(1, 0, 0, value, "x") for value in values * 2]
    assert spell_locals(ways, Page()) == [f"x = {short(value)}" for value in values] * 2


def test_in_a_pipe_each_node_has_a_line_of_its_own(autodiff, write):
    """So that ``grep`` finds a node with its value; a width that is asked for counts there, too."""
    script = write(
        "x = tensor(0.5, requires_grad=True)\nyy = tensor(2.0, requires_grad=True)\n"
        "a_long_name = torch.tanh(x*yy + x)*exp(x*yy - 2*x)\nL = a_long_name + exp(x)*yy\n"
    )
    tree = autodiff("graph", script, env={"COLUMNS": ""}).out.split("\n\n")[0].splitlines()
    assert [line.split()[-1] for line in tree[:2]] == ["node", "1"]
    assert len(tree) == 20
    assert max(map(len, tree)) > 80
    [row] = [line for line in tree if "torch.tanh" in line]
    assert "0.905148" in row
    narrow = autodiff("graph", script, env={"COLUMNS": "80"}).out.splitlines()
    assert max(map(len, narrow)) <= 80


RECURRENT = """w = 0.5
u = 0.8
xs = [1.0, 0.3, -0.6, 0.9, 0.4]
h = 0.
for x in xs:
    h = tanh(w*h + u*x)
L = (h - 1)**2
"""


def test_a_tree_of_some_depth_has_the_rows_of_the_whole_down_to_it(autodiff, write):
    script = write(RECURRENT)
    whole, part = (autodiff("graph", script, *more).out for more in ((), ("--depth", "5")))
    names = [re.sub(r"^[ |`-]*", "", line).split("  ")[0] for line in part.split("\n...")[0].splitlines()[1:]]
    assert names == ["L", "h_5 - 1", "h_5", "w*h_4 + u*x_5", "w*h_4", "w", "h_4", "u*x_5", "u", "x_5"]
    assert "\n... 20 more nodes (--depth)\n" in part
    assert "h_4 and h_5 are values" in part
    assert "G is the gradient" in whole
    assert "G is the gradient" not in part
    assert "more nodes" not in whole
    lines = {" ".join(line.split()) for line in whole.splitlines()}
    cut = [" ".join(line.split()) for line in part.splitlines()[1:8]]
    assert [line for line in cut if line not in lines] == []
    assert autodiff("graph", script, "--depth", "50").out == whole


def test_a_tree_higher_than_the_screen_is_followed_by_the_command_for_its_upper_part(on_terminal, write):
    script = write(RECURRENT).name
    seen = on_terminal("graph", script, "--color", "never")[1]
    command = seen.splitlines()[-1].partition(":  ")[2]
    assert command == f"autodiff graph {script} --depth 5"
    shorter = on_terminal(*command.split()[1:], "--color", "never")[1]
    assert len(shorter.splitlines()) < 24
    assert "upper part" not in shorter
    assert "upper part" not in on_terminal("graph", "-e", "x = 2; y = x*x", "--color", "never")[1]


@pytest.mark.parametrize(
    ("root", "options"),
    [
        ("h_5", ["--of", "h", "--wrt", "w", "--dtype", "float32", "--seed", "3"]),
        ("d2L/dw2", ["--order", "3", "--wrt", "w"]),
        ("dL/dw", ["--set", "w=0.7", "--order", "2", "--wrt", "w"]),
        ("L", ["--grad-output", "2.0"]),
    ],
)
def test_the_command_for_the_upper_part_draws_the_same_graph(root, options, on_terminal, write):
    whole = on_terminal("graph", write(RECURRENT).name, *options, "--color", "never")[1]
    command = " ".join(whole.partition("The upper part of the tree:")[2].split())
    assert {*options} < {*command.split()}
    part = on_terminal(*command.split()[1:], "--color", "never")[1]
    for drawn in (whole, part):
        names = [line.split()[0] for line in drawn.splitlines() if line.strip()]
        assert next(name for name in names if name not in ("node", "value")) == root


@pytest.mark.parametrize(
    "code",
    [
        "x=0.5; y=sin(x)*exp(x)",
        "x=0.5; y=sin(x)*exp(x)*cos(x)",
        "x=0.5; y=sin(x*exp(x))",
        "x=2; y=x**2*sin(x)",
    ],
)
@pytest.mark.parametrize("order", ["1", "2", "3"])
def test_a_tree_counts_the_paths_of_its_own_graph(code, order, autodiff):
    options = ["-e", code, "--order", order]
    [said] = re.findall(r"x is reached by (\d+) paths", autodiff("graph", *options).out)
    assert f" {said} paths from " in autodiff("explain", *options).out.splitlines()[0]


def test_a_tree_of_an_input_has_what_leads_to_it(autodiff, write):
    script = write(RECURRENT)
    shown = autodiff("graph", script, "--wrt", "w", "--depth", "6").out
    names = [
        re.sub(r"^[ |`-]*", "", line).split("  ")[0] for line in shown.split("\n...")[0].splitlines()[1:]
    ]
    assert names == ["L", "h_5 - 1", "h_5", "w*h_4 + u*x_5", "w*h_4", "w", "h_4", "w*h_3 + u*x_4"]
    assert "\n... 22 more nodes (--wrt, --depth)\n" in shown
    assert "u*x_4" not in autodiff("graph", script, "--wrt", "w").out.replace("+ u*x_4", "")
    drawn = autodiff("graph", script, "--wrt", "w", "--format", "svg").out
    assert ">u</text>" not in drawn
    assert ">w</text>" in drawn


def test_a_tree_of_an_input_that_does_not_lead_to_the_output_is_whole(autodiff):
    shown = autodiff("graph", "-e", "x = 1.; y = 2.; L = x**2", "--wrt", "y").out
    assert shown.splitlines()[2].startswith("`- x ")


def test_a_deep_tree_is_indented_less_before_its_rows_take_two_lines(autodiff, write):
    shown = autodiff("graph", write(RECURRENT), "--wrt", "w", env={"COLUMNS": "80"}).out.splitlines()
    assert shown[0].split() == ["node", "op", "value", "d", "parent/d", "node", "dL/d", "node"]
    assert shown[4].split() == ["[3]", "w*h_4", "+", "u*x_5", "add", *shown[4].split()[5:]]
    assert max(map(len, shown)) <= 80


NETWORK = """X = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
W1 = torch.tensor([[0.2, -0.4, 0.1], [0.7, 0.3, -0.5]], requires_grad=True)
b1 = torch.tensor([0.1, 0.0, -0.2], requires_grad=True)
W2 = torch.tensor([[0.5], [-0.3], [0.8]], requires_grad=True)
Y = torch.tanh(X @ W1 + b1) @ W2
loss = (Y ** 2).mean()
"""


def test_rows_on_two_lines_are_indented_as_deep_as_there_is_room(autodiff, write):
    tree = autodiff("graph", write(NETWORK), env={"COLUMNS": "80"}).out.split("\n\n")[0].splitlines()
    assert tree[1].split() == ["value", "dloss/d", "node"]
    assert max(map(len, tree)) <= 80
    assert "[5]" not in "\n".join(tree)
    at = next(number for number, line in enumerate(tree) if "`- W1 " in line)
    assert [tree[number].index(name) for name, number in (("W1", at), ("X @ W1 ", at - 2))] == [18, 15]

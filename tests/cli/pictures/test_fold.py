"""Parts of large graphs: what is folded, what stays true of it, and the two views of a graph."""

from __future__ import annotations

import os
import stat
from itertools import pairwise

import pytest
from autodiff.cli.pictures.fold import part_of, view_of
from autodiff.cli.pictures.picture import make_picture
from autodiff.cli.pictures.story import make_steps
from autodiff.cli.pictures.svg import svg_text
from autodiff.cli.render.page import Page
from autodiff.cli.requests import constructs
from autodiff.cli.requests.constructs import find_constructs
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from picture_scripts import SCRIPTS
from svg_geometry import Drawing

from tests.cli.pictures.test_svg import texts
from tests.cli.reports import SEED, SEED_1

pytest.importorskip("graphlay", reason="the layout library is not installed (pip install '.[pictures]')")

CALLS = """\
w = torch.tensor(0.4, requires_grad=True)
v = torch.tensor(1.5, requires_grad=True)
def layer(x, w):
    h = w*x
    return torch.tanh(h)
x = torch.tensor(1.0, requires_grad=True)
for i in range(6):
    x = layer(x, w)
    y = x*v
    x = y + w
L = (x - 1)**2
"""


def view(script, most, around="", depth=0):
    source = Source(script)
    execution = execute(source, Settings())
    report = describe(differentiate(execution, Settings()), source, events=True)
    kept = part_of(report.graph, around, depth)
    return report, view_of(report.graph, report.events, find_constructs(source), kept, most)


def test_the_loops_and_functions_of_a_script_are_found():
    source = Source(
        CALLS + "class Net:\n    def forward(self, x):\n        while x < 1:\n            x = x + 1\n"
    )
    assert [name for *_, name in find_constructs(source)] == [
        "layer()",
        "line 7",
        "Net.forward()",
        "line 14",
    ]


def test_a_script_without_loops_and_functions_is_not_parsed_again(monkeypatch):
    parsed, parse = [], constructs.parse_to_first_error
    monkeypatch.setattr(
        constructs, "parse_to_first_error", lambda source: parsed.append(source) or parse(source)
    )
    assert find_constructs(Source("w = 2.0\nL = w*3\n")) == []
    assert not parsed
    assert [name for *_, name in find_constructs(Source("for i in range(2):\n    w = 2.0\n"))] == ["line 1"]
    assert len(parsed) == 1


@pytest.mark.parametrize(("around", "depth", "count"), [("", 0, 2002), ("", 500, 501), ("h_9", 3, 7)])
def test_nodes_that_many_ways_lead_to_are_reached_once(around, depth, count):
    """Each step is used twice by the next, so that there are 2**2000 ways to the first."""
    nodes = [
        GraphNode(at, f"h_{at}", "mul", "MulBackward0", None, (), "float64", 1.0, 1.0, ())
        for at in range(2002)
    ]
    edges = [
        GraphEdge(at, at - 1, operand, 1.0, "1", None, 1.0) for at in range(1, 2002) for operand in (0, 1)
    ]
    kept = part_of(Graph(2001, tuple(nodes), tuple(edges), "L", 0), around, depth)
    assert len(kept) == count


def test_passes_of_a_loop_become_one_node_each_where_few_nodes_are_asked_for():
    report, made = view("w = 0.4\nx = 1\nfor i in range(20):\n" + CHANGING, 25)
    names = [node.name for node in made.graph.nodes]
    assert names[0] == "w"
    assert names[1:] == [f"line 3, pass {at}" for at in range(1, 21)]
    assert made.note.endswith("(--fold 0 draws all)")
    assert made.graph.nodes[-1].value == report.graph.nodes[report.graph.root].value


#: In a loop over i, passes that are not the same code for long.
CHANGING = """\
    if i*i % 7 < 3:
        x = x*w
    else:
        x = sin(x)
    x = tanh(w*x + 0.1)
"""
FIRST_PASS_SHORT = """\
w = 0.3
x = 1
for i in range(20):
    y = x*2
    for j in range(9):
        y = y - w*y
    x = tanh(y)
L = x
"""


@pytest.mark.parametrize(
    ("script", "folds", "nodes"),
    [
        ("w = 0.4\nx = 1\nfor i in range(12):\n    x = tanh(w*x + 0.1)\n", [], 37),
        ("w = 0.4\nx = 1\nfor i in range(50):\n    x = tanh(w*x + 0.1)\n", ["line 3, pass 2-49"], 8),
        (SCRIPTS["loop of 50 steps"], ["line 3, pass 3-49"], 13),
        (CALLS.replace("range(6)", "range(60)"), ["line 4 to 10"], 14),
        (
            FIRST_PASS_SHORT,
            ["line 5, pass 2-8", "line 5, pass 11-17", "line 4 to 7", "line 5, pass 173-179"],
            22,
        ),
    ],
    ids=["few nodes", "passes", "another first pass", "calls", "loops in a loop"],
)
def test_of_many_repeated_steps_the_first_and_the_last_are_drawn(script, folds, nodes):
    report, made = view(script, 300)
    assert [node.name for node in made.graph.nodes if node.op.endswith(" nodes")] == folds
    assert len(made.graph.nodes) == nodes
    whole = report.graph.nodes
    assert made.graph.nodes[-1].grad == whole[-1].grad == 1
    assert len(view(script, 0)[1].graph.nodes) == len(whole)


@pytest.mark.parametrize("most", [1, 2, 3, 6, 12, 18, 24])
def test_a_folded_graph_has_no_cycle_and_the_gradients_of_the_whole(most):
    report, made = view(CALLS, most)
    graph = made.graph
    assert len(graph.nodes) <= max(most, 2), "leaves and other nodes stay apart"
    assert len(made.shown) == len(report.graph.nodes)
    levels = [0] * len(graph.nodes)
    for _ in graph.nodes:
        for edge in graph.edges:
            levels[edge.output] = max(levels[edge.output], levels[edge.input] + 1)
    assert max(levels) < len(graph.nodes), "the longest path has each node once"
    folded = {id for id, node in enumerate(graph.nodes) if node.op.endswith(("nodes", "leaves"))}
    assert folded
    leaves = {node.name: node.grad for node in report.graph.nodes if node.op == "leaf"}
    for id, node in enumerate(graph.nodes):
        if node.op == "leaf":
            assert node.grad == leaves[node.name]
            sums = [event.sum for event in made.events.backward if event.node == id]
            assert sums[-1] == pytest.approx(node.grad), "also when it flows through folded nodes"
    along = [event.edge for event in made.events.backward[1:]]
    assert set(along) <= set(range(len(graph.edges)))
    assert all(one != other for one, other in pairwise(along)), "what flows along one edge is one step"
    make_steps(graph, made.events, Page())
    drawing = Drawing(svg_text(make_picture(graph, Page())))
    assert drawing.overlaps() == drawing.outside() == []


def test_a_call_is_a_node_of_its_own():
    script = CALLS.replace("    y = x*v\n", "    if i*i % 7 < 3:\n        x = x*v\n    y = x*v\n")
    _, made = view(script, 25)
    names = [node.name for node in made.graph.nodes]
    assert names.count("layer(), call 1") == names.count("layer(), call 6") == 1


def test_a_large_graph_is_drawn_and_says_what_is_folded(autodiff, tmp_path):
    code = "w = 0.4\nx = 1\nfor i in range(500):\n    x = tanh(w*x + 0.1)*1.01\n"
    done = autodiff("graph", "-e", code, "-o", "graph.html")
    assert done.returncode == 0
    assert "nodes are folded into" in done.err
    page = (tmp_path / "graph.html").read_text()
    assert "(--fold 0 draws all)" in page
    assert len(page) < 1_000_000
    refused = autodiff("graph", "-e", code, "-o", "graph.svg", "--fold", "0")
    assert "would be too large; 600 are allowed" in refused.err


def test_a_part_is_near_the_output_or_a_node():
    whole, made = view(SEED_1, 300, depth=1)
    assert [node.name for node in made.graph.nodes] == ["x5", "L"]
    assert made.graph.left_out == 9
    _, made = view(SEED_1, 300, around="x3", depth=1)
    assert [node.name for node in made.graph.nodes] == ["x1", "w1", "x3", "w2*x3"]
    make_steps(made.graph, made.events, Page())
    assert part_of(whole.graph, "", 0) == list(range(11))
    with pytest.raises(UsageError, match="no node of this name"):
        part_of(whole.graph, "x9", 0)


def test_a_part_without_leaves_is_folded_into_one_node():
    _, made = view(SEED_1, 1, depth=1)
    assert [(node.name, node.op) for node in made.graph.nodes] == [("line 8 to 9", "2 nodes")]
    assert made.graph.edges == ()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("x", "x_1, x_2, ..., x_8"),
        ("X_2", "x_2"),
        ("nothing", None),
    ],
)
def test_an_unknown_name_is_told_with_the_names_near_it(name, near):
    report, _ = view("w = torch.tensor(0.4, requires_grad=True)\nx = 1\n" + "x = x*w\n" * 8, 0)
    with pytest.raises(UsageError) as caught:
        part_of(report.graph, name, 0)
    assert caught.value.help[0].removeprefix("names near it: ") == near or near is None
    assert len(caught.value.help) == 1 + (near is not None)


def test_nodes_are_functions_or_tensors():
    report, _ = view(SEED_1, 300)
    ops = svg_text(make_picture(report.graph, Page(), "ops"))
    functions = ["MulBackward0"] * 4 + ["AddBackward0", "RsubBackward1"]
    assert texts(ops, "name") == ["x1", "x2", "w1", "w2", "w3", *functions]
    assert texts(ops, "op")[5:] == ["x3", "x4", "w2*x3", "w3*x4", "x5", "L"]
    tensors = svg_text(make_picture(report.graph, Page(), "tensors"))
    assert texts(tensors, "name")[5:] == ["x3", "x4", "w2*x3", "w3*x4", "x5", "L"]
    labels = texts(tensors, "label")
    assert labels[0] == "mul: x1 = 1"
    assert labels[-1] == "sub: −1"
    for svg in (ops, tensors):
        assert Drawing(svg).overlaps() == Drawing(svg).crossings() == []


def test_options_of_pictures_are_for_pictures(autodiff):
    options = (("--view", "ops"), ("--around", "x3"), ("--fold", "5"), ("--fold", "0"))
    for option in (*options, ("--open",)):
        done = autodiff("graph", SEED, *option)
        assert done.returncode == 2
        assert f"{option[0]} is for pictures" in done.err
    assert (
        "--depth is for trees and pictures" in autodiff("graph", SEED, "--format", "dot", "--depth", "1").err
    )
    for more in ((), ("--fold", "5")):
        done = autodiff("graph", SEED, "--format", "svg", "--open", *more)
        assert "--open needs a file" in done.err
    assert (
        "the graph has no node of this name" in autodiff("graph", SEED, "-o", "g.svg", "--around", "x9").err
    )


@pytest.mark.skipif(os.name != "posix", reason="the browser is a shell script here")
def test_the_file_is_opened_when_it_is_written(autodiff, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nhead -c 15 "${1#file://}" > "$0.seen"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    env = {"BROWSER": str(browser)}
    done = autodiff("graph", SEED, "-o", "graph.html", "--open", env=env)
    assert done.returncode == 0, done.err
    assert (tmp_path / "browser.seen").read_text() == "<!doctype html>"

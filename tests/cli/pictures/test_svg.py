"""A picture of a graph as SVG: what it says, that nothing overlaps, and that no text breaks it."""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree

import pytest
from autodiff.cli.pictures.picture import make_card, make_picture, make_wire
from autodiff.cli.pictures.svg import card_lines, label_lines, svg_text
from autodiff.cli.render.page import Page, fit
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from picture_scripts import SCRIPTS
from svg_geometry import SVG, Drawing

from tests.cli.reports import SEED, seed_1_graph

pytest.importorskip("graphlay", reason="the layout library is not installed (pip install '.[pictures]')")

#: Names that could break a picture: markup, ends of blocks, controls, marks that reorder or pile up.
HOSTILE = (
    *(
        "<script>alert(1)</script>",
        "a&b<c>d",
        "]]>",
        "--><!--",
        "\"'",
        "\x1b[31mred",
        "a\x00b\x7f",
        "\u202ex\u2066",
    ),
    *(
        "e" + "\u0301" * 500,
        "日本語" * 20,
        "\ud800",
        "\ufffe\uffff",
        "x" * 10_000,
        "",
        "\u2028\u2029",
        "&#0;&bad;",
    ),
)


def texts(svg, kind):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text") if text.get("class") == kind]


def graph_of(script):
    settings = Settings()
    execution = execute(Source(script), settings)
    graph = describe(differentiate(execution, settings), execution.source, derivations=False).graph
    assert graph is not None
    return graph


def graph_of_names(names):
    """A chain of nodes, in which every text is one of ``names``."""
    nodes = tuple(
        GraphNode(
            at, name, name if at else "leaf", name, at, (), "float64", 2.0, 1.0, (at - 1,) if at else ()
        )
        for at, name in enumerate(names)
    )
    edges = tuple(GraphEdge(at, at - 1, 0, 1.5, names[at]) for at in range(1, len(names)))
    return Graph(len(names) - 1, nodes, edges)


def test_the_first_seed_has_its_cards_labels_and_no_crossing():
    svg = svg_text(make_picture(seed_1_graph(), Page()))
    drawing = Drawing(svg)
    assert drawing.crossings() == []
    assert drawing.overlaps() == drawing.lost_labels() == drawing.outside() == []
    assert texts(svg, "name") == ["x1", "x2", "w1", "w2", "w3", "x3", "x4", "w2*x3", "w3*x4", "x5", "L"]
    assert texts(svg, "op") == ["leaf"] * 5 + ["mul"] * 4 + ["add", "sub"]
    assert texts(svg, "value") == ["1", "2", "1", "2", "3", "1", "2", "2", "6", "8", "−7"]
    assert texts(svg, "grad") == [
        f"∂ {d}" for d in ("−2", "−3", "−8", "−1", "−2", "−2", "−3", *["−1"] * 3, "1")
    ]
    labels = ["x1 = 1", "w1 = 1", "x2 = 2", "w1 = 1", "x3 = 1", "w2 = 2", "x4 = 2", "w3 = 3", "1", "1", "−1"]
    assert texts(svg, "label") == labels
    fills = {
        group.get("class"): group[1].get("fill")
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if (group.get("class") or "").startswith("node")
    }
    assert fills == {"node leaf": "#e9ebee", "node function": "#ffe2bd", "node function output": "#ffe2bd"}
    top = drawing.cards["n10"]
    assert all(top[3] < box[1] for name, box in drawing.cards.items() if name != "n10"), (
        "the output is on top"
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_overlaps(name):
    drawing = Drawing(svg_text(make_picture(graph_of(SCRIPTS[name]), Page())))
    assert drawing.overlaps() == drawing.lost_labels() == drawing.outside() == []


def test_the_layout_is_the_same_everywhere():
    prints = {make_picture(seed_1_graph(), Page()).fingerprint for _ in range(3)}
    assert prints == {"4a8d8d34488a84a7"}


def test_hostile_texts_stay_texts():
    svg = svg_text(make_picture(graph_of_names(HOSTILE), Page()))
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "title", "defs", "marker", "path", "rect", "g", "text"),
    }
    assert svg.isascii()
    assert all(character.isprintable() or character == "\n" for text in root.itertext() for character in text)
    drawing = Drawing(svg)
    assert drawing.overlaps() == drawing.outside() == []


def test_ten_thousand_names_are_well_formed():
    random = Random(1)
    signs = "\"'<>&;#x]-! \x00\x1b\x7f\u200b\u202e\u0301\ud83d\ufffe日é𝒙\U000e0001"
    made = ["<svg>"]
    for at in range(2_500):  # four names each
        name, op, symbol, output = ("".join(random.choices(signs, k=random.randint(0, 60))) for _ in range(4))
        node = GraphNode(1, name, op, op, at, (), "float64", 1.0, 1.0, (0,))
        graph = Graph(1, (node, node), (), output)
        card = make_card(node, graph, fit(output), Page(), random.choice(["", "ops", "tensors"]))
        wire = make_wire(GraphEdge(1, 0, 0, random.choice([None, 2.0]), symbol), graph, Page(), "tensors")
        made += [*card_lines(at, card, None, False), *label_lines(at, wire, None)]
    root = ElementTree.fromstring("".join([*made, "</svg>"]))
    assert len(root.findall("g")) > 4_900
    assert {element.tag for element in root.iter()} == {"svg", "g", "title", "rect", "text", "path"}
    assert all(character.isprintable() for text in root.itertext() for character in text)


def test_without_the_library_the_other_formats_work(autodiff, tmp_path):
    (tmp_path / "graphlay.py").write_text("raise ImportError('not installed')\n")
    without = {"PYTHONPATH": str(tmp_path)}
    done = autodiff("graph", SEED, "--format", "svg", env=without)
    assert (done.returncode, done.out) == (2, "")
    assert done.err == (
        "error[E0620]: a picture needs the library graphlay, which is not installed\n"
        "  = help: install it: python -m pip install 'graphlay>=0.3.1,<0.4'\n"
        "  = help: the formats tree, json, dot and mermaid need no library\n"
    )
    for form in ("tree", "json", "dot", "mermaid"):
        assert autodiff("graph", SEED, "--format", form, env=without).returncode == 0


def test_the_suffix_of_a_file_chooses_the_format(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.svg").returncode == 0
    assert ElementTree.fromstring((tmp_path / "graph.svg").read_text()).tag == f"{SVG}svg"

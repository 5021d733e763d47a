"""A picture of a graph as SVG: what it says, that nothing overlaps, and that no text breaks it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import pairwise
from random import Random
from xml.etree import ElementTree

import pytest
from autodiff.cli.command_line.options import FOLD
from autodiff.cli.pictures.fold import view_of
from autodiff.cli.pictures.picture import make_card, make_picture, make_wire
from autodiff.cli.pictures.svg import card_lines, label_lines, svg_text
from autodiff.cli.render.page import Page, fit
from autodiff.cli.requests.constructs import find_constructs
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS
from hostile_texts import HOSTILE
from picture_scripts import SCRIPTS
from svg_geometry import SVG, Drawing

from tests.cli.reports import SEED, seed_1_graph

pytest.importorskip("graphlay", reason="the layout library is not installed (pip install '.[pictures]')")


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


def test_there_are_pictures_of_twenty_shapes():
    assert len(SCRIPTS) >= 20


@cache
def folded_graph(name):
    """As ``autodiff graph`` draws it: repeated steps are folded."""
    source = Source(SCRIPTS[name])
    report = describe(differentiate(execute(source, Settings()), Settings()), source, events=True)
    kept = range(len(report.graph.nodes))
    return view_of(report.graph, report.events, find_constructs(source), kept, FOLD.default).graph


@pytest.mark.parametrize("view", ["", "ops", "tensors"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_overlaps_and_a_picture_can_be_read(name, view):
    graph = folded_graph(name)
    assert len(graph.nodes) <= 120, "no more cards than those of the longest script"
    drawing = Drawing(svg_text(make_picture(graph, Page(), view)))
    assert drawing.overlaps() == drawing.lost_labels() == drawing.outside() == []


#: Tall scripts, by how many columns they have.
TALL = {
    "chain": ("x = 0.5\n" + "y = x\n" + "y = sin(y)\n" * 50, 6),
    "residual": ("x = 0.5\n" + "y = x\n" + "y = y + sin(y)\n" * 9, 3),
    "one leaf everywhere": ("w = 0.5\n" + "y = w\n" + "y = w*sin(y)\n" * 10, 1),
}


@pytest.mark.parametrize("name", TALL)
def test_a_tall_chain_is_cut_into_columns_that_fit_a_screen(name):
    script, count = TALL[name]
    drawing = Drawing(svg_text(make_picture(graph_of(script), Page())))
    assert drawing.overlaps() == drawing.lost_labels() == drawing.outside() == drawing.crossings() == []
    cards = list(drawing.cards.values())
    centres = sorted((left + right) / 2 for left, _, right, _ in cards)
    assert 1 + sum(b - a > 60 for a, b in pairwise(centres)) >= count
    if count > 1:
        width, height = drawing.size
        assert height < 1150
        assert width < 1800
        assert cards[0][0] > width - 250, "the leaf is at the right"
        assert cards[-1][2] < 250, "the output at the left"


def test_faults_of_a_drawing_are_found():
    """The checks of the geometry see a card, a label and a line that are out of place."""
    svg = svg_text(make_picture(seed_1_graph(), Page()))
    drawing = Drawing(svg)
    left, top, right, bottom = drawing.cards["n5"]
    drawing.cards["n6"] = (right - 1, bottom - 1, right + 50, bottom + 50)
    assert "n5 on n6" in drawing.overlaps()
    drawing = Drawing(svg)
    drawing.labels["e0"] = (left + 5, top + 5, left + 9, top + 9)
    assert "n5 on e0" in drawing.overlaps()
    assert "e0" in drawing.lost_labels()
    drawing = Drawing(svg)
    drawing.lines["w3"].insert(1, ((left + right) / 2, (top + bottom) / 2))
    assert "w3 behind n5" in drawing.overlaps()
    drawing.lines["w3"].insert(1, (-3.0, 5.0))
    assert drawing.outside() == ["w3"]
    label = drawing.labels["e7"]
    drawing.lines["w3"].insert(1, (label[0] + 1, label[1] + 1))
    assert "w3 on e7" in drawing.overlaps()


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


def test_without_the_libraries_the_other_formats_work(autodiff, tmp_path):
    for module in ("graphlay", "resvg_py", "PIL"):
        (tmp_path / f"{module}.py").write_text("raise ImportError('not installed')\n")
    without = {"PYTHONPATH": str(tmp_path)}
    done = autodiff("graph", SEED, "--format", "svg", env=without)
    assert (done.returncode, done.out) == (2, "")
    assert done.err == (
        "error[E0620]: a picture needs the library graphlay, which is not installed\n"
        "  = help: in autodiff's own folder, this installs all that pictures need:"
        " python -m pip install '.[pictures]'\n"
        "  = help: the formats tree, json, dot and mermaid need no library\n"
    )
    for form in ("tree", "json", "dot", "mermaid"):
        assert autodiff("graph", SEED, "--format", form, env=without).returncode == 0


def test_the_suffix_of_a_file_chooses_the_format(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.svg").returncode == 0
    assert ElementTree.fromstring((tmp_path / "graph.svg").read_text()).tag == f"{SVG}svg"


def test_one_line_installs_all_that_pictures_need():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    needed = {re.match(r"[\w-]+", one)[0] for one in project["optional-dependencies"]["pictures"]}
    assert needed == {"graphlay", "resvg-py", "pillow", "plotille"}
    for page in ("README.md", "docs/gradients.md"):
        assert ".venv/bin/pip install '.[pictures]'" in (REPOSITORY / page).read_text()


@pytest.mark.parametrize(
    ("form", "name", "better"),
    [
        ("svg", "odd.png", "odd.svg"),
        ("html", "odd.txt", "odd.html"),
        ("dot", "odd.PNG", "odd.dot"),
        ("dot", "odd.jpg", "odd.dot"),
        ("tree", "odd.svg", "odd.txt"),
    ],
)
def test_a_picture_has_the_suffix_of_its_format(autodiff, tmp_path, form, name, better):
    done = autodiff("graph", SEED, "--format", form, "-o", name)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    suffix = name[-4:].lower()
    assert done.err == (
        f"error[E0610]: -o {name}: the suffix {suffix} is not that of --format {form}\n"
        f"  = help: name the file {better}\n"
    )


def test_a_suffix_of_no_format_may_have_any(autodiff, tmp_path):
    assert autodiff("graph", SEED, "--format", "svg", "-o", "graph.xml").returncode == 0
    assert ElementTree.fromstring((tmp_path / "graph.xml").read_text()).tag == f"{SVG}svg"


def test_a_text_file_has_the_tree_and_a_jpg_is_told(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.txt").returncode == 0
    assert (tmp_path / "graph.txt").read_text() == autodiff("graph", SEED).out
    done = autodiff("grad", SEED, "--format", "table", "-o", "net.png")
    assert "the suffix .png is not that of --format table\n  = help: name the file net\n" in done.err
    done = autodiff("graph", SEED, "-o", "net.JPG")
    assert "-o net.JPG: `autodiff graph` cannot write jpg pictures\n" in done.err


def test_the_edge_that_lost_a_gradient_is_lit_and_the_reason_stands_below(autodiff, tmp_path):
    script = TESTS / "scripts" / "why" / "dead_relu.ad"
    assert autodiff("graph", script, "-o", "why.svg").returncode == 0
    svg = (tmp_path / "why.svg").read_text()
    root = ElementTree.fromstring(svg)
    [wire] = [path for path in root.iter(f"{SVG}path") if path.get("class") == "wire lost"]
    assert (wire.get("stroke"), wire.get("id")) == ("#c92a2a", "w1")
    [label] = [text for text in root.iter(f"{SVG}text") if text.get("fill") == "#c92a2a" and text.get("x")][
        :1
    ]
    assert label.text == "[h > 0]"
    assert " ".join(texts(svg, "why")) == (
        "lost here (dotted): torch.relu(h) passes nothing on where its input is not positive:"
        " h (entries from -6 to -3)"
    )
    drawing = Drawing(svg)
    assert drawing.outside() == drawing.overlaps() == []
    assert "why" not in svg_text(make_picture(seed_1_graph(), Page()))


@pytest.mark.parametrize("suffix", ["png", "gif"])
def test_pixels_show_the_edge_that_lost_a_gradient(autodiff, tmp_path, suffix):
    image_class = pytest.importorskip("PIL.Image")
    counts = []
    for name, value in (("lost", -1.0), ("kept", 1.0)):
        code = f"w = tensor([{value}], requires_grad=True); L = torch.relu(w).sum()"
        assert autodiff("graph", "-e", code, "-o", f"{name}.{suffix}").returncode == 0
        with image_class.open(tmp_path / f"{name}.{suffix}") as image:
            image.seek(getattr(image, "n_frames", 1) - 1)
            colors = image.convert("RGB").getcolors(1 << 16)
        counts.append(sum(n for n, (r, g, b) in colors if abs(r - 0xC9) + abs(g - 0x2A) + abs(b - 0x2A) < 40))
    assert counts[0] > counts[1] == 0

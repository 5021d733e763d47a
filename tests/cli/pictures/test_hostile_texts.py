"""Hostile texts in every field of a report: each output stays what it is, and nothing of them runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from autodiff.cli.pictures.formats import Request, draw
from autodiff.cli.render.dot import dot_lines, node_texts
from autodiff.cli.render.mermaid import mermaid_lines
from autodiff.cli.render.page import Page
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import HANGS
from hostile_texts import HOSTILE, Replaced, hostile_texts
from picture_scripts import SCRIPTS
from svg_geometry import SVG, Drawing

from tests.cli.pictures.test_page import Elements
from tests.cli.pictures.test_svg import graph_of_names

pytest.importorskip("graphlay", reason="the layout library is not installed (pip install '.[pictures]')")
NAMES = ("attention", "second order", "LSTM cell", "square", "shared")
#: A script whose strings and comments are hostile, under a hostile name.
SOURCE = Source("".join(f"# {text!s}\n" for text in HOSTILE), '"><script>alert(1)</script>\x1b\u202e.ad')
#: The invisible signs of MathML between a function and its argument, and between factors.
INVISIBLE = "\u2061\u2062"


@pytest.fixture(scope="module")
def reports():
    """By name of a script: the report, and it with other texts."""
    made = {}
    for at, name in enumerate(NAMES):
        source = Source(SCRIPTS[name])
        report = describe(differentiate(execute(source, Settings()), Settings()), source, events=True)
        replaced = Replaced(hostile_texts(at))
        made[name] = report, replaced.copy(report), replaced.count
    return made


def drawn(report, form, view=""):
    return draw(report, Request(form, view, "", 0, 0), Page(), SOURCE, [])[0]


def test_there_are_thousands_of_texts(reports):
    assert sum(count for *_, count in reports.values()) > 7_000
    report = reports["square"][1]
    assert {report.script, report.output.name, report.graph.nodes[1].name, report.graph.edges[0].symbol} & {
        *HOSTILE
    }


@pytest.mark.parametrize("name", NAMES)
def test_pages_and_pictures_have_the_same_elements_as_with_plain_texts(reports, name):
    plain, hostile, _ = reports[name]
    page = drawn(hostile, "html")
    assert page.isascii()
    assert all(character.isprintable() or character in "\t\n" for character in page)
    assert all(character.isprintable() or character in f"\t\n{INVISIBLE}" for character in unescape(page))
    usual, found = Elements(drawn(plain, "html")), Elements(page)
    assert {tag for tag, _ in found.found} <= {tag for tag, _ in usual.found} | {"mtext", "msub", "mrow"}
    keys = {key for _, attributes in usual.found for key in attributes}
    assert {key for _, attributes in found.found for key in attributes} <= keys | {"mathvariant"}
    assert found.texts["script"][1:] == usual.texts["script"][1:]
    assert len(json.loads(found.texts["script"][0])[0]["steps"]) == len(hostile.events.forward) + len(
        hostile.events.backward
    ) + len(hostile.events.paths)
    for formula in re.findall(r"<math .*?</math>", page, re.S):
        ElementTree.fromstring(formula)
    for view in ("ops", "tensors"):
        svg = drawn(hostile, "svg", view)
        root = ElementTree.fromstring(svg)
        assert {one.tag.removeprefix(SVG) for one in root.iter()} == {
            *("svg", "title", "defs", "marker", "path", "rect", "g", "text")
        }
        assert all(c.isprintable() or c == "\n" for text in root.itertext() for c in text)
        drawing = Drawing(svg)
        assert drawing.overlaps() == drawing.outside() == []


@pytest.mark.skipif(
    shutil.which("dot") is None, reason="Graphviz is not installed (apt-get install graphviz)"
)
def test_graphviz_reads_the_texts_as_they_are(reports):
    graphs = [report.graph for _, report, _ in reports.values()]
    text = "".join(line + "\n" for graph in graphs for line in dot_lines(graph, Page()))
    made = subprocess.run(
        ["dot", "-Tplain"], input=text, capture_output=True, encoding="utf-8", timeout=HANGS, check=False
    )
    assert (made.returncode, made.stderr) == (0, "")
    kinds = Counter(line.split(" ", 1)[0] for line in made.stdout.splitlines())
    assert kinds["node"] == sum(len(graph.nodes) for graph in graphs)
    assert kinds["edge"] == sum(len(graph.edges) for graph in graphs)
    names = graph_of_names(HOSTILE)
    text = "".join(line + "\n" for line in dot_lines(names, Page()))
    svg = subprocess.run(
        ["dot", "-Tsvg"], input=text, capture_output=True, encoding="utf-8", timeout=HANGS, check=True
    )
    root = ElementTree.fromstring(svg.stdout)
    for node, group in zip(names.nodes, root.iterfind(f".//{SVG}g[@class='node']"), strict=True):
        shown = [line.text or "" for line in group.iter(f"{SVG}text")]
        assert [line.replace("\u00a0", " ") for line in shown] == list(
            filter(None, node_texts(node, names, Page()))
        )


@pytest.mark.browser
def test_mermaid_reads_the_texts_as_they_are(browser, reports, tmp_path):
    script = os.environ.get("AUTODIFF_TEST_MERMAID", "")
    if not script:
        pytest.skip("AUTODIFF_TEST_MERMAID names no mermaid.min.js (npm pack mermaid)")
    page = tmp_path / "mermaid.html"
    page.write_text(f'<!doctype html><meta charset="utf-8"><script src="{Path(script).as_uri()}"></script>')
    browser.get(page.as_uri())
    names = graph_of_names(HOSTILE)
    graphs = [names, *(report.graph for _, report, _ in reports.values())]
    texts = ["\n".join(mermaid_lines(graph, Page())) for graph in graphs]
    answers = browser.execute_async_script(
        """
        const [texts, wrong, done] = arguments;
        mermaid.initialize({startOnLoad: false});
        const parsed = async (text) => {
            try { return (await mermaid.parse(text)).diagramType; } catch (error) { return String(error); } };
        (async () => {
            const types = await Promise.all(texts.map(parsed));
            const failed = await parsed(wrong);
            const { svg } = await mermaid.render("drawn", texts[0]);
            const holder = document.createElement("div");
            holder.innerHTML = svg;
            done([types, failed, [...holder.querySelectorAll(".node")].map((node) => node.textContent)]);
        })();""",
        texts,
        "flowchart BT\n n0[a]b]",
    )
    types, failed, labels = answers
    assert types == ["flowchart-v2"] * len(texts)
    assert "Parse error" in failed, "a mistake is found"
    assert [label.replace("\u200b", "") for label in labels] == [
        "".join(node_texts(node, names, Page())) for node in names.nodes
    ]


@pytest.mark.browser
def test_nothing_of_them_runs_in_a_page(browser, reports, tmp_path):
    for name in ("square", "attention"):
        path = tmp_path / f"{name}.html"
        path.write_text(drawn(reports[name][1], "html"))
        browser.get(path.as_uri())
        ran = browser.execute_script("""
            for (let i = 0; i < 40; i++) document.getElementById("next").click();
            document.querySelectorAll("details").forEach((one) => { one.open = true; });
            return [document.scripts.length, document.images.length,
                performance.getEntriesByType("resource").length]""")
        assert ran == [2, 0, 0]
        assert browser.get_log("browser") == []

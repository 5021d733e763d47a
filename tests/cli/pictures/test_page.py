"""The page of a run: what it holds, that no text breaks it, and in Chromium that it does what it says."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree

import pytest
from autodiff.cli.pictures.formats import Request, draw
from autodiff.cli.pictures.mathml import mathml, text_mathml
from autodiff.cli.render.page import Page
from autodiff.cli.requests.constructs import find_constructs
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.symbolic.source_exprs import parse_source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import TESTS
from picture_scripts import SCRIPTS

from tests.cli.reports import SEED, SEED_1

pytest.importorskip("graphlay", reason="the layout library is not installed (pip install '.[pictures]')")


def page_of(script):
    source = Source(script, "script.ad")
    execution = execute(source, Settings(), lambda text: None)
    subject = differentiate(execution, Settings())
    report = describe(subject, source, events=True)
    asked = Request("html", "", "", 0, 300)
    return draw(report, asked, Page(), source, find_constructs(source))[0]


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of each script."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.texts = {"script": [], "style": []}
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inside = tag

    def handle_data(self, data):
        if self.inside in self.texts:
            self.texts[self.inside].append(data)

    def handle_endtag(self, tag):
        self.inside = ""


@pytest.mark.parametrize("name", ["mlp", "attention", "physics", "second order", "shared"])
def test_the_page_needs_nothing_else_and_its_formulas_are_well_formed(name):
    text = page_of(SCRIPTS[name])
    elements = Elements(text)
    policy = next(a["content"] for tag, a in elements.found if tag == "meta" and "http-equiv" in a)
    data, script = elements.texts["script"]
    for code in (script, *elements.texts["style"]):
        assert b64encode(sha256(code.encode()).digest()).decode() in policy
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert not [
        a for _, a in elements.found if "src" in a or "style" in a or any(k.startswith("on") for k in a)
    ]
    assert [a["href"] for _, a in elements.found if "href" in a] == ["data:,"]
    assert text.isascii()
    assert len(text) < 1_000_000
    formulas = re.findall(r"<math .*?</math>", text, re.S)
    assert len(formulas) > 3
    for formula in formulas:
        ElementTree.fromstring(formula)
    steps = json.loads(data)[0]["steps"]
    order = ["forward", "backward", "paths"].index
    assert [step["phase"] for step in steps] == sorted((s["phase"] for s in steps), key=order)


def test_formulas_have_the_brackets_they_need():
    def shown(text):
        return "".join(ElementTree.fromstring(f"<m>{mathml(parse_source(text))}</m>").itertext())

    assert shown("-w2*x1 - w3*x2") == "−w2·x1−w3·x2"
    assert shown("a - (b - c)") == "a−(b−c)"
    assert shown("(a + b)*c") == "(a+b)·c"
    assert shown("a*(-b)") == "a·(−b)"
    assert shown("(a*b)**2") == "(a·b)2"
    assert shown("(-a)**2") == "(−a)2"
    assert shown("-(a + b)") == "−(a+b)"
    assert shown("1e-07*x") == "1×10−7·x"
    assert "<mfrac>" in mathml(parse_source("a/(b + c)"))
    assert text_mathml("no formula: <b>") == "<mtext>no formula: &lt;b&gt;</mtext>"


def test_comments_and_strings_of_the_script_are_shown_as_they_are():
    text = page_of('x = 2 # </script><img src=x onerror=alert(1)>\ny = x*x # "]]>\n')
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


def test_every_step_of_a_derivation_is_in_the_page():
    text = page_of(SEED_1)
    for label in ("chain rule", "local derivatives", "simplified", "in numbers", "value"):
        assert text.count(f'<th scope="row">{label}</th>') == 5
    assert text.count("backward() gives") == 5


def test_steps_on_small_matrices_have_every_entry():
    """The value, the gradient so far or the product of a path; as rows for the eye, on one line in titles."""
    text = page_of(
        "X = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nL = (X @ X).sum()\nL.backward()\n"
    )
    steps = json.loads(Elements(text).texts["script"][0])[0]["steps"]
    shown = [step["rows"].splitlines() for step in steps if step.get("rows")]
    assert shown[0] == ["| 1  2 |", "| 3  4 |"]
    assert ["| 7   10 |", "| 15  22 |"] in shown
    assert shown[-1] == ["| 4  4 |", "| 6  6 |"]
    assert "rows" not in next(step for step in steps if step["says"].startswith("backward starts"))
    assert "value [7 10; 15 22], shape 2×2" in text.replace("&#215;", "×")


LOST = {
    "dead_relu": (["h"], "torch.relu(h) passes nothing on where its input is not positive"),
    "where_log": (["x"], "Try: choose before the op as well"),
}


@pytest.mark.parametrize("name", LOST)
def test_the_edge_that_lost_a_gradient_is_marked_and_the_derivation_says_why(autodiff, tmp_path, name):
    below, why = LOST[name]
    script = TESTS / "scripts" / "why" / f"{name}.ad"
    assert autodiff("graph", script, "-o", "why.html").returncode == 0
    text = (tmp_path / "why.html").read_text()
    data = json.loads(Elements(text).texts["script"][0])[0]
    names = re.findall(r'<text class="name"[^>]*>([^<]*)<', text)
    lost = [int(id) for id in re.findall(r'class="wire lost" id="w(\d+)"', text)]
    assert [names[data["edges"][id][0]] for id in lost] == below
    assert f'class="edge lost" id="e{lost[0]}"' in text
    assert "here a gradient is lost: " in text
    assert why in unescape(text.partition('class="why"')[2])
    assert "lost here" in text


CALLS = """\
w = torch.tensor(0.5, requires_grad=True)
def layer(x):
    z = x*w + 1
    return torch.tanh(z)
h = layer(w)
for i in range(2):
    h = layer(h)
L = h**2
"""


def test_calls_and_passes_are_boxes_that_open():
    """Each set of boxes is drawn open, with edges and steps of that drawing; closed, a box is one card."""
    text = page_of(CALLS)
    drawings = json.loads(Elements(text).texts["script"][0])
    pictures = [text.partition('aria-label="Graph"')[2].partition("</section>")[0]]
    pictures += re.findall(r'<template class="drawing">(.*?)</template>', text, re.S)
    names = [re.findall(r'<text class="name"[^>]*>([^<]*)<', one) for one in pictures]
    calls = [f"layer(), call {at}" for at in (1, 2, 3)]
    assert re.findall(
        r"<option>([^<]*)</option>", text.partition('id="boxes"')[2].partition("</select>")[0]
    ) == [
        "as drawn",
        "all boxes closed",
        *(f"open: {name}" for name in calls),
        *(f"open: {one} and {other}" for one, other in combinations(calls, 2)),
    ]
    assert names[1] == ["w", *calls, "L"]
    assert drawings[0]["opens"] == {}
    assert drawings[1]["opens"] == {"1": 2, "2": 3, "3": 4}
    assert list(drawings[2]["opens"].values()) == [5, 6], (
        "the second with the first, the third with the first"
    )
    assert set(drawings[6]["opens"].values()) == {0}, "the last closed one: all are open as at first"
    assert list(drawings[6]["closes"].values()) == [4] * 3 + [2] * 3
    states = [set(), *({call} for call in calls), *map(set, combinations(calls, 2))]
    for at, opened in enumerate(states, 1):
        assert [name for name in names[at] if name in calls] == [one for one in calls if one not in opened]
        inside = re.findall(r'<g class="node function inside" id="n(\d+)"', pictures[at])
        assert list(drawings[at]["closes"]) == inside
        assert len(inside) == 3 * len(opened)
        assert len(names[at]) == len(names[1]) + 2 * len(opened)
    for drawing, cards in zip(drawings, names, strict=True):
        made = [step["node"] for step in drawing["steps"] if step["phase"] == "forward"]
        assert made == [*range(len(cards))]
        assert max(max(edge) for edge in drawing["edges"]) < len(cards)
        sums = {step["node"]: step["grad"] for step in drawing["steps"] if step["phase"] == "backward"}
        assert sums[0] == {s["node"]: s["grad"] for s in drawings[0]["steps"] if s["phase"] == "backward"}[0]


def test_a_picture_without_calls_and_loops_has_no_boxes():
    text = page_of(SEED_1)
    assert 'id="boxes"' not in text
    assert "<template" not in text
    assert "open the next box" not in text


def test_drawings_of_a_page_have_a_limit(monkeypatch):
    monkeypatch.setattr("autodiff.cli.pictures.boxes.MOST_MORE", 12)
    drawings = json.loads(Elements(page_of(CALLS)).texts["script"][0])
    assert [len(drawing["places"]) for drawing in drawings] == [11, 5, 7]
    assert drawings[1]["opens"] == {"1": 2}
    monkeypatch.setattr("autodiff.cli.pictures.boxes.MOST_MORE", 4)
    assert len(json.loads(Elements(page_of(CALLS)).texts["script"][0])) == 1


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("abs(x)", "kink: line 1: f is at a kink of abs: x = 0; the slope is 0"),
        ("x + relu(x)", "kink: line 1: relu(x) is at a kink of relu: x = 0; the slope is 0"),
        ("floor(x)", "jump: line 1: f is at a jump of floor: x = 0; the slope is 0"),
        ("max(x, 0)", "kink: line 1: max(x, 0) compares equal numbers: the slope by x is 0 from below"),
    ],
)
def test_a_page_and_the_terminal_tell_a_kink_and_no_rate_there(autodiff, tmp_path, formula, told):
    script = f"x = 0.; f = {formula}"
    assert autodiff("graph", "-e", script, "-o", "kink.html").returncode == 0
    text = unescape((tmp_path / "kink.html").read_text())
    assert f'<p class="why">{told}' in text
    assert 'class="words"' not in text
    explained = autodiff("explain", "-e", script).out
    assert told.partition(":")[0] in explained
    assert "in words" not in explained


def test_at_a_smooth_point_and_at_a_kink_of_the_slope_the_rate_is_told(autodiff, tmp_path):
    for script in ("x = 1.; f = abs(x)", "x = 0.; f = x*abs(x)"):
        assert autodiff("graph", "-e", script, "-o", "smooth.html").returncode == 0
        text = (tmp_path / "smooth.html").read_text()
        assert 'class="words"' in text
        assert "kink" not in text


def test_where_nothing_is_lost_nothing_is_marked():
    text = page_of(SEED_1)
    assert 'class="wire lost"' not in text
    assert "lost here" not in text


def test_a_second_derivative_has_a_page_of_its_own(autodiff, tmp_path):
    script = ("-e", "w = 3; x = 2; z = w*x; L = z**3", "--order", "2")
    assert autodiff("graph", *script, "--wrt", "w", "-o", "second.html").returncode == 0
    text = (tmp_path / "second.html").read_text()
    assert "<title>&#8706;&#178;L / &#8706;w&#178; = 144</title>" in text
    assert "<summary>&#8706;&#178;L / &#8706;w&#178; = 144" in text
    data = json.loads(Elements(text).texts["script"][0])[0]
    names = re.findall(r'<text class="name"[^>]*>([^<]*)<', text)
    last = {names[step["node"]]: step["grad"] for step in data["steps"] if step["phase"] == "backward"}
    assert last["w"] == "144"
    several = autodiff("graph", *script, "-o", "second.html")
    assert (several.returncode, several.err) == (
        2,
        "error[E0610]: --order 2: each input has a graph of its own, and one is shown\n"
        "  = help: name one input: --wrt w\n",
    )
    dot = autodiff("graph", *script, "--wrt", "w", "--format", "dot")
    assert "--order is for trees and pictures" in dot.err
    assert autodiff("graph", *script).err == several.err


def test_a_second_derivative_has_a_tree(autodiff):
    script = ("-e", "w = 3; z = w**3; L = z + sin(z)", "--order", "2")
    lines = autodiff("graph", *script).out.splitlines()
    assert lines[0].endswith("d(dL/dw)/d node")
    assert lines[1].startswith("dL/dw ")
    slope = float(autodiff("grad", *script).out)
    found = [float(line.split()[-1]) for line in lines if " w " in line and "leaf" in line]
    assert found == pytest.approx([slope, slope], rel=1e-5)
    assert len(autodiff("graph", *script, "--depth", "1").out.splitlines()) == 5


def test_nodes_of_a_second_derivative_have_different_names(autodiff, tmp_path):
    script = ("-e", "x = 0.7; y = -1.3; r = sqrt(x**2 + y**2); z = exp(-r)*sin(x*y)*x", "--order", "2")
    assert autodiff("graph", *script, "--wrt", "x", "-o", "second.html").returncode == 0
    names = re.findall(r'<text class="name"[^>]*>([^<]*)<', (tmp_path / "second.html").read_text())
    assert "x**1" in names
    assert len(names) == len(set(names))


def test_a_wide_sum_in_numbers_has_a_row_for_each_term(autodiff, tmp_path):
    code = "x = 0.7; y = -1.3; r = sqrt(x**2 + y**2); z = exp(-r)*sin(x*y) - x**3*y**2 + cos(x)*y"
    script = ("-e", code, "--wrt", "x")
    assert autodiff("graph", *script, "-o", "wide.html").returncode == 0
    text = unescape((tmp_path / "wide.html").read_text())
    rows = re.findall(r"<td>(.)</td><td><math[^>]*>(.*?)</math>", text.partition("in numbers")[2])
    signs = [sign for sign, _ in rows]
    assert signs[:-1] == ["=", *("\N{MINUS SIGN}" if sign == "-" else sign for sign in signs[1:-1])]
    derivation = autodiff("explain", *script).out
    numbers = derivation[derivation.index("4 numbers") : derivation.index("5 value")]
    assert len(signs) - 1 == 1 + numbers.count(" + ") + numbers.count(" - ") > 1


def test_a_page_and_its_last_step_say_what_the_paths_left_out_add(autodiff, tmp_path):
    lines = ["w = 0.5", "h0 = 0.1", *(f"h{n} = tanh(w*h{n - 1} + 0.3)" for n in range(1, 7)), "L = h6**2"]
    (tmp_path / "rnn.ad").write_text("\n".join(lines))
    asked = ("rnn.ad", "--wrt", "w", "--order", "2")
    assert autodiff("graph", *asked, "-o", "rest.html").returncode == 0
    text = (tmp_path / "rest.html").read_text()
    rest = re.search(r"<p>(\.\.\. \d+ more paths, together [-0-9.e]+)</p>", text)[1]
    assert rest in " ".join(autodiff("explain", *asked).out.split())
    steps = json.loads(Elements(text).texts["script"][0])[0]["steps"]
    assert steps[-1]["says"].endswith(f"; {rest}")
    assert sum(rest in step["says"] for step in steps) == 1
    so_far = float(re.search(r"sum so far (\S+);", steps[-1]["says"])[1].replace("\N{MINUS SIGN}", "-"))
    value = float(re.search(r"<summary>.* = (\S+)<small>", unescape(text))[1].replace("\N{MINUS SIGN}", "-"))
    assert so_far + float(rest.split()[-1]) == pytest.approx(value, rel=1e-4)


# -- in Chromium -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seed_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "seed.html"
    path.write_text(page_of(SEED_1))
    return path.as_uri()


def press(browser, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def state(browser):
    """What is said, which cards are hidden, which are lit, and the gradients that are shown."""
    return browser.execute_script("""
        const ids = (css) => [...document.querySelectorAll(css)].map((e) => e.id);
        const shown = (e) => getComputedStyle(e).visibility === "visible" ? e.textContent : "";
        const text = (id) => document.getElementById(id).textContent;
        return {says: text("says"), count: text("count"),
            gone: ids(".node.gone"), now: ids(".node.now"), wires: ids(".wire.now"), dim: ids(".node.dim"),
            grads: [...document.querySelectorAll(".grad")].map(shown), lit: ids(".code li.lit"),
            marked: [...document.querySelectorAll("mark")].map((e) => e.textContent),
            rows: [...document.querySelectorAll("tr.lit")].length, hash: location.hash,
            requests: performance.getEntriesByType("resource").length}""")


@pytest.mark.browser
def test_the_page_plays_the_run(browser, seed_page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.get(seed_page)
    final = [f"∂ {d}" for d in ("−2", "−3", "−8", "−1", "−2", "−2", "−3", "−1", "−1", "−1", "1")]
    first = state(browser)
    assert (first["gone"], first["grads"], first["requests"]) == ([], final, 0)
    browser.find_element(By.ID, "forward").click()
    step = state(browser)
    assert (step["count"], step["says"]) == ("1 / 25", "line 1: x1 = 1, a leaf, made by no function")
    assert step["gone"] == [f"n{at}" for at in range(1, 11)]
    assert set(step["grads"]) == {""}
    press(browser, Keys.ARROW_RIGHT * 7)
    step = state(browser)
    assert (step["lit"], step["marked"], step["now"], step["wires"]) == (
        ["l8"],
        ["w2*x3"],
        ["n7"],
        ["w4", "w5"],
    )
    press(browser, "b", Keys.ARROW_RIGHT)
    step = state(browser)
    assert (step["says"], step["gone"], step["hash"]) == ("∂L/∂x5 = 1 · (−1) = −1", [], "#13")
    assert [grad for grad in step["grads"] if grad] == ["∂ −1", "∂ 1"]
    press(browser, "p")
    step = state(browser)
    assert step["says"] == "a path to w1 gives −w3·x2: (−1) · 1 · 3 · 2 = −6; sum so far −6"
    assert step["now"] == ["n2", "n6", "n8", "n9", "n10"]
    assert (len(step["dim"]), step["rows"]) == (6, 2)
    press(browser, Keys.END)
    assert state(browser)["grads"] == final
    browser.find_element(By.ID, "play").click()
    assert browser.find_element(By.ID, "play").get_attribute("aria-label") == "pause"
    press(browser, Keys.ARROW_LEFT)
    assert browser.find_element(By.ID, "play").get_attribute("aria-label") == "play"
    assert browser.get_log("browser") == []


@pytest.mark.browser
def test_boxes_open_and_close_by_mouse_and_keyboard(browser, tmp_path):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    path = tmp_path / "calls.html"
    path.write_text(page_of(CALLS))
    browser.get(path.as_uri())

    def shown():
        names = [name.text for name in browser.find_elements(By.CSS_SELECTOR, "#picture .name")]
        chosen = browser.execute_script(
            "return document.getElementById('boxes').selectedOptions[0].textContent"
        )
        return chosen, len(names), len([name for name in names if "call" in name])

    def card(name):
        return browser.find_element(By.XPATH, f"//*[name()='text' and text()='{name}']/..")

    assert shown() == ("as drawn", 11, 0)
    press(browser, "c")
    assert shown() == ("all boxes closed", 5, 3)
    assert card("layer(), call 2").get_attribute("role") == "button"
    ActionChains(browser).move_to_element(card("layer(), call 2")).click().perform()
    assert shown() == ("open: layer(), call 2", 7, 2)
    press(browser, "b", Keys.ARROW_RIGHT)
    step = state(browser)
    assert step["says"].startswith("∂L/∂(layer(), call 3) = ")
    assert len(step["now"]) == 1
    press(browser, "c")
    browser.execute_script("arguments[0].focus()", card("layer(), call 3"))
    press(browser, Keys.ENTER)
    assert shown() == ("open: layer(), call 3", 7, 2)
    assert browser.execute_script("return document.activeElement.classList.contains('inside')")
    ActionChains(browser).move_to_element(card("layer(), call 1")).click().perform()
    assert shown() == ("open: layer(), call 1 and layer(), call 3", 9, 1), "two are open"
    press(browser, Keys.ENTER)  # a card of the first has the focus
    assert shown() == ("open: layer(), call 3", 7, 2)
    assert browser.execute_script("return document.activeElement.textContent").startswith("layer(), call 1")
    ActionChains(browser).move_to_element(card("layer(), call 1")).click().perform()
    ActionChains(browser).move_to_element(card("layer(), call 2")).click().perform()
    assert shown() == ("as drawn", 11, 0)
    press(browser, "c")
    assert shown() == ("all boxes closed", 5, 3)
    press(browser, "o")
    assert shown() == ("open: layer(), call 1", 7, 2)
    press(browser, "p")
    assert "path" in state(browser)["says"]
    assert state(browser)["rows"] > 0
    assert browser.get_log("browser") == []


@pytest.mark.browser
def test_a_link_opens_its_step_and_the_picture_can_be_fitted(browser, seed_page):
    browser.get("about:blank")
    browser.get(f"{seed_page}#25")
    assert state(browser)["says"].startswith("a path to w1 gives −w2·x1")
    browser.get("about:blank")
    browser.get(f"{seed_page}#999")
    assert state(browser)["count"] == "25 / 25"
    press(browser, "z")
    wide, room, top, bar, bottom, window = browser.execute_script("""
        const picture = document.getElementById("picture").getBoundingClientRect();
        return [picture.width, document.querySelector(".graph").clientWidth, picture.top,
            document.querySelector("nav").getBoundingClientRect().bottom, picture.bottom, innerHeight]""")
    assert abs(wide - room) < 2
    assert bar <= top
    assert bottom <= window
    press(browser, "z")
    assert browser.execute_script("return document.getElementById('picture').style.height") == ""
    assert browser.get_log("browser") == []


@pytest.mark.browser
def test_without_javascript_and_in_print_the_finished_picture_is_shown(browser, seed_page):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get("about:blank")
    browser.get(seed_page)
    tree = browser.execute_cdp_cmd(
        "DOMSnapshot.captureSnapshot", {"computedStyles": ["visibility", "display"]}
    )
    assert {"∂ −8", "w3 = 3", "−7"} <= set(tree["strings"])
    document = tree["documents"][0]
    shown = {tree["strings"][at] for at in document["layout"]["text"] if at >= 0}
    assert "∂ −8" in shown
    assert "Forward" not in shown, "without JavaScript there are no buttons"


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(600, "dark"), (1200, "light")])
def test_no_text_leaves_its_card_and_the_page_does_not_scroll_sideways(browser, seed_page, width, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False},
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get("about:blank")
    browser.get(seed_page)
    outside = browser.execute_script("""
        return [...document.querySelectorAll(".node, .edge")].flatMap((group) => {
            const box = group.querySelector("rect").getBoundingClientRect();
            const fits = (t) => t.left >= box.left && t.right <= box.right && t.top >= box.top - 1
                && t.bottom <= box.bottom + 1;
            return [...group.querySelectorAll("text")].filter((text) => !fits(text.getBoundingClientRect()))
                .map((text) => text.textContent); })""")
    assert outside == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if scheme == "dark" else "rgb(251, 250, 247)")


@pytest.mark.browser
def test_print_has_the_finished_picture_and_every_derivation(browser, seed_page):
    browser.get("about:blank")
    browser.get(f"{seed_page}#3")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script("""
        const visible = (e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true});
        const all = (css) => [...document.querySelectorAll(css)];
        return [all("math").length, all("math").filter(visible).length,
            all(".node").map((e) => getComputedStyle(e).opacity),
            all(".grad").map((e) => getComputedStyle(e).visibility),
            visible(document.querySelector("nav"))]""")
    assert shown[0] == shown[1] > 20
    assert set(shown[2]) == {"1"}
    assert set(shown[3]) == {"visible"}
    assert shown[4] is False


@pytest.mark.browser
def test_the_card_of_a_step_comes_into_view(browser, tmp_path):
    path = tmp_path / "long.html"
    path.write_text(page_of(SCRIPTS["RNN"]))
    browser.get(f"{path.as_uri()}#30")
    for key, wanted in (("b", "n34"), ("f", "n0")):
        press(browser, key)
        inside = browser.execute_script("""
            const box = document.querySelector(".graph").getBoundingClientRect();
            const card = document.querySelector(".node.now").getBoundingClientRect();
            return [document.querySelector(".node.now").id, card.top >= box.top && card.bottom <= box.bottom,
                card.left >= box.left && card.right <= box.right]""")
        assert inside == [wanted, True, True]


@pytest.mark.browser
def test_a_wide_picture_opens_at_its_output(browser, tmp_path):
    path = tmp_path / "wide.html"
    path.write_text(page_of(SCRIPTS["attention"]))
    narrow = {"width": 600, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    browser.get(path.as_uri())
    inside = browser.execute_script("""
        const box = document.querySelector(".graph").getBoundingClientRect();
        const card = document.querySelector(".node.output").getBoundingClientRect();
        return card.left >= box.left && card.right <= box.right && card.top >= box.top""")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert inside


@pytest.mark.browser
def test_of_a_long_path_the_cards_around_its_middle_are_in_the_window(browser, tmp_path):
    code = "W = torch.tensor(0.4, requires_grad=True)\nh = torch.tensor(0.5)\n"
    path = tmp_path / "tall.html"
    path.write_text(page_of(f"{code}for i in range(12):\n    h = torch.tanh(W*h + 0.1)\nL = h*h\n"))
    browser.get(path.as_uri())
    press(browser, "p")
    on_path, seen, height = browser.execute_script("""
        const cards = [...document.querySelectorAll(".node.now")].map((card) => card.getBoundingClientRect());
        const box = document.querySelector(".graph").getBoundingClientRect();
        const top = Math.max(box.top, document.querySelector("nav").getBoundingClientRect().bottom);
        const bottom = Math.min(box.bottom, innerHeight);
        return [cards.length, cards.filter((card) => card.top >= top && card.bottom <= bottom).length,
            document.querySelector(".graph").scrollHeight / box.height]""")
    assert height > 2, "the graph is taller than its pane"
    assert seen >= min(4, on_path)


def test_the_suffix_writes_a_page(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.html").returncode == 0
    assert (tmp_path / "graph.html").read_text().startswith("<!doctype html>\n")


def test_a_sum_in_numbers_is_one_row(autodiff, tmp_path):
    script = ("-e", "v = 2.; w = 3.; L = sin(v)*w - v**2/w")
    assert autodiff("graph", *script, "-o", "first.html").returncode == 0
    text = (tmp_path / "first.html").read_text()
    assert text.count('<th scope="row">in numbers</th>') == 2
    [row] = re.findall(r'in numbers</th><td>=</td><td><math displaystyle="true">(.*?)</math>', text)[:1]
    assert "<mo>&#8722;</mo>" in row


def test_negative_numbers_below_a_power_have_brackets_beside_tensors(autodiff, tmp_path):
    script = ("-e", "c = -1.5; x = [1., 2.]; y = (c**2*x).sum()")
    assert autodiff("graph", *script, "-o", "first.html").returncode == 0
    text = (tmp_path / "first.html").read_text()
    rows = re.findall(r'in numbers</th><td>=</td><td><math displaystyle="true">(.*?)</math>', text)
    assert any("(−1.5)2" in re.sub(r"<[^>]*>", "", unescape(row)) for row in rows)

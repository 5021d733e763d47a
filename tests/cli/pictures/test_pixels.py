"""Pictures as pixels and animations: their sizes, their text in the shipped font, their frames in order."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from autodiff.cli.pictures import formats, png
from autodiff.cli.pictures.picture import CARD_HEIGHT, make_picture
from autodiff.cli.pictures.png import FONT, is_covered, png_bytes
from autodiff.cli.pictures.story import make_steps
from autodiff.cli.pictures.svg import caption_width, svg_text
from autodiff.cli.render.page import Page
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate

from tests.cli.reports import SEED, SEED_1, seed_1_graph

WHY = "a library for pictures is not installed (pip install '.[pictures]')"
Image = pytest.importorskip("PIL.Image", reason=WHY)
for library in ("graphlay", "resvg_py"):
    pytest.importorskip(library, reason=WHY)


def report_of(script):
    execution = execute(Source(script), Settings())
    return describe(differentiate(execution, Settings()), execution.source, events=True)


def test_a_png_has_the_picture_twice_as_large(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.png").returncode == 0
    with Image.open(tmp_path / "graph.png") as image:
        picture = make_picture(report_of(SEED_1).graph, Page())
        assert image.size == (int(2 * picture.width), int(2 * picture.height))
        colors = {color for _, color in image.convert("RGB").getcolors(1 << 16)}
        assert {(0xE9, 0xEB, 0xEE), (0xFF, 0xE2, 0xBD), (0xA3, 0x17, 0x4F)} <= colors


def test_text_is_drawn_in_the_shipped_font_alone(monkeypatch):
    picture = make_picture(seed_1_graph(), Page())
    svg = svg_text(picture, fonts=FONT)
    assert is_covered(svg), "then no font of the machine is looked at"
    with_text = png_bytes(svg)
    without = png_bytes(svg.replace("<text", "<g").replace("</text", "</g"))
    one, other = (
        np.asarray(Image.open(BytesIO(data)).convert("L")).astype(int) for data in (with_text, without)
    )
    inked = (one < other - 60).sum()
    assert inked > 3000, "letters are dark pixels"
    assert with_text == png_bytes(svg)
    monkeypatch.setattr(png, "FONT_FILES", ())
    assert png_bytes(svg) == without, "no other font draws a letter"


def test_a_large_picture_is_made_smaller():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="9000"/>'
    with Image.open(BytesIO(png_bytes(svg, 1e6))) as image:
        assert 0.9e6 < image.width * image.height <= 1e6


def test_the_animation_grows_the_graph_and_then_runs_backward(autodiff, tmp_path):
    assert autodiff("graph", SEED, "-o", "graph.gif").returncode == 0
    report = report_of(SEED_1)
    steps = make_steps(report.graph, report.events, Page())
    assert [step.says for step in steps[9:13]] == [
        "line 8: x5 = 8, made by add from w2*x3 and w3*x4",
        "line 9: L = −7, made by sub from x5",
        "backward starts: ∂L/∂L = 1",
        "∂L/∂x5 = 1 · (−1) = −1",
    ]
    into_w1 = [step.says for step in steps if step.phase == "backward" and step.node == 2]
    assert into_w1 == [
        "∂L/∂w1 = (−3) · 2 = −6, more to come",
        "∂L/∂w1 += (−2) · 1 = −2, so far −6 + (−2) = −8",
    ]
    paths = [step.says for step in steps if step.phase == "paths" and step.wrt == 2]
    assert paths == [
        "a path to w1 gives −w3·x2: (−1) · 1 · 3 · 2 = −6; sum so far −6",
        "a path to w1 gives −w2·x1: (−1) · 1 · 2 · 1 = −2; sum so far −8",
    ]
    picture, scenes = make_picture(report.graph, Page()), formats.scenes_of(steps, 11)
    width = max(picture.width, *map(caption_width, scenes))
    with Image.open(tmp_path / "graph.gif") as animation:
        assert animation.n_frames == len(scenes) == 11 + 12, "11 nodes; the seed and 11 edges"
        assert animation.info["loop"] == 0
        for at, scene in enumerate(scenes):
            animation.seek(at)
            pixels = np.asarray(animation.convert("RGB")).astype(int)
            seen = cards_in(pixels, picture, pixels.shape[1] / width)
            assert seen["made"] == list(range(scene.made)), "a card more in each frame"
            assert seen["back" if scene.is_back else "forward"] == [scene.card], "it is framed"
            assert seen["forward" if scene.is_back else "back"] == []
            assert seen["with gradient"] == sorted(scene.grads), "gradients come one by one"
            assert animation.info["duration"] == (4000 if at == len(scenes) - 1 else 900)


def cards_in(pixels, picture, scale):
    """By what is seen in a frame: the cards of which it is seen."""
    found = {"made": [], "forward": [], "back": [], "with gradient": []}
    for at, card in enumerate(picture.cards):
        left, top, right, bottom = (
            round(edge * scale) for edge in (card.x, card.y, card.x + card.width, card.y + CARD_HEIGHT)
        )
        inside = pixels[top:bottom, left:right]
        fill = tuple(np.median(inside.reshape(-1, 3), axis=0).astype(int))
        wanted = (0xE9, 0xEB, 0xEE) if card.is_leaf else (0xFF, 0xE2, 0xBD)
        around = pixels[top + 9 : bottom - 9, max(0, left - 2) : left + 3]
        for kind, is_seen in (
            ("made", max(abs(a - b) for a, b in zip(fill, wanted, strict=True)) < 10),
            ("forward", count_near(around, (0x1F, 0x6F, 0xD1)) > 9),
            ("back", count_near(around, (0xD6, 0x33, 0x6C)) > 9),
            ("with gradient", count_near(inside[:, inside.shape[1] // 3 : -6], (0xA3, 0x17, 0x4F)) > 3),
        ):
            if is_seen:
                found[kind].append(at)
    return found


def count_near(pixels, color):
    """How many pixels have the colour, or the nearest to it of the 64 that an animation has."""
    return int((abs(pixels - color).max(axis=2) < 40).sum())


def test_too_large_an_animation_is_refused_before_a_frame_is_painted(monkeypatch):
    source = Source("w = 0.3\nx = 1\nfor i in range(20):\n    x = x - w*x*x\n")
    execution = execute(source, Settings())
    report = describe(differentiate(execution, Settings()), source, events=True)
    asked = formats.Request("gif", "", "", 0, fold=0)
    monkeypatch.setattr(formats, "make_picture", lambda *_: pytest.fail("a picture was made"))
    with pytest.raises(UsageError, match="nodes times frames may be 6,000") as caught:
        formats.draw(report, asked, Page(), source, [])
    monkeypatch.undo()
    assert caught.value.help == (
        "fold it: --fold 40, or draw a part: --around NAME",
        "a page plays a graph of any length: -o graph.html",
    )


def test_scenes_are_those_of_both_passes():
    report = report_of(SEED_1)
    picture = make_picture(report.graph, Page())
    scenes = formats.scenes_of(make_steps(report.graph, report.events, Page()), 11)
    assert [scene.made for scene in scenes] == [*range(1, 12), *[11] * 12]
    assert scenes[10].grads == {}
    assert scenes[-1].grads == {at: card.grad for at, card in enumerate(picture.cards)}

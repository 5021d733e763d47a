"""Pages as Chromium draws them, compared with pictures that were looked at.

The page has the shipped font here, so that letters are the same on every machine. Two pictures agree if few
of their blocks of pixels have another mean colour: other smoothing of letters changes a mean little.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.pictures.page import digest, read
from autodiff.cli.pictures.png import FONT_FILES, HERE
from conftest import REPOSITORY
from picture_scripts import SCRIPTS

from tests.cli.pictures.test_page import page_of
from tests.cli.reports import SEED_1

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed (pip install '.[pictures]')")
pytestmark = pytest.mark.browser

FOLDER = REPOSITORY / "tests" / "golden" / "pages"
#: Name: script, width in px, step, dark, for print, with JavaScript.
VIEWS = {
    "narrow": ("seed", 600, 25, False, False, True),
    "wide": ("seed", 1200, 13, False, False, True),
    "dark": ("seed", 1200, 5, True, False, True),
    "print": ("seed", 1000, 3, False, True, True),
    "without_javascript": ("attention", 1200, 0, False, False, False),
}
#: A golden picture has half the size. Means are compared of blocks of so many of its pixels.
BLOCK = 4
#: The mean colour of a block is another from this distance on, of 255; so many blocks may be. A missing wire
#: changes six, letters that are smoothed as if they stood 0.4 px to the right change none.
DISTANCE, ALLOWED = 16, 3
STYLE = """
@font-face{font-family:shipped;font-weight:400;src:url(data:font/ttf;base64,%s)}
@font-face{font-family:shipped;font-weight:700;src:url(data:font/ttf;base64,%s)}
*{font-family:shipped!important;transition:none!important;animation:none!important}"""


@cache
def page_with_shipped_font(name: str) -> str:
    """The page of a script; its policy allows the changed style."""
    page = page_of(SEED_1 if name == "seed" else SCRIPTS[name])
    fonts = [b64encode((Path(HERE) / file).read_bytes()).decode() for file in FONT_FILES]
    style = read("page.css")
    changed = style + STYLE % tuple(fonts)
    policy = f"font-src data:; style-src '{digest(changed)}'"
    return page.replace(style, changed).replace(f"style-src '{digest(style)}'", policy)


def screenshot(browser, path, view, change=""):
    """The whole page at half its size, after the JavaScript ``change``."""
    name, width, step, is_dark, is_print, has_javascript = VIEWS[view]
    path.write_text(page_with_shipped_font(name))
    scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    call = browser.execute_cdp_cmd
    call("Emulation.setDeviceMetricsOverride", size)
    call("Emulation.setEmulatedMedia", {"features": [scheme], "media": "print" if is_print else ""})
    call("Emulation.setScriptExecutionDisabled", {"value": not has_javascript})
    browser.get("about:blank")
    browser.get(f"{path.as_uri()}#{step}" if step else path.as_uri())
    if has_javascript:
        browser.execute_async_script(f"{change}; document.fonts.ready.then(arguments[0])")
    box = call("Page.getLayoutMetrics", {})["cssContentSize"]
    clip = {**box, "width": width, "scale": 1}
    made = call("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    whole = Image.open(BytesIO(b64decode(made["data"]))).convert("RGB")
    return whole.resize((whole.width // 2, whole.height // 2), Image.Resampling.BOX)


def differing_blocks(one, other) -> int:
    """How many blocks have another mean colour."""
    assert abs(one.height - other.height) <= BLOCK, "the page has another height"
    size = one.width // BLOCK, min(one.height, other.height) // BLOCK
    means = [
        np.asarray(image.crop((0, 0, size[0] * BLOCK, size[1] * BLOCK)).reduce(BLOCK)).astype(int)
        for image in (one, other)
    ]
    return int((abs(means[0] - means[1]).max(axis=2) >= DISTANCE).sum())


@pytest.mark.parametrize("view", VIEWS)
def test_a_page_looks_as_it_did(browser, tmp_path, update_golden, view):
    made = screenshot(browser, tmp_path / "page.html", view)
    golden = FOLDER / f"{view}.png"
    if update_golden:
        FOLDER.mkdir(exist_ok=True)
        # The method by median moves rare colours by more than DISTANCE.
        few = made.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(golden, optimize=True)
    with Image.open(golden) as image:
        differing = differing_blocks(made, image.convert("RGB"))
    made.save(tmp_path / "made.png")
    assert differing <= ALLOWED, f"compare {tmp_path / 'made.png'}; --update-golden keeps what was made"


SET = "document.querySelector('{}').{}"
FAULTS = {
    "a gradient is missing": SET.format("#n9 .grad", "textContent = ''"),
    "a label is missing": "document.getElementById('e7').remove()",
    "a wire is missing": "document.getElementById('w7').remove()",
    "a card is 6 px to the right": SET.format("#n6", "setAttribute('transform', 'translate(6 0)')"),
    "a card is no longer grey": SET.format("#n1", "classList.remove('leaf')"),
    "a formula has no fraction": SET.format("details[open] mfrac", "remove()"),
    "a button is missing": SET.format("#paths", "remove()"),
}


def test_a_fault_is_seen_and_other_smoothing_is_none(browser, tmp_path):
    right = screenshot(browser, tmp_path / "page.html", "wide")
    smoothing = "document.body.style.transform = 'translate(0.4px, 0.3px)'"
    found = {
        name: differing_blocks(right, screenshot(browser, tmp_path / "page.html", "wide", change))
        for name, change in {**FAULTS, "smoothing": smoothing}.items()
    }
    assert found.pop("smoothing") <= ALLOWED, found
    assert min(found.values()) > ALLOWED, found

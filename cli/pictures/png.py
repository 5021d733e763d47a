"""Pictures as pixels: SVG is drawn by the library resvg, in a font that is shipped. No other module calls it.

The font has the letters of Latin, Greek and Cyrillic and the signs of formulas. Only for other characters the
fonts of the machine are looked at, so all other pictures are the same everywhere.
"""

from __future__ import annotations

import os
import re

from autodiff.cli.pictures.layout import missing_library

HERE = os.path.dirname(__file__)
FONT = "DejaVu Sans Mono"
FONT_FILES = ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
#: What the font has, as ranges of code points: letters, signs of formulas, and ``▶ ▸ ◂ ✓ ✗`` of pages.
LETTERS = ((0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x45F), (0x2010, 0x22FF))
MARKS = tuple((ord(mark), ord(mark)) for mark in "▶▸◂✓✗")
COVERED = (*LETTERS, *MARKS)
#: Pixels per px of SVG, and the most pixels of a picture: more would take gigabytes.
ZOOM, MOST_PIXELS = 2.0, 40e6


def png_bytes(svg: str, most_pixels: float = MOST_PIXELS) -> bytes:
    """The picture of an SVG text, which names its size and the font FONT.

    It is twice as large, or smaller so that it has at most ``most_pixels``. Raises UsageError if the library
    is missing.
    """
    try:
        import resvg_py
    except ImportError:
        raise missing_library("resvg_py") from None
    width, height = (float(side) for side in re.findall(r' (?:width|height)="([^"]+)"', svg)[:2])
    zoom = min(ZOOM, (most_pixels / (width * height)) ** 0.5)
    made = resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        font_files=[os.path.join(HERE, name) for name in FONT_FILES],
        skip_system_fonts=is_covered(svg),
        monospace_family=FONT,
    )
    return bytes(made)


def is_covered(svg: str) -> bool:
    """Whether the font has every character of an SVG text in ASCII, where others are references.

    >>> is_covered("<text>&#8722;1 &#945;</text>"), is_covered("<text>&#26085;</text>")
    (True, False)
    """
    codes = (int(part.partition(";")[0]) for part in svg.split("&#")[1:])
    return all(any(first <= code <= last for first, last in COVERED) for code in codes)

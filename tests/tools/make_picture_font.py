"""Writes the font of PNG pictures: DejaVu Sans Mono with Latin, Greek, Cyrillic and the signs of formulas.

Run as ``python tests/tools/make_picture_font.py FOLDER``, with DejaVu's files in FOLDER; it needs fonttools.
The licence in ``cli/pictures/font_license.txt`` allows changed copies under this name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from autodiff.cli.pictures.png import COVERED, FONT_FILES, HERE

if __name__ == "__main__":
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options(
        hinting=False, layout_features=["ccmp", "mark", "mkmk"], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13]
    )
    for name in FONT_FILES:
        font = TTFont(Path(sys.argv[1]) / name, recalcTimestamp=False)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=[code for first, last in COVERED for code in range(first, last + 1)])
        subsetter.subset(font)
        font.save(Path(HERE) / name)

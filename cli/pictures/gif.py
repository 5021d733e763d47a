"""Animations by the library Pillow: the graph grows in the order of the script, then the gradients flow back.

No other module calls the library.
"""

from __future__ import annotations

from io import BytesIO

from autodiff.cli.pictures.layout import missing_library
from autodiff.cli.pictures.png import FONT, png_bytes
from autodiff.cli.pictures.svg import Scene, caption_width, svg_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from autodiff.cli.pictures.picture import Picture

#: How long a frame is shown, and the last one of all, in milliseconds.
FRAME_TIME, LAST_TIME = 900, 4000
MOST_PIXELS = 6e5
COLORS = 64


def gif_bytes(picture: Picture, scenes: Sequence[Scene], lost: Mapping[int, str]) -> bytes:
    """The animation of the scenes, again and again; ``lost`` has the edges that lost a gradient.

    Raises UsageError if a library is missing.
    """
    try:
        from PIL import Image
    except ImportError:
        raise missing_library("Pillow") from None
    width = max(picture.width, *(caption_width(scene) for scene in scenes))
    pictures = []
    for scene in scenes:
        svg = svg_text(picture, scene, fonts=FONT, width=width, lost=lost)
        data = png_bytes(svg, MOST_PIXELS)
        pictures.append(Image.open(BytesIO(data)).convert("RGB"))
    palette = Image.new("RGB", (pictures[0].width, 3 * pictures[0].height))
    for at, shown in enumerate((0, len(pictures) // 2, len(pictures) - 1)):
        palette.paste(pictures[shown], (0, at * pictures[0].height))
    colors = palette.quantize(COLORS)
    # One palette for all frames: then the file has only what changes from one to the next.
    frames = [made.quantize(palette=colors, dither=Image.Dither.NONE) for made in pictures]
    times = [FRAME_TIME] * (len(frames) - 1) + [LAST_TIME]
    file = BytesIO()
    frames[0].save(
        file, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False
    )
    return file.getvalue()

"""Writes reports in colour with rich: the same lines as text.py writes, each piece in its style.

rich only adds colour. It gets no markup and does no layout: its tables cut cells and its trees lose nodes
where they run out of room.
"""

from __future__ import annotations

from autodiff.cli.render.page import GRADIENT, GUIDE, MUTED, NAME, NUMBER, PLAIN, TITLE, flat
from rich.color import ColorSystem
from rich.style import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.cli.process.streams import Stream
    from autodiff.cli.render.page import Block, Line

# Only the sixteen standard colours, which follow the terminal's palette.
STYLES = {
    PLAIN: Style.null(),
    TITLE: Style(bold=True),
    NAME: Style(color="cyan"),
    NUMBER: Style.null(),
    GRADIENT: Style(color="yellow", bold=True),
    MUTED: Style(dim=True),
    GUIDE: Style(color="bright_black"),
}


def write_colored(lines: Iterable[Line | Block], stream: Stream) -> None:
    """Write the lines of a report in colour."""
    for line in flat(lines):
        stream.write(paint(line) + "\n")


def paint(line: Line) -> str:
    """One line with colour codes."""
    return "".join(
        STYLES[style].render(text, color_system=ColorSystem.STANDARD) if text else "" for style, text in line
    )

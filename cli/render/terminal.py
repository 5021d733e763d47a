"""Writes reports in colour: the same lines as text.py writes, each piece in the style of its role."""

from __future__ import annotations

from autodiff.cli.render.page import flat
from autodiff.cli.render.roles import paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.cli.process.streams import Stream
    from autodiff.cli.render.page import Block, Line
    from autodiff.cli.render.roles import Styles


def write_colored(lines: Iterable[Line | Block], stream: Stream, styles: Styles) -> None:
    """Write the lines of a report in colour."""
    for line in flat(lines):
        stream.write("".join([paint(styles, role, text) for role, text in line]).rstrip(" ") + "\n")

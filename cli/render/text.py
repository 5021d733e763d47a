"""Writes reports as plain text for pipes: no colour, no rich, no escape sequences."""

from __future__ import annotations

from autodiff.cli.render.page import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.cli.process.streams import Stream
    from autodiff.cli.render.page import Line


def write_plain(lines: Iterable[Line | Block], stream: Stream) -> None:
    """Write the lines of a report as plain text."""
    for line in lines:
        stream.write(plain_text(line))


def plain_text(line: Line | Block) -> str:
    """The text of a line or a Block, without trailing blanks."""
    return line.text() if isinstance(line, Block) else "".join([text for _, text in line]).rstrip() + "\n"

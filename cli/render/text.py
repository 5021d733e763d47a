"""Reports as plain text, line by line: no colour, no rich, not one escape byte. What a pipe gets."""

from __future__ import annotations

from autodiff.cli.render.page import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.cli.process.streams import Stream
    from autodiff.cli.render.page import Line


def write_plain(lines: Iterable[Line | Block], stream: Stream) -> None:
    """Write a report."""
    for line in lines:
        stream.write(plain_text(line))


def plain_text(line: Line | Block) -> str:
    """A line, or many, without blanks at their ends."""
    return line.text() if isinstance(line, Block) else "".join([text for _, text in line]).rstrip() + "\n"

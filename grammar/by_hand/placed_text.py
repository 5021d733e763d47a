"""A text put together from parts of another one, such as a file: each offset is known there."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable


class PlacedText:
    """A ``text``, and in ``places`` the offset of each of its parts there and where the part comes from.

    >>> line = PlacedText("dz == dh*h")
    >>> right = line[6:] + PlacedText(" + 0", [])
    >>> right.text, right.origin(3), right.origin(5)
    ('dh*h + 0', 9, 11)
    """

    __slots__ = ("places", "text")

    def __init__(self, text: str, places: list[tuple[int, int]] | None = None) -> None:
        self.text = text
        self.places = [(0, 0)] if places is None else places

    def origin(self, offset: int) -> int:
        """Return where the character at an offset comes from."""
        at = bisect_right(self.places, offset, key=lambda place: place[0]) - 1
        if at < 0:
            return self.places[0][1] if self.places else 0
        start, origin = self.places[at]
        return origin + offset - start

    def __getitem__(self, part: slice) -> PlacedText:
        start, end, _ = part.indices(len(self.text))
        inside = [(at - start, origin) for at, origin in self.places if start < at < end]
        return PlacedText(self.text[start:end], [(0, self.origin(start)), *inside])

    def __add__(self, other: PlacedText) -> PlacedText:
        length = len(self.text)
        return PlacedText(
            self.text + other.text, [*self.places, *((at + length, origin) for at, origin in other.places)]
        )

    def strip(self) -> PlacedText:
        start = len(self.text) - len(self.text.lstrip())
        return self[start : max(start, len(self.text.rstrip()))]

    def sub(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> PlacedText:
        """Return the text with matches replaced; a replaced part begins and ends where its match did.

        >>> import re
        >>> line = PlacedText("h @ ds  dx").sub(re.compile("ds"), lambda match: "longer")
        >>> line.text, line.origin(4), line.origin(9)
        ('h @ longer  dx', 4, 5)
        """
        made, done = PlacedText("", []), 0
        for match in pattern.finditer(self.text):
            text = replace(match)
            if text != match[0]:
                made += self[done : match.start()]
                begin, last = self.origin(match.start()), self.origin(match.end() - 1)
                made += PlacedText(text, [(0, begin), (len(text) - 1, last)][: len(text)])
                done = match.end()
        return made + self[done:]


def joined(parts: list[PlacedText], between: str) -> PlacedText:
    """Return the parts one after the other, with a text that comes from nowhere between them."""
    made = PlacedText("", [])
    for at, part in enumerate(parts):
        made += PlacedText(between if at else "", []) + part
    return made

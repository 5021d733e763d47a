"""The letter for the gradient that arrives at a node, as in ``G @ W.T``: ``G``, unless the script uses it."""

from __future__ import annotations

#: The letters, the usual one first. Where a script uses all of them, ``G`` gets a number.
LETTERS = "GHKQRU"


class Incoming:
    """The ``letter`` in the reports on the script that was run last."""

    __slots__ = ("letter",)

    def __init__(self) -> None:
        self.letter = LETTERS[0]

    def choose(self, text: str) -> None:
        """Choose a letter that is no word of a script's text.

        >>> made = Incoming()
        >>> made.choose("G = 3; y = H*G")
        >>> made.letter
        'K'
        """
        self.letter = LETTERS[0]
        if self.letter not in text:
            return
        words = words_in(text)
        free = [letter for letter in LETTERS if letter not in words]
        number = 1
        while not free:
            number += 1
            free = [name for name in (f"{LETTERS[0]}_{number}",) if name not in words]
        self.letter = free[0]


def words_in(text: str) -> set[str]:
    """Return the words of a text that may be names."""
    import re  # few scripts need it

    return set(re.findall(r"[^\W\d]\w*", text))


incoming = Incoming()

"""The key of a report: what its made-up names stand for, such as ``t7`` and ``x_2``."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from autodiff.core.symbolic.expr import Expr

NAMES = re.compile(r"[^\W\d][\w.]*(?:\[[^\[\]\n]*\])*")
DIGITS = re.compile(r"(\d+)")


class NameMeaning:
    """What a made-up name stands for: a formula, as ``text`` and ``expr``, or a value of a ``variable``.

    ``place`` is ``"line 21, 4th add"`` for a formula, ``"line 4"`` for value ``number`` of a variable. It is
    no Record: a loop makes thousands of them, and the constructor of a Record takes eight times as long.
    """

    __slots__ = ("expr", "name", "number", "place", "text", "variable")

    def __init__(
        self,
        name: str,
        place: str,
        text: str = "",
        expr: Expr | None = None,
        variable: str = "",
        number: int = 0,
    ) -> None:
        self.name = name
        self.place = place
        self.text = text
        self.expr = expr
        self.variable = variable
        self.number = number


class NameKey:
    """The meanings of names: ``meaning`` returns that of a made-up name, and None for any other."""

    __slots__ = ("_meaning",)

    def __init__(self, meaning: Callable[[str], NameMeaning | None]) -> None:
        self._meaning = meaning

    def of(self, texts: Iterable[str], known: Collection[str] = ()) -> list[NameMeaning]:
        """The meanings of the names in the texts, and of those in their meanings; not of ``known`` names."""
        found: list[NameMeaning] = []
        words = _words(texts)
        seen = set(known)
        while words:
            new = [word for word in words if word not in seen]
            seen.update(new)
            meanings = [meaning for meaning in map(self._meaning, new) if meaning is not None]
            found += meanings
            words = _words(meaning.text for meaning in meanings)
        return sorted(found, key=_order)


def _words(texts: Iterable[str]) -> Iterable[str]:
    """The names in the texts, each once; for ``dL/dt7`` both ``dt7`` and ``t7``."""
    words = dict.fromkeys(NAMES.findall("\n".join(dict.fromkeys(texts))))
    return words | dict.fromkeys([word[1:] for word in words if word[0] == "d"])


def _order(meaning: NameMeaning) -> tuple[list[tuple[int, str]], int]:
    """Sorts ``t2`` before ``t10``, and the values of a variable by their numbers."""
    return _natural(f"{meaning.variable}_" if meaning.variable else meaning.name), meaning.number


@cache
def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in DIGITS.split(text)]

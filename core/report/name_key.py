"""The key of a report: what its made-up names stand for, such as ``t7`` and ``x_2``."""

from __future__ import annotations

import re

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from autodiff.core.symbolic.expr import Expr

NAMES = re.compile(r"[^\W\d][\w.]*(?:\[[^\[\]]*\])*")
DIGITS = re.compile(r"(\d+)")


class NameMeaning(Record):
    """What a made-up name stands for: a formula, as ``text`` and ``expr``, or a value of a ``variable``.

    ``place`` is ``"line 21, 4th add"`` for a formula, ``"line 4"`` for value ``number`` of a variable.
    """

    name: str
    place: str
    text: str = ""
    expr: Expr | None = None
    variable: str = ""
    number: int = 0


class NameKey:
    """The meanings of names: ``meaning`` returns that of a made-up name, and None for any other."""

    __slots__ = ("_meaning",)

    def __init__(self, meaning: Callable[[str], NameMeaning | None]) -> None:
        self._meaning = meaning

    def of(self, texts: Iterable[str], known: Collection[str] = ()) -> list[NameMeaning]:
        """The meanings of the names in the texts, and of those in their meanings; not of ``known`` names."""
        found: dict[str, NameMeaning] = {}
        todo = list(texts)
        while todo:
            for word in NAMES.findall(todo.pop()):
                for name in (word, word[1:]) if word[0] == "d" else (word,):  # as in dL/dt7
                    meaning = None if name in found or name in known else self._meaning(name)
                    if meaning is not None:
                        found[name] = meaning
                        todo.append(meaning.text)
        return sorted(found.values(), key=lambda one: list(map(_natural, DIGITS.split(one.name))))


def _natural(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdecimal() else (-1, text)

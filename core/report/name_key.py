"""The key of a report: what its made-up names stand for, such as ``t7`` and ``x_2``."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Set

    from autodiff.core.symbolic.expr import Expr

NAMES = re.compile(r"[^\W\d][\w.]*(?:\[[^\[\]\n]*\])*")
#: A derivative ``dL/dx`` or ``d(a*b)/dx``.
QUOTIENT = r"\bd([\w.]+|\([^/\n]*?\))/d([\w.]+|\()"
DIGITS = re.compile(r"(\d+)")


class NameMeaning:
    """What a made-up name stands for: a formula, as ``text`` and ``expr``, or a value of a ``variable``.

    ``place`` is ``"line 21, 4th add"`` for a formula, ``"line 4"`` for value ``number`` of a variable, whose
    first value has the number ``first``, 0 or 1. It is no Record: a loop makes thousands of them, and the
    constructor of a Record takes eight times as long.
    """

    __slots__ = ("expr", "first", "name", "number", "place", "text", "variable")

    def __init__(
        self,
        name: str,
        place: str,
        text: str = "",
        expr: Expr | None = None,
        variable: str = "",
        number: int = 0,
        first: int = 1,
    ) -> None:
        self.first = first
        self.name = name
        self.place = place
        self.text = text
        self.expr = expr
        self.variable = variable
        self.number = number


class ValuesMeaning:
    """What made-up names of values of one variable stand for, from ``first`` to ``last``, ``count`` of them.

    ``places`` are the lines where they were made, ``counted_from`` is the number of the first of all values.
    """

    __slots__ = ("count", "counted_from", "first", "last", "places", "variable")

    def __init__(
        self,
        variable: str,
        first: tuple[int, str],
        last: tuple[int, str],
        count: int,
        places: Collection[str],
        counted_from: int = 1,
    ) -> None:
        self.counted_from = counted_from
        self.variable = variable
        self.first = first
        self.last = last
        self.count = count
        self.places = places


class NameKey:
    """The meanings of names: ``meaning`` returns that of a made-up name, and None for any other.

    ``short`` are those such as ``t7``, ``versioned`` those of single values of a variable, and
    ``values_meaning`` says together what some of these mean.
    """

    __slots__ = ("_meaning", "_short", "_values_meaning", "_versioned")

    def __init__(
        self,
        meaning: Callable[[str], NameMeaning | None],
        short: Set[str],
        versioned: Set[str],
        values_meaning: Callable[[Set[str]], list[ValuesMeaning]],
    ) -> None:
        self._meaning = meaning
        self._short = short
        self._versioned = versioned
        self._values_meaning = values_meaning

    def in_brief(
        self, texts: Iterable[str], known: Collection[str] = (), others: Iterable[str] = ()
    ) -> tuple[list[NameMeaning], list[ValuesMeaning]]:
        """The same in two parts: of formulas, and of the values of variables, one for each variable.

        A loop names thousands of values. They are found as whole texts, which takes less than their words.
        Where ``texts`` are all made-up names there are, the ``others`` are not read.
        """
        distinct = set(texts)
        if self._short or not self._versioned <= distinct:
            distinct.update(others)
        values = {*(self._versioned & distinct)}
        is_complete = not self._short and len(values) == len(self._versioned)
        found = [] if is_complete else self.of(distinct - values, known, values)
        return found, self._values_meaning(values.difference(known))

    def of(
        self,
        texts: Iterable[str],
        known: Collection[str] = (),
        values: set[str] | None = None,
        most: int | None = None,
    ) -> list[NameMeaning]:
        """The meanings of the names in the texts, and of those in their meanings; not of ``known`` names.

        Names of values of variables are added to ``values`` instead, if given. If there are at least ``most``
        meanings, those of further names in these meanings are left out.
        """
        found: list[NameMeaning] = []
        words = self._words(texts)
        seen = set(known)
        while words and (most is None or len(found) < most):
            new = words - seen
            seen |= new
            if values is not None:
                versioned = self._versioned & new
                values |= versioned
                new -= versioned
            meanings = [meaning for meaning in map(self._meaning, new) if meaning is not None]
            found += meanings
            words = self._words(meaning.text for meaning in meanings)
        return sorted(found, key=_order)

    def _words(self, texts: Iterable[str]) -> set[str]:
        """The names in the texts; for ``dL/dt7`` both ``dt7`` and ``t7``, for ``h_1.T`` ``h_1`` too.

        Where a script has values ``dw_2`` and ``w_2``, the derivative ``dL/dw_2`` has the name ``w_2`` alone.
        """
        text = "\n".join(set(texts))
        words = _names(text)
        both = {word for word in words if word[0] == "d" and self._is_made_up(word, word[1:])}
        if both:
            words -= both - _names(re.sub(QUOTIENT, r" \1 \2", text))
        return words | {word[1:] for word in words | both if word[0] == "d"}

    def _is_made_up(self, *names: str) -> bool:
        return all(name in self._versioned or name in self._short for name in names)


def _names(text: str) -> set[str]:
    """The names in a text, for ``h_1.T`` ``h_1`` too."""
    words = set(NAMES.findall(text))
    return words | {word.rpartition(".")[0] for word in words if "." in word}


def _order(meaning: NameMeaning) -> tuple[list[tuple[int, str]], int]:
    """Sorts ``t2`` before ``t10``, and the values of a variable by their numbers."""
    return _natural(f"{meaning.variable}_" if meaning.variable else meaning.name), meaning.number


@cache
def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in DIGITS.split(text)]

"""The key of made-up names below a tree or a derivation: ``t7 = a*b + c (line 21, 4th add)``."""

from __future__ import annotations

import re

from autodiff.cli.render.prose import in_words

#: Of so many names in a derivation, those in their meanings are not told, too.
MOST_NAMES = 100
FEWEST_ALIKE = 3  # variables whose values one sentence explains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from autodiff.core.report.name_key import NameKey, NameMeaning, ValuesMeaning


def meanings_in(
    key: NameKey | None, texts: Iterable[str], known: Collection[str] = (), most: int | None = None
) -> list[NameMeaning]:
    """The meanings of the made-up names in the texts, except for ``known`` names.

    Where there are ``most``, those of further names in these meanings are left out.
    """
    return [] if key is None else key.of(texts, known, most=most)


def meaning_of(key: NameKey | None, name: str) -> str:
    """What the name of a node stands for: ``= a*b + c``, or ``value 2 of x``; empty if it is not made up."""
    for one in meanings_in(key, [name], most=1):
        if one.name == name:
            return "".join(value_phrase(one, one.variable)) if one.variable else f"= {one.text}"
    return ""


def value_phrase(one: NameMeaning, variable: str) -> tuple[str, str, str]:
    """What the name of a value stands for, with the ``variable`` as it is to be written in the middle.

    >>> from autodiff.core.report.name_key import NameMeaning
    >>> numbers = [(0, 0), (2, 0), (2, 1)]
    >>> values = [NameMeaning("x", "line 4", variable="x", number=n, first=first) for n, first in numbers]
    >>> ["".join(value_phrase(one, "x")) for one in values]
    ['the first value of x', 'value 2 of x after its first', 'value 2 of x']
    """
    if one.number == 0:
        return "the first value of ", variable, ""
    return f"value {one.number} of ", variable, "" if one.first else " after its first"


def brief_meanings(
    key: NameKey | None, texts: Iterable[str], known: Collection[str] = (), others: Iterable[str] = ()
) -> tuple[list[NameMeaning], list[ValuesMeaning]]:
    """All meanings: those of formulas, and of the values of variables together."""
    return ([], []) if key is None else key.in_brief(texts, known, others)


def meaning_texts(formulas: Sequence[NameMeaning], values: Sequence[ValuesMeaning]) -> list[str]:
    """A line for all values of a variable, or of several that are numbered alike, and one for each formula.

    >>> from autodiff.core.report.name_key import NameMeaning, ValuesMeaning
    >>> sum_7 = NameMeaning("t7", "line 21, 4th add", "a*b + c")
    >>> values = [ValuesMeaning(x, (2, f"{x}_2"), (7, f"{x}_7"), 3, {"line 4"}) for x in "xyz"]
    >>> print(*meaning_texts([sum_7], values[:1]), sep="\\n")
    x_2 to x_7 are values 2 to 7 of x (line 4)
    t7 = a*b + c (line 21, 4th add)
    >>> meaning_texts([], values)
    ['x_2 to x_7 are values 2 to 7 of x (line 4), and likewise those of y (line 4) and z (line 4)']
    >>> meaning_texts([], [ValuesMeaning("x", (2, "x_2"), (2, "x_2"), 1, {"line 4"}, counted_from=0)])
    ['x_2 is value 2 of x after its first (line 4)']
    >>> places = {"line 4", "line 5"}
    >>> meaning_texts([], [ValuesMeaning("x", (0, "x_0"), (2, "x_2"), 3, places, counted_from=0)])
    ['x_0 to x_2 are values 0 to 2 of x, x_0 its first']
    """
    groups: dict[object, list[ValuesMeaning]] = {}
    for one in values:
        is_regular = all(name == f"{one.variable}_{number}" for number, name in (one.first, one.last))
        alike = one.counted_from if is_regular and one.first[0] else one.variable
        groups.setdefault(alike, []).append(one)
    texts: list[str] = []
    for group in groups.values():
        if len(group) < FEWEST_ALIKE:
            texts += map(values_text, group)
            continue
        others = in_words([one.variable + place_of(one) for one in group[1:]])
        texts.append(f"{values_text(group[0])}, and likewise those of {others}")
    return texts + [f"{one.name} = {one.text} ({one.place})" for one in formulas]


def repeat_text(texts: Iterable[str]) -> list[str]:
    """What ``(2nd)`` behind a name means, for the first of the texts that has one.

    >>> repeat_text(["a", "d(a[9] (4th))/da"]), repeat_text(["a*b (line 3, 2nd)"])
    (['(4th) behind a name: the 4th value of the same expression'], [])
    """
    found = re.search(r" \((\d+(?:st|nd|rd|th))\)", "\n".join(texts))
    return [f"({found[1]}) behind a name: the {found[1]} value of the same expression"] if found else []


def values_text(one: ValuesMeaning) -> str:
    """What the names of values of one variable stand for."""
    joint = " and " if one.count == 2 else " to "
    ends = [one.first, one.last][: one.count]
    names, numbers = joint.join(name for _, name in ends), joint.join(str(number) for number, _ in ends)
    if one.last[0] == 0:
        meant = f"is the first value of {one.variable}"
    else:
        meant = f"{'are values' if one.count > 1 else 'is value'} {numbers} of {one.variable}"
        if not one.counted_from:
            meant += " after its first" if one.first[0] else f", {one.first[1]} its first"
    return f"{names} {meant}{place_of(one)}"


def place_of(one: ValuesMeaning) -> str:
    return f" ({next(iter(one.places))})" if len(one.places) == 1 else ""

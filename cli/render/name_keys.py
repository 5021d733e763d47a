"""The key of made-up names below a tree or a derivation: ``t7 = a*b + c (line 21, 4th add)``."""

from __future__ import annotations

#: Of so many names in a derivation, those in their meanings are not told, too.
MOST_NAMES = 100

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
    for one in [] if key is None else key.of([name]):
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
    """A line for all values of a variable, and one for each formula.

    >>> from autodiff.core.report.name_key import NameMeaning, ValuesMeaning
    >>> sum_7 = NameMeaning("t7", "line 21, 4th add", "a*b + c")
    >>> values = ValuesMeaning("x", (2, "x_2"), (7, "x_7"), 3, {"line 4"})
    >>> print(*meaning_texts([sum_7], [values]), sep="\\n")
    x_2 to x_7 are values 2 to 7 of x (line 4)
    t7 = a*b + c (line 21, 4th add)
    >>> meaning_texts([], [ValuesMeaning("x", (2, "x_2"), (2, "x_2"), 1, {"line 4"}, counted_from=0)])
    ['x_2 is value 2 of x after its first (line 4)']
    >>> places = {"line 4", "line 5"}
    >>> meaning_texts([], [ValuesMeaning("x", (0, "x_0"), (2, "x_2"), 3, places, counted_from=0)])
    ['x_0 to x_2 are values 0 to 2 of x, x_0 its first']
    """
    texts = []
    for one in values:
        joint = " and " if one.count == 2 else " to "
        ends = [one.first, one.last][: one.count]
        names, numbers = joint.join(name for _, name in ends), joint.join(str(number) for number, _ in ends)
        place = f" ({next(iter(one.places))})" if len(one.places) == 1 else ""
        if one.last[0] == 0:
            meant = f"is the first value of {one.variable}"
        else:
            meant = f"{'are values' if one.count > 1 else 'is value'} {numbers} of {one.variable}"
            if not one.counted_from:
                meant += " after its first" if one.first[0] else f", {one.first[1]} its first"
        texts.append(f"{names} {meant}{place}")
    return texts + [f"{one.name} = {one.text} ({one.place})" for one in formulas]

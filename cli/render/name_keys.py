"""The key of made-up names below a tree or a derivation: ``t7 = a*b + c (line 21, 4th add)``."""

from __future__ import annotations

from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from autodiff.core.report.name_key import NameKey, NameMeaning


def meanings_in(key: NameKey | None, texts: Iterable[str], known: Collection[str] = ()) -> list[NameMeaning]:
    """The meanings of the made-up names in the texts, except for ``known`` names."""
    return [] if key is None else key.of(texts, known)


def meaning_of(key: NameKey | None, name: str) -> str:
    """What the name of a node stands for: ``= a*b + c``, or ``value 2 of x``; empty if it is not made up."""
    for one in [] if key is None else key.of([name]):
        if one.name == name:
            return f"value {one.number} of {one.variable}" if one.variable else f"= {one.text}"
    return ""


def meaning_texts(meanings: Sequence[NameMeaning]) -> list[str]:
    """A line for each formula, and one for all values of a variable.

    >>> from autodiff.core.report.name_key import NameMeaning
    >>> values = [NameMeaning(f"x_{n}", "line 4", variable="x", number=n) for n in (2, 3, 7)]
    >>> print(*meaning_texts([NameMeaning("t7", "line 21, 4th add", "a*b + c"), *values]), sep="\\n")
    t7 = a*b + c (line 21, 4th add)
    x_2 to x_7 are values 2 to 7 of x (line 4)
    >>> meaning_texts(values[:1])
    ['x_2 is value 2 of x (line 4)']
    """
    texts = []
    for variable, group in groupby(meanings, key=lambda one: one.variable):
        found = list(group)
        if not variable:
            texts += [f"{one.name} = {one.text} ({one.place})" for one in found]
            continue
        first, last = found[0], found[-1]
        joint = " and " if len(found) == 2 else " to "
        names = joint.join([first.name, last.name][: len(found)])
        values = "is value " if first is last else "are values "
        values += joint.join([str(first.number), str(last.number)][: len(found)])
        place = f" ({first.place})" if len({one.place for one in found}) == 1 else ""
        texts.append(f"{names} {values} of {variable}{place}")
    return texts

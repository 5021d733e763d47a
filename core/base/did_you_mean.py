"""Which known name a mistyped one might have meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: Words of other languages.
WORDS = {"true": "True", "false": "False", "none": "None", "null": "None", "nil": "None"}
LONGEST = 60


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, if any is near enough to propose.

    >>> closest("required_grad", ["requires_grad", "grad"])
    'requires_grad'
    >>> closest("x_3", ["x1", "x2", "x3"])
    'x3'
    """
    if name.lower() in WORDS:
        return WORDS[name.lower()]
    near = nearest(name, known)
    return near[0] if near else None


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are near enough to be meant, the nearest first.

    Names that differ in case or underscores alone are nearest, then those that differ in a letter written
    twice, however short. Numbers in names tell them apart: ``w3`` is no slip for ``w1``.

    >>> nearest("lenght", ["length", "len", "dept"])
    ['length']
    >>> nearest("w3", ["w1", "W3"])
    ['W3']
    >>> nearest("lrr", ["lr", "l"])
    ['lr']
    """
    if len(name) > LONGEST:
        return []
    key = folded(name)
    found = []
    for other in set(known) - {name}:
        if len(other) > LONGEST:
            continue
        if folded(other) == key:
            # `x3` before `X3` for `x_3`: what differs in underscores alone comes first
            steps = 0.1 if other.replace("_", "") == name.replace("_", "") else 0.2
        elif digits(name) and digits(other) and digits(name) != digits(other):
            continue
        elif len(other) > 1 and undoubled(other) == undoubled(name):
            steps = 1
        else:
            steps = slips(name.lower(), other.lower(), most_slips(min(len(name), len(other))))
            if steps > most_slips(min(len(name), len(other))):
                continue
        # A letter too many is likelier than a wrong one: `siin` is `sin` rather than `sign`.
        strange = len(set(name.lower()) ^ set(other.lower()))
        found.append((steps, other[:1] != name[:1], strange, abs(len(other) - len(name)), other))
    return [entry[-1] for entry in sorted(found)]


def folded(name: str) -> str:
    """What is left of a name when case and underscores do not count."""
    return name.lower().replace("_", "")


def undoubled(name: str) -> str:
    """The name with every letter once that stands twice in a row."""
    return "".join([letter for letter, after in zip(name, name[1:] + " ", strict=True) if letter != after])


def digits(name: str) -> str:
    return "".join([character for character in name if character.isdigit()])


def most_slips(length: int) -> int:
    """How many letters of a name of this length may be wrong."""
    return 0 if length < 3 else min(3, (length + 1) // 4 + (length == 6))


def slips(a: str, b: str, most: int) -> int:
    """How many letters to add, drop, change or swap with their neighbour; ``most + 1`` if more.

    >>> slips("alhpa", "alpha", 2), slips("sinn", "sin", 2), slips("abc", "xyz", 2)
    (1, 1, 3)
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        two_before, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            steps = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                steps = min(steps, two_before[j - 2] + 1)
            row.append(steps)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)

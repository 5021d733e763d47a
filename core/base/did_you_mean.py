"""Suggest the known name that a mistyped name was probably meant to be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: Constants as other programming languages spell them.
FOREIGN_CONSTANTS = {"true": "True", "false": "False", "none": "None", "null": "None", "nil": "None"}
MAX_NAME_LENGTH = 60


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to ``name``, or None if none is close enough to suggest.

    >>> closest_name("required_grad", ["requires_grad", "grad"])
    'requires_grad'
    >>> closest_name("x_3", ["x1", "x2", "x3"])
    'x3'
    """
    if name.lower() in FOREIGN_CONSTANTS:
        return FOREIGN_CONSTANTS[name.lower()]
    near = similar_names(name, known)
    return near[0] if near else None


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names close enough to be meant, closest first.

    Names that differ only in case or underscores come first. Names that differ only in a doubled letter
    follow, however short they are. Names with different digits never match: ``w3`` is no typo of ``w1``.

    >>> similar_names("lenght", ["length", "len", "dept"])
    ['length']
    >>> similar_names("w3", ["w1", "W3"])
    ['W3']
    >>> similar_names("lrr", ["lr", "l"])
    ['lr']
    """
    if len(name) > MAX_NAME_LENGTH:
        return []
    key = fold_name(name)
    found = []
    for other in set(known) - {name}:
        if len(other) > MAX_NAME_LENGTH:
            continue
        if fold_name(other) == key:
            # For `x_3`, `x3` comes before `X3`: a difference only in underscores ranks first.
            steps = 0.1 if other.replace("_", "") == name.replace("_", "") else 0.2
        elif digits_of(name) and digits_of(other) and digits_of(name) != digits_of(other):
            continue
        elif len(other) > 1 and collapse_doubled(other) == collapse_doubled(name):
            steps = 1
        else:
            steps = edit_distance(name.lower(), other.lower(), max_typos(min(len(name), len(other))))
            if steps > max_typos(min(len(name), len(other))):
                continue
        # An extra letter is likelier than a wrong one: `siin` means `sin` rather than `sign`.
        strange = len(set(name.lower()) ^ set(other.lower()))
        found.append((steps, other[:1] != name[:1], strange, abs(len(other) - len(name)), other))
    return [entry[-1] for entry in sorted(found)]


def fold_name(name: str) -> str:
    """Return the name in lower case without underscores."""
    return name.lower().replace("_", "")


def collapse_doubled(name: str) -> str:
    """Return the name with runs of the same letter collapsed to one letter."""
    return "".join([letter for letter, after in zip(name, f"{name} "[1:], strict=True) if letter != after])


def digits_of(name: str) -> str:
    return "".join([character for character in name if character.isdigit()])


def max_typos(length: int) -> int:
    """Return the largest number of typing mistakes accepted in a name of this length."""
    return 0 if length < 3 else min(3, (length + 1) // 4 + (length == 6))


def edit_distance(a: str, b: str, most: int) -> int:
    """Return the edit distance between two names, or ``most + 1`` if it exceeds ``most``.

    One edit inserts, deletes or replaces a letter, or swaps two neighbouring letters.

    >>> [edit_distance(*pair, 2) for pair in (("alhpa", "alpha"), ("sinn", "sin"), ("abc", "xyz"))]
    [1, 1, 3]
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

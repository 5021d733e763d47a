"""Which known name a mistyped one might have meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: Words of other languages.
WORDS = {"true": "True", "false": "False", "none": "None", "null": "None", "nil": "None"}


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, if any is near enough to propose.

    >>> closest("required_grad", ["requires_grad", "grad"])
    'requires_grad'
    >>> closest("x_3", ["x1", "x2", "x3"])
    'x3'
    """
    from difflib import get_close_matches

    if len(name) > 100:
        return None
    if name.lower() in WORDS:
        return WORDS[name.lower()]
    names = sorted(set(known) - {name})
    folded = {n.lower().replace("_", ""): n for n in reversed(names)}
    key = name.lower().replace("_", "")
    if key in folded:
        return folded[key]
    near = get_close_matches(name, [n for n in names if len(n) > 1 or len(name) == 1], 1, 0.7)
    return near[0] if near else None

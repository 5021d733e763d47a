"""The left side of a hand formula: what is derived by what, once or twice.

``dL/dw``, ``d(L)/d(w)``, ``dL/dW[0,1]``, ``dL/dparams[0]``, ``w.grad``; ``d2L/dx2``, ``d2L/dx dw``,
``d2L/dxdw``, ``d(dL/dx)/dw``, with ``^`` or ``**`` before a 2 and with the round d as well.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.core.derivation.second_order import spelled_second

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: A name, in brackets or not, and the entry of it that is meant, or the place in a list.
NAME = r"(?:\(\s*(?P<{0}>[^()]+?)\s*\)|(?P<{0}_>[^\W\d]\w*?))"
INDEX = r"\s*-?\d+\s*(?:,\s*-?\d+\s*)*,?\s*"
BRACKETS = rf"(?:\s*\[{INDEX}\])*"
ENTRY = rf"(?P<{{0}}_at>{BRACKETS})"
TWO = r"\s*(?:\^|\*\*)?\s*2"


def pattern(text: str) -> re.Pattern[str]:
    """``@x`` stands for a name, ``@x@`` for one that may have an entry, a space for any number of them."""
    text = re.sub(r"@(\w)@", lambda found: NAME.format(found[1]) + ENTRY.format(found[1]), text)
    text = re.sub(r"@(\w)", lambda found: NAME.format(found[1]), text)
    return re.compile(text.replace("²", TWO).replace(" ", r"\s*"))


FIRST = tuple(map(pattern, (r" d @y / d @x@ ", rf" (?P<x_>\w+{BRACKETS})\.grad" + ENTRY.format("x") + " ")))
SECOND = tuple(
    map(
        pattern,
        (
            r" d² @y / d @x@² ",
            r" d² @y / \( d @x@ \)² ",
            r" d² @y / d @x@ \*? d @z@ ",
            r" d² @y / \( d @x@ \*? d @z@ \) ",
            r" d \( d @y / d @x@ \) / d @z@ ",
        ),
    )
)
#: Two names without anything between them: where the first ends only a script can tell.
TOGETHER = pattern(r" d² @y / (?P<open>\()? d(?P<pair>\w+) (?(open)\)) ")
#: What an equals sign may stand in, or be.
PIECES = re.compile(r"""'[^']*'|"[^"]*"|[<>!]=|==?|[()\[\]{}]""")
#: Where a second derivative starts, and where a higher one does.
LOOKS_SECOND = re.compile(r"\s*d(?:\s*(?:\^|\*\*)\s*\d|\d)")


class Left:
    """What was read: the ``output``, "" where unknown, and what it is derived by, with entries or None."""

    __slots__ = ("by", "output")

    def __init__(self, output: str, by: tuple[tuple[str, tuple[int, ...] | None], ...]) -> None:
        self.output = output
        self.by = by

    @property
    def place(self) -> tuple[int, ...] | None:
        """The entry of the derivative that is meant, None for all of it."""
        given = [entry for _, entry in self.by if entry is not None]
        return tuple(index for entry in given for index in entry) if given else None

    def spelled(self, output: str) -> str:
        """``dL/dW[0,1]`` or ``d2L/dx2``."""
        names = [name + ("" if entry is None else as_index(entry)) for name, entry in self.by]
        if len(names) == 1:
            return f"d{output}/d{names[0]}"
        if self.place is None:
            return spelled_second(output, "", names[0], names[1])
        return f"d2{output}/d{names[0]} d{names[1]}"

    def in_lists(self, names: Mapping[str, Any]) -> Left:
        """The same with places for inputs that are kept in lists among ``names``, as in ``params[0]``."""
        by = []
        for name, entry in self.by:
            value, rest = names.get(name), list(entry or ())
            while value.__class__ in (list, tuple) and rest and -len(value) <= rest[0] < len(value):
                at = range(len(value))[rest.pop(0)]
                name, value = f"{name}[{at}]", value[at]
            by.append((name, tuple(rest) or None))
        return Left(self.output, tuple(by))


def as_index(entry: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, entry))}]"


def read_left(text: str, names: Collection[str]) -> Left | None:
    """The derivative that is spelled, None for what is none; ``names`` are those of the script."""
    text = text.replace("∂", "d").replace("²", "2")
    if together := TOGETHER.fullmatch(text):
        pair = together["pair"]
        for at in (at for at, letter in enumerate(pair) if letter == "d"):
            if pair[:at] in names and pair[at + 1 :] in names:
                return Left(named(together.groupdict(), "y")[0], ((pair[:at], None), (pair[at + 1 :], None)))
    for shape in (*SECOND, *FIRST):
        if found := shape.fullmatch(text):
            groups = found.groupdict()
            by = [named(groups, letter) for letter in ("x", "z") if letter + "_" in groups]
            if len(by) == 1 and shape in SECOND:
                by *= 2
            return Left(named(groups, "y")[0] if "y_" in groups else "", tuple(by))
    return None


def named(groups: dict[str, str | None], letter: str) -> tuple[str, tuple[int, ...] | None]:
    """A name and its entry, which may stand in the brackets with it."""
    name = groups[letter + "_"] or groups.get(letter) or ""
    at = groups.get(letter + "_at") or ""
    if inside := re.fullmatch(rf"(\w+)({BRACKETS})", name):
        name, at = inside[1], inside[2] + at
    return name, tuple(map(int, re.findall(r"-?\d+", at))) or None


def sides(text: str) -> tuple[str, str, str]:
    """What is left of the equals sign, the sign and what is right of it; all of it left where there is none.

    Inside of brackets and quotes stand keywords and comparisons, and ``<=`` and its kin compare anywhere.
    """
    depth = 0
    for found in PIECES.finditer(text):
        piece = found[0]
        depth += (piece in "([{") - (piece in ")]}")
        if not depth and piece in ("==", "="):
            return text[: found.start()], piece, text[found.end() :]
    return text, "", ""


def no_derivative(text: str) -> UsageError:
    """What to say of a left side that could not be read."""
    shown = text.strip()
    if LOOKS_SECOND.match(text.replace("∂", "d")):
        return UsageError(
            f"--formula: `{shown}` is no first or second derivative",
            code="E0610",
            help=("write a second derivative as in d2L/dx2 == 6*x, or d2L/dx dw for two inputs",),
        )
    return UsageError(
        f"--formula: `{shown}` is no derivative",
        code="E0610",
        help=("write it as in --formula 'dL/dw == 2*w', or d(loss)/d(w)",),
    )

"""The script a language generator is writing: its lines, the names in sight, and typed expressions.

A kind (``int``, ``ints``, ``vec``...) says what an expression gives, so that whatever is put together
runs: ints stay far from 64 bits, lists named ``ints`` have two entries at least, tensors have one fixed
shape per kind. What expressions are made of is in `language_expressions`; a hole in their templates is
``<int>`` where any text fits, ``<(int)>`` where it is put in parentheses, ``<~int>`` where arithmetic may
stay without, so that precedence is tried too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

HOLE = re.compile(r"<([~(]?)(\w+)\)?>")
PRIMARY = re.compile(r"[\w.]+$")
LOOSE = re.compile(r"\b(if|lambda|and|or|not|in|is)\b|[<>=!:]")
ASCII_NAMES = tuple("cdhnruyz")  # the other letters stand in templates
UNICODE_NAMES = ("größe", "α", "β_1", "данные", "名前", "été")


@dataclass(frozen=True)
class Name:
    """A name in sight: what it holds, and how many functions deep it was bound."""

    text: str
    kind: str
    level: int


def is_primary(text: str) -> bool:
    """Whether the text can stand before a dot or between operators as it is."""
    if PRIMARY.match(text):
        return not text[0].isdigit()
    if not text.endswith((")", "]")) or text[0] in "'\"-+~":
        return False
    depth = 0
    for at, sign in enumerate(text):
        if sign in "'\"":
            return False
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and not (sign in ")]" or sign == "_" or sign == "." or sign.isalnum()):
            return False
        if depth == 0 and sign in ")]" and at + 1 < len(text) and text[at + 1] not in "([.":
            return False
    return True


Table = dict[str, Sequence["str | Callable[[Writer, int], str]"]]


class Writer:
    """The script so far."""

    def __init__(self, seed: int, productions: Table, simple: Table) -> None:
        self.random = random.Random(seed)
        self.productions = productions
        self.simple = simple
        self.lines: list[str] = []
        self.scopes: list[list[Name]] = [[]]
        self.indent = ""
        self.level = 0  # how many functions deep
        self.loops = 0  # how many loops of this function are open
        self.tracking = True  # whether gradients are recorded here, as far as the text tells
        self.leaves_only = False  # whether tensors are taken without their history
        self.returns: str | None = None  # the kind the function being written gives back
        self.counter = 0
        self.taken: set[str] = set()  # one-letter and other names that were given out

    # -- choices ------------------------------------------------------------------------------------

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def name(self, stem: str = "") -> str:
        """A name nothing has yet."""
        if not stem and self.maybe(0.5):
            for candidate in self.random.sample(ASCII_NAMES + UNICODE_NAMES, 4):
                if candidate not in self.taken:
                    self.taken.add(candidate)
                    return candidate
        self.counter += 1
        return f"{stem or self.choose('t', 'item', 'x', 'val_')}{self.counter}"

    # -- lines --------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    @contextmanager
    def block(self, header: str, *names: Name) -> Iterator[None]:
        """An indented body, in which the given names are in sight as well; what it binds goes with it."""
        self.line(header)
        before, self.indent = self.indent, self.indent + self.choose("    ", "    ", "  ")
        self.scopes.append(list(names))
        yield
        self.scopes.pop()
        self.indent = before

    @contextmanager
    def loop(self, header: str, *names: Name) -> Iterator[None]:
        self.loops += 1
        with self.block(header, *names):
            yield
        self.loops -= 1

    @contextmanager
    def function(
        self, header: str, *parameters: tuple[str, str], tracking: bool | None = None
    ) -> Iterator[None]:
        """The body of a def; parameters are (name, kind)."""
        before = self.loops, self.tracking, self.leaves_only
        self.level += 1
        self.loops, self.tracking = 0, False if tracking is None else tracking
        with self.block(header, *[Name(name, kind, self.level) for name, kind in parameters]):
            yield
        self.level -= 1
        self.loops, self.tracking, self.leaves_only = before

    # -- names --------------------------------------------------------------------------------------

    def bind(self, name: str, kind: str) -> str:
        """Bring a name into sight."""
        self.forget(name)
        self.scopes[-1].append(Name(name, kind, self.level))
        return name

    def forget(self, name: str) -> None:
        for scope in self.scopes:
            scope[:] = [known for known in scope if known.text != name]

    def visible(self, kind: str) -> list[Name]:
        return [known for scope in self.scopes for known in scope if known.kind == kind]

    def assignable(self, kind: str) -> str | None:
        """A name of this function that may be given another value of its kind."""
        found = [known.text for known in self.visible(kind) if known.level == self.level]
        return self.random.choice(found[-4:]) if found else None

    def holding(self, kind: str, depth: int = 2) -> str:
        """A name that holds a value of the kind, bound on a line of its own if need be."""
        found = self.assignable(kind)
        if found is None:
            found = self.name()
            self.line(f"{found} = {self.expression(kind, depth)}")
            self.bind(found, kind)
        return found

    # -- expressions --------------------------------------------------------------------------------

    def expression(self, kind: str, depth: int = 2) -> str:
        """The text of an expression of the kind."""
        names = self.visible(kind)
        if names and self.maybe(0.6 if depth <= 0 else 0.25):
            found = self.random.choice(names[-5:] if self.maybe(0.6) else names).text
            tracked = self.leaves_only and kind in ("vec", "mat", "sca")
            return f"{found}.detach()" if tracked else found
        production = self.random.choice(self.simple[kind] if depth <= 0 else self.productions[kind])
        return production(self, depth) if callable(production) else self.fill(production, depth)

    def fill(self, template: str, depth: int) -> str:
        """The template with its holes filled."""

        def text_of(match: re.Match[str]) -> str:
            how, kind = match.groups()
            text = self.expression(kind, depth - 1)
            if not how or is_primary(text):
                return text
            if how == "~" and not LOOSE.search(text) and self.maybe(0.5):
                return text
            return f"({text})"

        return HOLE.sub(text_of, template)

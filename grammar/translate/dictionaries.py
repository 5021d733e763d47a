"""Rewrites the dictionaries of a pasted program as lists, which keep their entries at numbered places.

The keys are either written words, ``parameters["W1"]``, whose order gives the places, or time steps of a
loop, ``hs[t]``: then the list has a place for each step, and ``hs[-1]``, the state before the first, is its
last.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.modules import shortened
from autodiff.grammar.translate.pasted_program import (
    CannotRewriteError,
    PastedProgram,
    assigned_pairs,
    is_target,
)
from autodiff.grammar.translate.python_constructs import DICTIONARY_ADVICE, is_dictionary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

COMPUTED_KEY = "keep a list for each kind of entry, as in `W[l]` and `b[l]`"
NO_LENGTH = "make a list that is long enough and set its entries, as in `hs = [None]*(T + 1)`"


def list_edits(pasted: PastedProgram) -> list[Edit]:
    """Return the edits that make all dictionaries of a program lists.

    Raises CannotRewriteError for the first use that a list does not have.
    """
    found = Dictionaries(pasted)
    for display in found.displays:
        found.check_entries(display)
    changed = {id(node): text for name in found.uses() for node, text in found.changed(name)}
    changed |= {id(display): found.written(display, changed) for display in found.displays}
    makers = {id(pasted.statement(display)) for display in found.displays}
    edits: list[Edit] = []

    def add(node: Any) -> str | None:
        text = changed.get(id(node))
        if id(node) in makers and not isinstance(node, tree.FunctionDef):  # shown as a whole
            text = pasted.render(node, lambda part: changed.get(id(part)))
        if text is not None:
            edits.append(Edit(node.span, text))
        return text

    pasted.render(pasted.script, add)
    return edits


class Dictionaries:
    """The dictionaries of a program: ``displays``, by the names that they are assigned to where they are."""

    def __init__(self, pasted: PastedProgram) -> None:
        self.pasted = pasted
        self.displays = [node for node in walk(pasted.script) if is_dictionary(pasted, node)]
        self.names: dict[int, str] = {}
        for statement in walk(pasted.script):
            for target, value in assigned_pairs(statement):
                if isinstance(target, tree.Name) and is_dictionary(pasted, value):
                    self.names[id(value)] = target.id
        self.keys: dict[str, list[str]] = {}  # of each name, those in its displays and those set later
        for node in self.displays:
            name = self.names.get(id(node), "")
            known = self.keys.setdefault(name, [])
            known += [key for key in self.words(node) if key not in known]
        for node in walk(pasted.script):
            if isinstance(node, tree.Subscript) and isinstance(node.object, tree.Name):
                known_or_none = self.keys.get(node.object.id)
                if known_or_none is not None and isinstance(node.index, tree.String):
                    known_or_none += [node.index.value] * (node.index.value not in known_or_none)

    def refuse(self, node: Any, advice: str = DICTIONARY_ADVICE) -> CannotRewriteError:
        statement = self.pasted.statement(node)
        shown = node if isinstance(statement, tree.Script) else statement
        return CannotRewriteError(node, f"`{shortened(self.pasted.text(shown))}`", advice)

    @staticmethod
    def words(display: Any) -> list[str]:
        """The keys of a display that are written words."""
        entries = [one for one in display.elements if isinstance(one, tree.Comparison)]
        return [one.first.value for one in entries if isinstance(one.first, tree.String)]

    def check_entries(self, display: Any) -> None:
        """Raise CannotRewriteError unless each key is another written word, and no entry a dictionary."""
        words = self.words(display)
        is_inner = any(other is not display and is_around(other, display) for other in self.displays)
        if is_inner or len(set(words)) < len(display.elements):
            raise self.refuse(display)

    def written(self, display: Any, changed: dict[int, str]) -> str:
        """The list that takes the place of a display; ``changed`` has the texts of uses in its entries."""
        name = self.names.get(id(display), "")
        keys = self.keys[name]
        if not display.elements and not keys:
            return self.length(display, name)
        values = {
            one.first.value: self.pasted.render(one.rest[0][1], lambda node: changed.get(id(node)))
            for one in display.elements
        }
        if not values:
            return f"[None]*{len(keys)}"
        return f"[{', '.join(values.get(key, 'None') for key in keys)}]"

    # -- what is done with them ---------------------------------------------------------------------

    def uses(self) -> Iterator[Any]:
        """Yield the names of dictionaries, and others that are read by a key, where they are used."""
        for node in walk(self.pasted.script):
            if isinstance(node, tree.Name) and not is_target(self.pasted.parent(node), node):
                outer = self.pasted.parent(node)
                if node.id in self.keys or (is_key_of(outer, node) and self.is_by_word(outer.index)):
                    yield node

    @staticmethod
    def is_by_word(index: Any) -> bool:
        """Whether a key is a word, written or computed."""
        return any(isinstance(part, (tree.String, tree.FString)) for part in walk(index))

    def changed(self, name: Any) -> Iterator[tuple[Any, str]]:
        """Yield the text of one use, if a list has another; raise CannotRewriteError if it has none."""
        outer = self.pasted.parent(name)
        if is_key_of(outer, name):
            if isinstance(outer.index, tree.String):
                yield outer, f"{name.id}[{self.place(name, outer)}]"
            elif self.is_by_word(outer.index):
                raise self.refuse(outer, COMPUTED_KEY)
            elif self.keys.get(name.id):
                raise self.refuse(outer)
        elif isinstance(outer, tree.Attribute):
            call = self.pasted.parent(outer)
            if outer.name not in ("values", "copy") or not isinstance(call, tree.Call):
                raise self.refuse(outer)
            if outer.name == "values":
                yield call, name.id
        elif isinstance(outer, (tree.For, tree.ComprehensionFor, tree.Comparison, tree.Starred)):
            raise self.refuse(name)

    def place(self, name: tree.Name, use: Any) -> int:
        """The place of the entry that is read by a written word."""
        key = use.index.value
        keys = self.keys.get(name.id)
        if keys is None:  # the dictionary has another name where it is made
            with_key = [known for known in self.keys.values() if key in known]
            if not with_key or any(known != with_key[0] for known in with_key):
                raise self.refuse(use)
            (keys, *_) = with_key
        return keys.index(key)

    # -- time steps ---------------------------------------------------------------------------------

    def length(self, display: Any, name: str) -> str:
        """A list with a place for each step of the loops that set the entries of an empty dictionary."""
        pasted = self.pasted
        within = pasted.inside(display, tree.FunctionDef)
        counts: dict[str, None] = {}
        largest, more = -1, 0
        for node in walk(within or pasted.script):
            if not (isinstance(node, tree.Subscript) and is_target(pasted.parent(node), node)):
                continue
            if not (isinstance(node.object, tree.Name) and node.object.id == name):
                continue
            index, after = without_sum(node.index)
            if isinstance(index, tree.Number) and index.value.__class__ is int and not after:
                largest = max(largest, index.value)
            elif isinstance(index, tree.Name) and 0 <= after <= 1:
                counts[self.steps(node, index.id)] = None
                more = max(more, after)
            elif isinstance(index, tree.Number) and after == -1 and index.value == 0:
                more = 1
            else:
                raise self.refuse(node, NO_LENGTH)
        if len(counts) > 1 or (not counts and (largest < 0 or more)):
            raise self.refuse(display, NO_LENGTH)
        if not counts:
            return f"[None]*{largest + 1}"
        (count,) = counts
        is_one = count.isalnum() or count.isidentifier() or count.startswith("len(")
        return f"[None]*({count} + {more})" if more else f"[None]*{count if is_one else f'({count})'}"

    def steps(self, use: Any, variable: str) -> str:
        """How many steps the loop around a use has whose variable is the key."""
        loop = self.pasted.inside(use, tree.For)
        while loop is not None:
            count = self.count_of(loop, variable)
            if count:
                return count
            loop = self.pasted.inside(loop, tree.For)
        raise self.refuse(use, NO_LENGTH)

    def count_of(self, loop: Any, variable: str) -> str:
        """The number of turns of ``for variable in range(n)`` or ``in enumerate(x)``, else ""."""
        target, call = loop.target, loop.iterable
        if not (isinstance(call, tree.Call) and isinstance(call.function, tree.Name) and call.arguments):
            return ""
        text = self.pasted.text(call.arguments[-1].value)
        if call.function.id == "range" and len(call.arguments) < 3:
            return text if isinstance(target, tree.Name) and target.id == variable else ""
        first = target.elements[0] if isinstance(target, tree.TupleDisplay) else None
        is_first = isinstance(first, tree.Name) and first.id == variable
        return (
            f"len({text})"
            if call.function.id == "enumerate" and len(call.arguments) == 1 and is_first
            else ""
        )


def is_key_of(outer: Any, name: Any) -> bool:
    """Whether ``outer`` is ``name[...]``."""
    return isinstance(outer, tree.Subscript) and outer.object is name


def is_around(outer: Any, inner: Any) -> bool:
    return bool(outer.span.start <= inner.span.start and inner.span.end <= outer.span.end)


def without_sum(index: Any) -> tuple[Any, int]:
    """Return a key without what is added to it, and that: of ``t + 1`` ``t`` and 1, of ``-1`` 0 and -1."""
    if isinstance(index, tree.Unary) and index.op == "-" and isinstance(index.operand, tree.Number):
        return tree.Number(index.span, 0), -int(index.operand.value)
    if isinstance(index, tree.Binary) and index.op == "+" and isinstance(index.right, tree.Number):
        return index.left, int(index.right.value)
    return index, 0

"""Lines of a derivation that are lines of the script too: the forward pass before the steps.

Their names have the script's values. Run again, ``X = np.random.randn(4, 2)`` would draw other numbers.
"""

from __future__ import annotations

from functools import lru_cache

from autodiff.grammar.by_hand.formula import words_of
from autodiff.grammar.by_hand.left_side import DerivativeNames
from autodiff.grammar.by_hand.step_lines import BLOCK, HELPER, Line, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from autodiff.core.base.source import Source
    from autodiff.grammar.by_hand.steps import Derivation


@lru_cache(maxsize=4)
def lines_of(script: Source) -> list[Line]:
    return read_lines(script, DerivativeNames(words_of(script)), {})


def repeated_places(lines: list[Line], script: Source, settled: Collection[str]) -> set[int]:
    """Return the places of the ``lines`` whose names have the values that the script gives them.

    They are statements of the script, compute nothing from names that the derivation gives other values
    before, and are all the lines of the script that change these names. Those that change the ``settled``
    names do not count, whose only value in the graph is known.
    """
    own = lines_of(script)
    written = {text_of(line) for line in own}
    keys = {line.key for line in lines if line.key}
    aliases = aliases_in([*own, *lines])
    changed = {line: changed_names(line, aliases) for line in (*own, *lines)}
    found = {
        at
        for at, line in enumerate(lines)
        if line.kind in (HELPER, BLOCK)
        and changed[line]
        and text_of(line) in written
        and not keys & (line.reads | changed[line])
    }
    while True:
        texts = {text_of(lines[at]) for at in found}
        others = [set[str]()]
        for at, line in enumerate(lines):
            others.append(others[-1] if at in found else others[-1] | changed[line])
        later = set().union(*(changed[line] for line in own if text_of(line) not in texts))
        later = later.difference(settled) | read_between(lines, found)
        kept = {
            at
            for at in found
            if others[at].isdisjoint(lines[at].reads | changed[lines[at]])
            and later.isdisjoint(changed[lines[at]])
        }
        if kept == found:
            return found
        found = kept


def untouched_places(derivation: Derivation) -> set[int]:
    """Return the places of the lines of a script that compute nothing from its steps.

    Lines below ``with`` are run again: what the script has after each of them is not known.
    """
    lines = derivation.lines
    aliases = aliases_in(lines)
    touched = set(derivation.keys)
    found = set()
    for at, line in enumerate(lines):
        if line.kind in (HELPER, BLOCK):
            changed = changed_names(line, aliases)
            if at in derivation.computed.inner_places or touched & (
                derivation.computed.reads_at(at) | changed
            ):
                touched |= changed
            else:
                found.add(at)
                touched -= line.binds.difference(derivation.keys)
    return found


def aliases_in(lines: list[Line]) -> dict[str, set[str]]:
    """Return the names that ``dscores = probs`` lets stand for the same value as another, by that other."""
    found: dict[str, set[str]] = {}
    for line in lines:
        if line.right is not None and line.right.text.isidentifier() and not line.op:
            for name in line.binds:
                alike = {name, line.right.text}.union(
                    *(found.get(one, ()) for one in (name, line.right.text))
                )
                found |= dict.fromkeys(alike, alike)
    return found


def changed_names(line: Line, aliases: dict[str, set[str]]) -> set[str]:
    """Return the names to which a line gives values, those that stand for the same changed value too."""
    return line.binds.union(line.changes, *(aliases.get(name, ()) for name in line.changes))


def read_between(lines: list[Line], found: set[int]) -> set[str]:
    """Return the names that other lines read before the last of the lines ``found`` that change them."""
    last: dict[str, int] = {}
    for at in sorted(found):
        last |= dict.fromkeys(lines[at].binds | lines[at].changes, at)
    return {
        name
        for at, line in enumerate(lines)
        if at not in found
        for name in line.reads & last.keys()
        if at < last[name]
    }


def text_of(line: Line) -> str:
    return " ".join(line.statement.text.split())

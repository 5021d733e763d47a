"""The names that a script computes values from, by its text: only those can be the reason of a value."""

from __future__ import annotations

from autodiff.grammar.by_hand.formula import written_names
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.core.base.source import Source


def names_behind(names: Iterable[str], source: Source) -> set[str]:
    """Return these names and those that the statements of the script compute their values from.

    A function is computed from what stands in it.
    """
    read: dict[str, set[str]] = {}
    for node in walk(*parse(source).body):
        for name in names_made(node):
            read.setdefault(name, set()).update(
                names_in(node.iterable if isinstance(node, tree.For) else node)
            )
    found = set(names)
    todo = list(found)
    while todo:
        new = read.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def names_made(node: tree.SyntaxNode) -> set[str]:
    """Return the names that a statement gives values to, without those in its blocks."""
    if isinstance(node, (tree.Assign, tree.AugmentedAssign, tree.ExpressionStatement)):
        return written_names(node)
    if isinstance(node, tree.For):
        return names_in(node.target)
    return {node.name} if isinstance(node, tree.FunctionDef) else set()


def names_in(node: tree.SyntaxNode) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, tree.Name)}

"""Leaves out lines that fail where inputs are moved and that the output does not need.

A repair is checked by runs nearby. There ``junk = math.sqrt(x)`` or ``assert x == 0`` may fail, which says
nothing about the output. No line that makes a leaf is left out by this, since a failed line made none.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Source, Span
from autodiff.grammar.help.failure_scene import called_name
from autodiff.grammar.repair.proposals.formulas import assigned_expressions
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk


def without_failed_line(source: Source, failed: Span, needed: set[str]) -> Source | None:
    """Return the script without the statement that failed and those that read its result.

    None if one of them may be needed: it assigns one of the names ``needed`` or a name that has another
    value elsewhere, or does more than to assign, to assert and to print.
    """
    script = parse_to_first_error(source)
    given = assigned_expressions(script)
    waiting = [one for one in script.body if one.span.start <= failed.start < one.span.end]
    left_out: list[tree.Statement] = []
    while waiting:
        statement = waiting.pop()
        made = unneeded_names(statement)
        if made is None or any(name in needed or len(given.get(name, ())) != 1 for name in made):
            return None
        left_out.append(statement)
        waiting += [
            other
            for other in script.body
            if other not in left_out and other not in waiting and reads_any(other, made)
        ]
    if not left_out:
        return None
    return Source(Fix("", *[Edit(one.span, "pass") for one in left_out]).apply(source.text), source.name)


def unneeded_names(statement: tree.Statement) -> list[str] | None:
    """Return the names that a statement assigns; None if it does anything else but to assert or print."""
    if isinstance(statement, tree.Assign):
        names = [target.id for target in statement.targets if isinstance(target, tree.Name)]
        return names if len(names) == len(statement.targets) else None
    is_print = isinstance(statement, tree.ExpressionStatement) and called_name(statement.value) == "print"
    return [] if is_print or isinstance(statement, tree.Assert) else None


def reads_any(statement: tree.Statement, names: list[str]) -> bool:
    """Whether a statement, or one in its block, reads one of the names."""
    return any(isinstance(node, tree.Name) and node.id in names for node in walk(statement))

"""Checks the targets of assignments, ``for`` and ``del``, and makes the errors for invalid ones."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.build.rules import syntax_error
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.tree import Expression

_NODE_NOUNS = {
    "Number": "a number",
    "String": "a string",
    "FString": "a string",
    "Call": "the result of a call",
    "Binary": "the result of a calculation",
    "Unary": "the result of a calculation",
    "Comparison": "a comparison",
    "Boolean": "a condition",
    "Conditional": "the result of a choice",
    "Lambda": "a function",
    "Comprehension": "a list",
}


def check_target(target: Expression, value: Expression | None = None, deleting: bool = False) -> None:
    """Raise a CompileError unless ``target`` can be assigned to (``value`` is for the help) or deleted."""
    pending = [target]
    while pending:
        node = pending.pop()
        if isinstance(node, (tree.Name, tree.Attribute, tree.Subscript)):
            continue
        if isinstance(node, (tree.TupleDisplay, tree.ListDisplay)):
            stars = [element for element in node.elements if isinstance(element, tree.Starred)]
            if len(stars) > 1 and not deleting:
                way_out = "keep one `*`"
                raise syntax_error(
                    "E0108", "only one target can have a `*`", "the second", way_out, stars[1].span
                )
            pending += [
                element.value if isinstance(element, tree.Starred) and not deleting else element
                for element in reversed(node.elements)
            ]
            continue
        raise _target_error(node, value, deleting)


def _target_error(node: Expression, value: Expression | None, deleting: bool) -> CompileError:
    verb = "deleted" if deleting else "assigned to"
    if isinstance(node, tree.Starred):
        way_out = "write `del` with a name" if deleting else "write `[*name] = ...`, or leave out the `*`"
        return syntax_error("E0108", f"a `*` name alone cannot be {verb}", "here", way_out, node.span)
    if isinstance(node, tree.Constant):
        word = "..." if node.value is ... else str(node.value)
        return syntax_error(
            "E0108", f"`{word}` cannot be {verb}", "its meaning is fixed", "choose another name", node.span
        )
    what = _NODE_NOUNS.get(type(node).__name__, "this")
    if deleting:
        way_out = "write `del` with a name"
    elif isinstance(node, tree.Call):
        way_out = "put the variable on the left and the call on the right"
    elif value is None:
        way_out = "put the name of a variable here"
    elif isinstance(value, tree.Name):
        way_out = f"write `==` to compare, or swap the sides: `{shorten(value.id)} = ...`"
    else:
        way_out = "write `==` to compare, or put a name on the left of `=`"
    return syntax_error("E0108", f"{what} cannot be {verb}", "not a variable", way_out, node.span)

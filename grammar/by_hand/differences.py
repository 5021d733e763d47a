"""Gradients that a function of the script makes of differences, which are right to a few digits only."""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def names_by_differences(statements: tree.Body) -> Iterator[tuple[tree.Name, str]]:
    """Yield the names that get the result of such a function of the script, with what that is called."""
    functions = {
        one.name for one in statements if isinstance(one, tree.FunctionDef) and makes_differences(one)
    }
    for one in statements:
        if isinstance(one, tree.Assign):
            called = [part.function for part in walk(one.value) if isinstance(part, tree.Call)]
            names = [part.id for part in called if isinstance(part, tree.Name) and part.id in functions]
            yield from ((target, names[0]) for target in assigned_names(one) if names)


def makes_differences(function: tree.FunctionDef) -> bool:
    """Whether a function adds a small number to a value and divides by it, as in ``(f(x + h) - f(x))/h``."""
    parts = list(walk(*function.body))
    steps = {
        one.right.id
        for one in parts
        if isinstance(one, tree.Binary) and one.op == "+" and isinstance(one.right, tree.Name)
    }
    steps |= {
        one.value.id
        for one in parts
        if isinstance(one, tree.AugmentedAssign) and one.op == "+" and isinstance(one.value, tree.Name)
    }
    return any(
        name in steps
        for one in parts
        if isinstance(one, tree.Binary) and one.op == "/"
        for name in multiples_of(one.right)
    )


def multiples_of(node: tree.Expression) -> list[str]:
    """Return the name that an expression is, or a number times it."""
    if isinstance(node, tree.Binary) and node.op == "*":
        sides = [node.left, node.right]
        node = next((one for one in sides if not isinstance(one, tree.Number)), node)
    return [node.id] if isinstance(node, tree.Name) else []


def is_difference(node: tree.SyntaxNode) -> bool:
    """Whether a function is called for both sides of a difference, as in ``(f(x + h) - f(x))/h``."""
    differences = [part for part in walk(node) if isinstance(part, tree.Binary) and part.op == "-"]
    return any(called_names(one.left) & called_names(one.right) for one in differences)


def called_names(node: tree.SyntaxNode) -> set[str]:
    calls = [part.function for part in walk(node) if isinstance(part, tree.Call)]
    return {one.id for one in calls if isinstance(one, tree.Name)}

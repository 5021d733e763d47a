"""Repairs ``w = torch.randn(3, requires_grad=True) * 0.01``, where ``w`` is not a leaf.

The gradient goes to the tensor before it was scaled, which has no name. The script means a leaf with the
scaled values: ``(torch.randn(3) * 0.01).requires_grad_()``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODULE_NAMES = frozenset(["torch", "math", "np"])


def whole_expression_leaf(value: Any, source: Source) -> tuple[tuple[Edit, ...], str] | None:
    """Return the edits that make the whole expression the leaf, and its text after them.

    Return None if the expression may contain another tensor, because then a result can be intended.
    """
    marked = [
        node for node in walk(value) if isinstance(node, tree.Call) and requires_grad_index(node) is not None
    ]
    if len(marked) != 1 or marked[0] is value:
        return None
    inside = {id(node) for node in walk(marked[0])}
    others = [node for node in walk(value) if isinstance(node, tree.Name) and id(node) not in inside]
    if any(name.id not in MODULE_NAMES for name in others):
        return None
    opened, closed = ("", "") if isinstance(value, tree.Call) else ("(", ")")
    start, end = value.span.start, value.span.end
    edits = (
        Edit(Span(start, start), opened),
        remove_requires_grad(marked[0]),
        Edit(Span(end, end), f"{closed}.requires_grad_()"),
    )
    text = source.excerpt(value.span)
    gone = edits[1].span
    kept = text[: gone.start - start] + text[gone.end - start :]
    return edits, f"{opened}{kept}{edits[2].text}"


def requires_grad_index(call: tree.Call) -> int | None:
    """Return the index of the argument ``requires_grad=True`` of a call; None if it has none."""
    for at, argument in enumerate(call.arguments):
        if argument.keyword == "requires_grad":
            is_true = isinstance(argument.value, tree.Constant) and argument.value.value is True
            return at if is_true else None
    return None


def remove_requires_grad(call: tree.Call) -> Edit:
    """Return the edit that removes ``requires_grad=True`` from a call, with its comma."""
    at = requires_grad_index(call)
    assert at is not None
    arguments = call.arguments
    if at:
        return Edit(Span(arguments[at - 1].span.end, arguments[at].span.end), "")
    if len(arguments) > 1:
        return Edit(Span(arguments[0].span.start, arguments[1].span.start), "")
    return Edit(arguments[0].span, "")


def intended_leaf(source: Source, grad_span: Span) -> str | None:
    """Return the assignment that makes ``w`` the intended leaf, where a script reads ``w.grad``, or None."""
    from autodiff.grammar.syntax.parser import parse_to_first_error as parse

    script = parse(source)
    name = source.excerpt(grad_span).removesuffix(".grad")
    made = [
        node
        for node in walk(script)
        if isinstance(node, tree.Assign)
        and node.span.end <= grad_span.start
        and any(isinstance(target, tree.Name) and target.id == name for target in node.targets)
    ]
    meant = whole_expression_leaf(made[-1].value, source) if made else None
    return None if meant is None else f"{name} = {meant[1]}"

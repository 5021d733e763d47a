"""The context of an error for labels and proposals: syntax nodes around the place, tensors and values."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.bindings import DISPLAYS, Bindings
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import UNBOUND, FunctionClass, Namespace
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scene:
    """The place where a script failed: the nodes around it, outermost first, and the tensors involved.

    ``values`` are the values of the visible names at that moment. ``leading`` are the names computed from
    something that requires a gradient; ``leads_on`` fills it on first use.
    """

    __slots__ = ("_bindings", "error", "leading", "path", "script", "source", "span", "tensors", "values")

    def __init__(
        self,
        error: AutodiffError,
        span: Span,
        script: tree.Script,
        source: Source,
        tensors: list[Tensor],
        values: dict[str, Any],
    ) -> None:
        self.error = error
        self.span = span
        self.script = script
        self.source = source
        self.tensors = tensors
        self.values = values
        self.path = path_to(script, span)
        self._bindings: Bindings | None = None
        self.leading: set[str] | None = None

    @property
    def bindings(self) -> Bindings:
        """The assignments and definitions of the script, by name."""
        if self._bindings is None:
            self._bindings = Bindings(self.script)
        return self._bindings

    @property
    def node(self) -> Any:
        """The smallest node that covers the failed place."""
        return self.path[-1]

    @property
    def statement(self) -> Any:
        """The innermost statement around the failed place."""
        return next(node for node in reversed(self.path) if isinstance(node, (tree.Statement, tree.Script)))

    def text(self, node: tree.SyntaxNode) -> str:
        """Return the source text of a node."""
        return self.source.excerpt(node.span)

    def bracketed_span(self, operand: tree.SyntaxNode) -> Span:
        """Return the span of an operator's operand, including the brackets around it."""
        text, span = self.source.text, operand.span
        before, behind = text[: span.start].rstrip(), text[span.end :].lstrip()
        if not (before.endswith("(") and behind.startswith(")")):
            return span
        return Span(len(before) - 1, len(text) - len(behind) + 1)

    @property
    def parent(self) -> Any:
        """The parent of the smallest node."""
        return self.path[-2] if len(self.path) > 1 else self.path[0]

    def line(self, span: Span) -> int:
        """Return the number of the line in which a span starts."""
        return self.source.position(span.start)[0]

    def value(self, node: Any) -> Any:
        """Return the value of an expression if it is known without running it; UNBOUND otherwise."""
        if isinstance(node, tree.Name):
            return self.values[node.id] if node.id in self.values else builtin_value(node.id)
        if isinstance(node, (tree.Constant, tree.Number, tree.String)):
            return node.value
        if isinstance(node, tree.Attribute):
            owner = self.value(node.object)
            if owner.__class__ is Namespace:
                return owner.find(node.name)
            if owner.__class__ is Tensor and node.name == "grad":
                return owner.grad
        elif isinstance(node, tree.Subscript):
            owner, index = self.value(node.object), self.value(node.index)
            if (
                owner.__class__ in (list, tuple)
                and index.__class__ is int
                and -len(owner) <= index < len(owner)
            ):
                return owner[index]
        return UNBOUND

    def assignments(self, name: str) -> list[tree.Assign]:
        """Return the statements ``name = ...``: those before the failed place first, the nearest first."""
        found = self.bindings.assigned.get(name, [])
        before = [node for node in found if node.span.end <= self.span.start]
        return before[::-1] + [node for node in found if node.span.end > self.span.start]

    def function(self, name: str) -> tree.FunctionDef | None:
        """Return the script's function of that name, or None."""
        return self.bindings.functions.get(name)

    def expressions(self) -> list[Any]:
        """Return the operands or arguments at the place that may be tensors, a method's object first."""
        return [
            expression
            for expression in self.arguments()
            if self.value(expression) is UNBOUND or self.value(expression).__class__ is Tensor
        ]

    def arguments(self) -> list[tree.Expression]:
        """Return the operands or arguments at the place, a method's object first."""
        node = self.node
        if self.error.code == "E0306":
            found = [node.operand if isinstance(node, tree.Unary) and node.op == "not" else node]
        elif isinstance(node, tree.Binary):
            found = [node.left, node.right]
        elif isinstance(node, tree.AugmentedAssign):
            found = [node.target, node.value]
        elif isinstance(node, tree.Comparison):
            found = [node.first, *(operand for _, operand in node.rest)]
        elif isinstance(node, tree.Unary):
            found = [node.operand]
        elif isinstance(node, (tree.Attribute, tree.Subscript)):
            found = [node.object]
            if isinstance(self.statement, tree.Assign) and node in self.statement.targets:
                found.append(self.statement.value)
        elif isinstance(node, tree.Call):
            found = [argument.value for argument in node.arguments]
            of = node.function.object if isinstance(node.function, tree.Attribute) else None
            if of is not None and self.value(of).__class__ not in (Namespace, FunctionClass):
                found.insert(0, of)
            found = [part for e in found for part in (e.elements if isinstance(e, DISPLAYS) else [e])]
        else:
            found = [node]
        return [expression for expression in found if isinstance(expression, tree.Expression)]

    def given(self) -> list[tuple[Tensor, Any]]:
        """Return the tensors of the error with the expressions they came from, None where that is unclear."""
        expressions = self.expressions()
        if len(expressions) == len(self.tensors):
            pairs = list(zip(self.tensors, expressions, strict=True))
            if all(self.may_produce(x, expression) for x, expression in pairs):
                return pairs
        return [(x, self.expression_of(x, expressions)) for x in self.tensors]

    def may_produce(self, x: Tensor, expression: Any) -> bool:
        """Whether an expression may have the tensor as its value, possibly cast to another dtype."""
        value = self.value(expression)
        if value is UNBOUND or value is x:
            return True
        return value.__class__ is Tensor and value.shape == x.shape and value.dtype is not x.dtype

    def expression_of(self, x: Tensor, expressions: list[Any]) -> Any:
        """Return the expression that a tensor came from; None if that is unclear."""
        for expression in expressions:
            if self.value(expression) is x:
                return expression
        for number in self.arguments() if not x.shape else ():
            if self.value(number).__class__ in (int, float) and self.value(number) == x.item():
                return number
        possible = [expression for expression in expressions if self.may_produce(x, expression)]
        return possible[0] if len(possible) == 1 else None

    def argument(self, call: tree.Call, keyword: str) -> tree.Argument | None:
        """Return the keyword argument of a call, or None."""
        return next((a for a in call.arguments if a.keyword == keyword), None)

    def argument_edit(self, call: tree.Call, argument: str) -> Edit:
        """Return the edit that adds an argument to a call, or replaces the one of the same name."""
        keyword = argument.partition("=")[0]
        old = self.argument(call, keyword)
        if old is not None:
            return Edit(old.span, argument)
        end = call.span.end - 1
        inside = self.source.text[call.function.span.end + 1 : end].rstrip()
        lead = "" if not call.arguments else " " if inside.endswith(",") else ", "
        return Edit(Span(end, end), lead + argument)

    def call_with_span(self, span: Span | None) -> tree.Call | None:
        """Return the call whose span is exactly this one, or None."""
        node = None if span is None else path_to(self.script, span)[-1]
        return node if isinstance(node, tree.Call) and node.span == span else None

    def operand_pair(self) -> list[tuple[Tensor, Any]]:
        """Return the two tensors of an operation with their expressions; empty if these are unclear."""
        pairs = self.given()
        return pairs if len(pairs) == 2 and all(e is not None for _, e in pairs) else []


def with_parentheses(text: str) -> str:
    """Return the text of an expression, in brackets if a dot after it would need them."""
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if not depth and not (character.isalnum() or character in "_.)]}"):
            return f"({text})"
    return f"({text})" if text[0].isdigit() else text


def negated(text: str) -> str:
    """Return the text of the negated expression.

    >>> negated("x"), negated("-x"), negated("a + b")
    ('-x', 'x', '-(a + b)')
    """
    inner = text[1:].strip()
    return (
        inner if text.startswith("-") and with_parentheses(inner) == inner else f"-{with_parentheses(text)}"
    )


def edited_text(scene: Scene, node: tree.SyntaxNode, *edits: Edit) -> str:
    """Return the text of a node after edits inside it, which must not overlap."""
    text, start = scene.text(node), node.span.start
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start - start] + edit.text + text[edit.span.end - start :]
    return text


def called_name(node: Any) -> str:
    """Return the last part of the name that a call calls; empty if ``node`` is no call."""
    function = node.function if isinstance(node, tree.Call) else None
    if isinstance(function, tree.Attribute):
        return function.name
    return function.id if isinstance(function, tree.Name) else ""


def is_method(node: Any, name: str) -> bool:
    """Whether a node is a call of a method of this name."""
    return (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Attribute)
        and node.function.name == name
    )


def method_owner(call: Any) -> Any:
    """Return the expression on which a method is called."""
    return call.function.object

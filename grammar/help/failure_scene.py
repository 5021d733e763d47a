"""What a proposal can look at: the nodes around the failed place and the tensors involved."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.bindings import DISPLAYS, Bindings
from autodiff.grammar.objects.builtins.namespaces import builtin
from autodiff.grammar.objects.values import UNBOUND, FunctionClass, Namespace
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scene:
    """Where a script failed: the nodes around the place, outermost first, and the tensors involved.

    ``values`` are what the names in reach mean at that moment. ``leading`` are those made from something
    that requires a gradient, once ``leads_on`` was asked.
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
        """What the script's statements give to names."""
        if self._bindings is None:
            self._bindings = Bindings(self.script)
        return self._bindings

    @property
    def node(self) -> Any:
        """The smallest node that covers the place."""
        return self.path[-1]

    @property
    def statement(self) -> Any:
        """The innermost statement around the place."""
        return next(node for node in reversed(self.path) if isinstance(node, (tree.Statement, tree.Script)))

    def text(self, node: tree.Syntax) -> str:
        """The source of a node."""
        return self.source.excerpt(node.span)

    def with_brackets(self, operand: tree.Syntax) -> Span:
        """The span of an operator's operand, with the brackets it is written in."""
        text, span = self.source.text, operand.span
        before, behind = text[: span.start].rstrip(), text[span.end :].lstrip()
        if not (before.endswith("(") and behind.startswith(")")):
            return span
        return Span(len(before) - 1, len(text) - len(behind) + 1)

    @property
    def parent(self) -> Any:
        """What the smallest node stands in."""
        return self.path[-2] if len(self.path) > 1 else self.path[0]

    def line(self, span: Span) -> int:
        """The line a place is in."""
        return self.source.position(span.start)[0]

    def value(self, node: Any) -> Any:
        """What an expression means, if that can be told without running it; UNBOUND otherwise."""
        if isinstance(node, tree.Name):
            return self.values[node.id] if node.id in self.values else builtin(node.id)
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
        """The statements ``name = ...``: those before the failed place first, from the nearest on."""
        found = self.bindings.assigned.get(name, [])
        before = [node for node in found if node.span.end <= self.span.start]
        return before[::-1] + [node for node in found if node.span.end > self.span.start]

    def function(self, name: str) -> tree.FunctionDef | None:
        """The script's function of that name."""
        return self.bindings.functions.get(name)

    def expressions(self) -> list[Any]:
        """The expressions of the failed place that may have been tensors, the object of a method first."""
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
        return [
            expression
            for expression in found
            if isinstance(expression, tree.Expression)
            and (self.value(expression) is UNBOUND or self.value(expression).__class__ is Tensor)
        ]

    def given(self) -> list[tuple[Tensor, Any]]:
        """The tensors the error is about, with the expressions they came from, None where that is unclear."""
        expressions = self.expressions()
        if len(expressions) == len(self.tensors):
            pairs = list(zip(self.tensors, expressions, strict=True))
            if all(self.may_be(x, expression) for x, expression in pairs):
                return pairs
        return [(x, self.expression_of(x, expressions)) for x in self.tensors]

    def may_be(self, x: Tensor, expression: Any) -> bool:
        """Whether an expression can have given a tensor, maybe cast to another type on the way."""
        value = self.value(expression)
        if value is UNBOUND or value is x:
            return True
        return value.__class__ is Tensor and value.shape == x.shape and value.dtype is not x.dtype

    def expression_of(self, x: Tensor, expressions: list[Any]) -> Any:
        """The expression that a tensor came from, if there is no doubt."""
        for expression in expressions:
            if self.value(expression) is x:
                return expression
        possible = [expression for expression in expressions if self.may_be(x, expression)]
        return possible[0] if len(possible) == 1 else None

    def argument(self, call: tree.Call, keyword: str) -> tree.Argument | None:
        """The argument of a call that is given by name."""
        return next((a for a in call.arguments if a.keyword == keyword), None)

    def with_argument(self, call: tree.Call, given: str) -> Edit:
        """The edit that gives a call one more argument; one of the same name is replaced."""
        keyword = given.partition("=")[0]
        old = self.argument(call, keyword)
        if old is not None:
            return Edit(old.span, given)
        end = call.span.end - 1
        inside = self.source.text[call.function.span.end + 1 : end].rstrip()
        lead = "" if not call.arguments else " " if inside.endswith(",") else ", "
        return Edit(Span(end, end), lead + given)

    def call_at(self, span: Span | None) -> tree.Call | None:
        """The call that covers exactly this place."""
        node = None if span is None else path_to(self.script, span)[-1]
        return node if isinstance(node, tree.Call) and node.span == span else None

    def pairs(self) -> list[tuple[Tensor, Any]]:
        """The two tensors of an operation with the expressions that gave them; empty if that is unclear."""
        pairs = self.given()
        return pairs if len(pairs) == 2 and all(e is not None for _, e in pairs) else []


def atom(text: str) -> str:
    """An expression as it can stand before a dot."""
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if not depth and not (character.isalnum() or character in "_.)]}"):
            return f"({text})"
    return f"({text})" if text[0].isdigit() else text


def after(scene: Scene, node: tree.Syntax, *edits: Edit) -> str:
    """The text of a node with edits made inside of it, which must not overlap."""
    text, start = scene.text(node), node.span.start
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start - start] + edit.text + text[edit.span.end - start :]
    return text


def is_method(node: Any, name: str) -> bool:
    """Whether a node is the call of a method of this name."""
    return (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Attribute)
        and node.function.name == name
    )


def owner_of(call: Any) -> Any:
    """What a method is called on."""
    return call.function.object

"""What a proposal can look at: the nodes around the failed place and the tensors involved."""

from __future__ import annotations

from autodiff.core.errors import AutodiffError
from autodiff.core.span import Source, Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.namespaces import builtin
from autodiff.grammar.values import UNBOUND, Namespace
from autodiff.grammar.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scene:
    """Where a script failed: the nodes around the place, outermost first, and the tensors involved.

    ``values`` are what the names in reach mean at that moment.
    """

    __slots__ = ("error", "path", "script", "source", "span", "tensors", "values")

    def __init__(
        self,
        error: AutodiffError,
        span: Span,
        script: syntax.Script,
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

    @property
    def node(self) -> Any:
        """The smallest node that covers the place."""
        return self.path[-1]

    @property
    def statement(self) -> Any:
        """The innermost statement around the place."""
        return next(
            node for node in reversed(self.path) if isinstance(node, (syntax.Statement, syntax.Script))
        )

    def text(self, node: syntax.Syntax) -> str:
        """The source of a node."""
        return self.source.excerpt(node.span)

    @property
    def parent(self) -> Any:
        """What the smallest node stands in."""
        return self.path[-2] if len(self.path) > 1 else self.path[0]

    def line(self, span: Span) -> int:
        """The line a place is in."""
        return self.source.position(span.start)[0]

    def value(self, node: Any) -> Any:
        """What an expression means, if that can be told without running it; UNBOUND otherwise."""
        if isinstance(node, syntax.Name):
            return self.values[node.id] if node.id in self.values else builtin(node.id)
        if isinstance(node, (syntax.Constant, syntax.Number, syntax.String)):
            return node.value
        if isinstance(node, syntax.Attribute):
            owner = self.value(node.object)
            if owner.__class__ is Namespace:
                return owner.find(node.name)
            if owner.__class__ is Tensor and node.name == "grad":
                return owner.grad
        elif isinstance(node, syntax.Subscript):
            owner, index = self.value(node.object), self.value(node.index)
            if (
                owner.__class__ in (list, tuple)
                and index.__class__ is int
                and -len(owner) <= index < len(owner)
            ):
                return owner[index]
        return UNBOUND

    def assignments(self, name: str) -> list[syntax.Assign]:
        """The statements ``name = ...``: those before the failed place first, from the nearest on."""
        found = [
            node
            for node in walk(self.script)
            if isinstance(node, syntax.Assign)
            and any(isinstance(target, syntax.Name) and target.id == name for target in node.targets)
        ]
        before = [node for node in found if node.span.end <= self.span.start]
        return before[::-1] + [node for node in found if node not in before]

    def function(self, name: str) -> syntax.FunctionDef | None:
        """The script's function of that name."""
        for node in walk(self.script):
            if isinstance(node, syntax.FunctionDef) and node.name == name:
                return node
        return None

    def operands(self) -> list[Any]:
        """The expressions the failed operation was given: the object of a method comes first."""
        node = self.node
        if isinstance(node, syntax.Binary):
            return [node.left, node.right]
        if isinstance(node, syntax.AugmentedAssign):
            return [node.target, node.value]
        if isinstance(node, syntax.Call):
            given = [argument.value for argument in node.arguments]
            if isinstance(node.function, syntax.Attribute) and len(given) < len(self.tensors):
                return [node.function.object, *given]
            return given
        return []

    def pairs(self) -> list[tuple[Tensor, Any]]:
        """The two tensors of an operation with the expressions that gave them; empty if that is unclear."""
        operands = self.operands()[:2]
        if len(self.tensors) != 2 or len(operands) != 2:
            return []
        return list(zip(self.tensors, operands, strict=True))


def atom(text: str) -> str:
    """An expression as it can stand before a dot."""
    return text if text.replace(".", "").replace("_", "").isalnum() and not text[0].isdigit() else f"({text})"

"""What a proposal can look at: the nodes around the failed place and the tensors involved."""

from __future__ import annotations

from autodiff.core.errors import AutodiffError
from autodiff.core.span import Source, Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scene:
    """Where a script failed: the nodes around the place, outermost first, and the tensors involved."""

    __slots__ = ("error", "path", "script", "source", "span", "tensors")

    def __init__(
        self, error: AutodiffError, span: Span, script: syntax.Script, source: Source, tensors: list[Tensor]
    ) -> None:
        self.error = error
        self.span = span
        self.script = script
        self.source = source
        self.tensors = tensors
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

"""The syntax nodes of statements (assignments, loops, definitions), and of a whole script."""

from __future__ import annotations

from autodiff.core.base.source import Span
from autodiff.grammar.syntax.tree.expressions import (
    Expression,
    Parameter,
)
from autodiff.grammar.syntax.tree.node import SyntaxNode


class Statement(SyntaxNode):
    """A statement; it has no value."""

    __slots__ = ()


Body = tuple[Statement, ...]


class ExpressionStatement(Statement):
    """An expression on a line of its own."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: Expression) -> None:
        self.span = span
        self.value = value


class Assign(Statement):
    """``a = b = value``; a target is a Name, Attribute, Subscript, TupleDisplay, ListDisplay or Starred."""

    __slots__ = ("targets", "value")

    def __init__(self, span: Span, targets: tuple[Expression, ...], value: Expression) -> None:
        self.span = span
        self.targets = targets
        self.value = value


class AugmentedAssign(Statement):
    """``target op= value``; ``op`` without the equals sign."""

    __slots__ = ("op", "target", "value")

    def __init__(self, span: Span, target: Expression, op: str, value: Expression) -> None:
        self.span = span
        self.target = target
        self.op = op
        self.value = value


class If(Statement):
    """``branches`` are the (test, body) pairs of ``if`` and every ``elif``; ``orelse`` may be empty."""

    __slots__ = ("branches", "orelse")

    def __init__(self, span: Span, branches: tuple[tuple[Expression, Body], ...], orelse: Body) -> None:
        self.span = span
        self.branches = branches
        self.orelse = orelse


class For(Statement):
    """``for target in iterable: body`` with an optional ``else``."""

    __slots__ = ("body", "iterable", "orelse", "target")

    def __init__(
        self, span: Span, target: Expression, iterable: Expression, body: Body, orelse: Body
    ) -> None:
        self.span = span
        self.target = target
        self.iterable = iterable
        self.body = body
        self.orelse = orelse


class While(Statement):
    """``while test: body`` with an optional ``else``."""

    __slots__ = ("body", "orelse", "test")

    def __init__(self, span: Span, test: Expression, body: Body, orelse: Body) -> None:
        self.span = span
        self.test = test
        self.body = body
        self.orelse = orelse


class Break(Statement):
    """``break``"""

    __slots__ = ()


class Continue(Statement):
    """``continue``"""

    __slots__ = ()


class Pass(Statement):
    """``pass``"""

    __slots__ = ()


class Return(Statement):
    """``return value``; ``value`` is None for a bare return."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: Expression | None) -> None:
        self.span = span
        self.value = value


class FunctionDef(Statement):
    """``def name(parameters): body``, with the decorator expressions above it, outermost first."""

    __slots__ = ("body", "decorators", "name", "name_span", "parameters")

    def __init__(
        self,
        span: Span,
        name: str,
        name_span: Span,
        parameters: tuple[Parameter, ...],
        body: Body,
        decorators: tuple[Expression, ...],
    ) -> None:
        self.span = span
        self.name = name
        self.name_span = name_span
        self.parameters = parameters
        self.body = body
        self.decorators = decorators


class ClassDef(Statement):
    """``class name(bases): body``"""

    __slots__ = ("bases", "body", "decorators", "name", "name_span")

    def __init__(
        self,
        span: Span,
        name: str,
        name_span: Span,
        bases: tuple[Expression, ...],
        body: Body,
        decorators: tuple[Expression, ...],
    ) -> None:
        self.span = span
        self.name = name
        self.name_span = name_span
        self.bases = bases
        self.body = body
        self.decorators = decorators


class With(Statement):
    """``with item, item as target: body``; each item is (context, target or None)."""

    __slots__ = ("body", "items")

    def __init__(
        self, span: Span, items: tuple[tuple[Expression, Expression | None], ...], body: Body
    ) -> None:
        self.span = span
        self.items = items
        self.body = body


class Assert(Statement):
    """``assert test, message``"""

    __slots__ = ("message", "test")

    def __init__(self, span: Span, test: Expression, message: Expression | None) -> None:
        self.span = span
        self.test = test
        self.message = message


class Delete(Statement):
    """``del a, b[0]``"""

    __slots__ = ("targets",)

    def __init__(self, span: Span, targets: tuple[Expression, ...]) -> None:
        self.span = span
        self.targets = targets


class Import(Statement):
    """``import a.b as c, d``: ``names`` are (dotted module, alias or None)."""

    __slots__ = ("names",)

    def __init__(self, span: Span, names: tuple[tuple[str, str | None], ...]) -> None:
        self.span = span
        self.names = names


class ImportFrom(Statement):
    """``from a.b import c as d, e``; ``names`` is ``(("*", None),)`` for a star import."""

    __slots__ = ("module", "names")

    def __init__(self, span: Span, module: str, names: tuple[tuple[str, str | None], ...]) -> None:
        self.span = span
        self.module = module
        self.names = names


class Magic(Statement):
    """An IPython line such as ``%pylab inline``; ``text`` is everything after the percent sign."""

    __slots__ = ("text",)

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class Script(SyntaxNode):
    """A whole file."""

    __slots__ = ("body",)

    def __init__(self, span: Span, body: Body) -> None:
        self.span = span
        self.body = body

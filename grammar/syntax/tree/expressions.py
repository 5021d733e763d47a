"""The syntax nodes of expressions (names, numbers, operators, calls) and of their parts."""

from __future__ import annotations

from autodiff.core.base.source import Span
from autodiff.grammar.syntax.tree.node import SyntaxNode


class Expression(SyntaxNode):
    """A node that has a value."""

    __slots__ = ()


class Name(Expression):
    """``x``"""

    __slots__ = ("id",)

    def __init__(self, span: Span, id: str) -> None:
        self.span = span
        self.id = id


class Number(Expression):
    """``2``, ``0.5``, ``1e-3``, ``0xff``: ``value`` is an int or a float."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: int | float) -> None:
        self.span = span
        self.value = value


class String(Expression):
    """One string literal or several adjacent ones; ``value`` has the escapes resolved."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: str) -> None:
        self.span = span
        self.value = value


class Replacement(Expression):
    """``{x!r:>8.3f}`` inside an f-string.

    ``text`` is the source of ``{x=}`` up to and including the equals sign, else ``""``; ``conversion`` is
    ``""``, ``"r"``, ``"s"`` or ``"a"``; ``format_spec`` is an FString, because it may hold replacements too.
    """

    __slots__ = ("conversion", "expression", "format_spec", "text")

    def __init__(
        self, span: Span, expression: Expression, text: str, conversion: str, format_spec: FString | None
    ) -> None:
        self.span = span
        self.expression = expression
        self.text = text
        self.conversion = conversion
        self.format_spec = format_spec


class FString(Expression):
    """An f-string; ``parts`` are its plain strings and Replacements in order."""

    __slots__ = ("parts",)

    def __init__(self, span: Span, parts: tuple[str | Replacement, ...]) -> None:
        self.span = span
        self.parts = parts


class Constant(Expression):
    """``True``, ``False``, ``None`` or ``...``; as the step of a slice also ``5j``."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: object) -> None:
        self.span = span
        self.value = value


class ListDisplay(Expression):
    """``[a, b]``; an element may be a Starred."""

    __slots__ = ("elements",)

    def __init__(self, span: Span, elements: tuple[Expression, ...]) -> None:
        self.span = span
        self.elements = elements


class TupleDisplay(Expression):
    """``a, b`` with or without parentheses; the span includes them."""

    __slots__ = ("elements",)

    def __init__(self, span: Span, elements: tuple[Expression, ...]) -> None:
        self.span = span
        self.elements = elements


class Starred(Expression):
    """``*xs`` inside a display, a call or the targets of an assignment."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: Expression) -> None:
        self.span = span
        self.value = value


class ComprehensionFor(SyntaxNode):
    """``for target in iterable if c1 if c2``"""

    __slots__ = ("conditions", "iterable", "target")

    def __init__(
        self, span: Span, target: Expression, iterable: Expression, conditions: tuple[Expression, ...]
    ) -> None:
        self.span = span
        self.target = target
        self.iterable = iterable
        self.conditions = conditions


class Comprehension(Expression):
    """``[element for ...]``, or a generator expression as the only argument of a call (``sum(...)``)."""

    __slots__ = ("clauses", "element")

    def __init__(self, span: Span, element: Expression, clauses: tuple[ComprehensionFor, ...]) -> None:
        self.span = span
        self.element = element
        self.clauses = clauses


class Unary(Expression):
    """``op`` is ``-``, ``+``, ``~`` or ``not``."""

    __slots__ = ("op", "operand")

    def __init__(self, span: Span, op: str, operand: Expression) -> None:
        self.span = span
        self.op = op
        self.operand = operand


class Binary(Expression):
    """``op`` is one of ``+ - * / // % ** @ & | ^ << >>``."""

    __slots__ = ("left", "op", "right")

    def __init__(self, span: Span, left: Expression, op: str, right: Expression) -> None:
        self.span = span
        self.left = left
        self.op = op
        self.right = right


class Comparison(Expression):
    """A chain ``first op operand op operand``; ops are ``== != < <= > >= is in``, ``is not``, ``not in``."""

    __slots__ = ("first", "rest")

    def __init__(self, span: Span, first: Expression, rest: tuple[tuple[str, Expression], ...]) -> None:
        self.span = span
        self.first = first
        self.rest = rest


class Boolean(Expression):
    """``a and b and c`` (flattened) or ``a or b``; ``op`` is ``and`` or ``or``."""

    __slots__ = ("op", "operands")

    def __init__(self, span: Span, op: str, operands: tuple[Expression, ...]) -> None:
        self.span = span
        self.op = op
        self.operands = operands


class Conditional(Expression):
    """``body if test else orelse``"""

    __slots__ = ("body", "orelse", "test")

    def __init__(self, span: Span, test: Expression, body: Expression, orelse: Expression) -> None:
        self.span = span
        self.test = test
        self.body = body
        self.orelse = orelse


class Parameter(SyntaxNode):
    """A parameter of a ``def`` or ``lambda``; ``star`` is ``""`` or ``"*"``."""

    __slots__ = ("default", "name", "star")

    def __init__(self, span: Span, name: str, default: Expression | None, star: str = "") -> None:
        self.span = span
        self.name = name
        self.default = default
        self.star = star


class Lambda(Expression):
    """``lambda x, y=1: body``"""

    __slots__ = ("body", "parameters")

    def __init__(self, span: Span, parameters: tuple[Parameter, ...], body: Expression) -> None:
        self.span = span
        self.parameters = parameters
        self.body = body


class Argument(SyntaxNode):
    """One argument of a call: positional, ``keyword=value``, or ``*value`` (then ``star`` is ``"*"``)."""

    __slots__ = ("keyword", "star", "value")

    def __init__(self, span: Span, keyword: str | None, value: Expression, star: str = "") -> None:
        self.span = span
        self.keyword = keyword
        self.value = value
        self.star = star


class Call(Expression):
    """``function(arguments)``"""

    __slots__ = ("arguments", "function")

    def __init__(self, span: Span, function: Expression, arguments: tuple[Argument, ...]) -> None:
        self.span = span
        self.function = function
        self.arguments = arguments


class Attribute(Expression):
    """``object.name``; ``name_span`` covers the name alone."""

    __slots__ = ("name", "name_span", "object")

    def __init__(self, span: Span, object: Expression, name: str, name_span: Span) -> None:
        self.span = span
        self.object = object
        self.name = name
        self.name_span = name_span


class Slice(Expression):
    """``lower:upper:step`` inside a subscript."""

    __slots__ = ("lower", "step", "upper")

    def __init__(
        self, span: Span, lower: Expression | None, upper: Expression | None, step: Expression | None
    ) -> None:
        self.span = span
        self.lower = lower
        self.upper = upper
        self.step = step


class Subscript(Expression):
    """``object[index]``; several indices are one TupleDisplay."""

    __slots__ = ("index", "object")

    def __init__(self, span: Span, object: Expression, index: Expression) -> None:
        self.span = span
        self.object = object
        self.index = index

"""The syntax tree: one slotted class per construct, each with its span and nothing else.

Plain classes rather than dataclasses: forty dataclasses cost 40 ms of start-up, which is more than a
whole scalar script takes. Trees are never compared, copied or walked recursively.
"""

from __future__ import annotations

from autodiff.core.span import Span


class Syntax:
    """Anything the parser makes. ``span`` covers its text, without a trailing newline."""

    __slots__ = ("span",)

    def __init__(self, span: Span) -> None:
        self.span = span


# -- expressions ------------------------------------------------------------------------------------


class Expression(Syntax):
    """Something that has a value."""

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
    """A string, or several side by side; ``value`` has its escapes resolved."""

    __slots__ = ("value",)

    def __init__(self, span: Span, value: str) -> None:
        self.span = span
        self.value = value


class Replacement(Expression):
    """``{x!r:>8.3f}`` inside an f-string.

    ``text`` is the source of ``{x=}`` up to and including the equals sign, else ``""``; ``conversion`` is
    ``""``, ``"r"``, ``"s"`` or ``"a"``; ``format_spec`` is an FString, for specs may hold replacements too.
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
    """An f-string: ``parts`` alternates plain strings and Replacements as they come."""

    __slots__ = ("parts",)

    def __init__(self, span: Span, parts: tuple[str | Replacement, ...]) -> None:
        self.span = span
        self.parts = parts


class Constant(Expression):
    """``True``, ``False``, ``None`` or ``...``"""

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
    """``a, b`` with or without parentheses (the span includes them when there)."""

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


class ComprehensionFor(Syntax):
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
    """``[element for ...]``, or the bare generator form as the only argument of a call (``sum(...)``)."""

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


class Parameter(Syntax):
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


class Argument(Syntax):
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
    """``object[index]``; several indices arrive as one TupleDisplay."""

    __slots__ = ("index", "object")

    def __init__(self, span: Span, object: Expression, index: Expression) -> None:
        self.span = span
        self.object = object
        self.index = index


# -- statements -------------------------------------------------------------------------------------


class Statement(Syntax):
    """Something that is done."""

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


class Script(Syntax):
    """A whole file."""

    __slots__ = ("body",)

    def __init__(self, span: Span, body: Body) -> None:
        self.span = span
        self.body = body

"""Compiles expressions: names, literals, displays, attributes, subscripts, f-strings.

Operators, calls and comprehensions have modules of their own.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy import Later
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, check_length, collect
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame

attributes = Later("autodiff.grammar.objects.attributes")
indexing = Later("autodiff.grammar.objects.subscripts")
texts = Later("autodiff.grammar.objects.text")


@compiles(tree.Name, EXPRESSIONS)
def name(c: Compiler, node: tree.Name) -> Evaluate:
    place = c.place(node.id)
    if place is None:
        return always(c.builtin(node.id))
    depth, slot = place
    scope, module = c.scope, c.frame

    def fail() -> ScriptError:
        return c.inside(scope, lambda: c.unbound(node))

    if depth == 0:

        def read(frame: Frame) -> Any:
            value = frame[slot]
            if value is UNBOUND:
                raise fail()
            return value

    elif depth < 0:

        def read(frame: Frame) -> Any:
            value = module[slot]
            if value is UNBOUND:
                raise fail()
            return value

    else:

        def read(frame: Frame) -> Any:
            for _ in range(depth):
                frame = frame[0]
            value = frame[slot]
            if value is UNBOUND:
                raise fail()
            return value

    return read


def always(value: Any) -> Evaluate:
    """Return the closure of a constant."""
    return lambda frame: value


@compiles(tree.Number, EXPRESSIONS)
def number(c: Compiler, node: tree.Number) -> Evaluate:
    value = node.value
    if value.__class__ is int and value >= 1 << 63:
        raise ScriptError(
            "integer overflow: the number does not fit in 64 bits",
            code="E0207",
            caret="integers here go up to 2**63 - 1",
            help=("write it with a decimal point to have a float",),
            span=node.span,
        )
    if value.__class__ is float and (value == 0.0 or value == INFINITY):
        text = c.source.excerpt(node.span)
        if value or any(digit in text.lower().partition("e")[0] for digit in "123456789"):
            short = text if len(text) <= 20 else text[:20] + "..."
            runtime.warn(f"{short} does not fit in a float: it is taken as {value}", node.span)
    return always(value)


INFINITY = float("inf")


@compiles(tree.String, EXPRESSIONS)
@compiles(tree.Constant, EXPRESSIONS)
def literal(c: Compiler, node: tree.String | tree.Constant) -> Evaluate:
    return always(node.value)


# -- displays ----------------------------------------------------------------------------------------


@compiles(tree.ListDisplay, EXPRESSIONS)
def list_display(c: Compiler, node: tree.ListDisplay) -> Evaluate:
    return sequence(c, node.elements)


@compiles(tree.TupleDisplay, EXPRESSIONS)
def tuple_display(c: Compiler, node: tree.TupleDisplay) -> Evaluate:
    elements = sequence(c, node.elements)
    return lambda frame: tuple(elements(frame))


def sequence(c: Compiler, elements: tuple[tree.Expression, ...]) -> Evaluate:
    """Return the closure that makes a list of the elements."""
    if not any(element.__class__ is tree.Starred for element in elements):
        parts = [c.expression(element) for element in elements]
        return lambda frame: [part(frame) for part in parts]
    starred = [
        (element.span if element.__class__ is tree.Starred else None, c.expression(unstarred(element)))
        for element in elements
    ]

    def run(frame: Frame) -> Any:
        values: list[Any] = []
        for span, part in starred:
            value = part(frame)
            if span is None:
                values.append(value)
            else:
                mode.site = span
                added = collect(value)
                check_length(len(values) + len(added), "list")
                values.extend(added)
        return values

    return run


def unstarred(node: tree.Expression) -> tree.Expression:
    return node.value if isinstance(node, tree.Starred) else node


@compiles(tree.Slice, EXPRESSIONS)
def slice_(c: Compiler, node: tree.Slice) -> Evaluate:
    lower, upper, step = (
        always(None) if part is None else c.expression(part) for part in (node.lower, node.upper, node.step)
    )
    return lambda frame: slice(lower(frame), upper(frame), step(frame))


# -- attributes, subscripts, f-strings --------------------------------------------------------------


@compiles(tree.Attribute, EXPRESSIONS)
def attribute(c: Compiler, node: tree.Attribute) -> Evaluate:
    constant = c.constant(node)
    if constant is not UNBOUND:
        return always(constant)
    owner, attribute_name, span = c.expression(node.object), node.name, node.span
    name_span = node.name_span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        mode.site = span
        return attributes.get_attribute(value, attribute_name, name_span)

    return run


@compiles(tree.Subscript, EXPRESSIONS)
def subscript(c: Compiler, node: tree.Subscript) -> Evaluate:
    owner, index, span = c.expression(node.object), c.expression(node.index), node.span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        at = index(frame)
        mode.site = span
        return indexing.get_item(value, at)

    return run


@compiles(tree.Starred, EXPRESSIONS)
def starred(c: Compiler, node: tree.Starred) -> Evaluate:
    raise ScriptError("can't use starred expression here", code="E0102", span=node.span)


@compiles(tree.FString, EXPRESSIONS)
def fstring(c: Compiler, node: tree.FString) -> Evaluate:
    parts = [part if isinstance(part, str) else replacement(c, part) for part in node.parts]

    def run(frame: Frame) -> Any:
        texts = [part if isinstance(part, str) else part(frame) for part in parts]
        check_length(sum(map(len, texts)), "string")
        return "".join(texts)

    return run


def replacement(c: Compiler, node: tree.Replacement) -> Evaluate:
    value, text, span = c.expression(node.expression), node.text, node.expression.span
    spec = always("") if node.format_spec is None else fstring(c, node.format_spec)
    # `{x=}` shows the repr, unless a conversion or a format spec asks for something else.
    conversion = node.conversion or ("r" if text and node.format_spec is None else "")
    field = texts.FormatField(conversion)

    def run(frame: Frame) -> Any:
        shown = value(frame)
        how = spec(frame)
        mode.site = span
        return text + texts.format_value(shown, field, how)

    return run

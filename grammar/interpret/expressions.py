"""Compiles expressions: names, literals, displays, attributes, subscripts, f-strings.

Operators, calls and comprehensions have modules of their own.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, check_length, collect
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.characters import imaginary_number_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame

attributes = LazyModule("autodiff.grammar.objects.attributes")
subscripts = LazyModule("autodiff.grammar.objects.subscripts")
text_format = LazyModule("autodiff.grammar.objects.value_text")


@compiles(tree.Name, EXPRESSIONS)
def compile_name(c: Compiler, node: tree.Name) -> Evaluate:
    place = c.binding(node.id)
    if place is None:
        return constant_closure(c.find_builtin(node.id))
    depth, slot = place
    scope, module = c.scope, c.frame

    def fail() -> ScriptError:
        return c.compile_in_scope(scope, lambda: c.unbound(node))

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


def constant_closure(value: Any) -> Evaluate:
    """Return the closure of a constant."""
    return lambda frame: value


@compiles(tree.Number, EXPRESSIONS)
def compile_number(c: Compiler, node: tree.Number) -> Evaluate:
    warn_of_lost_number(c, node)
    return constant_closure(node.value)


def warn_of_lost_number(c: Compiler, node: tree.Number) -> None:
    """Warn of a number of the text that a float cannot hold, as it is too large or too near to 0."""
    value = node.value
    if value.__class__ is float and (value == 0.0 or value == INFINITY):
        text = c.source.excerpt(node.span)
        if value or any(digit in text.lower().partition("e")[0] for digit in "123456789"):
            short = text if len(text) <= 20 else text[:20] + "..."
            runtime.warn(f"{short} does not fit in a float: it is taken as {value}", node.span)


INFINITY = float("inf")


@compiles(tree.String, EXPRESSIONS)
@compiles(tree.Constant, EXPRESSIONS)
def compile_literal(c: Compiler, node: tree.String | tree.Constant) -> Evaluate:
    if node.value.__class__ is complex:
        raise imaginary_number_error(node.span)
    return constant_closure(node.value)


# -- displays ----------------------------------------------------------------------------------------


@compiles(tree.ListDisplay, EXPRESSIONS)
def compile_list(c: Compiler, node: tree.ListDisplay) -> Evaluate:
    return compile_elements(c, node.elements)


@compiles(tree.TupleDisplay, EXPRESSIONS)
def compile_tuple(c: Compiler, node: tree.TupleDisplay) -> Evaluate:
    elements = compile_elements(c, node.elements)
    return lambda frame: tuple(elements(frame))


def compile_elements(c: Compiler, elements: tuple[tree.Expression, ...]) -> Evaluate:
    """Return the closure that makes a list of the elements."""
    if not any(element.__class__ is tree.Starred for element in elements):
        parts = [c.expression(element) for element in elements]
        return lambda frame: [part(frame) for part in parts]
    starred = [
        (element.span if element.__class__ is tree.Starred else None, c.expression(without_star(element)))
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


def without_star(node: tree.Expression) -> tree.Expression:
    return node.value if isinstance(node, tree.Starred) else node


@compiles(tree.Slice, EXPRESSIONS)
def compile_slice(c: Compiler, node: tree.Slice) -> Evaluate:
    lower, upper, step = (
        constant_closure(None)
        if part is None
        else constant_closure(part.value)
        if part is node.step and isinstance(part, tree.Constant)  # `5j` may stand here alone
        else c.expression(part)
        for part in (node.lower, node.upper, node.step)
    )
    return lambda frame: slice(lower(frame), upper(frame), step(frame))


# -- attributes, subscripts, f-strings --------------------------------------------------------------


@compiles(tree.Attribute, EXPRESSIONS)
def compile_attribute(c: Compiler, node: tree.Attribute) -> Evaluate:
    constant = c.constant(node)
    if constant is not UNBOUND:
        return constant_closure(constant)
    owner, attribute_name, span = c.expression(node.object), node.name, node.span
    name_span = node.name_span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        mode.site = span
        return attributes.get_attribute(value, attribute_name, name_span)

    return run


@compiles(tree.Subscript, EXPRESSIONS)
def compile_subscript(c: Compiler, node: tree.Subscript) -> Evaluate:
    owner, index, span = c.expression(node.object), c.expression(node.index), node.span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        at = index(frame)
        mode.site = span
        return subscripts.get_item(value, at)

    return run


@compiles(tree.FString, EXPRESSIONS)
def compile_fstring(c: Compiler, node: tree.FString) -> Evaluate:
    parts = [part if isinstance(part, str) else compile_replacement(c, part) for part in node.parts]

    def run(frame: Frame) -> Any:
        texts = [part if isinstance(part, str) else part(frame) for part in parts]
        check_length(sum(map(len, texts)), "string")
        return "".join(texts)

    return run


def compile_replacement(c: Compiler, node: tree.Replacement) -> Evaluate:
    value, text, span = c.expression(node.expression), node.text, node.expression.span
    spec = constant_closure("") if node.format_spec is None else compile_fstring(c, node.format_spec)
    # `{x=}` shows the repr, unless a conversion or a format spec asks for something else.
    conversion = node.conversion or ("r" if text and node.format_spec is None else "")

    def run(frame: Frame) -> Any:
        shown = value(frame)
        how = spec(frame)
        mode.site = span
        return text + text_format.format_value(shown, conversion, how)

    return run

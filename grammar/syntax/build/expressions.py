"""Builders of expressions, from names and numbers to conditionals and lambdas."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.build.rules import BUILDERS, builder
from autodiff.grammar.syntax.build.targets import check_target
from autodiff.grammar.syntax.characters import imaginary_number_error, normalize_name, parse_integer
from autodiff.grammar.syntax.tree import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.syntax.parser import ScriptParser
    from autodiff.grammar.syntax.strings import StringPiece

strings = LazyModule("autodiff.grammar.syntax.strings")


@builder
def name(span: Span, text: str) -> tree.Name | tree.String:
    if text == "__name__":
        return tree.String(span, "__main__")  # a script is never imported
    return tree.Name(span, normalize_name(text))


@builder
def number(span: Span, text: str) -> tree.Number | tree.Constant:
    if text[-1] in "jJ":
        return tree.Constant(span, complex(text))
    value = parse_integer(text, span.start)
    return tree.Number(span, float(text) if value is None else value)


@builder
def string_piece(span: Span, reader: ScriptParser) -> StringPiece:
    return strings.read_literal(span, reader)  # type: ignore[no-any-return] # a Piece


@builder
def string(span: Span, *pieces: StringPiece) -> Expression:
    return strings.join_literals(span, pieces)  # type: ignore[no-any-return] # an Expression


@builder
def true(span: Span) -> tree.Constant:
    return tree.Constant(span, True)


@builder
def false(span: Span) -> tree.Constant:
    return tree.Constant(span, False)


@builder
def none(span: Span) -> tree.Constant:
    return tree.Constant(span, None)


@builder
def ellipsis(span: Span) -> tree.Constant:
    return tree.Constant(span, ...)


@builder
def tuple_display(span: Span, *elements: Expression) -> tree.TupleDisplay:
    return tree.TupleDisplay(span, elements)


@builder
def list_display(span: Span, *elements: Expression) -> tree.ListDisplay:
    return tree.ListDisplay(span, elements)


@builder
def comprehension_for(
    span: Span, target: Expression, iterable: Expression, *conditions: Expression
) -> tree.ComprehensionFor:
    check_target(target)
    return tree.ComprehensionFor(span, target, iterable, conditions)


@builder
def comprehension(span: Span, element: Expression, *clauses: tree.ComprehensionFor) -> tree.Comprehension:
    return tree.Comprehension(span, element, clauses)


@builder
def comparison_operator(span: Span, *words: str) -> str:
    return " ".join(words)


@builder
def comparison(span: Span, first: Expression, *rest: Any) -> tree.Comparison:
    pairs = tuple(zip(rest[::2], rest[1::2], strict=True))
    return tree.Comparison(span, first, pairs)


@builder
def or_chain(span: Span, *operands: Expression) -> tree.Boolean:
    return tree.Boolean(span, "or", operands)


@builder
def and_chain(span: Span, *operands: Expression) -> tree.Boolean:
    return tree.Boolean(span, "and", operands)


@builder
def conditional(span: Span, body: Expression, test: Expression, orelse: Expression) -> tree.Conditional:
    return tree.Conditional(span, test, body, orelse)


@builder
def lambda_function(
    span: Span, parameters: tuple[tree.Parameter, ...] | None, body: Expression
) -> tree.Lambda:
    return tree.Lambda(span, parameters or (), body)


@builder
def call(span: Span, function: Expression, arguments: tuple[tree.Argument, ...] | None) -> tree.Call:
    return tree.Call(span, function, arguments or ())


@builder
def attribute(span: Span, object: Expression, name: tree.Name) -> tree.Attribute:
    return tree.Attribute(span, object, name.id, name.span)


@builder
def slice(
    span: Span, lower: Expression | None, upper: Expression | None, step: Expression | None
) -> tree.Slice:
    if isinstance(upper, tree.Constant) and upper.value.__class__ is complex:
        raise imaginary_number_error(upper.span)
    return tree.Slice(span, lower, upper, step)


#: These rules have the parts of their nodes.
BUILDERS.update(binary=tree.Binary, starred=tree.Starred, subscript=tree.Subscript, unary=tree.Unary)

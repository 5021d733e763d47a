"""Expressions, from names and numbers up to choices and functions."""

from __future__ import annotations

from autodiff.core.lazy import Later
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.builders.rules import rule
from autodiff.grammar.builders.targets import check_target
from autodiff.grammar.characters import integer_value, normal_form
from autodiff.grammar.syntax import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.parser import Reader
    from autodiff.grammar.strings import Piece

strings = Later("autodiff.grammar.strings")


@rule
def name(span: Span, text: str) -> syntax.Name | syntax.String:
    if text == "__name__":
        return syntax.String(span, "__main__")  # a script is always the one that is run
    return syntax.Name(span, normal_form(text))


@rule
def number(span: Span, text: str) -> syntax.Number:
    value = integer_value(text, span.start)
    return syntax.Number(span, float(text) if value is None else value)


@rule
def string_piece(span: Span, reader: Reader) -> Piece:
    return strings.piece(span, reader)  # type: ignore[no-any-return] # a Piece


@rule
def string(span: Span, *pieces: Piece) -> Expression:
    return strings.join(span, pieces)  # type: ignore[no-any-return] # an Expression


@rule
def true(span: Span) -> syntax.Constant:
    return syntax.Constant(span, True)


@rule
def false(span: Span) -> syntax.Constant:
    return syntax.Constant(span, False)


@rule
def none(span: Span) -> syntax.Constant:
    return syntax.Constant(span, None)


@rule
def ellipsis(span: Span) -> syntax.Constant:
    return syntax.Constant(span, ...)


@rule
def tuple_display(span: Span, *elements: Expression) -> syntax.TupleDisplay:
    return syntax.TupleDisplay(span, elements)


@rule
def list_display(span: Span, *elements: Expression) -> syntax.ListDisplay:
    return syntax.ListDisplay(span, elements)


@rule
def starred(span: Span, value: Expression) -> syntax.Starred:
    return syntax.Starred(span, value)


@rule
def comprehension_for(
    span: Span, target: Expression, iterable: Expression, *conditions: Expression
) -> syntax.ComprehensionFor:
    check_target(target)
    return syntax.ComprehensionFor(span, target, iterable, conditions)


@rule
def comprehension(span: Span, element: Expression, *clauses: syntax.ComprehensionFor) -> syntax.Comprehension:
    return syntax.Comprehension(span, element, clauses)


@rule
def unary(span: Span, op: str, operand: Expression) -> syntax.Unary:
    return syntax.Unary(span, op, operand)


@rule
def binary(span: Span, left: Expression, op: str, right: Expression) -> syntax.Binary:
    return syntax.Binary(span, left, op, right)


@rule
def comparison_operator(span: Span, *words: str) -> str:
    return " ".join(words)


@rule
def comparison(span: Span, first: Expression, *rest: Any) -> syntax.Comparison:
    pairs = tuple(zip(rest[::2], rest[1::2], strict=True))
    return syntax.Comparison(span, first, pairs)


@rule
def or_chain(span: Span, *operands: Expression) -> syntax.Boolean:
    return syntax.Boolean(span, "or", operands)


@rule
def and_chain(span: Span, *operands: Expression) -> syntax.Boolean:
    return syntax.Boolean(span, "and", operands)


@rule
def conditional(span: Span, body: Expression, test: Expression, orelse: Expression) -> syntax.Conditional:
    return syntax.Conditional(span, test, body, orelse)


@rule
def lambda_function(
    span: Span, parameters: tuple[syntax.Parameter, ...] | None, body: Expression
) -> syntax.Lambda:
    return syntax.Lambda(span, parameters or (), body)


@rule
def call(span: Span, function: Expression, arguments: tuple[syntax.Argument, ...] | None) -> syntax.Call:
    return syntax.Call(span, function, arguments or ())


@rule
def attribute(span: Span, object: Expression, name: syntax.Name) -> syntax.Attribute:
    return syntax.Attribute(span, object, name.id, name.span)


@rule
def subscript(span: Span, object: Expression, index: Expression) -> syntax.Subscript:
    return syntax.Subscript(span, object, index)


@rule
def slice(
    span: Span, lower: Expression | None, upper: Expression | None, step: Expression | None
) -> syntax.Slice:
    return syntax.Slice(span, lower, upper, step)

"""Builders of expressions, from names and numbers to conditionals and lambdas."""

from __future__ import annotations

from autodiff.core.base.lazy import Later
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.build.rules import rule
from autodiff.grammar.syntax.build.targets import check_target
from autodiff.grammar.syntax.characters import integer_value, normal_form
from autodiff.grammar.syntax.tree import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.syntax.parser import Reader
    from autodiff.grammar.syntax.strings import Piece

strings = Later("autodiff.grammar.syntax.strings")


@rule
def name(span: Span, text: str) -> tree.Name | tree.String:
    if text == "__name__":
        return tree.String(span, "__main__")  # a script is never imported
    return tree.Name(span, normal_form(text))


@rule
def number(span: Span, text: str) -> tree.Number:
    value = integer_value(text, span.start)
    return tree.Number(span, float(text) if value is None else value)


@rule
def string_piece(span: Span, reader: Reader) -> Piece:
    return strings.piece(span, reader)  # type: ignore[no-any-return] # a Piece


@rule
def string(span: Span, *pieces: Piece) -> Expression:
    return strings.join(span, pieces)  # type: ignore[no-any-return] # an Expression


@rule
def true(span: Span) -> tree.Constant:
    return tree.Constant(span, True)


@rule
def false(span: Span) -> tree.Constant:
    return tree.Constant(span, False)


@rule
def none(span: Span) -> tree.Constant:
    return tree.Constant(span, None)


@rule
def ellipsis(span: Span) -> tree.Constant:
    return tree.Constant(span, ...)


@rule
def tuple_display(span: Span, *elements: Expression) -> tree.TupleDisplay:
    return tree.TupleDisplay(span, elements)


@rule
def list_display(span: Span, *elements: Expression) -> tree.ListDisplay:
    return tree.ListDisplay(span, elements)


@rule
def starred(span: Span, value: Expression) -> tree.Starred:
    return tree.Starred(span, value)


@rule
def comprehension_for(
    span: Span, target: Expression, iterable: Expression, *conditions: Expression
) -> tree.ComprehensionFor:
    check_target(target)
    return tree.ComprehensionFor(span, target, iterable, conditions)


@rule
def comprehension(span: Span, element: Expression, *clauses: tree.ComprehensionFor) -> tree.Comprehension:
    return tree.Comprehension(span, element, clauses)


@rule
def unary(span: Span, op: str, operand: Expression) -> tree.Unary:
    return tree.Unary(span, op, operand)


@rule
def binary(span: Span, left: Expression, op: str, right: Expression) -> tree.Binary:
    return tree.Binary(span, left, op, right)


@rule
def comparison_operator(span: Span, *words: str) -> str:
    return " ".join(words)


@rule
def comparison(span: Span, first: Expression, *rest: Any) -> tree.Comparison:
    pairs = tuple(zip(rest[::2], rest[1::2], strict=True))
    return tree.Comparison(span, first, pairs)


@rule
def or_chain(span: Span, *operands: Expression) -> tree.Boolean:
    return tree.Boolean(span, "or", operands)


@rule
def and_chain(span: Span, *operands: Expression) -> tree.Boolean:
    return tree.Boolean(span, "and", operands)


@rule
def conditional(span: Span, body: Expression, test: Expression, orelse: Expression) -> tree.Conditional:
    return tree.Conditional(span, test, body, orelse)


@rule
def lambda_function(
    span: Span, parameters: tuple[tree.Parameter, ...] | None, body: Expression
) -> tree.Lambda:
    return tree.Lambda(span, parameters or (), body)


@rule
def call(span: Span, function: Expression, arguments: tuple[tree.Argument, ...] | None) -> tree.Call:
    return tree.Call(span, function, arguments or ())


@rule
def attribute(span: Span, object: Expression, name: tree.Name) -> tree.Attribute:
    return tree.Attribute(span, object, name.id, name.span)


@rule
def subscript(span: Span, object: Expression, index: Expression) -> tree.Subscript:
    return tree.Subscript(span, object, index)


@rule
def slice(
    span: Span, lower: Expression | None, upper: Expression | None, step: Expression | None
) -> tree.Slice:
    return tree.Slice(span, lower, upper, step)

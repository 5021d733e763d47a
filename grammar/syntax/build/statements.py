"""Builders of statements, on one line and with a block."""

from __future__ import annotations

from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.build.rules import BUILDERS, builder, syntax_error
from autodiff.grammar.syntax.build.targets import check_target
from autodiff.grammar.syntax.tree import Body, Expression, Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# -- the whole and its blocks ---------------------------------------------------------


@builder
def script(span: Span, *body: Statement) -> tree.Script:
    return tree.Script(Span(body[0].span.start, body[-1].span.end) if body else span, body)


@builder
def block(span: Span, *body: Statement) -> Body:
    return body


def span_through(start: int, *bodies: Body | None) -> Span:
    """Return the span from ``start`` to the last statement; a block's own span would end on the next line."""
    return Span(start, next(body[-1].span.end for body in reversed(bodies) if body))


# -- statements on one line ---------------------------------------------------------


@builder
def assign(span: Span, *parts: Expression) -> Statement:
    for target in parts[:-1]:
        check_target(target, parts[-1])
    return tree.Assign(span, parts[:-1], parts[-1])


@builder
def augmented_operator(span: Span, sign: str) -> str:
    return sign[:-1]


@builder
def augmented_assign(span: Span, target: Expression, op: str, value: Expression) -> Statement:
    if isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        raise syntax_error(
            "E0108",
            f"`{op}=` changes one variable, not several",
            "several targets",
            "write one line for each",
            target.span,
        )
    check_target(target)
    return tree.AugmentedAssign(span, target, op, value)


@builder
def annotated(span: Span, target: Expression, annotation: Expression, value: Expression | None) -> Statement:
    """Build ``x: Tensor = value``. The annotation is dropped, so the names in it need not exist."""
    if _is_cell_label(target):
        message, caret = (
            "a label of a notebook cell is not part of the script",
            "printed by the notebook, not typed",
        )
        raise syntax_error("E0135", message, caret, "delete the label", target.span)
    if not isinstance(target, (tree.Name, tree.Attribute, tree.Subscript)):
        several = isinstance(target, (tree.TupleDisplay, tree.ListDisplay))
        message = "a type belongs to one variable" if several else "only a variable can have a type"
        way_out = "write one line for each" if several else "write the name of a variable before the `:`"
        raise syntax_error("E0108", message, "not a variable", way_out, target.span)
    return tree.Pass(span) if value is None else tree.Assign(span, (target,), value)


def _is_cell_label(target: Expression) -> bool:
    """Whether the target is the label of a notebook cell: `In [1]: x = 3` parses like an annotation."""
    return (
        isinstance(target, tree.Subscript)
        and isinstance(target.object, tree.Name)
        and target.object.id in ("In", "Out")
    )


@builder
def delete(span: Span, *targets: Expression) -> Statement:
    for target in targets:
        check_target(target, deleting=True)
    return tree.Delete(span, targets)


@builder
def dotted_name(span: Span, *names: tree.Name) -> str:
    return ".".join([name.id for name in names])


@builder
def imported_module(span: Span, module: str, alias: tree.Name | None) -> tuple[str, str | None]:
    return module, alias.id if alias else None


@builder
def imported_name(span: Span, name: tree.Name, alias: tree.Name | None) -> tuple[str, str | None]:
    return name.id, alias.id if alias else None


@builder
def import_modules(span: Span, *names: tuple[str, str | None]) -> Statement:
    return tree.Import(span, names)


@builder
def import_everything(span: Span, module: str) -> Statement:
    return tree.ImportFrom(span, module, (("*", None),))


@builder
def import_names(span: Span, module: str, *names: tuple[str, str | None]) -> Statement:
    return tree.ImportFrom(span, module, names)


@builder
def magic(span: Span, text: str) -> Statement:
    return tree.Magic(span, text[1:])


# -- statements with a block ---------------------------------------------------------


@builder
def if_statement(span: Span, *parts: Any) -> Statement:
    *branches, orelse = parts
    pairs = tuple(zip(branches[::2], branches[1::2], strict=True))
    return tree.If(span_through(span.start, pairs[-1][1], orelse), pairs, orelse or ())


@builder
def while_statement(span: Span, test: Expression, body: Body, orelse: Body | None) -> Statement:
    return tree.While(span_through(span.start, body, orelse), test, body, orelse or ())


@builder
def for_statement(
    span: Span, target: Expression, iterable: Expression, body: Body, orelse: Body | None
) -> Statement:
    check_target(target)
    return tree.For(span_through(span.start, body, orelse), target, iterable, body, orelse or ())


WithItem = tuple[Expression, "Expression | None"]


class _SpannedItem:
    """A with-item, with a span that shows whether its expression was in parentheses."""

    __slots__ = ("item", "span")

    def __init__(self, span: Span, item: WithItem) -> None:
        self.span = span
        self.item = item


@builder
def with_item(span: Span, context: Expression, target: Expression | None) -> _SpannedItem:
    if target is not None:
        check_target(target)
    return _SpannedItem(span, (context, target))


@builder
def with_statement(span: Span, *parts: _SpannedItem | Expression | Body) -> Statement:
    *contexts, body = parts
    items: list[WithItem] = []
    for context in contexts:
        if isinstance(context, _SpannedItem):
            items.append(context.item)
        elif isinstance(context, tree.Starred):
            raise syntax_error("E0102", "a `*` value cannot be entered", "here", "name it", context.span)
        else:  # parsed as an element of a tuple, before an `as` was found
            assert isinstance(context, Expression)
            items.append((context, None))
    if len(items) == 1 and isinstance(contexts[0], _SpannedItem):
        first, name = items[0]
        # `with (a, b):` enters both; the tuple in `with ((a, b)):` is one value.
        if name is None and isinstance(first, tree.TupleDisplay) and contexts[0].span == first.span:
            starred = any(isinstance(element, tree.Starred) for element in first.elements)
            if first.elements and not starred:
                items = [(element, None) for element in first.elements]
    assert isinstance(body, tuple)
    return tree.With(span_through(span.start, body), tuple(items), body)


@builder
def decorators(span: Span, *values: Expression) -> tuple[Expression, ...]:
    return values


@builder
def function_def(
    span: Span,
    decorators: tuple[Expression, ...] | None,
    name: tree.Name,
    parameters: tuple[tree.Parameter, ...] | None,
    returns: Expression | None,
    body: Body,
) -> Statement:
    where = span_through(span.start, body)
    return tree.FunctionDef(where, name.id, name.span, parameters or (), body, decorators or ())


@builder
def class_def(
    span: Span,
    decorators: tuple[Expression, ...] | None,
    name: tree.Name,
    arguments: tuple[tree.Argument, ...] | None,
    body: Body,
) -> Statement:
    for argument in arguments or ():
        if argument.keyword is not None or argument.star:
            way_out = "write `class Name(Function):`"
            raise syntax_error(
                "E0110", "the parentheses of a class hold only its base", "here", way_out, argument.span
            )
    bases = tuple([argument.value for argument in arguments or ()])
    where = span_through(span.start, body)
    return tree.ClassDef(where, name.id, name.span, bases, body, decorators or ())


#: These rules have the parts of their nodes.
BUILDERS.update(
    assert_statement=tree.Assert,
    break_statement=tree.Break,
    continue_statement=tree.Continue,
    expression_statement=tree.ExpressionStatement,
    pass_statement=tree.Pass,
    return_statement=tree.Return,
)

"""One small function per rule of autodiff.lark: the children of the rule in, the syntax node out.

The function carries the rule's name. ``span`` covers everything the rule matched, parentheses included;
a word or sign that the rule keeps arrives as its text, an optional part that is absent as None.
What a grammar cannot say - what may be assigned to, how parameters are ordered - is checked here.
"""

from __future__ import annotations

from autodiff.core.errors import CompileError, Label
from autodiff.core.span import Span
from autodiff.grammar import strings, syntax
from autodiff.grammar.characters import integer_value, normal_form, shorten
from autodiff.grammar.syntax import Body, Expression, Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.grammar.parser import Reader

BUILDERS: dict[str, Callable[..., object]] = {}


def rule(function: Callable[..., object]) -> Callable[..., object]:
    BUILDERS[function.__name__] = function
    return function


def mistake(code: str, message: str, caret: str, way_out: str, span: Span) -> CompileError:
    return CompileError(message, code=code, caret=caret, help=(way_out,), span=span)


# -- the whole and its blocks ---------------------------------------------------------


@rule
def script(span: Span, *body: Statement) -> syntax.Script:
    return syntax.Script(Span(body[0].span.start, body[-1].span.end) if body else span, body)


@rule
def expression(span: Span, value: Expression) -> Expression:
    return value


@rule
def block(span: Span, *body: Statement) -> Body:
    return body


def through(start: int, *bodies: Body | None) -> Span:
    """From ``start`` to the last statement: a block's own span would end on the next line."""
    return Span(start, next(body[-1].span.end for body in reversed(bodies) if body))


# -- statements on one line ---------------------------------------------------------


@rule
def expression_statement(span: Span, value: Expression) -> Statement:
    if isinstance(value, syntax.Starred):
        raise mistake("E0102", "a `*` value stands alone", "belongs in a list", "remove it", span)
    return syntax.ExpressionStatement(span, value)


@rule
def assign(span: Span, *parts: Expression) -> Statement:
    for target in parts[:-1]:
        check_target(target, parts[-1])
    return syntax.Assign(span, parts[:-1], parts[-1])


@rule
def augmented_operator(span: Span, sign: str) -> str:
    return sign[:-1]


@rule
def augmented_assign(span: Span, target: Expression, op: str, value: Expression) -> Statement:
    if isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
        raise mistake(
            "E0108",
            f"`{op}=` changes one variable, not several",
            "several targets",
            "write one line for each",
            target.span,
        )
    check_target(target)
    return syntax.AugmentedAssign(span, target, op, value)


@rule
def pass_statement(span: Span) -> Statement:
    return syntax.Pass(span)


@rule
def break_statement(span: Span) -> Statement:
    return syntax.Break(span)


@rule
def continue_statement(span: Span) -> Statement:
    return syntax.Continue(span)


@rule
def return_statement(span: Span, value: Expression | None) -> Statement:
    return syntax.Return(span, value)


@rule
def assert_statement(span: Span, test: Expression, message: Expression | None) -> Statement:
    return syntax.Assert(span, test, message)


@rule
def delete(span: Span, *targets: Expression) -> Statement:
    for target in targets:
        check_target(target, deleting=True)
    return syntax.Delete(span, targets)


@rule
def dotted_name(span: Span, *names: syntax.Name) -> str:
    return ".".join([name.id for name in names])


@rule
def imported_module(span: Span, module: str, alias: syntax.Name | None) -> tuple[str, str | None]:
    return module, alias.id if alias else None


@rule
def imported_name(span: Span, name: syntax.Name, alias: syntax.Name | None) -> tuple[str, str | None]:
    return name.id, alias.id if alias else None


@rule
def import_modules(span: Span, *names: tuple[str, str | None]) -> Statement:
    return syntax.Import(span, names)


@rule
def import_everything(span: Span, module: str) -> Statement:
    return syntax.ImportFrom(span, module, (("*", None),))


@rule
def import_names(span: Span, module: str, *names: tuple[str, str | None]) -> Statement:
    return syntax.ImportFrom(span, module, names)


@rule
def magic(span: Span, text: str) -> Statement:
    return syntax.Magic(span, text[1:])


# -- statements with a block ---------------------------------------------------------


@rule
def if_statement(span: Span, *parts: object) -> Statement:
    *branches, orelse = parts
    tests, bodies = branches[::2], branches[1::2]
    pairs: tuple[tuple[Expression, Body], ...] = tuple(zip(tests, bodies, strict=True))  # type: ignore[arg-type]
    otherwise: Body = orelse or ()  # type: ignore[assignment]
    return syntax.If(through(span.start, pairs[-1][1], otherwise), pairs, otherwise)


@rule
def while_statement(span: Span, test: Expression, body: Body, orelse: Body | None) -> Statement:
    return syntax.While(through(span.start, body, orelse), test, body, orelse or ())


@rule
def for_statement(
    span: Span, target: Expression, iterable: Expression, body: Body, orelse: Body | None
) -> Statement:
    check_target(target)
    return syntax.For(through(span.start, body, orelse), target, iterable, body, orelse or ())


WithItem = tuple[Expression, "Expression | None"]


class _Context:
    """A with-item, with the span that tells whether its expression stood in parentheses."""

    __slots__ = ("item", "span")

    def __init__(self, span: Span, item: WithItem) -> None:
        self.span = span
        self.item = item


@rule
def with_item(span: Span, context: Expression, target: Expression | None) -> _Context:
    if target is not None:
        check_target(target)
    return _Context(span, (context, target))


@rule
def with_statement(span: Span, *parts: _Context | Expression | Body) -> Statement:
    *contexts, body = parts
    items: list[WithItem] = []
    for context in contexts:
        if isinstance(context, _Context):
            items.append(context.item)
        elif isinstance(context, syntax.Starred):
            raise mistake("E0102", "a `*` value cannot be entered", "here", "name it", context.span)
        else:  # read as a member of a tuple until an `as` was seen
            assert isinstance(context, Expression)
            items.append((context, None))
    if len(items) == 1 and isinstance(contexts[0], _Context):
        first, name = items[0]
        # `with (a, b):` enters both; the tuple in `with ((a, b)):` is one value.
        if name is None and isinstance(first, syntax.TupleDisplay) and contexts[0].span == first.span:
            starred = any(isinstance(element, syntax.Starred) for element in first.elements)
            if first.elements and not starred:
                items = [(element, None) for element in first.elements]
    assert isinstance(body, tuple)
    return syntax.With(through(span.start, body), tuple(items), body)


@rule
def decorators(span: Span, *values: Expression) -> tuple[Expression, ...]:
    return values


@rule
def function_def(
    span: Span,
    decorators: tuple[Expression, ...] | None,
    name: syntax.Name,
    parameters: tuple[syntax.Parameter, ...] | None,
    body: Body,
) -> Statement:
    where = through(span.start, body)
    return syntax.FunctionDef(where, name.id, name.span, parameters or (), body, decorators or ())


@rule
def class_def(
    span: Span,
    decorators: tuple[Expression, ...] | None,
    name: syntax.Name,
    arguments: tuple[syntax.Argument, ...] | None,
    body: Body,
) -> Statement:
    for argument in arguments or ():
        if argument.keyword is not None or argument.star:
            way_out = "write `class Name(Function):`"
            raise mistake("E0110", "a class names its base and nothing else", "here", way_out, argument.span)
    bases = tuple([argument.value for argument in arguments or ()])
    where = through(span.start, body)
    return syntax.ClassDef(where, name.id, name.span, bases, body, decorators or ())


@rule
def parameter(span: Span, name: syntax.Name, default: Expression | None) -> syntax.Parameter:
    return syntax.Parameter(span, name.id, default)


@rule
def star_parameter(span: Span, name: syntax.Name) -> syntax.Parameter:
    return syntax.Parameter(span, name.id, None, "*")


@rule
def bare_star(span: Span) -> syntax.Parameter:
    """What follows is given by name only. Its own name, ``*``, is one that no script can write."""
    return syntax.Parameter(span, "*", None, "*")


@rule
def parameters(span: Span, *all: syntax.Parameter) -> tuple[syntax.Parameter, ...]:
    seen: dict[str, syntax.Parameter] = {}
    optional = star = None
    for one in all:
        if one.name in seen:
            error = mistake(
                "E0102", f"two parameters are called `{shorten(one.name)}`", "again", "rename one", one.span
            )
            error.labels.append(Label(seen[one.name].span, "first here"))
            raise error
        seen[one.name] = one
        if one.star:
            if star is not None:
                raise mistake("E0102", "only one parameter can have a `*`", "here", "remove it", one.span)
            star = one
            if one.name == "*" and one is all[-1]:
                way_out = "put a parameter after it, as in `def f(x, *, scale=1)`, or delete it"
                raise mistake(
                    "E0102", "named arguments must follow bare *", "nothing follows", way_out, one.span
                )
        elif one.default is not None:
            optional = one
        elif optional is not None and star is None:
            way_out = f"move `{shorten(one.name)}` before `{shorten(optional.name)}`, or give it a default"
            message = "a parameter without a default follows one that has a default"
            raise mistake("E0102", message, "has no default", way_out, one.span)
    return all


# -- expressions ---------------------------------------------------------


@rule
def name(span: Span, text: str) -> syntax.Name:
    return syntax.Name(span, normal_form(text))


@rule
def number(span: Span, text: str) -> syntax.Number:
    value = integer_value(text, span.start)
    return syntax.Number(span, float(text) if value is None else value)


@rule
def string_piece(span: Span, reader: Reader) -> strings.Piece:
    return strings.piece(span, reader)


@rule
def string(span: Span, *pieces: strings.Piece) -> Expression:
    return strings.join(span, pieces)


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
def comparison(span: Span, first: Expression, *rest: str | Expression) -> syntax.Comparison:
    pairs = tuple(zip(rest[::2], rest[1::2], strict=True))
    return syntax.Comparison(span, first, pairs)  # type: ignore[arg-type]


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
def argument(span: Span, value: Expression) -> syntax.Argument:
    return syntax.Argument(span, None, value)


@rule
def keyword_argument(span: Span, name: syntax.Name, value: Expression) -> syntax.Argument:
    return syntax.Argument(span, name.id, value)


@rule
def star_argument(span: Span, value: Expression) -> syntax.Argument:
    return syntax.Argument(span, None, value, "*")


@rule
def only_argument(span: Span, generator: Expression) -> tuple[syntax.Argument, ...]:
    return (syntax.Argument(span, None, generator),)


@rule
def arguments(span: Span, *all: syntax.Argument) -> tuple[syntax.Argument, ...]:
    keywords: dict[str, syntax.Argument] = {}
    for one in all:
        if one.keyword is None:
            if keywords and not one.star:
                way_out = "move it to the front, or name it too"
                raise mistake("E0102", "a value without a name follows named ones", "here", way_out, one.span)
        elif one.keyword in keywords:
            message = f"`{shorten(one.keyword)}` is given twice"
            error = mistake("E0102", message, "again", "remove one of them", one.span)
            error.labels.append(Label(keywords[one.keyword].span, "first here"))
            raise error
        else:
            keywords[one.keyword] = one
    return all


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


# -- what can be assigned to ---------------------------------------------------------

_CALLED = {
    "Number": "a number",
    "String": "a string",
    "FString": "a string",
    "Call": "the result of a call",
    "Binary": "the result of a calculation",
    "Unary": "the result of a calculation",
    "Comparison": "a comparison",
    "Boolean": "a condition",
    "Conditional": "the result of a choice",
    "Lambda": "a function",
    "Comprehension": "a list",
}


def check_target(target: Expression, value: Expression | None = None, deleting: bool = False) -> None:
    """Accept what can stand left of ``=``, after ``for`` or after ``del``."""
    pending = [target]
    while pending:
        node = pending.pop()
        if isinstance(node, (syntax.Name, syntax.Attribute, syntax.Subscript)):
            continue
        if isinstance(node, (syntax.TupleDisplay, syntax.ListDisplay)):
            stars = [element for element in node.elements if isinstance(element, syntax.Starred)]
            if len(stars) > 1 and not deleting:
                way_out = "keep one `*`"
                raise mistake("E0108", "only one target can have a `*`", "the second", way_out, stars[1].span)
            pending += [
                element.value if isinstance(element, syntax.Starred) and not deleting else element
                for element in reversed(node.elements)
            ]
            continue
        raise _bad_target(node, value, deleting)


def _bad_target(node: Expression, value: Expression | None, deleting: bool) -> CompileError:
    verb = "deleted" if deleting else "assigned to"
    if isinstance(node, syntax.Starred):
        way_out = "write `del` with a name" if deleting else "write `[*name] = ...`, or leave out the `*`"
        return mistake("E0108", f"a `*` name alone cannot be {verb}", "here", way_out, node.span)
    if isinstance(node, syntax.Constant):
        word = "..." if node.value is ... else str(node.value)
        return mistake(
            "E0108", f"`{word}` cannot be {verb}", "always means the same", "choose another name", node.span
        )
    what = _CALLED.get(type(node).__name__, "this")
    if deleting:
        way_out = "write `del` with a name"
    elif isinstance(node, syntax.Call):
        way_out = "put the variable on the left and the call on the right"
    elif value is None:
        way_out = "put the name of a variable here"
    elif isinstance(value, syntax.Name):
        way_out = f"write `==` to compare, or turn it round: `{shorten(value.id)} = ...`"
    else:
        way_out = "write `==` to compare, or put a name on the left of `=`"
    return mistake("E0108", f"{what} cannot be {verb}", "not a variable", way_out, node.span)

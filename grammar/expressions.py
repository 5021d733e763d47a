"""What each expression becomes: names, literals, operators, displays, comprehensions, f-strings.

Before an operator runs, ``mode.site`` is set to its span, so nodes and errors know where they stand.
"""

from __future__ import annotations

from autodiff.core.errors import ScriptError
from autodiff.core.mode import mode
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.arithmetic import BINARY, COMPARISON, UNARY
from autodiff.grammar.attributes import get_attribute
from autodiff.grammar.indexing import get_item
from autodiff.grammar.interpreter import EXPRESSIONS, Compiler, compiles, new_frame
from autodiff.grammar.runtime import runtime
from autodiff.grammar.text import FormatField, format_value
from autodiff.grammar.values import UNBOUND, check_length, collect, is_true, iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpreter import Evaluate, Frame


@compiles(syntax.Name, EXPRESSIONS)
def name(c: Compiler, node: syntax.Name) -> Evaluate:
    place = c.place(node.id)
    if place is None:
        return always(c.builtin(node.id))
    depth, slot = place
    scope, module = c.scope, c.frame

    def fail() -> ScriptError:
        return c.inside(scope, lambda: c.unbound(node))  # type: ignore[no-any-return]

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
    """The closure of a constant."""
    return lambda frame: value


@compiles(syntax.Number, EXPRESSIONS)
def number(c: Compiler, node: syntax.Number) -> Evaluate:
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


@compiles(syntax.String, EXPRESSIONS)
@compiles(syntax.Constant, EXPRESSIONS)
def literal(c: Compiler, node: syntax.String | syntax.Constant) -> Evaluate:
    return always(node.value)


# -- operators --------------------------------------------------------------------------------------


@compiles(syntax.Binary, EXPRESSIONS)
def binary(c: Compiler, node: syntax.Binary) -> Evaluate:
    # A long sum leans to the left. Going down it in a loop keeps the compiler's own nesting flat.
    chain = [node]
    while chain[-1].left.__class__ is syntax.Binary:
        chain.append(chain[-1].left)
    first = chain[-1].left
    if len(chain) > 50:
        return long_chain(c, chain)
    run = c.expression(first)
    for link in reversed(chain):
        run = binary_of(c, link, run, link.left)
    return run


def long_chain(c: Compiler, chain: list[syntax.Binary]) -> Evaluate:
    """A sum of thousands of terms, as a loop over its terms."""
    first = c.expression(chain[-1].left)
    links = [(BINARY[link.op], c.expression(link.right), link.span) for link in reversed(chain)]

    def run(frame: Frame) -> Any:
        value = first(frame)
        for operate, right, span in links:
            other = right(frame)
            mode.site = span
            value = operate(value, other)
        return value

    return run


def binary_of(c: Compiler, node: syntax.Binary, left: Evaluate, left_node: syntax.Expression) -> Evaluate:
    operate, span = BINARY[node.op], node.span
    x_slot = local_slot(c, left_node)
    build = SHORT_WAYS.get(node.op)
    if node.right.__class__ is syntax.Number and build is not None:
        c.expression(node.right)  # refuses what does not fit in 64 bits
        return build[1](left, x_slot, node.right.value, span, operate)
    right = c.expression(node.right)
    if build is not None:
        return build[0](left, x_slot, right, local_slot(c, node.right), span, operate)
    return by_table(left, x_slot, right, 0, span, operate)


def local_slot(c: Compiler, node: syntax.Expression) -> int:
    """The slot of a name in the frame that is running; 0 for anything else."""
    if isinstance(node, syntax.Name):
        place = c.place(node.id)
        if place is not None and place[0] == 0:
            return place[1]
    return 0


def by_table(left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = left(frame)
        y = right(frame)
        mode.site = span
        return operate(x, y)

    return run


# The operators that loops live on go straight to the tensor's own, past the table. Names of the running
# frame are read here, without a call; an unbound one is no tensor and is found out on the long way.


def add_values(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and y.__class__ is Tensor:
            return x + y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def sub_values(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and y.__class__ is Tensor:
            return x - y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def mul_values(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and y.__class__ is Tensor:
            return x * y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def div_values(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and y.__class__ is Tensor:
            return x / y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def add_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x + number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def sub_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x - number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def mul_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x * number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def div_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x / number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def pow_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x**number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


SHORT_WAYS: dict[str, tuple[Callable[..., Evaluate], Callable[..., Evaluate]]] = {
    "+": (add_values, add_number),
    "-": (sub_values, sub_number),
    "*": (mul_values, mul_number),
    "/": (div_values, div_number),
    "**": (by_table, pow_number),
}


@compiles(syntax.Unary, EXPRESSIONS)
def unary(c: Compiler, node: syntax.Unary) -> Evaluate:
    chain = [node]
    while chain[-1].operand.__class__ is syntax.Unary:
        chain.append(chain[-1].operand)
    operand = c.expression(chain[-1].operand)
    links = [(UNARY[link.op], link.span) for link in reversed(chain)]
    if len(links) > 1:

        def run_all(frame: Frame) -> Any:
            value = operand(frame)
            for operate, span in links:
                mode.site = span
                value = operate(value)
            return value

        return run_all
    ((operate, span),) = links

    def run(frame: Frame) -> Any:
        x = operand(frame)
        mode.site = span
        return operate(x)

    if chain[0].op == "-" and chain[0].operand.__class__ is syntax.Number:
        return always(-chain[0].operand.value)
    return run


@compiles(syntax.Comparison, EXPRESSIONS)
def comparison(c: Compiler, node: syntax.Comparison) -> Evaluate:
    first, span = c.expression(node.first), node.span
    links = [(COMPARISON[op], c.expression(operand)) for op, operand in node.rest]
    if len(links) == 1:
        ((compare, second),) = links

        def run(frame: Frame) -> Any:
            x = first(frame)
            y = second(frame)
            mode.site = span
            return compare(x, y)

        return run

    def run_chain(frame: Frame) -> Any:
        x = first(frame)
        value: Any = True
        for compare, operand in links:
            y = operand(frame)
            mode.site = span
            value = compare(x, y)
            if not is_true(value):
                return value
            x = y
        return value

    return run_chain


@compiles(syntax.Boolean, EXPRESSIONS)
def boolean(c: Compiler, node: syntax.Boolean) -> Evaluate:
    operands = [(c.expression(operand), operand.span) for operand in node.operands]
    stops_at = node.op == "or"

    def run(frame: Frame) -> Any:
        value = None
        for operand, span in operands[:-1]:
            value = operand(frame)
            mode.site = span
            if is_true(value) is stops_at:
                return value
        return last(frame)

    last = operands[-1][0]
    return run


@compiles(syntax.Conditional, EXPRESSIONS)
def conditional(c: Compiler, node: syntax.Conditional) -> Evaluate:
    test, body, orelse = c.expression(node.test), c.expression(node.body), c.expression(node.orelse)
    span = node.test.span

    def run(frame: Frame) -> Any:
        value = test(frame)
        mode.site = span
        return body(frame) if is_true(value) else orelse(frame)

    return run


# -- displays and comprehensions --------------------------------------------------------------------


@compiles(syntax.ListDisplay, EXPRESSIONS)
def list_display(c: Compiler, node: syntax.ListDisplay) -> Evaluate:
    return sequence(c, node.elements)


@compiles(syntax.TupleDisplay, EXPRESSIONS)
def tuple_display(c: Compiler, node: syntax.TupleDisplay) -> Evaluate:
    elements = sequence(c, node.elements)
    return lambda frame: tuple(elements(frame))


def sequence(c: Compiler, elements: tuple[syntax.Expression, ...]) -> Evaluate:
    """The closure that gathers elements in a list."""
    if not any(element.__class__ is syntax.Starred for element in elements):
        parts = [c.expression(element) for element in elements]
        return lambda frame: [part(frame) for part in parts]
    starred = [
        (element.__class__ is syntax.Starred, c.expression(unstarred(element))) for element in elements
    ]

    def run(frame: Frame) -> Any:
        values: list[Any] = []
        for is_starred, part in starred:
            if is_starred:
                values.extend(collect(part(frame)))
            else:
                values.append(part(frame))
        return values

    return run


def unstarred(node: syntax.Expression) -> syntax.Expression:
    return node.value if isinstance(node, syntax.Starred) else node


@compiles(syntax.Slice, EXPRESSIONS)
def slice_(c: Compiler, node: syntax.Slice) -> Evaluate:
    lower, upper, step = (
        always(None) if part is None else c.expression(part) for part in (node.lower, node.upper, node.step)
    )
    return lambda frame: slice(lower(frame), upper(frame), step(frame))


@compiles(syntax.Comprehension, EXPRESSIONS)
def comprehension(c: Compiler, node: syntax.Comprehension) -> Evaluate:
    from autodiff.grammar.statements import store_into

    scope = c.names.of[node]
    in_class = c.scope.kind == "class"
    around = c.expression(node.clauses[0].iterable)
    gather = c.inside(scope, lambda: comprehension_body(c, node, store_into))
    template = new_frame(scope)
    span = node.clauses[0].iterable.span

    def run(frame: Frame) -> Any:
        rows = around(frame)
        inner = template[:]
        inner[0] = frame[0] if in_class else frame
        found: list[Any] = []
        mode.site = span
        gather(inner, iterate(rows), found)
        return found

    return run


def comprehension_body(c: Compiler, node: syntax.Comprehension, store_into: Any) -> Any:
    """The loops of a comprehension from the innermost outwards, each a function of (frame, rows, found)."""
    element = c.expression(node.element)

    def innermost(frame: Frame, found: list[Any]) -> None:
        found.append(element(frame))

    step = innermost
    for depth in range(len(node.clauses) - 1, -1, -1):
        clause = node.clauses[depth]
        loop = comprehension_loop(c, clause, step, store_into)
        if depth:
            step = nested(c.expression(clause.iterable), loop, clause.iterable.span)
    return loop


def nested(iterable: Evaluate, loop: Any, span: Any) -> Any:
    """A loop inside another, which works out its own iterable on every turn."""

    def step(frame: Frame, found: list[Any]) -> None:
        rows = iterable(frame)
        mode.site = span
        loop(frame, iterate(rows), found)

    return step


def comprehension_loop(c: Compiler, clause: syntax.ComprehensionFor, step: Any, store_into: Any) -> Any:
    store = store_into(c, clause.target)
    conditions = [c.expression(condition) for condition in clause.conditions]

    def loop(frame: Frame, rows: Any, found: list[Any]) -> None:
        for value in rows:
            runtime.steps -= 1
            if runtime.steps < 0:
                raise runtime.out_of_steps()
            store(frame, value)
            for condition in conditions:
                if not is_true(condition(frame)):
                    break
            else:
                step(frame, found)

    return loop


# -- attributes, subscripts, f-strings --------------------------------------------------------------


@compiles(syntax.Attribute, EXPRESSIONS)
def attribute(c: Compiler, node: syntax.Attribute) -> Evaluate:
    constant = c.constant(node)
    if constant is not UNBOUND:
        return always(constant)
    owner, attribute_name, span = c.expression(node.object), node.name, node.span
    name_span = node.name_span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        mode.site = span
        return get_attribute(value, attribute_name, name_span)

    return run


@compiles(syntax.Subscript, EXPRESSIONS)
def subscript(c: Compiler, node: syntax.Subscript) -> Evaluate:
    owner, index, span = c.expression(node.object), c.expression(node.index), node.span

    def run(frame: Frame) -> Any:
        value = owner(frame)
        at = index(frame)
        mode.site = span
        return get_item(value, at)

    return run


@compiles(syntax.Starred, EXPRESSIONS)
def starred(c: Compiler, node: syntax.Starred) -> Evaluate:
    raise ScriptError("can't use starred expression here", code="E0102", span=node.span)


@compiles(syntax.FString, EXPRESSIONS)
def fstring(c: Compiler, node: syntax.FString) -> Evaluate:
    parts = [part if isinstance(part, str) else replacement(c, part) for part in node.parts]

    def run(frame: Frame) -> Any:
        texts = [part if part.__class__ is str else part(frame) for part in parts]  # type: ignore[operator]
        check_length(sum(map(len, texts)), "string")
        return "".join(texts)

    return run


def replacement(c: Compiler, node: syntax.Replacement) -> Evaluate:
    value, text, span = c.expression(node.expression), node.text, node.expression.span
    spec = always("") if node.format_spec is None else fstring(c, node.format_spec)
    # `{x=}` shows the repr, unless a conversion or a format spec asks for something else.
    conversion = node.conversion or ("r" if text and node.format_spec is None else "")
    field = FormatField(conversion)

    def run(frame: Frame) -> Any:
        shown = value(frame)
        how = spec(frame)
        mode.site = span
        return text + format_value(shown, field, how)

    return run

"""Compiles operators: arithmetic, comparison, ``and or not``, the conditional expression.

``mode.site`` is set to the operator's span before it runs, which gives nodes and errors their place.
"""

from __future__ import annotations

import operator

from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles
from autodiff.grammar.interpret.expressions import constant_closure, warn_of_lost_number
from autodiff.grammar.objects.operators import BINARY, COMPARISON, UNARY
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, is_true
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame


#: The terms of a longer chain that runs once are compiled one by one.
LONGEST_COMPILED = 10_000


@compiles(tree.Binary, EXPRESSIONS)
def compile_binary(c: Compiler, node: tree.Binary) -> Evaluate:
    if node.left.__class__ is not tree.Binary:
        return compile_binary_link(c, node, c.expression(node.left), node.left)
    # A long sum is a deep tree to the left. A loop follows it, which saves the compiler the recursion.
    chain = [node]
    while chain[-1].left.__class__ is tree.Binary:
        chain.append(chain[-1].left)
    first = chain[-1].left
    if len(chain) > 50:
        return compile_long_chain(c, chain)
    run = c.expression(first)
    for link in reversed(chain):
        run = compile_binary_link(c, link, run, link.left)
    return run


def compile_long_chain(c: Compiler, chain: list[tree.Binary]) -> Evaluate:
    """Compile a long chain, such as a sum of thousands of terms, as a loop over its terms."""
    if len(chain) > LONGEST_COMPILED and not c.loops and c.scope is c.names.module:
        return compile_when_it_runs(c, chain)
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


def compile_when_it_runs(c: Compiler, chain: list[tree.Binary]) -> Evaluate:
    """Return the closure of a very long chain that runs once: it compiles each term when it comes to it.

    The closures of a million terms would take more than a gigabyte. Their syntax tree takes half of that, and
    is deleted term by term unless something keeps it.
    """

    def run(frame: Frame) -> Any:
        value = c.expression(chain[-1].left)(frame)
        for at in range(len(chain) - 1, -1, -1):
            link = chain[at]
            other = c.expression(link.right)(frame)
            mode.site = link.span
            value = BINARY[link.op](value, other)
            if not c.keeps_tree:
                del link.left, link.right, chain[at]
        return value

    return run


def compile_binary_link(
    c: Compiler, node: tree.Binary, left: Evaluate, left_node: tree.Expression
) -> Evaluate:
    operate, span = BINARY[node.op], node.span
    x_slot = c.local_slot(left_node)
    build = FAST_PATHS.get(node.op)
    if node.right.__class__ is tree.Number and build is not None:
        warn_of_lost_number(c, node.right)
        return build[1](left, x_slot, node.right.value, span, operate)
    right = c.expression(node.right)
    if build is not None:
        return build[0](left, x_slot, right, c.local_slot(node.right), span, operate)
    return general_operator(left, x_slot, right, 0, span, operate)


def general_operator(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = left(frame)
        y = right(frame)
        mode.site = span
        return operate(x, y)

    return run


# Fast paths for the operators that loops use most: for tensors they use Tensor's own operator instead of the
# table BINARY. Names of the running frame are read from their slot without a call. An unbound name is no
# tensor, so it leaves the fast path, and its own closure raises the error.


def compile_add(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and (y.__class__ is Tensor or y.__class__ is float):
            return x + y
        if y.__class__ is Tensor and x.__class__ is float:
            return x + y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def compile_sub(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and (y.__class__ is Tensor or y.__class__ is float):
            return x - y
        if y.__class__ is Tensor and x.__class__ is float:
            return x - y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def compile_mul(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and (y.__class__ is Tensor or y.__class__ is float):
            return x * y
        if y.__class__ is Tensor and x.__class__ is float:
            return x * y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def compile_div(
    left: Evaluate, x_slot: int, right: Evaluate, y_slot: int, span: Any, operate: Any
) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        y = frame[y_slot] if y_slot else right(frame)
        mode.site = span
        if x.__class__ is Tensor and (y.__class__ is Tensor or y.__class__ is float):
            return x / y
        if y.__class__ is Tensor and x.__class__ is float:
            return x / y
        if x is UNBOUND or y is UNBOUND:
            left(frame), right(frame)
        return operate(x, y)

    return run


def compile_add_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x + number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def compile_sub_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x - number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def compile_mul_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x * number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def compile_div_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x / number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def compile_pow_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        mode.site = span
        return x**number if x.__class__ is Tensor else operate(left(frame) if x_slot else x, number)

    return run


def compile_mod_number(left: Evaluate, x_slot: int, number: Any, span: Any, operate: Any) -> Evaluate:
    if number.__class__ is not int or not number:
        return general_operator(left, x_slot, constant_closure(number), 0, span, operate)

    def run(frame: Frame) -> Any:
        x = frame[x_slot] if x_slot else left(frame)
        if x.__class__ is int:  # as in `if step % 100 == 0`
            return x % number
        if x_slot:
            x = left(frame)  # raises the error for an unbound name
        mode.site = span
        return operate(x, number)

    return run


FAST_PATHS: dict[str, tuple[Callable[..., Evaluate], Callable[..., Evaluate]]] = {
    "+": (compile_add, compile_add_number),
    "-": (compile_sub, compile_sub_number),
    "*": (compile_mul, compile_mul_number),
    "/": (compile_div, compile_div_number),
    "**": (general_operator, compile_pow_number),
    "%": (general_operator, compile_mod_number),
}


@compiles(tree.Unary, EXPRESSIONS)
def compile_unary(c: Compiler, node: tree.Unary) -> Evaluate:
    chain = [node]
    while chain[-1].operand.__class__ is tree.Unary:
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

    if chain[0].op == "-" and chain[0].operand.__class__ is tree.Number:
        return constant_closure(-chain[0].operand.value)
    return run


#: Comparisons of integers, such as those of loop counters.
INT_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@compiles(tree.Comparison, EXPRESSIONS)
def compile_comparison(c: Compiler, node: tree.Comparison) -> Evaluate:
    first, span = c.expression(node.first), node.span
    links = [(COMPARISON[op], c.expression(operand)) for op, operand in node.rest]
    if len(links) == 1:
        ((compare, second),) = links
        of_ints = INT_COMPARISONS.get(node.rest[0][0])
        right = node.rest[0][1]
        if of_ints is not None and right.__class__ is tree.Number and right.value.__class__ is int:
            number = right.value
            if of_ints is operator.eq:

                def run_equal(frame: Frame) -> Any:
                    x = first(frame)
                    if x.__class__ is int:
                        return x == number
                    mode.site = span
                    return compare(x, number)

                return run_equal

            def run_beside_number(frame: Frame) -> Any:
                x = first(frame)
                if x.__class__ is int:
                    return of_ints(x, number)
                mode.site = span
                return compare(x, number)

            return run_beside_number

        def run(frame: Frame) -> Any:
            x = first(frame)
            y = second(frame)
            if x.__class__ is int and y.__class__ is int and of_ints is not None:
                return of_ints(x, y)
            mode.site = span
            return compare(x, y)

        return run

    def run_chain(frame: Frame) -> Any:
        x = first(frame)
        value: Any = True
        for compare, operand in links:
            y = operand(frame)
            mode.site = span
            found = compare(x, y)
            if runtime.in_rows and found.__class__ is Tensor and found.shape:  # for each row by itself
                value = found if value is True else BINARY["&"](value, found)
            elif not is_true(found):
                return found
            elif value.__class__ is not Tensor or not value.shape:
                value = found
            x = y
        return value

    return run_chain


@compiles(tree.Boolean, EXPRESSIONS)
def compile_boolean(c: Compiler, node: tree.Boolean) -> Evaluate:
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


@compiles(tree.Conditional, EXPRESSIONS)
def compile_conditional(c: Compiler, node: tree.Conditional) -> Evaluate:
    test, body, orelse = c.expression(node.test), c.expression(node.body), c.expression(node.orelse)
    span = node.test.span

    def run(frame: Frame) -> Any:
        value = test(frame)
        mode.site = span
        return body(frame) if is_true(value) else orelse(frame)

    return run

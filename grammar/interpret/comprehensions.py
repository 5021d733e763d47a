"""Compiles list comprehensions: nested loops in a scope of their own."""

from __future__ import annotations

from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.assignment import compile_target
from autodiff.grammar.interpret.compiler import EXPRESSIONS, Compiler, compiles, new_frame
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import is_true, iterate
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Frame


@compiles(tree.Comprehension, EXPRESSIONS)
def compile_comprehension(c: Compiler, node: tree.Comprehension) -> Evaluate:
    scope = c.names.scope_of[node]
    in_class = c.scope.kind == "class"
    around = c.expression(node.clauses[0].iterable)
    gather = c.compile_in_scope(scope, lambda: compile_loops(c, node))
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


def compile_loops(c: Compiler, node: tree.Comprehension) -> Any:
    """Compile the loops of a comprehension, innermost first; return the outermost.

    It is a function of the frame, the rows, and the list that gets the elements.
    """
    element = c.expression(node.element)

    def innermost(frame: Frame, found: list[Any]) -> None:
        found.append(element(frame))

    step = innermost
    for depth in range(len(node.clauses) - 1, -1, -1):
        clause = node.clauses[depth]
        loop = compile_clause(c, clause, step)
        if depth:
            step = nested(c.expression(clause.iterable), loop, clause.iterable.span)
    return loop


def nested(iterable: Evaluate, loop: Any, span: Any) -> Any:
    """Return the closure of an inner loop, which evaluates its iterable in every turn of the outer loop."""

    def step(frame: Frame, found: list[Any]) -> None:
        rows = iterable(frame)
        mode.site = span
        loop(frame, iterate(rows), found)

    return step


def compile_clause(c: Compiler, clause: tree.ComprehensionFor, step: Any) -> Any:
    store = compile_target(c, clause.target)
    conditions = [c.expression(condition) for condition in clause.conditions]

    def loop(frame: Frame, rows: Any, found: list[Any]) -> None:
        for value in rows:
            runtime.steps -= 1
            if runtime.steps < 0:
                runtime.look()
            store(frame, value)
            for condition in conditions:
                if not is_true(condition(frame)):
                    break
            else:
                step(frame, found)

    return loop

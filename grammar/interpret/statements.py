"""Compiles statements: expression statements, branches, loops, ``return``, ``assert``, ``with``.

Assignments are in ``assignment``; functions, classes and imports in ``definitions``.
"""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Edit, Fix, ScriptError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Span
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.fast.tape import NEARLY_FULL
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.assignment import change_recorder, compile_target
from autodiff.grammar.interpret.compiler import BREAK, CONTINUE, RETURN, STATEMENTS, Compiler, compiles
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import Drawing, GradMode, ProgressBar, is_true, iterate, type_name
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.interpret.compiler import Execute, Frame

compared_values = LazyModule("autodiff.grammar.interpret.compared_values")
fast_loop_compiler = LazyModule("autodiff.grammar.interpret.fast_loop_compiler")
text_format = LazyModule("autodiff.grammar.objects.value_text")
fast_loops = LazyModule("autodiff.grammar.interpret.fast_loops")


#: The methods of a list that put values into it, or in another order.
LIST_ADDERS = frozenset(["append", "extend", "insert", "reverse", "sort"])


@compiles(tree.ExpressionStatement, STATEMENTS)
def compile_expression_statement(c: Compiler, node: tree.ExpressionStatement) -> Execute:
    value = c.expression(node.value)
    changed = changed_in_place(node.value)
    note_change = None if changed is None else change_recorder(c, changed)
    if changed is None or note_change is None:

        def run(frame: Frame) -> None:
            value(frame)

        return run
    owner = c.expression(changed)

    def run_change(frame: Frame) -> None:
        value(frame)
        note_change(owner(frame))

    return run_change


def changed_in_place(node: tree.Expression) -> tree.Expression | None:
    """Return ``y`` for ``y.append(t)`` and ``y.add_(t)``, or None if no such method is called."""
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Attribute):
        return None
    name, owner = node.function.name, node.function.object
    is_change = name in LIST_ADDERS or (name[-1] == "_" and name[-2] != "_" and name != "requires_grad_")
    while isinstance(owner, tree.Subscript):
        owner = owner.object
    return owner if is_change and isinstance(owner, tree.Name) else None


@compiles(tree.Pass, STATEMENTS)
@compiles(tree.Magic, STATEMENTS)
def compile_nothing(c: Compiler, node: tree.Statement) -> Execute:
    if isinstance(node, tree.Magic) and node.text.split()[:1] not in (["pylab"], ["matplotlib"]):
        raise CompileError(
            "this notebook command is not in the language",
            code="E0134",
            caret="only `%pylab inline` is accepted, and does nothing",
            fixes=(Fix("delete the line", Edit(node.span, "")),),
            span=node.span,
        )
    return lambda frame: None


# -- control flow -----------------------------------------------------------------------------------


@compiles(tree.If, STATEMENTS)
def compile_if(c: Compiler, node: tree.If) -> Execute:
    branches = [(c.expression(test), test.span, c.body(body)) for test, body in node.branches]
    orelse = c.body(node.orelse) if node.orelse else do_nothing
    if len(branches) == 1:
        ((only_test, only_span, only_body),) = branches

        def run_one(frame: Frame) -> int | None:
            value = only_test(frame)
            if value is not True and value is not False:
                mode.site = only_span
                value = is_true(value)
            return only_body(frame) if value else orelse(frame)

        return run_one

    def run(frame: Frame) -> int | None:
        for test, span, body in branches:
            value = test(frame)
            if value is False:
                continue
            mode.site = span
            if value is True or is_true(value):
                return body(frame)
        return orelse(frame)

    return run


def do_nothing(frame: Frame) -> None:
    pass


@compiles(tree.While, STATEMENTS)
def compile_while(c: Compiler, node: tree.While) -> Execute:
    test, span, body = c.expression(node.test), node.test.span, c.loop_body(node.body)
    orelse = c.body(node.orelse) if node.orelse else None

    def run(frame: Frame) -> int | None:
        while True:
            value = test(frame)
            mode.site = span
            if not is_true(value):
                break
            runtime.steps -= 1
            if runtime.steps < 0:
                runtime.look()
            signal = body(frame)
            if len(mode.tape) >= NEARLY_FULL:
                mode.close_tape()
            if signal is not None:
                if signal == BREAK:
                    return None
                if signal == RETURN:
                    return signal
        return orelse(frame) if orelse is not None else None

    return run


#: The statements that a LoopProgram may contain.
PROGRAM_STATEMENTS = frozenset([tree.Assign, tree.AugmentedAssign, tree.If])


@compiles(tree.For, STATEMENTS)
def compile_for(c: Compiler, node: tree.For) -> Execute:
    iterable, span = c.expression(node.iterable), node.iterable.span
    c.is_loop_target = True
    store = compile_target(c, node.target)
    c.is_loop_target = False
    body = c.loop_body(node.body)
    orelse = c.body(node.orelse) if node.orelse else None
    # The body has to be compiled before, because that gives the values of assignments their NamedSpans.
    if is_fast and all(statement.__class__ in PROGRAM_STATEMENTS for statement in node.body):
        program = fast_loop_compiler.compile_loop(c, node)
        if program is not None:
            made: Execute = fast_loops.compile_program_loop(c, node, program, iterable, store, body, orelse)
            return made
    # Loop variables that are integers are put directly into their slot.
    slot = c.scope.slots[node.target.id] if isinstance(node.target, tree.Name) else None

    def run(frame: Frame) -> int | None:
        rows = iterable(frame)
        mode.site = span
        left = iter(iterate(rows))
        value = None
        try:
            for value in left:
                runtime.steps -= 1
                if runtime.steps < 0:
                    mode.site = span
                    runtime.look()
                if slot is not None and value.__class__ is int:
                    frame[slot] = value
                else:
                    store(frame, value)
                signal = body(frame)
                if len(mode.tape) >= NEARLY_FULL:
                    mode.close_tape()
                if signal is not None:
                    if signal == BREAK:
                        return None
                    if signal == RETURN:
                        return signal
        except Exception:
            from autodiff.grammar.interpret.failed_iterations import record_iteration

            record_iteration(node, rows, left, value)
            raise
        return orelse(frame) if orelse is not None else None

    return run


@compiles(tree.Break, STATEMENTS)
def compile_break(c: Compiler, node: tree.Break) -> Execute:
    if not c.loops:
        raise outside_loop("'break' outside loop", node)
    return lambda frame: BREAK


@compiles(tree.Continue, STATEMENTS)
def compile_continue(c: Compiler, node: tree.Continue) -> Execute:
    if not c.loops:
        raise outside_loop("'continue' not properly in loop", node)
    return lambda frame: CONTINUE


def outside_loop(message: str, node: tree.Statement) -> CompileError:
    return CompileError(
        message,
        code="E0102",
        caret="there is no loop around this",
        fixes=(Fix("leave it out", Edit(node.span, "pass")),),
        span=node.span,
    )


def remove_return_fix(node: tree.Return) -> Fix:
    """Return the fix that leaves out the ``return``: the last expression of a script needs none."""
    if node.value is None:
        return Fix("leave it out", Edit(node.span, "pass"))
    return Fix("leave the `return` out", Edit(Span(node.span.start, node.value.span.start), ""))


@compiles(tree.Return, STATEMENTS)
def compile_return(c: Compiler, node: tree.Return) -> Execute:
    if c.scope.kind != "function":
        raise CompileError(
            "'return' outside function",
            code="E0102",
            caret="there is no function here to return from",
            fixes=(remove_return_fix(node),),
            span=node.span,
        )
    if node.value is None:

        def run_bare(frame: Frame) -> int:
            frame[1] = None
            return RETURN

        return run_bare
    value = c.expression(node.value)

    def run(frame: Frame) -> int:
        frame[1] = value(frame)
        return RETURN

    return run


@compiles(tree.Assert, STATEMENTS)
def compile_assert(c: Compiler, node: tree.Assert) -> Execute:
    test, span = c.expression(node.test), node.test.span
    message = None if node.message is None else c.expression(node.message)
    compared = compared_values.compile_sides(c, node.test)

    def run(frame: Frame) -> None:
        value = test(frame)
        mode.site = span
        if not is_true(value):
            text = "" if message is None else text_format.as_str(message(frame))
            raise ScriptError(
                text or "assertion failed",
                code="E0210",
                caret="this does not hold",
                span=span,
                repair_context=compared(frame),
            )

    return run


#: What `with` takes beside grad modes, without effect: `with tqdm(...) as bar:`.
SIDE_CONTEXTS = frozenset([Drawing, ProgressBar])


@compiles(tree.With, STATEMENTS)
def compile_with(c: Compiler, node: tree.With) -> Execute:
    items = [
        (c.expression(context), context.span, None if target is None else compile_target(c, target))
        for context, target in node.items
    ]
    body = c.body(node.body)

    def run(frame: Frame) -> int | None:
        before, anomaly = mode.enabled, pass_watch.anomaly
        try:
            for context, span, store in items:
                switch = context(frame)
                mode.site = span
                if switch.__class__ in SIDE_CONTEXTS:
                    if store is not None:
                        store(frame, switch)
                    continue
                if switch.__class__ is not GradMode:
                    raise ScriptError(
                        f"'{type_name(switch)}' object does not support the context manager protocol",
                        code="E0203",
                        caret="`with` takes only `no_grad()`, `enable_grad()` and `set_grad_enabled(...)`",
                    )
                mode.record(switch.switch)
                if store is not None:
                    store(frame, None)
            return body(frame)
        finally:
            mode.record(before)
            pass_watch.anomaly = anomaly

    return run

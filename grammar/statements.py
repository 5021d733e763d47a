"""What each statement becomes: assignment, branches, loops, functions, classes, ``with``, imports.

A tensor assigned to a name gives its node that name, so graphs and derivations speak the script's words.
"""

from __future__ import annotations

from autodiff.core.errors import CompileError, ScriptError
from autodiff.core.mode import mode
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.arithmetic import BINARY
from autodiff.grammar.attributes import get_attribute, set_attribute
from autodiff.grammar.calls import decorate, making
from autodiff.grammar.imports import imported
from autodiff.grammar.indexing import delete_item, get_item, set_item
from autodiff.grammar.interpreter import (
    BREAK,
    CONTINUE,
    RETURN,
    STATEMENTS,
    Compiler,
    compiles,
    new_frame,
)
from autodiff.grammar.runtime import runtime
from autodiff.grammar.scope import is_static
from autodiff.grammar.text import in_words
from autodiff.grammar.values import (
    NUMBERS,
    UNBOUND,
    Builtin,
    FunctionBase,
    FunctionClass,
    GradMode,
    collect,
    is_true,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpreter import Evaluate, Execute, Frame, Store


@compiles(syntax.ExpressionStatement, STATEMENTS)
def expression_statement(c: Compiler, node: syntax.ExpressionStatement) -> Execute:
    value = c.expression(node.value)

    def run(frame: Frame) -> None:
        value(frame)

    return run


@compiles(syntax.Pass, STATEMENTS)
@compiles(syntax.Magic, STATEMENTS)
def nothing(c: Compiler, node: syntax.Statement) -> Execute:
    if isinstance(node, syntax.Magic) and node.text.split()[:1] not in (["pylab"], ["matplotlib"]):
        raise CompileError(
            "this notebook command is not in the language",
            code="E0110",
            caret="only `%pylab inline` is accepted, and does nothing",
            help=("delete the line",),
            span=node.span,
        )
    return lambda frame: None


# -- assignment -------------------------------------------------------------------------------------


@compiles(syntax.Assign, STATEMENTS)
def assign(c: Compiler, node: syntax.Assign) -> Execute:
    value = c.expression(node.value)
    if len(node.targets) == 1:
        (target,) = node.targets
        if isinstance(target, syntax.Name):
            return assign_name(c, target, value)
        store = store_into(c, target)

        def run(frame: Frame) -> None:
            store(frame, value(frame))

        return run
    stores = [store_into(c, target) for target in node.targets]

    def run_all(frame: Frame) -> None:
        made = value(frame)
        for store in stores:
            store(frame, made)

    return run_all


def assign_name(c: Compiler, target: syntax.Name, value: Evaluate) -> Execute:
    """``name = value``, the statement scripts consist of."""
    name, slot = target.id, c.scope.slots[target.id]
    convert = c.conversions.get(target)
    at_top, last = c.scope is c.names.module, c.last
    floats_count = at_top and c.plain
    span = target.span

    def run(frame: Frame) -> None:
        made = value(frame)
        if convert is not None:
            if made.__class__ is not Tensor:
                mode.site = span  # a number that becomes a leaf is made here
            made = convert(made)
        frame[slot] = made
        if floats_count and made.__class__ is float:
            last[0] = name
        if made.__class__ is Tensor:
            node = made.node
            if node is None:
                node = made.source()
            if node.name is None:
                node.name = name
            if at_top:
                last[0] = name

    return run


def store_into(c: Compiler, target: syntax.Expression) -> Store:
    """The closure that assigns a value to a target."""
    return STORES.get(target.__class__, no_target)(c, target)  # type: ignore[no-any-return]


def no_target(c: Compiler, target: syntax.Expression) -> Store:
    raise CompileError(
        "cannot assign to this",
        code="E0102",
        caret="only a name, an attribute, a subscript or a tuple of them can be assigned",
        span=target.span,
    )


def store_name(c: Compiler, target: syntax.Name) -> Store:
    name, slot = target.id, c.scope.slots[target.id]
    convert = c.conversions.get(target)
    at_top, last = c.scope is c.names.module, c.last

    def store(frame: Frame, value: Any) -> None:
        if convert is not None:
            if value.__class__ is not Tensor:
                mode.site = target.span
            value = convert(value)
        frame[slot] = value
        if value.__class__ is Tensor:
            node = value.source()
            if node.name is None:
                node.name = name
            if at_top:
                last[0] = name

    return store


def store_attribute(c: Compiler, target: syntax.Attribute) -> Store:
    owner, name, span, name_span = c.expression(target.object), target.name, target.span, target.name_span

    def store(frame: Frame, value: Any) -> None:
        of = owner(frame)
        mode.site = span
        set_attribute(of, name, value, name_span)

    return store


def store_subscript(c: Compiler, target: syntax.Subscript) -> Store:
    owner, index, span = c.expression(target.object), c.expression(target.index), target.span

    def store(frame: Frame, value: Any) -> None:
        of = owner(frame)
        at = index(frame)
        mode.site = span
        set_item(of, at, value)

    return store


def store_sequence(c: Compiler, target: syntax.TupleDisplay | syntax.ListDisplay) -> Store:
    span = target.span
    stars = [at for at, part in enumerate(target.elements) if isinstance(part, syntax.Starred)]
    if len(stars) > 1:
        raise CompileError(
            "multiple starred expressions in assignment",
            code="E0102",
            caret="one star at most",
            span=target.elements[stars[1]].span,
        )
    stores = [
        store_into(c, part.value if isinstance(part, syntax.Starred) else part) for part in target.elements
    ]
    star = stars[0] if stars else None

    def store(frame: Frame, value: Any) -> None:
        mode.site = span
        values = unpack(value, len(stores), star)
        for put, part in zip(stores, values, strict=True):
            put(frame, part)

    return store


def unpack(value: Any, wanted: int, star: int | None) -> list[Any]:
    """As many values as there are targets; the starred one takes what the others leave."""
    try:
        rows = iterate(value)
    except ScriptError as error:
        if error.code == "E0205" and value.__class__ is not Tensor:
            error = ScriptError(
                f"cannot unpack non-iterable {type_name(value)} object", code="E0205", caret=error.caret
            )
        raise error from None
    values: list[Any] = []
    if star is not None:
        values = collect(rows)
    else:
        for part in rows:
            values.append(part)
            if len(values) > wanted:
                break
        if len(values) > wanted:
            raise ScriptError(
                f"too many values to unpack (expected {wanted})",
                code="E0206",
                caret=f"there are {wanted} names here and more values",
            )
        if len(values) < wanted:
            raise ScriptError(
                f"not enough values to unpack (expected {wanted}, got {len(values)})",
                code="E0206",
                caret=f"there are {wanted} names here for {len(values)} values",
            )
        return values
    after = wanted - star - 1
    if len(values) < wanted - 1:
        raise ScriptError(
            f"not enough values to unpack (expected at least {wanted - 1}, got {len(values)})", code="E0206"
        )
    end = len(values) - after
    return [*values[:star], values[star:end], *values[end:]]


STORES: dict[type, Callable[[Compiler, Any], Any]] = {
    syntax.Name: store_name,
    syntax.Attribute: store_attribute,
    syntax.Subscript: store_subscript,
    syntax.TupleDisplay: store_sequence,
    syntax.ListDisplay: store_sequence,
}


@compiles(syntax.AugmentedAssign, STATEMENTS)
def augmented_assign(c: Compiler, node: syntax.AugmentedAssign) -> Execute:
    value, span = c.expression(node.value), node.span
    change = changing(BINARY[node.op], node.op)
    target = node.target
    if isinstance(target, syntax.Name):
        read, store = c.expression(target), store_name(c, target)

        def run_name(frame: Frame) -> None:
            old = read(frame)
            other = value(frame)
            mode.site = span
            new = change(old, other)
            if new is not old:
                store(frame, new)

        return run_name
    if isinstance(target, syntax.Attribute):
        owner, name, name_span = c.expression(target.object), target.name, target.name_span

        def run_attribute(frame: Frame) -> None:
            of = owner(frame)
            old = get_attribute(of, name, name_span)
            other = value(frame)
            mode.site = span
            new = change(old, other)
            if new is not old:
                set_attribute(of, name, new, name_span)

        return run_attribute
    if isinstance(target, syntax.Subscript):
        owner, index = c.expression(target.object), c.expression(target.index)
        operate = BINARY[node.op]

        def run_subscript(frame: Frame) -> None:
            of = owner(frame)
            at = index(frame)
            mode.site = target.span
            old = get_item(of, at)
            other = value(frame)
            mode.site = span
            # An entry of a tensor is changed by assigning it, an entry of a list may change itself.
            set_item(of, at, operate(old, other) if of.__class__ is Tensor else change(old, other))

        return run_subscript
    raise CompileError("this cannot be the target of an augmented assignment", code="E0102", span=target.span)


def changing(operate: Callable[[Any, Any], Any], op: str) -> Callable[[Any, Any], Any]:
    """What ``op=`` does: tensors and lists change in place, anything else is computed anew."""

    def change(old: Any, other: Any) -> Any:
        if old.__class__ is Tensor and (other.__class__ is Tensor or other.__class__ in NUMBERS):
            return old.assign_in_place(operate(old, other))
        if old.__class__ is list and op == "+":
            from autodiff.grammar.methods import extend

            extend(old, other)
            return old
        try:
            return operate(old, other)
        except ScriptError as error:
            error.message = error.message.replace(f"for {op}:", f"for {op}=:").replace(
                "for ** or pow():", "for **=:"
            )
            raise

    return change


@compiles(syntax.Delete, STATEMENTS)
def delete(c: Compiler, node: syntax.Delete) -> Execute:
    steps = [deletion(c, target) for target in node.targets]

    def run(frame: Frame) -> None:
        for step in steps:
            step(frame)

    return run


def deletion(c: Compiler, target: syntax.Expression) -> Evaluate:
    if isinstance(target, syntax.Name):
        slot, read = c.scope.slots[target.id], c.expression(target)
        empty = c.builtin(target.id) if c.scope is c.names.module else UNBOUND

        def delete_name(frame: Frame) -> None:
            read(frame)
            frame[slot] = empty

        return delete_name
    if isinstance(target, syntax.Subscript):
        owner, index, span = c.expression(target.object), c.expression(target.index), target.span

        def delete_entry(frame: Frame) -> None:
            of = owner(frame)
            at = index(frame)
            mode.site = span
            delete_item(of, at)

        return delete_entry
    raise CompileError(
        "cannot delete this", code="E0102", caret="only names and list entries can go", span=target.span
    )


# -- control flow -----------------------------------------------------------------------------------


@compiles(syntax.If, STATEMENTS)
def if_(c: Compiler, node: syntax.If) -> Execute:
    branches = [(c.expression(test), test.span, c.body(body)) for test, body in node.branches]
    orelse = c.body(node.orelse) if node.orelse else None

    def run(frame: Frame) -> int | None:
        for test, span, body in branches:
            value = test(frame)
            mode.site = span
            if is_true(value):
                return body(frame)
        return orelse(frame) if orelse is not None else None

    return run


@compiles(syntax.While, STATEMENTS)
def while_(c: Compiler, node: syntax.While) -> Execute:
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
                raise runtime.out_of_steps()
            signal = body(frame)
            if signal is not None:
                if signal == BREAK:
                    return None
                if signal == RETURN:
                    return signal
        return orelse(frame) if orelse is not None else None

    return run


@compiles(syntax.For, STATEMENTS)
def for_(c: Compiler, node: syntax.For) -> Execute:
    iterable, span = c.expression(node.iterable), node.iterable.span
    store, body = store_into(c, node.target), c.loop_body(node.body)
    orelse = c.body(node.orelse) if node.orelse else None
    # Loop variables that are numbers go straight to their slot.
    slot = c.scope.slots[node.target.id] if isinstance(node.target, syntax.Name) else None

    def run(frame: Frame) -> int | None:
        rows = iterable(frame)
        mode.site = span
        for value in iterate(rows):
            runtime.steps -= 1
            if runtime.steps < 0:
                mode.site = span
                raise runtime.out_of_steps()
            if slot is not None and value.__class__ is int:
                frame[slot] = value
            else:
                store(frame, value)
            signal = body(frame)
            if signal is not None:
                if signal == BREAK:
                    return None
                if signal == RETURN:
                    return signal
        return orelse(frame) if orelse is not None else None

    return run


@compiles(syntax.Break, STATEMENTS)
def break_(c: Compiler, node: syntax.Break) -> Execute:
    if not c.loops:
        raise outside_loop("'break' outside loop", node)
    return lambda frame: BREAK


@compiles(syntax.Continue, STATEMENTS)
def continue_(c: Compiler, node: syntax.Continue) -> Execute:
    if not c.loops:
        raise outside_loop("'continue' not properly in loop", node)
    return lambda frame: CONTINUE


def outside_loop(message: str, node: syntax.Statement) -> CompileError:
    return CompileError(message, code="E0103", caret="there is no loop around this", span=node.span)


@compiles(syntax.Return, STATEMENTS)
def return_(c: Compiler, node: syntax.Return) -> Execute:
    if c.scope.kind != "function":
        raise CompileError(
            "'return' outside function",
            code="E0103",
            caret="there is no function here to return from",
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


@compiles(syntax.Assert, STATEMENTS)
def assert_(c: Compiler, node: syntax.Assert) -> Execute:
    test, span = c.expression(node.test), node.test.span
    message = None if node.message is None else c.expression(node.message)

    def run(frame: Frame) -> None:
        value = test(frame)
        mode.site = span
        if not is_true(value):
            text = "" if message is None else in_words(message(frame))
            raise ScriptError(text or "assertion failed", code="E0210", caret="this does not hold", span=span)

    return run


@compiles(syntax.With, STATEMENTS)
def with_(c: Compiler, node: syntax.With) -> Execute:
    items = [
        (c.expression(context), context.span, None if target is None else store_into(c, target))
        for context, target in node.items
    ]
    body = c.body(node.body)

    def run(frame: Frame) -> int | None:
        before = mode.enabled
        try:
            for context, span, store in items:
                switch = context(frame)
                mode.site = span
                if switch.__class__ is not GradMode:
                    raise ScriptError(
                        f"'{type_name(switch)}' object does not support the context manager protocol",
                        code="E0203",
                        caret="only `no_grad()`, `enable_grad()` and `set_grad_enabled(...)` go with `with`",
                    )
                mode.enabled = switch.switch
                if store is not None:
                    store(frame, None)
            return body(frame)
        finally:
            mode.enabled = before

    return run


# -- definitions ------------------------------------------------------------------------------------


@compiles(syntax.FunctionDef, STATEMENTS)
def function_def(c: Compiler, node: syntax.FunctionDef) -> Execute:
    make = making(c, node, node.name, lambda: c.body(node.body), False)
    slot = c.scope.slots[node.name]
    decorators = []
    for decorator in reversed(node.decorators):
        if is_static(decorator):
            if c.scope.kind != "class":
                raise CompileError("@staticmethod belongs inside a class", code="E0110", span=decorator.span)
            continue
        decorators.append((c.expression(decorator), decorator.span))

    def run(frame: Frame) -> None:
        made = make(frame)
        for decorator, span in decorators:
            switch = decorator(frame)
            mode.site = span
            if switch.__class__ is not GradMode:
                switch = grad_mode_of(switch)
            made = decorate(switch, made)
        frame[slot] = made

    return run


def grad_mode_of(value: Any) -> GradMode:
    """``@no_grad`` without parentheses, which torch accepts too."""
    if value.__class__ is Builtin and value.name in ("no_grad", "enable_grad"):
        made = value()
        assert isinstance(made, GradMode)
        return made
    raise ScriptError(
        "this decorator is not in the language",
        code="E0110",
        caret="only `@torch.no_grad()`, `@torch.enable_grad()` and `@staticmethod` are",
        help=("call the function on the result instead: `f = g(f)`",),
    )


@compiles(syntax.ClassDef, STATEMENTS)
def class_def(c: Compiler, node: syntax.ClassDef) -> Execute:
    base = c.constant(node.bases[0]) if len(node.bases) == 1 else None
    read = c.expression(node.bases[0]) if base is UNBOUND else None
    if read is None and base.__class__ is not FunctionBase:
        raise other_class(node)
    scope = c.names.of[node]
    for part in node.body:
        is_docstring = isinstance(part, syntax.ExpressionStatement) and isinstance(part.value, syntax.String)
        if not (isinstance(part, (syntax.FunctionDef, syntax.Pass)) or is_docstring):
            raise CompileError(
                "only functions can stand in this class",
                code="E0110",
                caret="a Function has `forward` and `backward` and nothing else",
                help=("move the line above the class",),
                span=part.span,
            )
    body = c.inside(scope, lambda: c.body(node.body))
    template, slot, name = new_frame(scope), c.scope.slots[node.name], node.name

    def run(frame: Frame) -> None:
        if read is not None and read(frame).__class__ is not FunctionBase:
            raise other_class(node)
        inner = template[:]
        inner[0] = frame
        body(inner)
        frame[slot] = FunctionClass(name, {key: inner[at] for key, at in scope.slots.items()})

    return run


def other_class(node: syntax.ClassDef) -> CompileError:
    return CompileError(
        "this class is not in the language",
        code="E0110",
        caret="only `class Name(Function):` with static `forward` and `backward` is",
        help=(
            "write a model as functions of its weights: `def model(x, W, b): return relu(x @ W + b)`,"
            " with `W` and `b` made by `torch.randn(..., requires_grad=True)`",
        ),
        span=node.name_span,
    )


# -- imports ----------------------------------------------------------------------------------------


@compiles(syntax.Import, STATEMENTS)
def import_(c: Compiler, node: syntax.Import) -> Execute:
    bindings = [
        (
            c.scope.slots[alias or module.partition(".")[0]],
            imported(module if alias else module.partition(".")[0], None, node.span, module),
        )
        for module, alias in node.names
    ]
    return binding(bindings)


@compiles(syntax.ImportFrom, STATEMENTS)
def import_from(c: Compiler, node: syntax.ImportFrom) -> Execute:
    bindings = []
    for name, alias in node.names:
        value = imported(node.module, name, node.span, node.module)
        if name != "*" and node.module != "__future__":
            bindings.append((c.scope.slots[alias or name], value))
    return binding(bindings)


def binding(bindings: list[tuple[int, Any]]) -> Execute:
    def run(frame: Frame) -> None:
        for slot, value in bindings:
            frame[slot] = value

    return run

"""Compiles definitions: ``def``, ``class Name(Function)`` and imports."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, ScriptError
from autodiff.core.base.lazy_imports import services
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.calls import decorate
from autodiff.grammar.interpret.compiler import STATEMENTS, Compiler, compiles, new_frame
from autodiff.grammar.interpret.imports import (
    import_value,
    point_at_name,
    star_import_names,
    star_import_value,
)
from autodiff.grammar.interpret.scope import STAR_IMPORT_MODULES, is_static
from autodiff.grammar.interpret.script_functions import compile_function
from autodiff.grammar.objects.custom_functions import ONCE_DIFFERENTIABLE
from autodiff.grammar.objects.values import UNBOUND, Builtin, FunctionBase, FunctionClass, GradMode
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.grammar.interpret.compiler import Execute, Frame


@compiles(tree.FunctionDef, STATEMENTS)
def compile_function_def(c: Compiler, node: tree.FunctionDef) -> Execute:
    make = compile_function(c, node, node.name, lambda: c.body(node.body), False)
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
            if switch is ONCE_DIFFERENTIABLE or (switch.__class__ is Builtin and switch.name in TRANSFORMS):
                made = switch(made)
                continue
            if switch.__class__ is not GradMode:
                switch = grad_mode_of(switch)
            made = decorate(switch, made)
        frame[slot] = made

    return run


#: Functions of functions that decorate, those of autograd and JAX.
TRANSFORMS = frozenset(["elementwise_grad", "grad", "hessian", "jacobian", "jit", "value_and_grad", "vmap"])


def grad_mode_of(value: Any) -> GradMode:
    """Return the gradient mode of ``@no_grad`` without parentheses, which torch accepts too."""
    if value.__class__ is Builtin and value.name in ("no_grad", "enable_grad"):
        made = value()
        assert isinstance(made, GradMode)
        return made
    raise ScriptError(
        "this decorator is not in the language",
        code="E0127",
        caret="only grad modes such as `@torch.no_grad()`, `@staticmethod` and `@once_differentiable` are",
        help=("call the function on the result instead: `f = g(f)`",),
    )


@compiles(tree.ClassDef, STATEMENTS)
def compile_class_def(c: Compiler, node: tree.ClassDef) -> Execute:
    base = c.constant(node.bases[0]) if len(node.bases) == 1 else None
    read = c.expression(node.bases[0]) if base is UNBOUND else None
    first = node.bases[0] if node.bases else None
    is_model = isinstance(first, tree.Attribute) and first.name == "Module"
    if is_model or (read is None and base.__class__ is not FunctionBase):
        raise other_class(c, node)
    scope = c.names.scope_of[node]
    for part in node.body:
        is_docstring = isinstance(part, tree.ExpressionStatement) and isinstance(part.value, tree.String)
        if not (isinstance(part, (tree.FunctionDef, tree.Pass)) or is_docstring):
            raise CompileError(
                "only functions can stand in this class",
                code="E0110",
                caret="a Function has `forward` and `backward` and nothing else",
                help=("move the line above the class",),
                span=part.span,
            )
    body = c.compile_in_scope(scope, lambda: c.body(node.body))
    template, slot, name = new_frame(scope), c.scope.slots[node.name], node.name

    def run(frame: Frame) -> None:
        if read is not None and read(frame).__class__ is not FunctionBase:
            raise other_class(c, node)
        inner = template[:]
        inner[0] = frame
        body(inner)
        frame[slot] = FunctionClass(name, {key: inner[at] for key, at in scope.slots.items()})

    return run


def other_class(c: Compiler, node: tree.ClassDef) -> CompileError:
    bases = ", ".join([c.source.excerpt(base.span) for base in node.bases])
    error: CompileError = services["foreign syntax"].foreign_class_error(node.name, bases, node.name_span)
    return error


# -- imports ----------------------------------------------------------------------------------------


@compiles(tree.Import, STATEMENTS)
def compile_import(c: Compiler, node: tree.Import) -> Execute:
    bindings = [
        (
            c.scope.slots[alias or module.partition(".")[0]],
            resolve_import(c, module if alias else module.partition(".")[0], None, node.span, module),
        )
        for module, alias in node.names
    ]
    return binding_closure(bindings)


@compiles(tree.ImportFrom, STATEMENTS)
def compile_import_from(c: Compiler, node: tree.ImportFrom) -> Execute:
    bindings = []
    for name, alias in node.names:
        value = resolve_import(c, node.module, name, node.span, node.module)
        if name == "*":
            bindings += star_import_bindings(c, node.module, value)
        elif name != "*" and node.module != "__future__":
            bindings.append((c.scope.slots[alias or name], value))
    return binding_closure(bindings)


def resolve_import(c: Compiler, module: str, name: str | None, span: Span, written: str) -> Any:
    """Return the value that an import binds; an error points at the name in the statement."""
    try:
        return import_value(module, name, span, written, c.plain_functions)
    except CompileError as error:
        point_at_name(error, c.source)
        raise


def star_import_bindings(c: Compiler, module: str, members: Any) -> list[tuple[int, Any]]:
    """Return the slots and values that ``from module import *`` assigns.

    These are all members of math or numpy; of torch's modules, the builtins whose names the scope binds.
    """
    if module in STAR_IMPORT_MODULES:
        return [
            (c.scope.slots[name], star_import_value(module, name, c.plain_functions, c.find_builtin))
            for name in star_import_names(module)
        ]
    return [
        (slot, c.find_builtin(name))
        for name, slot in c.scope.slots.items()
        if c.find_builtin(name) is not UNBOUND and members.find(name) is not UNBOUND
    ]


def binding_closure(bindings: list[tuple[int, Any]]) -> Execute:
    def run(frame: Frame) -> None:
        for slot, value in bindings:
            frame[slot] = value

    return run

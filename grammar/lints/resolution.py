"""Finds what a script uses that does not exist: names, members, attributes, methods, arguments, classes.

Nothing runs. The script is compiled by a compiler that continues after a mistake. Where the meaning of an
expression is certain, the functions that would fail at run time are called, so errors and proposals are those
of a run. Branches that are never taken here (``if torch.cuda.is_available():``) are skipped.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, LimitError
from autodiff.core.base.source import Source
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.grammar.interpret.calls import not_callable
from autodiff.grammar.interpret.compiler import STATEMENTS, Compiler
from autodiff.grammar.interpret.definitions import grad_mode_of
from autodiff.grammar.interpret.imports import import_value
from autodiff.grammar.interpret.scope import Scope, ScriptScopes, is_static
from autodiff.grammar.interpret.script_functions import FunctionCode, invoke
from autodiff.grammar.interpret.script_kind import is_plain
from autodiff.grammar.lints.members import never_taken, unresolved_members, within
from autodiff.grammar.lints.signatures import check_arguments
from autodiff.grammar.objects.argument_check import takes_base
from autodiff.grammar.objects.attributes import (
    find_method,
    get_attribute,
)
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.custom_functions import ONCE_DIFFERENTIABLE
from autodiff.grammar.objects.values import (
    UNBOUND,
    BoundMethod,
    Builtin,
    FunctionBase,
    FunctionClass,
    GradMode,
    Namespace,
    ScriptFunction,
)
from autodiff.grammar.session.run import LANGUAGE_MODULES
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.interpret.compiler import Evaluate, Execute
    from autodiff.grammar.lints.flow import Flow

# Importing the interpreter fills the compiler's tables.
LANGUAGE = LANGUAGE_MODULES
#: Statements that determine the meaning of the names they bind.
DEFINITIONS = (tree.Import, tree.ImportFrom, tree.FunctionDef, tree.ClassDef)


class Resolver(Compiler):
    """Compiles a whole script and collects in ``errors`` the errors for what does not exist."""

    __slots__ = ("errors", "idle", "meanings", "never", "start")

    def __init__(self, names: ScriptScopes, source: Source, script: tree.Script) -> None:
        super().__init__(names, source, {}, is_plain(names))
        self.errors: list[AutodiffError] = []
        self.idle = 0  # number of enclosing branches that are never taken
        self.never = {id(node.branches[way][1]) for node, way in never_taken(script)}
        self.start: tuple[Scope, int] | None = None  # start of the current assignment, with its scope
        self.meanings: dict[tuple[int, str], Any] = {}
        self.enter_definitions(names.module, script.body)
        for node, scope in names.scope_of.items():
            if isinstance(node, (tree.FunctionDef, tree.ClassDef)):
                self.enter_definitions(scope, node.body)
        self.body(script.body)

    # -- what names mean ---------------------------------------------------------------------------

    def enter_definitions(self, scope: Scope, body: tree.Body) -> None:
        """Store the meanings of the names in a scope that only imports, one ``def`` or one class bind."""
        found: dict[str, list[Any]] = {}
        for node in statements_of(body):
            if isinstance(node, DEFINITIONS):
                for name, value in self.definitions(node):
                    found.setdefault(name, []).append(value)
        for name, (first, *others) in found.items():
            same = all(one is first or is_same_module(one, first) for one in others)
            if same and scope.binding_counts.get(name) == 1 + len(others):
                self.meanings[id(scope), name] = first

    def definitions(self, node: Any) -> list[tuple[str, Any]]:
        """The names that a definition binds, each with its meaning, or UNBOUND where that is not certain."""
        if isinstance(node, tree.FunctionDef):
            if any(not is_static(part) for part in node.decorators):
                return [(node.name, UNBOUND)]
            code = FunctionCode(node.name, node.parameters, self.names.scope_of[node])
            defaults = tuple([UNBOUND if one.default is None else None for one in node.parameters])
            return [(node.name, ScriptFunction(code, [], defaults, invoke))]
        if isinstance(node, tree.ClassDef):
            is_function = len(node.bases) == 1 and self.constant(node.bases[0]).__class__ is FunctionBase
            return [(node.name, FunctionClass(node.name, {}) if is_function else UNBOUND)]
        if isinstance(node, tree.Import):
            return [
                (
                    alias or name.partition(".")[0],
                    self.meaning(name if alias else name.partition(".")[0], None, node, name),
                )
                for name, alias in node.names
            ]
        return [
            (alias or name, self.meaning(node.module, name, node, node.module))
            for name, alias in node.names
            if name != "*" and node.module != "__future__"
        ]

    def meaning(self, module: str, name: str | None, node: Any, written: str) -> Any:
        """The value that an import binds; UNBOUND where it fails, which compiling it reports."""
        try:
            return import_value(module, name, node.span, written, self.plain_functions)
        except AutodiffError:
            return UNBOUND

    def known(self, node: Any) -> Any:
        """The certain meaning of an expression; UNBOUND where only a run could tell."""
        if isinstance(node, tree.Name):
            found = self.scope.find(node.id)
            return (
                self.find_builtin(node.id)
                if found is None
                else self.meanings.get((id(found[0]), node.id), UNBOUND)
            )
        if isinstance(node, tree.Attribute):
            owner = self.known(node.object)
            if owner.__class__ is Namespace:
                try:
                    return get_attribute(owner, node.name, node.name_span)
                except AutodiffError:
                    return UNBOUND
            if owner.__class__ is FunctionClass:
                method = find_method(owner, node.name)
                return UNBOUND if method is None else BoundMethod(owner, node.name, method)
        return UNBOUND

    # -- compiling, and going on after a mistake ---------------------------------------------------

    def body(self, statements: tree.Body) -> Execute:
        idle = id(statements) in self.never
        self.idle += idle
        for statement in statements:
            before = self.scope, self.loops, self.depth
            # An assignment binds its names after its value is evaluated; otherwise the order of the text
            # counts.
            assigns = isinstance(statement, (tree.Assign, tree.AugmentedAssign))
            self.start = (self.scope, statement.span.start) if assigns else None
            try:
                if isinstance(statement, tree.FunctionDef):
                    self.check_decorators(statement)
                elif isinstance(statement, tree.AugmentedAssign) and isinstance(statement.target, tree.Name):
                    self.check_order(statement.target)
                STATEMENTS[statement.__class__](self, statement)
            except LimitError:
                raise
            except AutodiffError as error:
                self.scope, self.loops, self.depth = before
                if isinstance(statement, tree.ClassDef):  # an error about the base class is the same mistake
                    self.errors = [one for one in self.errors if not in_header(one, statement)]
                self.add(error.at(statement.span))
        self.idle -= idle
        return nothing

    def expression(self, node: tree.Expression) -> Evaluate:
        if isinstance(node, tree.Call):
            self.attempt(self.check_call, node)
            if isinstance(node.function, tree.Attribute):
                self.attempt(self.check_attribute, node.function)
        elif isinstance(node, tree.Attribute):
            self.attempt(self.check_attribute, node)
        elif isinstance(node, tree.Name):
            self.attempt(self.check_order, node)
        return super().expression(node)

    def attempt(self, check: Callable[[Any], None], node: tree.Expression) -> None:
        """Run a check and record its error."""
        try:
            check(node)
        except AutodiffError as error:
            self.add(error.at(node.span))

    def add(self, error: AutodiffError) -> None:
        if not self.idle and not any(one.span == error.span for one in self.errors):
            self.errors.append(error)

    def check_attribute(self, node: tree.Attribute) -> None:
        """Raise an error if a module, class or function has no such member."""
        owner = self.known(node.object)
        if owner.__class__ in (Namespace, FunctionClass, ScriptFunction, PublicFunction, Builtin):
            get_attribute(owner, node.name, node.name_span)

    def check_order(self, node: tree.Name) -> None:
        """Raise an error if a name is read where no run can have bound it yet."""
        found = self.scope.find(node.id)
        scope = self.scope
        if found is None or found[0] is not scope or builtin_value(node.id) is not UNBOUND:
            return
        first = scope.first_binding[node.id]
        if self.loops and (first != node.span or scope.binding_counts[node.id] > 1):
            return  # a binding further down may have run in an earlier iteration
        start = node.span.start + 1
        if self.start is not None and self.start[0] is scope:
            start = self.start[1]
        if scope.kind != "comprehension" and first.start >= start:
            raise self.unbound(node)

    def check_call(self, node: tree.Call) -> None:
        """Raise an error if the callee is not callable or does not take these arguments."""
        callee = self.known(node.function)
        if callee.__class__ in (Namespace, FunctionClass):
            raise not_callable(callee)
        if self.plain_functions and takes_base(callee, len(node.arguments)):
            return
        if callee.__class__ in (PublicFunction, Builtin, ScriptFunction):
            check_arguments(callee, node)

    def check_decorators(self, node: tree.FunctionDef) -> None:
        for decorator in node.decorators:
            value = self.known(decorator)
            if value is UNBOUND or value is ONCE_DIFFERENTIABLE or is_static(decorator):
                continue
            if value.__class__ is not GradMode:
                try:
                    grad_mode_of(value)
                except AutodiffError as error:
                    self.add(error.at(decorator.span))


def in_header(error: AutodiffError, node: tree.ClassDef) -> bool:
    """Whether an error is located in the base classes of a class."""
    return error.span is not None and any(within(error.span, base.span) for base in node.bases)


def nothing(frame: Any) -> None:
    """The code that ``body`` returns: it does nothing, because the resolver never runs what it compiles."""


def is_same_module(one: Any, other: Any) -> bool:
    return one.__class__ is other.__class__ is Namespace and one.name == other.name


def statements_of(body: tree.Body) -> list[Any]:
    """The statements of a body, including those of its nested blocks, which bind names in the same scope."""
    found: list[Any] = []
    waiting: list[Any] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, tree.If):
            waiting += [part for _, inner in node.branches for part in inner] + list(node.orelse)
        elif isinstance(node, (tree.For, tree.While)):
            waiting += [*node.body, *node.orelse]
        elif isinstance(node, tree.With):
            waiting += node.body
    return found


def unresolved(
    script: tree.Script, names: ScriptScopes, source: Source, flow: Flow, lost: frozenset[str] = frozenset()
) -> list[AutodiffError]:
    """The errors for everything a script uses that does not exist; the ``lost`` names are not checked."""
    found = Resolver(names, source, script).errors
    places = {one.span for one in found}
    lost |= {
        node.name for node in names.scope_of if isinstance(node, tree.ClassDef) and node.name_span in places
    }
    return found + [
        one for one in unresolved_members(script, names, flow, found, lost) if one.span not in places
    ]


__all__ = ["unresolved"]

"""Resolves the names of a script: each gets a scope and a slot before anything runs, by Python's rules.

A name that a function assigns is local to it. Comprehensions have a scope; loops and ``if`` have none.
Functions do not see the names of a class body around them. A name that nothing binds is an error here.
The walk is not recursive.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import services
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import CHILDREN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    PendingVisits = list[tuple[Any, "Scope", bool]]

FIRST_SLOT = 2  # slot 0 of a frame holds the enclosing frame, slot 1 the value that a function returns


class Scope:
    """The names bound in a module, function, comprehension or class body, each with its slot.

    ``binding_counts`` counts how often a name is bound; ``imports`` lists the modules that imports bind it
    to, ``members`` the members of modules (``math.pi``) that ``from`` imports do.
    """

    __slots__ = ("binding_counts", "first_binding", "imports", "kind", "members", "outer", "slots")

    def __init__(self, kind: str, outer: Scope | None) -> None:
        self.kind = kind
        # Functions do not see the names of a class body around them.
        while outer is not None and outer.kind == "class":
            outer = outer.outer
        self.outer: Scope | None = outer
        self.slots: dict[str, int] = {}
        self.first_binding: dict[str, Span] = {}
        self.binding_counts: dict[str, int] = {}
        self.imports: dict[str, list[str]] = {}
        self.members: dict[str, list[str]] = {}

    def bind(self, name: str, span: Span) -> int:
        """Record one more binding of a name in this scope, and return its slot."""
        slot = self.slots.get(name)
        if slot is None:
            slot = self.slots[name] = FIRST_SLOT + len(self.slots)
            self.first_binding[name] = span
        self.binding_counts[name] = self.binding_counts.get(name, 0) + 1
        return slot

    def assignment_count(self, name: str) -> int:
        """Return how often a name is bound by other statements than imports."""
        imported = len(self.imports.get(name, ())) + len(self.members.get(name, ()))
        return self.binding_counts.get(name, 0) - imported

    def find(self, name: str) -> tuple[Scope, int] | None:
        """Return the scope that binds a name, and how many frames outwards; None if nothing binds it."""
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            if name in scope.slots:
                return scope, depth
            scope = scope.outer
            depth += 1
        return None


class ScriptScopes:
    """The scopes of one script: ``module``, and in ``scope_of`` the scope of each syntax node that opens one.

    ``reads`` has the names that are read, each with its scope and, until ``check_names`` has seen them, all
    places. Also here are the ``attributes``, the names whose list is ``changed``, those that are changed as
    ``lists``, by methods such as ``append``, the names that a loop at top level assigns (``loop_targets``),
    the full names of the imported ``modules``, and whether anything ``marks`` a tensor as tracked.
    """

    __slots__ = (
        "attributes",
        "changed",
        "lists",
        "loop_targets",
        "marks",
        "module",
        "modules",
        "reads",
        "scope_of",
    )

    def __init__(self) -> None:
        self.module = Scope("module", None)
        self.scope_of: dict[tree.SyntaxNode, Scope] = {}
        self.reads: dict[tuple[str, Scope], list[tree.Name]] = {}
        self.attributes: list[tree.Attribute] = []
        self.changed: set[str] = set()
        self.lists: set[str] = set()
        self.loop_targets: set[str] = set()
        self.modules: set[str] = set()
        self.marks = False


def resolve(script: tree.Script, predefined: Iterable[str] = ()) -> ScriptScopes:
    """Return the scopes of a script; ``predefined`` are names that the caller defines.

    It may read names that nothing binds: ``check_names`` finds them.
    """
    names = ScriptScopes()
    for name in predefined:
        names.module.bind(name, Span(0, 0))
        names.module.binding_counts[name] = 0
    visit_all(script.body, names.module, names)
    return names


def check_names(
    names: ScriptScopes, script: tree.Script, source: Source, is_builtin: Callable[[str], bool]
) -> None:
    """Raise a CompileError for names that the script reads, and that neither it nor the language binds."""
    unknown = [
        (place, scope)
        for (name, scope), places in names.reads.items()
        if scope.find(name) is None and not is_builtin(name)
        for place in places
    ]
    if unknown:
        raise services["unknown names"].unknown_name_error(unknown, names, script, source)
    for places in names.reads.values():
        places.clear()  # a million places would keep the syntax tree in memory


def visit_all(body: Iterable[tree.SyntaxNode], scope: Scope, names: ScriptScopes) -> None:
    """Record all bindings and reads of names in ``body``, in source order within each scope."""
    stack: PendingVisits = [(node, scope, False) for node in reversed(tuple(body))]
    while stack:
        node, scope, binding = stack.pop()
        if node is None:
            continue
        while node.__class__ is tree.Binary:  # a long sum is a deep tree to the left
            if node.right.__class__ is not tree.Number:
                stack.append((node.right, scope, False))
            node = node.left
        below = VISITORS[node.__class__](node, scope, names, binding)
        if below:
            stack.extend(reversed(below))


def visit_name(node: tree.Name, scope: Scope, names: ScriptScopes, is_target: bool) -> PendingVisits:
    if is_target:
        scope.bind(node.id, node.span)
    else:
        names.reads.setdefault((node.id, scope), []).append(node)
    return []


def visit_function(node: tree.FunctionDef, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    scope.bind(node.name, node.name_span)
    inner = names.scope_of[node] = Scope("function", scope)
    below = [(part, scope, False) for part in node.decorators if not is_static(part)]
    return (
        below + bind_parameters(node.parameters, scope, inner) + [(part, inner, False) for part in node.body]
    )


def is_static(decorator: tree.Expression) -> bool:
    """Whether the decorator is ``@staticmethod``, which is not looked up as a name."""
    return isinstance(decorator, tree.Name) and decorator.id == "staticmethod"


def visit_lambda(node: tree.Lambda, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    inner = names.scope_of[node] = Scope("function", scope)
    return [*bind_parameters(node.parameters, scope, inner), (node.body, inner, False)]


def bind_parameters(declared: tuple[tree.Parameter, ...], scope: Scope, inner: Scope) -> PendingVisits:
    for parameter in declared:
        inner.bind(parameter.name, parameter.span)
    return [(parameter.default, scope, False) for parameter in declared]


def visit_comprehension(
    node: tree.Comprehension, scope: Scope, names: ScriptScopes, binding: bool
) -> PendingVisits:
    inner = names.scope_of[node] = Scope("comprehension", scope)
    below: PendingVisits = []
    around = scope  # as in Python, the first iterable is evaluated in the enclosing scope
    for clause in node.clauses:
        below += [(clause.iterable, around, False), (clause.target, inner, True)]
        below += [(condition, inner, False) for condition in clause.conditions]
        around = inner
    return [*below, (node.element, inner, False)]


def visit_class(node: tree.ClassDef, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    scope.bind(node.name, node.name_span)
    inner = names.scope_of[node] = Scope("class", scope)
    below = [(part, scope, False) for part in (*node.decorators, *node.bases)]
    return below + [(part, inner, False) for part in node.body]


def visit_import(node: tree.Import, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    for module, alias in node.names:
        names.modules.add(module)
        top = module.partition(".")[0]
        name, bound = (alias, module) if alias else (top, top)
        scope.bind(name, node.span)
        scope.imports.setdefault(name, []).append(bound)
    return []


#: Modules whose members differ from the builtins of the same names, so that ``import *`` binds all of them.
STAR_IMPORT_MODULES = ("math", "numpy")


def visit_import_from(
    node: tree.ImportFrom, scope: Scope, names: ScriptScopes, binding: bool
) -> PendingVisits:
    names.modules.add(node.module)
    for name, alias in node.names:
        if name == "*" and node.module in STAR_IMPORT_MODULES:
            from autodiff.grammar.interpret.imports import star_import_names

            for member in star_import_names(node.module):
                bind_member(scope, member, node, member)
        elif name != "*" and node.module != "__future__":
            bind_member(scope, alias or name, node, name)
    return []


def bind_member(scope: Scope, name: str, node: tree.ImportFrom, member: str) -> None:
    scope.bind(name, node.span)
    scope.members.setdefault(name, []).append(f"{node.module}.{member}")


def visit_augmented(
    node: tree.AugmentedAssign, scope: Scope, names: ScriptScopes, binding: bool
) -> PendingVisits:
    reads: PendingVisits = [(node.target, scope, False)] if isinstance(node.target, tree.Name) else []
    return [(node.value, scope, False), *reads, (node.target, scope, True)]


def visit_for(node: tree.For, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    body = [(part, scope, False) for part in (*node.body, *node.orelse)]
    below = [(node.iterable, scope, False), (node.target, scope, True), *body]
    if isinstance(node.target, tree.Name):
        scope.bind(node.target.id, node.target.span)  # a second time, because every turn binds it
    if scope is names.module:
        targets: list[Any] = [node.target]
        for target in targets:  # the list grows in the loop
            if isinstance(target, tree.Name):
                names.loop_targets.add(target.id)
            elif isinstance(target, (tree.TupleDisplay, tree.ListDisplay, tree.Starred)):
                targets += CHILDREN[target.__class__](target)
    return below


LIST_MUTATORS = frozenset(["append", "extend", "insert", "pop", "remove", "reverse", "clear", "sort"])


def visit_attribute(
    node: tree.Attribute, scope: Scope, names: ScriptScopes, is_target: bool
) -> PendingVisits:
    names.attributes.append(node)
    if node.name in LIST_MUTATORS and isinstance(node.object, tree.Name):
        names.changed.add(node.object.id)
        names.lists.add(node.object.id)
    if node.name == "requires_grad_" or (is_target and node.name == "requires_grad"):
        names.marks = True
    return [(node.object, scope, False)]


def visit_argument(node: tree.Argument, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    is_false = isinstance(node.value, tree.Constant) and node.value.value is False
    if node.keyword == "requires_grad" and not is_false:
        names.marks = True
    return [(node.value, scope, False)]


def visit_call(node: tree.Call, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    if isinstance(node.function, tree.Attribute) and node.function.name == "shuffle":  # of np.random
        names.changed.update(one.value.id for one in node.arguments if isinstance(one.value, tree.Name))
    return visit_reading(node, scope, names, binding)


def visit_subscript(
    node: tree.Subscript, scope: Scope, names: ScriptScopes, is_target: bool
) -> PendingVisits:
    if is_target and isinstance(node.object, tree.Name):
        names.changed.add(node.object.id)
    return [(node.object, scope, False), (node.index, scope, False)]


def visit_reading(node: Any, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    """Visit a construct whose parts are all read, in the construct's own scope."""
    return [(part, scope, False) for part in CHILDREN[node.__class__](node)]


def visit_binding(node: Any, scope: Scope, names: ScriptScopes, binding: bool) -> PendingVisits:
    """Visit a display or starred element; as a target it binds its elements."""
    return [(part, scope, binding) for part in CHILDREN[node.__class__](node)]


VISITORS: dict[type, Callable[..., PendingVisits]] = {
    **dict.fromkeys(CHILDREN, visit_reading),
    tree.Name: visit_name,
    tree.FunctionDef: visit_function,
    tree.Lambda: visit_lambda,
    tree.Comprehension: visit_comprehension,
    tree.ClassDef: visit_class,
    tree.Import: visit_import,
    tree.ImportFrom: visit_import_from,
    tree.AugmentedAssign: visit_augmented,
    tree.For: visit_for,
    tree.ListDisplay: visit_binding,
    tree.TupleDisplay: visit_binding,
    tree.Starred: visit_binding,
    tree.Argument: visit_argument,
    tree.Call: visit_call,
    tree.Attribute: visit_attribute,
    tree.Subscript: visit_subscript,
    tree.Assign: lambda n, scope, names, binding: [
        (n.value, scope, False),
        *((target, scope, True) for target in n.targets),
    ],
    tree.With: lambda n, scope, names, binding: [
        *(part for c, target in n.items for part in ((c, scope, False), (target, scope, True))),
        *((part, scope, False) for part in n.body),
    ],
    tree.Delete: lambda n, scope, names, binding: [(target, scope, True) for target in n.targets],
}

"""Iterates over the nodes below a syntax node, in source order and without recursion.

``CHILDREN`` gives the parts of each construct. Everything that walks syntax trees (scopes, lints, repairs)
uses it.
"""

from __future__ import annotations

from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Parts = Iterable[Any]

CHILDREN: dict[type, Callable[[Any], Parts]] = {
    tree.Script: lambda n: n.body,
    # expressions
    tree.FString: lambda n: [part for part in n.parts if not isinstance(part, str)],
    tree.Replacement: lambda n: (n.expression, n.format_spec),
    tree.ListDisplay: lambda n: n.elements,
    tree.TupleDisplay: lambda n: n.elements,
    tree.Starred: lambda n: (n.value,),
    tree.ComprehensionFor: lambda n: (n.target, n.iterable, *n.conditions),
    tree.Comprehension: lambda n: (n.element, *n.clauses),
    tree.Unary: lambda n: (n.operand,),
    tree.Binary: lambda n: (n.left, n.right),
    tree.Comparison: lambda n: (n.first, *(operand for _, operand in n.rest)),
    tree.Boolean: lambda n: n.operands,
    tree.Conditional: lambda n: (n.body, n.test, n.orelse),
    tree.Parameter: lambda n: (n.default,),
    tree.Lambda: lambda n: (*n.parameters, n.body),
    tree.Argument: lambda n: (n.value,),
    tree.Call: lambda n: (n.function, *n.arguments),
    tree.Attribute: lambda n: (n.object,),
    tree.Slice: lambda n: (n.lower, n.upper, n.step),
    tree.Subscript: lambda n: (n.object, n.index),
    # statements
    tree.ExpressionStatement: lambda n: (n.value,),
    tree.Assign: lambda n: (*n.targets, n.value),
    tree.AugmentedAssign: lambda n: (n.target, n.value),
    tree.If: lambda n: (*(part for test, body in n.branches for part in (test, *body)), *n.orelse),
    tree.For: lambda n: (n.target, n.iterable, *n.body, *n.orelse),
    tree.While: lambda n: (n.test, *n.body, *n.orelse),
    tree.Return: lambda n: (n.value,),
    tree.FunctionDef: lambda n: (*n.decorators, *n.parameters, *n.body),
    tree.ClassDef: lambda n: (*n.decorators, *n.bases, *n.body),
    tree.With: lambda n: (*(part for item in n.items for part in item), *n.body),
    tree.Assert: lambda n: (n.test, n.message),
    tree.Delete: lambda n: n.targets,
}
#: The constructs without parts, which most nodes are.
WITHOUT_PARTS = frozenset(
    [
        tree.Name,
        tree.Number,
        tree.String,
        tree.Constant,
        tree.Break,
        tree.Continue,
        tree.Pass,
        tree.Import,
        tree.ImportFrom,
        tree.Magic,
    ]
)
CHILDREN.update(dict.fromkeys(WITHOUT_PARTS, lambda n: ()))
#: The statements that hold others.
WITH_BLOCKS = (tree.If, tree.For, tree.While, tree.FunctionDef, tree.ClassDef, tree.With)


def children(node: tree.SyntaxNode) -> list[Any]:
    """Return the parts directly below a node, without absent parts."""
    return [part for part in CHILDREN[node.__class__](node) if part is not None]


def walk(*nodes: tree.SyntaxNode) -> Iterator[Any]:
    """Yield the nodes and all nodes below them, each before its children."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ is tree.Binary:  # a long sum has a million
            stack += (node.right, node.left)
        elif node.__class__ not in WITHOUT_PARTS:
            stack.extend(reversed(children(node)))


def statements(script: tree.Script) -> Iterator[Any]:
    """Yield the statements of a script, each before those in its blocks, without a look at expressions."""
    stack: list[tree.SyntaxNode] = list(reversed(script.body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, WITH_BLOCKS):
            stack.extend(part for part in reversed(children(node)) if isinstance(part, tree.Statement))


def assigned_names(*nodes: tree.SyntaxNode) -> Iterator[tree.Name]:
    """Yield the names in the targets of all assignments in the nodes: ``a`` and ``b`` of ``a, b[0] = x``."""
    for node in walk(*nodes):
        if isinstance(node, (tree.Assign, tree.AugmentedAssign)):
            targets = node.targets if isinstance(node, tree.Assign) else (node.target,)
            yield from (part for part in walk(*targets) if isinstance(part, tree.Name))


def path_to(script: tree.Script, span: Span) -> list[Any]:
    """Return the nodes that cover ``span``, outermost first; the last is the smallest."""
    path: list[Any] = [script]
    while True:
        for node in children(path[-1]):
            if node.span.start <= span.start and span.end <= node.span.end:
                path.append(node)
                break
        else:
            return path


#: The tests of what chooses by them.
TESTS: dict[type, Callable[[Any], Parts]] = {
    tree.If: lambda n: [test for test, _ in n.branches],
    tree.While: lambda n: (n.test,),
    tree.Conditional: lambda n: (n.test,),
    tree.Assert: lambda n: (n.test,),
    tree.ComprehensionFor: lambda n: n.conditions,
}


def compares_outside_tests(script: tree.Script) -> bool:
    """Whether a script compares values elsewhere than in tests, as in ``x * (x > 0)``."""
    nodes = list(walk(script))
    tests = [test for node in nodes if type(node) in TESTS for test in TESTS[type(node)](node)]
    inside = {id(part) for part in walk(*tests)}
    return any(isinstance(node, tree.Comparison) and id(node) not in inside for node in nodes)

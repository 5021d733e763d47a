"""Every syntax node below another, in source order, without recursion.

``CHILDREN`` says for each construct what it holds; whoever walks trees (scopes, lints, repairs) uses it.
"""

from __future__ import annotations

from autodiff.core.span import Span
from autodiff.grammar import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Parts = Iterable[Any]

CHILDREN: dict[type, Callable[[Any], Parts]] = {
    syntax.Script: lambda n: n.body,
    # expressions
    syntax.FString: lambda n: [part for part in n.parts if not isinstance(part, str)],
    syntax.Replacement: lambda n: (n.expression, n.format_spec),
    syntax.ListDisplay: lambda n: n.elements,
    syntax.TupleDisplay: lambda n: n.elements,
    syntax.Starred: lambda n: (n.value,),
    syntax.ComprehensionFor: lambda n: (n.target, n.iterable, *n.conditions),
    syntax.Comprehension: lambda n: (n.element, *n.clauses),
    syntax.Unary: lambda n: (n.operand,),
    syntax.Binary: lambda n: (n.left, n.right),
    syntax.Comparison: lambda n: (n.first, *(operand for _, operand in n.rest)),
    syntax.Boolean: lambda n: n.operands,
    syntax.Conditional: lambda n: (n.body, n.test, n.orelse),
    syntax.Parameter: lambda n: (n.default,),
    syntax.Lambda: lambda n: (*n.parameters, n.body),
    syntax.Argument: lambda n: (n.value,),
    syntax.Call: lambda n: (n.function, *n.arguments),
    syntax.Attribute: lambda n: (n.object,),
    syntax.Slice: lambda n: (n.lower, n.upper, n.step),
    syntax.Subscript: lambda n: (n.object, n.index),
    # statements
    syntax.ExpressionStatement: lambda n: (n.value,),
    syntax.Assign: lambda n: (*n.targets, n.value),
    syntax.AugmentedAssign: lambda n: (n.target, n.value),
    syntax.If: lambda n: (*(part for test, body in n.branches for part in (test, *body)), *n.orelse),
    syntax.For: lambda n: (n.target, n.iterable, *n.body, *n.orelse),
    syntax.While: lambda n: (n.test, *n.body, *n.orelse),
    syntax.Return: lambda n: (n.value,),
    syntax.FunctionDef: lambda n: (*n.decorators, *n.parameters, *n.body),
    syntax.ClassDef: lambda n: (*n.decorators, *n.bases, *n.body),
    syntax.With: lambda n: (*(part for item in n.items for part in item), *n.body),
    syntax.Assert: lambda n: (n.test, n.message),
    syntax.Delete: lambda n: n.targets,
}
CHILDREN.update(
    dict.fromkeys(
        (
            syntax.Name,
            syntax.Number,
            syntax.String,
            syntax.Constant,
            syntax.Break,
            syntax.Continue,
            syntax.Pass,
            syntax.Import,
            syntax.ImportFrom,
            syntax.Magic,
        ),
        lambda n: (),
    )
)


def children(node: syntax.Syntax) -> list[Any]:
    """What stands directly below a node, without the parts it does not have."""
    return [part for part in CHILDREN[node.__class__](node) if part is not None]


def walk(*nodes: syntax.Syntax) -> Iterator[Any]:
    """The nodes and all below them, each before what it holds."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def path_to(script: syntax.Script, span: Span) -> list[Any]:
    """The nodes around a place, outermost first; the last is the smallest that covers ``span``."""
    path: list[Any] = [script]
    while True:
        for node in children(path[-1]):
            if node.span.start <= span.start and span.end <= node.span.end:
                path.append(node)
                break
        else:
            return path

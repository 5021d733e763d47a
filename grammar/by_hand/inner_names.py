"""Names that a function, a class or a comprehension binds for itself: ``dw`` in ``def back(x): dw = 2*x``.

They are other variables than those of the same name outside, and have the value that the code inside gives
them. No formula and no line of a derivation gets another one in their place.
"""

from __future__ import annotations

from functools import lru_cache

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.interpret.scope import ScriptScopes, visit_all
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The words without which a text has no such names.
OPENING = ("def ", "lambda", "for ", "class ")


def inner_nodes(*nodes: tree.SyntaxNode) -> Iterator[tree.Name | tree.Parameter]:
    """Yield the places of such names, those of parameters too."""
    scopes = ScriptScopes()
    visit_all(nodes, scopes.module, scopes)
    for node, scope in scopes.scope_of.items():
        if isinstance(node, tree.Comprehension):
            first, *others = node.clauses
            inner = [node.element, first.target, *first.conditions, *others]
        elif isinstance(node, (tree.FunctionDef, tree.Lambda)):
            yield from node.parameters
            inner = [node.body] if isinstance(node, tree.Lambda) else [*node.body]
        else:
            inner = [*node.body] if isinstance(node, tree.ClassDef) else []
        for part in walk(*inner):
            if isinstance(part, tree.Name) and part.id in scope.slots:
                yield part


def outer_names(*nodes: tree.SyntaxNode) -> Iterator[tree.Name]:
    """Yield the other names in the nodes."""
    inner = {id(one) for one in inner_nodes(*nodes)}
    yield from (part for part in walk(*nodes) if isinstance(part, tree.Name) and id(part) not in inner)


@lru_cache(maxsize=256)
def inner_offsets(text: str) -> frozenset[int]:
    """Return the offsets of such names in a text; none if it is no code.

    >>> sorted(inner_offsets("dx = [2*dz for dz in rows] + dz"))
    [8, 15]
    """
    if not any(word in text for word in OPENING):
        return frozenset()
    try:
        script = parse_to_first_error(Source(text))
    except CompileError:
        return frozenset()
    return frozenset(one.span.start for one in inner_nodes(*script.body))

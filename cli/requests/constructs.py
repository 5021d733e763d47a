"""The parts of a script that run several times or belong together: its loops and functions."""

from __future__ import annotations

from autodiff.core.base.source import Source
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

#: First and last offset of the body, and the name: ``line 3`` of a loop, ``layer()``, ``Net.forward()``.
Construct = tuple[int, int, str]
#: A loop or a function begins with one of these.
WORDS = ("for", "while", "def")


def find_constructs(source: Source) -> list[Construct]:
    """All loops and functions of a script that runs. One without their words is not parsed again."""
    if not any(word in source.text for word in WORDS):
        return []
    found = []
    script = parse_to_first_error(source)
    owners = {
        id(part): f"{node.name}."
        for node in walk(script)
        if isinstance(node, tree.ClassDef)
        for part in node.body
    }
    for node in walk(script):
        line = source.position(node.span.start)[0] if isinstance(node, tree.Statement) else 0
        if isinstance(node, (tree.For, tree.While)):
            name = f"line {line}"
        elif isinstance(node, tree.FunctionDef):
            name = f"{owners.get(id(node), '')}{node.name}()"
        else:
            continue
        found.append((node.body[0].span.start, node.body[-1].span.end, name))
    return found

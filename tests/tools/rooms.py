"""What each room imports, read from the source, and what its docstring says it may import.

A room is a package: a folder with an ``__init__``. An import counts at any depth of the code, and so does a
string that names a module of ours, as in ``Later("autodiff.core.engine.backward")``. Imports for type
checkers alone do not run and do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from conftest import REPOSITORY

LAYERS = ("core", "grammar", "cli")


def read_sources() -> dict[str, str]:
    """The text of every module by its name: ``core.base.errors``, and ``core.base`` for the room itself."""
    return {
        module_name(path): path.read_text(encoding="utf-8")
        for layer in LAYERS
        for path in sorted((REPOSITORY / layer).rglob("*.py"))
    }


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def rooms_of(sources: Mapping[str, str]) -> set[str]:
    """The rooms: every module that others are inside of."""
    return {name.rpartition(".")[0] for name in sources if "." in name} | set(LAYERS)


def room_of(module: str, rooms: set[str]) -> str:
    return module if module in rooms else module.rpartition(".")[0]


@cache
def imported_names(text: str) -> list[tuple[str, int]]:
    """The dotted names below ``autodiff`` that a text imports or spells in a string, with their lines."""
    tree = ast.parse(text)
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[-1:].isalnum():
            found.append((node.value, node.lineno))
    return [(name.removeprefix("autodiff."), line) for name, line in found if name.startswith("autodiff.")]


def imported(text: str, modules: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The modules of ours that a text imports, with the line of each import."""
    for name, line in imported_names(text):
        if name in modules:
            yield name, line
        elif name.rpartition(".")[0] in modules:  # a name of a module
            yield name.rpartition(".")[0], line


def imports_between_rooms(sources: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """Which room imports which other room, and where."""
    rooms = rooms_of(sources)
    found: dict[tuple[str, str], list[str]] = {}
    for module, text in sources.items():
        for target, line in imported(text, sources):
            pair = room_of(module, rooms), room_of(target, rooms)
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{module}, line {line}")
    return found


def said_imports(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """What the docstring of each room says after "May import"."""
    return {room: said_after("May import", room, sources) for room in rooms_of(sources)}


def said_importers(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """What the docstring of each room says after "Imported by"; nothing where any room above may."""
    return {room: said_after("Imported by", room, sources) for room in rooms_of(sources)}


def said_after(words: str, room: str, sources: Mapping[str, str]) -> set[str]:
    doc = " ".join((ast.get_docstring(ast.parse(sources.get(room, ""))) or "").split())
    said = re.search(rf"{words} (.*?)\.(?: |$)", doc)
    assert said, f"the docstring of {room} does not say {words!r}"
    return set(re.findall(r"\b(?:core|grammar|cli)(?:\.\w+)*", said[1]))

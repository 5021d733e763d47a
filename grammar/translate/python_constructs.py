"""Rewrites Python that scripts do not have: dictionaries, ``try``, files, ``filter`` and ``map``.

Each function returns the edits for one place, empty if the rewrite does not apply.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.modules import shortened
from autodiff.grammar.translate.pasted_program import CannotRewriteError, PastedProgram, is_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DICTIONARY_ADVICE = "use one variable per entry, or two lists side by side"


def dictionary_edits(pasted: PastedProgram, span: Span | None) -> list[Edit]:
    """Rewrite ``config = {"lr": 0.1}`` and its uses with one variable for each entry.

    Raises CannotRewriteError for a use other than reading or setting an entry by a literal key.
    """
    node = next(
        (n for n in walk(pasted.script) if span and n.span.start == span.start and is_dictionary(pasted, n)),
        None,
    )
    if node is None:
        return []
    statement = pasted.parent(node)
    target = statement.targets[0] if isinstance(statement, tree.Assign) else None
    if not isinstance(target, tree.Name) or pasted.times.get(target.id) != 1:
        return []
    entries: dict[str, str] = {}
    for element in node.elements:
        if not isinstance(element, tree.Comparison) or not isinstance(element.first, tree.String):
            return []
        key, value = element.first.value, element.rest[0][1]
        if not key.isidentifier() or key[0] == "_" or key in entries:
            return []
        entries[key] = pasted.text(value)
    names = {key: pasted.new_name(key, f"{target.id}_{key}") for key in entries}
    edits = entry_edits(pasted, target, names)
    lines = [f"{names[key]} = {text}" for key, text in entries.items()]
    return [pasted.replacement(statement, lines), *edits]


def is_dictionary(pasted: PastedProgram, node: Any) -> bool:
    return isinstance(node, tree.ListDisplay) and pasted.source.text.startswith("{", node.span.start)


def entry_edits(pasted: PastedProgram, target: tree.Name, names: dict[str, str]) -> list[Edit]:
    """Return the edits of the places where entries are read or set by key."""
    edits = []
    within = pasted.inside(target, tree.FunctionDef)
    for node in walk(pasted.script):
        if not isinstance(node, tree.Name) or node.id != target.id or node is target:
            continue
        outer = pasted.parent(node)
        key: Any = None
        place: Any = outer
        if isinstance(outer, tree.Subscript) and outer.object is node:
            key = outer.index
        elif isinstance(outer, tree.Attribute) and outer.name == "get":
            place = pasted.parent(outer)
            key = place.arguments[0].value if isinstance(place, tree.Call) and place.arguments else None
        if not isinstance(key, tree.String):
            what = f"`{shortened(pasted.text(pasted.statement(node)))}`"
            raise CannotRewriteError(node, what, DICTIONARY_ADVICE)
        if is_target(pasted.parent(place), place) and pasted.inside(node, tree.FunctionDef) is not within:
            what = f"`{shortened(pasted.text(pasted.statement(node)))}`"
            raise CannotRewriteError(node, what, "return the value from the function")
        if key.value not in names:
            if not key.value.isidentifier() or place is not outer:
                raise CannotRewriteError(node, f"`{pasted.text(place)}`", DICTIONARY_ADVICE)
            names[key.value] = pasted.new_name(key.value, f"{target.id}_{key.value}")
        edits.append(Edit(place.span, names[key.value]))
    return edits


def try_edits(pasted: PastedProgram, span: Span | None) -> list[Edit]:
    """Replace a ``try`` by its lines without the handlers; an error in them then ends the script."""
    text = pasted.source.text
    for node in walk(pasted.script):
        if not isinstance(node, tree.If) or span is None or node.span.start != span.start:
            continue
        bodies = [node.branches[0][1], node.orelse]
        margin = pasted.indentation(node)
        lines: list[str] = []
        for body in bodies:
            if not body:
                continue
            start = text.rfind("\n", 0, body[0].span.start) + 1
            inner = pasted.indentation(body[0])
            written = text[start : body[-1].span.end]
            if len(inner) <= len(margin):  # `try: x = 1` on one line
                written = inner + text[body[0].span.start : body[-1].span.end]
            lines += [line.removeprefix(inner) for line in written.split("\n")]
        return [Edit(node.span, ("\n" + margin).join(lines))]
    return []


def file_edits(pasted: PastedProgram, span: Span | None) -> list[Edit]:
    """Print what a script writes to a file: ``with open(...) as f: f.write(text)``.

    Returns no edits where the file is used in any other way.
    """
    for node in walk(pasted.script):
        if not isinstance(node, tree.With) or span is None or len(node.items) != 1:
            continue
        call, target = node.items[0]
        if not isinstance(call, tree.Call) or call.function.span != span or not isinstance(target, tree.Name):
            continue
        return print_edits(pasted, node, target.id)
    return []


def print_edits(pasted: PastedProgram, node: tree.With, file: str) -> list[Edit]:
    """Return the edit for a block that only writes to a file: the same lines with ``print``."""
    changes: dict[int, str] = {}
    for use in walk(*node.body):
        if not isinstance(use, tree.Name) or use.id != file:
            continue
        outer = pasted.parent(use)
        call = pasted.parent(outer)
        if isinstance(outer, tree.Attribute) and outer.name == "write" and isinstance(call, tree.Call):
            changes[id(call)] = f'print({pasted.text(call.arguments[0])}, end="")'
        elif isinstance(outer, tree.Argument) and outer.keyword == "file":
            kept = ", ".join([pasted.text(a) for a in call.arguments if a is not outer])
            changes[id(call)] = f"print({kept})"
        else:
            return []
    place = node.body[0].span.extend_to(node.body[-1].span)
    text = pasted.render_span(place, list(node.body), lambda part: changes.get(id(part)))
    margin, inner = pasted.indentation(node), pasted.indentation(node.body[0])
    return [Edit(node.span, text.replace("\n" + inner, "\n" + margin))]


def comprehension_edits(pasted: PastedProgram, span: Span | None) -> list[Edit]:
    """Rewrite ``filter(test, xs)`` and ``map(f, xs)`` as lists."""
    for node in walk(pasted.script):
        if not isinstance(node, tree.Call) or node.function.span != span or len(node.arguments) != 2:
            continue
        function, values = node.arguments[0].value, node.arguments[1].value
        if isinstance(function, tree.Lambda) and len(function.parameters) == 1:
            name, text = function.parameters[0].name, pasted.text(function.body)
        elif isinstance(function, (tree.Name, tree.Attribute)):
            name = pasted.new_name("value")
            text = f"{pasted.text(function)}({name})"
        else:
            return []
        kept = f"{text} for {name} in" if pasted.text(node.function) == "map" else f"{name} for {name} in"
        test = "" if pasted.text(node.function) == "map" else f" if {text}"
        return [Edit(node.span, f"[{kept} {pasted.text(values)}{test}]")]
    return []

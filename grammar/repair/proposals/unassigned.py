"""Repairs of names that are read before they are assigned (E0202).

Names that are assigned nowhere are left to ``unknown_names``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def assign_first(scene: Scene) -> Iterator[Fix]:
    """Label where the name is assigned, and propose to move that line up if it stands alone."""
    name, error = scene.node, scene.error
    if not isinstance(name, tree.Name):
        return
    home = function_around(scene)
    bound = [node for node in binding_places(home, name.id) if node.span != name.span]
    is_local = isinstance(home, tree.FunctionDef) and error.message.startswith("cannot access local")
    if is_local and bound and binding_places(scene.script, name.id):
        error.caret = f"`{name.id}` is local to `{home.name}`, which assigns it: the one outside is not seen"
        error.help = (f"give it as an argument, `def {home.name}({name.id}):`, and return the new value",)
        error.labels.append(Label(bound[0].span, "this makes it local"))
        return
    deleted = [node for node in walk(scene.script) if isinstance(node, tree.Delete)]
    for node in deleted:
        if node.span.end <= name.span.start and any(
            isinstance(target, tree.Name) and target.id == name.id for target in node.targets
        ):
            error.caret = f"`{name.id}` is no longer there"
            error.labels.append(Label(node.span, "deleted here"))
            return
    if not bound:
        yield from start_before_loop(scene, name.id)
        return
    first = bound[0]
    if first.span.start < name.span.start:
        error.caret = f"`{name.id}` has no value here: the line that assigns it did not run"
        error.labels.append(Label(first.span, "this did not run"))
        error.help = (f"give `{name.id}` a value before that too",)
        return
    error.labels.append(Label(first.span, "assigned only here"))
    yield from move_up(scene, first)


def function_around(scene: Scene) -> Any:
    """Return the function around the failed read, or the script."""
    return next(
        (node for node in reversed(scene.path) if isinstance(node, (tree.FunctionDef, tree.Lambda))),
        scene.script,
    )


def binding_places(home: Any, name: str) -> list[Any]:
    """Return the places in a script or function that bind ``name``, in source order."""
    found: list[Any] = []
    pending = list(reversed(children(home)))
    while pending:
        node = pending.pop()
        if isinstance(node, (tree.Assign, tree.For, tree.AugmentedAssign)):
            targets = node.targets if isinstance(node, tree.Assign) else (node.target,)
            for target in targets:
                for part in walk(target):
                    if isinstance(part, tree.Name) and part.id == name and is_bound(target, part):
                        found.append(part)
        if isinstance(node, (tree.FunctionDef, tree.ClassDef)):
            if node.name == name:
                found.append(tree.Name(node.name_span, name))
            continue
        if not isinstance(node, (tree.Lambda, tree.Comprehension)):
            pending.extend(reversed(children(node)))
    return found


def is_bound(target: Any, part: Any) -> bool:
    """Whether a name in a target is assigned, and not read as the owner of an entry."""
    return target is part or isinstance(target, (tree.TupleDisplay, tree.ListDisplay, tree.Starred))


def start_before_loop(scene: Scene, name: str) -> Iterator[Fix]:
    """Propose a first value before the loop for ``total += x`` without one."""
    statement = scene.statement
    if not isinstance(statement, tree.AugmentedAssign) or statement.op not in FIRST_VALUES:
        return
    home = function_around(scene)
    inside = scene.path[scene.path.index(home) + 1 :]
    outermost = next(node for node in inside if isinstance(node, tree.Statement))
    begin = scene.source.line_start(scene.line(outermost.span))
    margin = scene.source.text[begin : outermost.span.start]
    text = f"{name} = {FIRST_VALUES[statement.op]}"
    where = "the loop" if isinstance(outermost, (tree.For, tree.While)) else "this"
    if not margin.strip():
        yield Fix(f"start it before {where}: {text}", Edit(Span(begin, begin), f"{margin}{text}\n"))


FIRST_VALUES = {"+": "0", "-": "0", "*": "1"}


def move_up(scene: Scene, bound: Any) -> Iterator[Fix]:
    """Propose to move the assignment or the function definition above the line that reads the name."""
    around = path_to(scene.script, bound.span)
    apart = next(
        ((a, r) for a, r in zip(around, scene.path, strict=False) if a is not r), (scene.script, scene.script)
    )
    statement, reading = apart
    if not isinstance(statement, (tree.Assign, tree.FunctionDef, tree.ClassDef)):
        return
    if not isinstance(reading, tree.Statement) or isinstance(reading, tree.FunctionDef):
        return
    first, last = scene.line(statement.span), scene.source.position(statement.span.end)[0]
    begin, end = scene.source.line_start(first), scene.source.line_start(last + 1)
    text = scene.source.text[begin:end].rstrip("\n")
    at = scene.source.line_start(scene.line(reading.span))
    what = f"lines {first} to {last}" if last > first else f"line {first}"
    yield Fix(
        f"move {what} above line {scene.line(reading.span)}",
        Edit(Span(at, at), text + "\n"),
        Edit(Span(begin, end), ""),
    )

"""Labels of a failed operation: a remark on each tensor at the line that made it, in the script's names.

Nothing is recorded for this while a script runs. The last assignment of a name is found in the statements
before the failed one; where branches, loops or calls make that uncertain, the operand itself is labelled.
"""

from __future__ import annotations

from autodiff.core.base.errors import Label
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_QUOTE = 30


def shape_remark(x: Tensor) -> str:
    return f"has shape {x.shape}" if x.shape else "is a single number"


def dtype_remark(x: Tensor) -> str:
    return f"holds {x.dtype.name} numbers"


def gradient_remark(x: Tensor) -> str:
    return "" if x.requires_grad else "requires no gradient"


#: The remark on the operands by error code; for other codes it is the shape.
REMARKS: dict[str, Callable[[Tensor], str]] = {
    "E0312": dtype_remark,
    "E0404": dtype_remark,
    "E0405": lambda x: "is computed here, so it is no leaf",
    "E0406": gradient_remark,
    "E0407": lambda x: "is a leaf that requires a gradient",
    "E0408": gradient_remark,
    "E0409": lambda x: "is made here",
    "E0410": gradient_remark,
    "E0414": lambda x: "requires a gradient",
}


def add_labels(scene: Scene) -> None:
    """Add to the error a label for each of its tensors, at the line that made it."""
    remark = REMARKS.get(scene.error.code, shape_remark)
    for operand, expression in scene.given():
        text = remark(operand)
        if text:
            for label in labels_of(scene, operand, expression, text):
                if not any(old.span == label.span for old in scene.error.labels):
                    scene.error.labels.append(label)


def labels_of(scene: Scene, operand: Tensor, expression: Any, text: str) -> list[Label]:
    """Return the labels for one operand; ``expression`` is the one it came from, or None."""
    if isinstance(expression, tree.Name):
        where = deciding_assignment(scene, expression.id)
        if where is not None:
            return [Label(where, f"{expression.id} {text}")]
    made = first_name(scene, operand)
    if made is not None and (not isinstance(expression, tree.Name) or made[0] != expression.id):
        name, where = made
        there = Label(where, f"{name} {text}")
        return [there] if expression is None else [there, Label(expression.span, f"this is {name}")]
    if made is not None:
        return [Label(made[1], f"{made[0]} {text}")]
    if expression is None or expression.span == scene.span:
        return []
    quoted = scene.text(expression)
    if len(quoted) > LONGEST_QUOTE or "\n" in quoted:
        quoted = "this"
    return [Label(expression.span, f"{quoted} {text}")]


def first_name(scene: Scene, operand: Tensor) -> tuple[str, Span] | None:
    """Return the first name of a tensor and its place; None if it is unknown or in the failed statement."""
    node = operand.node
    if node is None or node.site is None or node.name is None:
        return None
    path = path_to(scene.script, node.site)
    statement = next((n for n in reversed(path) if isinstance(n, tree.Statement)), None)
    if statement is None or statement is scene.statement:
        return None
    where = target_in(statement, node.name)
    return None if where is None else (node.name, where)


# -- the assignment that gave a name its value --------------------------------------------------------


def deciding_assignment(scene: Scene, name: str) -> Span | None:
    """Return the place of a name in the only statement that can have assigned its value; None if unclear."""
    path = scene.path
    for outer, inner in zip(path[-2::-1], path[:0:-1], strict=True):
        if isinstance(outer, (tree.Lambda, tree.Comprehension)):
            if any(isinstance(n, (tree.Parameter, tree.ComprehensionFor)) for n in walk(outer)):
                return None
            continue
        for body in bodies(outer):
            position = next((i for i, statement in enumerate(body) if statement is inner), None)
            if position is None:
                continue
            for statement in reversed(body[:position]):
                if binds(statement, name):
                    return target_in(statement, name)
            if isinstance(outer, (tree.For, tree.While)) and binds(outer, name):
                return None
            if isinstance(outer, tree.FunctionDef):
                return None if binds(outer, name) else only_assignment(scene.script, name)
    return None


def only_assignment(script: tree.Script, name: str) -> Span | None:
    """Return where a name is assigned, if only one statement of the script does; None otherwise."""
    places = [statement for statement in walk(script) if binds_itself(statement, name)]
    return target_in(places[0], name) if len(places) == 1 else None


def bodies(node: Any) -> list[tree.Body]:
    """Return the blocks of statements directly inside a node."""
    if isinstance(node, tree.If):
        return [*(body for _, body in node.branches), node.orelse]
    if isinstance(node, (tree.For, tree.While)):
        return [node.body, node.orelse]
    if isinstance(node, (tree.Script, tree.With, tree.FunctionDef, tree.ClassDef)):
        return [node.body]
    return []


def binds(node: tree.SyntaxNode, name: str) -> bool:
    """Whether a statement, or anything inside it, may assign a name."""
    return any(binds_itself(part, name) for part in walk(node))


def binds_itself(node: Any, name: str) -> bool:
    if isinstance(node, (tree.FunctionDef, tree.ClassDef, tree.Parameter)):
        return node.name == name
    if isinstance(node, tree.Import):
        return any(name == (alias or module.partition(".")[0]) for module, alias in node.names)
    if isinstance(node, tree.ImportFrom):
        return any(name == (alias or imported) for imported, alias in node.names)
    return any(isinstance(part, tree.Name) and part.id == name for part in walk(*targets(node)))


def targets(node: Any) -> tuple[Any, ...]:
    """Return the targets of a statement that bind names."""
    if isinstance(node, tree.Assign):
        return tuple(t for t in node.targets if not isinstance(t, (tree.Attribute, tree.Subscript)))
    if isinstance(node, tree.AugmentedAssign):
        return (node.target,) if isinstance(node.target, tree.Name) else ()
    if isinstance(node, (tree.For, tree.ComprehensionFor)):
        return (node.target,)
    if isinstance(node, tree.With):
        return tuple(target for _, target in node.items if target is not None)
    return node.targets if isinstance(node, tree.Delete) else ()


def target_in(statement: Any, name: str) -> Span | None:
    """Return the place of a name among the targets of an assignment; None for any other statement."""
    if not isinstance(statement, (tree.Assign, tree.AugmentedAssign)):
        return None
    for part in walk(*targets(statement)):
        if isinstance(part, tree.Name) and part.id == name:
            return part.span
    return None

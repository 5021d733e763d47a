"""What the value of a name or of an expression was made from, as far as the script's text tells."""

from __future__ import annotations

from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.proposals.scene import DISPLAYS, Scene
from autodiff.grammar.values import UNBOUND, Namespace
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def given_to(scene: Scene, name: str) -> list[tuple[Any, Any]]:
    """The statements that give a name its value, alone or among others, or add to it, with what they give."""
    others: list[Any] = [
        node
        for node in walk(scene.script)
        if isinstance(node, (syntax.Assign, syntax.AugmentedAssign))
        and any(
            isinstance(part, syntax.Name) and part.id == name
            for target in (node.targets if isinstance(node, syntax.Assign) else (node.target,))
            for part in (target.elements if isinstance(target, DISPLAYS) else [target])
        )
    ]
    first = scene.assignments(name)
    given = [(node, node.value) for node in [*first, *(node for node in others if node not in first)]]
    return given + [pair for node in walk(scene.script) for pair in entries_given(node, name)]


def entries_given(node: Any, name: str) -> list[tuple[Any, Any]]:
    """The statement ``name[index] = value`` with the value and the index."""
    if not isinstance(node, syntax.Assign):
        return []
    targets = [one for one in node.targets if isinstance(one, syntax.Subscript)]
    targets = [one for one in targets if isinstance(one.object, syntax.Name) and one.object.id == name]
    return [(node, part) for one in targets for part in (node.value, one.index)]


def leads_on(scene: Scene, node: Any, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an expression was made from something that requires a gradient, as far as can be told."""
    for part in walk(node):
        if not isinstance(part, syntax.Name) or part.id in seen:
            continue
        value = scene.value(part)
        if value.__class__ is Tensor and value.requires_grad:
            return True
        given = given_to(scene, part.id)
        if value is UNBOUND and not given:  # the value of a function's own name is gone
            return True
        if value.__class__ is not Namespace and any(
            leads_on(scene, other, seen | {part.id}) for _, other in given
        ):
            return True
    return False

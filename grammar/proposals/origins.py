"""What the value of a name or of an expression was made from, as far as the script's text tells."""

from __future__ import annotations

from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.proposals.scene import Scene
from autodiff.grammar.values import UNBOUND, Namespace
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def given_to(scene: Scene, name: str) -> list[tuple[Any, Any]]:
    """The statements that give a name its value, alone or among others, or add to it, with what they give.

    Those that give entries of it, or add to these, come last, with the value and the index.
    """
    bindings = scene.bindings
    given = [(node, node.value) for node in [*scene.assignments(name), *bindings.shared.get(name, [])]]
    return given + bindings.entries.get(name, [])


def leads_on(scene: Scene, node: Any) -> bool:
    """Whether an expression was made from something that requires a gradient, as far as can be told."""
    todo = [node]
    seen: set[str] = set()
    while todo:
        for part in walk(todo.pop()):
            if not isinstance(part, syntax.Name) or part.id in seen:
                continue
            seen.add(part.id)
            value = scene.value(part)
            if value.__class__ is Tensor and value.requires_grad:
                return True
            given = given_to(scene, part.id)
            if value is UNBOUND and not given:  # the value of a function's own name is gone
                return True
            if value.__class__ is not Namespace:
                todo += [other for _, other in given]
    return False

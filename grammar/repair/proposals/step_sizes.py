"""Repairs the step of a training loop that diverges, by smaller step sizes.

``step_target`` recognises such a step for the search of cuts.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.help.failure_scene import Scene

DIVISORS = (10, 100, 1000, 10_000)


def smaller_steps(scene: Scene) -> Iterator[Fix]:
    """Propose the update with a smaller number, or a smaller number where the step size is assigned."""
    numbers = list(dict.fromkeys(step_sizes(scene.statement, scene)))
    for divisor in DIVISORS:
        for number in numbers:
            edit = Edit(number.span, f"{number.value / divisor:.6g}")
            row, column = scene.source.position(number.span.start)
            line = scene.source.line(row)
            before, after = line[: column - 1], line[column - 1 + number.span.end - number.span.start :]
            yield Fix(f"make smaller steps: {(before + edit.text + after).strip()}", edit)


def step_sizes(part: tree.SyntaxNode, scene: Scene) -> Iterator[tree.Number]:
    """Yield the numbers in a part of the script, and those that its names stand for."""
    for node in walk(part):
        if isinstance(node, tree.Number) and node.value:
            yield node
        elif isinstance(node, tree.Name):
            for value in possible_values(node.id, scene):
                if isinstance(value, tree.Number) and value.value:
                    yield value


def possible_values(name: str, scene: Scene) -> Iterator[tree.Expression | None]:
    """Yield what a variable is assigned, and what is passed for a parameter by its name."""
    for node in walk(scene.script):
        if isinstance(node, tree.Argument) and node.keyword == name:
            yield node.value
        elif isinstance(node, tree.Parameter) and node.name == name:
            yield node.default
    for statement in scene.assignments(name):
        yield statement.value


def step_target(statement: Any) -> tree.Name | None:
    """Return the ``w`` of ``w = w - lr * w.grad``, else None."""
    if not isinstance(statement, tree.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, tree.Name) or not isinstance(value, tree.Binary) or value.op != "-":
        return None
    return target if isinstance(value.left, tree.Name) and value.left.id == target.id else None

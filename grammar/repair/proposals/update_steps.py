"""Recognises the step of a training loop, ``w = w - lr * w.grad``."""

from __future__ import annotations

from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def step_target(statement: Any) -> tree.Name | None:
    """Return the ``w`` of ``w = w - lr * w.grad``, else None."""
    if not isinstance(statement, tree.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, tree.Name) or not isinstance(value, tree.Binary) or value.op != "-":
        return None
    return target if isinstance(value.left, tree.Name) and value.left.id == target.id else None
